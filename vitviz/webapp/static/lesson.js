import { $window, append, bind_this, bind_value, child, clsx, comment, component, delegate, delegated, each, event, first_child, from_html, get, if_block, index, init_select, key, next, noop, onMount, only_child, pop, prop, push, remove_input_defaults, reset, select_option, set, set_attribute, set_class, set_style, set_text, sibling, state, template_effect, text, to_array, user_derived, user_effect } from "./packages.js";
import { GRID_KEYS, ModelSelect, ThemeColors, colorIndex, counted, cssColor, firstImage, floatsOf, imageParam, inkOn, isImageUrl, isRefusal, isServed, isShortcut, makeTile, neighbour, paintTile, parseImage, parsePatches, patchAt, patchName, patchesParam, percent, reasonOf, refreshModels, roundLimit, sharpestHead, signed, sumOf, unavailable, updateAddress, uploadOf, written } from "./shared.js";
// src/learn/attention.ts
function attentionOf({ query, keys, values, size }, token) {
	const count = keys.length / size;
	const keyOf = (index) => keys.subarray(index * size, (index + 1) * size);
	const dot = (index) => keyOf(index).reduce((sum, value, i) => sum + value * query[i], 0);
	const scores = Float32Array.from({ length: count }, (_, index) => dot(index) / Math.sqrt(size));
	const weights = softmax(scores);
	const output = new Float32Array(size);
	for (let index = 0; index < count; index++) for (let i = 0; i < size; i++) output[i] += weights[index] * values[index * size + i];
	const key = keyOf(token);
	return {
		token,
		query,
		key,
		products: key.map((value, i) => value * query[i]),
		product: dot(token),
		scores,
		weights,
		output
	};
}
function softmax(logits, temperature = 1) {
	const largest = Math.max(...Array.from(logits));
	const powers = Float32Array.from(logits, (logit) => Math.exp((logit - largest) / temperature));
	const sum = powers.reduce((total, power) => total + power, 0);
	return powers.map((power) => power / sum);
}
// src/learn/flips.ts
var largest = (values) => values.indexOf(Math.max(...values));
var patches = (count) => counted(count, "patch", "patches");
var flipped = (before, without) => without !== null && largest(without) !== largest(before);
function tryLine({ classes, probabilities }, count, without) {
	if (!count) return "Click patches to remove them. How few change the answer?";
	if (!without) return `${patches(count)} removed.`;
	const [before, now] = [largest(probabilities), largest(without)];
	if (before !== now) return `Changed with ${patches(count)}: ${classes[before]} becomes ${classes[now]}.`;
	return `${patches(count)} removed: still ${classes[now]}, ${percent(without[now], 1)}.`;
}
var median = (counts) => [...counts].sort((a, b) => a - b)[Math.floor(counts.length / 2)];
function flipLines({ best, random }, own) {
	if (!best) return ["No order changes the answer as long as a patch is left."];
	const changed = random.filter((count) => count !== null);
	const chance = changed.length ? `${changed.length} of ${random.length} random orders change it, with ${median(changed)} patches (median).` : `None of ${random.length} random orders changes it.`;
	const lines = [`Best known: ${patches(best.length)}. A smaller set may exist.`, chance];
	if (!own) return lines;
	if (own < best.length) return [...lines, `You need ${patches(own)}: better than the best known set!`];
	return [...lines, own === best.length ? "You need as few." : `You need ${patches(own)}, ${own - best.length} more.`];
}
// src/learn/steps.ts
var patchesOf = ({ shape }) => shape.rows * shape.columns;
var sideOf = ({ lesson }) => lesson.model.patchSize;
var tokensOf = (pass) => patchesOf(pass) + pass.shape.prefix;
var winner = ({ reply }) => reply.classes[reply.probabilities.indexOf(Math.max(...reply.probabilities))] ?? "";
var WITHOUT_HEAD = ["This step needs a classification head, and this model has none. Choose another model to see it."];
var withHead = (text) => (pass) => pass.reply.classes.length ? text(pass) : WITHOUT_HEAD;
var STEPS = [
	{
		id: "overview",
		title: "The whole path",
		text: (pass) => [
			`A Vision Transformer cuts the image into ${patchesOf(pass)} patches and turns each into a token, a vector of ${pass.lesson.model.embedDim} numbers.`,
			`${counted(pass.shape.layers, "layer", "layers")} of attention and MLP rewrite the tokens. A classification head reads the last ones.`,
			"All numbers in this lesson are those of this model on this image."
		],
		tryIt: "Choose a part of the picture to open its step.",
		question: "In which part do patches exchange information?",
		answer: () => "In attention alone. Patch embedding, norms and MLPs treat every token on its own."
	},
	{
		id: "patches",
		title: "Pixels become patches",
		text: (pass) => [
			`Patches of ${sideOf(pass)} × ${sideOf(pass)} pixels give ${patchesOf(pass)} tokens. Attention compares all pairs, so half the side means sixteen times the pairs.`,
			`The ViT paper cuts 16 × 16. An image of ${pass.lesson.model.imgSize.join(" × ")} would have ${countAt(pass, 16)} of those.`,
			"Cutting is a reshape, and the wrong one runs without an error: on the right, each patch is a strip of one pixel row."
		],
		tryIt: "Point at a patch. Where do its pixels come from in the wrong image?",
		question: "Why can a network with the wrong patches still learn something?",
		answer: () => "The same strip always becomes the same token, so position embeddings can learn where it was. What is lost is the square neighborhood."
	},
	{
		id: "embedding",
		title: "A patch becomes a token",
		text: (pass) => [`Each of the ${pass.lesson.model.embedDim} numbers of a token has a filter as large as a patch. Multiply pixel by pixel, add everything up, and add a bias: that is one number.`, "It is a convolution whose stride equals its kernel."],
		tryIt: "Change the patch and the dimension. Which filter answers to edges, which to color?",
		question: "How many weights does this layer have?",
		answer: ({ lesson: { model } }) => {
			const inputs = 3 * model.patchSize ** 2;
			return `3 × ${model.patchSize} × ${model.patchSize} inputs times ${model.embedDim} outputs and the biases: ${(inputs * model.embedDim + model.embedDim).toLocaleString("en")}.`;
		}
	},
	{
		id: "positions",
		title: "Where was the patch?",
		text: (pass) => pass.lesson.model.positions ? ["Attention ignores order: shuffled patches would give the same answer. So a learned vector is added to each patch, the position embedding.", "The map compares the vector of one patch with all others. Nobody told the model about rows and columns, yet neighbors are alike."] : ["Attention ignores order. This model adds no position embedding: it rotates queries and keys by an angle that depends on the place.", "So there is nothing to compare here; open a model with learned positions to see them."],
		tryIt: "Point at a corner, then at the center.",
		question: "What happens to a model without any positions?",
		answer: () => "It sees a bag of patches. In the ViT paper (appendix D.4) that costs three points of few-shot accuracy."
	},
	{
		id: "class-token",
		title: "The class token",
		text: (pass) => pass.lesson.patchPredictions ? ["One more token belongs to no patch. It starts as the same learned vector for every image, collects what it needs by attention, and is the only one that the head reads.", `The map applies the head to the patch tokens instead: how probable is ${winner(pass)} there?`] : ["Many ViTs add a class token, which collects what it needs by attention and is the only one that the head reads.", "The head of this model reads its tokens in another way, so there is no single token to swap."],
		tryIt: "Point at patches. Do they name the same class?",
		question: "Is a map of these probabilities a segmentation?",
		answer: () => "No. The head never learned to read patch tokens, and each has attended to the whole image."
	},
	{
		id: "attention",
		title: "Query meets key",
		text: (pass) => [
			`In each head a token has a query q, what it looks for, and a key k, what it offers: ${pass.lesson.model.headDim} numbers each.`,
			`Their dot product, divided by √${pass.lesson.model.headDim}, is a score. Softmax turns the scores of ${tokensOf(pass)} keys into weights that sum to 100 %.`,
			"The output is the sum of all values v times these weights."
		],
		tryIt: "Point at patches to choose the key. Find one that gets less than uniform attention. Which products pull it down?",
		question: "Why divide by the square root?",
		answer: () => "Sums of more products are larger. Without the division, softmax would put nearly all weight on one key, and gradients would vanish."
	},
	{
		id: "heads",
		title: "Many heads",
		text: (pass) => [`Layer by layer, ${counted(pass.shape.heads, "head", "heads")} do this at once, each with its own queries, keys and values of ${pass.lesson.model.headDim} numbers.`, "Every tile is the attention of one head to the patches, on one scale. Some heads follow the object, some a place, some attend to everything."],
		tryIt: "Choose a head: the step before shows its numbers.",
		question: "Is a head with a sharp map more important?",
		answer: () => "Not necessarily. Its values may be small, or later layers may ignore them. Ablate it in Explore and see."
	},
	{
		id: "layers",
		title: "Layer by layer",
		text: () => ["Attention and MLP do not replace a token, they add to it: the residual stream. So the head can read it after any layer, the logit lens.", "The bars show what it would answer there, the line the length of the token, which grows with every addition."],
		tryIt: "Find the layer after which the answer no longer changes.",
		question: "Had earlier layers done nothing?",
		answer: () => "They had prepared it. The lens sees only what is already written in the language of the head."
	},
	{
		id: "softmax",
		title: "Logits and softmax",
		text: withHead((pass) => [`The head multiplies the token by one vector per class: ${pass.reply.classes.length} logits. Softmax raises e to each and divides by the sum.`, "Only differences count. One logit more multiplies the odds by 2.7."]),
		tryIt: "Divide all logits by a temperature. Does the order of the classes change?",
		question: "Is a probability of 99 % a certainty?",
		answer: () => "No. It is the model’s own estimate, learned on its training images, and often too sure elsewhere."
	},
	{
		id: "contributions",
		title: "Who wrote the answer?",
		text: withHead((pass) => [`Since layers only add, the logit of ${winner(pass)} is a sum: what each attention and each MLP wrote, plus embedding and biases. The bars add up to it exactly.`, "The map beside shows which patches have similar tokens at the end."]),
		tryIt: "Point at a patch of the object, then at the background.",
		question: "Do late layers matter more because their bars are longer?",
		answer: () => "They write the answer, but from what earlier layers prepared. Direct contributions do not count that help."
	},
	{
		id: "removal",
		title: "Attention is not explanation",
		text: withHead((pass) => [
			`A map names patches. If they carried the answer, removing them would hurt more than removing as many at random.`,
			`The bars paint ${counted(pass.lesson.removals[0]?.patches.length ?? 0, "patch", "patches")} in the mean color: those that attention names, those of balanced gradients, and ${pass.lesson.random.length} random sets.`,
			"On one image any of them may win. Over hundreds, balanced gradients name them better."
		]),
		tryIt: "A game: remove patches until the answer changes. How few do you need? The address carries your try.",
		question: "What does attention show, then?",
		answer: () => "Where the model reads. What it does with it depends on values, MLPs and later layers."
	},
	{
		id: "training",
		title: "What training changed",
		text: () => ["At the start, weights are random and attention is nearly uniform. The maps show the last layer while the model learned.", "All share one scale. Below each is the probability of the right class at that time."],
		tryIt: "Which place stands out first? When does the map stop changing, and when the probability?",
		question: "Is a sharper map a better model?",
		answer: () => "No: a network trained longer may have sharp maps that name fewer of the patches it uses. Measure them, as the last step did."
	}
];
var countAt = ({ lesson: { model } }, size) => Math.floor(model.imgSize[0] / size) * Math.floor(model.imgSize[1] / size);
var stepOf = (id) => Math.max(0, STEPS.findIndex((step) => step.id === id));
var answerOf = ({ reply }, probabilities) => {
	const best = probabilities.indexOf(Math.max(...probabilities));
	return `${reply.classes[best]}, ${percent(probabilities[best], 1)}`;
};
// src/learn/state.svelte.ts
var LearnPage = class {
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
	#step = state(0);
	get step() {
		return get(this.#step);
	}
	set step(value) {
		set(this.#step, value);
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
	#pass = state(null);
	get pass() {
		return get(this.#pass);
	}
	set pass(value) {
		set(this.#pass, value);
	}
	#patch = state(0);
	get patch() {
		return get(this.#patch);
	}
	set patch(value) {
		set(this.#patch, value);
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
	#dimension = state(0);
	get dimension() {
		return get(this.#dimension);
	}
	set dimension(value) {
		set(this.#dimension, value);
	}
	#removed = state([]);
	get removed() {
		return get(this.#removed);
	}
	set removed(value) {
		set(this.#removed, value);
	}
	#attention = state(null);
	get attention() {
		return get(this.#attention);
	}
	set attention(value) {
		set(this.#attention, value);
	}
	#embedding = state(null);
	get embedding() {
		return get(this.#embedding);
	}
	set embedding(value) {
		set(this.#embedding, value);
	}
	#similar = state(null);
	get similar() {
		return get(this.#similar);
	}
	set similar(value) {
		set(this.#similar, value);
	}
	#without = state(null);
	get without() {
		return get(this.#without);
	}
	set without(value) {
		set(this.#without, value);
	}
	#ownBest = state(0);
	get ownBest() {
		return get(this.#ownBest);
	}
	set ownBest(value) {
		set(this.#ownBest, value);
	}
	#answered = state([]);
	get answered() {
		return get(this.#answered);
	}
	set answered(value) {
		set(this.#answered, value);
	}
	#training = state(null);
	get training() {
		return get(this.#training);
	}
	set training(value) {
		set(this.#training, value);
	}
	#flips = state(null);
	get flips() {
		return get(this.#flips);
	}
	set flips(value) {
		set(this.#flips, value);
	}
	ticket = 0;
	linkedPatches = null;
	followed = null;
	#current = user_derived(() => STEPS[this.step]);
	get current() {
		return get(this.#current);
	}
	set current(value) {
		set(this.#current, value);
	}
	constructor(host) {
		this.host = host;
		this.#models = state(host.catalog.checkpoints);
		this.theme = new ThemeColors(host.element, host.catalog.colors);
	}
	isKnown(name) {
		return this.models.some((model) => model.name === name);
	}
	isRevealed(patches) {
		return this.flips !== "working" && patches === this.flips?.best;
	}
	showNotice(sentence, isError = false) {
		Object.assign(this, {
			status: sentence,
			isError
		});
	}
};
function passOf(reply, lesson) {
	const { layers, heads, rows, columns, aspect, prefix, classToken } = reply;
	return {
		reply,
		lesson,
		shape: {
			layers,
			heads,
			rows,
			columns,
			aspect,
			prefix,
			classToken
		},
		rows: floatsOf(reply.cls)
	};
}
function rowOfHead({ rows, shape }, layer, head) {
	const tokens = shape.prefix + shape.rows * shape.columns;
	const first = (layer * shape.heads + head) * tokens;
	return rows.subarray(first, first + tokens);
}
// src/learn/requests.ts
var addressed = (name) => new URLSearchParams(location.search).get(name);
var UPLOADED = "upload";
var OUTSIDE = "Some removed patches of this link are not in the grid of this model: they are left out.";
async function load(page) {
	const mine = ++page.ticket;
	const { checkpoint, image } = page;
	if (!image) return page.showNotice("No image found.", true);
	page.state = "working";
	const waiting = setTimeout(() => mine === page.ticket && page.showNotice("Working…"), 300);
	const reply = await page.host.request("explain", {
		checkpoint,
		image
	});
	const lesson = isServed(reply) ? await page.host.request("lesson", { key: reply.key }) : reply;
	clearTimeout(waiting);
	if (mine !== page.ticket) return;
	if (!isServed(reply) || !isServed(lesson)) {
		page.showNotice(reasonOf(lesson), true);
		page.state = "error";
		return;
	}
	page.showNotice("");
	const pass = passOf(reply, lesson);
	const { layer, head } = sharpestHead(pass.shape, pass.rows);
	const isSame = page.pass?.reply.checkpoint === checkpoint;
	Object.assign(page, {
		pass,
		attention: null,
		embedding: null,
		similar: null,
		without: null,
		removed: []
	});
	Object.assign(page, {
		flips: null,
		ownBest: 0
	});
	if (!isSame) Object.assign(page, {
		layer,
		head,
		dimension: 0,
		training: null
	});
	page.patch = Math.floor((pass.shape.rows * pass.shape.columns + pass.shape.columns) / 2);
	page.state = "ready";
	const [removed, linked] = [parsePatches(page.linkedPatches, pass.shape), page.linkedPatches?.split("_").length ?? 0];
	page.linkedPatches = null;
	if (removed.length < linked) page.showNotice(OUTSIDE);
	if (removed.length) await remove(page, removed);
	writeAddress(page);
	await refresh(page);
}
var NEEDS = {
	attention: "attention",
	embedding: "embedding",
	positions: "embedding",
	contributions: "similar",
	training: "training"
};
async function refresh(page) {
	const { pass, layer, head, patch, dimension } = page;
	const need = NEEDS[page.current.id];
	if (!pass || !need) return;
	const { key } = pass.reply;
	const isCurrent = () => page.pass === pass && page.patch === patch && page.layer === layer && page.head === head && page.dimension === dimension;
	if (need === "attention") {
		if (page.attention?.layer === layer && page.attention.head === head) return;
		const found = await page.host.request("lesson_head", {
			key,
			layer,
			head
		});
		if (!isServed(found)) return fail(page, found);
		const [query, keys, values] = [
			found.query,
			found.keys,
			found.values
		].map(floatsOf);
		if (page.pass === pass && page.layer === layer && page.head === head) page.attention = {
			layer,
			head,
			size: found.size,
			query,
			keys,
			values
		};
	} else if (need === "embedding") {
		const found = await page.host.request("lesson_patch", {
			key,
			patch,
			dimension
		});
		if (!isServed(found)) return fail(page, found);
		if (isCurrent()) page.embedding = found;
	} else if (need === "similar") {
		const found = await page.host.request("similarity", {
			key,
			patch
		});
		if (!isServed(found)) return fail(page, found);
		if (isCurrent()) page.similar = floatsOf(found.values);
	} else if (!page.training) {
		const name = page.image?.kind === "sample" ? page.image.name : "";
		const found = await page.host.request("lesson_training", {
			checkpoint: page.checkpoint,
			name
		});
		if (isRefusal(found)) return fail(page, found);
		page.training = found;
	}
}
function fail(page, reply) {
	page.showNotice(isRefusal(reply) ? reasonOf(reply) : "The image has expired on the server. Reload the page.", true);
}
async function remove(page, patches) {
	const { pass } = page;
	page.removed = patches;
	if (!pass) return;
	writeAddress(page);
	if (!patches.length) {
		page.without = null;
		return;
	}
	const found = await page.host.request("lesson_remove", {
		key: pass.reply.key,
		patches: [...patches]
	});
	if (page.removed !== patches || page.pass !== pass) return;
	if (!isServed(found)) return fail(page, found);
	Object.assign(page, {
		without: found,
		answered: patches
	});
	if (!page.isRevealed(patches) && flipped(pass.reply.probabilities, found)) page.ownBest = Math.min(page.ownBest || patches.length, patches.length);
}
async function revealFlips(page) {
	const { pass } = page;
	if (!pass || page.flips) return;
	page.flips = "working";
	const found = await page.host.request("lesson_flip", { key: pass.reply.key });
	if (page.pass !== pass) return;
	page.flips = isServed(found) ? found : null;
	if (!isServed(found)) fail(page, found);
}
function pick(page, change) {
	Object.assign(page, change);
	refresh(page);
}
function goTo(page, step) {
	page.step = Math.min(Math.max(step, 0), STEPS.length - 1);
	writeAddress(page, "pushState");
	page.root?.querySelector("h1")?.focus({ preventScroll: true });
	if (page.root && page.root.getBoundingClientRect().top < 0) page.root.scrollIntoView();
	refresh(page);
}
function writeAddress(page, how = "replaceState") {
	if (!page.root?.clientWidth) return;
	const image = page.image ? imageParam(page.image) : null;
	page.followed = `${page.checkpoint} ${image}`;
	const isGame = page.current.id === "removal" && page.pass;
	const removed = isGame ? patchesParam(page.removed, isGame.shape) : null;
	updateAddress({
		checkpoint: page.checkpoint,
		image,
		step: page.current.id,
		removed
	}, { step: STEPS[0].id }, how);
}
function follow(page) {
	page.step = stepOf(addressed("step"));
	const [checkpoint, image] = [addressed("checkpoint"), addressed("image")];
	const before = `${page.checkpoint} ${page.image && imageParam(page.image)}`;
	const catalog = {
		...page.host.catalog,
		checkpoints: page.models
	};
	if (checkpoint && page.isKnown(checkpoint)) page.checkpoint = checkpoint;
	page.checkpoint ||= page.models[0].name;
	const model = page.models.find(({ name }) => name === page.checkpoint);
	page.image = parseImage(image, catalog, uploadOf(history.state)) ?? page.image ?? firstImage(catalog, model);
	return `${page.checkpoint} ${page.image && imageParam(page.image)}` !== before;
}
function missing(page, checkpoint, image, step) {
	const shown = page.image ? imageParam(page.image) : "";
	const sentences = [];
	if (checkpoint && checkpoint !== page.checkpoint) sentences.push(unavailable("model", checkpoint, page.checkpoint));
	if (image === UPLOADED && shown !== UPLOADED) sentences.push(`A link does not contain an uploaded image: showing ${shown}. Upload the file again in Explore.`);
	else if (image && image !== shown) sentences.push(unavailable("image", image, shown));
	if (step && !STEPS.some(({ id }) => id === step)) sentences.push(unavailable("step", step, page.current.title));
	return sentences.join(" ");
}
async function start(page, root) {
	page.root = root;
	if (!page.models.length) return page.showNotice("No model found: put a checkpoint into the checkpoints folder and restart vitviz.", true);
	const linked = addressed("checkpoint");
	if (linked !== null && !page.isKnown(linked)) await refreshLists(page);
	const asked = [
		linked,
		addressed("image"),
		addressed("step")
	];
	follow(page);
	if (page.current.id === "removal") page.linkedPatches = addressed("removed");
	const absence = missing(page, ...asked);
	await load(page);
	if (absence && !page.isError) page.showNotice([absence, page.status].filter(Boolean).join(" "));
	let isFirst = true;
	new IntersectionObserver(([entry]) => {
		if (entry.isIntersecting && !isFirst) comeBack(page);
		isFirst = false;
	}).observe(root);
	window.addEventListener("popstate", () => page.root?.clientWidth && comeBack(page));
}
async function comeBack(page) {
	const linked = addressed("checkpoint");
	if (linked !== null && !page.isKnown(linked)) await refreshLists(page);
	if (follow(page) || page.state === "error") await load(page);
	else await refresh(page);
}
async function refreshLists(page) {
	const lists = await refreshModels(page.host.request);
	if (lists) page.models = lists.checkpoints;
}
function choose(page, change) {
	Object.assign(page, change);
	load(page);
}
// src/learn/LayerChoice.svelte
var root$17 = from_html(`<option></option>`);
var root_1$17 = from_html(`<label class="lesson-layer">Layer <select class="button"></select></label>`);
function LayerChoice($$anchor, $$props) {
	push($$props, true);
	var label = root_1$17();
	var select = sibling(child(label));
	each(select, 21, () => ({ length: $$props.pass.shape.layers }), index, ($$anchor, $$item, layer) => {
		var option = root$17();
		option.textContent = layer + 1;
		var option_value = {};
		template_effect(($0) => {
			if (option_value !== (option_value = $0)) option.value = (option.__value = option_value) ?? "";
		}, [() => String(layer)]);
		append($$anchor, option);
	});
	reset(select);
	var select_value;
	init_select(select);
	reset(label);
	template_effect(($0) => {
		if (select_value !== (select_value = $0)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
	}, [() => String($$props.page.layer)]);
	delegated("change", select, (event) => pick($$props.page, { layer: Number(event.currentTarget.value) }));
	append($$anchor, label);
	pop();
}
delegate(["change"]);
// src/learn/LessonMap.svelte
var root$16 = from_html(`<span class="lesson-mark"></span>`);
var root_1$16 = from_html(`<div class="lesson-map" role="img"><canvas></canvas> <!></div>`);
function LessonMap($$anchor, $$props) {
	push($$props, true);
	const first = prop($$props, "first", 3, 0), patch = prop($$props, "patch", 19, () => -1);
	let canvas;
	user_effect(() => paintTile(makeTile(canvas, $$props.shape.columns, $$props.shape.rows), $$props.values, first(), $$props.table, $$props.scale));
	var div = root_1$16();
	let styles;
	var canvas_1 = child(div);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var node = sibling(canvas_1, 2);
	var consequent = ($$anchor) => {
		var span = root$16();
		let styles_1;
		template_effect(($0) => styles_1 = set_style(span, "", styles_1, {
			left: `${100 * (patch() % $$props.shape.columns) / $$props.shape.columns}%`,
			top: $0
		}), [() => `${100 * Math.floor(patch() / $$props.shape.columns) / $$props.shape.rows}%`]);
		append($$anchor, span);
	};
	if_block(node, ($$render) => {
		if (patch() >= 0) $$render(consequent);
	});
	reset(div);
	template_effect(() => {
		set_attribute(div, "aria-label", $$props.label);
		styles = set_style(div, `--rows: ${$$props.shape.rows ?? ""}; --columns: ${$$props.shape.columns ?? ""}`, styles, { "aspect-ratio": $$props.shape.aspect ?? $$props.shape.columns / $$props.shape.rows });
	});
	append($$anchor, div);
	pop();
}
// src/learn/Numbers.svelte
var root$15 = from_html(`<span> </span>`);
var root_1$15 = from_html(`<div class="lesson-vector"><span class="lesson-name"> </span> <div class="lesson-numbers" role="img"></div></div>`);
function Numbers($$anchor, $$props) {
	push($$props, true);
	const pointed = prop($$props, "pointed", 19, () => -1);
	const pixelOf = (value) => $$props.table[colorIndex({
		kind: "signed",
		limit: 1.6 * $$props.limit
	}, value)];
	function indexOf(target) {
		const cell = target instanceof Element && target.closest("[data-index]");
		return cell ? Number(cell.dataset.index) : -1;
	}
	var div = root_1$15();
	var span = child(div);
	var text = only_child(span, true);
	var div_1 = sibling(span, 2);
	each(div_1, 21, () => ({ length: $$props.values.length }), index, ($$anchor, $$item, i) => {
		var span_1 = root$15();
		set_attribute(span_1, "data-index", i);
		let styles;
		var text_1 = only_child(span_1, true);
		template_effect(($0, $1, $2) => {
			set_class(span_1, 1, clsx({ on: pointed() === i }));
			styles = set_style(span_1, "", styles, {
				"background-color": $0,
				color: $1
			});
			set_text(text_1, $2);
		}, [
			() => cssColor(pixelOf($$props.values[i])),
			() => inkOn(pixelOf($$props.values[i])),
			() => written($$props.values[i], 2)
		]);
		append($$anchor, span_1);
	});
	reset(div_1);
	reset(div);
	template_effect(() => {
		set_text(text, $$props.name);
		set_attribute(div_1, "aria-label", `${$$props.values.length ?? ""} numbers`);
	});
	delegated("pointermove", div_1, ({ target }) => $$props.onpoint?.(indexOf(target)));
	event("pointerleave", div_1, () => $$props.onpoint?.(-1));
	append($$anchor, div);
	pop();
}
delegate(["pointermove"]);
// src/learn/Stage.svelte
var root$14 = from_html(`<img alt="" draggable="false"/>`);
var root_1$14 = from_html(`<span class="lesson-removed"></span>`);
var root_2$9 = from_html(`<i> </i>`);
var root_3$7 = from_html(`<div class="lesson-stage" role="application"><!> <span class="lesson-grid"></span> <!> <span class="lesson-mark"><!></span></div>`);
function Stage($$anchor, $$props) {
	push($$props, true);
	const mark = prop($$props, "mark", 3, ""), removed = prop($$props, "removed", 19, () => []);
	const left = (index) => `${100 * (index % $$props.shape.columns) / $$props.shape.columns}%`;
	const top = (index) => `${100 * Math.floor(index / $$props.shape.columns) / $$props.shape.rows}%`;
	function point(event) {
		const found = patchAt(event.currentTarget, event, $$props.shape);
		if (found >= 0 && found !== $$props.patch) $$props.onpick(found);
	}
	function press(event) {
		if (isShortcut(event)) return;
		if (GRID_KEYS.includes(event.key)) $$props.onpick(neighbour($$props.patch, event.key, $$props.shape));
		else if ($$props.ontoggle && (event.key === "Enter" || event.key === " ")) $$props.ontoggle($$props.patch);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
	var div = root_3$7();
	let styles;
	set_attribute(div, "tabindex", 0);
	var node = child(div);
	var consequent = ($$anchor) => {
		var img = root$14();
		template_effect(() => set_attribute(img, "src", $$props.src));
		append($$anchor, img);
	};
	var d = user_derived(() => isImageUrl($$props.src));
	if_block(node, ($$render) => {
		if (get(d)) $$render(consequent);
	});
	var node_1 = sibling(node, 4);
	each(node_1, 16, removed, (index) => index, ($$anchor, index) => {
		var span = root_1$14();
		let styles_1;
		template_effect(($0, $1) => styles_1 = set_style(span, "", styles_1, {
			left: $0,
			top: $1
		}), [() => left(index), () => top(index)]);
		append($$anchor, span);
	});
	var span_1 = sibling(node_1, 2);
	let styles_2;
	var node_2 = child(span_1);
	var consequent_1 = ($$anchor) => {
		var i = root_2$9();
		var text = only_child(i, true);
		template_effect(() => {
			set_class(i, 1, clsx([$$props.patch < $$props.shape.columns && "below"]));
			set_text(text, mark());
		});
		append($$anchor, i);
	};
	if_block(node_2, ($$render) => {
		if (mark()) $$render(consequent_1);
	});
	reset(span_1);
	reset(div);
	template_effect(($0, $1, $2) => {
		styles = set_style(div, `--rows: ${$$props.shape.rows ?? ""}; --columns: ${$$props.shape.columns ?? ""}`, styles, { "aspect-ratio": $$props.shape.aspect });
		set_attribute(div, "aria-label", $0);
		styles_2 = set_style(span_1, "", styles_2, {
			left: $1,
			top: $2
		});
	}, [
		() => `${$$props.name}. Arrow keys choose a patch${$$props.ontoggle ? ", Enter removes it" : ""}: ${patchName($$props.patch, $$props.shape)}`,
		() => left($$props.patch),
		() => top($$props.patch)
	]);
	delegated("pointermove", div, point);
	delegated("pointerdown", div, point);
	delegated("click", div, () => $$props.ontoggle?.($$props.patch));
	delegated("keydown", div, press);
	append($$anchor, div);
	pop();
}
delegate([
	"pointermove",
	"pointerdown",
	"click",
	"keydown"
]);
// src/learn/figures/Attention.svelte
var root$13 = from_html(`<option></option>`);
var root_1$13 = from_html(`<figure><!> <figcaption> </figcaption></figure>`);
var root_2$8 = from_html(`<div><dt> </dt><dd> </dd></div>`);
var root_3$6 = from_html(`<i></i>`);
var root_4$3 = from_html(`<div class="lesson-work" role="group" aria-label="Worked row"><!> <!> <!></div> <p class="lesson-note lesson-term" aria-live="polite"> </p> <dl class="lesson-sum"></dl> <div class="lesson-softmax" aria-hidden="true"></div> <p class="lesson-note"> </p> <div class="lesson-work"><!></div> <p class="lesson-note"> </p>`, 1);
var root_5$2 = from_html(`<div class="lesson-row"><!> <label class="lesson-layer">Head <select class="button"></select></label></div> <div class="lesson-pair"><figure><!> <figcaption> </figcaption></figure> <!></div> <!>`, 1);
function Attention($$anchor, $$props) {
	push($$props, true);
	let pointed = state(-1);
	const shape = user_derived(() => $$props.pass.shape);
	const found = user_derived(() => $$props.page.attention && attentionOf($$props.page.attention, get(shape).prefix + $$props.page.patch));
	const largest = user_derived(() => get(found) ? Math.max(...get(found).weights.subarray(get(shape).prefix)) : 1);
	const sorted = user_derived(() => get(found) ? [...get(found).weights.keys()].sort((a, b) => get(found).weights[b] - get(found).weights[a]) : []);
	const table = user_derived(() => $$props.page.theme.table("div"));
	const term = user_derived(() => get(found) && get(pointed) >= 0 ? `Element ${get(pointed) + 1}: ${signed(get(found).query[get(pointed)])} × ${signed(get(found).key[get(pointed)])} = ${signed(get(found).products[get(pointed)])}` : "");
	const steps = user_derived(() => get(found) ? [
		["Sum of products", signed(get(found).product)],
		[`Divided by √${get(found).query.length}`, signed(get(found).scores[get(found).token])],
		["e to that power", Math.exp(get(found).scores[get(found).token]).toPrecision(3)],
		[`Weight among ${get(found).weights.length}`, percent(get(found).weights[get(found).token])]
	] : []);
	var fragment = root_5$2();
	var div = first_child(fragment);
	var node = child(div);
	LayerChoice(node, {
		get page() {
			return $$props.page;
		},
		get pass() {
			return $$props.pass;
		}
	});
	var label = sibling(node, 2);
	var select = sibling(child(label));
	each(select, 21, () => ({ length: get(shape).heads }), index, ($$anchor, $$item, head) => {
		var option = root$13();
		option.textContent = head + 1;
		var option_value = {};
		template_effect(($0) => {
			if (option_value !== (option_value = $0)) option.value = (option.__value = option_value) ?? "";
		}, [() => String(head)]);
		append($$anchor, option);
	});
	reset(select);
	var select_value;
	init_select(select);
	reset(label);
	reset(div);
	var div_1 = sibling(div, 2);
	var figure = child(div_1);
	var node_1 = child(figure);
	Stage(node_1, {
		get src() {
			return $$props.pass.reply.image.src;
		},
		get shape() {
			return get(shape);
		},
		get patch() {
			return $$props.page.patch;
		},
		mark: "k",
		name: "Image",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var figcaption = sibling(node_1, 2);
	var text = only_child(figcaption);
	reset(figure);
	var node_2 = sibling(figure, 2);
	var consequent = ($$anchor) => {
		var figure_1 = root_1$13();
		var node_3 = child(figure_1);
		{
			let $0 = user_derived(() => ({
				kind: "linear",
				limit: get(largest)
			}));
			let $1 = user_derived(() => $$props.page.theme.table("seq"));
			LessonMap(node_3, {
				get values() {
					return get(found).weights;
				},
				get first() {
					return get(shape).prefix;
				},
				get shape() {
					return get(shape);
				},
				get scale() {
					return get($0);
				},
				get table() {
					return get($1);
				},
				get patch() {
					return $$props.page.patch;
				},
				label: "Attention weights of all patches"
			});
		}
		var figcaption_1 = sibling(node_3, 2);
		var text_1 = only_child(figcaption_1);
		reset(figure_1);
		template_effect(($0) => set_text(text_1, `All weights as a map, 0 to ${$0 ?? ""}.`), [() => percent(get(largest))]);
		append($$anchor, figure_1);
	};
	if_block(node_2, ($$render) => {
		if (get(found)) $$render(consequent);
	});
	reset(div_1);
	var node_4 = sibling(div_1, 2);
	var consequent_1 = ($$anchor) => {
		const limit = user_derived(() => Math.max(...get(found).query.map(Math.abs), ...get(found).key.map(Math.abs)));
		var fragment_1 = root_4$3();
		var div_2 = first_child(fragment_1);
		var node_5 = child(div_2);
		Numbers(node_5, {
			name: "Query q",
			get values() {
				return get(found).query;
			},
			get limit() {
				return get(limit);
			},
			get table() {
				return get(table);
			},
			get pointed() {
				return get(pointed);
			},
			onpoint: (index) => set(pointed, index, true)
		});
		var node_6 = sibling(node_5, 2);
		Numbers(node_6, {
			name: "Key k",
			get values() {
				return get(found).key;
			},
			get limit() {
				return get(limit);
			},
			get table() {
				return get(table);
			},
			get pointed() {
				return get(pointed);
			},
			onpoint: (index) => set(pointed, index, true)
		});
		var node_7 = sibling(node_6, 2);
		{
			let $0 = user_derived(() => Math.max(...get(found).products.map(Math.abs)));
			Numbers(node_7, {
				name: "q × k",
				get values() {
					return get(found).products;
				},
				get limit() {
					return get($0);
				},
				get table() {
					return get(table);
				},
				get pointed() {
					return get(pointed);
				},
				onpoint: (index) => set(pointed, index, true)
			});
		}
		reset(div_2);
		var p = sibling(div_2, 2);
		var text_2 = only_child(p, true);
		var dl = sibling(p, 2);
		each(dl, 21, () => get(steps), index, ($$anchor, $$item, i) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let name = () => get($$array)[0];
			let value = () => get($$array)[1];
			var div_3 = root_2$8();
			var dt = child(div_3);
			var text_3 = only_child(dt, true);
			var dd = sibling(dt);
			set_class(dd, 1, clsx({ on: i === 3 }));
			var text_4 = only_child(dd, true);
			reset(div_3);
			template_effect(() => {
				set_text(text_3, name());
				set_text(text_4, value());
			});
			append($$anchor, div_3);
		});
		reset(dl);
		var div_4 = sibling(dl, 2);
		each(div_4, 20, () => get(sorted), (token) => token, ($$anchor, token) => {
			var i_1 = root_3$6();
			let styles;
			template_effect(($0) => {
				set_class(i_1, 1, clsx({ on: token === get(found).token }));
				styles = set_style(i_1, "", styles, { height: $0 });
			}, [() => `${Math.max(1, 100 * get(found).weights[token] / get(found).weights[get(sorted)[0]])}%`]);
			append($$anchor, i_1);
		});
		reset(div_4);
		var p_1 = sibling(div_4, 2);
		var text_5 = only_child(p_1);
		var div_5 = sibling(p_1, 2);
		var node_8 = child(div_5);
		{
			let $0 = user_derived(() => Math.max(...get(found).output.map(Math.abs)));
			Numbers(node_8, {
				name: "Output",
				get values() {
					return get(found).output;
				},
				get limit() {
					return get($0);
				},
				get table() {
					return get(table);
				}
			});
		}
		reset(div_5);
		var p_2 = sibling(div_5, 2);
		var text_6 = only_child(p_2);
		template_effect(($0, $1, $2) => {
			set_text(text_2, get(term) || "Point at a number to see where it comes from.");
			set_text(text_5, `The weights of all ${get(found).weights.length ?? ""} tokens, from the largest to the smallest. The chosen key is number ${$0 ?? ""}; uniform is ${$1 ?? ""}.`);
			set_text(text_6, `Output: the sum of all values v, each times its weight. The value of this key enters with ${$2 ?? ""}.`);
		}, [
			() => get(sorted).indexOf(get(found).token) + 1,
			() => percent(1 / get(found).weights.length),
			() => percent(get(found).weights[get(found).token])
		]);
		append($$anchor, fragment_1);
	};
	if_block(node_4, ($$render) => {
		if (get(found)) $$render(consequent_1);
	});
	template_effect(($0, $1) => {
		if (select_value !== (select_value = $0)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		set_text(text, `Key: ${$1 ?? ""}. Query: ${get(shape).classToken ? "the class token" : "the first token"}.`);
	}, [() => String($$props.page.head), () => patchName($$props.page.patch, get(shape))]);
	delegated("change", select, (event) => pick($$props.page, { head: Number(event.currentTarget.value) }));
	append($$anchor, fragment);
	pop();
}
delegate(["change"]);
// src/learn/figures/ClassToken.svelte
var root$12 = from_html(`<figcaption> <b> </b></figcaption>`);
var root_1$12 = from_html(`<figure><!> <figcaption> <b> </b> </figcaption></figure>`);
var root_2$7 = from_html(`<div class="lesson-pair"><figure><!> <!></figure> <!></div>`);
function ClassToken($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson), shape = user_derived(() => $$props.pass.shape);
	const best = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const values = user_derived(() => get(lesson).patchPredictions?.map((one) => one[get(best)]) ?? []);
	const agreeing = user_derived(() => get(lesson).patchPredictions?.filter((one) => one[get(best)] === Math.max(...one)).length ?? 0);
	var div = root_2$7();
	var figure = child(div);
	var node = child(figure);
	Stage(node, {
		get src() {
			return get(reply).image.src;
		},
		get shape() {
			return get(shape);
		},
		get patch() {
			return $$props.page.patch;
		},
		name: "Patches",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var node_1 = sibling(node, 2);
	var consequent = ($$anchor) => {
		var figcaption = root$12();
		var text = child(figcaption);
		var b = sibling(text);
		var text_1 = only_child(b, true);
		reset(figcaption);
		template_effect(($0) => {
			set_text(text, `${get(shape).classToken ? "Class token" : "Answer"}: `);
			set_text(text_1, $0);
		}, [() => answerOf($$props.pass, get(reply).probabilities)]);
		append($$anchor, figcaption);
	};
	if_block(node_1, ($$render) => {
		if (get(reply).classes.length) $$render(consequent);
	});
	reset(figure);
	var node_2 = sibling(figure, 2);
	var consequent_1 = ($$anchor) => {
		var figure_1 = root_1$12();
		var node_3 = child(figure_1);
		{
			let $0 = user_derived(() => $$props.page.theme.table("seq"));
			let $1 = user_derived(() => `Probability of ${get(reply).classes[get(best)]} at each patch token`);
			LessonMap(node_3, {
				get values() {
					return get(values);
				},
				get shape() {
					return get(shape);
				},
				scale: {
					kind: "linear",
					limit: 1
				},
				get table() {
					return get($0);
				},
				get patch() {
					return $$props.page.patch;
				},
				get label() {
					return get($1);
				}
			});
		}
		var figcaption_1 = sibling(node_3, 2);
		var text_2 = child(figcaption_1);
		var b_1 = sibling(text_2);
		var text_3 = only_child(b_1, true);
		var text_4 = sibling(b_1);
		reset(figcaption_1);
		reset(figure_1);
		template_effect(($0, $1, $2) => {
			set_text(text_2, `Token of ${$0 ?? ""}: `);
			set_text(text_3, $1);
			set_text(text_4, `. Color: probability of ${get(reply).classes[get(best)] ?? ""}, 0 to 100 %. ${get(agreeing) ?? ""} of ${get(values).length ?? ""} patch tokens say ${get(reply).classes[get(best)] ?? ""}; mean ${$2 ?? ""}.`);
		}, [
			() => patchName($$props.page.patch, get(shape)),
			() => answerOf($$props.pass, get(lesson).patchPredictions[$$props.page.patch]),
			() => percent(get(values).reduce((sum, value) => sum + value, 0) / get(values).length, 0)
		]);
		append($$anchor, figure_1);
	};
	if_block(node_2, ($$render) => {
		if (get(lesson).patchPredictions) $$render(consequent_1);
	});
	reset(div);
	append($$anchor, div);
	pop();
}
// src/learn/Bars.svelte
var root$11 = from_html(`<li><span class="lesson-bar-name"> </span> <span class="lesson-track"><span></span></span> <span class="lesson-value"> </span></li>`);
var root_1$11 = from_html(`<ol class="lesson-bars"></ol>`);
function Bars($$anchor, $$props) {
	const low = prop($$props, "low", 3, 0), high = prop($$props, "high", 3, 1);
	const place = (value) => 100 * (value - low()) / (high() - low());
	var ol = root_1$11();
	each(ol, 21, () => $$props.bars, index, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let value = () => get($$item).value;
		let text = () => get($$item).text;
		let start = () => get($$item).start;
		let isOn = () => get($$item).isOn;
		const computed_const = user_derived(() => {
			const [a, b] = [place(start() ?? 0), place((start() ?? 0) + value())];
			return {
				a,
				b
			};
		});
		var li = root$11();
		var span = child(li);
		var text_1 = only_child(span, true);
		var span_1 = sibling(span, 2);
		var span_2 = child(span_1);
		let styles;
		reset(span_1);
		var span_3 = sibling(span_1, 2);
		var text_2 = only_child(span_3, true);
		reset(li);
		template_effect(($0, $1) => {
			set_class(li, 1, clsx({ on: isOn() }));
			set_text(text_1, name());
			set_class(span_2, 1, clsx(["lesson-fill", { negative: value() < 0 }]));
			styles = set_style(span_2, "", styles, {
				left: $0,
				width: $1
			});
			set_text(text_2, text());
		}, [() => `${Math.min(get(computed_const).a, get(computed_const).b)}%`, () => `max(1px, ${Math.abs(get(computed_const).b - get(computed_const).a)}%)`]);
		append($$anchor, li);
	});
	reset(ol);
	template_effect(() => set_attribute(ol, "aria-label", $$props.label));
	append($$anchor, ol);
}
// src/learn/contributions.ts
var SUM = .005;
function barsOf({ embedding, attention, mlp, bias, logit }) {
	const parts = [["embedding", embedding]];
	for (const layer of attention.keys()) parts.push([`attention ${layer + 1}`, attention[layer]], [`MLP ${layer + 1}`, mlp[layer]]);
	parts.push(["biases", bias]);
	let end = 0;
	const bars = parts.map(([name, value]) => {
		const start = end;
		end += value;
		return {
			name,
			value,
			start,
			text: signed(value)
		};
	});
	const ends = [0, ...bars.map(({ start, value }) => start + value)];
	const last = {
		name: "logit",
		value: logit,
		start: 0,
		text: signed(logit),
		isOn: true
	};
	return {
		bars: [...bars, last],
		low: Math.min(...ends),
		high: Math.max(...ends, SUM)
	};
}
// src/learn/figures/Contributions.svelte
var root$10 = from_html(`<h2> </h2> <!>`, 1);
var root_1$10 = from_html(`<p class="lesson-note">This model has no head, so there is no logit to take apart.</p>`);
var root_2$6 = from_html(`<figure><!> <figcaption> </figcaption></figure>`);
var root_3$5 = from_html(`<!> <div class="lesson-pair"><figure><!> <figcaption> </figcaption></figure> <!></div>`, 1);
function Contributions($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson), shape = user_derived(() => $$props.pass.shape);
	const best = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const sum = user_derived(() => get(lesson).contributions && barsOf(get(lesson).contributions));
	const patches = user_derived(() => get(shape).rows * get(shape).columns);
	const similar = user_derived(() => $$props.page.similar?.subarray((get(shape).layers - 1) * get(patches), get(shape).layers * get(patches)));
	var fragment = root_3$5();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var fragment_1 = root$10();
		var h2 = first_child(fragment_1);
		var text = only_child(h2);
		Bars(sibling(h2, 2), {
			get bars() {
				return get(sum).bars;
			},
			get low() {
				return get(sum).low;
			},
			get high() {
				return get(sum).high;
			},
			label: "Direct contributions by layer"
		});
		template_effect(($0) => set_text(text, `Logit of ${get(reply).classes[get(best)] ?? ""}: ${$0 ?? ""}`), [() => signed(get(lesson).contributions?.logit ?? 0)]);
		append($$anchor, fragment_1);
	};
	var alternate = ($$anchor) => {
		var p = root_1$10();
		append($$anchor, p);
	};
	if_block(node, ($$render) => {
		if (get(sum)) $$render(consequent);
		else $$render(alternate, -1);
	});
	var div = sibling(node, 2);
	var figure = child(div);
	var node_2 = child(figure);
	Stage(node_2, {
		get src() {
			return get(reply).image.src;
		},
		get shape() {
			return get(shape);
		},
		get patch() {
			return $$props.page.patch;
		},
		name: "Patches",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var figcaption = sibling(node_2, 2);
	var text_1 = only_child(figcaption, true);
	reset(figure);
	var node_3 = sibling(figure, 2);
	var consequent_1 = ($$anchor) => {
		var figure_1 = root_2$6();
		var node_4 = child(figure_1);
		{
			let $0 = user_derived(() => ({
				kind: "linear",
				low: Math.min(...get(similar)),
				limit: 1
			}));
			let $1 = user_derived(() => $$props.page.theme.table("seq"));
			LessonMap(node_4, {
				get values() {
					return get(similar);
				},
				get shape() {
					return get(shape);
				},
				get scale() {
					return get($0);
				},
				get table() {
					return get($1);
				},
				get patch() {
					return $$props.page.patch;
				},
				label: "Similarity of the last tokens with that of the chosen patch"
			});
		}
		var figcaption_1 = sibling(node_4, 2);
		var text_2 = only_child(figcaption_1);
		reset(figure_1);
		template_effect(($0) => set_text(text_2, `Cosine of the tokens after layer ${get(shape).layers ?? ""} with that of this patch, ${$0 ?? ""} to 1.`), [() => written(Math.min(...get(similar)), 2)]);
		append($$anchor, figure_1);
	};
	if_block(node_3, ($$render) => {
		if (get(similar)) $$render(consequent_1);
	});
	reset(div);
	template_effect(($0) => set_text(text_1, $0), [() => patchName($$props.page.patch, get(shape))]);
	append($$anchor, fragment);
	pop();
}
// src/learn/figures/Embedding.svelte
var root$9 = from_html(`<span class="lesson-quiet"> </span>`);
var root_1$9 = from_html(`<span> </span> <!>`, 1);
var root_2$5 = from_html(`<div><dt> </dt><dd> </dd></div>`);
var root_3$4 = from_html(`<dl class="lesson-sum"><div><dt>Sum of products</dt><dd> </dd></div> <!> <div><dt> </dt><dd class="on"> </dd></div></dl> <p class="lesson-note">Pixels are normalized: 0 is the mean color. Each row of maps has its own scale; teal is negative.<!></p>`, 1);
var root_4$2 = from_html(`<div class="lesson-pair wide"><figure><!> <figcaption> </figcaption></figure> <div><div class="lesson-row"><button type="button" class="button" aria-label="Previous dimension">‹</button> <span> </span> <button type="button" class="button" aria-label="Next dimension">›</button></div> <div class="lesson-channels"><span></span><!> <!></div> <!></div></div>`);
function Embedding($$anchor, $$props) {
	push($$props, true);
	const CHANNELS = [
		"red",
		"green",
		"blue"
	];
	const found = user_derived(() => $$props.page.embedding);
	const table = user_derived(() => $$props.page.theme.table("div"));
	const rows = user_derived(() => {
		if (!get(found)) return [];
		const [pixels, weights] = [floatsOf(get(found).pixels), floatsOf(get(found).weights)];
		return [
			{
				name: "Patch",
				values: pixels
			},
			{
				name: "Filter",
				values: weights
			},
			{
				name: "Product",
				values: pixels.map((value, i) => value * weights[i])
			}
		];
	});
	const size = user_derived(() => $$props.pass.lesson.model.patchSize);
	const limitOf = (values) => Math.max(...values.map(Math.abs)) || 1;
	const turn = (by) => {
		const { embedDim } = $$props.pass.lesson.model;
		pick($$props.page, { dimension: ($$props.page.dimension + by + embedDim) % embedDim });
	};
	var div = root_4$2();
	var figure = child(div);
	var node = child(figure);
	Stage(node, {
		get src() {
			return $$props.pass.reply.image.src;
		},
		get shape() {
			return $$props.pass.shape;
		},
		get patch() {
			return $$props.page.patch;
		},
		name: "Patches",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var figcaption = sibling(node, 2);
	var text$4 = only_child(figcaption, true);
	reset(figure);
	var div_1 = sibling(figure, 2);
	var div_2 = child(div_1);
	var button = child(div_2);
	var span = sibling(button, 2);
	var text_1 = only_child(span);
	var button_1 = sibling(span, 2);
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	var node_1 = sibling(child(div_3));
	each(node_1, 17, () => CHANNELS, index, ($$anchor, channel) => {
		var span_1 = root$9();
		var text_2 = only_child(span_1, true);
		template_effect(() => set_text(text_2, get(channel)));
		append($$anchor, span_1);
	});
	var node_2 = sibling(node_1, 2);
	each(node_2, 17, () => get(rows), ({ name, values }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let values = () => get($$item).values;
		var fragment = root_1$9();
		var span_2 = first_child(fragment);
		var text_3 = only_child(span_2, true);
		var node_3 = sibling(span_2, 2);
		each(node_3, 17, () => CHANNELS, index, ($$anchor, channel, c) => {
			{
				let $0 = user_derived(() => c * get(size) * get(size));
				let $1 = user_derived(() => ({
					rows: get(size),
					columns: get(size)
				}));
				let $2 = user_derived(() => ({
					kind: "signed",
					limit: limitOf(values())
				}));
				let $3 = user_derived(() => `${name()}, ${get(channel)}`);
				LessonMap($$anchor, {
					get values() {
						return values();
					},
					get first() {
						return get($0);
					},
					get shape() {
						return get($1);
					},
					get scale() {
						return get($2);
					},
					get table() {
						return get(table);
					},
					get label() {
						return get($3);
					}
				});
			}
		});
		template_effect(() => set_text(text_3, name()));
		append($$anchor, fragment);
	});
	reset(div_3);
	var node_4 = sibling(div_3, 2);
	var consequent_2 = ($$anchor) => {
		var fragment_2 = root_3$4();
		var dl = first_child(fragment_2);
		var div_4 = child(dl);
		var dd = sibling(child(div_4));
		var text_4 = only_child(dd, true);
		reset(div_4);
		var node_5 = sibling(div_4, 2);
		var consequent = ($$anchor) => {
			var div_5 = root_2$5();
			var dt = child(div_5);
			var text_5 = only_child(dt, true);
			var dd_1 = sibling(dt);
			var text_6 = only_child(dd_1, true);
			reset(div_5);
			template_effect(($0) => {
				set_text(text_5, $$props.pass.lesson.model.positions ? "Bias and position" : "Bias");
				set_text(text_6, $0);
			}, [() => signed(get(found).rest)]);
			append($$anchor, div_5);
		};
		if_block(node_5, ($$render) => {
			if (get(found).rest !== null) $$render(consequent);
		});
		var div_6 = sibling(node_5, 2);
		var dt_1 = child(div_6);
		var text_7 = only_child(dt_1);
		var dd_2 = sibling(dt_1);
		var text_8 = only_child(dd_2, true);
		reset(div_6);
		reset(dl);
		var p = sibling(dl, 2);
		var node_6 = sibling(child(p));
		var consequent_1 = ($$anchor) => {
			var text_9 = text();
			text_9.nodeValue = " A norm follows, or patches are no squares, so the token is not this sum.";
			append($$anchor, text_9);
		};
		if_block(node_6, ($$render) => {
			if (get(found).rest === null) $$render(consequent_1);
		});
		reset(p);
		template_effect(($0, $1) => {
			set_text(text_4, $0);
			set_text(text_7, `Number ${$$props.page.dimension + 1} of the token`);
			set_text(text_8, $1);
		}, [() => signed(get(found).product), () => signed(get(found).value)]);
		append($$anchor, fragment_2);
	};
	if_block(node_4, ($$render) => {
		if (get(found)) $$render(consequent_2);
	});
	reset(div_1);
	reset(div);
	template_effect(($0) => {
		set_text(text$4, $0);
		set_text(text_1, `Dimension ${$$props.page.dimension + 1} of ${$$props.pass.lesson.model.embedDim ?? ""}`);
	}, [() => patchName($$props.page.patch, $$props.pass.shape)]);
	delegated("click", button, () => turn(-1));
	delegated("click", button_1, () => turn(1));
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/learn/figures/Heads.svelte
var root$8 = from_html(`<button type="button"><!> <span></span></button>`);
var root_1$8 = from_html(`<!> <div class="lesson-heads"></div> <p class="lesson-note"> <!></p>`, 1);
function Heads($$anchor, $$props) {
	push($$props, true);
	const shape = user_derived(() => $$props.pass.shape);
	const rows = user_derived(() => Array.from({ length: get(shape).heads }, (_, head) => rowOfHead($$props.pass, $$props.page.layer, head)));
	const limit = user_derived(() => roundLimit(Math.max(...get(rows).map((row) => row.slice(get(shape).prefix).sort().at(-3) ?? 0))));
	const prefixes = user_derived(() => get(rows).map((row) => sumOf(row, 0, get(shape).prefix)));
	var fragment = root_1$8();
	var node = first_child(fragment);
	LayerChoice(node, {
		get page() {
			return $$props.page;
		},
		get pass() {
			return $$props.pass;
		}
	});
	var div = sibling(node, 2);
	each(div, 21, () => get(rows), index, ($$anchor, row, head) => {
		var button = root$8();
		var node_1 = child(button);
		{
			let $0 = user_derived(() => ({
				kind: "linear",
				limit: get(limit),
				clips: true,
				isWeight: true
			}));
			let $1 = user_derived(() => $$props.page.theme.table("seq"));
			LessonMap(node_1, {
				get values() {
					return get(row);
				},
				get first() {
					return get(shape).prefix;
				},
				get shape() {
					return get(shape);
				},
				get scale() {
					return get($0);
				},
				get table() {
					return get($1);
				},
				label: `Head ${head + 1}`
			});
		}
		var span = sibling(node_1, 2);
		span.textContent = `head ${head + 1}`;
		reset(button);
		template_effect(() => set_attribute(button, "aria-pressed", $$props.page.head === head));
		delegated("click", button, () => pick($$props.page, { head }));
		append($$anchor, button);
	});
	reset(div);
	var p = sibling(div, 2);
	var text$3 = child(p);
	var node_2 = sibling(text$3);
	var consequent = ($$anchor) => {
		var text_1 = text();
		template_effect(($0) => set_text(text_1, ` Head ${$$props.page.head + 1} gives ${$0 ?? ""} to ${get(shape).prefix === 1 ? "the class token itself" : "class token and registers"}.`), [() => percent(get(prefixes)[$$props.page.head] ?? 0, 1)]);
		append($$anchor, text_1);
	};
	if_block(node_2, ($$render) => {
		if (get(shape).prefix) $$render(consequent);
	});
	reset(p);
	template_effect(($0, $1) => set_text(text$3, `Attention of ${get(shape).classToken ? "the class token" : "the mean patch"} to the patches, 0 to ${$0 ?? ""} and more; uniform is ${$1 ?? ""}.`), [() => percent(get(limit)), () => percent(1 / (get(rows)[0]?.length ?? 1))]);
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/learn/figures/Layers.svelte
var root$7 = from_html(`<h2> </h2> <!> <p class="lesson-note"> </p>`, 1);
var root_1$7 = from_html(`<p class="lesson-note">This model has no head, so there is no answer to read.</p>`);
var root_2$4 = from_html(`<!> <h2> </h2> <!>`, 1);
function Layers($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson), shape = user_derived(() => $$props.pass.shape);
	const final = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const winners = user_derived(() => get(lesson).lens.map((one) => one.indexOf(Math.max(...one))));
	const decided = user_derived(() => get(winners).length - 1 - [...get(winners)].reverse().findIndex((winner) => winner !== get(final)) + 1);
	const nameOf = (layer) => layer === 0 ? "input" : `layer ${layer}`;
	const lens = user_derived(() => get(lesson).lens.map((one, layer) => ({
		name: nameOf(layer),
		value: one[get(final)],
		text: answerOf($$props.pass, one),
		isOn: layer === get(decided) % (get(shape).layers + 1)
	})));
	const longest = user_derived(() => Math.max(...get(lesson).norms));
	const norms = user_derived(() => get(lesson).norms.map((norm, layer) => ({
		name: nameOf(layer),
		value: norm,
		text: norm.toFixed(1)
	})));
	var fragment = root_2$4();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var fragment_1 = root$7();
		var h2 = first_child(fragment_1);
		var text = only_child(h2);
		var node_1 = sibling(h2, 2);
		Bars(node_1, {
			get bars() {
				return get(lens);
			},
			label: "Logit lens by layer"
		});
		var p = sibling(node_1, 2);
		var text_1 = only_child(p, true);
		template_effect(() => {
			set_text(text, `Probability of ${get(reply).classes[get(final)] ?? ""}, and what the head would answer`);
			set_text(text_1, get(decided) > get(shape).layers ? "The answer is there from the input on." : `Decided ${get(decided) === 0 ? "at the input" : `after layer ${get(decided)}`}: from there on the answer is ${get(reply).classes[get(final)]}.`);
		});
		append($$anchor, fragment_1);
	};
	var alternate = ($$anchor) => {
		var p_1 = root_1$7();
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if (get(reply).classes.length) $$render(consequent);
		else $$render(alternate, -1);
	});
	var h2_1 = sibling(node, 2);
	var text_2 = only_child(h2_1);
	Bars(sibling(h2_1, 2), {
		get bars() {
			return get(norms);
		},
		get high() {
			return get(longest);
		},
		label: "Norm by layer"
	});
	template_effect(() => set_text(text_2, `Length of ${get(shape).classToken ? "the class token" : "the patch tokens, mean"}`));
	append($$anchor, fragment);
	pop();
}
// src/learn/figures/Overview.svelte
var root$6 = from_html(`<button type="button" class="lesson-part"><b> </b><span> </span></button>`);
var root_1$6 = from_html(`<div class="lesson-path"><figure class="lesson-input"><img alt="What the model gets"/></figure> <!> <div class="lesson-block"><p> </p> <!></div> <!> <p class="lesson-after">And then</p> <!></div>`);
function Overview($$anchor, $$props) {
	push($$props, true);
	const part = ($$anchor, $$arg0) => {
		var $$array = user_derived(() => to_array($$arg0?.(), 3));
		let id = () => get($$array)[0];
		let name = () => get($$array)[1];
		let about = () => get($$array)[2];
		var button = root$6();
		var b = child(button);
		var text = only_child(b, true);
		var span = sibling(b);
		var text_1 = only_child(span, true);
		reset(button);
		template_effect(() => {
			set_text(text, name());
			set_text(text_1, about());
		});
		delegated("click", button, () => goTo($$props.page, stepOf(id())));
		append($$anchor, button);
	};
	const shape = user_derived(() => $$props.pass.shape), lesson = user_derived(() => $$props.pass.lesson), reply = user_derived(() => $$props.pass.reply);
	const patches = user_derived(() => get(shape).rows * get(shape).columns);
	const parts = user_derived(() => [
		[
			"patches",
			"Patches",
			`${get(patches)} squares of ${get(lesson).model.patchSize} × ${get(lesson).model.patchSize} pixels`
		],
		[
			"embedding",
			"Patch embedding",
			`${3 * get(lesson).model.patchSize ** 2} pixel values become ${get(lesson).model.embedDim} numbers`
		],
		[
			"positions",
			"Positions",
			get(lesson).model.positions ? "a learned vector is added to each" : "rotations of queries and keys"
		],
		[
			"class-token",
			get(shape).classToken ? "Class token" : "What the head reads",
			`${get(patches) + get(shape).prefix} tokens`
		]
	]);
	const block = user_derived(() => [
		[
			"attention",
			"Attention",
			"query, key, value"
		],
		[
			"heads",
			`${get(shape).heads} heads`,
			`of ${get(lesson).model.headDim} numbers each`
		],
		[
			"layers",
			"Residual stream",
			`MLP of ${get(lesson).model.mlpDim} units; both add to the tokens`
		]
	]);
	const end = user_derived(() => [[
		"softmax",
		"Head and softmax",
		`${get(reply).classes.length} logits: ${get(reply).classes.length ? answerOf($$props.pass, get(reply).probabilities) : "none, this model has no head"}`
	]]);
	const after = [
		[
			"contributions",
			"Who wrote the answer?",
			"direct contributions"
		],
		[
			"removal",
			"Test a map",
			"remove what it names"
		],
		[
			"training",
			"Training",
			"how it came about"
		]
	];
	var div = root_1$6();
	var figure = child(div);
	var img = only_child(figure);
	var node = sibling(figure, 2);
	each(node, 17, () => get(parts), index, ($$anchor, one) => {
		part($$anchor, () => get(one));
	});
	var div_1 = sibling(node, 2);
	var p = child(div_1);
	var text_2 = only_child(p);
	var node_1 = sibling(p, 2);
	each(node_1, 17, () => get(block), index, ($$anchor, one) => {
		part($$anchor, () => get(one));
	});
	reset(div_1);
	var node_2 = sibling(div_1, 2);
	each(node_2, 17, () => get(end), index, ($$anchor, one) => {
		part($$anchor, () => get(one));
	});
	var node_3 = sibling(node_2, 4);
	each(node_3, 17, () => after, index, ($$anchor, one) => {
		part($$anchor, () => get(one));
	});
	reset(div);
	template_effect(() => {
		set_attribute(img, "src", get(reply).image.src);
		set_text(text_2, `${get(shape).layers ?? ""} layers, one after another`);
	});
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/learn/figures/Patches.svelte
var root$5 = from_html(`<div class="lesson-pair"><figure><!> <figcaption><b>Squares.</b> </figcaption></figure> <figure><!> <figcaption><b>Wrong reshape.</b> </figcaption></figure></div> <pre class="lesson-code"><code> </code></pre>`, 1);
function Patches($$anchor, $$props) {
	push($$props, true);
	const size = user_derived(() => $$props.pass.lesson.model.patchSize);
	const width = user_derived(() => $$props.pass.lesson.model.imgSize[1]);
	const strip = user_derived(() => {
		const first = $$props.page.patch * get(size) * get(size);
		const [row, column] = [Math.floor(first / get(width)), first % get(width)];
		const last = column + get(size) * get(size);
		const where = last <= get(width) ? `columns ${column + 1} to ${last}` : `from column ${column + 1} on, and of the next rows`;
		return `pixel row ${row + 1}, ${where}`;
	});
	var fragment = root$5();
	var div = first_child(fragment);
	var figure = child(div);
	var node = child(figure);
	Stage(node, {
		get src() {
			return $$props.pass.reply.image.src;
		},
		get shape() {
			return $$props.pass.shape;
		},
		get patch() {
			return $$props.page.patch;
		},
		name: "Patches",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var figcaption = sibling(node, 2);
	var text = sibling(child(figcaption));
	reset(figcaption);
	reset(figure);
	var figure_1 = sibling(figure, 2);
	var node_1 = child(figure_1);
	Stage(node_1, {
		get src() {
			return $$props.pass.lesson.scrambled;
		},
		get shape() {
			return $$props.pass.shape;
		},
		get patch() {
			return $$props.page.patch;
		},
		name: "Patches cut by a wrong reshape",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var figcaption_1 = sibling(node_1, 2);
	var text_1 = sibling(child(figcaption_1));
	reset(figcaption_1);
	reset(figure_1);
	reset(div);
	var pre = sibling(div, 2);
	var code = child(pre);
	var text_2 = only_child(code);
	reset(pre);
	template_effect(($0) => {
		set_text(text, ` ${$0 ?? ""}: ${get(size) ?? ""} × ${get(size) ?? ""} neighboring pixels.`);
		set_text(text_1, ` The same patch is ${get(strip) ?? ""} of the image.`);
		set_text(text_2, `x.unfold(2, ${get(size) ?? ""}, ${get(size) ?? ""}).unfold(3, ${get(size) ?? ""}, ${get(size) ?? ""})   # squares
x.reshape(B, N, ${get(size) ?? ""} * ${get(size) ?? ""} * 3)            # strips`);
	}, [() => patchName($$props.page.patch, $$props.pass.shape)]);
	append($$anchor, fragment);
	pop();
}
// src/learn/figures/Positions.svelte
var root$4 = from_html(`<figure><!> <figcaption> <b> </b>.</figcaption></figure>`);
var root_1$5 = from_html(`<div class="lesson-pair"><figure><!> <figcaption> </figcaption></figure> <!></div>`);
function Positions($$anchor, $$props) {
	push($$props, true);
	const table = user_derived(() => $$props.page.theme.table("seq"));
	const values = user_derived(() => $$props.page.embedding?.positions ?? []);
	const low = user_derived(() => Math.min(...get(values)));
	const nearest = user_derived(() => get(values).reduce((best, value, i) => i !== $$props.page.patch && value > (get(values)[best] ?? -2) ? i : best, -1));
	var div = root_1$5();
	var figure = child(div);
	var node = child(figure);
	Stage(node, {
		get src() {
			return $$props.pass.reply.image.src;
		},
		get shape() {
			return $$props.pass.shape;
		},
		get patch() {
			return $$props.page.patch;
		},
		name: "Patches",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var figcaption = sibling(node, 2);
	var text = only_child(figcaption, true);
	reset(figure);
	var node_1 = sibling(figure, 2);
	var consequent = ($$anchor) => {
		var figure_1 = root$4();
		var node_2 = child(figure_1);
		{
			let $0 = user_derived(() => ({
				kind: "linear",
				low: get(low),
				limit: 1
			}));
			LessonMap(node_2, {
				get values() {
					return get(values);
				},
				get shape() {
					return $$props.pass.shape;
				},
				get scale() {
					return get($0);
				},
				get table() {
					return get(table);
				},
				get patch() {
					return $$props.page.patch;
				},
				label: "Cosine of the position embeddings with that of the chosen patch"
			});
		}
		var figcaption_1 = sibling(node_2, 2);
		var text_1 = child(figcaption_1);
		var b = sibling(text_1);
		var text_2 = only_child(b, true);
		next();
		reset(figcaption_1);
		reset(figure_1);
		template_effect(($0, $1, $2) => {
			set_text(text_1, `Cosine with its position embedding, ${$0 ?? ""} to 1. Most alike: ${$1 ?? ""}, `);
			set_text(text_2, $2);
		}, [
			() => written(get(low), 2),
			() => patchName(get(nearest), $$props.pass.shape),
			() => get(values)[get(nearest)]?.toFixed(2)
		]);
		append($$anchor, figure_1);
	};
	if_block(node_1, ($$render) => {
		if (get(values).length && $$props.pass.lesson.model.positions) $$render(consequent);
	});
	reset(div);
	template_effect(($0) => set_text(text, $0), [() => patchName($$props.page.patch, $$props.pass.shape)]);
	append($$anchor, div);
	pop();
}
// src/learn/figures/Removal.svelte
var root$3 = from_html(`<button type="button" class="button"> </button>`);
var root_1$4 = from_html(`<li> </li>`);
var root_2$3 = from_html(`<button type="button" class="button" data-do="best">Remove the best known set</button>`);
var root_3$3 = from_html(`<ul class="lesson-flips" role="status"></ul> <!>`, 1);
var root_4$1 = from_html(`<div class="lesson-row"><button type="button" class="button" data-do="reveal"> </button></div>`);
var root_5$1 = from_html(`<div class="lesson-pair wide"><div><figure><!> <figcaption><span role="status"> </span></figcaption></figure> <div class="lesson-row"><!> <button type="button" class="button">Restore</button></div> <!></div> <div><h2> </h2> <!> <p class="lesson-note"> </p></div></div>`);
var root_6$1 = from_html(`<p class="lesson-note">This model has no head, so there is no answer that could change.</p>`);
function Removal($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson), shape = user_derived(() => $$props.pass.shape);
	const best = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const mean = user_derived(() => get(lesson).random.reduce((sum, one) => sum + one[get(best)], 0) / (get(lesson).random.length || 1));
	const flips = user_derived(() => get(lesson).random.filter((one) => one[get(best)] < Math.max(...one)).length);
	const bars = user_derived(() => [
		{
			name: "nothing removed",
			value: get(reply).probabilities[get(best)],
			text: percent(get(reply).probabilities[get(best)], 1)
		},
		...get(lesson).removals.map(({ name, probabilities }) => ({
			name: name.toLowerCase(),
			value: probabilities[get(best)],
			text: answerOf($$props.pass, probabilities)
		})),
		{
			name: `random, mean of ${get(lesson).random.length}`,
			value: get(mean),
			text: percent(get(mean), 1)
		},
		...$$props.page.without ? [{
			name: "yours",
			value: $$props.page.without[get(best)],
			text: answerOf($$props.pass, $$props.page.without),
			isOn: true
		}] : []
	]);
	const found = user_derived(() => $$props.page.flips === "working" ? null : $$props.page.flips);
	const without = user_derived(() => $$props.page.answered === $$props.page.removed ? $$props.page.without : null);
	const isFlipped = user_derived(() => flipped(get(reply).probabilities, get(without)));
	const toggle = (patch) => remove($$props.page, $$props.page.removed.includes(patch) ? $$props.page.removed.filter((one) => one !== patch) : [...$$props.page.removed, patch]);
	var fragment = comment();
	var node = first_child(fragment);
	var consequent_2 = ($$anchor) => {
		var div = root_5$1();
		var div_1 = child(div);
		var figure = child(div_1);
		var node_1 = child(figure);
		Stage(node_1, {
			get src() {
				return get(reply).image.src;
			},
			get shape() {
				return get(shape);
			},
			get patch() {
				return $$props.page.patch;
			},
			get removed() {
				return $$props.page.removed;
			},
			name: "Image",
			onpick: (patch) => pick($$props.page, { patch }),
			ontoggle: toggle
		});
		var figcaption = sibling(node_1, 2);
		var span = child(figcaption);
		var text = only_child(span, true);
		reset(figcaption);
		reset(figure);
		var div_2 = sibling(figure, 2);
		var node_2 = child(div_2);
		each(node_2, 17, () => get(lesson).removals, ({ name, patches }) => name, ($$anchor, $$item) => {
			let name = () => get($$item).name;
			let patches = () => get($$item).patches;
			var button = root$3();
			var text_1 = only_child(button, true);
			template_effect(() => set_text(text_1, name()));
			delegated("click", button, () => remove($$props.page, patches()));
			append($$anchor, button);
		});
		var button_1 = sibling(node_2, 2);
		reset(div_2);
		var node_3 = sibling(div_2, 2);
		var consequent_1 = ($$anchor) => {
			var fragment_1 = root_3$3();
			var ul = first_child(fragment_1);
			each(ul, 21, () => flipLines(get(found), $$props.page.ownBest), index, ($$anchor, line) => {
				var li = root_1$4();
				var text_2 = only_child(li, true);
				template_effect(() => set_text(text_2, get(line)));
				append($$anchor, li);
			});
			reset(ul);
			var node_4 = sibling(ul, 2);
			var consequent = ($$anchor) => {
				var button_2 = root_2$3();
				delegated("click", button_2, () => remove($$props.page, get(found).best ?? []));
				append($$anchor, button_2);
			};
			if_block(node_4, ($$render) => {
				if (get(found).best) $$render(consequent);
			});
			append($$anchor, fragment_1);
		};
		var alternate = ($$anchor) => {
			var div_3 = root_4$1();
			var button_3 = child(div_3);
			var text_3 = only_child(button_3, true);
			reset(div_3);
			template_effect(() => {
				button_3.disabled = $$props.page.flips === "working";
				set_text(text_3, $$props.page.flips === "working" ? "Searching…" : "Show the best known set");
			});
			delegated("click", button_3, () => revealFlips($$props.page));
			append($$anchor, div_3);
		};
		if_block(node_3, ($$render) => {
			if (get(found)) $$render(consequent_1);
			else $$render(alternate, -1);
		});
		reset(div_1);
		var div_4 = sibling(div_1, 2);
		var h2 = child(div_4);
		var text_4 = only_child(h2);
		var node_5 = sibling(h2, 2);
		{
			let $0 = user_derived(() => `Probability of ${get(reply).classes[get(best)]} without some patches`);
			Bars(node_5, {
				get bars() {
					return get(bars);
				},
				get label() {
					return get($0);
				}
			});
		}
		var p = sibling(node_5, 2);
		var text_5 = only_child(p);
		reset(div_4);
		reset(div);
		template_effect(($0) => {
			set_class(span, 1, clsx(["lesson-verdict", { won: get(isFlipped) }]));
			set_text(text, $0);
			button_1.disabled = !$$props.page.removed.length;
			set_text(text_4, `Probability of ${get(reply).classes[get(best)] ?? ""}`);
			set_text(text_5, `${get(flips) ?? ""} of ${get(lesson).random.length ?? ""} random sets change the answer. One image proves little: scores over 500 images are in the documentation.`);
		}, [() => tryLine(get(reply), $$props.page.removed.length, get(without))]);
		delegated("click", button_1, () => remove($$props.page, []));
		append($$anchor, div);
	};
	var alternate_1 = ($$anchor) => {
		var p_1 = root_6$1();
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if (get(lesson).removals.length) $$render(consequent_2);
		else $$render(alternate_1, -1);
	});
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/learn/figures/Softmax.svelte
var root$2 = from_html(`<div class="lesson-pair even"><div><h2>Logits</h2> <!></div> <div><h2>Probabilities</h2> <!></div></div> <label class="lesson-range">Temperature <input type="range" min="0.2" max="5" step="0.1"/> <output> </output></label> <p class="lesson-note"> <!></p>`, 1);
var root_1$3 = from_html(`<p class="lesson-note">This model has no head: it gives features, no logits.</p>`);
function Softmax($$anchor, $$props) {
	push($$props, true);
	const MOST = 10;
	let temperature = state(1);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson);
	const order = user_derived(() => [...get(lesson).logits.keys()].sort((a, b) => get(lesson).logits[b] - get(lesson).logits[a]).slice(0, MOST));
	const probabilities = user_derived(() => softmax(get(lesson).logits, get(temperature)));
	const $$d = user_derived(() => [Math.min(0, ...get(order).map((k) => get(lesson).logits[k])), Math.max(0, ...get(lesson).logits)]), $$array = user_derived(() => to_array(get($$d), 2)), low = user_derived(() => get($$array)[0]), high = user_derived(() => get($$array)[1]);
	var fragment = comment();
	var node = first_child(fragment);
	var consequent_1 = ($$anchor) => {
		var fragment_1 = root$2();
		var div = first_child(fragment_1);
		var div_1 = child(div);
		var node_1 = sibling(child(div_1), 2);
		{
			let $0 = user_derived(() => get(order).map((k) => ({
				name: get(reply).classes[k],
				value: get(lesson).logits[k],
				text: signed(get(lesson).logits[k])
			})));
			Bars(node_1, {
				get bars() {
					return get($0);
				},
				get low() {
					return get(low);
				},
				get high() {
					return get(high);
				},
				label: "Logits"
			});
		}
		reset(div_1);
		var div_2 = sibling(div_1, 2);
		var node_2 = sibling(child(div_2), 2);
		{
			let $0 = user_derived(() => get(order).map((k) => ({
				name: get(reply).classes[k],
				value: get(probabilities)[k],
				text: percent(get(probabilities)[k], 1)
			})));
			Bars(node_2, {
				get bars() {
					return get($0);
				},
				label: "Probabilities"
			});
		}
		reset(div_2);
		reset(div);
		var label = sibling(div, 2);
		var input = sibling(child(label));
		remove_input_defaults(input);
		var output = sibling(input, 2);
		var text$2 = only_child(output, true);
		reset(label);
		var p = sibling(label, 2);
		var text_1 = child(p);
		var node_3 = sibling(text_1);
		var consequent = ($$anchor) => {
			var text_2 = text();
			template_effect(() => set_text(text_2, ` The 10 largest of ${get(reply).classes.length ?? ""} classes.`));
			append($$anchor, text_2);
		};
		if_block(node_3, ($$render) => {
			if (get(reply).classes.length > MOST) $$render(consequent);
		});
		reset(p);
		template_effect(($0, $1) => {
			set_text(text$2, $0);
			set_text(text_1, `e to the power of each logit divided by ${$1 ?? ""}, divided by their sum. The model itself uses 1.`);
		}, [() => get(temperature).toFixed(1), () => get(temperature).toFixed(1)]);
		bind_value(input, () => get(temperature), ($$value) => set(temperature, $$value));
		append($$anchor, fragment_1);
	};
	var alternate = ($$anchor) => {
		var p_1 = root_1$3();
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if (get(reply).classes.length) $$render(consequent_1);
		else $$render(alternate, -1);
	});
	append($$anchor, fragment);
	pop();
}
// src/learn/figures/Training.svelte
var root$1 = from_html(`<br/> `, 1);
var root_1$2 = from_html(`<figure><!> <figcaption> <!></figcaption></figure>`);
var root_2$2 = from_html(`<div class="lesson-heads"><figure class="lesson-input"><img/><figcaption> </figcaption></figure> <!></div> <p class="lesson-note"> </p>`, 1);
var root_3$2 = from_html(`<p class="lesson-note">No timeline was saved with this model. Trainings started on Train have one; so does cifar10-ti4.</p>`);
function Training($$anchor, $$props) {
	push($$props, true);
	const SHOWN = 8;
	const found = user_derived(() => $$props.page.training);
	const shape = user_derived(() => $$props.pass.shape);
	const patches = user_derived(() => get(shape).rows * get(shape).columns);
	const maps = user_derived(() => get(found) ? floatsOf(get(found).maps) : new Float32Array());
	const count = user_derived(() => get(found)?.epochs.length ?? 0);
	const chosen = user_derived(() => [...new Set(Array.from({ length: SHOWN }, (_, i) => Math.round(i * (get(count) - 1) / 7)))]);
	const limit = user_derived(() => get(maps).length ? Math.max(...get(maps).slice(-get(patches))) : 1);
	var fragment = comment();
	var node = first_child(fragment);
	var consequent_1 = ($$anchor) => {
		var fragment_1 = root_2$2();
		var div = first_child(fragment_1);
		var figure = child(div);
		var img = child(figure);
		var figcaption = sibling(img);
		var text = only_child(figcaption, true);
		reset(figure);
		var node_1 = sibling(figure, 2);
		each(node_1, 16, () => get(chosen), (snapshot) => snapshot, ($$anchor, snapshot) => {
			var figure_1 = root_1$2();
			var node_2 = child(figure_1);
			{
				let $0 = user_derived(() => snapshot * get(patches));
				let $1 = user_derived(() => ({
					kind: "linear",
					limit: get(limit),
					clips: true,
					isWeight: true
				}));
				let $2 = user_derived(() => $$props.page.theme.table("seq"));
				let $3 = user_derived(() => `After ${get(found).epochs[snapshot].toFixed(1)} epochs`);
				LessonMap(node_2, {
					get values() {
						return get(maps);
					},
					get first() {
						return get($0);
					},
					get shape() {
						return get(shape);
					},
					get scale() {
						return get($1);
					},
					get table() {
						return get($2);
					},
					get label() {
						return get($3);
					}
				});
			}
			var figcaption_1 = sibling(node_2, 2);
			var text_1 = child(figcaption_1);
			var node_3 = sibling(text_1);
			var consequent = ($$anchor) => {
				var fragment_2 = root$1();
				var text_2 = sibling(first_child(fragment_2));
				template_effect(($0) => set_text(text_2, `${get(found).name ?? ""} ${$0 ?? ""}`), [() => percent(get(found).probabilities[snapshot], 0)]);
				append($$anchor, fragment_2);
			};
			if_block(node_3, ($$render) => {
				if (get(found).probabilities) $$render(consequent);
			});
			reset(figcaption_1);
			reset(figure_1);
			template_effect(($0) => set_text(text_1, `epoch ${$0 ?? ""}`), [() => get(found).epochs[snapshot].toFixed(get(found).epochs[snapshot] < 10 ? 1 : 0)]);
			append($$anchor, figure_1);
		});
		reset(div);
		var p = sibling(div, 2);
		var text_3 = only_child(p);
		template_effect(($0) => {
			set_attribute(img, "src", get(found).image);
			set_attribute(img, "alt", get(found).name);
			set_text(text, get(found).name);
			set_text(text_3, `Mean attention of the last layer's heads, all on one scale, 0 to ${$0 ?? ""}. Train shows every layer, head and snapshot.`);
		}, [() => percent(get(limit))]);
		append($$anchor, fragment_1);
	};
	var alternate = ($$anchor) => {
		var p_1 = root_3$2();
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if (get(found) && get(maps).length === get(count) * get(patches)) $$render(consequent_1);
		else $$render(alternate, -1);
	});
	append($$anchor, fragment);
	pop();
}
// src/learn/glossary.ts
var ENTRIES = [
	{
		term: "Patch",
		symbol: "N",
		formula: "N = H W / P²",
		meaning: "A square of P × P pixels of the image. There are N of them.",
		step: "patches"
	},
	{
		term: "Token",
		symbol: "x",
		formula: "x ∈ ℝᴰ",
		meaning: "A vector of D numbers that the layers rewrite. Each patch is one, and the class token is one more.",
		step: "overview"
	},
	{
		term: "Patch embedding",
		symbol: "E",
		formula: "x_i = E patch_i + b",
		meaning: "The linear layer that turns the pixels of a patch into its token: a convolution with stride P.",
		step: "embedding"
	},
	{
		term: "Position embedding",
		symbol: "p",
		formula: "x_i + p_i",
		meaning: "A learned vector for each place, added to its token, since attention itself ignores order.",
		step: "positions"
	},
	{
		term: "Class token",
		symbol: "x_0",
		formula: "y = head(norm(x_0))",
		meaning: "A token without a patch. It collects information by attention, and the head reads it.",
		step: "class-token"
	},
	{
		term: "Query",
		symbol: "q",
		formula: "q = W_q norm(x)",
		meaning: "What a token looks for: in each head a vector of d numbers.",
		step: "attention"
	},
	{
		term: "Key",
		symbol: "k",
		formula: "k = W_k norm(x)",
		meaning: "What a token offers to the queries of the others.",
		step: "attention"
	},
	{
		term: "Value",
		symbol: "v",
		formula: "v = W_v norm(x)",
		meaning: "What is read from a token that gets attention.",
		step: "attention"
	},
	{
		term: "Attention weight",
		symbol: "α",
		formula: "α_j = softmax_j(q · k_j / √d)",
		meaning: "How much a query reads from token j. The weights of a query sum to 100 %.",
		step: "attention"
	},
	{
		term: "Uniform attention",
		symbol: "1 / T",
		formula: "α_j = 1 / T",
		meaning: "The same weight for all T tokens: the mark against which weights are large or small.",
		step: "attention"
	},
	{
		term: "Head",
		symbol: "A",
		formula: "z = Σ_j α_j v_j",
		meaning: "One attention with queries, keys and values of its own. A layer has A of them.",
		step: "heads"
	},
	{
		term: "MLP",
		symbol: "MLP",
		formula: "W_2 GELU(W_1 norm(x))",
		meaning: "Two linear layers with a nonlinearity between them, applied to each token on its own.",
		step: "overview"
	},
	{
		term: "Layer",
		symbol: "L",
		formula: "x + attention(x), then x + MLP(x)",
		meaning: "Attention followed by an MLP, also called a block. The network has L of them.",
		step: "overview"
	},
	{
		term: "Residual stream",
		symbol: "x",
		formula: "x_L = x_0 + Σ (attention + MLP)",
		meaning: "A token on its way through the layers, which only add to it.",
		step: "layers"
	},
	{
		term: "LayerNorm",
		symbol: "norm",
		formula: "γ (x − mean) / std + β",
		meaning: "Brings the numbers of a token to mean 0 and standard deviation 1, then scales and shifts each.",
		step: "layers"
	},
	{
		term: "Logit lens",
		symbol: "y_l",
		formula: "y_l = head(norm(x_l))",
		meaning: "The head applied after layer l instead of the last: what the network would answer there.",
		step: "layers"
	},
	{
		term: "Logit",
		symbol: "y_c",
		formula: "y_c = w_c · norm(x) + b_c",
		meaning: "The output for class c before softmax. One more multiplies the odds by 2.7.",
		step: "softmax"
	},
	{
		term: "Softmax",
		symbol: "p_c",
		formula: "p_c = exp(y_c) / Σ_j exp(y_j)",
		meaning: "Turns numbers into positive ones that sum to 1: logits into probabilities, scores into attention weights.",
		step: "softmax"
	},
	{
		term: "Contribution",
		symbol: "Δy",
		formula: "y_c = Σ Δy + biases",
		meaning: "What an attention or MLP added to the logit. All of them sum to it exactly.",
		step: "contributions"
	},
	{
		term: "Attribution map",
		symbol: "R",
		formula: "R ∈ ℝᴺ",
		meaning: "A number for each patch that says how much it matters for a class. Removing patches tests it.",
		step: "removal"
	}
];
var indexed = (text) => text.split(/_(.)/);
// src/learn/Glossary.svelte
var math = ($$anchor, text$1 = noop) => {
	var span = root_1$1();
	each(span, 21, () => indexed(text$1()), index, ($$anchor, part, i) => {
		var fragment = comment();
		var node = first_child(fragment);
		var consequent = ($$anchor) => {
			var sub = root();
			var text_1 = only_child(sub, true);
			template_effect(() => set_text(text_1, get(part)));
			append($$anchor, sub);
		};
		var alternate = ($$anchor) => {
			var text_2 = text();
			template_effect(() => set_text(text_2, get(part)));
			append($$anchor, text_2);
		};
		if_block(node, ($$render) => {
			if (i % 2) $$render(consequent);
			else $$render(alternate, -1);
		});
		append($$anchor, fragment);
	});
	reset(span);
	append($$anchor, span);
};
var root = from_html(`<sub> </sub>`);
var root_1$1 = from_html(`<span class="lesson-math"></span>`);
var root_2$1 = from_html(`<div><dt> <!></dt> <dd> </dd> <dd><!></dd> <dd><button type="button"> </button></dd></div>`);
var root_3$1 = from_html(`<details class="lesson-glossary"><summary>Glossary</summary> <dl></dl></details>`);
function Glossary($$anchor, $$props) {
	push($$props, true);
	var details = root_3$1();
	var dl = sibling(child(details), 2);
	each(dl, 21, () => ENTRIES, ({ term, symbol, formula, meaning, step }) => term, ($$anchor, $$item) => {
		let term = () => get($$item).term;
		let symbol = () => get($$item).symbol;
		let formula = () => get($$item).formula;
		let meaning = () => get($$item).meaning;
		let step = () => get($$item).step;
		var div = root_2$1();
		var dt = child(div);
		var text_3 = child(dt);
		math(sibling(text_3), symbol);
		reset(dt);
		var dd = sibling(dt, 2);
		var text_4 = only_child(dd, true);
		var dd_1 = sibling(dd, 2);
		math(child(dd_1), formula);
		reset(dd_1);
		var dd_2 = sibling(dd_1, 2);
		var button = child(dd_2);
		var text_5 = only_child(button);
		reset(dd_2);
		reset(div);
		template_effect(($0, $1, $2) => {
			set_text(text_3, `${term() ?? ""} `);
			set_text(text_4, meaning());
			set_attribute(button, "aria-label", $0);
			set_text(text_5, `Step ${$1 ?? ""}: ${$2 ?? ""}`);
		}, [
			() => `${term()}: step ${stepOf(step()) + 1}, ${STEPS[stepOf(step())].title}`,
			() => stepOf(step()) + 1,
			() => STEPS[stepOf(step())].title
		]);
		delegated("click", button, () => $$props.ongo(stepOf(step())));
		append($$anchor, div);
	});
	reset(dl);
	reset(details);
	append($$anchor, details);
	pop();
}
delegate(["click"]);
// src/learn/Learn.svelte
var root_1 = from_html(`<li><button type="button"> </button></li>`);
var root_2 = from_html(`<p class="lesson-text"> </p>`);
var root_3 = from_html(`<details><summary> </summary><p> </p></details>`);
var root_4 = from_html(`<!> <p class="lesson-try"><b>Try it.</b> </p> <!>`, 1);
var root_5 = from_html(`<button type="button" class="button primary" data-do="next"> </button>`);
var root_6 = from_html(`<button type="button"><img alt=""/></button>`);
var root_7 = from_html(`<div class="vitviz vitviz-learn"><!> <div class="lesson"><nav aria-label="Steps"><ol></ol></nav> <article><p class="lesson-count"> </p> <h1 tabindex="-1"> </h1> <p role="status"> </p> <!> <div class="lesson-turn"><button type="button" class="button" data-do="back">Back</button> <!></div> <fieldset class="lesson-images"><legend>Image</legend> <!> <p class="lesson-note">Another image of yours: choose it in Explore and come back.</p></fieldset></article> <section class="lesson-figure"><!></section></div> <!> <p class="foot"><span> </span><span>Keys: <kbd>←</kbd> <kbd>→</kbd> turn the pages · in a figure, <kbd>arrows</kbd> choose the patch</span></p></div>`);
function Learn($$anchor, $$props) {
	push($$props, true);
	const FIGURES = [...[
		Overview,
		Patches,
		Embedding,
		Positions,
		ClassToken,
		Attention
	], ...[
		Heads,
		Layers,
		Softmax,
		Contributions,
		Removal,
		Training
	]];
	const page = prop($$props, "page", 7);
	const pass = user_derived(() => page().pass);
	const step = user_derived(() => page().current);
	const Figure = user_derived(() => FIGURES[page().step]);
	const sample = user_derived(() => page().image?.kind === "sample" ? page().image.name : null);
	let root;
	onMount(() => {
		start(page(), root);
	});
	function press(event) {
		const { target } = event;
		if (!root.clientWidth || isShortcut(event) || event.defaultPrevented) return;
		if (target instanceof Element && target.closest("input, select, [role=application], [role=tab], dialog")) return;
		const by = {
			ArrowRight: 1,
			PageDown: 1,
			ArrowLeft: -1,
			PageUp: -1
		}[event.key];
		if (!by) return;
		event.preventDefault();
		goTo(page(), page().step + by);
	}
	var div = root_7();
	event("keydown", $window, press);
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
				return page().checkpoint;
			},
			onchoose: (checkpoint) => choose(page(), { checkpoint }),
			get page() {
				return get($0);
			}
		});
	}
	var div_1 = sibling(node, 2);
	var nav = child(div_1);
	var ol = child(nav);
	each(ol, 23, () => STEPS, ({ id, title }) => id, ($$anchor, $$item, i) => {
		let title = () => get($$item).title;
		var li = root_1();
		var button = child(li);
		var text = only_child(button, true);
		reset(li);
		template_effect(() => {
			set_attribute(button, "aria-current", get(i) === page().step ? "step" : void 0);
			set_class(button, 1, clsx({ done: get(i) < page().step }));
			set_text(text, title());
		});
		delegated("click", button, () => goTo(page(), get(i)));
		append($$anchor, li);
	});
	reset(ol);
	reset(nav);
	var article = sibling(nav, 2);
	var p = child(article);
	var text_1 = only_child(p);
	var h1 = sibling(p, 2);
	var text_2 = only_child(h1, true);
	var p_1 = sibling(h1, 2);
	var text_3 = only_child(p_1, true);
	var node_1 = sibling(p_1, 2);
	var consequent = ($$anchor) => {
		var fragment = root_4();
		var node_2 = first_child(fragment);
		each(node_2, 17, () => get(step).text(get(pass)), index, ($$anchor, paragraph) => {
			var p_2 = root_2();
			var text_4 = only_child(p_2, true);
			template_effect(() => set_text(text_4, get(paragraph)));
			append($$anchor, p_2);
		});
		var p_3 = sibling(node_2, 2);
		var text_5 = sibling(child(p_3));
		reset(p_3);
		var node_3 = sibling(p_3, 2);
		key(node_3, () => get(step), ($$anchor) => {
			var details = root_3();
			var summary = child(details);
			var text_6 = only_child(summary, true);
			var p_4 = sibling(summary);
			var text_7 = only_child(p_4, true);
			reset(details);
			template_effect(($0) => {
				set_text(text_6, get(step).question);
				set_text(text_7, $0);
			}, [() => get(step).answer(get(pass))]);
			append($$anchor, details);
		});
		template_effect(() => set_text(text_5, ` ${get(step).tryIt ?? ""}`));
		append($$anchor, fragment);
	};
	if_block(node_1, ($$render) => {
		if (get(pass)) $$render(consequent);
	});
	var div_2 = sibling(node_1, 2);
	var button_1 = child(div_2);
	var node_4 = sibling(button_1, 2);
	var consequent_1 = ($$anchor) => {
		var button_2 = root_5();
		var text_8 = only_child(button_2);
		template_effect(($0) => set_text(text_8, `Next: ${$0 ?? ""}`), [() => STEPS[page().step + 1].title.toLowerCase()]);
		delegated("click", button_2, () => goTo(page(), page().step + 1));
		append($$anchor, button_2);
	};
	if_block(node_4, ($$render) => {
		if (page().step < STEPS.length - 1) $$render(consequent_1);
	});
	reset(div_2);
	var fieldset = sibling(div_2, 2);
	var node_5 = sibling(child(fieldset), 2);
	each(node_5, 17, () => page().host.catalog.samples, ({ name, src }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let src = () => get($$item).src;
		var button_3 = root_6();
		var img = only_child(button_3);
		template_effect(() => {
			set_attribute(button_3, "aria-pressed", get(sample) === name());
			set_attribute(button_3, "aria-label", name());
			set_attribute(img, "src", src());
		});
		delegated("click", button_3, () => choose(page(), { image: {
			kind: "sample",
			name: name()
		} }));
		append($$anchor, button_3);
	});
	next(2);
	reset(fieldset);
	reset(article);
	var section = sibling(article, 2);
	var node_6 = child(section);
	var consequent_2 = ($$anchor) => {
		var fragment_1 = comment();
		var node_7 = first_child(fragment_1);
		component(node_7, () => get(Figure), ($$anchor, Figure_1) => {
			Figure_1($$anchor, {
				get page() {
					return page();
				},
				get pass() {
					return get(pass);
				}
			});
		});
		append($$anchor, fragment_1);
	};
	if_block(node_6, ($$render) => {
		if (get(pass)) $$render(consequent_2);
	});
	reset(section);
	reset(div_1);
	var node_8 = sibling(div_1, 2);
	Glossary(node_8, { ongo: (step) => goTo(page(), step) });
	var p_5 = sibling(node_8, 2);
	var span = child(p_5);
	var text_9 = only_child(span);
	next();
	reset(p_5);
	reset(div);
	bind_this(div, ($$value) => root = $$value, () => root);
	template_effect(() => {
		set_attribute(div, "data-state", page().state);
		set_attribute(div, "data-ready", get(pass)?.reply.key);
		set_attribute(div, "data-step", get(step).id);
		set_text(text_1, `Step ${page().step + 1} of ${STEPS.length ?? ""}`);
		set_text(text_2, get(step).title);
		set_class(p_1, 1, clsx(["status", { error: page().isError }]));
		set_text(text_3, page().status);
		button_1.disabled = page().step === 0;
		set_attribute(section, "aria-label", `Figure: ${get(step).title}`);
		set_text(text_9, `All numbers are those of ${page().checkpoint ?? ""} on this image.`);
	});
	delegated("click", button_1, () => goTo(page(), page().step - 1));
	append($$anchor, div);
	pop();
}
delegate(["click"]);
export { LearnPage, Learn as default };
