import { append, attach, bind_this, child, delegate, delegated, each, event, first_child, from_html, get, if_block, index, noop, only_child, pop, prop, push, reset, set, set_attribute, set_style, set_text, sibling, state, template_effect, untrack, user_derived, user_effect } from "./packages.js";
import { Progress, Task, ViewStyle, ViewTabs, act, capital, chooseHead, colorRange, cssColor, explanationOf, headLabel, imageParam, inkOn, isImageUrl, isServed, largest, logitName, mapName, patchName, percent, reasonOf, roving, scrollInto, showNotice, signed, stopWaiting, tokenCount, tokenName } from "./shared.js";
// src/explore/views/patching.ts
function patchedOf({ heads, mlp, logit, corruptedLogit, target }, classes) {
	const rows = heads.map((row, layer) => [...row, mlp[layer]]);
	const limitOf = (values) => Math.max(...values.map(Math.abs)) || 1;
	return {
		rows,
		limits: {
			heads: limitOf(heads.flat()),
			mlp: limitOf(mlp)
		},
		logit,
		corruptedLogit,
		classes: target.map((k) => classes[k])
	};
}
var MAX_COST = 1e11;
var isCheap = (shape, parameters) => parameters * tokenCount(shape) * shape.layers * (shape.heads + 1) < MAX_COST;
var partName = (layer, column, { heads }) => `Layer ${layer + 1}, ${column < heads ? `head ${column + 1}` : "MLP"}`;
function strongest({ rows }) {
	const heads = rows.map((row) => row.slice(0, -1));
	const index = largest(heads.flat(), 0);
	return [Math.floor(index / heads[0].length), index % heads[0].length];
}
var explanation = (names) => `Each cell: B (${names[1]}) runs through the model with this one activation replaced by that of A (${names[0]}), the image on screen.`;
var meaning = ({ logit, corruptedLogit, classes, limits }) => `0: ${logitName(classes)} stays at ${signed(corruptedLogit)}, as in B. 1: this activation alone raises it to ${signed(logit)}, as in A. Below 0 it moves away from A. Heads have ${colorRange(limits.heads)}, MLPs ${colorRange(limits.mlp)}.`.replace("raises", logit < corruptedLogit ? "lowers" : "raises");
var cellLine = (patched, layer, column, shape) => [
	`${partName(layer, column, shape)} recovers `,
	{ strong: percent(patched.rows[layer][column], 0) },
	" of the difference between A and B."
];
function logitsLine({ logit, corruptedLogit, classes }, recovered) {
	const changed = corruptedLogit + recovered * (logit - corruptedLogit);
	return [
		`Patched, it changes ${logitName(classes)} from ${signed(corruptedLogit)} in B to `,
		{ strong: signed(changed) },
		`; A has ${signed(logit)}.`
	];
}
function readLine(patched, layer, column, shape) {
	const [first, second] = strongest(patched);
	return layer === first && column === second ? logitsLine(patched, patched.rows[layer][column]) : cellLine(patched, layer, column, shape);
}
function headline(patched, shape) {
	const [layer, column] = strongest(patched);
	return `${partName(layer, column, shape)} alone recovers ${percent(patched.rows[layer][column], 0)} of the difference between A and B in ${logitName(patched.classes)}`;
}
function tokensHeadline(layer, values, shape) {
	const token = largest(values, 0);
	const name = token < shape.prefix ? tokenName(token, shape) : `the token at ${patchName(token - shape.prefix, shape)}`;
	return `After layer ${layer + 1}, ${name} recovers ${percent(values[token], 0)} of the difference between A and B`;
}
function tokensLine(values, read, shape, patched) {
	const patch = read >= 0 ? read : largest(values, shape.prefix) - shape.prefix;
	const value = values[shape.prefix + patch];
	if (read < 0 && Math.abs(value) < .005) return ["No patch token recovers anything after this layer on its own."];
	if (read < 0 && patched && largest(values, 0) >= shape.prefix) return logitsLine(patched, value);
	return [
		`${capital(patchName(patch, shape))}: its token after this layer, taken from A, recovers `,
		{ strong: percent(value, 0) },
		" of the difference."
	];
}
var tokensNote = (values, shape) => Array.from({ length: shape.prefix }, (_, token) => `${signed(values[token])} by ${tokenName(token, shape)}`).join(", ");
// src/explore/views/patching.css?inline
var patching_default = "/* Loaded with the view, nested in a selector of the page. */\n.patched-images { display: flex; align-items: center; gap: 10px; margin-bottom: 12px; color: var(--quiet); }\n.patched-images figure { display: flex; align-items: center; gap: 8px; margin: 0; min-width: 0; }\n.patched-images img { width: 40px; aspect-ratio: var(--aspect); image-rendering: pixelated; box-shadow: 0 0 0 1px var(--tile-line); background: var(--fill); }\n.patched-images figcaption { font-size: 12px; line-height: 16px; max-width: 90px; overflow-wrap: anywhere; }\n.patched-images b { display: block; color: var(--ink); }\n.patched-images .button { margin-left: auto; }\n.patching-progress { display: grid; grid-template-columns: 1fr auto; gap: 6px 12px; align-items: center; margin-bottom: 10px; font-size: 12px; color: var(--quiet); }\n.patching-progress .progress { grid-column: 1 / 3; }\n.patching-grid {\n  --line: clamp(14px, (var(--map) - 20px) / (var(--layers) + 1) - 2px, 34px);\n  display: grid; grid-template-columns: 58px repeat(var(--heads), minmax(min(14px, 300px / var(--heads)), 56px)) minmax(30px, 56px);\n  grid-auto-rows: var(--line); gap: 2px; position: relative; overflow-x: auto; padding: 4px; margin: -4px;\n}\n.patching-grid > * { min-width: 0; }\n.corner, .patching-head { display: grid; place-items: center; font-size: 12px; line-height: 1; color: var(--quiet); white-space: nowrap; }\n.corner { justify-content: end; padding-right: 8px; }\n.patching-layer { padding: 0 8px 0 0; border: 0; background: none; color: var(--quiet); font-size: 12px; text-align: right; text-decoration: underline dotted; text-underline-offset: 3px; white-space: nowrap; cursor: pointer; }\n.patching-layer:hover { color: var(--ink); }\n.patching-layer[aria-pressed=true] { color: var(--color-accent); font-weight: 600; }\n.patching-cell { display: grid; place-items: center; padding: 0; border: 0; overflow: hidden; container-type: inline-size; box-shadow: inset 0 0 0 1px var(--tile-line); cursor: pointer; }\n.patching-cell:last-child, .patching-cell:has(+ .patching-layer) { margin-left: 4px; cursor: default; }\n.patching-cell:hover { box-shadow: 0 0 0 1.5px var(--ink); }\n.patching-cell[aria-pressed=true] { z-index: 1; box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }\n.patching-cell span { font-size: 12px; line-height: 1; }\n@container (max-width: 33px) { .patching-cell span { display: none; } }\n.patching-note { margin-top: 10px; font-size: 12px; line-height: 16px; color: var(--quiet); }\n@media (max-width: 639px) {\n  .patching-grid { grid-template-columns: 52px repeat(var(--heads), minmax(34px, 56px)) minmax(34px, 56px); }\n  .patching-layer, .corner { position: sticky; left: -4px; z-index: 3; padding-right: 4px; background: var(--page); }\n}\n";
// src/explore/views/patching.svelte.ts
var CHOOSING = "Choose image B: a sample, a test image, or an upload.";
var PREFERRED = ["dog", "cat"];
var STOPPED = "Canceled: the matrix needs the forward passes of all heads.";
var PatchingPanel = class {
	explorer;
	task;
	#other = state(null);
	get other() {
		return get(this.#other);
	}
	set other(value) {
		set(this.#other, value);
	}
	#patched = state(null);
	get patched() {
		return get(this.#patched);
	}
	set patched(value) {
		set(this.#patched, value);
	}
	#tokens = state(new Map());
	get tokens() {
		return get(this.#tokens);
	}
	set tokens(value) {
		set(this.#tokens, value);
	}
	#pointed = state(null);
	get pointed() {
		return get(this.#pointed);
	}
	set pointed(value) {
		set(this.#pointed, value);
	}
	#isLoading = state(false);
	get isLoading() {
		return get(this.#isLoading);
	}
	set isLoading(value) {
		set(this.#isLoading, value);
	}
	#isChoosing = state(false);
	get isChoosing() {
		return get(this.#isChoosing);
	}
	set isChoosing(value) {
		set(this.#isChoosing, value);
	}
	#ticket = 0;
	#layer = user_derived(() => this.explorer.choices.layer);
	get layer() {
		return get(this.#layer);
	}
	set layer(value) {
		set(this.#layer, value);
	}
	#values = user_derived(() => {
		const { layer, head } = this.explorer.choices;
		return layer >= 0 && head === -1 ? this.tokens.get(layer) ?? null : null;
	});
	#map = user_derived(() => {
		const [values, { shape }] = [get(this.#values), this.explorer];
		if (!values) return void 0;
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
	#title = user_derived(() => {
		const { layer, head } = this.explorer.choices;
		return get(this.#values) ? `Tokens after layer ${layer + 1}` : mapName(layer, head);
	});
	get title() {
		return get(this.#title);
	}
	set title(value) {
		set(this.#title, value);
	}
	#headline = user_derived(() => {
		const { patched, layer } = this;
		const [values, shape] = [get(this.#values), this.explorer.shape];
		if (values) return tokensHeadline(layer, values, shape);
		return patched ? headline(patched, shape) : "Which activations carry the difference between two images?";
	});
	get headline() {
		return get(this.#headline);
	}
	set headline(value) {
		set(this.#headline, value);
	}
	#line = user_derived(() => {
		const { patched, pointed } = this;
		const { shape, choices } = this.explorer;
		const { layer, head, readoutPatch } = choices;
		if (get(this.#values)) return tokensLine(get(this.#values), readoutPatch, shape, patched);
		if (!patched) return ["Activation patching replaces one activation at a time by that of another image."];
		if (pointed) return readLine(patched, pointed.layer, pointed.column, shape);
		if (layer === -1 || head === -1) return ["Choose a head to see what it attends to in A, or a layer to patch its tokens."];
		return readLine(patched, layer, head, shape);
	});
	get line() {
		return get(this.#line);
	}
	set line(value) {
		set(this.#line, value);
	}
	#note = user_derived(() => get(this.#values) ? tokensNote(get(this.#values), this.explorer.shape) : void 0);
	get note() {
		return get(this.#note);
	}
	set note(value) {
		set(this.#note, value);
	}
	#shown = user_derived(() => {
		const { other, patched } = this;
		if (!other || !patched) return null;
		const { layer, head } = this.explorer.choices;
		const isLeftOut = layer >= 0 && head === -1 && !this.tokens.has(layer);
		return {
			other: other.key,
			target: this.#target,
			...isLeftOut ? { layer: null } : {}
		};
	});
	get shown() {
		return get(this.#shown);
	}
	set shown(value) {
		set(this.#shown, value);
	}
	#unit = user_derived(() => get(this.#values) ? "recovered difference of A and B" : void 0);
	get unit() {
		return get(this.#unit);
	}
	set unit(value) {
		set(this.#unit, value);
	}
	#term = user_derived(() => get(this.#values) ? "recovered difference" : void 0);
	get term() {
		return get(this.#term);
	}
	set term(value) {
		set(this.#term, value);
	}
	constructor(explorer) {
		this.explorer = explorer;
		this.task = new Task(explorer);
	}
	read(patch) {
		const { map } = this;
		return map ? [signed(map.values[map.first + patch]), "recovered"] : null;
	}
	get choice() {
		const { choices, catalog } = this.explorer;
		const shown = choices.image ? imageParam(choices.image) : "";
		const others = catalog.samples.filter(({ name }) => name !== shown);
		const { name } = others.find((sample) => PREFERRED.includes(sample.name)) ?? others[0];
		return choices.other ?? {
			kind: "sample",
			name
		};
	}
	choose() {
		const { explorer } = this;
		if (this.isChoosing) return this.endChoosing();
		this.isChoosing = true;
		showNotice(explorer, CHOOSING);
		explorer.takeImage = (image) => {
			this.endChoosing();
			stopWaiting(explorer);
			explorer.markers.state = "ready";
			act(explorer, { other: image });
		};
	}
	endChoosing() {
		this.isChoosing = false;
		this.explorer.takeImage = null;
		if (this.explorer.notice === CHOOSING) showNotice(this.explorer, null);
	}
	async load() {
		const { explorer, choice } = this;
		const mine = ++this.#ticket;
		const { reply } = explorer;
		const explanation = explanationOf(explorer);
		this.task.cancel();
		Object.assign(this, {
			patched: null,
			tokens: new Map(),
			isLoading: false
		});
		if (!reply?.classes.length) return;
		this.isLoading = true;
		const found = await explorer.host.request("explain", {
			checkpoint: reply.checkpoint,
			image: choice
		});
		if (mine !== this.#ticket || explanationOf(explorer) !== explanation) return;
		this.isLoading = false;
		this.other = isServed(found) ? found : null;
		if (!isServed(found)) return showNotice(explorer, reasonOf(found), true);
		const model = explorer.model(reply.checkpoint);
		if (model && isCheap(explorer.shape, model.parameters)) await this.patchHeads();
	}
	async patchHeads() {
		const { explorer, other } = this;
		if (!other || !explorer.reply) return;
		const { classes } = explorer.reply;
		const found = await this.task.run("patch_heads", this.#question(other));
		if (found === "cancelled") return;
		if (!isServed(found)) return showNotice(explorer, reasonOf(found), true);
		this.patched = patchedOf(found, classes);
	}
	async patchTokens(layer) {
		const { explorer, other } = this;
		chooseHead(explorer, layer, -1, 0);
		if (!other || this.tokens.has(layer)) return;
		const found = await this.task.run("patch_tokens", {
			...this.#question(other),
			layer
		});
		if (found === "cancelled") return;
		if (!isServed(found)) return showNotice(explorer, reasonOf(found), true);
		this.tokens = new Map([...this.tokens, [layer, new Float32Array(found.tokens)]]);
	}
	interrupt() {
		this.task.cancel();
		showNotice(this.explorer, STOPPED);
	}
	#question({ key }) {
		return {
			other: key,
			target: this.#target
		};
	}
	get #target() {
		const { ablation, choices, predictedClass } = this.explorer;
		return ablation && !choices.target.length ? [predictedClass] : choices.target;
	}
};
// src/explore/views/Patching.svelte
var image = ($$anchor, letter = noop, src = noop, name = noop) => {
	var figure = root_1();
	var node_1 = child(figure);
	var consequent = ($$anchor) => {
		var img = root();
		template_effect(() => {
			set_attribute(img, "src", src());
			set_attribute(img, "alt", `${letter()}, ${name()}`);
		});
		append($$anchor, img);
	};
	var d = user_derived(() => isImageUrl(src()));
	if_block(node_1, ($$render) => {
		if (get(d)) $$render(consequent);
	});
	var figcaption = sibling(node_1, 2);
	var b = child(figcaption);
	var text = only_child(b, true);
	var text_1 = sibling(b);
	reset(figcaption);
	reset(figure);
	template_effect(() => {
		set_text(text, letter());
		set_text(text_1, ` ${(name() && `predicted ${name()}`) ?? ""}`);
	});
	append($$anchor, figure);
};
var root = from_html(`<img/>`);
var root_1 = from_html(`<figure><!> <figcaption><b> </b> </figcaption></figure>`);
var root_2 = from_html(`<div class="patching-progress"><!> <span> </span> <button type="button" class="button" data-do="cancel-patching">Cancel</button></div>`);
var root_3 = from_html(`<button type="button" class="button primary" data-do="patch">Patch all heads and MLPs</button>`);
var root_4 = from_html(`<span class="patching-head"> </span>`);
var root_5 = from_html(`<button type="button" class="patching-cell"><span> </span></button>`);
var root_6 = from_html(`<button type="button" class="patching-layer"></button> <!>`, 1);
var root_7 = from_html(`<div class="patching-grid" role="toolbar" tabindex="-1" aria-label="Recovered difference by layer and head: arrow keys walk through them"><span class="corner" aria-hidden="true">tokens of</span> <!> <!></div> <p class="patching-note"> </p>`, 1);
var root_8 = from_html(`<!> <section class="column matrix-column" aria-label="Activation patching"><div class="column-head"><!></div> <div class="matrix-box"><div class="patched-images"><!> <span aria-hidden="true">→</span> <!> <button type="button" class="button" data-do="choose-other"> </button></div> <!> <!></div></section>`, 1);
function Patching($$anchor, $$props) {
	push($$props, true);
	const explorer = prop($$props, "explorer", 7);
	const panel = new PatchingPanel(untrack(() => explorer()));
	const { choices, theme } = untrack(() => explorer());
	user_effect(() => {
		explorer().panel = panel;
		return () => {
			explorer().panel = null;
			panel.endChoosing();
		};
	});
	user_effect(() => {
		explorer().reply, explorer().ablation, choices.target, choices.other;
		untrack(() => panel.load());
		return () => panel.task.cancel();
	});
	let node = state(void 0);
	user_effect(() => {
		choices.layer, choices.head;
		const cell = get(node)?.querySelector("[aria-pressed=true]");
		if (get(node) && cell) scrollInto(get(node), cell);
	});
	const shape = user_derived(() => explorer().shape);
	const patched = user_derived(() => panel.patched);
	const progress = user_derived(() => panel.task.progress);
	const table = user_derived(() => theme.table("div"));
	const pixelOf = (value, limit) => get(table)[Math.round(127.5 + 127.5 * value / limit)];
	const nameOf = (probabilities) => probabilities ? explorer().reply?.classes[probabilities.indexOf(Math.max(...probabilities))] ?? "" : "";
	const names = user_derived(() => [nameOf(explorer().reply?.probabilities), nameOf(panel.other?.probabilities)]);
	const isChosen = (layer, column) => explorer().view.method === null && choices.layer === layer && choices.head === column;
	function placeOf(target) {
		const { layer, column } = target instanceof Element && target.closest("[data-column]")?.dataset || {};
		panel.pointed = layer === void 0 ? null : {
			layer: Number(layer),
			column: Number(column)
		};
	}
	var fragment = root_8();
	var node_2 = first_child(fragment);
	ViewStyle(node_2, { get css() {
		return patching_default;
	} });
	var section = sibling(node_2, 2);
	var div = child(section);
	var node_3 = child(div);
	ViewTabs(node_3, { get explorer() {
		return explorer();
	} });
	reset(div);
	var div_1 = sibling(div, 2);
	var div_2 = child(div_1);
	var node_4 = child(div_2);
	image(node_4, () => "A", () => explorer().reply?.image.src, () => get(names)[0]);
	var node_5 = sibling(node_4, 4);
	image(node_5, () => "B", () => panel.other?.image.src, () => get(names)[1]);
	var button = sibling(node_5, 2);
	var text_2 = only_child(button, true);
	reset(div_2);
	var node_6 = sibling(div_2, 2);
	var consequent_1 = ($$anchor) => {
		var div_3 = root_2();
		var node_7 = child(div_3);
		Progress(node_7, {
			label: "Activation patching",
			get progress() {
				return panel.task.fraction;
			}
		});
		var span = sibling(node_7, 2);
		var text_3 = only_child(span, true);
		var button_1 = sibling(span, 2);
		reset(div_3);
		template_effect(() => set_text(text_3, get(progress).total ? `${get(progress).done} of ${get(progress).total} forward passes` : "Waiting for the server…"));
		delegated("click", button_1, () => panel.interrupt());
		append($$anchor, div_3);
	};
	var consequent_2 = ($$anchor) => {
		var button_2 = root_3();
		delegated("click", button_2, () => panel.patchHeads());
		append($$anchor, button_2);
	};
	if_block(node_6, ($$render) => {
		if (get(progress)) $$render(consequent_1);
		else if (!get(patched) && panel.other && !panel.isLoading) $$render(consequent_2, 1);
	});
	var node_8 = sibling(node_6, 2);
	var consequent_3 = ($$anchor) => {
		var fragment_1 = root_7();
		var div_4 = first_child(fragment_1);
		var node_9 = sibling(child(div_4), 2);
		each(node_9, 17, () => ({ length: get(shape).heads + 1 }), index, ($$anchor, $$item, h) => {
			var span_1 = root_4();
			var text_4 = only_child(span_1, true);
			template_effect(($0) => set_text(text_4, $0), [() => h === get(shape).heads ? "MLP" : headLabel(h, get(shape).heads)]);
			append($$anchor, span_1);
		});
		var node_10 = sibling(node_9, 2);
		each(node_10, 17, () => get(patched).rows, index, ($$anchor, row, layer) => {
			var fragment_2 = root_6();
			var button_3 = first_child(fragment_2);
			set_attribute(button_3, "aria-label", `Tokens after layer ${layer + 1}`);
			set_attribute(button_3, "title", `Patch the tokens after layer ${layer + 1}, one at a time`);
			button_3.textContent = layer === 0 ? "layer 1" : layer + 1;
			var node_11 = sibling(button_3, 2);
			each(node_11, 17, () => get(row), index, ($$anchor, value, column) => {
				const pixel = user_derived(() => pixelOf(get(value), column < get(shape).heads ? get(patched).limits.heads : get(patched).limits.mlp));
				var button_4 = root_5();
				set_attribute(button_4, "data-layer", layer);
				set_attribute(button_4, "data-column", column);
				let styles;
				var span_2 = child(button_4);
				var text_5 = only_child(span_2, true);
				reset(button_4);
				template_effect(($0, $1, $2, $3, $4) => {
					set_attribute(button_4, "aria-pressed", $0);
					set_attribute(button_4, "aria-label", $1);
					styles = set_style(button_4, "", styles, {
						"background-color": $2,
						color: $3
					});
					set_text(text_5, $4);
				}, [
					() => column < get(shape).heads ? isChosen(layer, column) : void 0,
					() => `${partName(layer, column, get(shape))}: ${signed(get(value))}`,
					() => cssColor(get(pixel)),
					() => inkOn(get(pixel)),
					() => signed(get(value))
				]);
				delegated("click", button_4, () => column < get(shape).heads && chooseHead(explorer(), layer, column, 0));
				append($$anchor, button_4);
			});
			template_effect(($0) => set_attribute(button_3, "aria-pressed", $0), [() => isChosen(layer, -1)]);
			delegated("click", button_3, () => panel.patchTokens(layer));
			append($$anchor, fragment_2);
		});
		reset(div_4);
		bind_this(div_4, ($$value) => set(node, $$value), () => get(node));
		attach(div_4, () => roving);
		var p = sibling(div_4, 2);
		var text_6 = only_child(p);
		template_effect(($0, $1) => {
			set_style(div_4, `--heads: ${get(shape).heads ?? ""}; --layers: ${get(shape).layers ?? ""}`);
			set_attribute(div_4, "data-ready", `${explorer().key ?? ""} ${panel.other?.key ?? ""}`);
			set_text(text_6, `${$0 ?? ""} ${$1 ?? ""} A layer's name patches its tokens.`);
		}, [() => explanation(get(names)), () => meaning(get(patched))]);
		delegated("pointerover", div_4, ({ target }) => placeOf(target));
		event("pointerleave", div_4, () => panel.pointed = null);
		delegated("focusin", div_4, ({ target }) => placeOf(target));
		delegated("focusout", div_4, () => panel.pointed = null);
		append($$anchor, fragment_1);
	};
	if_block(node_8, ($$render) => {
		if (get(patched)) $$render(consequent_3);
	});
	reset(div_1);
	reset(section);
	template_effect(() => {
		set_attribute(button, "aria-pressed", panel.isChoosing);
		set_text(text_2, panel.isChoosing ? "Keep B" : "Choose B");
	});
	delegated("click", button, () => panel.choose());
	append($$anchor, fragment);
	pop();
}
delegate([
	"click",
	"pointerover",
	"focusin",
	"focusout"
]);
export { Patching as default };
