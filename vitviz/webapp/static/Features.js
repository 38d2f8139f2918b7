import { append, attach, bind_checked, child, comment, delegate, delegated, each, first_child, from_html, get, if_block, index, next, only_child, pop, prop, push, remove_input_defaults, reset, set, set_attribute, set_style, set_text, sibling, state, template_effect, untrack, user_derived, user_effect } from "./packages.js";
import { Progress, Task, ViewStyle, ViewTabs, act, bytesOf, capital, counted, explanationOf, floatsOf, isRemoved, isServed, makeTile, paintPixels, paintTile, patchCount, patchName, percent, queryClassToken, queryPatches, reasonOf, remainingPatches, requestAblated, roving, showNotice, written } from "./shared.js";
// src/explore/views/features.ts
var COLORS = [
	"red",
	"green",
	"blue"
];
var layerShown = (layer, layers) => layer < 0 ? layers - 1 : Math.min(layer, layers - 1);
var total = (explained) => explained.reduce((sum, ratio) => sum + ratio, 0);
function colorsHeadline(layer, explained, foreground) {
	const what = foreground ? " without the background" : "";
	if (!explained) return `Layer ${layer + 1}: fewer than 3 patches are left${what}`;
	return `Layer ${layer + 1}: three components explain ${percent(total(explained), 0)} of the variance of the patch features`;
}
function colorsLine(explained, foreground) {
	if (!explained) return [foreground ? "Include the background, or choose another layer." : "Restore removed patches."];
	const [red, green, blue] = explained.map((ratio) => percent(ratio, 0));
	return [
		"Patches of similar color have similar features. Red, green and blue are the first three principal components: ",
		{ strong: `${red}, ${green} and ${blue}` },
		" of the variance."
	];
}
function colorReading(pixel) {
	if (pixel >>> 24 === 0) return ["background", ""];
	return [[
		0,
		8,
		16
	].map((shift) => ((pixel >>> shift & 255) / 255).toFixed(2)).join("\xA0"), COLORS.join(", ")];
}
function mostSimilar(values, patch, shape) {
	const others = isRemoved(patch, shape) ? [] : remainingPatches(shape).filter((other) => other !== patch);
	return others.length ? others.reduce((best, other) => values[other] > values[best] ? other : best) : null;
}
var removedSentence = (patch, shape) => `${capital(patchName(patch, shape))} is removed`;
function similarityHeadline(layer, patch, values, shape) {
	if (isRemoved(patch, shape)) return removedSentence(patch, shape);
	const other = mostSimilar(values, patch, shape);
	const what = other === null ? "the only patch left" : `most similar to ${patchName(other, shape)}`;
	return `Layer ${layer + 1}: ${patchName(patch, shape)} is ${what}`;
}
function similarityText(patch, values, shape) {
	const other = mostSimilar(values, patch, shape);
	return other === null ? "" : `max ${written(values[other], 2)}`;
}
function similarityLine(patch, values, read, shape) {
	const other = read >= 0 ? read : mostSimilar(values, patch, shape) ?? patch;
	const removed = [patch, other].find((one) => isRemoved(one, shape));
	if (removed !== void 0) return [`${removedSentence(removed, shape)}.`];
	return [
		"The cosine of the features of ",
		`${patchName(patch, shape)} and ${patchName(other, shape)} is `,
		{ strong: written(values[other], 2) },
		". It compares what the tokens contain, not what they attend to."
	];
}
function similarityScale(values, shape) {
	const patches = patchCount(shape);
	const least = values.reduce((low, value, i) => isRemoved(i % patches, shape) ? low : Math.min(low, value), 1);
	return {
		kind: "linear",
		low: Math.min(.9, Math.floor(10 * least) / 10),
		limit: 1,
		clips: false,
		isWeight: false
	};
}
var ofLayer = (all, layer, grid) => {
	const patches = grid.rows * grid.columns;
	return all.subarray(layer * patches, (layer + 1) * patches);
};
function featuresNote(foreground) {
	return `PCA over ${foreground ? "the patches of this image without the background, the side of the first component with most border patches" : "the patches of this image"}, for each layer separately: colors of different layers are not comparable. Point at a patch for its similarity with the others.`;
}
var similarityNote = (patch, shape) => `Cosine of the features of ${patchName(patch, shape)} and of each patch, after each layer; max: of another patch. Esc shows the principal components.`;
var nearestNote = (shown, count, hasClassToken) => `${counted(shown, "image", "images")} most similar of ${count.toLocaleString("en")} training images, by the cosine of ${hasClassToken ? "the final class tokens" : "the mean final patch tokens"}.`;
// src/explore/views/features.css?inline
var features_default = "/* Loaded with the view, nested in a selector of the page. */\n.foreground { display: flex; align-items: center; gap: 6px; font-size: 13px; color: var(--quiet); white-space: nowrap; cursor: pointer; }\n.foreground input { accent-color: var(--color-accent); }\n.film { --frame: clamp(56px, 300px / var(--layers) + 54px, 112px); display: grid; gap: 8px; grid-template-columns: repeat(auto-fill, minmax(var(--frame), 1fr)); padding: 4px; margin: -4px; }\n.frame { display: grid; grid-template-columns: 1fr auto; gap: 4px 2px; padding: 0; border: 0; background: none; color: inherit; text-align: left; font-size: 12px; line-height: 16px; cursor: pointer; }\n.frame canvas { grid-column: 1 / 3; width: 100%; aspect-ratio: var(--aspect); box-shadow: 0 0 0 1px var(--tile-line); background: repeating-linear-gradient(135deg, var(--hairline) 0 1px, transparent 1px 6px); }\n.frame:hover canvas { box-shadow: 0 0 0 1.5px var(--ink); }\n.frame[aria-pressed=true] canvas { box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }\n.frame[aria-pressed=true] .frame-name { color: var(--color-accent); font-weight: 600; }\n.frame-text { color: var(--quiet); }\n.film-note { margin-top: 8px; font-size: 12px; line-height: 16px; color: var(--quiet); }\n.nearest { margin-top: 12px; padding-top: 10px; border-top: 1px solid var(--hairline); }\n.nearest h3 { margin: 0 0 6px; font-size: 13px; font-weight: 600; }\n.nearest-images { display: grid; grid-template-columns: repeat(8, minmax(0, 1fr)); gap: 6px; padding: 0; list-style: none; }\n.nearest-images li { display: grid; font-size: 11px; line-height: 14px; min-width: 0; }\n.nearest-images img { width: 100%; aspect-ratio: 1; image-rendering: pixelated; box-shadow: 0 0 0 1px var(--tile-line); margin-bottom: 2px; }\n.nearest-images span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.nearest-images span + span { color: var(--quiet); }\n.nearest-progress { display: grid; grid-template-columns: 1fr auto; gap: 6px 12px; align-items: center; font-size: 12px; color: var(--quiet); }\n.nearest-progress .progress { grid-column: 1 / 3; }\n@media (max-width: 639px) { .column-head:has(.foreground) { flex-wrap: wrap; height: auto; } }\n";
// src/explore/views/features.svelte.ts
var NO_SCALE = {
	kind: "linear",
	limit: 1
};
var FeaturesPanel = class {
	explorer;
	#colors = state(null);
	get colors() {
		return get(this.#colors);
	}
	set colors(value) {
		set(this.#colors, value);
	}
	#similarity = state(null);
	get similarity() {
		return get(this.#similarity);
	}
	set similarity(value) {
		set(this.#similarity, value);
	}
	#foreground = state(false);
	get foreground() {
		return get(this.#foreground);
	}
	set foreground(value) {
		set(this.#foreground, value);
	}
	#nearest = state(null);
	get nearest() {
		return get(this.#nearest);
	}
	set nearest(value) {
		set(this.#nearest, value);
	}
	#nearestOf = state(null);
	get nearestOf() {
		return get(this.#nearestOf);
	}
	set nearestOf(value) {
		set(this.#nearestOf, value);
	}
	task;
	#known = new Map();
	#knownOf = null;
	#reply = null;
	#isFetching = false;
	#ticket = 0;
	note = "";
	#patch = user_derived(() => {
		const { choices, shape } = this.explorer;
		return shape ? queryPatches(choices, shape).at(-1) ?? -1 : -1;
	});
	get patch() {
		return get(this.#patch);
	}
	set patch(value) {
		set(this.#patch, value);
	}
	#shape = user_derived(() => this.colors?.shape ?? null);
	get shape() {
		return get(this.#shape);
	}
	set shape(value) {
		set(this.#shape, value);
	}
	#layer = user_derived(() => layerShown(this.explorer.choices.layer, this.shape?.layers ?? 1));
	get layer() {
		return get(this.#layer);
	}
	set layer(value) {
		set(this.#layer, value);
	}
	#scale = user_derived(() => this.similarity && this.shape ? similarityScale(this.similarity.values, this.shape) : NO_SCALE);
	get scale() {
		return get(this.#scale);
	}
	set scale(value) {
		set(this.#scale, value);
	}
	#values = user_derived(() => this.similarity && this.shape ? ofLayer(this.similarity.values, this.layer, this.shape) : null);
	#pixels = user_derived(() => this.colors ? ofLayer(this.colors.pixels, this.layer, this.colors.shape) : null);
	#map = user_derived(() => {
		if (get(this.#values)) return {
			values: get(this.#values),
			first: 0,
			scale: this.scale
		};
		return get(this.#pixels) && {
			values: [],
			first: 0,
			scale: NO_SCALE,
			pixels: get(this.#pixels)
		};
	});
	get map() {
		return get(this.#map);
	}
	set map(value) {
		set(this.#map, value);
	}
	#title = user_derived(() => `Layer ${this.layer + 1}, ${this.similarity ? "similarity" : "features"}`);
	get title() {
		return get(this.#title);
	}
	set title(value) {
		set(this.#title, value);
	}
	#headline = user_derived(() => {
		const { shape, similarity, colors, layer, foreground } = this;
		if (shape && similarity && get(this.#values)) return similarityHeadline(layer, similarity.patch, get(this.#values), shape);
		return colors ? colorsHeadline(layer, colors.explained[layer], foreground) : "Features of the patch tokens";
	});
	get headline() {
		return get(this.#headline);
	}
	set headline(value) {
		set(this.#headline, value);
	}
	#line = user_derived(() => {
		const { shape, similarity, colors, layer, foreground } = this;
		const { readoutPatch } = this.explorer.choices;
		if (shape && similarity && get(this.#values)) return similarityLine(similarity.patch, get(this.#values), readoutPatch, shape);
		return colors ? colorsLine(colors.explained[layer], foreground) : [];
	});
	get line() {
		return get(this.#line);
	}
	set line(value) {
		set(this.#line, value);
	}
	#shown = user_derived(() => {
		const { colors, foreground, similarity } = this;
		return colors && {
			foreground,
			patches: similarity ? [similarity.patch] : []
		};
	});
	get shown() {
		return get(this.#shown);
	}
	set shown(value) {
		set(this.#shown, value);
	}
	#unit = user_derived(() => this.similarity ? "cosine similarity, all layers" : "");
	get unit() {
		return get(this.#unit);
	}
	set unit(value) {
		set(this.#unit, value);
	}
	term = "cosine similarity";
	constructor(explorer) {
		this.explorer = explorer;
		this.task = new Task(explorer);
	}
	read(patch) {
		if (get(this.#values)) return [written(get(this.#values)[patch], 2), "cosine"];
		return colorReading(get(this.#pixels)?.[patch] ?? 0);
	}
	async load() {
		const { explorer, foreground } = this;
		const mine = ++this.#ticket;
		const { reply, shape } = explorer;
		if (!reply) return;
		if (this.#reply !== reply) this.colors = this.similarity = null;
		this.#reply = reply;
		const found = await requestAblated(explorer, "features", { foreground });
		if (mine !== this.#ticket || explorer.reply !== reply) return;
		if (isServed(found)) {
			const pixels = new Uint32Array(bytesOf(found.pixels).buffer);
			if (this.similarity?.explanation !== explanationOf(explorer)) this.similarity = null;
			this.colors = {
				shape,
				pixels,
				explained: found.explained
			};
			this.showSimilarity();
		} else {
			this.colors = this.similarity = null;
			showNotice(explorer, reasonOf(found), true);
		}
	}
	async showSimilarity() {
		const { explorer, patch } = this;
		const explanation = explanationOf(explorer);
		if (patch < 0) {
			this.similarity = null;
			return;
		}
		if (this.#knownOf !== explanation) this.#known.clear();
		this.#knownOf = explanation;
		const known = this.#known.get(patch);
		if (known) {
			this.similarity = {
				explanation,
				patch,
				values: known
			};
			return;
		}
		if (this.#isFetching) return;
		this.#isFetching = true;
		const found = await requestAblated(explorer, "similarity", { patch });
		this.#isFetching = false;
		if (isServed(found)) {
			if (this.#knownOf === explanation) this.#known.set(patch, floatsOf(found.values));
			return this.showSimilarity();
		}
		if (explanation === explanationOf(explorer)) showNotice(explorer, reasonOf(found), true);
	}
	async fetchNearest() {
		const { explorer } = this;
		const explanation = explanationOf(explorer);
		const found = await this.task.run("nearest", {});
		if (found === "cancelled" || explanationOf(explorer) !== explanation) return;
		if (isServed(found)) Object.assign(this, {
			nearest: found,
			nearestOf: explanation
		});
		else showNotice(explorer, reasonOf(found), true);
	}
};
// src/explore/views/Nearest.svelte
var root$1 = from_html(`<li><img/> <span> </span><span> </span></li>`);
var root_1$1 = from_html(`<ol class="nearest-images"></ol> <p class="film-note"> </p>`, 1);
var root_2$1 = from_html(`<div class="nearest-progress"><!> <span> </span> <button type="button" class="button">Cancel</button></div>`);
var root_3 = from_html(`<button type="button" class="button" data-do="nearest">Find in CIFAR-10</button> <p class="film-note">The first search of a model takes a forward pass for each of the 50,000 images.</p>`, 1);
var root_4 = from_html(`<div class="nearest" aria-live="polite"><h3>Nearest training images</h3> <!></div>`);
function Nearest($$anchor, $$props) {
	push($$props, true);
	const found = user_derived(() => $$props.panel.nearestOf === explanationOf($$props.explorer) ? $$props.panel.nearest : null);
	const progress = user_derived(() => $$props.panel.task.progress);
	user_effect(() => {
		explanationOf($$props.explorer);
		return () => $$props.panel.task.cancel();
	});
	var fragment = comment();
	var node = first_child(fragment);
	var consequent_2 = ($$anchor) => {
		var div = root_4();
		var node_1 = sibling(child(div), 2);
		var consequent = ($$anchor) => {
			var fragment_1 = root_1$1();
			var ol = first_child(fragment_1);
			each(ol, 21, () => get(found).images, ({ src, label, index, similarity }) => index, ($$anchor, $$item) => {
				let src = () => get($$item).src;
				let label = () => get($$item).label;
				let index = () => get($$item).index;
				let similarity = () => get($$item).similarity;
				var li = root$1();
				var img = child(li);
				var span = sibling(img, 2);
				var text = only_child(span, true);
				var span_1 = sibling(span);
				var text_1 = only_child(span_1, true);
				reset(li);
				template_effect(($0) => {
					set_attribute(img, "src", src());
					set_attribute(img, "alt", `${label()}, training image ${index()}`);
					set_text(text, label());
					set_text(text_1, $0);
				}, [() => similarity().toFixed(2)]);
				append($$anchor, li);
			});
			reset(ol);
			var p = sibling(ol, 2);
			var text_2 = only_child(p, true);
			template_effect(($0) => set_text(text_2, $0), [() => nearestNote(get(found).images.length, get(found).count, $$props.explorer.shape.classToken)]);
			append($$anchor, fragment_1);
		};
		var consequent_1 = ($$anchor) => {
			var div_1 = root_2$1();
			var node_2 = child(div_1);
			Progress(node_2, {
				label: "Nearest training images",
				get progress() {
					return $$props.panel.task.fraction;
				}
			});
			var span_2 = sibling(node_2, 2);
			var text_3 = only_child(span_2, true);
			var button = sibling(span_2, 2);
			reset(div_1);
			template_effect(($0) => set_text(text_3, $0), [() => get(progress).total ? `${get(progress).done.toLocaleString("en")} of ${get(progress).total.toLocaleString("en")} training images` : "Reading the training images…"]);
			delegated("click", button, () => $$props.panel.task.cancel());
			append($$anchor, div_1);
		};
		var alternate = ($$anchor) => {
			var fragment_2 = root_3();
			var button_1 = first_child(fragment_2);
			next(2);
			delegated("click", button_1, () => $$props.panel.fetchNearest());
			append($$anchor, fragment_2);
		};
		if_block(node_1, ($$render) => {
			if (get(found)) $$render(consequent);
			else if (get(progress)) $$render(consequent_1, 1);
			else $$render(alternate, -1);
		});
		reset(div);
		append($$anchor, div);
	};
	if_block(node, ($$render) => {
		if ($$props.explorer.catalog.cifar.available) $$render(consequent_2);
	});
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/explore/views/Features.svelte
var root = from_html(`<button type="button" class="frame"><canvas></canvas> <span class="frame-name"></span> <span class="frame-text"> </span></button>`);
var root_1 = from_html(`<div class="film" role="toolbar" tabindex="-1" aria-label="Features by layer"></div> <p class="film-note"> </p> <!>`, 1);
var root_2 = from_html(`<!> <section class="column matrix-column" aria-label="Features"><div class="column-head"><!> <label class="foreground"><input type="checkbox"/>Remove background</label></div> <div class="matrix-box"><!></div></section>`, 1);
function Features($$anchor, $$props) {
	push($$props, true);
	const explorer = prop($$props, "explorer", 7);
	const panel = new FeaturesPanel(untrack(() => explorer()));
	const { choices, theme } = untrack(() => explorer());
	user_effect(() => {
		explorer().panel = panel;
		return () => {
			explorer().panel = null;
		};
	});
	user_effect(() => {
		explorer().reply, explorer().ablation, panel.foreground;
		untrack(() => panel.load());
	});
	user_effect(() => {
		panel.patch;
		untrack(() => panel.showSimilarity());
	});
	const shape = user_derived(() => panel.shape);
	const colors = user_derived(() => panel.colors);
	const similarity = user_derived(() => panel.similarity);
	function paint(layer) {
		return (canvas) => {
			if (!get(shape) || !get(colors)) return;
			const tile = makeTile(canvas, get(shape).columns, get(shape).rows);
			if (get(similarity)) paintTile(tile, ofLayer(get(similarity).values, layer, get(shape)), 0, theme.table("seq"), panel.scale);
			else paintPixels(tile, ofLayer(get(colors).pixels, layer, get(shape)));
		};
	}
	function textOf(layer) {
		if (get(shape) && get(similarity)) return similarityText(get(similarity).patch, ofLayer(get(similarity).values, layer, get(shape)), get(shape));
		const explained = get(colors)?.explained[layer];
		return explained ? percent(explained.reduce((sum, ratio) => sum + ratio, 0), 0) : "too few";
	}
	function choose(layer) {
		act(explorer(), {
			layer,
			head: choices.layer < 0 ? -1 : choices.head,
			method: null
		});
	}
	function onEscape(event) {
		if (event.key === "Escape" && explorer().reply) queryClassToken(explorer());
	}
	var fragment = root_2();
	var node = first_child(fragment);
	ViewStyle(node, { get css() {
		return features_default;
	} });
	var section = sibling(node, 2);
	var div = child(section);
	var node_1 = child(div);
	ViewTabs(node_1, { get explorer() {
		return explorer();
	} });
	var label = sibling(node_1, 2);
	var input = child(label);
	remove_input_defaults(input);
	next();
	reset(label);
	reset(div);
	var div_1 = sibling(div, 2);
	var node_2 = child(div_1);
	var consequent = ($$anchor) => {
		var fragment_1 = root_1();
		var div_2 = first_child(fragment_1);
		each(div_2, 21, () => ({ length: get(shape).layers }), index, ($$anchor, $$item, layer) => {
			var button = root();
			var canvas_1 = child(button);
			attach(canvas_1, () => paint(layer));
			var span = sibling(canvas_1, 2);
			span.textContent = `layer ${layer + 1}`;
			var span_1 = sibling(span, 2);
			var text = only_child(span_1, true);
			reset(button);
			template_effect(($0, $1) => {
				set_attribute(button, "aria-pressed", explorer().view.method === null && panel.layer === layer);
				set_attribute(button, "aria-label", $0);
				set_text(text, $1);
			}, [() => `Layer ${layer + 1}: ${get(similarity) ? textOf(layer) : `${textOf(layer)} explained`}`, () => textOf(layer)]);
			delegated("click", button, () => choose(layer));
			append($$anchor, button);
		});
		reset(div_2);
		attach(div_2, () => roving);
		var p = sibling(div_2, 2);
		var text_1 = only_child(p, true);
		Nearest(sibling(p, 2), {
			get explorer() {
				return explorer();
			},
			get panel() {
				return panel;
			}
		});
		template_effect(($0) => {
			set_style(div_2, `--layers: ${get(shape).layers ?? ""}`);
			set_attribute(div_2, "data-ready", explorer().key);
			set_attribute(div_2, "data-patch", get(similarity)?.patch);
			set_text(text_1, $0);
		}, [() => get(similarity) ? similarityNote(get(similarity).patch, get(shape)) : featuresNote(panel.foreground)]);
		delegated("keydown", div_2, onEscape);
		append($$anchor, fragment_1);
	};
	if_block(node_2, ($$render) => {
		if (get(shape) && get(colors)) $$render(consequent);
	});
	reset(div_1);
	reset(section);
	template_effect(() => input.disabled = get(similarity) !== null);
	bind_checked(input, () => panel.foreground, ($$value) => panel.foreground = $$value);
	append($$anchor, fragment);
	pop();
}
delegate(["keydown", "click"]);
export { Features as default };
