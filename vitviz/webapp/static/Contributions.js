import { append, bind_this, child, clsx, delegate, delegated, each, event, first_child, from_html, get, if_block, index, noop, only_child, pop, prop, push, reset, set, set_attribute, set_class, set_style, set_text, sibling, state, template_effect, untrack, user_derived, user_effect } from "./packages.js";
import { GRID_KEYS, ViewStyle, ViewTabs, announceSoon, caution, cellsNote, chooseHead, columnTitle, contributionOf, contributionsOf, cssColor, headLabel, headLine, headline, headsName, inkOn, isAblated, isServed, isShortcut, layerOf, nextPlace, patchLine, prefixNote, queryClassToken, reasonOf, requestAblated, scrollInto, showNotice, signed, stepLine, stepName, sumLine, toggleHead, tokenValues } from "./shared.js";
// src/explore/views/contributions.css?inline
var contributions_default = "/* Loaded with the view, nested in a selector of the page. */\n.ledger {\n  --line: clamp(12px, (var(--map) + 60px) / (2 * var(--layers) + 4) - 2px, 26px);\n  --text: 44px; /* room for a number after the longest bar */\n  display: grid; grid-template-columns: 50px minmax(130px, 1fr) repeat(var(--heads), minmax(min(14px, 236px / var(--heads)), calc(var(--largest-tile) - 14px)));\n  grid-auto-rows: var(--line); gap: 2px; position: relative; overflow-x: auto; padding: 3px; margin: -3px;\n}\n.ledger > * { min-width: 0; }\n.ledger-key, .ledger-head, .ledger-name { display: flex; align-items: center; font-size: 12px; line-height: 1; color: var(--quiet); white-space: nowrap; }\n.ledger-key { grid-area: 1 / 2; gap: 4px; }\n.ledger-key .swatch { width: 10px; height: 10px; background: var(--quiet); }\n.ledger-key .swatch + .swatch, .ledger-key .mlp { margin-left: 6px; }\n.ledger-key .mlp { background: repeating-linear-gradient(135deg, var(--quiet) 0 1.5px, transparent 1.5px 4px); box-shadow: inset 0 0 0 1px var(--quiet); }\n.ledger-head { grid-row: 1; justify-content: center; }\n.ledger-name { grid-column: 1; justify-content: flex-end; padding-right: 8px; }\n.ledger-name.on, .ledger-head.on { color: var(--color-accent); font-weight: 600; }\n.ledger-name.sum { color: var(--ink); font-weight: 600; }\n.bar-row {\n  grid-column: 2; position: relative; height: auto; padding: 0; border: 0; cursor: default;\n  background: linear-gradient(var(--hairline), var(--hairline)) calc(var(--zero) * (100% - var(--text)) / 100) 0 / 1px 100% no-repeat;\n}\n.bar-row:is(.attention, .sum) { cursor: pointer; }\n.bar-row:hover { background-color: var(--fill); }\n.bar-row[aria-pressed=true] { box-shadow: 0 0 0 2px var(--color-accent); z-index: 1; }\n.bar-row:focus-visible, .amount-cell:focus-visible { outline: 2px solid var(--color-accent); outline-offset: 2px; border-radius: 1px; z-index: 2; }\n\n/* Bars are placed within the row without the room for numbers. */\n.bar-row > i, .bar-row > span { position: absolute; pointer-events: none; }\n.bar-row > .amounts { inset: 0 var(--text) 0 0; }\n.amounts > * { position: absolute; }\n.amount { top: 2px; bottom: 2px; min-width: 1.5px; background: var(--positive); }\n.amount.negative { background: var(--negative); }\n.mlp .amount { --stripe: var(--positive); background: repeating-linear-gradient(135deg, var(--stripe) 0 2px, transparent 2px 5px); box-shadow: inset 0 0 0 1px var(--stripe); }\n.mlp .amount.negative { --stripe: var(--negative); }\n.other .amount { background: var(--quiet); }\n.sum .amount { background: var(--ink); }\n.link { top: -4px; height: 8px; border-left: 1px solid var(--quiet); }\n.amount-text { top: 50%; padding-left: 4px; font-size: 12px; line-height: 1; transform: translateY(-50%); white-space: nowrap; color: var(--ink); }\n.sum .amount-text { font-weight: 600; }\n.deep .mlp .amount-text, .deep .attention .amount-text { display: none; }\n.amount-cell { display: grid; place-items: center; padding: 0; border: 0; overflow: hidden; container-type: inline-size; box-shadow: inset 0 0 0 1px var(--tile-line); cursor: pointer; }\n.amount-cell:hover { box-shadow: 0 0 0 1.5px var(--ink); }\n.amount-cell[aria-pressed=true] { z-index: 1; box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }\n.amount-cell.ablated { background: linear-gradient(to bottom right, transparent calc(50% - .6px), var(--quiet) 0 calc(50% + .6px), transparent 0) var(--page) !important; }\n.amount-cell span { font-size: 12px; line-height: 1; }\n@container (max-width: 33px) { .amount-cell span { display: none; } }\n.ledger-note { margin-top: 10px; font-size: 12px; line-height: 16px; color: var(--quiet); }\n@media (max-width: 639px) {\n  .ledger { grid-template-columns: 46px minmax(126px, 1fr) repeat(var(--heads), minmax(26px, 36px)); }\n  .ledger-name { position: sticky; left: -3px; z-index: 3; background: var(--page); }\n}\n";
// src/explore/views/contributions.svelte.ts
var ContributionsPanel = class {
	explorer;
	#data = state(null);
	get data() {
		return get(this.#data);
	}
	set data(value) {
		set(this.#data, value);
	}
	#shape = state(null);
	get shape() {
		return get(this.#shape);
	}
	set shape(value) {
		set(this.#shape, value);
	}
	#classes = state([]);
	get classes() {
		return get(this.#classes);
	}
	set classes(value) {
		set(this.#classes, value);
	}
	#pointed = state(null);
	get pointed() {
		return get(this.#pointed);
	}
	set pointed(value) {
		set(this.#pointed, value);
	}
	#reply = null;
	#ticket = 0;
	term = "contribution";
	#layer = user_derived(() => Math.max(-1, this.explorer.choices.layer));
	get layer() {
		return get(this.#layer);
	}
	set layer(value) {
		set(this.#layer, value);
	}
	#head = user_derived(() => this.explorer.choices.head);
	get head() {
		return get(this.#head);
	}
	set head(value) {
		set(this.#head, value);
	}
	#patches = user_derived(() => this.explorer.view.query);
	get patches() {
		return get(this.#patches);
	}
	set patches(value) {
		set(this.#patches, value);
	}
	#values = user_derived(() => {
		const { data, shape, layer, head } = this;
		return data && shape ? tokenValues(data.heads, shape, layer, head) : null;
	});
	#map = user_derived(() => {
		const [values, shape] = [get(this.#values), this.shape];
		if (!values || !shape) return null;
		const limit = Math.max(...values.slice(shape.prefix).map(Math.abs)) || 1;
		return {
			values,
			first: shape.prefix,
			scale: {
				kind: "signed",
				limit
			}
		};
	});
	get map() {
		return get(this.#map);
	}
	set map(value) {
		set(this.#map, value);
	}
	#title = user_derived(() => headsName(this.layer, this.head));
	get title() {
		return get(this.#title);
	}
	set title(value) {
		set(this.#title, value);
	}
	#note = user_derived(() => {
		const [values, shape] = [get(this.#values), this.shape];
		return values && shape ? prefixNote(values, shape) : "";
	});
	get note() {
		return get(this.#note);
	}
	set note(value) {
		set(this.#note, value);
	}
	#headline = user_derived(() => {
		const [values, shape] = [get(this.#values), this.shape];
		if (!values || !shape) return "Contributions to the logit";
		return headline(values, this.layer, this.head, this.classes, shape);
	});
	get headline() {
		return get(this.#headline);
	}
	set headline(value) {
		set(this.#headline, value);
	}
	#line = user_derived(() => {
		const { data, shape, pointed, layer, head, patches } = this;
		if (!data || !shape) return [];
		const read = this.explorer.choices.readoutPatch;
		const values = get(this.#values);
		if (read >= 0 && values) return patchLine(values[shape.prefix + read], read, layer, head, shape);
		if (!pointed) return patches.length ? headLine(data, shape, layer, head, patches) : sumLine(data, this.classes);
		if (pointed.column > 0) return headLine(data, shape, layerOf(pointed.row, shape.layers), pointed.column - 1, patches);
		return pointed.row < data.steps.length ? stepLine(data.steps[pointed.row], data) : sumLine(data, this.classes);
	});
	get line() {
		return get(this.#line);
	}
	set line(value) {
		set(this.#line, value);
	}
	#shown = user_derived(() => this.data && {});
	get shown() {
		return get(this.#shown);
	}
	set shown(value) {
		set(this.#shown, value);
	}
	#unit = user_derived(() => `contribution to ${this.classes.length > 1 ? "the difference" : "the logit"}`);
	get unit() {
		return get(this.#unit);
	}
	set unit(value) {
		set(this.#unit, value);
	}
	constructor(explorer) {
		this.explorer = explorer;
	}
	read(patch) {
		const { map } = this;
		return [signed(map?.values[map.first + patch] ?? 0), "logit"];
	}
	async load() {
		const { explorer } = this;
		const mine = ++this.#ticket;
		const { reply, shape, targetNames, choices, ablation, predictedClass } = explorer;
		if (!reply) return;
		if (this.#reply !== reply) this.data = null;
		this.#reply = reply;
		const target = ablation && !choices.target.length ? [predictedClass] : choices.target;
		const found = await requestAblated(explorer, "contributions", { target });
		if (mine !== this.#ticket || explorer.reply !== reply) return;
		if (isServed(found)) Object.assign(this, {
			shape,
			classes: targetNames,
			data: contributionsOf(found, shape)
		});
		else {
			this.data = null;
			showNotice(explorer, reasonOf(found), true);
		}
	}
	choose({ row, column }) {
		const { shape } = this;
		if (!shape) return null;
		const layer = layerOf(row, shape.layers);
		if (column > 0) return {
			layer,
			head: column - 1
		};
		if (row % 2 === 1 && layer >= 0) return {
			layer,
			head: -1
		};
		return row === 2 * shape.layers + 2 ? {
			layer: -1,
			head: -1
		} : null;
	}
};
// src/explore/views/Contributions.svelte
var root = from_html(`<i class="link"></i>`);
var root_1 = from_html(`<button type="button" data-column="0"><span class="amounts"><i></i> <!> <span class="amount-text"> </span></span></button>`);
var root_2 = from_html(`<span> </span>`);
var root_3 = from_html(`<button type="button"><span> </span></button>`);
var root_4 = from_html(`<span></span> <!> <!> <!>`, 1);
var root_5 = from_html(`<div role="group"><span class="ledger-name"></span> <span class="ledger-key"><b class="swatch attention"></b>attention <b class="swatch mlp"></b>MLP</span> <!> <span class="ledger-name">embed</span> <!> <!> <span class="ledger-name">biases</span> <!> <span class="ledger-name sum">logit</span> <!></div> <p class="ledger-note"> </p>`, 1);
var root_6 = from_html(`<!> <section class="column matrix-column" aria-label="Contributions"><div class="column-head"><!></div> <div class="matrix-box"><!></div></section>`, 1);
function Contributions($$anchor, $$props) {
	push($$props, true);
	const bar = ($$anchor, row = noop, name = noop, value = noop, start = noop, end = noop, kind = noop) => {
		var button = root_1();
		let styles;
		var span = child(button);
		var i = child(span);
		var node_1 = sibling(i, 2);
		var consequent = ($$anchor) => {
			var i_1 = root();
			let styles_1;
			template_effect(($0) => styles_1 = set_style(i_1, "", styles_1, { left: $0 }), [() => `${at(start()) ?? ""}%`]);
			append($$anchor, i_1);
		};
		if_block(node_1, ($$render) => {
			if (row() > 0 && row() < get(last)) $$render(consequent);
		});
		var span_1 = sibling(node_1, 2);
		let styles_2;
		var text = only_child(span_1, true);
		reset(span);
		reset(button);
		template_effect(($0, $1, $2, $3, $4) => {
			set_class(button, 1, clsx(["bar-row", kind()]));
			set_attribute(button, "data-row", row());
			set_attribute(button, "tabindex", get(stop).row === row() && get(stop).column === 0 ? 0 : -1);
			set_attribute(button, "aria-pressed", $0);
			set_attribute(button, "aria-label", $1);
			styles = set_style(button, "", styles, { "grid-row": row() + 2 });
			set_class(i, 1, clsx(["amount", value() < 0 && "negative"]));
			set_style(i, $2);
			styles_2 = set_style(span_1, "", styles_2, { left: $3 });
			set_text(text, $4);
		}, [
			() => kind() === "attention" || kind() === "sum" ? isChosen(row(), 0) : void 0,
			() => `${name()}: ${signed(value())}`,
			() => barStyle(start(), end()),
			() => `${at(Math.max(start(), end())) ?? ""}%`,
			() => signed(value())
		]);
		delegated("click", button, () => choose({
			row: row(),
			column: 0
		}));
		append($$anchor, button);
	};
	const explorer = prop($$props, "explorer", 7);
	const panel = new ContributionsPanel(untrack(() => explorer()));
	const { choices, theme } = untrack(() => explorer());
	let node = state(void 0);
	user_effect(() => {
		explorer().panel = panel;
		return () => {
			explorer().panel = null;
		};
	});
	user_effect(() => {
		explorer().reply, explorer().ablation, choices.target;
		untrack(() => panel.load());
	});
	const data = user_derived(() => panel.data);
	const shape = user_derived(() => panel.shape);
	const table = user_derived(() => theme.table("div"));
	const colors = user_derived(() => ({
		positive: cssColor(get(table)[222]),
		negative: cssColor(get(table)[44])
	}));
	const last = user_derived(() => get(shape) ? 2 * get(shape).layers + 2 : 0);
	const range = user_derived(() => get(data) ? get(data).high - get(data).low || 1 : 1);
	const at = (value) => get(data) ? 100 * (value - get(data).low) / get(range) : 0;
	const values = user_derived(() => get(data) && get(shape) ? Array.from({ length: get(shape).layers }, (_, l) => Array.from({ length: get(shape).heads }, (_, h) => contributionOf(get(data).heads, get(shape), l, h, panel.patches))) : []);
	const limit = user_derived(() => panel.patches.length ? Math.max(...get(values).flat().map(Math.abs)) || 1 : get(data)?.headLimit ?? 1);
	const pixelOf = (value) => get(table)[Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, value / get(limit))))];
	const chosen = user_derived(() => {
		const { layer, head } = panel;
		if (layer === -1) return {
			row: get(last),
			column: 0
		};
		return {
			row: 1 + 2 * layer,
			column: head === -1 ? 0 : head + 1
		};
	});
	const isChosen = (row, column) => explorer().view.method === null && row === get(chosen).row && column === get(chosen).column;
	user_effect(() => {
		const cell = get(node)?.querySelector(`[data-row="${get(chosen).row}"][data-column="${get(chosen).column}"]`);
		if (get(node) && cell) scrollInto(get(node), cell);
	});
	let isFocused = state(false);
	const stop = user_derived(() => panel.pointed && get(isFocused) ? panel.pointed : get(chosen));
	function choose(place, byKey = false) {
		const found = panel.choose(place);
		if (found) chooseHead(explorer(), found.layer, found.head, byKey ? 0 : void 0);
		else announceSoon(explorer(), 0);
	}
	function placeOf(target) {
		const cell = target instanceof Element && target.closest("[data-row]");
		return cell ? {
			row: Number(cell.dataset.row),
			column: Number(cell.dataset.column)
		} : null;
	}
	function press(event) {
		const place = placeOf(event.target);
		if (!place || !get(shape) || isShortcut(event)) return;
		if (event.key === "Escape") return queryClassToken(explorer());
		if (event.key === "x" || event.key === "Delete") return toggleHead(explorer());
		if (!GRID_KEYS.includes(event.key)) return;
		event.preventDefault();
		const next = nextPlace(place, event.key, get(shape).layers, get(shape).heads);
		panel.pointed = next;
		choose(next, true);
		get(node)?.querySelector(`[data-row="${next.row}"][data-column="${next.column}"]`)?.focus();
	}
	const barStyle = (start, end) => `left: ${at(Math.min(start, end))}%; width: ${at(Math.max(start, end)) - at(Math.min(start, end))}%`;
	var fragment = root_6();
	var node_2 = first_child(fragment);
	ViewStyle(node_2, { get css() {
		return contributions_default;
	} });
	var section = sibling(node_2, 2);
	var div = child(section);
	var node_3 = child(div);
	ViewTabs(node_3, { get explorer() {
		return explorer();
	} });
	reset(div);
	var div_1 = sibling(div, 2);
	var node_4 = child(div_1);
	var consequent_1 = ($$anchor) => {
		var fragment_1 = root_5();
		var div_2 = first_child(fragment_1);
		var span_2 = child(div_2);
		set_style(span_2, "", {}, { "grid-row": "1" });
		var node_5 = sibling(span_2, 4);
		each(node_5, 17, () => ({ length: get(shape).heads }), index, ($$anchor, $$item, h) => {
			var span_3 = root_2();
			set_style(span_3, "", {}, { "grid-column": h + 3 });
			var text_1 = only_child(span_3, true);
			template_effect(($0) => {
				set_class(span_3, 1, clsx(["ledger-head", panel.head === h && "on"]));
				set_text(text_1, $0);
			}, [() => headLabel(h, get(shape).heads)]);
			append($$anchor, span_3);
		});
		var span_4 = sibling(node_5, 2);
		set_style(span_4, "", {}, { "grid-row": "2" });
		var node_6 = sibling(span_4, 2);
		{
			let $0 = user_derived(() => stepName(get(data).steps[0]));
			bar(node_6, () => 0, () => get($0), () => get(data).steps[0].value, () => 0, () => get(data).steps[0].end, () => "other");
		}
		var node_7 = sibling(node_6, 2);
		each(node_7, 17, () => ({ length: get(shape).layers }), index, ($$anchor, $$item, l) => {
			const computed_const = user_derived(() => {
				const [attention, mlp] = [get(data).steps[1 + 2 * l], get(data).steps[2 + 2 * l]];
				return {
					attention,
					mlp
				};
			});
			var fragment_2 = root_4();
			var span_5 = first_child(fragment_2);
			set_style(span_5, "", {}, { "grid-row": `${2 * l + 3} / span 2` });
			span_5.textContent = l === 0 ? "layer 1" : l + 1;
			var node_8 = sibling(span_5, 2);
			{
				let $0 = user_derived(() => stepName(get(computed_const).attention));
				bar(node_8, () => 1 + 2 * l, () => get($0), () => get(computed_const).attention.value, () => get(computed_const).attention.start, () => get(computed_const).attention.end, () => "attention");
			}
			var node_9 = sibling(node_8, 2);
			{
				let $0 = user_derived(() => stepName(get(computed_const).mlp));
				bar(node_9, () => 2 + 2 * l, () => get($0), () => get(computed_const).mlp.value, () => get(computed_const).mlp.start, () => get(computed_const).mlp.end, () => "mlp");
			}
			var node_10 = sibling(node_9, 2);
			each(node_10, 17, () => ({ length: get(shape).heads }), index, ($$anchor, $$item, h) => {
				const value = user_derived(() => get(values)[l][h]);
				const ablated = user_derived(() => isAblated(choices.ablated, get(shape), l, h));
				var button_1 = root_3();
				set_attribute(button_1, "data-row", 1 + 2 * l);
				set_attribute(button_1, "data-column", h + 1);
				let styles_3;
				var span_6 = child(button_1);
				var text_2 = only_child(span_6, true);
				reset(button_1);
				template_effect(($0, $1, $2, $3, $4) => {
					set_class(button_1, 1, clsx(["amount-cell", get(ablated) && "ablated"]));
					set_attribute(button_1, "tabindex", get(stop).row === 1 + 2 * l && get(stop).column === h + 1 ? 0 : -1);
					set_attribute(button_1, "aria-pressed", $0);
					set_attribute(button_1, "aria-label", $1);
					styles_3 = set_style(button_1, "", styles_3, {
						"grid-row": `${2 * l + 3} / span 2`,
						"grid-column": h + 3,
						"background-color": $2,
						color: $3
					});
					set_text(text_2, $4);
				}, [
					() => isChosen(1 + 2 * l, h + 1),
					() => `Layer ${l + 1}, head ${h + 1}: ${get(ablated) ? "ablated" : signed(get(value))}`,
					() => cssColor(pixelOf(get(value))),
					() => inkOn(pixelOf(get(value))),
					() => get(ablated) ? "" : signed(get(value))
				]);
				delegated("click", button_1, () => choose({
					row: 1 + 2 * l,
					column: h + 1
				}));
				append($$anchor, button_1);
			});
			template_effect(() => set_class(span_5, 1, clsx(["ledger-name", panel.layer === l && "on"])));
			append($$anchor, fragment_2);
		});
		var span_7 = sibling(node_7, 2);
		let styles_4;
		var node_11 = sibling(span_7, 2);
		{
			let $0 = user_derived(() => stepName(get(data).steps[get(last) - 1]));
			bar(node_11, () => get(last) - 1, () => get($0), () => get(data).steps[get(last) - 1].value, () => get(data).steps[get(last) - 1].start, () => get(data).steps[get(last) - 1].end, () => "other");
		}
		var span_8 = sibling(node_11, 2);
		let styles_5;
		var node_12 = sibling(span_8, 2);
		bar(node_12, () => get(last), () => "Sum of all", () => get(data).logit, () => 0, () => get(data).logit, () => "sum");
		reset(div_2);
		bind_this(div_2, ($$value) => set(node, $$value), () => get(node));
		var p = sibling(div_2, 2);
		var text_3 = only_child(p);
		template_effect(($0, $1, $2, $3) => {
			set_class(div_2, 1, clsx(["ledger", get(shape).layers > 12 && "deep"]));
			set_attribute(div_2, "aria-label", $0);
			set_style(div_2, `--layers: ${get(shape).layers ?? ""}; --heads: ${get(shape).heads ?? ""}; --positive: ${get(colors).positive ?? ""}; --negative: ${get(colors).negative ?? ""}; --zero: ${$1 ?? ""}`);
			set_attribute(div_2, "data-ready", explorer().key);
			styles_4 = set_style(span_7, "", styles_4, { "grid-row": get(last) + 1 });
			styles_5 = set_style(span_8, "", styles_5, { "grid-row": get(last) + 2 });
			set_text(text_3, `${$2 ?? ""} ${$3 ?? ""}`);
		}, [
			() => `${columnTitle(panel.classes)}: arrow keys walk through layers and heads`,
			() => at(0),
			() => cellsNote(panel.patches, get(limit), get(shape)),
			() => caution(get(shape))
		]);
		delegated("keydown", div_2, press);
		delegated("pointerover", div_2, ({ target }) => panel.pointed = placeOf(target));
		event("pointerleave", div_2, () => panel.pointed = null);
		delegated("focusin", div_2, ({ target }) => {
			set(isFocused, true);
			panel.pointed = placeOf(target);
		});
		delegated("focusout", div_2, () => {
			set(isFocused, false);
			panel.pointed = null;
		});
		append($$anchor, fragment_1);
	};
	if_block(node_4, ($$render) => {
		if (get(data) && get(shape)) $$render(consequent_1);
	});
	reset(div_1);
	reset(section);
	append($$anchor, fragment);
	pop();
}
delegate([
	"click",
	"keydown",
	"pointerover",
	"focusin",
	"focusout"
]);
export { Contributions as default };
