import { mount as mount$1 } from "./packages.js";
import { __vitePreload, hostOf } from "./shared.js";
// src/learn/learn.ts
var UNAVAILABLE = "A script of this page could not be loaded. Check that vitviz is still running, then reload.";
async function mount(context) {
	const { element } = context;
	try {
		const { default: Lesson, LearnPage } = await __vitePreload(async () => {
			const { default: Lesson, LearnPage } = await import("./lesson.js");
			return {
				default: Lesson,
				LearnPage
			};
		}, [], import.meta.url);
		mount$1(Lesson, {
			target: element.firstElementChild ?? element,
			props: { page: new LearnPage(hostOf(context)) }
		});
	} catch {
		element.textContent = UNAVAILABLE;
	}
}
export { mount };
