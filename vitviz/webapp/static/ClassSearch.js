import { append, child, delegate, delegated, each, from_html, get, index, pop, props_id, push, remove_input_defaults, reset, set_attribute, set_value, sibling, template_effect, tick, user_derived } from "./packages.js";
import { chooseClass, chooseContrast, findClass, showNotice, uniqueNames } from "./shared.js";
// src/explore/ClassSearch.svelte
var root = from_html(`<option></option>`);
var root_1 = from_html(`<div class="contrast class-search"><datalist></datalist> <label>Explain class <input class="button" type="search" name="target"/></label> <label>Contrast with <input class="button" type="search" name="contrast" placeholder="none"/></label></div>`);
function ClassSearch($$anchor, $$props) {
	const id = props_id();
	push($$props, true);
	const names = user_derived(() => uniqueNames($$props.explorer.reply?.classes ?? []));
	const target = user_derived(() => $$props.explorer.choices.target);
	const placeholder = user_derived(() => `Search ${get(names).length.toLocaleString("en-US")} classes`);
	async function choose(input, place, onchoose) {
		const k = findClass(get(names), input.value);
		if (k >= 0) onchoose(k);
		else if (input.value.trim()) showNotice($$props.explorer, `No class is named ${input.value.trim()}.`, true);
		await tick();
		input.value = get(names)[get(target)[place]] ?? "";
	}
	function contrast(input) {
		if (!input.value.trim()) return chooseContrast($$props.explorer, "");
		choose(input, 1, (k) => k !== $$props.explorer.targetClass && chooseContrast($$props.explorer, String(k)));
	}
	var div = root_1();
	var datalist = child(div);
	each(datalist, 21, () => get(names), index, ($$anchor, name) => {
		var option = root();
		var option_value = {};
		template_effect(() => {
			if (option_value !== (option_value = get(name))) option.value = (option.__value = option_value) ?? "";
		});
		append($$anchor, option);
	});
	reset(datalist);
	var label = sibling(datalist, 2);
	var input_1 = sibling(child(label));
	remove_input_defaults(input_1);
	reset(label);
	var label_1 = sibling(label, 2);
	var input_2 = sibling(child(label_1));
	remove_input_defaults(input_2);
	reset(label_1);
	reset(div);
	template_effect(() => {
		set_attribute(datalist, "id", id);
		set_attribute(input_1, "list", id);
		set_attribute(input_1, "placeholder", get(placeholder));
		set_value(input_1, get(names)[get(target)[0]] ?? "");
		set_attribute(input_2, "list", id);
		set_value(input_2, get(names)[get(target)[1]] ?? "");
	});
	delegated("change", input_1, (event) => choose(event.currentTarget, 0, (k) => chooseClass($$props.explorer, k)));
	delegated("change", input_2, (event) => contrast(event.currentTarget));
	append($$anchor, div);
	pop();
}
delegate(["change"]);
export { ClassSearch as default };
