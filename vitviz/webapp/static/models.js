import { append, autofocus, bind_this, child, clsx, delegate, delegated, each, first_child, flushSync, from_html, get, if_block, mount, only_child, pop, prop, props_id, push, remove_input_defaults, reset, set, set_attribute, set_class, set_text, set_value, sibling, state, template_effect, to_array, user_derived, user_effect } from "./packages.js";
import { Progress, counted, isRefusal, pause, reasonOf, refreshModels } from "./shared.js";
// src/lib/models/Dialog.svelte
var root = from_html(`<div role="option"><b> </b> <small> </small></div>`);
var root_1 = from_html(`<p class="note"> </p>`);
var root_2 = from_html(`<dt> </dt><dd> </dd>`, 1);
var root_3 = from_html(`<!> <button type="button" class="button" data-do="cancel">Cancel</button>`, 1);
var root_4 = from_html(`<dialog class="models" aria-label="Models" closedby="any"><header><h2>Models</h2> <button type="button" class="button plain" data-do="close" aria-label="Close">✕</button></header> <div class="models-body"><div class="models-choice"><input class="button" type="text" role="combobox" aria-expanded="true" aria-autocomplete="list" autocomplete="off" autocapitalize="off" spellcheck="false"/> <div class="models-list" role="listbox" aria-label="Models"></div> <p class="note">No model has these words.</p> <!></div> <section class="models-facts" aria-label="The model on screen"><h3> </h3> <dl></dl></section></div> <footer><p role="status"> </p> <!></footer></dialog>`);
function Dialog($$anchor, $$props) {
	const id = props_id();
	push($$props, true);
	const picker = prop($$props, "picker", 7);
	const options = user_derived(() => picker().options);
	const marked = user_derived(() => get(options).length ? `${id}-${picker().active}` : void 0);
	const $$d = user_derived(() => picker().page), isPublic = user_derived(() => get($$d).isPublic);
	const opening = user_derived(() => picker().opening);
	let list;
	user_effect(() => {
		if (get(marked)) list.children[picker().active]?.scrollIntoView({ block: "nearest" });
	});
	function onkeydown(event) {
		if (picker().press(event.key)) event.preventDefault();
	}
	var dialog = root_4();
	var header = child(dialog);
	var button = sibling(child(header), 2);
	reset(header);
	var div = sibling(header, 2);
	var div_1 = child(div);
	var input = child(div_1);
	remove_input_defaults(input);
	autofocus(input, true);
	var div_2 = sibling(input, 2);
	each(div_2, 23, () => get(options), (entry) => `${entry.group} ${entry.name}`, ($$anchor, entry, i) => {
		var div_3 = root();
		var b = child(div_3);
		var text = only_child(b, true);
		var small = sibling(b, 2);
		var text_1 = only_child(small, true);
		reset(div_3);
		template_effect(($0) => {
			set_attribute(div_3, "id", `${id}-${get(i) ?? ""}`);
			set_attribute(div_3, "aria-selected", get(i) === picker().active);
			set_attribute(div_3, "aria-current", $0);
			set_attribute(div_3, "data-group", get(entry).group === get(options)[get(i) - 1]?.group ? void 0 : get(entry).group);
			set_text(text, get(entry).group === "Open" ? `Open “${get(entry).name}”` : get(entry).name);
			set_text(text_1, get(entry).detail);
		}, [() => get(entry).isListed && get(entry).name === picker().page.shown() ? "true" : void 0]);
		delegated("pointerdown", div_3, (event) => event.preventDefault());
		delegated("click", div_3, () => picker().choose(get(entry)));
		append($$anchor, div_3);
	});
	reset(div_2);
	bind_this(div_2, ($$value) => list = $$value, () => list);
	var p = sibling(div_2, 2);
	var node = sibling(p, 2);
	var consequent = ($$anchor) => {
		var p_1 = root_1();
		var text_2 = only_child(p_1);
		template_effect(() => set_text(text_2, `A model of the Hub is downloaded once, to ${(picker().cache || "the Hugging Face cache") ?? ""}. Files and folders are those of
          vitviz, timm and transformers.`));
		append($$anchor, p_1);
	};
	if_block(node, ($$render) => {
		if (!get(isPublic)) $$render(consequent);
	});
	reset(div_1);
	var section = sibling(div_1, 2);
	var h3 = child(section);
	var text_3 = only_child(h3, true);
	var dl = sibling(h3, 2);
	each(dl, 21, () => picker().facts, ([term, value]) => term, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let term = () => get($$array)[0];
		let value = () => get($$array)[1];
		var fragment = root_2();
		var dt = first_child(fragment);
		var text_4 = only_child(dt, true);
		var dd = sibling(dt);
		var text_5 = only_child(dd, true);
		template_effect(() => {
			set_text(text_4, term());
			set_text(text_5, value());
		});
		append($$anchor, fragment);
	});
	reset(dl);
	reset(section);
	reset(div);
	var footer = sibling(div, 2);
	var p_2 = child(footer);
	var text_6 = only_child(p_2, true);
	var node_1 = sibling(p_2, 2);
	var consequent_1 = ($$anchor) => {
		var fragment_1 = root_3();
		var node_2 = first_child(fragment_1);
		{
			let $0 = user_derived(() => get(opening).total ? get(opening).done / get(opening).total : 0);
			Progress(node_2, {
				label: "Download",
				get progress() {
					return get($0);
				}
			});
		}
		var button_1 = sibling(node_2, 2);
		delegated("click", button_1, () => picker().cancel());
		append($$anchor, fragment_1);
	};
	if_block(node_1, ($$render) => {
		if (get(opening)?.phase === "downloading") $$render(consequent_1);
	});
	reset(footer);
	reset(dialog);
	bind_this(dialog, ($$value) => picker().node = $$value, () => picker()?.node);
	template_effect(($0) => {
		set_attribute(input, "aria-label", get(isPublic) ? "Search models" : "Search models, or name or path of one");
		set_attribute(input, "aria-controls", `${id}-list`);
		set_attribute(input, "aria-activedescendant", get(marked));
		set_attribute(input, "placeholder", get(isPublic) ? "Search" : "Search, or timm:NAME, hf:OWNER/NAME, or a path");
		set_value(input, picker().text);
		set_attribute(div_2, "id", `${id}-list`);
		set_attribute(p, "hidden", get(options).length > 0);
		set_text(text_3, $0);
		set_attribute(footer, "hidden", !picker().status);
		set_class(p_2, 1, clsx(["message", { error: picker().error }]));
		set_text(text_6, picker().status);
	}, [() => picker().page.shown()]);
	delegated("click", button, () => picker().node?.close());
	delegated("input", input, (event) => picker().type(event.currentTarget.value));
	delegated("keydown", input, onkeydown);
	append($$anchor, dialog);
	pop();
}
delegate([
	"click",
	"input",
	"keydown",
	"pointerdown"
]);
// src/lib/models/list.ts
var HUB = /^(hf|timm):/;
function quantity(count) {
	const [unit, scale] = count >= 1e9 ? ["B", 1e9] : count >= 1e6 ? ["M", 1e6] : ["K", 1e3];
	const scaled = count / scale;
	return `${scaled.toFixed(scaled < 10 ? 1 : 0)} ${unit}`;
}
var megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
var classesOf = (count) => count ? `${count.toLocaleString("en-US")} classes` : "no head";
function detailOf({ family, parameters, classes, layers, heads }) {
	const size = `${counted(layers, "layer", "layers")}, ${counted(heads, "head", "heads")}`;
	return [
		family,
		`${quantity(parameters)} parameters`,
		classesOf(classes),
		size
	].join(" · ");
}
var GROUPS = {
	shipped: "Shipped",
	run: "Runs",
	opened: "Opened"
};
function entriesOf(models, found) {
	const listed = models.map((model) => {
		return {
			name: model.name,
			group: GROUPS[model.origin],
			detail: detailOf(model),
			isListed: true
		};
	});
	const names = new Set(models.map(({ name }) => name));
	const cached = found.filter(({ name }) => !names.has(name)).map(({ name, family, bytes, classes }) => {
		return {
			name,
			group: "Hugging Face cache",
			detail: [
				family,
				megabytes(bytes),
				...classes === null ? [] : [classesOf(classes)]
			].join(" · "),
			isListed: false
		};
	});
	const order = [
		"Shipped",
		"Runs",
		"Opened",
		"Hugging Face cache"
	];
	return [...listed, ...cached].sort((one, other) => order.indexOf(one.group) - order.indexOf(other.group));
}
function search(entries, text, canOpen) {
	const query = text.trim();
	const words = query.toLowerCase().split(/\s+/);
	const matches = entries.filter(({ name, detail, group }) => {
		const all = `${name} ${detail} ${group}`.toLowerCase();
		return words.every((word) => all.includes(word));
	});
	const isKnown = !query || entries.some(({ name }) => name === query);
	if (!canOpen || isKnown) return matches;
	const open = {
		name: query,
		group: "Open",
		detail: aboutName(query),
		isListed: false
	};
	const isStart = matches.some(({ name }) => name.startsWith(query));
	return looksLikeName(query) && !isStart ? [open, ...matches] : [...matches, open];
}
var looksLikeName = (text) => HUB.test(text) || /[/\\]|\.safetensors$/.test(text);
function aboutName(text) {
	return HUB.test(text) ? "from the Hugging Face Hub" : "file or folder on this computer";
}
function optionAfter(key, at, count) {
	if (!count) return void 0;
	if (key === "ArrowDown") return (at + 1) % count;
	if (key === "ArrowUp") return (at - 1 + count) % count;
	if (key === "PageDown") return Math.min(at + 5, count - 1);
	if (key === "PageUp") return Math.max(at - 5, 0);
}
// src/lib/models/picker.svelte.ts
var POLL = 300;
var ModelPicker = class {
	page;
	#node = state(null);
	get node() {
		return get(this.#node);
	}
	set node(value) {
		set(this.#node, value);
	}
	#text = state("");
	get text() {
		return get(this.#text);
	}
	set text(value) {
		set(this.#text, value);
	}
	#active = state(0);
	get active() {
		return get(this.#active);
	}
	set active(value) {
		set(this.#active, value);
	}
	#found = state([]);
	get found() {
		return get(this.#found);
	}
	set found(value) {
		set(this.#found, value);
	}
	#cache = state("");
	get cache() {
		return get(this.#cache);
	}
	set cache(value) {
		set(this.#cache, value);
	}
	#facts = state([]);
	get facts() {
		return get(this.#facts);
	}
	set facts(value) {
		set(this.#facts, value);
	}
	#opening = state(null);
	get opening() {
		return get(this.#opening);
	}
	set opening(value) {
		set(this.#opening, value);
	}
	#error = state("");
	get error() {
		return get(this.#error);
	}
	set error(value) {
		set(this.#error, value);
	}
	#options = user_derived(() => search(entriesOf(this.page.models(), this.found), this.text, !this.page.isPublic));
	get options() {
		return get(this.#options);
	}
	set options(value) {
		set(this.#options, value);
	}
	#isBusy = user_derived(() => this.opening?.phase === "downloading" || this.opening?.phase === "loading");
	get isBusy() {
		return get(this.#isBusy);
	}
	set isBusy(value) {
		set(this.#isBusy, value);
	}
	#status = user_derived(() => {
		const { opening } = this;
		if (this.error) return this.error;
		if (opening?.phase === "loading") return `Loading ${opening.source}…`;
		if (opening?.phase === "canceled") return `The download of ${opening.source} was canceled; it resumes where it ended.`;
		if (opening?.phase !== "downloading") return "";
		const size = opening.total ? `: ${megabytes(opening.done)} of ${megabytes(opening.total)}` : "";
		return `Downloading ${opening.source}${size}`;
	});
	get status() {
		return get(this.#status);
	}
	set status(value) {
		set(this.#status, value);
	}
	constructor(page) {
		this.page = page;
	}
	async open() {
		this.node?.showModal();
		this.text = "";
		this.active = 0;
		this.error = "";
		this.#describe();
		const { request, isPublic } = this.page;
		const lists = await refreshModels(request);
		if (lists) this.page.onlists(lists);
		if (isPublic) return;
		const reply = await request("find_models", {});
		if (!reply || isRefusal(reply)) return;
		this.found = reply.models;
		this.cache = reply.cache;
	}
	type(text) {
		this.text = text;
		this.active = 0;
	}
	press(key) {
		if (key === "Enter") {
			const entry = this.options[this.active];
			if (entry) this.choose(entry);
			return true;
		}
		const next = optionAfter(key, this.active, this.options.length);
		if (next !== void 0) this.active = next;
		return next !== void 0;
	}
	async choose(entry) {
		this.error = "";
		if (entry.isListed) return this.#show(entry.name);
		if (this.isBusy) return;
		return this.#follow(await this.page.request("open_model", {
			action: "start",
			source: entry.name
		}));
	}
	async cancel() {
		await this.page.request("open_model", { action: "cancel" });
	}
	async #follow(reply) {
		this.opening = isRefusal(reply) ? null : reply;
		if (isRefusal(reply)) {
			this.error = reasonOf(reply);
			return;
		}
		if (this.isBusy) {
			await pause(POLL);
			return this.#follow(await this.page.request("open_model", { action: "state" }));
		}
		if (reply.phase === "failed") this.error = reply.message;
		if (reply.phase !== "ready") return;
		this.opening = null;
		const lists = await refreshModels(this.page.request);
		if (lists) this.page.onlists(lists);
		if (this.node?.open) this.#show(reply.name);
	}
	#show(name) {
		this.node?.close();
		if (name !== this.page.shown()) this.page.onchoose(name);
	}
	async #describe() {
		this.facts = [];
		const reply = await this.page.request("model_facts", { checkpoint: this.page.shown() });
		if (reply && !isRefusal(reply)) this.facts = reply.facts;
	}
};
// src/lib/models/models.ts
function mountPicker(target, page) {
	const picker = new ModelPicker(page);
	mount(Dialog, {
		target,
		props: { picker }
	});
	flushSync();
	return () => picker.open();
}
export { mountPicker };
