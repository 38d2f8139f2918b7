/* The theme button, labeled with the theme it switches to, and the query string. The theme is stored in the browser. */

const button = element.querySelector(".theme-switch");
const isDark = () => document.body.classList.contains("dark");
const label = () => {
  button.textContent = isDark() ? "Light" : "Dark";
  button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colors`);
};
const storedTheme = () => { try { return localStorage.getItem("vitviz-theme"); } catch { return null; } };
const storeTheme = (name) => { try { localStorage.setItem("vitviz-theme", name); } catch { /* private window */ } };
const isLinked = new URLSearchParams(location.search).has("__theme");
if (!isLinked && storedTheme()) document.body.classList.toggle("dark", storedTheme() === "dark");
let onScreen = location.search; // query string of the state on screen
const address = (change, how, search = location.search) => {
  const params = new URLSearchParams(search);
  change(params);
  history[how](history.state, "", `${location.pathname}?${params}${location.hash}`);
  onScreen = location.search;
};
window.addEventListener("vitviz:address", () => { onScreen = location.search; });
button.addEventListener("click", () => {
  document.body.classList.toggle("dark");
  storeTheme(isDark() ? "dark" : "light");
  address((params) => params.delete("__theme"), "replaceState"); // the choice overrides the link's theme
});
/* The query string contains the tab, so a reload reopens it and Back returns to the previous one (Gradio reserves the
   name "page"). Back changes nothing else: the pages keep their state, and so does the query string. Tabs are created
   after this script. */
const tabs = () => [...document.querySelectorAll("#pages [role=tab]")];
const nameOf = (tab) => tab.textContent.trim().toLowerCase();
const wantedTab = () => new URLSearchParams(location.search).get("tab");
const nameTab = (name) => (params) => (name ? params.set("tab", name) : params.delete("tab"));
document.addEventListener("click", (event) => {
  const tab = event.target.closest?.("#pages [role=tab]");
  if (!tab) return;
  const name = tab === tabs()[0] ? null : nameOf(tab);
  document.title = name ? `${tab.textContent.trim()} · vitviz` : "vitviz";
  if (name === wantedTab()) return; // opened by the query string
  address(nameTab(name), "pushState");
});
window.addEventListener("popstate", () => {
  address(nameTab(wantedTab()), "replaceState", onScreen);
  (tabs().find((tab) => nameOf(tab) === wantedTab()) ?? tabs()[0])?.click();
});
const wanted = wantedTab();
function open(times) {
  const tab = tabs().find((one) => nameOf(one) === wanted);
  if (tab?.getAttribute("aria-selected") === "true" || times === 0) return;
  tab?.click();
  setTimeout(open, 50, times - 1);
}
if (wanted) open(200);
new MutationObserver(label).observe(document.body, { attributes: true, attributeFilter: ["class"] });
label();
