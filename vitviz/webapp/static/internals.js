import { append, attribute_effect, bind_this, child, clsx, comment, delegate, delegated, each, first_child, flushSync, from_html, from_svg, get, if_block, index, mount as mount$1, next, noop, onMount, only_child, pop, push, remove_input_defaults, reset, set, set_attribute, set_checked, set_class, set_style, set_text, set_value, sibling, spread_props, state, template_effect, to_array, user_derived, user_effect } from "./packages.js";
import { ARROWS, ColorBar, Line, ModelSelect, OPEN_HEAD, ThemeColors, ValueAxis, blobOf, capital, colorIndex, copyToClipboard, cssColor, hostOf, isOfRun, isRefusal, isShortcut, keepSizes, largest, listenWhile, makeTile, meanOf, middlePatch, neighbour, paintTile, patchName, percent, reasonOf, refreshModels, saveAs, textOf, tickText, ticks, unavailable, updateAddress, valueScale, written, zoomOf } from "./shared.js";
// src/internals/captions.ts
var CAPTIONS = [
	{
		"probe": "filters",
		"title": "Patch embedding filters",
		"question": "Which patterns does the first layer detect?",
		"caption": "Each square is a principal component of the filters of the patch embedding, with its fraction of their variance. Gray is zero; each square has its own scale.",
		"source": "Dosovitskiy et al. 2021, figure 7 left"
	},
	{
		"probe": "positions",
		"title": "Position embedding similarity",
		"question": "Does the model know where patches are?",
		"caption": "Each small square belongs to one position and shows the cosine similarity of its position embedding to those of all positions. In the paper the embeddings start from random values. Models trained here start from 2-D sine and cosine embeddings, so part of this structure was there from the start.",
		"source": "Dosovitskiy et al. 2021, figure 7 center"
	},
	{
		"probe": "distance",
		"title": "Attention distance",
		"question": "How far away are the patches that a head attends to?",
		"caption": "A dot is a head, a short line the mean of heads: the distance between a query patch and the patches it attends to, weighted by attention. Low dots attend locally, high dots across the image; uniform attention gives the dashed line. Click a dot, or press Enter, to open the head in Explore.",
		"source": "Dosovitskiy et al. 2021, figure 7 right"
	},
	{
		"probe": "effective",
		"title": "Effective number of tokens (attention entropy)",
		"question": "How many tokens does the class token attend to?",
		"caption": "A dot is a head, a short line the mean of heads: the exponential of the entropy of the class token's attention. One is a single token; uniform attention gives the dashed line, all tokens. Click a dot, or press Enter, to open the head in Explore.",
		"source": "Clark et al. 2019, section 3.3"
	},
	{
		"probe": "divergence",
		"title": "Head similarity (Jensen–Shannon divergence)",
		"question": "How different are the heads of a layer?",
		"caption": "One square per layer, head against head: the Jensen–Shannon divergence of the class token's attention, in nats. Zero, as on the diagonal, is identical attention; ln 2 = 0.69 is attention to disjoint tokens.",
		"source": "Clark et al. 2019, section 6"
	},
	{
		"probe": "norms",
		"title": "Token norms",
		"question": "Are there outlier tokens?",
		"key": [
			["ink", "class token"],
			["data", "patches, median"],
			["data dotted", "largest patch norm"],
			["band", "range over positions"]
		],
		"caption": "L2 norm of the output tokens of each layer, mean over the images. Outliers are patches whose norm is far above that of the others of their image (median + 5.2 median absolute deviations); about one in a hundred is common, and in large models some norms are ten times as large.",
		"source": "Darcet et al. 2024, section 2"
	},
	{
		"probe": "lens",
		"title": "Logit lens",
		"question": "At which layer does the prediction appear?",
		"key": [["ink", "images with the final prediction"], ["data", "its mean probability"]],
		"caption": "The classifier is applied to the output of each layer as if it were the last, and the result is compared with the final prediction. It was trained on the last layer only, so a low start does not mean that the early layers contain no information.",
		"source": "nostalgebraist 2020; Vilas et al. 2023"
	},
	{
		"probe": "cosine",
		"title": "Class-token similarity",
		"question": "Which patches resemble the class token?",
		"caption": "One map per layer: cosine similarity of the class token and the patch at each position, mean over the images. Zero is orthogonal, one the same direction; all maps share one scale.",
		"source": "A plain cosine similarity, not from a paper"
	},
	{
		"probe": "cka",
		"title": "Layer similarity (CKA)",
		"question": "Which layers represent the images alike?",
		"caption": "Layer against layer: linear CKA of their patch tokens. One means equal up to rotation and scale, zero unrelated.",
		"source": "Kornblith et al. 2019; Raghu et al. 2021, figure 1"
	},
	{
		"probe": "sinks",
		"title": "Attention sinks",
		"question": "Do heads park their attention on one token?",
		"caption": "A dot is a head. Its height is the attention on the token that receives most, mean over all queries; its place from left to right is the norm of the value of that token, relative to the mean of all tokens. Upper left: much attention on a token that adds almost nothing, a no-op. Upper right: the head broadcasts what that token has gathered. The dashed line is uniform attention. Click a dot, or press Enter, to open the head in Explore.",
		"source": "arXiv 2606.08105"
	}
];
var OF_CLASS_TOKEN = [
	"effective",
	"divergence",
	"cosine"
];
function captionsFor(model) {
	if (!model) return [CAPTIONS, ""];
	const { classToken, classes } = model;
	const isRotary = !model.position_similarity[0][0][0][0];
	const isClassifier = model.final_agreement.length > 0;
	const isAbsent = ({ probe }) => !classToken && OF_CLASS_TOKEN.includes(probe) || isRotary && probe === "positions" || !isClassifier && probe === "lens";
	const absent = CAPTIONS.filter(isAbsent).map(({ title }) => title);
	const lacks = [!classToken && "class token", !classes && "classification head"].filter(Boolean).join(" and no ");
	const reasons = [
		lacks && `has no ${lacks}`,
		isRotary && "has rotary positions and no position embedding",
		classes > 0 && !isClassifier && "was trained without labels"
	].filter(Boolean);
	const sentence = absent.length ? `Not shown, as this model ${reasons.join(", and ")}: ${absent.join(", ")}.` : "";
	return [CAPTIONS.filter((caption) => !isAbsent(caption)).map((caption) => classToken || caption.probe !== "norms" ? caption : {
		...caption,
		key: caption.key?.slice(1)
	}), sentence];
}
// src/internals/LayerLabels.svelte
var root$7 = from_svg(`<text text-anchor="middle"> </text>`);
function LayerLabels($$anchor, $$props) {
	push($$props, true);
	var fragment = comment();
	var node = first_child(fragment);
	each(node, 17, () => $$props.axis.labels, ({ x, text }) => x, ($$anchor, $$item) => {
		let x = () => get($$item).x;
		let text = () => get($$item).text;
		var text_1 = root$7();
		var text_2 = only_child(text_1, true);
		template_effect(() => {
			set_attribute(text_1, "x", x());
			set_attribute(text_1, "y", $$props.axis.y);
			set_text(text_2, text());
		});
		append($$anchor, text_1);
	});
	append($$anchor, fragment);
	pop();
}
// src/internals/UniformLine.svelte
var root$6 = from_svg(`<line class="uniform"></line><text class="halo"> </text>`, 1);
function UniformLine($$anchor, $$props) {
	push($$props, true);
	const y = user_derived(() => $$props.line.y), top = user_derived(() => $$props.line.top), label = user_derived(() => $$props.line.label), anchor = user_derived(() => $$props.line.anchor);
	var fragment = root$6();
	var line_1 = first_child(fragment);
	var text = sibling(line_1);
	var text_1 = only_child(text, true);
	template_effect(() => {
		set_attribute(line_1, "x1", $$props.frame.left);
		set_attribute(line_1, "x2", $$props.frame.right);
		set_attribute(line_1, "y1", get(y));
		set_attribute(line_1, "y2", get(y));
		set_attribute(text, "x", get(anchor) === "start" ? $$props.frame.left + 4 : $$props.frame.right - 4);
		set_attribute(text, "y", get(top) - 7);
		set_attribute(text, "text-anchor", get(anchor));
		set_text(text_1, get(label));
	});
	append($$anchor, fragment);
	pop();
}
// src/internals/DotChart.svelte
var root$5 = from_svg(`<line class="mean"></line>`);
var root_1$6 = from_svg(`<circle class="dot"></circle>`);
var root_2$5 = from_svg(`<svg aria-hidden="true"><!><!><!><!><!></svg>`);
function DotChart($$anchor, $$props) {
	push($$props, true);
	var svg = root_2$5();
	var node = child(svg);
	ValueAxis(node, spread_props(() => $$props.chart.axis));
	var node_1 = sibling(node);
	LayerLabels(node_1, { get axis() {
		return $$props.chart.layers;
	} });
	var node_2 = sibling(node_1);
	each(node_2, 17, () => $$props.chart.means, index, ($$anchor, $$item) => {
		let x1 = () => get($$item).x1;
		let x2 = () => get($$item).x2;
		let y = () => get($$item).y;
		var line = root$5();
		template_effect(() => {
			set_attribute(line, "x1", x1());
			set_attribute(line, "x2", x2());
			set_attribute(line, "y1", y());
			set_attribute(line, "y2", y());
		});
		append($$anchor, line);
	});
	var node_3 = sibling(node_2);
	each(node_3, 17, () => $$props.chart.dots, index, ($$anchor, $$item) => {
		let layer = () => get($$item).layer;
		let head = () => get($$item).head;
		let x = () => get($$item).x;
		let y = () => get($$item).y;
		var circle = root_1$6();
		template_effect(() => {
			set_attribute(circle, "cx", x());
			set_attribute(circle, "cy", y());
			set_attribute(circle, "r", $$props.chart.radius);
			set_attribute(circle, "data-layer", layer());
			set_attribute(circle, "data-head", head());
		});
		append($$anchor, circle);
	});
	UniformLine(sibling(node_3), {
		get frame() {
			return $$props.chart.frame;
		},
		get line() {
			return $$props.chart.uniform;
		}
	});
	reset(svg);
	template_effect(() => {
		set_attribute(svg, "width", $$props.chart.width);
		set_attribute(svg, "height", $$props.chart.height);
	});
	append($$anchor, svg);
	pop();
}
// src/internals/layers.ts
var chartHeight = (width) => Math.round(Math.min(360, Math.max(280, .8 * width)));
var layerMark = (place) => place === 0 ? "in" : String(place);
var after = (place) => place === 0 ? "before layer 1" : `after layer ${place}`;
function layerAxis(frame, count, first) {
	const band = (frame.right - frame.left) / count;
	const x = (column) => frame.left + (column + .5) * band;
	const every = Math.ceil(count / Math.floor((frame.right - frame.left) / 44));
	const text = (column) => first + column === 1 ? "layer 1" : layerMark(first + column);
	return {
		band,
		x,
		labels: Array.from({ length: Math.ceil(count / every) }, (_, k) => k * every).map((column) => ({
			x: x(column),
			text: text(column)
		})),
		y: frame.bottom + 18
	};
}
function columnView(frame, count) {
	const band = (frame.right - frame.left) / count;
	return {
		grid: {
			rows: 1,
			columns: count
		},
		start: 0,
		holds: () => true,
		at({ x }) {
			const column = Math.floor((x - frame.left) / band);
			return column >= 0 && column < count ? column : -1;
		},
		box: (column) => ({
			left: frame.left + column * band,
			top: frame.top,
			width: band,
			height: frame.bottom - frame.top,
			style: "column"
		})
	};
}
// src/internals/statistics.ts
function medianOf(values) {
	const sorted = values.toSorted((a, b) => a - b);
	return (sorted[sorted.length - 1 >> 1] + sorted[sorted.length >> 1]) / 2;
}
var smallest = (values) => largest(values.map((value) => -value));
// src/internals/curves.ts
function layerNorms({ norms, outliers, longest, prefix }) {
	return norms.map((row, layer) => {
		const patches = row.slice(prefix);
		return {
			token: row[0],
			median: medianOf(patches),
			low: Math.min(...patches),
			high: Math.max(...patches),
			largest: longest[layer],
			outliers: meanOf(outliers[layer].slice(prefix))
		};
	});
}
function normCurves(norms, width, hasClassToken) {
	const height = chartHeight(width);
	const above = {
		left: 32,
		right: width,
		top: 22,
		bottom: height - 116
	};
	const below = {
		...above,
		top: height - 70,
		bottom: height - 24
	};
	const of = (name) => norms.map((layer) => layer[name]);
	const end = 1.06 * Math.max(...hasClassToken ? of("token") : [], ...of("largest"), ...of("high"));
	const y = valueScale(above, end);
	const layers = layerAxis(below, norms.length, 0);
	const points = (name) => of(name).map((value, i) => ({
		x: layers.x(i),
		y: y(value)
	}));
	const print = (tick) => `${Number((100 * tick).toPrecision(3))} %`;
	const fractionEnd = 1.2 * Math.max(.02, ...of("outliers"));
	const fractionY = valueScale(below, fractionEnd);
	const boxes = of("outliers").map((value, i) => {
		const top = fractionY(value);
		return {
			left: layers.x(i) - .3 * layers.band,
			width: .6 * layers.band,
			top,
			height: below.bottom - top
		};
	});
	return {
		width,
		height,
		frame: {
			...above,
			bottom: below.bottom
		},
		axis: {
			frame: above,
			end,
			unit: "L2 norm"
		},
		layers,
		band: [...points("high"), ...points("low").reverse()],
		curves: [
			{
				name: "data dotted",
				points: points("largest")
			},
			{
				name: "data",
				points: points("median")
			},
			...hasClassToken ? [{
				name: "ink",
				points: points("token")
			}] : []
		],
		bars: {
			axis: {
				frame: below,
				end: fractionEnd,
				unit: "outliers among the patches",
				print
			},
			boxes
		}
	};
}
function lensCurves({ final_agreement, final_probability, classes }, width) {
	const height = chartHeight(width);
	const frame = {
		left: 40,
		right: width,
		top: 8,
		bottom: height - 24
	};
	const axis = {
		frame,
		end: 1.04,
		print: (tick) => percent(tick, 0)
	};
	const valueY = valueScale(frame, axis.end);
	const layers = layerAxis(frame, final_agreement.length, 0);
	const points = (values) => values.map((value, i) => ({
		x: layers.x(i),
		y: valueY(value)
	}));
	const chance = 1 / classes;
	const y = valueY(chance);
	return {
		width,
		height,
		frame,
		axis,
		layers,
		uniform: {
			y,
			top: y,
			label: `chance ${percent(chance, chance < .01 ? void 0 : 0)}`,
			anchor: "end"
		},
		curves: [{
			name: "data",
			points: points(final_probability)
		}, {
			name: "ink",
			points: points(final_agreement)
		}]
	};
}
// src/internals/dots.ts
function dotChart(values, uniform, unit, label, width) {
	const height = chartHeight(width);
	const frame = {
		left: 32,
		right: width,
		top: 22,
		bottom: height - 24
	};
	const heads = values[0].length;
	const most = Math.max(...values.flat());
	const radius = heads > 8 ? 4 : 5;
	const axis = {
		frame,
		end: 1.12 * Math.max(uniform, most),
		unit
	};
	const valueY = valueScale(frame, axis.end);
	const layers = layerAxis(frame, values.length, 1);
	const reach = .36 * (frame.right - frame.left) / values.length;
	const step = Math.min(6, 2 * reach / heads);
	const dots = values.flatMap((row, layer) => row.map((value, head) => ({
		layer,
		head,
		x: layers.x(layer) + (head - (heads - 1) / 2) * step,
		y: valueY(value)
	})));
	const means = values.map((row, layer) => ({
		x1: layers.x(layer) - reach,
		x2: layers.x(layer) + reach,
		y: valueY(meanOf(row))
	}));
	const y = valueY(uniform);
	return {
		width,
		height,
		frame,
		axis,
		layers,
		radius,
		dots,
		means,
		uniform: {
			y,
			top: Math.min(y, valueY(most) - radius),
			label,
			anchor: "start"
		}
	};
}
function scatterChart(across, values, uniform, label, width) {
	const height = chartHeight(width);
	const frame = {
		left: 44,
		right: width,
		top: 22,
		bottom: height - 24
	};
	const axis = {
		frame,
		end: 1.12 * Math.max(uniform, ...values.flat()),
		unit: "attention",
		print: percentTick
	};
	const valueY = valueScale(frame, axis.end);
	const end = 1.08 * Math.max(1, ...across.flat());
	const x = (value) => frame.left + value / end * (frame.right - frame.left);
	const labels = ticks(end, Math.max(2, Math.floor(width / 90))).slice(1).map((tick, k) => ({
		x: x(tick),
		text: k ? tickText(tick) : `norm ${tickText(tick)}`
	}));
	const dots = values.flatMap((row, layer) => row.map((value, head) => ({
		layer,
		head,
		x: x(across[layer][head]),
		y: valueY(value)
	})));
	const y = valueY(uniform);
	return {
		width,
		height,
		frame,
		axis,
		layers: {
			band: 0,
			x,
			labels,
			y: frame.bottom + 18
		},
		radius: values[0].length > 8 ? 4 : 5,
		dots,
		means: [],
		uniform: {
			y,
			top: y,
			label,
			anchor: "end"
		}
	};
}
var percentTick = (value) => percent(value, 0);
function dotView({ dots }, heads) {
	const grid = {
		rows: heads,
		columns: dots.length / heads
	};
	const partsOf = (index) => ({
		layer: index % grid.columns,
		head: Math.floor(index / grid.columns)
	});
	const dotAt = (index) => {
		const { layer, head } = partsOf(index);
		return dots[layer * heads + head];
	};
	return {
		grid,
		start: 0,
		partsOf,
		holds: () => true,
		at: ({ x, y }) => smallest(dots.map((_, index) => Math.hypot(dotAt(index).x - x, dotAt(index).y - y))),
		box: (index) => ({
			left: dotAt(index).x - 6,
			top: dotAt(index).y - 6,
			width: 12,
			height: 12,
			style: "round"
		})
	};
}
// src/internals/figure.ts
var bold = (text) => ({ strong: text });
// src/internals/charts.ts
function heads(values, uniform, unit, print, comparison, width) {
	const dots = dotChart(values, uniform, unit, `uniform ${print(uniform)}`, width);
	const view = dotView(dots, values[0].length);
	const all = values.flat();
	const nameOf = (k) => `layer ${dots.dots[k].layer + 1}, head ${dots.dots[k].head + 1}`;
	const [low, high] = [smallest(all), largest(all)];
	return {
		chart: {
			kind: "dots",
			dots
		},
		view,
		headOf: view.partsOf,
		finding: [
			"From ",
			bold(print(all[low])),
			` (${nameOf(low)}) to `,
			bold(print(all[high])),
			` (${nameOf(high)}); ${comparison}.`
		],
		read(index) {
			const { layer, head } = view.partsOf(index);
			const times = (values[layer][head] / uniform).toFixed(2);
			return [
				`Layer ${layer + 1}, head ${head + 1}: `,
				bold(print(values[layer][head])),
				`, ${times} times uniform. Mean of the layer's heads: ${print(meanOf(values[layer]))}.`
			];
		}
	};
}
function distance({ distance, uniform_distance, size: [height, across] }, width) {
	const print = (value) => `${value.toFixed(1)} px`;
	const size = keepSizes(`${height} × ${across}`);
	return heads(distance, uniform_distance, "pixels", print, `uniform attention gives ${print(uniform_distance)} in an image of ${size}`, width);
}
function effective({ effective_tokens, norms }, width) {
	const tokens = norms[0].length;
	const print = (value) => `${Number.isInteger(value) ? value : value.toFixed(1)} tokens`;
	return heads(effective_tokens, tokens, "tokens", print, `uniform attention gives all ${tokens} tokens`, width);
}
function sinks({ sink_share, sink_norm, norms }, width) {
	const uniform = 1 / norms[0].length;
	const dots = scatterChart(sink_norm, sink_share, uniform, `uniform ${percent(uniform)}`, width);
	const view = dotView(dots, sink_share[0].length);
	const { layer, head } = dots.dots[largest(sink_share.flat())];
	const norm = (layer, head) => `${sink_norm[layer][head].toFixed(2)} times the mean value norm`;
	return {
		chart: {
			kind: "dots",
			dots
		},
		view,
		headOf: view.partsOf,
		finding: [
			"At most ",
			bold(percent(sink_share[layer][head])),
			` of the attention is on one token (layer ${layer + 1}, head ${head + 1}), which has ${norm(layer, head)}.`
		],
		read(index) {
			const { layer, head } = view.partsOf(index);
			return [
				`Layer ${layer + 1}, head ${head + 1}: `,
				bold(percent(sink_share[layer][head])),
				` of the attention on one token, which has ${norm(layer, head)}.`
			];
		}
	};
}
function norms(reply, width) {
	const layers = layerNorms(reply);
	const curves = normCurves(layers, width, reply.classToken);
	const ofToken = ({ token }) => reply.classToken ? [
		"class token ",
		bold(norm(token)),
		", patches "
	] : ["patches "];
	const norm = (value) => value.toFixed(1);
	const first = reply.classToken ? "token" : "median";
	const worst = largest(layers.map(({ outliers }) => outliers));
	const { outliers } = layers[worst];
	const most = outliers ? `Most outliers ${after(worst)}: ${percent(outliers)} of the patches.` : "No patch is an outlier.";
	return {
		chart: {
			kind: "curves",
			curves
		},
		view: columnView(curves.frame, layers.length),
		finding: [
			`The ${reply.classToken ? "norm of the class token" : "median norm of the patches"} goes from `,
			bold(norm(layers[0][first])),
			" to ",
			bold(norm(layers[layers.length - 1][first])),
			`. ${most}`
		],
		read(i) {
			const { median, low, high, largest, outliers } = layers[i];
			return [
				`${capital(after(i))}: `,
				...ofToken(layers[i]),
				bold(norm(median)),
				` (positions ${norm(low)} to ${norm(high)}), largest ${norm(largest)}; outliers ${percent(outliers)}.`
			];
		}
	};
}
function lens(reply, width) {
	const curves = lensCurves(reply, width);
	const { final_agreement: fractions, final_probability: probabilities } = reply;
	let first = fractions.length - 1;
	while (first > 0 && fractions[first - 1] >= .5) first--;
	return {
		chart: {
			kind: "curves",
			curves
		},
		view: columnView(curves.frame, fractions.length),
		finding: [
			`From ${first ? `layer ${first}` : "the start"} on, at least half of the images have their final prediction: `,
			bold(percent(fractions[first])),
			` ${after(first)}.`
		],
		read: (i) => [
			`${capital(after(i))}: `,
			bold(percent(fractions[i])),
			" of the images have their final prediction, whose mean probability is ",
			bold(percent(probabilities[i])),
			"."
		]
	};
}
// src/internals/square.ts
var LEFT = 32;
var BOTTOM = 24;
function squareMatrix(values, width) {
	const count = values.length;
	const cell = Math.floor((Math.min(width, 392) - LEFT) / count);
	const side = cell * count;
	const top = (row) => (count - 1 - row) * cell;
	const every = Math.ceil(count / Math.floor(side / 24));
	return {
		count,
		cell,
		width: side + LEFT,
		height: side + BOTTOM,
		columns: layerAxis({
			left: LEFT,
			right: side + LEFT,
			top: 0,
			bottom: side
		}, count, 0),
		rows: values.flatMap((_, row) => row % every ? [] : [{
			y: top(row) + cell / 2 + 4,
			text: layerMark(row)
		}]),
		cells: values.flatMap((line, row) => line.map((value, column) => ({
			x: LEFT + column * cell,
			y: top(row),
			value
		})))
	};
}
function squareView({ count, cell }) {
	const partsOf = (index) => ({
		row: count - 1 - Math.floor(index / count),
		column: index % count
	});
	return {
		grid: {
			rows: count,
			columns: count
		},
		start: (count - 1) * count,
		partsOf,
		holds: () => true,
		at({ x, y }) {
			const column = Math.floor((x - LEFT) / cell);
			const down = Math.floor(y / cell);
			return column >= 0 && down >= 0 && column < count && down < count ? down * count + column : -1;
		},
		box: (index) => ({
			left: LEFT + index % count * cell,
			top: Math.floor(index / count) * cell,
			width: cell,
			height: cell
		})
	};
}
// src/internals/tiles.ts
function tileSide(width, { across, gap, columns }) {
	const room = (width - (across - 1) * gap) / across;
	const whole = Math.floor(room / columns) * columns;
	return whole > .8 * room ? whole : room;
}
function tileView(plan) {
	const rows = plan.whole ? 1 : plan.rows;
	const columns = plan.whole ? 1 : plan.columns;
	const grid = {
		rows: Math.ceil(plan.count / plan.across) * rows,
		columns: plan.across * columns
	};
	function partsOf(index) {
		const down = Math.floor(index / grid.columns);
		const right = index % grid.columns;
		return {
			t: Math.floor(down / rows) * plan.across + Math.floor(right / columns),
			row: down % rows,
			column: right % columns
		};
	}
	function indexOf({ t, row, column }) {
		return (Math.floor(t / plan.across) * rows + row) * grid.columns + t % plan.across * columns + column;
	}
	function at(point, tiles) {
		const t = tiles.findIndex((tile) => isWithin(tile, point));
		if (t < 0) return -1;
		const tile = tiles[t];
		const cell = (fraction, cells) => Math.min(cells - 1, Math.floor(fraction * cells));
		return indexOf({
			t,
			row: cell((point.y - tile.top) / tile.height, rows),
			column: cell((point.x - tile.left) / tile.width, columns)
		});
	}
	function box(index, tiles) {
		const { t, row, column } = partsOf(index);
		const tile = tiles[t];
		const size = {
			width: tile.width / columns,
			height: tile.height / rows
		};
		const around = rows * columns > 1 ? tile : null;
		return {
			...size,
			left: tile.left + column * size.width,
			top: tile.top + row * size.height,
			around
		};
	}
	const holds = (index) => partsOf(index).t < plan.count;
	return {
		grid,
		start: 0,
		jump: {
			rows,
			columns
		},
		partsOf,
		indexOf,
		holds,
		at,
		box
	};
}
var isWithin = (box, { x, y }) => x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height;
function painter(values, size, kind, scale) {
	return (tile, t, colors) => paintTile(tile, values, t * size, colors.table(kind), scale);
}
function paintFilter(tile, channels, end) {
	const columns = channels[0][0].length;
	const { data } = tile.image;
	for (let i = 0; i < data.length; i++) {
		const pixel = Math.floor(i / 4);
		const value = i % 4 === 3 ? 0 : channels[i % 4][Math.floor(pixel / columns)][pixel % columns];
		data[i] = i % 4 === 3 ? 255 : Math.round(255 * (.5 + value / (2 * end)));
	}
	tile.context.putImageData(tile.image, 0, 0);
}
// src/internals/maps.ts
var gridOf = ({ grid: [rows, columns] }) => ({
	rows,
	columns
});
var patchRatio = ({ filters: [[channel]] }) => channel.length / channel[0].length;
function filters({ filters, explained }) {
	const ends = filters.map((colors) => Math.max(...colors.flat(2).map(Math.abs)) || 1);
	const plan = {
		count: filters.length,
		rows: filters[0][0].length,
		columns: filters[0][0][0].length,
		across: 7,
		gap: 8,
		down: 10,
		ratio: 1,
		whole: true,
		under: (t) => percent(explained[t], 1),
		paint: (tile, t) => paintFilter(tile, filters[t], ends[t])
	};
	const total = explained.reduce((sum, fraction) => sum + fraction);
	return {
		chart: {
			kind: "tiles",
			plan
		},
		view: tileView(plan),
		finding: [
			`The first ${explained.length} components explain `,
			bold(percent(total)),
			" of the variance, the first one ",
			bold(percent(explained[0])),
			"."
		],
		read: (index) => [
			`Component ${index + 1} explains `,
			bold(percent(explained[index])),
			` of the variance. Its largest weight is ${ends[index].toFixed(2)}.`
		]
	};
}
function positions(reply) {
	const grid = gridOf(reply);
	const count = grid.rows * grid.columns;
	const values = reply.position_similarity.flat(3);
	const plan = {
		count,
		...grid,
		across: grid.columns,
		gap: grid.columns > 12 ? 1 : 4,
		ratio: patchRatio(reply),
		paint: painter(values, count, "div", {
			kind: "signed",
			limit: 1
		})
	};
	const view = tileView(plan);
	const middle = middlePatch(grid);
	const row = values.slice(middle * count, (middle + 1) * count);
	row[middle] = -Infinity;
	const best = largest(row);
	return {
		chart: {
			kind: "tiles",
			plan
		},
		view: {
			...view,
			start: view.indexOf({
				t: middle,
				row: Math.floor(middle / grid.columns),
				column: middle % grid.columns
			})
		},
		finding: [
			`${capital(patchName(middle, grid))} is most similar to ${patchName(best, grid)}: cosine `,
			bold(written(row[best], 2)),
			"."
		],
		read(index) {
			const { t, row, column } = view.partsOf(index);
			const other = row * grid.columns + column;
			const cosine = bold(written(values[t * count + other], 2));
			return [
				`${capital(patchName(t, grid))} and ${patchName(other, grid)}: cosine `,
				cosine,
				"."
			];
		},
		bar: {
			kind: "div",
			words: [
				"−1 opposite",
				"0 orthogonal",
				"1 identical"
			]
		}
	};
}
function divergence({ head_divergence }) {
	const layers = head_divergence.length;
	const heads = head_divergence[0].length;
	const size = heads * heads;
	const all = head_divergence.flat(2);
	const plan = {
		count: layers,
		rows: heads,
		columns: heads,
		across: Math.min(layers, layers > 6 ? 4 : 3),
		gap: 12,
		down: 10,
		ratio: 1,
		label: (t) => t ? String(t + 1) : "layer 1",
		paint: painter(all, size, "seq", {
			kind: "linear",
			limit: Math.LN2
		})
	};
	const view = tileView(plan);
	const nats = (value) => `${value.toFixed(2)} nats`;
	const pair = (k) => `heads ${Math.floor(k % size / heads) + 1} and ${k % heads + 1}`;
	const most = largest(all);
	const layer = Math.floor(most / size) + 1;
	return {
		chart: {
			kind: "tiles",
			plan
		},
		view: {
			...view,
			start: view.indexOf({
				t: 0,
				row: 0,
				column: Math.min(1, heads - 1)
			})
		},
		finding: heads === 1 ? ["Each layer has a single head: nothing to compare."] : [
			`Most different in layer ${layer}: ${pair(most)}, `,
			bold(nats(all[most])),
			` of at most ${Math.LN2.toFixed(2)}.`
		],
		read(index) {
			const { t, row, column } = view.partsOf(index);
			const k = t * size + row * heads + column;
			const names = row === column ? `head ${row + 1} with itself` : pair(k);
			return [
				`Layer ${t + 1}, ${names}: `,
				bold(nats(all[k])),
				"."
			];
		},
		bar: {
			kind: "seq",
			words: ["0 identical", "0.69 disjoint"]
		}
	};
}
function cosine(reply) {
	const grid = gridOf(reply);
	const size = grid.rows * grid.columns;
	const values = reply.class_token_cosine.flat(2);
	const end = Math.max(...values.map(Math.abs)) || 1;
	const count = reply.class_token_cosine.length;
	const plan = {
		count,
		...grid,
		across: count > 9 ? 5 : 4,
		gap: 12,
		down: 8,
		ratio: patchRatio(reply),
		label: (t) => t === 1 ? "layer 1" : layerMark(t),
		paint: painter(values, size, "div", {
			kind: "signed",
			limit: end
		})
	};
	const view = tileView(plan);
	const placeOf = (k) => `${after(Math.floor(k / size))}, ${patchName(k % size, grid)}: cosine `;
	const cosineOf = (k) => bold(written(values[k], 2));
	const strongest = largest(values.map(Math.abs));
	return {
		chart: {
			kind: "tiles",
			plan
		},
		view,
		finding: [
			`Strongest ${placeOf(strongest)}`,
			cosineOf(strongest),
			"."
		],
		read(index) {
			const { t, row, column } = view.partsOf(index);
			const k = t * size + row * grid.columns + column;
			return [
				capital(placeOf(k)),
				cosineOf(k),
				"."
			];
		},
		bar: {
			kind: "div",
			words: [
				written(-end, 2),
				"0 orthogonal",
				written(end, 2)
			]
		}
	};
}
function cka({ cka: values }, width) {
	const square = squareMatrix(values, width);
	const view = squareView(square);
	const nameOf = (place) => place ? `layer ${place}` : "the input of layer 1";
	const namesOf = (row, column) => row === column ? `${nameOf(row)} with itself: ` : `${nameOf(Math.min(row, column))} and ${nameOf(Math.max(row, column))}: `;
	const similarity = (row, column) => bold(written(values[row][column], 2));
	const least = smallest(values.flat());
	const [row, column] = [Math.floor(least / values.length), least % values.length];
	return {
		chart: {
			kind: "square",
			square
		},
		view,
		finding: row === column ? ["All layers are equally similar."] : [
			`Least similar: ${namesOf(row, column)}`,
			similarity(row, column),
			"."
		],
		read(index) {
			const { row, column } = view.partsOf(index);
			return [
				capital(namesOf(row, column)),
				similarity(row, column),
				"."
			];
		},
		bar: {
			kind: "seq",
			words: ["0 unrelated", "1 identical"]
		}
	};
}
// src/internals/figures.ts
var FIGURES = {
	filters,
	positions,
	distance,
	effective,
	divergence,
	norms,
	lens,
	cosine,
	cka,
	sinks
};
// src/internals/LayerCurves.svelte
var root$4 = from_svg(`<polygon class="band"></polygon>`);
var root_1$5 = from_svg(`<polyline></polyline>`);
var root_2$4 = from_svg(`<rect class="column"></rect>`);
var root_3$1 = from_svg(`<!><!>`, 1);
var root_4$1 = from_svg(`<svg aria-hidden="true"><!><!><!><!><!><!></svg>`);
function LayerCurves($$anchor, $$props) {
	push($$props, true);
	const joined = (points) => points.map(({ x, y }) => `${x},${y}`).join(" ");
	var svg = root_4$1();
	var node = child(svg);
	ValueAxis(node, spread_props(() => $$props.chart.axis));
	var node_1 = sibling(node);
	LayerLabels(node_1, { get axis() {
		return $$props.chart.layers;
	} });
	var node_2 = sibling(node_1);
	var consequent = ($$anchor) => {
		UniformLine($$anchor, {
			get frame() {
				return $$props.chart.frame;
			},
			get line() {
				return $$props.chart.uniform;
			}
		});
	};
	if_block(node_2, ($$render) => {
		if ($$props.chart.uniform) $$render(consequent);
	});
	var node_3 = sibling(node_2);
	var consequent_1 = ($$anchor) => {
		var polygon = root$4();
		template_effect(($0) => set_attribute(polygon, "points", $0), [() => joined($$props.chart.band)]);
		append($$anchor, polygon);
	};
	if_block(node_3, ($$render) => {
		if ($$props.chart.band) $$render(consequent_1);
	});
	var node_4 = sibling(node_3);
	each(node_4, 17, () => $$props.chart.curves, index, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let points = () => get($$item).points;
		var polyline = root_1$5();
		template_effect(($0) => {
			set_class(polyline, 0, `curve ${name() ?? ""}`);
			set_attribute(polyline, "points", $0);
		}, [() => joined(points())]);
		append($$anchor, polyline);
	});
	var node_5 = sibling(node_4);
	var consequent_2 = ($$anchor) => {
		var fragment_1 = root_3$1();
		var node_6 = first_child(fragment_1);
		ValueAxis(node_6, spread_props(() => $$props.chart.bars.axis));
		var node_7 = sibling(node_6);
		each(node_7, 17, () => $$props.chart.bars.boxes, index, ($$anchor, $$item) => {
			let left = () => get($$item).left;
			let top = () => get($$item).top;
			let width = () => get($$item).width;
			let height = () => get($$item).height;
			var rect = root_2$4();
			template_effect(() => {
				set_attribute(rect, "x", left());
				set_attribute(rect, "width", width());
				set_attribute(rect, "y", top());
				set_attribute(rect, "height", height());
			});
			append($$anchor, rect);
		});
		append($$anchor, fragment_1);
	};
	if_block(node_5, ($$render) => {
		if ($$props.chart.bars) $$render(consequent_2);
	});
	reset(svg);
	template_effect(() => {
		set_attribute(svg, "width", $$props.chart.width);
		set_attribute(svg, "height", $$props.chart.height);
	});
	append($$anchor, svg);
	pop();
}
// src/internals/open.ts
function openHead(page, { layer, head }) {
	if (!page.shown) return;
	const { checkpoint } = page.shown;
	updateAddress({
		checkpoint,
		layer: layer + 1,
		head: head + 1,
		view: null,
		method: null
	});
	window.dispatchEvent(new CustomEvent(OPEN_HEAD, { detail: {
		checkpoint,
		layer,
		head
	} }));
	window.scrollTo(0, 0);
}
// src/internals/place.ts
var SETTLED = 200;
function figureAt(boxes, current = -1) {
	if (boxes[0].top > 0) return -1;
	const first = boxes.findIndex(({ top, bottom }) => top + bottom > 0);
	return boxes[current]?.top === boxes[first]?.top ? current : first;
}
function stayAt(page, probe) {
	page.place = probe;
	updateAddress({ figure: probe });
}
function returnToPlace({ root, place }) {
	root?.querySelector(`figure[data-probe='${place}']`)?.scrollIntoView();
}
var placeOf = (name) => CAPTIONS.find(({ probe }) => probe === name)?.probe ?? null;
function followScrolling(page, root) {
	let settled;
	function read() {
		if (!root.clientWidth || !page.drawing) return;
		const figures = [...root.querySelectorAll("figure")];
		const probe = placeOf(figures[figureAt(figures.map((figure) => figure.getBoundingClientRect()), figures.findIndex(({ dataset }) => dataset.probe === page.place))]?.dataset.probe ?? null);
		if (probe !== page.place) stayAt(page, probe);
	}
	listenWhile(root, document, "scroll", () => {
		clearTimeout(settled);
		settled = setTimeout(read, SETTLED);
	});
}
// src/internals/save.ts
var FORMATS = [
	"png",
	"svg",
	"pdf",
	"csv"
];
async function request(page, probe, format) {
	const reply = await page.host.request("probe_figure", {
		...page.shown ?? page.request,
		probe,
		format
	});
	if (!reply || isRefusal(reply)) throw new Error(reasonOf(reply));
	return reply;
}
async function saveFigure(page, probe, format) {
	try {
		const { name, src } = await request(page, probe, format);
		saveAs(name, src);
		return `Saved as ${name}.`;
	} catch (error) {
		return String(error.message);
	}
}
async function copyFigure(page, probe) {
	const image = request(page, probe, "png").then(({ src }) => blobOf(src));
	const copied = await copyToClipboard("image/png", image);
	return image.then(() => copied ? "Copied as PNG." : "The browser does not allow copying: save the figure instead.", (error) => error.message);
}
// src/internals/Save.svelte
var root$3 = from_html(`<button type="button" class="button"> </button>`);
var root_1$4 = from_html(`<details class="take"><summary>Save or copy</summary> <div class="actions"><!> <button type="button" class="button" data-do="copy">Copy</button></div> <p class="said" role="status"> </p></details>`);
function Save($$anchor, $$props) {
	push($$props, true);
	let said = state("");
	async function report(done) {
		set(said, "Drawing…");
		set(said, await done);
	}
	var details = root_1$4();
	var summary = child(details);
	var div = sibling(summary, 2);
	var node = child(div);
	each(node, 17, () => FORMATS, index, ($$anchor, format) => {
		var button = root$3();
		var text = only_child(button, true);
		template_effect(($0) => {
			set_attribute(button, "data-format", get(format));
			set_text(text, $0);
		}, [() => get(format).toUpperCase()]);
		delegated("click", button, () => report(saveFigure($$props.page, $$props.caption.probe, get(format))));
		append($$anchor, button);
	});
	var button_1 = sibling(node, 2);
	reset(div);
	var p = sibling(div, 2);
	var text_1 = only_child(p, true);
	reset(details);
	template_effect(() => {
		set_attribute(summary, "aria-label", `Save or copy: ${$$props.caption.title ?? ""}`);
		set_text(text_1, get(said));
	});
	delegated("click", button_1, () => report(copyFigure($$props.page, $$props.caption.probe)));
	append($$anchor, details);
	pop();
}
delegate(["click"]);
// src/internals/SquareMatrix.svelte
var root$2 = from_svg(`<text text-anchor="end"> </text>`);
var root_1$3 = from_svg(`<rect shape-rendering="crispEdges"></rect>`);
var root_2$3 = from_svg(`<svg aria-hidden="true"><!><!><!></svg>`);
function SquareMatrix($$anchor, $$props) {
	push($$props, true);
	const table = user_derived(() => $$props.theme.table("seq"));
	const fillOf = (value) => cssColor(get(table)[colorIndex({
		kind: "linear",
		limit: 1
	}, value)]);
	var svg = root_2$3();
	var node = child(svg);
	LayerLabels(node, { get axis() {
		return $$props.square.columns;
	} });
	var node_1 = sibling(node);
	each(node_1, 17, () => $$props.square.rows, index, ($$anchor, $$item) => {
		let y = () => get($$item).y;
		let text = () => get($$item).text;
		var text_1 = root$2();
		set_attribute(text_1, "x", 24);
		var text_2 = only_child(text_1, true);
		template_effect(() => {
			set_attribute(text_1, "y", y());
			set_text(text_2, text());
		});
		append($$anchor, text_1);
	});
	var node_2 = sibling(node_1);
	each(node_2, 17, () => $$props.square.cells, index, ($$anchor, $$item) => {
		let x = () => get($$item).x;
		let y = () => get($$item).y;
		let value = () => get($$item).value;
		var rect = root_1$3();
		template_effect(($0) => {
			set_attribute(rect, "x", x());
			set_attribute(rect, "y", y());
			set_attribute(rect, "width", $$props.square.cell);
			set_attribute(rect, "height", $$props.square.cell);
			set_attribute(rect, "fill", $0);
		}, [() => fillOf(value())]);
		append($$anchor, rect);
	});
	reset(svg);
	template_effect(() => {
		set_attribute(svg, "width", $$props.square.width);
		set_attribute(svg, "height", $$props.square.height);
	});
	append($$anchor, svg);
	pop();
}
// src/internals/Tiles.svelte
var root$1 = from_html(`<div> </div>`);
var root_1$2 = from_html(`<div class="tile"><!> <canvas></canvas> <!></div>`);
var root_2$2 = from_html(`<div class="tiles"></div>`);
function Tiles($$anchor, $$props) {
	push($$props, true);
	const label = user_derived(() => $$props.plan.label), under = user_derived(() => $$props.plan.under);
	let box;
	user_effect(() => {
		for (const [t, canvas] of box.querySelectorAll("canvas").entries()) $$props.plan.paint(makeTile(canvas, $$props.plan.columns, $$props.plan.rows), t, $$props.theme);
	});
	var div = root_2$2();
	let styles;
	each(div, 21, () => ({ length: $$props.plan.count }), index, ($$anchor, $$item, t) => {
		var div_1 = root_1$2();
		var node = child(div_1);
		var consequent = ($$anchor) => {
			var div_2 = root$1();
			var text = only_child(div_2, true);
			template_effect(($0) => set_text(text, $0), [() => get(label)(t)]);
			append($$anchor, div_2);
		};
		if_block(node, ($$render) => {
			if (get(label)) $$render(consequent);
		});
		var canvas_1 = sibling(node, 2);
		let styles_1;
		var node_1 = sibling(canvas_1, 2);
		var consequent_1 = ($$anchor) => {
			var div_3 = root$1();
			var text_1 = only_child(div_3, true);
			template_effect(($0) => set_text(text_1, $0), [() => get(under)(t)]);
			append($$anchor, div_3);
		};
		if_block(node_1, ($$render) => {
			if (get(under)) $$render(consequent_1);
		});
		reset(div_1);
		template_effect(() => styles_1 = set_style(canvas_1, "", styles_1, { "aspect-ratio": `${$$props.plan.columns} / ${$$props.plan.rows * $$props.plan.ratio}` }));
		append($$anchor, div_1);
	});
	reset(div);
	bind_this(div, ($$value) => box = $$value, () => box);
	template_effect(($0) => styles = set_style(div, "", styles, {
		"grid-template-columns": $0,
		gap: `${$$props.plan.down ?? $$props.plan.gap}px ${$$props.plan.gap}px`
	}), [() => `repeat(${$$props.plan.across}, ${tileSide($$props.width, $$props.plan)}px)`]);
	append($$anchor, div);
	pop();
}
// src/internals/view.ts
function walk(view, read, key, far) {
	if (read < 0) return view.start;
	const across = key === "ArrowLeft" || key === "ArrowRight";
	let steps = far && view.jump ? across ? view.jump.columns : view.jump.rows : 1;
	let index = read;
	while (steps-- > 0 || !view.holds(index)) index = neighbour(index, key, view.grid);
	return index;
}
// src/internals/Figure.svelte
var markAt = ($$anchor, box = noop, kind = noop) => {
	var div = root();
	let styles;
	template_effect(() => {
		set_class(div, 1, clsx(["mark", box() && kind()]));
		set_attribute(div, "hidden", !box());
		styles = set_style(div, "", styles, {
			left: box() && `${box().left}px`,
			top: box() && `${box().top}px`,
			width: box() && `${box().width}px`,
			height: box() && `${box().height}px`
		});
	});
	append($$anchor, div);
};
var root = from_html(`<div></div>`);
var root_1$1 = from_html(`<span> </span>`);
var root_2$1 = from_html(`<p class="key"></p>`);
var root_3 = from_html(`<!> <!> <!>`, 1);
var root_4 = from_html(`<figure><h2> </h2> <p class="question"> </p> <p class="line"><!></p> <!> <div><!></div> <!> <!> <figcaption><b>How to read it.</b> <cite> </cite></figcaption></figure>`);
function Figure($$anchor, $$props) {
	push($$props, true);
	let line;
	let stage;
	let width = state(0);
	let stageWidth = state(0);
	let reading = state(null);
	const figure = user_derived(() => $$props.page.drawing && get(width) ? FIGURES[$$props.caption.probe]($$props.page.drawing.reply, get(width)) : null);
	const read = user_derived(() => get(reading) && get(reading).drawing === $$props.page.drawing ? get(reading).index : -1);
	const words = user_derived(() => get(figure) ? get(read) < 0 ? get(figure).finding : get(figure).read(get(read)) : []);
	const mark = user_derived(() => get(figure) && get(read) >= 0 ? get(figure).view.box(get(read), tileBoxes()) : null);
	user_effect(() => {
		if ($$props.page.drawing) set(width, line.clientWidth, true);
	});
	user_effect(() => {
		if (get(figure)) set(stageWidth, stage.clientWidth, true);
	});
	const readable = user_derived(() => get(figure) && {
		tabindex: 0,
		role: "application",
		"aria-label": $$props.caption.title,
		"aria-describedby": "internals-keys"
	});
	function tileBoxes() {
		const outer = stage.getBoundingClientRect();
		const zoom = zoomOf(stage);
		return [...stage.querySelectorAll("canvas")].map((canvas) => {
			const { left, top, width, height } = canvas.getBoundingClientRect();
			const [x, y] = [left - outer.left, top - outer.top];
			return {
				left: x / zoom,
				top: y / zoom,
				width: width / zoom,
				height: height / zoom
			};
		});
	}
	function readAt(index, delay = 600) {
		if (!$$props.page.drawing || index === get(read)) return;
		set(reading, {
			drawing: $$props.page.drawing,
			index
		});
		flushSync();
		if (index >= 0) $$props.page.announceSoon(() => textOf(get(words)), delay);
	}
	function point(event) {
		if (!get(figure)) return;
		const { left, top } = stage.getBoundingClientRect();
		const zoom = zoomOf(stage);
		readAt(get(figure).view.at({
			x: (event.clientX - left) / zoom,
			y: (event.clientY - top) / zoom
		}, tileBoxes()));
	}
	function click(event) {
		const before = get(read);
		point(event);
		if (get(read) === before) openRead();
	}
	function openRead() {
		if (get(figure)?.headOf && get(read) >= 0) openHead($$props.page, get(figure).headOf(get(read)));
	}
	function handleKey(event) {
		if (!get(figure) || isShortcut(event)) return;
		if (event.key === "Enter" && get(read) >= 0) openRead();
		else if (ARROWS.includes(event.key)) readAt(walk(get(figure).view, get(read), event.key, event.shiftKey), 0);
		else if (event.key === "Escape") readAt(-1);
		else return;
		event.preventDefault();
	}
	var figure_1 = root_4();
	var h2 = child(figure_1);
	var text = only_child(h2, true);
	var p = sibling(h2, 2);
	var text_1 = only_child(p, true);
	var p_1 = sibling(p, 2);
	var node = child(p_1);
	Line(node, { get line() {
		return get(words);
	} });
	reset(p_1);
	bind_this(p_1, ($$value) => line = $$value, () => line);
	var node_1 = sibling(p_1, 2);
	var consequent = ($$anchor) => {
		var p_2 = root_2$1();
		each(p_2, 21, () => $$props.caption.key, index, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let kind = () => get($$array)[0];
			let name = () => get($$array)[1];
			var span = root_1$1();
			var text_2 = only_child(span, true);
			template_effect(() => {
				set_class(span, 1, clsx(kind()));
				set_text(text_2, name());
			});
			append($$anchor, span);
		});
		reset(p_2);
		append($$anchor, p_2);
	};
	if_block(node_1, ($$render) => {
		if ($$props.caption.key) $$render(consequent);
	});
	var div_1 = sibling(node_1, 2);
	var event_handler = (event) => event.pointerType !== "touch" && point(event);
	var event_handler_1 = (event) => event.pointerType !== "touch" && readAt(-1);
	var event_handler_2 = () => readAt(-1);
	attribute_effect(div_1, () => ({
		class: ["stage", get(figure)?.headOf && "opens"],
		...get(readable),
		onpointermove: event_handler,
		onclick: click,
		onpointerleave: event_handler_1,
		onblur: event_handler_2,
		onkeydown: handleKey
	}));
	var node_2 = child(div_1);
	var consequent_4 = ($$anchor) => {
		var fragment = root_3();
		var node_3 = first_child(fragment);
		var consequent_1 = ($$anchor) => {
			Tiles($$anchor, {
				get plan() {
					return get(figure).chart.plan;
				},
				get width() {
					return get(width);
				},
				get theme() {
					return $$props.page.theme;
				}
			});
		};
		var consequent_2 = ($$anchor) => {
			DotChart($$anchor, { get chart() {
				return get(figure).chart.dots;
			} });
		};
		var consequent_3 = ($$anchor) => {
			LayerCurves($$anchor, { get chart() {
				return get(figure).chart.curves;
			} });
		};
		var alternate = ($$anchor) => {
			SquareMatrix($$anchor, {
				get square() {
					return get(figure).chart.square;
				},
				get theme() {
					return $$props.page.theme;
				}
			});
		};
		if_block(node_3, ($$render) => {
			if (get(figure).chart.kind === "tiles") $$render(consequent_1);
			else if (get(figure).chart.kind === "dots") $$render(consequent_2, 1);
			else if (get(figure).chart.kind === "curves") $$render(consequent_3, 2);
			else $$render(alternate, -1);
		});
		var node_4 = sibling(node_3, 2);
		markAt(node_4, () => get(mark)?.around, () => "around");
		markAt(sibling(node_4, 2), () => get(mark), () => get(mark)?.style ?? "");
		append($$anchor, fragment);
	};
	if_block(node_2, ($$render) => {
		if (get(figure)) $$render(consequent_4);
	});
	reset(div_1);
	bind_this(div_1, ($$value) => stage = $$value, () => stage);
	var node_6 = sibling(div_1, 2);
	var consequent_5 = ($$anchor) => {
		{
			let $0 = user_derived(() => $$props.page.theme.table(get(figure).bar.kind));
			ColorBar($$anchor, {
				get table() {
					return get($0);
				},
				get words() {
					return get(figure).bar.words;
				},
				get maxWidth() {
					return `${get(stageWidth) ?? ""}px`;
				}
			});
		}
	};
	if_block(node_6, ($$render) => {
		if (get(figure)?.bar) $$render(consequent_5);
	});
	var node_7 = sibling(node_6, 2);
	Save(node_7, {
		get page() {
			return $$props.page;
		},
		get caption() {
			return $$props.caption;
		}
	});
	var figcaption = sibling(node_7, 2);
	var text_3 = sibling(child(figcaption));
	var cite = sibling(text_3);
	var text_4 = only_child(cite, true);
	reset(figcaption);
	reset(figure_1);
	template_effect(() => {
		set_attribute(figure_1, "aria-label", $$props.caption.title);
		set_attribute(figure_1, "data-probe", $$props.caption.probe);
		set_attribute(figure_1, "data-read", get(figure) ? get(read) : void 0);
		set_text(text, $$props.caption.title);
		set_text(text_1, $$props.caption.question);
		set_text(text_3, ` ${$$props.caption.caption ?? ""} `);
		set_text(text_4, $$props.caption.source);
	});
	delegated("focusin", figure_1, () => stayAt($$props.page, $$props.caption.probe));
	append($$anchor, figure_1);
	pop();
}
delegate(["focusin"]);
// src/internals/requests.ts
var addressed = (name) => new URLSearchParams(location.search).get(name);
function fail(page, sentence) {
	if (page.shown) Object.assign(page, page.shown);
	else page.isEmpty = true;
	page.showNotice(sentence, true);
	page.state = "error";
}
async function load(page) {
	const mine = ++page.ticket;
	const { request } = page;
	page.state = "working";
	page.showNotice(null);
	const waiting = setTimeout(() => mine === page.ticket && page.showNotice("Working…"), 300);
	const reply = await page.host.request("probes", request);
	clearTimeout(waiting);
	if (mine !== page.ticket) return void 0;
	if (!reply || isRefusal(reply)) {
		fail(page, reasonOf(reply));
		return false;
	}
	page.reply = reply;
	page.shown = request;
	page.showNotice(null);
	page.isEmpty = false;
	page.draw();
	page.state = "ready";
	page.ready = `${request.checkpoint} ${request.images}`;
	flushSync();
	return true;
}
async function choose(page, change) {
	Object.assign(page, change);
	if (change.checkpoint !== void 0) await loadAddress(page);
	else if (!await load(page)) return;
	writeAddress(page);
}
async function loadAddress(page) {
	const { request } = page;
	if (await load(page) !== false || request.images === "samples") return;
	const reason = page.status;
	Object.assign(page, request, { images: "samples" });
	const isShown = await load(page);
	if (isShown) {
		writeAddress(page);
		page.showNotice(reason);
	} else if (isShown === false) Object.assign(page, page.shown ?? request);
}
function writeAddress(page) {
	if (!page.shown || !page.root?.clientWidth) return;
	page.followed = page.shown.checkpoint;
	updateAddress({ ...page.shown }, { images: "samples" });
}
function follow(page) {
	const chosen = addressed("checkpoint");
	const isNew = chosen !== page.followed && page.isKnown(chosen) && chosen !== page.checkpoint;
	page.followed = chosen;
	if (isNew && chosen) page.checkpoint = chosen;
	return isNew;
}
async function refreshLists(page) {
	const lists = await refreshModels(page.host.request);
	if (lists) page.showLists(lists);
}
async function refresh(page, isBack) {
	await refreshLists(page);
	if (follow(page) || page.state === "error") await loadAddress(page);
	else if (isBack) returnToPlace(page);
}
async function retry(page) {
	await loadAddress(page);
	if (page.shown) page.root?.querySelector(".stage")?.focus({ preventScroll: true });
}
function watch(page, root) {
	new ResizeObserver(() => {
		if (root.clientWidth && root.clientWidth !== page.drawnWidth) page.draw();
	}).observe(root);
	let isFirst = true;
	new IntersectionObserver(([entry]) => {
		if (entry.isIntersecting) refresh(page, !isFirst);
		isFirst = false;
	}).observe(root);
	followScrolling(page, root);
}
async function start(page, root) {
	page.root = root;
	const linked = addressed("checkpoint");
	if (linked !== null && !page.isKnown(linked) || isOfRun(linked) || addressed("images") !== null) await refreshLists(page);
	if (!page.models.length) return fail(page, "No model found: put a checkpoint into the checkpoints folder and restart vitviz.");
	page.checkpoint = page.models[0].name;
	if (page.cifar.available && addressed("images") === "test") page.images = "test";
	follow(page);
	page.place = placeOf(addressed("figure"));
	watch(page, root);
	await loadAddress(page);
	returnToPlace(page);
	const { followed } = page;
	if (page.reply && followed && !page.isKnown(followed)) page.showNotice(unavailable("model", followed, page.checkpoint));
}
// src/internals/Internals.svelte
var root_1 = from_html(`<label><input type="radio" name="images"/><span> </span></label>`);
var root_2 = from_html(`<div class="vitviz vitviz-internals"><!> <section class="lead" aria-label="Summary"><h1>Model internals</h1> <p> </p> <p class="voice" aria-live="polite"> </p> <button type="button" class="button" data-do="again">Try again</button> <div class="choice" role="radiogroup" aria-label="Averaged over"><span class="name">Averaged over</span> <div class="options"></div></div></section> <div class="probes"></div> <p class="foot"><span class="over"> </span><span>Layers and heads count from 1; “in” is the input of layer 1.</span><span> </span><span class="absent"> </span><span class="keys" id="internals-keys">Keys: <kbd>arrows</kbd> read the values of a figure · <kbd>Shift</kbd> next square · <kbd>Enter</kbd> open the head in Explore · <kbd>Esc</kbd> stop</span></p></div>`);
function Internals($$anchor, $$props) {
	push($$props, true);
	const IMAGES = [["samples", "Samples"], ["test", "Test images"]];
	const reply = user_derived(() => $$props.page.drawing?.reply);
	const $$d = user_derived(() => captionsFor(get(reply))), $$array = user_derived(() => to_array(get($$d), 2)), captions = user_derived(() => get($$array)[0]), absence = user_derived(() => get($$array)[1]);
	let root;
	onMount(() => {
		start($$props.page, root);
	});
	var div = root_2();
	let styles;
	var node = child(div);
	{
		let $0 = user_derived(() => ({
			request: $$props.page.host.request,
			isPublic: $$props.page.host.catalog.public,
			onlists: (lists) => $$props.page.showLists(lists)
		}));
		ModelSelect(node, {
			get models() {
				return $$props.page.models;
			},
			get value() {
				return $$props.page.checkpoint;
			},
			onchoose: (checkpoint) => choose($$props.page, { checkpoint }),
			get page() {
				return get($0);
			}
		});
	}
	var section = sibling(node, 2);
	var p = sibling(child(section), 2);
	var text = only_child(p, true);
	var p_1 = sibling(p, 2);
	var text_1 = only_child(p_1, true);
	var button = sibling(p_1, 2);
	var div_1 = sibling(button, 2);
	var div_2 = sibling(child(div_1), 2);
	each(div_2, 21, () => IMAGES, index, ($$anchor, $$item) => {
		var $$array_1 = user_derived(() => to_array(get($$item), 2));
		let value = () => get($$array_1)[0];
		let name = () => get($$array_1)[1];
		var label = root_1();
		var input = child(label);
		remove_input_defaults(input);
		var span = sibling(input);
		var text_2 = only_child(span, true);
		reset(label);
		template_effect(() => {
			set_value(input, value());
			set_checked(input, $$props.page.images === value());
			set_text(text_2, name());
		});
		delegated("change", input, (event) => choose($$props.page, { images: event.currentTarget.value }));
		append($$anchor, label);
	});
	reset(div_2);
	reset(div_1);
	reset(section);
	var div_3 = sibling(section, 2);
	each(div_3, 21, () => get(captions), (caption) => caption.probe, ($$anchor, caption) => {
		Figure($$anchor, {
			get page() {
				return $$props.page;
			},
			get caption() {
				return get(caption);
			}
		});
	});
	reset(div_3);
	var p_2 = sibling(div_3, 2);
	var span_1 = child(p_2);
	var text_3 = only_child(span_1, true);
	var span_2 = sibling(span_1, 2);
	var text_4 = only_child(span_2, true);
	var span_3 = sibling(span_2);
	var text_5 = only_child(span_3, true);
	next();
	reset(p_2);
	reset(div);
	bind_this(div, ($$value) => root = $$value, () => root);
	template_effect(($0) => {
		set_attribute(div, "data-state", $$props.page.state);
		set_attribute(div, "data-ready", $$props.page.ready);
		styles = set_style(div, "", styles, { "--data": $0 });
		set_class(p, 1, clsx(["status", { error: $$props.page.isError }]));
		set_text(text, $$props.page.status);
		set_text(text_1, $$props.page.voice);
		set_attribute(button, "hidden", !$$props.page.isEmpty || !$$props.page.checkpoint);
		set_attribute(div_1, "hidden", !$$props.page.cifar.available);
		set_attribute(div_3, "hidden", $$props.page.isEmpty);
		set_attribute(p_2, "hidden", $$props.page.isEmpty);
		set_text(text_3, get(reply) ? `${get(reply).checkpoint} over ${get(reply).images}.` : "");
		set_text(text_4, get(absence));
		set_attribute(span_3, "hidden", !$$props.page.cifar.message);
		set_text(text_5, $$props.page.cifar.message);
	}, [() => get(reply) && cssColor($$props.page.theme.table("seq")[150])]);
	delegated("click", button, () => retry($$props.page));
	append($$anchor, div);
	pop();
}
delegate(["click", "change"]);
// src/internals/state.svelte.ts
var DEFAULT_STATUS = "Weights and statistics of the model, averaged over images.";
var InternalsPage = class {
	#models;
	get models() {
		return get(this.#models);
	}
	set models(value) {
		set(this.#models, value);
	}
	#cifar;
	get cifar() {
		return get(this.#cifar);
	}
	set cifar(value) {
		set(this.#cifar, value);
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
	#ready = state();
	get ready() {
		return get(this.#ready);
	}
	set ready(value) {
		set(this.#ready, value);
	}
	#checkpoint = state("");
	get checkpoint() {
		return get(this.#checkpoint);
	}
	set checkpoint(value) {
		set(this.#checkpoint, value);
	}
	#images = state("samples");
	get images() {
		return get(this.#images);
	}
	set images(value) {
		set(this.#images, value);
	}
	#status = state(DEFAULT_STATUS);
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
	#isEmpty = state(false);
	get isEmpty() {
		return get(this.#isEmpty);
	}
	set isEmpty(value) {
		set(this.#isEmpty, value);
	}
	#drawing = state(null);
	get drawing() {
		return get(this.#drawing);
	}
	set drawing(value) {
		set(this.#drawing, value);
	}
	reply = null;
	drawnWidth = 0;
	#speaking;
	shown = null;
	place = null;
	ticket = 0;
	followed = null;
	constructor(host) {
		this.host = host;
		this.#models = state(host.catalog.checkpoints);
		this.#cifar = state(host.catalog.cifar);
		this.theme = new ThemeColors(host.element, host.catalog.colors);
	}
	get request() {
		return {
			checkpoint: this.checkpoint,
			images: this.images
		};
	}
	draw() {
		this.drawnWidth = this.root?.clientWidth ?? 0;
		if (this.reply && this.drawnWidth) this.drawing = { reply: this.reply };
	}
	showNotice(sentence, isError = false) {
		this.status = sentence ?? DEFAULT_STATUS;
		this.isError = isError;
		if (sentence) this.voice = sentence;
	}
	announceSoon(text, delay) {
		clearTimeout(this.#speaking);
		this.#speaking = setTimeout(() => {
			this.voice = text();
		}, delay);
	}
	showLists({ checkpoints, cifar }) {
		this.models = checkpoints;
		this.cifar = cifar;
	}
	isKnown(name) {
		return this.models.some((model) => model.name === name);
	}
};
// src/internals/internals.ts
function mount(context) {
	const { element } = context;
	mount$1(Internals, {
		target: element.firstElementChild ?? element,
		props: { page: new InternalsPage(hostOf(context)) }
	});
}
export { mount };
