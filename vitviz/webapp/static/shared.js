import { append, attach, bind_this, child, clsx, comment, delegate, delegated, each, element, event, first_child, flushSync, from_html, from_svg, get, if_block, index, init_select, mount, noop, only_child, pop, prop, push, reset, select_option, set, set_attribute, set_class, set_style, set_text, sibling, state, template_effect, text, tick, to_array, untrack, user_derived, user_effect } from "./packages.js";
// src/lib/client.ts
var RETRY_DELAY = 3e3;
var NO_ANSWER = "The server did not answer. Check that vitviz is still running, then try again.";
function hostOf({ element, props, server, upload }) {
	return {
		element,
		catalog: { ...props.catalog },
		request: requestTo(server),
		upload,
		live: true
	};
}
function requestTo(server) {
	return async (name, argument) => {
		try {
			const reply = await server[name]?.(argument);
			return reply === void 0 ? { error: NO_ANSWER } : reply;
		} catch {
			return { error: NO_ANSWER };
		}
	};
}
function isRefusal(reply) {
	return typeof reply === "object" && reply !== null && "error" in reply && Boolean(reply.error);
}
var isServed = (reply) => reply !== null && !isRefusal(reply);
var isUnreachable = (reply) => isRefusal(reply) && reply.error === "The server did not answer. Check that vitviz is still running, then try again.";
var isBusy = (reply) => isRefusal(reply) && Boolean(reply.busy);
var reasonOf = (reply) => isRefusal(reply) ? reply.error : NO_ANSWER;
var pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
async function refreshModels(request) {
	const reply = await request("list_models", {});
	return reply && "checkpoints" in reply && Array.isArray(reply.checkpoints) ? reply : null;
}
var patchCount = (shape) => shape.rows * shape.columns;
var tokenCount = (shape) => shape.prefix + patchCount(shape);
var removedFrom = (shape) => shape.removed ?? [];
var remainingPatches = (shape) => [...Array(patchCount(shape)).keys()].filter((patch) => !removedFrom(shape).includes(patch));
var uniformWeight = (shape, layer = -1) => 1 / ((layer === -2 ? patchCount(shape) : tokenCount(shape)) - removedFrom(shape).length);
function bytesOf(base64) {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}
var floatsOf = (base64) => new Float32Array(bytesOf(base64).buffer);
var uint16Of = (base64) => new Uint16Array(bytesOf(base64).buffer);
function pixelsOf(base64) {
	const bytes = bytesOf(base64);
	const pixels = new Uint32Array(256);
	for (let i = 0; i < 256; i++) pixels[i] = 255 << 24 | bytes[3 * i + 2] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i];
	return pixels;
}
function makeRows(shape) {
	const tokens = tokenCount(shape);
	const across = shape.heads + 1;
	const count = (shape.layers + 1 + Number(shape.pooled ?? false)) * across;
	const all = new Float32Array(count * tokens);
	const cells = [];
	for (let k = 0; k < count; k++) cells.push(all.subarray(k * tokens, (k + 1) * tokens));
	return {
		all,
		cells,
		across
	};
}
var placeOfLayer = (layer, layers) => layer < 0 ? layers - 1 - layer : layer;
function rowOf(rows, shape, layer, head) {
	const down = placeOfLayer(layer, shape.layers);
	const right = head === -1 ? shape.heads : head;
	return rows.cells[down * rows.across + right];
}
function queryTokens(patches, shape) {
	if (!patches.length && shape.classToken) return [0];
	return (patches.length ? patches : remainingPatches(shape)).map((patch) => shape.prefix + patch);
}
var queryKey = (patches, direction) => `${direction} ${patches}`;
var givenRows = ({ defaultRows, rows }, patches, direction) => direction === "from" && !patches.length ? defaultRows : rows?.get(queryKey(patches, direction));
var hasQuery = (source, patches, direction) => source.full !== null || givenRows(source, patches, direction) !== void 0;
function fillHead(out, shape, source, head, patches, direction) {
	const tokens = out.length;
	const given = givenRows(source, patches, direction);
	if (given) {
		out.set(given.subarray(head * tokens, (head + 1) * tokens));
		return;
	}
	const { full } = source;
	if (!full) throw new Error("this query needs the full attention");
	const queries = queryTokens(patches, shape);
	out.fill(0);
	const start = head * tokens * tokens;
	const weight = 1 / (65535 * queries.length);
	for (const token of queries) if (direction === "from") {
		const row = start + token * tokens;
		for (let j = 0; j < tokens; j++) out[j] += full[row + j] * weight;
	} else for (let j = 0; j < tokens; j++) out[j] += full[start + j * tokens + token] * weight;
}
function addScaled(out, row, weight) {
	for (let j = 0; j < out.length; j++) out[j] += row[j] * weight;
}
function fillRows(rows, shape, source, patches, direction, isAblated) {
	const { layers, heads } = shape;
	const ofLayers = new Int32Array(layers);
	const ofHeads = new Int32Array(heads);
	for (let k = 0; k < layers * heads; k++) {
		if (isAblated(Math.floor(k / heads), k % heads)) continue;
		ofLayers[Math.floor(k / heads)]++;
		ofHeads[k % heads]++;
	}
	const all = ofLayers.reduce((sum, count) => sum + count, 0);
	const corner = rowOf(rows, shape, -1, -1).fill(0);
	for (let head = 0; head < heads; head++) rowOf(rows, shape, -1, head).fill(0);
	for (let layer = 0; layer < layers; layer++) {
		const ofLayer = rowOf(rows, shape, layer, -1).fill(0);
		for (let head = 0; head < heads; head++) {
			const row = rowOf(rows, shape, layer, head);
			fillHead(row, shape, source, layer * heads + head, patches, direction);
			if (isAblated(layer, head)) continue;
			addScaled(ofLayer, row, 1 / ofLayers[layer]);
			addScaled(rowOf(rows, shape, -1, head), row, 1 / ofHeads[head]);
			addScaled(corner, row, 1 / all);
		}
	}
	if (shape.pooled) fillPool(rows, shape, source.pool);
}
function fillPool(rows, shape, pool) {
	const tokens = tokenCount(shape);
	const mean = rowOf(rows, shape, -2, -1).fill(0);
	for (let head = 0; pool && head < shape.heads; head++) {
		const row = rowOf(rows, shape, -2, head);
		row.set(pool.subarray(head * tokens, (head + 1) * tokens));
		addScaled(mean, row, 1 / shape.heads);
	}
}
function roundLimit(value) {
	const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
	let best = power;
	for (const step of [
		1,
		2,
		4,
		6,
		8,
		10
	]) if (Math.abs(step * power - value) < Math.abs(best - value)) best = step * power;
	return best;
}
function sharedLimit(shape, rows) {
	const tokens = tokenCount(shape);
	const values = rows.filter((_, i) => i % tokens >= shape.prefix).sort();
	return roundLimit(values[Math.floor(values.length * .98)]);
}
function sharpestHead(shape, rows) {
	const tokens = tokenCount(shape);
	const first = shape.heads * Math.floor(2 * shape.layers / 3);
	const k = largest(Array.from({ length: shape.layers * shape.heads }, (_, k) => k < first ? 0 : sumOf(rows.subarray(k * tokens, (k + 1) * tokens).map((weight) => weight ** 2), shape.prefix, tokens)), first);
	return {
		layer: Math.floor(k / shape.heads),
		head: k % shape.heads
	};
}
function largest(values, first = 0) {
	let best = first;
	for (let j = first + 1; j < values.length; j++) if (values[j] > values[best]) best = j;
	return best;
}
function sumOf(values, first, end) {
	let sum = 0;
	for (let j = first; j < end; j++) sum += values[j];
	return sum;
}
var meanOf = (values) => sumOf(values, 0, values.length) / values.length;
function isFlat(values) {
	let [low, high] = [Infinity, -Infinity];
	for (let j = 0; j < values.length; j++) [low, high] = [Math.min(low, values[j]), Math.max(high, values[j])];
	return high - low <= 1e-5 * Math.max(Math.abs(low), Math.abs(high));
}
function weightOfLargest(values, first, count) {
	const sorted = values.slice(first).sort();
	return sumOf(sorted, sorted.length - count, sorted.length);
}
var lowOf = ({ low = 0 }) => low;
function place(scale, value) {
	if (scale.kind === "linear") return (value - lowOf(scale)) / (scale.limit - lowOf(scale));
	if (scale.kind === "signed") return .5 + value / scale.limit / 2;
	return .5 + Math.log2(Math.max(value / scale.uniform, 1e-6)) / 6;
}
function colorIndex(scale, value) {
	const t = place(scale, value);
	return t >= 1 ? 255 : t > 0 ? Math.round(255 * t) : 0;
}
// src/lib/words.ts
var textOf = (line) => line.map((part) => typeof part === "string" ? part : part.strong).join("");
var written = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "");
function percent(fraction, digits) {
	if (digits === void 0 && fraction > 0 && fraction < 5e-5) return `under 0.01 %`;
	const places = digits ?? (fraction > 0 && fraction < .00995 ? 2 : 1);
	return `${written(100 * fraction, places)} %`;
}
var timesUniform = (ratio) => `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)} ×`;
var signed = (number, digits = 2) => written(number, digits).replace(/^(?=[\d.]*[1-9])/, "+");
var keepSizes = (text) => text.replaceAll(" × ", ` × `);
var numberName = (index) => index === -2 ? "pool" : index === -1 ? "mean" : String(index + 1);
var capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
var counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;
function patchName(patch, shape) {
	return `row ${Math.floor(patch / shape.columns) + 1}, column ${patch % shape.columns + 1}`;
}
function tokenName(token, shape) {
	if (token >= shape.prefix) return patchName(token - shape.prefix, shape);
	const named = [shape.classToken && "the class token", shape.distilled && "the distillation token"].filter(Boolean);
	return named[token] || `register ${token - named.length + 1}`;
}
function otherPrefixTokens({ prefix, classToken, distilled }) {
	const registers = prefix - Number(classToken) - Number(distilled ?? false);
	return [distilled && "the distillation token", registers && counted(registers, "register", "registers")].filter(Boolean).join(" and ");
}
var prefixName = (shape) => [shape.classToken && "the class token", otherPrefixTokens(shape)].filter(Boolean).join(" and ");
function mapName(layer, head) {
	return `${layer === -2 ? "Attention pooling" : layer === -1 ? "Mean of layers" : `Layer ${layer + 1}`}, ${head === -1 ? "mean of heads" : `head ${head + 1}`}`;
}
function queryName(patches, shape, several = "") {
	if (patches.length === 0) return shape.classToken ? "the class token" : "the mean of the patches";
	return patches.length === 1 ? patchName(patches[0], shape) : `${several}${patches.length} patches`;
}
var FLAT_WEIGHTS = 2 / 65535;
function isUniformMap(view, shape) {
	const removed = removedFrom(shape);
	let [least, most] = [Infinity, -Infinity];
	for (let j = shape.prefix; j < view.row.length; j++) {
		if (removed.length && removed.includes(j - shape.prefix)) continue;
		least = Math.min(least, view.row[j]);
		most = Math.max(most, view.row[j]);
	}
	return most - least <= FLAT_WEIGHTS;
}
function headHeadline(view, shape) {
	const query = view.layer === -2 ? "the pooling query" : queryName(view.query, shape, "these ");
	const from = view.query.length > 1 ? `on average, ${query} attend` : `${query} attends`;
	const name = mapName(view.layer, view.head);
	const isFrom = view.direction === "from";
	if (isUniformMap(view, shape)) return isFrom ? `${name}: ${from} equally to all patches` : `${name}: all patches attend equally to ${query}`;
	const best = patchName(largest(view.row, shape.prefix) - shape.prefix, shape);
	return isFrom ? `${name}: ${from} most to ${best}` : `${name}: ${best} attends most to ${query}`;
}
function headLine$1(view, shape) {
	const isReading = view.read >= 0;
	const token = isReading ? shape.prefix + view.read : largest(view.row, shape.prefix);
	return [
		`${!isReading && isUniformMap(view, shape) ? "Every patch" : capital(patchName(token - shape.prefix, shape))} ${view.direction === "from" ? "gets" : "gives"} `,
		{ strong: percent(view.row[token]) },
		", ",
		{ strong: (view.row[token] / uniformWeight(shape, view.layer)).toFixed(1) },
		" times uniform.",
		...isReading ? [] : [` ${concentration(view, shape)}`]
	];
}
function concentration(view, shape) {
	const patches = patchCount(shape) - removedFrom(shape).length;
	if (view.direction === "to") return `Each value belongs to a different query: the ${patches} values need not sum to 100 %.`;
	const few = Math.max(1, Math.round(patches / 10));
	return `The strongest ${few} of ${patches} patches get ${percent(weightOfLargest(view.row, shape.prefix, few), 0)} in total.`;
}
function largestLine(row, shape, layer = -1) {
	const weight = row[largest(row, shape.prefix)];
	return `largest ${percent(weight)}, ${timesUniform(weight / uniformWeight(shape, layer))} uniform`;
}
function prefixLine(row, shape, direction) {
	const others = shape.prefix - Number(shape.classToken);
	const total = sumOf(row, Number(shape.classToken), shape.prefix);
	const [verb, preposition] = direction === "from" ? ["goes ", "to"] : ["given ", "by"];
	const parts = shape.classToken ? [`${percent(row[0])} ${verb}${preposition} the class token`] : [];
	if (others) {
		const isMean = direction === "to" && others > 1;
		const amount = isMean ? `on average ${percent(total / others)}` : percent(total);
		const each = isMean ? "each of " : "";
		parts.push(`${amount} ${parts.length ? "" : verb}${preposition} ${each}${otherPrefixTokens(shape)}`);
	}
	return parts.join(direction === "from" ? " and " : ", ");
}
var targetTitle = (classes) => classes.join(", not ");
var classGroup = (classes) => `For ${classes[0].startsWith("class ") ? "" : "class "}${targetTitle(classes)}`;
var methodTitle = (method, classes) => method.forClass ? `${method.name} for ${targetTitle(classes)}` : method.name;
function methodHeadline(method, classes, values, shape) {
	if (isFlat(values)) return `${methodTitle(method, classes)}: all patches have the same value`;
	const finding = method.key === "random" ? "comes first in this order, which explains nothing" : "ranks highest";
	return `${methodTitle(method, classes)}: ${patchName(largest(values), shape)} ${finding}`;
}
function methodNumber(value, scale, shape) {
	if (scale.isWeight) return headNumber(value, shape);
	if (scale.kind === "signed") return [signed(value, signedDigits(scale)), value < 0 ? "against the class" : "for the class"];
	return [(scale.kind === "linear" ? value / scale.limit : NaN).toFixed(2), "of the maximum"];
}
var headNumber = (weight, shape, layer = -1) => [percent(weight), `${timesUniform(weight / uniformWeight(shape, layer))} uniform`];
function digitsOf(fraction) {
	const isWhole = (value) => Math.abs(value - Math.round(value)) < 1e-6;
	return [
		0,
		1,
		2
	].find((digits) => isWhole(fraction * 100 * 10 ** digits)) ?? 3;
}
var signedDigits = ({ limit }) => Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(limit / 2))));
function changesLine({ ablated, removed, mode, patch_mode }) {
	const how = patch_mode === "gray" ? "painted gray" : "removed";
	return [ablated.length && `${counted(ablated.length, "head", "heads")} ablated${mode === "mean" ? " (mean)" : ""}`, removed.length && `${counted(removed.length, "patch", "patches")} ${how}`].filter(Boolean).join(", ");
}
var modelOption = ({ name, layers, heads }) => `${name} · ${counted(layers, "layer", "layers")}, ${counted(heads, "head", "heads")}`;
// \0vite/preload-helper.js
var scriptRel = (function detectScriptRel() {
	const relList = typeof document !== "undefined" && document.createElement("link").relList;
	return relList && relList.supports && relList.supports("modulepreload") ? "modulepreload" : "preload";
})();
var assetsURL = function(dep, importerUrl) {
	return new URL(dep, importerUrl).href;
};
var seen = {};
var isCssPreloadUrl = function isCssPreloadUrl(url) {
	return url.pathname.endsWith(".css");
};
var preloadOnce = function preloadOnce(seen, href, preload) {
	if (href in seen) return seen[href];
	const promise = preload();
	if (!promise) {
		seen[href] = void 0;
		return;
	}
	const preloadPromise = promise.then(() => {
		seen[href] = void 0;
	}, (err) => {
		seen[href] = void 0;
		throw err;
	});
	seen[href] = preloadPromise;
	return preloadPromise;
};
var __vitePreload = function preload(baseModule, deps, importerUrl) {
	let promise = Promise.resolve();
	if (deps && deps.length > 0) {
		let preloadedHrefs;
		const cspNonceMeta = document.querySelector("meta[property=csp-nonce]");
		const cspNonce = cspNonceMeta?.nonce || cspNonceMeta?.getAttribute("nonce");
		function allSettled(promises) {
			return Promise.all(promises.map((p) => Promise.resolve(p).then((value) => ({
				status: "fulfilled",
				value
			}), (reason) => ({
				status: "rejected",
				reason
			}))));
		}
		function importMetaResolve(specifier) {
			if (import.meta.resolve) return new URL(import.meta.resolve(specifier));
			return new URL(specifier, import.meta.url);
		}
		promise = allSettled(deps.map((depString) => {
			depString = assetsURL(depString, importerUrl);
			const dep = importMetaResolve(depString);
			const isCss = isCssPreloadUrl(dep);
			return preloadOnce(seen, dep.href, () => {
				if (preloadedHrefs === void 0) {
					preloadedHrefs = {
						all: new Set(),
						styles: new Set()
					};
					const links = document.getElementsByTagName("link");
					for (let i = links.length - 1; i >= 0; i--) {
						const link = links[i];
						preloadedHrefs.all.add(link.href);
						if (link.rel === "stylesheet") preloadedHrefs.styles.add(link.href);
					}
				}
				if ((isCss ? preloadedHrefs.styles : preloadedHrefs.all).has(dep.href)) return;
				const link = document.createElement("link");
				link.rel = isCss ? "stylesheet" : scriptRel;
				if (!isCss) link.as = "script";
				link.crossOrigin = "";
				link.href = dep.href;
				if (cspNonce) link.setAttribute("nonce", cspNonce);
				document.head.appendChild(link);
				if (isCss) return new Promise((res, rej) => {
					const handleSettle = (e) => {
						link.removeEventListener("load", handleSettle);
						link.removeEventListener("error", handleSettle);
						if (e.type === "error") rej(new Error(`Unable to preload CSS for ${dep}`));
						else res(e);
					};
					link.addEventListener("load", handleSettle);
					link.addEventListener("error", handleSettle);
				});
			});
		}).filter((p) => p !== void 0));
	}
	function handlePreloadError(err) {
		const e = new Event("vite:preloadError", { cancelable: true });
		e.payload = err;
		window.dispatchEvent(e);
		if (!e.defaultPrevented) throw err;
	}
	return promise.then((res) => {
		for (const item of res || []) {
			if (item.status !== "rejected") continue;
			handlePreloadError(item.reason);
		}
		return baseModule().catch(handlePreloadError);
	});
};
// src/lib/ModelSelect.svelte
var root$8 = from_html(`<option> </option>`);
var root_1$5 = from_html(`<div class="model"><label><span>Model</span><select class="button" aria-label="Model"></select></label> <button type="button" class="button" data-do="models" aria-haspopup="dialog">Models</button> <p class="printed"> </p></div>`);
function ModelSelect($$anchor, $$props) {
	push($$props, true);
	let label;
	let select;
	let open = null;
	async function choose() {
		$$props.onchoose(select.value);
		await tick();
		select.value = $$props.value;
	}
	async function openPicker() {
		const { mountPicker } = await __vitePreload(async () => {
			const { mountPicker } = await import("./models.js");
			return { mountPicker };
		}, [], import.meta.url);
		open ??= mountPicker(label.parentElement ?? label, {
			...$$props.page,
			models: () => $$props.models,
			shown: () => $$props.value,
			onchoose: $$props.onchoose
		});
		open();
	}
	var div = root_1$5();
	var label_1 = child(div);
	var select_1 = sibling(child(label_1));
	each(select_1, 21, () => $$props.models, (model) => model.name, ($$anchor, model) => {
		var option = root$8();
		var text = only_child(option, true);
		var option_value = {};
		template_effect(($0) => {
			set_text(text, $0);
			if (option_value !== (option_value = get(model).name)) option.value = (option.__value = option_value) ?? "";
		}, [() => modelOption(get(model))]);
		append($$anchor, option);
	});
	reset(select_1);
	bind_this(select_1, ($$value) => select = $$value, () => select);
	var select_1_value;
	init_select(select_1);
	reset(label_1);
	var button = sibling(label_1, 2);
	var p = sibling(button, 2);
	var text_1 = only_child(p);
	reset(div);
	bind_this(div, ($$value) => label = $$value, () => label);
	template_effect(() => {
		if (select_1_value !== (select_1_value = $$props.value)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		set_text(text_1, `Model: ${$$props.value ?? ""}`);
	});
	delegated("change", select_1, choose);
	delegated("click", button, openPicker);
	append($$anchor, div);
	pop();
}
delegate(["change", "click"]);
// src/lib/grid.ts
var STEPS = {
	ArrowUp: [-1, 0],
	ArrowDown: [1, 0],
	ArrowLeft: [0, -1],
	ArrowRight: [0, 1],
	Home: [0, -Infinity],
	End: [0, Infinity],
	PageUp: [-Infinity, 0],
	PageDown: [Infinity, 0]
};
function neighbour(patch, key, shape) {
	const [down, right] = STEPS[key] ?? [0, 0];
	const move = (value, step, count) => Number.isFinite(step) ? (value + step + count) % count : step < 0 ? 0 : count - 1;
	return move(Math.floor(patch / shape.columns), down, shape.rows) * shape.columns + move(patch % shape.columns, right, shape.columns);
}
var middlePatch = (shape) => Math.floor((shape.rows - 1) / 2) * shape.columns + Math.floor((shape.columns - 1) / 2);
// src/lib/matrix.ts
var withMean = (count) => [...Array(count).keys(), -1];
var layersOf = ({ layers, pooled }) => [...withMean(layers), ...pooled ? [-2] : []];
function headerText(kind, index, shape) {
	if (index < 0) return index === -2 ? "pool" : "mean";
	return index === 0 && (kind === "layer" || shape.heads <= 6) ? `${kind} 1` : String(index + 1);
}
var matrixStyle = ({ rows, columns, aspect, layers, heads, pooled }) => `--rows: ${rows}; --columns: ${columns}; --aspect: ${aspect}; --layers: ${layers + Number(pooled ?? false)}; --heads: ${heads};`;
var hasManyHeads = (shape) => shape.heads > 8;
function nextMap(shape, layer, head, key) {
	const [down, across] = [layersOf(shape), withMean(shape.heads)];
	const next = neighbour(placeOfLayer(layer, shape.layers) * across.length + placeOfLayer(head, shape.heads), key, {
		rows: down.length,
		columns: across.length
	});
	return {
		layer: down[Math.floor(next / across.length)],
		head: across[next % across.length]
	};
}
// src/lib/address.ts
function updateAddress(values, defaults = {}, how = "replaceState", state = {}) {
	const params = new URLSearchParams(location.search);
	for (const [name, value] of Object.entries(values)) {
		params.delete(name);
		if (value && value !== defaults[name]) params.set(name, String(value));
	}
	history[how]({
		...history.state,
		...state
	}, "", `${location.pathname}?${params}${location.hash}`);
	window.dispatchEvent(new Event("vitviz:address"));
}
var OPEN_HEAD = "vitviz:head";
var unavailable = (what, name, shown) => `The ${what} of this link, ${name.slice(0, 80)}, is not available${shown ? `: showing ${shown}` : ""}.`;
var isOfRun = (name) => String(name).startsWith("runs/");
var runName = (source) => source.slice(5);
function parseNumber(text, count, otherwise) {
	if (text === "mean") return -1;
	const number = Number(text);
	if (!text || !Number.isInteger(number)) return otherwise;
	return Math.min(count, Math.max(1, number)) - 1;
}
function parsePairs(text, rows, columns) {
	const indices = (text || "").split("_").map((pair) => {
		const [row, column] = pair.split("-").map(Number);
		return row >= 1 && row <= rows && column >= 1 && column <= columns && Number.isInteger(row + column) ? (row - 1) * columns + column - 1 : -1;
	});
	return [...new Set(indices)].filter((index) => index >= 0);
}
var parsePatches = (text, shape) => parsePairs(text, shape.rows, shape.columns);
var parseHeads = (text, shape) => parsePairs(text, shape.layers, shape.heads);
var pairOf = (index, columns) => `${Math.floor(index / columns) + 1}-${index % columns + 1}`;
var patchesParam = (patches, shape) => patches.map((patch) => pairOf(patch, shape.columns)).join("_");
var headsParam = (ablated, shape) => ablated.map((k) => pairOf(k, shape.heads)).join("_");
function parseClasses(text) {
	const classes = (text || "").split("-").filter(Boolean).map(Number).filter(Number.isInteger);
	return [...new Set(classes)].slice(0, 2);
}
var oneOf = (value, allowed) => allowed.find((choice) => choice === value) ?? allowed[0];
// src/explore/address.ts
var DEFAULTS = {
	view: "attention",
	direction: "from",
	scale: "shared",
	display: "patches",
	resolution: "patches",
	mode: "zero",
	patch_mode: "drop"
};
var CIFAR_IMAGES = 1e4;
var UPLOADED = "upload";
function parseImage(text, { cifar, samples, photos, checkpoints }, upload = null) {
	if (text === UPLOADED) return upload;
	const [, source, index] = /^(cifar|runs\/[^:]+):(\d{1,6})$/.exec(text ?? "") ?? [];
	if (source === "cifar") return cifar.available && Number(index) < CIFAR_IMAGES ? {
		kind: "cifar",
		index: Number(index)
	} : null;
	if (source) return checkpoints.some(({ name, dataset }) => name === source && dataset) ? {
		kind: "dataset",
		run: source,
		index: Number(index)
	} : null;
	const sample = [...samples, ...photos].find(({ name }) => name === text);
	return sample ? {
		kind: "sample",
		name: sample.name
	} : null;
}
function firstImage(catalog, model) {
	if (model?.dataset) return {
		kind: "dataset",
		run: model.name,
		index: 0
	};
	return parseImage("cat", catalog) ?? parseImage(catalog.samples[0]?.name, catalog);
}
function imageParam(image) {
	if (image.kind === "sample") return image.name;
	if (image.kind === "dataset") return `${image.run}:${image.index}`;
	return image.kind === "cifar" ? `cifar:${image.index}` : UPLOADED;
}
function uploadOf(state) {
	const { kind, path, name, crop } = (state ?? {}).upload ?? {};
	if (kind !== "upload" || typeof path !== "string" || typeof name !== "string") return null;
	return typeof crop === "number" ? {
		kind,
		path,
		name,
		crop
	} : {
		kind,
		path,
		name
	};
}
var hasModel = (catalog, name) => catalog.checkpoints.some((model) => model.name === name);
function readAddress(params, catalog, state = null) {
	const [model, requested] = [params.get("checkpoint"), params.get("image")];
	const checkpoint = catalog.checkpoints.find(({ name }) => name === model) ?? catalog.checkpoints[0];
	const found = parseImage(requested, catalog, uploadOf(state));
	const isAvailable = !requested || found !== null;
	const choices = {
		checkpoint: checkpoint.name,
		image: found ?? firstImage(catalog, checkpoint),
		direction: oneOf(params.get("direction"), ["from", "to"]),
		scale: oneOf(params.get("scale"), [
			"shared",
			"uniform",
			"map"
		]),
		view: oneOf(params.get("view"), [
			"attention",
			"contributions",
			"features",
			"patching"
		]),
		other: parseImage(params.get("other"), catalog),
		smooth: params.get("display") === "smooth",
		pixels: params.get("resolution") === "pixels",
		mode: oneOf(params.get("mode"), ["zero", "mean"]),
		patch_mode: oneOf(params.get("patch_mode"), ["drop", "gray"]),
		method: catalog.methods.find(({ key, onRequest }) => key === params.get("method") && !onRequest)?.key ?? null,
		target: isAvailable && (!model || hasModel(catalog, model)) ? parseClasses(params.get("class")) : []
	};
	const [patch, removed] = isAvailable ? [params.get("patch"), params.get("removed")] : [null, null];
	const [layer, head, ablated] = [
		"layer",
		"head",
		"ablated"
	].map((name) => params.get(name));
	return [choices, {
		layer,
		head,
		patch,
		ablated,
		removed
	}];
}
function readShapeParams(shapeParams, shape, opening) {
	const { layer, head } = shapeParams;
	const named = {
		layer: layer === "pool" && shape.pooled ? -2 : parseNumber(layer, shape.layers, shape.layers - 1),
		head: parseNumber(head, shape.heads, -1)
	};
	return {
		...layer || head ? named : opening,
		pins: parsePatches(shapeParams.patch, shape),
		ablated: parseHeads(shapeParams.ablated, shape),
		removed: parsePatches(shapeParams.removed, shape)
	};
}
function unavailableSentences(params, catalog, shown) {
	const [model, requested] = [params.get("checkpoint"), params.get("image")];
	const image = shown.image ? imageParam(shown.image) : "";
	const sentences = [];
	if (model && !hasModel(catalog, model)) sentences.push(unavailable("model", model, shown.checkpoint));
	if (requested === UPLOADED && shown.image?.kind !== "upload") sentences.push(`A link does not contain an uploaded image: showing ${image}. Upload the file again.`);
	else if (requested && requested !== UPLOADED && !parseImage(requested, catalog)) sentences.push(unavailable("image", requested, image));
	const [classes, other] = [params.get("class"), params.get("other")];
	if (other && shown.view === "patching" && !parseImage(other, catalog)) sentences.push(unavailable("image B", other));
	const method = params.get("method");
	if (method && method !== shown.method) sentences.push(unavailableMethod(method, catalog));
	if (!sentences.length && classes && classes !== shown.target.join("-")) sentences.push(unavailable("class", classes, shown.target.length ? shown.target.join("-") : "the predicted class"));
	return sentences.join(" ");
}
function unavailableMethod(key, { methods }) {
	const found = methods.find((method) => method.key === key);
	return found?.onRequest ? `The map of this link, ${found.name}, is computed on request: choose it under “On request”.` : unavailable("method", key);
}
function addressOf(choices, image, shape, checkpoint = choices.checkpoint) {
	return {
		checkpoint,
		image: imageParam(image),
		layer: numberName(choices.layer),
		head: numberName(choices.head),
		view: choices.view,
		other: choices.view === "patching" && choices.other ? imageParam(choices.other) : null,
		patch: patchesParam(choices.pins, shape),
		direction: choices.direction,
		scale: choices.scale,
		display: choices.smooth ? "smooth" : "patches",
		method: choices.method,
		resolution: choices.method !== null && choices.pixels ? "pixels" : "patches",
		class: choices.target.join("-"),
		ablated: headsParam(choices.ablated, shape),
		removed: patchesParam(choices.removed, shape),
		mode: choices.ablated.length ? choices.mode : "",
		patch_mode: choices.removed.length ? choices.patch_mode : ""
	};
}
// src/explore/notices.ts
var WORKING = "Working…";
function showNotice(explorer, sentence, isError = false) {
	explorer.notice = sentence;
	explorer.noticeIsError = isError;
	if (sentence !== null) explorer.voice = sentence;
}
function clearNotice(explorer) {
	if (explorer.notice !== WORKING) showNotice(explorer, null);
}
function showWaiting(explorer) {
	explorer.waiting ??= setTimeout(() => showNotice(explorer, WORKING), 300);
}
function startWaiting(explorer) {
	explorer.markers.state = "working";
	stopWaiting(explorer);
	showNotice(explorer, null);
	showWaiting(explorer);
}
function stopWaiting(explorer) {
	clearTimeout(explorer.waiting);
	explorer.waiting = void 0;
	if (explorer.notice === WORKING) showNotice(explorer, null);
}
function announceSoon(explorer, delay, action = "") {
	clearTimeout(explorer.speaking);
	explorer.speaking = setTimeout(() => {
		explorer.view.flushDraw();
		explorer.voice = `${action}${explorer.view.headline}. ${textOf(explorer.status)}`;
	}, delay);
}
// src/explore/rows.ts
var MAX_BYTES = 2 ** 26;
var sourceOf = (rows, pool = null, onDemand = false) => ({
	defaultRows: floatsOf(rows),
	pool: pool === null ? null : floatsOf(pool),
	full: null,
	rows: onDemand ? new Map() : null
});
function storeRows({ attention, view }, text, patches, direction) {
	const rows = attention?.rows;
	if (!rows) return;
	const found = Float32Array.from(uint16Of(text), (weight) => weight / 65535);
	for (const key of rows.keys()) {
		if ((rows.size + 1) * found.byteLength <= MAX_BYTES) break;
		rows.delete(key);
	}
	rows.set(queryKey(patches, direction), found);
	view.scheduleDraw();
}
async function fetchRows(explorer, patches, direction) {
	const { attention } = explorer;
	if (!attention || explorer.rowsOf === attention) return;
	explorer.rowsOf = attention;
	const reply = await requestAblated(explorer, "rows", {
		patches,
		direction
	});
	if (isBusy(reply)) await pause(RETRY_DELAY);
	if (explorer.rowsOf === attention) explorer.rowsOf = null;
	if (explorer.attention !== attention) return;
	if (typeof reply === "string") storeRows(explorer, reply, patches, direction);
	else if (isBusy(reply)) explorer.view.scheduleDraw();
	else fallBackToClassToken(explorer, reasonOf(reply));
}
// src/lib/dom.ts
var ARROWS = [
	"ArrowUp",
	"ArrowDown",
	"ArrowLeft",
	"ArrowRight"
];
var GRID_KEYS = [
	...ARROWS,
	"Home",
	"End",
	"PageUp",
	"PageDown"
];
var isShortcut = (event) => event.altKey || event.ctrlKey || event.metaKey;
function afterPaint(done) {
	const painted = new MessageChannel();
	painted.port1.onmessage = () => done();
	painted.port2.postMessage(null);
}
function markPainted(node, key) {
	afterPaint(() => {
		node.dataset.ready = key;
	});
}
function listenWhile(element, target, type, listener) {
	target.addEventListener(type, function handle(event) {
		if (element.isConnected) listener(event);
		else target.removeEventListener(type, handle);
	});
}
var isImageUrl = (src) => String(src).startsWith("data:image/");
function saveAs(name, href) {
	const link = document.createElement("a");
	link.href = href;
	link.download = name;
	link.click();
}
var savedUrl = "";
function saveBlob(name, blob) {
	URL.revokeObjectURL(savedUrl);
	savedUrl = URL.createObjectURL(blob);
	saveAs(name, savedUrl);
}
var saveContent = ({ name, content }) => saveBlob(name, new Blob([bytesOf(content)]));
function blobOf(src) {
	const [head, content] = src.split(",", 2);
	return new Blob([bytesOf(content)], { type: head.slice(5).replace(";base64", "") });
}
var mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1).replace(".0", "")} MiB`;
var zoomOf = (element) => element.currentCSSZoom ?? 1;
function patchAt(stage, event, shape) {
	const box = stage.getBoundingClientRect();
	const column = Math.floor((event.clientX - box.left) / box.width * shape.columns);
	const row = Math.floor((event.clientY - box.top) / box.height * shape.rows);
	return column >= 0 && row >= 0 && column < shape.columns && row < shape.rows ? row * shape.columns + column : -1;
}
function cornerOf(patch, shape) {
	return {
		left: `${100 * (patch % shape.columns) / shape.columns}%`,
		top: `${100 * Math.floor(patch / shape.columns) / shape.rows}%`
	};
}
function scrollInto(frame, cell) {
	const margin = 12;
	const named = frame.querySelector("[role=rowheader]")?.offsetWidth ?? 0;
	const [left, right] = [cell.offsetLeft - named - margin, cell.offsetLeft + cell.offsetWidth + margin];
	if (left < frame.scrollLeft) frame.scrollLeft = left;
	else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
}
async function copyToClipboard(type, content) {
	content.catch(() => {});
	try {
		await navigator.clipboard.write([new ClipboardItem({ [type]: content })]);
		return true;
	} catch {
		return false;
	}
}
// src/explore/panel.ts
var VIEWS = [
	["attention", "Attention"],
	["contributions", "Contributions"],
	["features", "Features"],
	["patching", "Patching"]
];
var OF_LOGITS = ["contributions", "patching"];
var NO_LOGIT = "This model has no classification head, so it has no logit to explain.";
var whyNot = (view, classes) => classes === 0 && OF_LOGITS.includes(view) ? NO_LOGIT : void 0;
var PANELS = {
	contributions: () => __vitePreload(() => import("./Contributions.js"), [], import.meta.url),
	features: () => __vitePreload(() => import("./Features.js"), [], import.meta.url),
	patching: () => __vitePreload(() => import("./Patching.js"), [], import.meta.url)
};
var importPanel = (name) => PANELS[name]();
// src/explore/show.ts
async function decodeImage(src) {
	const node = new Image();
	node.src = isImageUrl(src) ? src : "";
	try {
		await node.decode();
		return node;
	} catch {
		return null;
	}
}
var isSameImage = (one, other) => JSON.stringify(one) === JSON.stringify(other);
function show(explorer, reply, image, shapeParams) {
	const { choices, reply: old, shown } = explorer;
	const isSameGrid = old !== null && old.rows === reply.rows && old.columns === reply.columns;
	const { checkpoint, image: chosen } = choices;
	if (!chosen) return;
	if (shown && !shapeParams && !isSameImage(shown.image, chosen)) choices.target = [];
	const target = old && !shapeParams ? choices.target.map((k) => reply.classes.indexOf(old.classes[k])) : choices.target;
	choices.target = target.every((k) => k >= 0 && k < reply.classes.length) ? target : [];
	const { layers, heads, rows, columns, aspect, prefix, classToken, distilled } = reply;
	Object.assign(explorer, {
		reply,
		image,
		shown: {
			checkpoint,
			image: chosen
		},
		failedModel: null,
		attention: sourceOf(reply.cls, reply.pool, reply.onDemand),
		shape: {
			layers,
			heads,
			rows,
			columns,
			aspect,
			prefix,
			classToken,
			distilled,
			pooled: reply.pool !== null,
			removed: []
		},
		maps: reply.maps,
		mapsOf: null,
		faithfulness: null,
		ablation: null,
		previousChanges: {
			...explorer.previousChanges,
			ablated: [],
			removed: []
		},
		fullAttentionFailed: false
	});
	clampChoices(explorer, shapeParams, isSameGrid, shown?.checkpoint === checkpoint);
	explorer.view.releaseMethod();
	const reason = whyNot(choices.view, reply.classes.length);
	if (reason) choices.view = "attention";
	stopWaiting(explorer);
	explorer.markers.full = void 0;
	if (reason) showNotice(explorer, reason);
	requestAnimationFrame(() => finishShowing(explorer, reply));
}
function clampChoices(explorer, shapeParams, isSameGrid, isSameModel) {
	const { choices, shape, attention } = explorer;
	const opening = sharpestHead(shape, attention?.defaultRows ?? new Float32Array());
	const { layer, head } = isSameModel ? choices : opening;
	Object.assign(choices, {
		layer: Math.min(layer, shape.layers - 1),
		head: Math.min(head, shape.heads - 1)
	});
	choices.hover = choices.readoutPatch = -1;
	if (shapeParams) Object.assign(choices, readShapeParams(shapeParams, shape, opening));
	else Object.assign(choices, {
		ablated: [],
		removed: [],
		pins: isSameGrid ? choices.pins : []
	});
	choices.isMultiPatchQuery = choices.pins.length > 1 || choices.isMultiPatchQuery && choices.pins.length > 0;
}
function finishShowing(explorer, reply) {
	if (explorer.reply !== reply) return;
	explorer.markers.state = "ready";
	explorer.view.draw();
	revealThumb(explorer);
	const { predictedClass: best, choices } = explorer;
	announceSoon(explorer, 0, explorer.hasHead ? `Predicted: ${reply.classes[best]}, ${percent(reply.probabilities[best], 1)}. ` : "");
	if (choices.ablated.length || choices.removed.length) fetchAblation(explorer);
	else fetchMethods(explorer, explorer.host.live ? 500 : 0);
	afterPaint(() => {
		explorer.markers.ready = reply.key;
	});
}
function revealThumb({ root }) {
	const thumb = root?.querySelector(".thumb[aria-pressed=true]");
	const frame = thumb?.closest(".samples, .gallery .thumbs");
	if (thumb && frame) frame.scrollTop = thumb.offsetTop - thumb.offsetHeight;
}
// src/explore/selection.ts
var indicesOf = (index, count) => index === -1 ? [...Array(count).keys()] : [index];
function isAblated(ablated, shape, layer, head) {
	if (!ablated.length) return false;
	const heads = indicesOf(head, shape.heads);
	return indicesOf(layer, shape.layers).every((l) => heads.every((h) => ablated.includes(l * shape.heads + h)));
}
var isRemoved = (patch, shape) => shape.removed?.includes(patch) ?? false;
function selectedPatches({ pins, isMultiPatchQuery, hover }) {
	if (hover < 0) return pins;
	if (!isMultiPatchQuery) return [hover];
	return pins.includes(hover) ? pins : [...pins, hover];
}
function queryPatches(selection, shape) {
	const selected = selectedPatches(selection);
	const remaining = selected.filter((patch) => !isRemoved(patch, shape));
	return remaining.length ? remaining : selected;
}
var toggled = (list, item) => list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
// src/explore/reading.ts
function readingOf({ readoutPatch, map, shape, layer, methodInfo, panel }) {
	if (readoutPatch < 0 || !map || !shape) return null;
	const value = map.values[map.first + readoutPatch];
	const own = () => methodInfo ? methodNumber(value, map.scale, shape) : headNumber(value, shape, layer);
	const reading = panel?.read(readoutPatch) ?? own();
	const [number, remark] = isRemoved(readoutPatch, shape) ? ["removed", ""] : reading;
	const row = Math.floor(readoutPatch / shape.columns);
	const middle = 100 * (readoutPatch % shape.columns + .5) / shape.columns;
	return {
		number,
		remark,
		left: `${Math.min(80, Math.max(20, middle))}%`,
		top: `${100 * (row || 1) / shape.rows}%`,
		isBelow: row === 0,
		place: `${100 * Math.min(1, Math.max(0, place(map.scale, value)))}%`
	};
}
// src/lib/paint.ts
function contextOf(canvas) {
	const context = canvas.getContext("2d", { willReadFrequently: true });
	if (!context) throw new Error("the browser has no 2d canvas");
	return context;
}
function makeTile(canvas, columns, rows) {
	canvas.width = columns;
	canvas.height = rows;
	const context = contextOf(canvas);
	const image = context.createImageData(columns, rows);
	return {
		canvas,
		context,
		image,
		pixels: new Uint32Array(image.data.buffer)
	};
}
function paintTile(tile, values, first, table, scale) {
	const { pixels } = tile;
	for (let i = 0; i < pixels.length; i++) pixels[i] = table[colorIndex(scale, values[first + i])];
	tile.context.putImageData(tile.image, 0, 0);
}
function paintPixels(tile, pixels) {
	tile.pixels.set(pixels);
	tile.context.putImageData(tile.image, 0, 0);
}
// src/explore/scales.ts
function methodScale(method, values) {
	let limit = 0;
	for (const value of values) limit = Math.max(limit, Math.abs(value));
	limit ||= 1;
	if (method.unit === "logits") return {
		kind: "signed",
		limit,
		isWeight: false
	};
	if (method.unit === "weights") return rangeScale(values);
	return {
		kind: "linear",
		low: isFlat(values) ? 0 : least(values),
		limit,
		clips: false,
		isWeight: false
	};
}
var least = (values) => {
	let low = Infinity;
	for (const value of values) low = Math.min(low, value);
	return low;
};
function mapScale(row, shape) {
	return rangeScale(row, shape.prefix, removedFrom(shape));
}
function rangeScale(weights, first = 0, removed = []) {
	let [low, high] = [Infinity, 0];
	for (let j = first; j < weights.length; j++) {
		if (removed.length && removed.includes(j - first)) continue;
		low = Math.min(low, weights[j]);
		high = Math.max(high, weights[j]);
	}
	return {
		kind: "linear",
		...high - low > 30518043793392844e-21 ? {
			low,
			limit: high
		} : {
			low: 0,
			limit: 2 * high || 1
		},
		clips: false,
		isWeight: true
	};
}
function scaleNote(choice, { heads, means }) {
	if (choice === "map") return "one scale per map";
	if (choice === "uniform") return "one scale";
	const end = (limit) => percent(limit, digitsOf(limit));
	return `heads to ${end(heads)}, means to ${end(means)}`;
}
var tableKind = (scale) => scale.kind === "linear" ? "seq" : "div";
var fitTile = (tile, canvas, columns, rows) => tile?.canvas === canvas && canvas.width === columns && canvas.height === rows ? tile : makeTile(canvas, columns, rows);
// src/lib/faithfulness.ts
function methodLine(method, values, read, scale, faithfulness, className, shape) {
	if (read >= 0) {
		const [number] = methodNumber(values[read], scale, shape);
		return [
			`${capital(patchName(read, shape))} has `,
			{ strong: number },
			` ${UNITS[method.unit]}.`
		];
	}
	if (!className) return ["Deletion scores measure the probability of a class: this model has no classification head."];
	if (isFlat(values)) return ["This map has the same value for all patches, so it has no ranking to score."];
	if (!faithfulness) return ["Computing the deletion score…"];
	const drop = faithfulness.scores[method.key] ?? 0;
	const [random] = faithfulness.random_baseline;
	const size = Math.abs(drop) > 10 ? `over 1,000 %` : percent(Math.abs(drop), 0);
	const verb = (value) => value < 0 ? "raises" : "lowers";
	const baseline = `${verb(random) === verb(drop) ? "" : `${verb(random)} it `}by ${percent(Math.abs(random), 0)}`;
	return [
		`Masking the highest-ranked patches first ${verb(drop)} the probability of ${className} by `,
		{ strong: size },
		` on average, a random order ${baseline}: ${FINDINGS[compareToRandom(drop, faithfulness, method.key)]}.${ceilingSentence(method.key, drop, faithfulness)}`
	];
}
function ceilingSentence(key, score, { scores, random_baseline }) {
	const { greedy } = scores;
	const [random] = random_baseline;
	if (key === "greedy" || greedy == null || greedy <= random || score < random) return "";
	return ` That is ${percent((score - random) / (greedy - random), 0)} of the way from random to the best order found.`;
}
function compareToRandom(score, { random_baseline }, key) {
	if (key === "random") return "one order";
	const [mean, deviation] = random_baseline;
	if (Math.abs(score - mean) <= 2 * deviation) return "near";
	return score < mean ? "below" : "above";
}
var FINDINGS = {
	below: "worse than random",
	near: "no clear difference",
	above: "better than random",
	"one order": "a difference by chance"
};
var COMPARISONS = {
	below: "below random",
	near: "no better or worse than random",
	above: "above random",
	"one order": "one order"
};
var COMPARISON_SIGNS = {
	below: "< random",
	near: "≈ random",
	above: "> random",
	"one order": "one order"
};
function scoreSentence({ key, name }, faithfulness) {
	const score = faithfulness?.scores[key];
	if (!faithfulness || score === void 0) return `${name}: the deletion score is being computed.`;
	if (score === null) return `${name} has no deletion score: all patches have the same value.`;
	const [mean, deviation] = faithfulness.random_baseline;
	const words = COMPARISONS[compareToRandom(score, faithfulness, key)];
	return `${name}: deletion score ${scoreText(score)}, ${words} (${scoreText(mean)} ± ${deviation.toFixed(2)}).`;
}
var UNITS = {
	weights: "of the attention",
	relative: "of the maximum",
	logits: "of the logit"
};
var scoreText = (score) => score <= -10 ? "< −10" : written(score, 2);
var RANDOM_ORDERS = 20;
function scoreNote(faithfulness, className) {
	const definition = `Deletion score: mean drop of the probability of ${className} while the highest-ranked patches are masked first`;
	if (!faithfulness) return `${definition}.`;
	const [mean, deviation] = faithfulness.random_baseline;
	return `${definition}. Mark: ${RANDOM_ORDERS} random orders, ${scoreText(mean)} ± ${deviation.toFixed(2)} (SD); ≈ is within 2 SD.`;
}
// src/explore/sentences.ts
var removedLine = (patch, shape) => `${capital(patchName(patch, shape))} is removed: it neither attends nor is attended to.`;
var hasRemovedQuery = ({ query, layer }, shape) => layer !== -2 && query.length > 0 && query.every((patch) => isRemoved(patch, shape));
function headlineOf(view) {
	const { shape, map, methodInfo, query, layer, head } = view;
	if (view.panel?.headline) return view.panel.headline;
	if (!shape || !map) return "What the model attends to";
	if (methodInfo) return methodHeadline(methodInfo, view.classes, map.values, shape);
	if (view.isHeadAblated) return `${mapName(layer, head)} is ablated`;
	if (hasRemovedQuery(view, shape)) return `${capital(queryName(query, shape))} ${query.length > 1 ? "are" : "is"} removed`;
	return headHeadline(viewOf(view), shape);
}
function lineOf(view, faithfulness, hasHead = true) {
	const { shape, map, methodInfo, readoutPatch } = view;
	if (view.panel) return view.panel.line;
	if (!shape || !map) return [];
	if (methodInfo) {
		if (isRemoved(readoutPatch, shape)) return [`${capital(patchName(readoutPatch, shape))} is removed.`];
		return methodLine(methodInfo, map.values, readoutPatch, map.scale, faithfulness, view.classes[0], shape);
	}
	if (view.isHeadAblated) return [`${ablatedLine(view)} ${hasHead ? "Prediction shows" : "The later layers show"} the effect.`];
	if (hasRemovedQuery(view, shape)) return ["Removed patches neither attend nor are attended to. Choose another patch, or the class token."];
	return isRemoved(readoutPatch, shape) ? [removedLine(readoutPatch, shape)] : headLine$1(viewOf(view), shape);
}
var FROM_POOL = {
	query: [],
	direction: "from"
};
var viewOf = ({ map, query, direction, layer, head, readoutPatch }) => ({
	row: map?.values,
	...layer === -2 ? FROM_POOL : {
		query,
		direction
	},
	layer,
	head,
	read: readoutPatch
});
function ablatedLine({ mode, layer, head }) {
	const usesMean = mode === "mean";
	if (layer === -1 || head === -1) return `The outputs of all its heads are replaced by ${usesMean ? "their means over the sample images" : "zero"}.`;
	return `Its output is replaced by ${usesMean ? "its mean over the sample images" : "zero"}.`;
}
// src/explore/view.svelte.ts
var explanationOf = ({ ablation, reply }) => ablation ?? reply;
var pixelTag = (explorer, method) => [
	explanationOf(explorer),
	method,
	String(explorer.choices.target)
];
var isSameTag = (one, other) => one?.every((part, i) => part === other[i]) ?? false;
var NO_VALUES = [];
var NO_LIMITS = {};
var EMPTY = {
	query: [],
	removed: [],
	readout: -1
};
var View = class {
	#explorer;
	#imageMarks = state(EMPTY);
	get imageMarks() {
		return get(this.#imageMarks);
	}
	set imageMarks(value) {
		set(this.#imageMarks, value);
	}
	#mapMarks = state(EMPTY);
	get mapMarks() {
		return get(this.#mapMarks);
	}
	set mapMarks(value) {
		set(this.#mapMarks, value);
	}
	#isClassTokenQuery = state(true);
	get isClassTokenQuery() {
		return get(this.#isClassTokenQuery);
	}
	set isClassTokenQuery(value) {
		set(this.#isClassTokenQuery, value);
	}
	#shape = state(null);
	get shape() {
		return get(this.#shape);
	}
	set shape(value) {
		set(this.#shape, value);
	}
	#attention = state(null);
	get attention() {
		return get(this.#attention);
	}
	set attention(value) {
		set(this.#attention, value);
	}
	#scaleLimits = state({});
	get scaleLimits() {
		return get(this.#scaleLimits);
	}
	set scaleLimits(value) {
		set(this.#scaleLimits, value);
	}
	#query = state([]);
	get query() {
		return get(this.#query);
	}
	set query(value) {
		set(this.#query, value);
	}
	#direction = state("from");
	get direction() {
		return get(this.#direction);
	}
	set direction(value) {
		set(this.#direction, value);
	}
	#layer = state(0);
	get layer() {
		return get(this.#layer);
	}
	set layer(value) {
		set(this.#layer, value);
	}
	#head = state(0);
	get head() {
		return get(this.#head);
	}
	set head(value) {
		set(this.#head, value);
	}
	#scaleChoice = state("shared");
	get scaleChoice() {
		return get(this.#scaleChoice);
	}
	set scaleChoice(value) {
		set(this.#scaleChoice, value);
	}
	#readoutPatch = state(-1);
	get readoutPatch() {
		return get(this.#readoutPatch);
	}
	set readoutPatch(value) {
		set(this.#readoutPatch, value);
	}
	#ablated = state([]);
	get ablated() {
		return get(this.#ablated);
	}
	set ablated(value) {
		set(this.#ablated, value);
	}
	#mode = state("zero");
	get mode() {
		return get(this.#mode);
	}
	set mode(value) {
		set(this.#mode, value);
	}
	#method = state(null);
	get method() {
		return get(this.#method);
	}
	set method(value) {
		set(this.#method, value);
	}
	#methodValues = state([]);
	get methodValues() {
		return get(this.#methodValues);
	}
	set methodValues(value) {
		set(this.#methodValues, value);
	}
	#classes = state([]);
	get classes() {
		return get(this.#classes);
	}
	set classes(value) {
		set(this.#classes, value);
	}
	#retainedMethod = null;
	#frame = 0;
	#measured = 0;
	#buffers = user_derived(() => this.shape ? makeRows(this.shape) : null);
	#rows = user_derived(() => {
		const { shape, attention, query, direction } = this;
		if (!shape || !attention || !get(this.#buffers)) return null;
		const ablated = untrack(() => this.ablated);
		fillRows(get(this.#buffers), shape, attention, query, direction, (layer, head) => isAblated(ablated, shape, layer, head));
		return { ...get(this.#buffers) };
	});
	get rows() {
		return get(this.#rows);
	}
	set rows(value) {
		set(this.#rows, value);
	}
	#limits = user_derived(() => this.scaleLimits[this.direction] ?? {
		heads: 1,
		means: 1
	});
	get limits() {
		return get(this.#limits);
	}
	set limits(value) {
		set(this.#limits, value);
	}
	#sharedScales = user_derived(() => ({
		heads: {
			kind: "linear",
			limit: this.limits.heads,
			clips: true,
			isWeight: true
		},
		means: {
			kind: "linear",
			limit: this.limits.means,
			clips: true,
			isWeight: true,
			isOfMeans: true
		}
	}));
	#methodInfo = user_derived(() => this.#explorer.method(this.method));
	get methodInfo() {
		return get(this.#methodInfo);
	}
	set methodInfo(value) {
		set(this.#methodInfo, value);
	}
	#panel = user_derived(() => this.methodInfo ? null : this.#explorer.panel);
	get panel() {
		return get(this.#panel);
	}
	set panel(value) {
		set(this.#panel, value);
	}
	#map = user_derived(() => {
		if (this.panel?.map !== void 0) return this.panel.map;
		if (!this.shape || !this.rows) return null;
		if (this.methodInfo) {
			const { pixelMap, choices } = this.#explorer;
			const fine = choices.pixels && isSameTag(pixelMap?.tag, pixelTag(this.#explorer, this.methodInfo.key)) && pixelMap || void 0;
			const scale = methodScale(this.methodInfo, fine?.values ?? this.methodValues);
			return {
				values: this.methodValues,
				first: 0,
				scale,
				fine
			};
		}
		const row = rowOf(this.rows, this.shape, this.layer, this.head);
		return {
			values: row,
			first: this.shape.prefix,
			scale: this.scaleOf(row, this.layer, this.head)
		};
	});
	get map() {
		return get(this.#map);
	}
	set map(value) {
		set(this.#map, value);
	}
	#scale = user_derived(() => this.map?.pixels ? null : this.map?.scale ?? null);
	get scale() {
		return get(this.#scale);
	}
	set scale(value) {
		set(this.#scale, value);
	}
	#isHeadAblated = user_derived(() => this.shape !== null && isAblated(this.ablated, this.shape, this.layer, this.head));
	get isHeadAblated() {
		return get(this.#isHeadAblated);
	}
	set isHeadAblated(value) {
		set(this.#isHeadAblated, value);
	}
	#title = user_derived(() => {
		if (!this.map) return "";
		if (this.panel) return this.panel.title;
		return this.methodInfo ? methodTitle(this.methodInfo, this.classes) : mapName(this.layer, this.head);
	});
	get title() {
		return get(this.#title);
	}
	set title(value) {
		set(this.#title, value);
	}
	#reading = user_derived(() => readingOf(this));
	get reading() {
		return get(this.#reading);
	}
	set reading(value) {
		set(this.#reading, value);
	}
	#headline = user_derived(() => headlineOf(this));
	get headline() {
		return get(this.#headline);
	}
	set headline(value) {
		set(this.#headline, value);
	}
	#line = user_derived(() => lineOf(this, this.#explorer.faithfulness, this.#explorer.hasHead));
	get line() {
		return get(this.#line);
	}
	set line(value) {
		set(this.#line, value);
	}
	constructor(explorer) {
		this.#explorer = explorer;
	}
	scaleOf(row, layer, head) {
		if (this.scaleChoice === "map" && this.shape) return mapScale(row, this.shape);
		if (this.scaleChoice === "uniform") return {
			kind: "uniform",
			uniform: this.shape ? uniformWeight(this.shape, layer) : 1,
			isWeight: true
		};
		return get(this.#sharedScales)[layer === -1 || head === -1 ? "means" : "heads"];
	}
	releaseMethod() {
		this.#retainedMethod = null;
	}
	scheduleDraw() {
		this.#frame ||= requestAnimationFrame(() => this.draw());
	}
	flushDraw() {
		if (this.#frame) this.draw();
	}
	draw() {
		const explorer = this.#explorer;
		const { choices, maps, shape, attention } = explorer;
		cancelAnimationFrame(this.#frame);
		this.#frame = 0;
		if (!explorer.reply || !attention) return;
		const start = performance.now();
		const requestedMethod = choices.hover < 0 ? choices.method : null;
		const method = requestedMethod !== null && maps[requestedMethod] ? requestedMethod : null;
		if (requestedMethod !== null && method === null && this.#retainedMethod === requestedMethod) return showWaiting(explorer);
		const query = queryPatches(choices, shape);
		this.#placeMarks(query, method);
		if (hasQuery(attention, query, choices.direction)) {
			if (explorer.markers.state !== "working") stopWaiting(explorer);
			this.#update(query, method);
		} else if (explorer.fullAttentionFailed) fallBackToClassToken(explorer);
		else {
			if (attention.rows) fetchRows(explorer, query, choices.direction);
			showWaiting(explorer);
		}
		flushSync();
		this.#measure(start);
	}
	#placeMarks(query, method) {
		const { removed, readoutPatch, layer, method: chosen } = this.#explorer.choices;
		const framed = method === null ? query : [];
		this.imageMarks = {
			query: framed,
			removed,
			readout: readoutPatch
		};
		this.mapMarks = {
			query: layer === -2 ? [] : framed,
			removed,
			readout: readoutPatch
		};
		this.isClassTokenQuery = !query.length && chosen === null;
	}
	#update(query, method) {
		const { choices, shape, attention, reply, maps, targetNames } = this.#explorer;
		this.shape = shape;
		this.attention = attention;
		this.scaleLimits = reply?.limits ?? NO_LIMITS;
		if (String(query) !== String(this.query)) this.query = query;
		this.direction = choices.direction;
		this.layer = choices.layer;
		this.head = choices.head;
		this.scaleChoice = choices.scale;
		this.readoutPatch = choices.readoutPatch;
		this.ablated = choices.ablated;
		this.mode = choices.mode;
		this.method = this.#retainedMethod = method;
		this.methodValues = method === null ? NO_VALUES : maps[method];
		this.classes = targetNames;
	}
	#measure(start) {
		if (++this.#measured % 1e3 === 0) performance.clearMeasures("vitviz:redraw");
		performance.measure("vitviz:redraw", {
			start,
			end: performance.now()
		});
	}
};
function fail(explorer, sentence) {
	explorer.markers.state = "error";
	stopWaiting(explorer);
	if (explorer.shown) Object.assign(explorer.choices, explorer.shown);
	showNotice(explorer, sentence, true);
}
async function load(explorer, checkpoint, image, shapeParams = null) {
	explorer.pendingImages++;
	await explain(explorer, checkpoint, image, shapeParams).finally(() => explorer.pendingImages--);
}
async function explain(explorer, checkpoint, image, shapeParams) {
	const mine = ++explorer.ticket;
	Object.assign(explorer.choices, {
		checkpoint,
		image
	});
	startWaiting(explorer);
	const reply = await explorer.host.request("explain", {
		checkpoint,
		image
	});
	if (mine !== explorer.ticket) return;
	if (!reply || isRefusal(reply)) {
		if (reply && !isBusy(reply) && !isUnreachable(reply)) explorer.failedModel = checkpoint;
		return fail(explorer, reasonOf(reply));
	}
	const decoded = await decodeImage(reply.image.src);
	if (mine !== explorer.ticket) return;
	if (!decoded) return fail(explorer, "The image could not be displayed. Choose another one.");
	const { pins, direction } = explorer.choices;
	const { key, onDemand } = reply;
	const patches = shapeParams ? parsePatches(shapeParams.patch, reply) : pins;
	const needsMore = patches.length > 0 || direction === "to";
	const { request } = explorer.host;
	const more = !needsMore ? null : await (onDemand ? request("rows", {
		key,
		patches,
		direction
	}) : request("attention", { key }));
	if (mine !== explorer.ticket) return;
	show(explorer, reply, decoded, shapeParams);
	if (onDemand && typeof more === "string") storeRows(explorer, more, patches, direction);
	if (!onDemand && typeof more === "string") storeFull(explorer, more, key);
	else fetchFull(explorer);
}
var send = ({ host }, name, question, key) => host.request(name, {
	...question,
	key
});
async function requestCached(explorer, name, question) {
	const { reply: mine, shown } = explorer;
	if (!mine || !shown) return { error: NO_ANSWER };
	const reply = await send(explorer, name, question, mine.key);
	if (reply !== null || explorer.reply !== mine) return reply;
	const again = await explorer.host.request("explain", shown);
	if (!again || isRefusal(again)) return again ?? { error: "The server did not answer. Check that vitviz is still running, then try again." };
	if (explorer.reply !== mine) return { error: NO_ANSWER };
	if (!areClose(again.probabilities, mine.probabilities)) {
		const { checkpoint, image } = explorer.choices;
		load(explorer, checkpoint, image ?? shown.image);
		return { error: "This model has been trained further: the image is explained again." };
	}
	mine.key = again.key;
	explorer.markers.ready = again.key;
	return send(explorer, name, question, again.key);
}
var areClose = (first, second) => first.every((value, k) => Math.abs(value - second[k]) < 1e-4);
async function requestAblated(explorer, name, question) {
	if (!explorer.ablation) return requestCached(explorer, name, question);
	const reply = await send(explorer, name, question, explorer.ablation.key);
	if (reply !== null) return reply;
	const failure = await fetchAblation(explorer);
	if (failure) return failure;
	return explorer.ablation ? send(explorer, name, question, explorer.ablation.key) : requestCached(explorer, name, question);
}
async function fetchFull(explorer) {
	const { reply: mine, ablation } = explorer;
	if (mine?.onDemand) {
		explorer.markers.full = explorer.key;
		return;
	}
	const full = await (ablation ? explorer.host.request("attention", { key: ablation.key }) : requestCached(explorer, "attention", {}));
	if (explorer.reply !== mine || explorer.ablation !== ablation) return;
	if (typeof full === "string") return storeFull(explorer, full, explorer.key);
	explorer.fullAttentionFailed = true;
	explorer.view.scheduleDraw();
}
function storeFull(explorer, text, key) {
	const full = (explorer.host.weights ?? uint16Of)(text);
	const { shape, attention } = explorer;
	explorer.fullAttentionFailed = full.length !== shape.layers * shape.heads * tokenCount(shape) ** 2;
	if (!explorer.fullAttentionFailed && attention) {
		attention.full = full;
		explorer.markers.full = key;
	}
	explorer.view.scheduleDraw();
}
async function fetchMethods(explorer, delay = 0) {
	const mine = ++explorer.methodsTicket;
	const { reply: about, ablation, choices, predictedClass } = explorer;
	const target = ablation && !choices.target.length ? [predictedClass] : choices.target;
	const isStale = () => mine !== explorer.methodsTicket || explorer.reply !== about;
	if (explorer.method(choices.method)?.onRequest) {
		choices.method = null;
		explorer.view.releaseMethod();
	}
	Object.assign(explorer, {
		faithfulness: null,
		leftOut: null
	});
	Object.assign(explorer.markers, {
		methods: void 0,
		scores: void 0
	});
	const state = ablation ?? about;
	if (explorer.mapsOf !== state) explorer.maps = ablation || !about ? {} : about.maps;
	explorer.mapsOf = state;
	const ofClass = new Set(explorer.catalog.methods.filter(({ forClass }) => forClass).map(({ key }) => key));
	explorer.maps = Object.fromEntries(Object.entries(explorer.maps).filter(([key]) => !ofClass.has(key)));
	await pause(delay);
	const first = about?.onDemand && explorer.host.live ? ["quick"] : [];
	for (const step of [
		...first,
		"methods",
		"scores"
	]) {
		while (explorer.pendingImages && !isStale()) await pause(500);
		if (isStale()) return;
		const name = step === "scores" ? step : "methods";
		const reply = await requestPatiently(explorer, name, step === "quick" ? {
			target,
			quick: true
		} : { target }, isStale);
		if (isStale()) return;
		if (!reply && !explorer.host.live) return;
		if (!reply || isRefusal(reply)) return abandonMethod(explorer, reasonOf(reply));
		if (explorer.notice === "The server did not answer. Check that vitviz is still running, then try again.") showNotice(explorer, null);
		if ("maps" in reply) Object.assign(explorer, {
			maps: reply.maps,
			leftOut: reply.leftOut
		});
		else explorer.faithfulness = reply;
		if (step !== "quick" || explorer.leftOut) explorer.markers[name] = `${explorer.key} ${target}`;
		explorer.view.draw();
		if (explorer.view.method !== null) announceSoon(explorer, 600);
		if (explorer.leftOut) return;
	}
}
async function fetchPixels(explorer, method) {
	const { ablation, choices, predictedClass } = explorer;
	const tag = pixelTag(explorer, method);
	if (isSameTag(explorer.pixelMap?.tag, tag)) return;
	const reply = await requestAblated(explorer, "pixel_map", {
		method,
		target: ablation && !choices.target.length ? [predictedClass] : choices.target
	});
	if (!isSameTag(pixelTag(explorer, method), tag)) return;
	if (isServed(reply)) explorer.pixelMap = {
		...reply,
		tag,
		values: floatsOf(reply.values)
	};
	else showNotice(explorer, reasonOf(reply), true);
}
async function requestPatiently(explorer, name, question, isStale) {
	for (;;) {
		const reply = await requestAblated(explorer, name, question);
		if (isStale() || !(isBusy(reply) || isUnreachable(reply))) return reply;
		if (isUnreachable(reply)) abandonMethod(explorer, NO_ANSWER);
		await pause(RETRY_DELAY);
		if (isStale()) return reply;
	}
}
function abandonMethod(explorer, sentence) {
	explorer.view.releaseMethod();
	explorer.view.draw();
	showNotice(explorer, sentence, true);
}
async function fetchAblation(explorer) {
	const mine = ++explorer.ablationTicket;
	const { reply: about, shape, choices } = explorer;
	const { ablated, removed, mode, patch_mode } = choices;
	if (!about) return void 0;
	explorer.markers.changed = void 0;
	if (!ablated.length && !removed.length) {
		showAblation(explorer, null, about.cls);
		return;
	}
	const reply = await requestCached(explorer, "ablate", {
		heads: ablated.map((k) => [Math.floor(k / shape.heads), k % shape.heads]),
		patches: removed,
		mode,
		patch_mode
	});
	if (mine !== explorer.ablationTicket || explorer.reply !== about) return void 0;
	if (reply && !isRefusal(reply)) {
		showAblation(explorer, reply, reply.cls);
		return;
	}
	Object.assign(choices, explorer.previousChanges);
	if (explorer.mapsOf !== (explorer.ablation ?? about)) fetchMethods(explorer);
	const failure = { error: reasonOf(reply) };
	showNotice(explorer, failure.error, true);
	explorer.view.scheduleDraw();
	writeAddressSoon(explorer);
	return failure;
}
function showAblation(explorer, result, rows) {
	const { ablated, removed, mode, patch_mode } = explorer.choices;
	explorer.ablation = result;
	explorer.previousChanges = {
		ablated,
		removed,
		mode,
		patch_mode
	};
	explorer.attention = sourceOf(rows, (result ?? explorer.reply)?.pool, explorer.reply?.onDemand);
	explorer.fullAttentionFailed = false;
	explorer.shape = {
		...explorer.shape,
		removed: result && patch_mode === "drop" ? removed : []
	};
	explorer.view.releaseMethod();
	explorer.view.draw();
	explorer.markers.changed = explorer.key;
	explorer.markers.full = void 0;
	fetchFull(explorer);
	fetchMethods(explorer, explorer.host.live ? 500 : 0);
	announceSoon(explorer, 0);
}
async function refreshLists(explorer) {
	const lists = await refreshModels(explorer.host.request);
	if (lists) showLists(explorer, lists);
}
function showLists(explorer, lists) {
	explorer.catalog = {
		...explorer.catalog,
		...lists
	};
}
// src/lib/theme.svelte.ts
var ThemeColors = class {
	#element;
	#colors;
	#tables = {};
	#listeners = [];
	#dark = state(false);
	constructor(element, colors) {
		this.#element = element;
		this.#colors = colors;
		set(this.#dark, this.#pageIsDark());
		this.#observe();
	}
	#pageIsDark() {
		return this.#element.closest(".dark") !== null;
	}
	#observe() {
		const watcher = new MutationObserver(() => {
			if (!this.#element.isConnected) return watcher.disconnect();
			if (get(this.#dark) === this.#pageIsDark()) return;
			set(this.#dark, this.#pageIsDark());
			for (const listener of this.#listeners) listener();
		});
		for (const node of [
			document.body,
			document.documentElement,
			this.#element
		]) watcher.observe(node, {
			attributes: true,
			attributeFilter: ["class"]
		});
	}
	get isDark() {
		return get(this.#dark);
	}
	table(kind) {
		const page = get(this.#dark) ? "dark" : "light";
		const name = `${page} ${kind}`;
		this.#tables[name] ??= pixelsOf(this.#colors[page][kind]);
		return this.#tables[name];
	}
	onThemeChange(redraw) {
		this.#listeners.push(redraw);
	}
};
var PROGRESS_DELAY$1 = 1e3;
var CIFAR10 = "cifar10";
function galleryQuery({ dataset, label, shown, page }, checkpoint) {
	return {
		dataset,
		label,
		shown,
		page,
		...shown === "all" ? {} : { checkpoint }
	};
}
var isSameQuery = (a, b) => JSON.stringify(a) === JSON.stringify(b);
function thumbName(image, classes) {
	const { index, label, prediction, probability } = image;
	const predicted = prediction == null ? "" : `, predicted ${prediction} with ${percent(probability ?? 0, 0)}`;
	return `${classes[label] ?? "image"}, image ${index}${predicted}`;
}
function waitingSentence({ done, total }) {
	if (!total) return "Reading and classifying the test images, the first time only…";
	const all = `Classifying all ${total.toLocaleString("en")} test images (about a minute, first time only)`;
	return done ? `${all}: ${done.toLocaleString("en")} done…` : `${all}…`;
}
var thumbOf = (dataset, classes, image) => ({
	image: dataset === "cifar10" ? {
		kind: "cifar",
		index: image.index
	} : {
		kind: "dataset",
		run: dataset,
		index: image.index
	},
	name: thumbName(image, classes),
	src: image.src,
	predicted: image.prediction == null ? void 0 : {
		label: image.prediction,
		probability: percent(image.probability ?? 0, 0)
	}
});
var Gallery = class {
	explorer;
	#dataset = state(CIFAR10);
	get dataset() {
		return get(this.#dataset);
	}
	set dataset(value) {
		set(this.#dataset, value);
	}
	#classes = state([]);
	get classes() {
		return get(this.#classes);
	}
	set classes(value) {
		set(this.#classes, value);
	}
	#label = state(-1);
	get label() {
		return get(this.#label);
	}
	set label(value) {
		set(this.#label, value);
	}
	#shown = state("all");
	get shown() {
		return get(this.#shown);
	}
	set shown(value) {
		set(this.#shown, value);
	}
	#page = state(0);
	get page() {
		return get(this.#page);
	}
	set page(value) {
		set(this.#page, value);
	}
	#pages = state(1);
	get pages() {
		return get(this.#pages);
	}
	set pages(value) {
		set(this.#pages, value);
	}
	#count = state(0);
	get count() {
		return get(this.#count);
	}
	set count(value) {
		set(this.#count, value);
	}
	#thumbs = state([]);
	get thumbs() {
		return get(this.#thumbs);
	}
	set thumbs(value) {
		set(this.#thumbs, value);
	}
	#isWaiting = state(false);
	get isWaiting() {
		return get(this.#isWaiting);
	}
	set isWaiting(value) {
		set(this.#isWaiting, value);
	}
	#progress = state({
		done: 0,
		total: 0
	});
	get progress() {
		return get(this.#progress);
	}
	set progress(value) {
		set(this.#progress, value);
	}
	#isLarge = state(false);
	get isLarge() {
		return get(this.#isLarge);
	}
	set isLarge(value) {
		set(this.#isLarge, value);
	}
	ticket = 0;
	filled = null;
	constructor(explorer) {
		this.explorer = explorer;
	}
	open(dataset) {
		const { image } = this.explorer.choices;
		const isOther = dataset !== this.dataset;
		if (isOther) Object.assign(this, {
			dataset,
			label: -1,
			shown: "all",
			page: 0,
			pages: 1,
			count: 0,
			thumbs: []
		});
		const isFirst = isOther || !this.filled;
		return this.fill(isFirst && (image?.kind === "cifar" || image?.kind === "dataset") ? image.index : void 0);
	}
	select(label, shown) {
		Object.assign(this, {
			label,
			shown,
			page: 0
		});
		return this.fill();
	}
	turn(pages) {
		return this.goTo(this.page + pages);
	}
	goTo(page) {
		this.page = Math.min(this.pages - 1, Math.max(0, Math.trunc(page) || 0));
		return this.fill();
	}
	find(index) {
		Object.assign(this, {
			label: -1,
			shown: "all"
		});
		return this.fill(index);
	}
	async fill(index) {
		const { catalog, choices, host } = this.explorer;
		const { dataset } = this;
		if (dataset === "cifar10" && !catalog.cifar.available) return;
		const query = galleryQuery(this, choices.checkpoint);
		const mine = ++this.ticket;
		if (index === void 0 && isSameQuery(query, this.filled)) {
			this.isWaiting = false;
			return;
		}
		let isPending = true;
		const waiting = setTimeout(() => this.wait(() => isPending && mine === this.ticket), 500);
		const reply = await host.request("gallery", index === void 0 ? query : {
			...query,
			index
		});
		isPending = false;
		clearTimeout(waiting);
		if (mine !== this.ticket) return;
		this.isWaiting = false;
		if (!reply || isRefusal(reply)) {
			if (this.filled?.dataset === dataset) {
				const { label, shown, page } = this.filled;
				Object.assign(this, {
					label,
					shown,
					page
				});
			}
			return showNotice(this.explorer, reasonOf(reply), true);
		}
		const { classes, count } = reply;
		const pages = Math.max(1, reply.pages);
		if (reply.page >= pages) return this.goToLast(pages);
		this.filled = {
			...query,
			page: reply.page
		};
		const thumbs = reply.images.map((image) => thumbOf(dataset, classes, image));
		Object.assign(this, {
			pages,
			page: reply.page,
			classes,
			count,
			thumbs
		});
	}
	goToLast(pages) {
		this.pages = pages;
		return this.goTo(pages - 1);
	}
	async wait(isPending) {
		Object.assign(this, {
			isWaiting: true,
			progress: {
				done: 0,
				total: 0
			}
		});
		const { dataset, explorer } = this;
		const { checkpoint } = explorer.choices;
		while (isPending()) {
			const reply = await explorer.host.request("gallery_progress", {
				dataset,
				checkpoint
			});
			if (isPending() && reply && !isRefusal(reply)) this.progress = reply;
			await pause(PROGRESS_DELAY$1);
		}
	}
};
// src/explore/state.svelte.ts
var REMOVING = "Click patches, or drag over them, to remove them; click again to restore them.";
var Choices = class {
	#checkpoint = state("");
	get checkpoint() {
		return get(this.#checkpoint);
	}
	set checkpoint(value) {
		set(this.#checkpoint, value);
	}
	#image = state(null);
	get image() {
		return get(this.#image);
	}
	set image(value) {
		set(this.#image, value);
	}
	#layer = state(-1);
	get layer() {
		return get(this.#layer);
	}
	set layer(value) {
		set(this.#layer, value);
	}
	#head = state(-1);
	get head() {
		return get(this.#head);
	}
	set head(value) {
		set(this.#head, value);
	}
	#view = state("attention");
	get view() {
		return get(this.#view);
	}
	set view(value) {
		set(this.#view, value);
	}
	#other = state(null);
	get other() {
		return get(this.#other);
	}
	set other(value) {
		set(this.#other, value);
	}
	#pins = state([]);
	get pins() {
		return get(this.#pins);
	}
	set pins(value) {
		set(this.#pins, value);
	}
	#isMultiPatchQuery = state(false);
	get isMultiPatchQuery() {
		return get(this.#isMultiPatchQuery);
	}
	set isMultiPatchQuery(value) {
		set(this.#isMultiPatchQuery, value);
	}
	#direction = state("from");
	get direction() {
		return get(this.#direction);
	}
	set direction(value) {
		set(this.#direction, value);
	}
	#scale = state("shared");
	get scale() {
		return get(this.#scale);
	}
	set scale(value) {
		set(this.#scale, value);
	}
	#smooth = state(false);
	get smooth() {
		return get(this.#smooth);
	}
	set smooth(value) {
		set(this.#smooth, value);
	}
	#pixels = state(false);
	get pixels() {
		return get(this.#pixels);
	}
	set pixels(value) {
		set(this.#pixels, value);
	}
	#outlines = state(60);
	get outlines() {
		return get(this.#outlines);
	}
	set outlines(value) {
		set(this.#outlines, value);
	}
	#method = state(null);
	get method() {
		return get(this.#method);
	}
	set method(value) {
		set(this.#method, value);
	}
	#ablated = state([]);
	get ablated() {
		return get(this.#ablated);
	}
	set ablated(value) {
		set(this.#ablated, value);
	}
	#removed = state([]);
	get removed() {
		return get(this.#removed);
	}
	set removed(value) {
		set(this.#removed, value);
	}
	#mode = state("zero");
	get mode() {
		return get(this.#mode);
	}
	set mode(value) {
		set(this.#mode, value);
	}
	#patch_mode = state("drop");
	get patch_mode() {
		return get(this.#patch_mode);
	}
	set patch_mode(value) {
		set(this.#patch_mode, value);
	}
	#target = state([]);
	get target() {
		return get(this.#target);
	}
	set target(value) {
		set(this.#target, value);
	}
	#hover = state(-1);
	get hover() {
		return get(this.#hover);
	}
	set hover(value) {
		set(this.#hover, value);
	}
	#readoutPatch = state(-1);
	get readoutPatch() {
		return get(this.#readoutPatch);
	}
	set readoutPatch(value) {
		set(this.#readoutPatch, value);
	}
};
var Markers = class {
	#state = state("working");
	get state() {
		return get(this.#state);
	}
	set state(value) {
		set(this.#state, value);
	}
	#ready = state();
	get ready() {
		return get(this.#ready);
	}
	set ready(value) {
		set(this.#ready, value);
	}
	#full = state();
	get full() {
		return get(this.#full);
	}
	set full(value) {
		set(this.#full, value);
	}
	#methods = state();
	get methods() {
		return get(this.#methods);
	}
	set methods(value) {
		set(this.#methods, value);
	}
	#scores = state();
	get scores() {
		return get(this.#scores);
	}
	set scores(value) {
		set(this.#scores, value);
	}
	#changed = state();
	get changed() {
		return get(this.#changed);
	}
	set changed(value) {
		set(this.#changed, value);
	}
};
var Explorer = class {
	host;
	theme;
	choices = new Choices();
	markers = new Markers();
	view;
	gallery;
	#catalog = state();
	get catalog() {
		return get(this.#catalog);
	}
	set catalog(value) {
		set(this.#catalog, value);
	}
	#root = state(null);
	get root() {
		return get(this.#root);
	}
	set root(value) {
		set(this.#root, value);
	}
	#shelf = state("sample");
	get shelf() {
		return get(this.#shelf);
	}
	set shelf(value) {
		set(this.#shelf, value);
	}
	#download = state(null);
	get download() {
		return get(this.#download);
	}
	set download(value) {
		set(this.#download, value);
	}
	followsDownload = false;
	#pointedMethod = state(null);
	get pointedMethod() {
		return get(this.#pointedMethod);
	}
	set pointedMethod(value) {
		set(this.#pointedMethod, value);
	}
	#removing = state(false);
	get removing() {
		return get(this.#removing);
	}
	set removing(value) {
		set(this.#removing, value);
	}
	#dropping = state(false);
	get dropping() {
		return get(this.#dropping);
	}
	set dropping(value) {
		set(this.#dropping, value);
	}
	#isHidden = state(false);
	get isHidden() {
		return get(this.#isHidden);
	}
	set isHidden(value) {
		set(this.#isHidden, value);
	}
	#showsJump = state(false);
	get showsJump() {
		return get(this.#showsJump);
	}
	set showsJump(value) {
		set(this.#showsJump, value);
	}
	#presented = state(null);
	get presented() {
		return get(this.#presented);
	}
	set presented(value) {
		set(this.#presented, value);
	}
	#panel = state(null);
	get panel() {
		return get(this.#panel);
	}
	set panel(value) {
		set(this.#panel, value);
	}
	mapIsInView = true;
	#reply = state(null);
	get reply() {
		return get(this.#reply);
	}
	set reply(value) {
		set(this.#reply, value);
	}
	#shape = state();
	get shape() {
		return get(this.#shape);
	}
	set shape(value) {
		set(this.#shape, value);
	}
	#attention = state(null);
	get attention() {
		return get(this.#attention);
	}
	set attention(value) {
		set(this.#attention, value);
	}
	#image = state(null);
	get image() {
		return get(this.#image);
	}
	set image(value) {
		set(this.#image, value);
	}
	#maps = state({});
	get maps() {
		return get(this.#maps);
	}
	set maps(value) {
		set(this.#maps, value);
	}
	#pixelMap = state(null);
	get pixelMap() {
		return get(this.#pixelMap);
	}
	set pixelMap(value) {
		set(this.#pixelMap, value);
	}
	mapsOf = null;
	#ablation = state(null);
	get ablation() {
		return get(this.#ablation);
	}
	set ablation(value) {
		set(this.#ablation, value);
	}
	#faithfulness = state(null);
	get faithfulness() {
		return get(this.#faithfulness);
	}
	set faithfulness(value) {
		set(this.#faithfulness, value);
	}
	#leftOut = state(null);
	get leftOut() {
		return get(this.#leftOut);
	}
	set leftOut(value) {
		set(this.#leftOut, value);
	}
	fullAttentionFailed = false;
	rowsOf = null;
	shown = null;
	recorded = {
		image: "",
		time: 0
	};
	previousChanges = {
		ablated: [],
		removed: [],
		mode: "zero",
		patch_mode: "drop"
	};
	failedModel = null;
	keepsFocus = false;
	takeImage = null;
	openSaveDialog = null;
	ticket = 0;
	methodsTicket = 0;
	ablationTicket = 0;
	pendingImages = 0;
	#notice = state(null);
	get notice() {
		return get(this.#notice);
	}
	set notice(value) {
		set(this.#notice, value);
	}
	#noticeIsError = state(false);
	get noticeIsError() {
		return get(this.#noticeIsError);
	}
	set noticeIsError(value) {
		set(this.#noticeIsError, value);
	}
	#voice = state("");
	get voice() {
		return get(this.#voice);
	}
	set voice(value) {
		set(this.#voice, value);
	}
	waiting;
	speaking;
	writing;
	#datasetRun = user_derived(() => {
		const { checkpoint, image } = this.choices;
		if (this.model(checkpoint)?.dataset) return checkpoint;
		return image?.kind === "dataset" ? image.run : null;
	});
	get datasetRun() {
		return get(this.#datasetRun);
	}
	set datasetRun(value) {
		set(this.#datasetRun, value);
	}
	#predictedClass = user_derived(() => this.reply ? largest(this.reply.probabilities) : 0);
	get predictedClass() {
		return get(this.#predictedClass);
	}
	set predictedClass(value) {
		set(this.#predictedClass, value);
	}
	#targetClass = user_derived(() => this.choices.target[0] ?? this.predictedClass);
	get targetClass() {
		return get(this.#targetClass);
	}
	set targetClass(value) {
		set(this.#targetClass, value);
	}
	#targetNames = user_derived(() => [this.targetClass, ...this.choices.target.slice(1)].map((k) => this.reply?.classes[k] ?? ""));
	get targetNames() {
		return get(this.#targetNames);
	}
	set targetNames(value) {
		set(this.#targetNames, value);
	}
	#hasHead = user_derived(() => this.reply === null || this.reply.classes.length > 0);
	get hasHead() {
		return get(this.#hasHead);
	}
	set hasHead(value) {
		set(this.#hasHead, value);
	}
	#hasScores = user_derived(() => this.hasHead && !this.leftOut && (this.host.live || this.faithfulness !== null));
	get hasScores() {
		return get(this.#hasScores);
	}
	set hasScores(value) {
		set(this.#hasScores, value);
	}
	#status = user_derived(() => {
		if (this.notice !== null) return [this.notice];
		const method = this.hasScores ? this.method(this.pointedMethod) : void 0;
		if (method && method.key !== this.view.method) return [scoreSentence(method, this.faithfulness)];
		return this.removing ? [REMOVING] : this.view.line;
	});
	get status() {
		return get(this.#status);
	}
	set status(value) {
		set(this.#status, value);
	}
	constructor(host) {
		this.host = host;
		this.catalog = host.catalog;
		this.theme = new ThemeColors(host.element, host.catalog.colors);
		this.view = new View(this);
		this.gallery = new Gallery(this);
	}
	method(key) {
		return this.catalog.methods.find((method) => method.key === key);
	}
	model(name) {
		return this.catalog.checkpoints.find((checkpoint) => checkpoint.name === name);
	}
	get key() {
		return this.ablation?.key ?? this.reply?.key ?? "";
	}
	get isVisible() {
		return (this.root?.getClientRects().length ?? 0) > 0;
	}
};
// src/explore/actions.ts
function act(explorer, change, delay = 600) {
	const { choices } = explorer;
	clearNotice(explorer);
	Object.assign(choices, change);
	choices.isMultiPatchQuery &&= choices.pins.length > 0;
	explorer.view.scheduleDraw();
	announceSoon(explorer, delay);
	writeAddressSoon(explorer);
	explorer.showsJump = !explorer.mapIsInView;
}
function hover(explorer, change, delay = 600) {
	clearNotice(explorer);
	Object.assign(explorer.choices, change);
	explorer.view.scheduleDraw();
	announceSoon(explorer, delay);
}
function chooseHead(explorer, layer, head, delay = 600) {
	act(explorer, {
		layer,
		head,
		method: null
	}, delay);
}
function queryClassToken(explorer) {
	act(explorer, {
		pins: [],
		hover: -1,
		isMultiPatchQuery: false,
		method: null
	}, 0);
}
function pinPatch(explorer, patch, add) {
	const { shape, choices } = explorer;
	if (isRemoved(patch, shape)) return showNotice(explorer, removedLine(patch, shape));
	const isPinned = choices.pins.includes(patch);
	const isMultiPatchQuery = choices.isMultiPatchQuery || add;
	act(explorer, {
		method: null,
		isMultiPatchQuery,
		pins: isMultiPatchQuery ? toggled(choices.pins, patch) : isPinned ? [] : [patch]
	});
	announceSoon(explorer, 600, isPinned ? "Unpinned. " : "Pinned. ");
}
function chooseMethod(explorer, key) {
	act(explorer, { method: explorer.choices.method === key ? null : key });
}
function leaveMethod(explorer) {
	act(explorer, { method: null }, 0);
	focusTile(explorer);
}
function chooseClass(explorer, k) {
	const { target } = explorer.choices;
	retarget(explorer, [k, ...target[1] === k ? [] : target.slice(1)]);
}
function chooseContrast(explorer, text) {
	const first = explorer.targetClass;
	retarget(explorer, text === "" || Number(text) === first ? [first] : [first, Number(text)]);
}
function retarget(explorer, target) {
	if (!explorer.reply) return;
	act(explorer, { target: target.length === 1 && target[0] === explorer.predictedClass ? [] : target });
	if (explorer.choices.method === null) {
		const [name, contrast] = explorer.targetNames;
		showNotice(explorer, `Attribution methods now explain ${name}${contrast ? `, contrasted with ${contrast}` : ""}.`);
	}
	fetchMethods(explorer);
}
function ablate(explorer, change) {
	act(explorer, change, 0);
	fetchAblation(explorer);
}
function toggleHead(explorer) {
	const { reply, shape, choices, host } = explorer;
	const { layer, head, ablated } = choices;
	if (!host.live || !reply || layer < 0 || head === -1) return;
	ablate(explorer, {
		ablated: toggled(ablated, layer * shape.heads + head),
		method: null
	});
}
function togglePatch(explorer, patch) {
	if (!explorer.host.live) return;
	const { removed, pins } = explorer.choices;
	ablate(explorer, {
		removed: toggled(removed, patch),
		pins: pins.filter((pin) => pin !== patch),
		method: null
	});
}
function restoreAll(explorer) {
	ablate(explorer, {
		ablated: [],
		removed: []
	});
	focusTile(explorer);
}
function focusTile({ root, shape, choices, view }, options = { preventScroll: true }) {
	view.draw();
	const down = placeOfLayer(choices.layer, shape.layers);
	const right = placeOfLayer(choices.head, shape.heads);
	root?.querySelectorAll(".matrix .cell")[down * (shape.heads + 1) + right]?.focus(options);
}
function toggleRemoving(explorer) {
	explorer.removing = !explorer.removing;
	showNotice(explorer, null);
	explorer.voice = explorer.removing ? REMOVING : "Clicks pin patches again.";
}
function writeAddress(explorer, how = "replaceState") {
	clearTimeout(explorer.writing);
	const { host, reply, choices, shape, shown } = explorer;
	if (!host.live || !reply || !shown || !explorer.isVisible) return;
	const { checkpoint, image } = shown;
	const upload = image.kind === "upload" ? image : null;
	updateAddress(addressOf(choices, image, shape, checkpoint), DEFAULTS, how, { upload });
}
function writeAddressSoon(explorer) {
	clearTimeout(explorer.writing);
	explorer.writing = setTimeout(() => writeAddress(explorer), 150);
}
// src/lib/files.ts
var ACCEPTED = {
	names: "PNG, JPEG, WebP, GIF, BMP or TIFF",
	types: [
		"png",
		"jpeg",
		"webp",
		"gif",
		"bmp",
		"tiff"
	].map((name) => `image/${name}`)
};
function refusalOf({ name, type, size }, maxBytes) {
	if (/^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name)) return `HEIC images cannot be read: export ${name} as JPEG. ${ACCEPTED.names} are accepted.`;
	if (!type.startsWith("image/")) return `The file must be an image: ${name} is ${type || "of unknown type"}. Choose a ${ACCEPTED.names} file.`;
	if (size > maxBytes) return `An image may have ${`at most ${mebibytes(maxBytes)}: ${name} has ${mebibytes(size)}`}. Reduce its size, for example by saving it as JPEG.`;
	return null;
}
// src/explore/history.ts
var ENTRY_DELAY = 1e3;
var restorable = null;
function recordImage(explorer) {
	const image = JSON.stringify({
		...explorer.shown?.image,
		crop: void 0
	});
	const isOther = image !== explorer.recorded.image;
	const isLater = performance.now() - explorer.recorded.time >= ENTRY_DELAY;
	if (isOther) explorer.recorded = {
		image,
		time: performance.now()
	};
	writeAddress(explorer, isOther && isLater ? "pushState" : "replaceState");
}
async function followHistory(explorer) {
	const { catalog, choices, shown } = explorer;
	const params = new URLSearchParams(location.search);
	const requested = params.get("image");
	if (!shown || !requested || params.has("tab")) return;
	const [chosen, shapeParams] = readAddress(params, catalog, history.state);
	if (requested === imageParam(shown.image) && JSON.stringify(chosen.image) === JSON.stringify(shown.image)) return;
	const names = Object.keys(chosen);
	const current = Object.fromEntries(names.map((name) => [name, choices[name]]));
	const earlier = restorable?.shown === shown ? restorable : null;
	restorable = {
		shown,
		recorded: earlier?.recorded ?? explorer.recorded,
		choices: {
			...current,
			...earlier?.choices
		}
	};
	Object.assign(choices, chosen);
	if (!choices.image) return;
	explorer.recorded = {
		image: JSON.stringify(choices.image),
		time: -1e3
	};
	const loading = load(explorer, choices.checkpoint, choices.image, shapeParams);
	const mine = explorer.ticket;
	await loading;
	if (mine !== explorer.ticket) return;
	const { recorded, choices: previous } = restorable;
	restorable = null;
	if (explorer.shown === shown) {
		Object.assign(choices, previous, shown);
		explorer.recorded = recorded;
		explorer.view.scheduleDraw();
		return;
	}
	const missing = unavailableSentences(params, catalog, choices);
	if (missing && !explorer.noticeIsError) showNotice(explorer, missing);
}
// src/explore/images.ts
var DOWNLOAD_DELAY = 1e3;
async function chooseImage(explorer, image) {
	if (explorer.takeImage) return explorer.takeImage(image);
	writeAddress(explorer);
	await load(explorer, explorer.choices.checkpoint, image);
	if (explorer.shown?.image === image) recordImage(explorer);
}
async function chooseTestImage(explorer, index) {
	if (!Number.isInteger(index)) return;
	const { gallery } = explorer;
	const { dataset: run } = gallery;
	await chooseImage(explorer, run === "cifar10" ? {
		kind: "cifar",
		index
	} : {
		kind: "dataset",
		run,
		index
	});
	const { image } = explorer.choices;
	if (image && "index" in image && image.index === index) await gallery.find(index);
}
function showShelf(explorer, kind) {
	explorer.shelf = kind;
	const { catalog, datasetRun, gallery } = explorer;
	if (kind === "cifar" && catalog.cifar.available) gallery.open(CIFAR10);
	else if (kind === "cifar") gallery.dataset = CIFAR10;
	else if (kind === "dataset" && datasetRun) gallery.open(datasetRun);
	if (kind === "cifar" && !catalog.cifar.available && !catalog.public) requestDownload(explorer, "state");
}
async function requestDownload(explorer, action) {
	const { host } = explorer;
	const send = async (next) => {
		const reply = await host.request("cifar_download", { action: next });
		if (isServed(reply)) explorer.download = reply;
		else showNotice(explorer, reasonOf(reply), true);
		return isServed(reply) && reply.running;
	};
	if (!await send(action) || explorer.followsDownload) return;
	explorer.followsDownload = true;
	do
		await pause(DOWNLOAD_DELAY);
	while (await send("state"));
	explorer.followsDownload = false;
	await refreshLists(explorer);
	if (explorer.shelf === "cifar" && explorer.catalog.cifar.available) showShelf(explorer, "cifar");
}
async function takeFile(explorer, file) {
	const { catalog, host } = explorer;
	if (!host.upload) return;
	const refusal = refusalOf(file, catalog.maxBytes);
	if (refusal) return showNotice(explorer, refusal, true);
	const mine = ++explorer.ticket;
	showShelf(explorer, "upload");
	startWaiting(explorer);
	try {
		const { path } = await host.upload(file);
		if (mine === explorer.ticket) chooseImage(explorer, {
			kind: "upload",
			path,
			name: file.name
		});
	} catch {
		const sentence = `${file.name} could not be uploaded: the server is unreachable, or its upload storage is full. Try again later.`;
		if (mine === explorer.ticket) fail(explorer, sentence);
	}
}
// src/explore/options.ts
var CHANGES = {
	query(value, { choices, shape }) {
		const pins = choices.pins.length ? choices.pins : [middlePatch(shape)];
		const kept = {
			class: [],
			patch: pins.slice(0, 1)
		}[value] ?? pins;
		return {
			method: null,
			isMultiPatchQuery: value === "patches",
			pins: kept
		};
	},
	direction(value, { choices, shape }) {
		if (value === "similar") return {
			view: "features",
			method: null,
			isMultiPatchQuery: false,
			pins: (choices.pins.length ? choices.pins : [middlePatch(shape)]).slice(0, 1)
		};
		return {
			direction: oneOf(value, ["from", "to"]),
			view: "attention",
			method: null
		};
	},
	scale: (value) => ({
		scale: oneOf(value, [
			"shared",
			"uniform",
			"map"
		]),
		view: "attention",
		method: null
	}),
	display: (value) => ({ smooth: value === "smooth" })
};
function chooseOption(explorer, name, value) {
	if (!explorer.reply) return;
	act(explorer, CHANGES[name](value, explorer), 0);
	if (value === "patches") showNotice(explorer, "Click patches to add them to the query; click again to remove them.");
}
var NO_ATTENTION = "The attention between patches could not be loaded. Choose the image again to retry.";
function fallBackToClassToken(explorer, sentence = NO_ATTENTION) {
	const { choices } = explorer;
	if (choices.hover >= 0) choices.hover = -1;
	else Object.assign(choices, {
		pins: [],
		isMultiPatchQuery: false,
		direction: "from"
	});
	stopWaiting(explorer);
	explorer.view.draw();
	showNotice(explorer, sentence, true);
}
async function showModel(explorer, name, shapeParams = null) {
	const { choices, gallery } = explorer;
	if (choices.image) await load(explorer, name, choices.image, shapeParams);
	if (choices.checkpoint === name) writeAddressSoon(explorer);
	if (explorer.shelf === "dataset") showShelf(explorer, explorer.datasetRun ? "dataset" : "sample");
	else if (explorer.shelf === "cifar") gallery.fill();
}
// src/lib/Progress.svelte
var root$7 = from_html(`<div role="progressbar" aria-valuemin="0" aria-valuemax="100"><i></i></div>`);
function Progress($$anchor, $$props) {
	const whole = prop($$props, "whole", 3, false), hidden = prop($$props, "hidden", 3, false);
	var div = root$7();
	var i = child(div);
	let styles;
	reset(div);
	template_effect(($0) => {
		set_class(div, 1, clsx(["progress", { whole: whole() }]));
		set_attribute(div, "aria-label", $$props.label);
		set_attribute(div, "aria-valuenow", $0);
		set_attribute(div, "hidden", hidden());
		styles = set_style(i, "", styles, { width: `${100 * $$props.progress}%` });
	}, [() => Math.round(100 * $$props.progress)]);
	append($$anchor, div);
}
// src/lib/Download.svelte
var root$6 = from_html(`<div><p class="sentence"> </p> <div class="downloading"><!> <span class="downloaded"> </span></div> <button type="button" class="button" data-do="download"> </button> <button type="button" class="button" data-do="cancel">Cancel</button></div>`);
function Download($$anchor, $$props) {
	push($$props, true);
	const hidden = prop($$props, "hidden", 3, false);
	const isRunning = user_derived(() => $$props.download?.running ?? false);
	const failure = user_derived(() => $$props.download?.message ?? "");
	const progressLine = user_derived(() => `Downloading ${$$props.name}. Its checksum is verified before use.`);
	var div = root$6();
	var p = child(div);
	var text = only_child(p, true);
	var div_1 = sibling(p, 2);
	var node = child(div_1);
	{
		let $0 = user_derived(() => $$props.download?.progress ?? 0);
		Progress(node, {
			label: "Download progress",
			get progress() {
				return get($0);
			}
		});
	}
	var span = sibling(node, 2);
	var text_1 = only_child(span);
	reset(div_1);
	var button = sibling(div_1, 2);
	var text_2 = only_child(button);
	var button_1 = sibling(button, 2);
	reset(div);
	template_effect(($0) => {
		set_class(div, 1, clsx(["absent", { failed: get(failure) }]));
		set_attribute(div, "hidden", hidden());
		set_text(text, get(failure) || (get(isRunning) ? get(progressLine) : $$props.missing));
		set_attribute(div_1, "hidden", !get(isRunning));
		set_text(text_1, `${$0 ?? ""} of 170 MB`);
		set_attribute(button, "hidden", get(isRunning));
		set_text(text_2, `Download ${$$props.name ?? ""} (170 MB)`);
		set_attribute(button_1, "hidden", !get(isRunning));
	}, [() => Math.round(170 * ($$props.download?.progress ?? 0))]);
	delegated("click", button, function(...$$args) {
		$$props.onstart?.apply(this, $$args);
	});
	delegated("click", button_1, function(...$$args) {
		$$props.oncancel?.apply(this, $$args);
	});
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/explore/roving.ts
function nextButton(index, key, count, columns) {
	const steps = {
		ArrowLeft: -1,
		ArrowRight: 1,
		ArrowUp: -columns,
		ArrowDown: columns
	};
	const next = index + (steps[key] ?? 0);
	if (key in steps) return next >= 0 && next < count ? next : index;
	return key === "Home" || key === "PageUp" ? 0 : count - 1;
}
var buttonsOf = (group) => [...group.querySelectorAll("button:enabled")];
function columnsOf(buttons) {
	const tops = buttons.map((button) => Math.round(button.getBoundingClientRect().top));
	return Math.max(1, tops.filter((top) => top === tops[0]).length);
}
var roving = (group) => {
	function update() {
		const buttons = buttonsOf(group);
		const isPressed = (button) => button.getAttribute("aria-pressed") === "true";
		const stop = buttons.find((button) => button === document.activeElement) ?? buttons.find(isPressed) ?? buttons[0];
		for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
	}
	function press(event) {
		const buttons = buttonsOf(group);
		const index = buttons.indexOf(document.activeElement);
		if (index < 0 || isShortcut(event) || !GRID_KEYS.includes(event.key)) return;
		event.preventDefault();
		buttons[nextButton(index, event.key, buttons.length, columnsOf(buttons))].focus();
	}
	const observer = new MutationObserver(update);
	observer.observe(group, {
		childList: true,
		subtree: true,
		attributes: true,
		attributeFilter: ["aria-pressed", "disabled"]
	});
	group.addEventListener("focusin", update);
	group.addEventListener("keydown", press);
	update();
	return () => {
		observer.disconnect();
		group.removeEventListener("focusin", update);
		group.removeEventListener("keydown", press);
	};
};
// src/explore/tour.ts
var STOPS = [
	{
		target: ".image-column .stage",
		title: "The image is cut into patches",
		text: "Point at a patch: all maps now show what this patch attends to. Click to pin it. Otherwise the class token, from which the prediction is read, is the query."
	},
	{
		target: ".map-column .stage",
		title: "One head, enlarged",
		text: "The color bar below gives the attention weight of each color. Point at the map to read the weights; 1 × uniform is what every token gets if none is preferred."
	},
	{
		target: ".matrix-column",
		title: "All layers and heads",
		text: "Each tile is the same map of another head. Click one to enlarge it. Early layers often attend to nearby patches, later ones to parts of the object."
	},
	{
		target: ".prediction-column",
		title: "Does it matter for the prediction?",
		text: "Attention is not an explanation. Ablate a head or remove patches to see the probabilities change, or choose a class: the methods below estimate which patches it depends on, and are tested against random orders."
	}
];
var KEY = "vitviz-intro";
function isDismissed() {
	try {
		return localStorage.getItem(KEY) === "dismissed";
	} catch {
		return false;
	}
}
function dismiss() {
	try {
		localStorage.setItem(KEY, "dismissed");
	} catch {}
}
function stopAfter(key, at) {
	if (key === "Escape") return null;
	if (key === "ArrowRight") return Math.min(at + 1, STOPS.length - 1);
	if (key === "ArrowLeft") return Math.max(at - 1, 0);
}
// src/lib/Line.svelte
var root$5 = from_html(`<b> </b>`);
function Line($$anchor, $$props) {
	var fragment = comment();
	var node = first_child(fragment);
	each(node, 17, () => $$props.line, index, ($$anchor, part) => {
		var fragment_1 = comment();
		var node_1 = first_child(fragment_1);
		var consequent = ($$anchor) => {
			var text$2 = text();
			template_effect(() => set_text(text$2, get(part)));
			append($$anchor, text$2);
		};
		var alternate = ($$anchor) => {
			var b = root$5();
			var text_1 = only_child(b, true);
			template_effect(() => set_text(text_1, get(part).strong));
			append($$anchor, b);
		};
		if_block(node_1, ($$render) => {
			if (typeof get(part) === "string") $$render(consequent);
			else $$render(alternate, -1);
		});
		append($$anchor, fragment_1);
	});
	append($$anchor, fragment);
}
// src/explore/share.ts
async function copyLink(explorer) {
	writeAddress(explorer);
	const rest = explorer.choices.image?.kind === "upload" ? " It does not contain the uploaded image." : "";
	try {
		await navigator.clipboard.writeText(location.href);
		showNotice(explorer, `Link copied.${rest}`);
	} catch {
		showNotice(explorer, `The browser does not allow copying: copy the link from the address bar.${rest}`);
	}
}
var nullable = (index) => index === -1 ? null : index;
function shownView({ choices, reply, targetClass, view }) {
	const { layer, head, pins, direction, method, target, scale, smooth, outlines } = choices;
	return {
		method,
		layer: layer === -2 ? "pool" : nullable(layer),
		head: nullable(head),
		patches: pins,
		direction,
		target: [targetClass, ...target.slice(1)],
		scale,
		smooth,
		outlines: outlines / 100,
		truth: reply?.image.truth ?? null,
		pixels: choices.pixels,
		foreground: false,
		other: null,
		...view.panel?.shown
	};
}
// src/lib/glossary.ts
var GLOSSARY = [
	{
		"term": "Patch",
		"meaning": "A square of P × P pixels of the image. There are N of them.",
		"symbol": "N",
		"formula": "N = H W / P²",
		"step": "patches"
	},
	{
		"term": "Token",
		"meaning": "A vector of D numbers that the layers rewrite. Each patch is one, and the class token is one more.",
		"symbol": "x",
		"formula": "x ∈ ℝᴰ",
		"step": "overview"
	},
	{
		"term": "Patch embedding",
		"meaning": "The linear layer that turns the pixels of a patch into its token: a convolution with stride P.",
		"symbol": "E",
		"formula": "x_i = E patch_i + b",
		"step": "embedding"
	},
	{
		"term": "Position embedding",
		"meaning": "A learned vector for each place, added to its token, since attention itself ignores order.",
		"symbol": "p",
		"formula": "x_i + p_i",
		"step": "positions"
	},
	{
		"term": "Class token",
		"meaning": "A token without a patch. It collects information by attention, and the head reads it.",
		"symbol": "x_0",
		"formula": "y = head(norm(x_0))",
		"step": "class-token"
	},
	{
		"term": "Query",
		"meaning": "What a token looks for: in each head a vector of d numbers.",
		"symbol": "q",
		"formula": "q = W_q norm(x)",
		"step": "attention"
	},
	{
		"term": "Key",
		"meaning": "What a token offers to the queries of the others.",
		"symbol": "k",
		"formula": "k = W_k norm(x)",
		"step": "attention"
	},
	{
		"term": "Value",
		"meaning": "What is read from a token that gets attention.",
		"symbol": "v",
		"formula": "v = W_v norm(x)",
		"step": "attention"
	},
	{
		"term": "Attention weight",
		"meaning": "In each head every token, the query, spreads a weight of 100 % over all tokens: the softmax of the products of its query with their keys. It says how much is read from where, not yet how much that matters for the prediction.",
		"symbol": "α",
		"formula": "α_j = softmax_j(q · k_j / √d)",
		"step": "attention"
	},
	{
		"term": "Uniform attention",
		"meaning": "Uniform attention gives every token the same weight, 1 divided by the number of tokens. A patch far above it is singled out; one near it is not.",
		"symbol": "1 / T",
		"formula": "α_j = 1 / T",
		"step": "attention"
	},
	{
		"term": "Head",
		"meaning": "One attention with queries, keys and values of its own. A layer has A of them.",
		"symbol": "A",
		"formula": "z = Σ_j α_j v_j",
		"step": "heads"
	},
	{
		"term": "MLP",
		"meaning": "Two linear layers with a nonlinearity between them, applied to each token on its own.",
		"symbol": "MLP",
		"formula": "W_2 GELU(W_1 norm(x))",
		"step": "overview"
	},
	{
		"term": "Layer",
		"meaning": "Attention followed by an MLP, also called a block. The network has L of them.",
		"symbol": "L",
		"formula": "x + attention(x), then x + MLP(x)",
		"step": "overview"
	},
	{
		"term": "Residual stream",
		"meaning": "A token on its way through the layers, which only add to it.",
		"symbol": "x",
		"formula": "x_L = x_0 + Σ (attention + MLP)",
		"step": "layers"
	},
	{
		"term": "LayerNorm",
		"meaning": "Brings the numbers of a token to mean 0 and standard deviation 1, then scales and shifts each.",
		"symbol": "norm",
		"formula": "γ (x − mean) / std + β",
		"step": "layers"
	},
	{
		"term": "Logit lens",
		"meaning": "The head applied after layer l instead of the last: what the network would predict there.",
		"symbol": "y_l",
		"formula": "y_l = head(norm(x_l))",
		"step": "layers"
	},
	{
		"term": "Logit",
		"meaning": "The output of the model for a class before the softmax turns all of them into probabilities. An increase of 1 in a logit multiplies the odds of the class by 2.7.",
		"symbol": "y_c",
		"formula": "y_c = w_c · norm(x) + b_c",
		"step": "softmax"
	},
	{
		"term": "Softmax",
		"meaning": "Turns numbers into positive ones that sum to 1: logits into probabilities, scores into attention weights.",
		"symbol": "p_c",
		"formula": "p_c = exp(y_c) / Σ_j exp(y_j)",
		"step": "softmax"
	},
	{
		"term": "Contribution",
		"meaning": "The logit is a sum: of what every head wrote for every token it read, of every MLP, the embedding and the biases. The numbers are its summands, in logits. Above 0 speaks for the class, below 0 against it.",
		"symbol": "Δy",
		"formula": "y_c = Σ Δy + biases",
		"step": "contributions"
	},
	{
		"term": "Attribution map",
		"meaning": "A number for each patch that says how much it matters for a class. Removing patches tests it.",
		"symbol": "R",
		"formula": "R ∈ ℝᴺ",
		"step": "removal"
	},
	{
		"term": "Deletion score",
		"meaning": "Patches are masked one after another, those ranked highest by the map first. The score is the mean drop of the probability of the class on the way, relative to its start. The higher, the better the map finds what the model uses. Scores of a single image are noisy."
	},
	{
		"term": "Random baseline",
		"meaning": "The same measured with 20 random orders: the mark is their mean, SD their standard deviation. A map within 2 SD of the mean may be luck; one below it is worse than guessing. The map called Random is one such order, so its score differs from the mark by chance alone."
	},
	{
		"term": "Recovered difference",
		"meaning": "Activation patching replaces one activation in the forward pass of image B by that of image A. 0: nothing changes. 1: this activation alone gives B the logit of A. The effects of several activations do not add up."
	},
	{
		"term": "Cosine similarity",
		"meaning": "The cosine of the angle between the features of two tokens: 1 for the same direction, 0 for unrelated ones. It compares what the tokens contain; attention says which token reads from which."
	},
	{
		"term": "Relative value",
		"meaning": "Methods other than attention have units of their own. Their maps are divided by their maximum, so that they can be compared by shape, not by size."
	}
];
var meaningOf = (term) => GLOSSARY.find((entry) => entry.term.toLowerCase() === term)?.meaning ?? "";
function termOf(scale) {
	if (scale.kind === "signed") return "logit";
	if (scale.kind === "uniform") return "uniform attention";
	return scale.isWeight ? "attention weight" : "relative value";
}
var indexed = (text) => text.split(/_(.)/);
// src/lib/ticks.ts
var UNIFORM_TICKS = [
	"≤ ⅛ ×",
	"¼",
	"½",
	"1 ×",
	"2",
	"4",
	"≥ 8 ×"
];
function ticksOf(scale) {
	if (scale.kind === "uniform") return UNIFORM_TICKS.map((text, i) => [i / 6, text]);
	const quarters = [
		0,
		.25,
		.5,
		.75,
		1
	];
	if (scale.kind === "signed") return quarters.map((t) => [t, signed((2 * t - 1) * scale.limit, signedDigits(scale))]);
	const low = lowOf(scale);
	const step = (scale.limit - low) / 4;
	const valueAt = (t) => low + 4 * step * t;
	if (!scale.isWeight) return quarters.map((t) => [t, low ? written(valueAt(t) / scale.limit, 2) : String(t)]);
	const digits = scale.clips ? digitsOf(step) : digitsOfStep(step);
	return quarters.map((t) => [t, (t === 1 && scale.clips ? "≥ " : "") + percent(valueAt(t), valueAt(t) ? digits : 0)]);
}
var digitsOfStep = (step) => [
	1,
	2,
	3
].find((digits) => 100 * step >= 5 / 10 ** digits) ?? 4;
function unitOf(scale) {
	if (scale.kind === "signed") return "change of the logit; below 0 is against the class";
	if (scale.kind === "uniform") return "attention weight / uniform; 1 × is the same for all tokens";
	if (!scale.isWeight) return "relative to the maximum of this map";
	if (!scale.clips) return "attention weight, range of this map";
	return `attention weight, all ${scale.isOfMeans ? "means" : "heads"}`;
}
// src/lib/TilePreview.svelte
var root$4 = from_html(`<canvas></canvas>`);
var root_1$4 = from_html(`<div class="matrix-preview" aria-hidden="true"><!> <b> </b> <span> </span></div>`);
function TilePreview($$anchor, $$props) {
	push($$props, true);
	let node;
	let large = state(void 0);
	function copy() {
		if (!$$props.canvas || !get(large)) return;
		if (get(large).width !== $$props.canvas.width) get(large).width = $$props.canvas.width;
		if (get(large).height !== $$props.canvas.height) get(large).height = $$props.canvas.height;
		get(large).getContext("2d")?.drawImage($$props.canvas, 0, 0);
	}
	user_effect(() => {
		copy();
		place();
	});
	function place() {
		const box = node.parentElement?.getBoundingClientRect();
		if (!box) return;
		const { left, width, top, bottom } = $$props.cell.getBoundingClientRect();
		const zoom = zoomOf(node);
		const middle = (left + width / 2 - box.left) / zoom - node.offsetWidth / 2;
		const y = (top + bottom) / 2 > box.top + box.height / 2 ? (top - box.top) / zoom - node.offsetHeight - 10 : (bottom - box.top) / zoom + 10;
		node.style.left = `${Math.max(0, Math.min(middle, box.width / zoom - node.offsetWidth))}px`;
		node.style.top = `${y}px`;
	}
	var $$exports = { copy };
	var div = root_1$4();
	var node_1 = child(div);
	var consequent = ($$anchor) => {
		var canvas_1 = root$4();
		bind_this(canvas_1, ($$value) => set(large, $$value), () => get(large));
		append($$anchor, canvas_1);
	};
	if_block(node_1, ($$render) => {
		if ($$props.canvas) $$render(consequent);
	});
	var b = sibling(node_1, 2);
	var text_1 = only_child(b, true);
	var span = sibling(b, 2);
	var text_2 = only_child(span, true);
	reset(div);
	bind_this(div, ($$value) => node = $$value, () => node);
	template_effect(() => {
		set_text(text_1, $$props.title);
		set_text(text_2, $$props.text);
	});
	append($$anchor, div);
	return pop($$exports);
}
// src/lib/Matrix.svelte
var root$3 = from_html(`<button type="button" role="gridcell"><canvas></canvas></button>`);
var root_1$3 = from_html(`<span> </span>`);
var root_2$1 = from_html(`<div role="row"><!> <!></div>`);
var root_3 = from_html(`<div><div class="matrix-frame"><div role="grid"><div class="matrix-row head-row" role="row"><span class="label corner"> </span> <!></div> <!></div></div> <!></div>`);
function Matrix($$anchor, $$props) {
	push($$props, true);
	const cell = ($$anchor, row = noop, column = noop) => {
		const isChosen = user_derived(() => isReady() && row() === $$props.layer && column() === $$props.head);
		const ablated = user_derived(() => isAblated()(row(), column()));
		var button = root$3();
		template_effect(($0, $1) => {
			set_class(button, 1, clsx([
				"cell",
				column() === -1 && "mean",
				get(ablated) && "ablated"
			]));
			set_attribute(button, "data-head", $0);
			set_attribute(button, "aria-label", $1);
			set_attribute(button, "aria-selected", isReady() ? get(isChosen) && isShown() : void 0);
			set_attribute(button, "tabindex", isReady() ? get(isChosen) ? 0 : -1 : void 0);
		}, [() => numberName(column()), () => `${mapName(row(), column())}${get(ablated) ? ", ablated" : ""}`]);
		delegated("click", button, () => $$props.onchoose(row(), column(), false));
		append($$anchor, button);
	};
	const header = ($$anchor, role = noop, kind = noop, index = noop) => {
		var span = root_1$3();
		var text = only_child(span, true);
		template_effect(($0, $1) => {
			set_class(span, 1, $0);
			set_attribute(span, "role", role());
			set_text(text, $1);
		}, [() => clsx([
			"label",
			index() === -1 && "mean",
			isOn(kind() === "layer" ? $$props.layer : $$props.head, index()) && "on"
		]), () => headerText(kind(), index(), $$props.shape)]);
		append($$anchor, span);
	};
	let isReady = prop($$props, "isReady", 3, true), isShown = prop($$props, "isShown", 3, true), isAblated = prop($$props, "isAblated", 3, () => false), framed = prop($$props, "framed", 3, null);
	let frame;
	let node;
	let tiles = [];
	let built = "";
	let preview = state(void 0);
	let hasMore = state(false);
	let pointed = state(null);
	const layers = user_derived(() => $$props.shape.layers);
	const heads = user_derived(() => $$props.shape.heads);
	const size = user_derived(() => `${get(layers)} ${get(heads)} ${$$props.shape.columns} ${$$props.shape.rows} ${$$props.shape.pooled}`);
	const down = user_derived(() => layersOf($$props.shape));
	const across = user_derived(() => withMean(get(heads)));
	const isOn = (at, index) => isReady() && isShown() && at === index;
	function build() {
		const [columns, rows] = [$$props.shape.columns, $$props.shape.rows];
		const canvases = [...node.querySelectorAll("canvas")];
		tiles = get(down).flatMap((row) => get(across).map((column) => ({
			layer: row,
			head: column
		}))).map((map, i) => ({
			...map,
			values: makeTile(canvases[i], columns, rows)
		}));
		built = get(size);
	}
	user_effect(() => {
		if (built !== get(size)) build();
		$$props.paint(tiles);
		untrack(() => get(preview)?.copy());
	});
	user_effect(() => {
		$$props.layer, $$props.head, get(size), isShown();
		const chosen = isReady() && chosenButton();
		if (chosen) scrollInto(frame, chosen);
	});
	function measure() {
		set(hasMore, frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1);
	}
	user_effect(() => {
		const observer = new ResizeObserver(measure);
		for (const part of [frame, node]) observer.observe(part);
		return () => observer.disconnect();
	});
	const chosenButton = () => node.querySelector(`[data-layer="${$$props.layer}"] > [data-head="${numberName($$props.head)}"]`);
	function focus(options) {
		chosenButton()?.focus(options);
	}
	function point({ target, pointerType }) {
		const cell = pointerType !== "touch" && target instanceof Element && target.closest(".cell");
		if (cell && isReady()) set(pointed, cell);
	}
	function mapOf(cell) {
		const map = tiles.find(({ values }) => values.canvas === cell.firstElementChild);
		return map && {
			...map,
			isAblated: isAblated()(map.layer, map.head)
		};
	}
	function walk(event) {
		set(pointed, null);
		if (!isReady() || isShortcut(event)) return;
		if (!GRID_KEYS.includes(event.key)) return $$props.onkey?.(event);
		event.preventDefault();
		const next = nextMap($$props.shape, $$props.layer, $$props.head, event.key);
		$$props.onchoose(next.layer, next.head, true);
		flushSync();
		focus();
	}
	var $$exports = { focus };
	var div = root_3();
	var div_1 = child(div);
	var div_2 = child(div_1);
	var div_3 = child(div_2);
	var span_1 = child(div_3);
	var text_1 = only_child(span_1, true);
	var node_1 = sibling(span_1, 2);
	each(node_1, 16, () => get(across), (column) => column, ($$anchor, column) => {
		header($$anchor, () => "columnheader", () => "head", () => column);
	});
	reset(div_3);
	var node_2 = sibling(div_3, 2);
	each(node_2, 16, () => get(down), (row) => row, ($$anchor, row) => {
		var div_4 = root_2$1();
		var node_3 = child(div_4);
		header(node_3, () => "rowheader", () => "layer", () => row);
		var node_4 = sibling(node_3, 2);
		each(node_4, 16, () => get(across), (column) => column, ($$anchor, column) => {
			cell($$anchor, () => row, () => column);
		});
		reset(div_4);
		template_effect(() => {
			set_class(div_4, 1, clsx([
				"matrix-row",
				row < 0 && "mean-row",
				isReady() && row === $$props.layer && "current"
			]));
			set_attribute(div_4, "data-layer", row);
		});
		append($$anchor, div_4);
	});
	reset(div_2);
	bind_this(div_2, ($$value) => node = $$value, () => node);
	reset(div_1);
	bind_this(div_1, ($$value) => frame = $$value, () => frame);
	var node_5 = sibling(div_1, 2);
	var consequent_1 = ($$anchor) => {
		const map = user_derived(() => mapOf(get(pointed)));
		var fragment_2 = comment();
		var node_6 = first_child(fragment_2);
		var consequent = ($$anchor) => {
			{
				let $0 = user_derived(() => get(map).isAblated ? null : get(map).values.canvas);
				let $1 = user_derived(() => mapName(get(map).layer, get(map).head));
				let $2 = user_derived(() => get(map).isAblated ? "ablated" : $$props.describe?.(get(map).layer, get(map).head) ?? "");
				bind_this(TilePreview($$anchor, {
					get cell() {
						return get(pointed);
					},
					get canvas() {
						return get($0);
					},
					get title() {
						return get($1);
					},
					get text() {
						return get($2);
					}
				}), ($$value) => set(preview, $$value, true), () => get(preview));
			}
		};
		if_block(node_6, ($$render) => {
			if (get(map)) $$render(consequent);
		});
		append($$anchor, fragment_2);
	};
	if_block(node_5, ($$render) => {
		if (get(pointed)) $$render(consequent_1);
	});
	reset(div);
	template_effect(() => {
		set_class(div, 1, clsx(["matrix-box", get(hasMore) && "has-more"]));
		set_class(div_2, 1, clsx([
			"matrix",
			framed() && "framed",
			$$props.shape.columns > 28 && "many-patches"
		]));
		set_attribute(div_2, "aria-label", $$props.label);
		set_style(div_2, framed() && `--query-left: ${framed().left}; --query-top: ${framed().top}`);
		set_text(text_1, get(heads) > 6 ? "head" : "");
	});
	event("scroll", div_1, measure);
	delegated("keydown", div_2, walk);
	delegated("pointerover", div_2, point);
	event("pointerleave", div_2, () => {
		set(pointed, null);
	});
	append($$anchor, div);
	return pop($$exports);
}
delegate([
	"click",
	"keydown",
	"pointerover"
]);
// src/explore/ViewTabs.svelte
var root$2 = from_html(`<button type="button"> </button>`);
var root_1$2 = from_html(`<div class="view-tabs" role="group" aria-label="Show"></div>`);
var root_2 = from_html(`<h2>All layers and heads</h2>`);
function ViewTabs($$anchor, $$props) {
	push($$props, true);
	const explorer = prop($$props, "explorer", 7);
	const classes = user_derived(() => explorer().reply?.classes.length ?? 1);
	function choose(view) {
		explorer().keepsFocus = true;
		act(explorer(), {
			view,
			method: null
		});
	}
	function takeFocus(tabs) {
		untrack(() => {
			if (!explorer().keepsFocus || document.activeElement !== document.body) return;
			tabs.querySelector("[aria-pressed=true]")?.focus({ preventScroll: true });
		});
	}
	var fragment = comment();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var div = root_1$2();
		each(div, 21, () => VIEWS, ([name, title]) => name, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let name = () => get($$array)[0];
			let title = () => get($$array)[1];
			const reason = user_derived(() => whyNot(name(), get(classes)));
			var button = root$2();
			var text = only_child(button, true);
			template_effect(() => {
				set_attribute(button, "data-view", name());
				set_attribute(button, "aria-pressed", explorer().choices.view === name());
				button.disabled = get(reason) !== void 0;
				set_attribute(button, "title", get(reason));
				set_text(text, title());
			});
			delegated("click", button, () => choose(name()));
			append($$anchor, button);
		});
		reset(div);
		attach(div, () => roving);
		attach(div, () => takeFocus);
		append($$anchor, div);
	};
	var alternate = ($$anchor) => {
		var h2 = root_2();
		append($$anchor, h2);
	};
	if_block(node, ($$render) => {
		if (explorer().host.live) $$render(consequent);
		else $$render(alternate, -1);
	});
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/explore/task.svelte.ts
var PROGRESS_DELAY = 400;
var CANCELLED = "cancelled";
var newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
var Task = class {
	explorer;
	#progress = state(null);
	get progress() {
		return get(this.#progress);
	}
	set progress(value) {
		set(this.#progress, value);
	}
	#id = "";
	constructor(explorer) {
		this.explorer = explorer;
	}
	async run(name, question) {
		this.cancel();
		const id = newId();
		const leave = () => this.cancel();
		this.#id = id;
		this.progress = {
			done: 0,
			total: 0
		};
		this.#watch(id);
		globalThis.addEventListener?.("pagehide", leave);
		const reply = await requestAblated(this.explorer, name, {
			...question,
			task: id
		});
		globalThis.removeEventListener?.("pagehide", leave);
		if (this.#id !== id) return CANCELLED;
		this.#stop();
		return reply;
	}
	cancel() {
		const id = this.#id;
		this.#stop();
		if (id) this.#send(id, true);
	}
	get fraction() {
		return this.progress?.total ? this.progress.done / this.progress.total : 0;
	}
	#stop() {
		this.#id = "";
		this.progress = null;
	}
	async #watch(id) {
		for (await pause(PROGRESS_DELAY); this.#id === id; await pause(PROGRESS_DELAY)) {
			const state = await this.#send(id, false);
			if (this.#id === id && isServed(state)) this.progress = state;
		}
	}
	#send(task, cancel) {
		return this.explorer.host.request("task_progress", {
			task,
			cancel
		});
	}
};
// src/lib/accuracy.ts
var FEW = 100;
var digitsFor = (images) => images && images < 1e3 ? 0 : 1;
function accuracyNumber(accuracy, images) {
	return images && images < FEW ? `${Math.round(accuracy * images)} of ${images}` : percent(accuracy, digitsFor(images));
}
function accuracyText(accuracy, images, split = "test") {
	const number = accuracyNumber(accuracy, images);
	if (!images) return `${number} of the ${split} images`;
	if (images < FEW) return `${number} ${split} images`;
	const [low, high] = wilsonInterval(accuracy, images).map((end) => (100 * end).toFixed(digitsFor(images)));
	return `${number} (${images.toLocaleString("en-US")} ${split} images, 95\u00a0% interval ${low} to ${high})`;
}
function wilsonInterval(proportion, count) {
	const z = 1.96;
	const scale = 1 + z ** 2 / count;
	const center = proportion + z ** 2 / (2 * count);
	const half = z * Math.sqrt(proportion * (1 - proportion) / count + z ** 2 / (4 * count ** 2));
	return [(center - half) / scale, (center + half) / scale];
}
function accuracyLine(model) {
	if (!model) return "";
	if (model.classes === 0 && ["CLIP", "SigLIP"].includes(model.family ?? "")) return "This image encoder is compared with texts, and none are stored with it, so it predicts no class. `vitviz convert --classes \"a cat,a dog\"` makes texts its classes.";
	if (model.classes === 0) return "This model has no classification head, so it predicts no class. Its attention, the class-agnostic maps and its internals are there; fine-tune it with a head to get predictions.";
	if (!model.is_classifier) return "This model was trained to predict masked patches, not labels: its attention is meaningful, its prediction is not.";
	if (model.accuracy == null && model.source) return `Weights: ${model.source}. No accuracy is recorded with them.`;
	if (model.accuracy == null) return "No accuracy is recorded with this model: it may be untrained.";
	return `Accuracy ${accuracyText(model.accuracy, model.eval_samples, model.measured_on ?? "test")}, stored in the model file.`;
}
// src/explore/predictions.ts
function uniqueNames(classes) {
	const counts = new Map();
	for (const name of classes) counts.set(name, (counts.get(name) ?? 0) + 1);
	return classes.map((name, k) => counts.get(name) === 1 ? name : `${name} (${k})`);
}
function findClass(names, text) {
	const wanted = text.trim().toLowerCase();
	if (!wanted) return -1;
	const lower = names.map((name) => name.toLowerCase());
	const exact = lower.indexOf(wanted);
	return exact >= 0 ? exact : lower.findIndex((name) => name.includes(wanted));
}
function listedClasses(old, now, explained = -1) {
	const order = old.map((_, k) => k).sort((a, b) => old[b] - old[a]);
	const others = order.splice(4).sort((a, b) => now[b] - now[a]);
	return [...order, ...others.includes(explained) ? [explained] : others.slice(0, 1)];
}
function pointsBetween(old, now) {
	const rounded = (probability) => Math.round(1e3 * probability) / 10;
	return rounded(now) - rounded(old);
}
function effectSentence(k, classes, old, now) {
	const winner = largest(now);
	const change = winner === largest(old) ? "" : `. The model now predicts ${classes[winner]}, ${percent(now[winner], 1)}.`;
	return `for ${classes[k]}, from ${percent(old[k], 1)}${change}`;
}
// src/lib/lazy.ts
var UNAVAILABLE = "A script of this page could not be loaded. Check that vitviz is still running, then reload.";
var mountOf = (load) => async (context) => {
	const { element } = context;
	try {
		const { default: component, Page } = await load();
		mount(component, {
			target: element.firstElementChild ?? element,
			props: { page: new Page(hostOf(context)) }
		});
	} catch {
		element.textContent = UNAVAILABLE;
	}
};
// src/lib/axes.ts
function ticks(end, count) {
	if (!(end > 0)) return [0];
	const finest = end / (1.1 * count);
	const exponent = Math.floor(Math.log10(finest));
	const digit = [
		1,
		2,
		5,
		10
	].find((multiple) => multiple * 10 ** exponent >= finest) ?? 10;
	const valueAt = (i) => exponent < 0 ? i * digit / 10 ** -exponent : i * digit * 10 ** exponent;
	const length = Math.floor(end / valueAt(1) + 1e-9) + 1;
	return Array.from({ length }, (_, i) => valueAt(i));
}
var tickText = (tick, print = String) => print(Number(tick.toPrecision(6)));
var valueScale = (frame, end) => (value) => frame.bottom + value / (end || 1) * (frame.top - frame.bottom);
var valueTicks = (frame, end) => ticks(end, Math.min(5, Math.max(2, (frame.bottom - frame.top) / 32)));
var pointsText = (points) => points.map((point) => point.join(",")).join(" ");
function placeLabels(labels, frame) {
	const gap = 15;
	const placed = labels.map((label) => ({ ...label }));
	const sorted = [...placed].sort((a, b) => a.y - b.y);
	for (let i = 1; i < sorted.length; i++) sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + gap);
	let floor = frame.bottom;
	for (const label of sorted.reverse()) {
		label.y = Math.min(label.y, floor);
		floor = label.y - gap;
	}
	return placed;
}
// src/lib/theme.ts
function cssColor(pixel) {
	return `rgb(${pixel & 255} ${pixel >> 8 & 255} ${pixel >> 16 & 255})`;
}
function inkOn(pixel) {
	const linear = (shift) => {
		const value = (pixel >>> shift & 255) / 255;
		return value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
	};
	return .2126 * linear(0) + .7152 * linear(8) + .0722 * linear(16) > .179 ? "#000" : "#fff";
}
// src/lib/ValueAxis.svelte
var root$1 = from_svg(`<line class="grid"></line><text text-anchor="end"> </text>`, 1);
var root_1$1 = from_svg(`<!><text> </text>`, 1);
function ValueAxis($$anchor, $$props) {
	push($$props, true);
	let unit = prop($$props, "unit", 3, ""), print = prop($$props, "print", 3, String);
	const y = user_derived(() => valueScale($$props.frame, $$props.end));
	var fragment = root_1$1();
	var node = first_child(fragment);
	each(node, 16, () => valueTicks($$props.frame, $$props.end), (tick) => tick, ($$anchor, tick) => {
		var fragment_1 = root$1();
		var line = first_child(fragment_1);
		var text = sibling(line);
		var text_1 = only_child(text, true);
		template_effect(($0, $1, $2, $3) => {
			set_attribute(line, "x1", $$props.frame.left);
			set_attribute(line, "x2", $$props.frame.right);
			set_attribute(line, "y1", $0);
			set_attribute(line, "y2", $1);
			set_attribute(text, "x", $$props.frame.left - 8);
			set_attribute(text, "y", $2);
			set_text(text_1, $3);
		}, [
			() => get(y)(tick),
			() => get(y)(tick),
			() => get(y)(tick) + 4,
			() => tickText(tick, print())
		]);
		append($$anchor, fragment_1);
	});
	var text_2 = sibling(node);
	var text_3 = only_child(text_2, true);
	template_effect(() => {
		set_attribute(text_2, "x", $$props.frame.left);
		set_attribute(text_2, "y", $$props.frame.top - 8);
		set_text(text_3, unit());
	});
	append($$anchor, fragment);
	pop();
}
// src/lib/ColorBar.svelte
var root = from_html(`<span> </span>`);
var root_1 = from_html(`<div class="scale"><canvas></canvas> <div></div></div>`);
function ColorBar($$anchor, $$props) {
	push($$props, true);
	let canvas;
	user_effect(() => paintPixels(makeTile(canvas, 256, 1), $$props.table));
	var div = root_1();
	let styles;
	var canvas_1 = child(div);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var div_1 = sibling(canvas_1, 2);
	each(div_1, 21, () => $$props.words, index, ($$anchor, word) => {
		var span = root();
		var text = only_child(span, true);
		template_effect(() => set_text(text, get(word)));
		append($$anchor, span);
	});
	reset(div_1);
	reset(div);
	template_effect(() => styles = set_style(div, "", styles, { "max-width": $$props.maxWidth }));
	append($$anchor, div);
	pop();
}
// src/lib/video.ts
var CODECS = [
	"avc1.640028",
	"avc1.640033",
	"vp09.00.51.08"
];
var BITRATE = 8e6;
var USUAL_SIZE = [1280, 720];
var NO_ENCODER = "MP4 needs a browser that encodes video (WebCodecs), over HTTPS or on this computer.";
var ENCODING_FAILED = "The browser could not encode the movie. Save it as GIF instead.";
async function videoConfig(width, height) {
	if (!("VideoEncoder" in globalThis) || !("ImageDecoder" in globalThis)) return null;
	for (const codec of CODECS) {
		const config = {
			codec,
			width,
			height,
			bitrate: BITRATE,
			latencyMode: "quality"
		};
		const { supported } = await VideoEncoder.isConfigSupported(config).catch(() => ({ supported: false }));
		if (supported) return config;
	}
	return null;
}
var canEncodeVideo = async () => await videoConfig(...USUAL_SIZE) !== null;
async function mp4Of(webp) {
	const { encode } = await __vitePreload(async () => {
		const { encode } = await import("./mp4.js");
		return { encode };
	}, [], import.meta.url);
	return encode(await webp.arrayBuffer());
}
// src/explore/views/contributions.ts
function headLabel(head, heads) {
	if (head === 0 && heads <= 7) return "head 1";
	return heads <= 18 || head % 2 === 0 ? String(head + 1) : "";
}
function contributionsOf(reply, shape) {
	const heads = floatsOf(reply.heads);
	const { layers } = shape;
	const steps = [];
	let sum = 0;
	const add = (part, layer, value) => {
		steps.push({
			part,
			layer,
			value,
			start: sum,
			end: sum + value
		});
		sum += value;
	};
	add("embedding", -1, reply.embedding);
	for (let layer = 0; layer < layers; layer++) {
		add("attention", layer, contributionOf(heads, shape, layer, -1) + reply.attentionBias[layer]);
		add("mlp", layer, reply.mlp[layer]);
	}
	add("bias", -1, reply.bias);
	const sums = steps.map(({ end }) => end);
	const every = Array.from({ length: layers * shape.heads }, (_, k) => Math.abs(contributionOf(heads, shape, Math.floor(k / shape.heads), k % shape.heads)));
	return {
		steps,
		heads,
		attentionBias: reply.attentionBias,
		logit: reply.logit,
		low: Math.min(0, ...sums),
		high: Math.max(0, ...sums),
		headLimit: Math.max(...every) || 1
	};
}
function tokenValues(heads, shape, layer, head) {
	const tokens = tokenCount(shape);
	const sum = new Float32Array(tokens);
	for (const l of indicesOf(layer, shape.layers)) for (const h of indicesOf(head, shape.heads)) {
		const first = (l * shape.heads + h) * tokens;
		for (let j = 0; j < tokens; j++) sum[j] += heads[first + j];
	}
	return sum;
}
function contributionOf(heads, shape, layer, head, patches = []) {
	const values = tokenValues(heads, shape, layer, head);
	return (patches.length ? patches.map((patch) => values[shape.prefix + patch]) : [...values]).reduce((sum, value) => sum + value, 0);
}
function headsName(layer, head) {
	if (layer === -1) return head === -1 ? "All heads" : `Head ${head + 1} of all layers`;
	return `Layer ${layer + 1}, ${head === -1 ? "all heads" : `head ${head + 1}`}`;
}
var PARTS = {
	embedding: "Embedding",
	attention: "attention",
	mlp: "MLP",
	bias: "Biases of the classification head"
};
var stepName = ({ part, layer }) => layer < 0 ? PARTS[part] : `Layer ${layer + 1}, ${PARTS[part]}`;
var logitName = (classes) => `the logit of ${classes.length > 1 ? `${classes[0]} minus that of ${classes[1]}` : classes[0]}`;
function headline(values, layer, head, classes, shape) {
	const sum = values.reduce((total, value) => total + value, 0);
	const amount = Math.abs(sum).toFixed(2);
	const isZero = Number(amount) === 0;
	const verb = sum < 0 && !isZero ? "takes" : "adds";
	const direction = verb === "takes" ? "from" : "to";
	const best = largest(sum < 0 ? values.map((value) => -value) : values, shape.prefix) - shape.prefix;
	const plural = head === -1 ? verb.replace(/s$/, "") : verb;
	const source = isZero ? "" : `, more via ${patchName(best, shape)} than via other patches`;
	return `${headsName(layer, head)} ${plural} ${amount} ${direction} ${logitName(classes)}${source}`;
}
var sumOfParts = ({ steps }, ...parts) => steps.reduce((sum, step) => sum + (parts.includes(step.part) ? step.value : 0), 0);
function sumLine(data, classes) {
	const part = (name, ...parts) => `${signed(sumOfParts(data, ...parts))} ${name}`;
	return [
		`${part("embedding", "embedding")}, ${part("attention", "attention")}, ${part("MLPs", "mlp")}, ${part("biases", "bias")} make `,
		{ strong: signed(data.logit) },
		`, ${logitName(classes)}.`
	];
}
function headLine(data, shape, layer, head, patches) {
	const value = contributionOf(data.heads, shape, layer, head, patches);
	const source = patches.length ? ` from ${queryName(patches, shape)}` : "";
	return [
		`${headsName(layer, head)}: `,
		{ strong: signed(value) },
		`${source}.`
	];
}
function stepLine(step, { attentionBias }) {
	const bias = step.part === "attention" && attentionBias[step.layer];
	const rest = bias ? ` (biases ${signed(bias)})` : "";
	return [
		`${stepName(step)}: `,
		{ strong: signed(step.value) },
		`${rest}; the sum so far is ${signed(step.end)}.`
	];
}
var patchLine = (value, patch, layer, head, shape) => [
	`${headsName(layer, head)} ${head === -1 ? "contribute" : "contributes"} `,
	{ strong: signed(value) },
	` via ${patchName(patch, shape)}.`
];
function prefixNote(values, shape) {
	const first = shape.classToken ? `${signed(values[0])} from the class token` : "";
	const rest = values.slice(Number(shape.classToken), shape.prefix).reduce((sum, value) => sum + value, 0);
	return [first, otherPrefixTokens(shape) && `${signed(rest)} from ${otherPrefixTokens(shape)}`].filter(Boolean).join(", ");
}
var colorRange = (limit) => `colors from ${signed(-limit)} to ${signed(limit)}`;
var cellsNote = (patches, limit, shape) => patches.length ? `Cells: what each head took from ${queryName(patches, shape)}, ${colorRange(limit)}.` : `Bars sum to the logit; cells: each head, ${colorRange(limit)}.`;
var caution = (shape) => `This shows what was added to the ${shape.classToken ? "class token" : "tokens that the classification head reads"}, not what an image region caused: early heads also act through later layers, whose bars count that effect.`;
var columnTitle = (classes) => `Contributions to ${targetTitle(classes)}`;
function nextPlace({ row, column }, key, layers, heads) {
	const last = 2 * layers + 2;
	const layer = layerOf(row, layers);
	const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
	if (column > 0) {
		if (key === "ArrowLeft") return {
			row,
			column: column - 1
		};
		if (key === "ArrowRight") return {
			row,
			column: Math.min(heads, column + 1)
		};
		const to = {
			ArrowUp: row - 2,
			ArrowDown: row + 2,
			PageUp: 1,
			PageDown: 2 * layers - 1
		}[key];
		if (to !== void 0) return {
			row: clamp(to, 1, 2 * layers - 1),
			column
		};
		return {
			row,
			column: key === "Home" ? 0 : heads
		};
	}
	if (key === "ArrowRight" || key === "End") return layer < 0 ? {
		row,
		column
	} : {
		row: 1 + 2 * layer,
		column: key === "End" ? heads : 1
	};
	return {
		row: clamp({
			ArrowUp: row - 1,
			ArrowDown: row + 1,
			PageUp: 0,
			PageDown: last
		}[key] ?? row, 0, last),
		column
	};
}
var layerOf = (row, layers) => row >= 1 && row <= 2 * layers ? Math.floor((row - 1) / 2) : -1;
// src/explore/views/ViewStyle.svelte
function ViewStyle($$anchor, $$props) {
	var fragment = comment();
	var node = first_child(fragment);
	element(node, () => "style", false, ($$element, $$anchor) => {
		var text$1 = text();
		template_effect(() => set_text(text$1, `:is(#vitviz, .vitviz-explorer) { ${$$props.css} }`));
		append($$anchor, text$1);
	});
	append($$anchor, fragment);
}
export { ACCEPTED, ARROWS, CANCELLED, CIFAR10, COMPARISONS, COMPARISON_SIGNS, ColorBar, Download, ENCODING_FAILED, Explorer, GLOSSARY, GRID_KEYS, Line, Matrix, ModelSelect, NO_ANSWER, NO_ENCODER, OPEN_HEAD, Progress, STOPS, Task, ThemeColors, ValueAxis, ViewStyle, ViewTabs, __vitePreload, ablate, accuracyLine, accuracyNumber, accuracyText, act, announceSoon, blobOf, bytesOf, canEncodeVideo, capital, caution, cellsNote, changesLine, chooseClass, chooseContrast, chooseHead, chooseImage, chooseMethod, chooseOption, chooseTestImage, classGroup, colorIndex, colorRange, columnTitle, compareToRandom, contributionOf, contributionsOf, copyLink, copyToClipboard, cornerOf, counted, cssColor, digitsOf, dismiss, effectSentence, explanationOf, fail, fetchPixels, fillRows, findClass, firstImage, fitTile, floatsOf, focusTile, followHistory, hasManyHeads, hasModel, headLabel, headLine, headline, headsName, headsParam, hostOf, hover, imageParam, importPanel, indexed, inkOn, isAblated, isDismissed, isImageUrl, isOfRun, isRefusal, isRemoved, isServed, isShortcut, isUniformMap, keepSizes, largest, largestLine, layerOf, layersOf, leaveMethod, listedClasses, listenWhile, load, logitName, makeRows, makeTile, mapName, markPainted, matrixStyle, meanOf, meaningOf, mebibytes, methodScale, middlePatch, modelOption, mountOf, mp4Of, neighbour, nextPlace, numberName, oneOf, paintPixels, paintTile, parseHeads, parseImage, parsePatches, patchAt, patchCount, patchLine, patchName, patchesParam, pause, percent, pinPatch, place, placeLabels, pointsBetween, pointsText, prefixLine, prefixName, prefixNote, queryClassToken, queryName, queryPatches, readAddress, reasonOf, refreshLists, refreshModels, refusalOf, remainingPatches, requestAblated, requestDownload, restoreAll, roundLimit, roving, rowOf, runName, saveAs, saveBlob, saveContent, scaleNote, scoreNote, scoreText, scrollInto, sharedLimit, sharpestHead, showLists, showModel, showNotice, showShelf, shownView, signed, signedDigits, stepLine, stepName, stopAfter, stopWaiting, sumLine, sumOf, tableKind, takeFile, termOf, textOf, tickText, ticks, ticksOf, timesUniform, toggleHead, togglePatch, toggleRemoving, tokenCount, tokenName, tokenValues, uint16Of, unavailable, unavailableSentences, uniformWeight, uniqueNames, unitOf, updateAddress, uploadOf, valueScale, videoConfig, waitingSentence, writeAddress, written, zoomOf };
