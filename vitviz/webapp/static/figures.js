import { flushSync, mount, tick, unmount } from "./packages.js";
import { ThemeColors, __vitePreload, tileOf } from "./shared.js";
import { FONT, fontText, metadataOf, outlineOf, pathText, pngFileOf, pngOf, short, transformed } from "./movie.js";
// src/lib/export/svg.ts
var escaped = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
var attributes = (values) => Object.entries(values).filter(([, value]) => value !== void 0 && value !== "").map(([name, value]) => ` ${name}="${typeof value === "number" ? short(value) : escaped(String(value))}"`).join("");
async function svgOf(drawing, metadata) {
	const { width, height, title, description } = drawing;
	const parts = await Promise.all(drawing.primitives.map(elementOf));
	return [
		`<svg xmlns="http://www.w3.org/2000/svg"${attributes({
			width,
			height,
			viewBox: `0 0 ${width} ${height}`
		})} role="img" aria-labelledby="title desc"${attributes({ "font-family": FONT })}>`,
		`<title id="title">${escaped(title)}</title>`,
		`<desc id="desc">${escaped(description)}</desc>`,
		...metadata ? [`<metadata id="vitviz">${escaped(metadata)}</metadata>`] : [],
		`<rect width="${width}" height="${height}" fill="#fff"/>`,
		...parts,
		"</svg>",
		""
	].join("\n");
}
async function elementOf(one) {
	if (one.kind === "image") return imageOf(one);
	if (one.kind === "text") {
		const { text, x, y, size, width, isBold, isItalic, halo } = one;
		const style = {
			"font-size": size,
			"font-weight": isBold ? "bold" : void 0,
			"font-style": isItalic ? "italic" : void 0
		};
		const outline = halo && {
			...paint("stroke", halo.color),
			"stroke-width": halo.width,
			"paint-order": "stroke"
		};
		const length = text.length > 1 ? width : void 0;
		return `<text${attributes({
			x,
			y,
			...style,
			...paint("fill", one.color),
			...outline,
			textLength: length,
			lengthAdjust: length && "spacingAndGlyphs",
			"xml:space": / {2}|^ | $/.test(text) ? "preserve" : void 0
		})}>${escaped(text)}</text>`;
	}
	const line = one.stroke && {
		...paint("stroke", one.stroke),
		"stroke-width": one.strokeWidth,
		"stroke-dasharray": one.dash?.map(short).join(" "),
		"stroke-linecap": one.isRound ? "round" : void 0,
		"stroke-linejoin": one.isRound ? "round" : void 0
	};
	const look = attributes({
		...one.fill ? paint("fill", one.fill) : { fill: "none" },
		...line
	});
	if (one.kind === "path") return `<path d="${pathText(one.segments)}"${look}/>`;
	if (one.radius) return `<path d="${pathText(outlineOf(one))}"${look}/>`;
	return `<rect${attributes({
		x: one.x,
		y: one.y,
		width: one.width,
		height: one.height
	})}${look}/>`;
}
function paint(name, [red, green, blue, opacity]) {
	const hex = [
		red,
		green,
		blue
	].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("");
	return {
		[name]: `#${hex}`,
		[`${name}-opacity`]: opacity < 1 ? opacity : void 0
	};
}
async function imageOf({ x, y, width, height, pixels, isPixelated, opacity, name }) {
	const style = isPixelated ? "image-rendering: pixelated" : void 0;
	const href = `data:image/png;base64,${base64(await pngOf(pixels))}`;
	return `<image${attributes({
		id: name,
		x,
		y,
		width,
		height,
		opacity: opacity < 1 ? opacity : void 0,
		preserveAspectRatio: "none",
		style
	})} href="${href}"/>`;
}
function base64(bytes) {
	let text = "";
	for (const byte of bytes) text += String.fromCharCode(byte);
	return btoa(text);
}
// src/lib/export/files.ts
async function fileOf(drawing, format, provenance) {
	if (format === "png") return pngFileOf(drawing, provenance);
	const metadata = await metadataOf(provenance, drawing, ({ pixels }) => pixels);
	if (format === "svg") return new Blob([await svgOf(drawing, metadata)], { type: "image/svg+xml" });
	const [{ pdfOf }, { rasterize }] = await Promise.all([__vitePreload(() => import("./pdf.js"), [], import.meta.url), __vitePreload(() => import("./glyph.js"), [], import.meta.url)]);
	return new Blob([await pdfOf(drawing, metadata, rasterize)], { type: "application/pdf" });
}
var fileName = (words, ending) => `${words.filter(Boolean).join(" ").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, MAX_NAME).replace(/^-|-$/g, "")}.${ending}`;
var MAX_NAME = 180;
// src/lib/base.css?inline
var base_default = "/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick.\n   Colors are Gradio's own variables, so that theme and dark mode apply. */\n\n.vitviz {\n  --math: \"STIX Two Text\", \"Cambria\", \"Iowan Old Style\", Georgia, \"Liberation Serif\", serif;\n  --control-line: #868d97;\n  --tile-line: rgba(20, 24, 30, .13);\n  --grid-line: rgba(20, 24, 30, .10);\n  --warn: #9a4a00;\n  --quiet: var(--body-text-color-subdued);\n  --fill: var(--background-fill-secondary);\n  --hairline: var(--border-color-primary);\n  --ink: var(--body-text-color);\n  --page: var(--body-background-fill);\n  color: var(--ink);\n  font: 400 15px/1.47 var(--font);\n  font-variant-numeric: tabular-nums;\n  -webkit-font-smoothing: antialiased;\n}\n.dark & .vitviz {\n  --control-line: #717985;\n  --tile-line: rgba(235, 240, 250, .16);\n  --grid-line: rgba(235, 240, 250, .09);\n  --warn: #f0a860;\n}\n\n*, *::before, *::after { box-sizing: border-box; }\n[hidden] { display: none !important; }\nh1, h2, h3, p, ol, figure { margin: 0; padding: 0; color: inherit; }\nh1, .headline { font-size: 22px; line-height: 1.27; font-weight: 600; letter-spacing: -.012em; text-wrap: balance; overflow-wrap: anywhere; white-space: normal; }\nh2 { font-size: 15px; line-height: 20px; font-weight: 600; }\nbutton, select, input { font: inherit; color: inherit; }\ncanvas, img, svg { display: block; }\ncanvas { image-rendering: pixelated; }\n:focus { outline: none; }\n:focus-visible { outline: 2px solid var(--color-accent); outline-offset: 2px; border-radius: 3px; }\n.voice, .spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }\nkbd { padding: 0 4px; border: 1px solid var(--hairline); border-radius: 3px; font: inherit; background: none; color: inherit; }\n\n.model, .model label { display: flex; align-items: center; gap: 8px; min-width: 0; font-size: 13px; }\n.model label span { color: var(--quiet); }\n.printed { display: none; }\n.status { min-height: 22px; color: var(--quiet); overflow-wrap: anywhere; }\n.status b { color: var(--ink); font-weight: 600; }\n.status.error { color: var(--warn); }\n\n.button {\n  height: 32px; padding: 0 12px; border: 1px solid var(--control-line); border-radius: 6px;\n  background: transparent; font-size: 13px; line-height: 18px; white-space: nowrap; cursor: pointer;\n  transition: background 120ms, border-color 120ms;\n}\n.button:hover { background-color: var(--fill); border-color: var(--quiet); }\n.button:disabled { opacity: .45; cursor: default; }\n.button.plain { height: 32px; margin: 0 -8px 0 0; padding: 0 8px; border-color: transparent; color: var(--color-accent); }\n.button.plain:hover { background: var(--color-accent-soft); }\n.button.primary { border-color: var(--color-accent); background: var(--color-accent); color: var(--button-primary-text-color); font-weight: 600; }\n.button.primary:hover:not(:disabled) { background: var(--button-primary-background-fill-hover); }\nselect.button { padding: 0 8px; appearance: auto; background: var(--page); }\n\n.choice { display: inline-flex; align-items: center; gap: 8px; min-width: 0; }\n.choice .name { font-size: 13px; color: var(--quiet); white-space: nowrap; }\n.options { display: inline-flex; height: 32px; border: 1px solid var(--control-line); border-radius: 6px; }\n.options label { position: relative; display: flex; cursor: pointer; }\n.options label + label { border-left: 1px solid var(--hairline); }\n.options input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }\n.options span { display: flex; align-items: center; justify-content: center; padding: 0 10px; border-radius: 5px; font-size: 13px; white-space: nowrap; transition: background 120ms; }\n.options label:hover span { background: var(--fill); }\n.options input:checked + span { z-index: 1; background: var(--color-accent-soft); color: var(--color-accent); font-weight: 600; box-shadow: 0 0 0 1px var(--color-accent); }\n.options input:focus-visible + span { outline: 2px solid var(--color-accent); outline-offset: 3px; }\n\nsvg { overflow: visible; }\nsvg text { font-family: inherit; font-size: 12px; fill: var(--quiet); }\nsvg .halo { fill: var(--ink); stroke: var(--page); stroke-width: 4px; paint-order: stroke; }\nsvg .grid { stroke: var(--hairline); }\nsvg .curve { fill: none; stroke-width: 2; }\nsvg .ink { stroke: var(--ink); }\nsvg .data { stroke: var(--data); }\n\n/* Thumbnails, class names and bars, the footer. */\n.thumb img { width: 100%; height: 100%; image-rendering: pixelated; }\n.class-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }\n.track { position: relative; height: 6px; background: var(--hairline); }\n.fill { position: absolute; inset: 0 auto 0 0; background: var(--quiet); }\n.foot { display: flex; flex-wrap: wrap; gap: 4px 24px; padding-top: 8px; border-top: 1px solid var(--hairline); font-size: 12px; line-height: 18px; color: var(--quiet); }\n\n/* Progress, and a dataset to download. */\n.absent { margin-top: 12px; padding: 10px 12px; border: 1px dashed var(--control-line); border-radius: 6px; font-size: 13px; line-height: 18px; }\n.absent .sentence { margin-bottom: 8px; color: var(--quiet); overflow-wrap: anywhere; }\n.absent.failed .sentence { color: var(--warn); }\n.downloading { margin-bottom: 8px; font-size: 12px; color: var(--quiet); }\n.progress { height: 4px; background: var(--hairline); }\n.progress i { display: block; height: 100%; background: var(--color-accent); }\n\n/* A color scale with its labels. */\n.scale canvas { width: 100%; height: 8px; box-shadow: 0 0 0 1px var(--tile-line); }\n.scale div { display: flex; justify-content: space-between; gap: 8px; margin-top: 4px; font-size: 12px; line-height: 16px; color: var(--quiet); }\n\n@media (max-width: 639px) {\n  h1, .headline { font-size: 19px; line-height: 25px; }\n  .button { height: 36px; }\n  .options { height: 40px; }\n}\n@media (prefers-reduced-motion: reduce) {\n  *, *::before, *::after { transition: none !important; animation: none !important; }\n}\n\n/* High contrast removes backgrounds and shadows: selected options get an outline, and data keep their colors. */\n@media (forced-colors: active) {\n  :is([aria-selected=true], [aria-pressed=true], [aria-checked=true], input:checked + span, .preset:has(input:checked)) { outline: 2px solid Highlight; outline-offset: 1px; }\n  .mark { outline: 2px solid CanvasText; }\n  :is(.track, .fill, .random, .before, .progress, .progress i, .patch-grid, .key span) { forced-color-adjust: none; }\n}\n\n/* Help at a term. */\n.help { display: inline-grid; place-items: center; width: 16px; height: 16px; margin-left: 5px; padding: 0; border: 1px solid var(--control-line); border-radius: 50%; background: none; color: var(--quiet); font-size: 11px; line-height: 1; vertical-align: 1px; cursor: help; position: relative; }\n.help::after { content: \"\"; position: absolute; inset: -5px; } /* a larger target */\n.help:hover, .help:has(+ :popover-open) { border-color: var(--color-accent); color: var(--color-accent); }\n.help-text { position: fixed; inset: auto; width: max-content; max-width: min(340px, 100vw - 16px); margin: 0; padding: 10px 14px; border: 1px solid var(--control-line); border-radius: 8px; background: var(--page); color: var(--ink); font-size: 13px; line-height: 19px; white-space: normal; box-shadow: 0 6px 24px rgba(0, 0, 0, .18); }\n";
// src/lib/light.css?inline
var light_default = "/* The light theme of the page, where Gradio does not provide it. Nested under the root. */\n\n& {\n  --body-background-fill: #ffffff;\n  --background-fill-secondary: #f5f6f7;\n  --border-color-primary: #dfe2e6;\n  --body-text-color: #1a1d21;\n  --body-text-color-subdued: #59606a;\n  --color-accent: #0b5cad;\n  --color-accent-soft: #e7f0fa;\n  --button-primary-text-color: #ffffff;\n  --button-primary-background-fill-hover: #094a8b;\n}\n";
// src/lib/matrix.css?inline
var matrix_default = "/* Gradio scopes these rules to the component and reads them as a template: no backslash, no backtick. */\n\n.vitviz {\n  --largest-tile: 56px;\n  --smallest-tile: 24px;\n  --thumbnail: 14px;\n  --names: 40px;\n  --gap: 4px;\n  --mean-gap: 10px;\n  --rows: 8;\n  --columns: 8;\n  --aspect: 1; /* of the image, width by height */\n  --heads: 6;\n}\n\n.matrix-box { position: relative; }\n.has-more::after {\n  content: \"›\"; position: absolute; z-index: 4; top: 0; right: -7px; bottom: 0; width: 40px; display: grid; place-items: center end; padding-right: 8px;\n  background: linear-gradient(to right, transparent, var(--page) 70%); color: var(--ink); font-size: 28px; pointer-events: none;\n}\n.matrix-preview {\n  --side: max(168px, 2.4 * var(--largest-tile));\n  position: absolute; z-index: 6; display: grid; padding: 8px; border-radius: 6px; background: var(--page); pointer-events: none;\n  box-shadow: 0 0 0 1px var(--control-line), 0 4px 16px rgba(0, 0, 0, .28); font-size: 13px; line-height: 18px; white-space: nowrap;\n  transition: opacity 90ms linear 160ms;\n}\n@starting-style { .matrix-preview { opacity: 0; } }\n.matrix-preview canvas { width: calc(var(--side) * min(1, var(--aspect))); aspect-ratio: var(--aspect); margin-bottom: 6px; }\n.matrix-preview b { font-weight: 600; }\n.matrix-preview span { font-size: 12px; color: var(--quiet); }\n\n/* Matrix. Tiles are a whole number of pixels per patch, so that edges stay sharp; those of many heads or patches shrink\n   below that to fit, down to a thumbnail that the preview enlarges. */\n.matrix-frame { position: relative; margin: -7px -7px -7px -12px; padding: 7px 7px 7px 12px; overflow-x: auto; }\n.matrix {\n  --space: min(var(--gap), max(2px, (16 - var(--heads)) * 1px));\n  --patch-step: calc(max(var(--columns), var(--rows) * var(--aspect)) * 1px);\n  --room: calc((100cqw - var(--names) - var(--mean-gap) + var(--space)) / (var(--heads) + 1) - var(--space));\n  --whole: round(down, min(var(--largest-tile), var(--room)), var(--patch-step));\n  --tile: max(var(--whole), min(round(up, var(--smallest-tile), var(--patch-step)), max(var(--thumbnail), round(down, var(--room), 1px))));\n  --tile-height: calc(var(--tile) / var(--aspect));\n  display: grid; gap: var(--space); width: max-content;\n  grid-template-columns: var(--names) repeat(var(--heads), var(--tile)) calc(var(--tile) + var(--mean-gap) - var(--space));\n}\n.matrix-row { display: contents; }\n.label { display: grid; place-items: center; min-height: 18px; font-size: 12px; line-height: 1; white-space: nowrap; color: var(--quiet); }\n.label[role=rowheader] { min-height: 0; } /* rows are as close as their maps */\n.label[role=columnheader]:not(.mean) { font-size: clamp(9px, .7 * var(--tile), 12px); }\n.label.on { color: var(--color-accent); font-weight: 600; }\n.label.corner, .label[role=rowheader] { justify-content: end; padding-right: 6px; position: sticky; z-index: 3; left: 0; background: var(--page); }\n.label.mean[role=columnheader] { padding-left: calc(var(--mean-gap) - var(--space)); }\n.mean-row > * { margin-top: calc(var(--mean-gap) - var(--space)); }\n.cell { position: relative; width: var(--tile); height: var(--tile-height); padding: 0; border: 0; background: var(--fill); box-shadow: 0 0 0 1px var(--tile-line); cursor: pointer; }\n.cell.mean { margin-left: calc(var(--mean-gap) - var(--space)); }\n.cell canvas { width: 100%; height: 100%; }\n.many-patches canvas { image-rendering: auto; } /* a tile may have fewer pixels than patches */\n.cell:hover { box-shadow: 0 0 0 1.5px var(--ink); }\n.cell[aria-selected=true] { z-index: 1; box-shadow: 0 0 0 1px var(--page), 0 0 0 3px var(--color-accent); }\n.cell:focus-visible { z-index: 2; outline-offset: 4px; border-radius: 1px; }\n\n/* The patch grid over an image. */\n.patch-grid {\n  position: absolute; inset: 0; --across: calc(100% / var(--columns)); --down: calc(100% / var(--rows)); pointer-events: none; box-shadow: inset 0 0 0 1px var(--tile-line);\n  background:\n    repeating-linear-gradient(to right, var(--grid-line) 0 1px, transparent 1px var(--across)),\n    repeating-linear-gradient(to bottom, var(--grid-line) 0 1px, transparent 1px var(--down));\n}\n";
// src/lib/print.css?inline
var print_default = "/* A clean sheet on paper: the data in their colors, without controls. Charts are laid out for the screen by scripts, so\n   the pages are scaled down (page.css) and keep the columns of a wide screen. */\n@media print {\n  *, *::before, *::after { -webkit-print-color-adjust: exact; print-color-adjust: exact; transition: none !important; }\n  .model label, .intro, .on-request, .effect label, .take, .actions, .controls, .picker, .button, .outline-slider, .jump, .tip, .keys, .contrast, .saving, .choice, .row-actions, .setup, .time input, .time .of, .probes .thumb, .mark.read, .help, .hint, .on-screen, .foot :has(kbd) { display: none !important; }\n  .printed { display: block; }\n  .lead, .status, .summary { min-height: 0; }\n  .column, .methods, .method, figure, .findings, .matrix-frame, tr, .prediction { break-inside: avoid; }\n  h1, h2 { break-after: avoid; }\n  .matrix-frame, .wide { overflow: visible; }\n\n  .vitviz-explorer { --image: 256px; --map: 336px; --matrix: 466px; padding: 0 8px; }\n  .columns { grid-template-columns: var(--image) var(--map) minmax(0, 1fr); }\n  .columns .matrix-column { grid-column: auto; }\n  .columns .prediction-column { grid-column: 1 / -1; }\n  .predictions { grid-template-columns: repeat(5, minmax(0, 1fr)); gap: 14px 20px; }\n  .findings .predictions { grid-template-columns: minmax(0, 1fr); gap: 6px; }\n\n  .halves { grid-template-columns: minmax(0, 1fr); }\n  .live { grid-template-columns: 168px 356px minmax(0, 1fr); gap: 36px; }\n  .large { grid-template-columns: minmax(0, 1fr); }\n  .probe-image, .stage.map, .large .map { max-width: 100%; }\n  .findings { grid-column: auto; }\n  .forming { grid-template-columns: repeat(2, minmax(0, 1fr)); }\n\n  .vitviz-internals .probes { grid-template-columns: repeat(auto-fit, minmax(500px, 1fr)); gap: 32px 40px; }\n  .vitviz-internals figure:last-child { display: block; grid-column: auto; }\n}\n";
// src/lib/export/figure.css?inline
var figure_default = "/* What a figure on a sheet has in addition to the page's styles for paper. Nested under the root. */\n\n.figure {\n  --font: Helvetica, Arial, \"Liberation Sans\", sans-serif; --math: var(--font); --unit: 1px;\n  width: fit-content; min-width: 320px; max-width: 1120px; padding: 24px; background: #fff; color-scheme: light;\n}\n.figure * { letter-spacing: 0 !important; text-overflow: clip !important; }\n.figure :is(button, summary) { font: inherit; color: inherit; }\n.figure .headline { min-height: 0; margin-bottom: 14px; font-size: 20px; line-height: 25px; }\n:where(.figure button) { background: none; }\n.figure .caption { margin-top: 16px; padding-top: 10px; border-top: 1px solid var(--hairline); font-size: 12px; line-height: 17px; color: var(--quiet); }\n.figure .address { margin-top: 3px; font-size: 11px; line-height: 15px; color: var(--quiet); overflow-wrap: anywhere; }\n.figure :is(.voice, .spoken, .help-text, .matrix-preview, .layer-select) { display: none; }\n";
// src/lib/export/media.ts
var WIDTH = 1120;
var SIZE = /\((min|max)-width:\s*([\d.]+)px\)/;
function holds(query) {
	return query.split(/\s+and\s+/).every((part) => {
		const [, bound, size] = part.match(SIZE) ?? [];
		if (bound) return bound === "min" ? WIDTH >= Number(size) : WIDTH <= Number(size);
		return part.trim() === "print";
	});
}
var onPaper = (css) => css.replace(/@media([^{]+)\{/g, (_, query) => `@media ${holds(query.trim()) ? "all" : "not all"} {`);
// src/lib/export/css.ts
function colorOf(text, opacity = 1) {
	const [, space, content] = text.match(/^(rgba?|color)\(([^)]*)\)/) ?? [];
	if (!space) return null;
	const numbers = (content.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number);
	const [red, green, blue] = numbers.map((one) => space === "color" ? 255 * one : one);
	const alpha = (numbers[3] ?? 1) * opacity;
	return alpha > 0 ? [
		red,
		green,
		blue,
		alpha
	] : null;
}
function listOf(text) {
	const parts = [""];
	let depth = 0;
	for (const letter of text) {
		if (letter === "(") depth++;
		else if (letter === ")") depth--;
		if (letter === "," && depth === 0) parts.push("");
		else parts[parts.length - 1] += letter;
	}
	return parts.map((part) => part.trim());
}
function ringsOf(text, opacity = 1) {
	if (text === "none") return [];
	return listOf(text).flatMap((shadow) => {
		const [x, y, blur, spread] = (shadow.match(/-?[\d.]+px/g) ?? []).map(Number.parseFloat);
		const color = colorOf(shadow.replace(/^inset /, ""), opacity);
		return color && spread > 0 && !x && !y && !blur ? [{
			color,
			spread,
			isInset: shadow.includes("inset")
		}] : [];
	});
}
function bandsOf(gradient, box, opacity = 1) {
	const [, repeats, content] = gradient.match(/^(repeating-)?linear-gradient\((.*)\)$/s) ?? [];
	if (content === void 0) return [];
	const parts = listOf(content);
	const hasDirection = /^(to |-?[\d.]+deg)/.test(parts[0]);
	const [dx, dy] = directionOf(hasDirection ? parts[0] : "", box);
	const length = Math.abs(box.width * dx) + Math.abs(box.height * dy);
	const stops = stopsOf(hasDirection ? parts.slice(1) : parts, length, opacity);
	const period = repeats ? stops[stops.length - 1].at : 0;
	const found = new Map();
	for (let start = 0; start === 0 || period > 0 && start < length; start += period || length) for (let i = 0; i + 1 < stops.length; i++) {
		const { color, at } = stops[i];
		if (!color || String(color) !== String(stops[i + 1].color)) continue;
		const polygon = strip(box, dx, dy, start + at - length / 2, start + stops[i + 1].at - length / 2);
		if (!polygon.length) continue;
		const bands = found.get(String(color)) ?? {
			color,
			segments: []
		};
		found.set(String(color), bands);
		bands.segments.push(...polygon.map(([x, y], k) => [
			k ? "L" : "M",
			x,
			y
		]), ["Z"]);
	}
	return [...found.values()];
}
function directionOf(text, { width, height }) {
	if (text.endsWith("deg")) {
		const angle = Number.parseFloat(text) * Math.PI / 180;
		return [Math.sin(angle), -Math.cos(angle)];
	}
	const across = Number(text.includes("right")) - Number(text.includes("left"));
	const down = text ? Number(text.includes("bottom")) - Number(text.includes("top")) : 1;
	if (!across || !down) return [across, down];
	const diagonal = Math.hypot(width, height);
	return [across * height / diagonal, down * width / diagonal];
}
function stopsOf(parts, length, opacity) {
	let last = 0;
	return parts.flatMap((part, i) => {
		const [, color, places] = part.match(/^(\w+\([^)]*\))\s*(.*)$/s) ?? [
			"",
			part,
			""
		];
		return (places.match(/calc\([^)]*\)|[^\s]+/g) ?? [i ? "100%" : "0px"]).map((place) => {
			last = Math.max(last, lengthOf(place, length));
			return {
				color: colorOf(color, opacity),
				at: last
			};
		});
	});
}
function lengthOf(text, whole) {
	return (text.match(/[+-]?\s*[\d.]+(px|%)/g) ?? []).reduce((sum, part) => {
		const value = Number.parseFloat(part.replace(/\s/g, ""));
		return sum + (part.endsWith("%") ? value * whole / 100 : value);
	}, 0);
}
function strip({ x, y, width, height }, dx, dy, low, high) {
	const place = ([left, top]) => (left - x - width / 2) * dx + (top - y - height / 2) * dy;
	return clip(clip([
		[x, y],
		[x + width, y],
		[x + width, y + height],
		[x, y + height]
	], (point) => place(point) - low), (point) => high - place(point));
}
function clip(polygon, value) {
	return polygon.flatMap((point, i) => {
		const next = polygon[(i + 1) % polygon.length];
		const [here, there] = [value(point), value(next)];
		const inside = here >= 0 ? [point] : [];
		if (here >= 0 === there >= 0) return inside;
		const part = here / (here - there);
		return [...inside, [point[0] + part * (next[0] - point[0]), point[1] + part * (next[1] - point[1])]];
	});
}
function segmentsOf(d) {
	const found = [];
	let [x, y] = [0, 0];
	for (const [, letter, rest] of d.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
		const numbers = (rest.match(/-?[\d.]+/g) ?? []).map(Number);
		if (letter === "Z" || letter === "z") found.push(["Z"]);
		else if (letter === "M" || letter === "L") for (let i = 0; i < numbers.length; i += 2) {
			[x, y] = [numbers[i], numbers[i + 1]];
			found.push([
				letter === "M" && i === 0 ? "M" : "L",
				x,
				y
			]);
		}
		else if (letter === "H" || letter === "V") {
			if (letter === "H") x = numbers[0];
			else y = numbers[0];
			found.push([
				"L",
				x,
				y
			]);
		} else throw new Error(`path command ${letter}`);
	}
	return found;
}
// src/lib/export/shapes.ts
function drawShape(pen, element, style) {
	if (element instanceof SVGTextElement) drawSvgText(pen, element, style);
	const matrix = element instanceof SVGGeometryElement ? element.getScreenCTM() : null;
	if (!(element instanceof SVGGeometryElement) || !matrix) return;
	const scale = style.vectorEffect !== "non-scaling-stroke" ? Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c)) : 1;
	const x = (px, py) => matrix.a * px + matrix.c * py + matrix.e - pen.left;
	const y = (py, px) => matrix.b * px + matrix.d * py + matrix.f - pen.top;
	const segments = shapeOf(element).map((segment) => transformed(segment, x, y));
	const fill = element instanceof SVGLineElement ? null : colorOf(style.fill, pen.opacity * Number(style.fillOpacity));
	const stroke = colorOf(style.stroke, pen.opacity * Number(style.strokeOpacity));
	const dash = (style.strokeDasharray.match(/[\d.]+/g) ?? []).map((part) => scale * Number(part));
	const line = stroke && {
		stroke,
		strokeWidth: scale * Number.parseFloat(style.strokeWidth),
		...dash.length && { dash },
		isRound: style.strokeLinecap === "round"
	};
	if (segments.length && (fill || line)) pen.add({
		kind: "path",
		segments,
		...fill && { fill },
		...line
	});
}
function shapeOf(element) {
	const number = (name) => Number(element.getAttribute(name) ?? 0);
	if (element instanceof SVGRectElement) return outlineOf({
		x: number("x"),
		y: number("y"),
		width: number("width"),
		height: number("height")
	});
	if (element instanceof SVGCircleElement) {
		const r = number("r");
		return outlineOf({
			x: number("cx") - r,
			y: number("cy") - r,
			width: 2 * r,
			height: 2 * r,
			radius: r
		});
	}
	if (element instanceof SVGLineElement) return [[
		"M",
		number("x1"),
		number("y1")
	], [
		"L",
		number("x2"),
		number("y2")
	]];
	if (element instanceof SVGPolylineElement || element instanceof SVGPolygonElement) {
		const points = [...element.points].map(({ x, y }, i) => [
			i ? "L" : "M",
			x,
			y
		]);
		return element instanceof SVGPolygonElement ? [...points, ["Z"]] : points;
	}
	return segmentsOf(element.getAttribute("d") ?? "");
}
function drawSvgText(pen, element, style) {
	const text = (element.textContent ?? "").trim();
	const color = colorOf(style.fill, pen.opacity);
	const matrix = element.getScreenCTM();
	if (!text || !color || !matrix) return;
	const start = element.getStartPositionOfChar(0);
	const stroke = colorOf(style.stroke, pen.opacity);
	pen.add({
		kind: "text",
		text,
		x: matrix.a * start.x + matrix.e - pen.left,
		y: matrix.d * start.y + matrix.f - pen.top,
		width: matrix.a * element.getComputedTextLength(),
		size: matrix.d * Number.parseFloat(style.fontSize),
		color,
		isBold: Number(style.fontWeight) >= 600,
		isItalic: style.fontStyle !== "normal",
		...stroke && { halo: {
			color: stroke,
			width: matrix.a * Number.parseFloat(style.strokeWidth)
		} }
	});
}
// src/lib/export/walk.ts
function walk(root, title, description) {
	const { left, top, width, height } = root.getBoundingClientRect();
	const found = [];
	function visit(element, outerZ, outerOpacity) {
		const style = getComputedStyle(element);
		if (style.display === "none" || style.clipPath !== "none") return;
		const opacity = outerOpacity * Number(style.opacity);
		const z = Math.max(outerZ, Number.parseInt(style.zIndex, 10) || 0);
		const pen = {
			left,
			top,
			opacity,
			add: (one) => found.push({
				z,
				one
			})
		};
		const isVisible = style.visibility === "visible";
		if (isVisible && element instanceof SVGElement) drawShape(pen, element, style);
		else if (isVisible && style.display !== "contents") drawElement(pen, element, style);
		if (element instanceof SVGTextElement) return;
		for (const child of element.childNodes) if (child instanceof Element) visit(child, z, opacity);
		else if (child instanceof Text && isVisible && !(element instanceof SVGElement)) drawText(pen, child, style);
	}
	visit(root, 0, 1);
	const primitives = found.sort((one, other) => one.z - other.z).map(({ one }) => one);
	return {
		width: Math.ceil(width),
		height: Math.ceil(height),
		primitives,
		title,
		description
	};
}
function drawElement(pen, element, style) {
	for (const box of element.getClientRects()) drawBox(pen, place(pen, box), style);
	if (element instanceof HTMLCanvasElement || element instanceof HTMLImageElement) drawImage(pen, element, style);
}
var place = ({ left, top }, box) => ({
	x: box.left - left,
	y: box.top - top,
	width: box.width,
	height: box.height
});
var larger = ({ x, y, width, height }, by) => ({
	x: x - by,
	y: y - by,
	width: width + 2 * by,
	height: height + 2 * by
});
function drawBox(pen, box, style) {
	const { opacity, add } = pen;
	const radius = style.borderTopLeftRadius.endsWith("%") ? box.width / 2 : Number.parseFloat(style.borderTopLeftRadius);
	const rings = ringsOf(style.boxShadow, opacity).reverse();
	const drawRing = ({ color, spread, isInset }) => add({
		kind: "rect",
		...larger(box, isInset ? -spread / 2 : spread / 2),
		stroke: color,
		strokeWidth: spread,
		radius
	});
	for (const ring of rings) if (!ring.isInset) drawRing(ring);
	const fill = colorOf(style.backgroundColor, opacity);
	if (fill && box.width && box.height) add({
		kind: "rect",
		...box,
		fill,
		radius
	});
	for (const gradient of listOf(style.backgroundImage).reverse()) for (const { color, segments } of bandsOf(gradient, box, opacity)) add({
		kind: "path",
		segments,
		fill: color
	});
	for (const ring of rings) if (ring.isInset) drawRing(ring);
	drawBorders(pen, box, style, radius);
}
var SIDES = [
	"Top",
	"Right",
	"Bottom",
	"Left"
];
function drawBorders({ opacity, add }, box, style, radius) {
	const borders = SIDES.map((side) => ({
		side,
		width: style[`border${side}Style`] === "none" ? 0 : Number.parseFloat(style[`border${side}Width`]),
		color: colorOf(style[`border${side}Color`], opacity),
		line: style[`border${side}Style`]
	})).filter(({ width, color }) => width > 0 && color);
	const [first] = borders;
	if (borders.length === 4 && borders.every(({ width, color }) => width === first.width && String(color) === String(first.color)) && first.color && first.line === "solid") return add({
		kind: "rect",
		...larger(box, -first.width / 2),
		stroke: first.color,
		strokeWidth: first.width,
		radius
	});
	for (const { side, width, color, line } of borders) {
		const half = width / 2;
		const [right, bottom] = [box.x + box.width, box.y + box.height];
		const [x1, y1, x2, y2] = {
			Top: [
				box.x,
				box.y + half,
				right,
				box.y + half
			],
			Right: [
				right - half,
				box.y,
				right - half,
				bottom
			],
			Bottom: [
				box.x,
				bottom - half,
				right,
				bottom - half
			],
			Left: [
				box.x + half,
				box.y,
				box.x + half,
				bottom
			]
		}[side];
		const dash = line === "dashed" ? [2 * width, 2 * width] : line === "dotted" ? [width, 2 * width] : void 0;
		if (color) add({
			kind: "path",
			segments: [[
				"M",
				x1,
				y1
			], [
				"L",
				x2,
				y2
			]],
			stroke: color,
			strokeWidth: width,
			dash
		});
	}
}
function drawImage(pen, element, style) {
	const pixels = pixelsOf(element);
	const box = place(pen, element.getBoundingClientRect());
	if (!pixels || !box.width) return;
	const name = element.dataset.panel ?? "";
	const panel = element instanceof HTMLCanvasElement ? panelOf(element, name) : void 0;
	const isPixelated = style.imageRendering === "pixelated";
	pen.add({
		kind: "image",
		...box,
		pixels,
		isPixelated,
		opacity: pen.opacity,
		name,
		...panel && { panel }
	});
}
function panelOf(canvas, name) {
	const painted = name ? tileOf(canvas)?.painted : void 0;
	if (!painted) return void 0;
	const { values, first, scale, table } = painted;
	const count = canvas.width * canvas.height;
	return {
		name,
		scale,
		table,
		values: Array.from({ length: count }, (_, i) => values[first + i])
	};
}
function pixelsOf(element) {
	const isCanvas = element instanceof HTMLCanvasElement;
	const [width, height] = isCanvas ? [element.width, element.height] : [element.naturalWidth, element.naturalHeight];
	if (!width || !height) return null;
	const canvas = isCanvas ? element : document.createElement("canvas");
	const context = canvas.getContext("2d");
	if (!isCanvas) {
		Object.assign(canvas, {
			width,
			height
		});
		context?.drawImage(element, 0, 0);
	}
	return context?.getImageData(0, 0, width, height) ?? null;
}
function drawText(pen, node, style) {
	const color = colorOf(style.color, pen.opacity);
	if (!color || !/[^ \t\n\r]/.test(node.data)) return;
	const size = Number.parseFloat(style.fontSize);
	const [isBold, isItalic] = [Number(style.fontWeight) >= 600, style.fontStyle !== "normal"];
	for (const { text, box } of linesOf(node)) {
		const { x, y, width, height } = place(pen, box);
		const { ascent, descent } = metricsOf(fontText({
			size,
			isBold,
			isItalic
		}));
		const baseline = y + (height - ascent - descent) / 2 + ascent;
		pen.add({
			kind: "text",
			text,
			x,
			y: baseline,
			width,
			size,
			color,
			isBold,
			isItalic
		});
	}
}
function linesOf(node) {
	const range = document.createRange();
	const found = [];
	let to = 0;
	for (const character of node.data) {
		const from = to;
		to += character.length;
		if (/[ \t\n\r]/.test(character)) continue;
		range.setStart(node, from);
		range.setEnd(node, to);
		const box = [...range.getClientRects()].find(({ width }) => width > 0);
		const line = found[found.length - 1];
		if (line && (!box || Math.abs(box.bottom - line.box.bottom) < box.height / 2)) Object.assign(line, {
			to,
			box: box ? union(line.box, box) : line.box
		});
		else if (box) found.push({
			from,
			to,
			box
		});
	}
	return found.map(({ from, to, box }) => ({
		text: node.data.slice(from, to).replace(/[ \t\n\r]+/g, " "),
		box
	}));
}
function union(one, other) {
	const left = Math.min(one.left, other.left);
	return new DOMRect(left, one.top, Math.max(one.right, other.right) - left, one.height);
}
var measuring = null;
var measured = new Map();
function metricsOf(font) {
	const known = measured.get(font);
	if (known) return known;
	measuring ??= document.createElement("canvas").getContext("2d");
	if (!measuring) throw new Error("the browser has no 2d canvas");
	measuring.font = font;
	const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = measuring.measureText("x");
	measured.set(font, {
		ascent,
		descent
	});
	return {
		ascent,
		descent
	};
}
// src/lib/export/sheet.ts
var SHEET = "vitviz-sheet";
function layOut(component, props, styles) {
	const host = document.createElement("div");
	host.style.cssText = "position: fixed; top: 0; left: 0; width: 0; height: 0; overflow: clip;";
	host.inert = true;
	const root = host.attachShadow({ mode: "open" });
	const style = document.createElement("style");
	style.textContent = onPaper(`.${SHEET} { ${[
		light_default,
		base_default,
		matrix_default,
		...styles,
		print_default,
		figure_default
	].join("\n")} }`);
	const target = document.createElement("div");
	target.className = SHEET;
	target.style.width = `${WIDTH}px`;
	root.append(style, target);
	document.body.append(host);
	const mounted = mount(component, {
		target,
		props
	});
	flushSync();
	return {
		async draw(title, description) {
			await settle(target);
			return walk(target.firstElementChild, title, description);
		},
		close() {
			unmount(mounted);
			host.remove();
		}
	};
}
async function settle(target) {
	flushSync();
	await tick();
	await new Promise(requestAnimationFrame);
	await new Promise(requestAnimationFrame);
	flushSync();
	for (const own of target.querySelectorAll("style")) own.textContent = onPaper(own.textContent ?? "");
	await Promise.all([...target.querySelectorAll("img")].map((image) => image.decode().catch(() => {})));
}
// src/lib/export/shown.ts
var overriding = (target, values) => new Proxy(target, {
	get: (_, name) => name in values ? values[name] : Reflect.get(target, name),
	set: () => true
});
var lightColors = (colors) => new ThemeColors(document.createElement("div"), colors);
export { fileName, fileOf, layOut, lightColors, overriding };
