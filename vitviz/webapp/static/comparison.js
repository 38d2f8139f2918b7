import { append, bind_select_value, bind_this, child, clsx, comment, delegate, delegated, each, event, first_child, from_html, get, if_block, index as index$1, init_select, next, onMount, only_child, pop, prop, push, remove_input_defaults, reset, select_option, set, set_attribute, set_checked, set_class, set_style, set_text, set_value, sibling, state, template_effect, to_array, user_derived, user_effect } from "./packages.js";
import { ACCEPTED, GRID_KEYS, ModelSelect, ThemeColors, capital, cornerOf, firstImage, floatsOf, headsParam, imageParam, isImageUrl, isRefusal, isServed, isShortcut, largest, makeTile, middlePatch, modelOption, neighbour, numberName, oneOf, paintPixels, paintTile, parseHeads, parseImage, parsePatches, patchAt, patchName, patchesParam, percent, place, reasonOf, refreshModels, refusalOf, saveAs, sharpestHead, signed, signedDigits, ticksOf, unavailable, uniqueNames, updateAddress, uploadOf, written } from "./shared.js";
// src/compare/sides.ts
var KINDS = [
	["image", "Images"],
	["model", "Models"],
	["snapshot", "Snapshots"],
	["method", "Methods"],
	["class", "Classes"],
	["head", "Layers and heads"],
	["ablation", "Ablation"]
];
var ATTENTION = "attention-head";
var SIMILARITY = "similarity";
var EMPTY = {
	checkpoint: "",
	image: null,
	map: ATTENTION,
	layer: null,
	head: null,
	target: null,
	snapshot: null,
	ablated: [],
	removed: []
};
var FIELDS = {
	image: ["image"],
	model: ["checkpoint"],
	snapshot: ["snapshot"],
	method: ["map"],
	class: ["target"],
	head: ["layer", "head"],
	ablation: ["ablated", "removed"]
};
function viewOfB(kind, a, own) {
	return {
		...a,
		...Object.fromEntries(FIELDS[kind].map((field) => [field, own[field]]))
	};
}
function mapsOf(kind, methods, hasHead) {
	const heads = [ATTENTION, "Attention of a head"];
	const similar = [SIMILARITY, "Similarity to a patch of A"];
	const offered = methods.filter(({ onRequest, forClass }) => !onRequest && (hasHead || !forClass));
	const named = offered.map(({ key, name }) => [key, name]);
	if (kind === "snapshot") return [heads];
	if (kind === "class") return named.filter(([key]) => offered.some((method) => method.key === key && method.forClass));
	if (kind === "head") return [heads, similar];
	if (kind === "method") return [heads, ...named];
	return kind === "model" ? [heads, ...named] : [
		heads,
		similar,
		...named
	];
}
var FIRST_METHOD = "average";
var SECOND_METHOD = "relevance";
var CLASS_METHOD = "balanced_gradients";
function mapFor(kind, map, offered) {
	const isOffered = (key) => offered.some(([one]) => one === key);
	if (kind === "method" && map === "attention-head" && isOffered(FIRST_METHOD)) return FIRST_METHOD;
	if (isOffered(map)) return map;
	return isOffered(CLASS_METHOD) && kind === "class" ? CLASS_METHOD : offered[0]?.[0] ?? "attention-head";
}
var sameImage = (one, other) => JSON.stringify(one) === JSON.stringify(other);
function firstOfB(kind, a, b, models, samples) {
	const found = { ...b };
	if (kind === "image" && (!b.image || sameImage(b.image, a.image))) {
		const other = ["dog", ...samples.map(({ name }) => name)].find((name) => samples.some((sample) => sample.name === name) && !sameImage({
			kind: "sample",
			name
		}, a.image));
		found.image = b.image ?? (other ? {
			kind: "sample",
			name: other
		} : a.image);
	}
	if (kind === "model" && !b.checkpoint) found.checkpoint = models.find(({ name }) => name !== a.checkpoint)?.name ?? a.checkpoint;
	if (kind === "method" && (!b.map || b.map === "attention-head")) found.map = a.map === SECOND_METHOD ? FIRST_METHOD : SECOND_METHOD;
	return found;
}
var clamped = (index, count, otherwise) => index === null ? otherwise : Math.min(index, count - 1);
var ranked = (probabilities) => probabilities.map((_, k) => k).sort((j, k) => probabilities[k] - probabilities[j]);
function completeA(kind, a, known, count) {
	const { shape, opening } = known;
	return {
		...a,
		layer: a.layer === -2 && !shape.pooled ? opening.layer : clamped(a.layer, shape.layers, opening.layer),
		head: clamped(a.head, shape.heads, kind === "ablation" ? -1 : opening.head),
		target: a.target !== null && a.target < known.classes.length ? a.target : null,
		snapshot: clamped(a.snapshot, count, 0)
	};
}
function completeB(kind, a, b, known, count) {
	const { shape, opening } = known;
	const found = {
		...b,
		snapshot: clamped(b.snapshot, count, count - 1)
	};
	if (kind === "head") {
		const next = shape.heads > 1 && a.head !== null && a.head >= 0;
		const head = next ? ((a.head ?? 0) + 1) % shape.heads : a.head ?? -1;
		const layer = next || a.layer === null ? a.layer ?? opening.layer : a.layer > 0 ? a.layer - 1 : shape.layers - 1;
		Object.assign(found, {
			layer: clamped(b.layer, shape.layers, layer),
			head: clamped(b.head, shape.heads, head)
		});
	}
	if (kind === "class" && (b.target === null || b.target >= known.classes.length)) {
		const explained = a.target ?? largest(known.probabilities);
		found.target = ranked(known.probabilities).find((k) => k !== explained) ?? explained;
	}
	if (kind === "ablation" && !b.ablated.length && !b.removed.length) found.ablated = [opening.layer * shape.heads + opening.head];
	return found;
}
function classInB(k, a, b) {
	if (a === b || a.join("\n") === b.join("\n")) return k;
	const found = b.indexOf(a[k]);
	return found < 0 ? null : found;
}
function targetsOf(kind, a, b, first, second) {
	if (!first.classes.length) return [[], []];
	if (kind === "image" && a.target === null) return [[], []];
	const explained = a.target ?? largest(first.probabilities);
	const inB = kind === "class" ? b.target : classInB(explained, first.classes, second.classes);
	return [[explained], inB === null ? [] : [inB]];
}
// src/compare/address.ts
var DEFAULTS = {
	compare: "image",
	mode: "zero",
	patch_mode: "drop"
};
var UPLOADED = "upload";
var index = (text) => {
	const number = Number(text);
	return text && Number.isInteger(number) && number >= 1 ? number - 1 : null;
};
var layerOf = (text) => text === "mean" ? -1 : text === "pool" ? -2 : index(text);
var headOf = (text) => text === "mean" ? -1 : index(text);
var classOf = (text) => {
	const number = Number(text?.split("-")[0]);
	return text && Number.isInteger(number) && number >= 0 ? number : null;
};
function readAddress(params, catalog, uploads = [null, null]) {
	const missing = [];
	const get = (name) => params.get(name);
	const kinds = KINDS.map(([kind]) => kind);
	const [kind, b] = [oneOf(get("compare"), kinds), get("b")];
	const requested = get("compare");
	if (requested && requested !== kind) missing.push(unavailable("comparison", requested, kind));
	const model = (name) => {
		const isHere = catalog.checkpoints.some((one) => one.name === name);
		if (name && !isHere) missing.push(unavailable("model", name));
		return isHere && name ? name : "";
	};
	const image = (text, upload) => {
		const found = parseImage(text, catalog, upload);
		if (text === UPLOADED && !found) missing.push("A link does not contain an uploaded image: a sample is shown. Upload the file again.");
		else if (text && !found) missing.push(unavailable("image", text));
		return found;
	};
	const map = (text) => {
		const isHere = text === "similarity" || catalog.methods.some(({ key, onRequest }) => key === text && !onRequest);
		if (text && text !== "attention-head" && !isHere) missing.push(unavailable("method", text));
		return isHere && text ? text : ATTENTION;
	};
	const own = { ...EMPTY };
	if (kind === "image") own.image = image(b, uploads[1]);
	else if (kind === "model") own.checkpoint = model(b);
	else if (kind === "method") own.map = map(b);
	else if (kind === "snapshot") own.snapshot = index(b);
	else if (kind === "class") own.target = classOf(b);
	else if (kind === "head") {
		const [layer, head] = (b ?? "").split("-");
		Object.assign(own, {
			layer: layerOf(layer),
			head: headOf(head)
		});
	}
	return {
		kind,
		a: {
			...EMPTY,
			checkpoint: model(get("checkpoint")),
			image: image(get("image"), uploads[0]),
			map: map(get("method")),
			layer: layerOf(get("layer")),
			head: headOf(get("head")),
			target: classOf(get("class")),
			snapshot: index(get("snapshot"))
		},
		b: own,
		mode: oneOf(get("mode"), ["zero", "mean"]),
		patchMode: oneOf(get("patch_mode"), ["drop", "gray"]),
		patch: get("patch"),
		ablated: get("ablated"),
		removed: get("removed"),
		missing
	};
}
function outside({ kind, a, b, patch, ablated, removed }, shape, classes, snapshots) {
	const found = [];
	const check = (what, value, count) => {
		if (value !== null && value >= count) found.push(unavailable(what, String(value + 1), String(count)));
	};
	for (const side of [a, b]) {
		check("layer", side.layer, shape.layers);
		check("head", side.head, shape.heads);
		if (kind === "snapshot") check("snapshot", side.snapshot, snapshots);
		if (side.target !== null && side.target >= classes) found.push(unavailable("class", String(side.target), "the predicted class"));
	}
	const [inside, linked] = [parsePatches(patch, shape).length, patch?.split("_").length ?? 0];
	const isLost = kind === "ablation" && [[parseHeads(ablated, shape).length, ablated?.split("_").length ?? 0], [parsePatches(removed, shape).length, removed?.split("_").length ?? 0]].some(([here, all]) => here < all);
	if (inside < linked || isLost) found.push("Patches or heads of this link that the model does not have are left out.");
	return found;
}
var OWN = {
	image: ({ image }) => image && imageParam(image),
	model: ({ checkpoint }) => checkpoint,
	snapshot: ({ snapshot }) => (snapshot ?? 0) + 1,
	method: ({ map }) => map,
	class: ({ target }) => target === null ? null : String(target),
	head: ({ layer, head }) => `${numberName(layer ?? -1)}-${numberName(head ?? -1)}`,
	ablation: () => null
};
function addressOf(kind, a, b, query, shape, modes) {
	const isAblation = kind === "ablation";
	return {
		compare: kind,
		checkpoint: a.checkpoint,
		image: a.image ? imageParam(a.image) : null,
		layer: a.layer === null ? null : numberName(a.layer),
		head: a.head === null ? null : numberName(a.head),
		method: a.map === "attention-head" ? null : a.map,
		class: a.target === null ? null : String(a.target),
		snapshot: kind === "snapshot" ? (a.snapshot ?? 0) + 1 : null,
		b: OWN[kind](b),
		patch: patchesParam(query, shape),
		ablated: isAblation ? headsParam(b.ablated, shape) : null,
		removed: isAblation ? patchesParam(b.removed, shape) : null,
		mode: isAblation && b.ablated.length ? modes.mode : null,
		patch_mode: isAblation && b.removed.length ? modes.patchMode : null
	};
}
// src/compare/requests.ts
var WRITING_DELAY = 150;
var MAX_EXPLAINED = 12;
var EXPIRED = "An image has expired on the server. Choose it again.";
var NO_TIMELINE = (model) => `${model} has no snapshots: choose the shipped model or a run of Train.`;
var onlyOne = (isPublic) => `Only one model is here, which is compared with itself.${isPublic ? "" : " Open another one by Models, or train one."}`;
async function refresh(page, how = "replaceState") {
	const mine = ++page.ticket;
	page.state = "working";
	const waiting = setTimeout(() => mine === page.ticket && page.showNotice("Working…"), 300);
	const isStale = () => mine !== page.ticket;
	let found = await compare(page, isStale);
	if (found === null && !isStale()) {
		page.explained.clear();
		found = await compare(page, isStale);
	}
	clearTimeout(waiting);
	if (isStale() || found === "stale") return;
	if (found === null || isRefusal(found)) {
		Object.assign(page, page.settled);
		page.showNotice(found ? reasonOf(found) : EXPIRED, true);
		page.state = "error";
		return;
	}
	const isAlone = page.kind === "model" && page.models.length < 2;
	page.showNotice(isAlone ? onlyOne(page.host.catalog.public) : "");
	const { kind, a, own, query, mode, patchMode } = page;
	Object.assign(page, { settled: {
		kind,
		a,
		own,
		query,
		mode,
		patchMode
	} });
	Object.assign(page, {
		shown: found,
		reading: null,
		state: "ready",
		ready: page.ready + 1
	});
	clearTimeout(page.writing);
	if (how === "replaceState" && page.kind === "snapshot") page.writing = setTimeout(writeAddress, WRITING_DELAY, page);
	else writeAddress(page, how);
}
async function compare(page, isStale) {
	Object.assign(page, { own: firstOfB(page.kind, page.a, page.own, page.models, page.images.samples) });
	const pair = await pairOf(page);
	if (isStale()) return "stale";
	if (isRefusal(pair)) return pair;
	complete(page, pair);
	const { kind, b, own, mode, patchMode } = page;
	const keys = pair.keys && [...pair.keys];
	if (kind === "ablation" && keys && (own.ablated.length || own.removed.length)) {
		const { heads } = pair.a.shape;
		const changes = {
			heads: own.ablated.map((k) => [Math.floor(k / heads), k % heads]),
			patches: [...own.removed],
			mode,
			patch_mode: patchMode
		};
		const ablated = await page.host.request("ablate", {
			key: keys[0],
			...changes
		});
		if (isStale()) return "stale";
		if (!isServed(ablated)) return ablated;
		keys[1] = ablated.key;
	}
	const request = requestOf(page, pair, keys);
	const reply = await page.host.request("compare", request);
	if (isStale()) return "stale";
	if (!isServed(reply)) return reply;
	const removed = kind === "ablation" ? b.removed : [];
	const { snapshots } = pair;
	return {
		kind,
		reply,
		request,
		a: pair.a,
		b: pair.b,
		snapshots,
		removed,
		isGray: patchMode === "gray"
	};
}
function requestOf(page, pair, keys) {
	const { kind, a, b, query, isSimilarity } = page;
	const targets = targetsOf(kind, a, b, pair.a, pair.b);
	const [first, second] = [a, b].map((view, side) => ({
		key: keys ? keys[side] : null,
		snapshot: pair.snapshots ? snapshotOf(view, pair.snapshots) : null,
		method: view.map === "attention-head" || view.map === "similarity" ? null : view.map,
		layer: layerIn(view.layer, [pair.a, pair.b][side].shape),
		head: headIn(view.head, [pair.a, pair.b][side].shape),
		target: page.isForClass(view.map) ? targets[side] : []
	}));
	return {
		a: first,
		b: second,
		query: page.hasQuery && !isSimilarity && sameGrid(pair.a.shape, pair.b.shape) ? [...query] : [],
		similarTo: isSimilarity ? query[0] ?? 0 : null
	};
}
var sameGrid = (one, other) => one.rows === other.rows && one.columns === other.columns;
var headIn = (head, { heads }) => head === null || head === -1 ? null : Math.min(head, heads - 1);
function layerIn(layer, { layers, pooled }) {
	if (layer === -2) return pooled ? "pool" : layers - 1;
	return layer === null || layer === -1 ? null : Math.min(layer, layers - 1);
}
function snapshotOf(view, { images }) {
	return {
		source: view.checkpoint,
		image: probeImage(view.image, images),
		index: view.snapshot ?? 0
	};
}
function probeImage(image, images) {
	return Math.max(0, images.findIndex(({ name }) => image?.kind === "sample" && image.name === name));
}
function complete(page, { a: first, snapshots }) {
	const { kind, linked } = page;
	const count = snapshots?.epochs.length ?? 1;
	const map = mapFor(kind, page.a.map, mapsOf(kind, page.host.catalog.methods, first.classes.length > 0));
	if (linked) {
		page.query = parsePatches(linked.patch, first.shape).slice(0, 1);
		if (kind === "ablation") {
			const [ablated, removed] = [parseHeads(linked.ablated, first.shape), parsePatches(linked.removed, first.shape)];
			page.own = {
				...page.own,
				ablated,
				removed
			};
		}
		page.linked = null;
		linked.missing.push(...outside(linked, first.shape, first.classes.length, count));
	}
	const inGrid = page.query.filter((patch) => patch < first.shape.rows * first.shape.columns);
	page.a = completeA(kind, {
		...page.a,
		map
	}, first, count);
	page.own = completeB(kind, page.a, page.own, first, count);
	page.query = page.isSimilarity && !inGrid.length ? [middlePatch(first.shape)] : inGrid;
}
async function pairOf(page) {
	const { a, b, kind } = page;
	if (kind === "snapshot") {
		const snapshots = await page.host.request("compare_snapshots", { source: a.checkpoint });
		if (isRefusal(snapshots)) return snapshots;
		if (snapshots === null) return { error: NO_TIMELINE(a.checkpoint) };
		const { shape, classes, images } = snapshots;
		const known = {
			shape,
			classes,
			probabilities: [],
			src: images[probeImage(a.image, images)].src,
			opening: {
				layer: shape.layers - 1,
				head: -1
			}
		};
		return {
			a: known,
			b: known,
			keys: null,
			snapshots
		};
	}
	const first = await explain(page, a);
	if (!isServed(first)) return first ?? { error: "The server did not answer. Check that vitviz is still running, then try again." };
	const second = await explain(page, b);
	if (!isServed(second)) return second ?? { error: "The server did not answer. Check that vitviz is still running, then try again." };
	return {
		a: knownOf(first),
		b: knownOf(second),
		keys: [first.key, second.key],
		snapshots: null
	};
}
async function explain(page, { checkpoint, image }) {
	if (!image) return { error: "No image found: choose one, or upload an image." };
	const name = JSON.stringify([checkpoint, image]);
	const held = page.explained.get(name);
	if (held) return held;
	const reply = await page.host.request("explain", {
		checkpoint,
		image
	});
	if (isServed(reply)) page.explained.set(name, reply);
	const [oldest] = page.explained.keys();
	if (page.explained.size > MAX_EXPLAINED) page.explained.delete(oldest);
	return reply;
}
function knownOf(reply) {
	const { layers, heads, rows, columns, aspect, prefix, classToken, distilled, classes, probabilities, image, pool } = reply;
	const shape = {
		layers,
		heads,
		rows,
		columns,
		aspect,
		prefix,
		classToken,
		distilled,
		pooled: pool !== null
	};
	return {
		shape,
		classes,
		probabilities,
		src: image.src,
		opening: sharpestHead(shape, floatsOf(reply.cls))
	};
}
// src/compare/link.ts
var params = () => new URLSearchParams(location.search);
var named = () => `${params().get("checkpoint")} ${params().get("image")}`;
var uploads = () => [uploadOf(history.state), uploadOf({ upload: history.state?.uploadB })];
function writeAddress(page, how = "replaceState") {
	const { kind, a, b, own, query, shown } = page;
	if (!page.root?.clientWidth || !shown) return;
	const upload = (image) => image?.kind === "upload" ? image : null;
	const values = addressOf(kind, a, own, query, shown.a.shape, page);
	updateAddress(values, DEFAULTS, how, {
		upload: upload(a.image),
		uploadB: upload(b.image)
	});
	page.followed = named();
}
function follow(page) {
	const linked = readAddress(params(), page.catalog, uploads());
	const checkpoint = linked.a.checkpoint || page.models[0].name;
	const model = page.models.find(({ name }) => name === checkpoint);
	const image = linked.a.image ?? firstImage(page.catalog, model);
	Object.assign(page, {
		kind: linked.kind,
		own: linked.b,
		mode: linked.mode,
		patchMode: linked.patchMode,
		linked
	});
	page.a = {
		...linked.a,
		checkpoint,
		image
	};
	page.settled = null;
	page.uploading = {
		a: null,
		b: null
	};
	page.followed = named();
}
async function open(page) {
	const { checkpoint, b, compare } = Object.fromEntries(params());
	const isNewer = (name) => name && !page.models.some((model) => model.name === name);
	if (isNewer(checkpoint) || compare === "model" && isNewer(b)) await refreshLists(page);
	follow(page);
	const { missing } = page.linked ?? { missing: [] };
	await refresh(page);
	if (page.isError) await openNearest(page);
	if (missing.length && !page.isError) page.showNotice(missing.join(" "));
}
async function openNearest(page) {
	const reason = page.status;
	const image = firstImage(page.catalog);
	page.a = {
		...page.a,
		image,
		map: ATTENTION
	};
	page.own = {
		...page.own,
		image: null
	};
	if (page.kind === "snapshot") page.a = {
		...page.a,
		checkpoint: page.models[0].name
	};
	await refresh(page);
	if (!page.isError) page.showNotice(reason, true);
}
async function start(page, root) {
	page.root = root;
	const images = await page.host.request("compare_images", {});
	if (!isServed(images)) {
		page.showNotice(reasonOf(images), true);
		page.state = "error";
		return;
	}
	page.images = images;
	if (!page.models.length) {
		page.showNotice("No model found: put a checkpoint into the checkpoints folder and restart vitviz.", true);
		page.state = "error";
		return;
	}
	await open(page);
	let isFirst = true;
	new IntersectionObserver(([entry]) => {
		if (entry.isIntersecting && !isFirst) comeBack(page);
		isFirst = false;
	}).observe(root);
	window.addEventListener("popstate", () => {
		if (page.root?.clientWidth && params().get("tab") === "compare") open(page);
	});
}
async function comeBack(page) {
	page.explained.clear();
	await refreshLists(page);
	if (named() !== page.followed || page.state === "error") await open(page);
}
async function refreshLists(page) {
	const lists = await refreshModels(page.host.request);
	if (lists) page.models = lists.checkpoints;
}
// src/compare/actions.ts
function chooseKind(page, kind) {
	if (kind === page.kind) return;
	Object.assign(page, {
		kind,
		own: EMPTY,
		removing: false,
		linked: null
	});
	refresh(page, "pushState");
}
function chooseA(page, change) {
	page.a = {
		...page.a,
		...change
	};
	refresh(page);
}
function chooseB(page, change) {
	page.own = {
		...page.own,
		...change
	};
	refresh(page);
}
function chooseSide(page, side, change) {
	if (change.image) page.uploading[side] = null;
	if (side === "a") chooseA(page, change);
	else chooseB(page, change);
}
function chooseModel(page, side, checkpoint) {
	if (side === "a") page.own = {
		...page.own,
		ablated: [],
		removed: []
	};
	chooseSide(page, side, side === "a" ? {
		checkpoint,
		target: null
	} : { checkpoint });
}
function chooseMode(page, change) {
	Object.assign(page, change);
	refresh(page);
}
var toggled = (list, one) => list.includes(one) ? list.filter((other) => other !== one) : [...list, one].sort((a, b) => a - b);
function pick(page, patch) {
	if (page.kind === "ablation" && page.removing) return chooseB(page, { removed: toggled(page.own.removed, patch) });
	if (!page.hasQuery) return;
	if (page.shown && !page.isSimilarity && !page.shown.reply.difference && page.kind === "model") return page.showNotice("The grids differ: the query stays the class token.");
	page.query = page.query[0] === patch && !page.isSimilarity ? [] : [patch];
	refresh(page);
}
function queryClassToken(page) {
	if (!page.query.length || page.isSimilarity) return;
	page.query = [];
	refresh(page);
}
function read(page, reading) {
	page.reading = reading;
	clearTimeout(page.speaking);
	if (reading) page.speaking = setTimeout(() => page.voice = page.sentence, 600);
}
async function takeFile(page, side, file) {
	const { upload, catalog } = page.host;
	if (!upload) return;
	const refusal = refusalOf(file, catalog.maxBytes);
	if (refusal) return page.showNotice(refusal, true);
	page.uploading[side] = file;
	const isCurrent = () => page.uploading[side] === file;
	const waiting = setTimeout(() => isCurrent() && page.showNotice("Working…"), 300);
	const uploaded = await upload(file).catch(() => null);
	clearTimeout(waiting);
	if (!isCurrent()) return;
	if (uploaded) chooseSide(page, side, { image: {
		kind: "upload",
		path: uploaded.path,
		name: file.name
	} });
	else page.showNotice(`${file.name} could not be uploaded: the server is unreachable or full. Try again later.`, true);
}
var FORMATS = [
	"png",
	"svg",
	"pdf",
	"npz",
	"csv"
];
async function saveFigure(page, format) {
	if (!page.shown) return;
	page.showNotice("Drawing…");
	const link = [page.a.image, page.b.image].some((image) => image?.kind === "upload") ? null : location.href;
	const reply = await page.host.request("compare_figure", {
		...page.shown.request,
		format,
		link
	});
	if (!isServed(reply)) return page.showNotice(reply ? reasonOf(reply) : "An image has expired on the server. Choose it again.", true);
	saveAs(reply.name, reply.src);
	page.showNotice(`Saved as ${reply.name}.`);
}
async function copyLink(page) {
	writeAddress(page);
	const rest = [page.a.image, page.b.image].some((image) => image?.kind === "upload") ? " It does not contain the uploaded image." : "";
	try {
		await navigator.clipboard.writeText(location.href);
		page.showNotice(`Link copied.${rest}`);
	} catch {
		page.showNotice(`The browser does not allow copying: copy the link from the address bar.${rest}`);
	}
}
// src/compare/HeadFields.svelte
var root$9 = from_html(`<span>Layer</span>`);
var root_1$10 = from_html(`<option> </option>`);
var root_2$9 = from_html(`<option>pool</option>`);
var root_3$7 = from_html(`<option>mean</option> <!>`, 1);
var root_4$3 = from_html(`<span>Head</span>`);
var root_5$2 = from_html(`<option>mean</option>`);
var root_6$1 = from_html(`<label class="pair-choice"><!> <select class="button"><!><!></select></label>`);
var root_7$1 = from_html(`<label class="pair-choice"><!> <select class="button"><!><!></select></label> <!>`, 1);
function HeadFields($$anchor, $$props) {
	push($$props, true);
	const suffix = prop($$props, "suffix", 3, ""), isCompact = prop($$props, "isCompact", 3, false);
	const numberOf = (event) => Number(event.currentTarget.value);
	var fragment = root_7$1();
	var label = first_child(fragment);
	var node = child(label);
	var consequent = ($$anchor) => {
		var span = root$9();
		append($$anchor, span);
	};
	if_block(node, ($$render) => {
		if (!isCompact()) $$render(consequent);
	});
	var select = sibling(node, 2);
	var node_1 = child(select);
	each(node_1, 17, () => ({ length: $$props.shape.layers }), index$1, ($$anchor, $$item, k) => {
		var option = root_1$10();
		var text = only_child(option);
		var option_value = {};
		template_effect(($0) => {
			set_text(text, `${isCompact() ? "layer " : ""}${k + 1}`);
			if (option_value !== (option_value = $0)) option.value = (option.__value = option_value) ?? "";
		}, [() => String(k)]);
		append($$anchor, option);
	});
	var node_2 = sibling(node_1);
	var consequent_2 = ($$anchor) => {
		var fragment_1 = root_3$7();
		var option_1 = first_child(fragment_1);
		var option_1_value = {};
		var node_3 = sibling(option_1, 2);
		var consequent_1 = ($$anchor) => {
			var option_2 = root_2$9();
			var option_2_value = {};
			template_effect(($0) => {
				if (option_2_value !== (option_2_value = $0)) option_2.value = (option_2.__value = option_2_value) ?? "";
			}, [() => String(-2)]);
			append($$anchor, option_2);
		};
		if_block(node_3, ($$render) => {
			if ($$props.shape.pooled) $$render(consequent_1);
		});
		template_effect(($0) => {
			if (option_1_value !== (option_1_value = $0)) option_1.value = (option_1.__value = option_1_value) ?? "";
		}, [() => String(-1)]);
		append($$anchor, fragment_1);
	};
	if_block(node_2, ($$render) => {
		if ($$props.head !== void 0 && !isCompact()) $$render(consequent_2);
	});
	reset(select);
	var select_value;
	init_select(select);
	reset(label);
	var node_4 = sibling(label, 2);
	var consequent_5 = ($$anchor) => {
		var label_1 = root_6$1();
		var node_5 = child(label_1);
		var consequent_3 = ($$anchor) => {
			var span_1 = root_4$3();
			append($$anchor, span_1);
		};
		if_block(node_5, ($$render) => {
			if (!isCompact()) $$render(consequent_3);
		});
		var select_1 = sibling(node_5, 2);
		var node_6 = child(select_1);
		each(node_6, 17, () => ({ length: $$props.shape.heads }), index$1, ($$anchor, $$item, k) => {
			var option_3 = root_1$10();
			var text_1 = only_child(option_3);
			var option_3_value = {};
			template_effect(($0) => {
				set_text(text_1, `${isCompact() ? "head " : ""}${k + 1}`);
				if (option_3_value !== (option_3_value = $0)) option_3.value = (option_3.__value = option_3_value) ?? "";
			}, [() => String(k)]);
			append($$anchor, option_3);
		});
		var node_7 = sibling(node_6);
		var consequent_4 = ($$anchor) => {
			var option_4 = root_5$2();
			var option_4_value = {};
			template_effect(($0) => {
				if (option_4_value !== (option_4_value = $0)) option_4.value = (option_4.__value = option_4_value) ?? "";
			}, [() => String(-1)]);
			append($$anchor, option_4);
		};
		if_block(node_7, ($$render) => {
			if (!isCompact()) $$render(consequent_4);
		});
		reset(select_1);
		var select_1_value;
		init_select(select_1);
		reset(label_1);
		template_effect(($0) => {
			set_attribute(select_1, "aria-label", `Head${suffix()}`);
			if (select_1_value !== (select_1_value = $0)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		}, [() => String($$props.head)]);
		delegated("change", select_1, (event) => $$props.onchoose({ head: numberOf(event) }));
		append($$anchor, label_1);
	};
	if_block(node_4, ($$render) => {
		if ($$props.head !== void 0) $$render(consequent_5);
	});
	template_effect(($0) => {
		set_attribute(select, "aria-label", `Layer${suffix()}`);
		if (select_value !== (select_value = $0)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
	}, [() => String($$props.layer)]);
	delegated("change", select, (event) => $$props.onchoose({ layer: numberOf(event) }));
	append($$anchor, fragment);
	pop();
}
delegate(["change"]);
// src/compare/Controls.svelte
var root$8 = from_html(`<label><input type="radio" name="compare"/><span> </span></label>`);
var root_1$9 = from_html(`<option> </option>`);
var root_2$8 = from_html(`<label class="pair-choice"><span>Map</span> <select class="button" aria-label="Map"></select></label>`);
var root_3$6 = from_html(`<label class="pair-choice"><span>Class</span> <select class="button" aria-label="Class"><option> </option><!></select></label>`);
var root_4$2 = from_html(`<label class="pair-choice"><span>Ablated heads</span> <select class="button" aria-label="Output of ablated heads"><option>Zero ablation</option><option>Mean ablation</option></select></label>`);
var root_5$1 = from_html(`<label class="pair-choice"><span>Removed patches</span> <select class="button" aria-label="Removed patches"><option>tokens dropped</option><option>painted gray</option></select></label>`);
var root_6 = from_html(`<button type="button" class="button" data-do="class-token"> </button>`);
var root_7 = from_html(`<span class="pair-note"> </span>`);
var root_8 = from_html(`<form class="pair-controls" aria-label="Comparison"><div class="choice pair-kinds" role="radiogroup" aria-label="Compare"><span class="name">Compare</span> <div class="options"></div></div> <div class="pair-row"><!> <!> <!> <!> <!> <!></div></form>`);
function Controls($$anchor, $$props) {
	push($$props, true);
	const shown = user_derived(() => $$props.page.shown);
	const showsHead = user_derived(() => $$props.page.kind === "method" ? [$$props.page.a.map, $$props.page.b.map].includes(ATTENTION) : $$props.page.a.map === "attention-head" && $$props.page.kind !== "head");
	const showsLayer = user_derived(() => $$props.page.a.map === "similarity" && $$props.page.kind !== "head" && $$props.page.kind !== "method");
	const isForClass = user_derived(() => $$props.page.kind !== "class" && [$$props.page.a.map, $$props.page.b.map].some((map) => $$props.page.isForClass(map)));
	const tokens = user_derived(() => get(shown)?.a.shape.classToken === false ? "mean of the patches" : "class token");
	var form = root_8();
	var div = child(form);
	var div_1 = sibling(child(div), 2);
	each(div_1, 21, () => KINDS, ([kind, title]) => kind, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let kind = () => get($$array)[0];
		let title = () => get($$array)[1];
		var label = root$8();
		var input = child(label);
		remove_input_defaults(input);
		var span = sibling(input);
		var text = only_child(span, true);
		reset(label);
		template_effect(() => {
			set_value(input, kind());
			set_checked(input, $$props.page.kind === kind());
			set_text(text, title());
		});
		delegated("change", input, () => chooseKind($$props.page, kind()));
		append($$anchor, label);
	});
	reset(div_1);
	reset(div);
	var div_2 = sibling(div, 2);
	var node = child(div_2);
	var consequent = ($$anchor) => {
		var label_1 = root_2$8();
		var select = sibling(child(label_1), 2);
		each(select, 21, () => $$props.page.maps, ([key, title]) => key, ($$anchor, $$item) => {
			var $$array_1 = user_derived(() => to_array(get($$item), 2));
			let key = () => get($$array_1)[0];
			let title = () => get($$array_1)[1];
			var option = root_1$9();
			var text_1 = only_child(option, true);
			var option_value = {};
			template_effect(() => {
				set_text(text_1, title());
				if (option_value !== (option_value = key())) option.value = (option.__value = option_value) ?? "";
			});
			append($$anchor, option);
		});
		reset(select);
		var select_value;
		init_select(select);
		reset(label_1);
		template_effect(() => {
			if (select_value !== (select_value = $$props.page.a.map)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		});
		delegated("change", select, (event) => chooseA($$props.page, { map: event.currentTarget.value }));
		append($$anchor, label_1);
	};
	if_block(node, ($$render) => {
		if ($$props.page.kind !== "method") $$render(consequent);
	});
	var node_1 = sibling(node, 2);
	var consequent_1 = ($$anchor) => {
		{
			let $0 = user_derived(() => $$props.page.a.layer ?? -1);
			let $1 = user_derived(() => get(showsHead) ? $$props.page.a.head ?? -1 : void 0);
			HeadFields($$anchor, {
				get shape() {
					return get(shown).a.shape;
				},
				get layer() {
					return get($0);
				},
				get head() {
					return get($1);
				},
				onchoose: (change) => chooseA($$props.page, change)
			});
		}
	};
	if_block(node_1, ($$render) => {
		if (get(shown) && (get(showsHead) || get(showsLayer))) $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2);
	var consequent_2 = ($$anchor) => {
		var label_2 = root_3$6();
		var select_1 = sibling(child(label_2), 2);
		var option_1 = child(select_1);
		var text_2 = only_child(option_1, true);
		option_1.value = option_1.__value = "";
		var node_3 = sibling(option_1);
		each(node_3, 17, () => uniqueNames(get(shown).a.classes), index$1, ($$anchor, name, k) => {
			var option_2 = root_1$9();
			var text_3 = only_child(option_2, true);
			var option_2_value = {};
			template_effect(($0) => {
				set_text(text_3, get(name));
				if (option_2_value !== (option_2_value = $0)) option_2.value = (option_2.__value = option_2_value) ?? "";
			}, [() => String(k)]);
			append($$anchor, option_2);
		});
		reset(select_1);
		var select_1_value;
		init_select(select_1);
		reset(label_2);
		template_effect(($0) => {
			set_text(text_2, $$props.page.kind === "image" ? "predicted class of each" : "predicted class of A");
			if (select_1_value !== (select_1_value = $0)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		}, [() => String($$props.page.a.target ?? "")]);
		delegated("change", select_1, (event) => chooseA($$props.page, { target: event.currentTarget.value === "" ? null : Number(event.currentTarget.value) }));
		append($$anchor, label_2);
	};
	if_block(node_2, ($$render) => {
		if (get(shown) && get(isForClass)) $$render(consequent_2);
	});
	var node_4 = sibling(node_2, 2);
	var consequent_3 = ($$anchor) => {
		var label_3 = root_4$2();
		var select_2 = sibling(child(label_3), 2);
		var option_3 = child(select_2);
		option_3.value = option_3.__value = "zero";
		var option_4 = sibling(option_3);
		option_4.value = option_4.__value = "mean";
		reset(select_2);
		var select_2_value;
		init_select(select_2);
		reset(label_3);
		template_effect(() => {
			if (select_2_value !== (select_2_value = $$props.page.mode)) select_2.value = (select_2.__value = select_2_value) ?? "", select_option(select_2, select_2_value);
		});
		delegated("change", select_2, (event) => chooseMode($$props.page, { mode: event.currentTarget.value === "mean" ? "mean" : "zero" }));
		append($$anchor, label_3);
	};
	if_block(node_4, ($$render) => {
		if ($$props.page.kind === "ablation" && $$props.page.own.ablated.length) $$render(consequent_3);
	});
	var node_5 = sibling(node_4, 2);
	var consequent_4 = ($$anchor) => {
		var label_4 = root_5$1();
		var select_3 = sibling(child(label_4), 2);
		var option_5 = child(select_3);
		option_5.value = option_5.__value = "drop";
		var option_6 = sibling(option_5);
		option_6.value = option_6.__value = "gray";
		reset(select_3);
		var select_3_value;
		init_select(select_3);
		reset(label_4);
		template_effect(() => {
			if (select_3_value !== (select_3_value = $$props.page.patchMode)) select_3.value = (select_3.__value = select_3_value) ?? "", select_option(select_3, select_3_value);
		});
		delegated("change", select_3, (event) => chooseMode($$props.page, { patchMode: event.currentTarget.value === "gray" ? "gray" : "drop" }));
		append($$anchor, label_4);
	};
	if_block(node_5, ($$render) => {
		if ($$props.page.kind === "ablation" && $$props.page.own.removed.length) $$render(consequent_4);
	});
	var node_6 = sibling(node_5, 2);
	var consequent_7 = ($$anchor) => {
		var fragment_1 = comment();
		var node_7 = first_child(fragment_1);
		var consequent_5 = ($$anchor) => {
			var button = root_6();
			var text_4 = only_child(button);
			template_effect(($0) => set_text(text_4, `Query: ${$0 ?? ""} · back to the ${get(tokens) ?? ""}`), [() => patchName($$props.page.query[0], get(shown).a.shape)]);
			delegated("click", button, () => queryClassToken($$props.page));
			append($$anchor, button);
		};
		var consequent_6 = ($$anchor) => {
			var span_1 = root_7();
			var text_5 = only_child(span_1);
			template_effect(() => set_text(text_5, `Query: ${get(tokens) ?? ""}. Click a patch to query it.`));
			append($$anchor, span_1);
		};
		if_block(node_7, ($$render) => {
			if ($$props.page.query.length && get(shown)) $$render(consequent_5);
			else if (get(shown)?.reply.difference) $$render(consequent_6, 1);
		});
		append($$anchor, fragment_1);
	};
	if_block(node_6, ($$render) => {
		if ($$props.page.hasQuery && !$$props.page.isSimilarity) $$render(consequent_7);
	});
	reset(div_2);
	reset(form);
	event("submit", form, (event) => event.preventDefault());
	append($$anchor, form);
	pop();
}
delegate(["change", "click"]);
// src/compare/Bar.svelte
var root$7 = from_html(`<i></i>`);
var root_1$8 = from_html(`<span> </span>`);
var root_2$7 = from_html(`<div class="pair-bar" aria-hidden="true"><canvas></canvas> <!> <!></div> <p class="pair-unit"> </p>`, 1);
function Bar($$anchor, $$props) {
	push($$props, true);
	const value = prop($$props, "value", 3, null);
	const ticks = user_derived(() => ticksOf($$props.scale));
	const at = user_derived(() => value() === null ? -1 : Math.min(1, Math.max(0, place($$props.scale, value()))));
	let canvas;
	user_effect(() => paintPixels(makeTile(canvas, 256, 1), $$props.table));
	var fragment = root_2$7();
	var div = first_child(fragment);
	var canvas_1 = child(div);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var node = sibling(canvas_1, 2);
	var consequent = ($$anchor) => {
		var i = root$7();
		let styles;
		template_effect(() => styles = set_style(i, "", styles, { left: `${100 * get(at)}%` }));
		append($$anchor, i);
	};
	if_block(node, ($$render) => {
		if (get(at) >= 0) $$render(consequent);
	});
	var node_1 = sibling(node, 2);
	each(node_1, 17, () => get(ticks), index$1, ($$anchor, $$item, k) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let left = () => get($$array)[0];
		let text = () => get($$array)[1];
		var span = root_1$8();
		let styles_1;
		var text_1 = only_child(span, true);
		template_effect(() => {
			set_class(span, 1, clsx({
				first: k === 0,
				last: k === get(ticks).length - 1,
				inner: k % 2 === 1
			}));
			styles_1 = set_style(span, "", styles_1, { left: `${100 * left()}%` });
			set_text(text_1, text());
		});
		append($$anchor, span);
	});
	reset(div);
	var p = sibling(div, 2);
	var text_2 = only_child(p, true);
	template_effect(() => set_text(text_2, $$props.unit));
	append($$anchor, fragment);
	pop();
}
// src/compare/Stage.svelte
var root$6 = from_html(`<canvas></canvas>`);
var root_1$7 = from_html(`<img alt="" draggable="false"/>`);
var root_2$6 = from_html(`<span></span>`);
var root_3$5 = from_html(`<span class="pair-mark query"></span>`);
var root_4$1 = from_html(`<span class="pair-mark read"></span>`);
var root_5 = from_html(`<div class="pair-stage" role="application"><!> <div></div> <!> <!> <!></div>`);
function Stage($$anchor, $$props) {
	push($$props, true);
	const removed = prop($$props, "removed", 19, () => []), isGray = prop($$props, "isGray", 3, false);
	let canvas = state(void 0);
	const crossed = user_derived(() => $$props.values ? [...$$props.values.keys()].filter((k) => $$props.values[k] === null) : removed());
	user_effect(() => {
		if (get(canvas) && $$props.values && $$props.scale && $$props.table) {
			const numbers = $$props.values.map((value) => value ?? 0);
			paintTile(makeTile(get(canvas), $$props.shape.columns, $$props.shape.rows), numbers, 0, $$props.table, $$props.scale);
		}
	});
	function move(event) {
		if (event.pointerType === "touch") return;
		const patch = patchAt(event.currentTarget, event, $$props.shape);
		if (patch !== $$props.read) $$props.onread(patch);
	}
	function click(event) {
		const patch = patchAt(event.currentTarget, event, $$props.shape);
		if (patch < 0) return;
		$$props.onread(patch);
		if (!("pointerType" in event && event.pointerType === "touch" && $$props.values)) $$props.onpick?.(patch);
	}
	function press(event) {
		if (isShortcut(event)) return;
		const from = $$props.read >= 0 ? $$props.read : $$props.query[0] ?? middlePatch($$props.shape);
		if (GRID_KEYS.includes(event.key)) $$props.onread(neighbour(from, event.key, $$props.shape));
		else if ((event.key === "Enter" || event.key === " ") && $$props.read >= 0 && $$props.onpick) $$props.onpick($$props.read);
		else if (event.key === "Escape") $$props.onescape?.();
		else return;
		event.preventDefault();
	}
	var div = root_5();
	let styles;
	set_attribute(div, "tabindex", 0);
	var node = child(div);
	var consequent = ($$anchor) => {
		var canvas_1 = root$6();
		bind_this(canvas_1, ($$value) => set(canvas, $$value), () => get(canvas));
		append($$anchor, canvas_1);
	};
	var consequent_1 = ($$anchor) => {
		var img = root_1$7();
		template_effect(() => set_attribute(img, "src", $$props.src));
		append($$anchor, img);
	};
	var d = user_derived(() => isImageUrl($$props.src));
	if_block(node, ($$render) => {
		if ($$props.values) $$render(consequent);
		else if (get(d)) $$render(consequent_1, 1);
	});
	var div_1 = sibling(node, 2);
	var node_1 = sibling(div_1, 2);
	each(node_1, 16, () => get(crossed), (patch) => patch, ($$anchor, patch) => {
		var span = root_2$6();
		let styles_1;
		template_effect(($0, $1) => {
			set_class(span, 1, clsx([
				"pair-mark",
				"crossed",
				{ gray: isGray() && !$$props.values }
			]));
			styles_1 = set_style(span, "", styles_1, {
				left: $0,
				top: $1
			});
		}, [() => cornerOf(patch, $$props.shape).left, () => cornerOf(patch, $$props.shape).top]);
		append($$anchor, span);
	});
	var node_2 = sibling(node_1, 2);
	each(node_2, 16, () => $$props.query, (patch) => patch, ($$anchor, patch) => {
		var span_1 = root_3$5();
		let styles_2;
		template_effect(($0, $1) => styles_2 = set_style(span_1, "", styles_2, {
			left: $0,
			top: $1
		}), [() => cornerOf(patch, $$props.shape).left, () => cornerOf(patch, $$props.shape).top]);
		append($$anchor, span_1);
	});
	var node_3 = sibling(node_2, 2);
	var consequent_2 = ($$anchor) => {
		var span_2 = root_4$1();
		let styles_3;
		template_effect(($0, $1) => styles_3 = set_style(span_2, "", styles_3, {
			left: $0,
			top: $1
		}), [() => cornerOf($$props.read, $$props.shape).left, () => cornerOf($$props.read, $$props.shape).top]);
		append($$anchor, span_2);
	};
	if_block(node_3, ($$render) => {
		if ($$props.read >= 0) $$render(consequent_2);
	});
	reset(div);
	template_effect(($0) => {
		set_attribute(div, "data-stage", $$props.name);
		styles = set_style(div, `--rows: ${$$props.shape.rows ?? ""}; --columns: ${$$props.shape.columns ?? ""}`, styles, {
			"aspect-ratio": $$props.shape.aspect,
			"--fit": $0
		});
		set_attribute(div, "aria-label", $$props.label);
		set_class(div_1, 1, clsx(["patch-grid", $$props.src && "on-image"]));
	}, [() => Math.min(1, $$props.shape.aspect)]);
	delegated("pointermove", div, move);
	event("pointerleave", div, (event) => event.pointerType !== "touch" && $$props.onread(-1));
	event("blur", div, () => $$props.onread(-1));
	delegated("click", div, click);
	delegated("keydown", div, press);
	append($$anchor, div);
	pop();
}
delegate([
	"pointermove",
	"click",
	"keydown"
]);
// src/compare/sentences.ts
function scaleOf({ kind, limit, isWeight }) {
	if (kind === "uniform") return {
		kind,
		uniform: limit,
		isWeight
	};
	return {
		kind,
		limit,
		isWeight
	};
}
function samePlace(patch, from, to) {
	if (patch < 0) return -1;
	const row = Math.floor((Math.floor(patch / from.columns) + .5) / from.rows * to.rows);
	const column = Math.floor((patch % from.columns + .5) / from.columns * to.columns);
	return row * to.columns + column;
}
function patchesAt(reply, place, patch) {
	if (place === "b") return [samePlace(patch, reply.b, reply.a), patch];
	return [patch, samePlace(patch, reply.a, reply.b)];
}
function valueText(value, scale) {
	if (value === null) return "no value";
	if (scale.kind === "uniform") return `${written(value, 2)} × uniform`;
	if (scale.kind === "signed") return signed(value, signedDigits(scale));
	return scale.isWeight ? percent(value) : written(value, 2);
}
function differenceText(value, { differenceScale, differenceUnit }) {
	const digits = differenceUnit === "percentage points" ? Math.max(1, signedDigits(differenceScale) - 1) : signedDigits(differenceScale);
	return `${signed(value, digits)} ${differenceUnit}`;
}
var readingSentence = (reply, place, patch) => capital(reading(reply, place, patch));
function reading(reply, place, patch) {
	const [inA, inB] = patchesAt(reply, place, patch);
	const { a, b, scale, difference } = reply;
	const [first, second] = [valueText(a.values[inA], scale), valueText(b.values[inB], scale)];
	if (a.rows !== b.rows || a.columns !== b.columns) return `A, ${patchName(inA, a)}: ${first}. The same place in B, ${patchName(inB, b)}: ${second}.`;
	const values = `${patchName(inA, a)}: A ${first}, B ${second}`;
	const change = difference?.[inA];
	return change === null || change === void 0 ? `${values}.` : `${values}, difference ${differenceText(change, reply)}.`;
}
function restingSentence(reply) {
	const { mostChanged } = reply;
	return mostChanged === null ? "Point at a patch to read both maps." : `Largest difference: ${reading(reply, "a", mostChanged)}`;
}
function mapLabel(name, values, shape, format) {
	let [most, least] = [-1, -1];
	for (const [k, value] of values.entries()) {
		if (value === null) continue;
		if (most < 0 || value > (values[most] ?? 0)) most = k;
		if (least < 0 || value < (values[least] ?? 0)) least = k;
	}
	if (most < 0) return `${name}: no values.`;
	const [high, low] = [format(values[most] ?? 0), format(values[least] ?? 0)];
	return `${name}: largest at ${patchName(most, shape)}, ${high}; smallest at ${patchName(least, shape)}, ${low}.`;
}
// src/compare/Difference.svelte
var root$5 = from_html(`<p class="pair-correlation"><b> </b> rank correlation</p>`);
var root_1$6 = from_html(`<p class="pair-note pair-warning"> </p>`);
var root_2$5 = from_html(`<h3>Difference of the maps</h3> <div class="pair-map"><!></div> <div><!></div>`, 1);
var root_3$4 = from_html(`<section class="pair-side pair-difference" aria-label="Difference"><div class="pair-head"><h2>B − A</h2></div> <div class="pair-text"><!> <p class="pair-note"> </p> <!></div> <!></section>`);
function Difference($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.shown.reply);
	const scale = user_derived(() => scaleOf(get(reply).differenceScale));
	const table = user_derived(() => $$props.page.theme.table("div"));
	const patch = user_derived(() => $$props.page.reading ? patchesAt(get(reply), $$props.page.reading.place, $$props.page.reading.patch)[0] : -1);
	const label = user_derived(() => mapLabel("Difference, B minus A", get(reply).difference ?? [], get(reply).a, (value) => differenceText(value, get(reply))));
	var section = root_3$4();
	var div = sibling(child(section), 2);
	var node = child(div);
	var consequent = ($$anchor) => {
		var p = root$5();
		var b = child(p);
		var text = only_child(b, true);
		next();
		reset(p);
		template_effect(($0) => set_text(text, $0), [() => written(get(reply).correlation, 2)]);
		append($$anchor, p);
	};
	if_block(node, ($$render) => {
		if (get(reply).correlation !== null) $$render(consequent);
	});
	var p_1 = sibling(node, 2);
	var text_1 = only_child(p_1, true);
	var node_1 = sibling(p_1, 2);
	each(node_1, 17, () => get(reply).notes, index$1, ($$anchor, note) => {
		var p_2 = root_1$6();
		var text_2 = only_child(p_2, true);
		template_effect(() => set_text(text_2, get(note)));
		append($$anchor, p_2);
	});
	reset(div);
	var node_2 = sibling(div, 2);
	var consequent_1 = ($$anchor) => {
		var fragment = root_2$5();
		var div_1 = sibling(first_child(fragment), 2);
		var node_3 = child(div_1);
		{
			let $0 = user_derived(() => `${get(label)} Arrow keys read both maps.`);
			Stage(node_3, {
				name: "difference",
				get shape() {
					return get(reply).a;
				},
				get values() {
					return get(reply).difference;
				},
				get scale() {
					return get(scale);
				},
				get table() {
					return get(table);
				},
				get label() {
					return get($0);
				},
				get read() {
					return get(patch);
				},
				query: [],
				onread: (one) => read($$props.page, one < 0 ? null : {
					place: "difference",
					patch: one
				})
			});
		}
		reset(div_1);
		var div_2 = sibling(div_1, 2);
		var node_4 = child(div_2);
		{
			let $0 = user_derived(() => get(patch) < 0 ? null : get(reply).difference[get(patch)]);
			Bar(node_4, {
				get scale() {
					return get(scale);
				},
				get unit() {
					return get(reply).differenceScale.unit;
				},
				get table() {
					return get(table);
				},
				get value() {
					return get($0);
				}
			});
		}
		reset(div_2);
		append($$anchor, fragment);
	};
	if_block(node_2, ($$render) => {
		if (get(reply).difference) $$render(consequent_1);
	});
	reset(section);
	template_effect(() => set_text(text_1, get(reply).correlationSentence));
	append($$anchor, section);
	pop();
}
// src/compare/Predictions.svelte
var root$4 = from_html(`<p class="pair-note"> </p>`);
var root_1$5 = from_html(`<tr><th scope="row"> <span class="pair-bars" aria-hidden="true"><i></i><i class="b"></i></span></th><td> </td><td> </td><td> </td></tr>`);
var root_2$4 = from_html(`<table><thead><tr><th scope="col">Class</th><th scope="col">A</th><th scope="col">B</th><th scope="col">Change (pp)</th></tr></thead><tbody></tbody></table> <!>`, 1);
var root_3$3 = from_html(`<section class="pair-predictions" aria-label="Prediction"><h2>Prediction</h2> <p class="pair-note"> </p> <!> <!></section>`);
function Predictions($$anchor, $$props) {
	push($$props, true);
	const LISTED = 8;
	const listed = user_derived(() => $$props.reply.classes.slice(0, LISTED));
	const rest = user_derived(() => $$props.reply.classes.length - get(listed).length);
	var section = root_3$3();
	var p = sibling(child(section), 2);
	var text = only_child(p, true);
	var node = sibling(p, 2);
	var consequent = ($$anchor) => {
		var p_1 = root$4();
		var text_1 = only_child(p_1);
		template_effect(($0) => set_text(text_1, `Total variation distance ${$0 ?? ""}: 0 for equal probabilities, 1 for disjoint.`), [() => $$props.reply.totalVariation.toFixed(2)]);
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if ($$props.reply.totalVariation !== null) $$render(consequent);
	});
	var node_1 = sibling(node, 2);
	var consequent_2 = ($$anchor) => {
		var fragment = root_2$4();
		var table = first_child(fragment);
		var tbody = sibling(child(table));
		each(tbody, 21, () => get(listed), ({ name, a, b, points }) => name, ($$anchor, $$item) => {
			let name = () => get($$item).name;
			let a = () => get($$item).a;
			let b = () => get($$item).b;
			let points = () => get($$item).points;
			var tr = root_1$5();
			var th = child(tr);
			var text_2 = child(th, true);
			var span = sibling(text_2);
			var i = child(span);
			let styles;
			var i_1 = sibling(i);
			let styles_1;
			reset(span);
			reset(th);
			var td = sibling(th);
			var text_3 = only_child(td, true);
			var td_1 = sibling(td);
			var text_4 = only_child(td_1, true);
			var td_2 = sibling(td_1);
			var text_5 = only_child(td_2, true);
			reset(tr);
			template_effect(($0, $1, $2, $3) => {
				set_text(text_2, name());
				styles = set_style(i, "", styles, { width: `${100 * a()}%` });
				styles_1 = set_style(i_1, "", styles_1, { width: `${100 * b()}%` });
				set_text(text_3, $0);
				set_text(text_4, $1);
				set_class(td_2, 1, $2);
				set_text(text_5, $3);
			}, [
				() => percent(a(), 1),
				() => percent(b(), 1),
				() => clsx({ changed: Math.abs(points()) >= 1 }),
				() => signed(points(), 1)
			]);
			append($$anchor, tr);
		});
		reset(tbody);
		reset(table);
		var node_2 = sibling(table, 2);
		var consequent_1 = ($$anchor) => {
			var p_2 = root$4();
			var text_6 = only_child(p_2);
			template_effect(() => set_text(text_6, `${get(rest) ?? ""} more classes are in the saved table.`));
			append($$anchor, p_2);
		};
		if_block(node_2, ($$render) => {
			if (get(rest) > 0) $$render(consequent_1);
		});
		append($$anchor, fragment);
	};
	if_block(node_1, ($$render) => {
		if (get(listed).length) $$render(consequent_2);
	});
	reset(section);
	template_effect(() => set_text(text, $$props.reply.predictionSentence));
	append($$anchor, section);
	pop();
}
// src/compare/Ablation.svelte
var root$3 = from_html(`<button type="button" class="button pair-chip"><span class="spoken"> </span><span aria-hidden="true"> </span></button>`);
var root_1$4 = from_html(`<button type="button" class="button pair-chip" data-do="restore"><span class="spoken">Restore all patches</span><span aria-hidden="true"> </span></button>`);
var root_2$3 = from_html(`<p class="pair-note">Click patches of an image or map; Enter by keyboard.</p>`);
var root_3$2 = from_html(`<div class="pair-ablation"><div class="pair-row"><!></div> <div class="pair-row"><button type="button" class="button" data-do="ablate"> </button> <!></div> <div class="pair-row"><button type="button" class="button" data-do="remove">Remove patches</button> <!></div> <!></div>`);
function Ablation($$anchor, $$props) {
	push($$props, true);
	const page = prop($$props, "page", 7);
	let layer = state(0);
	let head = state(0);
	const heads = user_derived(() => $$props.known.shape.heads);
	const $$d = user_derived(() => page().own), ablated = user_derived(() => get($$d).ablated), removed = user_derived(() => get($$d).removed);
	const chosen = user_derived(() => get(layer) * get(heads) + get(head));
	const headName = (k) => `layer ${Math.floor(k / get(heads)) + 1}, head ${k % get(heads) + 1}`;
	var div = root_3$2();
	var div_1 = child(div);
	HeadFields(child(div_1), {
		get shape() {
			return $$props.known.shape;
		},
		get layer() {
			return get(layer);
		},
		get head() {
			return get(head);
		},
		suffix: " to ablate",
		isCompact: true,
		onchoose: (change) => {
			set(layer, change.layer ?? get(layer));
			set(head, change.head ?? get(head));
		}
	});
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	var button = child(div_2);
	var text = only_child(button, true);
	var node_1 = sibling(button, 2);
	each(node_1, 16, () => get(ablated), (k) => k, ($$anchor, k) => {
		var button_1 = root$3();
		var span = child(button_1);
		var text_1 = only_child(span);
		var span_1 = sibling(span);
		var text_2 = only_child(span_1);
		reset(button_1);
		template_effect(($0, $1, $2) => {
			set_attribute(button_1, "title", $0);
			set_text(text_1, `Restore ${$1 ?? ""}`);
			set_text(text_2, `${$2 ?? ""}·${k % get(heads) + 1} ×`);
		}, [
			() => headName(k),
			() => headName(k),
			() => Math.floor(k / get(heads)) + 1
		]);
		delegated("click", button_1, () => chooseB(page(), { ablated: toggled(get(ablated), k) }));
		append($$anchor, button_1);
	});
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	var button_2 = child(div_3);
	var node_2 = sibling(button_2, 2);
	var consequent = ($$anchor) => {
		var button_3 = root_1$4();
		var span_2 = sibling(child(button_3));
		var text_3 = only_child(span_2);
		reset(button_3);
		template_effect(() => set_text(text_3, `${get(removed).length ?? ""} ×`));
		delegated("click", button_3, () => chooseB(page(), { removed: [] }));
		append($$anchor, button_3);
	};
	if_block(node_2, ($$render) => {
		if (get(removed).length) $$render(consequent);
	});
	reset(div_3);
	var node_3 = sibling(div_3, 2);
	var consequent_1 = ($$anchor) => {
		var p = root_2$3();
		append($$anchor, p);
	};
	if_block(node_3, ($$render) => {
		if (page().removing) $$render(consequent_1);
	});
	reset(div);
	template_effect(($0) => {
		set_text(text, $0);
		set_attribute(button_2, "aria-pressed", page().removing);
	}, [() => get(ablated).includes(get(chosen)) ? "Restore" : "Ablate"]);
	delegated("click", button, () => chooseB(page(), { ablated: toggled(get(ablated), get(chosen)) }));
	delegated("click", button_2, () => {
		page().removing = !page().removing;
	});
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/compare/Field.svelte
var root$2 = from_html(`<option> </option>`);
var root_1$3 = from_html(`<select class="button"></select>`);
var root_2$2 = from_html(`<option>predicted class</option>`);
var root_3$1 = from_html(`<select class="button"><!><!></select>`);
var root_4 = from_html(`<label class="pair-range"><input type="range" min="0"/> <span> </span></label>`);
function Field($$anchor, $$props) {
	push($$props, true);
	const letter = user_derived(() => $$props.side.toUpperCase());
	const view = user_derived(() => $$props.side === "a" ? $$props.page.a : $$props.page.b);
	const snapshots = user_derived(() => $$props.page.shown?.snapshots?.epochs ?? []);
	const epoch = user_derived(() => get(snapshots)[get(view).snapshot ?? 0] ?? 0);
	const select = (event) => event.currentTarget.value;
	var fragment = comment();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var select_1 = root_1$3();
		each(select_1, 21, () => $$props.page.models, (model) => model.name, ($$anchor, model) => {
			var option = root$2();
			var text = only_child(option, true);
			var option_value = {};
			template_effect(($0) => {
				set_text(text, $0);
				if (option_value !== (option_value = get(model).name)) option.value = (option.__value = option_value) ?? "";
			}, [() => modelOption(get(model))]);
			append($$anchor, option);
		});
		reset(select_1);
		var select_1_value;
		init_select(select_1);
		template_effect(() => {
			set_attribute(select_1, "aria-label", `Model of ${get(letter)}`);
			if (select_1_value !== (select_1_value = get(view).checkpoint)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		});
		delegated("change", select_1, (event) => chooseModel($$props.page, $$props.side, select(event)));
		append($$anchor, select_1);
	};
	var consequent_1 = ($$anchor) => {
		var select_2 = root_1$3();
		each(select_2, 21, () => $$props.page.maps, ([key, title]) => key, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let key = () => get($$array)[0];
			let title = () => get($$array)[1];
			var option_1 = root$2();
			var text_1 = only_child(option_1, true);
			var option_1_value = {};
			template_effect(() => {
				set_text(text_1, title());
				if (option_1_value !== (option_1_value = key())) option_1.value = (option_1.__value = option_1_value) ?? "";
			});
			append($$anchor, option_1);
		});
		reset(select_2);
		var select_2_value;
		init_select(select_2);
		template_effect(() => {
			set_attribute(select_2, "aria-label", `Method of ${get(letter)}`);
			if (select_2_value !== (select_2_value = get(view).map)) select_2.value = (select_2.__value = select_2_value) ?? "", select_option(select_2, select_2_value);
		});
		delegated("change", select_2, (event) => chooseSide($$props.page, $$props.side, { map: select(event) }));
		append($$anchor, select_2);
	};
	var consequent_3 = ($$anchor) => {
		var select_3 = root_3$1();
		var node_1 = child(select_3);
		var consequent_2 = ($$anchor) => {
			var option_2 = root_2$2();
			option_2.value = option_2.__value = "";
			append($$anchor, option_2);
		};
		if_block(node_1, ($$render) => {
			if ($$props.side === "a") $$render(consequent_2);
		});
		var node_2 = sibling(node_1);
		each(node_2, 17, () => uniqueNames($$props.known.classes), index$1, ($$anchor, name, k) => {
			var option_3 = root$2();
			var text_2 = only_child(option_3, true);
			var option_3_value = {};
			template_effect(($0) => {
				set_text(text_2, get(name));
				if (option_3_value !== (option_3_value = $0)) option_3.value = (option_3.__value = option_3_value) ?? "";
			}, [() => String(k)]);
			append($$anchor, option_3);
		});
		reset(select_3);
		var select_3_value;
		init_select(select_3);
		template_effect(($0) => {
			set_attribute(select_3, "aria-label", `Class of ${get(letter)}`);
			if (select_3_value !== (select_3_value = $0)) select_3.value = (select_3.__value = select_3_value) ?? "", select_option(select_3, select_3_value);
		}, [() => String(get(view).target ?? "")]);
		delegated("change", select_3, (event) => chooseSide($$props.page, $$props.side, { target: select(event) === "" ? null : Number(select(event)) }));
		append($$anchor, select_3);
	};
	var consequent_4 = ($$anchor) => {
		{
			let $0 = user_derived(() => get(view).layer ?? -1);
			let $1 = user_derived(() => $$props.page.isSimilarity ? void 0 : get(view).head ?? -1);
			let $2 = user_derived(() => ` of ${get(letter)}`);
			HeadFields($$anchor, {
				get shape() {
					return $$props.known.shape;
				},
				get layer() {
					return get($0);
				},
				get head() {
					return get($1);
				},
				get suffix() {
					return get($2);
				},
				onchoose: (change) => chooseSide($$props.page, $$props.side, change)
			});
		}
	};
	var consequent_5 = ($$anchor) => {
		var label = root_4();
		var input = child(label);
		remove_input_defaults(input);
		var span = sibling(input, 2);
		var text_3 = only_child(span);
		reset(label);
		template_effect(($0, $1) => {
			set_attribute(input, "max", get(snapshots).length - 1);
			set_value(input, get(view).snapshot ?? 0);
			set_attribute(input, "aria-label", `Snapshot of ${get(letter)}`);
			set_attribute(input, "aria-valuetext", $0);
			set_text(text_3, `epoch ${$1 ?? ""}`);
		}, [() => `epoch ${get(epoch).toFixed(1)}`, () => get(epoch).toFixed(1)]);
		delegated("input", input, (event) => chooseSide($$props.page, $$props.side, { snapshot: event.currentTarget.valueAsNumber }));
		append($$anchor, label);
	};
	if_block(node, ($$render) => {
		if ($$props.page.kind === "model") $$render(consequent);
		else if ($$props.page.kind === "method") $$render(consequent_1, 1);
		else if ($$props.page.kind === "class") $$render(consequent_3, 2);
		else if ($$props.page.kind === "head") $$render(consequent_4, 3);
		else if ($$props.page.kind === "snapshot" && get(snapshots).length) $$render(consequent_5, 4);
	});
	append($$anchor, fragment);
	pop();
}
delegate(["change", "input"]);
// src/compare/ImagePicker.svelte
var root$1 = from_html(`<button type="button"><img alt=""/></button>`);
var root_1$2 = from_html(`<label class="pair-index">CIFAR-10 <input type="number" min="0" max="9999" placeholder="index"/></label>`);
var root_2$1 = from_html(`<div class="pair-picker" role="group"><div class="pair-thumbs"></div> <div class="pair-row"><!> <label>Upload<input type="file"/></label></div></div>`);
function ImagePicker($$anchor, $$props) {
	push($$props, true);
	const chosen = user_derived(() => JSON.stringify($$props.image));
	const all = user_derived(() => [...$$props.page.images.samples.map(({ name, src }) => ({
		name,
		src,
		title: name
	})), ...$$props.page.images.photos]);
	const index = user_derived(() => $$props.image?.kind === "cifar" ? $$props.image.index : "");
	function chooseIndex(input) {
		const number = input.valueAsNumber;
		if (Number.isInteger(number) && input.checkValidity()) chooseSide($$props.page, $$props.side, { image: {
			kind: "cifar",
			index: number
		} });
		else $$props.page.showNotice("The index of a test image must be from 0 to 9999.", true);
	}
	function take(input) {
		const file = input.files?.[0];
		if (file) takeFile($$props.page, $$props.side, file);
		input.value = "";
	}
	var div = root_2$1();
	var div_1 = child(div);
	each(div_1, 21, () => get(all), ({ name, src, title }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let src = () => get($$item).src;
		let title = () => get($$item).title;
		var button = root$1();
		var img = only_child(button);
		template_effect(($0, $1) => {
			set_attribute(button, "title", title());
			set_attribute(button, "aria-label", title());
			set_attribute(button, "aria-pressed", $0);
			set_attribute(img, "src", $1);
		}, [() => get(chosen) === JSON.stringify({
			kind: "sample",
			name: name()
		}), () => isImageUrl(src()) ? src() : void 0]);
		delegated("click", button, () => chooseSide($$props.page, $$props.side, { image: {
			kind: "sample",
			name: name()
		} }));
		append($$anchor, button);
	});
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	var node = child(div_2);
	var consequent = ($$anchor) => {
		var label_1 = root_1$2();
		var input_1 = sibling(child(label_1));
		remove_input_defaults(input_1);
		reset(label_1);
		template_effect(() => {
			set_value(input_1, get(index));
			set_attribute(input_1, "aria-label", `${$$props.label}: index of a CIFAR-10 test image`);
		});
		delegated("change", input_1, (event) => chooseIndex(event.currentTarget));
		append($$anchor, label_1);
	};
	if_block(node, ($$render) => {
		if ($$props.page.host.catalog.cifar.available) $$render(consequent);
	});
	var label_2 = sibling(node, 2);
	var input_2 = sibling(child(label_2));
	reset(label_2);
	reset(div_2);
	reset(div);
	template_effect(($0) => {
		set_attribute(div, "aria-label", $$props.label);
		set_class(label_2, 1, clsx([
			"button",
			"pair-upload",
			{ on: $$props.image?.kind === "upload" }
		]));
		set_attribute(input_2, "accept", $0);
		set_attribute(input_2, "aria-label", `${$$props.label}: upload a file`);
	}, [() => ACCEPTED.types.join()]);
	delegated("change", input_2, (event) => take(event.currentTarget));
	append($$anchor, div);
	pop();
}
delegate(["click", "change"]);
// src/compare/Side.svelte
var root = from_html(`<span class="pair-name"> </span>`);
var root_1$1 = from_html(`<section class="pair-side"><div class="pair-head"><h2> </h2> <!> <!></div> <div class="pair-input"><div class="pair-image"><!></div> <!></div> <h3> </h3> <div class="pair-map"><!></div> <div><!></div></section>`);
function Side($$anchor, $$props) {
	push($$props, true);
	const letter = user_derived(() => $$props.side.toUpperCase());
	const found = user_derived(() => $$props.shown.reply[$$props.side]);
	const known = user_derived(() => $$props.shown[$$props.side]);
	const view = user_derived(() => $$props.side === "a" ? $$props.page.a : $$props.page.b);
	const scale = user_derived(() => scaleOf($$props.shown.reply.scale));
	const table = user_derived(() => $$props.page.theme.table(get(scale).kind === "linear" ? "seq" : "div"));
	const patch = user_derived(() => {
		if (!$$props.page.reading) return -1;
		return patchesAt($$props.shown.reply, $$props.page.reading.place, $$props.page.reading.patch)[$$props.side === "a" ? 0 : 1];
	});
	const isQueryHere = user_derived(() => $$props.side === "a" || !$$props.page.isSimilarity);
	const query = user_derived(() => get(isQueryHere) && $$props.shown.reply.difference !== null ? $$props.page.query : $$props.side === "a" ? $$props.page.query : []);
	const removed = user_derived(() => $$props.side === "b" ? $$props.shown.removed : []);
	const label = user_derived(() => mapLabel(`Map of ${get(letter)}, ${get(found).name}, ${get(found).title}`, get(found).values, get(found), (value) => valueText(value, $$props.shown.reply.scale)));
	const keys = user_derived(() => $$props.page.removing ? " Enter removes it." : $$props.page.hasQuery ? " Enter makes it the query." : "");
	const canPick = user_derived(() => $$props.page.hasQuery || $$props.page.kind === "ablation" && $$props.page.removing);
	const onpick = user_derived(() => get(canPick) && ($$props.side === "a" || !$$props.page.isSimilarity || $$props.page.removing) ? (one) => pick($$props.page, one) : void 0);
	const onread = (one) => read($$props.page, one < 0 ? null : {
		place: $$props.side,
		patch: one
	});
	const onescape = () => queryClassToken($$props.page);
	var section = root_1$1();
	var div = child(section);
	var h2 = child(div);
	var text = only_child(h2, true);
	var node = sibling(h2, 2);
	Field(node, {
		get page() {
			return $$props.page;
		},
		get side() {
			return $$props.side;
		},
		get known() {
			return get(known);
		}
	});
	var node_1 = sibling(node, 2);
	var consequent = ($$anchor) => {
		var span = root();
		var text_1 = only_child(span, true);
		template_effect(() => set_text(text_1, get(found).name));
		append($$anchor, span);
	};
	var d = user_derived(() => ![
		"model",
		"method",
		"class",
		"head",
		"snapshot"
	].includes($$props.page.kind));
	if_block(node_1, ($$render) => {
		if (get(d)) $$render(consequent);
	});
	reset(div);
	var div_1 = sibling(div, 2);
	var div_2 = child(div_1);
	var node_2 = child(div_2);
	{
		let $0 = user_derived(() => `image-${$$props.side}`);
		let $1 = user_derived(() => `Image of ${get(letter)}, ${get(found).name}. Arrow keys read the maps at a patch.${get(keys)}`);
		Stage(node_2, {
			get name() {
				return get($0);
			},
			get shape() {
				return get(found);
			},
			get src() {
				return get(known).src;
			},
			get label() {
				return get($1);
			},
			get read() {
				return get(patch);
			},
			get query() {
				return get(query);
			},
			get removed() {
				return get(removed);
			},
			get isGray() {
				return $$props.shown.isGray;
			},
			onread,
			get onpick() {
				return get(onpick);
			},
			onescape
		});
	}
	reset(div_2);
	var node_3 = sibling(div_2, 2);
	var consequent_1 = ($$anchor) => {
		{
			let $0 = user_derived(() => `Image of ${get(letter)}`);
			ImagePicker($$anchor, {
				get page() {
					return $$props.page;
				},
				get side() {
					return $$props.side;
				},
				get image() {
					return get(view).image;
				},
				get label() {
					return get($0);
				}
			});
		}
	};
	var consequent_2 = ($$anchor) => {
		ImagePicker($$anchor, {
			get page() {
				return $$props.page;
			},
			get side() {
				return $$props.side;
			},
			get image() {
				return get(view).image;
			},
			label: "Image of both sides"
		});
	};
	var consequent_3 = ($$anchor) => {
		Ablation($$anchor, {
			get page() {
				return $$props.page;
			},
			get known() {
				return get(known);
			}
		});
	};
	if_block(node_3, ($$render) => {
		if ($$props.page.kind === "image") $$render(consequent_1);
		else if ($$props.side === "a") $$render(consequent_2, 1);
		else if ($$props.page.kind === "ablation") $$render(consequent_3, 2);
	});
	reset(div_1);
	var h3 = sibling(div_1, 2);
	var text_2 = only_child(h3, true);
	var div_3 = sibling(h3, 2);
	var node_4 = child(div_3);
	{
		let $0 = user_derived(() => `map-${$$props.side}`);
		let $1 = user_derived(() => `${get(label)} Arrow keys read both maps.${get(keys)}`);
		Stage(node_4, {
			get name() {
				return get($0);
			},
			get shape() {
				return get(found);
			},
			get values() {
				return get(found).values;
			},
			get scale() {
				return get(scale);
			},
			get table() {
				return get(table);
			},
			get label() {
				return get($1);
			},
			get read() {
				return get(patch);
			},
			get query() {
				return get(query);
			},
			onread,
			get onpick() {
				return get(onpick);
			},
			onescape
		});
	}
	reset(div_3);
	var div_4 = sibling(div_3, 2);
	var node_5 = child(div_4);
	{
		let $0 = user_derived(() => get(patch) < 0 ? null : get(found).values[get(patch)]);
		Bar(node_5, {
			get scale() {
				return get(scale);
			},
			get unit() {
				return $$props.shown.reply.scale.unit;
			},
			get table() {
				return get(table);
			},
			get value() {
				return get($0);
			}
		});
	}
	reset(div_4);
	reset(section);
	template_effect(() => {
		set_attribute(section, "data-side", $$props.side);
		set_attribute(section, "aria-label", `Side ${get(letter)}`);
		set_text(text, get(letter));
		set_text(text_2, get(found).title);
	});
	append($$anchor, section);
	pop();
}
// src/compare/Compare.svelte
var root_1 = from_html(`<option> </option>`);
var root_2 = from_html(`<div class="pair-columns"><!> <!> <!> <!></div>`);
var root_3 = from_html(`<div class="vitviz vitviz-compare"><!> <div class="pair-lead"><div><h1 class="headline"> </h1> <p> </p> <p class="voice" role="status"> </p></div> <div class="pair-actions"><label class="pair-choice"><span class="spoken">Format of the file</span> <select class="button"></select></label> <button type="button" class="button" data-do="save">Save figure</button> <button type="button" class="button" data-do="link">Copy link</button></div></div> <!> <!> <p class="foot"><span>Both maps have one scale.</span><span>Keys: <kbd>Tab</kbd> images and maps · <kbd>arrows</kbd> read a patch on both sides · <kbd>Enter</kbd> query · <kbd>Esc</kbd> class token</span></p></div>`);
function Compare($$anchor, $$props) {
	push($$props, true);
	const page = prop($$props, "page", 7);
	const shown = user_derived(() => page().shown);
	let format = state(FORMATS[0]);
	let root;
	onMount(() => {
		start(page(), root);
	});
	var div = root_3();
	var node = child(div);
	{
		let $0 = user_derived(() => ({
			request: page().host.request,
			isPublic: page().host.catalog.public,
			onlists: (lists) => page().models = lists.checkpoints
		}));
		ModelSelect(node, {
			get models() {
				return page().models;
			},
			get value() {
				return page().a.checkpoint;
			},
			onchoose: (checkpoint) => chooseModel(page(), "a", checkpoint),
			get page() {
				return get($0);
			}
		});
	}
	var div_1 = sibling(node, 2);
	var div_2 = child(div_1);
	var h1 = child(div_2);
	var text = only_child(h1, true);
	var p = sibling(h1, 2);
	var text_1 = only_child(p, true);
	var p_1 = sibling(p, 2);
	var text_2 = only_child(p_1, true);
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	var label = child(div_3);
	var select = sibling(child(label), 2);
	each(select, 21, () => FORMATS, index$1, ($$anchor, one) => {
		var option = root_1();
		var text_3 = only_child(option, true);
		var option_value = {};
		template_effect(($0) => {
			set_text(text_3, $0);
			if (option_value !== (option_value = get(one))) option.value = (option.__value = option_value) ?? "";
		}, [() => get(one).toUpperCase()]);
		append($$anchor, option);
	});
	reset(select);
	init_select(select);
	reset(label);
	var button = sibling(label, 2);
	var button_1 = sibling(button, 2);
	reset(div_3);
	reset(div_1);
	var node_1 = sibling(div_1, 2);
	Controls(node_1, { get page() {
		return page();
	} });
	var node_2 = sibling(node_1, 2);
	var consequent = ($$anchor) => {
		var div_4 = root_2();
		var node_3 = child(div_4);
		Side(node_3, {
			get page() {
				return page();
			},
			get shown() {
				return get(shown);
			},
			side: "a"
		});
		var node_4 = sibling(node_3, 2);
		Side(node_4, {
			get page() {
				return page();
			},
			get shown() {
				return get(shown);
			},
			side: "b"
		});
		var node_5 = sibling(node_4, 2);
		Difference(node_5, {
			get page() {
				return page();
			},
			get shown() {
				return get(shown);
			}
		});
		Predictions(sibling(node_5, 2), { get reply() {
			return get(shown).reply;
		} });
		reset(div_4);
		append($$anchor, div_4);
	};
	if_block(node_2, ($$render) => {
		if (get(shown)) $$render(consequent);
	});
	next(2);
	reset(div);
	bind_this(div, ($$value) => root = $$value, () => root);
	template_effect(() => {
		set_attribute(div, "data-state", page().state);
		set_attribute(div, "data-ready", page().ready);
		set_attribute(div, "data-kind", get(shown)?.kind);
		set_text(text, get(shown) ? get(shown).reply.headline : "Compare");
		set_class(p, 1, clsx(["status", { error: page().isError && !page().reading }]));
		set_text(text_1, page().line);
		set_text(text_2, page().voice);
		button.disabled = !get(shown);
		button_1.disabled = !get(shown);
	});
	bind_select_value(select, () => get(format), ($$value) => set(format, $$value));
	delegated("click", button, () => saveFigure(page(), get(format)));
	delegated("click", button_1, () => copyLink(page()));
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/compare/state.svelte.ts
var ComparePage = class {
	#models;
	get models() {
		return get(this.#models);
	}
	set models(value) {
		set(this.#models, value);
	}
	host;
	theme;
	root = null;
	#state = state("working");
	get state() {
		return get(this.#state);
	}
	set state(value) {
		set(this.#state, value);
	}
	#ready = state(0);
	get ready() {
		return get(this.#ready);
	}
	set ready(value) {
		set(this.#ready, value);
	}
	#images = state({
		samples: [],
		photos: []
	});
	get images() {
		return get(this.#images);
	}
	set images(value) {
		set(this.#images, value);
	}
	#kind = state("image");
	get kind() {
		return get(this.#kind);
	}
	set kind(value) {
		set(this.#kind, value);
	}
	#a = state(EMPTY);
	get a() {
		return get(this.#a);
	}
	set a(value) {
		set(this.#a, value);
	}
	#own = state(EMPTY);
	get own() {
		return get(this.#own);
	}
	set own(value) {
		set(this.#own, value);
	}
	#query = state([]);
	get query() {
		return get(this.#query);
	}
	set query(value) {
		set(this.#query, value);
	}
	#mode = state("zero");
	get mode() {
		return get(this.#mode);
	}
	set mode(value) {
		set(this.#mode, value);
	}
	#patchMode = state("drop");
	get patchMode() {
		return get(this.#patchMode);
	}
	set patchMode(value) {
		set(this.#patchMode, value);
	}
	#removing = state(false);
	get removing() {
		return get(this.#removing);
	}
	set removing(value) {
		set(this.#removing, value);
	}
	#shown = state(null);
	get shown() {
		return get(this.#shown);
	}
	set shown(value) {
		set(this.#shown, value);
	}
	#reading = state(null);
	get reading() {
		return get(this.#reading);
	}
	set reading(value) {
		set(this.#reading, value);
	}
	#status = state("");
	get status() {
		return get(this.#status);
	}
	set status(value) {
		set(this.#status, value);
	}
	#isError = state(false);
	get isError() {
		return get(this.#isError);
	}
	set isError(value) {
		set(this.#isError, value);
	}
	#voice = state("");
	get voice() {
		return get(this.#voice);
	}
	set voice(value) {
		set(this.#voice, value);
	}
	settled = null;
	uploading = {
		a: null,
		b: null
	};
	ticket = 0;
	writing;
	speaking;
	linked = null;
	followed = "";
	explained = new Map();
	#b = user_derived(() => viewOfB(this.kind, this.a, this.own));
	get b() {
		return get(this.#b);
	}
	set b(value) {
		set(this.#b, value);
	}
	#hasHead = user_derived(() => this.shown === null || this.shown.a.classes.length > 0);
	get hasHead() {
		return get(this.#hasHead);
	}
	set hasHead(value) {
		set(this.#hasHead, value);
	}
	#maps = user_derived(() => mapsOf(this.kind, this.host.catalog.methods, this.hasHead));
	get maps() {
		return get(this.#maps);
	}
	set maps(value) {
		set(this.#maps, value);
	}
	#isSimilarity = user_derived(() => this.kind !== "method" && this.a.map === "similarity");
	get isSimilarity() {
		return get(this.#isSimilarity);
	}
	set isSimilarity(value) {
		set(this.#isSimilarity, value);
	}
	#hasQuery = user_derived(() => this.isSimilarity || this.kind !== "snapshot" && [this.a.map, this.b.map].includes("attention-head"));
	get hasQuery() {
		return get(this.#hasQuery);
	}
	set hasQuery(value) {
		set(this.#hasQuery, value);
	}
	#sentence = user_derived(() => {
		if (!this.shown) return "";
		const { reply } = this.shown;
		return this.reading ? readingSentence(reply, this.reading.place, this.reading.patch) : restingSentence(reply);
	});
	get sentence() {
		return get(this.#sentence);
	}
	set sentence(value) {
		set(this.#sentence, value);
	}
	#line = user_derived(() => this.reading ? this.sentence : this.status || this.sentence);
	get line() {
		return get(this.#line);
	}
	set line(value) {
		set(this.#line, value);
	}
	constructor(host) {
		this.host = host;
		this.#models = state(host.catalog.checkpoints);
		this.theme = new ThemeColors(host.element, host.catalog.colors);
	}
	get catalog() {
		return {
			...this.host.catalog,
			...this.images,
			checkpoints: this.models
		};
	}
	isForClass(map) {
		return this.host.catalog.methods.some(({ key, forClass }) => key === map && forClass);
	}
	showNotice(sentence, isError = false) {
		Object.assign(this, {
			status: sentence,
			isError,
			voice: sentence || this.voice
		});
	}
};
export { ComparePage as Page, Compare as default };
