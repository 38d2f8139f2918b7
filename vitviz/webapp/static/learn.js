import { __vitePreload, mountOf } from "./shared.js";
// src/learn/learn.ts
var mount = mountOf(() => __vitePreload(() => import("./lesson.js"), [], import.meta.url));
export { mount };
