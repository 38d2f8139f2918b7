import { append as append$1, bind_element_size, bind_property, bind_select_value, bind_this, child, clsx, comment, delegate, delegated, each, event, first_child, flushSync, from_html, from_svg, get, if_block, index, init_select, mount as mount$1, next, noop, onMount, only_child, pop, prop, proxy, push, remove_input_defaults, reset, select_option, set, set_attribute, set_checked, set_class, set_style, set_text, set_value, sibling, spread_props, state, template_effect, tick, to_array, user_derived, user_effect, user_pre_effect } from "./packages.js";
import { ARROWS, ColorBar, Download, ENCODING_FAILED, GRID_KEYS, Line, Matrix, NO_ENCODER, Progress, ThemeColors, ValueAxis, accuracyNumber, accuracyText, bytesOf, canEncodeVideo, cornerOf, counted, cssColor, digitsOf, fillRows, hostOf, isImageUrl, isOfRun, isRefusal, isServed, isShortcut, isUniformMap, largest, listenWhile, makeRows, makeTile, mapName, markPainted, meanOf, middlePatch, mp4Of, neighbour, paintTile, patchAt, patchName, percent, placeLabels, pointsText, queryName, reasonOf, rowOf, runName, saveBlob, saveContent, sharedLimit, sharpestHead, textOf, tickText, ticks, timesUniform, tokenCount, uint16Of, unavailable, uniformWeight, updateAddress, valueScale } from "./shared.js";
// src/train/fields.ts
var DATASETS = {
	cifar10: "CIFAR-10",
	cifar100: "CIFAR-100"
};
function parseField(typed) {
	const text = typed.trim();
	if (text === "") return null;
	const isGrouped = /^[1-9]\d{0,2}(,\d{3})+$/.test(text);
	const number = Number(isGrouped ? text.replaceAll(",", "") : text.replace(",", "."));
	return Number.isNaN(number) ? text : number;
}
var fieldText = (value) => value == null ? "" : String(value);
function sweepGrid(variations) {
	return variations.flatMap(({ key, values }) => {
		return key ? [`${key}=${values.split(/[\s,;]+/).filter(Boolean).join(",")}`] : [];
	});
}
function countRuns(grid) {
	return grid.reduce((product, text) => product * text.split("=")[1].split(",").length, 1);
}
function freeName(preset, isTaken) {
	const stem = preset.replace(/^cifar10-/, "");
	let number = 1;
	while (isTaken(`${stem}-${number}`)) number++;
	return `${stem}-${number}`;
}
function prefixWords(prefix) {
	return ["", " + class token"][prefix] ?? ` + ${prefix} prefix tokens`;
}
// src/train/sentences.ts
var RUNNING = ["training", "stopping"];
var isRunning = ({ state }) => RUNNING.includes(state);
function duration(seconds) {
	const whole = Math.max(1, Math.round(seconds));
	const minutes = whole / 60;
	if (whole < 60) return `${whole} s`;
	if (minutes < 10) return `${Math.floor(minutes)} min ${whole % 60} s`;
	if (minutes < 60) return `${Math.round(minutes)} min`;
	if (minutes < 2880) return `${Math.floor(Math.round(minutes) / 60)} h ${Math.round(minutes) % 60} min`;
	return `${(minutes / 60 / 24).toFixed(1)} days`;
}
var thousands = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");
var short = (number) => String(Number(number.toFixed(2)));
var roundTo2 = (number) => String(Number(number.toPrecision(2)));
var inEpochs = (words) => `${words} ${words === "1" ? "epoch" : "epochs"}`;
var millions = (count) => `${(count / 1e6).toFixed(2)} M`;
var epochText = (epoch) => epoch.toFixed(epoch < 1 ? 2 : 1).replace(/\.0+$/, "");
var accuracyName = (measuredOn) => measuredOn === "test" ? "Test accuracy" : "Validation accuracy";
function doneOf(run) {
	const epoch = `Epoch ${epochText(run.epoch)}`;
	const minutes = run.minutes ?? 0;
	if (run.epochs != null) return `${epoch} of ${short(run.epochs)}`;
	if (minutes < 10) return `${epoch}, ${duration(run.seconds)} of ${duration(60 * minutes)}`;
	return `${epoch}, ${short(Math.floor(run.seconds / 60))} of ${short(minutes)} minutes`;
}
function trainingWords(run) {
	const hint = "Training continues if you close this page.";
	if (!run.progress) return {
		headline: `${run.name} is starting`,
		line: run.message || `Loading the images and starting. ${hint}`
	};
	const headline = doneOf(run);
	if (run.progress >= 1) return {
		headline,
		line: `${run.name} is trained. Evaluating on all ${run.measured_on} images…`
	};
	const eta = run.progress > .005 && run.eta != null ? ` About ${duration(run.eta)} left.` : "";
	return {
		headline,
		line: `${run.name} is training.${eta} ${run.message || hint}`
	};
}
function finishedWords(run) {
	const epoch = epochText(run.epoch);
	const line = `${run.name} is finished: ${inEpochs(epoch)} in ${duration(run.seconds)}.`;
	if (run.accuracy == null) return {
		headline: `Finished after epoch ${epoch}`,
		line
	};
	return {
		headline: `${accuracyName(run.measured_on)} ${accuracyNumber(run.accuracy, run.eval_samples)}`,
		line: `${line} Correct: ${accuracyText(run.accuracy, run.eval_samples, run.measured_on)}.`
	};
}
function lessonResult({ minutes, measured_minutes: measured, test_accuracy: accuracy }) {
	if (accuracy == null) return "not measured yet";
	return `${accuracyNumber(accuracy)} ${measured === minutes ? "test accuracy" : `in ${measured} minutes`}`;
}
function lessonNote({ minutes, measured_minutes: measured, epochs, entropy, hardware }) {
	if (measured == null || epochs == null) return "What it reaches in this time has not been measured yet.";
	const time = measured === minutes ? "" : ` in ${measured} minutes; ${minutes} minutes were not measured`;
	const focus = entropy ? ` The attention of the last layer had ${entropy.map((part) => Math.round(100 * part)).join(" to ")} % of the entropy of uniform attention.` : "";
	return `Measured in one run on ${hardware}: ${inEpochs(epochText(epochs))}${time}.${focus}`;
}
function runWords(run) {
	const { name } = run;
	const here = `epoch ${epochText(run.epoch)}`;
	switch (run.state) {
		case "training": return trainingWords(run);
		case "stopping": return {
			headline: `${name} is stopping`,
			line: "Saving a checkpoint; this takes some seconds."
		};
		case "stopped": return {
			headline: `Stopped at ${here}`,
			line: `The progress of ${name} is saved. Resume continues from here.`
		};
		case "finished": return finishedWords(run);
		case "interrupted": return {
			headline: `Interrupted at ${here}`,
			line: `${name}: ${run.message}`,
			isError: true
		};
		default: return {
			headline: `Failed at ${here}`,
			line: `${name}: ${run.message}`,
			isError: true
		};
	}
}
function curvesNote(run) {
	if (!run) return "No loss curve was recorded with this checkpoint: the curves are those of the probe images, none of which it was trained on.";
	const loss = run.augmented ? "The training loss is that of augmented images, so it stays higher." : "The training loss is that of the training batches.";
	const images = `${run.measured_on} images`;
	return `${loss} Accuracy is measured on at most 1,000 ${images} and 1,000 training images without augmentation; the final accuracy on all ${images}.`;
}
function noSnapshotsReason(run) {
	if (run && !run.snapshots) return "This run records no snapshots: its num_snapshots is 0.";
	if (run && !isRunning(run)) return "This run has no snapshots: it ended before its first step.";
	return "This run has no snapshots yet: the first is recorded at its first steps.";
}
function sourceWords(source) {
	const result = source.test_accuracy == null ? "" : `, accuracy ${accuracyText(source.test_accuracy, source.eval_samples)}`;
	const length = `${inEpochs(epochText(source.epochs ?? 0))} in ${duration(source.seconds ?? 0)}`;
	const how = source.distilled ? " with distillation" : "";
	return {
		headline: "How attention formed",
		line: `Bundled checkpoint ${source.name}: ${length}${how}${result}.`
	};
}
function timeWords(estimate, isExact, runs) {
	const { seconds, epochs, images_per_second: speed } = estimate;
	const length = inEpochs(thousands(isExact ? short(epochs) : roundTo2(epochs)));
	const one = `about ${duration(seconds)} for ${length}, at ${roundTo2(speed)} images/s`;
	return runs > 1 ? `about ${duration(runs * seconds)}: ${runs} times ${one}` : one;
}
function effectiveTokens(row) {
	let entropy = 0;
	for (let j = 0; j < row.length; j++) if (row[j] > 0) entropy -= row[j] * Math.log(row[j]);
	return Math.exp(entropy);
}
function trendOf(ratio) {
	if (ratio > 1.05) return "broader than";
	if (ratio > .95) return "as broad as";
	return ratio > .65 ? "slightly more focused than" : "more focused than";
}
function findingLine(effective, initial, shape, isFirst) {
	const mean = meanOf(effective);
	const sharpest = effective.indexOf(Math.min(...effective));
	const where = mapName(Math.floor(sharpest / shape.heads), sharpest % shape.heads).toLowerCase();
	const trend = trendOf(mean / meanOf(initial));
	return [
		isFirst ? "At the first snapshot: " : `Attention is ${trend} at the first snapshot: `,
		`on average ${queryName([], shape)} attends to `,
		{ strong: mean.toFixed(0) },
		` of ${tokenCount(shape)} tokens (effective number). The most focused is ${where}, with `,
		{ strong: effective[sharpest].toFixed(1) },
		"."
	];
}
// src/train/form.svelte.ts
var SECTIONS = {
	presets: ["budget", "device"],
	dataset: [
		"dataset",
		"image_folder",
		"init_from",
		"freeze_backbone"
	],
	sweep: ["vary"]
};
var FIELDS = [...Object.values(SECTIONS).flat(), "name"];
var FormState = class {
	page;
	nameInput = null;
	#isLoaded = state(false);
	get isLoaded() {
		return get(this.#isLoaded);
	}
	set isLoaded(value) {
		set(this.#isLoaded, value, true);
	}
	#preset = state(null);
	get preset() {
		return get(this.#preset);
	}
	set preset(value) {
		set(this.#preset, value);
	}
	#settings = state(proxy({}));
	get settings() {
		return get(this.#settings);
	}
	set settings(value) {
		set(this.#settings, value, true);
	}
	#budget = state("");
	get budget() {
		return get(this.#budget);
	}
	set budget(value) {
		set(this.#budget, value, true);
	}
	#unit = state("epochs");
	get unit() {
		return get(this.#unit);
	}
	set unit(value) {
		set(this.#unit, value, true);
	}
	#device = state("auto");
	get device() {
		return get(this.#device);
	}
	set device(value) {
		set(this.#device, value, true);
	}
	#dataset = state("cifar10");
	get dataset() {
		return get(this.#dataset);
	}
	set dataset(value) {
		set(this.#dataset, value, true);
	}
	#imageFolder = state("");
	get imageFolder() {
		return get(this.#imageFolder);
	}
	set imageFolder(value) {
		set(this.#imageFolder, value, true);
	}
	#initFrom = state("");
	get initFrom() {
		return get(this.#initFrom);
	}
	set initFrom(value) {
		set(this.#initFrom, value, true);
	}
	#freezesBackbone = state(false);
	get freezesBackbone() {
		return get(this.#freezesBackbone);
	}
	set freezesBackbone(value) {
		set(this.#freezesBackbone, value, true);
	}
	#vary = state(proxy([{
		key: "",
		values: ""
	}, {
		key: "",
		values: ""
	}]));
	get vary() {
		return get(this.#vary);
	}
	set vary(value) {
		set(this.#vary, value, true);
	}
	#name = state("");
	get name() {
		return get(this.#name);
	}
	set name(value) {
		set(this.#name, value, true);
	}
	#open = state(proxy({
		presets: false,
		hyperparameters: false,
		dataset: false,
		sweep: false
	}));
	get open() {
		return get(this.#open);
	}
	set open(value) {
		set(this.#open, value, true);
	}
	#checked = state();
	get checked() {
		return get(this.#checked);
	}
	set checked(value) {
		set(this.#checked, value, true);
	}
	#estimated = state();
	get estimated() {
		return get(this.#estimated);
	}
	set estimated(value) {
		set(this.#estimated, value, true);
	}
	#refusal = state(null);
	get refusal() {
		return get(this.#refusal);
	}
	set refusal(value) {
		set(this.#refusal, value);
	}
	#shownRefusal = state(null);
	get shownRefusal() {
		return get(this.#shownRefusal);
	}
	set shownRefusal(value) {
		set(this.#shownRefusal, value);
	}
	#unfit = state("");
	get unfit() {
		return get(this.#unfit);
	}
	set unfit(value) {
		set(this.#unfit, value, true);
	}
	#survey = state(null);
	get survey() {
		return get(this.#survey);
	}
	set survey(value) {
		set(this.#survey, value);
	}
	#network = state({});
	get network() {
		return get(this.#network);
	}
	set network(value) {
		set(this.#network, value);
	}
	#plan = state([]);
	get plan() {
		return get(this.#plan);
	}
	set plan(value) {
		set(this.#plan, value);
	}
	#grid = state(null);
	get grid() {
		return get(this.#grid);
	}
	set grid(value) {
		set(this.#grid, value);
	}
	#sizes = state(proxy({}));
	get sizes() {
		return get(this.#sizes);
	}
	set sizes(value) {
		set(this.#sizes, value, true);
	}
	#isStarting = state(false);
	get isStarting() {
		return get(this.#isStarting);
	}
	set isStarting(value) {
		set(this.#isStarting, value, true);
	}
	nameIsEdited = false;
	trainings = 1;
	checks = 0;
	surveys = 0;
	surveyed = "";
	checkTimer;
	estimateTimer;
	estimates = {};
	#isFolder = user_derived(() => this.dataset === "folder");
	get isFolder() {
		return get(this.#isFolder);
	}
	set isFolder(value) {
		set(this.#isFolder, value);
	}
	#varies = user_derived(() => sweepGrid(this.vary));
	get varies() {
		return get(this.#varies);
	}
	set varies(value) {
		set(this.#varies, value);
	}
	#runCount = user_derived(() => countRuns(this.varies));
	get runCount() {
		return get(this.#runCount);
	}
	set runCount(value) {
		set(this.#runCount, value);
	}
	#differing = user_derived(() => this.differingSettings());
	get differing() {
		return get(this.#differing);
	}
	set differing(value) {
		set(this.#differing, value);
	}
	#changed = user_derived(() => Object.keys(this.differing).filter((key) => key in this.settings));
	get changed() {
		return get(this.#changed);
	}
	set changed(value) {
		set(this.#changed, value);
	}
	#lesson = user_derived(() => this.page.catalog.lessons.find(({ preset, minutes }) => preset === this.preset?.name && this.unit === "minutes" && parseField(this.budget) === minutes));
	get lesson() {
		return get(this.#lesson);
	}
	set lesson(value) {
		set(this.#lesson, value);
	}
	#dataIsAvailable = user_derived(() => {
		const { data } = this.page;
		return Boolean(data && (this.isFolder ? this.imageFolder : data.available[this.dataset]));
	});
	get dataIsAvailable() {
		return get(this.#dataIsAvailable);
	}
	set dataIsAvailable(value) {
		set(this.#dataIsAvailable, value);
	}
	#busy = user_derived(() => this.page.running ?? this.page.runningSweep);
	get busy() {
		return get(this.#busy);
	}
	set busy(value) {
		set(this.#busy, value);
	}
	#cannotStart = user_derived(() => Boolean(this.isStarting || this.busy || this.refusal || this.unfit || !this.dataIsAvailable));
	get cannotStart() {
		return get(this.#cannotStart);
	}
	set cannotStart(value) {
		set(this.#cannotStart, value);
	}
	#refusedField = user_derived(() => {
		const field = this.shownRefusal?.field ?? null;
		const key = field === "epochs" || field === "minutes" ? "budget" : field;
		return key && (FIELDS.includes(key) || key in this.settings) ? key : null;
	});
	get refusedField() {
		return get(this.#refusedField);
	}
	set refusedField(value) {
		set(this.#refusedField, value);
	}
	#folders = user_derived(() => this.page.data?.image_folders ?? []);
	get folders() {
		return get(this.#folders);
	}
	set folders(value) {
		set(this.#folders, value);
	}
	#models = user_derived(() => {
		const runs = (this.page.runs ?? []).filter(({ explorable }) => explorable);
		return [...this.page.catalog.models, ...runs.map(({ name }) => `runs/${name}`)];
	});
	get models() {
		return get(this.#models);
	}
	set models(value) {
		set(this.#models, value);
	}
	constructor(page) {
		this.page = page;
		const { settings, choices, presets } = page.catalog;
		for (const key of settings.flatMap(({ fields }) => Object.keys(fields))) this.settings[key] = choices[key]?.[0] ?? "";
		for (const { name, parameters } of presets) this.sizes[name] = millions(parameters);
	}
	isHidden(key) {
		if (key === "model.pos_drop_rate") return Boolean(this.preset?.plain);
		if (key === "model.drop_path_rate") return this.preset?.plain === false;
		return key === "muon_lr" && this.settings.optimizer !== "muon";
	}
	isFixed(key) {
		return this.initFrom !== "" && key.startsWith("model.");
	}
	invalid(field) {
		return this.refusedField === field ? "true" : void 0;
	}
	differingSettings() {
		const { preset } = this;
		if (!preset) return {};
		const changes = {};
		for (const [key, text] of Object.entries(this.settings)) {
			if (this.isFixed(key) || this.isHidden(key)) continue;
			const value = key in this.page.catalog.choices ? text : parseField(text);
			if (value !== preset.settings[key]) changes[key] = value;
		}
		const limit = parseField(this.budget);
		if (limit === null || limit !== preset.settings[this.unit]) changes[this.unit] = limit ?? "";
		if (this.device !== preset.settings.device) changes.device = this.device;
		if (this.dataset !== preset.settings.dataset) changes.dataset = this.dataset;
		if (this.initFrom && this.freezesBackbone) changes.freeze_backbone = true;
		return changes;
	}
	query() {
		const query = {
			preset: this.preset?.name ?? "",
			settings: this.differing,
			name: this.name.trim()
		};
		if (this.varies.length) query.vary = this.varies;
		if (this.initFrom) query.init_from = this.initFrom;
		if (this.isFolder) query.image_folder = this.imageFolder;
		return query;
	}
	take(name) {
		const preset = this.page.catalog.presets.find((other) => other.name === name);
		if (!preset) return;
		this.preset = preset;
		this.restore();
		this.unit = preset.settings.epochs == null ? "minutes" : "epochs";
		this.budget = fieldText(preset.settings[this.unit]);
		this.device = fieldText(preset.settings.device);
	}
	takeLesson({ preset, minutes }) {
		this.take(preset);
		[this.unit, this.budget] = ["minutes", String(minutes)];
	}
	settingText(key) {
		return this.isFixed(key) && key in this.network ? fieldText(this.network[key]) : this.settings[key];
	}
	restore() {
		for (const key of Object.keys(this.settings)) this.settings[key] = fieldText(this.preset?.settings[key]);
	}
	changeUnit(unit) {
		const before = this.unit;
		this.unit = unit;
		if (parseField(this.budget) === this.preset?.settings[before]) this.budget = fieldText(this.preset.settings[unit]);
	}
	freeName() {
		const { page } = this;
		return freeName(this.initFrom ? `${runName(this.initFrom)}-finetuned` : this.preset?.name ?? "", (name) => page.runOf(name) !== void 0 || page.sweeps.some((sweep) => sweep.name === name));
	}
	suggestName() {
		const isTyping = this.nameInput?.matches(":focus");
		if (!this.nameIsEdited && this.page.runs && this.preset && !isTyping) this.name = this.freeName();
	}
	dropMissingChoices() {
		if (!this.folders.includes(this.imageFolder)) this.imageFolder = this.folders[0] ?? "";
		if (!this.models.includes(this.initFrom)) this.initFrom = "";
		if (!this.initFrom) this.freezesBackbone = false;
	}
	showRefusal(refusal) {
		this.shownRefusal = refusal;
		const field = this.refusedField;
		if (!field) return;
		if (SECTIONS.presets.includes(field)) this.open.presets = true;
		else if (SECTIONS.dataset.includes(field)) this.open.dataset = true;
		else if (SECTIONS.sweep.includes(field)) this.open.sweep = true;
		else if (field in this.settings) this.open.hyperparameters = true;
	}
	fillPlan(values) {
		const plan = new Map(this.plan);
		for (const [name, value] of Object.entries(values)) plan.set(name, value);
		this.plan = [...plan];
	}
	refuseImages(sentence) {
		this.survey = { refused: sentence };
		this.page.voice = sentence;
	}
	get startNote() {
		const { busy } = this;
		if (busy) return `One training at a time: ${busy.name} is ${busy.state}.`;
		if (this.refusal) return "One field is invalid.";
		if (this.page.data && !this.dataIsAvailable) return this.isFolder ? "No image folder selected." : "Dataset not downloaded.";
		return this.unfit ? "These images cannot be trained on." : "Training continues if you close this page.";
	}
	get aboutData() {
		if (!this.page.data) return "";
		if (this.isFolder) return this.imageFolder ? `Images of ${this.imageFolder}.` : "Your own images.";
		return `${DATASETS[this.dataset]}: 50,000 training and 10,000 test images.`;
	}
	get aboutPreset() {
		const { preset, lesson } = this;
		if (!preset) return "";
		return `${preset.name}: ${preset.about}${lesson ? ` ${lessonNote(lesson)}` : ""}`;
	}
	get presetChanges() {
		if (!this.preset || this.lesson) return "";
		return `: ${this.preset.name}, ${this.budget} ${this.unit}`;
	}
	get hyperparameterChanges() {
		return this.changed.length ? `: ${counted(this.changed.length, "change", "changes")}` : "";
	}
	get dataChanges() {
		const shown = [this.dataset !== "cifar10" && (DATASETS[this.dataset] ?? "image folder"), this.initFrom].filter(Boolean);
		return shown.length ? `: ${shown.join(", from ")}` : "";
	}
};
// src/train/checks.ts
var CHECK_DELAY = 250;
var ESTIMATE_DELAY = 700;
function changeForm(page) {
	const { form } = page;
	form.suggestName();
	if (!form.initFrom) form.freezesBackbone = false;
	form.checked = void 0;
	clearTimeout(form.estimateTimer);
	clearTimeout(form.checkTimer);
	form.checkTimer = setTimeout(() => checkForm(page), CHECK_DELAY);
}
function choosePreset(page, name) {
	page.form.take(name);
	changeForm(page);
}
function chooseLesson(page, lesson) {
	page.form.takeLesson(lesson);
	changeForm(page);
}
async function checkForm(page) {
	const { form } = page;
	const mine = ++form.checks;
	const query = form.query();
	const isNamed = query.image_folder !== "";
	const reply = isNamed ? await page.host.request("check", query) : null;
	if (mine !== form.checks) return;
	if (isNamed && !isServed(reply)) form.refusal = {
		refused: reasonOf(reply),
		field: null
	};
	else form.refusal = reply && "refused" in reply && reply.refused ? reply : null;
	form.showRefusal(form.refusal);
	if (form.refusal || !isNamed) form.fillPlan({ Time: "" });
	else drawPlan(page, reply);
	form.checked = form.refusal ? "refused" : isNamed ? "fits" : "empty";
	if (form.refusal || !isNamed) return;
	if (query.image_folder && query.image_folder !== form.surveyed) showSurvey(page);
	else estimateSoon(page, query);
}
function drawPlan({ form }, reply) {
	const [rows, columns] = reply.grid;
	form.trainings = reply.trainings;
	form.grid = reply.grid;
	form.network = reply.model;
	const patches = `${rows} × ${columns} patches${prefixWords(reply.prefix)}`;
	form.fillPlan({
		Parameters: thousands(reply.parameters),
		Tokens: `${reply.tokens}: ${patches}`,
		Time: "measuring…"
	});
}
var keyOf = ({ preset, settings, init_from, image_folder }) => JSON.stringify([
	preset,
	settings,
	init_from,
	image_folder
]);
function estimateSoon(page, query) {
	const { form } = page;
	clearTimeout(form.estimateTimer);
	const delay = form.estimates[keyOf(query)] ? 0 : ESTIMATE_DELAY;
	form.estimateTimer = setTimeout(() => estimateNow(page, query), delay);
}
async function estimateNow(page, query) {
	const { form } = page;
	const mine = form.checks;
	const found = await estimateOf(page, query);
	if (mine !== form.checks || form.refusal) return;
	if (form.unfit) return form.fillPlan({ Time: "" });
	form.fillPlan({ Time: isServed(found) ? timeWords(found, form.unit === "epochs", form.trainings) : found.error });
	form.estimated = keyOf(query);
}
async function estimateOf(page, query) {
	const { estimates } = page.form;
	const key = keyOf(query);
	const found = estimates[key] ?? await page.host.request("estimate", query) ?? { error: "The server did not answer. Check that vitviz is still running, then try again." };
	if (isServed(found) && !page.running) estimates[key] = found;
	return found;
}
async function estimatePresets(page) {
	for (const { name, parameters, settings } of page.catalog.presets) {
		const found = await estimateOf(page, {
			preset: name,
			settings: {}
		});
		if (page.running) return;
		if (!isServed(found)) continue;
		const time = duration(found.seconds);
		const length = settings.epochs == null ? `${inEpochs(roundTo2(found.epochs))} in ${time}` : `about ${time}`;
		page.form.sizes[name] = `${millions(parameters)}, ${length}`;
	}
}
async function showSurvey(page) {
	const { form } = page;
	const query = form.query();
	const mine = ++form.surveys;
	form.unfit = "";
	form.surveyed = query.image_folder ?? "";
	form.survey = query.image_folder ? { note: "Reading the images…" } : null;
	if (!query.image_folder) return;
	const reply = await page.host.request("survey", query);
	if (mine !== form.surveys) return;
	if (!isServed(reply)) {
		form.surveyed = "";
		form.fillPlan({ Time: "" });
		return form.refuseImages(reasonOf(reply));
	}
	form.unfit = reply.problem;
	form.survey = reply;
	page.voice = reply.problem || surveyWords(reply);
	if (!form.refusal) checkForm(page);
}
var rejected = ({ refused, more }) => counted(refused.length + more, "file was", "files were");
var surveyWords = (reply) => `${counted(reply.counts.length, "class", "classes")} of images. ${rejected(reply)} rejected.`;
// src/train/curves.ts
var LINE_COLORS = [
	150,
	105,
	195,
	125,
	175
];
var DASHES = [
	"",
	"6 3",
	"2 3",
	"8 3 2 3",
	"1 4"
];
var MAX_POINTS = 300;
var LINE_NAMES = {
	loss: "training",
	train_accuracy: "training"
};
function subsample(points) {
	const every = Math.ceil(points.length / MAX_POINTS);
	return points.filter((_, i) => i % every === 0 || i === points.length - 1);
}
function pointAt(points, epoch) {
	if (epoch === null) return points.at(-1);
	return points.findLast(([at]) => at <= epoch + 1e-6 * Math.max(1, epoch));
}
function lastEpoch(names, runs, curves) {
	const ends = names.map((name) => {
		const run = runs.find((other) => other.name === name);
		const now = curves[name].lines.at(-1)?.epoch ?? 0;
		if (!run || !isRunning(run)) return now;
		return run.epochs ?? (run.progress > .02 ? now / run.progress : 1.5 * now);
	});
	return Math.max(...ends, .01);
}
function namesOfCurves(followed, overlaid, curves) {
	return (followed === null ? overlaid : [followed, ...overlaid.filter((name) => name !== followed)]).filter((name) => curves[name]?.lines.length);
}
function linesOf(keys, names, runs, curves, colorOf) {
	const isSeveral = names.length > 1;
	const nameOf = (run, key) => {
		if (isSeveral) return run;
		const measuredOn = () => runs.find(({ name }) => name === run)?.measured_on ?? "";
		return LINE_NAMES[key] ?? (key === "accuracy" ? measuredOn() : "");
	};
	return names.flatMap((run, i) => keys.slice(0, isSeveral ? 1 : void 0).map((key) => ({
		run,
		name: nameOf(run, key),
		points: subsample(pointsOf(curves[run].lines, key)),
		color: i ? colorOf(LINE_COLORS[(i - 1) % LINE_COLORS.length]) : "",
		dash: DASHES[i % DASHES.length],
		className: i ? "other" : key === "train_accuracy" ? "quiet" : "ink",
		isRead: i === 0
	})));
}
var accuracyLabel = (value, line, images) => accuracyNumber(value, line.className === "ink" ? images : images && Math.max(images, 100));
function pointsOf(lines, key) {
	return lines.flatMap((line) => {
		const value = line[key];
		return value == null ? [] : [[line.epoch, value]];
	});
}
function addMetrics(known, from, reply) {
	const { session, metrics, offset, whole } = reply;
	const { lines, offset: end } = known ?? {
		lines: [],
		offset: 0
	};
	if (!metrics || session === void 0 || offset === void 0) return null;
	if (!whole && (from !== end || !metrics.length)) return null;
	return {
		session,
		offset,
		lines: whole ? metrics : [...lines, ...metrics]
	};
}
// src/train/requests.ts
var EVERY = 1e3;
async function follow(page, source = page.catalog.sources[0]?.name, place = page.timeline.image, at) {
	page.timeline.pause();
	page.isAwaiting = false;
	const mine = source !== void 0 && isOfRun(source) ? runName(source) : null;
	page.followed = mine;
	page.overlaid = page.overlaid.filter((other) => other !== mine);
	page.source = null;
	updateAddress({ run: mine });
	page.announce();
	if (mine !== null) await fetchCurves(page, mine);
	if (page.followed !== mine) return;
	if (source) await page.timeline.load(source, place, at);
	if (page.followed !== mine) return;
	if (source && page.source === source) page.chosen = source;
	page.announce();
	wake(page);
}
function followNewest(page) {
	const run = page.running;
	if (run && run.name !== page.followed) return follow(page, sourceOf(run.name));
	page.isAwaiting = !run;
	wake(page);
}
function applyLists(page, reply) {
	page.version = reply.version ?? page.version;
	if (!reply.runs) return;
	const before = page.sources.join();
	page.runs = reply.runs;
	page.sweeps = reply.sweeps ?? [];
	page.data = reply.data ?? null;
	page.overlaid = page.overlaid.filter((name) => page.runOf(name));
	const isBusy = page.running !== void 0;
	const { form } = page;
	if (form.preset && isBusy !== page.wasBusy) changeForm(page);
	if (form.open.presets && page.wasBusy && !isBusy && !page.runningSweep) estimatePresets(page);
	page.wasBusy = isBusy;
	form.suggestName();
	if (page.source && page.sources.join() !== before) page.chosen = page.source;
	form.dropMissingChoices();
	page.announce();
	if (page.followed !== null && !page.runOf(page.followed)) follow(page);
}
async function fetchCurves(page, name) {
	const { session, offset } = page.curves[name] ?? {
		session: "",
		offset: 0
	};
	const reply = await page.host.request("poll", {
		version: page.version,
		run: name,
		session,
		offset
	});
	if (isServed(reply)) append(page, name, offset, reply);
}
function append(page, name, from, reply) {
	const curve = addMetrics(page.curves[name], from, reply);
	if (curve) page.curves = {
		...page.curves,
		[name]: curve
	};
}
function wake(page) {
	clearTimeout(page.timer);
	const somethingRuns = page.running || page.runningSweep || page.data?.download.running;
	if (page.isShown() && somethingRuns) page.timer = setTimeout(() => poll(page), EVERY);
}
async function poll(page) {
	if (page.isPolling) return;
	page.isPolling = true;
	try {
		await pollOnce(page);
	} finally {
		page.isPolling = false;
		wake(page);
	}
}
async function pollOnce(page) {
	const { followed: run, timeline, source } = page;
	const { session, offset } = run !== null && page.curves[run] || {
		session: "",
		offset: 0
	};
	const query = { version: page.version };
	if (run !== null) Object.assign(query, {
		run,
		session,
		offset
	});
	if (run !== null && source === sourceOf(run)) query.timeline = {
		source,
		image: timeline.image,
		from: timeline.past ? timeline.past.snapshots.length : 0
	};
	const mine = timeline.tickets;
	const reply = await page.host.request("poll", query);
	page.polls++;
	if (!isServed(reply)) return page.showNotice(reasonOf(reply), true);
	if (page.notice?.sentence === "The server did not answer. Check that vitviz is still running, then try again.") page.showNotice(null);
	if (page.version !== query.version) return;
	const trained = page.isTraining(run);
	applyLists(page, reply);
	if (run !== page.followed) return;
	if (trained && !page.isTraining(run)) page.isAwaiting = page.runningSweep !== void 0;
	if (page.isAwaiting && page.runningSweep && page.running) return followNewest(page);
	if (run !== null) append(page, run, offset, reply);
	const hasBegun = reply.whole && session !== "";
	const snapshots = reply.timeline;
	if (hasBegun) await timeline.load(page.source, timeline.image);
	else if (mine === timeline.tickets && snapshots && (snapshots.from === 0 || snapshots.epoch.length)) timeline.add(snapshots);
	for (const name of page.overlaid) if (page.isTraining(name)) await fetchCurves(page, name);
	if (run === null && !timeline.past) await timeline.load(page.source, timeline.image);
}
async function openAddress(page) {
	const params = new URLSearchParams(location.search);
	const [run, bundled] = [params.get("run"), params.get("timeline")];
	const indexOf = (name) => Math.trunc(Number(params.get(name)) || 0) - 1;
	const isAvailable = page.catalog.sources.some(({ name }) => name === bundled);
	const first = (run === null ? void 0 : page.runOf(run)) ?? (isAvailable ? null : page.running ?? page.runs?.[0]);
	await follow(page, first ? sourceOf(first.name) : isAvailable ? bundled ?? void 0 : void 0, Math.max(0, indexOf("probe")), indexOf("snapshot"));
	if (!run && !isAvailable && page.runningSweep) followNewest(page);
	if (run && !page.runOf(run)) page.showNotice(unavailable("run", run, page.followed ?? void 0));
	else if (bundled && !isAvailable) page.showNotice(unavailable("timeline", bundled, page.source ?? void 0));
	page.isIntroduced = indexOf("snapshot") >= 0 || matchMedia("(prefers-reduced-motion: reduce)").matches;
	introduce(page);
}
function introduce(page) {
	if (page.isIntroduced || page.followed !== null || !page.timeline.past || !page.isShown()) return;
	page.isIntroduced = true;
	page.timeline.introduce();
}
async function open(page) {
	if (page.isPolling) return;
	page.isPolling = true;
	const reply = await page.host.request("poll", { version: page.version });
	page.isPolling = false;
	if (!isServed(reply)) return page.fail(reasonOf(reply));
	page.showNotice(null);
	page.form.isLoaded = true;
	applyLists(page, reply);
	chooseLesson(page, page.catalog.lessons[0]);
	await openAddress(page);
}
function listen(page, root) {
	const { element } = page.host;
	const refresh = () => {
		if (!page.isShown()) return;
		introduce(page);
		page.runs ? poll(page) : open(page);
	};
	const watcher = new IntersectionObserver(([entry]) => {
		if (!element.isConnected) watcher.disconnect();
		else if (entry.isIntersecting) refresh();
	});
	watcher.observe(root);
	listenWhile(element, document, "visibilitychange", refresh);
	listenWhile(element, window, "focus", refresh);
}
function start(page, root) {
	page.root = root;
	listen(page, root);
	if (!page.catalog.public) open(page);
	else if (page.catalog.sources.length) openAddress(page);
	else page.fail("No timeline found.");
}
// src/train/snapshots.ts
var BARS = 6;
function addSnapshots(past, reply) {
	const { shape, classes, images } = reply;
	const known = !reply.from && shape && classes && images ? {
		shape,
		classes,
		images,
		snapshots: []
	} : past;
	return known && {
		...known,
		snapshots: [...known.snapshots.slice(0, reply.from), ...snapshotsOf(known.shape, reply)]
	};
}
function snapshotsOf(shape, reply) {
	const weights = uint16Of(reply.rows);
	const tokens = tokenCount(shape);
	const heads = shape.layers * shape.heads;
	const size = heads * tokens;
	const rows = makeRows(shape);
	const means = rows.cells.filter((_, k) => k % rows.across === shape.heads || k >= shape.layers * rows.across);
	return reply.epoch.map((epoch, i) => {
		const defaultRows = Float32Array.from(weights.subarray(i * size, (i + 1) * size), (weight) => weight / 65535);
		const rowOfHead = (_, k) => defaultRows.subarray(k * tokens, (k + 1) * tokens);
		fillRows(rows, shape, {
			defaultRows,
			full: null
		}, [], "from", () => false);
		return {
			epoch,
			seconds: reply.seconds[i],
			defaultRows,
			probabilities: reply.probabilities[i],
			entropy: reply.entropy?.[i] ?? null,
			distance: reply.distance?.[i] ?? null,
			limit: sharedLimit(shape, defaultRows),
			meanLimit: sharedLimit(shape, joined(means)),
			probeLoss: reply.probe_loss?.[i] ?? null,
			probeAccuracy: reply.probe_accuracy?.[i] ?? null,
			effective: Array.from({ length: heads }, rowOfHead).map(effectiveTokens)
		};
	});
}
function joined(rows) {
	const all = new Float32Array(rows.length * rows[0].length);
	rows.forEach((row, k) => {
		all.set(row, k * row.length);
	});
	return all;
}
function snapshotPoints(past, key) {
	return (past?.snapshots ?? []).flatMap((now) => {
		const value = now[key];
		return value === null ? [] : [[now.epoch, value]];
	});
}
function rankedClasses({ classes, snapshots }, truth) {
	const last = snapshots[snapshots.length - 1].probabilities;
	const ranking = last.map((_, k) => k).sort((a, b) => last[b] - last[a]).slice(0, Math.min(BARS, classes.length));
	if (truth >= 0 && !ranking.includes(truth)) ranking[ranking.length - 1] = truth;
	return ranking;
}
function shownLayers(layers) {
	const all = [...Array(layers).keys()];
	if (layers <= 6) return all;
	return all.filter((layer) => layer % Math.ceil(layers / 6) === 0 || layer === layers - 1);
}
function layerPoints({ shape, snapshots }, layer, valuesOf) {
	const { heads } = shape;
	return snapshots.map((now) => [now.epoch, meanOf(valuesOf(now).slice(layer * heads, (layer + 1) * heads))]);
}
// src/train/timeline.svelte.ts
var STEP = 200;
var Timeline$1 = class {
	page;
	#image = state(0);
	get image() {
		return get(this.#image);
	}
	set image(value) {
		set(this.#image, value, true);
	}
	#snapshot = state(-1);
	get snapshot() {
		return get(this.#snapshot);
	}
	set snapshot(value) {
		set(this.#snapshot, value, true);
	}
	#past = state(null);
	get past() {
		return get(this.#past);
	}
	set past(value) {
		set(this.#past, value);
	}
	#shape = state(null);
	get shape() {
		return get(this.#shape);
	}
	set shape(value) {
		set(this.#shape, value);
	}
	#images = state([]);
	get images() {
		return get(this.#images);
	}
	set images(value) {
		set(this.#images, value);
	}
	#count = state(void 0);
	get count() {
		return get(this.#count);
	}
	set count(value) {
		set(this.#count, value, true);
	}
	#isLive = state(null);
	get isLive() {
		return get(this.#isLive);
	}
	set isLive(value) {
		set(this.#isLive, value, true);
	}
	#reason = user_derived(() => noSnapshotsReason(this.page.run));
	get reason() {
		return get(this.#reason);
	}
	set reason(value) {
		set(this.#reason, value);
	}
	#chosen = state({
		layer: -1,
		head: -1
	});
	get chosen() {
		return get(this.#chosen);
	}
	set chosen(value) {
		set(this.#chosen, value);
	}
	#read = state(-1);
	get read() {
		return get(this.#read);
	}
	set read(value) {
		set(this.#read, value, true);
	}
	#isPlaying = state(false);
	get isPlaying() {
		return get(this.#isPlaying);
	}
	set isPlaying(value) {
		set(this.#isPlaying, value, true);
	}
	#cursor = state(null);
	get cursor() {
		return get(this.#cursor);
	}
	set cursor(value) {
		set(this.#cursor, value, true);
	}
	tickets = 0;
	#now = user_derived(() => this.past?.snapshots[this.snapshot]);
	get now() {
		return get(this.#now);
	}
	set now(value) {
		set(this.#now, value);
	}
	#maps = user_derived(() => this.#fillMaps());
	get maps() {
		return get(this.#maps);
	}
	set maps(value) {
		set(this.#maps, value);
	}
	#limits = user_derived(() => {
		const { snapshots } = this.past ?? {};
		return {
			heads: Math.max(...snapshots?.map(({ limit }) => limit) ?? [1]),
			means: Math.max(...snapshots?.map(({ meanLimit }) => meanLimit) ?? [1])
		};
	});
	get limits() {
		return get(this.#limits);
	}
	set limits(value) {
		set(this.#limits, value);
	}
	#scales = user_derived(() => ({
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
			isWeight: true
		}
	}));
	#mapLine = user_derived(() => this.#lineOfMap());
	get mapLine() {
		return get(this.#mapLine);
	}
	set mapLine(value) {
		set(this.#mapLine, value);
	}
	#epochShown = user_derived(() => {
		const { followed, source } = this.page;
		return this.past && followed !== null && source === sourceOf(followed) ? this.cursor : null;
	});
	get epochShown() {
		return get(this.#epochShown);
	}
	set epochShown(value) {
		set(this.#epochShown, value);
	}
	#isChosen = false;
	#buffers = null;
	#timer;
	#addressTimer;
	#speechTimer;
	#introduction = null;
	#frame = 0;
	#measures = 0;
	constructor(page) {
		this.page = page;
	}
	async load(name, place, at = this.#stay(name)) {
		if (!name) return;
		const { page } = this;
		const mine = ++this.tickets;
		page.state = "working";
		const timeline = {
			source: name,
			image: place,
			from: 0
		};
		const reply = await page.host.request("poll", {
			version: page.version,
			timeline
		});
		if (mine !== this.tickets) return;
		if (!reply || isRefusal(reply)) {
			if (page.source !== name) {
				page.source = name;
				this.#clear();
			}
			return page.fail(reasonOf(reply));
		}
		applyLists(page, reply);
		if (mine !== this.tickets) return;
		page.source = name;
		this.image = reply.timeline?.image ?? place;
		this.past = null;
		this.add(reply.timeline ?? null, at);
	}
	#stay(name) {
		const { past, snapshot, page } = this;
		return page.source === name && past && snapshot < past.snapshots.length - 1 ? snapshot : -1;
	}
	add(reply, stays = null) {
		if (!reply) return this.#clear();
		const follows = !this.past || this.snapshot >= this.past.snapshots.length - 1;
		const past = addSnapshots(this.past, reply);
		if (!past) return this.#clear();
		if (!reply.from) this.#start(past, reply.image ?? 0);
		const last = past.snapshots.length - 1;
		this.page.state = "ready";
		this.count = past.snapshots.length;
		this.isLive = true;
		this.show(stays !== null && stays >= 0 ? Math.min(stays, last) : follows ? last : Math.min(this.snapshot, last), past);
		this.#markPainted();
	}
	#start({ shape, images, snapshots }, image) {
		this.past = null;
		this.image = image;
		if (JSON.stringify(shape) !== JSON.stringify(this.shape)) this.shape = shape;
		if (JSON.stringify(images) !== JSON.stringify(this.images)) this.images = images;
		const { layer, head } = this.chosen;
		if (!this.#isChosen || layer >= shape.layers || head >= shape.heads) this.chosen = sharpestHead(shape, snapshots[snapshots.length - 1].defaultRows);
	}
	#clear() {
		this.past = null;
		this.snapshot = -1;
		this.count = 0;
		this.isLive = false;
		this.page.state = "ready";
		this.#markPainted();
	}
	#markPainted() {
		if (this.page.root) markPainted(this.page.root, `${this.page.source} ${this.image}`);
	}
	show(place, past = this.past) {
		flushSync();
		const start = performance.now();
		this.past = past;
		this.snapshot = place;
		flushSync();
		if (++this.#measures % 1e3 === 0) performance.clearMeasures("vitviz:snapshot");
		performance.measure("vitviz:snapshot", {
			start,
			end: performance.now()
		});
		this.#frame ||= requestAnimationFrame(() => {
			this.#frame = 0;
			this.cursor = this.now?.epoch ?? null;
		});
		clearTimeout(this.#addressTimer);
		this.#addressTimer = setTimeout(() => this.#updateAddress(), 600);
	}
	#updateAddress() {
		const { followed, source, catalog, root } = this.page;
		if (!root?.clientWidth) return;
		const isFirst = source === catalog.sources[0]?.name;
		const isLast = !this.past || this.snapshot === this.past.snapshots.length - 1;
		updateAddress({
			run: followed,
			timeline: followed || isFirst ? null : source,
			probe: this.image && this.image + 1,
			snapshot: isLast ? null : this.snapshot + 1
		});
	}
	goTo(place) {
		this.pause();
		if (this.past) this.show(place);
	}
	step(by) {
		this.pause();
		if (this.past) this.show(Math.min(this.past.snapshots.length - 1, Math.max(0, this.snapshot + by)));
	}
	introduce() {
		if (!this.past) return;
		this.show(0);
		this.play();
		const stop = ({ target, key }) => {
			if (!(key === " " || target instanceof Element && target.closest("[data-do=play]"))) this.pause();
			this.#introduction?.abort();
		};
		this.#introduction = new AbortController();
		const { signal } = this.#introduction;
		for (const type of ["pointerdown", "keydown"]) document.addEventListener(type, stop, {
			capture: true,
			signal
		});
	}
	play() {
		if (this.isPlaying) return this.pause();
		if (this.past && this.snapshot >= this.past.snapshots.length - 1) this.show(0);
		this.isPlaying = true;
		this.#timer = setInterval(() => {
			if (!this.past || this.snapshot >= this.past.snapshots.length - 1 || !this.page.host.element.isConnected) return this.pause();
			this.show(this.snapshot + 1);
		}, STEP);
	}
	pause() {
		this.#introduction?.abort();
		clearInterval(this.#timer);
		this.isPlaying = false;
	}
	scaleOf(layer, head) {
		return layer === -1 || head === -1 ? get(this.#scales).means : get(this.#scales).heads;
	}
	choose(layer, head) {
		this.#isChosen = true;
		this.chosen = {
			layer,
			head
		};
		this.read = -1;
		this.#announceSoon();
	}
	readPatch(patch) {
		if (!this.past || this.read === patch) return;
		this.read = patch;
		clearTimeout(this.#speechTimer);
		if (patch >= 0) this.#announceSoon();
	}
	#announceSoon() {
		clearTimeout(this.#speechTimer);
		this.#speechTimer = setTimeout(() => {
			this.page.voice = textOf(this.mapLine);
		}, 600);
	}
	#fillMaps() {
		if (!this.past || !this.now) return null;
		const { shape } = this.past;
		if (this.#buffers?.shape !== shape) this.#buffers = {
			shape,
			rows: makeRows(shape)
		};
		const { rows } = this.#buffers;
		fillRows(rows, shape, {
			defaultRows: this.now.defaultRows,
			full: null
		}, [], "from", () => false);
		return { rows };
	}
	#lineOfMap() {
		if (!this.maps || !this.past) return [];
		const { chosen, read, past } = this;
		const { shape } = past;
		const row = rowOf(this.maps.rows, shape, chosen.layer, chosen.head);
		const patch = read >= 0 ? read : largest(row, shape.prefix) - shape.prefix;
		const weight = row[shape.prefix + patch];
		const place = read < 0 && isUniformMap({ row }, shape) ? "the same for all patches" : `${read >= 0 ? "" : "most to "}${patchName(patch, shape)}`;
		const times = timesUniform(weight / uniformWeight(shape));
		return [
			{ strong: mapName(chosen.layer, chosen.head) },
			`: ${place}, `,
			{ strong: percent(weight) },
			`, ${times} uniform.`
		];
	}
};
// src/train/state.svelte.ts
var BRIEF_NOTICE = 8e3;
var sourceOf = (run) => `runs/${run}`;
var exploreAddress = (run) => `?checkpoint=${encodeURIComponent(sourceOf(run))}`;
var TrainPage = class {
	host;
	catalog;
	theme;
	root = null;
	#state = state("working");
	get state() {
		return get(this.#state);
	}
	set state(value) {
		set(this.#state, value, true);
	}
	#voice = state("");
	get voice() {
		return get(this.#voice);
	}
	set voice(value) {
		set(this.#voice, value, true);
	}
	#notice = state(null);
	get notice() {
		return get(this.#notice);
	}
	set notice(value) {
		set(this.#notice, value);
	}
	#polls = state(0);
	get polls() {
		return get(this.#polls);
	}
	set polls(value) {
		set(this.#polls, value, true);
	}
	version = "";
	#runs = state(null);
	get runs() {
		return get(this.#runs);
	}
	set runs(value) {
		set(this.#runs, value);
	}
	#sweeps = state([]);
	get sweeps() {
		return get(this.#sweeps);
	}
	set sweeps(value) {
		set(this.#sweeps, value);
	}
	#data = state(null);
	get data() {
		return get(this.#data);
	}
	set data(value) {
		set(this.#data, value);
	}
	#followed = state(null);
	get followed() {
		return get(this.#followed);
	}
	set followed(value) {
		set(this.#followed, value, true);
	}
	#source = state(null);
	get source() {
		return get(this.#source);
	}
	set source(value) {
		set(this.#source, value, true);
	}
	#chosen = state("");
	get chosen() {
		return get(this.#chosen);
	}
	set chosen(value) {
		set(this.#chosen, value, true);
	}
	#curves = state({});
	get curves() {
		return get(this.#curves);
	}
	set curves(value) {
		set(this.#curves, value);
	}
	#overlaid = state([]);
	get overlaid() {
		return get(this.#overlaid);
	}
	set overlaid(value) {
		set(this.#overlaid, value);
	}
	form;
	timeline;
	isPolling = false;
	timer;
	isAwaiting = false;
	isIntroduced = true;
	wasBusy = false;
	acting = new Set();
	announced = null;
	#run = user_derived(() => this.followed === null ? void 0 : this.runOf(this.followed));
	get run() {
		return get(this.#run);
	}
	set run(value) {
		set(this.#run, value);
	}
	#running = user_derived(() => this.runs?.find(isRunning));
	get running() {
		return get(this.#running);
	}
	set running(value) {
		set(this.#running, value);
	}
	#runningSweep = user_derived(() => this.sweeps.find(isRunning));
	get runningSweep() {
		return get(this.#runningSweep);
	}
	set runningSweep(value) {
		set(this.#runningSweep, value);
	}
	#bundled = user_derived(() => this.catalog.sources.find(({ name }) => name === this.source));
	get bundled() {
		return get(this.#bundled);
	}
	set bundled(value) {
		set(this.#bundled, value);
	}
	#words = user_derived(() => this.wordsNow());
	get words() {
		return get(this.#words);
	}
	set words(value) {
		set(this.#words, value);
	}
	#sources = user_derived(() => [...(this.runs ?? []).map(({ name }) => sourceOf(name)), ...this.catalog.sources.map(({ name }) => name)]);
	get sources() {
		return get(this.#sources);
	}
	set sources(value) {
		set(this.#sources, value);
	}
	constructor(host) {
		this.host = host;
		this.catalog = host.catalog;
		this.theme = new ThemeColors(host.element, host.catalog.colors);
		if (host.catalog.public) this.runs = [];
		this.form = new FormState(this);
		this.timeline = new Timeline$1(this);
	}
	runOf(name) {
		return this.runs?.find((run) => run.name === name);
	}
	isTraining(name) {
		const run = name === null ? void 0 : this.runOf(name);
		return run !== void 0 && isRunning(run);
	}
	isShown() {
		return this.host.element.isConnected && this.root?.offsetParent != null && !document.hidden;
	}
	table(kind) {
		return this.theme.table(kind);
	}
	wordsNow() {
		if (this.run) return runWords(this.run);
		if (this.bundled) return sourceWords(this.bundled);
		return {
			headline: this.runs || this.notice ? "Training" : "",
			line: ""
		};
	}
	announce() {
		const { run, words } = this;
		if (run && this.announced !== null && run.state !== this.announced) this.voice = `${words.headline}. ${words.line}`;
		this.announced = run?.state ?? "";
	}
	showNotice(sentence, isError = false) {
		this.notice = sentence ? {
			sentence,
			isError
		} : null;
		this.announce();
		if (sentence) this.voice = sentence;
	}
	showBriefly(sentence) {
		this.showNotice(sentence);
		const mine = this.notice;
		setTimeout(() => {
			if (this.notice === mine) this.showNotice(null);
		}, BRIEF_NOTICE);
	}
	fail(sentence) {
		this.state = "error";
		this.showNotice(sentence, true);
	}
};
var sourceName = (source) => isOfRun(source) ? source.slice(5) : `${source} (bundled)`;
// src/train/Chart.svelte
var root$21 = from_html(`<p class="note">Measured after each epoch.</p>`);
var root_1$19 = from_svg(`<text text-anchor="middle"> </text>`);
var root_2$9 = from_svg(`<line class="cursor"></line>`);
var root_3$5 = from_svg(`<circle r="3"></circle>`);
var root_4$5 = from_svg(`<polyline></polyline><!>`, 1);
var root_5$4 = from_svg(`<polyline></polyline>`);
var root_6$3 = from_svg(`<text> </text><!>`, 1);
var root_7$2 = from_svg(`<svg aria-hidden="true"><!><!><text text-anchor="middle"> </text><!><!><!></svg>`);
var root_8$1 = from_html(`<div class="chart"><!></div>`);
function Chart($$anchor, $$props) {
	push($$props, true);
	const axis = prop($$props, "axis", 3, String), bare = prop($$props, "bare", 3, false);
	const LETTER_WIDTH = 6.4;
	const MIN_WIDTH = 80;
	let width = state(0);
	const shown = user_derived(() => $$props.lines.map((line) => {
		const at = pointAt(line.points, line.isRead ? $$props.cursor : null);
		return {
			line,
			at,
			text: `${line.name} ${at ? $$props.print(at[1], line) : ""}`.trim()
		};
	}));
	const isKeyed = user_derived(() => $$props.lines.some(({ color }) => color));
	const longest = user_derived(() => Math.max(...get(shown).map(({ text }) => text.length)));
	const room = user_derived(() => bare() ? get(isKeyed) ? 40 : 56 : get(isKeyed) ? Math.min(.6 * get(width), 34 + LETTER_WIDTH * get(longest)) : 104);
	const right = user_derived(() => get(width) - get(room));
	const frame = user_derived(() => ({
		left: bare() ? 48 : 44,
		right: get(right),
		top: 8,
		bottom: $$props.height - 22
	}));
	const limit = user_derived(() => ($$props.end ?? 1.08 * Math.max(...$$props.lines.flatMap(({ points }) => points.map(([, value]) => value)))) || 1);
	const x = user_derived(() => (epoch) => get(frame).left + Math.min(epoch, $$props.last) / $$props.last * (get(frame).right - get(frame).left));
	const y = user_derived(() => valueScale(get(frame), get(limit)));
	const lastWords = user_derived(() => inEpochs(epochText($$props.last)));
	const epochs = user_derived(() => ticks($$props.last, Math.max(1, (get(frame).right - get(frame).left) / 90)).filter((tick) => get(x)(tick) < get(frame).right - .5 * LETTER_WIDTH * get(lastWords).length - 20));
	const paths = user_derived(() => $$props.lines.map(({ points }) => pointsText(points.map(([epoch, value]) => [get(x)(epoch), get(y)(value)]))));
	const labels = user_derived(() => {
		if (bare() && get(isKeyed)) return [];
		const ends = get(shown).map(({ line, text }) => {
			const [lastX, lastY] = line.points[line.points.length - 1];
			return {
				line,
				x: get(isKeyed) ? get(frame).right + 26 : get(x)(lastX) + 8,
				y: get(y)(lastY),
				text
			};
		});
		return placeLabels(ends, get(frame)).map((label) => ({
			...label,
			x: Math.min(label.x, get(width) - LETTER_WIDTH * label.text.length)
		}));
	});
	const styleOf = ({ color, dash }) => `${color ? `stroke: ${color};` : ""} stroke-dasharray: ${dash || "none"}`;
	function measure(measured) {
		if (measured >= MIN_WIDTH) set(width, Math.floor(measured), true);
	}
	var div = root_8$1();
	var node = child(div);
	var consequent = ($$anchor) => {
		var p = root$21();
		append$1($$anchor, p);
	};
	var consequent_4 = ($$anchor) => {
		var svg = root_7$2();
		var node_1 = child(svg);
		ValueAxis(node_1, {
			get frame() {
				return get(frame);
			},
			get end() {
				return get(limit);
			},
			get print() {
				return axis();
			}
		});
		var node_2 = sibling(node_1);
		each(node_2, 16, () => get(epochs), (tick) => tick, ($$anchor, tick) => {
			var text_1 = root_1$19();
			var text_2 = only_child(text_1, true);
			template_effect(($0, $1) => {
				set_attribute(text_1, "x", $0);
				set_attribute(text_1, "y", $$props.height - 4);
				set_text(text_2, $1);
			}, [() => get(x)(tick), () => tickText(tick)]);
			append$1($$anchor, text_1);
		});
		var text_3 = sibling(node_2);
		var text_4 = only_child(text_3, true);
		var node_3 = sibling(text_3);
		var consequent_1 = ($$anchor) => {
			var line_1 = root_2$9();
			template_effect(($0, $1) => {
				set_attribute(line_1, "x1", $0);
				set_attribute(line_1, "x2", $1);
				set_attribute(line_1, "y1", get(frame).top - 4);
				set_attribute(line_1, "y2", get(frame).bottom);
			}, [() => get(x)($$props.cursor), () => get(x)($$props.cursor)]);
			append$1($$anchor, line_1);
		};
		if_block(node_3, ($$render) => {
			if ($$props.cursor !== null && $$props.cursor <= $$props.last) $$render(consequent_1);
		});
		var node_4 = sibling(node_3);
		each(node_4, 17, () => get(shown), index, ($$anchor, $$item, i) => {
			let line = () => get($$item).line;
			let at = () => get($$item).at;
			var fragment = root_4$5();
			var polyline = first_child(fragment);
			var node_5 = sibling(polyline);
			var consequent_2 = ($$anchor) => {
				var circle = root_3$5();
				template_effect(($0, $1) => {
					set_class(circle, 0, `end ${line().className ?? ""}`);
					set_attribute(circle, "cx", $0);
					set_attribute(circle, "cy", $1);
					set_style(circle, line().color ? `fill: ${line().color}` : "");
				}, [() => get(x)(at()[0]), () => get(y)(at()[1])]);
				append$1($$anchor, circle);
			};
			if_block(node_5, ($$render) => {
				if (at()) $$render(consequent_2);
			});
			template_effect(($0) => {
				set_class(polyline, 0, `curve ${line().className ?? ""}`);
				set_style(polyline, $0);
				set_attribute(polyline, "points", get(paths)[i]);
			}, [() => styleOf(line())]);
			append$1($$anchor, fragment);
		});
		var node_6 = sibling(node_4);
		each(node_6, 17, () => get(labels), index, ($$anchor, $$item) => {
			let line = () => get($$item).line;
			let left = () => get($$item).x;
			let high = () => get($$item).y;
			let text = () => get($$item).text;
			var fragment_1 = root_6$3();
			var text_5 = first_child(fragment_1);
			var text_6 = only_child(text_5, true);
			var node_7 = sibling(text_5);
			var consequent_3 = ($$anchor) => {
				var polyline_1 = root_5$4();
				template_effect(($0) => {
					set_class(polyline_1, 0, `curve ${line().className ?? ""}`);
					set_style(polyline_1, $0);
					set_attribute(polyline_1, "points", `${left() - 18},${high() ?? ""} ${left() - 4},${high() ?? ""}`);
				}, [() => styleOf(line())]);
				append$1($$anchor, polyline_1);
			};
			if_block(node_7, ($$render) => {
				if (get(isKeyed)) $$render(consequent_3);
			});
			template_effect(() => {
				set_class(text_5, 0, `name ${line().className ?? ""}`);
				set_attribute(text_5, "x", left());
				set_attribute(text_5, "y", high() + 4);
				set_text(text_6, text());
			});
			append$1($$anchor, fragment_1);
		});
		reset(svg);
		template_effect(() => {
			set_attribute(svg, "width", get(width));
			set_attribute(svg, "height", $$props.height);
			set_attribute(text_3, "x", get(frame).right);
			set_attribute(text_3, "y", $$props.height - 4);
			set_text(text_4, get(lastWords));
		});
		append$1($$anchor, svg);
	};
	if_block(node, ($$render) => {
		if (get(width) && !$$props.lines.length) $$render(consequent);
		else if (get(width)) $$render(consequent_4, 1);
	});
	reset(div);
	bind_element_size(div, "clientWidth", measure);
	append$1($$anchor, div);
	pop();
}
// src/train/Curves.svelte
var root$20 = from_html(`<div class="small-curves"><figure data-curve="rate"><h2>Learning rate</h2><!></figure> <figure data-curve="speed"><h2>Images per second</h2><!></figure></div>`);
var root_1$18 = from_html(`<div><figure data-curve="loss"><h2> </h2><!></figure> <figure data-curve="accuracy"><h2> </h2><!></figure> <!></div> <p class="note curves-note"> </p>`, 1);
function Curves($$anchor, $$props) {
	push($$props, true);
	const names = user_derived(() => namesOfCurves($$props.page.followed, $$props.page.overlaid, $$props.page.curves));
	const hasLines = user_derived(() => get(names).length > 0 && get(names)[0] === $$props.page.followed);
	const probed = user_derived(() => $$props.page.bundled ? $$props.page.timeline.past : null);
	const isShown = user_derived(() => get(hasLines) || snapshotPoints(get(probed), "probeLoss").length > 0);
	const last = user_derived(() => get(probed)?.snapshots.at(-1)?.epoch ?? (get(hasLines) ? lastEpoch(get(names), $$props.page.runs ?? [], $$props.page.curves) : 1));
	const cursor = user_derived(() => get(probed) ? $$props.page.timeline.cursor : $$props.page.timeline.epochShown);
	const ofProbes = user_derived(() => get(probed) ? `, ${get(probed).images.length} probe images` : "");
	const colorOf = (entry) => cssColor($$props.page.table("seq")[entry]);
	function lines(...keys) {
		if (!get(hasLines)) return [];
		return linesOf(keys, get(names), $$props.page.runs ?? [], $$props.page.curves, colorOf).filter(({ points }) => points.length);
	}
	const evaluated = user_derived(() => get(probed)?.images.length ?? $$props.page.run?.eval_samples);
	function probeLines(key) {
		const points = snapshotPoints(get(probed), key);
		return points.length ? [{
			run: "",
			name: "",
			points,
			color: "",
			dash: "",
			className: "ink",
			isRead: true
		}] : [];
	}
	const loss = user_derived(() => get(probed) ? probeLines("probeLoss") : lines("loss"));
	const accuracy = user_derived(() => get(probed) ? probeLines("probeAccuracy") : lines("accuracy", "train_accuracy"));
	const rate = user_derived(() => lines("learning_rate"));
	const speed = user_derived(() => lines("images_per_second"));
	const rateText = (value) => value > 0 && value < 1e-4 ? value.toExponential(0) : roundTo2(value);
	var fragment = root_1$18();
	var div = first_child(fragment);
	var figure = child(div);
	var h2 = child(figure);
	var text = only_child(h2);
	var node = sibling(h2);
	{
		let $0 = user_derived(() => get(probed) ? 120 : 176);
		Chart(node, {
			get lines() {
				return get(loss);
			},
			get last() {
				return get(last);
			},
			get cursor() {
				return get(cursor);
			},
			get height() {
				return get($0);
			},
			print: (value) => value.toFixed(2)
		});
	}
	reset(figure);
	var figure_1 = sibling(figure, 2);
	var h2_1 = child(figure_1);
	var text_1 = only_child(h2_1);
	var node_1 = sibling(h2_1);
	{
		let $0 = user_derived(() => get(probed) ? 120 : 176);
		Chart(node_1, {
			get lines() {
				return get(accuracy);
			},
			get last() {
				return get(last);
			},
			get cursor() {
				return get(cursor);
			},
			get height() {
				return get($0);
			},
			end: 1,
			print: (value, line) => accuracyLabel(value, line, get(evaluated)),
			axis: (tick) => percent(tick, 0)
		});
	}
	reset(figure_1);
	var node_2 = sibling(figure_1, 2);
	var consequent = ($$anchor) => {
		var div_1 = root$20();
		var figure_2 = child(div_1);
		Chart(sibling(child(figure_2)), {
			get lines() {
				return get(rate);
			},
			get last() {
				return get(last);
			},
			get cursor() {
				return get(cursor);
			},
			height: 76,
			print: rateText,
			axis: rateText,
			bare: true
		});
		reset(figure_2);
		var figure_3 = sibling(figure_2, 2);
		Chart(sibling(child(figure_3)), {
			get lines() {
				return get(speed);
			},
			get last() {
				return get(last);
			},
			get cursor() {
				return get(cursor);
			},
			height: 76,
			print: (value) => value.toFixed(0),
			bare: true
		});
		reset(figure_3);
		reset(div_1);
		append$1($$anchor, div_1);
	};
	if_block(node_2, ($$render) => {
		if (!get(probed)) $$render(consequent);
	});
	reset(div);
	var p = sibling(div, 2);
	var text_2 = only_child(p, true);
	template_effect(($0) => {
		set_class(div, 1, clsx(["curves", { probed: get(probed) }]));
		set_attribute(div, "hidden", !get(isShown));
		set_text(text, `Loss${get(ofProbes) ?? ""}`);
		set_text(text_1, `Accuracy${get(ofProbes) ?? ""}`);
		set_attribute(p, "hidden", !get(isShown));
		set_text(text_2, $0);
	}, [() => curvesNote($$props.page.run)]);
	append$1($$anchor, fragment);
	pop();
}
// src/train/actions.ts
async function act(page, name, argument, fail = (sentence) => page.showNotice(sentence, true)) {
	const mine = name + JSON.stringify(argument);
	if (page.acting.has(mine)) return null;
	page.acting.add(mine);
	const reply = await page.host.request(name, argument);
	page.acting.delete(mine);
	if (!isServed(reply)) {
		fail(reasonOf(reply));
		poll(page);
		return null;
	}
	page.showNotice(null);
	return reply;
}
async function requestChange(page, name, argument) {
	const reply = await act(page, name, argument);
	if (!reply) return false;
	applyLists(page, reply);
	wake(page);
	return true;
}
async function resumeRun(page, name, fail) {
	const reply = await act(page, "resume", { name }, fail);
	if (!reply) return;
	applyLists(page, reply);
	follow(page, sourceOf(name));
}
async function resumeSweep(page, name) {
	if (await requestChange(page, "resume_sweep", { name })) followNewest(page);
}
async function renameRun(page, name, newName, fail) {
	const reply = await act(page, "rename", {
		name,
		new: newName
	}, fail);
	if (!reply) return;
	if (page.followed === name) {
		page.followed = newName;
		updateAddress({ run: newName });
	}
	const { [name]: known, ...others } = page.curves;
	page.curves = known ? {
		...others,
		[newName]: known
	} : others;
	if (page.source === sourceOf(name)) page.source = sourceOf(newName);
	applyLists(page, reply);
}
async function deleteRun(page, name, fail) {
	const reply = await act(page, "delete", { name }, fail);
	if (!reply) return false;
	const { [name]: _, ...others } = page.curves;
	page.curves = others;
	applyLists(page, reply);
	return true;
}
async function downloadRun(page, name, tell) {
	tell("Preparing the checkpoint…", false);
	const reply = await act(page, "download", { name }, tell);
	if (!reply) return;
	saveContent(reply);
	tell(`Saved as ${reply.name}.`, false);
}
async function deleteZip(page, name) {
	const reply = await act(page, "delete_images", { name }, (sentence) => page.form.refuseImages(sentence));
	if (!reply) return;
	applyLists(page, reply);
	page.voice = `${name} deleted.`;
	showSurvey(page);
	changeForm(page);
}
async function overlay(page, name, isOn) {
	page.overlaid = isOn ? [...page.overlaid, name] : page.overlaid.filter((other) => other !== name);
	if (isOn) await fetchCurves(page, name);
}
// src/train/DeleteZip.svelte
var root$19 = from_html(` <button type="button" class="link" data-act="keep-zip">Cancel</button> <button type="button" class="link" data-act="really-delete-zip">Delete</button>`, 1);
var root_1$17 = from_html(`<button type="button" class="link" data-act="delete-zip"> </button>`);
var root_2$8 = from_html(`<p class="note delete-zip"><!></p>`);
function DeleteZip($$anchor, $$props) {
	push($$props, true);
	let asked = state("");
	let box;
	const name = user_derived(() => $$props.page.form.imageFolder);
	const isZip = user_derived(() => get(name).toLowerCase().endsWith(".zip"));
	function ask(zip) {
		set(asked, zip, true);
		flushSync();
		box.querySelector("button")?.focus();
	}
	async function confirm() {
		await deleteZip($$props.page, get(name));
		ask("");
	}
	const onKey = (event) => event.key === "Escape" && ask("");
	var p = root_2$8();
	var node = child(p);
	var consequent = ($$anchor) => {
		var fragment = root$19();
		var text = first_child(fragment);
		var button = sibling(text);
		var button_1 = sibling(button, 2);
		template_effect(() => set_text(text, `Delete ${get(name) ?? ""}? Runs trained on it stay, without their test images. `));
		delegated("click", button, () => ask(""));
		delegated("keydown", button, onKey);
		delegated("click", button_1, confirm);
		delegated("keydown", button_1, onKey);
		append$1($$anchor, fragment);
	};
	var alternate = ($$anchor) => {
		var button_2 = root_1$17();
		var text_1 = only_child(button_2);
		template_effect(() => set_text(text_1, `Delete ${get(name) ?? ""}`));
		delegated("click", button_2, () => ask(get(name)));
		append$1($$anchor, button_2);
	};
	if_block(node, ($$render) => {
		if (get(asked) && get(asked) === get(name)) $$render(consequent);
		else $$render(alternate, -1);
	});
	reset(p);
	bind_this(p, ($$value) => box = $$value, () => box);
	template_effect(() => set_attribute(p, "hidden", !get(isZip)));
	append$1($$anchor, p);
	pop();
}
delegate(["click", "keydown"]);
// src/train/Refusal.svelte
var root$18 = from_html(`<p class="refusal" role="alert"> </p>`);
function Refusal($$anchor, $$props) {
	push($$props, true);
	const field = prop($$props, "field", 3, null);
	var fragment = comment();
	var node = first_child(fragment);
	var consequent = ($$anchor) => {
		var p = root$18();
		var text = only_child(p, true);
		template_effect(() => {
			set_attribute(p, "hidden", !$$props.form.shownRefusal);
			set_text(text, $$props.form.shownRefusal?.refused ?? "");
		});
		append$1($$anchor, p);
	};
	if_block(node, ($$render) => {
		if ($$props.form.refusedField === field()) $$render(consequent);
	});
	append$1($$anchor, fragment);
	pop();
}
// src/train/Survey.svelte
var root$17 = from_html(`<tr><td> </td><td class="number"> </td><td class="number"> </td></tr>`);
var root_1$16 = from_html(`<table><thead><tr><th>Class</th><th class="number">Training</th><th class="number">Test</th></tr></thead><tbody></tbody></table>`);
var root_2$7 = from_html(`<p class="note"> </p>`);
var root_3$4 = from_html(`<p class="note">Without a test folder a fifth of each class is held out for validation.</p>`);
var root_4$4 = from_html(`<!> <!> <!>`, 1);
var root_5$3 = from_html(`<li><b> </b> </li>`);
var root_6$2 = from_html(`<li> </li>`);
var root_7$1 = from_html(`<p class="note"> </p> <ul class="not-taken"><!> <!></ul>`, 1);
var root_8 = from_html(`<p class="refusal"> </p>`);
var root_9 = from_html(`<div class="survey"><!></div>`);
function Survey($$anchor, $$props) {
	push($$props, true);
	const counts = ($$anchor, reply = noop) => {
		const empty = user_derived(() => emptyClasses(reply()));
		const isUsable = user_derived(() => get(empty).length < reply().counts.length);
		var fragment = root_4$4();
		var node = first_child(fragment);
		var consequent = ($$anchor) => {
			var table = root_1$16();
			var tbody = sibling(child(table));
			each(tbody, 21, () => reply().counts, ([label, train, test]) => label, ($$anchor, $$item) => {
				var $$array = user_derived(() => to_array(get($$item), 3));
				let label = () => get($$array)[0];
				let train = () => get($$array)[1];
				let test = () => get($$array)[2];
				var tr = root$17();
				var td = child(tr);
				var text = only_child(td, true);
				var td_1 = sibling(td);
				var text_1 = only_child(td_1, true);
				var td_2 = sibling(td_1);
				var text_2 = only_child(td_2, true);
				reset(tr);
				template_effect(() => {
					set_text(text, label());
					set_text(text_1, train());
					set_text(text_2, test());
				});
				append$1($$anchor, tr);
			});
			reset(tbody);
			reset(table);
			append$1($$anchor, table);
		};
		if_block(node, ($$render) => {
			if (reply().counts.length) $$render(consequent);
		});
		var node_1 = sibling(node, 2);
		var consequent_1 = ($$anchor) => {
			var p = root_2$7();
			var text_3 = only_child(p);
			template_effect(($0) => set_text(text_3, `Ignored, without training images: ${$0 ?? ""}.`), [() => get(empty).join(", ")]);
			append$1($$anchor, p);
		};
		if_block(node_1, ($$render) => {
			if (get(empty).length && get(isUsable)) $$render(consequent_1);
		});
		var node_2 = sibling(node_1, 2);
		var consequent_2 = ($$anchor) => {
			var p_1 = root_3$4();
			append$1($$anchor, p_1);
		};
		if_block(node_2, ($$render) => {
			if (reply().divided && get(isUsable)) $$render(consequent_2);
		});
		append$1($$anchor, fragment);
	};
	const rejected = ($$anchor, reply = noop) => {
		var fragment_1 = root_7$1();
		var p_2 = first_child(fragment_1);
		var text_4 = only_child(p_2);
		var ul = sibling(p_2, 2);
		var node_3 = child(ul);
		each(node_3, 17, () => byReason(reply()), ([why, files]) => why, ($$anchor, $$item) => {
			var $$array_1 = user_derived(() => to_array(get($$item), 2));
			let why = () => get($$array_1)[0];
			let files = () => get($$array_1)[1];
			var li = root_5$3();
			var b = child(li);
			var text_5 = only_child(b, true);
			var text_6 = sibling(b);
			reset(li);
			template_effect(($0) => {
				set_text(text_5, $0);
				set_text(text_6, `: ${why() ?? ""}`);
			}, [() => files()?.map(([name]) => name).join(", ")]);
			append$1($$anchor, li);
		});
		var node_4 = sibling(node_3, 2);
		var consequent_3 = ($$anchor) => {
			var li_1 = root_6$2();
			var text_7 = only_child(li_1);
			template_effect(() => set_text(text_7, `And ${reply().more ?? ""} more.`));
			append$1($$anchor, li_1);
		};
		if_block(node_4, ($$render) => {
			if (reply().more) $$render(consequent_3);
		});
		reset(ul);
		template_effect(($0) => set_text(text_4, `${$0 ?? ""} rejected:`), [() => counted(reply().refused.length + reply().more, "file was", "files were")]);
		append$1($$anchor, fragment_1);
	};
	const emptyClasses = ({ counts }) => counts.filter(([, train]) => !train).map(([label]) => label);
	const byReason = ({ refused }) => Object.entries(Object.groupBy(refused, ([, why]) => why));
	var div = root_9();
	var node_5 = child(div);
	var consequent_4 = ($$anchor) => {
		var p_3 = root_2$7();
		var text_8 = only_child(p_3, true);
		template_effect(() => set_text(text_8, $$props.survey.note));
		append$1($$anchor, p_3);
	};
	var consequent_7 = ($$anchor) => {
		var fragment_2 = root_4$4();
		var node_6 = first_child(fragment_2);
		var consequent_5 = ($$anchor) => {
			var p_4 = root_8();
			var text_9 = only_child(p_4, true);
			template_effect(() => set_text(text_9, $$props.survey.problem));
			append$1($$anchor, p_4);
		};
		if_block(node_6, ($$render) => {
			if ($$props.survey.problem) $$render(consequent_5);
		});
		var node_7 = sibling(node_6, 2);
		counts(node_7, () => $$props.survey);
		var node_8 = sibling(node_7, 2);
		var consequent_6 = ($$anchor) => {
			rejected($$anchor, () => $$props.survey);
		};
		if_block(node_8, ($$render) => {
			if ($$props.survey.refused.length) $$render(consequent_6);
		});
		append$1($$anchor, fragment_2);
	};
	var consequent_8 = ($$anchor) => {
		var p_5 = root_8();
		var text_10 = only_child(p_5, true);
		template_effect(() => set_text(text_10, $$props.survey.refused));
		append$1($$anchor, p_5);
	};
	if_block(node_5, ($$render) => {
		if ($$props.survey && "note" in $$props.survey) $$render(consequent_4);
		else if ($$props.survey && "problem" in $$props.survey) $$render(consequent_7, 1);
		else if ($$props.survey) $$render(consequent_8, 2);
	});
	reset(div);
	append$1($$anchor, div);
	pop();
}
// src/train/submit.ts
async function startTraining(page) {
	const { form } = page;
	if (form.cannotStart) return;
	form.isStarting = true;
	const query = form.query();
	const reply = await page.host.request("start", query);
	form.isStarting = false;
	if (!isServed(reply)) {
		form.refusal = null;
		form.showRefusal({
			refused: reasonOf(reply),
			field: null
		});
		poll(page);
		return;
	}
	form.nameIsEdited = false;
	applyLists(page, reply);
	form.name = form.freeName();
	if (query.vary) followNewest(page);
	else follow(page, sourceOf(query.name));
	await tick();
	showHeadline(page);
}
function showHeadline({ root }) {
	const headline = root?.querySelector(".headline");
	headline?.focus({ preventScroll: true });
	headline?.scrollIntoView({ block: "nearest" });
}
async function uploadZip(page, file) {
	const { catalog, form, host } = page;
	const instead = `into ${catalog.folder} instead, then reload this page.`;
	form.survey = { note: `Uploading ${file.name}…` };
	if (file.size > catalog.max_upload) {
		const limit = catalog.max_upload / 2 ** 20;
		const size = (file.size / 2 ** 20).toFixed(1);
		return form.refuseImages(`An uploaded zip may have at most ${limit} MiB: ${file.name} has ${size}. Unpack it ${instead}`);
	}
	let path;
	try {
		if (!host.upload) throw new Error("no upload");
		({path} = await host.upload(file));
	} catch {
		return form.refuseImages(`${file.name} could not be uploaded. Copy it ${instead}`);
	}
	const reply = await host.request("upload_images", {
		path,
		name: file.name
	});
	if (!isServed(reply)) return form.refuseImages(reasonOf(reply));
	applyLists(page, reply);
	form.imageFolder = reply.uploaded;
	changeForm(page);
	showSurvey(page);
}
// src/train/DataFields.svelte
var root$16 = from_html(`<option> </option>`);
var root_1$15 = from_html(`<details class="section dataset"><summary>Dataset and initial weights<span class="changes"> </span></summary> <div class="fields"><label data-field="dataset"><span>Dataset</span> <select name="dataset" class="button"><option>CIFAR-10, 10 classes</option><option>CIFAR-100, 100 classes</option><option>image folder</option></select></label> <!> <div class="image-folder"><p class="note no-folder">No image folders yet.</p> <label data-field="image_folder"><span>Folder</span> <select name="image_folder" class="button"></select></label> <!> <p class="note">A folder or zip with one folder of images per class in <span class="folder"> </span>, or <label class="link upload">upload a zip<input type="file" accept=".zip" aria-label="Upload a zip of images"/></label>.</p> <!> <!></div> <label data-field="init_from"><span>Initial weights</span> <select name="init_from" class="button"><option>random weights</option><!></select></label> <!> <label data-field="freeze_backbone"><input type="checkbox" name="freeze_backbone"/>Freeze backbone (train the classifier only)</label> <!></div></details>`);
function DataFields($$anchor, $$props) {
	push($$props, true);
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form);
	function chooseDataset(name) {
		get(form).dataset = name;
		showSurvey($$props.page);
		changeForm($$props.page);
	}
	function chooseFolder(name) {
		get(form).imageFolder = name;
		showSurvey($$props.page);
		changeForm($$props.page);
	}
	function chooseModel(name) {
		get(form).initFrom = name;
		changeForm($$props.page);
	}
	function upload(input) {
		const file = input.files?.[0];
		input.value = "";
		if (file) uploadZip($$props.page, file);
	}
	var details = root_1$15();
	var summary = child(details);
	var span = sibling(child(summary));
	var text = only_child(span, true);
	reset(summary);
	var div = sibling(summary, 2);
	var label = child(div);
	var select = sibling(child(label), 2);
	var option = child(select);
	option.value = option.__value = "cifar10";
	var option_1 = sibling(option);
	option_1.value = option_1.__value = "cifar100";
	var option_2 = sibling(option_1);
	option_2.value = option_2.__value = "folder";
	reset(select);
	var select_value;
	init_select(select);
	reset(label);
	var node = sibling(label, 2);
	Refusal(node, {
		get form() {
			return get(form);
		},
		field: "dataset"
	});
	var div_1 = sibling(node, 2);
	var p = child(div_1);
	var label_1 = sibling(p, 2);
	var select_1 = sibling(child(label_1), 2);
	each(select_1, 20, () => get(form).folders, (name) => name, ($$anchor, name) => {
		var option_3 = root$16();
		var text_1 = only_child(option_3, true);
		var option_3_value = {};
		template_effect(() => {
			set_text(text_1, name);
			if (option_3_value !== (option_3_value = name)) option_3.value = (option_3.__value = option_3_value) ?? "";
		});
		append$1($$anchor, option_3);
	});
	reset(select_1);
	var select_1_value;
	init_select(select_1);
	reset(label_1);
	var node_1 = sibling(label_1, 2);
	Refusal(node_1, {
		get form() {
			return get(form);
		},
		field: "image_folder"
	});
	var p_1 = sibling(node_1, 2);
	var span_1 = sibling(child(p_1));
	var text_2 = only_child(span_1, true);
	var label_2 = sibling(span_1, 2);
	var input_1 = sibling(child(label_2));
	reset(label_2);
	next();
	reset(p_1);
	var node_2 = sibling(p_1, 2);
	Survey(node_2, { get survey() {
		return get(form).survey;
	} });
	DeleteZip(sibling(node_2, 2), { get page() {
		return $$props.page;
	} });
	reset(div_1);
	var label_3 = sibling(div_1, 2);
	var select_2 = sibling(child(label_3), 2);
	var option_4 = child(select_2);
	option_4.value = option_4.__value = "";
	var node_4 = sibling(option_4);
	each(node_4, 16, () => get(form).models, (name) => name, ($$anchor, name) => {
		var option_5 = root$16();
		var text_3 = only_child(option_5, true);
		var option_5_value = {};
		template_effect(() => {
			set_text(text_3, name);
			if (option_5_value !== (option_5_value = name)) option_5.value = (option_5.__value = option_5_value) ?? "";
		});
		append$1($$anchor, option_5);
	});
	reset(select_2);
	var select_2_value;
	init_select(select_2);
	reset(label_3);
	var node_5 = sibling(label_3, 2);
	Refusal(node_5, {
		get form() {
			return get(form);
		},
		field: "init_from"
	});
	var label_4 = sibling(node_5, 2);
	var input_2 = child(label_4);
	remove_input_defaults(input_2);
	next();
	reset(label_4);
	Refusal(sibling(label_4, 2), {
		get form() {
			return get(form);
		},
		field: "freeze_backbone"
	});
	reset(div);
	reset(details);
	template_effect(($0, $1, $2, $3) => {
		set_text(text, get(form).dataChanges);
		set_class(label, 1, clsx(["field", { refused: get(form).refusedField === "dataset" }]));
		set_attribute(select, "aria-invalid", $0);
		if (select_value !== (select_value = get(form).dataset)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		set_attribute(div_1, "hidden", !get(form).isFolder);
		set_attribute(p, "hidden", get(form).folders.length > 0);
		set_class(label_1, 1, clsx(["field", { refused: get(form).refusedField === "image_folder" }]));
		set_attribute(label_1, "hidden", !get(form).folders.length);
		set_attribute(select_1, "aria-invalid", $1);
		if (select_1_value !== (select_1_value = get(form).imageFolder)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		set_text(text_2, get(catalog).folder);
		set_class(label_3, 1, clsx(["field", { refused: get(form).refusedField === "init_from" }]));
		set_attribute(select_2, "aria-invalid", $2);
		if (select_2_value !== (select_2_value = get(form).initFrom)) select_2.value = (select_2.__value = select_2_value) ?? "", select_option(select_2, select_2_value);
		set_class(label_4, 1, clsx(["tick", { refused: get(form).refusedField === "freeze_backbone" }]));
		set_attribute(label_4, "hidden", !get(form).initFrom);
		set_checked(input_2, get(form).freezesBackbone);
		set_attribute(input_2, "aria-invalid", $3);
	}, [
		() => get(form).invalid("dataset"),
		() => get(form).invalid("image_folder"),
		() => get(form).invalid("init_from"),
		() => get(form).invalid("freeze_backbone")
	]);
	delegated("input", select, (event) => chooseDataset(event.currentTarget.value));
	delegated("input", select_1, (event) => chooseFolder(event.currentTarget.value));
	delegated("change", input_1, (event) => upload(event.currentTarget));
	delegated("input", select_2, (event) => chooseModel(event.currentTarget.value));
	delegated("input", input_2, (event) => {
		get(form).freezesBackbone = event.currentTarget.checked;
		changeForm($$props.page);
	});
	bind_property("open", "toggle", details, ($$value) => get(form).open.dataset = $$value, () => get(form).open.dataset);
	append$1($$anchor, details);
	pop();
}
delegate(["input", "change"]);
// src/train/Download.svelte
function Download_1($$anchor, $$props) {
	push($$props, true);
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form);
	const download = user_derived(() => $$props.page.data?.download);
	const isRunning = user_derived(() => get(download)?.running ?? false);
	const isHidden = user_derived(() => !$$props.page.data || get(form).isFolder || $$props.page.data.available[get(form).dataset] && !get(isRunning));
	const name = user_derived(() => DATASETS[get(isRunning) ? get(download)?.dataset ?? "" : get(form).dataset]);
	{
		let $0 = user_derived(() => `Training needs ${get(name)}, which is not downloaded. It will be saved in ${get(catalog).folder}.`);
		let $1 = user_derived(() => get(isRunning) || get(download)?.dataset === get(form).dataset ? get(download) : null);
		Download($$anchor, {
			get name() {
				return get(name);
			},
			get missing() {
				return get($0);
			},
			get download() {
				return get($1);
			},
			get hidden() {
				return get(isHidden);
			},
			onstart: () => requestChange($$props.page, "download_data", { dataset: get(form).dataset }),
			oncancel: () => requestChange($$props.page, "cancel_download", {})
		});
	}
	pop();
}
// src/train/Lessons.svelte
var root$15 = from_html(`<label class="lesson"><input type="radio" name="lesson"/><b> </b><span class="result"> </span></label>`);
var root_1$14 = from_html(`<div class="lessons" role="radiogroup" aria-label="Training time"></div> <p class="note about-preset"> </p>`, 1);
function Lessons($$anchor, $$props) {
	push($$props, true);
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form);
	var fragment = root_1$14();
	var div = first_child(fragment);
	each(div, 21, () => get(catalog).lessons, (lesson) => lesson.minutes, ($$anchor, lesson) => {
		var label = root$15();
		var input = child(label);
		remove_input_defaults(input);
		var b = sibling(input);
		var text = only_child(b);
		var span = sibling(b);
		var text_1 = only_child(span, true);
		reset(label);
		template_effect(($0) => {
			set_value(input, get(lesson).minutes);
			set_checked(input, get(form).lesson?.minutes === get(lesson).minutes);
			set_text(text, `${get(lesson).minutes ?? ""} minutes`);
			set_text(text_1, $0);
		}, [() => lessonResult(get(lesson))]);
		delegated("input", input, () => chooseLesson($$props.page, get(lesson)));
		append$1($$anchor, label);
	});
	reset(div);
	var p = sibling(div, 2);
	var text_2 = only_child(p, true);
	template_effect(() => set_text(text_2, get(form).aboutPreset));
	append$1($$anchor, fragment);
	pop();
}
delegate(["input"]);
// src/train/Plan.svelte
var root$14 = from_html(`<dt> </dt> <dd> </dd>`, 1);
var root_1$13 = from_html(`<div class="plan"><div class="cut"><img alt=""/> <div class="patch-grid"></div></div> <dl></dl></div>`);
function Plan($$anchor, $$props) {
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form);
	var div = root_1$13();
	var div_1 = child(div);
	let styles;
	var img = child(div_1);
	next(2);
	reset(div_1);
	var dl = sibling(div_1, 2);
	each(dl, 21, () => get(form).plan, ([name, value]) => name, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let name = () => get($$array)[0];
		let value = () => get($$array)[1];
		var fragment = root$14();
		var dt = first_child(fragment);
		var text = only_child(dt, true);
		var dd = sibling(dt, 2);
		var text_1 = only_child(dd, true);
		template_effect(() => {
			set_text(text, name());
			set_attribute(dd, "data-name", name());
			set_text(text_1, value());
		});
		append$1($$anchor, fragment);
	});
	reset(dl);
	reset(div);
	template_effect(() => {
		styles = set_style(div_1, "", styles, {
			"--rows": get(form).grid?.[0],
			"--columns": get(form).grid?.[1]
		});
		set_attribute(img, "src", get(form).grid ? get(catalog).image : void 0);
	});
	append$1($$anchor, div);
}
// src/train/Presets.svelte
var root$13 = from_html(`<button type="button" class="link corrected"> </button>`);
var root_1$12 = from_html(`<label class="preset"><input type="radio" name="preset"/><b> </b><span class="size"> </span><span class="about"> </span></label> <!>`, 1);
var root_2$6 = from_html(`<details class="section preset-section"><summary>Preset, budget and device<span class="changes"> </span></summary> <div class="fields"><label data-field="budget"><span>Budget</span> <span class="pair"><input name="budget" inputmode="decimal" autocomplete="off" aria-label="Budget"/> <select name="unit" class="button" aria-label="Unit of the budget"><option>epochs</option><option>minutes</option></select></span></label> <!> <label data-field="device"><span>Device</span> <select name="device" class="button"><option>auto</option><option>CPU</option><option>GPU (CUDA)</option></select></label> <!></div> <p class="note"> </p> <div class="presets" role="radiogroup" aria-label="Preset"></div></details>`);
function Presets($$anchor, $$props) {
	push($$props, true);
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form);
	function editBudget(text) {
		get(form).budget = text;
		changeForm($$props.page);
	}
	function chooseUnit(unit) {
		get(form).changeUnit(unit === "minutes" ? "minutes" : "epochs");
		changeForm($$props.page);
	}
	function chooseDevice(device) {
		get(form).device = device;
		changeForm($$props.page);
	}
	var details = root_2$6();
	var summary = child(details);
	var span = sibling(child(summary));
	var text_1 = only_child(span, true);
	reset(summary);
	var div = sibling(summary, 2);
	var label = child(div);
	var span_1 = sibling(child(label), 2);
	var input = child(span_1);
	remove_input_defaults(input);
	var select = sibling(input, 2);
	var option = child(select);
	option.value = option.__value = "epochs";
	var option_1 = sibling(option);
	option_1.value = option_1.__value = "minutes";
	reset(select);
	var select_value;
	init_select(select);
	reset(span_1);
	reset(label);
	var node = sibling(label, 2);
	Refusal(node, {
		get form() {
			return get(form);
		},
		field: "budget"
	});
	var label_1 = sibling(node, 2);
	var select_1 = sibling(child(label_1), 2);
	var option_2 = child(select_1);
	option_2.value = option_2.__value = "auto";
	var option_3 = sibling(option_2);
	option_3.value = option_3.__value = "cpu";
	var option_4 = sibling(option_3);
	option_4.value = option_4.__value = "cuda";
	reset(select_1);
	var select_1_value;
	init_select(select_1);
	reset(label_1);
	Refusal(sibling(label_1, 2), {
		get form() {
			return get(form);
		},
		field: "device"
	});
	reset(div);
	var p = sibling(div, 2);
	var text_2 = only_child(p);
	var div_1 = sibling(p, 2);
	each(div_1, 21, () => get(catalog).presets, ({ name, about, corrected }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let about = () => get($$item).about;
		let corrected = () => get($$item).corrected;
		var fragment = root_1$12();
		var label_2 = first_child(fragment);
		var input_1 = child(label_2);
		remove_input_defaults(input_1);
		var b = sibling(input_1);
		var text_3 = only_child(b, true);
		var span_2 = sibling(b);
		var text_4 = only_child(span_2, true);
		var span_3 = sibling(span_2);
		var text_5 = only_child(span_3, true);
		reset(label_2);
		var node_2 = sibling(label_2, 2);
		var consequent = ($$anchor) => {
			var button = root$13();
			var text_6 = only_child(button);
			template_effect(() => set_text(text_6, `Use the corrected version, ${corrected() ?? ""}`));
			delegated("click", button, () => choosePreset($$props.page, corrected()));
			append$1($$anchor, button);
		};
		if_block(node_2, ($$render) => {
			if (corrected() && get(form).preset?.name === name()) $$render(consequent);
		});
		template_effect(() => {
			set_value(input_1, name());
			set_checked(input_1, get(form).preset?.name === name());
			set_text(text_3, name());
			set_attribute(span_2, "data-preset", name());
			set_text(text_4, get(form).sizes[name()]);
			set_text(text_5, about());
		});
		delegated("input", input_1, () => choosePreset($$props.page, name()));
		append$1($$anchor, fragment);
	});
	reset(div_1);
	reset(details);
	template_effect(($0, $1, $2) => {
		set_text(text_1, get(form).presetChanges);
		set_class(label, 1, clsx(["field", { refused: get(form).refusedField === "budget" }]));
		set_value(input, get(form).budget);
		set_attribute(input, "aria-invalid", $0);
		set_attribute(select, "aria-invalid", $1);
		if (select_value !== (select_value = get(form).unit)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		set_class(label_1, 1, clsx(["field", { refused: get(form).refusedField === "device" }]));
		set_attribute(select_1, "aria-invalid", $2);
		if (select_1_value !== (select_1_value = get(form).device)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		set_text(text_2, `Next to each preset: parameters, and the estimated time of its own budget on this computer${get(form).isFolder ? ", on CIFAR-10" : ""}.${get(form).initFrom ? ` The network is that of ${get(form).initFrom}: a preset sets the other hyperparameters.` : ""}`);
	}, [
		() => get(form).invalid("budget"),
		() => get(form).invalid("budget"),
		() => get(form).invalid("device")
	]);
	event("toggle", details, () => get(form).open.presets && estimatePresets($$props.page));
	delegated("input", input, (event) => editBudget(event.currentTarget.value));
	delegated("input", select, (event) => chooseUnit(event.currentTarget.value));
	delegated("input", select_1, (event) => chooseDevice(event.currentTarget.value));
	bind_property("open", "toggle", details, ($$value) => get(form).open.presets = $$value, () => get(form).open.presets);
	append$1($$anchor, details);
	pop();
}
delegate(["input", "click"]);
// src/train/Settings.svelte
var root$12 = from_html(`<option> </option>`);
var root_1$11 = from_html(`<select class="button"></select>`);
var root_2$5 = from_html(`<input inputmode="decimal" autocomplete="off"/>`);
var root_3$3 = from_html(`<label><span> </span> <!></label> <!>`, 1);
var root_4$3 = from_html(`<fieldset class="group"><legend> </legend> <!></fieldset>`);
var root_5$2 = from_html(`<details class="section hyperparameters"><summary>Hyperparameters<span class="changes"> </span></summary> <div class="groups"></div> <button type="button" class="button" data-do="reset">Reset to preset</button></details>`);
function Settings($$anchor, $$props) {
	push($$props, true);
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form);
	function edit(key, text) {
		get(form).settings[key] = text;
		changeForm($$props.page);
	}
	function reset$1() {
		get(form).restore();
		changeForm($$props.page);
	}
	var details = root_5$2();
	var summary = child(details);
	var span = sibling(child(summary));
	var text_1 = only_child(span, true);
	reset(summary);
	var div = sibling(summary, 2);
	each(div, 21, () => get(catalog).settings, ({ name, fields, about }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let fields = () => get($$item).fields;
		let about = () => get($$item).about;
		var fieldset = root_4$3();
		var legend = child(fieldset);
		var text_2 = only_child(legend, true);
		var node = sibling(legend, 2);
		each(node, 17, () => Object.entries(fields()), ([key, words]) => key, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let key = () => get($$array)[0];
			let words = () => get($$array)[1];
			var fragment = root_3$3();
			var label = first_child(fragment);
			var span_1 = child(label);
			var text_3 = only_child(span_1, true);
			var node_1 = sibling(span_1, 2);
			var consequent = ($$anchor) => {
				var select = root_1$11();
				each(select, 20, () => get(catalog).choices[key()], (choice) => choice, ($$anchor, choice) => {
					var option = root$12();
					var text_4 = only_child(option, true);
					var option_value = {};
					template_effect(() => {
						set_text(text_4, choice);
						if (option_value !== (option_value = choice)) option.value = (option.__value = option_value) ?? "";
					});
					append$1($$anchor, option);
				});
				reset(select);
				var select_value;
				init_select(select);
				template_effect(($0, $1, $2) => {
					set_attribute(select, "data-setting", key());
					select.disabled = $0;
					set_attribute(select, "aria-invalid", $1);
					if (select_value !== (select_value = $2)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
				}, [
					() => get(form).isFixed(key()),
					() => get(form).invalid(key()),
					() => get(form).settingText(key())
				]);
				delegated("input", select, (event) => edit(key(), event.currentTarget.value));
				append$1($$anchor, select);
			};
			var alternate = ($$anchor) => {
				var input = root_2$5();
				remove_input_defaults(input);
				template_effect(($0, $1, $2) => {
					set_attribute(input, "data-setting", key());
					set_value(input, $0);
					input.disabled = $1;
					set_attribute(input, "aria-invalid", $2);
				}, [
					() => get(form).settingText(key()),
					() => get(form).isFixed(key()),
					() => get(form).invalid(key())
				]);
				delegated("input", input, (event) => edit(key(), event.currentTarget.value));
				append$1($$anchor, input);
			};
			if_block(node_1, ($$render) => {
				if (key() in get(catalog).choices) $$render(consequent);
				else $$render(alternate, -1);
			});
			reset(label);
			Refusal(sibling(label, 2), {
				get form() {
					return get(form);
				},
				get field() {
					return key();
				}
			});
			template_effect(($0, $1) => {
				set_class(label, 1, $0);
				set_attribute(label, "data-field", key());
				set_attribute(label, "title", about()[key()]);
				set_attribute(label, "hidden", $1);
				set_text(text_3, words());
			}, [() => clsx(["field", {
				changed: get(form).changed.includes(key()),
				refused: get(form).refusedField === key()
			}]), () => get(form).isHidden(key())]);
			append$1($$anchor, fragment);
		});
		reset(fieldset);
		template_effect(() => set_text(text_2, name()));
		append$1($$anchor, fieldset);
	});
	reset(div);
	var button = sibling(div, 2);
	reset(details);
	template_effect(() => {
		set_text(text_1, get(form).hyperparameterChanges);
		button.disabled = !get(form).changed.length;
	});
	delegated("click", button, reset$1);
	bind_property("open", "toggle", details, ($$value) => get(form).open.hyperparameters = $$value, () => get(form).open.hyperparameters);
	append$1($$anchor, details);
	pop();
}
delegate(["input", "click"]);
// src/train/Vary.svelte
var root$11 = from_html(`<option> </option>`);
var root_1$10 = from_html(`<div class="field"><select class="button"><option>none</option><!></select> <input placeholder="2, 4, 8" autocomplete="off"/></div>`);
var root_2$4 = from_html(`<details class="section sweep"><summary>Sweep<span class="changes"> </span></summary> <p class="note">Train one model per combination of values, all other hyperparameters equal. What happens when the model is deeper or wider, or has more heads?</p> <div data-field="vary"></div> <!></details>`);
function Vary($$anchor, $$props) {
	push($$props, true);
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form);
	const names = user_derived(() => get(catalog).settings.flatMap(({ fields }) => Object.entries(fields)));
	function choose(place, key) {
		get(form).vary[place].key = key;
		changeForm($$props.page);
	}
	function type(place, values) {
		get(form).vary[place].values = values;
		changeForm($$props.page);
	}
	var details = root_2$4();
	var summary = child(details);
	var span = sibling(child(summary));
	var text = only_child(span, true);
	reset(summary);
	var div = sibling(summary, 4);
	each(div, 20, () => ["First", "Second"], index, ($$anchor, ordinal, place) => {
		var div_1 = root_1$10();
		var select = child(div_1);
		set_attribute(select, "data-vary", place);
		var option = child(select);
		option.value = option.__value = "";
		var node = sibling(option);
		each(node, 17, () => get(names), ([key, words]) => key, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let key = () => get($$array)[0];
			let words = () => get($$array)[1];
			var option_1 = root$11();
			var text_1 = only_child(option_1, true);
			var option_1_value = {};
			template_effect(() => {
				set_text(text_1, words());
				if (option_1_value !== (option_1_value = key())) option_1.value = (option_1.__value = option_1_value) ?? "";
			});
			append$1($$anchor, option_1);
		});
		reset(select);
		var select_value;
		init_select(select);
		var input = sibling(select, 2);
		remove_input_defaults(input);
		set_attribute(input, "data-values", place);
		reset(div_1);
		template_effect(($0, $1, $2) => {
			set_attribute(select, "aria-label", `${ordinal ?? ""} hyperparameter`);
			set_attribute(select, "aria-invalid", $0);
			if (select_value !== (select_value = get(form).vary[place].key)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
			set_attribute(input, "aria-label", `Values of the ${$1 ?? ""}`);
			set_value(input, get(form).vary[place].values);
			input.disabled = !get(form).vary[place].key;
			set_attribute(input, "aria-invalid", $2);
		}, [
			() => get(form).invalid("vary"),
			() => ordinal.toLowerCase(),
			() => get(form).invalid("vary")
		]);
		delegated("input", select, (event) => choose(place, event.currentTarget.value));
		delegated("input", input, (event) => type(place, event.currentTarget.value));
		append$1($$anchor, div_1);
	});
	reset(div);
	Refusal(sibling(div, 2), {
		get form() {
			return get(form);
		},
		field: "vary"
	});
	reset(details);
	template_effect(() => {
		set_text(text, get(form).runCount > 1 ? `: ${get(form).runCount} runs` : "");
		set_class(div, 1, clsx(["fields", { refused: get(form).refusedField === "vary" }]));
	});
	bind_property("open", "toggle", details, ($$value) => get(form).open.sweep = $$value, () => get(form).open.sweep);
	append$1($$anchor, details);
	pop();
}
delegate(["input"]);
// src/train/Form.svelte
var root$10 = from_html(`<!> <!> <div class="fields"><label data-field="name"><span>Name</span> <input name="name" autocomplete="off" spellcheck="false" maxlength="64"/></label> <!></div> <!> <!> <div class="begin"><button type="submit" class="button primary"> </button> <span class="note"> </span></div> <!> <!> <!> <!>`, 1);
var root_1$9 = from_html(`<p class="small about-data"> </p> <form class="form" novalidate=""><!></form>`, 1);
function Form($$anchor, $$props) {
	push($$props, true);
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form);
	function editName(name) {
		get(form).name = name;
		get(form).nameIsEdited = name.trim() !== "";
		changeForm($$props.page);
	}
	function leaveName() {
		const { name } = get(form);
		get(form).suggestName();
		if (get(form).name !== name) changeForm($$props.page);
	}
	function submit(event) {
		event.preventDefault();
		startTraining($$props.page);
	}
	var fragment = root_1$9();
	var p = first_child(fragment);
	var text = only_child(p, true);
	var form_1 = sibling(p, 2);
	var node = child(form_1);
	var consequent = ($$anchor) => {
		var fragment_1 = root$10();
		var node_1 = first_child(fragment_1);
		Lessons(node_1, { get page() {
			return $$props.page;
		} });
		var node_2 = sibling(node_1, 2);
		Download_1(node_2, { get page() {
			return $$props.page;
		} });
		var div = sibling(node_2, 2);
		var label = child(div);
		var input = sibling(child(label), 2);
		remove_input_defaults(input);
		bind_this(input, ($$value) => get(form).nameInput = $$value, () => get(form)?.nameInput);
		reset(label);
		Refusal(sibling(label, 2), {
			get form() {
				return get(form);
			},
			field: "name"
		});
		reset(div);
		var node_4 = sibling(div, 2);
		Plan(node_4, { get page() {
			return $$props.page;
		} });
		var node_5 = sibling(node_4, 2);
		Refusal(node_5, { get form() {
			return get(form);
		} });
		var div_1 = sibling(node_5, 2);
		var button = child(div_1);
		var text_1 = only_child(button, true);
		var span = sibling(button, 2);
		var text_2 = only_child(span, true);
		reset(div_1);
		var node_6 = sibling(div_1, 2);
		Presets(node_6, { get page() {
			return $$props.page;
		} });
		var node_7 = sibling(node_6, 2);
		Settings(node_7, { get page() {
			return $$props.page;
		} });
		var node_8 = sibling(node_7, 2);
		DataFields(node_8, { get page() {
			return $$props.page;
		} });
		Vary(sibling(node_8, 2), { get page() {
			return $$props.page;
		} });
		template_effect(($0) => {
			set_class(label, 1, clsx(["field", { refused: get(form).refusedField === "name" }]));
			set_value(input, get(form).name);
			set_attribute(input, "aria-invalid", $0);
			button.disabled = get(form).cannotStart;
			set_text(text_1, get(form).runCount > 1 ? `Start ${get(form).runCount} runs` : "Start training");
			set_text(text_2, get(form).startNote);
		}, [() => get(form).invalid("name")]);
		delegated("input", input, (event) => editName(event.currentTarget.value));
		event("blur", input, leaveName);
		append$1($$anchor, fragment_1);
	};
	if_block(node, ($$render) => {
		if (!get(catalog).public) $$render(consequent);
	});
	reset(form_1);
	template_effect(() => {
		set_attribute(p, "hidden", get(catalog).public);
		set_text(text, get(form).aboutData);
		set_attribute(form_1, "hidden", get(catalog).public);
		form_1.inert = !get(form).isLoaded;
	});
	event("submit", form_1, submit);
	append$1($$anchor, fragment);
	pop();
}
delegate(["input"]);
// src/train/Forming.svelte
var root$9 = from_html(`<div class="forming"><figure data-forming="effective"><h2>Effective number of tokens, by layer</h2><!></figure> <figure data-forming="distance"><h2>Attention distance (px), by layer</h2><!></figure></div>`);
function Forming($$anchor, $$props) {
	push($$props, true);
	const timeline = user_derived(() => $$props.page.timeline);
	const past = user_derived(() => get(timeline).past);
	const last = user_derived(() => Math.max(get(past)?.snapshots.at(-1)?.epoch ?? 0, .01));
	const hasDistance = user_derived(() => Boolean(get(past)?.snapshots.every(({ distance }) => distance)));
	function lines(valuesOf) {
		if (!get(past)) return [];
		const { layers } = get(past).shape;
		return shownLayers(layers).map((layer) => ({
			run: "",
			name: `layer ${layer + 1}`,
			points: layerPoints(get(past), layer, valuesOf),
			color: cssColor($$props.page.table("seq")[Math.round(120 + 100 * layer / Math.max(1, layers - 1))]),
			dash: "",
			className: "other",
			isRead: true
		}));
	}
	const effective = user_derived(() => lines((now) => now.effective));
	const distance = user_derived(() => get(hasDistance) ? lines((now) => now.distance?.flat() ?? []) : []);
	var div = root$9();
	var figure = child(div);
	Chart(sibling(child(figure)), {
		get lines() {
			return get(effective);
		},
		get last() {
			return get(last);
		},
		get cursor() {
			return get(timeline).cursor;
		},
		height: 150,
		print: (value) => value.toFixed(0)
	});
	reset(figure);
	var figure_1 = sibling(figure, 2);
	Chart(sibling(child(figure_1)), {
		get lines() {
			return get(distance);
		},
		get last() {
			return get(last);
		},
		get cursor() {
			return get(timeline).cursor;
		},
		height: 150,
		print: (value) => value.toFixed(1)
	});
	reset(figure_1);
	reset(div);
	template_effect(() => {
		set_attribute(div, "hidden", !get(timeline).isLive);
		set_attribute(figure_1, "hidden", !get(hasDistance));
	});
	append$1($$anchor, div);
	pop();
}
// src/train/Now.svelte
var root$8 = from_html(`<div class="now"><div><h2 class="headline" tabindex="-1"> </h2> <p> </p></div> <div class="actions"><button type="button" class="button" data-do="stop">Stop</button> <button type="button" class="button primary" data-do="resume">Resume</button> <a class="button" data-do="explore">Explore</a></div></div> <!>`, 1);
function Now($$anchor, $$props) {
	push($$props, true);
	let headline;
	let held = null;
	const run = user_derived(() => $$props.page.run);
	const canResume = user_derived(() => get(run) !== void 0 && !isRunning(get(run)) && get(run).state !== "finished");
	const canExplore = user_derived(() => get(run) ? get(run).explorable : $$props.page.bundled !== void 0);
	const address = user_derived(() => get(run) ? exploreAddress(get(run).name) : `?checkpoint=${encodeURIComponent($$props.page.source ?? "")}`);
	user_pre_effect(() => {
		$$props.page.run, $$props.page.data, $$props.page.notice, $$props.page.bundled;
		held = document.activeElement;
	});
	user_effect(() => {
		$$props.page.run, $$props.page.data, $$props.page.notice, $$props.page.bundled;
		if (held instanceof HTMLElement && held.hidden && $$props.page.root?.contains(held) && !held?.closest(".runs")) headline.focus();
	});
	var fragment = root$8();
	var div = first_child(fragment);
	var div_1 = child(div);
	var h2 = child(div_1);
	var text = only_child(h2, true);
	bind_this(h2, ($$value) => headline = $$value, () => headline);
	var p = sibling(h2, 2);
	var text_1 = only_child(p, true);
	reset(div_1);
	var div_2 = sibling(div_1, 2);
	var button = child(div_2);
	var button_1 = sibling(button, 2);
	var a = sibling(button_1, 2);
	reset(div_2);
	reset(div);
	var node = sibling(div, 2);
	{
		let $0 = user_derived(() => get(run)?.progress ?? 0);
		let $1 = user_derived(() => !get(run));
		Progress(node, {
			label: "Training progress",
			get progress() {
				return get($0);
			},
			whole: true,
			get hidden() {
				return get($1);
			}
		});
	}
	template_effect(() => {
		set_text(text, $$props.page.words.headline);
		set_class(p, 1, clsx(["status", { error: $$props.page.notice ? $$props.page.notice.isError : $$props.page.words.isError }]));
		set_text(text_1, $$props.page.notice?.sentence ?? $$props.page.words.line);
		set_attribute(button, "hidden", get(run)?.state !== "training");
		set_attribute(button_1, "hidden", !get(canResume));
		button_1.disabled = $$props.page.running !== void 0;
		set_attribute(a, "href", get(address));
		set_attribute(a, "hidden", !get(canExplore));
	});
	delegated("click", button, () => get(run) && requestChange($$props.page, "stop", { name: get(run).name }));
	delegated("click", button_1, () => get(run) && resumeRun($$props.page, get(run).name));
	append$1($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/train/columns.ts
var text = (key, words) => ({
	key,
	words,
	isNumber: false,
	print: (run) => run[key]
});
var number = (key, words, print) => ({
	key,
	words,
	isNumber: true,
	print
});
var COLUMNS = [
	text("name", "Name"),
	text("preset", "Preset"),
	number("parameters", "Parameters", (run) => thousands(run.parameters)),
	number("epoch", "Epochs", epochsText),
	number("seconds", "Time", ({ seconds }) => seconds ? duration(seconds) : ""),
	number("images_per_second", "Images/s", ({ images_per_second: speed }) => speed ? speed.toFixed(0) : ""),
	number("accuracy", "Accuracy, last epoch", resultText),
	text("state", "State")
];
function epochsText({ epoch, epochs, state }) {
	return epochs != null && state !== "finished" ? `${epochText(epoch)} of ${short(epochs)}` : epochText(epoch);
}
function resultText({ accuracy, eval_samples, measured_on }) {
	return accuracy == null ? "not finished" : `${accuracyNumber(accuracy, eval_samples)} ${measured_on}`;
}
function nextOrder(order, { key, isNumber }) {
	if (order.key !== key) return {
		key,
		isDown: isNumber
	};
	if (order.isDown === isNumber) return {
		key,
		isDown: !isNumber
	};
	return {
		key: null,
		isDown: false
	};
}
function sortRuns(runs, { key, isDown }) {
	if (!key) return runs;
	const value = (run) => run[key] ?? Number.NEGATIVE_INFINITY;
	const sign = isDown ? -1 : 1;
	return runs.toSorted((a, b) => sign * (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0));
}
// src/train/RunRow.svelte
var root$7 = from_html(`<td> </td>`);
var root_1$8 = from_html(`<button type="button" class="link" data-act="follow"> </button> <a class="link" data-act="explore">Explore</a> <button type="button" class="link" data-act="resume">Resume</button> <button type="button" class="link" data-act="download">Download</button> <button type="button" class="link" data-act="rename">Rename</button> <button type="button" class="link" data-act="delete">Delete</button>`, 1);
var root_2$3 = from_html(`<input maxlength="64"/> <button type="button" class="link" data-act="save">Save</button> <button type="button" class="link" data-act="keep">Cancel</button>`, 1);
var root_3$2 = from_html(`<span>Delete the run and all its files?</span> <button type="button" class="link" data-act="really">Delete</button> <button type="button" class="link" data-act="keep">Cancel</button>`, 1);
var root_4$2 = from_html(`<tr><td><label><input type="checkbox"/></label></td><!><td><div class="row-actions"><!></div> <p role="status"> </p></td></tr>`);
function RunRow($$anchor, $$props) {
	push($$props, true);
	let mode = state("actions");
	let message = state("");
	let isError = state(false);
	let box;
	const name = user_derived(() => $$props.run.name);
	const isFollowed = user_derived(() => get(name) === $$props.page.followed);
	const isBusy = user_derived(() => isRunning($$props.run));
	function back(action = "") {
		set(mode, "actions");
		set(message, "");
		flushSync();
		if (action) box.querySelector(`[data-act=${action}]`)?.focus();
	}
	function editName() {
		set(mode, "rename");
		set(message, "");
		flushSync();
		box.querySelector("input")?.select();
	}
	function save() {
		const newName = box.querySelector("input")?.value.trim() ?? get(name);
		if (newName === get(name)) back("rename");
		else renameRun($$props.page, get(name), newName, tell);
	}
	function typed(event) {
		if (event.key === "Enter") save();
		else if (event.key === "Escape") back("rename");
	}
	function confirmDelete() {
		set(mode, "delete");
		set(message, "");
		flushSync();
		box.querySelector("[data-act=keep]")?.focus();
	}
	async function remove() {
		if (!await deleteRun($$props.page, get(name), tell)) set(mode, "actions");
	}
	function tell(sentence, isRefused = true) {
		set(message, sentence, true);
		set(isError, isRefused, true);
	}
	const cancelDelete = (event) => event.key === "Escape" && back("delete");
	function show() {
		$$props.page.showNotice(null);
		follow($$props.page, sourceOf(get(name)));
	}
	var tr = root_4$2();
	var td = child(tr);
	var label = child(td);
	var input = child(label);
	remove_input_defaults(input);
	reset(label);
	reset(td);
	var node = sibling(td);
	each(node, 17, () => COLUMNS, ({ key, words, isNumber, print }) => key, ($$anchor, $$item) => {
		let key = () => get($$item).key;
		let words = () => get($$item).words;
		let isNumber = () => get($$item).isNumber;
		let print = () => get($$item).print;
		var fragment = comment();
		var node_1 = first_child(fragment);
		var consequent = ($$anchor) => {
			var td_1 = root$7();
			var text = only_child(td_1, true);
			template_effect(($0) => {
				set_class(td_1, 1, clsx($$props.run.state));
				set_attribute(td_1, "data-label", words());
				set_attribute(td_1, "title", $$props.run.message);
				set_text(text, $0);
			}, [() => print()($$props.run)]);
			append$1($$anchor, td_1);
		};
		var alternate = ($$anchor) => {
			var td_2 = root$7();
			var text_1 = only_child(td_2, true);
			template_effect(($0) => {
				set_class(td_2, 1, clsx({
					number: isNumber(),
					open: key() === "accuracy" && $$props.run.accuracy == null
				}));
				set_attribute(td_2, "data-label", words());
				set_text(text_1, $0);
			}, [() => print()($$props.run)]);
			append$1($$anchor, td_2);
		};
		if_block(node_1, ($$render) => {
			if (key() === "state") $$render(consequent);
			else $$render(alternate, -1);
		});
		append$1($$anchor, fragment);
	});
	var td_3 = sibling(node);
	var div = child(td_3);
	var node_2 = child(div);
	var consequent_1 = ($$anchor) => {
		var fragment_1 = root_1$8();
		var button = first_child(fragment_1);
		var text_2 = only_child(button, true);
		var a = sibling(button, 2);
		var button_1 = sibling(a, 2);
		var button_2 = sibling(button_1, 2);
		var button_3 = sibling(button_2, 2);
		var button_4 = sibling(button_3, 2);
		template_effect(($0, $1) => {
			set_attribute(button, "hidden", get(isFollowed));
			set_text(text_2, get(isBusy) ? "Follow" : "Show");
			set_attribute(a, "href", $0);
			set_attribute(a, "hidden", !$$props.run.explorable);
			set_attribute(button_1, "hidden", get(isBusy) || $$props.run.state === "finished");
			button_1.disabled = $1;
			set_attribute(button_2, "hidden", !$$props.run.saved);
			set_attribute(button_3, "hidden", get(isBusy));
			set_attribute(button_4, "hidden", get(isBusy));
		}, [() => exploreAddress(get(name)), () => Boolean($$props.page.running)]);
		delegated("click", button, show);
		delegated("click", button_1, () => resumeRun($$props.page, get(name), tell));
		delegated("click", button_2, () => downloadRun($$props.page, get(name), tell));
		delegated("click", button_3, editName);
		delegated("click", button_4, confirmDelete);
		append$1($$anchor, fragment_1);
	};
	var consequent_2 = ($$anchor) => {
		var fragment_2 = root_2$3();
		var input_1 = first_child(fragment_2);
		remove_input_defaults(input_1);
		var button_5 = sibling(input_1, 2);
		var button_6 = sibling(button_5, 2);
		template_effect(() => {
			set_value(input_1, get(name));
			set_attribute(input_1, "aria-label", `New name of ${get(name) ?? ""}`);
			set_attribute(input_1, "aria-invalid", get(message) ? "true" : void 0);
		});
		delegated("keydown", input_1, typed);
		delegated("click", button_5, save);
		delegated("click", button_6, () => back("rename"));
		append$1($$anchor, fragment_2);
	};
	var alternate_1 = ($$anchor) => {
		var fragment_3 = root_3$2();
		var button_7 = sibling(first_child(fragment_3), 2);
		var button_8 = sibling(button_7, 2);
		delegated("click", button_7, remove);
		delegated("keydown", button_7, cancelDelete);
		delegated("click", button_8, () => back("delete"));
		delegated("keydown", button_8, cancelDelete);
		append$1($$anchor, fragment_3);
	};
	if_block(node_2, ($$render) => {
		if (get(mode) === "actions") $$render(consequent_1);
		else if (get(mode) === "rename") $$render(consequent_2, 1);
		else $$render(alternate_1, -1);
	});
	reset(div);
	bind_this(div, ($$value) => box = $$value, () => box);
	var p = sibling(div, 2);
	var text_3 = only_child(p, true);
	reset(td_3);
	reset(tr);
	template_effect(($0) => {
		set_class(tr, 1, clsx({ followed: get(isFollowed) }));
		set_attribute(tr, "data-run", get(name));
		set_attribute(input, "aria-label", `Curves of ${get(name) ?? ""}`);
		set_checked(input, $0);
		input.disabled = get(isFollowed);
		set_class(p, 1, clsx([
			"note",
			"row-message",
			{ refusal: get(isError) }
		]));
		set_attribute(p, "hidden", !get(message));
		set_text(text_3, get(message));
	}, [() => get(isFollowed) || $$props.page.overlaid.includes(get(name))]);
	delegated("change", input, (event) => overlay($$props.page, get(name), event.currentTarget.checked));
	append$1($$anchor, tr);
	pop();
}
delegate([
	"change",
	"click",
	"keydown"
]);
// src/train/Runs.svelte
var root$6 = from_html(`<th><button type="button" class="sort"> </button></th>`);
var root_1$7 = from_html(`<section class="runs" aria-label="Runs"><div class="runs-head"><h2>Runs</h2><span class="note">Select runs to overlay their curves.</span></div> <div class="wide"><table><thead><tr><th><span class="voice">Curves</span></th><!><th><span class="voice">Actions</span></th></tr></thead><tbody></tbody></table></div></section>`);
function Runs($$anchor, $$props) {
	push($$props, true);
	let order = state({
		key: null,
		isDown: false
	});
	let body;
	let held = null;
	let place = -1;
	const shown = user_derived(() => sortRuns($$props.page.runs ?? [], get(order)));
	const wayOf = (key) => key !== get(order).key ? "none" : get(order).isDown ? "descending" : "ascending";
	user_pre_effect(() => {
		get(shown), $$props.page.followed;
		const active = document.activeElement;
		held = active instanceof HTMLElement && body?.contains(active) ? active : null;
		place = [...body?.children ?? []].findIndex((row) => row.contains(held));
	});
	user_effect(() => {
		get(shown), $$props.page.followed;
		if (!held) return;
		if (held.isConnected && !held.hidden) {
			if (document.activeElement === document.body) held.focus();
			return;
		}
		(body.children[place] ?? body.lastElementChild)?.querySelector(".row-actions .link:not([hidden])")?.focus();
	});
	var section = root_1$7();
	var div = sibling(child(section), 2);
	var table = child(div);
	var thead = child(table);
	var tr = child(thead);
	var node = sibling(child(tr));
	each(node, 17, () => COLUMNS, (column) => column.key, ($$anchor, column) => {
		var th = root$6();
		var button = child(th);
		var text = only_child(button, true);
		reset(th);
		template_effect(($0) => {
			set_class(th, 1, clsx({ number: get(column).isNumber }));
			set_attribute(th, "data-key", get(column).key);
			set_attribute(th, "aria-sort", $0);
			set_text(text, get(column).words);
		}, [() => wayOf(get(column).key)]);
		delegated("click", button, () => {
			set(order, nextOrder(get(order), get(column)));
		});
		append$1($$anchor, th);
	});
	next();
	reset(tr);
	reset(thead);
	var tbody = sibling(thead);
	each(tbody, 21, () => get(shown), (run) => run.name, ($$anchor, run) => {
		RunRow($$anchor, {
			get page() {
				return $$props.page;
			},
			get run() {
				return get(run);
			}
		});
	});
	reset(tbody);
	bind_this(tbody, ($$value) => body = $$value, () => body);
	reset(table);
	reset(div);
	reset(section);
	template_effect(() => set_attribute(section, "hidden", !$$props.page.runs?.length));
	append$1($$anchor, section);
	pop();
}
delegate(["click"]);
// src/train/sweeps.ts
function entriesOf(sweep, runs) {
	return sweep.runs.map(([name, settings]) => {
		const run = runs.find((other) => other.name === name);
		const ended = sweep.results.find((result) => result.run === name);
		const seconds = run?.seconds ?? ended?.seconds;
		return {
			state: "pending",
			...run,
			...ended,
			seconds,
			name,
			settings
		};
	});
}
var settingName = (groups, key) => groups.map(({ fields }) => fields[key]).find(Boolean) ?? key;
function linesOfSweep(entries, others) {
	const ended = entries.filter((entry) => entry.accuracy != null);
	const groups = {};
	for (const entry of ended) {
		const name = others.map((key) => entry.settings[key]).join(", ");
		groups[name] ??= [];
		groups[name].push(entry);
	}
	return Object.entries(groups);
}
// src/train/SweepPlot.svelte
var root$5 = from_html(`<p class="note">Points appear as runs end.</p>`);
var root_1$6 = from_svg(`<text text-anchor="middle"> </text>`);
var root_2$2 = from_svg(`<circle r="3.5"></circle>`);
var root_3$1 = from_svg(`<polyline class="curve other"></polyline><!>`, 1);
var root_4$1 = from_svg(`<text class="name"> </text>`);
var root_5$1 = from_svg(`<svg aria-hidden="true"><!><!><!><!></svg>`);
var root_6$1 = from_html(`<figure><h3> </h3> <div class="chart"><!></div></figure>`);
function SweepPlot($$anchor, $$props) {
	push($$props, true);
	const HEIGHT = 232;
	let measured = state(0);
	const width = user_derived(() => Math.floor(get(measured)));
	const frame = user_derived(() => ({
		left: 44,
		right: get(width) - 96,
		top: 10,
		bottom: 208
	}));
	const keys = user_derived(() => Object.keys($$props.entries[0].settings));
	const values = user_derived(() => [...new Set($$props.entries.map(({ settings }) => settings[get(keys)[0]]))]);
	const nameOf = (key) => settingName($$props.page.catalog.settings, key).toLowerCase();
	const ofSecond = user_derived(() => get(keys).length > 1 ? `, one line per value of ${nameOf(get(keys)[1])}` : "");
	const groups = user_derived(() => linesOfSweep($$props.entries, get(keys).slice(1)));
	const limit = user_derived(() => 1.08 * Math.max(...get(groups).flatMap(([, ended]) => ended.map(({ accuracy }) => accuracy))));
	const x = user_derived(() => (value) => get(frame).left + (get(values).indexOf(value) + .5) / get(values).length * (get(frame).right - get(frame).left));
	const y = user_derived(() => valueScale(get(frame), get(limit)));
	const lines = user_derived(() => get(groups).map(([name, ended], i) => ({
		name: name || percent(ended[ended.length - 1].accuracy, 1),
		color: cssColor($$props.page.table("seq")[LINE_COLORS[i % LINE_COLORS.length]]),
		dash: DASHES[i % DASHES.length] || "none",
		points: ended.map(({ settings, accuracy }) => [get(x)(settings[get(keys)[0]]), get(y)(accuracy)])
	})));
	const labels = user_derived(() => {
		const ends = get(lines).map(({ name, points }) => {
			const [lastX, lastY] = points[points.length - 1];
			return {
				x: lastX + 8,
				y: lastY,
				text: name
			};
		});
		return placeLabels(ends, get(frame));
	});
	var figure = root_6$1();
	var h3 = child(figure);
	var text_1 = only_child(h3);
	var div = sibling(h3, 2);
	var node = child(div);
	var consequent = ($$anchor) => {
		var p = root$5();
		append$1($$anchor, p);
	};
	var alternate = ($$anchor) => {
		var svg = root_5$1();
		set_attribute(svg, "height", HEIGHT);
		var node_1 = child(svg);
		ValueAxis(node_1, {
			get frame() {
				return get(frame);
			},
			get end() {
				return get(limit);
			},
			print: (tick) => percent(tick, digitsOf(tick))
		});
		var node_2 = sibling(node_1);
		each(node_2, 16, () => get(values), (value) => value, ($$anchor, value) => {
			var text_2 = root_1$6();
			set_attribute(text_2, "y", 228);
			var text_3 = only_child(text_2, true);
			template_effect(($0) => {
				set_attribute(text_2, "x", $0);
				set_text(text_3, value);
			}, [() => get(x)(value)]);
			append$1($$anchor, text_2);
		});
		var node_3 = sibling(node_2);
		each(node_3, 17, () => get(lines), index, ($$anchor, $$item) => {
			let color = () => get($$item).color;
			let dash = () => get($$item).dash;
			let points = () => get($$item).points;
			var fragment = root_3$1();
			var polyline = first_child(fragment);
			var node_4 = sibling(polyline);
			each(node_4, 17, points, index, ($$anchor, $$item) => {
				var $$array = user_derived(() => to_array(get($$item), 2));
				let cx = () => get($$array)[0];
				let cy = () => get($$array)[1];
				var circle = root_2$2();
				template_effect(() => {
					set_attribute(circle, "cx", cx());
					set_attribute(circle, "cy", cy());
					set_style(circle, `fill: ${color() ?? ""}`);
				});
				append$1($$anchor, circle);
			});
			template_effect(($0) => {
				set_style(polyline, `stroke: ${color() ?? ""}; stroke-dasharray: ${dash() ?? ""}`);
				set_attribute(polyline, "points", $0);
			}, [() => pointsText(points())]);
			append$1($$anchor, fragment);
		});
		var node_5 = sibling(node_3);
		each(node_5, 17, () => get(labels), index, ($$anchor, $$item) => {
			let left = () => get($$item).x;
			let high = () => get($$item).y;
			let text = () => get($$item).text;
			var text_4 = root_4$1();
			var text_5 = only_child(text_4, true);
			template_effect(() => {
				set_attribute(text_4, "x", left());
				set_attribute(text_4, "y", high() + 4);
				set_text(text_5, text());
			});
			append$1($$anchor, text_4);
		});
		reset(svg);
		template_effect(() => set_attribute(svg, "width", get(width)));
		append$1($$anchor, svg);
	};
	if_block(node, ($$render) => {
		if (!get(groups).length || get(width) < 80) $$render(consequent);
		else $$render(alternate, -1);
	});
	reset(div);
	reset(figure);
	template_effect(($0, $1) => set_text(text_1, `${$0 ?? ""} by ${$1 ?? ""}${get(ofSecond) ?? ""}`), [() => accuracyName($$props.sweep.measured_on), () => nameOf(get(keys)[0])]);
	bind_element_size(div, "clientWidth", ($$value) => set(measured, $$value));
	append$1($$anchor, figure);
	pop();
}
// src/train/Sweeps.svelte
var root$4 = from_html(`<option> </option>`);
var root_1$5 = from_html(`<button type="button" class="link" data-act="stop">Stop</button>`);
var root_2$1 = from_html(`<button type="button" class="link" data-act="resume">Resume</button>`);
var root_3 = from_html(`<button type="button" class="link" data-act="delete">Delete sweep, keep its runs</button>`);
var root_4 = from_html(`<th class="number"> </th>`);
var root_5 = from_html(`<td class="number"> </td>`);
var root_6 = from_html(`<tr><!><td> </td></tr>`);
var root_7 = from_html(`<section class="sweeps" aria-label="Sweeps"><div class="runs-head"><h2>Sweeps</h2> <select class="button which" aria-label="Sweep"></select> <span class="note about-sweep"> </span> <span class="row-actions"><!> <!> <!></span></div> <div class="sides"><div class="wide"><table><thead><tr><!><th>State</th></tr></thead><tbody></tbody></table></div> <!></div></section>`);
function Sweeps($$anchor, $$props) {
	push($$props, true);
	let chosen = state("");
	const sweep = user_derived(() => $$props.page.sweeps.find(({ name }) => name === get(chosen)) ?? $$props.page.sweeps[0]);
	const entries = user_derived(() => get(sweep) ? entriesOf(get(sweep), $$props.page.runs ?? []) : []);
	const keys = user_derived(() => Object.keys(get(entries)[0]?.settings ?? {}));
	const isBusy = user_derived(() => get(sweep) !== void 0 && isRunning(get(sweep)));
	const headers = user_derived(() => [
		...get(keys).map((key) => settingName($$props.page.catalog.settings, key)),
		"Parameters",
		"Time",
		`${accuracyName(get(sweep)?.measured_on)}, last epoch`
	]);
	user_effect(() => {
		if (get(sweep)) set(chosen, get(sweep).name, true);
	});
	const cells = ({ settings, parameters, seconds, accuracy, eval_samples }) => [
		...get(keys).map((key) => settings[key]),
		parameters ? thousands(parameters) : "",
		seconds ? duration(seconds) : "",
		accuracy == null ? "" : accuracyNumber(accuracy, eval_samples)
	];
	const stateOf = ({ state, progress }) => state === "training" && progress ? `${Math.round(100 * progress)} %` : state;
	var section = root_7();
	var div = child(section);
	var select = sibling(child(div), 2);
	each(select, 21, () => $$props.page.sweeps, ({ name }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		var option = root$4();
		var text_1 = only_child(option, true);
		var option_value = {};
		template_effect(() => {
			set_text(text_1, name());
			if (option_value !== (option_value = name())) option.value = (option.__value = option_value) ?? "";
		});
		append$1($$anchor, option);
	});
	reset(select);
	init_select(select);
	var span = sibling(select, 2);
	var text_2 = only_child(span, true);
	var span_1 = sibling(span, 2);
	var node = child(span_1);
	var consequent = ($$anchor) => {
		var button = root_1$5();
		delegated("click", button, () => requestChange($$props.page, "stop", { name: get(sweep).name }));
		append$1($$anchor, button);
	};
	if_block(node, ($$render) => {
		if (get(sweep)?.state === "training") $$render(consequent);
	});
	var node_1 = sibling(node, 2);
	var consequent_1 = ($$anchor) => {
		var button_1 = root_2$1();
		delegated("click", button_1, () => resumeSweep($$props.page, get(sweep).name));
		append$1($$anchor, button_1);
	};
	if_block(node_1, ($$render) => {
		if (get(sweep) && !get(isBusy) && get(sweep).state !== "finished") $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2);
	var consequent_2 = ($$anchor) => {
		var button_2 = root_3();
		delegated("click", button_2, () => requestChange($$props.page, "delete", { name: get(sweep).name }));
		append$1($$anchor, button_2);
	};
	if_block(node_2, ($$render) => {
		if (get(sweep) && !get(isBusy)) $$render(consequent_2);
	});
	reset(span_1);
	reset(div);
	var div_1 = sibling(div, 2);
	var div_2 = child(div_1);
	var table = child(div_2);
	var thead = child(table);
	var tr = child(thead);
	var node_3 = child(tr);
	each(node_3, 17, () => get(headers), index, ($$anchor, header) => {
		var th = root_4();
		var text_3 = only_child(th, true);
		template_effect(() => set_text(text_3, get(header)));
		append$1($$anchor, th);
	});
	next();
	reset(tr);
	reset(thead);
	var tbody = sibling(thead);
	each(tbody, 21, () => get(entries), (entry) => entry.name, ($$anchor, entry) => {
		var tr_1 = root_6();
		var node_4 = child(tr_1);
		each(node_4, 17, () => cells(get(entry)), index, ($$anchor, text) => {
			var td = root_5();
			var text_4 = only_child(td, true);
			template_effect(() => set_text(text_4, get(text)));
			append$1($$anchor, td);
		});
		var td_1 = sibling(node_4);
		var text_5 = only_child(td_1, true);
		reset(tr_1);
		template_effect(($0, $1) => {
			set_class(td_1, 1, $0);
			set_attribute(td_1, "title", get(entry).message ?? "");
			set_text(text_5, $1);
		}, [() => clsx(get(entry).state.replace(" ", "-")), () => stateOf(get(entry))]);
		append$1($$anchor, tr_1);
	});
	reset(tbody);
	reset(table);
	reset(div_2);
	var node_5 = sibling(div_2, 2);
	var consequent_3 = ($$anchor) => {
		SweepPlot($$anchor, {
			get page() {
				return $$props.page;
			},
			get sweep() {
				return get(sweep);
			},
			get entries() {
				return get(entries);
			}
		});
	};
	if_block(node_5, ($$render) => {
		if (get(sweep)) $$render(consequent_3);
	});
	reset(div_1);
	reset(section);
	template_effect(() => {
		set_attribute(section, "hidden", !get(sweep));
		set_text(text_2, get(sweep) ? `${get(sweep).results.length} of ${get(sweep).runs.length} runs completed; ${get(sweep).state}.${get(isBusy) || get(sweep).state === "stopped" ? "" : ` ${get(sweep).message}`}` : "");
	});
	bind_select_value(select, () => get(sweep)?.name, (name) => {
		set(chosen, name ?? "", true);
	});
	append$1($$anchor, section);
	pop();
}
delegate(["click"]);
// src/train/Attention.svelte
var root$3 = from_html(`<!> <!>`, 1);
var root_1$4 = from_html(`<div class="matrix-column"><h2 class="query"> </h2> <!></div>`);
function Attention($$anchor, $$props) {
	push($$props, true);
	const timeline = user_derived(() => $$props.page.timeline);
	const shape = user_derived(() => get(timeline).shape);
	const $$d = user_derived(() => get(timeline).limits), heads = user_derived(() => get($$d).heads), means = user_derived(() => get($$d).means);
	const words = user_derived(() => [
		`0 %`,
		`attention weight, all snapshots; means to ${percent(get(means), digitsOf(get(means)))}`,
		`≥ ${percent(get(heads), digitsOf(get(heads)))}`
	]);
	function paint(tiles) {
		const { maps, past } = get(timeline);
		if (!maps || !past) return;
		const table = $$props.page.table("seq");
		for (const { layer, head, values } of tiles) paintTile(values, rowOf(maps.rows, past.shape, layer, head), past.shape.prefix, table, get(timeline).scaleOf(layer, head));
	}
	var div = root_1$4();
	var h2 = child(div);
	var text = only_child(h2, true);
	var node = sibling(h2, 2);
	var consequent = ($$anchor) => {
		var fragment = root$3();
		var node_1 = first_child(fragment);
		Matrix(node_1, spread_props({
			get shape() {
				return get(shape);
			},
			label: "Maps of all layers and heads at this snapshot"
		}, () => get(timeline).chosen, {
			paint,
			onchoose: (layer, head) => get(timeline).choose(layer, head)
		}));
		var node_2 = sibling(node_1, 2);
		{
			let $0 = user_derived(() => $$props.page.table("seq"));
			ColorBar(node_2, {
				get table() {
					return get($0);
				},
				get words() {
					return get(words);
				}
			});
		}
		append$1($$anchor, fragment);
	};
	if_block(node, ($$render) => {
		if (get(shape)) $$render(consequent);
	});
	reset(div);
	template_effect(($0) => set_text(text, $0), [() => get(shape) ? `What ${queryName([], get(shape))} attends to` : "What the class token attends to"]);
	append$1($$anchor, div);
	pop();
}
// src/train/movies.ts
async function saveMovie(page, source, ending, rendered) {
	const encodes = ending === ".mp4" && await canEncodeVideo();
	const request = {
		source,
		image: page.timeline.image,
		ending: encodes ? ".webp" : ending
	};
	const reply = await page.host.request("movie", request);
	const movie = reply && !isRefusal(reply) ? new Blob([bytesOf(reply.content)]) : null;
	const file = movie && encodes ? await mp4Of(movie).catch(() => null) : movie;
	rendered();
	if (!movie || isRefusal(reply)) return page.showNotice(reasonOf(reply), true);
	if (!file) return page.showNotice(ENCODING_FAILED, true);
	const name = reply.name.replace(/\.webp$/, ending);
	saveBlob(name, file);
	page.showBriefly(`Saved as ${name}.`);
}
// src/train/Findings.svelte
var root$2 = from_html(`<li><span class="class-name"> </span><span class="track"><span class="fill"></span></span><span class="value"> </span></li>`);
var root_1$3 = from_html(`<button type="button" class="button"> </button>`);
var root_2 = from_html(`<div class="findings"><h2>Prediction</h2> <ol class="predictions"></ol> <h2 class="what">What to look for</h2> <p class="finding"><!></p> <p class="finding measured"><!></p> <div class="saving"><span>Save as</span><!></div> <p class="note"> </p></div>`);
function Findings($$anchor, $$props) {
	push($$props, true);
	const timeline = user_derived(() => $$props.page.timeline);
	let encodes = state(true);
	let rendering = state(proxy([]));
	const endings = user_derived(() => get(encodes) || $$props.page.catalog.movies.includes(".mp4") ? [".gif", ".mp4"] : [".gif"]);
	const past = user_derived(() => get(timeline).past);
	const now = user_derived(() => get(timeline).now);
	const truth = user_derived(() => get(past) ? get(past).classes.indexOf(get(past).images[get(timeline).image].name) : -1);
	const ranking = user_derived(() => get(past) ? rankedClasses(get(past), get(truth)) : []);
	const best = user_derived(() => get(now) ? largest(get(now).probabilities) : -1);
	const finding = user_derived(() => get(past) && get(now) ? findingLine(get(now).effective, get(past).snapshots[0].effective, get(past).shape, get(timeline).snapshot === 0) : []);
	const measured = user_derived(measuredLine);
	function measuredLine() {
		if (!get(past) || !get(now)?.distance || !get(now).entropy) return null;
		const distances = get(now).distance.map(meanOf);
		const spread = `${distances[0].toFixed(1)} in layer 1, ${distances[distances.length - 1].toFixed(1)} in the last`;
		return [
			"Mean over all probe images: attention distance ",
			{ strong: `${meanOf(distances).toFixed(1)} px` },
			` (${spread}), entropy `,
			{ strong: `${meanOf(get(now).entropy.flat()).toFixed(2)} nats` },
			` (uniform: ${Math.log(tokenCount(get(past).shape)).toFixed(2)}).`
		];
	}
	canEncodeVideo().then((can) => {
		set(encodes, can, true);
	});
	async function save(ending) {
		if (!get(timeline).past || !$$props.page.source) return;
		set(rendering, [...get(rendering), ending], true);
		await saveMovie($$props.page, $$props.page.source, ending, () => {
			set(rendering, get(rendering).filter((other) => other !== ending), true);
		});
	}
	var div = root_2();
	var ol = sibling(child(div), 2);
	each(ol, 21, () => get(ranking), index, ($$anchor, k) => {
		var li = root$2();
		var span = child(li);
		var text = only_child(span, true);
		var span_1 = sibling(span);
		var span_2 = child(span_1);
		let styles;
		reset(span_1);
		var span_3 = sibling(span_1);
		var text_1 = only_child(span_3, true);
		reset(li);
		template_effect(($0) => {
			set_class(li, 1, clsx(["prediction", { best: get(k) === get(best) }]));
			set_text(text, get(k) === get(truth) ? `${get(past)?.classes[get(k)]} (true)` : get(past)?.classes[get(k)]);
			styles = set_style(span_2, "", styles, { width: `${100 * (get(now)?.probabilities[get(k)] ?? 0)}%` });
			set_text(text_1, $0);
		}, [() => percent(get(now)?.probabilities[get(k)] ?? 0, 1)]);
		append$1($$anchor, li);
	});
	reset(ol);
	var p = sibling(ol, 4);
	var node = child(p);
	Line(node, { get line() {
		return get(finding);
	} });
	reset(p);
	var p_1 = sibling(p, 2);
	var node_1 = child(p_1);
	{
		let $0 = user_derived(() => get(measured) ?? []);
		Line(node_1, { get line() {
			return get($0);
		} });
	}
	reset(p_1);
	var div_1 = sibling(p_1, 2);
	var node_2 = sibling(child(div_1));
	each(node_2, 16, () => get(endings), (ending) => ending, ($$anchor, ending) => {
		var button = root_1$3();
		var text_2 = only_child(button, true);
		template_effect(($0, $1) => {
			set_attribute(button, "data-save", ending);
			button.disabled = $0;
			set_text(text_2, $1);
		}, [() => get(rendering).includes(ending), () => get(rendering).includes(ending) ? "Rendering…" : ending.slice(1).toUpperCase()]);
		delegated("click", button, () => save(ending));
		append$1($$anchor, button);
	});
	reset(div_1);
	var p_2 = sibling(div_1, 2);
	var text_3 = only_child(p_2, true);
	reset(div);
	template_effect(() => {
		set_attribute(p_1, "hidden", !get(measured));
		set_attribute(p_2, "hidden", get(endings).length > 1);
		set_text(text_3, NO_ENCODER);
	});
	append$1($$anchor, div);
	pop();
}
delegate(["click"]);
// src/train/Probe.svelte
var root$1 = from_html(`<button type="button" class="thumb" role="radio"><img/></button>`);
var root_1$2 = from_html(`<div class="probe"><h2>Probe image</h2> <div class="large"><img class="probe-image"/> <div class="map" role="application" aria-label="Selected map. Arrow keys read the value of each patch."><canvas class="values"></canvas><div class="read"></div></div></div> <p class="map-line"><!></p> <div class="probes" role="radiogroup" aria-label="Probe image"></div></div>`);
function Probe($$anchor, $$props) {
	push($$props, true);
	const timeline = user_derived(() => $$props.page.timeline);
	let map;
	let canvas = state(void 0);
	let probes;
	const probe = user_derived(() => get(timeline).images[get(timeline).image]);
	const shape = user_derived(() => get(timeline).shape);
	const tile = user_derived(() => get(shape) && get(canvas) && makeTile(get(canvas), get(shape).columns, get(shape).rows));
	const corner = user_derived(() => get(shape) && get(timeline).read >= 0 ? cornerOf(get(timeline).read, get(shape)) : null);
	user_effect(() => {
		if (!get(tile) || !get(timeline).maps) return;
		const { layer, head } = get(timeline).chosen;
		const { past } = get(timeline);
		if (past) paintTile(get(tile), rowOf(get(timeline).maps.rows, past.shape, layer, head), past.shape.prefix, $$props.page.table("seq"), get(timeline).scaleOf(layer, head));
	});
	const point = (event) => get(timeline).past && get(timeline).readPatch(patchAt(map, event, get(timeline).past.shape));
	const isTouch = ({ pointerType }) => pointerType === "touch";
	function readByKey(event) {
		if (!get(timeline).past || isShortcut(event)) return;
		const { read, past } = get(timeline);
		if (GRID_KEYS.includes(event.key)) get(timeline).readPatch(read < 0 ? middlePatch(past.shape) : neighbour(read, event.key, past.shape));
		else if (event.key === "Escape") get(timeline).readPatch(-1);
		else return;
		event.preventDefault();
	}
	function chooseByKey(event) {
		if (!get(timeline).past || isShortcut(event) || !ARROWS.includes(event.key)) return;
		event.preventDefault();
		const by = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : -1;
		const count = get(timeline).past.images.length;
		const place = (get(timeline).image + by + count) % count;
		probes.querySelectorAll("button")[place].focus();
		get(timeline).load($$props.page.source, place);
	}
	var div = root_1$2();
	var div_1 = sibling(child(div), 2);
	var img = child(div_1);
	var div_2 = sibling(img, 2);
	set_attribute(div_2, "tabindex", 0);
	var canvas_1 = child(div_2);
	bind_this(canvas_1, ($$value) => set(canvas, $$value), () => get(canvas));
	var div_3 = sibling(canvas_1);
	let styles;
	reset(div_2);
	bind_this(div_2, ($$value) => map = $$value, () => map);
	reset(div_1);
	var p = sibling(div_1, 2);
	var node = child(p);
	Line(node, { get line() {
		return get(timeline).mapLine;
	} });
	reset(p);
	var div_4 = sibling(p, 2);
	each(div_4, 21, () => get(timeline).images, index, ($$anchor, $$item, place) => {
		let name = () => get($$item).name;
		let src = () => get($$item).src;
		var button = root$1();
		var img_1 = only_child(button);
		template_effect(($0) => {
			set_attribute(button, "aria-checked", place === get(timeline).image);
			set_attribute(button, "tabindex", place === get(timeline).image ? 0 : -1);
			set_attribute(img_1, "src", $0);
			set_attribute(img_1, "alt", name());
		}, [() => isImageUrl(src()) ? src() : void 0]);
		delegated("click", button, () => get(timeline).load($$props.page.source, place));
		append$1($$anchor, button);
	});
	reset(div_4);
	bind_this(div_4, ($$value) => probes = $$value, () => probes);
	reset(div);
	template_effect(($0) => {
		set_attribute(img, "src", $0);
		set_attribute(img, "alt", get(probe) ? `Probe image: ${get(probe).name}` : "");
		set_attribute(div_3, "hidden", !get(corner));
		styles = set_style(div_3, "", styles, {
			left: get(corner)?.left,
			top: get(corner)?.top
		});
	}, [() => get(probe) && isImageUrl(get(probe).src) ? get(probe).src : void 0]);
	delegated("pointermove", div_2, (event) => isTouch(event) || point(event));
	delegated("click", div_2, point);
	event("pointerleave", div_2, (event) => isTouch(event) || get(timeline).readPatch(-1));
	event("blur", div_2, () => get(timeline).readPatch(-1));
	delegated("keydown", div_2, readByKey);
	delegated("keydown", div_4, chooseByKey);
	append$1($$anchor, div);
	pop();
}
delegate([
	"pointermove",
	"click",
	"keydown"
]);
// src/train/Timeline.svelte
var root = from_html(`<option> </option>`);
var root_1$1 = from_html(`<div class="time"><button type="button" class="button" data-do="play"> </button> <input type="range" class="snapshot" min="0" step="1" aria-label="Snapshot"/> <span class="when"> </span> <label class="of"><span>Run</span><select class="button source"></select></label></div> <p class="empty no-snapshots"> </p> <div class="live"><!> <!> <!></div>`, 1);
function Timeline($$anchor, $$props) {
	push($$props, true);
	const page = prop($$props, "page", 7);
	const timeline = user_derived(() => page().timeline);
	const ELSEWHERE = "input, select, summary, [role=gridcell], .map, .probes, .wide";
	const now = user_derived(() => get(timeline).now);
	const last = user_derived(() => get(timeline).past ? get(timeline).past.snapshots.length - 1 : 0);
	const isCurrent = user_derived(() => get(timeline).snapshot === get(last) && page().run !== void 0 && isRunning(page().run));
	const chosen = user_derived(() => page().sources.includes(page().chosen) ? page().chosen : page().sources[0]);
	function choose(source) {
		page().chosen = source;
		page().showNotice(null);
		follow(page(), source);
	}
	function pressed(event) {
		const node = event.target;
		if (!(node instanceof Element) || !page().isShown() || node !== document.body && !page().root?.contains(node)) return;
		if (!get(timeline).past || node.closest(ELSEWHERE) || isShortcut(event)) return;
		if (event.key === "ArrowLeft") get(timeline).step(-1);
		else if (event.key === "ArrowRight") get(timeline).step(1);
		else if (event.key === " " && !node.closest("button, a")) get(timeline).play();
		else return;
		event.preventDefault();
	}
	onMount(() => listenWhile(page().host.element, document, "keydown", pressed));
	var fragment = root_1$1();
	var div = first_child(fragment);
	var button = child(div);
	var text = only_child(button, true);
	var input = sibling(button, 2);
	remove_input_defaults(input);
	var span = sibling(input, 2);
	var text_1 = only_child(span, true);
	var label = sibling(span, 2);
	var select = sibling(child(label));
	each(select, 20, () => page().sources, (source) => source, ($$anchor, source) => {
		var option = root();
		var text_2 = only_child(option, true);
		var option_value = {};
		template_effect(($0) => {
			set_text(text_2, $0);
			if (option_value !== (option_value = source)) option.value = (option.__value = option_value) ?? "";
		}, [() => sourceName(source)]);
		append$1($$anchor, option);
	});
	reset(select);
	init_select(select);
	reset(label);
	reset(div);
	var p = sibling(div, 2);
	var text_3 = only_child(p, true);
	var div_1 = sibling(p, 2);
	var node_1 = child(div_1);
	Probe(node_1, { get page() {
		return page();
	} });
	var node_2 = sibling(node_1, 2);
	Attention(node_2, { get page() {
		return page();
	} });
	Findings(sibling(node_2, 2), { get page() {
		return page();
	} });
	reset(div_1);
	template_effect(($0, $1) => {
		button.disabled = get(timeline).isLive === false;
		set_text(text, get(timeline).isPlaying ? "Pause" : "Play");
		set_attribute(input, "max", get(last));
		set_value(input, get(timeline).past ? get(timeline).snapshot : 0);
		set_attribute(input, "aria-valuetext", $0);
		input.disabled = get(timeline).isLive === false;
		set_text(text_1, $1);
		set_attribute(p, "hidden", get(timeline).isLive !== false);
		set_text(text_3, get(timeline).reason);
		set_attribute(div_1, "hidden", get(timeline).isLive === false);
	}, [() => get(now) && `Epoch ${epochText(get(now).epoch)}, after ${duration(get(now).seconds)}`, () => get(now) ? `Epoch ${epochText(get(now).epoch)}${get(isCurrent) ? " (now)" : ""}` : ""]);
	delegated("click", button, () => get(timeline).past && get(timeline).play());
	delegated("input", input, (event) => get(timeline).goTo(Number(event.currentTarget.value)));
	bind_select_value(select, () => get(chosen), choose);
	append$1($$anchor, fragment);
	pop();
}
delegate(["click", "input"]);
// src/train/Train.svelte
var root_1 = from_html(`<div><p class="voice" aria-live="polite"> </p> <div><section class="setup" aria-label="Train a model"><h1>Train a model</h1> <!> <p class="closed">Training is disabled on this public page, because its server is shared. Install vitviz to train on your own machine. This page shows how attention formed while the bundled models were trained.</p></section> <section class="watch" aria-label="Training"><!> <!> <!> <!></section></div> <!> <!> <p class="foot"><span>Keys: <kbd>←</kbd> <kbd>→</kbd> previous and next snapshot · <kbd>Space</kbd> play</span><span class="machine"> </span></p></div>`);
function Train($$anchor, $$props) {
	push($$props, true);
	const catalog = user_derived(() => $$props.page.catalog), form = user_derived(() => $$props.page.form), timeline = user_derived(() => $$props.page.timeline);
	let root;
	let isTrainingFirst = state(false);
	user_pre_effect(() => {
		if ($$props.page.running) set(isTrainingFirst, true);
	});
	const shape = user_derived(() => get(timeline).shape);
	onMount(() => start($$props.page, root));
	var div = root_1();
	let styles;
	var p = child(div);
	var text = only_child(p, true);
	var div_1 = sibling(p, 2);
	var section = child(div_1);
	var node = sibling(child(section), 2);
	Form(node, { get page() {
		return $$props.page;
	} });
	var p_1 = sibling(node, 2);
	reset(section);
	var section_1 = sibling(section, 2);
	var node_1 = child(section_1);
	Now(node_1, { get page() {
		return $$props.page;
	} });
	var node_2 = sibling(node_1, 2);
	Curves(node_2, { get page() {
		return $$props.page;
	} });
	var node_3 = sibling(node_2, 2);
	Timeline(node_3, { get page() {
		return $$props.page;
	} });
	Forming(sibling(node_3, 2), { get page() {
		return $$props.page;
	} });
	reset(section_1);
	reset(div_1);
	var node_5 = sibling(div_1, 2);
	Runs(node_5, { get page() {
		return $$props.page;
	} });
	var node_6 = sibling(node_5, 2);
	Sweeps(node_6, { get page() {
		return $$props.page;
	} });
	var p_2 = sibling(node_6, 2);
	var span = sibling(child(p_2));
	var text_1 = only_child(span);
	reset(p_2);
	reset(div);
	bind_this(div, ($$value) => root = $$value, () => root);
	template_effect(($0) => {
		set_class(div, 1, clsx([
			"vitviz",
			"vitviz-train",
			{
				public: get(catalog).public,
				"many-heads": get(shape) && get(shape).heads > 8
			}
		]));
		set_attribute(div, "data-state", $$props.page.state);
		set_attribute(div, "data-run", $$props.page.followed ?? "");
		set_attribute(div, "data-run-state", $$props.page.run?.state ?? "");
		set_attribute(div, "data-polls", $$props.page.polls || void 0);
		set_attribute(div, "data-checked", get(form).checked);
		set_attribute(div, "data-estimated", get(form).estimated);
		set_attribute(div, "data-count", get(timeline).count);
		set_attribute(div, "data-snapshot", get(timeline).past ? get(timeline).snapshot : void 0);
		styles = set_style(div, "", styles, {
			"--data": $0,
			"--rows": get(shape)?.rows,
			"--columns": get(shape)?.columns,
			"--aspect": get(shape)?.aspect,
			"--heads": get(shape)?.heads
		});
		set_text(text, $$props.page.voice);
		set_class(div_1, 1, clsx(["halves", { "training-first": get(isTrainingFirst) }]));
		set_attribute(p_1, "hidden", !get(catalog).public);
		set_text(text_1, `Hardware: ${get(catalog).machine ?? ""}.`);
	}, [() => cssColor($$props.page.table("seq")[150])]);
	append$1($$anchor, div);
	pop();
}
// src/train/train.ts
async function mount(context) {
	const target = context.element.firstElementChild ?? context.element;
	const host = hostOf(context);
	const catalog = await host.request("train_catalog", {});
	if (isRefusal(catalog)) target.textContent = catalog.error;
	else mount$1(Train, {
		target,
		props: { page: new TrainPage({
			...host,
			catalog
		}) }
	});
}
export { mount };
