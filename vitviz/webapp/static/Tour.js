import { append, bind_this, child, delegate, delegated, from_html, get, if_block, only_child, pop, push, reset, set, set_text, sibling, state, template_effect, tick, update, user_derived, user_effect } from "./packages.js";
import { STOPS, stopAfter, zoomOf } from "./shared.js";
// src/explore/Tour.svelte
var root = from_html(`<button type="button" class="button primary">Next</button>`);
var root_1 = from_html(`<button type="button" class="button primary">Done</button>`);
var root_2 = from_html(`<div class="tour" popover="manual" role="dialog" aria-labelledby="tour-title" aria-describedby="tour-text" tabindex="-1"><h3 id="tour-title"> </h3> <p id="tour-text"> </p> <div class="tour-buttons"><span> </span> <button type="button" class="button">Skip</button> <button type="button" class="button">Back</button> <!></div></div>`);
function Tour($$anchor, $$props) {
	push($$props, true);
	let at = state(0);
	let card;
	const stop = user_derived(() => STOPS[get(at)]);
	user_effect(() => {
		const target = card.closest(".vitviz-explorer")?.querySelector(get(stop).target);
		if (!target) return;
		target.classList.add("toured");
		target.scrollIntoView({ block: "nearest" });
		if (!card.matches(":popover-open")) card.showPopover();
		tick().then(() => place(target.getBoundingClientRect()));
		card.focus({ preventScroll: true });
		return () => target.classList.remove("toured");
	});
	function place({ left, right, top, bottom }) {
		const zoom = zoomOf(card);
		const [width, height] = [card.offsetWidth * zoom, card.offsetHeight * zoom];
		const beside = right + width + 24 < innerWidth ? right + 16 : left - width - 16;
		const isBeside = beside > 8;
		const below = bottom + height + 20 < innerHeight ? bottom + 12 : innerHeight - height - 12;
		const x = isBeside ? beside : Math.max(8, Math.min(left, innerWidth - width - 8));
		const y = isBeside ? Math.max(8, Math.min(top, innerHeight - height - 12)) : below;
		Object.assign(card.style, {
			left: `${x / zoom}px`,
			top: `${y / zoom}px`
		});
	}
	function press(event) {
		const next = stopAfter(event.key, get(at));
		if (next === void 0) return;
		event.preventDefault();
		event.stopPropagation();
		if (next === null) $$props.onend();
		else set(at, next, true);
	}
	var div = root_2();
	var h3 = child(div);
	var text = only_child(h3, true);
	var p = sibling(h3, 2);
	var text_1 = only_child(p, true);
	var div_1 = sibling(p, 2);
	var span = child(div_1);
	var text_2 = only_child(span);
	var button = sibling(span, 2);
	var button_1 = sibling(button, 2);
	var node = sibling(button_1, 2);
	var consequent = ($$anchor) => {
		var button_2 = root();
		delegated("click", button_2, () => update(at));
		append($$anchor, button_2);
	};
	var alternate = ($$anchor) => {
		var button_3 = root_1();
		delegated("click", button_3, function(...$$args) {
			$$props.onend?.apply(this, $$args);
		});
		append($$anchor, button_3);
	};
	if_block(node, ($$render) => {
		if (get(at) < STOPS.length - 1) $$render(consequent);
		else $$render(alternate, -1);
	});
	reset(div_1);
	reset(div);
	bind_this(div, ($$value) => card = $$value, () => card);
	template_effect(() => {
		set_text(text, get(stop).title);
		set_text(text_1, get(stop).text);
		set_text(text_2, `${get(at) + 1} of ${STOPS.length ?? ""}`);
		button_1.disabled = get(at) === 0;
	});
	delegated("keydown", div, press);
	delegated("click", button, function(...$$args) {
		$$props.onend?.apply(this, $$args);
	});
	delegated("click", button_1, () => update(at, -1));
	append($$anchor, div);
	pop();
}
delegate(["keydown", "click"]);
export { Tour as default };
