// node_modules/svelte/src/internal/shared/utils.js
var is_array = Array.isArray;
var index_of = Array.prototype.indexOf;
var includes = Array.prototype.includes;
var array_from = Array.from;
var define_property = Object.defineProperty;
var get_descriptor = Object.getOwnPropertyDescriptor;
var get_descriptors = Object.getOwnPropertyDescriptors;
var object_prototype = Object.prototype;
var array_prototype = Array.prototype;
var get_prototype_of = Object.getPrototypeOf;
var is_extensible = Object.isExtensible;
function is_function(thing) {
	return typeof thing === "function";
}
var noop = () => {};
function is_promise(value) {
	return typeof value?.then === "function";
}
function run_all(arr) {
	for (var i = 0; i < arr.length; i++) arr[i]();
}
function deferred() {
	var resolve;
	var reject;
	return {
		promise: new Promise((res, rej) => {
			resolve = res;
			reject = rej;
		}),
		resolve,
		reject
	};
}
function to_array(value, n) {
	if (Array.isArray(value)) return value;
	if (n === void 0 || !(Symbol.iterator in value)) return Array.from(value);
	const array = [];
	for (const element of value) {
		array.push(element);
		if (array.length === n) break;
	}
	return array;
}
// node_modules/svelte/src/internal/client/constants.js
var MANAGED_EFFECT = 1 << 24;
var CLEAN = 1024;
var DIRTY = 2048;
var MAYBE_DIRTY = 4096;
var INERT = 8192;
var DESTROYED = 16384;
var REACTION_RAN = 32768;
var DESTROYING = 1 << 25;
var EFFECT_TRANSPARENT = 65536;
var EFFECT_PRESERVED = 1 << 19;
var USER_EFFECT = 1 << 20;
var EFFECT_OFFSCREEN = 1 << 25;
var REACTION_IS_UPDATING = 1 << 21;
var ASYNC = 1 << 22;
var ERROR_VALUE = 1 << 23;
var STATE_SYMBOL = Symbol("$state");
var COMPONENT_SYMBOL = Symbol("component");
var LEGACY_PROPS = Symbol("legacy props");
var LOADING_ATTR_SYMBOL = Symbol("");
var ATTRIBUTES_CACHE = Symbol("attributes");
var CLASS_CACHE = Symbol("class");
var STYLE_CACHE = Symbol("style");
var TEXT_CACHE = Symbol("text");
var FORM_RESET_HANDLER = Symbol("form reset");
var STALE_REACTION = new class StaleReactionError extends Error {
	name = "StaleReactionError";
	message = "The reaction that called `getAbortSignal()` was re-run or destroyed";
}();
var IS_XHTML = !!globalThis.document?.contentType && globalThis.document.contentType.includes("xml");
// node_modules/svelte/src/constants.js
var HYDRATION_ERROR = {};
var UNINITIALIZED = Symbol("uninitialized");
var NAMESPACE_HTML = "http://www.w3.org/1999/xhtml";
function derived_inert() {
	console.warn(`https://svelte.dev/e/derived_inert`);
}
function hydration_mismatch(location) {
	console.warn(`https://svelte.dev/e/hydration_mismatch`);
}
function select_multiple_invalid_value() {
	console.warn(`https://svelte.dev/e/select_multiple_invalid_value`);
}
function svelte_boundary_reset_noop() {
	console.warn(`https://svelte.dev/e/svelte_boundary_reset_noop`);
}
// node_modules/svelte/src/internal/client/dom/hydration.js
var hydrating = false;
function set_hydrating(value) {
	hydrating = value;
}
var hydrate_node;
function set_hydrate_node(node) {
	if (node === null) {
		hydration_mismatch();
		throw HYDRATION_ERROR;
	}
	return hydrate_node = node;
}
function hydrate_next() {
	return set_hydrate_node(get_next_sibling(hydrate_node));
}
function reset(node) {
	if (!hydrating) return;
	if (get_next_sibling(hydrate_node) !== null) {
		hydration_mismatch();
		throw HYDRATION_ERROR;
	}
	hydrate_node = node;
}
function next(count = 1) {
	if (hydrating) {
		var i = count;
		var node = hydrate_node;
		while (i--) node = get_next_sibling(node);
		hydrate_node = node;
	}
}
function skip_nodes(remove = true) {
	var depth = 0;
	var node = hydrate_node;
	while (true) {
		if (node.nodeType === 8) {
			var data = node.data;
			if (data === "]") {
				if (depth === 0) return node;
				depth -= 1;
			} else if (data === "[" || data === "[!" || data[0] === "[" && !isNaN(Number(data.slice(1)))) depth += 1;
		}
		var next = get_next_sibling(node);
		if (remove) node.remove();
		node = next;
	}
}
function read_hydration_instruction(node) {
	if (!node || node.nodeType !== 8) {
		hydration_mismatch();
		throw HYDRATION_ERROR;
	}
	return node.data;
}
// node_modules/svelte/src/internal/client/reactivity/equality.js
function equals(value) {
	return value === this.v;
}
function safe_not_equal(a, b) {
	return a != a ? b == b : a !== b || a !== null && typeof a === "object" || typeof a === "function";
}
function safe_equals(value) {
	return !safe_not_equal(value, this.v);
}
function lifecycle_outside_component(name) {
	throw new Error(`https://svelte.dev/e/lifecycle_outside_component`);
}
// node_modules/svelte/src/internal/client/errors.js
function async_derived_orphan() {
	throw new Error(`https://svelte.dev/e/async_derived_orphan`);
}
function each_key_duplicate(a, b, value) {
	throw new Error(`https://svelte.dev/e/each_key_duplicate`);
}
function effect_in_teardown(rune) {
	throw new Error(`https://svelte.dev/e/effect_in_teardown`);
}
function effect_in_unowned_derived() {
	throw new Error(`https://svelte.dev/e/effect_in_unowned_derived`);
}
function effect_orphan(rune) {
	throw new Error(`https://svelte.dev/e/effect_orphan`);
}
function effect_update_depth_exceeded() {
	throw new Error(`https://svelte.dev/e/effect_update_depth_exceeded`);
}
function props_invalid_value(key) {
	throw new Error(`https://svelte.dev/e/props_invalid_value`);
}
function state_descriptors_fixed() {
	throw new Error(`https://svelte.dev/e/state_descriptors_fixed`);
}
function state_prototype_fixed() {
	throw new Error(`https://svelte.dev/e/state_prototype_fixed`);
}
function state_unsafe_mutation() {
	throw new Error(`https://svelte.dev/e/state_unsafe_mutation`);
}
function svelte_boundary_reset_onerror() {
	throw new Error(`https://svelte.dev/e/svelte_boundary_reset_onerror`);
}
// node_modules/svelte/src/internal/flags/index.js
var async_mode_flag = false;
var legacy_mode_flag = false;
// node_modules/svelte/src/internal/client/context.js
var component_context = null;
function set_component_context(context) {
	component_context = context;
}
function push(props, runes = false, fn) {
	component_context = {
		p: component_context,
		i: false,
		c: null,
		e: null,
		s: props,
		x: null,
		r: active_effect,
		l: legacy_mode_flag && !runes ? {
			s: null,
			u: null,
			$: []
		} : null
	};
}
function pop(component) {
	var context = component_context;
	var effects = context.e;
	if (effects !== null) {
		context.e = null;
		for (var fn of effects) create_user_effect(fn);
	}
	if (component !== void 0) context.x = component;
	context.i = true;
	component_context = context.p;
	return mark_as_component(component);
}
function mark_as_component(component = {}) {
	define_property(component, COMPONENT_SYMBOL, { value: true });
	return component;
}
function is_runes() {
	return !legacy_mode_flag || component_context !== null && component_context.l === null;
}
// node_modules/svelte/src/internal/client/dom/task.js
var micro_tasks = [];
function run_micro_tasks() {
	var tasks = micro_tasks;
	micro_tasks = [];
	run_all(tasks);
}
function queue_micro_task(fn) {
	if (micro_tasks.length === 0 && !is_flushing_sync) {
		var tasks = micro_tasks;
		queueMicrotask(() => {
			if (tasks === micro_tasks) run_micro_tasks();
		});
	}
	micro_tasks.push(fn);
}
function flush_tasks() {
	while (micro_tasks.length > 0) run_micro_tasks();
}
// node_modules/svelte/src/internal/client/reactivity/status.js
var STATUS_MASK = ~(DIRTY | MAYBE_DIRTY | CLEAN);
function set_signal_status(signal, status) {
	signal.f = signal.f & STATUS_MASK | status;
}
function update_derived_status(derived) {
	if ((derived.f & 512) !== 0 || derived.deps === null) set_signal_status(derived, CLEAN);
	else set_signal_status(derived, MAYBE_DIRTY);
}
// node_modules/svelte/src/internal/client/reactivity/utils.js
function defer_effect(effect, dirty_reactions) {
	if ((effect.f & 2048) !== 0) dirty_reactions.set(effect, DIRTY);
	else if ((effect.f & 4096) !== 0 && dirty_reactions.get(effect) !== 2048) dirty_reactions.set(effect, MAYBE_DIRTY);
	set_signal_status(effect, CLEAN);
}
// node_modules/svelte/src/internal/client/dom/elements/misc.js
function autofocus(dom, value) {
	if (value) {
		const body = document.body;
		dom.autofocus = true;
		queue_micro_task(() => {
			if (document.activeElement === body) dom.focus();
		});
	}
}
var listening_to_form_reset = false;
function add_form_reset_listener() {
	if (!listening_to_form_reset) {
		listening_to_form_reset = true;
		document.addEventListener("reset", (evt) => {
			Promise.resolve().then(() => {
				if (!evt.defaultPrevented) for (const e of evt.target.elements) e[FORM_RESET_HANDLER]?.();
			});
		}, { capture: true });
	}
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/shared.js
function without_reactive_context(fn) {
	var previous_reaction = active_reaction;
	var previous_effect = active_effect;
	set_active_reaction(null);
	set_active_effect(null);
	try {
		return fn();
	} finally {
		set_active_reaction(previous_reaction);
		set_active_effect(previous_effect);
	}
}
function listen_to_event_and_reset_event(element, event, handler, on_reset = handler) {
	element.addEventListener(event, () => without_reactive_context(handler));
	const prev = element[FORM_RESET_HANDLER];
	if (prev) element[FORM_RESET_HANDLER] = () => {
		prev();
		on_reset(true);
	};
	else element[FORM_RESET_HANDLER] = () => on_reset(true);
	add_form_reset_listener();
}
// node_modules/svelte/src/internal/client/reactivity/async.js
function flatten(blockers, sync, async, fn) {
	const d = is_runes() ? derived : derived_safe_equal;
	var pending = blockers.filter((b) => !b.settled);
	var deriveds = sync.map(d);
	if (async.length === 0 && pending.length === 0) {
		fn(deriveds);
		return;
	}
	var parent = active_effect;
	var restore = capture();
	var blocker_promise = pending.length === 1 ? pending[0].promise : pending.length > 1 ? Promise.all(pending.map((b) => b.promise)) : null;
	function finish(async) {
		if ((parent.f & 16384) !== 0) return;
		restore();
		try {
			fn([...deriveds, ...async]);
		} catch (error) {
			invoke_error_boundary(error, parent);
		}
		unset_context();
	}
	var decrement_pending = increment_pending();
	if (async.length === 0) {
		blocker_promise.then(() => finish([])).finally(decrement_pending);
		return;
	}
	function run() {
		Promise.all(async.map((expression) => async_derived(expression))).then(finish).catch((error) => invoke_error_boundary(error, parent)).finally(decrement_pending);
	}
	if (blocker_promise) blocker_promise.then(() => {
		if ((parent.f & 16384) !== 0) {
			decrement_pending();
			return;
		}
		restore();
		run();
		unset_context();
	});
	else run();
}
function capture() {
	var previous_effect = active_effect;
	var previous_reaction = active_reaction;
	var previous_component_context = component_context;
	var previous_batch = current_batch;
	return function restore(activate_batch = true) {
		set_active_effect(previous_effect);
		set_active_reaction(previous_reaction);
		set_component_context(previous_component_context);
		if (activate_batch && (previous_effect.f & 16384) === 0) {
			previous_batch?.activate();
			previous_batch?.apply();
		}
	};
}
function unset_context(deactivate_batch = true) {
	set_active_effect(null);
	set_active_reaction(null);
	set_component_context(null);
	if (deactivate_batch) current_batch?.deactivate();
}
function increment_pending() {
	var effect = active_effect;
	var boundary = effect.b;
	var batch = current_batch;
	var blocking = !!boundary?.is_rendered();
	boundary?.update_pending_count(1, batch);
	batch.increment(blocking, effect);
	return () => {
		boundary?.update_pending_count(-1, batch);
		batch.decrement(blocking, effect);
	};
}
function derived(fn) {
	var flags = 2 | DIRTY;
	if (active_effect !== null) active_effect.f |= EFFECT_PRESERVED;
	return {
		ctx: component_context,
		deps: null,
		effects: null,
		equals,
		f: flags,
		fn,
		reactions: null,
		rv: 0,
		v: UNINITIALIZED,
		wv: 0,
		parent: active_effect,
		ac: null
	};
}
var OBSOLETE = Symbol("obsolete");
function async_derived(fn, label, location) {
	let parent = active_effect;
	if (parent === null) async_derived_orphan();
	var promise = void 0;
	var signal = source(UNINITIALIZED);
	var should_suspend = !active_reaction;
	var deferreds = new Set();
	async_effect(() => {
		var effect = active_effect;
		var d = deferred();
		promise = d.promise;
		try {
			Promise.resolve(fn()).then(d.resolve, (e) => {
				if (e !== STALE_REACTION) d.reject(e);
			}).finally(unset_context);
		} catch (error) {
			d.reject(error);
			unset_context();
		}
		var batch = current_batch;
		if (should_suspend) {
			if ((effect.f & 32768) !== 0) var decrement_pending = increment_pending();
			if (parent.b?.is_rendered()) batch.async_deriveds.get(effect)?.reject(OBSOLETE);
			else for (const d of deferreds.values()) d.reject(OBSOLETE);
			deferreds.add(d);
			batch.async_deriveds.set(effect, d);
		}
		const handler = (value, error = void 0) => {
			decrement_pending?.();
			deferreds.delete(d);
			if (error === OBSOLETE) return;
			batch.activate();
			if (error) {
				signal.f |= ERROR_VALUE;
				internal_set(signal, error);
			} else {
				if ((signal.f & 8388608) !== 0) signal.f ^= ERROR_VALUE;
				internal_set(signal, value);
			}
			batch.deactivate();
		};
		d.promise.then(handler, (e) => handler(null, e || "unknown"));
	});
	teardown(() => {
		for (const d of deferreds) d.reject(OBSOLETE);
	});
	return new Promise((fulfil) => {
		function next(p) {
			function go() {
				if (p === promise) fulfil(signal);
				else next(promise);
			}
			p.then(go, go);
		}
		next(promise);
	});
}
function user_derived(fn) {
	const d = derived(fn);
	if (!async_mode_flag) push_reaction_value(d);
	return d;
}
function derived_safe_equal(fn) {
	const signal = derived(fn);
	signal.equals = safe_equals;
	return signal;
}
function destroy_derived_effects(derived) {
	var effects = derived.effects;
	if (effects !== null) {
		derived.effects = null;
		for (var i = 0; i < effects.length; i += 1) destroy_effect(effects[i]);
	}
}
function execute_derived(derived) {
	var value;
	var prev_active_effect = active_effect;
	var parent = derived.parent;
	if (!is_destroying_effect && parent !== null && derived.v !== UNINITIALIZED && (parent.f & 24576) !== 0) {
		derived_inert();
		return derived.v;
	}
	set_active_effect(parent);
	try {
		destroy_derived_effects(derived);
		value = update_reaction(derived);
	} finally {
		set_active_effect(prev_active_effect);
	}
	return value;
}
function update_derived(derived) {
	var value = execute_derived(derived);
	if (!derived.equals(value)) {
		derived.wv = increment_write_version();
		if (!current_batch?.is_fork || derived.deps === null) {
			if (current_batch !== null) {
				current_batch.capture(derived, value, true);
				previous_batch?.capture(derived, value, true);
			} else derived.v = value;
			if (derived.deps === null) {
				set_signal_status(derived, CLEAN);
				return;
			}
		}
	}
	if (is_destroying_effect) return;
	if (batch_values !== null) {
		if (effect_tracking() || current_batch?.is_fork) batch_values.set(derived, value);
	} else update_derived_status(derived);
}
function freeze_derived_effects(derived) {
	if (derived.effects === null) return;
	for (const e of derived.effects) if (e.teardown || e.ac) {
		e.teardown?.();
		if (e.ac !== null) without_reactive_context(() => {
			e.ac.abort(STALE_REACTION);
			e.ac = null;
		});
		if (e.fn !== null) e.teardown = noop;
		remove_reactions(e, 0);
		destroy_effect_children(e);
	}
}
function unfreeze_derived_effects(derived) {
	if (derived.effects === null) return;
	for (const e of derived.effects) if (e.teardown && e.fn !== null) update_effect(e);
}
// node_modules/svelte/src/internal/client/reactivity/batch.js
var first_batch = null;
var last_batch = null;
var current_batch = null;
var previous_batch = null;
var batch_values = null;
var last_scheduled_effect = null;
var is_flushing_sync = false;
var is_processing = false;
var collected_effects = null;
var legacy_updates = null;
var flush_count = 0;
var uid = 1;
var Batch = class Batch {
	id = uid++;
	started = false;
	linked = true;
	prev = null;
	next = null;
	async_deriveds = new Map();
	current = new Map();
	previous = new Map();
	#commit_callbacks = new Set();
	#discard_callbacks = new Set();
	#pending = 0;
	#blocking_pending = new Map();
	#deferred = null;
	#scheduled = [];
	#new_effects = [];
	#dirty_reactions = new Map();
	#skipped_branches = new Map();
	#unskipped_branches = new Set();
	is_fork = false;
	#decrement_queued = false;
	constructor() {
		if (last_batch === null) first_batch = last_batch = this;
		else {
			last_batch.next = this;
			this.prev = last_batch;
		}
		last_batch = this;
	}
	#is_deferred() {
		if (this.is_fork) return true;
		for (const effect of this.#blocking_pending.keys()) if (!this.#is_skipped(effect)) return true;
		return false;
	}
	#is_skipped(effect) {
		for (var e = effect; e !== null; e = e.parent) if (this.#skipped_branches.has(e)) return true;
		return false;
	}
	skip_effect(effect) {
		if (!this.#skipped_branches.has(effect)) this.#skipped_branches.set(effect, {
			d: [],
			m: []
		});
		this.#unskipped_branches.delete(effect);
	}
	unskip_effect(effect, callback = (e) => this.schedule(e)) {
		var tracked = this.#skipped_branches.get(effect);
		if (tracked) {
			this.#skipped_branches.delete(effect);
			for (var e of tracked.d) {
				set_signal_status(e, DIRTY);
				callback(e);
			}
			for (e of tracked.m) {
				set_signal_status(e, MAYBE_DIRTY);
				callback(e);
			}
		}
		this.#unskipped_branches.add(effect);
	}
	#resolve() {
		var roots = [];
		for (const effect of this.#scheduled) {
			if ((effect.f & 16384) !== 0 || (effect.f & 6144) === 0) continue;
			var e = effect;
			var covered = false;
			while (e.parent !== null) {
				e = e.parent;
				var flags = e.f;
				if ((flags & 96) !== 0) {
					if ((flags & 1024) === 0) {
						covered = true;
						break;
					}
					e.f ^= CLEAN;
				}
			}
			if (!covered) roots.push(e);
		}
		this.#scheduled = [];
		return roots;
	}
	#process() {
		this.started = true;
		for (const [e, status] of this.#dirty_reactions) {
			set_signal_status(e, status);
			this.schedule(e);
		}
		this.apply();
		var effects = collected_effects = [];
		var render_effects = [];
		var updates = legacy_updates = [];
		while (this.#scheduled.length > 0) {
			if (flush_count++ > 1e3) {
				this.#unlink();
				infinite_loop_guard();
			}
			for (const root of this.#resolve()) try {
				this.#traverse(root, effects, render_effects);
			} catch (e) {
				reset_all(root);
				if (!this.#is_deferred()) this.discard();
				throw e;
			}
		}
		current_batch = null;
		if (updates.length > 0) {
			var batch = Batch.ensure();
			for (const e of updates) batch.schedule(e);
		}
		collected_effects = null;
		legacy_updates = null;
		if (this.#is_deferred()) {
			this.#defer_effects(render_effects);
			this.#defer_effects(effects);
			for (const [e, t] of this.#skipped_branches) reset_branch(e, t);
			if (updates.length > 0) current_batch.#process();
			return;
		}
		const earlier_batch = this.#find_earlier_batch();
		if (earlier_batch) {
			this.#defer_effects(render_effects);
			this.#defer_effects(effects);
			earlier_batch.#merge(this);
			return;
		}
		this.#dirty_reactions.clear();
		for (const fn of this.#commit_callbacks) fn(this);
		this.#commit_callbacks.clear();
		previous_batch = this;
		flush_queued_effects(render_effects);
		flush_queued_effects(effects);
		previous_batch = null;
		this.#deferred?.resolve();
		var next_batch = current_batch;
		if (this.#pending === 0 && (this.#scheduled.length === 0 || next_batch !== null)) {
			this.#unlink();
			if (async_mode_flag) {
				this.#commit();
				current_batch = next_batch;
			}
		}
		if (next_batch !== null) {
			old_values.clear();
			next_batch.#process();
		}
	}
	#traverse(root, effects, render_effects) {
		root.f ^= CLEAN;
		var effect = root.first;
		while (effect !== null) {
			var flags = effect.f;
			var is_branch = (flags & 96) !== 0;
			if (!(is_branch && (flags & 1024) !== 0 || (flags & 8192) !== 0 || this.#skipped_branches.has(effect)) && effect.fn !== null) {
				if (is_branch) effect.f ^= CLEAN;
				else if ((flags & 4) !== 0) effects.push(effect);
				else if (async_mode_flag && (flags & 16777224) !== 0) render_effects.push(effect);
				else if (is_dirty(effect)) {
					if ((flags & 16) !== 0) this.add_dirty_reaction(effect, MAYBE_DIRTY);
					update_effect(effect);
				}
				var child = effect.first;
				if (child !== null) {
					effect = child;
					continue;
				}
			}
			while (effect !== null) {
				var next = effect.next;
				if (next !== null) {
					effect = next;
					break;
				}
				effect = effect.parent;
			}
		}
	}
	#find_earlier_batch() {
		for (var batch = this.prev; batch !== null; batch = batch.prev) if (!batch.is_fork && this.#intersects(batch)) return batch;
		return null;
	}
	#intersects(batch) {
		for (const [source, [, is_derived]] of this.current) {
			if (is_derived) continue;
			if (batch.current.has(source)) return true;
		}
		return false;
	}
	#merge(batch) {
		for (const [source, value] of batch.current) {
			if (!this.previous.has(source) && batch.previous.has(source)) this.previous.set(source, batch.previous.get(source));
			this.current.set(source, value);
		}
		for (const [effect, deferred] of batch.async_deriveds) {
			const d = this.async_deriveds.get(effect);
			if (d) deferred.promise.then(d.resolve).catch(d.reject);
		}
		batch.async_deriveds.clear();
		this.transfer_reactions(batch.#dirty_reactions);
		const mark = (value) => {
			var reactions = value.reactions;
			if (reactions === null) return;
			if ((value.f & 2) !== 0 && (value.f & 6144) === 0) return;
			for (const reaction of reactions) {
				var flags = reaction.f;
				if ((flags & 2) !== 0) mark(reaction);
				else {
					var effect = reaction;
					if (flags & 4194320 && !this.async_deriveds.has(effect)) {
						this.#dirty_reactions.delete(effect);
						set_signal_status(effect, DIRTY);
						this.schedule(effect);
					}
				}
			}
		};
		for (const source of this.current.keys()) mark(source);
		this.oncommit(() => batch.discard());
		batch.#unlink();
		current_batch = this;
		this.#process();
	}
	#defer_effects(effects) {
		for (var i = 0; i < effects.length; i += 1) defer_effect(effects[i], this.#dirty_reactions);
	}
	capture(source, value, is_derived = false) {
		if (source.v !== UNINITIALIZED && !this.previous.has(source)) this.previous.set(source, source.v);
		if ((source.f & 8388608) === 0) {
			this.current.set(source, [value, is_derived]);
			batch_values?.set(source, value);
		}
		if (!this.is_fork) source.v = value;
	}
	activate() {
		current_batch = this;
	}
	deactivate() {
		current_batch = null;
		batch_values = null;
	}
	flush() {
		try {
			is_processing = true;
			current_batch = this;
			this.#process();
		} finally {
			flush_count = 0;
			last_scheduled_effect = null;
			collected_effects = null;
			legacy_updates = null;
			is_processing = false;
			current_batch = null;
			batch_values = null;
			old_values.clear();
		}
	}
	discard() {
		for (const fn of this.#discard_callbacks) fn(this);
		this.#discard_callbacks.clear();
		for (const deferred of this.async_deriveds.values()) deferred.reject(OBSOLETE);
		this.#unlink();
		this.#deferred?.resolve();
	}
	register_created_effect(effect) {
		this.#new_effects.push(effect);
	}
	#commit() {
		for (let batch = first_batch; batch !== null; batch = batch.next) {
			var is_earlier = batch.id < this.id;
			var sources = [];
			for (const [source, [value, is_derived]] of this.current) {
				if (batch.current.has(source)) {
					var batch_value = batch.current.get(source)[0];
					if (is_earlier && value !== batch_value) batch.current.set(source, [value, is_derived]);
					else continue;
				}
				sources.push(source);
			}
			if (is_earlier) for (const [effect, deferred] of this.async_deriveds) {
				const d = batch.async_deriveds.get(effect);
				if (d) deferred.promise.then(d.resolve).catch(d.reject);
			}
			var current = [...batch.current.keys()].filter((source) => !batch.current.get(source)[1]);
			if (!batch.started || current.length === 0) continue;
			var others = current.filter((source) => !this.current.has(source));
			if (others.length === 0) {
				if (is_earlier) batch.discard();
			} else if (sources.length > 0) {
				if (is_earlier) for (const unskipped of this.#unskipped_branches) batch.unskip_effect(unskipped, (e) => {
					if ((e.f & 4194320) !== 0) batch.schedule(e);
					else batch.#defer_effects([e]);
				});
				batch.activate();
				var marked = new Set();
				var checked = new Map();
				for (var source of sources) mark_effects(source, others, marked, checked);
				checked = new Map();
				var current_unequal = [...batch.current].filter(([c, v1]) => {
					const v2 = this.current.get(c);
					if (!v2) return true;
					return v2[0] !== v1[0] || v2[1] !== v1[1];
				}).map(([c]) => c);
				if (current_unequal.length > 0) {
					for (const effect of this.#new_effects) if ((effect.f & 155648) === 0 && depends_on(effect, current_unequal, checked)) {
						if ((effect.f & 4194320) !== 0) {
							set_signal_status(effect, DIRTY);
							batch.schedule(effect);
						} else batch.add_dirty_reaction(effect, DIRTY);
					}
				}
				if (batch.#scheduled.length > 0 && !batch.#decrement_queued) {
					batch.apply();
					for (var root of batch.#resolve()) batch.#traverse(root, [], []);
				}
				batch.deactivate();
			}
		}
	}
	increment(blocking, effect) {
		this.#pending += 1;
		if (blocking) {
			let blocking_pending_count = this.#blocking_pending.get(effect) ?? 0;
			this.#blocking_pending.set(effect, blocking_pending_count + 1);
		}
	}
	decrement(blocking, effect) {
		this.#pending -= 1;
		if (blocking) {
			let blocking_pending_count = this.#blocking_pending.get(effect) ?? 0;
			if (blocking_pending_count === 1) this.#blocking_pending.delete(effect);
			else this.#blocking_pending.set(effect, blocking_pending_count - 1);
		}
		if (this.#decrement_queued) return;
		this.#decrement_queued = true;
		queue_micro_task(() => {
			this.#decrement_queued = false;
			if (this.linked) this.flush();
		});
	}
	transfer_reactions(dirty_reactions) {
		for (const [effect, status] of dirty_reactions) this.add_dirty_reaction(effect, status);
		dirty_reactions.clear();
	}
	add_dirty_reaction(effect, status) {
		if (status === 2048 || this.#dirty_reactions.get(effect) !== 2048) this.#dirty_reactions.set(effect, status);
	}
	oncommit(fn) {
		this.#commit_callbacks.add(fn);
	}
	ondiscard(fn) {
		this.#discard_callbacks.add(fn);
	}
	settled() {
		return (this.#deferred ??= deferred()).promise;
	}
	static ensure() {
		if (current_batch === null) {
			const batch = current_batch = new Batch();
			if (!is_processing && !is_flushing_sync) queue_micro_task(() => {
				if (!batch.started) batch.flush();
			});
		}
		return current_batch;
	}
	apply() {
		if (!async_mode_flag || !this.is_fork && this.prev === null && this.next === null) {
			batch_values = null;
			return;
		}
		batch_values = new Map();
		for (const [source, [value]] of this.current) batch_values.set(source, value);
		for (let batch = first_batch; batch !== null; batch = batch.next) {
			if (batch === this || batch.is_fork) continue;
			if (batch.id >= this.id || !batch.#intersects(this)) {
				for (const [source, previous] of batch.previous) if (!batch_values.has(source)) batch_values.set(source, previous);
			}
		}
	}
	schedule(effect) {
		last_scheduled_effect = effect;
		if (effect.b?.is_pending && (effect.f & 16777228) !== 0 && (effect.f & 32768) === 0) {
			effect.b.defer_effect(effect);
			return;
		}
		this.#scheduled.push(effect);
	}
	#unlink() {
		if (!this.linked) return;
		var prev = this.prev;
		var next = this.next;
		if (prev === null) first_batch = next;
		else prev.next = next;
		if (next === null) last_batch = prev;
		else next.prev = prev;
		this.linked = false;
	}
};
function flushSync(fn) {
	var was_flushing_sync = is_flushing_sync;
	var prev_previous_batch = previous_batch;
	previous_batch = null;
	is_flushing_sync = true;
	try {
		var result;
		if (fn) {
			flushSync();
			result = fn();
		}
		while (true) {
			flush_tasks();
			if (current_batch === null) return result;
			current_batch.flush();
		}
	} finally {
		is_flushing_sync = was_flushing_sync;
		previous_batch = prev_previous_batch;
	}
}
function infinite_loop_guard() {
	try {
		effect_update_depth_exceeded();
	} catch (error) {
		invoke_error_boundary(error, last_scheduled_effect);
	}
}
var eager_block_effects = null;
function flush_queued_effects(effects) {
	var length = effects.length;
	if (length === 0) return;
	var i = 0;
	while (i < length) {
		var effect = effects[i++];
		if ((effect.f & 24576) === 0 && is_dirty(effect)) {
			eager_block_effects = new Set();
			update_effect(effect);
			if (effect.deps === null && effect.first === null && effect.nodes === null && effect.teardown === null && effect.ac === null) unlink_effect(effect);
			if (eager_block_effects?.size > 0) {
				old_values.clear();
				for (const e of eager_block_effects) {
					if ((e.f & 24576) !== 0) continue;
					const ordered_effects = [e];
					let ancestor = e.parent;
					while (ancestor !== null) {
						if (eager_block_effects.has(ancestor)) {
							eager_block_effects.delete(ancestor);
							ordered_effects.push(ancestor);
						}
						ancestor = ancestor.parent;
					}
					for (let j = ordered_effects.length - 1; j >= 0; j--) {
						const e = ordered_effects[j];
						if ((e.f & 24576) !== 0) continue;
						update_effect(e);
					}
				}
				eager_block_effects.clear();
			}
		}
	}
	eager_block_effects = null;
}
function mark_effects(value, sources, marked, checked) {
	if (marked.has(value)) return;
	marked.add(value);
	if (value.reactions !== null) for (const reaction of value.reactions) {
		const flags = reaction.f;
		if ((flags & 2) !== 0) mark_effects(reaction, sources, marked, checked);
		else if ((flags & 4194320) !== 0 && (flags & 2048) === 0 && depends_on(reaction, sources, checked)) {
			set_signal_status(reaction, DIRTY);
			schedule_effect(reaction);
		}
	}
}
function depends_on(reaction, sources, checked) {
	const depends = checked.get(reaction);
	if (depends !== void 0) return depends;
	if (reaction.deps !== null) for (const dep of reaction.deps) {
		if (includes.call(sources, dep)) return true;
		if ((dep.f & 2) !== 0 && depends_on(dep, sources, checked)) {
			checked.set(dep, true);
			return true;
		}
	}
	checked.set(reaction, false);
	return false;
}
function schedule_effect(effect) {
	current_batch.schedule(effect);
}
function reset_branch(effect, tracked) {
	if ((effect.f & 32) !== 0 && (effect.f & 1024) !== 0) return;
	if ((effect.f & 2048) !== 0) tracked.d.push(effect);
	else if ((effect.f & 4096) !== 0) tracked.m.push(effect);
	set_signal_status(effect, CLEAN);
	var e = effect.first;
	while (e !== null) {
		reset_branch(e, tracked);
		e = e.next;
	}
}
function reset_all(effect) {
	set_signal_status(effect, CLEAN);
	var e = effect.first;
	while (e !== null) {
		reset_all(e);
		e = e.next;
	}
}
// node_modules/svelte/src/internal/client/reactivity/sources.js
var eager_effects = new Set();
var old_values = new Map();
var eager_effects_deferred = false;
function source(v, stack) {
	return {
		f: 0,
		v,
		reactions: null,
		equals,
		rv: 0,
		wv: 0
	};
}
function state(v, stack) {
	const s = source(v, stack);
	push_reaction_value(s);
	return s;
}
function mutable_source(initial_value, immutable = false, trackable = true) {
	const s = source(initial_value);
	if (!immutable) s.equals = safe_equals;
	if (legacy_mode_flag && trackable && component_context !== null && component_context.l !== null) (component_context.l.s ??= []).push(s);
	return s;
}
function set(source, value, should_proxy = false) {
	if (active_reaction !== null && (!untracking || (active_reaction.f & 131072) !== 0) && is_runes() && (active_reaction.f & 4325394) !== 0 && (current_sources === null || !current_sources.has(source))) state_unsafe_mutation();
	return internal_set(source, should_proxy ? proxy(value) : value, legacy_updates);
}
var seen$1 = null;
var count_deps = 0;
function internal_set(source, value, updated_during_traversal = null) {
	if (!source.equals(value)) {
		if (is_destroying_effect) old_values.set(source, value);
		else if (!old_values.has(source)) old_values.set(source, source.v);
		var batch = Batch.ensure();
		batch.capture(source, value);
		if ((source.f & 2) !== 0) {
			const derived = source;
			if ((source.f & 2048) !== 0) execute_derived(derived);
			if (batch_values === null) update_derived_status(derived);
		}
		source.wv = increment_write_version();
		seen$1 = null;
		count_deps = 0;
		mark_reactions(source, DIRTY, updated_during_traversal);
		seen$1 = null;
		if (is_runes() && active_effect !== null && (active_effect.f & 1024) !== 0 && (active_effect.f & 96) === 0) {
			if (untracked_writes === null) set_untracked_writes([source]);
			else untracked_writes.push(source);
		}
		if (!batch.is_fork && eager_effects.size > 0 && !eager_effects_deferred) flush_eager_effects();
	}
	return value;
}
function flush_eager_effects() {
	eager_effects_deferred = false;
	for (const effect of eager_effects) {
		if ((effect.f & 1024) !== 0) set_signal_status(effect, MAYBE_DIRTY);
		let dirty;
		try {
			dirty = is_dirty(effect);
		} catch {
			dirty = true;
		}
		if (dirty) update_effect(effect);
	}
	eager_effects.clear();
}
function update(source, d = 1) {
	var value = get(source);
	var result = d === 1 ? value++ : value--;
	set(source, value);
	return result;
}
function increment(source) {
	set(source, source.v + 1);
}
function mark_reactions(signal, status, updated_during_traversal) {
	var reactions = signal.reactions;
	if (reactions === null) return;
	var runes = is_runes();
	var length = reactions.length;
	count_deps += length;
	if (count_deps > 1e5 && seen$1 === null) seen$1 = new Set();
	if (seen$1 !== null) {
		if (seen$1.has(signal)) return;
		seen$1.add(signal);
	}
	for (var i = 0; i < length; i++) {
		var reaction = reactions[i];
		var flags = reaction.f;
		if (!runes && reaction === active_effect) continue;
		var not_dirty = (flags & DIRTY) === 0;
		if (not_dirty) set_signal_status(reaction, status);
		if ((flags & 131072) !== 0) eager_effects.add(reaction);
		else if ((flags & 2) !== 0) {
			var derived = reaction;
			batch_values?.delete(derived);
			mark_reactions(derived, MAYBE_DIRTY, updated_during_traversal);
		} else if (not_dirty) {
			var effect = reaction;
			if ((flags & 16) !== 0 && eager_block_effects !== null) eager_block_effects.add(effect);
			if (updated_during_traversal !== null) updated_during_traversal.push(effect);
			else schedule_effect(effect);
		}
	}
}
function proxy(value) {
	if (typeof value !== "object" || value === null || STATE_SYMBOL in value || COMPONENT_SYMBOL in value) return value;
	const prototype = get_prototype_of(value);
	if (prototype !== object_prototype && prototype !== array_prototype) return value;
	var sources = new Map();
	var is_proxied_array = is_array(value);
	var version = state(0);
	var stack = null;
	var parent_version = update_version;
	var with_parent = (fn) => {
		if (update_version === parent_version) return fn();
		var reaction = active_reaction;
		var version = update_version;
		set_active_reaction(null);
		set_update_version(parent_version);
		var result = fn();
		set_active_reaction(reaction);
		set_update_version(version);
		return result;
	};
	if (is_proxied_array) sources.set("length", state(value.length, stack));
	return new Proxy(value, {
		defineProperty(_, prop, descriptor) {
			if (!("value" in descriptor) || descriptor.configurable === false || descriptor.enumerable === false || descriptor.writable === false) state_descriptors_fixed();
			var s = sources.get(prop);
			if (s === void 0) with_parent(() => {
				var s = state(descriptor.value, stack);
				sources.set(prop, s);
				return s;
			});
			else set(s, descriptor.value, true);
			return true;
		},
		deleteProperty(target, prop) {
			var s = sources.get(prop);
			if (s === void 0) {
				if (prop in target) {
					const s = with_parent(() => state(UNINITIALIZED, stack));
					sources.set(prop, s);
					increment(version);
				}
			} else {
				set(s, UNINITIALIZED);
				increment(version);
			}
			return true;
		},
		get(target, prop, receiver) {
			if (prop === STATE_SYMBOL) return value;
			var s = sources.get(prop);
			var exists = prop in target;
			if (s === void 0 && (!exists || get_descriptor(target, prop)?.writable)) {
				s = with_parent(() => {
					return state(proxy(exists ? target[prop] : UNINITIALIZED), stack);
				});
				sources.set(prop, s);
			}
			if (s !== void 0) {
				var v = get(s);
				return v === UNINITIALIZED ? void 0 : v;
			}
			return Reflect.get(target, prop, receiver);
		},
		getOwnPropertyDescriptor(target, prop) {
			this.has?.(target, prop);
			var descriptor = Reflect.getOwnPropertyDescriptor(target, prop);
			var s = sources.get(prop);
			if (s !== void 0) {
				var value = get(s);
				if (value === UNINITIALIZED) return;
				if (descriptor && "value" in descriptor) descriptor.value = value;
				else return {
					enumerable: true,
					configurable: true,
					value,
					writable: true
				};
			}
			return descriptor;
		},
		has(target, prop) {
			if (prop === STATE_SYMBOL) return true;
			var s = sources.get(prop);
			var has = s !== void 0 && s.v !== UNINITIALIZED || Reflect.has(target, prop);
			if (s !== void 0 || (active_effect !== null || active_reaction !== null) && (!has || get_descriptor(target, prop)?.writable)) {
				if (s === void 0) {
					s = with_parent(() => {
						return state(has ? proxy(target[prop]) : UNINITIALIZED, stack);
					});
					sources.set(prop, s);
				}
				if (get(s) === UNINITIALIZED) return false;
			}
			return has;
		},
		set(target, prop, value, receiver) {
			var s = sources.get(prop);
			var has = prop in target;
			if (is_proxied_array && prop === "length") for (var i = value; i < s.v; i += 1) {
				var other_s = sources.get(i + "");
				if (other_s !== void 0) set(other_s, UNINITIALIZED);
				else if (i in target) {
					other_s = with_parent(() => state(UNINITIALIZED, stack));
					sources.set(i + "", other_s);
				}
			}
			if (s === void 0) {
				if (!has || get_descriptor(target, prop)?.writable) {
					s = with_parent(() => state(void 0, stack));
					set(s, proxy(value));
					sources.set(prop, s);
				}
			} else {
				has = s.v !== UNINITIALIZED;
				var p = with_parent(() => proxy(value));
				set(s, p);
			}
			var descriptor = Reflect.getOwnPropertyDescriptor(target, prop);
			if (descriptor?.set) descriptor.set.call(receiver, value);
			if (!has) {
				if (is_proxied_array && typeof prop === "string") {
					var ls = sources.get("length");
					var n = Number(prop);
					if (Number.isInteger(n) && n >= ls.v) set(ls, n + 1);
				}
				increment(version);
			}
			return true;
		},
		ownKeys(target) {
			get(version);
			var own_keys = Reflect.ownKeys(target).filter((key) => {
				var source = sources.get(key);
				return source === void 0 || source.v !== UNINITIALIZED;
			});
			for (var [key, source] of sources) if (source.v !== UNINITIALIZED && !(key in target)) own_keys.push(key);
			return own_keys;
		},
		setPrototypeOf() {
			state_prototype_fixed();
		}
	});
}
function get_proxied_value(value) {
	try {
		if (value !== null && typeof value === "object" && STATE_SYMBOL in value) return value[STATE_SYMBOL];
	} catch {}
	return value;
}
function is(a, b) {
	return Object.is(get_proxied_value(a), get_proxied_value(b));
}
// node_modules/svelte/src/internal/client/dom/operations.js
var $window;
var $document;
var is_firefox;
var first_child_getter;
var next_sibling_getter;
function init_operations() {
	if ($window !== void 0) return;
	$window = window;
	$document = document;
	is_firefox = /Firefox/.test(navigator.userAgent);
	var element_prototype = Element.prototype;
	var node_prototype = Node.prototype;
	var text_prototype = Text.prototype;
	first_child_getter = get_descriptor(node_prototype, "firstChild").get;
	next_sibling_getter = get_descriptor(node_prototype, "nextSibling").get;
	if (is_extensible(element_prototype)) {
		element_prototype[CLASS_CACHE] = void 0;
		element_prototype[ATTRIBUTES_CACHE] = null;
		element_prototype[STYLE_CACHE] = void 0;
		element_prototype.__e = void 0;
	}
	if (is_extensible(text_prototype)) text_prototype[TEXT_CACHE] = void 0;
}
function create_text(value = "") {
	return document.createTextNode(value);
}
function get_first_child(node) {
	return first_child_getter.call(node);
}
function get_next_sibling(node) {
	return next_sibling_getter.call(node);
}
function child(node, is_text) {
	if (!hydrating) return get_first_child(node);
	var child = get_first_child(hydrate_node);
	if (child === null) child = hydrate_node.appendChild(create_text());
	else if (is_text && child.nodeType !== 3) {
		var text = create_text();
		child?.before(text);
		set_hydrate_node(text);
		return text;
	}
	if (is_text) merge_text_nodes(child);
	set_hydrate_node(child);
	return child;
}
function first_child(node, is_text = false) {
	if (!hydrating) {
		var first = get_first_child(node);
		if (first instanceof Comment && first.data === "") return get_next_sibling(first);
		return first;
	}
	if (is_text) {
		if (hydrate_node?.nodeType !== 3) {
			var text = create_text();
			hydrate_node?.before(text);
			set_hydrate_node(text);
			return text;
		}
		merge_text_nodes(hydrate_node);
	}
	return hydrate_node;
}
function only_child(node, is_text = false) {
	if (!hydrating) return get_first_child(node);
	var first = child(node, is_text);
	reset(node);
	return first;
}
function sibling(node, count = 1, is_text = false) {
	let next_sibling = hydrating ? hydrate_node : node;
	var last_sibling;
	while (count--) {
		last_sibling = next_sibling;
		next_sibling = get_next_sibling(next_sibling);
	}
	if (!hydrating) return next_sibling;
	if (is_text) {
		if (next_sibling?.nodeType !== 3) {
			var text = create_text();
			if (next_sibling === null) last_sibling?.after(text);
			else next_sibling.before(text);
			set_hydrate_node(text);
			return text;
		}
		merge_text_nodes(next_sibling);
	}
	set_hydrate_node(next_sibling);
	return next_sibling;
}
function clear_text_content(node) {
	node.textContent = "";
}
function should_defer_append() {
	if (!async_mode_flag) return false;
	if (eager_block_effects !== null) return false;
	return (active_effect.f & REACTION_RAN) !== 0;
}
function create_element(tag, namespace, is) {
	if (namespace == null || namespace === "http://www.w3.org/1999/xhtml") return is ? document.createElement(tag, { is }) : document.createElement(tag);
	return is ? document.createElementNS(namespace, tag, { is }) : document.createElementNS(namespace, tag);
}
function merge_text_nodes(text) {
	if (text.nodeValue.length < 65536) return;
	let next = text.nextSibling;
	while (next !== null && next.nodeType === 3) {
		next.remove();
		text.nodeValue += next.nodeValue;
		next = text.nextSibling;
	}
}
function handle_error(error) {
	var effect = active_effect;
	if (effect === null) {
		active_reaction.f |= ERROR_VALUE;
		return error;
	}
	if ((effect.f & 32768) === 0 && (effect.f & 4) === 0) throw error;
	invoke_error_boundary(error, effect);
}
function invoke_error_boundary(error, effect) {
	if (error === HYDRATION_ERROR) throw error;
	if (effect !== null && (effect.f & 16384) !== 0) return;
	while (effect !== null) {
		if ((effect.f & 128) !== 0 && (effect.f & 33570816) === 0) {
			if ((effect.f & 32768) === 0) throw error;
			try {
				effect.b.error(error);
				return;
			} catch (e) {
				error = e;
			}
		}
		effect = effect.parent;
	}
	throw error;
}
// node_modules/svelte/src/internal/client/reactivity/effects.js
function validate_effect(rune) {
	if (active_effect === null) {
		if (active_reaction === null) effect_orphan(rune);
		effect_in_unowned_derived();
	}
	if (is_destroying_effect) effect_in_teardown(rune);
}
function push_effect(effect, parent_effect) {
	var parent_last = parent_effect.last;
	if (parent_last === null) parent_effect.last = parent_effect.first = effect;
	else {
		parent_last.next = effect;
		effect.prev = parent_last;
		parent_effect.last = effect;
	}
}
function create_effect(type, fn) {
	var parent = active_effect;
	if (parent !== null && (parent.f & 8192) !== 0) type |= INERT;
	var effect = {
		ctx: component_context,
		deps: null,
		nodes: null,
		f: type | DIRTY | 512,
		first: null,
		fn,
		last: null,
		next: null,
		parent,
		b: parent && parent.b,
		prev: null,
		teardown: null,
		wv: 0,
		ac: null
	};
	current_batch?.register_created_effect(effect);
	var e = effect;
	if ((type & 4) !== 0) {
		if (collected_effects !== null) collected_effects.push(effect);
		else Batch.ensure().schedule(effect);
	} else if (fn !== null) {
		try {
			update_effect(effect);
		} catch (e) {
			destroy_effect(effect);
			throw e;
		}
		if (e.deps === null && e.teardown === null && e.nodes === null && e.first === e.last && (e.f & 524288) === 0) {
			e = e.first;
			if ((type & 16) !== 0 && (type & 65536) !== 0 && e !== null) e.f |= EFFECT_TRANSPARENT;
		}
	}
	if (e !== null) {
		e.parent = parent;
		if (parent !== null) push_effect(e, parent);
		if (active_reaction !== null && (active_reaction.f & 2) !== 0 && (type & 64) === 0) {
			var derived = active_reaction;
			(derived.effects ??= []).push(e);
		}
	}
	return effect;
}
function effect_tracking() {
	return active_reaction !== null && !untracking;
}
function teardown(fn) {
	const effect = create_effect(8, null);
	set_signal_status(effect, CLEAN);
	effect.teardown = fn;
	return effect;
}
function user_effect(fn) {
	validate_effect("$effect");
	var flags = active_effect.f;
	if (!active_reaction && (flags & 32) !== 0 && component_context !== null && !component_context.i) {
		var context = component_context;
		(context.e ??= []).push(fn);
	} else return create_user_effect(fn);
}
function create_user_effect(fn) {
	return create_effect(4 | USER_EFFECT, fn);
}
function user_pre_effect(fn) {
	validate_effect("$effect.pre");
	return create_effect(8 | USER_EFFECT, fn);
}
function component_root(fn) {
	Batch.ensure();
	const effect = create_effect(64 | EFFECT_PRESERVED, fn);
	return (options = {}) => {
		return new Promise((fulfil) => {
			if (options.outro) pause_effect(effect, () => {
				destroy_effect(effect);
				fulfil(void 0);
			});
			else {
				destroy_effect(effect);
				fulfil(void 0);
			}
		});
	};
}
function effect(fn) {
	return create_effect(4, fn);
}
function async_effect(fn) {
	return create_effect(ASYNC | EFFECT_PRESERVED, fn);
}
function render_effect(fn, flags = 0) {
	return create_effect(8 | flags, fn);
}
function template_effect(fn, sync = [], async = [], blockers = []) {
	flatten(blockers, sync, async, (values) => {
		create_effect(8, () => {
			fn(...values.map(get));
		});
	});
}
function block(fn, flags = 0) {
	return create_effect(16 | flags, fn);
}
function managed(fn, flags = 0) {
	return create_effect(MANAGED_EFFECT | flags, fn);
}
function branch(fn) {
	return create_effect(32 | EFFECT_PRESERVED, fn);
}
function execute_effect_teardown(effect) {
	var teardown = effect.teardown;
	if (teardown !== null) {
		const previously_destroying_effect = is_destroying_effect;
		const previous_reaction = active_reaction;
		set_is_destroying_effect(true);
		set_active_reaction(null);
		try {
			teardown.call(null);
		} catch (error) {
			invoke_error_boundary(error, effect.parent);
		} finally {
			set_is_destroying_effect(previously_destroying_effect);
			set_active_reaction(previous_reaction);
		}
	}
}
function destroy_effect_children(signal, remove_dom = false) {
	var effect = signal.first;
	signal.first = signal.last = null;
	while (effect !== null) {
		const controller = effect.ac;
		if (controller !== null) without_reactive_context(() => {
			controller.abort(STALE_REACTION);
		});
		var next = effect.next;
		if ((effect.f & 64) !== 0) effect.parent = null;
		else destroy_effect(effect, remove_dom);
		effect = next;
	}
}
function destroy_block_effect_children(signal) {
	var effect = signal.first;
	while (effect !== null) {
		var next = effect.next;
		if ((effect.f & 32) === 0) destroy_effect(effect);
		effect = next;
	}
}
function destroy_effect(effect, remove_dom = true) {
	var removed = false;
	if ((remove_dom || (effect.f & 262144) !== 0) && effect.nodes !== null && effect.nodes.end !== null) {
		remove_effect_dom(effect.nodes.start, effect.nodes.end);
		removed = true;
	}
	effect.f |= DESTROYING;
	destroy_effect_children(effect, remove_dom && !removed);
	remove_reactions(effect, 0);
	var transitions = effect.nodes && effect.nodes.t;
	if (transitions !== null) for (const transition of transitions) transition.stop();
	execute_effect_teardown(effect);
	effect.f ^= DESTROYING;
	effect.f |= DESTROYED;
	var parent = effect.parent;
	if (parent !== null && parent.first !== null) unlink_effect(effect);
	effect.next = effect.prev = effect.teardown = effect.ctx = effect.deps = effect.fn = effect.nodes = effect.ac = effect.b = null;
}
function remove_effect_dom(node, end) {
	while (node !== null) {
		var next = node === end ? null : get_next_sibling(node);
		node.remove();
		node = next;
	}
}
function unlink_effect(effect) {
	var parent = effect.parent;
	var prev = effect.prev;
	var next = effect.next;
	if (prev !== null) prev.next = next;
	if (next !== null) next.prev = prev;
	if (parent !== null) {
		if (parent.first === effect) parent.first = next;
		if (parent.last === effect) parent.last = prev;
	}
}
function pause_effect(effect, callback, destroy = true) {
	var transitions = [];
	effect.f |= 256;
	pause_children(effect, transitions, true);
	var fn = () => {
		if (destroy) destroy_effect(effect);
		if (callback) callback();
	};
	var remaining = transitions.length;
	if (remaining > 0) {
		var check = () => --remaining || fn();
		for (var transition of transitions) transition.out(check);
	} else fn();
}
function pause_children(effect, transitions, local) {
	if ((effect.f & 8192) !== 0) return;
	effect.f ^= INERT;
	var t = effect.nodes && effect.nodes.t;
	if (t !== null) {
		for (const transition of t) if (transition.is_global || local) transitions.push(transition);
	}
	var child = effect.first;
	while (child !== null) {
		var sibling = child.next;
		if ((child.f & 64) === 0) {
			var transparent = (child.f & 65536) !== 0 || (child.f & 32) !== 0 && (effect.f & 16) !== 0;
			pause_children(child, transitions, transparent ? local : false);
		}
		child = sibling;
	}
}
function resume_effect(effect) {
	effect.f &= -257;
	resume_children(effect, true);
}
function resume_children(effect, local) {
	if ((effect.f & 256) !== 0) return;
	if ((effect.f & 8192) === 0) return;
	effect.f ^= INERT;
	if ((effect.f & 1024) === 0) {
		set_signal_status(effect, DIRTY);
		Batch.ensure().schedule(effect);
	}
	var child = effect.first;
	while (child !== null) {
		var sibling = child.next;
		var transparent = (child.f & 65536) !== 0 || (child.f & 32) !== 0;
		resume_children(child, transparent ? local : false);
		child = sibling;
	}
	var t = effect.nodes && effect.nodes.t;
	if (t !== null) {
		for (const transition of t) if (transition.is_global || local) transition.in();
	}
}
function move_effect(effect, fragment) {
	if (!effect.nodes) return;
	var node = effect.nodes.start;
	var end = effect.nodes.end;
	while (node !== null) {
		var next = node === end ? null : get_next_sibling(node);
		fragment.append(node);
		node = next;
	}
}
// node_modules/svelte/src/internal/client/legacy.js
var captured_signals = null;
// node_modules/svelte/src/internal/client/runtime.js
var is_destroying_effect = false;
function set_is_destroying_effect(value) {
	is_destroying_effect = value;
}
var active_reaction = null;
var untracking = false;
function set_active_reaction(reaction) {
	active_reaction = reaction;
}
var active_effect = null;
function set_active_effect(effect) {
	active_effect = effect;
}
var current_sources = null;
function push_reaction_value(value) {
	if (active_reaction !== null && (!async_mode_flag && (active_reaction.f & 2097152) !== 0 || (active_reaction.f & 2) !== 0)) (current_sources ??= new Set()).add(value);
}
var new_deps = null;
var skipped_deps = 0;
var untracked_writes = null;
function set_untracked_writes(value) {
	untracked_writes = value;
}
var write_version = 1;
var read_version = 0;
var update_version = read_version;
function set_update_version(value) {
	update_version = value;
}
function increment_write_version() {
	return ++write_version;
}
function is_dirty(reaction) {
	var flags = reaction.f;
	if ((flags & 2048) !== 0) return true;
	if ((flags & 4096) !== 0) {
		var dependencies = reaction.deps;
		var length = dependencies.length;
		for (var i = 0; i < length; i++) {
			var dependency = dependencies[i];
			if (is_dirty(dependency)) update_derived(dependency);
			if (dependency.wv > reaction.wv) return true;
		}
		if ((flags & 512) !== 0 && batch_values === null) set_signal_status(reaction, CLEAN);
	}
	return false;
}
function schedule_possible_effect_self_invalidation(signal, effect, root = true) {
	var reactions = signal.reactions;
	if (reactions === null) return;
	if (!async_mode_flag && current_sources !== null && current_sources.has(signal)) return;
	for (var i = 0; i < reactions.length; i++) {
		var reaction = reactions[i];
		if ((reaction.f & 2) !== 0) schedule_possible_effect_self_invalidation(reaction, effect, false);
		else if (effect === reaction) {
			if (root) set_signal_status(reaction, DIRTY);
			else if ((reaction.f & 1024) !== 0) set_signal_status(reaction, MAYBE_DIRTY);
			schedule_effect(reaction);
		}
	}
}
function update_reaction(reaction) {
	var previous_deps = new_deps;
	var previous_skipped_deps = skipped_deps;
	var previous_untracked_writes = untracked_writes;
	var previous_reaction = active_reaction;
	var previous_sources = current_sources;
	var previous_component_context = component_context;
	var previous_untracking = untracking;
	var previous_update_version = update_version;
	var flags = reaction.f;
	new_deps = null;
	skipped_deps = 0;
	untracked_writes = null;
	active_reaction = (flags & 96) === 0 ? reaction : null;
	current_sources = null;
	set_component_context(reaction.ctx);
	untracking = false;
	update_version = ++read_version;
	if (reaction.ac !== null) {
		without_reactive_context(() => {
			reaction.ac.abort(STALE_REACTION);
		});
		reaction.ac = null;
	}
	try {
		reaction.f |= REACTION_IS_UPDATING;
		var fn = reaction.fn;
		var result = fn();
		reaction.f |= REACTION_RAN;
		var deps = update_dependencies(reaction);
		if (is_runes() && untracked_writes !== null && !untracking && deps !== null && (reaction.f & 6146) === 0) for (var i = 0; i < untracked_writes.length; i++) schedule_possible_effect_self_invalidation(untracked_writes[i], reaction);
		if (previous_reaction !== null && previous_reaction !== reaction) {
			read_version++;
			if (previous_reaction.deps !== null) for (let i = 0; i < previous_skipped_deps; i += 1) previous_reaction.deps[i].rv = read_version;
			if (previous_deps !== null) for (const dep of previous_deps) dep.rv = read_version;
			if (untracked_writes !== null) {
				if (previous_untracked_writes === null) previous_untracked_writes = untracked_writes;
				else previous_untracked_writes.push(...untracked_writes);
			}
		}
		if ((reaction.f & 8388608) !== 0) reaction.f ^= ERROR_VALUE;
		return result;
	} catch (error) {
		update_dependencies(reaction);
		return handle_error(error);
	} finally {
		reaction.f ^= REACTION_IS_UPDATING;
		new_deps = previous_deps;
		skipped_deps = previous_skipped_deps;
		untracked_writes = previous_untracked_writes;
		active_reaction = previous_reaction;
		current_sources = previous_sources;
		set_component_context(previous_component_context);
		untracking = previous_untracking;
		update_version = previous_update_version;
	}
}
function update_dependencies(reaction) {
	var deps = reaction.deps;
	var is_fork = current_batch?.is_fork;
	if (new_deps !== null) {
		var i;
		if (!is_fork) remove_reactions(reaction, skipped_deps);
		if (deps !== null && skipped_deps > 0) {
			deps.length = skipped_deps + new_deps.length;
			for (i = 0; i < new_deps.length; i++) deps[skipped_deps + i] = new_deps[i];
		} else reaction.deps = deps = new_deps;
		if (effect_tracking() && (reaction.f & 512) !== 0) for (i = skipped_deps; i < deps.length; i++) (deps[i].reactions ??= []).push(reaction);
	} else if (!is_fork && deps !== null && skipped_deps < deps.length) {
		remove_reactions(reaction, skipped_deps);
		deps.length = skipped_deps;
	}
	return deps;
}
function remove_reaction(signal, dependency) {
	let reactions = dependency.reactions;
	if (reactions !== null) {
		var index = index_of.call(reactions, signal);
		if (index !== -1) {
			var new_length = reactions.length - 1;
			if (new_length === 0) reactions = dependency.reactions = null;
			else {
				reactions[index] = reactions[new_length];
				reactions.pop();
			}
		}
	}
	if (reactions === null && (dependency.f & 2) !== 0 && (new_deps === null || !includes.call(new_deps, dependency))) {
		var derived = dependency;
		if ((derived.f & 512) !== 0) derived.f ^= 512;
		if (derived.v !== UNINITIALIZED) update_derived_status(derived);
		if (derived.ac !== null) without_reactive_context(() => {
			derived.ac.abort(STALE_REACTION);
			derived.ac = null;
			set_signal_status(derived, DIRTY);
		});
		freeze_derived_effects(derived);
		remove_reactions(derived, 0);
	}
}
function remove_reactions(signal, start_index) {
	var dependencies = signal.deps;
	if (dependencies === null) return;
	for (var i = start_index; i < dependencies.length; i++) remove_reaction(signal, dependencies[i]);
}
function update_effect(effect) {
	var flags = effect.f;
	if ((flags & 16384) !== 0) return;
	set_signal_status(effect, CLEAN);
	var previous_effect = active_effect;
	active_effect = effect;
	try {
		if ((flags & 16777232) !== 0) destroy_block_effect_children(effect);
		else destroy_effect_children(effect);
		execute_effect_teardown(effect);
		var teardown = update_reaction(effect);
		effect.teardown = typeof teardown === "function" ? teardown : null;
		effect.wv = write_version;
	} finally {
		active_effect = previous_effect;
	}
}
async function tick() {
	if (async_mode_flag) return new Promise((f) => {
		requestAnimationFrame(() => f());
		setTimeout(() => f());
	});
	await Promise.resolve();
	flushSync();
}
function get(signal) {
	var is_derived = (signal.f & 2) !== 0;
	captured_signals?.add(signal);
	if (active_reaction !== null && !untracking) {
		if (!(active_effect !== null && (active_effect.f & 16384) !== 0) && (current_sources === null || !current_sources.has(signal))) {
			var deps = active_reaction.deps;
			if ((active_reaction.f & 2097152) !== 0) {
				if (signal.rv < read_version) {
					signal.rv = read_version;
					if (new_deps === null && deps !== null && deps[skipped_deps] === signal) skipped_deps++;
					else if (new_deps === null) new_deps = [signal];
					else new_deps.push(signal);
				}
			} else {
				active_reaction.deps ??= [];
				if (!includes.call(active_reaction.deps, signal)) active_reaction.deps.push(signal);
				var reactions = signal.reactions;
				if (reactions === null) signal.reactions = [active_reaction];
				else if (!includes.call(reactions, active_reaction)) reactions.push(active_reaction);
			}
		}
	}
	if (is_destroying_effect && old_values.has(signal)) return old_values.get(signal);
	if (is_derived) {
		var derived = signal;
		if (is_destroying_effect) {
			var value = derived.v;
			if ((derived.f & 1024) === 0 && derived.reactions !== null || depends_on_old_values(derived)) value = execute_derived(derived);
			old_values.set(derived, value);
			return value;
		}
		var should_connect = (derived.f & 512) === 0 && !untracking && active_reaction !== null && (active_reaction.f & 512) !== 0;
		var is_new = (derived.f & REACTION_RAN) === 0;
		if (is_dirty(derived)) {
			if (should_connect) derived.f |= 512;
			update_derived(derived);
		}
		if (should_connect && !is_new) {
			unfreeze_derived_effects(derived);
			reconnect(derived);
		}
	}
	if (batch_values?.has(signal)) return batch_values.get(signal);
	if ((signal.f & 8388608) !== 0) throw signal.v;
	return signal.v;
}
function reconnect(derived) {
	derived.f |= 512;
	if (derived.deps === null) return;
	for (const dep of derived.deps) {
		var reactions = dep.reactions;
		if (reactions === null) dep.reactions = [derived];
		else if (!includes.call(reactions, derived)) reactions.push(derived);
		if ((dep.f & 2) !== 0 && (dep.f & 512) === 0) {
			unfreeze_derived_effects(dep);
			reconnect(dep);
		}
	}
}
function depends_on_old_values(derived) {
	if (derived.v === UNINITIALIZED) return true;
	if (derived.deps === null) return false;
	for (const dep of derived.deps) {
		if (old_values.has(dep)) return true;
		if ((dep.f & 2) !== 0 && depends_on_old_values(dep)) return true;
	}
	return false;
}
function untrack(fn) {
	var previous_untracking = untracking;
	try {
		untracking = true;
		return fn();
	} finally {
		untracking = previous_untracking;
	}
}
// node_modules/svelte/src/utils.js
function is_capture_event(name) {
	return name.endsWith("capture") && name !== "gotpointercapture" && name !== "lostpointercapture";
}
var DELEGATED_EVENTS = [
	"beforeinput",
	"click",
	"change",
	"dblclick",
	"contextmenu",
	"focusin",
	"focusout",
	"input",
	"keydown",
	"keyup",
	"mousedown",
	"mousemove",
	"mouseout",
	"mouseover",
	"mouseup",
	"pointerdown",
	"pointermove",
	"pointerout",
	"pointerover",
	"pointerup",
	"touchend",
	"touchmove",
	"touchstart"
];
function can_delegate_event(event_name) {
	return DELEGATED_EVENTS.includes(event_name);
}
var DOM_BOOLEAN_ATTRIBUTES = [
	"allowfullscreen",
	"async",
	"autofocus",
	"autoplay",
	"checked",
	"controls",
	"default",
	"disabled",
	"formnovalidate",
	"indeterminate",
	"inert",
	"ismap",
	"loop",
	"multiple",
	"muted",
	"nomodule",
	"novalidate",
	"open",
	"playsinline",
	"readonly",
	"required",
	"reversed",
	"seamless",
	"selected",
	"webkitdirectory",
	"defer",
	"disablepictureinpicture",
	"disableremoteplayback"
];
var ATTRIBUTE_ALIASES = {
	formnovalidate: "formNoValidate",
	ismap: "isMap",
	nomodule: "noModule",
	playsinline: "playsInline",
	readonly: "readOnly",
	defaultvalue: "defaultValue",
	defaultchecked: "defaultChecked",
	srcobject: "srcObject",
	novalidate: "noValidate",
	allowfullscreen: "allowFullscreen",
	disablepictureinpicture: "disablePictureInPicture",
	disableremoteplayback: "disableRemotePlayback"
};
function normalize_attribute(name) {
	name = name.toLowerCase();
	return ATTRIBUTE_ALIASES[name] ?? name;
}
[...DOM_BOOLEAN_ATTRIBUTES];
var PASSIVE_EVENTS = ["touchstart", "touchmove"];
function is_passive_event(name) {
	return PASSIVE_EVENTS.includes(name);
}
// node_modules/svelte/src/internal/client/dom/elements/events.js
var event_symbol = Symbol("events");
var all_registered_events = new Set();
var root_event_handles = new Set();
function replay_events(dom) {
	if (!hydrating) return;
	dom.removeAttribute("onload");
	dom.removeAttribute("onerror");
	const event = dom.__e;
	if (event !== void 0) {
		dom.__e = void 0;
		queueMicrotask(() => {
			if (dom.isConnected) dom.dispatchEvent(event);
		});
	}
}
function create_event(event_name, dom, handler, options = {}) {
	function target_handler(event) {
		if (!options.capture) handle_event_propagation.call(dom, event);
		if (!event.cancelBubble) return without_reactive_context(() => {
			return handler?.call(this, event);
		});
	}
	if (event_name.startsWith("pointer") || event_name.startsWith("touch") || event_name === "wheel") {
		target_handler.__removed = false;
		queue_micro_task(() => {
			if (!target_handler.__removed) dom.addEventListener(event_name, target_handler, options);
		});
	} else dom.addEventListener(event_name, target_handler, options);
	return target_handler;
}
function event(event_name, dom, handler, capture, passive) {
	var options = {
		capture,
		passive
	};
	var target_handler = create_event(event_name, dom, handler, options);
	if (dom === document.body || dom === window || dom === document || dom instanceof HTMLMediaElement) teardown(() => {
		target_handler.__removed = true;
		dom.removeEventListener(event_name, target_handler, options);
	});
}
function delegated(event_name, element, handler) {
	(element[event_symbol] ??= {})[event_name] = handler;
}
function delegate(events) {
	for (var i = 0; i < events.length; i++) all_registered_events.add(events[i]);
	for (var fn of root_event_handles) fn(events);
}
var last_propagated_event = null;
var last_propagated_event_clear_scheduled = false;
function handle_event_propagation(event) {
	var handler_element = this;
	var owner_document = handler_element.ownerDocument;
	var event_name = event.type;
	var path = event.composedPath?.() || [];
	var current_target = path[0] || event.target;
	last_propagated_event = event;
	if (!last_propagated_event_clear_scheduled) {
		last_propagated_event_clear_scheduled = true;
		setTimeout(() => {
			last_propagated_event_clear_scheduled = false;
			last_propagated_event = null;
		});
	}
	var path_idx = 0;
	var handled_at = last_propagated_event === event && event[event_symbol];
	if (handled_at) {
		var at_idx = path.indexOf(handled_at);
		if (at_idx !== -1 && (handler_element === document || handler_element === window)) {
			event[event_symbol] = handler_element;
			return;
		}
		var handler_idx = path.indexOf(handler_element);
		if (handler_idx === -1) return;
		if (at_idx <= handler_idx) path_idx = at_idx;
	}
	current_target = path[path_idx] || event.target;
	if (current_target === handler_element) return;
	define_property(event, "currentTarget", {
		configurable: true,
		get() {
			return current_target || owner_document;
		}
	});
	var previous_reaction = active_reaction;
	var previous_effect = active_effect;
	set_active_reaction(null);
	set_active_effect(null);
	try {
		var throw_error;
		var other_errors = [];
		while (current_target !== null) {
			if (current_target === handler_element) break;
			try {
				var delegated = current_target[event_symbol]?.[event_name];
				if (delegated != null && (!current_target.disabled || event.target === current_target)) delegated.call(current_target, event);
			} catch (error) {
				if (throw_error) other_errors.push(error);
				else throw_error = error;
			}
			if (event.cancelBubble) break;
			path_idx++;
			current_target = path_idx < path.length ? path[path_idx] : null;
		}
		if (throw_error) {
			for (let error of other_errors) queueMicrotask(() => {
				throw error;
			});
			throw throw_error;
		}
	} finally {
		event[event_symbol] = handler_element;
		delete event.currentTarget;
		set_active_reaction(previous_reaction);
		set_active_effect(previous_effect);
	}
}
// node_modules/svelte/src/internal/client/dom/reconciler.js
var policy = globalThis?.window?.trustedTypes && globalThis.window.trustedTypes.createPolicy("svelte-trusted-html", { createHTML: (html) => {
	return html;
} });
function create_trusted_html(html) {
	return policy?.createHTML(html) ?? html;
}
function create_fragment_from_html(html) {
	var elem = create_element("template");
	elem.innerHTML = create_trusted_html(html.replaceAll("<!>", "<!---->"));
	return elem.content;
}
// node_modules/svelte/src/internal/client/dom/template.js
function assign_nodes(start, end) {
	var effect = active_effect;
	if (effect.nodes === null) effect.nodes = {
		start,
		end,
		a: null,
		t: null
	};
}
function from_html(content, flags) {
	var is_fragment = (flags & 1) !== 0;
	var use_import_node = (flags & 2) !== 0;
	var node;
	var has_start = !content.startsWith("<!>");
	return () => {
		if (hydrating) {
			assign_nodes(hydrate_node, null);
			return hydrate_node;
		}
		if (node === void 0) {
			node = create_fragment_from_html(has_start ? content : "<!>" + content);
			if (!is_fragment) node = get_first_child(node);
		}
		var clone = use_import_node || is_firefox ? document.importNode(node, true) : node.cloneNode(true);
		if (is_fragment) {
			var start = get_first_child(clone);
			var end = clone.lastChild;
			assign_nodes(start, end);
		} else assign_nodes(clone, clone);
		return clone;
	};
}
function from_namespace(content, flags, ns = "svg") {
	var has_start = !content.startsWith("<!>");
	var is_fragment = (flags & 1) !== 0;
	var wrapped = `<${ns}>${has_start ? content : "<!>" + content}</${ns}>`;
	var node;
	return () => {
		if (hydrating) {
			assign_nodes(hydrate_node, null);
			return hydrate_node;
		}
		if (!node) {
			var root = get_first_child(create_fragment_from_html(wrapped));
			if (is_fragment) {
				node = document.createDocumentFragment();
				while (get_first_child(root)) node.appendChild(get_first_child(root));
			} else node = get_first_child(root);
		}
		var clone = node.cloneNode(true);
		if (is_fragment) {
			var start = get_first_child(clone);
			var end = clone.lastChild;
			assign_nodes(start, end);
		} else assign_nodes(clone, clone);
		return clone;
	};
}
function from_svg(content, flags) {
	return from_namespace(content, flags, "svg");
}
function text(value = "") {
	if (!hydrating) {
		var t = create_text(value + "");
		assign_nodes(t, t);
		return t;
	}
	var node = hydrate_node;
	if (node.nodeType !== 3) {
		node.before(node = create_text());
		set_hydrate_node(node);
	} else merge_text_nodes(node);
	assign_nodes(node, node);
	return node;
}
function comment() {
	if (hydrating) {
		assign_nodes(hydrate_node, null);
		return hydrate_node;
	}
	var frag = document.createDocumentFragment();
	var start = document.createComment("");
	var anchor = create_text();
	frag.append(start, anchor);
	assign_nodes(start, anchor);
	return frag;
}
function append(anchor, dom) {
	if (hydrating) {
		var effect = active_effect;
		if ((effect.f & 32768) === 0 || effect.nodes.end === null) effect.nodes.end = hydrate_node;
		hydrate_next();
		return;
	}
	if (anchor === null) return;
	anchor.before(dom);
}
function props_id() {
	if (hydrating && hydrate_node && hydrate_node.nodeType === 8 && hydrate_node.textContent?.startsWith(`$`)) {
		const id = hydrate_node.textContent.substring(1);
		hydrate_next();
		return id;
	}
	(window.__svelte ??= {}).uid ??= 1;
	return `c${window.__svelte.uid++}`;
}
// node_modules/svelte/src/reactivity/create-subscriber.js
function createSubscriber(start) {
	let subscribers = 0;
	let version = source(0);
	let stop;
	return () => {
		if (effect_tracking()) {
			get(version);
			render_effect(() => {
				if (subscribers === 0) stop = untrack(() => start(() => increment(version)));
				subscribers += 1;
				return () => {
					queue_micro_task(() => {
						subscribers -= 1;
						if (subscribers === 0) {
							stop?.();
							stop = void 0;
							increment(version);
						}
					});
				};
			});
		}
	};
}
// node_modules/svelte/src/internal/client/dom/blocks/boundary.js
var flags = EFFECT_TRANSPARENT | EFFECT_PRESERVED;
function boundary(node, props, children, transform_error) {
	new Boundary(node, props, children, transform_error);
}
var Boundary = class {
	parent;
	is_pending = false;
	transform_error;
	#anchor;
	#hydrate_open = hydrating ? hydrate_node : null;
	#props;
	#children;
	#effect;
	#main_effect = null;
	#pending_effect = null;
	#failed_effect = null;
	#offscreen_fragment = null;
	#local_pending_count = 0;
	#pending_count = 0;
	#pending_count_update_queued = false;
	#dirty_reactions = new Map();
	#effect_pending = null;
	#effect_pending_subscriber = createSubscriber(() => {
		this.#effect_pending = source(this.#local_pending_count);
		return () => {
			this.#effect_pending = null;
		};
	});
	constructor(node, props, children, transform_error) {
		this.#anchor = node;
		this.#props = props;
		this.#children = (anchor) => {
			var effect = active_effect;
			effect.b = this;
			effect.f |= 128;
			children(anchor);
		};
		this.parent = active_effect.b;
		this.transform_error = transform_error ?? this.parent?.transform_error ?? ((e) => e);
		this.#effect = block(() => {
			if (hydrating) {
				const comment_data = read_hydration_instruction(this.#hydrate_open);
				hydrate_next();
				const server_rendered_pending = comment_data === "[!";
				if (comment_data.startsWith("[?")) {
					const serialized_error = JSON.parse(comment_data.slice(2));
					this.#hydrate_failed_content(serialized_error);
				} else if (server_rendered_pending) this.#hydrate_pending_content();
				else this.#hydrate_resolved_content();
			} else this.#render();
		}, flags);
		if (hydrating) this.#anchor = hydrate_node;
	}
	#hydrate_resolved_content() {
		try {
			this.#main_effect = branch(() => this.#children(this.#anchor));
		} catch (error) {
			this.error(error);
		}
	}
	#hydrate_failed_content(error) {
		const failed = this.#props.failed;
		const { reset, invoke_onerror } = this.#create_reset(error);
		queue_micro_task(invoke_onerror);
		if (!failed) return;
		this.#failed_effect = branch(() => {
			failed(this.#anchor, () => error, () => reset);
		});
	}
	#create_reset(error) {
		var did_reset = false;
		var calling_on_error = false;
		const reset = () => {
			if (this.#is_destroyed()) return;
			if (did_reset) {
				svelte_boundary_reset_noop();
				return;
			}
			did_reset = true;
			if (calling_on_error) svelte_boundary_reset_onerror();
			if (this.#failed_effect !== null) pause_effect(this.#failed_effect, () => {
				this.#failed_effect = null;
			});
			this.#run(() => {
				this.#render();
			});
		};
		const invoke_onerror = () => {
			if (this.#is_destroyed()) return;
			try {
				calling_on_error = true;
				this.#props.onerror?.(error, reset);
				calling_on_error = false;
			} catch (err) {
				invoke_error_boundary(err, this.#effect && this.#effect.parent);
			}
		};
		return {
			reset,
			invoke_onerror
		};
	}
	#is_destroyed() {
		return (this.#effect.f & (DESTROYED | DESTROYING)) !== 0;
	}
	#hydrate_pending_content() {
		const pending = this.#props.pending;
		if (!pending) return;
		this.is_pending = true;
		this.#pending_effect = branch(() => pending(this.#anchor));
		queue_micro_task(() => {
			if (this.#is_destroyed()) return;
			var fragment = this.#offscreen_fragment = document.createDocumentFragment();
			var anchor = create_text();
			var handled = false;
			fragment.append(anchor);
			this.#main_effect = this.#run(() => {
				try {
					return branch(() => this.#children(anchor));
				} catch (error) {
					try {
						this.error(error);
						handled = true;
					} catch (error) {
						invoke_error_boundary(error, this.#effect.parent);
					}
					return null;
				}
			});
			if (this.#main_effect === null) {
				this.#offscreen_fragment = null;
				if (handled) this.#resolve(current_batch);
				return;
			}
			if (this.#pending_count === 0) {
				this.#anchor.before(fragment);
				this.#offscreen_fragment = null;
				pause_effect(this.#pending_effect, () => {
					this.#pending_effect = null;
				});
				this.#resolve(current_batch);
			}
		});
	}
	#render() {
		try {
			this.is_pending = this.has_pending_snippet();
			this.#pending_count = 0;
			this.#local_pending_count = 0;
			this.#main_effect = branch(() => {
				this.#children(this.#anchor);
			});
			if (this.#pending_count > 0) {
				var fragment = this.#offscreen_fragment = document.createDocumentFragment();
				move_effect(this.#main_effect, fragment);
				const pending = this.#props.pending;
				this.#pending_effect = branch(() => pending(this.#anchor));
			} else this.#resolve(current_batch);
		} catch (error) {
			this.error(error);
		}
	}
	#resolve(batch) {
		this.is_pending = false;
		batch.transfer_reactions(this.#dirty_reactions);
	}
	defer_effect(effect) {
		defer_effect(effect, this.#dirty_reactions);
	}
	is_rendered() {
		return !this.is_pending && (!this.parent || this.parent.is_rendered());
	}
	has_pending_snippet() {
		return !!this.#props.pending;
	}
	#run(fn) {
		var previous_effect = active_effect;
		var previous_reaction = active_reaction;
		var previous_ctx = component_context;
		set_active_effect(this.#effect);
		set_active_reaction(this.#effect);
		set_component_context(this.#effect.ctx);
		try {
			Batch.ensure();
			return fn();
		} finally {
			set_active_effect(previous_effect);
			set_active_reaction(previous_reaction);
			set_component_context(previous_ctx);
		}
	}
	#update_pending_count(d, batch) {
		if (!this.has_pending_snippet()) {
			if (this.parent) this.parent.#update_pending_count(d, batch);
			return;
		}
		this.#pending_count += d;
		if (this.#pending_count === 0) {
			this.#resolve(batch);
			if (this.#pending_effect) pause_effect(this.#pending_effect, () => {
				this.#pending_effect = null;
			});
			if (this.#offscreen_fragment) {
				this.#anchor.before(this.#offscreen_fragment);
				this.#offscreen_fragment = null;
			}
		}
	}
	update_pending_count(d, batch) {
		this.#update_pending_count(d, batch);
		this.#local_pending_count += d;
		if (!this.#effect_pending || this.#pending_count_update_queued) return;
		this.#pending_count_update_queued = true;
		queue_micro_task(() => {
			this.#pending_count_update_queued = false;
			if (this.#effect_pending) internal_set(this.#effect_pending, this.#local_pending_count);
		});
	}
	get_effect_pending() {
		this.#effect_pending_subscriber();
		return get(this.#effect_pending);
	}
	error(error) {
		if (error === HYDRATION_ERROR) throw error;
		if (!this.#props.onerror && !this.#props.failed) throw error;
		if (current_batch?.is_fork) {
			if (this.#main_effect) current_batch.skip_effect(this.#main_effect);
			if (this.#pending_effect) current_batch.skip_effect(this.#pending_effect);
			if (this.#failed_effect) current_batch.skip_effect(this.#failed_effect);
			current_batch.oncommit(() => {
				if (!this.#is_destroyed()) this.#handle_error(error);
			});
		} else this.#handle_error(error);
	}
	#handle_error(error) {
		if (this.#main_effect) {
			destroy_effect(this.#main_effect);
			this.#main_effect = null;
		}
		if (this.#pending_effect) {
			destroy_effect(this.#pending_effect);
			this.#pending_effect = null;
		}
		if (this.#failed_effect) {
			destroy_effect(this.#failed_effect);
			this.#failed_effect = null;
		}
		if (hydrating) {
			set_hydrate_node(this.#hydrate_open);
			next();
			set_hydrate_node(skip_nodes());
		}
		let failed = this.#props.failed;
		const handle_error_result = (transformed_error) => {
			if (this.#is_destroyed()) return;
			const { reset, invoke_onerror } = this.#create_reset(transformed_error);
			invoke_onerror();
			if (failed && !this.#is_destroyed()) this.#failed_effect = this.#run(() => {
				try {
					return branch(() => {
						var effect = active_effect;
						effect.b = this;
						effect.f |= 128;
						failed(this.#anchor, () => transformed_error, () => reset);
					});
				} catch (error) {
					invoke_error_boundary(error, this.#effect.parent);
					return null;
				}
			});
		};
		queue_micro_task(() => {
			if (this.#is_destroyed()) return;
			var result;
			try {
				result = this.transform_error(error);
			} catch (e) {
				invoke_error_boundary(e, this.#effect && this.#effect.parent);
				return;
			}
			if (result !== null && typeof result === "object" && typeof result.then === "function") result.then(handle_error_result, (e) => invoke_error_boundary(e, this.#effect && this.#effect.parent));
			else handle_error_result(result);
		});
	}
};
function set_text(text, value) {
	var str = value == null ? "" : typeof value === "object" ? `${value}` : value;
	if (str !== (text[TEXT_CACHE] ??= text.nodeValue)) {
		text[TEXT_CACHE] = str;
		text.nodeValue = `${str}`;
	}
}
function mount(component, options) {
	return _mount(component, options);
}
var listeners = new Map();
function _mount(Component, { target, anchor, props = {}, events, context, intro = true, transformError }) {
	init_operations();
	var component = void 0;
	var unmount = component_root(() => {
		var anchor_node = anchor ?? target.appendChild(create_text());
		boundary(anchor_node, { pending: () => {} }, (anchor_node) => {
			push({});
			var ctx = component_context;
			if (context) ctx.c = context;
			if (events) props.$$events = events;
			if (hydrating) assign_nodes(anchor_node, null);
			component = Component(anchor_node, props) || mark_as_component();
			if (hydrating) {
				active_effect.nodes.end = hydrate_node;
				if (hydrate_node === null || hydrate_node.nodeType !== 8 || hydrate_node.data !== "]") {
					hydration_mismatch();
					throw HYDRATION_ERROR;
				}
			}
			pop();
		}, transformError);
		var registered_events = new Set();
		var event_handle = (events) => {
			for (var i = 0; i < events.length; i++) {
				var event_name = events[i];
				if (registered_events.has(event_name)) continue;
				registered_events.add(event_name);
				var passive = is_passive_event(event_name);
				for (const node of [target, document]) {
					var counts = listeners.get(node);
					if (counts === void 0) {
						counts = new Map();
						listeners.set(node, counts);
					}
					var count = counts.get(event_name);
					if (count === void 0) {
						node.addEventListener(event_name, handle_event_propagation, { passive });
						counts.set(event_name, 1);
					} else counts.set(event_name, count + 1);
				}
			}
		};
		event_handle(array_from(all_registered_events));
		root_event_handles.add(event_handle);
		return () => {
			for (var event_name of registered_events) for (const node of [target, document]) {
				var counts = listeners.get(node);
				var count = counts.get(event_name);
				if (--count == 0) {
					node.removeEventListener(event_name, handle_event_propagation);
					counts.delete(event_name);
					if (counts.size === 0) listeners.delete(node);
				} else counts.set(event_name, count);
			}
			root_event_handles.delete(event_handle);
			if (anchor_node !== anchor) anchor_node.parentNode?.removeChild(anchor_node);
		};
	});
	mounted_components.set(component, unmount);
	return component;
}
var mounted_components = new WeakMap();
// node_modules/svelte/src/internal/client/dom/blocks/branches.js
var BranchManager = class {
	anchor;
	#batches = new Map();
	#onscreen = new Map();
	#offscreen = new Map();
	#outroing = new Set();
	#transition = true;
	constructor(anchor, transition = true) {
		this.anchor = anchor;
		this.#transition = transition;
	}
	#commit = (batch) => {
		if (!this.#batches.has(batch)) return;
		var key = this.#batches.get(batch);
		var onscreen = this.#onscreen.get(key);
		if (onscreen) {
			resume_effect(onscreen);
			this.#outroing.delete(key);
		} else {
			var offscreen = this.#offscreen.get(key);
			if (offscreen) {
				resume_effect(offscreen.effect);
				this.#onscreen.set(key, offscreen.effect);
				this.#offscreen.delete(key);
				offscreen.fragment.lastChild.remove();
				this.anchor.before(offscreen.fragment);
				onscreen = offscreen.effect;
			}
		}
		for (const [b, k] of this.#batches) {
			this.#batches.delete(b);
			if (b === batch) break;
			const offscreen = this.#offscreen.get(k);
			if (offscreen) {
				destroy_effect(offscreen.effect);
				this.#offscreen.delete(k);
			}
		}
		for (const [k, effect] of this.#onscreen) {
			if (k === key || this.#outroing.has(k)) continue;
			const on_destroy = () => {
				if (Array.from(this.#batches.values()).includes(k)) {
					var fragment = document.createDocumentFragment();
					move_effect(effect, fragment);
					fragment.append(create_text());
					this.#offscreen.set(k, {
						effect,
						fragment
					});
				} else destroy_effect(effect);
				this.#outroing.delete(k);
				this.#onscreen.delete(k);
			};
			if (this.#transition || !onscreen) {
				this.#outroing.add(k);
				pause_effect(effect, on_destroy, false);
			} else on_destroy();
		}
	};
	#discard = (batch) => {
		this.#batches.delete(batch);
		const keys = Array.from(this.#batches.values());
		for (const [k, branch] of this.#offscreen) if (!keys.includes(k)) {
			destroy_effect(branch.effect);
			this.#offscreen.delete(k);
		}
	};
	ensure(key, fn) {
		var batch = current_batch;
		var defer = should_defer_append();
		if (fn && !this.#onscreen.has(key) && !this.#offscreen.has(key)) {
			if (defer) {
				var fragment = document.createDocumentFragment();
				var target = create_text();
				fragment.append(target);
				this.#offscreen.set(key, {
					effect: branch(() => fn(target)),
					fragment
				});
			} else this.#onscreen.set(key, branch(() => fn(this.anchor)));
		}
		this.#batches.set(batch, key);
		if (defer) {
			for (const [k, effect] of this.#onscreen) if (k === key) batch.unskip_effect(effect);
			else batch.skip_effect(effect);
			for (const [k, branch] of this.#offscreen) if (k === key) batch.unskip_effect(branch.effect);
			else batch.skip_effect(branch.effect);
			batch.oncommit(this.#commit);
			batch.ondiscard(this.#discard);
		} else {
			if (hydrating) this.anchor = hydrate_node;
			this.#commit(batch);
		}
	}
};
// node_modules/svelte/src/internal/client/dom/blocks/await.js
var PENDING = 0;
var THEN = 1;
var CATCH = 2;
function await_block(node, get_input, pending_fn, then_fn, catch_fn) {
	if (hydrating) hydrate_next();
	var runes = is_runes();
	var v = UNINITIALIZED;
	var value = runes ? source(v) : mutable_source(v, false, false);
	var error = runes ? source(v) : mutable_source(v, false, false);
	var branches = new BranchManager(node);
	block(() => {
		var batch = current_batch;
		var input = get_input();
		var destroyed = false;
		let mismatch = hydrating && is_promise(input) === (node.data === "[!");
		if (mismatch) {
			set_hydrate_node(skip_nodes());
			set_hydrating(false);
		}
		if (is_promise(input)) {
			var restore = capture();
			var resolved = false;
			const resolve = (fn) => {
				if (destroyed) return;
				resolved = true;
				restore(false);
				if (current_batch === batch) batch.deactivate();
				Batch.ensure();
				try {
					fn();
				} finally {
					unset_context(false);
					if (!is_flushing_sync) flushSync();
				}
			};
			input.then((v) => {
				resolve(() => {
					internal_set(value, v);
					branches.ensure(THEN, then_fn && ((target) => then_fn(target, value)));
				});
			}, (e) => {
				resolve(() => {
					internal_set(error, e);
					branches.ensure(CATCH, catch_fn && ((target) => catch_fn(target, error)));
					if (!catch_fn) throw error.v;
				});
			});
			if (hydrating) branches.ensure(PENDING, pending_fn);
			else queue_micro_task(() => {
				if (!resolved) resolve(() => {
					branches.ensure(PENDING, pending_fn);
				});
			});
		} else {
			internal_set(value, input);
			branches.ensure(THEN, then_fn && ((target) => then_fn(target, value)));
		}
		if (mismatch) set_hydrating(true);
		return () => {
			destroyed = true;
		};
	});
}
// node_modules/svelte/src/internal/client/dom/blocks/if.js
function if_block(node, fn, elseif = false) {
	var marker;
	if (hydrating) {
		marker = hydrate_node;
		hydrate_next();
	}
	var branches = new BranchManager(node);
	var flags = elseif ? EFFECT_TRANSPARENT : 0;
	function update_branch(key, fn) {
		if (hydrating) {
			var data = read_hydration_instruction(marker);
			if (key !== parseInt(data.substring(1))) {
				var anchor = skip_nodes();
				set_hydrate_node(anchor);
				branches.anchor = anchor;
				set_hydrating(false);
				branches.ensure(key, fn);
				set_hydrating(true);
				return;
			}
		}
		branches.ensure(key, fn);
	}
	block(() => {
		var has_branch = false;
		fn((fn, key = 0) => {
			has_branch = true;
			update_branch(key, fn);
		});
		if (!has_branch) update_branch(-1, null);
	}, flags);
}
// node_modules/svelte/src/internal/client/dom/blocks/key.js
var NAN = Symbol("NaN");
function key(node, get_key, render_fn) {
	if (hydrating) hydrate_next();
	var branches = new BranchManager(node);
	var legacy = !is_runes();
	block(() => {
		var key = get_key();
		if (key !== key) key = NAN;
		if (legacy && key !== null && typeof key === "object") key = {};
		branches.ensure(key, render_fn);
	});
}
// node_modules/svelte/src/internal/client/dom/blocks/each.js
function index(_, i) {
	return i;
}
function pause_effects(state, to_destroy, controlled_anchor) {
	var transitions = [];
	var length = to_destroy.length;
	var group;
	var remaining = to_destroy.length;
	for (var i = 0; i < length; i++) {
		let effect = to_destroy[i];
		pause_effect(effect, () => {
			if (group) {
				group.pending.delete(effect);
				group.done.add(effect);
				if (group.pending.size === 0) {
					var groups = state.outrogroups;
					destroy_effects(state, array_from(group.done));
					groups.delete(group);
					if (groups.size === 0) state.outrogroups = null;
				}
			} else remaining -= 1;
		}, false);
	}
	if (remaining === 0) {
		var fast_path = transitions.length === 0 && controlled_anchor !== null && state.pending.size === 0;
		if (fast_path) {
			var anchor = controlled_anchor;
			var parent_node = anchor.parentNode;
			clear_text_content(parent_node);
			parent_node.append(anchor);
			state.items.clear();
		}
		destroy_effects(state, to_destroy, !fast_path);
	} else {
		group = {
			pending: new Set(to_destroy),
			done: new Set()
		};
		(state.outrogroups ??= new Set()).add(group);
	}
}
function destroy_effects(state, to_destroy, remove_dom = true) {
	var preserved_effects;
	if (state.pending.size > 0) {
		preserved_effects = new Set();
		for (const keys of state.pending.values()) for (const key of keys) preserved_effects.add(state.items.get(key).e);
	}
	for (var i = 0; i < to_destroy.length; i++) {
		var e = to_destroy[i];
		if (preserved_effects?.has(e)) {
			e.f |= EFFECT_OFFSCREEN;
			move_effect(e, document.createDocumentFragment());
		} else destroy_effect(to_destroy[i], remove_dom);
	}
}
var offscreen_anchor;
function each(node, flags, get_collection, get_key, render_fn, fallback_fn = null) {
	var anchor = node;
	var items = new Map();
	if ((flags & 4) !== 0) {
		var parent_node = node;
		anchor = hydrating ? set_hydrate_node(get_first_child(parent_node)) : parent_node.appendChild(create_text());
	}
	if (hydrating) hydrate_next();
	var fallback = null;
	var each_array = derived_safe_equal(() => {
		var collection = get_collection();
		return is_array(collection) ? collection : collection == null ? [] : array_from(collection);
	});
	var pending = new Map();
	var first_run = true;
	function commit(batch) {
		if ((state.effect.f & 16384) !== 0) return;
		state.pending.delete(batch);
		var array = get(each_array);
		state.fallback = fallback;
		reconcile(state, array, anchor, flags, get_key);
		if (fallback !== null) {
			if (array.length === 0) {
				if ((fallback.f & 33554432) === 0) resume_effect(fallback);
				else {
					fallback.f ^= EFFECT_OFFSCREEN;
					move(fallback, null, anchor);
				}
			} else pause_effect(fallback, () => {
				fallback = null;
			});
		}
	}
	function discard(batch) {
		state.pending.delete(batch);
	}
	var state = {
		effect: block(() => {
			var array = get(each_array);
			var length = array.length;
			let mismatch = false;
			if (hydrating) {
				if (read_hydration_instruction(anchor) === "[!" !== (length === 0)) {
					anchor = skip_nodes();
					set_hydrate_node(anchor);
					set_hydrating(false);
					mismatch = true;
				}
			}
			var keys = new Set();
			var batch = current_batch;
			var defer = should_defer_append();
			for (var index = 0; index < length; index += 1) {
				if (hydrating && hydrate_node.nodeType === 8 && hydrate_node.data === "]") {
					anchor = hydrate_node;
					mismatch = true;
					set_hydrating(false);
				}
				var value = array[index];
				var key = get_key(value, index);
				var item = first_run ? null : items.get(key);
				if (item) {
					if (item.v) internal_set(item.v, value);
					if (item.i) internal_set(item.i, index);
					if (defer) batch.unskip_effect(item.e);
				} else {
					item = create_item(items, first_run ? anchor : offscreen_anchor ??= create_text(), value, key, index, render_fn, flags, get_collection);
					if (!first_run) item.e.f |= EFFECT_OFFSCREEN;
					items.set(key, item);
				}
				keys.add(key);
			}
			if (length === 0 && fallback_fn && !fallback) {
				if (first_run) fallback = branch(() => fallback_fn(anchor));
				else {
					fallback = branch(() => fallback_fn(offscreen_anchor ??= create_text()));
					fallback.f |= EFFECT_OFFSCREEN;
				}
			}
			if (length > keys.size) each_key_duplicate("", "", "");
			if (hydrating && length > 0) set_hydrate_node(skip_nodes());
			if (!first_run) {
				pending.set(batch, keys);
				if (defer) {
					for (const [key, item] of items) if (!keys.has(key)) batch.skip_effect(item.e);
					batch.oncommit(commit);
					batch.ondiscard(discard);
				} else commit(batch);
			}
			if (mismatch) set_hydrating(true);
			get(each_array);
		}),
		flags,
		items,
		pending,
		outrogroups: null,
		fallback
	};
	first_run = false;
	if (hydrating) anchor = hydrate_node;
}
function skip_to_branch(effect) {
	while (effect !== null && (effect.f & 32) === 0) effect = effect.next;
	return effect;
}
function reconcile(state, array, anchor, flags, get_key) {
	var is_animated = (flags & 8) !== 0;
	var length = array.length;
	var items = state.items;
	var current = skip_to_branch(state.effect.first);
	var seen;
	var prev = null;
	var to_animate;
	var matched = [];
	var stashed = [];
	var value;
	var key;
	var effect;
	var i;
	if (is_animated) for (i = 0; i < length; i += 1) {
		value = array[i];
		key = get_key(value, i);
		effect = items.get(key).e;
		if ((effect.f & 33554432) === 0) {
			effect.nodes?.a?.measure();
			(to_animate ??= new Set()).add(effect);
		}
	}
	for (i = 0; i < length; i += 1) {
		value = array[i];
		key = get_key(value, i);
		effect = items.get(key).e;
		if (state.outrogroups !== null) for (const group of state.outrogroups) {
			group.pending.delete(effect);
			group.done.delete(effect);
		}
		if ((effect.f & 8192) !== 0) {
			resume_effect(effect);
			if (is_animated) {
				effect.nodes?.a?.unfix();
				(to_animate ??= new Set()).delete(effect);
			}
		}
		if ((effect.f & 33554432) !== 0) {
			effect.f ^= EFFECT_OFFSCREEN;
			if (effect === current) move(effect, null, anchor);
			else {
				var next = prev ? prev.next : current;
				if (effect === state.effect.last) state.effect.last = effect.prev;
				if (effect.prev) effect.prev.next = effect.next;
				if (effect.next) effect.next.prev = effect.prev;
				link(state, prev, effect);
				link(state, effect, next);
				move(effect, next, anchor);
				prev = effect;
				matched = [];
				stashed = [];
				current = skip_to_branch(prev.next);
				continue;
			}
		}
		if (effect !== current) {
			if (seen !== void 0 && seen.has(effect)) {
				if (matched.length < stashed.length) {
					var start = stashed[0];
					var j;
					prev = start.prev;
					var a = matched[0];
					var b = matched[matched.length - 1];
					for (j = 0; j < matched.length; j += 1) move(matched[j], start, anchor);
					for (j = 0; j < stashed.length; j += 1) seen.delete(stashed[j]);
					link(state, a.prev, b.next);
					link(state, prev, a);
					link(state, b, start);
					current = start;
					prev = b;
					i -= 1;
					matched = [];
					stashed = [];
				} else {
					seen.delete(effect);
					move(effect, current, anchor);
					link(state, effect.prev, effect.next);
					link(state, effect, prev === null ? state.effect.first : prev.next);
					link(state, prev, effect);
					prev = effect;
				}
				continue;
			}
			matched = [];
			stashed = [];
			while (current !== null && current !== effect) {
				(seen ??= new Set()).add(current);
				stashed.push(current);
				current = skip_to_branch(current.next);
			}
			if (current === null) continue;
		}
		if ((effect.f & 33554432) === 0) matched.push(effect);
		prev = effect;
		current = skip_to_branch(effect.next);
	}
	if (state.outrogroups !== null) {
		for (const group of state.outrogroups) if (group.pending.size === 0) {
			destroy_effects(state, array_from(group.done));
			state.outrogroups?.delete(group);
		}
		if (state.outrogroups.size === 0) state.outrogroups = null;
	}
	if (current !== null || seen !== void 0) {
		var to_destroy = [];
		if (seen !== void 0) {
			for (effect of seen) if ((effect.f & 8192) === 0) to_destroy.push(effect);
		}
		while (current !== null) {
			if ((current.f & 8192) === 0 && current !== state.fallback) to_destroy.push(current);
			current = skip_to_branch(current.next);
		}
		var destroy_length = to_destroy.length;
		if (destroy_length > 0) {
			var controlled_anchor = (flags & 4) !== 0 && length === 0 ? anchor : null;
			if (is_animated) {
				for (i = 0; i < destroy_length; i += 1) to_destroy[i].nodes?.a?.measure();
				for (i = 0; i < destroy_length; i += 1) to_destroy[i].nodes?.a?.fix();
			}
			pause_effects(state, to_destroy, controlled_anchor);
		}
	}
	if (is_animated) queue_micro_task(() => {
		if (to_animate === void 0) return;
		for (effect of to_animate) effect.nodes?.a?.apply();
	});
}
function create_item(items, anchor, value, key, index, render_fn, flags, get_collection) {
	var v = (flags & 1) !== 0 ? (flags & 16) === 0 ? mutable_source(value, false, false) : source(value) : null;
	var i = (flags & 2) !== 0 ? source(index) : null;
	return {
		v,
		i,
		e: branch(() => {
			render_fn(anchor, v ?? value, i ?? index, get_collection);
			return () => {
				items.delete(key);
			};
		})
	};
}
function move(effect, next, anchor) {
	if (!effect.nodes) return;
	var node = effect.nodes.start;
	var end = effect.nodes.end;
	var dest = next && (next.f & 33554432) === 0 ? next.nodes.start : anchor;
	while (node !== null) {
		var next_node = get_next_sibling(node);
		dest.before(node);
		if (node === end) return;
		node = next_node;
	}
}
function link(state, prev, next) {
	if (prev === null) state.effect.first = next;
	else prev.next = next;
	if (next === null) state.effect.last = prev;
	else next.prev = prev;
}
// node_modules/svelte/src/internal/client/dom/blocks/svelte-component.js
function component(node, get_component, render_fn) {
	var hydration_start_node;
	if (hydrating) {
		hydration_start_node = hydrate_node;
		hydrate_next();
	}
	var branches = new BranchManager(node);
	block(() => {
		var component = get_component() ?? null;
		if (hydrating) {
			if (read_hydration_instruction(hydration_start_node) === "[" !== (component !== null)) {
				var anchor = skip_nodes();
				set_hydrate_node(anchor);
				branches.anchor = anchor;
				set_hydrating(false);
				branches.ensure(component, component && ((target) => render_fn(target, component)));
				set_hydrating(true);
				return;
			}
		}
		branches.ensure(component, component && ((target) => render_fn(target, component)));
	}, EFFECT_TRANSPARENT);
}
// node_modules/svelte/src/internal/client/dom/elements/attachments.js
function attach(node, get_fn) {
	var fn = void 0;
	var e;
	managed(() => {
		if (fn !== (fn = get_fn())) {
			if (e) {
				destroy_effect(e);
				e = null;
			}
			if (fn) e = branch(() => {
				effect(() => fn(node));
			});
		}
	});
}
// node_modules/clsx/dist/clsx.mjs
function r(e) {
	var t, f, n = "";
	if ("string" == typeof e || "number" == typeof e) n += e;
	else if ("object" == typeof e) if (Array.isArray(e)) {
		var o = e.length;
		for (t = 0; t < o; t++) e[t] && (f = r(e[t])) && (n && (n += " "), n += f);
	} else for (f in e) e[f] && (n && (n += " "), n += f);
	return n;
}
function clsx$1() {
	for (var e, t, f = 0, n = "", o = arguments.length; f < o; f++) (e = arguments[f]) && (t = r(e)) && (n && (n += " "), n += t);
	return n;
}
// node_modules/svelte/src/internal/shared/attributes.js
function clsx(value) {
	if (typeof value === "object") return clsx$1(value);
	else return value ?? "";
}
var whitespace = [..." 	\n\r\f\xA0\v﻿"];
function to_class(value, hash, directives) {
	var classname = value == null ? "" : "" + value;
	if (hash) classname = classname ? classname + " " + hash : hash;
	if (directives) {
		for (var key of Object.keys(directives)) if (directives[key]) classname = classname ? classname + " " + key : key;
		else if (classname.length) {
			var len = key.length;
			var a = 0;
			while ((a = classname.indexOf(key, a)) >= 0) {
				var b = a + len;
				if ((a === 0 || whitespace.includes(classname[a - 1])) && (b === classname.length || whitespace.includes(classname[b]))) classname = (a === 0 ? "" : classname.substring(0, a)) + classname.substring(b + 1);
				else a = b;
			}
		}
	}
	return classname === "" ? null : classname;
}
function append_styles(styles, important = false) {
	var separator = important ? " !important;" : ";";
	var css = "";
	for (var key of Object.keys(styles)) {
		var value = styles[key];
		if (value != null && value !== "") css += " " + key + ": " + value + separator;
	}
	return css;
}
function to_css_name(name) {
	if (name[0] !== "-" || name[1] !== "-") return name.toLowerCase();
	return name;
}
function to_style(value, styles) {
	if (styles) {
		var new_style = "";
		var normal_styles;
		var important_styles;
		if (Array.isArray(styles)) {
			normal_styles = styles[0];
			important_styles = styles[1];
		} else normal_styles = styles;
		if (value) {
			value = String(value).replaceAll(/\/\*.*?\*\//g, "").trim();
			var in_str = false;
			var in_apo = 0;
			var in_comment = false;
			var reserved_names = [];
			if (normal_styles) reserved_names.push(...Object.keys(normal_styles).map(to_css_name));
			if (important_styles) reserved_names.push(...Object.keys(important_styles).map(to_css_name));
			var start_index = 0;
			var name_index = -1;
			const len = value.length;
			for (var i = 0; i < len; i++) {
				var c = value[i];
				if (in_comment) {
					if (c === "/" && value[i - 1] === "*") in_comment = false;
				} else if (in_str) {
					if (in_str === c) in_str = false;
				} else if (c === "/" && value[i + 1] === "*") in_comment = true;
				else if (c === "\"" || c === "'") in_str = c;
				else if (c === "(") in_apo++;
				else if (c === ")") in_apo--;
				if (!in_comment && in_str === false && in_apo === 0) {
					if (c === ":" && name_index === -1) name_index = i;
					else if (c === ";" || i === len - 1) {
						if (name_index !== -1) {
							var name = to_css_name(value.substring(start_index, name_index).trim());
							if (!reserved_names.includes(name)) {
								if (c !== ";") i++;
								var property = value.substring(start_index, i).trim();
								new_style += " " + property + ";";
							}
						}
						start_index = i + 1;
						name_index = -1;
					}
				}
			}
		}
		if (normal_styles) new_style += append_styles(normal_styles);
		if (important_styles) new_style += append_styles(important_styles, true);
		new_style = new_style.trim();
		return new_style === "" ? null : new_style;
	}
	return value == null ? null : String(value);
}
// node_modules/svelte/src/internal/client/dom/elements/class.js
function set_class(dom, is_html, value, hash, prev_classes, next_classes) {
	var prev = dom[CLASS_CACHE];
	if (hydrating || prev !== value || prev === void 0) {
		var next_class_name = to_class(value, hash, next_classes);
		if (!hydrating || next_class_name !== dom.getAttribute("class")) {
			if (next_class_name == null) dom.removeAttribute("class");
			else if (is_html) dom.className = next_class_name;
			else dom.setAttribute("class", next_class_name);
		}
		dom[CLASS_CACHE] = value;
	} else if (next_classes && prev_classes !== next_classes) for (var key in next_classes) {
		var is_present = !!next_classes[key];
		if (prev_classes == null || is_present !== !!prev_classes[key]) dom.classList.toggle(key, is_present);
	}
	return next_classes;
}
// node_modules/svelte/src/internal/client/dom/elements/style.js
function update_styles(dom, prev = {}, next, priority) {
	for (var key in next) {
		var value = next[key];
		if (prev[key] !== value) {
			if (next[key] == null) dom.style.removeProperty(key);
			else dom.style.setProperty(key, value, priority);
		}
	}
}
function set_style(dom, value, prev_styles, next_styles) {
	var prev = dom[STYLE_CACHE];
	if (hydrating || prev !== value) {
		var next_style_attr = to_style(value, next_styles);
		if (!hydrating || next_style_attr !== dom.getAttribute("style")) {
			if (next_style_attr == null) dom.removeAttribute("style");
			else dom.style.cssText = next_style_attr;
		}
		dom[STYLE_CACHE] = value;
	} else if (next_styles) {
		if (Array.isArray(next_styles)) {
			update_styles(dom, prev_styles?.[0], next_styles[0]);
			update_styles(dom, prev_styles?.[1], next_styles[1], "important");
		} else update_styles(dom, prev_styles, next_styles);
	}
	return next_styles;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/select.js
function set_selected(option, selected) {
	if (selected) {
		if (!option.hasAttribute("selected")) option.setAttribute("selected", "");
	} else option.removeAttribute("selected");
}
function set_default_select_value(select, value) {
	var mounting = !("__defaultValue" in select);
	if (!mounting && select.__defaultValue === value) return;
	select.__defaultValue = value;
	apply_default_select_value(select, !mounting || "__value" in select);
}
function apply_default_select_value(select, preserve) {
	var value = select.__defaultValue;
	var multiple = select.multiple;
	var values = multiple ? value ?? [] : null;
	if (multiple && !is_array(values)) return;
	var index = select.selectedIndex;
	var selected = preserve && multiple ? new Set(select.selectedOptions) : null;
	for (var option of select.options) {
		var option_value = get_option_value(option);
		set_selected(option, multiple ? values.includes(option_value) : is(option_value, value));
	}
	if (!preserve) return;
	if (selected !== null) for (option of select.options) {
		var was_selected = selected.has(option);
		if (option.selected !== was_selected) option.selected = was_selected;
	}
	else if (select.selectedIndex !== index) select.selectedIndex = index;
}
function select_option(select, value, mounting = false) {
	if (select.multiple) {
		if (value == void 0) return;
		if (!is_array(value)) return select_multiple_invalid_value();
		for (var option of select.options) option.selected = value.includes(get_option_value(option));
		return;
	}
	for (option of select.options) if (is(get_option_value(option), value)) {
		option.selected = true;
		return;
	}
	if (!mounting || value !== void 0) select.selectedIndex = -1;
}
function init_select(select) {
	var observer = new MutationObserver((entries) => {
		if (entries.every(is_selectedcontent_mutation)) return;
		if ("__defaultValue" in select) apply_default_select_value(select, false);
		if ("__value" in select) select_option(select, select.__value);
	});
	observer.observe(select, {
		childList: true,
		subtree: true,
		attributes: true,
		attributeFilter: ["value"]
	});
	teardown(() => {
		observer.disconnect();
	});
}
function bind_select_value(select, get, set = get) {
	var batches = new WeakSet();
	var mounting = true;
	listen_to_event_and_reset_event(select, "change", (is_reset) => {
		var query = is_reset ? "[selected]" : ":checked";
		var value;
		if (select.multiple) value = [].map.call(select.querySelectorAll(query), get_option_value);
		else {
			var selected_option = select.querySelector(query) ?? select.querySelector("option:not([disabled])");
			value = selected_option && get_option_value(selected_option);
		}
		set(value);
		select.__value = value;
		if (current_batch !== null) batches.add(current_batch);
	});
	effect(() => {
		var value = get();
		if (select === document.activeElement) {
			var batch = async_mode_flag ? previous_batch : current_batch;
			if (batches.has(batch)) return;
		}
		select_option(select, value, mounting);
		if (mounting && value === void 0) {
			var selected_option = select.querySelector(":checked");
			if (selected_option !== null) {
				value = get_option_value(selected_option);
				set(value);
			}
		}
		select.__value = value;
		mounting = false;
	});
}
function get_option_value(option) {
	if ("__value" in option) return option.__value;
	else return option.value;
}
function is_selectedcontent_mutation(entry) {
	if (entry.target.closest("selectedcontent") !== null) return true;
	if (entry.type === "childList") {
		var nodes = [...entry.addedNodes, ...entry.removedNodes];
		return nodes.length > 0 && nodes.every((node) => node.nodeName === "SELECTEDCONTENT");
	}
	return false;
}
// node_modules/svelte/src/internal/client/dom/elements/attributes.js
var CLASS = Symbol("class");
var STYLE = Symbol("style");
var IS_CUSTOM_ELEMENT = Symbol("is custom element");
var IS_HTML = Symbol("is html");
var LINK_TAG = IS_XHTML ? "link" : "LINK";
var INPUT_TAG = IS_XHTML ? "input" : "INPUT";
var OPTION_TAG = IS_XHTML ? "option" : "OPTION";
var SELECT_TAG = IS_XHTML ? "select" : "SELECT";
var PROGRESS_TAG = IS_XHTML ? "progress" : "PROGRESS";
function remove_input_defaults(input) {
	if (!hydrating) return;
	var already_removed = false;
	var remove_defaults = () => {
		if (already_removed) return;
		already_removed = true;
		if (input.hasAttribute("value")) {
			var value = input.value;
			set_attribute(input, "value", null);
			input.value = value;
		}
		if (input.hasAttribute("checked")) {
			var checked = input.checked;
			set_attribute(input, "checked", null);
			input.checked = checked;
		}
	};
	input[FORM_RESET_HANDLER] = remove_defaults;
	queue_micro_task(remove_defaults);
	add_form_reset_listener();
}
function set_value(element, value) {
	var attributes = get_attributes(element);
	if (attributes.value === (attributes.value = value ?? void 0) || element.value === value && (value !== 0 || element.nodeName !== PROGRESS_TAG)) return;
	element.value = value ?? "";
}
function set_checked(element, checked) {
	var attributes = get_attributes(element);
	if (attributes.checked === (attributes.checked = checked ?? void 0)) return;
	element.checked = checked;
}
function set_attribute(element, attribute, value, skip_warning) {
	var attributes = get_attributes(element);
	if (hydrating) {
		attributes[attribute] = element.getAttribute(attribute);
		if (attribute === "src" || attribute === "srcset" || attribute === "href" && element.nodeName === LINK_TAG) {
			if (!skip_warning);
			return;
		}
	}
	var previous = attributes[attribute];
	if (previous === (attributes[attribute] = value)) return;
	if (attribute === "loading") element[LOADING_ATTR_SYMBOL] = value;
	if (value == null) element.removeAttribute(attribute);
	else if (typeof value !== "string" && get_setters(element).has(attribute)) element[attribute] = value;
	else if (!(hydrating && (typeof value === "number" || typeof value === "boolean") && previous === String(value))) element.setAttribute(attribute, value);
}
function set_attributes(element, prev, next, css_hash, should_remove_defaults = false, skip_warning = false) {
	if (hydrating && should_remove_defaults && element.nodeName === INPUT_TAG) {
		if (!("defaultValue" in next || "defaultChecked" in next)) remove_input_defaults(element);
	}
	var attributes = get_attributes(element);
	var is_custom_element = attributes[IS_CUSTOM_ELEMENT];
	var preserve_attribute_case = !attributes[IS_HTML];
	let is_hydrating_custom_element = hydrating && is_custom_element;
	if (is_hydrating_custom_element) set_hydrating(false);
	var current = prev || {};
	var is_option_element = element.nodeName === OPTION_TAG;
	var is_select_element = element.nodeName === SELECT_TAG;
	try {
		for (var key in prev) if (!(key in next) && key[0] + key[1] !== "$$") next[key] = null;
		if (next.class) next.class = clsx(next.class);
		else if (css_hash || next[CLASS]) next.class = null;
		if (next[STYLE]) next.style ??= null;
		var setters = get_setters(element);
		if (element.nodeName === INPUT_TAG && "type" in next && ("value" in next || "__value" in next)) {
			var type = next.type;
			if (type !== current.type || type === void 0 && element.hasAttribute("type")) {
				current.type = type;
				set_attribute(element, "type", type, skip_warning);
			}
		}
		for (const key in next) {
			let value = next[key];
			if (is_option_element && key === "value" && value == null) {
				element.value = element.__value = "";
				current[key] = value;
				continue;
			}
			if (key === "class") {
				set_class(element, element.namespaceURI === "http://www.w3.org/1999/xhtml", value, css_hash, prev?.[CLASS], next[CLASS]);
				current[key] = value;
				current[CLASS] = next[CLASS];
				continue;
			}
			if (key === "style") {
				set_style(element, value, prev?.[STYLE], next[STYLE]);
				current[key] = value;
				current[STYLE] = next[STYLE];
				continue;
			}
			var prev_value = current[key];
			if (value === prev_value && !(value === void 0 && element.hasAttribute(key))) continue;
			current[key] = value;
			var prefix = key[0] + key[1];
			if (prefix === "$$") continue;
			if (prefix === "on") {
				const opts = {};
				const event_handle_key = "$$" + key;
				let event_name = key.slice(2);
				var is_delegated = can_delegate_event(event_name);
				if (is_capture_event(event_name)) {
					event_name = event_name.slice(0, -7);
					opts.capture = true;
				}
				if (!is_delegated && prev_value) {
					if (value != null) continue;
					element.removeEventListener(event_name, current[event_handle_key], opts);
					current[event_handle_key] = null;
				}
				if (is_delegated) {
					delegated(event_name, element, value);
					delegate([event_name]);
				} else if (value != null) {
					function handle(evt) {
						current[key].call(this, evt);
					}
					current[event_handle_key] = create_event(event_name, element, handle, opts);
				}
			} else if (key === "style") set_attribute(element, key, value);
			else if (key === "autofocus") autofocus(element, Boolean(value));
			else if (!is_custom_element && (key === "__value" || key === "value" && value != null)) {
				element.__value = value;
				if (prev_value == null || element.value !== value || value === 0 && element.nodeName === PROGRESS_TAG) element.value = value;
			} else if (key === "selected" && is_option_element) set_selected(element, value);
			else {
				var name = key;
				if (!preserve_attribute_case) name = normalize_attribute(name);
				var is_default = name === "defaultValue" || name === "defaultChecked";
				if (is_select_element && name === "defaultValue") continue;
				if (value == null && !is_custom_element && !is_default) {
					attributes[key] = null;
					if (name === "value" || name === "checked") {
						let input = element;
						const use_default = prev === void 0;
						if (name === "value") {
							let previous = input.defaultValue;
							input.removeAttribute(name);
							input.defaultValue = previous;
							input.value = input.__value = use_default ? previous : null;
						} else {
							let previous = input.defaultChecked;
							input.removeAttribute(name);
							input.defaultChecked = previous;
							input.checked = use_default ? previous : false;
						}
					} else element.removeAttribute(key);
				} else if (is_default || (is_custom_element || typeof value !== "string") && setters.has(name)) {
					element[name] = value;
					if (name in attributes) attributes[name] = UNINITIALIZED;
				} else if (typeof value !== "function") set_attribute(element, name, value, skip_warning);
			}
		}
	} finally {
		if (is_hydrating_custom_element) set_hydrating(true);
	}
	return current;
}
function attribute_effect(element, fn, sync = [], async = [], blockers = [], css_hash, should_remove_defaults = false, skip_warning = false) {
	flatten(blockers, sync, async, (values) => {
		var prev = void 0;
		var effects = {};
		var is_select = element.nodeName === SELECT_TAG;
		var inited = false;
		managed(() => {
			var next = fn(...values.map(get));
			var current = set_attributes(element, prev, next, css_hash, should_remove_defaults, skip_warning);
			if (inited && is_select) {
				var select = element;
				if ("defaultValue" in next) set_default_select_value(select, next.defaultValue);
				if ("value" in next) select_option(select, next.value);
			}
			for (let symbol of Object.getOwnPropertySymbols(effects)) if (!next[symbol]) destroy_effect(effects[symbol]);
			for (let symbol of Object.getOwnPropertySymbols(next)) {
				var n = next[symbol];
				if (symbol.description === "@attach" && (!prev || n !== prev[symbol])) {
					if (effects[symbol]) destroy_effect(effects[symbol]);
					effects[symbol] = branch(() => attach(element, () => n));
				}
				current[symbol] = n;
			}
			prev = current;
		});
		if (is_select) {
			var select = element;
			effect(() => {
				var attrs = prev;
				if ("defaultValue" in attrs) set_default_select_value(select, attrs.defaultValue);
				select_option(select, attrs.value, true);
				init_select(select);
			});
		}
		inited = true;
	});
}
function get_attributes(element) {
	return element[ATTRIBUTES_CACHE] ??= {
		[IS_CUSTOM_ELEMENT]: element.nodeName.includes("-"),
		[IS_HTML]: element.namespaceURI === NAMESPACE_HTML
	};
}
var setters_cache = new Map();
function get_setters(element) {
	var cache_key = element.getAttribute("is") || element.nodeName;
	var setters = setters_cache.get(cache_key);
	if (setters) return setters;
	setters_cache.set(cache_key, setters = new Set());
	var descriptors;
	var proto = element;
	var element_proto = Element.prototype;
	while (element_proto !== proto) {
		descriptors = get_descriptors(proto);
		for (var key in descriptors) if (descriptors[key].set && key !== "innerHTML" && key !== "textContent" && key !== "innerText") setters.add(key);
		proto = get_prototype_of(proto);
	}
	return setters;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/input.js
function bind_value(input, get, set = get) {
	var batches = new WeakSet();
	listen_to_event_and_reset_event(input, "input", async (is_reset) => {
		var value = is_reset ? input.defaultValue : input.value;
		value = is_numberlike_input(input) ? to_number(value) : value;
		set(value);
		if (current_batch !== null) batches.add(current_batch);
		await tick();
		if (value !== (value = get())) {
			var start = input.selectionStart;
			var end = input.selectionEnd;
			var length = input.value.length;
			input.value = value ?? "";
			if (end !== null) {
				var new_length = input.value.length;
				if (start === end && end === length && new_length > length) {
					input.selectionStart = new_length;
					input.selectionEnd = new_length;
				} else {
					input.selectionStart = start;
					input.selectionEnd = Math.min(end, new_length);
				}
			}
		}
	});
	if (hydrating && input.defaultValue !== input.value || untrack(get) == null && input.value) {
		set(is_numberlike_input(input) ? to_number(input.value) : input.value);
		if (current_batch !== null) batches.add(current_batch);
	}
	render_effect(() => {
		var value = get();
		if (input === document.activeElement) {
			var batch = async_mode_flag ? previous_batch : current_batch;
			if (batches.has(batch)) return;
		}
		if (is_numberlike_input(input) && value === to_number(input.value)) return;
		if (input.type === "date" && !value && !input.value) return;
		if (value !== input.value) input.value = value ?? "";
	});
}
function is_numberlike_input(input) {
	var type = input.type;
	return type === "number" || type === "range";
}
function to_number(value) {
	return value === "" ? null : +value;
}
var resize_observer_border_box = new class ResizeObserverSingleton {
	#listeners = new WeakMap();
	#observer;
	#options;
	static entries = new WeakMap();
	constructor(options) {
		this.#options = options;
	}
	observe(element, listener) {
		var listeners = this.#listeners.get(element) || new Set();
		listeners.add(listener);
		this.#listeners.set(element, listeners);
		this.#getObserver().observe(element, this.#options);
		return () => {
			var listeners = this.#listeners.get(element);
			listeners.delete(listener);
			if (listeners.size === 0) {
				this.#listeners.delete(element);
				this.#observer.unobserve(element);
			}
		};
	}
	#getObserver() {
		return this.#observer ?? (this.#observer = new ResizeObserver((entries) => {
			for (var entry of entries) {
				ResizeObserverSingleton.entries.set(entry.target, entry);
				for (var listener of this.#listeners.get(entry.target) || []) listener(entry);
			}
		}));
	}
}({ box: "border-box" });
function bind_element_size(element, type, set) {
	var unsub = resize_observer_border_box.observe(element, () => set(element[type]));
	effect(() => {
		untrack(() => set(element[type]));
		return unsub;
	});
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/this.js
function is_bound_this(bound_value, element_or_component) {
	return bound_value === element_or_component || bound_value?.[STATE_SYMBOL] === element_or_component;
}
function bind_this(element_or_component = mark_as_component(), update, get_value, get_parts) {
	var component_effect = component_context.r;
	var parent = active_effect;
	effect(() => {
		var old_parts;
		var parts;
		render_effect(() => {
			old_parts = parts;
			parts = get_parts?.() || [];
			untrack(() => {
				if (!is_bound_this(get_value(...parts), element_or_component)) {
					update(element_or_component, ...parts);
					if (old_parts && is_bound_this(get_value(...old_parts), element_or_component)) update(null, ...old_parts);
				}
			});
		});
		return () => {
			let p = parent;
			while (p !== component_effect && p.parent !== null && p.parent.f & 33554432) p = p.parent;
			const teardown = () => {
				if (parts && is_bound_this(get_value(...parts), element_or_component)) update(null, ...parts);
			};
			const original_teardown = p.teardown;
			p.teardown = () => {
				teardown();
				original_teardown?.();
			};
		};
	});
	return element_or_component;
}
// node_modules/svelte/src/internal/client/dom/elements/bindings/universal.js
function bind_property(property, event_name, element, set, get) {
	var handler = () => {
		set(element[property]);
	};
	element.addEventListener(event_name, handler);
	if (get) render_effect(() => {
		element[property] = get();
	});
	else handler();
	if (element === document.body || element === window || element === document) teardown(() => {
		element.removeEventListener(event_name, handler);
	});
}
// node_modules/svelte/src/internal/client/reactivity/store.js
var is_store_binding = false;
function capture_store_binding(fn) {
	var previous_is_store_binding = is_store_binding;
	try {
		is_store_binding = false;
		return [fn(), is_store_binding];
	} finally {
		is_store_binding = previous_is_store_binding;
	}
}
// node_modules/svelte/src/internal/client/reactivity/props.js
var spread_props_handler = {
	get(target, key) {
		let i = target.props.length;
		while (i--) {
			let p = target.props[i];
			if (is_function(p)) p = p();
			if (typeof p === "object" && p !== null && key in p) return p[key];
		}
	},
	set(target, key, value) {
		let i = target.props.length;
		while (i--) {
			let p = target.props[i];
			if (is_function(p)) p = p();
			const desc = get_descriptor(p, key);
			if (desc && desc.set) {
				desc.set(value);
				return true;
			}
		}
		return false;
	},
	getOwnPropertyDescriptor(target, key) {
		let i = target.props.length;
		while (i--) {
			let p = target.props[i];
			if (is_function(p)) p = p();
			if (typeof p === "object" && p !== null && key in p) {
				const descriptor = get_descriptor(p, key);
				if (descriptor && !descriptor.configurable) descriptor.configurable = true;
				return descriptor;
			}
		}
	},
	has(target, key) {
		if (key === STATE_SYMBOL || key === LEGACY_PROPS) return false;
		for (let p of target.props) {
			if (is_function(p)) p = p();
			if (p != null && key in p) return true;
		}
		return false;
	},
	ownKeys(target) {
		const keys = [];
		for (let p of target.props) {
			if (is_function(p)) p = p();
			if (!p) continue;
			for (const key in p) if (!keys.includes(key)) keys.push(key);
			for (const key of Object.getOwnPropertySymbols(p)) if (!keys.includes(key)) keys.push(key);
		}
		return keys;
	}
};
function spread_props(...props) {
	return new Proxy({ props }, spread_props_handler);
}
function prop(props, key, flags, fallback) {
	var runes = !legacy_mode_flag || (flags & 2) !== 0;
	var bindable = (flags & 8) !== 0;
	var lazy = (flags & 16) !== 0;
	var fallback_value = fallback;
	var fallback_dirty = true;
	var fallback_signal = void 0;
	var get_fallback = () => {
		if (lazy && runes) {
			fallback_signal ??= derived(fallback);
			return get(fallback_signal);
		}
		if (fallback_dirty) {
			fallback_dirty = false;
			fallback_value = lazy ? untrack(fallback) : fallback;
		}
		return fallback_value;
	};
	let setter;
	if (bindable) {
		var is_entry_props = STATE_SYMBOL in props || LEGACY_PROPS in props;
		setter = get_descriptor(props, key)?.set ?? (is_entry_props && key in props ? (v) => props[key] = v : void 0);
	}
	var initial_value;
	var is_store_sub = false;
	if (bindable) [initial_value, is_store_sub] = capture_store_binding(() => props[key]);
	else initial_value = props[key];
	if (initial_value === void 0 && fallback !== void 0) {
		initial_value = get_fallback();
		if (setter) {
			if (runes) props_invalid_value(key);
			setter(initial_value);
		}
	}
	var getter;
	if (runes) getter = () => {
		var value = props[key];
		if (value === void 0) return get_fallback();
		fallback_dirty = true;
		return value;
	};
	else getter = () => {
		var value = props[key];
		if (value !== void 0) fallback_value = void 0;
		return value === void 0 ? fallback_value : value;
	};
	if (runes && (flags & 4) === 0) return getter;
	if (setter) {
		var legacy_parent = props.$$legacy;
		return (function(value, mutation) {
			if (arguments.length > 0) {
				if (!runes || !mutation || legacy_parent || is_store_sub) setter(mutation ? getter() : value);
				return value;
			}
			return getter();
		});
	}
	var overridden = false;
	var d = ((flags & 1) !== 0 ? derived : derived_safe_equal)(() => {
		overridden = false;
		return getter();
	});
	if (bindable) get(d);
	var parent_effect = active_effect;
	return (function(value, mutation) {
		if (arguments.length > 0) {
			const new_value = mutation ? get(d) : runes && bindable ? proxy(value) : value;
			set(d, new_value);
			overridden = true;
			if (fallback_value !== void 0) fallback_value = new_value;
			return value;
		}
		if (is_destroying_effect && overridden || (parent_effect.f & 16384) !== 0) return d.v;
		return get(d);
	});
}
if (typeof HTMLElement === "function");
function onMount(fn) {
	if (component_context === null) lifecycle_outside_component("onMount");
	if (legacy_mode_flag && component_context.l !== null) init_update_callbacks(component_context).m.push(fn);
	else user_effect(() => {
		const cleanup = untrack(fn);
		if (typeof cleanup === "function") return cleanup;
	});
}
function init_update_callbacks(context) {
	var l = context.l;
	return l.u ??= {
		a: [],
		b: [],
		m: []
	};
}
// src/lib/client.ts
var RETRY_DELAY = 3e3;
var NO_ANSWER = "The server did not answer. Check that vitviz is still running, then try again.";
function hostOf({ element, props, server, upload }) {
	return {
		element,
		catalog: { ...props.catalog },
		request: requestTo(server),
		upload,
		live: true
	};
}
function requestTo(server) {
	return async (name, argument) => {
		try {
			const reply = await server[name]?.(argument);
			return reply === void 0 ? { error: NO_ANSWER } : reply;
		} catch {
			return { error: NO_ANSWER };
		}
	};
}
function isRefusal(reply) {
	return typeof reply === "object" && reply !== null && "error" in reply && Boolean(reply.error);
}
var isServed = (reply) => reply !== null && !isRefusal(reply);
var isUnreachable = (reply) => isRefusal(reply) && reply.error === "The server did not answer. Check that vitviz is still running, then try again.";
var isBusy = (reply) => isRefusal(reply) && Boolean(reply.busy);
var reasonOf = (reply) => isRefusal(reply) ? reply.error : NO_ANSWER;
var pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
async function refreshModels(request) {
	const reply = await request("list_models", {});
	return reply && "checkpoints" in reply && Array.isArray(reply.checkpoints) ? reply : null;
}
var patchCount = (shape) => shape.rows * shape.columns;
var tokenCount = (shape) => shape.prefix + patchCount(shape);
var removedFrom = (shape) => shape.removed ?? [];
var remainingPatches = (shape) => [...Array(patchCount(shape)).keys()].filter((patch) => !removedFrom(shape).includes(patch));
var uniformWeight = (shape) => 1 / (tokenCount(shape) - removedFrom(shape).length);
function bytesOf(base64) {
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}
var floatsOf = (base64) => new Float32Array(bytesOf(base64).buffer);
var uint16Of = (base64) => new Uint16Array(bytesOf(base64).buffer);
function pixelsOf(base64) {
	const bytes = bytesOf(base64);
	const pixels = new Uint32Array(256);
	for (let i = 0; i < 256; i++) pixels[i] = 255 << 24 | bytes[3 * i + 2] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i];
	return pixels;
}
function makeRows(shape) {
	const tokens = tokenCount(shape);
	const across = shape.heads + 1;
	const all = new Float32Array((shape.layers + 1) * across * tokens);
	const cells = [];
	for (let k = 0; k < (shape.layers + 1) * across; k++) cells.push(all.subarray(k * tokens, (k + 1) * tokens));
	return {
		all,
		cells,
		across
	};
}
function rowOf(rows, shape, layer, head) {
	const down = layer === -1 ? shape.layers : layer;
	const right = head === -1 ? shape.heads : head;
	return rows.cells[down * rows.across + right];
}
function queryTokens(patches, shape) {
	if (!patches.length && shape.classToken) return [0];
	return (patches.length ? patches : remainingPatches(shape)).map((patch) => shape.prefix + patch);
}
var firstRowsSuffice = (patches, direction) => direction === "from" && !patches.length;
function fillHead(out, shape, source, head, patches, direction) {
	const tokens = out.length;
	if (firstRowsSuffice(patches, direction)) {
		for (let j = 0; j < tokens; j++) out[j] = source.defaultRows[head * tokens + j];
		return;
	}
	const { full } = source;
	if (!full) throw new Error("this query needs the full attention");
	const queries = queryTokens(patches, shape);
	out.fill(0);
	const start = head * tokens * tokens;
	const weight = 1 / (65535 * queries.length);
	for (const token of queries) if (direction === "from") {
		const row = start + token * tokens;
		for (let j = 0; j < tokens; j++) out[j] += full[row + j] * weight;
	} else for (let j = 0; j < tokens; j++) out[j] += full[start + j * tokens + token] * weight;
}
function addScaled(out, row, weight) {
	for (let j = 0; j < out.length; j++) out[j] += row[j] * weight;
}
function fillRows(rows, shape, source, patches, direction, isAblated) {
	const { layers, heads } = shape;
	const ofLayers = new Int32Array(layers);
	const ofHeads = new Int32Array(heads);
	for (let k = 0; k < layers * heads; k++) {
		if (isAblated(Math.floor(k / heads), k % heads)) continue;
		ofLayers[Math.floor(k / heads)]++;
		ofHeads[k % heads]++;
	}
	const all = ofLayers.reduce((sum, count) => sum + count, 0);
	const corner = rowOf(rows, shape, -1, -1).fill(0);
	for (let head = 0; head < heads; head++) rowOf(rows, shape, -1, head).fill(0);
	for (let layer = 0; layer < layers; layer++) {
		const ofLayer = rowOf(rows, shape, layer, -1).fill(0);
		for (let head = 0; head < heads; head++) {
			const row = rowOf(rows, shape, layer, head);
			fillHead(row, shape, source, layer * heads + head, patches, direction);
			if (isAblated(layer, head)) continue;
			addScaled(ofLayer, row, 1 / ofLayers[layer]);
			addScaled(rowOf(rows, shape, -1, head), row, 1 / ofHeads[head]);
			addScaled(corner, row, 1 / all);
		}
	}
}
function roundLimit(value) {
	const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
	let best = power;
	for (const step of [
		1,
		2,
		4,
		6,
		8,
		10
	]) if (Math.abs(step * power - value) < Math.abs(best - value)) best = step * power;
	return best;
}
function sharedLimit(shape, rows) {
	const tokens = tokenCount(shape);
	const values = rows.filter((_, i) => i % tokens >= shape.prefix).sort();
	return roundLimit(values[Math.floor(values.length * .98)]);
}
function sharpestHead(shape, rows) {
	const tokens = tokenCount(shape);
	const first = shape.heads * Math.floor(2 * shape.layers / 3);
	const k = largest(Array.from({ length: shape.layers * shape.heads }, (_, k) => k < first ? 0 : sumOf(rows.subarray(k * tokens, (k + 1) * tokens).map((weight) => weight ** 2), shape.prefix, tokens)), first);
	return {
		layer: Math.floor(k / shape.heads),
		head: k % shape.heads
	};
}
function largest(values, first = 0) {
	let best = first;
	for (let j = first + 1; j < values.length; j++) if (values[j] > values[best]) best = j;
	return best;
}
function sumOf(values, first, end) {
	let sum = 0;
	for (let j = first; j < end; j++) sum += values[j];
	return sum;
}
var meanOf = (values) => sumOf(values, 0, values.length) / values.length;
function isFlat(values) {
	let [low, high] = [Infinity, -Infinity];
	for (let j = 0; j < values.length; j++) [low, high] = [Math.min(low, values[j]), Math.max(high, values[j])];
	return high - low <= 1e-5 * Math.max(Math.abs(low), Math.abs(high));
}
function weightOfLargest(values, first, count) {
	const sorted = values.slice(first).sort();
	return sumOf(sorted, sorted.length - count, sorted.length);
}
var lowOf = ({ low = 0 }) => low;
function place(scale, value) {
	if (scale.kind === "linear") return (value - lowOf(scale)) / (scale.limit - lowOf(scale));
	if (scale.kind === "signed") return .5 + value / scale.limit / 2;
	return .5 + Math.log2(Math.max(value / scale.uniform, 1e-6)) / 6;
}
function colorIndex(scale, value) {
	const t = place(scale, value);
	return t >= 1 ? 255 : t > 0 ? Math.round(255 * t) : 0;
}
var STEPS = {
	ArrowUp: [-1, 0],
	ArrowDown: [1, 0],
	ArrowLeft: [0, -1],
	ArrowRight: [0, 1],
	Home: [0, -Infinity],
	End: [0, Infinity],
	PageUp: [-Infinity, 0],
	PageDown: [Infinity, 0]
};
function neighbour(patch, key, shape) {
	const [down, right] = STEPS[key] ?? [0, 0];
	const move = (value, step, count) => Number.isFinite(step) ? (value + step + count) % count : step < 0 ? 0 : count - 1;
	return move(Math.floor(patch / shape.columns), down, shape.rows) * shape.columns + move(patch % shape.columns, right, shape.columns);
}
var middlePatch = (shape) => Math.floor((shape.rows - 1) / 2) * shape.columns + Math.floor((shape.columns - 1) / 2);
// src/lib/words.ts
var textOf = (line) => line.map((part) => typeof part === "string" ? part : part.strong).join("");
var written = (value, digits) => value.toFixed(digits).replace(/^-(?=.*[1-9])/, "−").replace(/^-/, "");
function percent(fraction, digits) {
	if (digits === void 0 && fraction > 0 && fraction < 5e-5) return `under 0.01 %`;
	const places = digits ?? (fraction > 0 && fraction < .00995 ? 2 : 1);
	return `${written(100 * fraction, places)} %`;
}
var timesUniform = (ratio) => `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)} ×`;
var signed = (number, digits = 2) => written(number, digits).replace(/^(?=[\d.]*[1-9])/, "+");
var keepSizes = (text) => text.replaceAll(" × ", ` × `);
var numberName = (index) => index === -1 ? "mean" : String(index + 1);
var capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
var counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;
function patchName(patch, shape) {
	return `row ${Math.floor(patch / shape.columns) + 1}, column ${patch % shape.columns + 1}`;
}
function mapName(layer, head) {
	return `${layer === -1 ? "Mean of layers" : `Layer ${layer + 1}`}, ${head === -1 ? "mean of heads" : `head ${head + 1}`}`;
}
function queryName(patches, shape, several = "") {
	if (patches.length === 0) return shape.classToken ? "the class token" : "the mean of the patches";
	return patches.length === 1 ? patchName(patches[0], shape) : `${several}${patches.length} patches`;
}
var FLAT_WEIGHTS = 2 / 65535;
function isUniformMap(view, shape) {
	const removed = removedFrom(shape);
	let [least, most] = [Infinity, -Infinity];
	for (let j = shape.prefix; j < view.row.length; j++) {
		if (removed.length && removed.includes(j - shape.prefix)) continue;
		least = Math.min(least, view.row[j]);
		most = Math.max(most, view.row[j]);
	}
	return most - least <= FLAT_WEIGHTS;
}
function headHeadline(view, shape) {
	const query = queryName(view.query, shape, "these ");
	const from = view.query.length > 1 ? `on average, ${query} attend` : `${query} attends`;
	const name = mapName(view.layer, view.head);
	const isFrom = view.direction === "from";
	if (isUniformMap(view, shape)) return isFrom ? `${name}: ${from} equally to all patches` : `${name}: all patches attend equally to ${query}`;
	const best = patchName(largest(view.row, shape.prefix) - shape.prefix, shape);
	return isFrom ? `${name}: ${from} most to ${best}` : `${name}: ${best} attends most to ${query}`;
}
function headLine(view, shape) {
	const isReading = view.read >= 0;
	const token = isReading ? shape.prefix + view.read : largest(view.row, shape.prefix);
	return [
		`${!isReading && isUniformMap(view, shape) ? "Every patch" : capital(patchName(token - shape.prefix, shape))} ${view.direction === "from" ? "gets" : "gives"} `,
		{ strong: percent(view.row[token]) },
		", ",
		{ strong: (view.row[token] / uniformWeight(shape)).toFixed(1) },
		" times uniform.",
		...isReading ? [] : [` ${concentration(view, shape)}`]
	];
}
function concentration(view, shape) {
	const patches = patchCount(shape) - removedFrom(shape).length;
	if (view.direction === "to") return `Each value belongs to a different query: the ${patches} values need not sum to 100 %.`;
	const few = Math.max(1, Math.round(patches / 10));
	return `The strongest ${few} of ${patches} patches get ${percent(weightOfLargest(view.row, shape.prefix, few), 0)} in total.`;
}
function largestLine(row, shape) {
	const weight = row[largest(row, shape.prefix)];
	return `largest ${percent(weight)}, ${timesUniform(weight / uniformWeight(shape))} uniform`;
}
function prefixLine(row, shape, direction) {
	const registers = shape.prefix - Number(shape.classToken);
	const all = counted(registers, "register", "registers");
	const ofRegisters = sumOf(row, Number(shape.classToken), shape.prefix);
	const each = percent(ofRegisters / registers);
	if (!shape.classToken) {
		if (!registers) return "";
		return direction === "from" ? `${percent(ofRegisters)} goes to ${all}` : `on average ${each} given by each of ${all}`;
	}
	if (direction === "from") {
		const first = `${percent(row[0])} goes to the class token`;
		return registers ? `${first} and ${percent(ofRegisters)} to ${all}` : first;
	}
	const first = `${percent(row[0])} given by the class token`;
	return registers ? `${first}, on average ${each} by each of ${all}` : first;
}
var targetTitle = (classes) => classes.join(", not ");
var classGroup = (classes) => `For ${classes[0].startsWith("class ") ? "" : "class "}${targetTitle(classes)}`;
var methodTitle = (method, classes) => method.forClass ? `${method.name} for ${targetTitle(classes)}` : method.name;
function methodHeadline(method, classes, values, shape) {
	if (isFlat(values)) return `${methodTitle(method, classes)}: all patches have the same value`;
	const finding = method.key === "random" ? "comes first in this order, which explains nothing" : "ranks highest";
	return `${methodTitle(method, classes)}: ${patchName(largest(values), shape)} ${finding}`;
}
function methodNumber(value, scale, shape) {
	if (scale.isWeight) return headNumber(value, shape);
	if (scale.kind === "signed") return [signed(value, signedDigits(scale)), value < 0 ? "against the class" : "for the class"];
	return [(scale.kind === "linear" ? value / scale.limit : NaN).toFixed(2), "of the maximum"];
}
var headNumber = (weight, shape) => [percent(weight), `${timesUniform(weight / uniformWeight(shape))} uniform`];
function digitsOf(fraction) {
	const isWhole = (value) => Math.abs(value - Math.round(value)) < 1e-6;
	return [
		0,
		1,
		2
	].find((digits) => isWhole(fraction * 100 * 10 ** digits)) ?? 3;
}
var signedDigits = (scale) => Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(scale.limit / 2))));
function changesLine(changes) {
	const { ablated, removed } = changes;
	const how = changes.patch_mode === "gray" ? "painted gray" : "removed";
	return [ablated.length && `${counted(ablated.length, "head", "heads")} ablated`, removed.length && `${counted(removed.length, "patch", "patches")} ${how}`].filter(Boolean).join(", ");
}
var modelOption = ({ name, layers, heads }) => `${name} · ${counted(layers, "layer", "layers")}, ${counted(heads, "head", "heads")}`;
// src/lib/ModelSelect.svelte
var root$7 = from_html(`<option> </option>`);
var root_1$4 = from_html(`<label class="model"><span>Model</span><select class="button" aria-label="Model"></select></label>`);
function ModelSelect($$anchor, $$props) {
	push($$props, true);
	let select;
	async function choose() {
		$$props.onchoose(select.value);
		await tick();
		select.value = $$props.value;
	}
	var label = root_1$4();
	var select_1 = sibling(child(label));
	each(select_1, 21, () => $$props.models, (model) => model.name, ($$anchor, model) => {
		var option = root$7();
		var text = only_child(option, true);
		var option_value = {};
		template_effect(($0) => {
			set_text(text, $0);
			if (option_value !== (option_value = get(model).name)) option.value = (option.__value = option_value) ?? "";
		}, [() => modelOption(get(model))]);
		append($$anchor, option);
	});
	reset(select_1);
	bind_this(select_1, ($$value) => select = $$value, () => select);
	var select_1_value;
	init_select(select_1);
	reset(label);
	template_effect(() => {
		if (select_1_value !== (select_1_value = $$props.value)) select_1.value = (select_1.__value = select_1_value) ?? "", select_option(select_1, select_1_value);
	});
	delegated("change", select_1, choose);
	append($$anchor, label);
	pop();
}
delegate(["change"]);
// src/lib/matrix.ts
var withMean = (count) => [...Array(count).keys(), -1];
function headerText(kind, index, shape) {
	if (index === -1) return "mean";
	return index === 0 && (kind === "layer" || shape.heads <= 6) ? `${kind} 1` : String(index + 1);
}
var matrixStyle = ({ rows, columns, aspect, layers, heads }) => `--rows: ${rows}; --columns: ${columns}; --aspect: ${aspect}; --layers: ${layers}; --heads: ${heads};`;
var hasManyHeads = (shape) => shape.heads > 8;
function nextMap(shape, layer, head, key) {
	const grid = {
		rows: shape.layers + 1,
		columns: shape.heads + 1
	};
	const index = (value, count) => value === -1 ? count : value;
	const value = (place, count) => place === count ? -1 : place;
	const next = neighbour(index(layer, shape.layers) * grid.columns + index(head, shape.heads), key, grid);
	return {
		layer: value(Math.floor(next / grid.columns), shape.layers),
		head: value(next % grid.columns, shape.heads)
	};
}
// src/lib/address.ts
function updateAddress(values, defaults = {}, how = "replaceState", state = {}) {
	const params = new URLSearchParams(location.search);
	for (const [name, value] of Object.entries(values)) {
		params.delete(name);
		if (value && value !== defaults[name]) params.set(name, String(value));
	}
	history[how]({
		...history.state,
		...state
	}, "", `${location.pathname}?${params}${location.hash}`);
	window.dispatchEvent(new Event("vitviz:address"));
}
var OPEN_HEAD = "vitviz:head";
var unavailable = (what, name, shown) => `The ${what} of this link, ${name.slice(0, 80)}, is not available${shown ? `: showing ${shown}` : ""}.`;
var isOfRun = (name) => String(name).startsWith("runs/");
var runName = (source) => source.slice(5);
function parseNumber(text, count, otherwise) {
	if (text === "mean") return -1;
	const number = Number(text);
	if (!text || !Number.isInteger(number)) return otherwise;
	return Math.min(count, Math.max(1, number)) - 1;
}
function parsePairs(text, rows, columns) {
	const indices = (text || "").split("_").map((pair) => {
		const [row, column] = pair.split("-").map(Number);
		return row >= 1 && row <= rows && column >= 1 && column <= columns && Number.isInteger(row + column) ? (row - 1) * columns + column - 1 : -1;
	});
	return [...new Set(indices)].filter((index) => index >= 0);
}
var parsePatches = (text, shape) => parsePairs(text, shape.rows, shape.columns);
var parseHeads = (text, shape) => parsePairs(text, shape.layers, shape.heads);
var pairOf = (index, columns) => `${Math.floor(index / columns) + 1}-${index % columns + 1}`;
var patchesParam = (patches, shape) => patches.map((patch) => pairOf(patch, shape.columns)).join("_");
var headsParam = (ablated, shape) => ablated.map((k) => pairOf(k, shape.heads)).join("_");
function parseClasses(text) {
	const classes = (text || "").split("-").filter(Boolean).map(Number).filter(Number.isInteger);
	return [...new Set(classes)].slice(0, 2);
}
var oneOf = (value, allowed) => allowed.find((choice) => choice === value) ?? allowed[0];
// src/explore/address.ts
var DEFAULTS = {
	direction: "from",
	scale: "shared",
	display: "patches",
	mode: "zero",
	patch_mode: "drop"
};
var CIFAR_IMAGES = 1e4;
var UPLOADED = "upload";
function parseImage(text, { cifar, samples, photos, checkpoints }, upload = null) {
	if (text === UPLOADED) return upload;
	const [, source, index] = /^(cifar|runs\/[^:]+):(\d{1,6})$/.exec(text ?? "") ?? [];
	if (source === "cifar") return cifar.available && Number(index) < CIFAR_IMAGES ? {
		kind: "cifar",
		index: Number(index)
	} : null;
	if (source) return checkpoints.some(({ name, dataset }) => name === source && dataset) ? {
		kind: "dataset",
		run: source,
		index: Number(index)
	} : null;
	const sample = [...samples, ...photos].find(({ name }) => name === text);
	return sample ? {
		kind: "sample",
		name: sample.name
	} : null;
}
function firstImage(catalog, model) {
	if (model?.dataset) return {
		kind: "dataset",
		run: model.name,
		index: 0
	};
	return parseImage("cat", catalog) ?? parseImage(catalog.samples[0]?.name, catalog);
}
function imageParam(image) {
	if (image.kind === "sample") return image.name;
	if (image.kind === "dataset") return `${image.run}:${image.index}`;
	return image.kind === "cifar" ? `cifar:${image.index}` : UPLOADED;
}
function uploadOf(state) {
	const { kind, path, name, crop } = (state ?? {}).upload ?? {};
	if (kind !== "upload" || typeof path !== "string" || typeof name !== "string") return null;
	return typeof crop === "number" ? {
		kind,
		path,
		name,
		crop
	} : {
		kind,
		path,
		name
	};
}
var hasModel = (catalog, name) => catalog.checkpoints.some((model) => model.name === name);
function readAddress(params, catalog, state = null) {
	const [model, wanted] = [params.get("checkpoint"), params.get("image")];
	const checkpoint = catalog.checkpoints.find(({ name }) => name === model) ?? catalog.checkpoints[0];
	const found = parseImage(wanted, catalog, uploadOf(state));
	const isAvailable = !wanted || found !== null;
	const choices = {
		checkpoint: checkpoint.name,
		image: found ?? firstImage(catalog, checkpoint),
		direction: oneOf(params.get("direction"), ["from", "to"]),
		scale: oneOf(params.get("scale"), [
			"shared",
			"uniform",
			"map"
		]),
		smooth: params.get("display") === "smooth",
		mode: oneOf(params.get("mode"), ["zero", "mean"]),
		patch_mode: oneOf(params.get("patch_mode"), ["drop", "gray"]),
		method: catalog.methods.find(({ key }) => key === params.get("method"))?.key ?? null,
		target: isAvailable && (!model || hasModel(catalog, model)) ? parseClasses(params.get("class")) : []
	};
	const [patch, removed] = isAvailable ? [params.get("patch"), params.get("removed")] : [null, null];
	const [layer, head, ablated] = [
		"layer",
		"head",
		"ablated"
	].map((name) => params.get(name));
	return [choices, {
		layer,
		head,
		patch,
		ablated,
		removed
	}];
}
function readShapeParams(linked, shape, opening) {
	const { layer, head } = linked;
	const named = {
		layer: parseNumber(layer, shape.layers, shape.layers - 1),
		head: parseNumber(head, shape.heads, -1)
	};
	return {
		...layer || head ? named : opening,
		pins: parsePatches(linked.patch, shape),
		ablated: parseHeads(linked.ablated, shape),
		removed: parsePatches(linked.removed, shape)
	};
}
function unavailableSentences(params, catalog, shown) {
	const [model, wanted] = [params.get("checkpoint"), params.get("image")];
	const image = shown.image ? imageParam(shown.image) : "";
	const sentences = [];
	if (model && !hasModel(catalog, model)) sentences.push(unavailable("model", model, shown.checkpoint));
	if (wanted === UPLOADED && shown.image?.kind !== "upload") sentences.push(`A link does not contain an uploaded image: showing ${image}. Upload the file again.`);
	else if (wanted && wanted !== UPLOADED && !parseImage(wanted, catalog)) sentences.push(unavailable("image", wanted, image));
	return sentences.join(" ");
}
function addressOf(choices, image, shape, checkpoint = choices.checkpoint) {
	return {
		checkpoint,
		image: imageParam(image),
		layer: numberName(choices.layer),
		head: numberName(choices.head),
		patch: patchesParam(choices.pins, shape),
		direction: choices.direction,
		scale: choices.scale,
		display: choices.smooth ? "smooth" : "patches",
		method: choices.method,
		class: choices.target.join("-"),
		ablated: headsParam(choices.ablated, shape),
		removed: patchesParam(choices.removed, shape),
		mode: choices.ablated.length ? choices.mode : "",
		patch_mode: choices.removed.length ? choices.patch_mode : ""
	};
}
// src/explore/notices.ts
var WORKING = "Working…";
function showNotice(explorer, sentence, isError = false) {
	explorer.notice = sentence;
	explorer.noticeIsError = isError;
	if (sentence !== null) explorer.voice = sentence;
}
function clearNotice(explorer) {
	if (explorer.notice !== WORKING) showNotice(explorer, null);
}
function showWaiting(explorer) {
	explorer.waiting ??= setTimeout(() => showNotice(explorer, WORKING), 300);
}
function startWaiting(explorer) {
	explorer.markers.state = "working";
	stopWaiting(explorer);
	showNotice(explorer, null);
	showWaiting(explorer);
}
function stopWaiting(explorer) {
	clearTimeout(explorer.waiting);
	explorer.waiting = void 0;
	if (explorer.notice === WORKING) showNotice(explorer, null);
}
function announceSoon(explorer, delay, action = "") {
	clearTimeout(explorer.speaking);
	explorer.speaking = setTimeout(() => {
		explorer.view.flushDraw();
		explorer.voice = `${action}${explorer.view.headline}. ${textOf(explorer.status)}`;
	}, delay);
}
// src/lib/dom.ts
var ARROWS = [
	"ArrowUp",
	"ArrowDown",
	"ArrowLeft",
	"ArrowRight"
];
var GRID_KEYS = [
	...ARROWS,
	"Home",
	"End",
	"PageUp",
	"PageDown"
];
var isShortcut = (event) => event.altKey || event.ctrlKey || event.metaKey;
function afterPaint(done) {
	const painted = new MessageChannel();
	painted.port1.onmessage = () => done();
	painted.port2.postMessage(null);
}
function markPainted(node, key) {
	afterPaint(() => {
		node.dataset.ready = key;
	});
}
function listenWhile(element, target, type, listener) {
	target.addEventListener(type, function handle(event) {
		if (element.isConnected) listener(event);
		else target.removeEventListener(type, handle);
	});
}
var isImageUrl = (src) => String(src).startsWith("data:image/");
function saveAs(name, href) {
	const link = document.createElement("a");
	link.href = href;
	link.download = name;
	link.click();
}
var savedUrl = "";
function saveBlob(name, blob) {
	URL.revokeObjectURL(savedUrl);
	savedUrl = URL.createObjectURL(blob);
	saveAs(name, savedUrl);
}
var saveContent = ({ name, content }) => saveBlob(name, new Blob([bytesOf(content)]));
function blobOf(src) {
	const [head, content] = src.split(",", 2);
	return new Blob([bytesOf(content)], { type: head.slice(5).replace(";base64", "") });
}
var mebibytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1).replace(".0", "")} MiB`;
function patchAt(stage, event, shape) {
	const box = stage.getBoundingClientRect();
	const column = Math.floor((event.clientX - box.left) / box.width * shape.columns);
	const row = Math.floor((event.clientY - box.top) / box.height * shape.rows);
	return column >= 0 && row >= 0 && column < shape.columns && row < shape.rows ? row * shape.columns + column : -1;
}
function cornerOf(patch, shape) {
	return {
		left: `${100 * (patch % shape.columns) / shape.columns}%`,
		top: `${100 * Math.floor(patch / shape.columns) / shape.rows}%`
	};
}
function scrollInto(frame, cell) {
	const margin = 12;
	const named = frame.querySelector("[role=rowheader]")?.offsetWidth ?? 0;
	const [left, right] = [cell.offsetLeft - named - margin, cell.offsetLeft + cell.offsetWidth + margin];
	if (left < frame.scrollLeft) frame.scrollLeft = left;
	else if (right > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = right - frame.clientWidth;
}
// src/explore/show.ts
async function decodeImage(src) {
	const node = new Image();
	node.src = isImageUrl(src) ? src : "";
	try {
		await node.decode();
		return node;
	} catch {
		return null;
	}
}
var isSameImage = (one, other) => JSON.stringify(one) === JSON.stringify(other);
function show(explorer, reply, image, linked) {
	const { choices, reply: old, shown } = explorer;
	const isSameGrid = old !== null && old.rows === reply.rows && old.columns === reply.columns;
	const { checkpoint, image: chosen } = choices;
	if (!chosen) return;
	if (shown && !linked && !isSameImage(shown.image, chosen)) choices.target = [];
	const target = old && !linked ? choices.target.map((k) => reply.classes.indexOf(old.classes[k])) : choices.target;
	choices.target = target.every((k) => k >= 0 && k < reply.classes.length) ? target : [];
	const { layers, heads, rows, columns, aspect, prefix, classToken } = reply;
	Object.assign(explorer, {
		reply,
		image,
		shown: {
			checkpoint,
			image: chosen
		},
		failedModel: null,
		attention: {
			defaultRows: floatsOf(reply.cls),
			full: null
		},
		shape: {
			layers,
			heads,
			rows,
			columns,
			aspect,
			prefix,
			classToken,
			removed: []
		},
		maps: reply.maps,
		mapsOf: null,
		faithfulness: null,
		ablation: null,
		previousChanges: {
			...explorer.previousChanges,
			ablated: [],
			removed: []
		},
		fullAttentionFailed: false
	});
	clampChoices(explorer, linked, isSameGrid, shown?.checkpoint === checkpoint);
	explorer.view.releaseMethod();
	stopWaiting(explorer);
	explorer.markers.full = void 0;
	requestAnimationFrame(() => finishShowing(explorer, reply));
}
function clampChoices(explorer, linked, isSameGrid, isSameModel) {
	const { choices, shape, attention } = explorer;
	const opening = sharpestHead(shape, attention?.defaultRows ?? new Float32Array());
	const { layer, head } = isSameModel ? choices : opening;
	Object.assign(choices, {
		layer: Math.min(layer, shape.layers - 1),
		head: Math.min(head, shape.heads - 1)
	});
	choices.hover = choices.readoutPatch = -1;
	if (linked) Object.assign(choices, readShapeParams(linked, shape, opening));
	else Object.assign(choices, {
		ablated: [],
		removed: [],
		pins: isSameGrid ? choices.pins : []
	});
	choices.isMultiPatchQuery = choices.pins.length > 1 || choices.isMultiPatchQuery && choices.pins.length > 0;
}
function finishShowing(explorer, reply) {
	if (explorer.reply !== reply) return;
	explorer.markers.state = "ready";
	explorer.view.draw();
	revealThumb(explorer);
	const { predictedClass: best, choices } = explorer;
	announceSoon(explorer, 0, `Predicted: ${reply.classes[best]}, ${percent(reply.probabilities[best], 1)}. `);
	if (choices.ablated.length || choices.removed.length) fetchAblation(explorer);
	else fetchMethods(explorer, explorer.host.live ? 500 : 0);
	afterPaint(() => {
		explorer.markers.ready = reply.key;
	});
}
function revealThumb({ root }) {
	const thumb = root?.querySelector(".thumb[aria-pressed=true]");
	const frame = thumb?.closest(".samples, .gallery .thumbs");
	if (thumb && frame) frame.scrollTop = thumb.offsetTop - thumb.offsetHeight;
}
function fail(explorer, sentence) {
	explorer.markers.state = "error";
	stopWaiting(explorer);
	if (explorer.shown) Object.assign(explorer.choices, explorer.shown);
	showNotice(explorer, sentence, true);
}
async function load(explorer, checkpoint, image, linked = null) {
	const mine = ++explorer.ticket;
	Object.assign(explorer.choices, {
		checkpoint,
		image
	});
	startWaiting(explorer);
	const reply = await explorer.host.request("explain", {
		checkpoint,
		image
	});
	if (mine !== explorer.ticket) return;
	if (!reply || isRefusal(reply)) {
		if (reply && !isBusy(reply) && !isUnreachable(reply)) explorer.failedModel = checkpoint;
		return fail(explorer, reasonOf(reply));
	}
	const decoded = await decodeImage(reply.image.src);
	if (mine !== explorer.ticket) return;
	if (!decoded) return fail(explorer, "The image could not be displayed. Choose another one.");
	const { pins, direction } = explorer.choices;
	const full = Boolean(linked?.patch) || pins.length > 0 || direction === "to" ? await explorer.host.request("attention", { key: reply.key }) : null;
	if (mine !== explorer.ticket) return;
	show(explorer, reply, decoded, linked);
	if (typeof full === "string") storeFull(explorer, full, reply.key);
	else fetchFull(explorer);
}
var send = ({ host }, name, question, key) => host.request(name, {
	...question,
	key
});
async function requestCached(explorer, name, question) {
	const { reply: mine, shown } = explorer;
	if (!mine || !shown) return { error: NO_ANSWER };
	const reply = await send(explorer, name, question, mine.key);
	if (reply !== null || explorer.reply !== mine) return reply;
	const again = await explorer.host.request("explain", shown);
	if (!again || isRefusal(again)) return again ?? { error: "The server did not answer. Check that vitviz is still running, then try again." };
	if (explorer.reply !== mine) return { error: NO_ANSWER };
	if (String(again.probabilities) !== String(mine.probabilities)) {
		const { checkpoint, image } = explorer.choices;
		load(explorer, checkpoint, image ?? shown.image);
		return { error: "This model has been trained further: the image is explained again." };
	}
	mine.key = again.key;
	explorer.markers.ready = again.key;
	return send(explorer, name, question, again.key);
}
async function requestAblated(explorer, name, question) {
	if (!explorer.ablation) return requestCached(explorer, name, question);
	const reply = await send(explorer, name, question, explorer.ablation.key);
	if (reply !== null) return reply;
	const failure = await fetchAblation(explorer);
	if (failure) return failure;
	return explorer.ablation ? send(explorer, name, question, explorer.ablation.key) : requestCached(explorer, name, question);
}
async function fetchFull(explorer) {
	const { reply: mine, ablation } = explorer;
	const full = await (ablation ? explorer.host.request("attention", { key: ablation.key }) : requestCached(explorer, "attention", {}));
	if (explorer.reply !== mine || explorer.ablation !== ablation) return;
	if (typeof full === "string") return storeFull(explorer, full, explorer.key);
	explorer.fullAttentionFailed = true;
	explorer.view.scheduleDraw();
}
function storeFull(explorer, text, key) {
	const full = (explorer.host.weights ?? uint16Of)(text);
	const { shape, attention } = explorer;
	explorer.fullAttentionFailed = full.length !== shape.layers * shape.heads * tokenCount(shape) ** 2;
	if (!explorer.fullAttentionFailed && attention) {
		attention.full = full;
		explorer.markers.full = key;
	}
	explorer.view.scheduleDraw();
}
async function fetchMethods(explorer, delay = 0) {
	const mine = ++explorer.methodsTicket;
	const { reply: about, ablation, choices, predictedClass } = explorer;
	const target = ablation && !choices.target.length ? [predictedClass] : choices.target;
	const isStale = () => mine !== explorer.methodsTicket || explorer.reply !== about;
	explorer.faithfulness = null;
	Object.assign(explorer.markers, {
		methods: void 0,
		scores: void 0
	});
	const state = ablation ?? about;
	if (explorer.mapsOf !== state) explorer.maps = ablation || !about ? {} : about.maps;
	explorer.mapsOf = state;
	const ofClass = new Set(explorer.catalog.methods.filter(({ forClass }) => forClass).map(({ key }) => key));
	explorer.maps = Object.fromEntries(Object.entries(explorer.maps).filter(([key]) => !ofClass.has(key)));
	await pause(delay);
	for (const name of ["methods", "scores"]) {
		if (isStale()) return;
		const reply = await requestPatiently(explorer, name, target, isStale);
		if (isStale()) return;
		if (!reply && !explorer.host.live) return;
		if (!reply || isRefusal(reply)) return abandonMethod(explorer, reasonOf(reply));
		if (explorer.notice === "The server did not answer. Check that vitviz is still running, then try again.") showNotice(explorer, null);
		if ("maps" in reply) explorer.maps = reply.maps;
		else explorer.faithfulness = reply;
		explorer.markers[name] = `${explorer.key} ${target}`;
		explorer.view.draw();
		if (explorer.view.method !== null) announceSoon(explorer, 600);
	}
}
async function requestPatiently(explorer, name, target, isStale) {
	for (;;) {
		const reply = await requestAblated(explorer, name, { target });
		if (isStale() || !(isBusy(reply) || isUnreachable(reply))) return reply;
		if (isUnreachable(reply)) abandonMethod(explorer, NO_ANSWER);
		await pause(RETRY_DELAY);
		if (isStale()) return reply;
	}
}
function abandonMethod(explorer, sentence) {
	explorer.view.releaseMethod();
	explorer.view.draw();
	showNotice(explorer, sentence, true);
}
async function fetchAblation(explorer) {
	const mine = ++explorer.ablationTicket;
	const { reply: about, shape, choices } = explorer;
	const { ablated, removed, mode, patch_mode } = choices;
	if (!about) return void 0;
	explorer.markers.changed = void 0;
	if (!ablated.length && !removed.length) {
		showAblation(explorer, null, about.cls);
		return;
	}
	const reply = await requestCached(explorer, "ablate", {
		heads: ablated.map((k) => [Math.floor(k / shape.heads), k % shape.heads]),
		patches: removed,
		mode,
		patch_mode
	});
	if (mine !== explorer.ablationTicket || explorer.reply !== about) return void 0;
	if (reply && !isRefusal(reply)) {
		showAblation(explorer, reply, reply.cls);
		return;
	}
	Object.assign(choices, explorer.previousChanges);
	if (explorer.mapsOf !== (explorer.ablation ?? about)) fetchMethods(explorer);
	const failure = { error: reasonOf(reply) };
	showNotice(explorer, failure.error, true);
	explorer.view.scheduleDraw();
	writeAddressSoon(explorer);
	return failure;
}
function showAblation(explorer, result, rows) {
	const { ablated, removed, mode, patch_mode } = explorer.choices;
	explorer.ablation = result;
	explorer.previousChanges = {
		ablated,
		removed,
		mode,
		patch_mode
	};
	explorer.attention = {
		defaultRows: floatsOf(rows),
		full: null
	};
	explorer.fullAttentionFailed = false;
	explorer.shape = {
		...explorer.shape,
		removed: result && patch_mode === "drop" ? removed : []
	};
	explorer.view.releaseMethod();
	explorer.view.draw();
	explorer.markers.changed = explorer.key;
	explorer.markers.full = void 0;
	fetchFull(explorer);
	fetchMethods(explorer, explorer.host.live ? 500 : 0);
	announceSoon(explorer, 0);
}
async function refreshLists(explorer) {
	const lists = await refreshModels(explorer.host.request);
	if (lists) explorer.catalog = {
		...explorer.catalog,
		...lists
	};
}
// src/explore/selection.ts
var indicesOf = (index, count) => index === -1 ? [...Array(count).keys()] : [index];
function isAblated(ablated, shape, layer, head) {
	if (!ablated.length) return false;
	const heads = indicesOf(head, shape.heads);
	return indicesOf(layer, shape.layers).every((l) => heads.every((h) => ablated.includes(l * shape.heads + h)));
}
var isRemoved = (patch, shape) => shape.removed?.includes(patch) ?? false;
function selectedPatches({ pins, isMultiPatchQuery, hover }) {
	if (hover < 0) return pins;
	if (!isMultiPatchQuery) return [hover];
	return pins.includes(hover) ? pins : [...pins, hover];
}
function queryPatches(selection, shape) {
	const selected = selectedPatches(selection);
	const remaining = selected.filter((patch) => !isRemoved(patch, shape));
	return remaining.length ? remaining : selected;
}
var toggled = (list, item) => list.includes(item) ? list.filter((other) => other !== item) : [...list, item];
// src/lib/faithfulness.ts
function methodLine(method, values, read, scale, faithfulness, className, shape) {
	if (read >= 0) {
		const [number] = methodNumber(values[read], scale, shape);
		return [
			`${capital(patchName(read, shape))} has `,
			{ strong: number },
			` ${UNITS[method.unit]}.`
		];
	}
	if (isFlat(values)) return ["This map has the same value for all patches, so it has no ranking to score."];
	if (!faithfulness) return ["Computing the deletion score…"];
	const drop = faithfulness.scores[method.key] ?? 0;
	const [random] = faithfulness.random_baseline;
	const size = Math.abs(drop) > 10 ? `over 1,000 %` : percent(Math.abs(drop), 0);
	const verb = (value) => value < 0 ? "raises" : "lowers";
	const baseline = `${verb(random) === verb(drop) ? "" : `${verb(random)} it `}by ${percent(Math.abs(random), 0)}`;
	return [
		`Masking the highest-ranked patches first ${verb(drop)} the probability of ${className} by `,
		{ strong: size },
		` on average, a random order ${baseline}: ${FINDINGS[compareToRandom(drop, faithfulness, method.key)]}.`
	];
}
function compareToRandom(score, { random_baseline }, key) {
	if (key === "random") return "one order";
	const [mean, deviation] = random_baseline;
	if (Math.abs(score - mean) <= 2 * deviation) return "near";
	return score < mean ? "below" : "above";
}
var FINDINGS = {
	below: "worse than random",
	near: "no clear difference",
	above: "better than random",
	"one order": "a difference by chance"
};
var COMPARISONS = {
	below: "below random",
	near: "no better or worse than random",
	above: "above random",
	"one order": "one order"
};
var COMPARISON_SIGNS = {
	below: "< random",
	near: "≈ random",
	above: "> random",
	"one order": "one order"
};
function scoreSentence({ key, name }, faithfulness) {
	const score = faithfulness?.scores[key];
	if (!faithfulness || score === void 0) return `${name}: the deletion score is being computed.`;
	if (score === null) return `${name} has no deletion score: all patches have the same value.`;
	const [mean, deviation] = faithfulness.random_baseline;
	const words = COMPARISONS[compareToRandom(score, faithfulness, key)];
	return `${name}: deletion score ${scoreText(score)}, ${words} (${scoreText(mean)} ± ${deviation.toFixed(2)}).`;
}
var UNITS = {
	weights: "of the attention",
	relative: "of the maximum",
	logits: "of the logit"
};
var scoreText = (score) => score <= -10 ? "< −10" : written(score, 2);
var RANDOM_ORDERS = 20;
function scoreNote(faithfulness, className) {
	const definition = `Deletion score: mean drop of the probability of ${className} while the highest-ranked patches are masked first`;
	if (!faithfulness) return `${definition}.`;
	const [mean, deviation] = faithfulness.random_baseline;
	return `${definition}. Mark: ${RANDOM_ORDERS} random orders, ${scoreText(mean)} ± ${deviation.toFixed(2)} (SD); ≈ is within 2 SD.`;
}
// src/explore/sentences.ts
var removedLine = (patch, shape) => `${capital(patchName(patch, shape))} is removed: it neither attends nor is attended to.`;
var hasRemovedQuery = ({ query }, shape) => query.length > 0 && query.every((patch) => isRemoved(patch, shape));
function headlineOf(view) {
	const { shape, map, methodInfo, query, layer, head } = view;
	if (!shape || !map) return "What the model attends to";
	if (methodInfo) return methodHeadline(methodInfo, view.classes, map.values, shape);
	if (view.isHeadAblated) return `${mapName(layer, head)} is ablated`;
	if (hasRemovedQuery(view, shape)) return `${capital(queryName(query, shape))} ${query.length > 1 ? "are" : "is"} removed`;
	return headHeadline(viewOf(view), shape);
}
function lineOf(view, faithfulness) {
	const { shape, map, methodInfo, readoutPatch } = view;
	if (!shape || !map) return [];
	if (methodInfo) {
		if (isRemoved(readoutPatch, shape)) return [`${capital(patchName(readoutPatch, shape))} is removed.`];
		return methodLine(methodInfo, map.values, readoutPatch, map.scale, faithfulness, view.classes[0], shape);
	}
	if (view.isHeadAblated) return [ablatedLine(view)];
	if (hasRemovedQuery(view, shape)) return ["Removed patches neither attend nor are attended to. Choose another patch, or the class token."];
	return isRemoved(readoutPatch, shape) ? [removedLine(readoutPatch, shape)] : headLine(viewOf(view), shape);
}
var viewOf = ({ map, query, direction, layer, head, readoutPatch }) => ({
	row: map?.values,
	query,
	direction,
	layer,
	head,
	read: readoutPatch
});
function ablatedLine({ mode, layer, head }) {
	const usesMean = mode === "mean";
	if (layer === -1 || head === -1) return `The outputs of all its heads are replaced by ${usesMean ? "their means over the sample images" : "zero"}. Prediction shows the effect.`;
	return `Its output is replaced by ${usesMean ? "its mean over the sample images" : "zero"}. Prediction shows the effect.`;
}
// src/lib/theme.svelte.ts
var ThemeColors = class {
	#element;
	#colors;
	#tables = {};
	#listeners = [];
	#dark = state(false);
	constructor(element, colors) {
		this.#element = element;
		this.#colors = colors;
		set(this.#dark, this.#pageIsDark());
		this.#observe();
	}
	#pageIsDark() {
		return this.#element.closest(".dark") !== null;
	}
	#observe() {
		const watcher = new MutationObserver(() => {
			if (!this.#element.isConnected) return watcher.disconnect();
			if (get(this.#dark) === this.#pageIsDark()) return;
			set(this.#dark, this.#pageIsDark());
			for (const listener of this.#listeners) listener();
		});
		for (const node of [
			document.body,
			document.documentElement,
			this.#element
		]) watcher.observe(node, {
			attributes: true,
			attributeFilter: ["class"]
		});
	}
	get isDark() {
		return get(this.#dark);
	}
	table(kind) {
		const page = get(this.#dark) ? "dark" : "light";
		const name = `${page} ${kind}`;
		this.#tables[name] ??= pixelsOf(this.#colors[page][kind]);
		return this.#tables[name];
	}
	onThemeChange(redraw) {
		this.#listeners.push(redraw);
	}
};
var PROGRESS_DELAY = 1e3;
var CIFAR10 = "cifar10";
function galleryQuery({ dataset, label, shown, page }, checkpoint) {
	return {
		dataset,
		label,
		shown,
		page,
		...shown === "all" ? {} : { checkpoint }
	};
}
var isSameQuery = (a, b) => JSON.stringify(a) === JSON.stringify(b);
function thumbName(image, classes) {
	const { index, label, prediction, probability } = image;
	const predicted = prediction == null ? "" : `, predicted ${prediction} with ${percent(probability ?? 0, 0)}`;
	return `${classes[label] ?? "image"}, image ${index}${predicted}`;
}
function waitingSentence({ done, total }) {
	if (!total) return "Reading and classifying the test images, the first time only…";
	const all = `Classifying all ${total.toLocaleString("en")} test images (about a minute, first time only)`;
	return done ? `${all}: ${done.toLocaleString("en")} done…` : `${all}…`;
}
var thumbOf = (dataset, classes, image) => ({
	image: dataset === "cifar10" ? {
		kind: "cifar",
		index: image.index
	} : {
		kind: "dataset",
		run: dataset,
		index: image.index
	},
	name: thumbName(image, classes),
	src: image.src,
	predicted: image.prediction == null ? void 0 : {
		label: image.prediction,
		probability: percent(image.probability ?? 0, 0)
	}
});
var Gallery = class {
	explorer;
	#dataset = state(CIFAR10);
	get dataset() {
		return get(this.#dataset);
	}
	set dataset(value) {
		set(this.#dataset, value);
	}
	#classes = state([]);
	get classes() {
		return get(this.#classes);
	}
	set classes(value) {
		set(this.#classes, value);
	}
	#label = state(-1);
	get label() {
		return get(this.#label);
	}
	set label(value) {
		set(this.#label, value);
	}
	#shown = state("all");
	get shown() {
		return get(this.#shown);
	}
	set shown(value) {
		set(this.#shown, value);
	}
	#page = state(0);
	get page() {
		return get(this.#page);
	}
	set page(value) {
		set(this.#page, value);
	}
	#pages = state(1);
	get pages() {
		return get(this.#pages);
	}
	set pages(value) {
		set(this.#pages, value);
	}
	#count = state(0);
	get count() {
		return get(this.#count);
	}
	set count(value) {
		set(this.#count, value);
	}
	#thumbs = state([]);
	get thumbs() {
		return get(this.#thumbs);
	}
	set thumbs(value) {
		set(this.#thumbs, value);
	}
	#isWaiting = state(false);
	get isWaiting() {
		return get(this.#isWaiting);
	}
	set isWaiting(value) {
		set(this.#isWaiting, value);
	}
	#progress = state({
		done: 0,
		total: 0
	});
	get progress() {
		return get(this.#progress);
	}
	set progress(value) {
		set(this.#progress, value);
	}
	#isLarge = state(false);
	get isLarge() {
		return get(this.#isLarge);
	}
	set isLarge(value) {
		set(this.#isLarge, value);
	}
	ticket = 0;
	filled = null;
	constructor(explorer) {
		this.explorer = explorer;
	}
	open(dataset) {
		const { image } = this.explorer.choices;
		const isOther = dataset !== this.dataset;
		if (isOther) Object.assign(this, {
			dataset,
			label: -1,
			shown: "all",
			page: 0,
			pages: 1,
			count: 0,
			thumbs: []
		});
		const isFirst = isOther || !this.filled;
		return this.fill(isFirst && (image?.kind === "cifar" || image?.kind === "dataset") ? image.index : void 0);
	}
	select(label, shown) {
		Object.assign(this, {
			label,
			shown,
			page: 0
		});
		return this.fill();
	}
	turn(pages) {
		return this.goTo(this.page + pages);
	}
	goTo(page) {
		this.page = Math.min(this.pages - 1, Math.max(0, Math.trunc(page) || 0));
		return this.fill();
	}
	find(index) {
		Object.assign(this, {
			label: -1,
			shown: "all"
		});
		return this.fill(index);
	}
	async fill(index) {
		const { catalog, choices, host } = this.explorer;
		const { dataset } = this;
		if (dataset === "cifar10" && !catalog.cifar.available) return;
		const query = galleryQuery(this, choices.checkpoint);
		const mine = ++this.ticket;
		if (index === void 0 && isSameQuery(query, this.filled)) {
			this.isWaiting = false;
			return;
		}
		let isPending = true;
		const waiting = setTimeout(() => this.wait(() => isPending && mine === this.ticket), 500);
		const reply = await host.request("gallery", index === void 0 ? query : {
			...query,
			index
		});
		isPending = false;
		clearTimeout(waiting);
		if (mine !== this.ticket) return;
		this.isWaiting = false;
		if (!reply || isRefusal(reply)) {
			if (this.filled?.dataset === dataset) {
				const { label, shown, page } = this.filled;
				Object.assign(this, {
					label,
					shown,
					page
				});
			}
			return showNotice(this.explorer, reasonOf(reply), true);
		}
		const { classes, count } = reply;
		const pages = Math.max(1, reply.pages);
		if (reply.page >= pages) return this.goToLast(pages);
		this.filled = {
			...query,
			page: reply.page
		};
		const thumbs = reply.images.map((image) => thumbOf(dataset, classes, image));
		Object.assign(this, {
			pages,
			page: reply.page,
			classes,
			count,
			thumbs
		});
	}
	goToLast(pages) {
		this.pages = pages;
		return this.goTo(pages - 1);
	}
	async wait(isPending) {
		Object.assign(this, {
			isWaiting: true,
			progress: {
				done: 0,
				total: 0
			}
		});
		const { dataset, explorer } = this;
		const { checkpoint } = explorer.choices;
		while (isPending()) {
			const reply = await explorer.host.request("gallery_progress", {
				dataset,
				checkpoint
			});
			if (isPending() && reply && !isRefusal(reply)) this.progress = reply;
			await pause(PROGRESS_DELAY);
		}
	}
};
// src/explore/reading.ts
function readingOf({ readoutPatch, map, shape, methodInfo }) {
	if (readoutPatch < 0 || !map || !shape) return null;
	const value = map.values[map.first + readoutPatch];
	const reading = methodInfo ? methodNumber(value, map.scale, shape) : headNumber(value, shape);
	const [number, remark] = isRemoved(readoutPatch, shape) ? ["removed", ""] : reading;
	const row = Math.floor(readoutPatch / shape.columns);
	const middle = 100 * (readoutPatch % shape.columns + .5) / shape.columns;
	return {
		number,
		remark,
		left: `${Math.min(80, Math.max(20, middle))}%`,
		top: `${100 * (row || 1) / shape.rows}%`,
		isBelow: row === 0,
		place: `${100 * Math.min(1, Math.max(0, place(map.scale, value)))}%`
	};
}
// src/lib/paint.ts
function contextOf(canvas) {
	const context = canvas.getContext("2d", { willReadFrequently: true });
	if (!context) throw new Error("the browser has no 2d canvas");
	return context;
}
function makeTile(canvas, columns, rows) {
	canvas.width = columns;
	canvas.height = rows;
	const context = contextOf(canvas);
	const image = context.createImageData(columns, rows);
	return {
		canvas,
		context,
		image,
		pixels: new Uint32Array(image.data.buffer)
	};
}
function paintTile(tile, values, first, table, scale) {
	const { pixels } = tile;
	for (let i = 0; i < pixels.length; i++) pixels[i] = table[colorIndex(scale, values[first + i])];
	tile.context.putImageData(tile.image, 0, 0);
}
function paintBar(tile, table) {
	tile.pixels.set(table);
	tile.context.putImageData(tile.image, 0, 0);
}
// src/explore/scales.ts
function methodScale(method, values) {
	const limit = Math.max(...values.map(Math.abs)) || 1;
	if (method.unit === "logits") return {
		kind: "signed",
		limit,
		isWeight: false
	};
	if (method.unit === "weights") return rangeScale(values);
	return {
		kind: "linear",
		low: isFlat(values) ? 0 : Math.min(...values),
		limit,
		clips: false,
		isWeight: false
	};
}
function mapScale(row, shape) {
	return rangeScale(row, shape.prefix, removedFrom(shape));
}
function rangeScale(weights, first = 0, removed = []) {
	let [low, high] = [Infinity, 0];
	for (let j = first; j < weights.length; j++) {
		if (removed.length && removed.includes(j - first)) continue;
		low = Math.min(low, weights[j]);
		high = Math.max(high, weights[j]);
	}
	return {
		kind: "linear",
		...high - low > 30518043793392844e-21 ? {
			low,
			limit: high
		} : {
			low: 0,
			limit: 2 * high || 1
		},
		clips: false,
		isWeight: true
	};
}
function scaleNote(choice, { heads, means }) {
	if (choice === "map") return "one scale per map";
	if (choice === "uniform") return "one scale";
	const end = (limit) => percent(limit, digitsOf(limit));
	return `heads to ${end(heads)}, means to ${end(means)}`;
}
var tableKind = (scale) => scale.kind === "linear" ? "seq" : "div";
var fitTile = (tile, canvas, columns, rows) => tile?.canvas === canvas && canvas.width === columns && canvas.height === rows ? tile : makeTile(canvas, columns, rows);
// src/explore/view.svelte.ts
var NO_VALUES = [];
var NO_LIMITS = {};
var EMPTY = {
	query: [],
	removed: [],
	read: -1
};
var View = class {
	#explorer;
	#imageMarks = state(EMPTY);
	get imageMarks() {
		return get(this.#imageMarks);
	}
	set imageMarks(value) {
		set(this.#imageMarks, value);
	}
	#mapMarks = state(EMPTY);
	get mapMarks() {
		return get(this.#mapMarks);
	}
	set mapMarks(value) {
		set(this.#mapMarks, value);
	}
	#isClassTokenQuery = state(true);
	get isClassTokenQuery() {
		return get(this.#isClassTokenQuery);
	}
	set isClassTokenQuery(value) {
		set(this.#isClassTokenQuery, value);
	}
	#shape = state(null);
	get shape() {
		return get(this.#shape);
	}
	set shape(value) {
		set(this.#shape, value);
	}
	#attention = state(null);
	get attention() {
		return get(this.#attention);
	}
	set attention(value) {
		set(this.#attention, value);
	}
	#scaleLimits = state({});
	get scaleLimits() {
		return get(this.#scaleLimits);
	}
	set scaleLimits(value) {
		set(this.#scaleLimits, value);
	}
	#query = state([]);
	get query() {
		return get(this.#query);
	}
	set query(value) {
		set(this.#query, value);
	}
	#direction = state("from");
	get direction() {
		return get(this.#direction);
	}
	set direction(value) {
		set(this.#direction, value);
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
	#scaleChoice = state("shared");
	get scaleChoice() {
		return get(this.#scaleChoice);
	}
	set scaleChoice(value) {
		set(this.#scaleChoice, value);
	}
	#readoutPatch = state(-1);
	get readoutPatch() {
		return get(this.#readoutPatch);
	}
	set readoutPatch(value) {
		set(this.#readoutPatch, value);
	}
	#ablated = state([]);
	get ablated() {
		return get(this.#ablated);
	}
	set ablated(value) {
		set(this.#ablated, value);
	}
	#mode = state("zero");
	get mode() {
		return get(this.#mode);
	}
	set mode(value) {
		set(this.#mode, value);
	}
	#method = state(null);
	get method() {
		return get(this.#method);
	}
	set method(value) {
		set(this.#method, value);
	}
	#methodValues = state([]);
	get methodValues() {
		return get(this.#methodValues);
	}
	set methodValues(value) {
		set(this.#methodValues, value);
	}
	#classes = state([]);
	get classes() {
		return get(this.#classes);
	}
	set classes(value) {
		set(this.#classes, value);
	}
	#retainedMethod = null;
	#frame = 0;
	#measured = 0;
	#buffers = user_derived(() => this.shape ? makeRows(this.shape) : null);
	#rows = user_derived(() => {
		const { shape, attention, query, direction } = this;
		if (!shape || !attention || !get(this.#buffers)) return null;
		const ablated = untrack(() => this.ablated);
		fillRows(get(this.#buffers), shape, attention, query, direction, (layer, head) => isAblated(ablated, shape, layer, head));
		return { ...get(this.#buffers) };
	});
	get rows() {
		return get(this.#rows);
	}
	set rows(value) {
		set(this.#rows, value);
	}
	#limits = user_derived(() => this.scaleLimits[this.direction] ?? {
		heads: 1,
		means: 1
	});
	get limits() {
		return get(this.#limits);
	}
	set limits(value) {
		set(this.#limits, value);
	}
	#sharedScales = user_derived(() => ({
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
			isWeight: true,
			isOfMeans: true
		}
	}));
	#uniformScale = user_derived(() => ({
		kind: "uniform",
		uniform: this.shape ? uniformWeight(this.shape) : 1,
		isWeight: true
	}));
	#methodInfo = user_derived(() => this.#explorer.method(this.method));
	get methodInfo() {
		return get(this.#methodInfo);
	}
	set methodInfo(value) {
		set(this.#methodInfo, value);
	}
	#map = user_derived(() => {
		if (!this.shape || !this.rows) return null;
		if (this.methodInfo) return {
			values: this.methodValues,
			first: 0,
			scale: methodScale(this.methodInfo, this.methodValues)
		};
		const row = rowOf(this.rows, this.shape, this.layer, this.head);
		return {
			values: row,
			first: this.shape.prefix,
			scale: this.scaleOf(row, this.layer, this.head)
		};
	});
	get map() {
		return get(this.#map);
	}
	set map(value) {
		set(this.#map, value);
	}
	#scale = user_derived(() => this.map?.scale ?? null);
	get scale() {
		return get(this.#scale);
	}
	set scale(value) {
		set(this.#scale, value);
	}
	#isHeadAblated = user_derived(() => this.shape !== null && isAblated(this.ablated, this.shape, this.layer, this.head));
	get isHeadAblated() {
		return get(this.#isHeadAblated);
	}
	set isHeadAblated(value) {
		set(this.#isHeadAblated, value);
	}
	#title = user_derived(() => {
		if (!this.map) return "";
		return this.methodInfo ? methodTitle(this.methodInfo, this.classes) : mapName(this.layer, this.head);
	});
	get title() {
		return get(this.#title);
	}
	set title(value) {
		set(this.#title, value);
	}
	#reading = user_derived(() => readingOf(this));
	get reading() {
		return get(this.#reading);
	}
	set reading(value) {
		set(this.#reading, value);
	}
	#headline = user_derived(() => headlineOf(this));
	get headline() {
		return get(this.#headline);
	}
	set headline(value) {
		set(this.#headline, value);
	}
	#line = user_derived(() => lineOf(this, this.#explorer.faithfulness));
	get line() {
		return get(this.#line);
	}
	set line(value) {
		set(this.#line, value);
	}
	constructor(explorer) {
		this.#explorer = explorer;
	}
	scaleOf(row, layer, head) {
		if (this.scaleChoice === "map" && this.shape) return mapScale(row, this.shape);
		if (this.scaleChoice === "uniform") return get(this.#uniformScale);
		return get(this.#sharedScales)[layer === -1 || head === -1 ? "means" : "heads"];
	}
	releaseMethod() {
		this.#retainedMethod = null;
	}
	scheduleDraw() {
		this.#frame ||= requestAnimationFrame(() => this.draw());
	}
	flushDraw() {
		if (this.#frame) this.draw();
	}
	draw() {
		const explorer = this.#explorer;
		const { choices, maps, shape, attention } = explorer;
		cancelAnimationFrame(this.#frame);
		this.#frame = 0;
		if (!explorer.reply || !attention) return;
		const start = performance.now();
		const requestedMethod = choices.hover < 0 ? choices.method : null;
		const method = requestedMethod !== null && maps[requestedMethod] ? requestedMethod : null;
		if (requestedMethod !== null && method === null && this.#retainedMethod === requestedMethod) return showWaiting(explorer);
		const query = queryPatches(choices, shape);
		this.#placeMarks(query, method);
		if (attention.full !== null || firstRowsSuffice(query, choices.direction)) {
			if (explorer.markers.state !== "working") stopWaiting(explorer);
			this.#update(query, method);
		} else if (explorer.fullAttentionFailed) fallBackToClassToken(explorer);
		else showWaiting(explorer);
		flushSync();
		this.#measure(start);
	}
	#placeMarks(query, method) {
		const { removed, readoutPatch, method: chosen } = this.#explorer.choices;
		const framed = method === null ? query : [];
		this.imageMarks = {
			query: framed,
			removed,
			read: readoutPatch
		};
		this.mapMarks = {
			query: framed,
			removed,
			read: readoutPatch
		};
		this.isClassTokenQuery = !query.length && chosen === null;
	}
	#update(query, method) {
		const { choices, shape, attention, reply, maps, targetNames } = this.#explorer;
		this.shape = shape;
		this.attention = attention;
		this.scaleLimits = reply?.limits ?? NO_LIMITS;
		if (String(query) !== String(this.query)) this.query = query;
		this.direction = choices.direction;
		this.layer = choices.layer;
		this.head = choices.head;
		this.scaleChoice = choices.scale;
		this.readoutPatch = choices.readoutPatch;
		this.ablated = choices.ablated;
		this.mode = choices.mode;
		this.method = this.#retainedMethod = method;
		this.methodValues = method === null ? NO_VALUES : maps[method];
		this.classes = targetNames;
	}
	#measure(start) {
		if (++this.#measured % 1e3 === 0) performance.clearMeasures("vitviz:redraw");
		performance.measure("vitviz:redraw", {
			start,
			end: performance.now()
		});
	}
};
// src/explore/state.svelte.ts
var REMOVING = "Click patches, or drag over them, to remove them; click again to restore them.";
var Choices = class {
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
	#layer = state(-1);
	get layer() {
		return get(this.#layer);
	}
	set layer(value) {
		set(this.#layer, value);
	}
	#head = state(-1);
	get head() {
		return get(this.#head);
	}
	set head(value) {
		set(this.#head, value);
	}
	#pins = state([]);
	get pins() {
		return get(this.#pins);
	}
	set pins(value) {
		set(this.#pins, value);
	}
	#isMultiPatchQuery = state(false);
	get isMultiPatchQuery() {
		return get(this.#isMultiPatchQuery);
	}
	set isMultiPatchQuery(value) {
		set(this.#isMultiPatchQuery, value);
	}
	#direction = state("from");
	get direction() {
		return get(this.#direction);
	}
	set direction(value) {
		set(this.#direction, value);
	}
	#scale = state("shared");
	get scale() {
		return get(this.#scale);
	}
	set scale(value) {
		set(this.#scale, value);
	}
	#smooth = state(false);
	get smooth() {
		return get(this.#smooth);
	}
	set smooth(value) {
		set(this.#smooth, value);
	}
	#outlines = state(60);
	get outlines() {
		return get(this.#outlines);
	}
	set outlines(value) {
		set(this.#outlines, value);
	}
	#method = state(null);
	get method() {
		return get(this.#method);
	}
	set method(value) {
		set(this.#method, value);
	}
	#ablated = state([]);
	get ablated() {
		return get(this.#ablated);
	}
	set ablated(value) {
		set(this.#ablated, value);
	}
	#removed = state([]);
	get removed() {
		return get(this.#removed);
	}
	set removed(value) {
		set(this.#removed, value);
	}
	#mode = state("zero");
	get mode() {
		return get(this.#mode);
	}
	set mode(value) {
		set(this.#mode, value);
	}
	#patch_mode = state("drop");
	get patch_mode() {
		return get(this.#patch_mode);
	}
	set patch_mode(value) {
		set(this.#patch_mode, value);
	}
	#target = state([]);
	get target() {
		return get(this.#target);
	}
	set target(value) {
		set(this.#target, value);
	}
	#hover = state(-1);
	get hover() {
		return get(this.#hover);
	}
	set hover(value) {
		set(this.#hover, value);
	}
	#readoutPatch = state(-1);
	get readoutPatch() {
		return get(this.#readoutPatch);
	}
	set readoutPatch(value) {
		set(this.#readoutPatch, value);
	}
};
var Markers = class {
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
	#full = state();
	get full() {
		return get(this.#full);
	}
	set full(value) {
		set(this.#full, value);
	}
	#methods = state();
	get methods() {
		return get(this.#methods);
	}
	set methods(value) {
		set(this.#methods, value);
	}
	#scores = state();
	get scores() {
		return get(this.#scores);
	}
	set scores(value) {
		set(this.#scores, value);
	}
	#changed = state();
	get changed() {
		return get(this.#changed);
	}
	set changed(value) {
		set(this.#changed, value);
	}
};
var Explorer = class {
	host;
	theme;
	choices = new Choices();
	markers = new Markers();
	view;
	gallery;
	#catalog = state();
	get catalog() {
		return get(this.#catalog);
	}
	set catalog(value) {
		set(this.#catalog, value);
	}
	#root = state(null);
	get root() {
		return get(this.#root);
	}
	set root(value) {
		set(this.#root, value);
	}
	#shelf = state("sample");
	get shelf() {
		return get(this.#shelf);
	}
	set shelf(value) {
		set(this.#shelf, value);
	}
	#download = state(null);
	get download() {
		return get(this.#download);
	}
	set download(value) {
		set(this.#download, value);
	}
	followsDownload = false;
	#pointedMethod = state(null);
	get pointedMethod() {
		return get(this.#pointedMethod);
	}
	set pointedMethod(value) {
		set(this.#pointedMethod, value);
	}
	#removing = state(false);
	get removing() {
		return get(this.#removing);
	}
	set removing(value) {
		set(this.#removing, value);
	}
	#dropping = state(false);
	get dropping() {
		return get(this.#dropping);
	}
	set dropping(value) {
		set(this.#dropping, value);
	}
	#isHidden = state(false);
	get isHidden() {
		return get(this.#isHidden);
	}
	set isHidden(value) {
		set(this.#isHidden, value);
	}
	#showsJump = state(false);
	get showsJump() {
		return get(this.#showsJump);
	}
	set showsJump(value) {
		set(this.#showsJump, value);
	}
	#presented = state(null);
	get presented() {
		return get(this.#presented);
	}
	set presented(value) {
		set(this.#presented, value);
	}
	mapIsInView = true;
	#reply = state(null);
	get reply() {
		return get(this.#reply);
	}
	set reply(value) {
		set(this.#reply, value);
	}
	#shape = state();
	get shape() {
		return get(this.#shape);
	}
	set shape(value) {
		set(this.#shape, value);
	}
	#attention = state(null);
	get attention() {
		return get(this.#attention);
	}
	set attention(value) {
		set(this.#attention, value);
	}
	#image = state(null);
	get image() {
		return get(this.#image);
	}
	set image(value) {
		set(this.#image, value);
	}
	#maps = state({});
	get maps() {
		return get(this.#maps);
	}
	set maps(value) {
		set(this.#maps, value);
	}
	mapsOf = null;
	#ablation = state(null);
	get ablation() {
		return get(this.#ablation);
	}
	set ablation(value) {
		set(this.#ablation, value);
	}
	#faithfulness = state(null);
	get faithfulness() {
		return get(this.#faithfulness);
	}
	set faithfulness(value) {
		set(this.#faithfulness, value);
	}
	fullAttentionFailed = false;
	shown = null;
	recorded = {
		image: "",
		time: 0
	};
	previousChanges = {
		ablated: [],
		removed: [],
		mode: "zero",
		patch_mode: "drop"
	};
	failedModel = null;
	openSaveDialog = null;
	ticket = 0;
	methodsTicket = 0;
	ablationTicket = 0;
	#notice = state(null);
	get notice() {
		return get(this.#notice);
	}
	set notice(value) {
		set(this.#notice, value);
	}
	#noticeIsError = state(false);
	get noticeIsError() {
		return get(this.#noticeIsError);
	}
	set noticeIsError(value) {
		set(this.#noticeIsError, value);
	}
	#voice = state("");
	get voice() {
		return get(this.#voice);
	}
	set voice(value) {
		set(this.#voice, value);
	}
	waiting;
	speaking;
	writing;
	#datasetRun = user_derived(() => {
		const { checkpoint, image } = this.choices;
		if (this.model(checkpoint)?.dataset) return checkpoint;
		return image?.kind === "dataset" ? image.run : null;
	});
	get datasetRun() {
		return get(this.#datasetRun);
	}
	set datasetRun(value) {
		set(this.#datasetRun, value);
	}
	#predictedClass = user_derived(() => this.reply ? largest(this.reply.probabilities) : 0);
	get predictedClass() {
		return get(this.#predictedClass);
	}
	set predictedClass(value) {
		set(this.#predictedClass, value);
	}
	#targetClass = user_derived(() => this.choices.target[0] ?? this.predictedClass);
	get targetClass() {
		return get(this.#targetClass);
	}
	set targetClass(value) {
		set(this.#targetClass, value);
	}
	#targetNames = user_derived(() => [this.targetClass, ...this.choices.target.slice(1)].map((k) => this.reply?.classes[k] ?? ""));
	get targetNames() {
		return get(this.#targetNames);
	}
	set targetNames(value) {
		set(this.#targetNames, value);
	}
	#status = user_derived(() => {
		if (this.notice !== null) return [this.notice];
		const method = this.host.live || this.faithfulness ? this.method(this.pointedMethod) : void 0;
		if (method && method.key !== this.view.method) return [scoreSentence(method, this.faithfulness)];
		return this.removing ? [REMOVING] : this.view.line;
	});
	get status() {
		return get(this.#status);
	}
	set status(value) {
		set(this.#status, value);
	}
	constructor(host) {
		this.host = host;
		this.catalog = host.catalog;
		this.theme = new ThemeColors(host.element, host.catalog.colors);
		this.view = new View(this);
		this.gallery = new Gallery(this);
	}
	method(key) {
		return this.catalog.methods.find((method) => method.key === key);
	}
	model(name) {
		return this.catalog.checkpoints.find((checkpoint) => checkpoint.name === name);
	}
	get key() {
		return this.ablation?.key ?? this.reply?.key ?? "";
	}
	get isVisible() {
		return (this.root?.getClientRects().length ?? 0) > 0;
	}
};
// src/explore/actions.ts
function act(explorer, change, delay = 600) {
	const { choices } = explorer;
	clearNotice(explorer);
	Object.assign(choices, change);
	choices.isMultiPatchQuery &&= choices.pins.length > 0;
	explorer.view.scheduleDraw();
	announceSoon(explorer, delay);
	writeAddressSoon(explorer);
	explorer.showsJump = !explorer.mapIsInView;
}
function hover(explorer, change, delay = 600) {
	clearNotice(explorer);
	Object.assign(explorer.choices, change);
	explorer.view.scheduleDraw();
	announceSoon(explorer, delay);
}
function chooseHead(explorer, layer, head, delay = 600) {
	act(explorer, {
		layer,
		head,
		method: null
	}, delay);
}
function queryClassToken(explorer) {
	act(explorer, {
		pins: [],
		hover: -1,
		isMultiPatchQuery: false,
		method: null
	}, 0);
}
function pinPatch(explorer, patch, add) {
	const { shape, choices } = explorer;
	if (isRemoved(patch, shape)) return showNotice(explorer, removedLine(patch, shape));
	const isPinned = choices.pins.includes(patch);
	const isMultiPatchQuery = choices.isMultiPatchQuery || add;
	act(explorer, {
		method: null,
		isMultiPatchQuery,
		pins: isMultiPatchQuery ? toggled(choices.pins, patch) : isPinned ? [] : [patch]
	});
	announceSoon(explorer, 600, isPinned ? "Unpinned. " : "Pinned. ");
}
function chooseMethod(explorer, key) {
	act(explorer, { method: explorer.choices.method === key ? null : key });
}
function leaveMethod(explorer) {
	act(explorer, { method: null }, 0);
	focusTile(explorer);
}
function chooseClass(explorer, k) {
	const { target } = explorer.choices;
	retarget(explorer, [k, ...target[1] === k ? [] : target.slice(1)]);
}
function chooseContrast(explorer, text) {
	const first = explorer.targetClass;
	retarget(explorer, text === "" || Number(text) === first ? [first] : [first, Number(text)]);
}
function retarget(explorer, target) {
	if (!explorer.reply) return;
	act(explorer, { target: target.length === 1 && target[0] === explorer.predictedClass ? [] : target });
	if (explorer.choices.method === null) {
		const [name, contrast] = explorer.targetNames;
		showNotice(explorer, `Attribution methods now explain ${name}${contrast ? `, contrasted with ${contrast}` : ""}.`);
	}
	fetchMethods(explorer);
}
function ablate(explorer, change) {
	act(explorer, change, 0);
	fetchAblation(explorer);
}
function toggleHead(explorer) {
	const { reply, shape, choices, host } = explorer;
	const { layer, head, ablated } = choices;
	if (!host.live || !reply || layer === -1 || head === -1) return;
	ablate(explorer, {
		ablated: toggled(ablated, layer * shape.heads + head),
		method: null
	});
}
function togglePatch(explorer, patch) {
	if (!explorer.host.live) return;
	const { removed, pins } = explorer.choices;
	ablate(explorer, {
		removed: toggled(removed, patch),
		pins: pins.filter((pin) => pin !== patch),
		method: null
	});
}
function restoreAll(explorer) {
	ablate(explorer, {
		ablated: [],
		removed: []
	});
	focusTile(explorer);
}
function focusTile({ root, shape, choices, view }, options = { preventScroll: true }) {
	view.draw();
	const down = choices.layer === -1 ? shape.layers : choices.layer;
	const right = choices.head === -1 ? shape.heads : choices.head;
	root?.querySelectorAll(".matrix .cell")[down * (shape.heads + 1) + right]?.focus(options);
}
function toggleRemoving(explorer) {
	explorer.removing = !explorer.removing;
	showNotice(explorer, null);
	explorer.voice = explorer.removing ? REMOVING : "Clicks pin patches again.";
}
function writeAddress(explorer, how = "replaceState") {
	clearTimeout(explorer.writing);
	const { host, reply, choices, shape, shown } = explorer;
	if (!host.live || !reply || !shown) return;
	const { checkpoint, image } = shown;
	const upload = image.kind === "upload" ? image : null;
	updateAddress(addressOf(choices, image, shape, checkpoint), DEFAULTS, how, { upload });
}
function writeAddressSoon(explorer) {
	clearTimeout(explorer.writing);
	explorer.writing = setTimeout(() => writeAddress(explorer), 150);
}
// src/explore/history.ts
var ENTRY_DELAY = 1e3;
function recordImage(explorer) {
	const image = JSON.stringify({
		...explorer.shown?.image,
		crop: void 0
	});
	const isOther = image !== explorer.recorded.image;
	const isLater = performance.now() - explorer.recorded.time >= ENTRY_DELAY;
	if (isOther) explorer.recorded = {
		image,
		time: performance.now()
	};
	writeAddress(explorer, isOther && isLater ? "pushState" : "replaceState");
}
async function followHistory(explorer) {
	const { catalog, choices, shown } = explorer;
	const params = new URLSearchParams(location.search);
	const wanted = params.get("image");
	if (!shown || !wanted || params.has("tab")) return;
	const [chosen, linked] = readAddress(params, catalog, history.state);
	if (wanted === imageParam(shown.image) && JSON.stringify(chosen.image) === JSON.stringify(shown.image)) return;
	Object.assign(choices, chosen);
	if (!choices.image) return;
	explorer.recorded = {
		image: JSON.stringify(choices.image),
		time: -1e3
	};
	await load(explorer, choices.checkpoint, choices.image, linked);
	const missing = unavailableSentences(params, catalog, choices);
	if (missing && !explorer.noticeIsError) showNotice(explorer, missing);
}
// src/explore/images.ts
var DOWNLOAD_DELAY = 1e3;
var ACCEPTED = {
	names: "PNG, JPEG, WebP, GIF, BMP or TIFF",
	types: [
		"png",
		"jpeg",
		"webp",
		"gif",
		"bmp",
		"tiff"
	].map((name) => `image/${name}`)
};
async function chooseImage(explorer, image) {
	writeAddress(explorer);
	await load(explorer, explorer.choices.checkpoint, image);
	recordImage(explorer);
}
async function chooseTestImage(explorer, index) {
	if (!Number.isInteger(index)) return;
	const { gallery } = explorer;
	const { dataset: run } = gallery;
	await chooseImage(explorer, run === "cifar10" ? {
		kind: "cifar",
		index
	} : {
		kind: "dataset",
		run,
		index
	});
	const { image } = explorer.choices;
	if (image && "index" in image && image.index === index) await gallery.find(index);
}
function showShelf(explorer, kind) {
	explorer.shelf = kind;
	const { catalog, datasetRun, gallery } = explorer;
	if (kind === "cifar" && catalog.cifar.available) gallery.open(CIFAR10);
	else if (kind === "cifar") gallery.dataset = CIFAR10;
	else if (kind === "dataset" && datasetRun) gallery.open(datasetRun);
	if (kind === "cifar" && !catalog.cifar.available && !catalog.public) requestDownload(explorer, "state");
}
async function requestDownload(explorer, action) {
	const { host } = explorer;
	const send = async (next) => {
		const reply = await host.request("cifar_download", { action: next });
		if (isServed(reply)) explorer.download = reply;
		else showNotice(explorer, reasonOf(reply), true);
		return isServed(reply) && reply.running;
	};
	if (!await send(action) || explorer.followsDownload) return;
	explorer.followsDownload = true;
	do
		await pause(DOWNLOAD_DELAY);
	while (await send("state"));
	explorer.followsDownload = false;
	await refreshLists(explorer);
	if (explorer.shelf === "cifar" && explorer.catalog.cifar.available) showShelf(explorer, "cifar");
}
function refusalOf({ name, type, size }, maxBytes) {
	if (/^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name)) return `HEIC images cannot be read: export ${name} as JPEG. ${ACCEPTED.names} are accepted.`;
	if (!type.startsWith("image/")) return `The file must be an image: ${name} is ${type || "of unknown type"}. Choose a ${ACCEPTED.names} file.`;
	if (size > maxBytes) return `An image may have ${`at most ${mebibytes(maxBytes)}: ${name} has ${mebibytes(size)}`}. Reduce its size, for example by saving it as JPEG.`;
	return null;
}
async function takeFile(explorer, file) {
	const { catalog, host } = explorer;
	if (!host.upload) return;
	const refusal = refusalOf(file, catalog.maxBytes);
	if (refusal) return showNotice(explorer, refusal, true);
	const mine = ++explorer.ticket;
	showShelf(explorer, "upload");
	startWaiting(explorer);
	try {
		const { path } = await host.upload(file);
		if (mine === explorer.ticket) chooseImage(explorer, {
			kind: "upload",
			path,
			name: file.name
		});
	} catch {
		const sentence = `${file.name} could not be uploaded: the server is unreachable, or its upload storage is full. Try again later.`;
		if (mine === explorer.ticket) fail(explorer, sentence);
	}
}
// src/explore/options.ts
var CHANGES = {
	query(value, { choices, shape }) {
		const pins = choices.pins.length ? choices.pins : [middlePatch(shape)];
		const kept = {
			class: [],
			patch: pins.slice(0, 1)
		}[value] ?? pins;
		return {
			method: null,
			isMultiPatchQuery: value === "patches",
			pins: kept
		};
	},
	direction: (value) => ({
		direction: oneOf(value, ["from", "to"]),
		method: null
	}),
	scale: (value) => ({
		scale: oneOf(value, [
			"shared",
			"uniform",
			"map"
		]),
		method: null
	}),
	display: (value) => ({ smooth: value === "smooth" })
};
function chooseOption(explorer, name, value) {
	if (!explorer.reply) return;
	act(explorer, CHANGES[name](value, explorer), 0);
	if (value === "patches") showNotice(explorer, "Click patches to add them to the query; click again to remove them.");
}
function fallBackToClassToken(explorer) {
	Object.assign(explorer.choices, {
		pins: [],
		isMultiPatchQuery: false,
		hover: -1,
		direction: "from"
	});
	stopWaiting(explorer);
	explorer.view.draw();
	showNotice(explorer, "The attention between patches could not be loaded. Choose the image again to retry.", true);
}
async function showModel(explorer, name, linked = null) {
	const { choices, gallery } = explorer;
	if (choices.image) await load(explorer, name, choices.image, linked);
	if (choices.checkpoint === name) writeAddressSoon(explorer);
	if (explorer.shelf === "dataset") showShelf(explorer, explorer.datasetRun ? "dataset" : "sample");
	else if (explorer.shelf === "cifar") gallery.fill();
}
// src/lib/Progress.svelte
var root$6 = from_html(`<div role="progressbar" aria-valuemin="0" aria-valuemax="100"><i></i></div>`);
function Progress($$anchor, $$props) {
	const whole = prop($$props, "whole", 3, false), hidden = prop($$props, "hidden", 3, false);
	var div = root$6();
	var i = child(div);
	let styles;
	reset(div);
	template_effect(($0) => {
		set_class(div, 1, clsx(["progress", { whole: whole() }]));
		set_attribute(div, "aria-label", $$props.label);
		set_attribute(div, "aria-valuenow", $0);
		set_attribute(div, "hidden", hidden());
		styles = set_style(i, "", styles, { width: `${100 * $$props.progress}%` });
	}, [() => Math.round(100 * $$props.progress)]);
	append($$anchor, div);
}
// src/lib/Download.svelte
var root$5 = from_html(`<div><p class="sentence"> </p> <div class="downloading"><!> <span class="downloaded"> </span></div> <button type="button" class="button" data-do="download"> </button> <button type="button" class="button" data-do="cancel">Cancel</button></div>`);
function Download($$anchor, $$props) {
	push($$props, true);
	const hidden = prop($$props, "hidden", 3, false);
	const isRunning = user_derived(() => $$props.download?.running ?? false);
	const failure = user_derived(() => $$props.download?.message ?? "");
	const progressLine = user_derived(() => `Downloading ${$$props.name}. Its checksum is verified before use.`);
	var div = root$5();
	var p = child(div);
	var text = only_child(p, true);
	var div_1 = sibling(p, 2);
	var node = child(div_1);
	{
		let $0 = user_derived(() => $$props.download?.progress ?? 0);
		Progress(node, {
			label: "Download progress",
			get progress() {
				return get($0);
			}
		});
	}
	var text_1 = only_child(sibling(node, 2));
	reset(div_1);
	var button = sibling(div_1, 2);
	var text_2 = only_child(button);
	var button_1 = sibling(button, 2);
	reset(div);
	template_effect(($0) => {
		set_class(div, 1, clsx(["absent", { failed: get(failure) }]));
		set_attribute(div, "hidden", hidden());
		set_text(text, get(failure) || (get(isRunning) ? get(progressLine) : $$props.missing));
		set_attribute(div_1, "hidden", !get(isRunning));
		set_text(text_1, `${$0 ?? ""} of 170 MB`);
		set_attribute(button, "hidden", get(isRunning));
		set_text(text_2, `Download ${$$props.name ?? ""} (170 MB)`);
		set_attribute(button_1, "hidden", !get(isRunning));
	}, [() => Math.round(170 * ($$props.download?.progress ?? 0))]);
	delegated("click", button, function(...$$args) {
		$$props.onstart?.apply(this, $$args);
	});
	delegated("click", button_1, function(...$$args) {
		$$props.oncancel?.apply(this, $$args);
	});
	append($$anchor, div);
	pop();
}
delegate(["click"]);
// src/explore/tour.ts
var STOPS = [
	{
		target: ".image-column .stage",
		title: "The image is cut into patches",
		text: "Point at a patch: all maps now show what this patch attends to. Click to pin it. Otherwise the class token, from which the prediction is read, is the query."
	},
	{
		target: ".map-column .stage",
		title: "One head, enlarged",
		text: "The darker a patch, the more attention it gets. Point at the map to read the weights; 1 × uniform is what every token gets if none is preferred."
	},
	{
		target: ".matrix-column",
		title: "All layers and heads",
		text: "Each tile is the same map of another head. Click one to enlarge it. Early layers often look nearby, later ones at parts of the object."
	},
	{
		target: ".prediction-column",
		title: "Does it matter for the prediction?",
		text: "Attention is not an explanation. Ablate a head or remove patches to see the probabilities change, or choose a class: the methods below estimate which patches it depends on, and are tested against random orders."
	}
];
var KEY = "vitviz-intro";
function isDismissed() {
	try {
		return localStorage.getItem(KEY) === "dismissed";
	} catch {
		return false;
	}
}
function dismiss() {
	try {
		localStorage.setItem(KEY, "dismissed");
	} catch {}
}
function stopAfter(key, at) {
	if (key === "Escape") return null;
	if (key === "ArrowRight") return Math.min(at + 1, STOPS.length - 1);
	if (key === "ArrowLeft") return Math.max(at - 1, 0);
}
// \0vite/preload-helper.js
var scriptRel = (function detectScriptRel() {
	const relList = typeof document !== "undefined" && document.createElement("link").relList;
	return relList && relList.supports && relList.supports("modulepreload") ? "modulepreload" : "preload";
})();
var assetsURL = function(dep, importerUrl) {
	return new URL(dep, importerUrl).href;
};
var seen = {};
var isCssPreloadUrl = function isCssPreloadUrl(url) {
	return url.pathname.endsWith(".css");
};
var preloadOnce = function preloadOnce(seen, href, preload) {
	if (href in seen) return seen[href];
	const promise = preload();
	if (!promise) {
		seen[href] = void 0;
		return;
	}
	const preloadPromise = promise.then(() => {
		seen[href] = void 0;
	}, (err) => {
		seen[href] = void 0;
		throw err;
	});
	seen[href] = preloadPromise;
	return preloadPromise;
};
var __vitePreload = function preload(baseModule, deps, importerUrl) {
	let promise = Promise.resolve();
	if (deps && deps.length > 0) {
		let preloadedHrefs;
		const cspNonceMeta = document.querySelector("meta[property=csp-nonce]");
		const cspNonce = cspNonceMeta?.nonce || cspNonceMeta?.getAttribute("nonce");
		function allSettled(promises) {
			return Promise.all(promises.map((p) => Promise.resolve(p).then((value) => ({
				status: "fulfilled",
				value
			}), (reason) => ({
				status: "rejected",
				reason
			}))));
		}
		function importMetaResolve(specifier) {
			if (import.meta.resolve) return new URL(import.meta.resolve(specifier));
			return new URL(specifier, import.meta.url);
		}
		promise = allSettled(deps.map((depString) => {
			depString = assetsURL(depString, importerUrl);
			const dep = importMetaResolve(depString);
			const isCss = isCssPreloadUrl(dep);
			return preloadOnce(seen, dep.href, () => {
				if (preloadedHrefs === void 0) {
					preloadedHrefs = {
						all: new Set(),
						styles: new Set()
					};
					const links = document.getElementsByTagName("link");
					for (let i = links.length - 1; i >= 0; i--) {
						const link = links[i];
						preloadedHrefs.all.add(link.href);
						if (link.rel === "stylesheet") preloadedHrefs.styles.add(link.href);
					}
				}
				if ((isCss ? preloadedHrefs.styles : preloadedHrefs.all).has(dep.href)) return;
				const link = document.createElement("link");
				link.rel = isCss ? "stylesheet" : scriptRel;
				if (!isCss) link.as = "script";
				link.crossOrigin = "";
				link.href = dep.href;
				if (cspNonce) link.setAttribute("nonce", cspNonce);
				document.head.appendChild(link);
				if (isCss) return new Promise((res, rej) => {
					const handleSettle = (e) => {
						link.removeEventListener("load", handleSettle);
						link.removeEventListener("error", handleSettle);
						if (e.type === "error") rej(new Error(`Unable to preload CSS for ${dep}`));
						else res(e);
					};
					link.addEventListener("load", handleSettle);
					link.addEventListener("error", handleSettle);
				});
			});
		}).filter((p) => p !== void 0));
	}
	function handlePreloadError(err) {
		const e = new Event("vite:preloadError", { cancelable: true });
		e.payload = err;
		window.dispatchEvent(e);
		if (!e.defaultPrevented) throw err;
	}
	return promise.then((res) => {
		for (const item of res || []) {
			if (item.status !== "rejected") continue;
			handlePreloadError(item.reason);
		}
		return baseModule().catch(handlePreloadError);
	});
};
// src/lib/Line.svelte
var root$4 = from_html(`<b> </b>`);
function Line($$anchor, $$props) {
	var fragment = comment();
	each(first_child(fragment), 17, () => $$props.line, index, ($$anchor, part) => {
		var fragment_1 = comment();
		var node_1 = first_child(fragment_1);
		var consequent = ($$anchor) => {
			var text$1 = text();
			template_effect(() => set_text(text$1, get(part)));
			append($$anchor, text$1);
		};
		var alternate = ($$anchor) => {
			var b = root$4();
			var text_1 = only_child(b, true);
			template_effect(() => set_text(text_1, get(part).strong));
			append($$anchor, b);
		};
		if_block(node_1, ($$render) => {
			if (typeof get(part) === "string") $$render(consequent);
			else $$render(alternate, -1);
		});
		append($$anchor, fragment_1);
	});
	append($$anchor, fragment);
}
// src/explore/share.ts
async function copyLink(explorer) {
	writeAddress(explorer);
	const rest = explorer.choices.image?.kind === "upload" ? " It does not contain the uploaded image." : "";
	try {
		await navigator.clipboard.writeText(location.href);
		showNotice(explorer, `Link copied.${rest}`);
	} catch {
		showNotice(explorer, `The browser does not allow copying: copy the link from the address bar.${rest}`);
	}
}
var nullable = (index) => index === -1 ? null : index;
function shownView({ choices, reply, targetClass }) {
	const { layer, head, pins, direction, method, target, scale, smooth, outlines } = choices;
	return {
		method,
		layer: nullable(layer),
		head: nullable(head),
		patches: pins,
		direction,
		target: [targetClass, ...target.slice(1)],
		scale,
		smooth,
		outlines: outlines / 100,
		truth: reply?.image.truth ?? null
	};
}
// src/lib/TilePreview.svelte
var root$3 = from_html(`<canvas></canvas>`);
var root_1$3 = from_html(`<div class="matrix-preview" aria-hidden="true"><!> <b> </b> <span> </span></div>`);
function TilePreview($$anchor, $$props) {
	push($$props, true);
	let node;
	let large = state(void 0);
	function copy() {
		if (!$$props.canvas || !get(large)) return;
		if (get(large).width !== $$props.canvas.width) get(large).width = $$props.canvas.width;
		if (get(large).height !== $$props.canvas.height) get(large).height = $$props.canvas.height;
		get(large).getContext("2d")?.drawImage($$props.canvas, 0, 0);
	}
	user_effect(() => {
		copy();
		place();
	});
	function place() {
		const box = node.parentElement?.getBoundingClientRect();
		if (!box) return;
		const { left, width, top, bottom } = $$props.cell.getBoundingClientRect();
		const middle = left + width / 2 - box.left - node.offsetWidth / 2;
		const isAbove = (top + bottom) / 2 > box.top + box.height / 2;
		node.style.left = `${Math.max(0, Math.min(middle, box.width - node.offsetWidth))}px`;
		node.style.top = `${isAbove ? top - box.top - node.offsetHeight - 10 : bottom - box.top + 10}px`;
	}
	var $$exports = { copy };
	var div = root_1$3();
	var node_1 = child(div);
	var consequent = ($$anchor) => {
		var canvas_1 = root$3();
		bind_this(canvas_1, ($$value) => set(large, $$value), () => get(large));
		append($$anchor, canvas_1);
	};
	if_block(node_1, ($$render) => {
		if ($$props.canvas) $$render(consequent);
	});
	var b = sibling(node_1, 2);
	var text_1 = only_child(b, true);
	var text_2 = only_child(sibling(b, 2), true);
	reset(div);
	bind_this(div, ($$value) => node = $$value, () => node);
	template_effect(() => {
		set_text(text_1, $$props.title);
		set_text(text_2, $$props.text);
	});
	append($$anchor, div);
	return pop($$exports);
}
// src/lib/Matrix.svelte
var root$2 = from_html(`<button type="button" role="gridcell"><canvas></canvas></button>`);
var root_1$2 = from_html(`<span> </span>`);
var root_2 = from_html(`<div role="row"><!> <!></div>`);
var root_3 = from_html(`<div><div class="matrix-frame"><div role="grid"><div class="matrix-row head-row" role="row"><span class="label corner"> </span> <!></div> <!></div></div> <!></div>`);
function Matrix($$anchor, $$props) {
	push($$props, true);
	const cell = ($$anchor, row = noop, column = noop) => {
		const isChosen = user_derived(() => isReady() && row() === $$props.layer && column() === $$props.head);
		const ablated = user_derived(() => isAblated()(row(), column()));
		var button = root$2();
		template_effect(($0, $1) => {
			set_class(button, 1, clsx([
				"cell",
				column() === -1 && "mean",
				get(ablated) && "ablated"
			]));
			set_attribute(button, "data-head", $0);
			set_attribute(button, "aria-label", $1);
			set_attribute(button, "aria-selected", isReady() ? get(isChosen) && isShown() : void 0);
			set_attribute(button, "tabindex", isReady() ? get(isChosen) ? 0 : -1 : void 0);
		}, [() => numberName(column()), () => `${mapName(row(), column())}${get(ablated) ? ", ablated" : ""}`]);
		delegated("click", button, () => $$props.onchoose(row(), column(), false));
		append($$anchor, button);
	};
	const header = ($$anchor, role = noop, kind = noop, index = noop) => {
		var span = root_1$2();
		var text = only_child(span, true);
		template_effect(($0, $1) => {
			set_class(span, 1, $0);
			set_attribute(span, "role", role());
			set_text(text, $1);
		}, [() => clsx([
			"label",
			index() === -1 && "mean",
			isOn(kind() === "layer" ? $$props.layer : $$props.head, index()) && "on"
		]), () => headerText(kind(), index(), $$props.shape)]);
		append($$anchor, span);
	};
	let isReady = prop($$props, "isReady", 3, true), isShown = prop($$props, "isShown", 3, true), isAblated = prop($$props, "isAblated", 3, () => false), framed = prop($$props, "framed", 3, null);
	let frame;
	let node;
	let tiles = [];
	let built = "";
	let preview = state(void 0);
	let hasMore = state(false);
	let pointed = state(null);
	const layers = user_derived(() => $$props.shape.layers);
	const heads = user_derived(() => $$props.shape.heads);
	const size = user_derived(() => `${get(layers)} ${get(heads)} ${$$props.shape.columns} ${$$props.shape.rows}`);
	const down = user_derived(() => withMean(get(layers)));
	const across = user_derived(() => withMean(get(heads)));
	const isOn = (at, index) => isReady() && isShown() && at === index;
	function build() {
		const [columns, rows] = [$$props.shape.columns, $$props.shape.rows];
		const canvases = [...node.querySelectorAll("canvas")];
		tiles = get(down).flatMap((row) => get(across).map((column) => ({
			layer: row,
			head: column
		}))).map((map, i) => ({
			...map,
			values: makeTile(canvases[i], columns, rows)
		}));
		built = get(size);
	}
	user_effect(() => {
		if (built !== get(size)) build();
		$$props.paint(tiles);
		untrack(() => get(preview)?.copy());
	});
	user_effect(() => {
		$$props.layer, $$props.head, get(size), isShown();
		const chosen = isReady() && chosenButton();
		if (chosen) scrollInto(frame, chosen);
	});
	function measure() {
		set(hasMore, frame.scrollLeft + frame.clientWidth < frame.scrollWidth - 1);
	}
	user_effect(() => {
		const observer = new ResizeObserver(measure);
		for (const part of [frame, node]) observer.observe(part);
		return () => observer.disconnect();
	});
	const chosenButton = () => node.querySelector(`[data-layer="${$$props.layer}"] > [data-head="${numberName($$props.head)}"]`);
	function focus(options) {
		chosenButton()?.focus(options);
	}
	function point({ target, pointerType }) {
		const cell = pointerType !== "touch" && target instanceof Element && target.closest(".cell");
		if (cell && isReady()) set(pointed, cell);
	}
	function mapOf(cell) {
		const map = tiles.find(({ values }) => values.canvas === cell.firstElementChild);
		return map && {
			...map,
			isAblated: isAblated()(map.layer, map.head)
		};
	}
	function walk(event) {
		set(pointed, null);
		if (!isReady() || isShortcut(event)) return;
		if (!GRID_KEYS.includes(event.key)) return $$props.onkey?.(event);
		event.preventDefault();
		const next = nextMap($$props.shape, $$props.layer, $$props.head, event.key);
		$$props.onchoose(next.layer, next.head, true);
		flushSync();
		focus();
	}
	var $$exports = { focus };
	var div = root_3();
	var div_1 = child(div);
	var div_2 = child(div_1);
	var div_3 = child(div_2);
	var span_1 = child(div_3);
	var text_1 = only_child(span_1, true);
	each(sibling(span_1, 2), 16, () => get(across), (column) => column, ($$anchor, column) => {
		header($$anchor, () => "columnheader", () => "head", () => column);
	});
	reset(div_3);
	each(sibling(div_3, 2), 16, () => get(down), (row) => row, ($$anchor, row) => {
		var div_4 = root_2();
		var node_3 = child(div_4);
		header(node_3, () => "rowheader", () => "layer", () => row);
		each(sibling(node_3, 2), 16, () => get(across), (column) => column, ($$anchor, column) => {
			cell($$anchor, () => row, () => column);
		});
		reset(div_4);
		template_effect(() => {
			set_class(div_4, 1, clsx([
				"matrix-row",
				row === -1 && "mean-row",
				isReady() && row === $$props.layer && "current"
			]));
			set_attribute(div_4, "data-layer", row);
		});
		append($$anchor, div_4);
	});
	reset(div_2);
	bind_this(div_2, ($$value) => node = $$value, () => node);
	reset(div_1);
	bind_this(div_1, ($$value) => frame = $$value, () => frame);
	var node_5 = sibling(div_1, 2);
	var consequent_1 = ($$anchor) => {
		const map = user_derived(() => mapOf(get(pointed)));
		var fragment_2 = comment();
		var node_6 = first_child(fragment_2);
		var consequent = ($$anchor) => {
			{
				let $0 = user_derived(() => get(map).isAblated ? null : get(map).values.canvas);
				let $1 = user_derived(() => mapName(get(map).layer, get(map).head));
				let $2 = user_derived(() => get(map).isAblated ? "ablated" : $$props.describe?.(get(map).layer, get(map).head) ?? "");
				bind_this(TilePreview($$anchor, {
					get cell() {
						return get(pointed);
					},
					get canvas() {
						return get($0);
					},
					get title() {
						return get($1);
					},
					get text() {
						return get($2);
					}
				}), ($$value) => set(preview, $$value, true), () => get(preview));
			}
		};
		if_block(node_6, ($$render) => {
			if (get(map)) $$render(consequent);
		});
		append($$anchor, fragment_2);
	};
	if_block(node_5, ($$render) => {
		if (get(pointed)) $$render(consequent_1);
	});
	reset(div);
	template_effect(() => {
		set_class(div, 1, clsx(["matrix-box", get(hasMore) && "has-more"]));
		set_class(div_2, 1, clsx(["matrix", framed() && "framed"]));
		set_attribute(div_2, "aria-label", $$props.label);
		set_style(div_2, framed() && `--query-left: ${framed().left}; --query-top: ${framed().top}`);
		set_text(text_1, get(heads) > 6 ? "head" : "");
	});
	event("scroll", div_1, measure);
	delegated("keydown", div_2, walk);
	delegated("pointerover", div_2, point);
	event("pointerleave", div_2, () => {
		set(pointed, null);
	});
	append($$anchor, div);
	return pop($$exports);
}
delegate([
	"click",
	"keydown",
	"pointerover"
]);
// src/lib/accuracy.ts
var FEW = 100;
var digitsFor = (images) => images && images < 1e3 ? 0 : 1;
function accuracyNumber(accuracy, images) {
	return images && images < FEW ? `${Math.round(accuracy * images)} of ${images}` : percent(accuracy, digitsFor(images));
}
function accuracyText(accuracy, images, split = "test") {
	const number = accuracyNumber(accuracy, images);
	if (!images) return `${number} of the ${split} images`;
	if (images < FEW) return `${number} ${split} images`;
	const [low, high] = wilsonInterval(accuracy, images).map((end) => (100 * end).toFixed(digitsFor(images)));
	return `${number} (${images.toLocaleString("en-US")} ${split} images, 95\u00a0% interval ${low} to ${high})`;
}
function wilsonInterval(proportion, count) {
	const z = 1.96;
	const scale = 1 + z ** 2 / count;
	const center = proportion + z ** 2 / (2 * count);
	const half = z * Math.sqrt(proportion * (1 - proportion) / count + z ** 2 / (4 * count ** 2));
	return [(center - half) / scale, (center + half) / scale];
}
function accuracyLine(model) {
	if (!model) return "";
	if (!model.is_classifier) return "This model was trained to predict masked patches, not labels: its attention is meaningful, its prediction is not.";
	if (model.accuracy == null) return "No accuracy is recorded with this model: it may be untrained.";
	return `Accuracy ${accuracyText(model.accuracy, model.eval_samples, model.measured_on ?? "test")}, as recorded with the model.`;
}
// node_modules/d3-array/dist/d3-array.mjs
function ascending(a, b) {
	return a == null || b == null ? NaN : a < b ? -1 : a > b ? 1 : a >= b ? 0 : NaN;
}
function descending(a, b) {
	return a == null || b == null ? NaN : b < a ? -1 : b > a ? 1 : b >= a ? 0 : NaN;
}
function bisector(f) {
	let compare1, compare2, delta;
	if (f.length !== 2) {
		compare1 = ascending;
		compare2 = (d, x) => ascending(f(d), x);
		delta = (d, x) => f(d) - x;
	} else {
		compare1 = f === ascending || f === descending ? f : zero$1;
		compare2 = f;
		delta = f;
	}
	function left(a, x, lo = 0, hi = a.length) {
		if (lo < hi) {
			if (compare1(x, x) !== 0) return hi;
			do {
				const mid = lo + hi >>> 1;
				if (compare2(a[mid], x) < 0) lo = mid + 1;
				else hi = mid;
			} while (lo < hi);
		}
		return lo;
	}
	function right(a, x, lo = 0, hi = a.length) {
		if (lo < hi) {
			if (compare1(x, x) !== 0) return hi;
			do {
				const mid = lo + hi >>> 1;
				if (compare2(a[mid], x) <= 0) lo = mid + 1;
				else hi = mid;
			} while (lo < hi);
		}
		return lo;
	}
	function center(a, x, lo = 0, hi = a.length) {
		const i = left(a, x, lo, hi - 1);
		return i > lo && delta(a[i - 1], x) > -delta(a[i], x) ? i - 1 : i;
	}
	return {
		left,
		center,
		right
	};
}
function zero$1() {
	return 0;
}
function number$2(x) {
	return x === null ? NaN : +x;
}
var ascendingBisect = bisector(ascending);
var bisectRight = ascendingBisect.right;
ascendingBisect.left;
bisector(number$2).center;
Array.prototype.slice;
var e10 = Math.sqrt(50);
var e5 = Math.sqrt(10);
var e2 = Math.sqrt(2);
function tickSpec(start, stop, count) {
	const step = (stop - start) / Math.max(0, count), power = Math.floor(Math.log10(step)), error = step / Math.pow(10, power), factor = error >= e10 ? 10 : error >= e5 ? 5 : error >= e2 ? 2 : 1;
	let i1, i2, inc;
	if (power < 0) {
		inc = Math.pow(10, -power) / factor;
		i1 = Math.round(start * inc);
		i2 = Math.round(stop * inc);
		if (i1 / inc < start) ++i1;
		if (i2 / inc > stop) --i2;
		inc = -inc;
	} else {
		inc = Math.pow(10, power) * factor;
		i1 = Math.round(start / inc);
		i2 = Math.round(stop / inc);
		if (i1 * inc < start) ++i1;
		if (i2 * inc > stop) --i2;
	}
	if (i2 < i1 && .5 <= count && count < 2) return tickSpec(start, stop, count * 2);
	return [
		i1,
		i2,
		inc
	];
}
function ticks$1(start, stop, count) {
	stop = +stop, start = +start, count = +count;
	if (!(count > 0)) return [];
	if (start === stop) return [start];
	const reverse = stop < start, [i1, i2, inc] = reverse ? tickSpec(stop, start, count) : tickSpec(start, stop, count);
	if (!(i2 >= i1)) return [];
	const n = i2 - i1 + 1, ticks = new Array(n);
	if (reverse) {
		if (inc < 0) for (let i = 0; i < n; ++i) ticks[i] = (i2 - i) / -inc;
		else for (let i = 0; i < n; ++i) ticks[i] = (i2 - i) * inc;
	} else if (inc < 0) for (let i = 0; i < n; ++i) ticks[i] = (i1 + i) / -inc;
	else for (let i = 0; i < n; ++i) ticks[i] = (i1 + i) * inc;
	return ticks;
}
function tickIncrement(start, stop, count) {
	stop = +stop, start = +start, count = +count;
	return tickSpec(start, stop, count)[2];
}
function tickStep(start, stop, count) {
	stop = +stop, start = +start, count = +count;
	const reverse = stop < start, inc = reverse ? tickIncrement(stop, start, count) : tickIncrement(start, stop, count);
	return (reverse ? -1 : 1) * (inc < 0 ? 1 / -inc : inc);
}
// node_modules/d3-color/dist/d3-color.mjs
function define(constructor, factory, prototype) {
	constructor.prototype = factory.prototype = prototype;
	prototype.constructor = constructor;
}
function extend(parent, definition) {
	var prototype = Object.create(parent.prototype);
	for (var key in definition) prototype[key] = definition[key];
	return prototype;
}
function Color() {}
var darker = .7;
var brighter = 1 / darker;
var reI = "\\s*([+-]?\\d+)\\s*";
var reN = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*";
var reP = "\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*";
var reHex = /^#([0-9a-f]{3,8})$/;
var reRgbInteger = new RegExp(`^rgb\\(${reI},${reI},${reI}\\)$`);
var reRgbPercent = new RegExp(`^rgb\\(${reP},${reP},${reP}\\)$`);
var reRgbaInteger = new RegExp(`^rgba\\(${reI},${reI},${reI},${reN}\\)$`);
var reRgbaPercent = new RegExp(`^rgba\\(${reP},${reP},${reP},${reN}\\)$`);
var reHslPercent = new RegExp(`^hsl\\(${reN},${reP},${reP}\\)$`);
var reHslaPercent = new RegExp(`^hsla\\(${reN},${reP},${reP},${reN}\\)$`);
var named = {
	aliceblue: 15792383,
	antiquewhite: 16444375,
	aqua: 65535,
	aquamarine: 8388564,
	azure: 15794175,
	beige: 16119260,
	bisque: 16770244,
	black: 0,
	blanchedalmond: 16772045,
	blue: 255,
	blueviolet: 9055202,
	brown: 10824234,
	burlywood: 14596231,
	cadetblue: 6266528,
	chartreuse: 8388352,
	chocolate: 13789470,
	coral: 16744272,
	cornflowerblue: 6591981,
	cornsilk: 16775388,
	crimson: 14423100,
	cyan: 65535,
	darkblue: 139,
	darkcyan: 35723,
	darkgoldenrod: 12092939,
	darkgray: 11119017,
	darkgreen: 25600,
	darkgrey: 11119017,
	darkkhaki: 12433259,
	darkmagenta: 9109643,
	darkolivegreen: 5597999,
	darkorange: 16747520,
	darkorchid: 10040012,
	darkred: 9109504,
	darksalmon: 15308410,
	darkseagreen: 9419919,
	darkslateblue: 4734347,
	darkslategray: 3100495,
	darkslategrey: 3100495,
	darkturquoise: 52945,
	darkviolet: 9699539,
	deeppink: 16716947,
	deepskyblue: 49151,
	dimgray: 6908265,
	dimgrey: 6908265,
	dodgerblue: 2003199,
	firebrick: 11674146,
	floralwhite: 16775920,
	forestgreen: 2263842,
	fuchsia: 16711935,
	gainsboro: 14474460,
	ghostwhite: 16316671,
	gold: 16766720,
	goldenrod: 14329120,
	gray: 8421504,
	green: 32768,
	greenyellow: 11403055,
	grey: 8421504,
	honeydew: 15794160,
	hotpink: 16738740,
	indianred: 13458524,
	indigo: 4915330,
	ivory: 16777200,
	khaki: 15787660,
	lavender: 15132410,
	lavenderblush: 16773365,
	lawngreen: 8190976,
	lemonchiffon: 16775885,
	lightblue: 11393254,
	lightcoral: 15761536,
	lightcyan: 14745599,
	lightgoldenrodyellow: 16448210,
	lightgray: 13882323,
	lightgreen: 9498256,
	lightgrey: 13882323,
	lightpink: 16758465,
	lightsalmon: 16752762,
	lightseagreen: 2142890,
	lightskyblue: 8900346,
	lightslategray: 7833753,
	lightslategrey: 7833753,
	lightsteelblue: 11584734,
	lightyellow: 16777184,
	lime: 65280,
	limegreen: 3329330,
	linen: 16445670,
	magenta: 16711935,
	maroon: 8388608,
	mediumaquamarine: 6737322,
	mediumblue: 205,
	mediumorchid: 12211667,
	mediumpurple: 9662683,
	mediumseagreen: 3978097,
	mediumslateblue: 8087790,
	mediumspringgreen: 64154,
	mediumturquoise: 4772300,
	mediumvioletred: 13047173,
	midnightblue: 1644912,
	mintcream: 16121850,
	mistyrose: 16770273,
	moccasin: 16770229,
	navajowhite: 16768685,
	navy: 128,
	oldlace: 16643558,
	olive: 8421376,
	olivedrab: 7048739,
	orange: 16753920,
	orangered: 16729344,
	orchid: 14315734,
	palegoldenrod: 15657130,
	palegreen: 10025880,
	paleturquoise: 11529966,
	palevioletred: 14381203,
	papayawhip: 16773077,
	peachpuff: 16767673,
	peru: 13468991,
	pink: 16761035,
	plum: 14524637,
	powderblue: 11591910,
	purple: 8388736,
	rebeccapurple: 6697881,
	red: 16711680,
	rosybrown: 12357519,
	royalblue: 4286945,
	saddlebrown: 9127187,
	salmon: 16416882,
	sandybrown: 16032864,
	seagreen: 3050327,
	seashell: 16774638,
	sienna: 10506797,
	silver: 12632256,
	skyblue: 8900331,
	slateblue: 6970061,
	slategray: 7372944,
	slategrey: 7372944,
	snow: 16775930,
	springgreen: 65407,
	steelblue: 4620980,
	tan: 13808780,
	teal: 32896,
	thistle: 14204888,
	tomato: 16737095,
	turquoise: 4251856,
	violet: 15631086,
	wheat: 16113331,
	white: 16777215,
	whitesmoke: 16119285,
	yellow: 16776960,
	yellowgreen: 10145074
};
define(Color, color, {
	copy(channels) {
		return Object.assign(new this.constructor(), this, channels);
	},
	displayable() {
		return this.rgb().displayable();
	},
	hex: color_formatHex,
	formatHex: color_formatHex,
	formatHex8: color_formatHex8,
	formatHsl: color_formatHsl,
	formatRgb: color_formatRgb,
	toString: color_formatRgb
});
function color_formatHex() {
	return this.rgb().formatHex();
}
function color_formatHex8() {
	return this.rgb().formatHex8();
}
function color_formatHsl() {
	return hslConvert(this).formatHsl();
}
function color_formatRgb() {
	return this.rgb().formatRgb();
}
function color(format) {
	var m, l;
	format = (format + "").trim().toLowerCase();
	return (m = reHex.exec(format)) ? (l = m[1].length, m = parseInt(m[1], 16), l === 6 ? rgbn(m) : l === 3 ? new Rgb(m >> 8 & 15 | m >> 4 & 240, m >> 4 & 15 | m & 240, (m & 15) << 4 | m & 15, 1) : l === 8 ? rgba(m >> 24 & 255, m >> 16 & 255, m >> 8 & 255, (m & 255) / 255) : l === 4 ? rgba(m >> 12 & 15 | m >> 8 & 240, m >> 8 & 15 | m >> 4 & 240, m >> 4 & 15 | m & 240, ((m & 15) << 4 | m & 15) / 255) : null) : (m = reRgbInteger.exec(format)) ? new Rgb(m[1], m[2], m[3], 1) : (m = reRgbPercent.exec(format)) ? new Rgb(m[1] * 255 / 100, m[2] * 255 / 100, m[3] * 255 / 100, 1) : (m = reRgbaInteger.exec(format)) ? rgba(m[1], m[2], m[3], m[4]) : (m = reRgbaPercent.exec(format)) ? rgba(m[1] * 255 / 100, m[2] * 255 / 100, m[3] * 255 / 100, m[4]) : (m = reHslPercent.exec(format)) ? hsla(m[1], m[2] / 100, m[3] / 100, 1) : (m = reHslaPercent.exec(format)) ? hsla(m[1], m[2] / 100, m[3] / 100, m[4]) : named.hasOwnProperty(format) ? rgbn(named[format]) : format === "transparent" ? new Rgb(NaN, NaN, NaN, 0) : null;
}
function rgbn(n) {
	return new Rgb(n >> 16 & 255, n >> 8 & 255, n & 255, 1);
}
function rgba(r, g, b, a) {
	if (a <= 0) r = g = b = NaN;
	return new Rgb(r, g, b, a);
}
function rgbConvert(o) {
	if (!(o instanceof Color)) o = color(o);
	if (!o) return new Rgb();
	o = o.rgb();
	return new Rgb(o.r, o.g, o.b, o.opacity);
}
function rgb$1(r, g, b, opacity) {
	return arguments.length === 1 ? rgbConvert(r) : new Rgb(r, g, b, opacity == null ? 1 : opacity);
}
function Rgb(r, g, b, opacity) {
	this.r = +r;
	this.g = +g;
	this.b = +b;
	this.opacity = +opacity;
}
define(Rgb, rgb$1, extend(Color, {
	brighter(k) {
		k = k == null ? brighter : Math.pow(brighter, k);
		return new Rgb(this.r * k, this.g * k, this.b * k, this.opacity);
	},
	darker(k) {
		k = k == null ? darker : Math.pow(darker, k);
		return new Rgb(this.r * k, this.g * k, this.b * k, this.opacity);
	},
	rgb() {
		return this;
	},
	clamp() {
		return new Rgb(clampi(this.r), clampi(this.g), clampi(this.b), clampa(this.opacity));
	},
	displayable() {
		return -.5 <= this.r && this.r < 255.5 && -.5 <= this.g && this.g < 255.5 && -.5 <= this.b && this.b < 255.5 && 0 <= this.opacity && this.opacity <= 1;
	},
	hex: rgb_formatHex,
	formatHex: rgb_formatHex,
	formatHex8: rgb_formatHex8,
	formatRgb: rgb_formatRgb,
	toString: rgb_formatRgb
}));
function rgb_formatHex() {
	return `#${hex(this.r)}${hex(this.g)}${hex(this.b)}`;
}
function rgb_formatHex8() {
	return `#${hex(this.r)}${hex(this.g)}${hex(this.b)}${hex((isNaN(this.opacity) ? 1 : this.opacity) * 255)}`;
}
function rgb_formatRgb() {
	const a = clampa(this.opacity);
	return `${a === 1 ? "rgb(" : "rgba("}${clampi(this.r)}, ${clampi(this.g)}, ${clampi(this.b)}${a === 1 ? ")" : `, ${a})`}`;
}
function clampa(opacity) {
	return isNaN(opacity) ? 1 : Math.max(0, Math.min(1, opacity));
}
function clampi(value) {
	return Math.max(0, Math.min(255, Math.round(value) || 0));
}
function hex(value) {
	value = clampi(value);
	return (value < 16 ? "0" : "") + value.toString(16);
}
function hsla(h, s, l, a) {
	if (a <= 0) h = s = l = NaN;
	else if (l <= 0 || l >= 1) h = s = NaN;
	else if (s <= 0) h = NaN;
	return new Hsl(h, s, l, a);
}
function hslConvert(o) {
	if (o instanceof Hsl) return new Hsl(o.h, o.s, o.l, o.opacity);
	if (!(o instanceof Color)) o = color(o);
	if (!o) return new Hsl();
	if (o instanceof Hsl) return o;
	o = o.rgb();
	var r = o.r / 255, g = o.g / 255, b = o.b / 255, min = Math.min(r, g, b), max = Math.max(r, g, b), h = NaN, s = max - min, l = (max + min) / 2;
	if (s) {
		if (r === max) h = (g - b) / s + (g < b) * 6;
		else if (g === max) h = (b - r) / s + 2;
		else h = (r - g) / s + 4;
		s /= l < .5 ? max + min : 2 - max - min;
		h *= 60;
	} else s = l > 0 && l < 1 ? 0 : h;
	return new Hsl(h, s, l, o.opacity);
}
function hsl$1(h, s, l, opacity) {
	return arguments.length === 1 ? hslConvert(h) : new Hsl(h, s, l, opacity == null ? 1 : opacity);
}
function Hsl(h, s, l, opacity) {
	this.h = +h;
	this.s = +s;
	this.l = +l;
	this.opacity = +opacity;
}
define(Hsl, hsl$1, extend(Color, {
	brighter(k) {
		k = k == null ? brighter : Math.pow(brighter, k);
		return new Hsl(this.h, this.s, this.l * k, this.opacity);
	},
	darker(k) {
		k = k == null ? darker : Math.pow(darker, k);
		return new Hsl(this.h, this.s, this.l * k, this.opacity);
	},
	rgb() {
		var h = this.h % 360 + (this.h < 0) * 360, s = isNaN(h) || isNaN(this.s) ? 0 : this.s, l = this.l, m2 = l + (l < .5 ? l : 1 - l) * s, m1 = 2 * l - m2;
		return new Rgb(hsl2rgb(h >= 240 ? h - 240 : h + 120, m1, m2), hsl2rgb(h, m1, m2), hsl2rgb(h < 120 ? h + 240 : h - 120, m1, m2), this.opacity);
	},
	clamp() {
		return new Hsl(clamph(this.h), clampt(this.s), clampt(this.l), clampa(this.opacity));
	},
	displayable() {
		return (0 <= this.s && this.s <= 1 || isNaN(this.s)) && 0 <= this.l && this.l <= 1 && 0 <= this.opacity && this.opacity <= 1;
	},
	formatHsl() {
		const a = clampa(this.opacity);
		return `${a === 1 ? "hsl(" : "hsla("}${clamph(this.h)}, ${clampt(this.s) * 100}%, ${clampt(this.l) * 100}%${a === 1 ? ")" : `, ${a})`}`;
	}
}));
function clamph(value) {
	value = (value || 0) % 360;
	return value < 0 ? value + 360 : value;
}
function clampt(value) {
	return Math.max(0, Math.min(1, value || 0));
}
function hsl2rgb(h, m1, m2) {
	return (h < 60 ? m1 + (m2 - m1) * h / 60 : h < 180 ? m2 : h < 240 ? m1 + (m2 - m1) * (240 - h) / 60 : m1) * 255;
}
var radians = Math.PI / 180;
var degrees$1 = 180 / Math.PI;
var K = 18;
var Xn = .96422;
var Yn = 1;
var Zn = .82521;
var t0 = 4 / 29;
var t1 = 6 / 29;
var t2 = 3 * t1 * t1;
var t3 = t1 * t1 * t1;
function labConvert(o) {
	if (o instanceof Lab) return new Lab(o.l, o.a, o.b, o.opacity);
	if (o instanceof Hcl) return hcl2lab(o);
	if (!(o instanceof Rgb)) o = rgbConvert(o);
	var r = rgb2lrgb(o.r), g = rgb2lrgb(o.g), b = rgb2lrgb(o.b), y = xyz2lab((.2225045 * r + .7168786 * g + .0606169 * b) / Yn), x, z;
	if (r === g && g === b) x = z = y;
	else {
		x = xyz2lab((.4360747 * r + .3850649 * g + .1430804 * b) / Xn);
		z = xyz2lab((.0139322 * r + .0971045 * g + .7141733 * b) / Zn);
	}
	return new Lab(116 * y - 16, 500 * (x - y), 200 * (y - z), o.opacity);
}
function lab(l, a, b, opacity) {
	return arguments.length === 1 ? labConvert(l) : new Lab(l, a, b, opacity == null ? 1 : opacity);
}
function Lab(l, a, b, opacity) {
	this.l = +l;
	this.a = +a;
	this.b = +b;
	this.opacity = +opacity;
}
define(Lab, lab, extend(Color, {
	brighter(k) {
		return new Lab(this.l + K * (k == null ? 1 : k), this.a, this.b, this.opacity);
	},
	darker(k) {
		return new Lab(this.l - K * (k == null ? 1 : k), this.a, this.b, this.opacity);
	},
	rgb() {
		var y = (this.l + 16) / 116, x = isNaN(this.a) ? y : y + this.a / 500, z = isNaN(this.b) ? y : y - this.b / 200;
		x = Xn * lab2xyz(x);
		y = Yn * lab2xyz(y);
		z = Zn * lab2xyz(z);
		return new Rgb(lrgb2rgb(3.1338561 * x - 1.6168667 * y - .4906146 * z), lrgb2rgb(-.9787684 * x + 1.9161415 * y + .033454 * z), lrgb2rgb(.0719453 * x - .2289914 * y + 1.4052427 * z), this.opacity);
	}
}));
function xyz2lab(t) {
	return t > t3 ? Math.pow(t, 1 / 3) : t / t2 + t0;
}
function lab2xyz(t) {
	return t > t1 ? t * t * t : t2 * (t - t0);
}
function lrgb2rgb(x) {
	return 255 * (x <= .0031308 ? 12.92 * x : 1.055 * Math.pow(x, 1 / 2.4) - .055);
}
function rgb2lrgb(x) {
	return (x /= 255) <= .04045 ? x / 12.92 : Math.pow((x + .055) / 1.055, 2.4);
}
function hclConvert(o) {
	if (o instanceof Hcl) return new Hcl(o.h, o.c, o.l, o.opacity);
	if (!(o instanceof Lab)) o = labConvert(o);
	if (o.a === 0 && o.b === 0) return new Hcl(NaN, 0 < o.l && o.l < 100 ? 0 : NaN, o.l, o.opacity);
	var h = Math.atan2(o.b, o.a) * degrees$1;
	return new Hcl(h < 0 ? h + 360 : h, Math.sqrt(o.a * o.a + o.b * o.b), o.l, o.opacity);
}
function hcl$1(h, c, l, opacity) {
	return arguments.length === 1 ? hclConvert(h) : new Hcl(h, c, l, opacity == null ? 1 : opacity);
}
function Hcl(h, c, l, opacity) {
	this.h = +h;
	this.c = +c;
	this.l = +l;
	this.opacity = +opacity;
}
function hcl2lab(o) {
	if (isNaN(o.h)) return new Lab(o.l, 0, 0, o.opacity);
	var h = o.h * radians;
	return new Lab(o.l, Math.cos(h) * o.c, Math.sin(h) * o.c, o.opacity);
}
define(Hcl, hcl$1, extend(Color, {
	brighter(k) {
		return new Hcl(this.h, this.c, this.l + K * (k == null ? 1 : k), this.opacity);
	},
	darker(k) {
		return new Hcl(this.h, this.c, this.l - K * (k == null ? 1 : k), this.opacity);
	},
	rgb() {
		return hcl2lab(this).rgb();
	}
}));
var A = -.14861;
var B = 1.78277;
var C = -.29227;
var D = -.90649;
var E = 1.97294;
var ED = E * D;
var EB = E * B;
var BC_DA = B * C - D * A;
function cubehelixConvert(o) {
	if (o instanceof Cubehelix) return new Cubehelix(o.h, o.s, o.l, o.opacity);
	if (!(o instanceof Rgb)) o = rgbConvert(o);
	var r = o.r / 255, g = o.g / 255, b = o.b / 255, l = (BC_DA * b + ED * r - EB * g) / (BC_DA + ED - EB), bl = b - l, k = (E * (g - l) - C * bl) / D, s = Math.sqrt(k * k + bl * bl) / (E * l * (1 - l)), h = s ? Math.atan2(k, bl) * degrees$1 - 120 : NaN;
	return new Cubehelix(h < 0 ? h + 360 : h, s, l, o.opacity);
}
function cubehelix$1(h, s, l, opacity) {
	return arguments.length === 1 ? cubehelixConvert(h) : new Cubehelix(h, s, l, opacity == null ? 1 : opacity);
}
function Cubehelix(h, s, l, opacity) {
	this.h = +h;
	this.s = +s;
	this.l = +l;
	this.opacity = +opacity;
}
define(Cubehelix, cubehelix$1, extend(Color, {
	brighter(k) {
		k = k == null ? brighter : Math.pow(brighter, k);
		return new Cubehelix(this.h, this.s, this.l * k, this.opacity);
	},
	darker(k) {
		k = k == null ? darker : Math.pow(darker, k);
		return new Cubehelix(this.h, this.s, this.l * k, this.opacity);
	},
	rgb() {
		var h = isNaN(this.h) ? 0 : (this.h + 120) * radians, l = +this.l, a = isNaN(this.s) ? 0 : this.s * l * (1 - l), cosh = Math.cos(h), sinh = Math.sin(h);
		return new Rgb(255 * (l + a * (A * cosh + B * sinh)), 255 * (l + a * (C * cosh + D * sinh)), 255 * (l + a * (E * cosh)), this.opacity);
	}
}));
var constant = (x) => () => x;
function linear$1(a, d) {
	return function(t) {
		return a + t * d;
	};
}
function exponential(a, b, y) {
	return a = Math.pow(a, y), b = Math.pow(b, y) - a, y = 1 / y, function(t) {
		return Math.pow(a + t * b, y);
	};
}
function hue$1(a, b) {
	var d = b - a;
	return d ? linear$1(a, d > 180 || d < -180 ? d - 360 * Math.round(d / 360) : d) : constant(isNaN(a) ? b : a);
}
function gamma(y) {
	return (y = +y) === 1 ? nogamma : function(a, b) {
		return b - a ? exponential(a, b, y) : constant(isNaN(a) ? b : a);
	};
}
function nogamma(a, b) {
	var d = b - a;
	return d ? linear$1(a, d) : constant(isNaN(a) ? b : a);
}
var rgb = (function rgbGamma(y) {
	var color = gamma(y);
	function rgb(start, end) {
		var r = color((start = rgb$1(start)).r, (end = rgb$1(end)).r), g = color(start.g, end.g), b = color(start.b, end.b), opacity = nogamma(start.opacity, end.opacity);
		return function(t) {
			start.r = r(t);
			start.g = g(t);
			start.b = b(t);
			start.opacity = opacity(t);
			return start + "";
		};
	}
	rgb.gamma = rgbGamma;
	return rgb;
})(1);
function numberArray(a, b) {
	if (!b) b = [];
	var n = a ? Math.min(b.length, a.length) : 0, c = b.slice(), i;
	return function(t) {
		for (i = 0; i < n; ++i) c[i] = a[i] * (1 - t) + b[i] * t;
		return c;
	};
}
function isNumberArray(x) {
	return ArrayBuffer.isView(x) && !(x instanceof DataView);
}
function genericArray(a, b) {
	var nb = b ? b.length : 0, na = a ? Math.min(nb, a.length) : 0, x = new Array(na), c = new Array(nb), i = 0;
	for (; i < na; ++i) x[i] = value(a[i], b[i]);
	for (; i < nb; ++i) c[i] = b[i];
	return function(t) {
		for (i = 0; i < na; ++i) c[i] = x[i](t);
		return c;
	};
}
function date(a, b) {
	var d = new Date();
	return a = +a, b = +b, function(t) {
		return d.setTime(a * (1 - t) + b * t), d;
	};
}
function number(a, b) {
	return a = +a, b = +b, function(t) {
		return a * (1 - t) + b * t;
	};
}
function object(a, b) {
	var i = {}, c = {}, k;
	if (a === null || typeof a !== "object") a = {};
	if (b === null || typeof b !== "object") b = {};
	for (k in b) if (k in a) i[k] = value(a[k], b[k]);
	else c[k] = b[k];
	return function(t) {
		for (k in i) c[k] = i[k](t);
		return c;
	};
}
var reA = /[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g;
var reB = new RegExp(reA.source, "g");
function zero(b) {
	return function() {
		return b;
	};
}
function one(b) {
	return function(t) {
		return b(t) + "";
	};
}
function string(a, b) {
	var bi = reA.lastIndex = reB.lastIndex = 0, am, bm, bs, i = -1, s = [], q = [];
	a = a + "", b = b + "";
	while ((am = reA.exec(a)) && (bm = reB.exec(b))) {
		if ((bs = bm.index) > bi) {
			bs = b.slice(bi, bs);
			if (s[i]) s[i] += bs;
			else s[++i] = bs;
		}
		if ((am = am[0]) === (bm = bm[0])) {
			if (s[i]) s[i] += bm;
			else s[++i] = bm;
		} else {
			s[++i] = null;
			q.push({
				i,
				x: number(am, bm)
			});
		}
		bi = reB.lastIndex;
	}
	if (bi < b.length) {
		bs = b.slice(bi);
		if (s[i]) s[i] += bs;
		else s[++i] = bs;
	}
	return s.length < 2 ? q[0] ? one(q[0].x) : zero(b) : (b = q.length, function(t) {
		for (var i = 0, o; i < b; ++i) s[(o = q[i]).i] = o.x(t);
		return s.join("");
	});
}
function value(a, b) {
	var t = typeof b, c;
	return b == null || t === "boolean" ? constant(b) : (t === "number" ? number : t === "string" ? (c = color(b)) ? (b = c, rgb) : string : b instanceof color ? rgb : b instanceof Date ? date : isNumberArray(b) ? numberArray : Array.isArray(b) ? genericArray : typeof b.valueOf !== "function" && typeof b.toString !== "function" || isNaN(b) ? object : number)(a, b);
}
function round(a, b) {
	return a = +a, b = +b, function(t) {
		return Math.round(a * (1 - t) + b * t);
	};
}
var epsilon2 = 1e-12;
function cosh(x) {
	return ((x = Math.exp(x)) + 1 / x) / 2;
}
function sinh(x) {
	return ((x = Math.exp(x)) - 1 / x) / 2;
}
function tanh(x) {
	return ((x = Math.exp(2 * x)) - 1) / (x + 1);
}
(function zoomRho(rho, rho2, rho4) {
	function zoom(p0, p1) {
		var ux0 = p0[0], uy0 = p0[1], w0 = p0[2], ux1 = p1[0], uy1 = p1[1], w1 = p1[2], dx = ux1 - ux0, dy = uy1 - uy0, d2 = dx * dx + dy * dy, i, S;
		if (d2 < epsilon2) {
			S = Math.log(w1 / w0) / rho;
			i = function(t) {
				return [
					ux0 + t * dx,
					uy0 + t * dy,
					w0 * Math.exp(rho * t * S)
				];
			};
		} else {
			var d1 = Math.sqrt(d2), b0 = (w1 * w1 - w0 * w0 + rho4 * d2) / (2 * w0 * rho2 * d1), b1 = (w1 * w1 - w0 * w0 - rho4 * d2) / (2 * w1 * rho2 * d1), r0 = Math.log(Math.sqrt(b0 * b0 + 1) - b0);
			S = (Math.log(Math.sqrt(b1 * b1 + 1) - b1) - r0) / rho;
			i = function(t) {
				var s = t * S, coshr0 = cosh(r0), u = w0 / (rho2 * d1) * (coshr0 * tanh(rho * s + r0) - sinh(r0));
				return [
					ux0 + u * dx,
					uy0 + u * dy,
					w0 * coshr0 / cosh(rho * s + r0)
				];
			};
		}
		i.duration = Math.abs(S) * 1e3 * rho / Math.SQRT2;
		return i;
	}
	zoom.rho = function(_) {
		var _1 = Math.max(.001, +_), _2 = _1 * _1;
		return zoomRho(_1, _2, _2 * _2);
	};
	return zoom;
})(Math.SQRT2, 2, 4);
function cubehelix(hue) {
	return (function cubehelixGamma(y) {
		y = +y;
		function cubehelix(start, end) {
			var h = hue((start = cubehelix$1(start)).h, (end = cubehelix$1(end)).h), s = nogamma(start.s, end.s), l = nogamma(start.l, end.l), opacity = nogamma(start.opacity, end.opacity);
			return function(t) {
				start.h = h(t);
				start.s = s(t);
				start.l = l(Math.pow(t, y));
				start.opacity = opacity(t);
				return start + "";
			};
		}
		cubehelix.gamma = cubehelixGamma;
		return cubehelix;
	})(1);
}
cubehelix(hue$1);
cubehelix(nogamma);
// node_modules/d3-format/dist/d3-format.mjs
function formatDecimal(x) {
	return Math.abs(x = Math.round(x)) >= 1e21 ? x.toLocaleString("en").replace(/,/g, "") : x.toString(10);
}
function formatDecimalParts(x, p) {
	if (!isFinite(x) || x === 0) return null;
	var i = (x = p ? x.toExponential(p - 1) : x.toExponential()).indexOf("e"), coefficient = x.slice(0, i);
	return [coefficient.length > 1 ? coefficient[0] + coefficient.slice(2) : coefficient, +x.slice(i + 1)];
}
function exponent(x) {
	return x = formatDecimalParts(Math.abs(x)), x ? x[1] : NaN;
}
function formatGroup(grouping, thousands) {
	return function(value, width) {
		var i = value.length, t = [], j = 0, g = grouping[0], length = 0;
		while (i > 0 && g > 0) {
			if (length + g + 1 > width) g = Math.max(1, width - length);
			t.push(value.substring(i -= g, i + g));
			if ((length += g + 1) > width) break;
			g = grouping[j = (j + 1) % grouping.length];
		}
		return t.reverse().join(thousands);
	};
}
function formatNumerals(numerals) {
	return function(value) {
		return value.replace(/[0-9]/g, function(i) {
			return numerals[+i];
		});
	};
}
var re = /^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;
function formatSpecifier(specifier) {
	if (!(match = re.exec(specifier))) throw new Error("invalid format: " + specifier);
	var match;
	return new FormatSpecifier({
		fill: match[1],
		align: match[2],
		sign: match[3],
		symbol: match[4],
		zero: match[5],
		width: match[6],
		comma: match[7],
		precision: match[8] && match[8].slice(1),
		trim: match[9],
		type: match[10]
	});
}
formatSpecifier.prototype = FormatSpecifier.prototype;
function FormatSpecifier(specifier) {
	this.fill = specifier.fill === void 0 ? " " : specifier.fill + "";
	this.align = specifier.align === void 0 ? ">" : specifier.align + "";
	this.sign = specifier.sign === void 0 ? "-" : specifier.sign + "";
	this.symbol = specifier.symbol === void 0 ? "" : specifier.symbol + "";
	this.zero = !!specifier.zero;
	this.width = specifier.width === void 0 ? void 0 : +specifier.width;
	this.comma = !!specifier.comma;
	this.precision = specifier.precision === void 0 ? void 0 : +specifier.precision;
	this.trim = !!specifier.trim;
	this.type = specifier.type === void 0 ? "" : specifier.type + "";
}
FormatSpecifier.prototype.toString = function() {
	return this.fill + this.align + this.sign + this.symbol + (this.zero ? "0" : "") + (this.width === void 0 ? "" : Math.max(1, this.width | 0)) + (this.comma ? "," : "") + (this.precision === void 0 ? "" : "." + Math.max(0, this.precision | 0)) + (this.trim ? "~" : "") + this.type;
};
function formatTrim(s) {
	out: for (var n = s.length, i = 1, i0 = -1, i1; i < n; ++i) switch (s[i]) {
		case ".":
			i0 = i1 = i;
			break;
		case "0":
			if (i0 === 0) i0 = i;
			i1 = i;
			break;
		default:
			if (!+s[i]) break out;
			if (i0 > 0) i0 = 0;
	}
	return i0 > 0 ? s.slice(0, i0) + s.slice(i1 + 1) : s;
}
var prefixExponent;
function formatPrefixAuto(x, p) {
	var d = formatDecimalParts(x, p);
	if (!d) return prefixExponent = void 0, x.toPrecision(p);
	var coefficient = d[0], exponent = d[1], i = exponent - (prefixExponent = Math.max(-8, Math.min(8, Math.floor(exponent / 3))) * 3) + 1, n = coefficient.length;
	return i === n ? coefficient : i > n ? coefficient + new Array(i - n + 1).join("0") : i > 0 ? coefficient.slice(0, i) + "." + coefficient.slice(i) : "0." + new Array(1 - i).join("0") + formatDecimalParts(x, Math.max(0, p + i - 1))[0];
}
function formatRounded(x, p) {
	var d = formatDecimalParts(x, p);
	if (!d) return x + "";
	var coefficient = d[0], exponent = d[1];
	return exponent < 0 ? "0." + new Array(-exponent).join("0") + coefficient : coefficient.length > exponent + 1 ? coefficient.slice(0, exponent + 1) + "." + coefficient.slice(exponent + 1) : coefficient + new Array(exponent - coefficient.length + 2).join("0");
}
var formatTypes = {
	"%": (x, p) => (x * 100).toFixed(p),
	"b": (x) => Math.round(x).toString(2),
	"c": (x) => x + "",
	"d": formatDecimal,
	"e": (x, p) => x.toExponential(p),
	"f": (x, p) => x.toFixed(p),
	"g": (x, p) => x.toPrecision(p),
	"o": (x) => Math.round(x).toString(8),
	"p": (x, p) => formatRounded(x * 100, p),
	"r": formatRounded,
	"s": formatPrefixAuto,
	"X": (x) => Math.round(x).toString(16).toUpperCase(),
	"x": (x) => Math.round(x).toString(16)
};
function identity(x) {
	return x;
}
var map = Array.prototype.map;
var prefixes = [
	"y",
	"z",
	"a",
	"f",
	"p",
	"n",
	"µ",
	"m",
	"",
	"k",
	"M",
	"G",
	"T",
	"P",
	"E",
	"Z",
	"Y"
];
function formatLocale(locale) {
	var group = locale.grouping === void 0 || locale.thousands === void 0 ? identity : formatGroup(map.call(locale.grouping, Number), locale.thousands + ""), currencyPrefix = locale.currency === void 0 ? "" : locale.currency[0] + "", currencySuffix = locale.currency === void 0 ? "" : locale.currency[1] + "", decimal = locale.decimal === void 0 ? "." : locale.decimal + "", numerals = locale.numerals === void 0 ? identity : formatNumerals(map.call(locale.numerals, String)), percent = locale.percent === void 0 ? "%" : locale.percent + "", minus = locale.minus === void 0 ? "−" : locale.minus + "", nan = locale.nan === void 0 ? "NaN" : locale.nan + "";
	function newFormat(specifier, options) {
		specifier = formatSpecifier(specifier);
		var fill = specifier.fill, align = specifier.align, sign = specifier.sign, symbol = specifier.symbol, zero = specifier.zero, width = specifier.width, comma = specifier.comma, precision = specifier.precision, trim = specifier.trim, type = specifier.type;
		if (type === "n") comma = true, type = "g";
		else if (!formatTypes[type]) precision === void 0 && (precision = 12), trim = true, type = "g";
		if (zero || fill === "0" && align === "=") zero = true, fill = "0", align = "=";
		var prefix = (options && options.prefix !== void 0 ? options.prefix : "") + (symbol === "$" ? currencyPrefix : symbol === "#" && /[boxX]/.test(type) ? "0" + type.toLowerCase() : ""), suffix = (symbol === "$" ? currencySuffix : /[%p]/.test(type) ? percent : "") + (options && options.suffix !== void 0 ? options.suffix : "");
		var formatType = formatTypes[type], maybeSuffix = /[defgprs%]/.test(type);
		precision = precision === void 0 ? 6 : /[gprs]/.test(type) ? Math.max(1, Math.min(21, precision)) : Math.max(0, Math.min(20, precision));
		function format(value) {
			var valuePrefix = prefix, valueSuffix = suffix, i, n, c;
			if (type === "c") {
				valueSuffix = formatType(value) + valueSuffix;
				value = "";
			} else {
				value = +value;
				var valueNegative = value < 0 || 1 / value < 0;
				value = isNaN(value) ? nan : formatType(Math.abs(value), precision);
				if (trim) value = formatTrim(value);
				if (valueNegative && +value === 0 && sign !== "+") valueNegative = false;
				valuePrefix = (valueNegative ? sign === "(" ? sign : minus : sign === "-" || sign === "(" ? "" : sign) + valuePrefix;
				valueSuffix = (type === "s" && !isNaN(value) && prefixExponent !== void 0 ? prefixes[8 + prefixExponent / 3] : "") + valueSuffix + (valueNegative && sign === "(" ? ")" : "");
				if (maybeSuffix) {
					i = -1, n = value.length;
					while (++i < n) if (c = value.charCodeAt(i), 48 > c || c > 57) {
						valueSuffix = (c === 46 ? decimal + value.slice(i + 1) : value.slice(i)) + valueSuffix;
						value = value.slice(0, i);
						break;
					}
				}
			}
			if (comma && !zero) value = group(value, Infinity);
			var length = valuePrefix.length + value.length + valueSuffix.length, padding = length < width ? new Array(width - length + 1).join(fill) : "";
			if (comma && zero) value = group(padding + value, padding.length ? width - valueSuffix.length : Infinity), padding = "";
			switch (align) {
				case "<":
					value = valuePrefix + value + valueSuffix + padding;
					break;
				case "=":
					value = valuePrefix + padding + value + valueSuffix;
					break;
				case "^":
					value = padding.slice(0, length = padding.length >> 1) + valuePrefix + value + valueSuffix + padding.slice(length);
					break;
				default: value = padding + valuePrefix + value + valueSuffix;
			}
			return numerals(value);
		}
		format.toString = function() {
			return specifier + "";
		};
		return format;
	}
	function formatPrefix(specifier, value) {
		var e = Math.max(-8, Math.min(8, Math.floor(exponent(value) / 3))) * 3, k = Math.pow(10, -e), f = newFormat((specifier = formatSpecifier(specifier), specifier.type = "f", specifier), { suffix: prefixes[8 + e / 3] });
		return function(value) {
			return f(k * value);
		};
	}
	return {
		format: newFormat,
		formatPrefix
	};
}
var locale;
var format;
var formatPrefix;
defaultLocale({
	thousands: ",",
	grouping: [3],
	currency: ["$", ""]
});
function defaultLocale(definition) {
	locale = formatLocale(definition);
	format = locale.format;
	formatPrefix = locale.formatPrefix;
	return locale;
}
function precisionFixed(step) {
	return Math.max(0, -exponent(Math.abs(step)));
}
function precisionPrefix(step, value) {
	return Math.max(0, Math.max(-8, Math.min(8, Math.floor(exponent(value) / 3))) * 3 - exponent(Math.abs(step)));
}
function precisionRound(step, max) {
	step = Math.abs(step), max = Math.abs(max) - step;
	return Math.max(0, exponent(max) - exponent(step)) + 1;
}
// node_modules/d3-scale/dist/d3-scale.mjs
function initRange(domain, range) {
	switch (arguments.length) {
		case 0: break;
		case 1:
			this.range(domain);
			break;
		default: this.range(range).domain(domain);
	}
	return this;
}
function constants(x) {
	return function() {
		return x;
	};
}
function number$1(x) {
	return +x;
}
var unit = [0, 1];
function identity$1(x) {
	return x;
}
function normalize(a, b) {
	return (b -= a = +a) ? function(x) {
		return (x - a) / b;
	} : constants(isNaN(b) ? NaN : .5);
}
function clamper(a, b) {
	var t;
	if (a > b) t = a, a = b, b = t;
	return function(x) {
		return Math.max(a, Math.min(b, x));
	};
}
function bimap(domain, range, interpolate) {
	var d0 = domain[0], d1 = domain[1], r0 = range[0], r1 = range[1];
	if (d1 < d0) d0 = normalize(d1, d0), r0 = interpolate(r1, r0);
	else d0 = normalize(d0, d1), r0 = interpolate(r0, r1);
	return function(x) {
		return r0(d0(x));
	};
}
function polymap(domain, range, interpolate) {
	var j = Math.min(domain.length, range.length) - 1, d = new Array(j), r = new Array(j), i = -1;
	if (domain[j] < domain[0]) {
		domain = domain.slice().reverse();
		range = range.slice().reverse();
	}
	while (++i < j) {
		d[i] = normalize(domain[i], domain[i + 1]);
		r[i] = interpolate(range[i], range[i + 1]);
	}
	return function(x) {
		var i = bisectRight(domain, x, 1, j) - 1;
		return r[i](d[i](x));
	};
}
function copy$1(source, target) {
	return target.domain(source.domain()).range(source.range()).interpolate(source.interpolate()).clamp(source.clamp()).unknown(source.unknown());
}
function transformer$2() {
	var domain = unit, range = unit, interpolate$1 = value, transform, untransform, unknown, clamp = identity$1, piecewise, output, input;
	function rescale() {
		var n = Math.min(domain.length, range.length);
		if (clamp !== identity$1) clamp = clamper(domain[0], domain[n - 1]);
		piecewise = n > 2 ? polymap : bimap;
		output = input = null;
		return scale;
	}
	function scale(x) {
		return x == null || isNaN(x = +x) ? unknown : (output || (output = piecewise(domain.map(transform), range, interpolate$1)))(transform(clamp(x)));
	}
	scale.invert = function(y) {
		return clamp(untransform((input || (input = piecewise(range, domain.map(transform), number)))(y)));
	};
	scale.domain = function(_) {
		return arguments.length ? (domain = Array.from(_, number$1), rescale()) : domain.slice();
	};
	scale.range = function(_) {
		return arguments.length ? (range = Array.from(_), rescale()) : range.slice();
	};
	scale.rangeRound = function(_) {
		return range = Array.from(_), interpolate$1 = round, rescale();
	};
	scale.clamp = function(_) {
		return arguments.length ? (clamp = _ ? true : identity$1, rescale()) : clamp !== identity$1;
	};
	scale.interpolate = function(_) {
		return arguments.length ? (interpolate$1 = _, rescale()) : interpolate$1;
	};
	scale.unknown = function(_) {
		return arguments.length ? (unknown = _, scale) : unknown;
	};
	return function(t, u) {
		transform = t, untransform = u;
		return rescale();
	};
}
function continuous() {
	return transformer$2()(identity$1, identity$1);
}
function tickFormat(start, stop, count, specifier) {
	var step = tickStep(start, stop, count), precision;
	specifier = formatSpecifier(specifier == null ? ",f" : specifier);
	switch (specifier.type) {
		case "s":
			var value = Math.max(Math.abs(start), Math.abs(stop));
			if (specifier.precision == null && !isNaN(precision = precisionPrefix(step, value))) specifier.precision = precision;
			return formatPrefix(specifier, value);
		case "":
		case "e":
		case "g":
		case "p":
		case "r":
			if (specifier.precision == null && !isNaN(precision = precisionRound(step, Math.max(Math.abs(start), Math.abs(stop))))) specifier.precision = precision - (specifier.type === "e");
			break;
		case "f":
		case "%": if (specifier.precision == null && !isNaN(precision = precisionFixed(step))) specifier.precision = precision - (specifier.type === "%") * 2;
	}
	return format(specifier);
}
function linearish(scale) {
	var domain = scale.domain;
	scale.ticks = function(count) {
		var d = domain();
		return ticks$1(d[0], d[d.length - 1], count == null ? 10 : count);
	};
	scale.tickFormat = function(count, specifier) {
		var d = domain();
		return tickFormat(d[0], d[d.length - 1], count == null ? 10 : count, specifier);
	};
	scale.nice = function(count) {
		if (count == null) count = 10;
		var d = domain();
		var i0 = 0;
		var i1 = d.length - 1;
		var start = d[i0];
		var stop = d[i1];
		var prestep;
		var step;
		var maxIter = 10;
		if (stop < start) {
			step = start, start = stop, stop = step;
			step = i0, i0 = i1, i1 = step;
		}
		while (maxIter-- > 0) {
			step = tickIncrement(start, stop, count);
			if (step === prestep) {
				d[i0] = start;
				d[i1] = stop;
				return domain(d);
			} else if (step > 0) {
				start = Math.floor(start / step) * step;
				stop = Math.ceil(stop / step) * step;
			} else if (step < 0) {
				start = Math.ceil(start * step) / step;
				stop = Math.floor(stop * step) / step;
			} else break;
			prestep = step;
		}
		return scale;
	};
	return scale;
}
function linear() {
	var scale = continuous();
	scale.copy = function() {
		return copy$1(scale, linear());
	};
	initRange.apply(scale, arguments);
	return linearish(scale);
}
// src/lib/axes.ts
function ticks(end, count) {
	const scale = linear([0, end], [0, 1]);
	let wanted = Math.ceil(2 * count);
	while (wanted > 1 && end / scale.ticks(wanted)[1] > 1.1 * count) wanted--;
	return scale.ticks(wanted);
}
var tickText = (tick, print = String) => print(Number(tick.toPrecision(6)));
var valueScale = (frame, end) => linear([0, end], [frame.bottom, frame.top]);
var valueTicks = (frame, end) => ticks(end, Math.min(5, Math.max(2, (frame.bottom - frame.top) / 32)));
var pointsText = (points) => points.map((point) => point.join(",")).join(" ");
function placeLabels(labels, frame) {
	const gap = 15;
	const placed = labels.map((label) => ({ ...label }));
	const sorted = [...placed].sort((a, b) => a.y - b.y);
	for (let i = 1; i < sorted.length; i++) sorted[i].y = Math.max(sorted[i].y, sorted[i - 1].y + gap);
	let floor = frame.bottom;
	for (const label of sorted.reverse()) {
		label.y = Math.min(label.y, floor);
		floor = label.y - gap;
	}
	return placed;
}
// src/lib/theme.ts
function cssColor(pixel) {
	return `rgb(${pixel & 255} ${pixel >> 8 & 255} ${pixel >> 16 & 255})`;
}
// src/lib/ValueAxis.svelte
var root$1 = from_svg(`<line class="grid"></line><text text-anchor="end"> </text>`, 1);
var root_1$1 = from_svg(`<!><text> </text>`, 1);
function ValueAxis($$anchor, $$props) {
	push($$props, true);
	let unit = prop($$props, "unit", 3, ""), print = prop($$props, "print", 3, String);
	const y = user_derived(() => valueScale($$props.frame, $$props.end));
	var fragment = root_1$1();
	var node = first_child(fragment);
	each(node, 16, () => valueTicks($$props.frame, $$props.end), (tick) => tick, ($$anchor, tick) => {
		var fragment_1 = root$1();
		var line = first_child(fragment_1);
		var text = sibling(line);
		var text_1 = only_child(text, true);
		template_effect(($0, $1, $2, $3) => {
			set_attribute(line, "x1", $$props.frame.left);
			set_attribute(line, "x2", $$props.frame.right);
			set_attribute(line, "y1", $0);
			set_attribute(line, "y2", $1);
			set_attribute(text, "x", $$props.frame.left - 8);
			set_attribute(text, "y", $2);
			set_text(text_1, $3);
		}, [
			() => get(y)(tick),
			() => get(y)(tick),
			() => get(y)(tick) + 4,
			() => tickText(tick, print())
		]);
		append($$anchor, fragment_1);
	});
	var text_2 = sibling(node);
	var text_3 = only_child(text_2, true);
	template_effect(() => {
		set_attribute(text_2, "x", $$props.frame.left);
		set_attribute(text_2, "y", $$props.frame.top - 8);
		set_text(text_3, unit());
	});
	append($$anchor, fragment);
	pop();
}
// src/lib/ColorBar.svelte
var root = from_html(`<span> </span>`);
var root_1 = from_html(`<div class="scale"><canvas></canvas> <div></div></div>`);
function ColorBar($$anchor, $$props) {
	push($$props, true);
	let canvas;
	user_effect(() => paintBar(makeTile(canvas, 256, 1), $$props.table));
	var div = root_1();
	let styles;
	var canvas_1 = child(div);
	bind_this(canvas_1, ($$value) => canvas = $$value, () => canvas);
	var div_1 = sibling(canvas_1, 2);
	each(div_1, 21, () => $$props.words, index, ($$anchor, word) => {
		var span = root();
		var text = only_child(span, true);
		template_effect(() => set_text(text, get(word)));
		append($$anchor, span);
	});
	reset(div_1);
	reset(div);
	template_effect(() => styles = set_style(div, "", styles, { "max-width": $$props.maxWidth }));
	append($$anchor, div);
	pop();
}
// src/lib/video.ts
var CODECS = [
	"avc1.640028",
	"avc1.640033",
	"vp09.00.51.08"
];
var BITRATE = 8e6;
var USUAL_SIZE = [1280, 720];
var NO_ENCODER = "MP4 needs a browser that encodes video (WebCodecs), over HTTPS or on this computer.";
var ENCODING_FAILED = "The browser could not encode the movie. Save it as GIF instead.";
async function videoConfig(width, height) {
	if (!("VideoEncoder" in globalThis) || !("ImageDecoder" in globalThis)) return null;
	for (const codec of CODECS) {
		const config = {
			codec,
			width,
			height,
			bitrate: BITRATE,
			latencyMode: "quality"
		};
		const { supported } = await VideoEncoder.isConfigSupported(config).catch(() => ({ supported: false }));
		if (supported) return config;
	}
	return null;
}
var canEncodeVideo = async () => await videoConfig(...USUAL_SIZE) !== null;
async function mp4Of(webp) {
	const { encode } = await __vitePreload(async () => {
		const { encode } = await import("./mp4.js");
		return { encode };
	}, [], import.meta.url);
	return encode(await webp.arrayBuffer());
}
export { $document, ACCEPTED, ARROWS, CIFAR10, COMPARISONS, COMPARISON_SIGNS, ColorBar, Download, ENCODING_FAILED, Explorer, GRID_KEYS, Line, Matrix, ModelSelect, NO_ANSWER, NO_ENCODER, OPEN_HEAD, Progress, STOPS, ThemeColors, ValueAxis, __vitePreload, ablate, accuracyLine, accuracyNumber, accuracyText, announceSoon, append, attach, attribute_effect, autofocus, await_block, bind_element_size, bind_property, bind_select_value, bind_this, bind_value, blobOf, bytesOf, canEncodeVideo, capital, changesLine, child, chooseClass, chooseContrast, chooseHead, chooseImage, chooseMethod, chooseOption, chooseTestImage, classGroup, clsx, colorIndex, comment, compareToRandom, component, copyLink, cornerOf, counted, cssColor, delegate, delegated, digitsOf, dismiss, each, event, fail, fillRows, firstImage, first_child, fitTile, flushSync, focusTile, followHistory, from_html, from_svg, get, hasManyHeads, hasModel, hostOf, hover, if_block, imageParam, index, init_select, isAblated, isDismissed, isImageUrl, isOfRun, isRefusal, isServed, isShortcut, isUniformMap, keepSizes, key, largest, largestLine, leaveMethod, listenWhile, load, lowOf, makeRows, makeTile, mapName, markPainted, matrixStyle, meanOf, mebibytes, methodScale, middlePatch, mount, mp4Of, neighbour, next, noop, numberName, onMount, oneOf, only_child, paintBar, paintTile, patchAt, patchName, percent, pinPatch, place, placeLabels, pointsText, pop, prefixLine, prop, props_id, proxy, push, queryClassToken, queryName, readAddress, reasonOf, refreshLists, refreshModels, remove_input_defaults, replay_events, requestAblated, requestDownload, reset, restoreAll, rowOf, runName, saveAs, saveBlob, saveContent, scaleNote, scoreNote, scoreText, select_option, set, set_attribute, set_checked, set_class, set_style, set_text, set_value, sharedLimit, sharpestHead, showModel, showNotice, showShelf, shownView, sibling, signed, signedDigits, spread_props, state, stopAfter, tableKind, takeFile, template_effect, text, textOf, tick, tickText, ticks, timesUniform, to_array, toggleHead, togglePatch, toggleRemoving, tokenCount, uint16Of, unavailable, unavailableSentences, uniformWeight, untrack, update, updateAddress, user_derived, user_effect, user_pre_effect, valueScale, videoConfig, waitingSentence, withMean, writeAddress, written };
