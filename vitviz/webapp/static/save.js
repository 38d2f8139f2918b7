import { append, attach, autofocus, bind_this, child, clsx, comment, delegate, delegated, each, first_child, flushSync, from_html, get, if_block, key, mount, next, noop, only_child, pop, prop, push, remove_input_defaults, reset, set, set_attribute, set_checked, set_class, set_text, set_value, sibling, state, template_effect, user_derived } from "./packages.js";
import { ENCODING_FAILED, NO_ENCODER, blobOf, canEncodeVideo, copyToClipboard, isRefusal, mebibytes, mp4Of, reasonOf, requestAblated, saveBlob, showNotice, shownView, writeAddress } from "./shared.js";
// src/explore/save/options.ts
var PANEL = [
	"png",
	"svg",
	"pdf",
	"npz",
	"csv"
];
var FIGURE = [
	"png",
	"svg",
	"pdf"
];
var ANIMATION = ["gif", "mp4"];
var CONTENTS = [
	{
		key: "view",
		name: "Whole view",
		about: "Image, map, matrix and prediction",
		formats: [
			...FIGURE,
			"npz",
			"csv",
			"html"
		]
	},
	{
		key: "map",
		name: "Map",
		about: "The large map with its color bar",
		formats: FIGURE
	},
	{
		key: "matrix",
		name: "Matrix",
		about: "All layers and heads, with means",
		formats: FIGURE
	},
	{
		key: "methods",
		name: "Methods",
		about: "All attribution maps, with scores",
		formats: [
			...FIGURE,
			"npz",
			"csv"
		]
	},
	{
		key: "sheet",
		name: "Contact sheet",
		about: "All layers and heads in large tiles",
		formats: FIGURE
	},
	{
		key: "layers",
		name: "Animation over layers",
		about: "The head, or mean, layer by layer",
		formats: ANIMATION
	},
	{
		key: "patches",
		name: "Animation over patches",
		about: "Each patch as the query in turn",
		formats: ANIMATION
	}
];
var PANELS = [
	{
		key: "contributions",
		name: "Contributions",
		about: "Image, map, bars that sum to the logit, and heads",
		formats: PANEL
	},
	{
		key: "features",
		name: "Features",
		about: "Image, map and all layers",
		formats: PANEL
	},
	{
		key: "patching",
		name: "Patching",
		about: "Both images, map, heads and MLPs",
		formats: PANEL
	}
];
var ALL = [...CONTENTS, ...PANELS];
var FORMATS = {
	png: {
		name: "PNG",
		about: "300 dpi"
	},
	svg: {
		name: "SVG",
		about: "vector, text stays text"
	},
	pdf: {
		name: "PDF",
		about: "vector, text stays text"
	},
	npz: {
		name: "NPZ",
		about: "NumPy arrays: the large map, the maps of all layers and heads, probabilities, scale limits"
	},
	csv: {
		name: "CSV",
		about: "A table of all values, one a line, for a spreadsheet"
	},
	html: {
		name: "HTML",
		about: "This explorer as one file, opened on this view: works in any browser, without vitviz or a network"
	},
	gif: {
		name: "GIF",
		about: "256 colors"
	},
	mp4: {
		name: "MP4",
		about: "encoded in this browser"
	}
};
var SIZES = [{
	key: "content",
	name: "As content"
}, {
	key: "16:9",
	name: "16:9"
}];
var info = (content) => ALL.find(({ key }) => key === content) ?? CONTENTS[0];
var isFigure = ({ format }) => FIGURE.includes(format);
var isAnimation = ({ content }) => info(content).formats === ANIMATION;
var hasPreview = (choice) => isFigure(choice) || choice.content === "layers";
var describe = ({ content, format }) => content === "patches" ? "One frame per patch, of fine grids every second or third row and column: drawing them takes a while" : format === "npz" && info(content).formats === PANEL ? "NumPy arrays: all numbers of this view" : FORMATS[format].about;
var contentsFor = ({ layers, view, hasMethods }) => view === "attention" ? CONTENTS.filter(({ key }) => (key !== "layers" || layers > 1) && (key !== "methods" || hasMethods)) : PANELS.filter(({ key }) => key === view);
var formatsOf = (content, { encodes }) => info(content).formats.filter((format) => format !== "mp4" || encodes);
var canPrintLink = (choice, { isUpload }) => !isUpload && (isFigure(choice) || isAnimation(choice));
function nearestOffered(choice, abilities) {
	const contents = contentsFor(abilities);
	const content = (contents.find(({ key }) => key === choice.content) ?? contents[0]).key;
	const formats = formatsOf(content, abilities);
	return {
		...choice,
		content,
		format: formats.includes(choice.format) ? choice.format : formats[0]
	};
}
function requestedFormat(format, isPreview = false) {
	if (format === "mp4") return "webp";
	return isPreview && format === "pdf" ? "svg" : format;
}
var KEY = "vitviz-save";
var DEFAULT = {
	content: "view",
	format: "png",
	size: "content",
	link: true
};
function storedChoice() {
	try {
		const { content, format, size, link } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
		return {
			content: ALL.find(({ key }) => key === content)?.key ?? DEFAULT.content,
			format: format !== void 0 && format in FORMATS ? format : DEFAULT.format,
			size: SIZES.find(({ key }) => key === size)?.key ?? DEFAULT.size,
			link: typeof link === "boolean" ? link : DEFAULT.link
		};
	} catch {
		return DEFAULT;
	}
}
function storeChoice(choice) {
	try {
		localStorage.setItem(KEY, JSON.stringify(choice));
	} catch {}
}
// src/explore/save/Preview.svelte
var root$1 = from_html(`<p class="about"> </p>`);
var root_1$1 = from_html(`<canvas aria-hidden="true"></canvas>`);
var root_2$1 = from_html(`<img/>`);
var root_3$1 = from_html(`<figure><div class="sheet"><!> <p class="wait">Drawing…</p></div> <figcaption> </figcaption></figure>`);
function Preview($$anchor, $$props) {
	push($$props, true);
	const choice = user_derived(() => $$props.saving.choice);
	const isDrawing = user_derived(() => hasPreview(get(choice)) && $$props.saving.previewed !== JSON.stringify(get(choice)));
	const prefersStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
	function still(canvas) {
		const image = new Image();
		image.onload = () => {
			canvas.width = image.naturalWidth;
			canvas.height = image.naturalHeight;
			canvas.getContext("2d")?.drawImage(image, 0, 0);
		};
		image.src = $$props.saving.preview?.url ?? "";
	}
	var figure = root_3$1();
	var div = child(figure);
	var node = child(div);
	var consequent = ($$anchor) => {
		var p = root$1();
		var text = only_child(p);
		template_effect(($0) => set_text(text, `${$0 ?? ""}.`), [() => describe(get(choice))]);
		append($$anchor, p);
	};
	var d = user_derived(() => !hasPreview(get(choice)));
	var consequent_2 = ($$anchor) => {
		var fragment = comment();
		var node_1 = first_child(fragment);
		var consequent_1 = ($$anchor) => {
			var fragment_1 = comment();
			var node_2 = first_child(fragment_1);
			key(node_2, () => $$props.saving.preview.url, ($$anchor) => {
				var canvas_1 = root_1$1();
				attach(canvas_1, () => still);
				append($$anchor, canvas_1);
			});
			append($$anchor, fragment_1);
		};
		var d_1 = user_derived(() => isAnimation(get(choice)) && prefersStill());
		var alternate = ($$anchor) => {
			var img = root_2$1();
			template_effect(() => {
				set_attribute(img, "src", $$props.saving.preview.url);
				set_attribute(img, "alt", `Preview. ${$$props.saving.preview.caption ?? ""}`);
			});
			append($$anchor, img);
		};
		if_block(node_1, ($$render) => {
			if (get(d_1)) $$render(consequent_1);
			else $$render(alternate, -1);
		});
		append($$anchor, fragment);
	};
	if_block(node, ($$render) => {
		if (get(d)) $$render(consequent);
		else if ($$props.saving.preview) $$render(consequent_2, 1);
	});
	var p_1 = sibling(node, 2);
	reset(div);
	var figcaption = sibling(div, 2);
	var text_1 = only_child(figcaption, true);
	reset(figure);
	template_effect(($0) => {
		set_class(figure, 1, clsx(["preview", { drawing: get(isDrawing) }]));
		set_attribute(figure, "aria-busy", get(isDrawing));
		set_attribute(p_1, "hidden", !get(isDrawing));
		set_text(text_1, $0);
	}, [() => hasPreview(get(choice)) ? $$props.saving.preview?.caption ?? "" : ""]);
	append($$anchor, figure);
	pop();
}
// src/explore/save/Dialog.svelte
var radio = ($$anchor, name = noop, value = noop, text = noop, checked = noop, choose = noop) => {
	var label = root();
	var input = child(label);
	remove_input_defaults(input);
	var span = sibling(input);
	var text_1 = only_child(span, true);
	reset(label);
	template_effect(() => {
		set_attribute(input, "name", `save-${name() ?? ""}`);
		set_value(input, value());
		set_checked(input, checked());
		set_text(text_1, text());
	});
	delegated("change", input, function(...$$args) {
		choose()?.apply(this, $$args);
	});
	append($$anchor, label);
};
var root = from_html(`<label><input type="radio"/><span> </span></label>`);
var root_1 = from_html(`<label class="content"><input type="radio" name="save-content"/><span><b> </b><small> </small></span></label>`);
var root_2 = from_html(`<p class="note"> </p>`);
var root_3 = from_html(`<div class="choice" role="radiogroup" aria-label="Size"><span class="name">Size</span> <div class="options"></div></div>`);
var root_4 = from_html(`<label class="check"><input type="checkbox" name="save-link"/>Link to this view in the caption</label>`);
var root_5 = from_html(`<section class="code" tabindex="0" aria-label="Python code"><pre> </pre></section>`);
var root_6 = from_html(`<button type="button" class="button" data-do="copy"> </button>`);
var root_7 = from_html(`<dialog class="save" aria-label="Save figure" closedby="any"><header><h2>Save figure</h2> <button type="button" class="button plain" data-do="close" aria-label="Close">✕</button></header> <div class="save-body"><div class="save-options"><div class="contents" role="radiogroup" aria-label="Content"></div> <div class="choice" role="radiogroup" aria-label="Format"><span class="name">Format</span> <div class="options"></div></div> <!> <!> <!></div> <!></div> <!> <footer><p role="status"> </p> <button type="button" class="button" data-do="code">Copy code</button> <!> <button type="button" class="button primary" data-do="save"> </button></footer></dialog>`);
function Dialog($$anchor, $$props) {
	push($$props, true);
	const saving = prop($$props, "saving", 7);
	const choice = user_derived(() => saving().choice);
	const isPreviewed = user_derived(() => saving().preview !== null && requestedFormat(get(choice).format, true) === get(choice).format);
	const detail = user_derived(() => hasPreview(get(choice)) && saving().preview ? `${FORMATS[get(choice).format].name}: ${FORMATS[get(choice).format].about}${get(isPreviewed) ? `, ${mebibytes(saving().preview.blob.size)}` : ""}` : "");
	var dialog = root_7();
	var header = child(dialog);
	var button = sibling(child(header), 2);
	reset(header);
	var div = sibling(header, 2);
	var div_1 = child(div);
	var div_2 = child(div_1);
	each(div_2, 21, () => contentsFor(saving().abilities), ({ key, name, about }) => key, ($$anchor, $$item) => {
		let key = () => get($$item).key;
		let name = () => get($$item).name;
		let about = () => get($$item).about;
		var label_1 = root_1();
		var input_1 = child(label_1);
		remove_input_defaults(input_1);
		var span_1 = sibling(input_1);
		var b = child(span_1);
		var text_2 = only_child(b, true);
		var small = sibling(b);
		var text_3 = only_child(small, true);
		reset(span_1);
		reset(label_1);
		template_effect(() => {
			set_value(input_1, key());
			set_checked(input_1, get(choice).content === key());
			set_text(text_2, name());
			set_text(text_3, about());
		});
		delegated("change", input_1, () => saving().choose({ content: key() }));
		append($$anchor, label_1);
	});
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	var div_4 = sibling(child(div_3), 2);
	each(div_4, 20, () => formatsOf(get(choice).content, saving().abilities), (format) => format, ($$anchor, format) => {
		radio($$anchor, () => "format", () => format, () => FORMATS[format].name, () => get(choice).format === format, () => () => saving().choose({ format }));
	});
	reset(div_4);
	reset(div_3);
	var node = sibling(div_3, 2);
	var consequent = ($$anchor) => {
		var p = root_2();
		var text_4 = only_child(p, true);
		template_effect(() => set_text(text_4, NO_ENCODER));
		append($$anchor, p);
	};
	var d = user_derived(() => isAnimation(get(choice)) && !saving().abilities.encodes);
	if_block(node, ($$render) => {
		if (get(d)) $$render(consequent);
	});
	var node_1 = sibling(node, 2);
	var consequent_1 = ($$anchor) => {
		var div_5 = root_3();
		var div_6 = sibling(child(div_5), 2);
		each(div_6, 21, () => SIZES, ({ key, name }) => key, ($$anchor, $$item) => {
			let key = () => get($$item).key;
			let name = () => get($$item).name;
			radio($$anchor, () => "size", key, name, () => get(choice).size === key(), () => () => saving().choose({ size: key() }));
		});
		reset(div_6);
		reset(div_5);
		append($$anchor, div_5);
	};
	var d_1 = user_derived(() => isFigure(get(choice)));
	if_block(node_1, ($$render) => {
		if (get(d_1)) $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2);
	var consequent_2 = ($$anchor) => {
		var label_2 = root_4();
		var input_2 = child(label_2);
		remove_input_defaults(input_2);
		next();
		reset(label_2);
		template_effect(() => set_checked(input_2, get(choice).link));
		delegated("change", input_2, (event) => saving().choose({ link: event.currentTarget.checked }));
		append($$anchor, label_2);
	};
	var d_2 = user_derived(() => canPrintLink(get(choice), saving().abilities));
	if_block(node_2, ($$render) => {
		if (get(d_2)) $$render(consequent_2);
	});
	reset(div_1);
	Preview(sibling(div_1, 2), { get saving() {
		return saving();
	} });
	reset(div);
	var node_4 = sibling(div, 2);
	var consequent_3 = ($$anchor) => {
		var section = root_5();
		var pre = child(section);
		var text_5 = only_child(pre, true);
		reset(section);
		template_effect(() => set_text(text_5, saving().code));
		append($$anchor, section);
	};
	if_block(node_4, ($$render) => {
		if (saving().code) $$render(consequent_3);
	});
	var footer = sibling(node_4, 2);
	var p_1 = child(footer);
	var text_6 = only_child(p_1, true);
	var button_1 = sibling(p_1, 2);
	var node_5 = sibling(button_1, 2);
	var consequent_4 = ($$anchor) => {
		var button_2 = root_6();
		var text_7 = only_child(button_2, true);
		template_effect(() => {
			button_2.disabled = saving().busy === "copy";
			set_text(text_7, saving().busy === "copy" ? "Copying…" : "Copy image");
		});
		delegated("click", button_2, () => saving().copyImage());
		append($$anchor, button_2);
	};
	if_block(node_5, ($$render) => {
		if (saving().canCopy) $$render(consequent_4);
	});
	var button_3 = sibling(node_5, 2);
	autofocus(button_3, true);
	var text_8 = only_child(button_3, true);
	reset(footer);
	reset(dialog);
	bind_this(dialog, ($$value) => saving().node = $$value, () => saving()?.node);
	template_effect(() => {
		set_attribute(dialog, "data-preview", saving().previewed || void 0);
		set_attribute(dialog, "data-busy", saving().busy || void 0);
		set_class(p_1, 1, clsx(["message", { error: saving().isError }]));
		set_text(text_6, saving().message || get(detail));
		button_1.disabled = saving().busy === "code";
		button_3.disabled = saving().busy === "save";
		set_text(text_8, saving().busy === "save" ? "Saving…" : "Save");
	});
	delegated("click", button, () => saving().close());
	delegated("click", button_1, () => saving().copyCode());
	delegated("click", button_3, () => saving().save());
	append($$anchor, dialog);
	pop();
}
delegate(["change", "click"]);
// src/explore/save/dialog.svelte.ts
var NO_COPYING = "The browser does not allow copying";
var SaveDialog = class {
	explorer;
	#node = state(null);
	get node() {
		return get(this.#node);
	}
	set node(value) {
		set(this.#node, value);
	}
	#files = new Map();
	#encodes = state(true);
	#chosen = state(storedChoice());
	#preview = state(null);
	get preview() {
		return get(this.#preview);
	}
	set preview(value) {
		set(this.#preview, value);
	}
	#previewed = state("");
	get previewed() {
		return get(this.#previewed);
	}
	set previewed(value) {
		set(this.#previewed, value);
	}
	#busy = state("");
	get busy() {
		return get(this.#busy);
	}
	set busy(value) {
		set(this.#busy, value);
	}
	#message = state("");
	get message() {
		return get(this.#message);
	}
	set message(value) {
		set(this.#message, value);
	}
	#isError = state(false);
	get isError() {
		return get(this.#isError);
	}
	set isError(value) {
		set(this.#isError, value);
	}
	#code = state("");
	get code() {
		return get(this.#code);
	}
	set code(value) {
		set(this.#code, value);
	}
	#abilities = user_derived(() => ({
		encodes: get(this.#encodes),
		layers: this.explorer.shape?.layers ?? 1,
		isUpload: [this.explorer.choices.image, this.explorer.choices.other].some((image) => image?.kind === "upload"),
		view: this.explorer.view.panel ? this.explorer.choices.view : "attention",
		hasMethods: this.explorer.leftOut === null
	}));
	get abilities() {
		return get(this.#abilities);
	}
	set abilities(value) {
		set(this.#abilities, value);
	}
	#choice = user_derived(() => nearestOffered(get(this.#chosen), this.abilities));
	get choice() {
		return get(this.#choice);
	}
	set choice(value) {
		set(this.#choice, value);
	}
	constructor(explorer) {
		this.explorer = explorer;
		canEncodeVideo().then((can) => {
			set(this.#encodes, can);
		});
	}
	open() {
		if (!this.node || this.node.open) return;
		this.node.showModal();
		writeAddress(this.explorer);
		this.#files = new Map();
		this.code = "";
		this.previewed = "";
		this.#update();
	}
	close() {
		this.node?.close();
	}
	choose(change) {
		set(this.#chosen, {
			...this.choice,
			...change
		});
		this.#update();
	}
	async #update() {
		this.#say("");
		const { choice } = this;
		const files = this.#files;
		const key = JSON.stringify(choice);
		const made = hasPreview(choice) ? await this.#file(requestedFormat(choice.format, true)) : null;
		if (files !== this.#files || key !== JSON.stringify(this.choice)) return;
		if (this.preview) URL.revokeObjectURL(this.preview.url);
		this.preview = made && !isRefusal(made) ? {
			...made,
			url: URL.createObjectURL(made.blob)
		} : null;
		if (isRefusal(made)) this.#say(made.error, true);
		this.previewed = key;
	}
	#say(message, isError = false) {
		this.message = message;
		this.isError = isError;
	}
	#file(format) {
		const { content, size, link } = this.choice;
		const { explorer, abilities } = this;
		const question = {
			content,
			format,
			size,
			link: link && canPrintLink(this.choice, abilities) ? location.href : null,
			view: shownView(explorer)
		};
		const key = JSON.stringify(question);
		const files = this.#files;
		let made = files.get(key);
		if (!made) {
			made = requestAblated(explorer, "figure", question).then(madeOf);
			files.set(key, made);
			made.then((file) => isRefusal(file) && files.delete(key));
		}
		return made;
	}
	async save() {
		const { choice } = this;
		this.busy = "save";
		this.#say("");
		let file = await this.#file(requestedFormat(choice.format));
		if (choice.format === "mp4" && !isRefusal(file)) file = await movieOf(file);
		this.busy = "";
		if (isRefusal(file)) return this.#say(file.error, true);
		saveBlob(file.name, file.blob);
		storeChoice(choice);
		this.close();
		showNotice(this.explorer, `Saved as ${file.name}.`);
	}
	async copyImage() {
		this.busy = "copy";
		const file = this.#file("png");
		const copied = await copyToClipboard("image/png", file.then(blobOrThrow));
		const made = await file;
		this.busy = "";
		if (isRefusal(made)) this.#say(made.error, true);
		else if (copied) this.#say("Copied as PNG.");
		else this.#say(`${NO_COPYING}: save the file instead.`, true);
	}
	async copyCode() {
		this.busy = "code";
		const reply = requestAblated(this.explorer, "code", {
			view: shownView(this.explorer),
			content: this.choice.content
		});
		const text = reply.then((found) => {
			if (!found || isRefusal(found)) throw new Error(reasonOf(found));
			return new Blob([found.code], { type: "text/plain" });
		});
		const copied = await copyToClipboard("text/plain", text);
		const found = await reply;
		this.busy = "";
		if (!found || isRefusal(found)) return this.#say(reasonOf(found), true);
		this.code = found.code;
		this.#say(copied ? "Code copied." : `${NO_COPYING}: select the code below.`, !copied);
	}
	get canCopy() {
		return isFigure(this.choice);
	}
};
function madeOf(reply) {
	if (!reply || isRefusal(reply)) return reply ?? { error: "The server did not answer. Check that vitviz is still running, then try again." };
	return {
		name: reply.name,
		caption: reply.caption,
		blob: blobOf(reply.src)
	};
}
var movieOf = (file) => mp4Of(file.blob).then((blob) => ({
	...file,
	blob,
	name: file.name.replace(/\.webp$/, ".mp4")
}), () => ({ error: ENCODING_FAILED }));
function blobOrThrow(file) {
	if (isRefusal(file)) throw new Error(file.error);
	return file.blob;
}
// src/explore/save/save.ts
function mountDialog(explorer) {
	const saving = new SaveDialog(explorer);
	mount(Dialog, {
		target: explorer.root ?? explorer.host.element,
		props: { saving }
	});
	flushSync();
	return () => saving.open();
}
export { mountDialog };
