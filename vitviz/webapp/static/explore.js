import { ARROWS, Line, Matrix, ModelSelect, NO_ANSWER, RETRY_DELAY, ThemeColors, accuracyLine, afterPaint, append, attach, bind_this, bind_value, capital, changesLine, child, clsx, cornerOf, delegate, delegated, each, event, fillRows, firstRowsSuffice, first_child, floatsOf, flushSync, from_html, get, hasManyHeads, headHeadline, headLine, headNumber, headsParam, hostOf, if_block, index, init_select, isBusy, isImageUrl, isOfRun, isRefusal, isShortcut, isUnreachable, keepSizes, largest, listenWhile, makeRows, makeTile, mapName, matrixStyle, mebibytes, methodHeadline, methodLine, methodNumber, methodTitle, middlePatch, mount as mount$1, neighbour, next, noop, numberName, oneOf, only_child, paintBar, paintOutlines, paintTile, parseClasses, parseHeads, parseNumber, parsePatches, patchAt, patchName, patchesParam, pause, percent, place, pop, prefixLine, prop, push, queryName, reasonOf, refreshModels, remove_input_defaults, reset, rowOf, saveAs, scoreNote, scoreText, select_option, set, set_attribute, set_checked, set_class, set_style, set_text, set_value, sharedLimit, sibling, signed, state, targetTitle, template_effect, textOf, ticksOf, to_array, tokenCount, uint16Of, unavailable, uniformWeight, unitOf, untrack, updateAddress, user_derived, user_effect, withMean } from "./shared.js";
// src/explore/address.ts
var DEFAULTS = {
	direction: "from",
	scale: "shared",
	display: "patches",
	mode: "zero",
	patch_mode: "drop"
};
var UPLOADED = "upload";
function parseImage(text, { cifar, samples }) {
	const index = /^cifar:(\d{1,4})$/.exec(text ?? "");
	if (index) return cifar.available ? {
		kind: "cifar",
		index: Number(index[1])
	} : null;
	const sample = samples.find(({ name }) => name === text);
	return sample ? {
		kind: "sample",
		name: sample.name
	} : null;
}
var firstImage = (catalog) => parseImage("cat", catalog) ?? parseImage(catalog.samples[0]?.name, catalog);
function imageParam(image) {
	if (image.kind === "sample") return image.name;
	return image.kind === "cifar" ? `cifar:${image.index}` : UPLOADED;
}
var hasModel = (catalog, name) => catalog.checkpoints.some((model) => model.name === name);
function readAddress(params, catalog) {
	const [model, wanted] = [params.get("checkpoint"), params.get("image")];
	const checkpoint = catalog.checkpoints.find(({ name }) => name === model) ?? catalog.checkpoints[0];
	const isAvailable = !wanted || parseImage(wanted, catalog) !== null;
	const choices = {
		checkpoint: checkpoint.name,
		image: parseImage(wanted, catalog) ?? firstImage(catalog),
		layer: parseNumber(params.get("layer"), checkpoint.layers, checkpoint.layers - 1),
		head: parseNumber(params.get("head"), checkpoint.heads, -1),
		direction: oneOf(params.get("direction"), ["from", "to"]),
		scale: oneOf(params.get("scale"), [
			"shared",
			"uniform",
			"map"
		]),
		smooth: params.get("display") === "smooth",
		mode: oneOf(params.get("mode"), ["zero", "mean"]),
		patch_mode: oneOf(params.get("patch_mode"), ["drop", "gray"]),
		method: catalog.methods.find(({ key }) => key === params.get("method"))?.key ?? null,
		target: isAvailable && (!model || hasModel(catalog, model)) ? parseClasses(params.get("class")) : []
	};
	const [patch, removed] = isAvailable ? [params.get("patch"), params.get("removed")] : [null, null];
	return [choices, {
		patch,
		ablated: params.get("ablated"),
		removed
	}];
}
function readShapeParams(linked, shape) {
	return {
		pins: parsePatches(linked.patch, shape),
		ablated: parseHeads(linked.ablated, shape),
		removed: parsePatches(linked.removed, shape)
	};
}
function unavailableSentences(params, catalog, shown) {
	const [model, wanted] = [params.get("checkpoint"), params.get("image")];
	const image = shown.image ? imageParam(shown.image) : "";
	const sentences = [];
	if (model && !hasModel(catalog, model)) sentences.push(unavailable("model", model, shown.checkpoint));
	if (wanted === UPLOADED) sentences.push(`A link does not contain an uploaded image: showing ${image}. Upload the file again.`);
	else if (wanted && !parseImage(wanted, catalog)) sentences.push(unavailable("image", wanted, image));
	return sentences.join(" ");
}
function addressOf(choices, image, shape) {
	return {
		checkpoint: choices.checkpoint,
		image: imageParam(image),
		layer: numberName(choices.layer),
		head: numberName(choices.head),
		patch: patchesParam(choices.pins, shape),
		direction: choices.direction,
		scale: choices.scale,
		display: choices.smooth ? "smooth" : "patches",
		method: choices.method,
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
function show(explorer, reply, image, linked) {
	const { choices, reply: old, shown } = explorer;
	const isSameGrid = old !== null && old.rows === reply.rows && old.columns === reply.columns;
	const { checkpoint, image: chosen } = choices;
	if (!chosen) return;
	if (shown && !isSameImage(shown.image, chosen)) choices.target = [];
	const target = old ? choices.target.map((k) => reply.classes.indexOf(old.classes[k])) : choices.target;
	choices.target = target.every((k) => k >= 0 && k < reply.classes.length) ? target : [];
	const { layers, heads, rows, columns, aspect, prefix, classToken } = reply;
	Object.assign(explorer, {
		reply,
		image,
		shown: {
			checkpoint,
			image: chosen
		},
		failedModel: null,
		attention: {
			defaultRows: floatsOf(reply.cls),
			full: null
		},
		shape: {
			layers,
			heads,
			rows,
			columns,
			aspect,
			prefix,
			classToken,
			removed: []
		},
		maps: reply.maps,
		faithfulness: null,
		ablation: null,
		previousChanges: {
			...explorer.previousChanges,
			ablated: [],
			removed: []
		},
		scaleLimits: {},
		fullAttentionFailed: false
	});
	clampChoices(explorer, linked, isSameGrid);
	explorer.view.releaseMethod();
	stopWaiting(explorer);
	explorer.markers.full = void 0;
	requestAnimationFrame(() => finishShowing(explorer, reply));
}
function clampChoices({ choices, shape }, linked, isSameGrid) {
	choices.layer = Math.min(choices.layer, shape.layers - 1);
	choices.head = Math.min(choices.head, shape.heads - 1);
	choices.hover = choices.readoutPatch = -1;
	if (linked) Object.assign(choices, readShapeParams(linked, shape));
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
	announceSoon(explorer, 0, `Predicted: ${reply.classes[best]}, ${percent(reply.probabilities[best], 1)}. `);
	if (choices.ablated.length || choices.removed.length) fetchAblation(explorer);
	fetchMethods(explorer, explorer.host.live ? 500 : 0);
	afterPaint(() => {
		explorer.markers.ready = reply.key;
	});
}
function revealThumb({ root }) {
	const thumb = root?.querySelector(".thumb[aria-pressed=true]");
	if (thumb?.parentElement) thumb.parentElement.scrollTop = thumb.offsetTop - thumb.offsetHeight;
}
// src/explore/requests.ts
function fail(explorer, sentence) {
	explorer.markers.state = "error";
	stopWaiting(explorer);
	if (explorer.shown) Object.assign(explorer.choices, explorer.shown);
	showNotice(explorer, sentence, true);
}
async function load(explorer, checkpoint, image, linked = null) {
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
	const full = Boolean(linked?.patch) || pins.length > 0 || direction === "to" ? await explorer.host.request("attention", { key: reply.key }) : null;
	if (mine !== explorer.ticket) return;
	show(explorer, reply, decoded, linked);
	if (typeof full === "string") storeFull(explorer, full, reply.key);
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
	if (String(again.probabilities) !== String(mine.probabilities)) {
		const { checkpoint, image } = explorer.choices;
		load(explorer, checkpoint, image ?? shown.image);
		return { error: "This model has been trained further: the image is explained again." };
	}
	mine.key = again.key;
	explorer.markers.ready = again.key;
	return send(explorer, name, question, again.key);
}
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
	const { reply: about } = explorer;
	const { target } = explorer.choices;
	const isStale = () => mine !== explorer.methodsTicket || explorer.reply !== about;
	explorer.faithfulness = null;
	Object.assign(explorer.markers, {
		methods: void 0,
		scores: void 0
	});
	const ofClass = new Set(explorer.catalog.methods.filter(({ forClass }) => forClass).map(({ key }) => key));
	explorer.maps = Object.fromEntries(Object.entries(explorer.maps).filter(([key]) => !ofClass.has(key)));
	await pause(delay);
	for (const name of ["methods", "scores"]) {
		if (isStale()) return;
		const reply = await requestPatiently(explorer, name, target, isStale);
		if (isStale()) return;
		if (!reply && !explorer.host.live) return;
		if (!reply || isRefusal(reply)) return abandonMethod(explorer, reasonOf(reply));
		if (explorer.notice === "The server did not answer. Check that vitviz is still running, then try again.") showNotice(explorer, null);
		if ("maps" in reply) explorer.maps = reply.maps;
		else explorer.faithfulness = reply;
		explorer.markers[name] = `${about?.key} ${target}`;
		explorer.view.draw();
		if (explorer.view.method !== null) announceSoon(explorer, 600);
	}
}
async function requestPatiently(explorer, name, target, isStale) {
	for (;;) {
		const reply = await requestCached(explorer, name, { target });
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
	explorer.attention = {
		defaultRows: floatsOf(rows),
		full: null
	};
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
	announceSoon(explorer, 0);
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
// src/explore/sentences.ts
var removedLine = (patch, shape) => `${capital(patchName(patch, shape))} is removed: it neither attends nor is attended to.`;
var hasRemovedQuery = ({ query }, shape) => query.length > 0 && query.every((patch) => isRemoved(patch, shape));
function headlineOf(view) {
	const { shape, map, methodInfo, query, layer, head } = view;
	if (!shape || !map) return "What the model attends to";
	if (methodInfo) return methodHeadline(methodInfo, view.classes, map.values, shape);
	if (view.isHeadAblated) return `${mapName(layer, head)} is ablated`;
	if (hasRemovedQuery(view, shape)) return `${capital(queryName(query, shape))} ${query.length > 1 ? "are" : "is"} removed`;
	return headHeadline(viewOf(view), shape);
}
function lineOf(view, faithfulness) {
	const { shape, map, mapShape, methodInfo, readoutPatch } = view;
	if (!shape || !map || !mapShape) return [];
	if (methodInfo) return methodLine(methodInfo, map.values, readoutPatch, map.scale, faithfulness, view.classes[0], mapShape);
	if (view.isHeadAblated) return [ablatedLine(view)];
	if (hasRemovedQuery(view, shape)) return ["Removed patches neither attend nor are attended to. Choose another patch, or the class token."];
	return isRemoved(readoutPatch, shape) ? [removedLine(readoutPatch, shape)] : headLine(viewOf(view), shape);
}
var viewOf = ({ map, query, direction, layer, head, readoutPatch }) => ({
	row: map?.values,
	query,
	direction,
	layer,
	head,
	read: readoutPatch
});
function ablatedLine({ mode, layer, head }) {
	const usesMean = mode === "mean";
	if (layer === -1 || head === -1) return `The outputs of all its heads are replaced by ${usesMean ? "their means over the sample images" : "zero"}. Prediction shows the effect.`;
	return `Its output is replaced by ${usesMean ? "its mean over the sample images" : "zero"}. Prediction shows the effect.`;
}
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
	fetchMethods(explorer);
}
function ablate(explorer, change) {
	act(explorer, change, 0);
	fetchAblation(explorer);
}
function toggleHead(explorer) {
	const { reply, shape, choices, host } = explorer;
	const { layer, head, ablated } = choices;
	if (!host.live || !reply || layer === -1 || head === -1) return;
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
	const down = choices.layer === -1 ? shape.layers : choices.layer;
	const right = choices.head === -1 ? shape.heads : choices.head;
	root?.querySelectorAll(".matrix .cell")[down * (shape.heads + 1) + right]?.focus(options);
}
function toggleRemoving(explorer) {
	explorer.removing = !explorer.removing;
	showNotice(explorer, explorer.removing ? "Click patches to remove them; click again to restore them." : null);
}
function writeAddress(explorer) {
	clearTimeout(explorer.writing);
	const { host, reply, choices, shape } = explorer;
	if (!host.live || !reply || !choices.image) return;
	updateAddress(addressOf(choices, choices.image, shape), DEFAULTS);
}
function writeAddressSoon(explorer) {
	clearTimeout(explorer.writing);
	explorer.writing = setTimeout(() => writeAddress(explorer), 150);
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
	direction: (value) => ({
		direction: oneOf(value, ["from", "to"]),
		method: null
	}),
	scale: (value) => ({
		scale: oneOf(value, [
			"shared",
			"uniform",
			"map"
		]),
		method: null
	}),
	display: (value) => ({ smooth: value === "smooth" })
};
function chooseOption(explorer, name, value) {
	if (explorer.reply) act(explorer, CHANGES[name](value, explorer), 0);
}
function fallBackToClassToken(explorer) {
	Object.assign(explorer.choices, {
		pins: [],
		isMultiPatchQuery: false,
		hover: -1,
		direction: "from"
	});
	stopWaiting(explorer);
	explorer.view.draw();
	showNotice(explorer, "The attention between patches could not be loaded. Choose the image again to retry.", true);
}
async function showModel(explorer, name) {
	const { choices, gallery } = explorer;
	if (choices.image) await load(explorer, name, choices.image);
	if (choices.checkpoint === name) writeAddressSoon(explorer);
	if (explorer.shelf === "cifar") gallery.fill();
}
// src/explore/Controls.svelte
var root$15 = from_html(`<label><input type="radio"/><span> </span></label>`);
var root_1$14 = from_html(`<div role="radiogroup"><span class="name"> </span> <div class="options"></div></div>`);
var root_2$2 = from_html(`<form class="controls" aria-label="View"></form>`);
function Controls($$anchor, $$props) {
	push($$props, true);
	const choices = user_derived(() => $$props.explorer.choices);
	const tokens = user_derived(() => $$props.explorer.shape?.classToken === false ? "All patches" : "Class token");
	const query = user_derived(() => get(choices).isMultiPatchQuery ? "patches" : get(choices).pins.length ? "patch" : "class");
	const groups = user_derived(() => [
		{
			name: "query",
			title: "Query",
			value: get(query),
			options: [
				["class", get(tokens)],
				["patch", "Patch"],
				["patches", "Patches"]
			]
		},
		{
			name: "direction",
			title: "Direction",
			value: get(choices).direction,
			options: [["from", "Attends to"], ["to", "Attended by"]]
		},
		{
			name: "scale",
			title: "Scale",
			value: get(choices).scale,
			options: [
				["shared", "Shared"],
				["uniform", "× uniform"],
				["map", "Per map"]
			]
		},
		{
			name: "display",
			title: "Display",
			value: get(choices).smooth ? "smooth" : "patches",
			options: [["patches", "Patches"], ["smooth", "Smoothed"]]
		}
	]);
	let form;
	const groupOf = ({ name }) => get(groups).find((group) => group.name === name);
	function sync() {
		for (const input of form.querySelectorAll("input")) input.checked = groupOf(input)?.value === input.value;
	}
	user_effect(sync);
	function choose(target) {
		const group = target instanceof HTMLInputElement && groupOf(target);
		if (group) chooseOption($$props.explorer, group.name, target.value);
	}
	function change({ target }) {
		choose(target);
		sync();
	}
	function click({ target }) {
		if (!(target instanceof HTMLInputElement)) return;
		if (target.checked && get(choices).method !== null && target.name !== "display") choose(target);
	}
	var form_1 = root_2$2();
	each(form_1, 21, () => get(groups), ({ name, title, options }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let title = () => get($$item).title;
		let options = () => get($$item).options;
		var div = root_1$14();
		var span = child(div);
		var text_1 = only_child(span, true);
		var div_1 = sibling(span, 2);
		each(div_1, 21, options, ([value, text]) => value, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let value = () => get($$array)[0];
			let text = () => get($$array)[1];
			var label = root$15();
			var input_1 = child(label);
			remove_input_defaults(input_1);
			var span_1 = sibling(input_1);
			var text_2 = only_child(span_1, true);
			reset(label);
			template_effect(() => {
				set_attribute(input_1, "name", name());
				set_value(input_1, value());
				set_class(span_1, 1, clsx(value() === "class" ? "default-query" : void 0));
				set_text(text_2, text());
			});
			append($$anchor, label);
		});
		reset(div_1);
		reset(div);
		template_effect(() => {
			set_class(div, 1, clsx(["choice", name() === "display" && "display"]));
			set_attribute(div, "aria-label", title());
			set_text(text_1, title());
		});
		append($$anchor, div);
	});
	reset(form_1);
	bind_this(form_1, ($$value) => form = $$value, () => form);
	delegated("change", form_1, change);
	delegated("click", form_1, click);
	event("submit", form_1, (event) => event.preventDefault());
	append($$anchor, form_1);
	pop();
}
delegate(["change", "click"]);
// src/explore/Marks.svelte
var root$14 = from_html(`<div></div>`);
var root_1$13 = from_html(`<!> <!> <!>`, 1);
function Marks($$anchor, $$props) {
	push($$props, true);
	const mark = ($$anchor, patch = noop, kind = noop) => {
		const corner = user_derived(() => $$props.shape && patch() >= 0 ? cornerOf(patch(), $$props.shape) : null);
		var div = root$14();
		template_effect(() => {
			set_class(div, 1, `mark ${kind() ?? ""}`);
			set_attribute(div, "hidden", !get(corner));
			set_style(div, get(corner) && `left: ${get(corner).left}; top: ${get(corner).top}`);
		});
		append($$anchor, div);
	};
	var fragment = root_1$13();
	var node = first_child(fragment);
	mark(node, () => $$props.marks.read, () => "read");
	var node_1 = sibling(node, 2);
	each(node_1, 17, () => $$props.marks.removed, index, ($$anchor, patch) => {
		mark($$anchor, () => get(patch), () => "removed");
	});
	var node_2 = sibling(node_1, 2);
	each(node_2, 17, () => $$props.marks.query, index, ($$anchor, patch) => {
		mark($$anchor, () => get(patch), () => "query");
	});
	append($$anchor, fragment);
	pop();
}
// src/explore/images.ts
async function chooseImage(explorer, image) {
	await load(explorer, explorer.choices.checkpoint, image);
	writeAddressSoon(explorer);
}
function showShelf(explorer, kind) {
	explorer.shelf = kind;
	if (kind === "cifar") explorer.gallery.fill();
}
function refusalOf({ name, type, size }, maxBytes) {
	if (!type.startsWith("image/")) return `The file must be an image: ${name} is ${type || "of unknown type"}. Choose a PNG, JPEG or WebP file.`;
	if (size > maxBytes) return `An image may have ${`at most ${mebibytes(maxBytes)}: ${name} has ${mebibytes(size)}`}. Reduce its size, for example by saving it as JPEG.`;
	return null;
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
// src/explore/Camera.svelte
var root$13 = from_html(`<div class="camera"><video playsinline=""></video> <button type="button" class="button primary" data-do="snap">Take photo</button> <button type="button" class="button" data-do="close-camera" aria-label="Close the camera">Close</button></div> <button type="button" class="button" data-do="camera">Use the camera</button>`, 3);
function Camera($$anchor, $$props) {
	push($$props, true);
	const hasCamera = Boolean(navigator.mediaDevices?.getUserMedia);
	let video;
	let opener;
	let shutter;
	let isOpen = state(false);
	user_effect(() => {
		if ($$props.explorer.shelf !== "upload" || $$props.explorer.isHidden) untrack(close);
	});
	async function open() {
		showNotice($$props.explorer, null);
		let stream;
		try {
			stream = await navigator.mediaDevices.getUserMedia({ video: { width: { ideal: 640 } } });
		} catch {
			return showNotice($$props.explorer, "Camera access was denied, or no camera was found. Allow access in the browser, or choose a file.", true);
		}
		close();
		if ($$props.explorer.shelf !== "upload" || !$$props.explorer.isVisible) return stopTracks(stream);
		video.srcObject = stream;
		try {
			await video.play();
		} catch {
			if (video.srcObject === stream) close();
			return;
		}
		set(isOpen, true);
		flushSync();
		shutter.focus();
	}
	function stopTracks(stream) {
		if (stream instanceof MediaStream) for (const track of stream.getTracks()) track.stop();
	}
	function close() {
		stopTracks(video.srcObject);
		video.srcObject = null;
		set(isOpen, false);
	}
	function dismiss() {
		close();
		flushSync();
		opener.focus();
	}
	function snap() {
		const canvas = document.createElement("canvas");
		Object.assign(canvas, {
			width: video.videoWidth,
			height: video.videoHeight
		});
		canvas.getContext("2d")?.drawImage(video, 0, 0);
		close();
		canvas.toBlob((blob) => {
			if (blob) takeFile($$props.explorer, new File([blob], "photo.png", { type: "image/png" }));
		});
	}
	var fragment = root$13();
	var div = first_child(fragment);
	var video_1 = child(div);
	video_1.muted = true;
	bind_this(video_1, ($$value) => video = $$value, () => video);
	var button = sibling(video_1, 2);
	bind_this(button, ($$value) => shutter = $$value, () => shutter);
	var button_1 = sibling(button, 2);
	reset(div);
	var button_2 = sibling(div, 2);
	bind_this(button_2, ($$value) => opener = $$value, () => opener);
	template_effect(() => {
		set_attribute(div, "hidden", !get(isOpen));
		set_attribute(button_2, "hidden", get(isOpen) || !hasCamera);
	});
	delegated("click", button, snap);
	delegated("click", button_1, dismiss);
	delegated("click", button_2, open);
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/explore/Thumbs.svelte
var root$12 = from_html(`<button class="thumb" type="button"><img/></button>`);
var root_1$12 = from_html(`<div class="thumbs"></div>`);
function Thumbs($$anchor, $$props) {
	push($$props, true);
	const inert = prop($$props, "inert", 3, false);
	const chosen = user_derived(() => JSON.stringify($$props.explorer.choices.image));
	var div = root_1$12();
	each(div, 21, () => $$props.thumbs, ({ image, name, src }) => name, ($$anchor, $$item) => {
		let image = () => get($$item).image;
		let name = () => get($$item).name;
		let src = () => get($$item).src;
		var button = root$12();
		var img = only_child(button);
		template_effect(($0, $1, $2) => {
			set_attribute(button, "data-image", $0);
			set_attribute(button, "title", name());
			set_attribute(button, "aria-pressed", $1);
			set_attribute(img, "alt", name());
			set_attribute(img, "src", $2);
		}, [
			() => JSON.stringify(image()),
			() => JSON.stringify(image()) === get(chosen),
			() => isImageUrl(src()) ? src() : void 0
		]);
		delegated("click", button, () => chooseImage($$props.explorer, image()));
		append($$anchor, button);
	});
	reset(div);
	template_effect(() => div.inert = inert());
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/explore/Gallery.svelte
var root$11 = from_html(`<option> </option>`);
var root_1$11 = from_html(`<div class="shelf" data-source="cifar"><p class="empty"> </p> <div class="gallery"><div class="gallery-bar"><select class="button" name="label" aria-label="True class"></select> <select class="button" name="shown" aria-label="Prediction"></select> <button type="button" class="button" data-page="-1" aria-label="Previous page">‹</button> <span class="page-number"> </span> <button type="button" class="button" data-page="1" aria-label="Next page">›</button></div> <p class="note sorting">Classifying all 10,000 test images. This takes about a minute, the first time only…</p> <!></div></div>`);
function Gallery$1($$anchor, $$props) {
	push($$props, true);
	const SHOWN = [
		["all", "All images"],
		["correct", "Correct"],
		["misclassified", "Misclassified"],
		["confidently wrong", "Confidently wrong"]
	];
	const gallery = user_derived(() => $$props.explorer.gallery);
	const cifar = user_derived(() => $$props.explorer.catalog.cifar);
	var div = root_1$11();
	var p = child(div);
	var text = only_child(p, true);
	var div_1 = sibling(p, 2);
	var div_2 = child(div_1);
	var select = child(div_2);
	each(select, 21, () => ["All classes", ...get(cifar).classes ?? []], index, ($$anchor, name, k) => {
		var option = root$11();
		var text_1 = only_child(option, true);
		option.value = option.__value = k - 1;
		template_effect(() => set_text(text_1, get(name)));
		append($$anchor, option);
	});
	reset(select);
	var select_value;
	init_select(select);
	var select_1 = sibling(select, 2);
	each(select_1, 21, () => SHOWN, ([value, title]) => value, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let value = () => get($$array)[0];
		let title = () => get($$array)[1];
		var option_1 = root$11();
		var text_2 = only_child(option_1, true);
		var option_1_value = {};
		template_effect(() => {
			set_text(text_2, title());
			if (option_1_value !== (option_1_value = value())) option_1.value = (option_1.__value = option_1_value) ?? "";
		});
		append($$anchor, option_1);
	});
	reset(select_1);
	var select_1_value;
	init_select(select_1);
	var button = sibling(select_1, 2);
	var span = sibling(button, 2);
	var text_3 = only_child(span, true);
	var button_1 = sibling(span, 2);
	reset(div_2);
	var p_1 = sibling(div_2, 2);
	Thumbs(sibling(p_1, 2), {
		get explorer() {
			return $$props.explorer;
		},
		get thumbs() {
			return get(gallery).thumbs;
		},
		get inert() {
			return get(gallery).isWaiting;
		}
	});
	reset(div_1);
	reset(div);
	template_effect(() => {
		set_attribute(div, "hidden", $$props.explorer.shelf !== "cifar");
		set_attribute(p, "hidden", get(cifar).available);
		set_text(text, get(cifar).available ? "" : get(cifar).message);
		set_attribute(div_1, "hidden", !get(cifar).available);
		if (select_value !== (select_value = get(gallery).label)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		if (select_1_value !== (select_1_value = get(gallery).shown)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		button.disabled = get(gallery).isWaiting || get(gallery).page === 0;
		set_text(text_3, get(gallery).pageNumber);
		button_1.disabled = get(gallery).isWaiting || get(gallery).page >= get(gallery).pages - 1;
		set_attribute(p_1, "hidden", !get(gallery).isWaiting);
	});
	delegated("change", select, (event) => get(gallery).select(event.currentTarget.selectedIndex - 1, get(gallery).shown));
	delegated("change", select_1, (event) => get(gallery).select(get(gallery).label, SHOWN[event.currentTarget.selectedIndex][0]));
	delegated("click", button, () => get(gallery).turn(-1));
	delegated("click", button_1, () => get(gallery).turn(1));
	append($$anchor, div);
	pop();
}
delegate(["change", "click"]);
// src/explore/Picker.svelte
var root$10 = from_html(`<label><input type="radio" name="source"/> <span> </span></label>`);
var root_1$10 = from_html(`<form class="picker"><div class="choice" role="radiogroup" aria-label="Image source"><div class="options"></div></div> <div class="shelf" data-source="sample"><!></div> <!> <div class="shelf" data-source="upload"><label class="empty drop">Drop or paste an image, or <span class="link">choose a file</span> <input type="file" accept="image/*" aria-label="Choose an image file"/></label> <!></div></form>`);
function Picker($$anchor, $$props) {
	push($$props, true);
	const SHELVES = [
		["sample", "Samples"],
		["cifar", "CIFAR-10"],
		["upload", "Upload"]
	];
	const samples = user_derived(() => $$props.explorer.catalog.samples.map(({ name, src }) => ({
		image: {
			kind: "sample",
			name
		},
		name,
		src
	})));
	function takeFiles(input) {
		const file = input.files?.[0];
		if (file) takeFile($$props.explorer, file);
		input.value = "";
	}
	var form = root_1$10();
	var div = child(form);
	var div_1 = child(div);
	each(div_1, 21, () => SHELVES, ([kind, title]) => kind, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let kind = () => get($$array)[0];
		let title = () => get($$array)[1];
		var label = root$10();
		var input_1 = child(label);
		remove_input_defaults(input_1);
		var span = sibling(input_1, 2);
		var text = only_child(span, true);
		reset(label);
		template_effect(() => {
			set_value(input_1, kind());
			set_checked(input_1, $$props.explorer.shelf === kind());
			set_text(text, title());
		});
		delegated("change", input_1, () => showShelf($$props.explorer, kind()));
		append($$anchor, label);
	});
	reset(div_1);
	reset(div);
	var div_2 = sibling(div, 2);
	Thumbs(child(div_2), {
		get explorer() {
			return $$props.explorer;
		},
		get thumbs() {
			return get(samples);
		}
	});
	reset(div_2);
	var node_1 = sibling(div_2, 2);
	Gallery$1(node_1, { get explorer() {
		return $$props.explorer;
	} });
	var div_3 = sibling(node_1, 2);
	var label_1 = child(div_3);
	var input_2 = sibling(child(label_1), 3);
	reset(label_1);
	Camera(sibling(label_1, 2), { get explorer() {
		return $$props.explorer;
	} });
	reset(div_3);
	reset(form);
	template_effect(() => {
		set_attribute(div_2, "hidden", $$props.explorer.shelf !== "sample");
		set_attribute(div_3, "hidden", $$props.explorer.shelf !== "upload");
	});
	event("submit", form, (event) => event.preventDefault());
	delegated("change", input_2, (event) => takeFiles(event.currentTarget));
	append($$anchor, form);
	pop();
}
delegate(["change"]);
// src/explore/stage.ts
function follow(explorer, name) {
	const { choices } = explorer;
	function move(patch, delay) {
		if (explorer.reply && patch !== choices[name]) hover(explorer, { [name]: patch }, delay);
	}
	function click(stage, event) {
		if (!explorer.reply) return;
		const patch = patchAt(stage, event, explorer.shape);
		if (patch < 0) return;
		if (name === "hover" && explorer.removing) togglePatch(explorer, patch);
		else if (name === "readoutPatch" && event.pointerType === "touch") move(choices.readoutPatch === patch ? -1 : patch);
		else pinPatch(explorer, patch, event.shiftKey);
	}
	function press(event) {
		if (!explorer.reply || isShortcut(event)) return;
		const current = choices[name];
		const from = current >= 0 ? current : choices.pins[0] ?? middlePatch(explorer.shape);
		if (ARROWS.includes(event.key)) move(neighbour(from, event.key, explorer.shape), 0);
		else if ((event.key === "Enter" || event.key === " ") && current >= 0) pinPatch(explorer, current, event.shiftKey);
		else if (event.key === "Escape") leave();
		else if ((event.key === "Delete" || event.key === "Backspace") && current >= 0) togglePatch(explorer, current);
		else return;
		event.preventDefault();
	}
	function leave() {
		choices[name] = -1;
		queryClassToken(explorer);
	}
	return (stage) => {
		stage.addEventListener("pointermove", (event) => {
			if (explorer.reply && event.pointerType !== "touch") move(patchAt(stage, event, explorer.shape));
		});
		stage.addEventListener("pointerleave", (event) => {
			if (event.pointerType !== "touch") move(-1);
		});
		stage.addEventListener("blur", () => move(-1));
		stage.addEventListener("click", (event) => click(stage, event));
		stage.addEventListener("keydown", press);
	};
}
function watchMap(explorer) {
	return (stage) => {
		const observer = new IntersectionObserver(([entry]) => {
			explorer.mapIsInView = entry.isIntersecting;
			if (entry.isIntersecting) explorer.showsJump = false;
		});
		observer.observe(stage);
		return () => observer.disconnect();
	};
}
// src/explore/ImageColumn.svelte
var root$9 = from_html(`<button type="button" class="button" data-do="remove">Remove patches</button>`);
var root_1$9 = from_html(`<section class="column image-column" aria-label="Image"><div class="column-head"><h2>Image</h2><span class="truth"> </span></div>  <div class="stage image" tabindex="0" role="application"><canvas class="pixels crisp"></canvas> <div class="patch-grid"></div> <!></div> <div class="under-image"><button type="button" class="class-token"><i aria-hidden="true"> </i><span class="default-query"> </span></button> <!>  <img class="original" alt="The uploaded image before cropping"/> <p class="image-note"> </p></div> <!></section>`);
function ImageColumn($$anchor, $$props) {
	push($$props, true);
	const about = user_derived(() => $$props.explorer.reply?.image);
	const hasClassToken = user_derived(() => $$props.explorer.shape?.classToken !== false);
	const truth = user_derived(() => {
		if (!get(about) || !$$props.explorer.reply) return "";
		if (get(about).truth !== null) return `true label: ${$$props.explorer.reply.classes[get(about).truth]}`;
		return get(about).shows ? `${get(about).shows}: not a class of this model` : "";
	});
	const note = user_derived(() => get(about) ? keepSizes([get(about).caption, get(about).note].filter(Boolean).join(" · ")) : "");
	const original = user_derived(() => isImageUrl(get(about)?.original) ? get(about)?.original : void 0);
	const label = user_derived(() => `Image with patch grid. Arrow keys select a patch, Enter pins it as the query, ${$$props.explorer.host.live ? "Delete removes it, " : ""}Escape returns to the class token.`);
	let canvas;
	user_effect(() => {
		const { image } = $$props.explorer;
		if (!image) return;
		canvas.width = image.naturalWidth;
		canvas.height = image.naturalHeight;
		canvas.getContext("2d")?.drawImage(image, 0, 0);
	});
	var section = root_1$9();
	var div = child(section);
	var span = sibling(child(div));
	var text = only_child(span, true);
	reset(div);
	var div_1 = sibling(div, 2);
	var canvas_1 = child(div_1);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	Marks(sibling(canvas_1, 4), {
		get marks() {
			return $$props.explorer.view.imageMarks;
		},
		get shape() {
			return $$props.explorer.shape;
		}
	});
	reset(div_1);
	attach(div_1, () => follow($$props.explorer, "hover"));
	var div_2 = sibling(div_1, 2);
	var button = child(div_2);
	var i = child(button);
	var text_1 = only_child(i, true);
	var span_1 = sibling(i);
	var text_2 = only_child(span_1, true);
	reset(button);
	var node_1 = sibling(button, 2);
	var consequent = ($$anchor) => {
		var button_1 = root$9();
		template_effect(() => set_attribute(button_1, "aria-pressed", $$props.explorer.removing));
		delegated("click", button_1, () => toggleRemoving($$props.explorer));
		append($$anchor, button_1);
	};
	if_block(node_1, ($$render) => {
		if ($$props.explorer.host.live) $$render(consequent);
	});
	var img = sibling(node_1, 2);
	var p = sibling(img, 2);
	var text_3 = only_child(p, true);
	reset(div_2);
	var node_2 = sibling(div_2, 2);
	var consequent_1 = ($$anchor) => {
		Picker($$anchor, { get explorer() {
			return $$props.explorer;
		} });
	};
	if_block(node_2, ($$render) => {
		if ($$props.explorer.host.live) $$render(consequent_1);
	});
	reset(section);
	template_effect(() => {
		set_text(text, get(truth));
		set_attribute(div_1, "aria-label", get(label));
		set_attribute(button, "aria-pressed", $$props.explorer.view.isClassTokenQuery);
		set_text(text_1, get(hasClassToken) ? "cls" : "all");
		set_text(text_2, get(hasClassToken) ? "Class token" : "All patches");
		set_attribute(img, "hidden", !get(original));
		set_attribute(img, "src", get(original));
		set_text(text_3, get(note));
	});
	delegated("click", button, () => queryClassToken($$props.explorer));
	append($$anchor, section);
	pop();
}
delegate(["click"]);
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
async function saveFigure(explorer) {
	const { reply: about, choices } = explorer;
	if (!about) return;
	showWaiting(explorer);
	const { layer, head, pins: patches, direction, method, target } = choices;
	const view = {
		layer: nullable(layer),
		head: nullable(head),
		patches,
		direction,
		method,
		target
	};
	const reply = await (method ? requestCached : requestAblated)(explorer, "figure", view);
	if (about !== explorer.reply) return;
	stopWaiting(explorer);
	if (!reply || isRefusal(reply)) return showNotice(explorer, reasonOf(reply), true);
	saveAs(reply.name, reply.src);
	showNotice(explorer, `Saved as ${reply.name}.`);
}
// src/explore/Lead.svelte
var root$8 = from_html(`<div class="actions"><button type="button" class="button" data-do="link">Copy link</button> <button type="button" class="button" data-do="figure">Save figure</button></div>`);
var root_1$8 = from_html(`<section class="lead" aria-label="Summary"><div class="summary"><h1 class="headline"> </h1> <p><!></p> <p class="voice" aria-live="polite"> </p></div> <!></section>`);
function Lead($$anchor, $$props) {
	push($$props, true);
	var section = root_1$8();
	var div = child(section);
	var h1 = child(div);
	var text = only_child(h1, true);
	var p = sibling(h1, 2);
	var node = child(p);
	Line(node, { get line() {
		return $$props.explorer.status;
	} });
	reset(p);
	var p_1 = sibling(p, 2);
	var text_1 = only_child(p_1, true);
	reset(div);
	var node_1 = sibling(div, 2);
	var consequent = ($$anchor) => {
		var div_1 = root$8();
		var button = child(div_1);
		var button_1 = sibling(button, 2);
		reset(div_1);
		delegated("click", button, () => copyLink($$props.explorer));
		delegated("click", button_1, () => saveFigure($$props.explorer));
		append($$anchor, div_1);
	};
	if_block(node_1, ($$render) => {
		if ($$props.explorer.host.live) $$render(consequent);
	});
	reset(section);
	template_effect(() => {
		set_text(text, $$props.explorer.view.headline);
		set_class(p, 1, clsx(["status", $$props.explorer.noticeIsError && "error"]));
		set_text(text_1, $$props.explorer.voice);
	});
	append($$anchor, section);
	pop();
}
delegate(["click"]);
// src/explore/scales.ts
function methodScale(method, values) {
	const limit = Math.max(...values.map(Math.abs)) || 1;
	if (method.unit === "logits") return {
		kind: "signed",
		limit,
		isWeight: false
	};
	return {
		kind: "linear",
		limit,
		clips: false,
		isWeight: method.unit === "weights"
	};
}
function mapScale(row, prefix) {
	let limit = 1e-9;
	for (let j = prefix; j < row.length; j++) if (row[j] > limit) limit = row[j];
	return {
		kind: "linear",
		limit,
		clips: false,
		isWeight: true
	};
}
var tableKind = (scale) => scale.kind === "linear" ? "seq" : "div";
var fitTile = (tile, canvas, columns, rows) => tile?.canvas === canvas && canvas.width === columns && canvas.height === rows ? tile : makeTile(canvas, columns, rows);
// src/explore/MapBar.svelte
var root$7 = from_html(`<span> </span>`);
var root_1$7 = from_html(`<div class="bar" aria-hidden="true"><canvas width="256" height="1"></canvas> <span class="uniform"></span> <span class="caret"></span> <!></div> <div class="bar-text"><span class="unit"> </span> <span class="uniform-text"> </span></div>`, 1);
function MapBar($$anchor, $$props) {
	push($$props, true);
	const view = user_derived(() => $$props.explorer.view);
	const scale = user_derived(() => get(view).scale);
	const ticks = user_derived(() => get(scale) ? ticksOf(get(scale)) : []);
	const kind = user_derived(() => get(scale) ? tableKind(get(scale)) : null);
	const uniform = user_derived(() => get(view).mapShape ? uniformWeight(get(view).mapShape) : 1);
	const uniformPlace = user_derived(() => get(scale)?.kind === "linear" && get(scale).isWeight ? get(uniform) / get(scale).limit : 1);
	let canvas;
	let tile = null;
	user_effect(() => {
		if (!get(kind)) return;
		tile ??= makeTile(canvas, 256, 1);
		paintBar(tile, $$props.explorer.theme.table(get(kind)));
	});
	var fragment = root_1$7();
	var div = first_child(fragment);
	var canvas_1 = child(div);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var span = sibling(canvas_1, 2);
	let styles;
	var span_1 = sibling(span, 2);
	let styles_1;
	var node = sibling(span_1, 2);
	each(node, 17, () => get(ticks), index, ($$anchor, $$item, i) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let place = () => get($$array)[0];
		let text = () => get($$array)[1];
		var span_2 = root$7();
		let styles_2;
		var text_1 = only_child(span_2, true);
		template_effect(() => {
			set_class(span_2, 1, clsx(["tick", {
				first: i === 0,
				last: i === get(ticks).length - 1
			}]));
			styles_2 = set_style(span_2, "", styles_2, { left: `${100 * place()}%` });
			set_text(text_1, text());
		});
		append($$anchor, span_2);
	});
	reset(div);
	var div_1 = sibling(div, 2);
	var span_3 = child(div_1);
	var text_2 = only_child(span_3, true);
	var span_4 = sibling(span_3, 2);
	var text_3 = only_child(span_4, true);
	reset(div_1);
	template_effect(($0, $1) => {
		set_attribute(span, "hidden", get(uniformPlace) >= 1);
		styles = set_style(span, "", styles, { left: `${100 * get(uniformPlace)}%` });
		set_attribute(span_1, "hidden", !get(view).reading);
		styles_1 = set_style(span_1, "", styles_1, { left: get(view).reading?.place });
		set_text(text_2, $0);
		set_text(text_3, $1);
	}, [() => get(scale) ? unitOf(get(scale)) : "", () => get(uniformPlace) < 1 ? `dashed: uniform, ${percent(get(uniform))}` : ""]);
	append($$anchor, fragment);
	pop();
}
// src/explore/MapColumn.svelte
var root$6 = from_html(`<button type="button" class="button plain" data-do="ablate"> </button>`);
var root_1$6 = from_html(`<section class="column map-column" aria-label="Selected map"><div class="column-head"><h2 class="map-title"> </h2> <!> <button type="button" class="button plain" data-do="leave">Back to heads</button></div>  <div class="stage map" tabindex="0" role="application"><canvas class="values"></canvas> <canvas class="outlines"></canvas> <div class="patch-grid"></div> <div><b> </b> <span> </span></div> <!></div> <!> <div class="under-map"><canvas class="class-cell" width="1" height="1" aria-hidden="true"></canvas> <span class="class-weight"> </span> <label class="outline-slider">Outlines<input type="range" min="0" max="100"/></label></div></section>`);
function MapColumn($$anchor, $$props) {
	push($$props, true);
	const OUTLINE_SIDE = 336;
	const view = user_derived(() => $$props.explorer.view);
	const aspect = user_derived(() => $$props.explorer.shape?.aspect ?? 1);
	const canAblate = user_derived(() => $$props.explorer.host.live && get(view).map !== null && get(view).method === null && get(view).layer !== -1 && get(view).head !== -1);
	const hasClassCell = user_derived(() => get(view).method === null && $$props.explorer.shape?.classToken !== false);
	const prefixText = user_derived(() => get(view).map && get(view).shape && get(view).method === null ? prefixLine(get(view).map.values, get(view).shape, get(view).direction) : "");
	const label = "Selected map. Arrow keys read the value of each patch, Enter pins it as the query.";
	let opacity = state(60);
	let map;
	let cell;
	let outlines;
	let mapTile = null;
	let cellTile = null;
	function listen(stage) {
		follow($$props.explorer, "readoutPatch")(stage);
		return watchMap($$props.explorer)(stage);
	}
	user_effect(() => {
		const { shape } = get(view);
		if (!shape || !get(view).map) return;
		const { values, first, scale } = get(view).map;
		const table = $$props.explorer.theme.table(tableKind(scale));
		mapTile = fitTile(mapTile, map, shape.columns, shape.rows);
		paintTile(mapTile, values, first, table, scale);
		if (get(view).method !== null) return;
		cellTile = fitTile(cellTile, cell, 1, 1);
		paintTile(cellTile, values, 0, table, scale);
	});
	user_effect(() => {
		const { image, theme } = $$props.explorer;
		if (!image) return;
		const [width, height] = [Math.min(1, get(aspect)), 1 / Math.max(1, get(aspect))];
		const ink = theme.isDark ? 235 : 20;
		paintOutlines(outlines, image, Math.round(OUTLINE_SIDE * width), Math.round(OUTLINE_SIDE * height), ink);
	});
	var section = root_1$6();
	var div = child(section);
	var h2 = child(div);
	var text = only_child(h2, true);
	var node = sibling(h2, 2);
	var consequent = ($$anchor) => {
		var button = root$6();
		var text_1 = only_child(button, true);
		template_effect(() => {
			set_attribute(button, "hidden", !get(canAblate));
			set_text(text_1, get(view).isHeadAblated ? "Restore head" : "Ablate head");
		});
		delegated("click", button, () => toggleHead($$props.explorer));
		append($$anchor, button);
	};
	if_block(node, ($$render) => {
		if ($$props.explorer.host.live) $$render(consequent);
	});
	var button_1 = sibling(node, 2);
	reset(div);
	var div_1 = sibling(div, 2);
	set_attribute(div_1, "aria-label", label);
	var canvas = child(div_1);
	bind_this(canvas, ($$value) => map = $$value, () => map);
	var canvas_1 = sibling(canvas, 2);
	let styles;
	bind_this(canvas_1, ($$value) => outlines = $$value, () => outlines);
	var div_2 = sibling(canvas_1, 4);
	let styles_1;
	var b = child(div_2);
	var text_2 = only_child(b, true);
	var span = sibling(b, 2);
	var text_3 = only_child(span, true);
	reset(div_2);
	Marks(sibling(div_2, 2), {
		get marks() {
			return get(view).mapMarks;
		},
		get shape() {
			return $$props.explorer.shape;
		}
	});
	reset(div_1);
	attach(div_1, () => listen);
	var node_2 = sibling(div_1, 2);
	MapBar(node_2, { get explorer() {
		return $$props.explorer;
	} });
	var div_3 = sibling(node_2, 2);
	var canvas_2 = child(div_3);
	bind_this(canvas_2, ($$value) => cell = $$value, () => cell);
	var span_1 = sibling(canvas_2, 2);
	var text_4 = only_child(span_1, true);
	var label_1 = sibling(span_1, 2);
	var input = sibling(child(label_1));
	remove_input_defaults(input);
	reset(label_1);
	reset(div_3);
	reset(section);
	template_effect(() => {
		set_text(text, get(view).title);
		set_attribute(button_1, "hidden", get(view).method === null);
		styles = set_style(canvas_1, "", styles, { opacity: get(opacity) / 100 });
		set_class(div_2, 1, clsx(["tip", get(view).reading?.isBelow && "below"]));
		set_attribute(div_2, "hidden", !get(view).reading);
		styles_1 = set_style(div_2, "", styles_1, {
			left: get(view).reading?.left,
			top: get(view).reading?.top
		});
		set_text(text_2, get(view).reading?.number);
		set_text(text_3, get(view).reading?.remark);
		set_attribute(canvas_2, "hidden", !get(hasClassCell));
		set_text(text_4, get(prefixText));
	});
	delegated("click", button_1, () => leaveMethod($$props.explorer));
	bind_value(input, () => get(opacity), ($$value) => set(opacity, $$value));
	append($$anchor, section);
	pop();
}
delegate(["click"]);
// src/explore/MatrixColumn.svelte
var root$5 = from_html(`<option> </option>`);
var root_1$5 = from_html(`<section class="column matrix-column" aria-label="All layers and heads"><div class="column-head"><h2>All layers and heads</h2><span class="matrix-note"> </span></div> <label class="layer-select">Layer<select class="button"></select></label> <!></section>`);
function MatrixColumn($$anchor, $$props) {
	push($$props, true);
	const view = user_derived(() => $$props.explorer.view);
	const choices = user_derived(() => $$props.explorer.choices);
	const shape = user_derived(() => get(view).shape ?? $$props.explorer.shape);
	const framed = user_derived(() => get(view).query.length === 1 && get(view).shape ? cornerOf(get(view).query[0], get(view).shape) : null);
	const note = user_derived(() => get(view).map ? get(view).scaleChoice === "map" ? "one scale per map" : "shared scale" : "");
	function paint(tiles) {
		const { rows, shape: drawn } = get(view);
		if (!rows || !drawn) return;
		const table = $$props.explorer.theme.table(get(view).scaleChoice === "uniform" ? "div" : "seq");
		for (const { layer, head, values } of tiles) {
			const row = rowOf(rows, drawn, layer, head);
			paintTile(values, row, drawn.prefix, table, get(view).scaleOf(row));
		}
	}
	function press({ key }) {
		if (key === "Escape") queryClassToken($$props.explorer);
		else if (key === "x" || key === "Delete") toggleHead($$props.explorer);
	}
	var section = root_1$5();
	var div = child(section);
	var span = sibling(child(div));
	var text = only_child(span, true);
	reset(div);
	var label = sibling(div, 2);
	var select = sibling(child(label));
	each(select, 20, () => withMean(get(shape)?.layers ?? 0), (layer) => layer, ($$anchor, layer) => {
		var option = root$5();
		var text_1 = only_child(option, true);
		var option_value = {};
		template_effect(($0) => {
			set_text(text_1, $0);
			if (option_value !== (option_value = layer)) option.value = (option.__value = option_value) ?? "";
		}, [() => numberName(layer)]);
		append($$anchor, option);
	});
	reset(select);
	var select_value;
	init_select(select);
	reset(label);
	var node = sibling(label, 2);
	var consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => $$props.explorer.reply !== null);
			let $1 = user_derived(() => get(view).method === null);
			Matrix($$anchor, {
				get shape() {
					return get(shape);
				},
				label: "Maps of all layers and heads",
				get layer() {
					return get(choices).layer;
				},
				get head() {
					return get(choices).head;
				},
				get isReady() {
					return get($0);
				},
				get isShown() {
					return get($1);
				},
				isAblated: (layer, head) => isAblated(get(view).ablated, get(shape), layer, head),
				get framed() {
					return get(framed);
				},
				paint,
				onchoose: (layer, head, byKey) => chooseHead($$props.explorer, layer, head, byKey ? 0 : void 0),
				onkey: press
			});
		}
	};
	if_block(node, ($$render) => {
		if (get(shape)) $$render(consequent);
	});
	reset(section);
	template_effect(() => {
		set_text(text, get(note));
		if (select_value !== (select_value = get(choices).layer)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
	});
	delegated("change", select, (event) => chooseHead($$props.explorer, Number(event.currentTarget.value), get(choices).head, 0));
	append($$anchor, section);
	pop();
}
delegate(["change"]);
// src/explore/scores.ts
function scoreLabel(faithfulness, key) {
	if (!faithfulness) return "…";
	const score = faithfulness.scores[key];
	return score == null ? "–" : scoreText(score);
}
function baselineLabel(faithfulness) {
	if (!faithfulness) return "";
	const [mean] = faithfulness.random_baseline;
	return `${mean < 0 ? "" : "random "}${scoreText(mean)}`;
}
var placeOf = (score) => `${100 * Math.min(1, Math.max(0, score))}%`;
// src/explore/MethodTile.svelte
var root$4 = from_html(`<span><span class="fill"></span> <span class="random"></span></span> <span class="method-score"><span> </span> <span class="baseline-score"> </span></span>`, 1);
var root_1$4 = from_html(`<button type="button"><canvas></canvas> <span class="method-name"> </span> <!></button>`);
function MethodTile($$anchor, $$props) {
	push($$props, true);
	let canvas;
	let tile = null;
	const map = user_derived(() => $$props.explorer.maps[$$props.method.key]);
	const faithfulness = user_derived(() => $$props.explorer.faithfulness);
	const score = user_derived(() => get(faithfulness)?.scores[$$props.method.key]);
	const baseline = user_derived(() => get(faithfulness)?.random_baseline[0] ?? 0);
	user_effect(() => {
		if (!get(map)) return;
		const { columns, rows } = $$props.explorer.shape;
		if (tile?.canvas.width !== columns || tile.canvas.height !== rows) tile = makeTile(canvas, columns, rows);
		const scale = methodScale($$props.method, get(map));
		paintTile(tile, get(map), 0, $$props.explorer.theme.table(tableKind(scale)), scale);
	});
	var button = root_1$4();
	let classes;
	var canvas_1 = child(button);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var span = sibling(canvas_1, 2);
	var text = only_child(span, true);
	var node = sibling(span, 2);
	var consequent = ($$anchor) => {
		var fragment = root$4();
		var span_1 = first_child(fragment);
		let classes_1;
		var span_2 = child(span_1);
		let styles;
		var span_3 = sibling(span_2, 2);
		let styles_1;
		reset(span_1);
		var span_4 = sibling(span_1, 2);
		var span_5 = child(span_4);
		var text_1 = only_child(span_5, true);
		var span_6 = sibling(span_5, 2);
		var text_2 = only_child(span_6, true);
		reset(span_4);
		template_effect(($0, $1, $2, $3) => {
			classes_1 = set_class(span_1, 1, "track", null, classes_1, { waiting: !get(faithfulness) });
			styles = set_style(span_2, "", styles, { width: $0 });
			styles_1 = set_style(span_3, "", styles_1, { left: $1 });
			set_text(text_1, $2);
			set_text(text_2, $3);
		}, [
			() => placeOf(get(score) ?? 0),
			() => placeOf(get(baseline)),
			() => scoreLabel(get(faithfulness), $$props.method.key),
			() => baselineLabel(get(faithfulness))
		]);
		append($$anchor, fragment);
	};
	if_block(node, ($$render) => {
		if ($$props.hasScores) $$render(consequent);
	});
	reset(button);
	template_effect(() => {
		classes = set_class(button, 1, "method", null, classes, { waiting: !get(map) });
		set_attribute(button, "aria-pressed", $$props.method.key === $$props.explorer.view.method);
		set_text(text, $$props.method.name);
	});
	delegated("click", button, () => chooseMethod($$props.explorer, $$props.method.key));
	append($$anchor, button);
	pop();
}
delegate(["click"]);
// src/explore/Methods.svelte
var root$3 = from_html(`<div class="method-group"><p class="group-name"> </p> <div class="method-tiles"></div></div>`);
var root_1$3 = from_html(`<b> </b> <span class="formula"> </span> `, 1);
var root_2$1 = from_html(`<section class="methods" aria-label="Attribution methods"><div class="methods-head"><h2>Attribution methods</h2> <span> </span> <span class="score-note"> </span></div> <div class="method-groups"></div> <p class="method-about"><!></p></section>`);
function Methods($$anchor, $$props) {
	push($$props, true);
	const GROUPS = [
		["Class-agnostic", (method) => !method.forClass && method.key !== "random"],
		["", (method) => method.forClass],
		["Baseline", (method) => method.key === "random"]
	];
	const names = user_derived(() => $$props.explorer.reply ? $$props.explorer.targetNames : []);
	const hasScores = user_derived(() => $$props.explorer.host.live || $$props.explorer.faithfulness !== null);
	const method = user_derived(() => $$props.explorer.method($$props.explorer.view.method));
	const hasClassToken = user_derived(() => $$props.explorer.shape?.classToken ?? true);
	function onEscape(event) {
		if (event.key === "Escape" && $$props.explorer.reply) queryClassToken($$props.explorer);
	}
	var section = root_2$1();
	var div = child(section);
	var span = sibling(child(div), 2);
	var text = only_child(span, true);
	var span_1 = sibling(span, 2);
	var text_1 = only_child(span_1, true);
	reset(div);
	var div_1 = sibling(div, 2);
	each(div_1, 21, () => GROUPS, ([title, matches]) => title, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let title = () => get($$array)[0];
		let matches = () => get($$array)[1];
		var div_2 = root$3();
		var p = child(div_2);
		var text_2 = only_child(p, true);
		var div_3 = sibling(p, 2);
		each(div_3, 21, () => $$props.explorer.catalog.methods.filter(matches()), (entry) => entry.key, ($$anchor, entry) => {
			MethodTile($$anchor, {
				get explorer() {
					return $$props.explorer;
				},
				get method() {
					return get(entry);
				},
				get hasScores() {
					return get(hasScores);
				}
			});
		});
		reset(div_3);
		reset(div_2);
		template_effect(($0) => set_text(text_2, $0), [() => title() || (get(names).length ? `For class ${targetTitle(get(names))}` : "")]);
		append($$anchor, div_2);
	});
	reset(div_1);
	var p_1 = sibling(div_1, 2);
	var node = child(p_1);
	var consequent = ($$anchor) => {
		var fragment_1 = root_1$3();
		var b = first_child(fragment_1);
		var text_3 = only_child(b, true);
		var text_4 = sibling(b);
		var span_2 = sibling(text_4);
		var text_5 = only_child(span_2, true);
		var text_6 = sibling(span_2);
		template_effect(() => {
			set_text(text_3, get(method).name);
			set_text(text_4, ` ${(get(hasClassToken) ? get(method).about : get(method).aboutWithoutClassToken) ?? ""} `);
			set_text(text_5, get(hasClassToken) ? get(method).formula : get(method).formulaWithoutClassToken);
			set_text(text_6, ` ${get(method).source ?? ""}.`);
		});
		append($$anchor, fragment_1);
	};
	if_block(node, ($$render) => {
		if (get(method)) $$render(consequent);
	});
	reset(p_1);
	reset(section);
	template_effect(($0) => {
		set_text(text, $$props.explorer.ablation && $$props.explorer.host.live ? "before ablation, one scale per map" : "one scale per map");
		set_text(text_1, $0);
		set_attribute(p_1, "hidden", !get(method));
	}, [() => get(names).length && get(hasScores) ? scoreNote($$props.explorer.faithfulness, get(names)[0]) : ""]);
	delegated("keydown", section, onEscape);
	append($$anchor, section);
	pop();
}
delegate(["keydown"]);
function listedClasses(old, now, count = 5) {
	const order = old.map((_, k) => k).sort((a, b) => old[b] - old[a]);
	const others = order.splice(count - 1).sort((a, b) => now[b] - now[a]);
	return [...order, ...others.slice(0, 1)];
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
// src/explore/Effect.svelte
var root$2 = from_html(`<b> </b> percentage points`, 1);
var root_1$2 = from_html(`<div class="effect" aria-live="polite"><p class="effect-what"> </p> <p class="effect-points"><!></p> <p class="effect-from"> </p> <label>Heads <select class="button" name="mode"><option>Zero ablation</option><option>Mean ablation</option></select></label> <label>Patches <select class="button" name="patch_mode"><option>tokens dropped</option><option>painted gray</option></select></label> <button type="button" class="button" data-do="restore">Restore all</button></div>`);
function Effect($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.explorer.reply);
	const ablation = user_derived(() => $$props.explorer.ablation);
	const k = user_derived(() => $$props.explorer.targetClass);
	var div = root_1$2();
	var p = child(div);
	var text = only_child(p, true);
	var p_1 = sibling(p, 2);
	var node = child(p_1);
	var consequent = ($$anchor) => {
		var fragment = root$2();
		var b = first_child(fragment);
		var text_1 = only_child(b, true);
		next();
		template_effect(($0) => set_text(text_1, $0), [() => signed(pointsBetween(get(reply).probabilities[get(k)], get(ablation).probabilities[get(k)]), 1)]);
		append($$anchor, fragment);
	};
	if_block(node, ($$render) => {
		if (get(reply) && get(ablation)) $$render(consequent);
	});
	reset(p_1);
	var p_2 = sibling(p_1, 2);
	var text_2 = only_child(p_2, true);
	var label = sibling(p_2, 2);
	var select = sibling(child(label));
	var option = child(select);
	option.value = option.__value = "zero";
	var option_1 = sibling(option);
	option_1.value = option_1.__value = "mean";
	reset(select);
	var select_value;
	init_select(select);
	reset(label);
	var label_1 = sibling(label, 2);
	var select_1 = sibling(child(label_1));
	var option_2 = child(select_1);
	option_2.value = option_2.__value = "drop";
	var option_3 = sibling(option_2);
	option_3.value = option_3.__value = "gray";
	reset(select_1);
	var select_1_value;
	init_select(select_1);
	reset(label_1);
	var button = sibling(label_1, 2);
	reset(div);
	template_effect(($0, $1) => {
		set_attribute(div, "hidden", !get(ablation));
		set_text(text, $0);
		set_text(text_2, $1);
		set_attribute(label, "hidden", !get(ablation) || !$$props.explorer.previousChanges.ablated.length);
		if (select_value !== (select_value = $$props.explorer.choices.mode)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		set_attribute(label_1, "hidden", !get(ablation) || !$$props.explorer.previousChanges.removed.length);
		if (select_1_value !== (select_1_value = $$props.explorer.choices.patch_mode)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
	}, [() => get(ablation) ? changesLine($$props.explorer.previousChanges) : "", () => get(reply) && get(ablation) ? effectSentence(get(k), get(reply).classes, get(reply).probabilities, get(ablation).probabilities) : ""]);
	delegated("change", select, (event) => ablate($$props.explorer, { mode: oneOf(event.currentTarget.value, ["zero", "mean"]) }));
	delegated("change", select_1, (event) => ablate($$props.explorer, { patch_mode: oneOf(event.currentTarget.value, ["drop", "gray"]) }));
	delegated("click", button, () => restoreAll($$props.explorer));
	append($$anchor, div);
	pop();
}
delegate(["change", "click"]);
// src/explore/Predictions.svelte
var root$1 = from_html(`<li class="prediction"><button class="explain-class" type="button"><span class="class-name"> </span> <span class="tag">true</span> <span class="value"> </span> <span class="track"><span class="fill"></span> <span class="before"></span></span></button></li>`);
var root_1$1 = from_html(`<option> </option>`);
var root_2 = from_html(`<option>none</option> <!>`, 1);
var root_3 = from_html(`<label class="contrast">Contrast with <select class="button" aria-label="Contrast with: class that the explained class is compared to"><!></select></label> <!>`, 1);
var root_4 = from_html(`<section class="column prediction-column" aria-label="Prediction"><div class="column-head"><h2>Prediction</h2></div> <ol class="predictions"></ol> <!> <p class="accuracy"> </p></section>`);
function Predictions($$anchor, $$props) {
	push($$props, true);
	const live = user_derived(() => $$props.explorer.host.live);
	const invitation = user_derived(() => get(live) ? ", explain this class" : "");
	const reply = user_derived(() => $$props.explorer.reply);
	const old = user_derived(() => get(reply)?.probabilities ?? []);
	const now = user_derived(() => $$props.explorer.ablation?.probabilities ?? get(old));
	const order = user_derived(() => listedClasses(get(old), get(now)));
	const accuracy = user_derived(() => get(reply) ? accuracyLine($$props.explorer.model(get(reply).checkpoint)) : "");
	var section = root_4();
	var ol = sibling(child(section), 2);
	each(ol, 21, () => ({ length: 5 }), index, ($$anchor, $$item, i) => {
		const k = user_derived(() => get(order)[i]);
		const isListed = user_derived(() => get(reply) !== null && get(k) !== void 0);
		const name = user_derived(() => get(isListed) ? get(reply).classes[get(k)] : "");
		const isTrue = user_derived(() => get(isListed) && get(k) === get(reply).image.truth);
		const probability = user_derived(() => get(isListed) ? percent(get(now)[get(k)], 1) : "");
		var li = root$1();
		var button = child(li);
		var span = child(button);
		var text = only_child(span, true);
		var span_1 = sibling(span, 2);
		var span_2 = sibling(span_1, 2);
		var text_1 = only_child(span_2, true);
		var span_3 = sibling(span_2, 2);
		var span_4 = child(span_3);
		let styles;
		var span_5 = sibling(span_4, 2);
		let styles_1;
		reset(span_3);
		reset(button);
		reset(li);
		template_effect(() => {
			set_attribute(li, "hidden", get(reply) !== null && !get(isListed));
			set_attribute(button, "data-class", get(k));
			button.disabled = !get(live);
			set_attribute(button, "aria-pressed", get(isListed) ? get(k) === $$props.explorer.targetClass : void 0);
			set_attribute(button, "aria-label", get(isListed) ? `${get(name)}${get(isTrue) ? " true" : ""} ${get(probability)}${get(invitation)}` : void 0);
			set_text(text, get(name));
			set_attribute(span_1, "hidden", !get(isTrue));
			set_text(text_1, get(probability));
			styles = set_style(span_4, "", styles, { width: `${100 * (get(now)[get(k)] ?? 0)}%` });
			set_attribute(span_5, "hidden", !$$props.explorer.ablation || !get(live));
			styles_1 = set_style(span_5, "", styles_1, { left: `${100 * (get(old)[get(k)] ?? 0)}%` });
		});
		delegated("click", button, () => get(isListed) && chooseClass($$props.explorer, get(k)));
		append($$anchor, li);
	});
	reset(ol);
	var node = sibling(ol, 2);
	var consequent_1 = ($$anchor) => {
		var fragment = root_3();
		var label = first_child(fragment);
		var select = sibling(child(label));
		var node_1 = child(select);
		var consequent = ($$anchor) => {
			var fragment_1 = root_2();
			var option = first_child(fragment_1);
			option.value = option.__value = "";
			var node_2 = sibling(option, 2);
			each(node_2, 17, () => get(reply).classes, index, ($$anchor, name, k) => {
				var option_1 = root_1$1();
				var text_2 = only_child(option_1, true);
				var option_1_value = {};
				template_effect(($0) => {
					option_1.disabled = k === $$props.explorer.targetClass;
					set_text(text_2, get(name));
					if (option_1_value !== (option_1_value = $0)) option_1.value = (option_1.__value = option_1_value) ?? "";
				}, [() => String(k)]);
				append($$anchor, option_1);
			});
			append($$anchor, fragment_1);
		};
		if_block(node_1, ($$render) => {
			if (get(reply)) $$render(consequent);
		});
		reset(select);
		var select_value;
		init_select(select);
		reset(label);
		Effect(sibling(label, 2), { get explorer() {
			return $$props.explorer;
		} });
		template_effect(($0) => {
			if (select_value !== (select_value = $0)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		}, [() => String($$props.explorer.choices.target[1] ?? "")]);
		delegated("change", select, (event) => get(reply) && chooseContrast($$props.explorer, event.currentTarget.value));
		append($$anchor, fragment);
	};
	if_block(node, ($$render) => {
		if (get(live)) $$render(consequent_1);
	});
	var p = sibling(node, 2);
	var text_3 = only_child(p, true);
	reset(section);
	template_effect(() => {
		set_attribute(p, "hidden", $$props.explorer.ablation !== null);
		set_text(text_3, get(accuracy));
	});
	append($$anchor, section);
	pop();
}
delegate(["click", "change"]);
// src/explore/Explore.svelte
var root = from_html(`<kbd>Delete</kbd> remove patch · <kbd>x</kbd> ablate head ·`, 1);
var root_1 = from_html(`<div><!> <!> <div class="flow"><!> <div class="columns"><!> <!> <!> <!></div> <!></div> <button type="button" class="jump"> </button> <p class="keys">Keys: <kbd>arrows</kbd> move · <kbd>Enter</kbd> pin · <!> <kbd>Esc</kbd> class token</p></div>`);
function Explore($$anchor, $$props) {
	push($$props, true);
	const explorer = prop($$props, "explorer", 7);
	const view = user_derived(() => explorer().view);
	const choices = user_derived(() => explorer().choices);
	const markers = user_derived(() => explorer().markers);
	function showMap() {
		explorer().root?.querySelector(".stage.map")?.scrollIntoView({ block: "center" });
	}
	var div = root_1();
	var node = child(div);
	var consequent = ($$anchor) => {
		ModelSelect($$anchor, {
			get models() {
				return explorer().catalog.checkpoints;
			},
			get value() {
				return get(choices).checkpoint;
			},
			onchoose: (name) => showModel(explorer(), name)
		});
	};
	if_block(node, ($$render) => {
		if (explorer().host.live) $$render(consequent);
	});
	var node_1 = sibling(node, 2);
	Lead(node_1, { get explorer() {
		return explorer();
	} });
	var div_1 = sibling(node_1, 2);
	var node_2 = child(div_1);
	Controls(node_2, { get explorer() {
		return explorer();
	} });
	var div_2 = sibling(node_2, 2);
	var node_3 = child(div_2);
	ImageColumn(node_3, { get explorer() {
		return explorer();
	} });
	var node_4 = sibling(node_3, 2);
	MapColumn(node_4, { get explorer() {
		return explorer();
	} });
	var node_5 = sibling(node_4, 2);
	MatrixColumn(node_5, { get explorer() {
		return explorer();
	} });
	Predictions(sibling(node_5, 2), { get explorer() {
		return explorer();
	} });
	reset(div_2);
	Methods(sibling(div_2, 2), { get explorer() {
		return explorer();
	} });
	reset(div_1);
	var button = sibling(div_1, 2);
	var text = only_child(button, true);
	var p = sibling(button, 2);
	var node_8 = sibling(child(p), 5);
	var consequent_1 = ($$anchor) => {
		var fragment_1 = root();
		next(3);
		append($$anchor, fragment_1);
	};
	if_block(node_8, ($$render) => {
		if (explorer().host.live) $$render(consequent_1);
	});
	next(3);
	reset(p);
	reset(div);
	bind_this(div, ($$value) => explorer().root = $$value, () => explorer()?.root);
	template_effect(($0, $1) => {
		set_class(div, 1, $0);
		set_style(div, $1);
		set_attribute(div, "data-state", get(markers).state);
		set_attribute(div, "data-ready", get(markers).ready);
		set_attribute(div, "data-full", get(markers).full);
		set_attribute(div, "data-methods", get(markers).methods);
		set_attribute(div, "data-scores", get(markers).scores);
		set_attribute(div, "data-changed", get(markers).changed);
		set_attribute(button, "hidden", !explorer().showsJump);
		set_text(text, explorer().showsJump && get(view).map ? `${get(view).headline}.` : "");
	}, [() => clsx(["vitviz vitviz-explorer", {
		"many-heads": explorer().shape && hasManyHeads(explorer().shape),
		smooth: get(choices).smooth,
		"shows-method": get(view).method !== null,
		"head-ablated": get(view).method === null && get(view).isHeadAblated,
		grayed: get(choices).patch_mode === "gray",
		removing: explorer().removing,
		dropping: explorer().dropping
	}]), () => explorer().shape && matrixStyle(explorer().shape)]);
	delegated("click", button, showMap);
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/explore/start.ts
async function start(explorer) {
	listen(explorer);
	const { choices } = explorer;
	const params = () => new URLSearchParams(location.search);
	if (isOfRun(params().get("checkpoint")) || params().get("image")?.startsWith("cifar")) await refreshLists(explorer);
	if (!explorer.catalog.checkpoints.length) return fail(explorer, "No model found: put a checkpoint into the checkpoints folder and restart vitviz.");
	const [chosen, linked] = readAddress(params(), explorer.catalog);
	Object.assign(choices, chosen);
	showShelf(explorer, choices.image?.kind ?? explorer.shelf);
	showPlaceholders(explorer);
	if (!choices.image) return fail(explorer, "No sample image found: choose a CIFAR-10 image or upload one.");
	await load(explorer, choices.checkpoint, choices.image, linked);
	const missing = unavailableSentences(params(), explorer.catalog, choices);
	if (explorer.reply && missing) showNotice(explorer, missing);
	watchPage(explorer);
}
function showPlaceholders(explorer) {
	const model = explorer.model(explorer.choices.checkpoint);
	if (!model) return;
	const { layers, heads } = model;
	explorer.shape = {
		layers,
		heads,
		rows: 8,
		columns: 8,
		aspect: 1,
		prefix: 1,
		classToken: true,
		removed: []
	};
}
async function refreshLists(explorer) {
	const lists = await refreshModels(explorer.host.request);
	if (lists) explorer.catalog = {
		...explorer.catalog,
		...lists
	};
}
function watchPage(explorer) {
	if (!explorer.root) return;
	new IntersectionObserver(([entry]) => {
		explorer.isHidden = !entry.isIntersecting && !explorer.isVisible;
		if (entry.isIntersecting) refresh(explorer);
	}).observe(explorer.root);
}
async function refresh(explorer) {
	const { available } = explorer.catalog.cifar;
	await refreshLists(explorer);
	if (explorer.catalog.cifar.available !== available) showShelf(explorer, explorer.shelf);
	const chosen = new URLSearchParams(location.search).get("checkpoint");
	const isNew = chosen !== explorer.choices.checkpoint && chosen !== explorer.shown?.checkpoint;
	if (chosen && isNew && chosen !== explorer.failedModel && explorer.model(chosen)) showModel(explorer, chosen);
}
function listen(explorer) {
	const { element } = explorer.host;
	for (const type of [
		"dragover",
		"dragleave",
		"drop"
	]) listenWhile(element, document, type, (event) => acceptDrop(explorer, event));
	listenWhile(element, document, "paste", (event) => {
		const file = event.clipboardData?.files[0];
		if (file && explorer.isVisible) takeFile(explorer, file);
	});
}
function acceptDrop(explorer, event) {
	if (!event.dataTransfer?.types.includes("Files")) return;
	const { isVisible } = explorer;
	if (!isVisible && event.target instanceof Element && event.target.closest("input[type=file]")) return;
	event.preventDefault();
	if (!isVisible) return;
	explorer.dropping = event.type === "dragover";
	const [file] = event.dataTransfer.files;
	if (event.type === "drop" && file) takeFile(explorer, file);
}
function galleryQuery(label, shown, page, checkpoint) {
	return {
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
var Gallery = class {
	explorer;
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
	#pageNumber = state("");
	get pageNumber() {
		return get(this.#pageNumber);
	}
	set pageNumber(value) {
		set(this.#pageNumber, value);
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
	ticket = 0;
	filled = null;
	constructor(explorer) {
		this.explorer = explorer;
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
		this.page = Math.min(this.pages - 1, Math.max(0, this.page + pages));
		return this.fill();
	}
	async fill() {
		const { catalog, choices, host } = this.explorer;
		if (!catalog.cifar.available) return;
		const query = galleryQuery(this.label, this.shown, this.page, choices.checkpoint);
		const mine = ++this.ticket;
		if (isSameQuery(query, this.filled)) {
			this.isWaiting = false;
			return;
		}
		const waiting = setTimeout(() => {
			if (mine === this.ticket) this.isWaiting = true;
		}, 500);
		const reply = await host.request("gallery", query);
		clearTimeout(waiting);
		if (mine !== this.ticket) return;
		if (!reply || isRefusal(reply)) {
			if (this.filled) {
				const { label, shown, page } = this.filled;
				Object.assign(this, {
					label,
					shown,
					page
				});
			}
			this.isWaiting = false;
			return showNotice(this.explorer, reasonOf(reply), true);
		}
		this.filled = query;
		this.pages = Math.max(1, reply.pages);
		if (this.page >= this.pages) {
			this.page = this.pages - 1;
			return this.fill();
		}
		this.thumbs = reply.images.map((image) => ({
			image: {
				kind: "cifar",
				index: image.index
			},
			name: thumbName(image, this.explorer.catalog.cifar.classes),
			src: image.src
		}));
		this.pageNumber = reply.pages ? `${this.page + 1} of ${this.pages}` : "none";
		this.isWaiting = false;
	}
};
// src/explore/reading.ts
function readingOf({ readoutPatch, map, shape, mapShape, methodInfo }) {
	if (readoutPatch < 0 || !map || !shape || !mapShape) return null;
	const value = map.values[map.first + readoutPatch];
	const reading = isRemoved(readoutPatch, shape) ? ["removed", ""] : headNumber(value, shape);
	const [number, remark] = methodInfo ? methodNumber(value, map.scale, mapShape) : reading;
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
// src/explore/view.svelte.ts
var NO_VALUES = [];
var EMPTY = {
	query: [],
	removed: [],
	read: -1
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
	#limit = user_derived(() => {
		const { shape, attention, direction, scaleLimits } = this;
		const kind = this.query.length ? "patch" : "class";
		if (!shape || !attention) return 1;
		scaleLimits[direction + kind] ??= sharedLimit(shape, attention, direction, kind);
		return scaleLimits[direction + kind];
	});
	#sharedScale = user_derived(() => ({
		kind: "linear",
		limit: get(this.#limit),
		clips: true,
		isWeight: true
	}));
	#uniformScale = user_derived(() => ({
		kind: "uniform",
		uniform: this.shape ? uniformWeight(this.shape) : 1,
		isWeight: true
	}));
	#methodInfo = user_derived(() => this.#explorer.method(this.method));
	get methodInfo() {
		return get(this.#methodInfo);
	}
	set methodInfo(value) {
		set(this.#methodInfo, value);
	}
	#map = user_derived(() => {
		if (!this.shape || !this.rows) return null;
		if (this.methodInfo) return {
			values: this.methodValues,
			first: 0,
			scale: methodScale(this.methodInfo, this.methodValues)
		};
		const row = rowOf(this.rows, this.shape, this.layer, this.head);
		return {
			values: row,
			first: this.shape.prefix,
			scale: this.scaleOf(row)
		};
	});
	get map() {
		return get(this.#map);
	}
	set map(value) {
		set(this.#map, value);
	}
	#scale = user_derived(() => this.map?.scale ?? null);
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
	#mapShape = user_derived(() => this.shape && this.methodInfo ? {
		...this.shape,
		removed: []
	} : this.shape);
	get mapShape() {
		return get(this.#mapShape);
	}
	set mapShape(value) {
		set(this.#mapShape, value);
	}
	#title = user_derived(() => {
		if (!this.map) return "";
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
	#line = user_derived(() => lineOf(this, this.#explorer.faithfulness));
	get line() {
		return get(this.#line);
	}
	set line(value) {
		set(this.#line, value);
	}
	constructor(explorer) {
		this.#explorer = explorer;
	}
	scaleOf(row) {
		if (this.scaleChoice === "shared") return get(this.#sharedScale);
		return this.scaleChoice === "uniform" ? get(this.#uniformScale) : mapScale(row, this.shape?.prefix ?? 0);
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
		if (attention.full !== null || firstRowsSuffice(query, choices.direction)) {
			if (explorer.markers.state !== "working") stopWaiting(explorer);
			this.#update(query, method);
		} else if (explorer.fullAttentionFailed) fallBackToClassToken(explorer);
		else showWaiting(explorer);
		flushSync();
		this.#measure(start);
	}
	#placeMarks(query, method) {
		const { removed, readoutPatch, method: chosen } = this.#explorer.choices;
		const framed = method === null ? query : [];
		this.imageMarks = {
			query: framed,
			removed,
			read: readoutPatch
		};
		this.mapMarks = {
			query: framed,
			removed: method === null ? removed : [],
			read: readoutPatch
		};
		this.isClassTokenQuery = !query.length && chosen === null;
	}
	#update(query, method) {
		const { choices, shape, attention, scaleLimits, maps, targetNames } = this.#explorer;
		this.shape = shape;
		this.attention = attention;
		this.scaleLimits = scaleLimits;
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
// src/explore/state.svelte.ts
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
	fullAttentionFailed = false;
	scaleLimits = {};
	shown = null;
	previousChanges = {
		ablated: [],
		removed: [],
		mode: "zero",
		patch_mode: "drop"
	};
	failedModel = null;
	ticket = 0;
	methodsTicket = 0;
	ablationTicket = 0;
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
	#status = user_derived(() => this.notice === null ? this.view.line : [this.notice]);
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
		return this.root?.offsetParent !== null;
	}
};
// src/explore/explore.ts
function mount(context) {
	const explorer = new Explorer(hostOf(context));
	mount$1(Explore, {
		target: context.element,
		props: { explorer }
	});
	start(explorer);
}
export { mount };
