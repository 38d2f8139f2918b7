/* The query string contains the tab, so a reload reopens it and Back returns to the previous one (Gradio reserves the
   name "page"). Where Back changes the tab it changes nothing else: the pages keep their state, and so does the query
   string. An entry of the same tab belongs to its page. */

import { OPEN_HEAD } from '../lib/address';

let onScreen = ''; // query string of the state on screen

type Change = (params: URLSearchParams) => void;

/** Change the parameters of a query string, by default the current one, and show it in the address. */
export function changeAddress(change: Change, how: 'pushState' | 'replaceState', search = location.search): void {
  const params = new URLSearchParams(search);
  change(params);
  history[how](history.state, '', `${location.pathname}?${params}${location.hash}`);
  onScreen = location.search;
}

const tabs = () => [...document.querySelectorAll<HTMLElement>('#pages [role=tab]')];
const textOf = (tab: Element) => (tab.textContent ?? '').trim();
const nameOf = (tab: Element) => textOf(tab).toLowerCase();
const tabOf = (search: string) => new URLSearchParams(search).get('tab');
const wantedTab = () => tabOf(location.search);

const nameTab =
  (name: string | null): Change =>
  (params) => {
    if (name) params.set('tab', name);
    else params.delete('tab');
  };

/** Click a tab until it is selected: Gradio creates the tabs after the masthead. */
function open(name: string, times: number): void {
  const tab = tabs().find((one) => nameOf(one) === name);
  if (tab?.getAttribute('aria-selected') === 'true' || times === 0) return;
  tab?.click();
  setTimeout(open, 50, name, times - 1);
}

function follow(event: MouseEvent): void {
  const tab = event.target instanceof Element && event.target.closest('#pages [role=tab]');
  if (!tab) return;
  const name = tab === tabs()[0] ? null : nameOf(tab);
  document.title = name ? `${textOf(tab)} · vitviz` : 'vitviz';
  if (name !== wantedTab()) changeAddress(nameTab(name), 'pushState'); // else opened by the query string
}

function goBack(): void {
  const wanted = wantedTab();
  if (wanted === tabOf(onScreen)) {
    onScreen = location.search;
    return;
  }
  changeAddress(nameTab(wanted), 'replaceState', onScreen);
  (tabs().find((tab) => nameOf(tab) === wanted) ?? tabs()[0])?.click();
}

/** Open the tab of the query string, and keep the two equal. */
export function followTabs(): void {
  onScreen = location.search;
  window.addEventListener('vitviz:address', () => {
    onScreen = location.search;
  });
  window.addEventListener(OPEN_HEAD, () => tabs()[0]?.click());
  document.addEventListener('click', follow);
  window.addEventListener('popstate', goBack);
  const wanted = wantedTab();
  if (wanted) open(wanted, 200);
}
