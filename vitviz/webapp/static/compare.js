import { mount as mount$1 } from "./packages.js";
import { __vitePreload, hostOf } from "./shared.js";
// src/compare/compare.ts
var UNAVAILABLE = "A script of this page could not be loaded. Check that vitviz is still running, then reload.";
async function mount(context) {
	const { element } = context;
	try {
		const { default: Compare, ComparePage } = await __vitePreload(async () => {
			const { default: Compare, ComparePage } = await import("./comparison.js");
			return {
				default: Compare,
				ComparePage
			};
		}, [], import.meta.url);
		mount$1(Compare, {
			target: element.firstElementChild ?? element,
			props: { page: new ComparePage(hostOf(context)) }
		});
	} catch {
		element.textContent = UNAVAILABLE;
	}
}
export { mount };
