import { $document, append, attach, await_block, bind_this, bind_value, child, clsx, comment, component, delegate, delegated, each, event, first_child, flushSync, from_html, get, if_block, index, init_select, mount as mount$1, next, noop, only_child, pop, prop, props_id, push, remove_input_defaults, replay_events, reset, select_option, set, set_attribute, set_checked, set_class, set_style, set_text, set_value, sibling, state, template_effect, text, tick, to_array, untrack, user_derived, user_effect } from "./packages.js";
import { ACCEPTED, COMPARISONS, COMPARISON_SIGNS, Download, Explorer, GRID_KEYS, Line, Matrix, ModelSelect, NO_ANSWER, OPEN_HEAD, Progress, Task, ViewTabs, __vitePreload, ablate, accuracyLine, act, announceSoon, capital, changesLine, chooseClass, chooseContrast, chooseHead, chooseImage, chooseMethod, chooseOption, chooseTestImage, classGroup, compareToRandom, copyLink, cornerOf, dismiss, effectSentence, explanationOf, fail, fetchPixels, firstImage, fitTile, focusTile, followHistory, hasManyHeads, hasModel, hostOf, hover, imageParam, importPanel, isAblated, isDismissed, isImageUrl, isOfRun, isServed, isShortcut, keepSizes, largestLine, layersOf, leaveMethod, listedClasses, listenWhile, load, makeTile, matrixStyle, meaningOf, mebibytes, methodScale, middlePatch, neighbour, numberName, oneOf, paintPixels, paintTile, patchAt, percent, pinPatch, place, pointsBetween, prefixLine, queryClassToken, readAddress, reasonOf, refreshLists, requestDownload, restoreAll, roving, rowOf, scaleNote, scoreNote, scoreText, showLists, showModel, showNotice, showShelf, signed, tableKind, takeFile, termOf, ticksOf, toggleHead, togglePatch, toggleRemoving, unavailableSentences, uniformWeight, unitOf, waitingSentence, zoomOf } from "./shared.js";
// src/explore/Controls.svelte
var root$21 = from_html(`<label><input type="radio"/><span> </span></label>`);
var root_1$20 = from_html(`<div role="radiogroup"><span class="name"> </span> <div class="options"></div></div>`);
var root_2$10 = from_html(`<form class="controls" aria-label="View"><!> <label class="outline-slider"><span class="name">Outlines</span><input type="range" min="0" max="100"/></label></form>`);
function Controls($$anchor, $$props) {
	push($$props, true);
	const explorer = prop($$props, "explorer", 7);
	const choices = user_derived(() => explorer().choices);
	const tokens = user_derived(() => explorer().shape?.classToken === false ? "All patches" : "Class token");
	const isPatch = user_derived(() => get(choices).pins.length > 0 || get(choices).hover >= 0 && explorer().view.query.length > 0);
	const query = user_derived(() => get(choices).isMultiPatchQuery ? "patches" : get(isPatch) ? "patch" : "class");
	const isSimilarity = user_derived(() => get(choices).view === "features" && get(query) === "patch");
	const directions = user_derived(() => [
		["from", "Attends to"],
		["to", "Attended by"],
		...explorer().host.live ? [["similar", "Similar to"]] : []
	]);
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
			value: get(isSimilarity) ? "similar" : get(choices).direction,
			options: get(directions)
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
		if (group) chooseOption(explorer(), group.name, target.value);
	}
	function change({ target }) {
		choose(target);
		sync();
	}
	function click({ target }) {
		if (!(target instanceof HTMLInputElement)) return;
		const isHidden = get(choices).method !== null || get(choices).view !== "attention";
		if (target.checked && isHidden && target.name !== "display") choose(target);
	}
	var form_1 = root_2$10();
	var node = child(form_1);
	each(node, 17, () => get(groups), ({ name, title, options }) => name, ($$anchor, $$item) => {
		let name = () => get($$item).name;
		let title = () => get($$item).title;
		let options = () => get($$item).options;
		var div = root_1$20();
		var span = child(div);
		var text_1 = only_child(span, true);
		var div_1 = sibling(span, 2);
		each(div_1, 21, options, ([value, text]) => value, ($$anchor, $$item) => {
			var $$array = user_derived(() => to_array(get($$item), 2));
			let value = () => get($$array)[0];
			let text = () => get($$array)[1];
			var label = root$21();
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
	var label_1 = sibling(node, 2);
	var input_2 = sibling(child(label_1));
	remove_input_defaults(input_2);
	reset(label_1);
	reset(form_1);
	bind_this(form_1, ($$value) => form = $$value, () => form);
	delegated("change", form_1, change);
	delegated("click", form_1, click);
	event("submit", form_1, (event) => event.preventDefault());
	bind_value(input_2, () => explorer().choices.outlines, ($$value) => explorer().choices.outlines = $$value);
	append($$anchor, form_1);
	pop();
}
delegate(["change", "click"]);
// src/explore/Marks.svelte
var root$20 = from_html(`<div></div>`);
var root_1$19 = from_html(`<!> <!> <!>`, 1);
function Marks($$anchor, $$props) {
	push($$props, true);
	const mark = ($$anchor, patch = noop, kind = noop) => {
		const corner = user_derived(() => $$props.shape && patch() >= 0 ? cornerOf(patch(), $$props.shape) : null);
		var div = root$20();
		template_effect(() => {
			set_class(div, 1, `mark ${kind() ?? ""}`);
			set_attribute(div, "hidden", !get(corner));
			set_style(div, get(corner) && `left: ${get(corner).left}; top: ${get(corner).top}`);
		});
		append($$anchor, div);
	};
	var fragment = root_1$19();
	var node = first_child(fragment);
	mark(node, () => $$props.marks.readout, () => "read");
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
// src/explore/Thumbs.svelte
var root$19 = from_html(`<span class="predicted" aria-hidden="true"> <span class="probability"> </span></span>`);
var root_1$18 = from_html(`<button class="thumb" type="button"><img/> <!></button>`);
var root_2$9 = from_html(`<div class="thumbs" role="toolbar"></div>`);
function Thumbs($$anchor, $$props) {
	push($$props, true);
	const inert = prop($$props, "inert", 3, false);
	const chosen = user_derived(() => JSON.stringify($$props.explorer.choices.image));
	var div = root_2$9();
	each(div, 21, () => $$props.thumbs, ({ image, name, src, predicted }) => name, ($$anchor, $$item) => {
		let image = () => get($$item).image;
		let name = () => get($$item).name;
		let src = () => get($$item).src;
		let predicted = () => get($$item).predicted;
		var button = root_1$18();
		var img = child(button);
		var node = sibling(img, 2);
		var consequent = ($$anchor) => {
			var span = root$19();
			var text = child(span);
			var span_1 = sibling(text);
			var text_1 = only_child(span_1, true);
			reset(span);
			template_effect(() => {
				set_text(text, `${predicted().label ?? ""} `);
				set_text(text_1, predicted().probability);
			});
			append($$anchor, span);
		};
		if_block(node, ($$render) => {
			if (predicted()) $$render(consequent);
		});
		reset(button);
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
	attach(div, () => roving);
	template_effect(() => {
		div.inert = inert();
		set_attribute(div, "aria-label", $$props.label);
	});
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/explore/Gallery.svelte
var root$18 = from_html(`<p class="empty"> </p>`);
var root_1$17 = from_html(`<option> </option>`);
var root_2$8 = from_html(`<div class="shelf" data-source="cifar"><!>  <div><div class="gallery-bar"><select class="button" name="label" aria-label="True class"></select> <select class="button" name="shown" aria-label="Prediction"></select></div> <div class="gallery-bar pager"><button type="button" class="button" data-page="-1" aria-label="Previous page">‹</button> <label class="page-number"><span class="only-large">Page</span> <input type="number" name="page" aria-label="Page" min="1"/> </label> <button type="button" class="button" data-page="1" aria-label="Next page">›</button> <label class="page-number only-large">Image <input type="number" name="index" aria-label="Index of a test image" min="0"/></label> <span class="page-number count only-large"> </span> <button type="button" class="button" data-do="enlarge"> </button></div> <div class="sorting" role="status"> <!></div> <p class="none-found">No image is in this selection.</p> <!></div></div>`);
function Gallery($$anchor, $$props) {
	push($$props, true);
	const SHOWN = [
		["all", "All images"],
		["correct", "Correct"],
		["misclassified", "Misclassified"],
		["confidently wrong", "Confidently wrong"]
	];
	const gallery = user_derived(() => $$props.explorer.gallery);
	const catalog = user_derived(() => $$props.explorer.catalog);
	const isAvailable = user_derived(() => get(gallery).dataset !== "cifar10" || get(catalog).cifar.available);
	const canDownload = user_derived(() => !get(catalog).public && $$props.explorer.host.live);
	const $$d = user_derived(() => get(gallery).progress), done = user_derived(() => get($$d).done), total = user_derived(() => get($$d).total);
	async function goTo(input) {
		get(gallery).goTo(input.valueAsNumber - 1);
		await tick();
		input.value = String(get(gallery).page + 1);
	}
	function shrinkOnEscape(event) {
		if (event.key !== "Escape" || !get(gallery).isLarge) return;
		event.stopPropagation();
		get(gallery).isLarge = false;
	}
	var div = root_2$8();
	var node = child(div);
	var consequent = ($$anchor) => {
		Download($$anchor, {
			name: "CIFAR-10",
			missing: "The 10,000 test images are not downloaded.",
			get download() {
				return $$props.explorer.download;
			},
			onstart: () => requestDownload($$props.explorer, "start"),
			oncancel: () => requestDownload($$props.explorer, "cancel")
		});
	};
	var consequent_1 = ($$anchor) => {
		var p = root$18();
		var text = only_child(p);
		template_effect(() => set_text(text, `${get(catalog).cifar.message ?? ""} Choose a sample, or upload an image.`));
		append($$anchor, p);
	};
	if_block(node, ($$render) => {
		if (!get(isAvailable) && get(canDownload)) $$render(consequent);
		else if (!get(isAvailable)) $$render(consequent_1, 1);
	});
	var div_1 = sibling(node, 2);
	var div_2 = child(div_1);
	var select = child(div_2);
	each(select, 21, () => ["All classes", ...get(gallery).classes], index, ($$anchor, name, k) => {
		var option = root_1$17();
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
		var option_1 = root_1$17();
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
	reset(div_2);
	var div_3 = sibling(div_2, 2);
	var button = child(div_3);
	var label = sibling(button, 2);
	var input_1 = sibling(child(label), 2);
	remove_input_defaults(input_1);
	var text_3 = sibling(input_1);
	reset(label);
	var button_1 = sibling(label, 2);
	var label_1 = sibling(button_1, 2);
	var input_2 = sibling(child(label_1));
	reset(label_1);
	var span = sibling(label_1, 2);
	var text_4 = only_child(span);
	var button_2 = sibling(span, 2);
	var text_5 = only_child(button_2, true);
	reset(div_3);
	var div_4 = sibling(div_3, 2);
	var text_6 = child(div_4);
	var node_1 = sibling(text_6);
	{
		let $0 = user_derived(() => get(total) ? get(done) / get(total) : 0);
		let $1 = user_derived(() => !get(total));
		Progress(node_1, {
			label: "Classified test images",
			get progress() {
				return get($0);
			},
			get hidden() {
				return get($1);
			}
		});
	}
	reset(div_4);
	var p_1 = sibling(div_4, 2);
	Thumbs(sibling(p_1, 2), {
		get explorer() {
			return $$props.explorer;
		},
		get thumbs() {
			return get(gallery).thumbs;
		},
		get inert() {
			return get(gallery).isWaiting;
		},
		label: "Test images"
	});
	reset(div_1);
	reset(div);
	template_effect(($0, $1) => {
		set_attribute(div, "hidden", $$props.explorer.shelf !== "cifar" && $$props.explorer.shelf !== "dataset");
		set_class(div_1, 1, clsx(["gallery", { large: get(gallery).isLarge }]));
		set_attribute(div_1, "hidden", !get(isAvailable));
		if (select_value !== (select_value = get(gallery).label)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		if (select_1_value !== (select_1_value = get(gallery).shown)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
		button.disabled = get(gallery).isWaiting || get(gallery).page === 0;
		set_attribute(input_1, "max", get(gallery).pages);
		set_value(input_1, get(gallery).page + 1);
		set_text(text_3, ` of ${get(gallery).pages ?? ""}`);
		button_1.disabled = get(gallery).isWaiting || get(gallery).page >= get(gallery).pages - 1;
		set_text(text_4, `${$0 ?? ""} images`);
		set_attribute(button_2, "aria-expanded", get(gallery).isLarge);
		set_text(text_5, get(gallery).isLarge ? "Smaller" : "Larger");
		set_attribute(div_4, "hidden", !get(gallery).isWaiting);
		set_text(text_6, `${$1 ?? ""} `);
		set_attribute(p_1, "hidden", get(gallery).isWaiting || get(gallery).count > 0 || !get(gallery).filled);
	}, [() => get(gallery).count.toLocaleString("en"), () => get(gallery).isWaiting ? waitingSentence(get(gallery).progress) : ""]);
	delegated("keydown", div_1, shrinkOnEscape);
	delegated("change", select, (event) => get(gallery).select(event.currentTarget.selectedIndex - 1, get(gallery).shown));
	delegated("change", select_1, (event) => get(gallery).select(get(gallery).label, SHOWN[event.currentTarget.selectedIndex][0]));
	delegated("click", button, () => get(gallery).turn(-1));
	delegated("change", input_1, (event) => goTo(event.currentTarget));
	delegated("click", button_1, () => get(gallery).turn(1));
	delegated("change", input_2, (event) => chooseTestImage($$props.explorer, event.currentTarget.valueAsNumber));
	delegated("click", button_2, () => {
		get(gallery).isLarge = !get(gallery).isLarge;
	});
	append($$anchor, div);
	pop();
}
delegate([
	"keydown",
	"change",
	"click"
]);
// src/explore/Camera.svelte
var root$17 = from_html(`<button type="button" class="button" data-do="camera" aria-label="Use the camera">Camera</button>  <div class="camera"><video playsinline=""></video> <button type="button" class="button primary" data-do="snap">Take photo</button> <button type="button" class="button" data-do="close-camera" aria-label="Close the camera">Close</button></div>`, 3);
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
		dismiss();
		canvas.toBlob((blob) => {
			if (blob) takeFile($$props.explorer, new File([blob], "photo.png", { type: "image/png" }));
		});
	}
	var fragment = root$17();
	var button = first_child(fragment);
	bind_this(button, ($$value) => opener = $$value, () => opener);
	var div = sibling(button, 2);
	var video_1 = child(div);
	video_1.muted = true;
	bind_this(video_1, ($$value) => video = $$value, () => video);
	var button_1 = sibling(video_1, 2);
	bind_this(button_1, ($$value) => shutter = $$value, () => shutter);
	var button_2 = sibling(button_1, 2);
	reset(div);
	template_effect(() => {
		set_attribute(button, "hidden", !hasCamera);
		set_attribute(button, "aria-expanded", get(isOpen));
		set_attribute(div, "hidden", !get(isOpen));
	});
	delegated("click", button, () => get(isOpen) || open());
	delegated("keydown", div, (event) => event.key === "Escape" && dismiss());
	delegated("click", button_1, snap);
	delegated("click", button_2, dismiss);
	append($$anchor, fragment);
	pop();
}
delegate(["click", "keydown"]);
// src/explore/crop.ts
function cropBox({ width, height }, aspect, position, central = 1) {
	const ratio = width / height / aspect;
	if (!(ratio > 0) || central === null) return null;
	const isWhole = Math.abs(ratio - 1) < .01;
	if (isWhole && central === 1) return null;
	const isWide = ratio > 1;
	const share = isWhole ? 1 : isWide ? 1 / ratio : ratio;
	const along = 100 * ((1 - share) * position + share * (1 - central) / 2);
	const across = 50 * (1 - central);
	const [long, short] = [100 * share * central, 100 * central];
	return isWide ? {
		isWide,
		left: along,
		top: across,
		width: long,
		height: short
	} : {
		isWide,
		left: across,
		top: along,
		width: short,
		height: long
	};
}
var shareOf = ({ isWide, width, height }) => isWide ? width / height : height / width;
var isMovable = (box) => shareOf(box) < 1;
function positionAt(box, point) {
	const share = shareOf(box);
	const place = box.isWide ? point.x : point.y;
	return Math.min(1, Math.max(0, (place - share / 2) / (1 - share)));
}
// src/explore/Crop.svelte
var root$16 = from_html(`<i class="crop-box"></i>`);
var root_1$16 = from_html(`<label> <input type="range" name="crop" min="0" max="1" step="0.05"/></label>`);
var root_2$7 = from_html(`<div class="crop"><div role="presentation"><img alt="The uploaded image before cropping" draggable="false"/> <!></div> <div class="crop-text"><!></div></div>`);
function Crop($$anchor, $$props) {
	push($$props, true);
	const upload = user_derived(() => $$props.explorer.choices.image?.kind === "upload" ? $$props.explorer.choices.image : null);
	const src = user_derived(() => $$props.explorer.reply?.image.original);
	let size = state({
		width: 0,
		height: 0
	});
	let moved = state(null);
	const position = user_derived(() => get(moved) ?? get(upload)?.crop ?? .5);
	const box = user_derived(() => cropBox(get(size), $$props.explorer.shape?.aspect ?? 1, get(position), $$props.explorer.reply?.image.crop ?? null));
	const movable = user_derived(() => get(box) !== null && isMovable(get(box)));
	function measure(event) {
		const { naturalWidth: width, naturalHeight: height } = event.currentTarget;
		set(size, {
			width,
			height
		});
	}
	function follow(event) {
		const frame = event.currentTarget;
		if (!get(box) || !get(movable) || event.type === "pointermove" && !frame.hasPointerCapture(event.pointerId)) return;
		if (event.type === "pointerdown") frame.setPointerCapture(event.pointerId);
		const { left, top, width, height } = frame.getBoundingClientRect();
		set(moved, positionAt(get(box), {
			x: (event.clientX - left) / width,
			y: (event.clientY - top) / height
		}));
	}
	async function choose() {
		if (!get(upload) || get(moved) === null) return;
		const crop = Math.round(100 * get(moved)) / 100;
		await chooseImage($$props.explorer, {
			...get(upload),
			crop
		});
		set(moved, null);
	}
	var fragment = comment();
	var node = first_child(fragment);
	var consequent_3 = ($$anchor) => {
		var div = root_2$7();
		var div_1 = child(div);
		var img = child(div_1);
		var node_1 = sibling(img, 2);
		var consequent = ($$anchor) => {
			var i = root$16();
			let styles;
			template_effect(() => styles = set_style(i, "", styles, {
				left: `${get(box).left}%`,
				top: `${get(box).top}%`,
				width: `${get(box).width}%`,
				height: `${get(box).height}%`
			}));
			append($$anchor, i);
		};
		if_block(node_1, ($$render) => {
			if (get(box)) $$render(consequent);
		});
		reset(div_1);
		var div_2 = sibling(div_1, 2);
		var node_2 = child(div_2);
		var consequent_1 = ($$anchor) => {
			var label = root_1$16();
			var text = child(label);
			var input = sibling(text);
			remove_input_defaults(input);
			reset(label);
			template_effect(() => {
				set_text(text, `Crop, from ${get(box).isWide ? "left to right" : "top to bottom"} `);
				set_value(input, get(position));
			});
			delegated("input", input, (event) => {
				set(moved, event.currentTarget.valueAsNumber);
			});
			delegated("change", input, choose);
			append($$anchor, label);
		};
		var consequent_2 = ($$anchor) => {
			var text_1 = text("The model sees the central part.");
			append($$anchor, text_1);
		};
		var alternate = ($$anchor) => {
			var text_2 = text("The model sees the whole image.");
			append($$anchor, text_2);
		};
		if_block(node_2, ($$render) => {
			if (get(box) && get(movable)) $$render(consequent_1);
			else if (get(box)) $$render(consequent_2, 1);
			else $$render(alternate, -1);
		});
		reset(div_2);
		reset(div);
		template_effect(() => {
			set_class(div_1, 1, clsx(["original", { movable: get(movable) }]));
			set_attribute(img, "src", get(src));
		});
		delegated("pointerdown", div_1, follow);
		delegated("pointermove", div_1, follow);
		delegated("pointerup", div_1, choose);
		event("load", img, measure);
		replay_events(img);
		append($$anchor, div);
	};
	var d = user_derived(() => get(upload) && isImageUrl(get(src)));
	if_block(node, ($$render) => {
		if (get(d)) $$render(consequent_3);
	});
	append($$anchor, fragment);
	pop();
}
delegate([
	"pointerdown",
	"pointermove",
	"pointerup",
	"input",
	"change"
]);
// src/explore/UploadShelf.svelte
var root$15 = from_html(`<span class="link">Choose a file</span>`);
var root_1$15 = from_html(`Drop or paste an image, or <span class="link">choose a file</span>`, 1);
var root_2$6 = from_html(`<div class="shelf" data-source="upload"><!> <div><label class="empty drop"><!> <span class="formats"> </span> <input type="file" aria-label="Choose an image file"/></label> <!></div></div>`);
function UploadShelf($$anchor, $$props) {
	push($$props, true);
	const isShown = user_derived(() => $$props.explorer.choices.image?.kind === "upload" && Boolean($$props.explorer.reply?.image.original));
	function takeFiles(input) {
		const file = input.files?.[0];
		if (file) takeFile($$props.explorer, file);
		input.value = "";
	}
	var div = root_2$6();
	var node = child(div);
	Crop(node, { get explorer() {
		return $$props.explorer;
	} });
	var div_1 = sibling(node, 2);
	var label = child(div_1);
	var node_1 = child(label);
	var consequent = ($$anchor) => {
		var span = root$15();
		append($$anchor, span);
	};
	var alternate = ($$anchor) => {
		var fragment = root_1$15();
		next();
		append($$anchor, fragment);
	};
	if_block(node_1, ($$render) => {
		if (get(isShown)) $$render(consequent);
		else $$render(alternate, -1);
	});
	var span_1 = sibling(node_1, 2);
	var text = only_child(span_1);
	var input_1 = sibling(span_1, 2);
	reset(label);
	Camera(sibling(label, 2), { get explorer() {
		return $$props.explorer;
	} });
	reset(div_1);
	reset(div);
	template_effect(($0, $1) => {
		set_attribute(div, "hidden", $$props.explorer.shelf !== "upload");
		set_class(div_1, 1, clsx(["upload-row", { compact: get(isShown) }]));
		set_attribute(span_1, "hidden", get(isShown));
		set_text(text, `${ACCEPTED.names ?? ""}, up to ${$0 ?? ""}`);
		set_attribute(input_1, "accept", $1);
	}, [() => mebibytes($$props.explorer.catalog.maxBytes), () => ACCEPTED.types.join()]);
	delegated("change", input_1, (event) => takeFiles(event.currentTarget));
	append($$anchor, div);
	pop();
}
delegate(["change"]);
// src/explore/Picker.svelte
var root$14 = from_html(`<label><input type="radio" name="source"/> <span> </span></label>`);
var root_1$14 = from_html(`<form class="picker"><div class="choice" role="radiogroup" aria-label="Image source"><div class="options"></div></div> <div class="shelf" data-source="sample"><div class="samples"><!> <p class="group-title" aria-hidden="true">Photographs</p> <!></div></div> <!> <!></form>`);
function Picker($$anchor, $$props) {
	push($$props, true);
	const shelves = user_derived(() => {
		const { datasetRun } = $$props.explorer;
		const dataset = $$props.explorer.model(datasetRun)?.dataset;
		return [
			["sample", "Samples"],
			["cifar", "CIFAR-10"],
			...dataset ? [[
				"dataset",
				"Test set",
				`Test images of ${dataset}`
			]] : [],
			["upload", "Upload"]
		];
	});
	const drawings = user_derived(() => $$props.explorer.catalog.samples.map(({ name, src }) => ({
		image: {
			kind: "sample",
			name
		},
		name,
		src
	})));
	const photos = user_derived(() => $$props.explorer.catalog.photos.map(({ name, title, src }) => ({
		image: {
			kind: "sample",
			name
		},
		name: title,
		src
	})));
	var form = root_1$14();
	var div = child(form);
	var div_1 = child(div);
	each(div_1, 21, () => get(shelves), ([kind, name, title]) => kind, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 3));
		let kind = () => get($$array)[0];
		let name = () => get($$array)[1];
		let title = () => get($$array)[2];
		var label = root$14();
		var input = child(label);
		remove_input_defaults(input);
		var span = sibling(input, 2);
		var text = only_child(span, true);
		reset(label);
		template_effect(() => {
			set_attribute(label, "title", title());
			set_value(input, kind());
			set_checked(input, $$props.explorer.shelf === kind());
			set_text(text, name());
		});
		delegated("change", input, () => showShelf($$props.explorer, kind()));
		append($$anchor, label);
	});
	reset(div_1);
	reset(div);
	var div_2 = sibling(div, 2);
	var div_3 = child(div_2);
	var node = child(div_3);
	Thumbs(node, {
		get explorer() {
			return $$props.explorer;
		},
		get thumbs() {
			return get(drawings);
		},
		label: "Drawings"
	});
	Thumbs(sibling(node, 4), {
		get explorer() {
			return $$props.explorer;
		},
		get thumbs() {
			return get(photos);
		},
		label: "Photographs"
	});
	reset(div_3);
	reset(div_2);
	var node_2 = sibling(div_2, 2);
	Gallery(node_2, { get explorer() {
		return $$props.explorer;
	} });
	UploadShelf(sibling(node_2, 2), { get explorer() {
		return $$props.explorer;
	} });
	reset(form);
	template_effect(() => set_attribute(div_2, "hidden", $$props.explorer.shelf !== "sample"));
	event("submit", form, (event) => event.preventDefault());
	append($$anchor, form);
	pop();
}
delegate(["change"]);
// src/explore/stage.ts
function follow(explorer, name) {
	const { choices } = explorer;
	let drag = null;
	function startDrag(stage, event) {
		const first = patchAt(stage, event, explorer.shape);
		drag = name === "hover" && explorer.removing && event.pointerType !== "touch" && first >= 0 ? {
			first,
			removes: !choices.removed.includes(first),
			isMoving: false
		} : null;
	}
	function dragOver(patch, buttons) {
		if (!drag || patch < 0 || !(buttons & 1)) return;
		if (patch !== drag.first) drag.isMoving = true;
		if (!drag.isMoving) return;
		for (const one of [drag.first, patch]) if (choices.removed.includes(one) !== drag.removes) togglePatch(explorer, one);
	}
	function move(patch, delay) {
		if (explorer.reply && patch !== choices[name]) hover(explorer, { [name]: patch }, delay);
	}
	function click(stage, event) {
		if (!explorer.reply || drag?.isMoving) return;
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
		if (GRID_KEYS.includes(event.key)) move(neighbour(from, event.key, explorer.shape), 0);
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
			if (!explorer.reply || event.pointerType === "touch") return;
			const patch = patchAt(stage, event, explorer.shape);
			move(patch);
			dragOver(patch, event.buttons);
		});
		stage.addEventListener("pointerleave", (event) => {
			if (event.pointerType !== "touch") move(-1);
		});
		stage.addEventListener("blur", () => move(-1));
		stage.addEventListener("pointerdown", (event) => startDrag(stage, event));
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
var root$13 = from_html(`<button type="button" class="button" data-do="remove"><span>Remove<span class="more"></span></span></button>`);
var root_1$13 = from_html(`<section class="column image-column" aria-label="Image"><div class="column-head"><h2>Image</h2><span class="truth"> </span></div>  <div class="stage image" tabindex="0" role="application"><canvas class="pixels crisp"></canvas> <div class="patch-grid"></div> <!></div> <div class="under-image"><button type="button" class="class-token"><i aria-hidden="true"> </i><span class="default-query"> </span></button> <!> <p class="image-note"> </p></div> <!></section>`);
function ImageColumn($$anchor, $$props) {
	push($$props, true);
	const about = user_derived(() => $$props.explorer.reply?.image);
	const hasClassToken = user_derived(() => $$props.explorer.shape?.classToken !== false);
	const truth = user_derived(() => {
		if (!get(about) || !$$props.explorer.reply) return "";
		if (get(about).truth !== null) return `true label: ${$$props.explorer.reply.classes[get(about).truth]}`;
		if (!get(about).shows || !$$props.explorer.hasHead) return get(about).shows ?? "";
		return `${get(about).shows}: no such class`;
	});
	const note = user_derived(() => get(about) ? keepSizes([get(about).caption, get(about).note].filter(Boolean).join(" · ")) : "");
	const label = user_derived(() => `Image with patch grid. Arrow keys select a patch, Enter pins it as the query, ${$$props.explorer.host.live ? "Delete removes it, " : ""}Escape returns to the class token.`);
	let canvas;
	user_effect(() => {
		const { image } = $$props.explorer;
		if (!image) return;
		canvas.width = image.naturalWidth;
		canvas.height = image.naturalHeight;
		canvas.getContext("2d")?.drawImage(image, 0, 0);
	});
	var section = root_1$13();
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
		var button_1 = root$13();
		var span_2 = child(button_1);
		var span_3 = sibling(child(span_2));
		span_3.textContent = " patches";
		reset(span_2);
		reset(button_1);
		template_effect(() => set_attribute(button_1, "aria-pressed", $$props.explorer.removing));
		delegated("click", button_1, () => toggleRemoving($$props.explorer));
		append($$anchor, button_1);
	};
	if_block(node_1, ($$render) => {
		if ($$props.explorer.host.live) $$render(consequent);
	});
	var p = sibling(node_1, 2);
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
		set_attribute(span, "title", get(truth));
		set_text(text, get(truth));
		set_attribute(div_1, "aria-label", get(label));
		set_attribute(button, "aria-pressed", $$props.explorer.view.isClassTokenQuery);
		set_text(text_1, get(hasClassToken) ? "cls" : "all");
		set_text(text_2, get(hasClassToken) ? "Class token" : "All patches");
		set_text(text_3, get(note));
	});
	delegated("click", button, () => queryClassToken($$props.explorer));
	append($$anchor, section);
	pop();
}
delegate(["click"]);
// src/explore/Intro.svelte
var root$12 = from_html(`<span><span class="what">See what a Vision Transformer attends to.</span> Point at the image to begin.</span>`);
var root_1$12 = from_html(`<button type="button" class="button plain" data-do="dismiss" aria-label="Dismiss the introduction">×</button>`);
var root_2$5 = from_html(`<p class="intro"><!> <button type="button" class="button plain" data-do="tour">Tour</button> <!></p> <!>`, 1);
function Intro($$anchor, $$props) {
	push($$props, true);
	let isOpen = state(!isDismissed());
	let isTouring = state(false);
	let opener;
	function close() {
		dismiss();
		set(isOpen, false);
		opener.focus();
	}
	function finish() {
		set(isTouring, false);
		close();
	}
	var fragment = root_2$5();
	var p = first_child(fragment);
	var node = child(p);
	var consequent = ($$anchor) => {
		var span = root$12();
		append($$anchor, span);
	};
	if_block(node, ($$render) => {
		if (get(isOpen)) $$render(consequent);
	});
	var button = sibling(node, 2);
	bind_this(button, ($$value) => opener = $$value, () => opener);
	var node_1 = sibling(button, 2);
	var consequent_1 = ($$anchor) => {
		var button_1 = root_1$12();
		delegated("click", button_1, close);
		append($$anchor, button_1);
	};
	if_block(node_1, ($$render) => {
		if (get(isOpen)) $$render(consequent_1);
	});
	reset(p);
	var node_2 = sibling(p, 2);
	var consequent_2 = ($$anchor) => {
		var fragment_1 = comment();
		var node_3 = first_child(fragment_1);
		await_block(node_3, () => __vitePreload(() => import("./Tour.js"), [], import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: Tour } = get($$source);
				return { Tour };
			});
			var Tour = user_derived(() => get($$value).Tour);
			var fragment_2 = comment();
			var node_4 = first_child(fragment_2);
			component(node_4, () => get(Tour), ($$anchor, Tour_1) => {
				Tour_1($$anchor, { onend: finish });
			});
			append($$anchor, fragment_2);
		});
		append($$anchor, fragment_1);
	};
	if_block(node_2, ($$render) => {
		if (get(isTouring)) $$render(consequent_2);
	});
	delegated("click", button, () => set(isTouring, true));
	append($$anchor, fragment);
	pop();
}
delegate(["click"]);
// src/explore/present.ts
var PRESENTATIONS = [
	["pair", "Image and map"],
	["map", "Map"],
	["matrix", "Matrix"]
];
function nextPresentation(shown) {
	return PRESENTATIONS[(PRESENTATIONS.findIndex(([name]) => name === shown) + 1) % PRESENTATIONS.length][0];
}
function present(explorer, what) {
	if (!explorer.reply || what === explorer.presented) return;
	explorer.presented = what;
	const name = PRESENTATIONS.find(([shown]) => shown === what)?.[1];
	announceSoon(explorer, 0, name ? `${name} fill${what === "pair" ? "" : "s"} the window. Escape leaves. ` : "");
}
var takesText = (node) => node instanceof Element && node.matches("input:not([type=radio], [type=checkbox], [type=range]), select, textarea, [contenteditable]");
function presentByKey(explorer, event) {
	const { root, presented, host } = explorer;
	if (!root || isShortcut(event) || document.querySelector("dialog[open]")) return;
	const isOwn = host.live || event.target === document.body || root.contains(event.target);
	if (event.key === "Escape" && presented) present(explorer, null);
	else if (event.key.toLowerCase() === "f" && isOwn && explorer.isVisible && !takesText(event.target)) present(explorer, nextPresentation(presented));
	else return;
	event.preventDefault();
	event.stopPropagation();
}
function coverPage(explorer, root) {
	const focused = document.activeElement;
	const others = outsideOf(root).filter((node) => !node.inert);
	for (const node of others) node.inert = true;
	root.popover = "manual";
	const lift = () => document.fullscreenElement === root || root.showPopover?.();
	lift();
	focusTile(explorer);
	root.addEventListener("fullscreenchange", lift);
	return () => {
		root.removeEventListener("fullscreenchange", lift);
		root.popover = null;
		if (document.fullscreenElement === root) document.exitFullscreen();
		for (const node of others) node.inert = false;
		if (focused instanceof HTMLElement && focused !== document.body) focused.focus({ preventScroll: true });
	};
}
function outsideOf(root) {
	const found = [];
	for (let node = root; node.parentElement && node !== document.body; node = node.parentElement) for (const other of node.parentElement.children) if (other !== node && other instanceof HTMLElement) found.push(other);
	return found;
}
async function toggleFullscreen({ root }) {
	if (!root) return;
	if (document.fullscreenElement) return document.exitFullscreen();
	root.hidePopover?.();
	await root.requestFullscreen().catch(() => root.showPopover?.());
}
// src/explore/Lead.svelte
var root$11 = from_html(`<button type="button" class="button" data-do="link">Copy link</button> <button type="button" class="button" data-do="figure" aria-haspopup="dialog">Save figure</button>`, 1);
var root_1$11 = from_html(`<section class="lead" aria-label="Summary"><div class="summary"><h1 class="headline"> </h1> <p><!></p> <p class="voice" aria-live="polite"> </p></div> <div class="actions"><button type="button" class="button" data-do="present">Present</button> <!></div></section>`);
function Lead($$anchor, $$props) {
	push($$props, true);
	const isEmpty = user_derived(() => !$$props.explorer.reply || $$props.explorer.view.panel !== null && !$$props.explorer.view.panel.shown);
	var section = root_1$11();
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
	var div_1 = sibling(div, 2);
	var button = child(div_1);
	var node_1 = sibling(button, 2);
	var consequent = ($$anchor) => {
		var fragment = root$11();
		var button_1 = first_child(fragment);
		var button_2 = sibling(button_1, 2);
		template_effect(() => button_2.disabled = get(isEmpty));
		delegated("click", button_1, () => copyLink($$props.explorer));
		delegated("click", button_2, () => $$props.explorer.openSaveDialog?.());
		append($$anchor, fragment);
	};
	if_block(node_1, ($$render) => {
		if ($$props.explorer.host.live) $$render(consequent);
	});
	reset(div_1);
	reset(section);
	template_effect(() => {
		set_text(text, $$props.explorer.view.headline);
		set_class(p, 1, clsx(["status", $$props.explorer.noticeIsError && "error"]));
		set_text(text_1, $$props.explorer.voice);
	});
	delegated("click", button, () => present($$props.explorer, nextPresentation(null)));
	append($$anchor, section);
	pop();
}
delegate(["click"]);
// src/lib/Help.svelte
var root$10 = from_html(`<button type="button" class="help">?</button> <span class="help-text" popover="auto" role="note"><b> </b> </span>`, 1);
function Help($$anchor, $$props) {
	const id = props_id();
	push($$props, true);
	let button;
	function place(event) {
		if (event.newState !== "open") return;
		const { style, offsetWidth, offsetHeight } = event.currentTarget;
		const { left, top, bottom } = button.getBoundingClientRect();
		const zoom = zoomOf(event.currentTarget);
		const [width, height] = [offsetWidth * zoom, offsetHeight * zoom];
		const isBelow = bottom + height + 12 < innerHeight;
		style.left = `${Math.max(8, Math.min(left - 12, innerWidth - width - 8)) / zoom}px`;
		style.top = `${(isBelow ? bottom + 6 : Math.max(8, top - height - 6)) / zoom}px`;
	}
	var fragment = root$10();
	var button_1 = first_child(fragment);
	bind_this(button_1, ($$value) => button = $$value, () => button);
	var span = sibling(button_1, 2);
	var b = child(span);
	var text = only_child(b);
	var text_1 = sibling(b);
	reset(span);
	template_effect(($0, $1) => {
		set_attribute(button_1, "popovertarget", id);
		set_attribute(button_1, "aria-label", `What is ${$$props.term ?? ""}?`);
		set_attribute(span, "id", id);
		set_text(text, `${$0 ?? ""}.`);
		set_text(text_1, ` ${$1 ?? ""}`);
	}, [() => capital($$props.term), () => meaningOf($$props.term)]);
	event("toggle", span, place);
	append($$anchor, fragment);
	pop();
}
// src/explore/MapBar.svelte
var root$9 = from_html(`<span> </span>`);
var root_1$10 = from_html(` <!>`, 1);
var root_2$4 = from_html(`<div aria-hidden="true"><canvas width="256" height="1"></canvas> <span class="uniform"></span> <span class="caret"></span> <!></div> <div class="bar-text"><span class="unit"> <!></span> <span class="uniform-text"><!></span></div>`, 1);
function MapBar($$anchor, $$props) {
	push($$props, true);
	const view = user_derived(() => $$props.explorer.view);
	const scale = user_derived(() => get(view).scale);
	const ticks = user_derived(() => get(scale) ? ticksOf(get(scale)) : []);
	const kind = user_derived(() => get(scale) ? tableKind(get(scale)) : null);
	const uniform = user_derived(() => get(view).shape ? uniformWeight(get(view).shape, get(view).layer) : 1);
	const uniformPlace = user_derived(() => get(scale)?.kind === "linear" && get(scale).isWeight ? place(get(scale), get(uniform)) : 1);
	const showsUniform = user_derived(() => get(uniformPlace) > 0 && get(uniformPlace) < 1);
	let canvas;
	let tile = null;
	user_effect(() => {
		if (!get(kind)) return;
		tile ??= makeTile(canvas, 256, 1);
		paintPixels(tile, $$props.explorer.theme.table(get(kind)));
	});
	var fragment = root_2$4();
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
		let at = () => get($$array)[0];
		let text = () => get($$array)[1];
		var span_2 = root$9();
		let styles_2;
		var text_1 = only_child(span_2, true);
		template_effect(() => {
			set_class(span_2, 1, clsx(["tick", {
				first: i === 0,
				last: i === get(ticks).length - 1
			}]));
			styles_2 = set_style(span_2, "", styles_2, { left: `${100 * at()}%` });
			set_text(text_1, text());
		});
		append($$anchor, span_2);
	});
	reset(div);
	var div_1 = sibling(div, 2);
	var span_3 = child(div_1);
	var text_2 = child(span_3, true);
	var node_1 = sibling(text_2);
	var consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => get(view).panel?.term ?? termOf(get(scale)));
			Help($$anchor, { get term() {
				return get($0);
			} });
		}
	};
	if_block(node_1, ($$render) => {
		if (get(scale)) $$render(consequent);
	});
	reset(span_3);
	var span_4 = sibling(span_3, 2);
	var node_2 = child(span_4);
	var consequent_1 = ($$anchor) => {
		var fragment_2 = root_1$10();
		var text_3 = first_child(fragment_2, true);
		Help(sibling(text_3), { term: "uniform attention" });
		template_effect(($0) => set_text(text_3, $0), [() => `dashed: uniform, ${percent(get(uniform))}`]);
		append($$anchor, fragment_2);
	};
	if_block(node_2, ($$render) => {
		if (get(showsUniform)) $$render(consequent_1);
	});
	reset(span_4);
	reset(div_1);
	template_effect(($0) => {
		set_class(div, 1, clsx(["bar", { unused: get(view).map?.pixels }]));
		set_attribute(span, "hidden", !get(showsUniform));
		styles = set_style(span, "", styles, { left: `${100 * get(uniformPlace)}%` });
		set_attribute(span_1, "hidden", !get(view).reading || get(view).map?.fine !== void 0);
		styles_1 = set_style(span_1, "", styles_1, { left: get(view).reading?.place });
		set_text(text_2, $0);
	}, [() => get(view).panel?.unit ?? (get(scale) ? unitOf(get(scale)) : "")]);
	append($$anchor, fragment);
	pop();
}
// src/explore/PixelToggle.svelte
var root$8 = from_html(`<label><input type="radio" name="pixels"/><span> </span></label>`);
var root_1$9 = from_html(`<div class="choice pixel-toggle" role="radiogroup" aria-label="Resolution of the map"><div class="options"></div></div>`);
function PixelToggle($$anchor, $$props) {
	push($$props, true);
	const choices = user_derived(() => $$props.explorer.choices);
	user_effect(() => {
		$$props.explorer.key, get(choices).target;
		if (get(choices).pixels) fetchPixels($$props.explorer, $$props.method);
	});
	var div = root_1$9();
	var div_1 = child(div);
	each(div_1, 20, () => [false, true], (pixels) => pixels, ($$anchor, pixels) => {
		var label = root$8();
		var input = child(label);
		remove_input_defaults(input);
		var span = sibling(input);
		var text = only_child(span, true);
		reset(label);
		template_effect(() => {
			set_value(input, pixels ? "pixels" : "patches");
			set_checked(input, get(choices).pixels === pixels);
			set_text(text, pixels ? "Per pixel" : "Per patch");
		});
		delegated("change", input, () => act($$props.explorer, { pixels }));
		append($$anchor, label);
	});
	reset(div_1);
	reset(div);
	append($$anchor, div);
	pop();
}
delegate(["change"]);
// src/explore/MapColumn.svelte
var root$7 = from_html(`<button type="button" class="button plain" data-do="ablate"> </button>`);
var root_1$8 = from_html(`<section class="column map-column" aria-label="Selected map"><div class="column-head"><h2 class="map-title"> </h2> <!> <button type="button" class="button plain" data-do="leave">Back to heads</button></div>  <div class="stage map" tabindex="0" role="application"><canvas class="values"></canvas> <svg class="outlines" viewBox="0 0 1000 1000" preserveAspectRatio="none" aria-hidden="true"><path class="outline-halo"></path><path></path></svg> <div class="patch-grid"></div> <div><b> </b> <span> </span></div> <!></div> <!> <!> <p class="map-what"> </p> <div class="under-map"><canvas class="class-cell" width="1" height="1" aria-hidden="true"></canvas> <span class="class-weight"> </span></div></section>`);
function MapColumn($$anchor, $$props) {
	push($$props, true);
	const view = user_derived(() => $$props.explorer.view);
	const outlines = user_derived(() => $$props.explorer.reply?.image.outlines ?? "");
	const canAblate = user_derived(() => $$props.explorer.host.live && $$props.explorer.choices.view !== "features" && get(view).map !== null && get(view).method === null && get(view).layer >= 0 && get(view).head !== -1);
	const method = user_derived(() => get(view).methodInfo);
	const hasClassToken = user_derived(() => $$props.explorer.shape?.classToken !== false);
	const hasClassCell = user_derived(() => get(view).method === null && get(hasClassToken) && get(view).panel?.note !== "");
	const prefixText = user_derived(() => get(view).panel?.note ?? (get(view).map && get(view).shape && get(view).method === null && get(view).layer !== -2 ? prefixLine(get(view).map.values, get(view).shape, get(view).direction) : ""));
	const POOLING = "The model pools its tokens by attention: a learned query reads the output of the last layer, and the prediction is made from what it reads.";
	const about = user_derived(() => get(method) ? get(hasClassToken) ? get(method).about : get(method).aboutWithoutClassToken : get(view).layer === -2 && !get(view).panel ? POOLING : "");
	const label = "Selected map. Arrow keys read the value of each patch, Enter pins it as the query.";
	let map;
	let cell;
	let mapTile = null;
	let cellTile = null;
	function listen(stage) {
		follow($$props.explorer, "readoutPatch")(stage);
		return watchMap($$props.explorer)(stage);
	}
	user_effect(() => {
		const { shape } = get(view);
		if (!shape || !get(view).map) return mapTile?.context.clearRect(0, 0, map.width, map.height);
		const { values, first, scale, pixels, fine } = get(view).map;
		const table = $$props.explorer.theme.table(tableKind(scale));
		if (fine) {
			mapTile = fitTile(mapTile, map, fine.columns, fine.rows);
			return paintTile(mapTile, fine.values, 0, table, scale);
		}
		mapTile = fitTile(mapTile, map, shape.columns, shape.rows);
		if (pixels) return paintPixels(mapTile, pixels);
		paintTile(mapTile, values, first, table, scale);
		if (get(view).method !== null) return;
		cellTile = fitTile(cellTile, cell, 1, 1);
		paintTile(cellTile, values, 0, table, scale);
	});
	var section = root_1$8();
	var div = child(section);
	var h2 = child(div);
	var text = only_child(h2, true);
	var node = sibling(h2, 2);
	var consequent = ($$anchor) => {
		var button = root$7();
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
	var svg = sibling(canvas, 2);
	let styles;
	var path = child(svg);
	var path_1 = sibling(path);
	reset(svg);
	var div_2 = sibling(svg, 4);
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
	var node_3 = sibling(node_2, 2);
	var consequent_1 = ($$anchor) => {
		PixelToggle($$anchor, {
			get explorer() {
				return $$props.explorer;
			},
			get method() {
				return get(method).key;
			}
		});
	};
	if_block(node_3, ($$render) => {
		if (get(method)?.hasPixels && $$props.explorer.host.live) $$render(consequent_1);
	});
	var p = sibling(node_3, 2);
	var text_4 = only_child(p, true);
	var div_3 = sibling(p, 2);
	var canvas_1 = child(div_3);
	bind_this(canvas_1, ($$value) => cell = $$value, () => cell);
	var span_1 = sibling(canvas_1, 2);
	var text_5 = only_child(span_1, true);
	reset(div_3);
	reset(section);
	template_effect(() => {
		set_text(text, get(view).title);
		set_attribute(button_1, "hidden", get(view).method === null);
		styles = set_style(svg, "", styles, { opacity: $$props.explorer.choices.outlines / 100 });
		set_attribute(path, "d", get(outlines));
		set_attribute(path_1, "d", get(outlines));
		set_class(div_2, 1, clsx(["tip", get(view).reading?.isBelow && "below"]));
		set_attribute(div_2, "hidden", !get(view).reading);
		styles_1 = set_style(div_2, "", styles_1, {
			left: get(view).reading?.left,
			top: get(view).reading?.top
		});
		set_text(text_2, get(view).reading?.number);
		set_text(text_3, get(view).reading?.remark);
		set_attribute(p, "hidden", !get(about));
		set_text(text_4, get(about));
		set_attribute(canvas_1, "hidden", !get(hasClassCell));
		set_text(text_5, get(prefixText));
	});
	delegated("click", button_1, () => leaveMethod($$props.explorer));
	append($$anchor, section);
	pop();
}
delegate(["click"]);
// src/explore/MatrixColumn.svelte
var root$6 = from_html(`<option> </option>`);
var root_1$7 = from_html(`<section class="column matrix-column" aria-label="All layers and heads"><div class="column-head"><!><span class="matrix-note"> </span></div> <label class="layer-select">Layer<select class="button"></select></label> <!></section>`);
function MatrixColumn($$anchor, $$props) {
	push($$props, true);
	const view = user_derived(() => $$props.explorer.view);
	const choices = user_derived(() => $$props.explorer.choices);
	const shape = user_derived(() => get(view).shape ?? $$props.explorer.shape);
	const framed = user_derived(() => get(view).query.length === 1 && get(view).shape ? cornerOf(get(view).query[0], get(view).shape) : null);
	const note = user_derived(() => get(view).map ? scaleNote(get(view).scaleChoice, get(view).limits) : "");
	function paint(tiles) {
		const { rows, shape: drawn } = get(view);
		if (!rows || !drawn) return;
		const table = $$props.explorer.theme.table(get(view).scaleChoice === "uniform" ? "div" : "seq");
		for (const { layer, head, values } of tiles) {
			const row = rowOf(rows, drawn, layer, head);
			paintTile(values, row, drawn.prefix, table, get(view).scaleOf(row, layer, head));
		}
	}
	function describe(layer, head) {
		return get(view).rows && get(view).shape ? largestLine(rowOf(get(view).rows, get(view).shape, layer, head), get(view).shape, layer) : "";
	}
	function press({ key }) {
		if (key === "Escape") queryClassToken($$props.explorer);
		else if (key === "x" || key === "Delete") toggleHead($$props.explorer);
	}
	var section = root_1$7();
	var div = child(section);
	var node = child(div);
	ViewTabs(node, { get explorer() {
		return $$props.explorer;
	} });
	var span = sibling(node);
	var text = only_child(span, true);
	reset(div);
	var label = sibling(div, 2);
	var select = sibling(child(label));
	each(select, 20, () => get(shape) ? layersOf(get(shape)) : [], (layer) => layer, ($$anchor, layer) => {
		var option = root$6();
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
	var node_1 = sibling(label, 2);
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
				describe,
				onchoose: (layer, head, byKey) => chooseHead($$props.explorer, layer, head, byKey ? 0 : void 0),
				onkey: press
			});
		}
	};
	if_block(node_1, ($$render) => {
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
function comparisonOf(faithfulness, key) {
	const score = faithfulness?.scores[key];
	return faithfulness && score != null ? compareToRandom(score, faithfulness, key) : null;
}
var placeOf = (score) => `${100 * Math.min(1, Math.max(0, score))}%`;
// src/explore/MethodTile.svelte
var root$5 = from_html(`<span><span></span> <span class="random"></span></span> <span class="method-score"><span> </span> <span aria-hidden="true"> </span> <span class="spoken"> </span></span>`, 1);
var root_1$6 = from_html(`<button type="button"><canvas></canvas> <span class="method-name"> </span> <!></button>`);
function MethodTile($$anchor, $$props) {
	push($$props, true);
	const explorer = prop($$props, "explorer", 7);
	let canvas;
	let tile = null;
	const map = user_derived(() => explorer().maps[$$props.method.key]);
	const faithfulness = user_derived(() => explorer().faithfulness);
	const score = user_derived(() => get(faithfulness)?.scores[$$props.method.key]);
	const comparison = user_derived(() => comparisonOf(get(faithfulness), $$props.method.key));
	const baseline = user_derived(() => get(faithfulness)?.random_baseline[0] ?? 0);
	user_effect(() => {
		if (!get(map)) return;
		const { columns, rows } = explorer().shape;
		if (tile?.canvas.width !== columns || tile.canvas.height !== rows) tile = makeTile(canvas, columns, rows);
		const scale = methodScale($$props.method, get(map));
		paintTile(tile, get(map), 0, explorer().theme.table(tableKind(scale)), scale);
	});
	var button = root_1$6();
	let classes;
	var canvas_1 = child(button);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var span = sibling(canvas_1, 2);
	var text = only_child(span, true);
	var node = sibling(span, 2);
	var consequent = ($$anchor) => {
		var fragment = root$5();
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
		var span_7 = sibling(span_6, 2);
		var text_3 = only_child(span_7, true);
		reset(span_4);
		template_effect(($0, $1, $2) => {
			classes_1 = set_class(span_1, 1, "track", null, classes_1, { waiting: !get(faithfulness) });
			set_class(span_2, 1, clsx(["fill", get(comparison)]));
			styles = set_style(span_2, "", styles, { width: $0 });
			styles_1 = set_style(span_3, "", styles_1, { left: $1 });
			set_text(text_1, $2);
			set_class(span_6, 1, clsx(["comparison", get(comparison)]));
			set_text(text_2, get(comparison) ? COMPARISON_SIGNS[get(comparison)] : "");
			set_text(text_3, get(comparison) ? COMPARISONS[get(comparison)] : "");
		}, [
			() => placeOf(get(score) ?? 0),
			() => placeOf(get(baseline)),
			() => scoreLabel(get(faithfulness), $$props.method.key)
		]);
		append($$anchor, fragment);
	};
	if_block(node, ($$render) => {
		if ($$props.hasScores) $$render(consequent);
	});
	reset(button);
	template_effect(() => {
		classes = set_class(button, 1, "method", null, classes, { waiting: !get(map) });
		set_attribute(button, "aria-pressed", $$props.method.key === explorer().view.method);
		set_text(text, $$props.method.name);
	});
	event("pointerenter", button, () => explorer().pointedMethod = $$props.method.key);
	event("pointerleave", button, () => explorer().pointedMethod = null);
	delegated("click", button, () => chooseMethod(explorer(), $$props.method.key));
	append($$anchor, button);
	pop();
}
delegate(["click"]);
// src/explore/onrequest.svelte.ts
var OnRequest = class {
	explorer;
	task;
	#running = state(null);
	get running() {
		return get(this.#running);
	}
	set running(value) {
		set(this.#running, value);
	}
	constructor(explorer) {
		this.explorer = explorer;
		this.task = new Task(explorer);
	}
	async compute(method) {
		const { explorer } = this;
		const { ablation, choices, predictedClass, maps } = explorer;
		const explanation = explanationOf(explorer);
		const target = ablation && !choices.target.length ? [predictedClass] : choices.target;
		this.running = method;
		const reply = await this.task.run("map_on_request", {
			method,
			target
		});
		if (reply === "cancelled") return;
		this.running = null;
		if (!(explanationOf(explorer) === explanation && explorer.maps === maps) || !explorer.faithfulness) return;
		if (!isServed(reply)) return showNotice(explorer, reasonOf(reply), true);
		explorer.maps = {
			...explorer.maps,
			[method]: reply.map
		};
		const { scores, random_baseline } = explorer.faithfulness;
		explorer.faithfulness = {
			random_baseline,
			scores: {
				...scores,
				[method]: reply.score
			}
		};
		act(explorer, { method });
	}
	cancel() {
		this.running = null;
		this.task.cancel();
	}
	interrupt() {
		const name = this.explorer.method(this.running)?.name;
		this.cancel();
		if (name) showNotice(this.explorer, `${name}: canceled. The map needs all of its forward passes.`);
	}
};
// src/explore/OnRequest.svelte
var root$4 = from_html(`<button type="button" class="button"> </button> <!>`, 1);
var root_1$5 = from_html(`<div class="method-group on-request"><p class="group-name">On request</p> <!></div>`);
function OnRequest_1($$anchor, $$props) {
	push($$props, true);
	const requests = new OnRequest(untrack(() => $$props.explorer));
	user_effect(() => {
		$$props.explorer.key, $$props.explorer.choices.target;
		return () => requests.cancel();
	});
	var div = root_1$5();
	var node = sibling(child(div), 2);
	each(node, 17, () => $$props.methods, ({ key, name, about }) => key, ($$anchor, $$item) => {
		let key = () => get($$item).key;
		let name = () => get($$item).name;
		let about = () => get($$item).about;
		const isRunning = user_derived(() => requests.running === key());
		var fragment = root$4();
		var button = first_child(fragment);
		var text = only_child(button, true);
		var node_1 = sibling(button, 2);
		var consequent = ($$anchor) => {
			Progress($$anchor, {
				get label() {
					return name();
				},
				get progress() {
					return requests.task.fraction;
				}
			});
		};
		if_block(node_1, ($$render) => {
			if (get(isRunning)) $$render(consequent);
		});
		template_effect(() => {
			set_attribute(button, "data-method", key());
			set_attribute(button, "title", about());
			button.disabled = !$$props.explorer.faithfulness || requests.running !== null && !get(isRunning);
			set_text(text, get(isRunning) ? `Cancel ${name()}` : name());
		});
		delegated("click", button, () => get(isRunning) ? requests.interrupt() : requests.compute(key()));
		append($$anchor, fragment);
	});
	reset(div);
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/explore/Methods.svelte
var root$3 = from_html(`<!><!>`, 1);
var root_1$4 = from_html(`<p class="hint">Methods that explain a class need a model with a classification head.</p>`);
var root_2$3 = from_html(`<div class="method-tiles"></div>`);
var root_3$1 = from_html(`<div class="method-group"><p class="group-name"> </p> <!></div>`);
var root_4$1 = from_html(`<span class="formula"> </span> `, 1);
var root_5$1 = from_html(`<section class="methods" aria-label="Attribution methods"><div class="methods-head"><h2>Attribution methods</h2> <span> </span> <span class="score-note"> <!></span></div> <div class="method-row"><div class="method-groups" role="toolbar" aria-label="Maps by method"></div> <!></div> <p class="method-about"><!></p></section>`);
function Methods($$anchor, $$props) {
	push($$props, true);
	const GROUPS = [
		["Class-agnostic", (method) => !method.forClass && method.key !== "random"],
		["Baseline", (method) => method.key === "random"],
		["", (method) => method.forClass]
	];
	const available = user_derived(() => $$props.explorer.catalog.methods.filter(({ key, onRequest }) => $$props.explorer.maps[key] || !(onRequest || $$props.explorer.leftOut)));
	const missing = user_derived(() => $$props.explorer.host.live && $$props.explorer.reply?.classes.length ? $$props.explorer.catalog.methods.filter(({ key, onRequest }) => onRequest && !$$props.explorer.maps[key]) : []);
	const names = user_derived(() => $$props.explorer.reply && $$props.explorer.hasHead ? $$props.explorer.targetNames : []);
	const hasScores = user_derived(() => $$props.explorer.hasScores);
	const method = user_derived(() => $$props.explorer.method($$props.explorer.view.method));
	const hasClassToken = user_derived(() => $$props.explorer.shape?.classToken ?? true);
	function onEscape(event) {
		if (event.key === "Escape" && $$props.explorer.reply) queryClassToken($$props.explorer);
	}
	var section = root_5$1();
	var div = child(section);
	var span = sibling(child(div), 2);
	var text = only_child(span);
	var span_1 = sibling(span, 2);
	var text_1 = child(span_1);
	var node = sibling(text_1);
	var consequent = ($$anchor) => {
		var fragment = root$3();
		var node_1 = first_child(fragment);
		Help(node_1, { term: "deletion score" });
		Help(sibling(node_1), { term: "random baseline" });
		append($$anchor, fragment);
	};
	if_block(node, ($$render) => {
		if (get(hasScores)) $$render(consequent);
	});
	reset(span_1);
	reset(div);
	var div_1 = sibling(div, 2);
	var div_2 = child(div_1);
	each(div_2, 21, () => GROUPS, ([title, matches]) => title, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let title = () => get($$array)[0];
		let matches = () => get($$array)[1];
		var div_3 = root_3$1();
		var p = child(div_3);
		var text_2 = only_child(p, true);
		var node_3 = sibling(p, 2);
		var consequent_1 = ($$anchor) => {
			var p_1 = root_1$4();
			append($$anchor, p_1);
		};
		var alternate = ($$anchor) => {
			var div_4 = root_2$3();
			each(div_4, 21, () => get(available).filter(matches()), (entry) => entry.key, ($$anchor, entry) => {
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
			reset(div_4);
			append($$anchor, div_4);
		};
		if_block(node_3, ($$render) => {
			if (!title() && !$$props.explorer.hasHead) $$render(consequent_1);
			else $$render(alternate, -1);
		});
		reset(div_3);
		template_effect(($0) => set_text(text_2, $0), [() => title() || (get(names).length ? classGroup(get(names)) : $$props.explorer.hasHead ? "" : "For a class")]);
		append($$anchor, div_3);
	});
	reset(div_2);
	attach(div_2, () => roving);
	var node_4 = sibling(div_2, 2);
	var consequent_2 = ($$anchor) => {
		OnRequest_1($$anchor, {
			get explorer() {
				return $$props.explorer;
			},
			get methods() {
				return get(missing);
			}
		});
	};
	if_block(node_4, ($$render) => {
		if (get(missing).length) $$render(consequent_2);
	});
	reset(div_1);
	var p_2 = sibling(div_1, 2);
	var node_5 = child(p_2);
	var consequent_3 = ($$anchor) => {
		var fragment_3 = root_4$1();
		var span_2 = first_child(fragment_3);
		var text_3 = only_child(span_2, true);
		var text_4 = sibling(span_2);
		template_effect(() => {
			set_text(text_3, get(hasClassToken) ? get(method).formula : get(method).formulaWithoutClassToken);
			set_text(text_4, ` ${get(method).source ?? ""}.`);
		});
		append($$anchor, fragment_3);
	};
	if_block(node_5, ($$render) => {
		if (get(method)) $$render(consequent_3);
	});
	reset(p_2);
	reset(section);
	template_effect(($0, $1) => {
		set_text(text, `${$0 ?? ""}one scale per map`);
		set_text(text_1, `${$1 ?? ""} `);
		set_attribute(p_2, "hidden", !get(method));
	}, [() => $$props.explorer.ablation && $$props.explorer.host.live ? `with ${changesLine($$props.explorer.previousChanges)}, ` : "", () => $$props.explorer.leftOut ?? (get(names).length && get(hasScores) ? scoreNote($$props.explorer.faithfulness, get(names)[0]) : "")]);
	delegated("keydown", section, onEscape);
	append($$anchor, section);
	pop();
}
delegate(["keydown"]);
// src/explore/Effect.svelte
var root$2 = from_html(`<b> </b> percentage points`, 1);
var root_1$3 = from_html(`<div class="effect" aria-live="polite"><p class="effect-what"> </p> <p class="effect-points"><!></p> <p class="effect-from"><!></p> <label>Heads <select class="button" name="mode"><option>Zero ablation</option><option>Mean ablation</option></select></label> <label>Patches <select class="button" name="patch_mode"><option>tokens dropped</option><option>painted gray</option></select></label> <button type="button" class="button" data-do="restore">Restore all</button></div>`);
function Effect($$anchor, $$props) {
	push($$props, true);
	const reply = user_derived(() => $$props.explorer.reply);
	const ablation = user_derived(() => $$props.explorer.ablation);
	const k = user_derived(() => $$props.explorer.targetClass);
	var div = root_1$3();
	var p = child(div);
	var text$1 = only_child(p, true);
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
		if (get(reply) && get(ablation) && $$props.explorer.hasHead) $$render(consequent);
	});
	reset(p_1);
	var p_2 = sibling(p_1, 2);
	var node_1 = child(p_2);
	var consequent_1 = ($$anchor) => {
		var text_2 = text();
		template_effect(($0) => set_text(text_2, $0), [() => $$props.explorer.hasHead ? effectSentence(get(k), get(reply).classes, get(reply).probabilities, get(ablation).probabilities) : "The maps show the effect: without a head there is no probability to change."]);
		append($$anchor, text_2);
	};
	if_block(node_1, ($$render) => {
		if (get(reply) && get(ablation)) $$render(consequent_1);
	});
	reset(p_2);
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
	template_effect(($0) => {
		set_attribute(div, "hidden", !get(ablation));
		set_text(text$1, $0);
		set_attribute(label, "hidden", !get(ablation) || !$$props.explorer.previousChanges.ablated.length);
		if (select_value !== (select_value = $$props.explorer.choices.mode)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		set_attribute(label_1, "hidden", !get(ablation) || !$$props.explorer.previousChanges.removed.length);
		if (select_1_value !== (select_1_value = $$props.explorer.choices.patch_mode)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
	}, [() => get(ablation) ? changesLine($$props.explorer.previousChanges) : ""]);
	delegated("change", select, (event) => ablate($$props.explorer, { mode: oneOf(event.currentTarget.value, ["zero", "mean"]) }));
	delegated("change", select_1, (event) => ablate($$props.explorer, { patch_mode: oneOf(event.currentTarget.value, ["drop", "gray"]) }));
	delegated("click", button, () => restoreAll($$props.explorer));
	append($$anchor, div);
	pop();
}
delegate(["change", "click"]);
// src/explore/Predictions.svelte
var root$1 = from_html(`<li class="prediction"><button class="explain-class" type="button"><span class="class-name"> </span> <span class="tag">true</span> <span class="value"> </span> <span class="track"><span class="fill"></span> <span class="before"></span></span></button></li>`);
var root_1$2 = from_html(`<option> </option>`);
var root_2$2 = from_html(`<option>none</option> <!>`, 1);
var root_3 = from_html(`<label class="contrast">Contrast with <select class="button" aria-label="Contrast with: class that the explained class is compared to"><!></select></label>`);
var root_4 = from_html(`<!> <p class="hint">Choose a class to explain it. Ablate a head or remove patches to see the probabilities change.</p>`, 1);
var root_5 = from_html(`<section class="column prediction-column" aria-label="Prediction"><div class="column-head"><h2>Prediction</h2></div> <ol class="predictions"></ol> <!> <!> <p class="accuracy"> </p></section>`);
function Predictions($$anchor, $$props) {
	push($$props, true);
	const live = user_derived(() => $$props.explorer.host.live);
	const invitation = user_derived(() => get(live) ? ", explain this class" : "");
	const reply = user_derived(() => $$props.explorer.reply);
	const old = user_derived(() => get(reply)?.probabilities ?? []);
	const now = user_derived(() => $$props.explorer.ablation?.probabilities ?? get(old));
	const order = user_derived(() => listedClasses(get(old), get(now), $$props.explorer.targetClass));
	const accuracy = user_derived(() => get(reply) ? accuracyLine($$props.explorer.model(get(reply).checkpoint)) : "");
	var section = root_5();
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
			set_attribute(button, "aria-label", get(isListed) ? `${get(name)} ${get(isTrue) ? "true " : ""}${get(probability)}${get(invitation)}` : void 0);
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
	var consequent = ($$anchor) => {
		var fragment = comment();
		var node_1 = first_child(fragment);
		await_block(node_1, () => __vitePreload(() => import("./ClassSearch.js"), [], import.meta.url), null, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: ClassSearch } = get($$source);
				return { ClassSearch };
			});
			var ClassSearch = user_derived(() => get($$value).ClassSearch);
			var fragment_1 = comment();
			var node_2 = first_child(fragment_1);
			component(node_2, () => get(ClassSearch), ($$anchor, ClassSearch_1) => {
				ClassSearch_1($$anchor, { get explorer() {
					return $$props.explorer;
				} });
			});
			append($$anchor, fragment_1);
		});
		append($$anchor, fragment);
	};
	var consequent_2 = ($$anchor) => {
		var label = root_3();
		var select = sibling(child(label));
		var node_3 = child(select);
		var consequent_1 = ($$anchor) => {
			var fragment_2 = root_2$2();
			var option = first_child(fragment_2);
			option.value = option.__value = "";
			var node_4 = sibling(option, 2);
			each(node_4, 17, () => get(reply).classes, index, ($$anchor, name, k) => {
				var option_1 = root_1$2();
				var text_2 = only_child(option_1, true);
				var option_1_value = {};
				template_effect(($0) => {
					option_1.disabled = k === $$props.explorer.targetClass;
					set_text(text_2, get(name));
					if (option_1_value !== (option_1_value = $0)) option_1.value = (option_1.__value = option_1_value) ?? "";
				}, [() => String(k)]);
				append($$anchor, option_1);
			});
			append($$anchor, fragment_2);
		};
		if_block(node_3, ($$render) => {
			if (get(reply)) $$render(consequent_1);
		});
		reset(select);
		var select_value;
		init_select(select);
		reset(label);
		template_effect(($0) => {
			if (select_value !== (select_value = $0)) select.value = (select.__value = select_value) ?? "", select_option(select, select_value);
		}, [() => String($$props.explorer.choices.target[1] ?? "")]);
		delegated("change", select, (event) => get(reply) && chooseContrast($$props.explorer, event.currentTarget.value));
		append($$anchor, label);
	};
	if_block(node, ($$render) => {
		if (get(live) && get(reply) && get(reply).classes.length > 50) $$render(consequent);
		else if (get(live) && $$props.explorer.hasHead) $$render(consequent_2, 1);
	});
	var node_5 = sibling(node, 2);
	var consequent_3 = ($$anchor) => {
		var fragment_3 = root_4();
		var node_6 = first_child(fragment_3);
		Effect(node_6, { get explorer() {
			return $$props.explorer;
		} });
		var p = sibling(node_6, 2);
		template_effect(() => set_attribute(p, "hidden", $$props.explorer.ablation !== null || !$$props.explorer.hasHead));
		append($$anchor, fragment_3);
	};
	if_block(node_5, ($$render) => {
		if (get(live)) $$render(consequent_3);
	});
	var p_1 = sibling(node_5, 2);
	var text_3 = only_child(p_1, true);
	reset(section);
	template_effect(() => {
		set_attribute(p_1, "hidden", $$props.explorer.ablation !== null);
		set_text(text_3, get(accuracy));
	});
	append($$anchor, section);
	pop();
}
delegate(["click", "change"]);
// src/explore/Present.svelte
var root = from_html(`<label><input type="radio" name="presented"/><span> </span></label>`);
var root_1$1 = from_html(`<button type="button" class="button"> </button>`);
var root_2$1 = from_html(`<form class="present-bar" aria-label="Presentation"><div class="choice" role="radiogroup" aria-label="Present"><div class="options"></div></div> <p class="present-keys"><kbd>F</kbd> next · <kbd>arrows</kbd> layer and head · <kbd>Tab</kbd> image and map</p> <!> <button type="button" class="button" data-do="close">Close <kbd>Esc</kbd></button></form>`);
function Present($$anchor, $$props) {
	push($$props, true);
	let isFullscreen = state(false);
	function update() {
		set(isFullscreen, document.fullscreenElement !== null);
	}
	var form = root_2$1();
	event("fullscreenchange", $document, update);
	var div = child(form);
	var div_1 = child(div);
	each(div_1, 21, () => PRESENTATIONS, ([name, title]) => name, ($$anchor, $$item) => {
		var $$array = user_derived(() => to_array(get($$item), 2));
		let name = () => get($$array)[0];
		let title = () => get($$array)[1];
		var label = root();
		var input = child(label);
		remove_input_defaults(input);
		var span = sibling(input);
		var text = only_child(span, true);
		reset(label);
		template_effect(() => {
			set_value(input, name());
			set_checked(input, $$props.explorer.presented === name());
			set_text(text, title());
		});
		delegated("change", input, () => present($$props.explorer, name()));
		append($$anchor, label);
	});
	reset(div_1);
	reset(div);
	var node = sibling(div, 4);
	var consequent = ($$anchor) => {
		var button = root_1$1();
		var text_1 = only_child(button, true);
		template_effect(() => set_text(text_1, get(isFullscreen) ? "Leave full screen" : "Full screen"));
		delegated("click", button, () => toggleFullscreen($$props.explorer));
		append($$anchor, button);
	};
	if_block(node, ($$render) => {
		if (document.fullscreenEnabled) $$render(consequent);
	});
	var button_1 = sibling(node, 2);
	reset(form);
	event("submit", form, (event) => event.preventDefault());
	delegated("click", button_1, () => present($$props.explorer, null));
	append($$anchor, form);
	pop();
}
delegate(["change", "click"]);
// src/explore/Explore.svelte
var root_1 = from_html(`<kbd>Delete</kbd> remove patch · <kbd>x</kbd> ablate head ·`, 1);
var root_2 = from_html(`<div><!> <!> <!> <div class="flow"><!> <div class="columns"><!> <!> <!> <!></div> <!></div> <!> <button type="button" class="jump"> </button> <p class="keys">Keys: <kbd>arrows</kbd> move · <kbd>Enter</kbd> pin · <!> <kbd>Esc</kbd> class token · <kbd>F</kbd> present</p></div>`);
function Explore($$anchor, $$props) {
	push($$props, true);
	const explorer = prop($$props, "explorer", 7);
	const view = user_derived(() => explorer().view);
	const choices = user_derived(() => explorer().choices);
	const markers = user_derived(() => explorer().markers);
	const isPresenting = user_derived(() => explorer().presented !== null);
	user_effect(() => {
		const { root } = explorer();
		if (get(isPresenting) && root) return untrack(() => coverPage(explorer(), root));
	});
	user_effect(() => {
		if (explorer().isHidden) explorer().presented = null;
	});
	function showMap() {
		explorer().root?.querySelector(".stage.map")?.scrollIntoView({ block: "center" });
	}
	var div = root_2();
	event("keydown", $document, (event) => presentByKey(explorer(), event), true);
	var node = child(div);
	var consequent = ($$anchor) => {
		{
			let $0 = user_derived(() => ({
				request: explorer().host.request,
				isPublic: explorer().catalog.public,
				onlists: (lists) => showLists(explorer(), lists)
			}));
			ModelSelect($$anchor, {
				get models() {
					return explorer().catalog.checkpoints;
				},
				get value() {
					return get(choices).checkpoint;
				},
				onchoose: (name) => showModel(explorer(), name),
				get page() {
					return get($0);
				}
			});
		}
	};
	if_block(node, ($$render) => {
		if (explorer().host.live) $$render(consequent);
	});
	var node_1 = sibling(node, 2);
	var consequent_1 = ($$anchor) => {
		Intro($$anchor, {});
	};
	if_block(node_1, ($$render) => {
		if (explorer().host.live) $$render(consequent_1);
	});
	var node_2 = sibling(node_1, 2);
	Lead(node_2, { get explorer() {
		return explorer();
	} });
	var div_1 = sibling(node_2, 2);
	var node_3 = child(div_1);
	Controls(node_3, { get explorer() {
		return explorer();
	} });
	var div_2 = sibling(node_3, 2);
	var node_4 = child(div_2);
	ImageColumn(node_4, { get explorer() {
		return explorer();
	} });
	var node_5 = sibling(node_4, 2);
	MapColumn(node_5, { get explorer() {
		return explorer();
	} });
	var node_6 = sibling(node_5, 2);
	var consequent_2 = ($$anchor) => {
		MatrixColumn($$anchor, { get explorer() {
			return explorer();
		} });
	};
	var alternate = ($$anchor) => {
		var fragment_3 = comment();
		var node_7 = first_child(fragment_3);
		await_block(node_7, () => importPanel(get(choices).view), ($$anchor) => {
			MatrixColumn($$anchor, { get explorer() {
				return explorer();
			} });
		}, ($$anchor, $$source) => {
			var $$value = user_derived(() => {
				var { default: ViewColumn } = get($$source);
				return { ViewColumn };
			});
			var ViewColumn = user_derived(() => get($$value).ViewColumn);
			var fragment_4 = comment();
			var node_8 = first_child(fragment_4);
			component(node_8, () => get(ViewColumn), ($$anchor, ViewColumn_1) => {
				ViewColumn_1($$anchor, { get explorer() {
					return explorer();
				} });
			});
			append($$anchor, fragment_4);
		}, ($$anchor) => {
			MatrixColumn($$anchor, { get explorer() {
				return explorer();
			} });
		});
		append($$anchor, fragment_3);
	};
	if_block(node_6, ($$render) => {
		if (get(choices).view === "attention") $$render(consequent_2);
		else $$render(alternate, -1);
	});
	Predictions(sibling(node_6, 2), { get explorer() {
		return explorer();
	} });
	reset(div_2);
	Methods(sibling(div_2, 2), { get explorer() {
		return explorer();
	} });
	reset(div_1);
	var node_11 = sibling(div_1, 2);
	var consequent_3 = ($$anchor) => {
		Present($$anchor, { get explorer() {
			return explorer();
		} });
	};
	if_block(node_11, ($$render) => {
		if (get(isPresenting)) $$render(consequent_3);
	});
	var button = sibling(node_11, 2);
	var text = only_child(button, true);
	var p = sibling(button, 2);
	var node_12 = sibling(child(p), 5);
	var consequent_4 = ($$anchor) => {
		var fragment_8 = root_1();
		next(3);
		append($$anchor, fragment_8);
	};
	if_block(node_12, ($$render) => {
		if (explorer().host.live) $$render(consequent_4);
	});
	next(5);
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
		set_attribute(div, "data-presented", explorer().presented);
		set_attribute(button, "hidden", !explorer().showsJump);
		set_text(text, explorer().showsJump && get(view).map ? `${get(view).headline}.` : "");
	}, [() => clsx(["vitviz vitviz-explorer", {
		"many-heads": explorer().shape && hasManyHeads(explorer().shape),
		smooth: get(choices).smooth,
		"shows-method": get(view).method !== null,
		[`shows-${get(choices).view}`]: get(choices).view !== "attention",
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
	const model = params().get("checkpoint");
	const isMissing = model !== null && !hasModel(explorer.catalog, model);
	const isListedLater = isOfRun(model) || /^(cifar|runs.*):/.test(params().get("image") ?? "");
	if (isMissing || isListedLater) await refreshLists(explorer);
	if (!explorer.catalog.checkpoints.length) return fail(explorer, "No model found: put a checkpoint into the checkpoints folder and restart vitviz.");
	const [chosen, shapeParams] = readAddress(params(), explorer.catalog, history.state);
	Object.assign(choices, chosen);
	showShelf(explorer, choices.image?.kind ?? explorer.shelf);
	showPlaceholders(explorer);
	if (!choices.image) return fail(explorer, "No sample image found: choose a CIFAR-10 image or upload one.");
	await load(explorer, choices.checkpoint, choices.image, shapeParams);
	if (!explorer.reply) await showSample(explorer);
	explorer.recorded.image = JSON.stringify(explorer.shown?.image);
	const missing = unavailableSentences(params(), explorer.catalog, choices);
	if (explorer.reply && missing && !explorer.noticeIsError) showNotice(explorer, missing);
	watchPage(explorer);
}
async function showSample(explorer) {
	const { catalog, choices, notice } = explorer;
	const image = firstImage(catalog);
	if (!image || choices.image?.kind === "sample") return;
	await load(explorer, choices.checkpoint, image);
	if (explorer.reply) showNotice(explorer, `${notice} Showing ${imageParam(image)}.`, true);
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
async function openHead(explorer, { checkpoint, layer, head }) {
	if (checkpoint !== explorer.shown?.checkpoint) {
		explorer.choices.target = [];
		await showModel(explorer, checkpoint, {
			patch: null,
			ablated: null,
			removed: null,
			layer: numberName(layer),
			head: numberName(head)
		});
	}
	if (checkpoint === explorer.shown?.checkpoint) act(explorer, {
		view: "attention",
		layer,
		head,
		method: null
	});
}
function listen(explorer) {
	const { element } = explorer.host;
	listenWhile(element, window, OPEN_HEAD, (event) => openHead(explorer, event.detail));
	listenWhile(element, window, "popstate", () => followHistory(explorer));
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
// src/explore/explore.ts
function mount(context) {
	const explorer = new Explorer(hostOf(context));
	explorer.openSaveDialog = () => openSaveDialog(explorer);
	mount$1(Explore, {
		target: context.element,
		props: { explorer }
	});
	start(explorer);
}
async function openSaveDialog(explorer) {
	try {
		const { mountDialog } = await __vitePreload(async () => {
			const { mountDialog } = await import("./save.js");
			return { mountDialog };
		}, [], import.meta.url);
		explorer.openSaveDialog = mountDialog(explorer);
		explorer.openSaveDialog();
	} catch {
		showNotice(explorer, NO_ANSWER, true);
	}
}
export { mount };
