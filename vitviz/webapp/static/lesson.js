import { $window, append, bind_this, bind_value, child, clsx, comment, component, delegate, delegated, each, event, first_child, from_html, get, if_block, index, init_select, key, next, noop, onMount, only_child, pop, prop, push, remove_input_defaults, reset, select_option, set, set_attribute, set_class, set_style, set_text, sibling, snippet, state, template_effect, text, to_array, update, user_derived, user_effect } from "./packages.js";
import { GLOSSARY, GRID_KEYS, ModelSelect, ThemeColors, colorIndex, counted, cssColor, firstImage, floatsOf, imageParam, indexed, inkOn, isImageUrl, isRefusal, isServed, isShortcut, makeTile, meanOf, neighbour, paintTile, parseImage, parsePatches, patchAt, patchName, patchesParam, percent, prefixName, reasonOf, refreshModels, roundLimit, sharpestHead, signed, sumOf, tokenName, unavailable, updateAddress, uploadOf, written } from "./shared.js";
// src/learn/attention.ts
function attentionOf({ query, keys, values, size }, token, scaledWidth) {
	const count = keys.length / size;
	const keyOf = (index) => keys.subarray(index * size, (index + 1) * size);
	const dot = (index) => keyOf(index).reduce((sum, value, i) => sum + value * query[i], 0);
	const scores = Float32Array.from({ length: count }, (_, index) => dot(index) / Math.sqrt(scaledWidth));
	const weights = softmax(scores);
	const output = new Float32Array(size);
	for (let index = 0; index < count; index++) for (let i = 0; i < size; i++) output[i] += weights[index] * values[index * size + i];
	const key = keyOf(token);
	return {
		token,
		query,
		key,
		values,
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
var precise = (value) => value.toPrecision(3);
var steps$1 = ({ product, scores, weights, token }, scaledWidth) => [
	{
		part: "sum",
		name: "Sum of products",
		text: signed(product)
	},
	{
		part: "score",
		name: `Divided by √${scaledWidth}`,
		text: signed(scores[token])
	},
	{
		part: "power",
		name: "e to that power",
		text: precise(Math.exp(scores[token]))
	},
	{
		part: "weight",
		name: `Weight among ${weights.length}`,
		text: percent(weights[token])
	}
];
function sourceOf(part, index, row, shape, model) {
	const { query, key, products, product, scores, weights, token } = row;
	const number = index + 1;
	const rotated = model.rotary ? ", rotated by its position" : "";
	const projected = (name, from) => `row ${number} of the ${name} weights of this head times ${tokenName(from, shape)} after the norm of the layer, ${model.embedDim} products${from >= shape.prefix ? rotated : ""}.`;
	switch (part) {
		case "query": return `Number ${number} of q, ${signed(query[index])}: ${projected("query", 0)}`;
		case "key": return `Number ${number} of k, ${signed(key[index])}: ${projected("key", token)}`;
		case "product": return `Number ${number} of q × k: ${signed(query[index])} × ${signed(key[index])} = ${signed(products[index])}`;
		case "sum": {
			const positive = products.reduce((sum, value) => sum + Math.max(0, value), 0);
			return `The ${products.length} numbers of q × k: ${signed(positive)} of positive ones, ${signed(product - positive)} of negative ones.`;
		}
		case "score": return `${signed(product)} / √${model.scaledWidth} = ${signed(product)} / ${written(Math.sqrt(model.scaledWidth), 2)} = ${signed(scores[token])}`;
		case "power": return `e to the power of ${signed(scores[token])} is ${precise(Math.exp(scores[token]))}: positive, whatever the score is.`;
		case "weight": {
			const sum = scores.reduce((total, score) => total + Math.exp(score), 0);
			return `${precise(Math.exp(scores[token]))} / ${precise(sum)} = ${percent(weights[token])}. The divisor is the sum over all ${weights.length} keys.`;
		}
		case "token": return `${percent(weights[index])} for ${tokenName(index, shape)}, whose score is ${signed(scores[index])}.`;
		default: return outputSource(index, row, shape);
	}
}
function outputSource(index, { weights, values, output, query }, shape) {
	const valueAt = (token) => values[token * query.length + index];
	const size = (token) => Math.abs(weights[token] * valueAt(token));
	const [first, second] = [...weights.keys()].sort((a, b) => size(b) - size(a));
	const term = (token) => `${percent(weights[token])} × ${signed(valueAt(token))} (${tokenName(token, shape)})`;
	const terms = [first, second].filter((token) => token !== void 0);
	const others = weights.length - terms.length;
	const rest = terms.reduce((sum, token) => sum - weights[token] * valueAt(token), output[index]);
	return `Number ${index + 1}, ${signed(output[index])}: ${terms.map(term).join(", ")}, and ${signed(rest)} from ${others} others.`;
}
// src/learn/address.ts
var NAMES = [
	"layer",
	"head",
	"patch",
	"dimension",
	"removed"
];
var OF_STEP = {
	patches: ["patch"],
	embedding: ["patch", "dimension"],
	positions: ["patch"],
	"class-token": ["patch"],
	attention: [
		"layer",
		"head",
		"patch"
	],
	heads: ["layer", "head"],
	contributions: ["patch"],
	removal: ["removed"]
};
var OUTSIDE = "Some removed patches of this link are not in the grid of this model: they are left out.";
function paramsOf(step, choices, shape) {
	const shown = OF_STEP[step] ?? [];
	const texts = {
		layer: String(choices.layer + 1),
		head: String(choices.head + 1),
		patch: patchesParam([choices.patch], shape),
		dimension: String(choices.dimension + 1),
		removed: patchesParam(choices.removed, shape)
	};
	return Object.fromEntries(NAMES.map((name) => [name, shown.includes(name) ? texts[name] : null]));
}
var nearest = (value, count) => Math.min(count, Math.max(1, Math.round(value) || 1));
function nearestPatch(text, shape) {
	const [row, column] = text.split("-").map(Number);
	const patch = (nearest(row, shape.rows) - 1) * shape.columns + nearest(column, shape.columns) - 1;
	return [patch, patchesParam([patch], shape) === text];
}
function readChoices(params, step, shape, dimensions) {
	const choices = {};
	const missing = [];
	const counts = {
		layer: shape.layers,
		head: shape.heads,
		dimension: dimensions
	};
	for (const name of [
		"layer",
		"head",
		"dimension"
	]) {
		const text = params.get(name);
		if (!text || text === "mean" || text === "pool") continue;
		const number = nearest(Number(text), counts[name]);
		choices[name] = number - 1;
		if (String(number) !== text) missing.push(unavailable(name, text, `${name} ${number}`));
	}
	const [first, ...pinned] = (params.get("patch") ?? "").split("_");
	if (first && !pinned.length) {
		const [patch, isHere] = nearestPatch(first, shape);
		choices.patch = patch;
		if (!isHere) missing.push(unavailable("patch", first, patchName(patch, shape)));
	}
	const removed = step === "removal" && params.get("removed");
	if (removed) {
		choices.removed = parsePatches(removed, shape);
		if (choices.removed.length < removed.split("_").length) missing.push(OUTSIDE);
	}
	return {
		choices,
		missing
	};
}
// src/learn/flips.ts
var largest = (values) => values.indexOf(Math.max(...values));
var patches = (count) => counted(count, "patch", "patches");
var flipped = (before, without) => without !== null && largest(without) !== largest(before);
function tryLine({ classes, probabilities }, count, without) {
	if (!count) return "Click patches to remove them. How few change the prediction?";
	if (!without) return `${patches(count)} removed.`;
	const [before, now] = [largest(probabilities), largest(without)];
	if (before !== now) return `Changed with ${patches(count)}: ${classes[before]} becomes ${classes[now]}.`;
	return `${patches(count)} removed: still ${classes[now]}, ${percent(without[now], 1)}.`;
}
var median = (counts) => [...counts].sort((a, b) => a - b)[Math.floor(counts.length / 2)];
function flipLines({ best, random }, own) {
	if (!best) return ["No order changes the prediction as long as a patch is left."];
	const changed = random.filter((count) => count !== null);
	const middle = changed.length ? median(changed) : Number.POSITIVE_INFINITY;
	const chance = changed.length ? `${changed.length} of ${random.length} random orders change it, with ${middle} patches (median).` : `None of ${random.length} random orders changes it.`;
	return [
		`Best known: ${patches(best.length)}. A smaller set may exist.`,
		chance,
		verdict(own, best.length, middle)
	];
}
function verdict(own, best, random) {
	if (!own) return "You have not changed it yet.";
	if (own < best) return `You needed ${patches(own)}: better than the best known set!`;
	if (own === best) return "You needed as few as the best known set.";
	return `You needed ${patches(own)}, ${own - best} more${own < random ? "" : ": no better than random"}.`;
}
var lesson_default = {
	without_head: "This step needs a classification head, and this model has none. Choose another model to see it.",
	steps: [
		{
			"id": "overview",
			"title": "The whole path",
			"text": [
				"A Vision Transformer cuts the image into {patches} patches and turns each into a token, a vector of {embed_dim} numbers.",
				"Then {layers} of attention and MLP update the tokens{read_by_head}.",
				"All numbers in this lesson are those of this model on this image."
			],
			"try_it": "Choose a part of the figure to open its step.",
			"question": "In which part do patches exchange information?",
			"answer": "In attention alone. Patch embedding, norms and MLPs treat every token on its own."
		},
		{
			"id": "patches",
			"title": "Pixels become patches",
			"text": [
				"Patches of {patch_size} × {patch_size} pixels give {patches} tokens. Attention compares all pairs, so half the side costs sixteen times the products.",
				"Patches of the ViT paper have 16 × 16 pixels: an image of {img_size} would have {patches_of_16}.",
				"Cutting is a reshape. A tutorial’s wrong one runs without an error: on the right, each patch is a strip of the image."
			],
			"try_it": "Point at a patch on the right. Where are its pixels?",
			"question": "Why can a network still learn with wrong patches?",
			"answer": "The same place always becomes the same token, and position embeddings can learn where it is. What is lost: a patch has no shape, only a row of colors."
		},
		{
			"id": "embedding",
			"title": "A patch becomes a token",
			"text": ["Each of the {embed_dim} numbers of a token has a filter as large as a patch. Multiply pixel by pixel, sum the products, and add bias and position: that is one number of the token.", "It is a convolution whose stride equals its kernel."],
			"try_it": "Change patch and dimension. Which filters respond to edges, which to color?",
			"question": "How many weights does this layer have?",
			"answer": "3 × {patch_size} × {patch_size} inputs times {embed_dim} outputs and the biases: {embedding_weights}."
		},
		{
			"id": "positions",
			"title": "Where is the patch?",
			"text": ["Attention ignores order: shuffled patches would give the same prediction. So each place has a learned vector, the position embedding, that is added to its patch.", "The map compares the vector of one place with all others. No rows and columns are built in, yet neighbors are similar."],
			"without": { "position_embedding": ["Attention ignores order. This model adds no position embedding: it rotates queries and keys by an angle that depends on the place.", "So there is nothing to compare here; open a model with learned positions to see them."] },
			"try_it": "Point at a corner, then at the center.",
			"question": "What happens to a model without any positions?",
			"answer": "It sees a bag of patches. In the ViT paper (appendix D.4) that costs about three points of few-shot accuracy."
		},
		{
			"id": "class-token",
			"title": "The class token",
			"text": ["One more token belongs to no patch. It starts as the same learned vector for every image, gathers information by attention, and is the only token that the head reads.", "The map applies the head to the patch tokens instead: how probable is {prediction} there?"],
			"without": {
				"head": ["Many ViTs add a class token, which gathers information by attention and is the only token that the head reads.", "This model has no classification head, so no token is read."],
				"class_token_readout": ["Many ViTs add a class token, which gathers information by attention and is the only token that the head reads.", "The head of this model reads its tokens in another way, so there is no single token to swap."]
			},
			"try_it": "Point at patches. Do they predict the same class?",
			"question": "Is a map of these probabilities a segmentation?",
			"answer": "No. The head never learned to read patch tokens, and each has attended to the whole image."
		},
		{
			"id": "attention",
			"title": "Query meets key",
			"text": [
				"In each head a token has a query q, what it looks for, and a key k, what it offers: {head_dim} numbers each.",
				"Their dot product, divided by √{scaled_width}, is a score. Softmax turns the scores of {tokens} keys into weights that sum to 100 %.",
				"The output is the sum of all values v times these weights."
			],
			"try_it": "Point at a patch or a number. For which keys is the weight below uniform, and which products cause it?",
			"question": "Why divide by the square root?",
			"answer": "Sums of more products are larger. Without the division, softmax would put nearly all weight on one key, and gradients would vanish."
		},
		{
			"id": "heads",
			"title": "Many heads",
			"text": ["In every layer, {heads} do this in parallel, each with its own queries, keys and values of {head_dim} numbers.", "Every tile is the attention of one head to the patches, on one scale. Compare their shapes: some follow parts of the object, some a place."],
			"try_it": "Choose another layer, then a head; the step before shows its numbers.",
			"question": "Is a head with a sharp map more important?",
			"answer": "Not necessarily. Its values may be small, or later layers may ignore them. Ablate it in Explore and see."
		},
		{
			"id": "layers",
			"title": "Layer by layer",
			"text": ["Attention and MLP do not replace a token, they add to it: the residual stream. So the classifier head can be applied after any layer, the logit lens.", "The upper bars show what it would predict there, the lower ones the norm of the token. LayerNorm divides that out again before each attention, MLP and classifier head."],
			"try_it": "Find the layer after which the prediction no longer changes.",
			"question": "Did the layers before do nothing?",
			"answer": "They prepared it. The lens shows only what the classifier head can already read."
		},
		{
			"id": "softmax",
			"title": "Logits and softmax",
			"text": ["The classifier head multiplies the token by one vector per class: {classes} logits. Softmax takes e to the power of each and divides by the sum.", "Only differences matter: an increase of 1 in a logit multiplies the odds by e, 2.7."],
			"needs_head": true,
			"try_it": "Divide all logits by a temperature. Does the order of the classes change?",
			"question": "Is a probability of 99 % a certainty?",
			"answer": "No. It is the model’s own estimate, learned on its training images, and often too sure elsewhere."
		},
		{
			"id": "contributions",
			"title": "What adds up to the prediction?",
			"text": ["Since layers only add, the logit of {prediction} is a sum: the contributions of each attention and MLP, of the embedding and of biases. Each bar starts where the one above ends.", "The map shows which patches have similar tokens after the last layer."],
			"needs_head": true,
			"try_it": "Point at a patch of the object, then at the background.",
			"question": "Do late layers matter more because their bars are longer?",
			"answer": "Not only: they build on what earlier layers prepared, and direct contributions do not count that help."
		},
		{
			"id": "removal",
			"title": "Attention is not explanation",
			"text": [
				"A map ranks patches. If the highest ones carried the prediction, removing them would lower its probability more than random ones.",
				"The bars compare: {removed} painted in the mean color, ranked by attention, by balanced gradients, or drawn at random {random_orders} times.",
				"On one image any may win. Over 500 test images with cifar10-ti4, attention beats random, and balanced gradients beat attention."
			],
			"needs_head": true,
			"try_it": "A game: change the prediction by removing as few patches as possible. The link stores your attempt.",
			"question": "What does attention show, then?",
			"answer": "Which tokens are read. What that does to the prediction depends on values, MLPs and later layers."
		},
		{
			"id": "training",
			"title": "What training changed",
			"text": ["At the start, weights are random and attention is nearly uniform. The maps show the attention of the last layer during training.", "All are on one scale. Below each is the probability of the correct class then."],
			"try_it": "Which place stands out first? Which stops changing earlier, map or probability?",
			"question": "Is a sharper map a better model?",
			"answer": "Not necessarily. A map can be sharp and rank patches that do not matter. Test it, as in the step before."
		}
	]
};
// src/learn/steps.ts
var STEPS = lesson_default.steps;
var PLACEHOLDER = /\{(\w+)\}/g;
var indexOfLargest = (values) => values.indexOf(Math.max(...values));
function valuesOf({ reply, lesson: { model, patchPredictions, removals, random }, shape }) {
	const { patchSize, embedDim, imgSize } = model;
	const patches = shape.rows * shape.columns;
	const hasHead = reply.classes.length > 0;
	return {
		patches,
		tokens: patches + shape.prefix,
		embed_dim: embedDim,
		head_dim: model.headDim,
		scaled_width: model.scaledWidth,
		patch_size: patchSize,
		img_size: imgSize.join(" × "),
		patches_of_16: Math.floor(imgSize[0] / 16) * Math.floor(imgSize[1] / 16),
		embedding_weights: (3 * patchSize ** 2 * embedDim + embedDim).toLocaleString("en"),
		layers: counted(shape.layers, "layer", "layers"),
		heads: counted(shape.heads, "head", "heads"),
		classes: reply.classes.length,
		prediction: reply.classes[indexOfLargest(reply.probabilities)] ?? "",
		read_by_head: hasHead ? `, and a classifier head reads ${patchPredictions ? "one of them, the class token" : "the last ones"}` : "",
		removed: counted(removals[0]?.patches.length ?? 0, "patch", "patches"),
		random_orders: random.length
	};
}
var fill = (text, values) => text.replace(PLACEHOLDER, (_, name) => String(values[name]));
function lacks({ reply, lesson: { model, patchPredictions } }) {
	return [
		["head", reply.classes.length > 0],
		["class_token_readout", patchPredictions !== null],
		["position_embedding", model.positions]
	].filter(([, isThere]) => !isThere).map(([part]) => part);
}
function textOf(step, pass) {
	if (step.needs_head && !pass.reply.classes.length) return [lesson_default.without_head];
	const part = lacks(pass).find((one) => step.without?.[one]);
	const values = valuesOf(pass);
	return (part ? step.without?.[part] : step.text)?.map((text) => fill(text, values)) ?? [];
}
var answerOf = (step, pass) => fill(step.answer, valuesOf(pass));
var stepOf = (id) => Math.max(0, STEPS.findIndex((step) => step.id === id));
function decidedAt(lens, final) {
	return lens.findLastIndex((one) => indexOfLargest(one) !== final) + 1;
}
var predictionOf = ({ reply }, probabilities) => {
	const best = indexOfLargest(probabilities);
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
	#settled = state(-1);
	get settled() {
		return get(this.#settled);
	}
	set settled(value) {
		set(this.#settled, value);
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
	#training = state();
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
	shown = null;
	ticket = 0;
	addressTimer = 0;
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
	isOffered(patches) {
		const { removals, random } = this.pass?.lesson ?? {
			removals: [],
			random: []
		};
		return patches === (this.flips === "working" ? null : this.flips?.best) || [...removals, ...random].some((one) => one.patches === patches);
	}
	showNotice(sentence, isError = false) {
		Object.assign(this, {
			status: sentence,
			isError
		});
	}
};
function passOf(reply, lesson) {
	const { layers, heads, rows, columns, aspect, prefix, classToken, distilled } = reply;
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
			classToken,
			distilled
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
var POINTER_RESTS = 300;
async function load(page, isLinked = false) {
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
		Object.assign(page, page.shown);
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
		training: void 0,
		flips: null,
		ownBest: 0,
		shown: {
			checkpoint,
			image
		}
	});
	if (!isSame) Object.assign(page, {
		layer,
		head,
		dimension: 0
	});
	page.patch = Math.floor((pass.shape.rows * pass.shape.columns + pass.shape.columns) / 2);
	if (isLinked) await adoptChoices(page);
	page.state = "ready";
	writeAddress(page);
	await refresh(page);
}
async function adoptChoices(page) {
	const { pass, current } = page;
	if (!pass) return;
	const { choices, missing } = readChoices(new URLSearchParams(location.search), current.id, pass.shape, pass.lesson.model.embedDim);
	const { removed, ...others } = choices;
	Object.assign(page, others);
	if (missing.length) page.showNotice(missing.join(" "));
	if (removed?.length && String(removed) !== String(page.removed)) await remove(page, removed);
}
var NEEDS = {
	overview: "embedding",
	attention: "attention",
	embedding: "embedding",
	positions: "embedding",
	contributions: "similar",
	training: "training"
};
async function refresh(page) {
	const { step } = page;
	page.settled = -1;
	await request(page);
	if (page.step === step) page.settled = step;
}
async function request(page) {
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
		succeed(page);
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
		succeed(page);
		if (isCurrent()) page.embedding = found;
	} else if (need === "similar") {
		const found = await page.host.request("similarity", {
			key,
			patch
		});
		if (!isServed(found)) return fail(page, found);
		succeed(page);
		if (isCurrent()) page.similar = floatsOf(found.values);
	} else if (page.training === void 0) {
		const image = page.shown?.image;
		const name = image?.kind === "sample" ? image.name : "";
		const found = await page.host.request("lesson_training", {
			checkpoint: pass.reply.checkpoint,
			name
		});
		if (page.pass !== pass) return;
		if (isRefusal(found)) return fail(page, found);
		page.training = found;
	}
}
function succeed(page) {
	if (page.isError) page.showNotice("");
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
	succeed(page);
	Object.assign(page, {
		without: found,
		answered: patches
	});
	if (page.isOffered(patches) || !flipped(pass.reply.probabilities, found)) return;
	page.ownBest = Math.min(page.ownBest || patches.length, patches.length);
	revealFlips(page);
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
	clearTimeout(page.addressTimer);
	page.addressTimer = window.setTimeout(() => writeAddress(page), POINTER_RESTS);
	refresh(page);
}
function goTo(page, step) {
	const next = Math.min(Math.max(step, 0), STEPS.length - 1);
	const how = next === page.step ? "replaceState" : "pushState";
	page.step = next;
	page.showNotice("");
	writeAddress(page, how);
	page.root?.querySelector("h1")?.focus({ preventScroll: true });
	if (page.root && page.root.getBoundingClientRect().top < 0) page.root.scrollIntoView();
	refresh(page);
}
function writeAddress(page, how = "replaceState") {
	if (!page.root?.clientWidth) return;
	const image = page.image ? imageParam(page.image) : null;
	page.followed = `${page.checkpoint} ${image}`;
	clearTimeout(page.addressTimer);
	const choices = page.pass ? paramsOf(page.current.id, page, page.pass.shape) : {};
	updateAddress({
		checkpoint: page.checkpoint,
		image,
		step: page.current.id,
		...choices
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
	const absence = missing(page, ...asked);
	await load(page, true);
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
	if (follow(page) || page.state === "error") return load(page, true);
	await adoptChoices(page);
	await refresh(page);
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
var root$18 = from_html(`<option></option>`);
var root_1$18 = from_html(`<label class="lesson-layer">Layer <select class="button"></select></label>`);
function LayerChoice($$anchor, $$props) {
	push($$props, true);
	var label = root_1$18();
	var select = sibling(child(label));
	each(select, 21, () => ({ length: $$props.pass.shape.layers }), index, ($$anchor, $$item, layer) => {
		var option = root$18();
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
var root$17 = from_html(`<span class="lesson-mark"></span>`);
var root_1$17 = from_html(`<div role="img"><canvas></canvas> <!></div>`);
function LessonMap($$anchor, $$props) {
	push($$props, true);
	const first = prop($$props, "first", 3, 0), patch = prop($$props, "patch", 19, () => -1);
	let canvas;
	user_effect(() => paintTile(makeTile(canvas, $$props.shape.columns, $$props.shape.rows), $$props.values, first(), $$props.table, $$props.scale));
	function point(event) {
		const found = patchAt(event.currentTarget, event, $$props.shape);
		if (found >= 0 && found !== patch()) $$props.onpick?.(found);
	}
	var div = root_1$17();
	let styles;
	var canvas_1 = child(div);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var node = sibling(canvas_1, 2);
	var consequent = ($$anchor) => {
		var span = root$17();
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
		set_class(div, 1, clsx(["lesson-map", { points: $$props.onpick }]));
		set_attribute(div, "aria-label", $$props.label);
		styles = set_style(div, `--rows: ${$$props.shape.rows ?? ""}; --columns: ${$$props.shape.columns ?? ""}`, styles, { "aspect-ratio": $$props.shape.aspect ?? $$props.shape.columns / $$props.shape.rows });
	});
	delegated("pointermove", div, point);
	delegated("pointerdown", div, point);
	append($$anchor, div);
	pop();
}
delegate(["pointermove", "pointerdown"]);
// src/learn/Numbers.svelte
var root$16 = from_html(`<span> </span>`);
var root_1$16 = from_html(`<div class="lesson-vector"><span class="lesson-name"> </span> <div class="lesson-numbers" role="application"></div></div>`);
function Numbers($$anchor, $$props) {
	push($$props, true);
	const WIDE = 16;
	const NARROW = 8;
	const pixelOf = (value) => $$props.table[colorIndex({
		kind: "signed",
		limit: 1.6 * $$props.limit
	}, value)];
	const digits = (value) => Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0;
	function point({ target }) {
		const cell = target instanceof Element && target.closest("[data-index]");
		if (cell) $$props.onpoint(Number(cell.dataset.index));
	}
	function press(event) {
		const by = {
			ArrowRight: 1,
			ArrowDown: 1,
			ArrowLeft: -1,
			ArrowUp: -1
		}[event.key];
		if (!by || isShortcut(event)) return;
		$$props.onpoint(($$props.pointed + by + $$props.values.length) % $$props.values.length);
		event.preventDefault();
		event.stopPropagation();
	}
	var div = root_1$16();
	var span = child(div);
	var text = only_child(span, true);
	var div_1 = sibling(span, 2);
	set_attribute(div_1, "tabindex", 0);
	each(div_1, 21, () => ({ length: $$props.values.length }), index, ($$anchor, $$item, i) => {
		var span_1 = root$16();
		set_attribute(span_1, "data-index", i);
		let styles;
		var text_1 = only_child(span_1, true);
		template_effect(($0, $1, $2) => {
			set_class(span_1, 1, clsx({ on: $$props.pointed === i }));
			styles = set_style(span_1, "", styles, {
				"background-color": $0,
				color: $1
			});
			set_text(text_1, $2);
		}, [
			() => cssColor(pixelOf($$props.values[i])),
			() => inkOn(pixelOf($$props.values[i])),
			() => written($$props.values[i], digits($$props.values[i]))
		]);
		append($$anchor, span_1);
	});
	reset(div_1);
	reset(div);
	template_effect(($0, $1) => {
		set_text(text, $$props.name);
		set_style(div_1, `--wide: ${$0 ?? ""}; --narrow: ${$1 ?? ""}`);
		set_attribute(div_1, "aria-label", `${$$props.name}, ${$$props.values.length} numbers. Arrow keys choose one.`);
	}, [() => Math.min(WIDE, $$props.values.length), () => Math.min(NARROW, $$props.values.length)]);
	delegated("pointermove", div_1, point);
	delegated("pointerdown", div_1, point);
	event("pointerleave", div_1, ({ pointerType }) => pointerType !== "touch" && $$props.onpoint(-1));
	event("focus", div_1, () => $$props.pointed < 0 && $$props.onpoint(0));
	event("blur", div_1, () => $$props.onpoint(-1));
	delegated("keydown", div_1, press);
	append($$anchor, div);
	pop();
}
delegate([
	"pointermove",
	"pointerdown",
	"keydown"
]);
// src/learn/Stage.svelte
var root$15 = from_html(`<img alt="" draggable="false"/>`);
var root_1$15 = from_html(`<span class="lesson-removed"> </span>`);
var root_2$10 = from_html(`<span class="lesson-strip"></span>`);
var root_3$8 = from_html(`<i> </i>`);
var root_4$5 = from_html(`<div class="lesson-stage" role="application"><!> <span class="lesson-grid"></span> <!> <!> <span class="lesson-mark"><!></span></div>`);
function Stage($$anchor, $$props) {
	push($$props, true);
	const mark = prop($$props, "mark", 3, ""), removed = prop($$props, "removed", 19, () => []), strips = prop($$props, "strips", 19, () => []);
	const NUMBERED = 16;
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
	var div = root_4$5();
	let styles;
	set_attribute(div, "tabindex", 0);
	var node = child(div);
	var consequent = ($$anchor) => {
		var img = root$15();
		template_effect(() => set_attribute(img, "src", $$props.src));
		append($$anchor, img);
	};
	var d = user_derived(() => isImageUrl($$props.src));
	if_block(node, ($$render) => {
		if (get(d)) $$render(consequent);
	});
	var node_1 = sibling(node, 4);
	each(node_1, 18, removed, (index) => index, ($$anchor, index, i) => {
		var span = root_1$15();
		let styles_1;
		var text = only_child(span, true);
		template_effect(($0, $1) => {
			styles_1 = set_style(span, "", styles_1, {
				left: $0,
				top: $1
			});
			set_text(text, $$props.shape.columns <= NUMBERED ? get(i) + 1 : "");
		}, [() => left(index), () => top(index)]);
		append($$anchor, span);
	});
	var node_2 = sibling(node_1, 2);
	each(node_2, 17, strips, index, ($$anchor, $$item, $$index_1, $$array) => {
		let left = () => get($$item).left;
		let top = () => get($$item).top;
		let width = () => get($$item).width;
		let height = () => get($$item).height;
		var span_1 = root_2$10();
		let styles_2;
		template_effect(() => styles_2 = set_style(span_1, "", styles_2, {
			left: `${100 * left()}%`,
			top: `${100 * top()}%`,
			width: `${100 * width()}%`,
			height: `${100 * height()}%`
		}));
		append($$anchor, span_1);
	});
	var span_2 = sibling(node_2, 2);
	let styles_3;
	var node_3 = child(span_2);
	var consequent_1 = ($$anchor) => {
		var i_1 = root_3$8();
		var text_1 = only_child(i_1, true);
		template_effect(() => {
			set_class(i_1, 1, clsx([$$props.patch < $$props.shape.columns && "below"]));
			set_text(text_1, mark());
		});
		append($$anchor, i_1);
	};
	if_block(node_3, ($$render) => {
		if (mark()) $$render(consequent_1);
	});
	reset(span_2);
	reset(div);
	template_effect(($0, $1, $2) => {
		styles = set_style(div, `--rows: ${$$props.shape.rows ?? ""}; --columns: ${$$props.shape.columns ?? ""}`, styles, { "aspect-ratio": $$props.shape.aspect });
		set_attribute(div, "aria-label", $0);
		styles_3 = set_style(span_2, "", styles_3, {
			left: $1,
			top: $2
		});
	}, [
		() => `${$$props.name}. Arrow keys choose a patch${$$props.ontoggle ? ", Enter removes it" : ""}: ${patchName($$props.patch, $$props.shape)}${removed().includes($$props.patch) ? ", removed" : ""}`,
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
var root$14 = from_html(`<option></option>`);
var root_1$14 = from_html(`<figure><!> <figcaption> </figcaption></figure>`);
var root_2$9 = from_html(`<div><dt> </dt> <dd><button type="button"> </button></dd></div>`);
var root_3$7 = from_html(`<span><i></i></span>`);
var root_4$4 = from_html(`<div class="lesson-work" role="group" aria-label="Worked row"><!> <!> <!></div> <p class="lesson-note lesson-term" aria-live="polite"> </p> <dl class="lesson-sum"></dl> <div class="lesson-softmax" role="presentation"></div> <p class="lesson-note"> </p> <div class="lesson-work"><!></div> <p class="lesson-note lesson-term" aria-live="polite"> </p>`, 1);
var root_5$3 = from_html(`<div class="lesson-row"><!> <label class="lesson-layer">Head <select class="button"></select></label></div> <div class="lesson-pair"><figure><!> <figcaption> </figcaption></figure> <!></div> <!>`, 1);
function Attention($$anchor, $$props) {
	push($$props, true);
	const NONE = {
		part: "",
		index: -1
	};
	let pointed = state(NONE);
	const shape = user_derived(() => $$props.pass.shape);
	const $$d = user_derived(() => $$props.pass.lesson), model = user_derived(() => get($$d).model);
	const found = user_derived(() => $$props.page.attention && attentionOf($$props.page.attention, get(shape).prefix + $$props.page.patch, get(model).scaledWidth));
	const largest = user_derived(() => get(found) ? Math.max(...get(found).weights.subarray(get(shape).prefix)) : 1);
	const sorted = user_derived(() => get(found) ? [...get(found).weights.keys()].sort((a, b) => get(found).weights[b] - get(found).weights[a]) : []);
	const table = user_derived(() => $$props.page.theme.table("div"));
	const source = user_derived(() => get(found) && get(pointed).part ? sourceOf(get(pointed).part, get(pointed).index, get(found), get(shape), get(model)) : "");
	const onOutput = user_derived(() => get(pointed).part === "output");
	const limitOf = (...vectors) => Math.max(...vectors.flatMap((one) => [...one]).map(Math.abs));
	const point = (part) => (index) => {
		set(pointed, index < 0 ? NONE : {
			part,
			index
		});
	};
	function pointBar({ currentTarget, clientX }) {
		const { left, width } = currentTarget.getBoundingClientRect();
		point("token")(get(sorted)[Math.floor((clientX - left) / width * get(sorted).length)] ?? -1);
	}
	const framed = user_derived(() => [
		"query",
		"key",
		"product"
	].includes(get(pointed).part) ? get(pointed).index : -1);
	var fragment = root_5$3();
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
		var option = root$14();
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
	var text_1 = only_child(figcaption);
	reset(figure);
	var node_2 = sibling(figure, 2);
	var consequent = ($$anchor) => {
		var figure_1 = root_1$14();
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
				label: "Attention weights of all patches",
				onpick: (patch) => pick($$props.page, { patch })
			});
		}
		var figcaption_1 = sibling(node_3, 2);
		var text_2 = only_child(figcaption_1);
		reset(figure_1);
		template_effect(($0) => set_text(text_2, `All weights of layer ${$$props.page.layer + 1}, head ${$$props.page.head + 1}, as a map, 0 to ${$0 ?? ""}.`), [() => percent(get(largest))]);
		append($$anchor, figure_1);
	};
	if_block(node_2, ($$render) => {
		if (get(found)) $$render(consequent);
	});
	reset(div_1);
	var node_4 = sibling(div_1, 2);
	var consequent_1 = ($$anchor) => {
		const limit = user_derived(() => limitOf(get(found).query, get(found).key));
		var fragment_1 = root_4$4();
		var div_2 = first_child(fragment_1);
		var node_5 = child(div_2);
		{
			let $0 = user_derived(() => point("query"));
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
					return get(framed);
				},
				get onpoint() {
					return get($0);
				}
			});
		}
		var node_6 = sibling(node_5, 2);
		{
			let $0 = user_derived(() => point("key"));
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
					return get(framed);
				},
				get onpoint() {
					return get($0);
				}
			});
		}
		var node_7 = sibling(node_6, 2);
		{
			let $0 = user_derived(() => limitOf(get(found).products));
			let $1 = user_derived(() => point("product"));
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
					return get(framed);
				},
				get onpoint() {
					return get($1);
				}
			});
		}
		reset(div_2);
		var p = sibling(div_2, 2);
		var text_3 = only_child(p, true);
		var dl = sibling(p, 2);
		each(dl, 21, () => steps$1(get(found), get(model).scaledWidth), ({ part, name, text }) => part, ($$anchor, $$item) => {
			let part = () => get($$item).part;
			let name = () => get($$item).name;
			let text = () => get($$item).text;
			var div_3 = root_2$9();
			var dt = child(div_3);
			var text_4 = only_child(dt, true);
			var dd = sibling(dt, 2);
			var button = child(dd);
			var text_5 = only_child(button, true);
			reset(dd);
			reset(div_3);
			template_effect(() => {
				set_text(text_4, name());
				set_class(dd, 1, clsx({ on: part() === "weight" }));
				set_text(text_5, text());
			});
			event("pointerenter", button, () => point(part())(0));
			event("pointerleave", button, () => point(part())(-1));
			event("focus", button, () => point(part())(0));
			event("blur", button, () => point(part())(-1));
			append($$anchor, div_3);
		});
		reset(dl);
		var div_4 = sibling(dl, 2);
		each(div_4, 20, () => get(sorted), (token) => token, ($$anchor, token) => {
			var span = root_3$7();
			var i = child(span);
			let styles;
			reset(span);
			template_effect(($0) => {
				set_class(i, 1, clsx({ on: token === get(found).token }));
				styles = set_style(i, "", styles, { height: $0 });
			}, [() => `${Math.max(1, 100 * get(found).weights[token] / get(found).weights[get(sorted)[0]])}%`]);
			append($$anchor, span);
		});
		reset(div_4);
		var p_1 = sibling(div_4, 2);
		var text_6 = only_child(p_1);
		var div_5 = sibling(p_1, 2);
		var node_8 = child(div_5);
		{
			let $0 = user_derived(() => limitOf(get(found).output));
			let $1 = user_derived(() => get(onOutput) ? get(pointed).index : -1);
			let $2 = user_derived(() => point("output"));
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
				},
				get pointed() {
					return get($1);
				},
				get onpoint() {
					return get($2);
				}
			});
		}
		reset(div_5);
		var p_2 = sibling(div_5, 2);
		var text_7 = only_child(p_2, true);
		template_effect(($0, $1, $2) => {
			set_text(text_3, !get(onOutput) && get(source) || "Point at a number to see where it comes from.");
			set_text(text_6, `The weights of all ${get(found).weights.length ?? ""} tokens, from the largest to the smallest. The chosen key is number ${$0 ?? ""}; uniform is ${$1 ?? ""}.`);
			set_text(text_7, $2);
		}, [
			() => get(sorted).indexOf(get(found).token) + 1,
			() => percent(1 / get(found).weights.length),
			() => get(onOutput) && get(source) || `Output: the sum of all values v, each times its weight. The value of this key enters with ${percent(get(found).weights[get(found).token])}.`
		]);
		delegated("pointermove", div_4, pointBar);
		delegated("pointerdown", div_4, pointBar);
		event("pointerleave", div_4, ({ pointerType }) => pointerType !== "touch" && point("token")(-1));
		append($$anchor, fragment_1);
	};
	if_block(node_4, ($$render) => {
		if (get(found)) $$render(consequent_1);
	});
	template_effect(($0, $1, $2) => {
		if (select_value !== (select_value = $0)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		set_text(text_1, `Key: ${$1 ?? ""}. Query: ${$2 ?? ""}.`);
	}, [
		() => String($$props.page.head),
		() => tokenName(get(shape).prefix + $$props.page.patch, get(shape)),
		() => tokenName(0, get(shape))
	]);
	delegated("change", select, (event) => pick($$props.page, { head: Number(event.currentTarget.value) }));
	append($$anchor, fragment);
	pop();
}
delegate([
	"change",
	"pointermove",
	"pointerdown"
]);
// src/learn/figures/ClassToken.svelte
var root$13 = from_html(`<figcaption> <b> </b></figcaption>`);
var root_1$13 = from_html(`<figure><!> <figcaption> <b> </b> </figcaption></figure>`);
var root_2$8 = from_html(`<div class="lesson-pair"><figure><!> <!></figure> <!></div>`);
function ClassToken($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson), shape = user_derived(() => $$props.pass.shape);
	const best = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const values = user_derived(() => get(lesson).patchPredictions?.map((one) => one[get(best)]) ?? []);
	const agreeing = user_derived(() => get(lesson).patchPredictions?.filter((one) => one[get(best)] === Math.max(...one)).length ?? 0);
	var div = root_2$8();
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
		var figcaption = root$13();
		var text = child(figcaption);
		var b = sibling(text);
		var text_1 = only_child(b, true);
		reset(figcaption);
		template_effect(($0) => {
			set_text(text, `${get(shape).classToken ? "Class token" : "Prediction"}: `);
			set_text(text_1, $0);
		}, [() => predictionOf($$props.pass, get(reply).probabilities)]);
		append($$anchor, figcaption);
	};
	if_block(node_1, ($$render) => {
		if (get(reply).classes.length) $$render(consequent);
	});
	reset(figure);
	var node_2 = sibling(figure, 2);
	var consequent_1 = ($$anchor) => {
		var figure_1 = root_1$13();
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
				},
				onpick: (patch) => pick($$props.page, { patch })
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
			() => predictionOf($$props.pass, get(lesson).patchPredictions[$$props.page.patch]),
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
var root$12 = from_html(`<li><span class="lesson-bar-name"> </span> <span class="lesson-track"><span></span></span> <span class="lesson-value"> </span></li>`);
var root_1$12 = from_html(`<ol class="lesson-bars"></ol>`);
function Bars($$anchor, $$props) {
	const low = prop($$props, "low", 3, 0), high = prop($$props, "high", 3, 1);
	const place = (value) => 100 * (value - low()) / (high() - low());
	var ol = root_1$12();
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
		var li = root$12();
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
var root$11 = from_html(`<div><h2> </h2> <!></div>`);
var root_1$11 = from_html(`<p class="lesson-note">This model has no head, so there is no logit to take apart.</p>`);
var root_2$7 = from_html(`<figure><!> <figcaption> </figcaption></figure>`);
var root_3$6 = from_html(`<!> <div class="lesson-pair"><figure><!> <figcaption> </figcaption></figure> <!></div>`, 1);
function Contributions($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson), shape = user_derived(() => $$props.pass.shape);
	const best = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const sum = user_derived(() => get(lesson).contributions && barsOf(get(lesson).contributions));
	const patches = user_derived(() => get(shape).rows * get(shape).columns);
	const similar = user_derived(() => $$props.page.similar?.subarray((get(shape).layers - 1) * get(patches), get(shape).layers * get(patches)));
	var fragment = root_3$6();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var div = root$11();
		var h2 = child(div);
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
		reset(div);
		template_effect(($0) => set_text(text, `Logit of ${get(reply).classes[get(best)] ?? ""}: ${$0 ?? ""}`), [() => signed(get(lesson).contributions?.logit ?? 0)]);
		append($$anchor, div);
	};
	var alternate = ($$anchor) => {
		var p = root_1$11();
		append($$anchor, p);
	};
	if_block(node, ($$render) => {
		if (get(sum)) $$render(consequent);
		else $$render(alternate, -1);
	});
	var div_1 = sibling(node, 2);
	var figure = child(div_1);
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
		var figure_1 = root_2$7();
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
				label: "Similarity of the last tokens with that of the chosen patch",
				onpick: (patch) => pick($$props.page, { patch })
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
	reset(div_1);
	template_effect(($0) => set_text(text_1, $0), [() => patchName($$props.page.patch, get(shape))]);
	append($$anchor, fragment);
	pop();
}
// src/learn/figures/Embedding.svelte
var root$10 = from_html(`<span class="lesson-quiet"> </span>`);
var root_1$10 = from_html(`<span> </span> <!>`, 1);
var root_2$6 = from_html(`<div><dt> </dt><dd> </dd></div>`);
var root_3$5 = from_html(`<dl class="lesson-sum"><div><dt>Sum of products</dt><dd> </dd></div> <!> <div><dt> </dt><dd class="on"> </dd></div></dl> <p class="lesson-note">Pixels are normalized: 0 is the mean color. Each row of maps has its own scale; teal is negative.<!></p>`, 1);
var root_4$3 = from_html(`<div class="lesson-pair wide"><figure><!> <figcaption> </figcaption></figure> <div><div class="lesson-row"><button type="button" class="button" aria-label="Previous dimension">‹</button> <span> </span> <button type="button" class="button" aria-label="Next dimension">›</button></div> <div class="lesson-channels"><span></span><!> <!></div> <!></div></div>`);
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
	const $$d = user_derived(() => $$props.pass.lesson.model.patch), $$array = user_derived(() => to_array(get($$d), 2)), height = user_derived(() => get($$array)[0]), width = user_derived(() => get($$array)[1]);
	const limitOf = (values) => Math.max(...values.map(Math.abs)) || 1;
	const turn = (by) => {
		const { embedDim } = $$props.pass.lesson.model;
		pick($$props.page, { dimension: ($$props.page.dimension + by + embedDim) % embedDim });
	};
	var div = root_4$3();
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
	var text$3 = only_child(figcaption, true);
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
		var span_1 = root$10();
		var text_2 = only_child(span_1, true);
		template_effect(() => set_text(text_2, get(channel)));
		append($$anchor, span_1);
	});
	var node_2 = sibling(node_1, 2);
	each(node_2, 17, () => get(rows), ({ name, values }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let values = () => get($$item).values;
		var fragment = root_1$10();
		var span_2 = first_child(fragment);
		var text_3 = only_child(span_2, true);
		var node_3 = sibling(span_2, 2);
		each(node_3, 17, () => CHANNELS, index, ($$anchor, channel, c) => {
			{
				let $0 = user_derived(() => c * get(height) * get(width));
				let $1 = user_derived(() => ({
					rows: get(height),
					columns: get(width)
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
		var fragment_2 = root_3$5();
		var dl = first_child(fragment_2);
		var div_4 = child(dl);
		var dd = sibling(child(div_4));
		var text_4 = only_child(dd, true);
		reset(div_4);
		var node_5 = sibling(div_4, 2);
		var consequent = ($$anchor) => {
			var div_5 = root_2$6();
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
			text_9.nodeValue = " A norm follows, so the token is not this sum.";
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
		set_text(text$3, $0);
		set_text(text_1, `Dimension ${$$props.page.dimension + 1} of ${$$props.pass.lesson.model.embedDim ?? ""}`);
	}, [() => patchName($$props.page.patch, $$props.pass.shape)]);
	delegated("click", button, () => turn(-1));
	delegated("click", button_1, () => turn(1));
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/learn/figures/Heads.svelte
var root$9 = from_html(`<button type="button"><!> <span> </span></button>`);
var root_1$9 = from_html(`<!> <div class="lesson-heads"></div> <p class="lesson-note"> <!></p>`, 1);
function Heads($$anchor, $$props) {
	push($$props, true);
	const shape = user_derived(() => $$props.pass.shape);
	const rows = user_derived(() => Array.from({ length: get(shape).heads }, (_, head) => rowOfHead($$props.pass, $$props.page.layer, head)));
	const limit = user_derived(() => roundLimit(Math.max(...get(rows).map((row) => row.slice(get(shape).prefix).sort().at(-3) ?? 0))));
	const prefixes = user_derived(() => get(rows).map((row) => sumOf(row, 0, get(shape).prefix)));
	const columns = user_derived(() => get(shape).heads <= 6 ? 3 : get(shape).heads <= 16 ? 4 : 6);
	var fragment = root_1$9();
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
		var button = root$9();
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
		var text = only_child(span);
		reset(button);
		template_effect(($0) => {
			set_attribute(button, "aria-pressed", $$props.page.head === head);
			set_text(text, `head ${head + 1}, up to ${$0 ?? ""}`);
		}, [() => percent(Math.max(...get(row).subarray(get(shape).prefix)))]);
		delegated("click", button, () => pick($$props.page, { head }));
		append($$anchor, button);
	});
	reset(div);
	var p = sibling(div, 2);
	var text_1 = child(p);
	var node_2 = sibling(text_1);
	var consequent = ($$anchor) => {
		var text_2 = text();
		template_effect(($0, $1) => set_text(text_2, ` Head ${$$props.page.head + 1} gives ${$0 ?? ""} to ${$1 ?? ""}.`), [() => percent(get(prefixes)[$$props.page.head] ?? 0, 1), () => prefixName(get(shape))]);
		append($$anchor, text_2);
	};
	if_block(node_2, ($$render) => {
		if (get(shape).prefix) $$render(consequent);
	});
	reset(p);
	template_effect(($0, $1) => {
		set_style(div, `--tiles: ${get(columns) ?? ""}`);
		set_text(text_1, `Attention of ${get(shape).classToken ? "the class token" : "the mean patch"} to the patches in layer ${$$props.page.layer + 1}, 0 to ${$0 ?? ""} and more; uniform is ${$1 ?? ""}.`);
	}, [() => percent(get(limit)), () => percent(1 / (get(rows)[0]?.length ?? 1))]);
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/learn/figures/Layers.svelte
var root$8 = from_html(`<div><h2> </h2> <!> <p class="lesson-note"> </p></div>`);
var root_1$8 = from_html(`<p class="lesson-note">This model has no head, so there is no prediction to read.</p>`);
var root_2$5 = from_html(`<!> <div><h2> </h2> <!></div>`, 1);
function Layers($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson), shape = user_derived(() => $$props.pass.shape);
	const final = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const decided = user_derived(() => decidedAt(get(lesson).lens, get(final)));
	const nameOf = (layer) => layer === 0 ? "input" : `layer ${layer}`;
	const lens = user_derived(() => get(lesson).lens.map((one, layer) => ({
		name: nameOf(layer),
		value: one[get(final)],
		text: predictionOf($$props.pass, one),
		isOn: layer === get(decided)
	})));
	const longest = user_derived(() => Math.max(...get(lesson).norms));
	const norms = user_derived(() => get(lesson).norms.map((norm, layer) => ({
		name: nameOf(layer),
		value: norm,
		text: norm.toFixed(1)
	})));
	var fragment = root_2$5();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var div = root$8();
		var h2 = child(div);
		var text = only_child(h2);
		var node_1 = sibling(h2, 2);
		Bars(node_1, {
			get bars() {
				return get(lens);
			},
			label: "Logit lens by layer"
		});
		var p = sibling(node_1, 2);
		var text_1 = only_child(p);
		reset(div);
		template_effect(() => {
			set_text(text, `Logit lens: probability of ${get(reply).classes[get(final)] ?? ""}, and what the head would predict`);
			set_text(text_1, `Decided ${get(decided) === 0 ? "at the input" : `after layer ${get(decided)}`}: from there on the prediction is ${get(reply).classes[get(final)] ?? ""}.`);
		});
		append($$anchor, div);
	};
	var alternate = ($$anchor) => {
		var p_1 = root_1$8();
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if (get(reply).classes.length) $$render(consequent);
		else $$render(alternate, -1);
	});
	var div_1 = sibling(node, 2);
	var h2_1 = child(div_1);
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
	reset(div_1);
	template_effect(() => set_text(text_2, `Norm of ${get(shape).classToken ? "the class token" : "the patch tokens, mean"}`));
	append($$anchor, fragment);
	pop();
}
// src/learn/Sparks.svelte
var root$7 = from_html(`<i></i>`);
var root_1$7 = from_html(`<span class="lesson-sparks"></span>`);
function Sparks($$anchor, $$props) {
	push($$props, true);
	const low = user_derived(() => Math.min(0, ...$$props.values));
	const range = user_derived(() => Math.max(0, ...$$props.values) - get(low) || 1);
	var span = root_1$7();
	each(span, 21, () => $$props.values, index, ($$anchor, value, i) => {
		var i_1 = root$7();
		let styles;
		template_effect(($0, $1) => {
			set_class(i_1, 1, clsx({ negative: get(value) < 0 }));
			styles = set_style(i_1, "", styles, {
				height: $0,
				bottom: $1,
				left: `${100 * i / $$props.values.length}%`,
				width: `calc(${100 / $$props.values.length}% - 1px)`
			});
		}, [() => `max(1px, ${100 * Math.abs(get(value)) / get(range)}%)`, () => `${100 * (Math.min(0, get(value)) - get(low)) / get(range)}%`]);
		append($$anchor, i_1);
	});
	reset(span);
	append($$anchor, span);
	pop();
}
// src/learn/figures/Overview.svelte
var root$6 = from_html(`<button type="button" class="lesson-part"><span class="lesson-thumb" aria-hidden="true"><!></span><b> </b><span> </span></button>`);
var root_1$6 = from_html(`<img alt=""/>`);
var root_2$4 = from_html(`<!><span class="lesson-grid"></span>`, 1);
var root_3$4 = from_html(`<span class="lesson-crop"></span>`);
var root_4$2 = from_html(`<span class="lesson-mosaic"></span>`);
var root_5$2 = from_html(`<span class="lesson-removed"></span>`);
var root_6$2 = from_html(`<!><!>`, 1);
var root_7$1 = from_html(`<div class="lesson-path"><h2>From pixels to tokens</h2> <div class="lesson-parts flow"><!> <!> <!> <!></div> <div class="lesson-block"><h2> </h2> <div class="lesson-parts flow"><!> <!> <!></div></div> <h2>The prediction, and tests of it</h2> <div class="lesson-parts"><!> <!> <!> <!></div></div>`);
function Overview($$anchor, $$props) {
	push($$props, true);
	const part = ($$anchor, id = noop, name = noop, about = noop, picture = noop) => {
		var button = root$6();
		var span = child(button);
		var node = child(span);
		snippet(node, picture);
		reset(span);
		var b_1 = sibling(span);
		var text = only_child(b_1, true);
		var span_1 = sibling(b_1);
		var text_1 = only_child(span_1, true);
		reset(button);
		template_effect(() => {
			set_attribute(button, "data-opens", id());
			set_text(text, name());
			set_text(text_1, about());
		});
		delegated("click", button, () => goTo($$props.page, stepOf(id())));
		append($$anchor, button);
	};
	const map = ($$anchor, values = noop, first = noop, limit = noop) => {
		{
			let $0 = user_derived(() => ({
				kind: "linear",
				limit: limit(),
				low: Math.min(0, ...Array.from(values()))
			}));
			LessonMap($$anchor, {
				get values() {
					return values();
				},
				get first() {
					return first();
				},
				get shape() {
					return get(shape);
				},
				get scale() {
					return get($0);
				},
				get table() {
					return get(table);
				},
				label: ""
			});
		}
	};
	const image = ($$anchor) => {
		var fragment_1 = comment();
		var node_1 = first_child(fragment_1);
		var consequent = ($$anchor) => {
			var img = root_1$6();
			template_effect(() => set_attribute(img, "src", get(reply).image.src));
			append($$anchor, img);
		};
		var d = user_derived(() => isImageUrl(get(reply).image.src));
		if_block(node_1, ($$render) => {
			if (get(d)) $$render(consequent);
		});
		append($$anchor, fragment_1);
	};
	const cut = ($$anchor) => {
		var fragment_2 = root_2$4();
		var node_2 = first_child(fragment_2);
		image(node_2);
		var span_2 = sibling(node_2);
		template_effect(() => set_style(span_2, `--rows: ${get(shape).rows ?? ""}; --columns: ${get(shape).columns ?? ""}`));
		append($$anchor, fragment_2);
	};
	const patch = ($$anchor) => {
		const computed_const = user_derived(() => {
			return place($$props.page.patch);
		});
		var span_3 = root_3$4();
		let styles;
		template_effect(($0, $1) => styles = set_style(span_3, "", styles, {
			"background-image": $0,
			"background-size": `${100 * get(shape).columns}% ${100 * get(shape).rows}%`,
			"background-position": $1
		}), [() => isImageUrl(get(reply).image.src) ? `url(${get(reply).image.src})` : "", () => `${100 * get(computed_const).column / Math.max(1, get(shape).columns - 1)}% ${100 * get(computed_const).row / Math.max(1, get(shape).rows - 1)}%`]);
		append($$anchor, span_3);
	};
	const near = ($$anchor) => {
		var fragment_3 = comment();
		var node_3 = first_child(fragment_3);
		var consequent_1 = ($$anchor) => {
			map($$anchor, () => get(positions), () => 0, () => 1);
		};
		if_block(node_3, ($$render) => {
			if (get(positions)) $$render(consequent_1);
		});
		append($$anchor, fragment_3);
	};
	const classes = ($$anchor) => {
		var fragment_5 = comment();
		var node_4 = first_child(fragment_5);
		var consequent_2 = ($$anchor) => {
			{
				let $0 = user_derived(() => get(lesson).patchPredictions.map((one) => one[get(best)]));
				map($$anchor, () => get($0), () => 0, () => 1);
			}
		};
		var alternate = ($$anchor) => {
			image($$anchor);
		};
		if_block(node_4, ($$render) => {
			if (get(lesson).patchPredictions) $$render(consequent_2);
			else $$render(alternate, -1);
		});
		append($$anchor, fragment_5);
	};
	const head = ($$anchor) => {
		{
			let $0 = user_derived(() => limitOf(get(rows)[$$props.page.head]));
			map($$anchor, () => get(rows)[$$props.page.head], () => get(shape).prefix, () => get($0));
		}
	};
	const heads = ($$anchor) => {
		var span_4 = root_4$2();
		each(span_4, 21, () => get(rows).slice(0, SHOWN_HEADS), index, ($$anchor, row) => {
			{
				let $0 = user_derived(() => limitOf(get(row)));
				map($$anchor, () => get(row), () => get(shape).prefix, () => get($0));
			}
		});
		reset(span_4);
		append($$anchor, span_4);
	};
	const lens = ($$anchor) => {
		{
			let $0 = user_derived(() => get(reply).classes.length ? get(lesson).lens.map((one) => one[get(best)]) : get(lesson).norms);
			Sparks($$anchor, { get values() {
				return get($0);
			} });
		}
	};
	const classBars = ($$anchor) => {
		{
			let $0 = user_derived(() => [...get(reply).probabilities].sort((a, b) => b - a).slice(0, 10));
			Sparks($$anchor, { get values() {
				return get($0);
			} });
		}
	};
	const parts = ($$anchor) => {
		var fragment_12 = comment();
		var node_5 = first_child(fragment_12);
		var consequent_3 = ($$anchor) => {
			{
				let $0 = user_derived(() => barsOf(get(lesson).contributions).bars.slice(0, -1).map(({ value }) => value));
				Sparks($$anchor, { get values() {
					return get($0);
				} });
			}
		};
		if_block(node_5, ($$render) => {
			if (get(lesson).contributions) $$render(consequent_3);
		});
		append($$anchor, fragment_12);
	};
	const masked = ($$anchor) => {
		var fragment_14 = root_6$2();
		var node_6 = first_child(fragment_14);
		image(node_6);
		var node_7 = sibling(node_6);
		each(node_7, 16, () => get(removed), (index) => index, ($$anchor, index) => {
			const computed_const_1 = user_derived(() => {
				return place(index);
			});
			var span_5 = root_5$2();
			let styles_1;
			template_effect(() => styles_1 = set_style(span_5, `--rows: ${get(shape).rows ?? ""}; --columns: ${get(shape).columns ?? ""}`, styles_1, {
				left: `${100 * get(computed_const_1).column / get(shape).columns}%`,
				top: `${100 * get(computed_const_1).row / get(shape).rows}%`
			}));
			append($$anchor, span_5);
		});
		append($$anchor, fragment_14);
	};
	const trained = ($$anchor) => {
		{
			let $0 = user_derived(() => limitOf(get(mean)));
			map($$anchor, () => get(mean), () => get(shape).prefix, () => get($0));
		}
	};
	const SHOWN_HEADS = 9;
	const shape = user_derived(() => $$props.pass.shape), lesson = user_derived(() => $$props.pass.lesson), reply = user_derived(() => $$props.pass.reply);
	const model = user_derived(() => get(lesson).model);
	const best = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const tokens = user_derived(() => get(shape).rows * get(shape).columns + get(shape).prefix);
	const table = user_derived(() => $$props.page.theme.table("seq"));
	const rows = user_derived(() => Array.from({ length: get(shape).heads }, (_, head) => rowOfHead($$props.pass, $$props.page.layer, head)));
	const last = user_derived(() => Array.from({ length: get(shape).heads }, (_, head) => rowOfHead($$props.pass, get(shape).layers - 1, head)));
	const mean = user_derived(() => Array.from({ length: get(tokens) }, (_, token) => meanOf(get(last).map((row) => row[token]))));
	const positions = user_derived(() => get(model).positions ? $$props.page.embedding?.positions : void 0);
	const removed = user_derived(() => get(lesson).removals[0]?.patches ?? []);
	const limitOf = (values) => Math.max(...Array.from(values).slice(get(shape).prefix));
	const place = (patch) => ({
		row: Math.floor(patch / get(shape).columns),
		column: patch % get(shape).columns
	});
	var div = root_7$1();
	var div_1 = sibling(child(div), 2);
	var node_8 = child(div_1);
	{
		let $0 = user_derived(() => `${get(shape).rows * get(shape).columns} of ${get(model).patch.join(" × ")} pixels`);
		part(node_8, () => "patches", () => "Patches", () => get($0), () => cut);
	}
	var node_9 = sibling(node_8, 2);
	{
		let $0 = user_derived(() => `${patchName($$props.page.patch, get(shape))}: ${3 * get(model).patchSize ** 2} values become ${get(model).embedDim}`);
		part(node_9, () => "embedding", () => "Patch embedding", () => get($0), () => patch);
	}
	var node_10 = sibling(node_9, 2);
	part(node_10, () => "positions", () => "Positions", () => get(model).positions ? "a learned vector for each place" : "rotations of queries and keys", () => near);
	part(sibling(node_10, 2), () => "class-token", () => get(shape).classToken ? "Class token" : "What the head reads", () => `${get(tokens)} tokens in all`, () => classes);
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	var h2 = child(div_2);
	var text_2 = only_child(h2);
	var div_3 = sibling(h2, 2);
	var node_12 = child(div_3);
	part(node_12, () => "attention", () => "Attention", () => "query · key, weights, values", () => head);
	var node_13 = sibling(node_12, 2);
	{
		let $0 = user_derived(() => counted(get(shape).heads, "head", "heads"));
		part(node_13, () => "heads", () => get($0), () => `of ${get(model).headDim} numbers each`, () => heads);
	}
	part(sibling(node_13, 2), () => "layers", () => "Residual stream", () => `attention and an MLP of ${get(model).mlpDim} units add to it`, () => lens);
	reset(div_3);
	reset(div_2);
	var div_4 = sibling(div_2, 4);
	var node_15 = child(div_4);
	{
		let $0 = user_derived(() => get(reply).classes.length ? predictionOf($$props.pass, get(reply).probabilities) : "none: no head");
		part(node_15, () => "softmax", () => "Head and softmax", () => get($0), () => classBars);
	}
	var node_16 = sibling(node_15, 2);
	part(node_16, () => "contributions", () => "Contributions", () => "of each attention and MLP", () => parts);
	var node_17 = sibling(node_16, 2);
	part(node_17, () => "removal", () => "Removed patches", () => "does the prediction change?", () => masked);
	part(sibling(node_17, 2), () => "training", () => "Training", () => "how the maps formed", () => trained);
	reset(div_4);
	reset(div);
	template_effect(($0) => set_text(text_2, `${$0 ?? ""}, one after another`), [() => counted(get(shape).layers, "layer", "layers")]);
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/learn/figures/Patches.svelte
var root$5 = from_html(`<div class="lesson-pair"><figure><!> <figcaption><b> </b> </figcaption></figure> <figure><!> <figcaption><b>Wrong reshape.</b> </figcaption></figure></div> <pre class="lesson-code"><code> </code></pre>`, 1);
function Patches($$anchor, $$props) {
	push($$props, true);
	const $$d = user_derived(() => $$props.pass.lesson), model = user_derived(() => get($$d).model);
	const size = user_derived(() => get(model).patchSize);
	const width = user_derived(() => get(model).imgSize[1]);
	const isSquare = user_derived(() => get(model).patch[0] === get(model).patch[1]);
	const squares = user_derived(() => ({
		rows: Math.floor(get(model).imgSize[0] / get(size)),
		columns: Math.floor(get(width) / get(size)),
		aspect: $$props.pass.shape.aspect
	}));
	const code = user_derived(() => [[`x.unfold(2, ${get(size)}, ${get(size)}).unfold(3, ${get(size)}, ${get(size)})`, "# (B, 3, H, W): squares"], [`x.reshape(B, N, ${get(size)} * ${get(size)} * 3)`, "# (B, H, W, 3): strips"]].map(([call, about]) => `${call.padEnd(36)}${about}`).join("\n"));
	const strips = user_derived(() => {
		const [first, end] = [$$props.page.patch * get(size) * get(size), ($$props.page.patch + 1) * get(size) * get(size)];
		return Array.from({ length: Math.floor((end - 1) / get(width)) - Math.floor(first / get(width)) + 1 }, (_, i) => Math.floor(first / get(width)) + i).map((row) => ({
			row,
			start: Math.max(first - row * get(width), 0),
			end: Math.min(end - row * get(width), get(width))
		}));
	});
	const stripName = user_derived(() => get(strips).map(({ row, start, end }) => `row ${row + 1}, columns ${start + 1} to ${end}`).join("; "));
	const places = user_derived(() => get(strips).map(({ row, start, end }) => ({
		left: start / get(width),
		top: row / get(model).imgSize[0],
		width: (end - start) / get(width),
		height: 1 / get(model).imgSize[0]
	})));
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
		get strips() {
			return get(places);
		},
		name: "Patches",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var figcaption = sibling(node, 2);
	var b = child(figcaption);
	var text = only_child(b);
	var text_1 = sibling(b);
	reset(figcaption);
	reset(figure);
	var figure_1 = sibling(figure, 2);
	var node_1 = child(figure_1);
	Stage(node_1, {
		get src() {
			return $$props.pass.lesson.scrambled;
		},
		get shape() {
			return get(squares);
		},
		get patch() {
			return $$props.page.patch;
		},
		name: "Patches cut by a wrong reshape",
		onpick: (patch) => pick($$props.page, { patch })
	});
	var figcaption_1 = sibling(node_1, 2);
	var text_2 = sibling(child(figcaption_1));
	reset(figcaption_1);
	reset(figure_1);
	reset(div);
	var pre = sibling(div, 2);
	var code_1 = child(pre);
	var text_3 = only_child(code_1, true);
	reset(pre);
	template_effect(($0, $1) => {
		set_text(text, `${get(isSquare) ? "Squares" : "Strips, as this model cuts them"}.`);
		set_text(text_1, ` ${$0 ?? ""}: ${$1 ?? ""} neighboring pixels.`);
		set_text(text_2, ` The same patch, shown as a square, has the pixels of ${get(stripName) ?? ""}: the white frame on the left.`);
		set_text(text_3, get(code));
	}, [() => patchName($$props.page.patch, $$props.pass.shape), () => get(model).patch.join(" × ")]);
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
				label: "Cosine of the position embeddings with that of the chosen patch",
				onpick: (patch) => pick($$props.page, { patch })
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
			set_text(text_1, `Cosine similarity to its position embedding, ${$0 ?? ""} to 1. Most similar: ${$1 ?? ""}, `);
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
var root_5$1 = from_html(`<div class="lesson-pair wide"><div><figure><!> <figcaption><span role="status"> </span></figcaption></figure> <div class="lesson-row"><span class="lesson-note"> </span> <!> <button type="button" class="button">Random</button> <button type="button" class="button">Restore</button></div> <!></div> <div><h2> </h2> <!> <p class="lesson-note"> </p></div></div>`);
var root_6$1 = from_html(`<p class="lesson-note">This model has no head, so there is no prediction that could change.</p>`);
function Removal($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.pass.reply), lesson = user_derived(() => $$props.pass.lesson), shape = user_derived(() => $$props.pass.shape);
	const best = user_derived(() => get(reply).probabilities.indexOf(Math.max(...get(reply).probabilities)));
	const mean = user_derived(() => get(lesson).random.reduce((sum, { probabilities }) => sum + probabilities[get(best)], 0) / (get(lesson).random.length || 1));
	const flips = user_derived(() => get(lesson).random.filter(({ probabilities }) => flipped(get(reply).probabilities, probabilities)).length);
	const bars = user_derived(() => [
		{
			name: "nothing removed",
			value: get(reply).probabilities[get(best)],
			text: percent(get(reply).probabilities[get(best)], 1)
		},
		...get(lesson).removals.map(({ name, probabilities }) => ({
			name: name.toLowerCase(),
			value: probabilities[get(best)],
			text: predictionOf($$props.pass, probabilities)
		})),
		{
			name: `random, mean of ${get(lesson).random.length}`,
			value: get(mean),
			text: percent(get(mean), 1)
		},
		...$$props.page.without ? [{
			name: "yours",
			value: $$props.page.without[get(best)],
			text: predictionOf($$props.pass, $$props.page.without),
			isOn: true
		}] : []
	]);
	const found = user_derived(() => $$props.page.flips === "working" ? null : $$props.page.flips);
	const without = user_derived(() => $$props.page.answered === $$props.page.removed ? $$props.page.without : null);
	const isFlipped = user_derived(() => flipped(get(reply).probabilities, get(without)));
	let drawn = state(0);
	const removeRandom = () => remove($$props.page, get(lesson).random[update(drawn) % get(lesson).random.length].patches);
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
		var span_1 = child(div_2);
		var text_1 = only_child(span_1);
		var node_2 = sibling(span_1, 2);
		each(node_2, 17, () => get(lesson).removals, ({ name, patches }) => name, ($$anchor, $$item) => {
			let name = () => get($$item).name;
			let patches = () => get($$item).patches;
			var button = root$3();
			var text_2 = only_child(button, true);
			template_effect(() => set_text(text_2, name()));
			delegated("click", button, () => remove($$props.page, patches()));
			append($$anchor, button);
		});
		var button_1 = sibling(node_2, 2);
		var button_2 = sibling(button_1, 2);
		reset(div_2);
		var node_3 = sibling(div_2, 2);
		var consequent_1 = ($$anchor) => {
			var fragment_1 = root_3$3();
			var ul = first_child(fragment_1);
			each(ul, 21, () => flipLines(get(found), $$props.page.ownBest), index, ($$anchor, line) => {
				var li = root_1$4();
				var text_3 = only_child(li, true);
				template_effect(() => set_text(text_3, get(line)));
				append($$anchor, li);
			});
			reset(ul);
			var node_4 = sibling(ul, 2);
			var consequent = ($$anchor) => {
				var button_3 = root_2$3();
				delegated("click", button_3, () => remove($$props.page, get(found).best ?? []));
				append($$anchor, button_3);
			};
			if_block(node_4, ($$render) => {
				if (get(found).best) $$render(consequent);
			});
			append($$anchor, fragment_1);
		};
		var alternate = ($$anchor) => {
			var div_3 = root_4$1();
			var button_4 = child(div_3);
			var text_4 = only_child(button_4, true);
			reset(div_3);
			template_effect(() => {
				button_4.disabled = $$props.page.flips === "working";
				set_text(text_4, $$props.page.flips === "working" ? "Searching…" : "Give up and compare");
			});
			delegated("click", button_4, () => revealFlips($$props.page));
			append($$anchor, div_3);
		};
		if_block(node_3, ($$render) => {
			if (get(found)) $$render(consequent_1);
			else $$render(alternate, -1);
		});
		reset(div_1);
		var div_4 = sibling(div_1, 2);
		var h2 = child(div_4);
		var text_5 = only_child(h2);
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
		var text_6 = only_child(p);
		reset(div_4);
		reset(div);
		template_effect(($0, $1) => {
			set_class(span, 1, clsx(["lesson-verdict", { won: get(isFlipped) }]));
			set_text(text, $0);
			set_text(text_1, `Remove ${$1 ?? ""} by`);
			button_2.disabled = !$$props.page.removed.length;
			set_text(text_5, `Probability of ${get(reply).classes[get(best)] ?? ""}`);
			set_text(text_6, `${get(flips) ?? ""} of ${get(lesson).random.length ?? ""} random sets change the prediction. One image proves little: scores over 500 images are in the documentation.`);
		}, [() => tryLine(get(reply), $$props.page.removed.length, get(without)), () => counted(get(lesson).removals[0].patches.length, "patch", "patches")]);
		delegated("click", button_1, removeRandom);
		delegated("click", button_2, () => remove($$props.page, []));
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
var root_2$2 = from_html(`<div class="lesson-heads" style="--tiles: 5"><figure class="lesson-input"><img/><figcaption> </figcaption></figure> <!></div> <p class="lesson-note"> </p>`, 1);
var root_3$2 = from_html(`<p class="lesson-note">Only bundled models such as cifar10-ti4 have a timeline here. Train shows those of runs.</p>`);
function Training($$anchor, $$props) {
	push($$props, true);
	const SHOWN = 9;
	const found = user_derived(() => $$props.page.training);
	const shape = user_derived(() => $$props.pass.shape);
	const patches = user_derived(() => get(shape).rows * get(shape).columns);
	const maps = user_derived(() => get(found) ? floatsOf(get(found).maps) : new Float32Array());
	const count = user_derived(() => get(found)?.epochs.length ?? 0);
	const chosen = user_derived(() => [...new Set(Array.from({ length: SHOWN }, (_, i) => Math.round(i * (get(count) - 1) / 8)))]);
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
			set_text(text_3, `Mean attention of the last layer's heads, all on one scale, 0 to ${$0 ?? ""} and more. Train shows every layer, head and snapshot.`);
		}, [() => percent(get(limit))]);
		append($$anchor, fragment_1);
	};
	var consequent_2 = ($$anchor) => {
		var p_1 = root_3$2();
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if (get(found) && get(maps).length === get(count) * get(patches)) $$render(consequent_1);
		else if (get(found) !== void 0) $$render(consequent_2, 1);
	});
	append($$anchor, fragment);
	pop();
}
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
	each(dl, 21, () => GLOSSARY, ({ term, symbol, formula, meaning, step }) => term, ($$anchor, $$item) => {
		let term = () => get($$item).term;
		let symbol = () => get($$item).symbol;
		let formula = () => get($$item).formula;
		let meaning = () => get($$item).meaning;
		let step = () => get($$item).step;
		var fragment_2 = comment();
		var node_1 = first_child(fragment_2);
		var consequent_1 = ($$anchor) => {
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
		};
		if_block(node_1, ($$render) => {
			if (symbol() && formula() && step()) $$render(consequent_1);
		});
		append($$anchor, fragment_2);
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
var root_7 = from_html(`<div class="vitviz vitviz-learn"><!> <div class="lesson"><nav aria-label="Steps"><ol></ol></nav> <article><p class="lesson-count"> </p> <h1 tabindex="-1"> </h1> <p role="status"> </p> <!> <div class="lesson-turn"><button type="button" class="button" data-do="back">Back</button> <!></div> <fieldset class="lesson-images"><legend>Image</legend> <!> <p class="lesson-note"> </p></fieldset></article> <section class="lesson-figure"><!></section></div> <!> <p class="foot"><span> </span><span>Keys: <kbd>←</kbd> <kbd>→</kbd> previous and next step · in a figure, <kbd>arrows</kbd> choose the patch</span></p></div>`);
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
		each(node_2, 17, () => textOf(get(step), get(pass)), index, ($$anchor, paragraph) => {
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
			}, [() => answerOf(get(step), get(pass))]);
			append($$anchor, details);
		});
		template_effect(() => set_text(text_5, ` ${get(step).try_it ?? ""}`));
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
	var p_5 = sibling(node_5, 2);
	var text_9 = only_child(p_5, true);
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
	var p_6 = sibling(node_8, 2);
	var span = child(p_6);
	var text_10 = only_child(span);
	next();
	reset(p_6);
	reset(div);
	bind_this(div, ($$value) => root = $$value, () => root);
	template_effect(() => {
		set_attribute(div, "data-state", page().state);
		set_attribute(div, "data-ready", get(pass)?.reply.key);
		set_attribute(div, "data-step", get(step).id);
		set_attribute(div, "data-settled", page().settled === page().step || void 0);
		set_text(text_1, `Step ${page().step + 1} of ${STEPS.length ?? ""}`);
		set_text(text_2, get(step).title);
		set_class(p_1, 1, clsx(["status", { error: page().isError }]));
		set_text(text_3, page().status);
		button_1.disabled = page().step === 0;
		set_text(text_9, page().image?.kind === "upload" ? "This is your upload: a link to this step does not contain it." : "For an image of your own, choose it in Explore and return.");
		set_attribute(section, "aria-label", `Figure: ${get(step).title}`);
		set_text(text_10, `All numbers are those of ${get(pass)?.reply.checkpoint ?? page().checkpoint ?? ""} on this image.`);
	});
	delegated("click", button_1, () => goTo(page(), page().step - 1));
	append($$anchor, div);
	pop();
}
delegate(["click"]);
export { LearnPage as Page, Learn as default };
