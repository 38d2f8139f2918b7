import { __vitePreload, mountOf } from "./shared.js";
// src/compare/compare.ts
var mount = mountOf(() => __vitePreload(() => import("./comparison.js"), [], import.meta.url));
export { mount };
