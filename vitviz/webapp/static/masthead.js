import { append, delegate, delegated, first_child, from_html, get, mount as mount$1, onMount, only_child, pop, proxy, push, set, set_attribute, set_text, sibling, state, template_effect } from "./packages.js";
import { OPEN_HEAD } from "./shared.js";
// src/masthead/address.ts
var onScreen = "";
function changeAddress(change, how, search = location.search) {
	const params = new URLSearchParams(search);
	change(params);
	history[how](history.state, "", `${location.pathname}?${params}${location.hash}`);
	onScreen = location.search;
}
var tabs = () => [...document.querySelectorAll("#pages [role=tab]")];
var textOf = (tab) => (tab.textContent ?? "").trim();
var nameOf = (tab) => textOf(tab).toLowerCase();
var tabOf = (search) => new URLSearchParams(search).get("tab");
var wantedTab = () => tabOf(location.search);
var nameTab = (name) => (params) => {
	if (name) params.set("tab", name);
	else params.delete("tab");
};
function open(name, times) {
	const tab = tabs().find((one) => nameOf(one) === name);
	if (tab?.getAttribute("aria-selected") === "true" || times === 0) return;
	tab?.click();
	setTimeout(open, 50, name, times - 1);
}
function follow(event) {
	const tab = event.target instanceof Element && event.target.closest("#pages [role=tab]");
	if (!tab) return;
	const name = tab === tabs()[0] ? null : nameOf(tab);
	document.title = name ? `${textOf(tab)} · vitviz` : "vitviz";
	if (name !== wantedTab()) changeAddress(nameTab(name), "pushState");
}
function goBack() {
	const wanted = wantedTab();
	if (wanted === tabOf(onScreen)) {
		onScreen = location.search;
		return;
	}
	changeAddress(nameTab(wanted), "replaceState", onScreen);
	(tabs().find((tab) => nameOf(tab) === wanted) ?? tabs()[0])?.click();
}
function followTabs() {
	onScreen = location.search;
	window.addEventListener("vitviz:address", () => {
		onScreen = location.search;
	});
	window.addEventListener(OPEN_HEAD, () => tabs()[0]?.click());
	document.addEventListener("click", follow);
	window.addEventListener("popstate", goBack);
	const wanted = wantedTab();
	if (wanted) open(wanted, 200);
}
// src/masthead/theme.ts
var KEY = "vitviz-theme";
var isDark = () => document.body.classList.contains("dark");
function storedTheme() {
	try {
		return localStorage.getItem(KEY);
	} catch {
		return null;
	}
}
function storeTheme(name) {
	try {
		localStorage.setItem(KEY, name);
	} catch {}
}
function restoreTheme() {
	const stored = storedTheme();
	if (!new URLSearchParams(location.search).has("__theme") && stored) document.body.classList.toggle("dark", stored === "dark");
}
function printLight() {
	let wasDark = false;
	window.addEventListener("beforeprint", () => {
		wasDark = isDark();
		document.body.classList.remove("dark");
	});
	window.addEventListener("afterprint", () => {
		document.body.classList.toggle("dark", wasDark);
	});
}
function switchTheme() {
	document.body.classList.toggle("dark");
	storeTheme(isDark() ? "dark" : "light");
}
// src/masthead/Masthead.svelte
var root = from_html(`<a class="skip" href="#pages">Skip to the content</a> <a class="wordmark" href="?">vitviz</a> <button type="button" class="theme-switch"> </button>`, 1);
function Masthead($$anchor, $$props) {
	push($$props, true);
	let dark = state(proxy(isDark()));
	onMount(() => {
		const watcher = new MutationObserver(() => {
			set(dark, isDark(), true);
		});
		watcher.observe(document.body, {
			attributes: true,
			attributeFilter: ["class"]
		});
		return () => watcher.disconnect();
	});
	function choose() {
		switchTheme();
		changeAddress((params) => params.delete("__theme"), "replaceState");
	}
	function skip(event) {
		event.preventDefault();
		const headline = [...document.querySelectorAll(".vitviz h1")].find((node) => node.offsetParent);
		if (!headline) return;
		headline.tabIndex = -1;
		headline.focus();
	}
	var fragment = root();
	var a = first_child(fragment);
	var button = sibling(a, 4);
	var text = only_child(button, true);
	template_effect(() => {
		set_attribute(button, "aria-label", `Switch to ${get(dark) ? "light" : "dark"} colors`);
		set_text(text, get(dark) ? "Light" : "Dark");
	});
	delegated("click", a, skip);
	delegated("click", button, choose);
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/masthead/masthead.ts
function mount({ element }) {
	restoreTheme();
	printLight();
	mount$1(Masthead, { target: element.firstElementChild ?? element });
	followTabs();
}
export { mount };
