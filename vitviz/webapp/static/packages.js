var e = Array.isArray, t = Array.prototype.indexOf, n = Array.prototype.includes, r = Array.from, i = Object.defineProperty, a = Object.getOwnPropertyDescriptor, o = Object.getOwnPropertyDescriptors, s = Object.prototype, c = Array.prototype, l = Object.getPrototypeOf, u = Object.isExtensible;
function d(e) {
	return typeof e == `function`;
}
var f = () => {};
function p(e) {
	return typeof e?.then == `function`;
}
function m(e) {
	for (var t = 0; t < e.length; t++) e[t]();
}
function h() {
	var e, t;
	return {
		promise: new Promise((n, r) => {
			e = n, t = r;
		}),
		resolve: e,
		reject: t
	};
}
function g(e, t) {
	if (Array.isArray(e)) return e;
	if (t === void 0 || !(Symbol.iterator in e)) return Array.from(e);
	let n = [];
	for (let r of e) if (n.push(r), n.length === t) break;
	return n;
}
var _ = 1 << 24, v = 1024, y = 2048, b = 4096, x = 8192, S = 16384, ee = 32768, te = 1 << 25, ne = 65536, re = 1 << 19, ie = 1 << 20, ae = 1 << 25, oe = 1 << 21, se = 1 << 22, ce = 1 << 23, le = Symbol(`$state`), ue = Symbol(`component`), de = Symbol(`legacy props`), fe = Symbol(``), pe = Symbol(`attributes`), me = Symbol(`class`), he = Symbol(`style`), ge = Symbol(`text`), _e = Symbol(`form reset`), ve = new class extends Error {
	name = `StaleReactionError`;
	message = "The reaction that called `getAbortSignal()` was re-run or destroyed";
}(), ye = !!globalThis.document?.contentType && globalThis.document.contentType.includes(`xml`), be = {}, C = Symbol(`uninitialized`), xe = `http://www.w3.org/1999/xhtml`, Se = `http://www.w3.org/2000/svg`;
function Ce() {
	console.warn(`https://svelte.dev/e/derived_inert`);
}
function we(e) {
	console.warn(`https://svelte.dev/e/hydration_mismatch`);
}
function Te() {
	console.warn(`https://svelte.dev/e/select_multiple_invalid_value`);
}
function Ee() {
	console.warn(`https://svelte.dev/e/svelte_boundary_reset_noop`);
}
var w = !1;
function T(e) {
	w = e;
}
var E;
function D(e) {
	if (e === null) throw we(), be;
	return E = e;
}
function O() {
	return D(on(E));
}
function De(e) {
	if (w) {
		if (on(E) !== null) throw we(), be;
		E = e;
	}
}
function Oe(e = 1) {
	if (w) {
		for (var t = e, n = E; t--;) n = on(n);
		E = n;
	}
}
function ke(e = !0) {
	for (var t = 0, n = E;;) {
		if (n.nodeType === 8) {
			var r = n.data;
			if (r === `]`) {
				if (t === 0) return n;
				--t;
			} else (r === `[` || r === `[!` || r[0] === `[` && !isNaN(Number(r.slice(1)))) && (t += 1);
		}
		var i = on(n);
		e && n.remove(), n = i;
	}
}
function Ae(e) {
	if (!e || e.nodeType !== 8) throw we(), be;
	return e.data;
}
function je(e) {
	return e === this.v;
}
function Me(e, t) {
	return e == e ? e !== t || typeof e == `object` && !!e || typeof e == `function` : t == t;
}
function Ne(e) {
	return !Me(e, this.v);
}
function Pe(e) {
	throw Error(`https://svelte.dev/e/lifecycle_outside_component`);
}
function Fe() {
	throw Error(`https://svelte.dev/e/async_derived_orphan`);
}
function Ie(e, t, n) {
	throw Error(`https://svelte.dev/e/each_key_duplicate`);
}
function Le(e) {
	throw Error(`https://svelte.dev/e/effect_in_teardown`);
}
function Re() {
	throw Error(`https://svelte.dev/e/effect_in_unowned_derived`);
}
function ze(e) {
	throw Error(`https://svelte.dev/e/effect_orphan`);
}
function Be() {
	throw Error(`https://svelte.dev/e/effect_update_depth_exceeded`);
}
function Ve(e) {
	throw Error(`https://svelte.dev/e/props_invalid_value`);
}
function He() {
	throw Error(`https://svelte.dev/e/state_descriptors_fixed`);
}
function Ue() {
	throw Error(`https://svelte.dev/e/state_prototype_fixed`);
}
function We() {
	throw Error(`https://svelte.dev/e/state_unsafe_mutation`);
}
function Ge() {
	throw Error(`https://svelte.dev/e/svelte_boundary_reset_onerror`);
}
var k = null;
function Ke(e) {
	k = e;
}
function qe(e, t = !1, n) {
	k = {
		p: k,
		i: !1,
		c: null,
		e: null,
		s: e,
		x: null,
		r: K,
		l: null
	};
}
function Je(e) {
	var t = k, n = t.e;
	if (n !== null) {
		t.e = null;
		for (var r of n) xn(r);
	}
	return e !== void 0 && (t.x = e), t.i = !0, k = t.p, Ye(e);
}
function Ye(e = {}) {
	return i(e, ue, { value: !0 }), e;
}
function Xe() {
	return !0;
}
var Ze = [];
function Qe() {
	var e = Ze;
	Ze = [], m(e);
}
function A(e) {
	if (Ze.length === 0 && !Tt) {
		var t = Ze;
		queueMicrotask(() => {
			t === Ze && Qe();
		});
	}
	Ze.push(e);
}
function $e() {
	for (; Ze.length > 0;) Qe();
}
var et = ~(y | b | v);
function j(e, t) {
	e.f = e.f & et | t;
}
function tt(e) {
	e.f & 512 || e.deps === null ? j(e, v) : j(e, b);
}
function nt(e, t) {
	e.f & 2048 ? t.set(e, y) : e.f & 4096 && t.get(e) !== 2048 && t.set(e, b), j(e, v);
}
function rt(e, t) {
	if (t) {
		let t = document.body;
		e.autofocus = !0, A(() => {
			document.activeElement === t && e.focus();
		});
	}
}
var it = !1;
function at() {
	it || (it = !0, document.addEventListener(`reset`, (e) => {
		Promise.resolve().then(() => {
			if (!e.defaultPrevented) for (let t of e.target.elements) t[_e]?.();
		});
	}, { capture: !0 }));
}
function ot(e) {
	var t = U, n = K;
	G(null), q(null);
	try {
		return e();
	} finally {
		G(t), q(n);
	}
}
function st(e, t, n, r = n) {
	e.addEventListener(t, () => ot(n));
	let i = e[_e];
	e[_e] = i ? () => {
		i(), r(!0);
	} : () => r(!0), at();
}
function ct(e, t, n, r) {
	let i = Xe() ? ft : gt;
	var a = e.filter((e) => !e.settled), o = t.map(i);
	if (n.length === 0 && a.length === 0) {
		r(o);
		return;
	}
	var s = K, c = lt(), l = a.length === 1 ? a[0].promise : a.length > 1 ? Promise.all(a.map((e) => e.promise)) : null;
	function u(e) {
		if (!(s.f & 16384)) {
			c();
			try {
				r([...o, ...e]);
			} catch (e) {
				z(e, s);
			}
			ut();
		}
	}
	var d = dt();
	if (n.length === 0) {
		l.then(() => u([])).finally(d);
		return;
	}
	function f() {
		Promise.all(n.map((e) => mt(e))).then(u).catch((e) => z(e, s)).finally(d);
	}
	l ? l.then(() => {
		s.f & 16384 ? d() : (c(), f(), ut());
	}) : f();
}
function lt() {
	var e = K, t = U, n = k, r = M;
	return function(i = !0) {
		q(e), G(t), Ke(n), i && !(e.f & 16384) && (r?.activate(), r?.apply());
	};
}
function ut(e = !0) {
	q(null), G(null), Ke(null), e && M?.deactivate();
}
function dt() {
	var e = K, t = e.b, n = M, r = !!t?.is_rendered();
	return t?.update_pending_count(1, n), n.increment(r, e), () => {
		t?.update_pending_count(-1, n), n.decrement(r, e);
	};
}
function ft(e) {
	var t = 2 | y;
	return K !== null && (K.f |= re), {
		ctx: k,
		deps: null,
		effects: null,
		equals: je,
		f: t,
		fn: e,
		reactions: null,
		rv: 0,
		v: C,
		wv: 0,
		parent: K,
		ac: null
	};
}
var pt = Symbol(`obsolete`);
function mt(e, t, n) {
	let r = K;
	r === null && Fe();
	var i = void 0, a = F(C), o = !U, s = new Set();
	return Tn(() => {
		var t = K, n = h();
		i = n.promise;
		try {
			Promise.resolve(e()).then(n.resolve, (e) => {
				e !== ve && n.reject(e);
			}).finally(ut);
		} catch (e) {
			n.reject(e), ut();
		}
		var c = M;
		if (o) {
			if (t.f & 32768) var l = dt();
			if (r.b?.is_rendered()) c.async_deriveds.get(t)?.reject(pt);
			else for (let e of s.values()) e.reject(pt);
			s.add(n), c.async_deriveds.set(t, n);
		}
		let u = (e, t = void 0) => {
			l?.(), s.delete(n), t !== pt && (c.activate(), t ? (a.f |= ce, Gt(a, t)) : (a.f & 8388608 && (a.f ^= ce), Gt(a, e)), c.deactivate());
		};
		n.promise.then(u, (e) => u(null, e || `unknown`));
	}), yn(() => {
		for (let e of s) e.reject(pt);
	}), new Promise((e) => {
		function t(n) {
			function r() {
				n === i ? e(a) : t(i);
			}
			n.then(r, r);
		}
		t(i);
	});
}
function ht(e) {
	let t = ft(e);
	return Un(t), t;
}
function gt(e) {
	let t = ft(e);
	return t.equals = Ne, t;
}
function _t(e) {
	var t = e.effects;
	if (t !== null) {
		e.effects = null;
		for (var n = 0; n < t.length; n += 1) H(t[n]);
	}
}
function vt(e) {
	var t, n = K, r = e.parent;
	if (!Vn && r !== null && e.v !== C && r.f & 24576) return Ce(), e.v;
	q(r);
	try {
		_t(e), t = Qn(e);
	} finally {
		q(n);
	}
	return t;
}
function yt(e) {
	var t = vt(e);
	!e.equals(t) && (e.wv = Yn(), (!M?.is_fork || e.deps === null) && (M === null ? e.v = t : (M.capture(e, t, !0), Ct?.capture(e, t, !0)), e.deps === null)) ? j(e, v) : Vn || (N === null ? tt(e) : (vn() || M?.is_fork) && N.set(e, t));
}
function bt(e) {
	if (e.effects !== null) for (let t of e.effects) (t.teardown || t.ac) && (t.teardown?.(), t.ac !== null && ot(() => {
		t.ac.abort(ve), t.ac = null;
	}), t.fn !== null && (t.teardown = f), tr(t, 0), jn(t));
}
function xt(e) {
	if (e.effects !== null) for (let t of e.effects) t.teardown && t.fn !== null && nr(t);
}
var St = null, M = null, Ct = null, N = null, wt = null, Tt = !1, Et = !1, Dt = null, Ot = null, kt = 0, At = 1, jt = class e {
	id = At++;
	started = !1;
	linked = !0;
	prev = null;
	next = null;
	async_deriveds = new Map();
	current = new Map();
	previous = new Map();
	#e = new Set();
	#t = new Set();
	#n = 0;
	#r = new Map();
	#i = null;
	#a = [];
	#o = [];
	#s = new Map();
	#c = new Map();
	#l = new Set();
	is_fork = !1;
	#u = !1;
	constructor() {
		St === null ? St = this : (St.next = this, this.prev = St), St = this;
	}
	#d() {
		if (this.is_fork) return !0;
		for (let e of this.#r.keys()) if (!this.#f(e)) return !0;
		return !1;
	}
	#f(e) {
		for (var t = e; t !== null; t = t.parent) if (this.#c.has(t)) return !0;
		return !1;
	}
	skip_effect(e) {
		this.#c.has(e) || this.#c.set(e, {
			d: [],
			m: []
		}), this.#l.delete(e);
	}
	unskip_effect(e, t = (e) => this.schedule(e)) {
		var n = this.#c.get(e);
		if (n) {
			this.#c.delete(e);
			for (var r of n.d) j(r, y), t(r);
			for (r of n.m) j(r, b), t(r);
		}
		this.#l.add(e);
	}
	#p() {
		var e = [];
		for (let i of this.#a) if (!(i.f & 16384 || !(i.f & 6144))) {
			for (var t = i, n = !1; t.parent !== null;) {
				t = t.parent;
				var r = t.f;
				if (r & 96) {
					if (!(r & 1024)) {
						n = !0;
						break;
					}
					t.f ^= v;
				}
			}
			n || e.push(t);
		}
		return this.#a = [], e;
	}
	#m() {
		this.started = !0;
		for (let [e, t] of this.#s) j(e, t), this.schedule(e);
		this.apply();
		for (var t = Dt = [], n = [], r = Ot = []; this.#a.length > 0;) {
			kt++ > 1e3 && (this.#b(), Nt());
			for (let e of this.#p()) try {
				this.#h(e, t, n);
			} catch (t) {
				throw Rt(e), this.#d() || this.discard(), t;
			}
		}
		if (M = null, r.length > 0) {
			var i = e.ensure();
			for (let e of r) i.schedule(e);
		}
		if (Dt = null, Ot = null, this.#d()) {
			this.#y(n), this.#y(t);
			for (let [e, t] of this.#c) Lt(e, t);
			r.length > 0 && M.#m();
			return;
		}
		let a = this.#g();
		if (a) this.#y(n), this.#y(t), a.#v(this);
		else {
			this.#s.clear();
			for (let e of this.#e) e(this);
			this.#e.clear(), Ct = this, Ft(n), Ft(t), Ct = null, this.#i?.resolve();
			var o = M;
			this.#n === 0 && (this.#a.length === 0 || o !== null) && this.#b(), o !== null && (P.clear(), o.#m());
		}
	}
	#h(e, t, n) {
		e.f ^= v;
		for (var r = e.first; r !== null;) {
			var i = r.f, a = !!(i & 96);
			if (!(a && i & 1024 || i & 8192 || this.#c.has(r)) && r.fn !== null) {
				a ? r.f ^= v : i & 4 ? t.push(r) : Xn(r) && (i & 16 && this.add_dirty_reaction(r, b), nr(r));
				var o = r.first;
				if (o !== null) {
					r = o;
					continue;
				}
			}
			for (; r !== null;) {
				var s = r.next;
				if (s !== null) {
					r = s;
					break;
				}
				r = r.parent;
			}
		}
	}
	#g() {
		for (var e = this.prev; e !== null; e = e.prev) if (!e.is_fork && this.#_(e)) return e;
		return null;
	}
	#_(e) {
		for (let [t, [, n]] of this.current) if (!n && e.current.has(t)) return !0;
		return !1;
	}
	#v(e) {
		for (let [t, n] of e.current) !this.previous.has(t) && e.previous.has(t) && this.previous.set(t, e.previous.get(t)), this.current.set(t, n);
		for (let [t, n] of e.async_deriveds) {
			let e = this.async_deriveds.get(t);
			e && n.promise.then(e.resolve).catch(e.reject);
		}
		e.async_deriveds.clear(), this.transfer_reactions(e.#s);
		let t = (e) => {
			var n = e.reactions;
			if (n !== null && !(e.f & 2 && !(e.f & 6144))) for (let e of n) {
				var r = e.f;
				if (r & 2) t(e);
				else {
					var i = e;
					r & 4194320 && !this.async_deriveds.has(i) && (this.#s.delete(i), j(i, y), this.schedule(i));
				}
			}
		};
		for (let e of this.current.keys()) t(e);
		this.oncommit(() => e.discard()), e.#b(), M = this, this.#m();
	}
	#y(e) {
		for (var t = 0; t < e.length; t += 1) nt(e[t], this.#s);
	}
	capture(e, t, n = !1) {
		e.v !== C && !this.previous.has(e) && this.previous.set(e, e.v), e.f & 8388608 || (this.current.set(e, [t, n]), N?.set(e, t)), this.is_fork || (e.v = t);
	}
	activate() {
		M = this;
	}
	deactivate() {
		M = null, N = null;
	}
	flush() {
		try {
			Et = !0, M = this, this.#m();
		} finally {
			kt = 0, wt = null, Dt = null, Ot = null, Et = !1, M = null, N = null, P.clear();
		}
	}
	discard() {
		for (let e of this.#t) e(this);
		this.#t.clear();
		for (let e of this.async_deriveds.values()) e.reject(pt);
		this.#b(), this.#i?.resolve();
	}
	register_created_effect(e) {
		this.#o.push(e);
	}
	increment(e, t) {
		if (this.#n += 1, e) {
			let e = this.#r.get(t) ?? 0;
			this.#r.set(t, e + 1);
		}
	}
	decrement(e, t) {
		if (--this.#n, e) {
			let e = this.#r.get(t) ?? 0;
			e === 1 ? this.#r.delete(t) : this.#r.set(t, e - 1);
		}
		this.#u || (this.#u = !0, A(() => {
			this.#u = !1, this.linked && this.flush();
		}));
	}
	transfer_reactions(e) {
		for (let [t, n] of e) this.add_dirty_reaction(t, n);
		e.clear();
	}
	add_dirty_reaction(e, t) {
		(t === 2048 || this.#s.get(e) !== 2048) && this.#s.set(e, t);
	}
	oncommit(e) {
		this.#e.add(e);
	}
	ondiscard(e) {
		this.#t.add(e);
	}
	settled() {
		return (this.#i ??= h()).promise;
	}
	static ensure() {
		if (M === null) {
			let t = M = new e();
			!Et && !Tt && A(() => {
				t.started || t.flush();
			});
		}
		return M;
	}
	apply() {
		N = null;
	}
	schedule(e) {
		wt = e, e.b?.is_pending && e.f & 16777228 && !(e.f & 32768) ? e.b.defer_effect(e) : this.#a.push(e);
	}
	#b() {
		if (this.linked) {
			var e = this.prev, t = this.next;
			e === null || (e.next = t), t === null ? St = e : t.prev = e, this.linked = !1;
		}
	}
};
function Mt(e) {
	var t = Tt, n = Ct;
	Ct = null, Tt = !0;
	try {
		var r;
		for (e && (Mt(), r = e());;) {
			if ($e(), M === null) return r;
			M.flush();
		}
	} finally {
		Tt = t, Ct = n;
	}
}
function Nt() {
	try {
		Be();
	} catch (e) {
		z(e, wt);
	}
}
var Pt = null;
function Ft(e) {
	var t = e.length;
	if (t !== 0) {
		for (var n = 0; n < t;) {
			var r = e[n++];
			if (!(r.f & 24576) && Xn(r) && (Pt = new Set(), nr(r), r.deps === null && r.first === null && r.nodes === null && r.teardown === null && r.ac === null && Pn(r), Pt?.size > 0)) {
				P.clear();
				for (let e of Pt) {
					if (e.f & 24576) continue;
					let t = [e], n = e.parent;
					for (; n !== null;) Pt.has(n) && (Pt.delete(n), t.push(n)), n = n.parent;
					for (let e = t.length - 1; e >= 0; e--) {
						let n = t[e];
						n.f & 24576 || nr(n);
					}
				}
				Pt.clear();
			}
		}
		Pt = null;
	}
}
function It(e) {
	M.schedule(e);
}
function Lt(e, t) {
	if (!(e.f & 32 && e.f & 1024)) {
		e.f & 2048 ? t.d.push(e) : e.f & 4096 && t.m.push(e), j(e, v);
		for (var n = e.first; n !== null;) Lt(n, t), n = n.next;
	}
}
function Rt(e) {
	j(e, v);
	for (var t = e.first; t !== null;) Rt(t), t = t.next;
}
var zt = new Set(), P = new Map(), Bt = !1;
function F(e, t) {
	return {
		f: 0,
		v: e,
		reactions: null,
		equals: je,
		rv: 0,
		wv: 0
	};
}
function Vt(e, t) {
	let n = F(e, t);
	return Un(n), n;
}
function Ht(e, t = !1, n = !0) {
	let r = F(e);
	return t || (r.equals = Ne), r;
}
function I(e, t, n = !1) {
	return U !== null && (!W || U.f & 131072) && Xe() && U.f & 4325394 && (J === null || !J.has(e)) && We(), Gt(e, n ? Xt(t) : t, Ot);
}
var Ut = null, Wt = 0;
function Gt(e, t, n = null) {
	if (!e.equals(t)) {
		Vn ? P.set(e, t) : P.has(e) || P.set(e, e.v);
		var r = jt.ensure();
		if (r.capture(e, t), e.f & 2) {
			let t = e;
			e.f & 2048 && vt(t), N === null && tt(t);
		}
		e.wv = Yn(), Ut = null, Wt = 0, Yt(e, y, n), Ut = null, Xe() && K !== null && K.f & 1024 && !(K.f & 96) && (Z === null ? Wn([e]) : Z.push(e)), !r.is_fork && zt.size > 0 && !Bt && Kt();
	}
	return t;
}
function Kt() {
	Bt = !1;
	for (let e of zt) {
		e.f & 1024 && j(e, b);
		let t;
		try {
			t = Xn(e);
		} catch {
			t = !0;
		}
		t && nr(e);
	}
	zt.clear();
}
function qt(e, t = 1) {
	var n = Q(e), r = t === 1 ? n++ : n--;
	return I(e, n), r;
}
function Jt(e) {
	I(e, e.v + 1);
}
function Yt(e, t, n) {
	var r = e.reactions;
	if (r !== null) {
		var i = Xe(), a = r.length;
		if (Wt += a, Wt > 1e5 && Ut === null && (Ut = new Set()), Ut !== null) {
			if (Ut.has(e)) return;
			Ut.add(e);
		}
		for (var o = 0; o < a; o++) {
			var s = r[o], c = s.f;
			if (i || s !== K) {
				var l = (c & y) === 0;
				if (l && j(s, t), c & 131072) zt.add(s);
				else if (c & 2) {
					var u = s;
					N?.delete(u), Yt(u, b, n);
				} else if (l) {
					var d = s;
					c & 16 && Pt !== null && Pt.add(d), n === null ? It(d) : n.push(d);
				}
			}
		}
	}
}
function Xt(t) {
	if (typeof t != `object` || !t || le in t || ue in t) return t;
	let n = l(t);
	if (n !== s && n !== c) return t;
	var r = new Map(), i = e(t), o = Vt(0), u = null, d = qn, f = (e) => {
		if (qn === d) return e();
		var t = U, n = qn;
		G(null), Jn(d);
		var r = e();
		return G(t), Jn(n), r;
	};
	return i && r.set(`length`, Vt(t.length, u)), new Proxy(t, {
		defineProperty(e, t, n) {
			`value` in n && n.configurable !== !1 && n.enumerable !== !1 && n.writable !== !1 || He();
			var i = r.get(t);
			return i === void 0 ? f(() => {
				var e = Vt(n.value, u);
				return r.set(t, e), e;
			}) : I(i, n.value, !0), !0;
		},
		deleteProperty(e, t) {
			var n = r.get(t);
			if (n === void 0) {
				if (t in e) {
					let e = f(() => Vt(C, u));
					r.set(t, e), Jt(o);
				}
			} else I(n, C), Jt(o);
			return !0;
		},
		get(e, n, i) {
			if (n === le) return t;
			var o = r.get(n), s = n in e;
			if (o === void 0 && (!s || a(e, n)?.writable) && (o = f(() => Vt(Xt(s ? e[n] : C), u)), r.set(n, o)), o !== void 0) {
				var c = Q(o);
				return c === C ? void 0 : c;
			}
			return Reflect.get(e, n, i);
		},
		getOwnPropertyDescriptor(e, t) {
			this.has?.(e, t);
			var n = Reflect.getOwnPropertyDescriptor(e, t), i = r.get(t);
			if (i !== void 0) {
				var a = Q(i);
				if (a === C) return;
				if (n && `value` in n) n.value = a;
				else return {
					enumerable: !0,
					configurable: !0,
					value: a,
					writable: !0
				};
			}
			return n;
		},
		has(e, t) {
			if (t === le) return !0;
			var n = r.get(t), i = n !== void 0 && n.v !== C || Reflect.has(e, t);
			return (n !== void 0 || (K !== null || U !== null) && (!i || a(e, t)?.writable)) && (n === void 0 && (n = f(() => Vt(i ? Xt(e[t]) : C, u)), r.set(t, n)), Q(n) === C) ? !1 : i;
		},
		set(e, t, n, s) {
			var c = r.get(t), l = t in e;
			if (i && t === `length`) for (var d = n; d < c.v; d += 1) {
				var p = r.get(d + ``);
				p === void 0 ? d in e && (p = f(() => Vt(C, u)), r.set(d + ``, p)) : I(p, C);
			}
			if (c === void 0) (!l || a(e, t)?.writable) && (c = f(() => Vt(void 0, u)), I(c, Xt(n)), r.set(t, c));
			else {
				l = c.v !== C;
				var m = f(() => Xt(n));
				I(c, m);
			}
			var h = Reflect.getOwnPropertyDescriptor(e, t);
			if (h?.set && h.set.call(s, n), !l) {
				if (i && typeof t == `string`) {
					var g = r.get(`length`), _ = Number(t);
					Number.isInteger(_) && _ >= g.v && I(g, _ + 1);
				}
				Jt(o);
			}
			return !0;
		},
		ownKeys(e) {
			Q(o);
			var t = Reflect.ownKeys(e).filter((e) => {
				var t = r.get(e);
				return t === void 0 || t.v !== C;
			});
			for (var [n, i] of r) i.v !== C && !(n in e) && t.push(n);
			return t;
		},
		setPrototypeOf() {
			Ue();
		}
	});
}
function Zt(e) {
	try {
		if (typeof e == `object` && e && le in e) return e[le];
	} catch {}
	return e;
}
function Qt(e, t) {
	return Object.is(Zt(e), Zt(t));
}
var $t, en, tn, nn, rn;
function an() {
	if ($t === void 0) {
		$t = window, en = document, tn = /Firefox/.test(navigator.userAgent);
		var e = Element.prototype, t = Node.prototype, n = Text.prototype;
		nn = a(t, `firstChild`).get, rn = a(t, `nextSibling`).get, u(e) && (e[me] = void 0, e[pe] = null, e[he] = void 0, e.__e = void 0), u(n) && (n[ge] = void 0);
	}
}
function L(e = ``) {
	return document.createTextNode(e);
}
function R(e) {
	return nn.call(e);
}
function on(e) {
	return rn.call(e);
}
function sn(e, t) {
	if (!w) return R(e);
	var n = R(E);
	if (n === null) n = E.appendChild(L());
	else if (t && n.nodeType !== 3) {
		var r = L();
		return n?.before(r), D(r), r;
	}
	return t && mn(n), D(n), n;
}
function cn(e, t = !1) {
	if (!w) {
		var n = R(e);
		return n instanceof Comment && n.data === `` ? on(n) : n;
	}
	if (t) {
		if (E?.nodeType !== 3) {
			var r = L();
			return E?.before(r), D(r), r;
		}
		mn(E);
	}
	return E;
}
function ln(e, t = !1) {
	if (!w) return R(e);
	var n = sn(e, t);
	return De(e), n;
}
function un(e, t = 1, n = !1) {
	let r = w ? E : e;
	for (var i; t--;) i = r, r = on(r);
	if (!w) return r;
	if (n) {
		if (r?.nodeType !== 3) {
			var a = L();
			return r === null ? i?.after(a) : r.before(a), D(a), a;
		}
		mn(r);
	}
	return D(r), r;
}
function dn(e) {
	e.textContent = ``;
}
function fn() {
	return !1;
}
function pn(e, t, n) {
	return t == null || t === `http://www.w3.org/1999/xhtml` ? n ? document.createElement(e, { is: n }) : document.createElement(e) : n ? document.createElementNS(t, e, { is: n }) : document.createElementNS(t, e);
}
function mn(e) {
	if (e.nodeValue.length < 65536) return;
	let t = e.nextSibling;
	for (; t !== null && t.nodeType === 3;) t.remove(), e.nodeValue += t.nodeValue, t = e.nextSibling;
}
function hn(e) {
	var t = K;
	if (t === null) return U.f |= ce, e;
	if (!(t.f & 32768) && !(t.f & 4)) throw e;
	z(e, t);
}
function z(e, t) {
	if (e === be) throw e;
	if (!(t !== null && t.f & 16384)) {
		for (; t !== null;) {
			if (t.f & 128 && !(t.f & 33570816)) {
				if (!(t.f & 32768)) throw e;
				try {
					t.b.error(e);
					return;
				} catch (t) {
					e = t;
				}
			}
			t = t.parent;
		}
		throw e;
	}
}
function gn(e) {
	K === null && (U === null && ze(e), Re()), Vn && Le(e);
}
function _n(e, t) {
	var n = t.last;
	n === null ? t.last = t.first = e : (n.next = e, e.prev = n, t.last = e);
}
function B(e, t) {
	var n = K;
	n !== null && n.f & 8192 && (e |= x);
	var r = {
		ctx: k,
		deps: null,
		nodes: null,
		f: e | y | 512,
		first: null,
		fn: t,
		last: null,
		next: null,
		parent: n,
		b: n && n.b,
		prev: null,
		teardown: null,
		wv: 0,
		ac: null
	};
	M?.register_created_effect(r);
	var i = r;
	if (e & 4) Dt === null ? jt.ensure().schedule(r) : Dt.push(r);
	else if (t !== null) {
		try {
			nr(r);
		} catch (e) {
			throw H(r), e;
		}
		i.deps === null && i.teardown === null && i.nodes === null && i.first === i.last && !(i.f & 524288) && (i = i.first, e & 16 && e & 65536 && i !== null && (i.f |= ne));
	}
	if (i !== null && (i.parent = n, n !== null && _n(i, n), U !== null && U.f & 2 && !(e & 64))) {
		var a = U;
		(a.effects ??= []).push(i);
	}
	return r;
}
function vn() {
	return U !== null && !W;
}
function yn(e) {
	let t = B(8, null);
	return j(t, v), t.teardown = e, t;
}
function bn(e) {
	gn(`$effect`);
	var t = K.f;
	if (!U && t & 32 && k !== null && !k.i) {
		var n = k;
		(n.e ??= []).push(e);
	} else return xn(e);
}
function xn(e) {
	return B(4 | ie, e);
}
function Sn(e) {
	return gn(`$effect.pre`), B(8 | ie, e);
}
function Cn(e) {
	jt.ensure();
	let t = B(64 | re, e);
	return (e = {}) => new Promise((n) => {
		e.outro ? Fn(t, () => {
			H(t), n(void 0);
		}) : (H(t), n(void 0));
	});
}
function wn(e) {
	return B(4, e);
}
function Tn(e) {
	return B(se | re, e);
}
function En(e, t = 0) {
	return B(8 | t, e);
}
function Dn(e, t = [], n = [], r = []) {
	ct(r, t, n, (t) => {
		B(8, () => {
			e(...t.map(Q));
		});
	});
}
function On(e, t = 0) {
	return B(16 | t, e);
}
function kn(e, t = 0) {
	return B(_ | t, e);
}
function V(e) {
	return B(32 | re, e);
}
function An(e) {
	var t = e.teardown;
	if (t !== null) {
		let n = Vn, r = U;
		Hn(!0), G(null);
		try {
			t.call(null);
		} catch (t) {
			z(t, e.parent);
		} finally {
			Hn(n), G(r);
		}
	}
}
function jn(e, t = !1) {
	var n = e.first;
	for (e.first = e.last = null; n !== null;) {
		let e = n.ac;
		e !== null && ot(() => {
			e.abort(ve);
		});
		var r = n.next;
		n.f & 64 ? n.parent = null : H(n, t), n = r;
	}
}
function Mn(e) {
	for (var t = e.first; t !== null;) {
		var n = t.next;
		t.f & 32 || H(t), t = n;
	}
}
function H(e, t = !0) {
	var n = !1;
	(t || e.f & 262144) && e.nodes !== null && e.nodes.end !== null && (Nn(e.nodes.start, e.nodes.end), n = !0), e.f |= te, jn(e, t && !n), tr(e, 0);
	var r = e.nodes && e.nodes.t;
	if (r !== null) for (let e of r) e.stop();
	An(e), e.f ^= te, e.f |= S;
	var i = e.parent;
	i !== null && i.first !== null && Pn(e), e.next = e.prev = e.teardown = e.ctx = e.deps = e.fn = e.nodes = e.ac = e.b = null;
}
function Nn(e, t) {
	for (; e !== null;) {
		var n = e === t ? null : on(e);
		e.remove(), e = n;
	}
}
function Pn(e) {
	var t = e.parent, n = e.prev, r = e.next;
	n !== null && (n.next = r), r !== null && (r.prev = n), t !== null && (t.first === e && (t.first = r), t.last === e && (t.last = n));
}
function Fn(e, t, n = !0) {
	var r = [];
	e.f |= 256, In(e, r, !0);
	var i = () => {
		n && H(e), t && t();
	}, a = r.length;
	if (a > 0) {
		var o = () => --a || i();
		for (var s of r) s.out(o);
	} else i();
}
function In(e, t, n) {
	if (!(e.f & 8192)) {
		e.f ^= x;
		var r = e.nodes && e.nodes.t;
		if (r !== null) for (let e of r) (e.is_global || n) && t.push(e);
		for (var i = e.first; i !== null;) {
			var a = i.next;
			if (!(i.f & 64)) {
				var o = !!(i.f & 65536) || !!(i.f & 32) && !!(e.f & 16);
				In(i, t, o ? n : !1);
			}
			i = a;
		}
	}
}
function Ln(e) {
	e.f &= -257, Rn(e, !0);
}
function Rn(e, t) {
	if (!(e.f & 256) && e.f & 8192) {
		e.f ^= x, e.f & 1024 || (j(e, y), jt.ensure().schedule(e));
		for (var n = e.first; n !== null;) {
			var r = n.next, i = !!(n.f & 65536) || !!(n.f & 32);
			Rn(n, i ? t : !1), n = r;
		}
		var a = e.nodes && e.nodes.t;
		if (a !== null) for (let e of a) (e.is_global || t) && e.in();
	}
}
function zn(e, t) {
	if (e.nodes) for (var n = e.nodes.start, r = e.nodes.end; n !== null;) {
		var i = n === r ? null : on(n);
		t.append(n), n = i;
	}
}
var Bn = null, Vn = !1;
function Hn(e) {
	Vn = e;
}
var U = null, W = !1;
function G(e) {
	U = e;
}
var K = null;
function q(e) {
	K = e;
}
var J = null;
function Un(e) {
	U !== null && (U.f & 2097152 || U.f & 2) && (J ??= new Set()).add(e);
}
var Y = null, X = 0, Z = null;
function Wn(e) {
	Z = e;
}
var Gn = 1, Kn = 0, qn = Kn;
function Jn(e) {
	qn = e;
}
function Yn() {
	return ++Gn;
}
function Xn(e) {
	var t = e.f;
	if (t & 2048) return !0;
	if (t & 4096) {
		for (var n = e.deps, r = n.length, i = 0; i < r; i++) {
			var a = n[i];
			if (Xn(a) && yt(a), a.wv > e.wv) return !0;
		}
		t & 512 && N === null && j(e, v);
	}
	return !1;
}
function Zn(e, t, n = !0) {
	var r = e.reactions;
	if (r !== null && !(J !== null && J.has(e))) for (var i = 0; i < r.length; i++) {
		var a = r[i];
		a.f & 2 ? Zn(a, t, !1) : t === a && (n ? j(a, y) : a.f & 1024 && j(a, b), It(a));
	}
}
function Qn(e) {
	var t = Y, n = X, r = Z, i = U, a = J, o = k, s = W, c = qn, l = e.f;
	Y = null, X = 0, Z = null, U = l & 96 ? null : e, J = null, Ke(e.ctx), W = !1, qn = ++Kn, e.ac !== null && (ot(() => {
		e.ac.abort(ve);
	}), e.ac = null);
	try {
		e.f |= oe;
		var u = e.fn, d = u();
		e.f |= ee;
		var f = $n(e);
		if (Xe() && Z !== null && !W && f !== null && !(e.f & 6146)) for (var p = 0; p < Z.length; p++) Zn(Z[p], e);
		if (i !== null && i !== e) {
			if (Kn++, i.deps !== null) for (let e = 0; e < n; e += 1) i.deps[e].rv = Kn;
			if (t !== null) for (let e of t) e.rv = Kn;
			Z !== null && (r === null ? r = Z : r.push(...Z));
		}
		return e.f & 8388608 && (e.f ^= ce), d;
	} catch (t) {
		return $n(e), hn(t);
	} finally {
		e.f ^= oe, Y = t, X = n, Z = r, U = i, J = a, Ke(o), W = s, qn = c;
	}
}
function $n(e) {
	var t = e.deps, n = M?.is_fork;
	if (Y !== null) {
		var r;
		if (n || tr(e, X), t !== null && X > 0) for (t.length = X + Y.length, r = 0; r < Y.length; r++) t[X + r] = Y[r];
		else e.deps = t = Y;
		if (vn() && e.f & 512) for (r = X; r < t.length; r++) (t[r].reactions ??= []).push(e);
	} else !n && t !== null && X < t.length && (tr(e, X), t.length = X);
	return t;
}
function er(e, r) {
	let i = r.reactions;
	if (i !== null) {
		var a = t.call(i, e);
		if (a !== -1) {
			var o = i.length - 1;
			o === 0 ? i = r.reactions = null : (i[a] = i[o], i.pop());
		}
	}
	if (i === null && r.f & 2 && (Y === null || !n.call(Y, r))) {
		var s = r;
		s.f & 512 && (s.f ^= 512), s.v !== C && tt(s), s.ac !== null && ot(() => {
			s.ac.abort(ve), s.ac = null, j(s, y);
		}), bt(s), tr(s, 0);
	}
}
function tr(e, t) {
	var n = e.deps;
	if (n !== null) for (var r = t; r < n.length; r++) er(e, n[r]);
}
function nr(e) {
	var t = e.f;
	if (!(t & 16384)) {
		j(e, v);
		var n = K;
		K = e;
		try {
			t & 16777232 ? Mn(e) : jn(e), An(e);
			var r = Qn(e);
			e.teardown = typeof r == `function` ? r : null, e.wv = Gn;
		} finally {
			K = n;
		}
	}
}
async function rr() {
	await Promise.resolve(), Mt();
}
function Q(e) {
	var t = !!(e.f & 2);
	if (Bn?.add(e), U !== null && !W && !(K !== null && K.f & 16384) && (J === null || !J.has(e))) {
		var r = U.deps;
		if (U.f & 2097152) e.rv < Kn && (e.rv = Kn, Y === null && r !== null && r[X] === e ? X++ : Y === null ? Y = [e] : Y.push(e));
		else {
			U.deps ??= [], n.call(U.deps, e) || U.deps.push(e);
			var i = e.reactions;
			i === null ? e.reactions = [U] : n.call(i, U) || i.push(U);
		}
	}
	if (Vn && P.has(e)) return P.get(e);
	if (t) {
		var a = e;
		if (Vn) {
			var o = a.v;
			return (!(a.f & 1024) && a.reactions !== null || ar(a)) && (o = vt(a)), P.set(a, o), o;
		}
		var s = !(a.f & 512) && !W && U !== null && !!(U.f & 512), c = (a.f & ee) === 0;
		Xn(a) && (s && (a.f |= 512), yt(a)), s && !c && (xt(a), ir(a));
	}
	if (N?.has(e)) return N.get(e);
	if (e.f & 8388608) throw e.v;
	return e.v;
}
function ir(e) {
	if (e.f |= 512, e.deps !== null) for (let r of e.deps) {
		var t = r.reactions;
		t === null ? r.reactions = [e] : n.call(t, e) || t.push(e), r.f & 2 && !(r.f & 512) && (xt(r), ir(r));
	}
}
function ar(e) {
	if (e.v === C) return !0;
	if (e.deps === null) return !1;
	for (let t of e.deps) if (P.has(t) || t.f & 2 && ar(t)) return !0;
	return !1;
}
function or(e) {
	var t = W;
	try {
		return W = !0, e();
	} finally {
		W = t;
	}
}
function sr(e) {
	return e.endsWith(`capture`) && e !== `gotpointercapture` && e !== `lostpointercapture`;
}
var cr = [
	`beforeinput`,
	`click`,
	`change`,
	`dblclick`,
	`contextmenu`,
	`focusin`,
	`focusout`,
	`input`,
	`keydown`,
	`keyup`,
	`mousedown`,
	`mousemove`,
	`mouseout`,
	`mouseover`,
	`mouseup`,
	`pointerdown`,
	`pointermove`,
	`pointerout`,
	`pointerover`,
	`pointerup`,
	`touchend`,
	`touchmove`,
	`touchstart`
];
function lr(e) {
	return cr.includes(e);
}
var ur = `allowfullscreen.async.autofocus.autoplay.checked.controls.default.disabled.formnovalidate.indeterminate.inert.ismap.loop.multiple.muted.nomodule.novalidate.open.playsinline.readonly.required.reversed.seamless.selected.webkitdirectory.defer.disablepictureinpicture.disableremoteplayback`.split(`.`), dr = {
	formnovalidate: `formNoValidate`,
	ismap: `isMap`,
	nomodule: `noModule`,
	playsinline: `playsInline`,
	readonly: `readOnly`,
	defaultvalue: `defaultValue`,
	defaultchecked: `defaultChecked`,
	srcobject: `srcObject`,
	novalidate: `noValidate`,
	allowfullscreen: `allowFullscreen`,
	disablepictureinpicture: `disablePictureInPicture`,
	disableremoteplayback: `disableRemotePlayback`
};
function fr(e) {
	return e = e.toLowerCase(), dr[e] ?? e;
}
[...ur];
var pr = [`touchstart`, `touchmove`];
function mr(e) {
	return pr.includes(e);
}
var hr = [
	`textarea`,
	`script`,
	`style`,
	`title`
];
function gr(e) {
	return hr.includes(e);
}
var _r = Symbol(`events`), vr = new Set(), yr = new Set();
function br(e) {
	if (!w) return;
	e.removeAttribute(`onload`), e.removeAttribute(`onerror`);
	let t = e.__e;
	t !== void 0 && (e.__e = void 0, queueMicrotask(() => {
		e.isConnected && e.dispatchEvent(t);
	}));
}
function xr(e, t, n, r = {}) {
	function i(e) {
		if (r.capture || Dr.call(t, e), !e.cancelBubble) return ot(() => n?.call(this, e));
	}
	return e.startsWith(`pointer`) || e.startsWith(`touch`) || e === `wheel` ? (i.__removed = !1, A(() => {
		i.__removed || t.addEventListener(e, i, r);
	})) : t.addEventListener(e, i, r), i;
}
function Sr(e, t, n, r, i) {
	var a = {
		capture: r,
		passive: i
	}, o = xr(e, t, n, a);
	(t === document.body || t === window || t === document || t instanceof HTMLMediaElement) && yn(() => {
		o.__removed = !0, t.removeEventListener(e, o, a);
	});
}
function Cr(e, t, n) {
	(t[_r] ??= {})[e] = n;
}
function wr(e) {
	for (var t = 0; t < e.length; t++) vr.add(e[t]);
	for (var n of yr) n(e);
}
var Tr = null, Er = !1;
function Dr(e) {
	var t = this, n = t.ownerDocument, r = e.type, a = e.composedPath?.() || [], o = a[0] || e.target;
	Tr = e, Er || (Er = !0, setTimeout(() => {
		Er = !1, Tr = null;
	}));
	var s = 0, c = Tr === e && e[_r];
	if (c) {
		var l = a.indexOf(c);
		if (l !== -1 && (t === document || t === window)) {
			e[_r] = t;
			return;
		}
		var u = a.indexOf(t);
		if (u === -1) return;
		l <= u && (s = l);
	}
	if (o = a[s] || e.target, o !== t) {
		i(e, `currentTarget`, {
			configurable: !0,
			get() {
				return o || n;
			}
		});
		var d = U, f = K;
		G(null), q(null);
		try {
			for (var p, m = []; o !== null && o !== t;) {
				try {
					var h = o[_r]?.[r];
					h == null || o.disabled && e.target !== o || h.call(o, e);
				} catch (e) {
					p ? m.push(e) : p = e;
				}
				if (e.cancelBubble) break;
				s++, o = s < a.length ? a[s] : null;
			}
			if (p) {
				for (let e of m) queueMicrotask(() => {
					throw e;
				});
				throw p;
			}
		} finally {
			e[_r] = t, delete e.currentTarget, G(d), q(f);
		}
	}
}
var Or = globalThis?.window?.trustedTypes && globalThis.window.trustedTypes.createPolicy(`svelte-trusted-html`, { createHTML: (e) => e });
function kr(e) {
	return Or?.createHTML(e) ?? e;
}
function Ar(e) {
	var t = pn(`template`);
	return t.innerHTML = kr(e.replaceAll(`<!>`, `<!---->`)), t.content;
}
function $(e, t) {
	var n = K;
	n.nodes === null && (n.nodes = {
		start: e,
		end: t,
		a: null,
		t: null
	});
}
function jr(e, t) {
	var n = !!(t & 1), r = !!(t & 2), i, a = !e.startsWith(`<!>`);
	return () => {
		if (w) return $(E, null), E;
		i === void 0 && (i = Ar(a ? e : `<!>` + e), n || (i = R(i)));
		var t = r || tn ? document.importNode(i, !0) : i.cloneNode(!0);
		if (n) {
			var o = R(t), s = t.lastChild;
			$(o, s);
		} else $(t, t);
		return t;
	};
}
function Mr(e, t, n = `svg`) {
	var r = !e.startsWith(`<!>`), i = !!(t & 1), a = `<${n}>${r ? e : `<!>` + e}</${n}>`, o;
	return () => {
		if (w) return $(E, null), E;
		if (!o) {
			var e = R(Ar(a));
			if (i) for (o = document.createDocumentFragment(); R(e);) o.appendChild(R(e));
			else o = R(e);
		}
		var t = o.cloneNode(!0);
		if (i) {
			var n = R(t), r = t.lastChild;
			$(n, r);
		} else $(t, t);
		return t;
	};
}
function Nr(e, t) {
	return Mr(e, t, `svg`);
}
function Pr(e = ``) {
	if (!w) {
		var t = L(e + ``);
		return $(t, t), t;
	}
	var n = E;
	return n.nodeType === 3 ? mn(n) : (n.before(n = L()), D(n)), $(n, n), n;
}
function Fr() {
	if (w) return $(E, null), E;
	var e = document.createDocumentFragment(), t = document.createComment(``), n = L();
	return e.append(t, n), $(t, n), e;
}
function Ir(e, t) {
	if (w) {
		var n = K;
		n.f & 32768 && n.nodes.end !== null || (n.nodes.end = E), O();
	} else e !== null && e.before(t);
}
function Lr() {
	if (w && E && E.nodeType === 8 && E.textContent?.startsWith(`$`)) {
		let e = E.textContent.substring(1);
		return O(), e;
	}
	return (window.__svelte ??= {}).uid ??= 1, `c${window.__svelte.uid++}`;
}
function Rr(e) {
	let t = 0, n = F(0), r;
	return () => {
		vn() && (Q(n), En(() => (t === 0 && (r = or(() => e(() => Jt(n)))), t += 1, () => {
			A(() => {
				--t, t === 0 && (r?.(), r = void 0, Jt(n));
			});
		})));
	};
}
var zr = ne | re;
function Br(e, t, n, r) {
	new Vr(e, t, n, r);
}
var Vr = class {
	parent;
	is_pending = !1;
	transform_error;
	#e;
	#t = w ? E : null;
	#n;
	#r;
	#i;
	#a = null;
	#o = null;
	#s = null;
	#c = null;
	#l = 0;
	#u = 0;
	#d = !1;
	#f = new Map();
	#p = null;
	#m = Rr(() => (this.#p = F(this.#l), () => {
		this.#p = null;
	}));
	constructor(e, t, n, r) {
		this.#e = e, this.#n = t, this.#r = (e) => {
			var t = K;
			t.b = this, t.f |= 128, n(e);
		}, this.parent = K.b, this.transform_error = r ?? this.parent?.transform_error ?? ((e) => e), this.#i = On(() => {
			if (w) {
				let e = Ae(this.#t);
				O();
				let t = e === `[!`;
				if (e.startsWith(`[?`)) {
					let t = JSON.parse(e.slice(2));
					this.#g(t);
				} else t ? this.#y() : this.#h();
			} else this.#b();
		}, zr), w && (this.#e = E);
	}
	#h() {
		try {
			this.#a = V(() => this.#r(this.#e));
		} catch (e) {
			this.error(e);
		}
	}
	#g(e) {
		let t = this.#n.failed, { reset: n, invoke_onerror: r } = this.#_(e);
		A(r), t && (this.#s = V(() => {
			t(this.#e, () => e, () => n);
		}));
	}
	#_(e) {
		var t = !1, n = !1;
		let r = () => {
			this.#v() || (t ? Ee() : (t = !0, n && Ge(), this.#s !== null && Fn(this.#s, () => {
				this.#s = null;
			}), this.#S(() => {
				this.#b();
			})));
		};
		return {
			reset: r,
			invoke_onerror: () => {
				if (!this.#v()) try {
					n = !0, this.#n.onerror?.(e, r), n = !1;
				} catch (e) {
					z(e, this.#i && this.#i.parent);
				}
			}
		};
	}
	#v() {
		return (this.#i.f & (S | te)) !== 0;
	}
	#y() {
		let e = this.#n.pending;
		e && (this.is_pending = !0, this.#o = V(() => e(this.#e)), A(() => {
			if (!this.#v()) {
				var e = this.#c = document.createDocumentFragment(), t = L(), n = !1;
				e.append(t), this.#a = this.#S(() => {
					try {
						return V(() => this.#r(t));
					} catch (e) {
						try {
							this.error(e), n = !0;
						} catch (e) {
							z(e, this.#i.parent);
						}
						return null;
					}
				}), this.#a === null ? (this.#c = null, n && this.#x(M)) : this.#u === 0 && (this.#e.before(e), this.#c = null, Fn(this.#o, () => {
					this.#o = null;
				}), this.#x(M));
			}
		}));
	}
	#b() {
		try {
			if (this.is_pending = this.has_pending_snippet(), this.#u = 0, this.#l = 0, this.#a = V(() => {
				this.#r(this.#e);
			}), this.#u > 0) {
				var e = this.#c = document.createDocumentFragment();
				zn(this.#a, e);
				let t = this.#n.pending;
				this.#o = V(() => t(this.#e));
			} else this.#x(M);
		} catch (e) {
			this.error(e);
		}
	}
	#x(e) {
		this.is_pending = !1, e.transfer_reactions(this.#f);
	}
	defer_effect(e) {
		nt(e, this.#f);
	}
	is_rendered() {
		return !this.is_pending && (!this.parent || this.parent.is_rendered());
	}
	has_pending_snippet() {
		return !!this.#n.pending;
	}
	#S(e) {
		var t = K, n = U, r = k;
		q(this.#i), G(this.#i), Ke(this.#i.ctx);
		try {
			return jt.ensure(), e();
		} finally {
			q(t), G(n), Ke(r);
		}
	}
	#C(e, t) {
		this.has_pending_snippet() ? (this.#u += e, this.#u === 0 && (this.#x(t), this.#o && Fn(this.#o, () => {
			this.#o = null;
		}), this.#c &&= (this.#e.before(this.#c), null))) : this.parent && this.parent.#C(e, t);
	}
	update_pending_count(e, t) {
		this.#C(e, t), this.#l += e, !this.#p || this.#d || (this.#d = !0, A(() => {
			this.#d = !1, this.#p && Gt(this.#p, this.#l);
		}));
	}
	get_effect_pending() {
		return this.#m(), Q(this.#p);
	}
	error(e) {
		if (e === be || !this.#n.onerror && !this.#n.failed) throw e;
		M?.is_fork ? (this.#a && M.skip_effect(this.#a), this.#o && M.skip_effect(this.#o), this.#s && M.skip_effect(this.#s), M.oncommit(() => {
			this.#v() || this.#w(e);
		})) : this.#w(e);
	}
	#w(e) {
		this.#a &&= (H(this.#a), null), this.#o &&= (H(this.#o), null), this.#s &&= (H(this.#s), null), w && (D(this.#t), Oe(), D(ke()));
		let t = this.#n.failed, n = (e) => {
			if (this.#v()) return;
			let { reset: n, invoke_onerror: r } = this.#_(e);
			r(), t && !this.#v() && (this.#s = this.#S(() => {
				try {
					return V(() => {
						var r = K;
						r.b = this, r.f |= 128, t(this.#e, () => e, () => n);
					});
				} catch (e) {
					return z(e, this.#i.parent), null;
				}
			}));
		};
		A(() => {
			if (!this.#v()) {
				var t;
				try {
					t = this.transform_error(e);
				} catch (e) {
					z(e, this.#i && this.#i.parent);
					return;
				}
				typeof t == `object` && t && typeof t.then == `function` ? t.then(n, (e) => z(e, this.#i && this.#i.parent)) : n(t);
			}
		});
	}
};
function Hr(e, t) {
	var n = t == null ? `` : typeof t == `object` ? `${t}` : t;
	n !== (e[ge] ??= e.nodeValue) && (e[ge] = n, e.nodeValue = `${n}`);
}
function Ur(e, t) {
	return Gr(e, t);
}
var Wr = new Map();
function Gr(e, { target: t, anchor: n, props: i = {}, events: a, context: o, intro: s = !0, transformError: c }) {
	an();
	var l = void 0, u = Cn(() => {
		var s = n ?? t.appendChild(L());
		Br(s, { pending: () => {} }, (t) => {
			qe({});
			var n = k;
			if (o && (n.c = o), a && (i.$$events = a), w && $(t, null), l = e(t, i) || Ye(), w && (K.nodes.end = E, E === null || E.nodeType !== 8 || E.data !== `]`)) throw we(), be;
			Je();
		}, c);
		var u = new Set(), d = (e) => {
			for (var n = 0; n < e.length; n++) {
				var r = e[n];
				if (!u.has(r)) {
					u.add(r);
					var i = mr(r);
					for (let e of [t, document]) {
						var a = Wr.get(e);
						a === void 0 && (a = new Map(), Wr.set(e, a));
						var o = a.get(r);
						o === void 0 ? (e.addEventListener(r, Dr, { passive: i }), a.set(r, 1)) : a.set(r, o + 1);
					}
				}
			}
		};
		return d(r(vr)), yr.add(d), () => {
			for (var e of u) for (let n of [t, document]) {
				var r = Wr.get(n), i = r.get(e);
				--i == 0 ? (n.removeEventListener(e, Dr), r.delete(e), r.size === 0 && Wr.delete(n)) : r.set(e, i);
			}
			yr.delete(d), s !== n && s.parentNode?.removeChild(s);
		};
	});
	return Kr.set(l, u), l;
}
var Kr = new WeakMap(), qr = class {
	anchor;
	#e = new Map();
	#t = new Map();
	#n = new Map();
	#r = new Set();
	#i = !0;
	constructor(e, t = !0) {
		this.anchor = e, this.#i = t;
	}
	#a = (e) => {
		if (this.#e.has(e)) {
			var t = this.#e.get(e), n = this.#t.get(t);
			if (n) Ln(n), this.#r.delete(t);
			else {
				var r = this.#n.get(t);
				r && (Ln(r.effect), this.#t.set(t, r.effect), this.#n.delete(t), r.fragment.lastChild.remove(), this.anchor.before(r.fragment), n = r.effect);
			}
			for (let [t, n] of this.#e) {
				if (this.#e.delete(t), t === e) break;
				let r = this.#n.get(n);
				r && (H(r.effect), this.#n.delete(n));
			}
			for (let [e, r] of this.#t) {
				if (e === t || this.#r.has(e)) continue;
				let i = () => {
					if (Array.from(this.#e.values()).includes(e)) {
						var t = document.createDocumentFragment();
						zn(r, t), t.append(L()), this.#n.set(e, {
							effect: r,
							fragment: t
						});
					} else H(r);
					this.#r.delete(e), this.#t.delete(e);
				};
				this.#i || !n ? (this.#r.add(e), Fn(r, i, !1)) : i();
			}
		}
	};
	#o = (e) => {
		this.#e.delete(e);
		let t = Array.from(this.#e.values());
		for (let [e, n] of this.#n) t.includes(e) || (H(n.effect), this.#n.delete(e));
	};
	ensure(e, t) {
		var n = M, r = fn();
		if (t && !this.#t.has(e) && !this.#n.has(e)) {
			if (r) {
				var i = document.createDocumentFragment(), a = L();
				i.append(a), this.#n.set(e, {
					effect: V(() => t(a)),
					fragment: i
				});
			} else this.#t.set(e, V(() => t(this.anchor)));
		}
		if (this.#e.set(n, e), r) {
			for (let [t, r] of this.#t) t === e ? n.unskip_effect(r) : n.skip_effect(r);
			for (let [t, r] of this.#n) t === e ? n.unskip_effect(r.effect) : n.skip_effect(r.effect);
			n.oncommit(this.#a), n.ondiscard(this.#o);
		} else w && (this.anchor = E), this.#a(n);
	}
}, Jr = 0, Yr = 1, Xr = 2;
function Zr(e, t, n, r, i) {
	w && O();
	var a = Xe(), o = C, s = a ? F(o) : Ht(o, !1, !1), c = a ? F(o) : Ht(o, !1, !1), l = new qr(e);
	On(() => {
		var a = M, o = t(), u = !1;
		let d = w && p(o) === (e.data === `[!`);
		if (d && (D(ke()), T(!1)), p(o)) {
			var f = lt(), m = !1;
			let e = (e) => {
				if (!u) {
					m = !0, f(!1), M === a && a.deactivate(), jt.ensure();
					try {
						e();
					} finally {
						ut(!1), Tt || Mt();
					}
				}
			};
			o.then((t) => {
				e(() => {
					Gt(s, t), l.ensure(Yr, r && ((e) => r(e, s)));
				});
			}, (t) => {
				e(() => {
					if (Gt(c, t), l.ensure(Xr, i && ((e) => i(e, c))), !i) throw c.v;
				});
			}), w ? l.ensure(Jr, n) : A(() => {
				m || e(() => {
					l.ensure(Jr, n);
				});
			});
		} else Gt(s, o), l.ensure(Yr, r && ((e) => r(e, s)));
		return d && T(!0), () => {
			u = !0;
		};
	});
}
function Qr(e, t, n = !1) {
	var r;
	w && (r = E, O());
	var i = new qr(e), a = n ? ne : 0;
	function o(e, t) {
		if (w) {
			var n = Ae(r);
			if (e !== parseInt(n.substring(1))) {
				var a = ke();
				D(a), i.anchor = a, T(!1), i.ensure(e, t), T(!0);
				return;
			}
		}
		i.ensure(e, t);
	}
	On(() => {
		var e = !1;
		t((t, n = 0) => {
			e = !0, o(n, t);
		}), e || o(-1, null);
	}, a);
}
var $r = Symbol(`NaN`);
function ei(e, t, n) {
	w && O();
	var r = new qr(e), i = !Xe();
	On(() => {
		var e = t();
		e !== e && (e = $r), i && typeof e == `object` && e && (e = {}), r.ensure(e, n);
	});
}
function ti(e, t) {
	return t;
}
function ni(e, t, n) {
	for (var i = [], a = t.length, o, s = t.length, c = 0; c < a; c++) {
		let n = t[c];
		Fn(n, () => {
			if (o) {
				if (o.pending.delete(n), o.done.add(n), o.pending.size === 0) {
					var t = e.outrogroups;
					ri(e, r(o.done)), t.delete(o), t.size === 0 && (e.outrogroups = null);
				}
			} else --s;
		}, !1);
	}
	if (s === 0) {
		var l = i.length === 0 && n !== null && e.pending.size === 0;
		if (l) {
			var u = n, d = u.parentNode;
			dn(d), d.append(u), e.items.clear();
		}
		ri(e, t, !l);
	} else o = {
		pending: new Set(t),
		done: new Set()
	}, (e.outrogroups ??= new Set()).add(o);
}
function ri(e, t, n = !0) {
	var r;
	if (e.pending.size > 0) {
		r = new Set();
		for (let t of e.pending.values()) for (let n of t) r.add(e.items.get(n).e);
	}
	for (var i = 0; i < t.length; i++) {
		var a = t[i];
		r?.has(a) ? (a.f |= ae, zn(a, document.createDocumentFragment())) : H(t[i], n);
	}
}
var ii;
function ai(t, n, i, a, o, s = null) {
	var c = t, l = new Map();
	if (n & 4) {
		var u = t;
		c = w ? D(R(u)) : u.appendChild(L());
	}
	w && O();
	var d = null, f = gt(() => {
		var t = i();
		return e(t) ? t : t == null ? [] : r(t);
	}), p = new Map(), m = !0;
	function h(e) {
		if (!(_.effect.f & 16384)) {
			_.pending.delete(e);
			var t = Q(f);
			_.fallback = d, si(_, t, c, n, a), d !== null && (t.length === 0 ? d.f & 33554432 ? (d.f ^= ae, li(d, null, c)) : Ln(d) : Fn(d, () => {
				d = null;
			}));
		}
	}
	function g(e) {
		_.pending.delete(e);
	}
	var _ = {
		effect: On(() => {
			var e = Q(f), t = e.length;
			let r = !1;
			w && Ae(c) === `[!` != (t === 0) && (c = ke(), D(c), T(!1), r = !0);
			for (var u = new Set(), _ = M, v = fn(), y = 0; y < t; y += 1) {
				w && E.nodeType === 8 && E.data === `]` && (c = E, r = !0, T(!1));
				var b = e[y], x = a(b, y), S = m ? null : l.get(x);
				S ? (S.v && Gt(S.v, b), S.i && Gt(S.i, y), v && _.unskip_effect(S.e)) : (S = ci(l, m ? c : ii ??= L(), b, x, y, o, n, i), m || (S.e.f |= ae), l.set(x, S)), u.add(x);
			}
			if (t === 0 && s && !d && (m ? d = V(() => s(c)) : (d = V(() => s(ii ??= L())), d.f |= ae)), t > u.size && Ie(``, ``, ``), w && t > 0 && D(ke()), !m) {
				if (p.set(_, u), v) {
					for (let [e, t] of l) u.has(e) || _.skip_effect(t.e);
					_.oncommit(h), _.ondiscard(g);
				} else h(_);
			}
			r && T(!0), Q(f);
		}),
		flags: n,
		items: l,
		pending: p,
		outrogroups: null,
		fallback: d
	};
	m = !1, w && (c = E);
}
function oi(e) {
	for (; e !== null && !(e.f & 32);) e = e.next;
	return e;
}
function si(e, t, n, i, a) {
	var o = !!(i & 8), s = t.length, c = e.items, l = oi(e.effect.first), u, d = null, f, p = [], m = [], h, g, _, v;
	if (o) for (v = 0; v < s; v += 1) h = t[v], g = a(h, v), _ = c.get(g).e, _.f & 33554432 || (_.nodes?.a?.measure(), (f ??= new Set()).add(_));
	for (v = 0; v < s; v += 1) {
		if (h = t[v], g = a(h, v), _ = c.get(g).e, e.outrogroups !== null) for (let t of e.outrogroups) t.pending.delete(_), t.done.delete(_);
		if (_.f & 8192 && (Ln(_), o && (_.nodes?.a?.unfix(), (f ??= new Set()).delete(_))), _.f & 33554432) {
			if (_.f ^= ae, _ === l) li(_, null, n);
			else {
				var y = d ? d.next : l;
				_ === e.effect.last && (e.effect.last = _.prev), _.prev && (_.prev.next = _.next), _.next && (_.next.prev = _.prev), ui(e, d, _), ui(e, _, y), li(_, y, n), d = _, p = [], m = [], l = oi(d.next);
				continue;
			}
		}
		if (_ !== l) {
			if (u !== void 0 && u.has(_)) {
				if (p.length < m.length) {
					var b = m[0], x;
					d = b.prev;
					var S = p[0], ee = p[p.length - 1];
					for (x = 0; x < p.length; x += 1) li(p[x], b, n);
					for (x = 0; x < m.length; x += 1) u.delete(m[x]);
					ui(e, S.prev, ee.next), ui(e, d, S), ui(e, ee, b), l = b, d = ee, --v, p = [], m = [];
				} else u.delete(_), li(_, l, n), ui(e, _.prev, _.next), ui(e, _, d === null ? e.effect.first : d.next), ui(e, d, _), d = _;
				continue;
			}
			for (p = [], m = []; l !== null && l !== _;) (u ??= new Set()).add(l), m.push(l), l = oi(l.next);
			if (l === null) continue;
		}
		_.f & 33554432 || p.push(_), d = _, l = oi(_.next);
	}
	if (e.outrogroups !== null) {
		for (let t of e.outrogroups) t.pending.size === 0 && (ri(e, r(t.done)), e.outrogroups?.delete(t));
		e.outrogroups.size === 0 && (e.outrogroups = null);
	}
	if (l !== null || u !== void 0) {
		var te = [];
		if (u !== void 0) for (_ of u) _.f & 8192 || te.push(_);
		for (; l !== null;) !(l.f & 8192) && l !== e.fallback && te.push(l), l = oi(l.next);
		var ne = te.length;
		if (ne > 0) {
			var re = i & 4 && s === 0 ? n : null;
			if (o) {
				for (v = 0; v < ne; v += 1) te[v].nodes?.a?.measure();
				for (v = 0; v < ne; v += 1) te[v].nodes?.a?.fix();
			}
			ni(e, te, re);
		}
	}
	o && A(() => {
		if (f !== void 0) for (_ of f) _.nodes?.a?.apply();
	});
}
function ci(e, t, n, r, i, a, o, s) {
	var c = o & 1 ? o & 16 ? F(n) : Ht(n, !1, !1) : null, l = o & 2 ? F(i) : null;
	return {
		v: c,
		i: l,
		e: V(() => (a(t, c ?? n, l ?? i, s), () => {
			e.delete(r);
		}))
	};
}
function li(e, t, n) {
	if (e.nodes) for (var r = e.nodes.start, i = e.nodes.end, a = t && !(t.f & 33554432) ? t.nodes.start : n; r !== null;) {
		var o = on(r);
		if (a.before(r), r === i) return;
		r = o;
	}
}
function ui(e, t, n) {
	t === null ? e.effect.first = n : t.next = n, n === null ? e.effect.last = t : n.prev = t;
}
function di(e, t, ...n) {
	var r = new qr(e);
	On(() => {
		let e = t() ?? null;
		r.ensure(e, e && ((t) => e(t, ...n)));
	}, ne);
}
function fi(e, t, n) {
	var r;
	w && (r = E, O());
	var i = new qr(e);
	On(() => {
		var e = t() ?? null;
		if (w && Ae(r) === `[` != (e !== null)) {
			var a = ke();
			D(a), i.anchor = a, T(!1), i.ensure(e, e && ((t) => n(t, e))), T(!0);
		} else i.ensure(e, e && ((t) => n(t, e)));
	}, ne);
}
function pi(e, t, n, r, i, a) {
	let o = w;
	w && O();
	var s = null;
	w && E.nodeType === 1 && (s = E, O());
	var c = w ? E : e, l = new qr(c, !1);
	On(() => {
		let e = t() || null;
		var a = i ? i() : n || e === `svg` ? Se : void 0;
		if (e === null) l.ensure(null, null);
		else return l.ensure(e, (t) => {
			if (e) {
				var n = w;
				if (s = w ? s : pn(e, a), $(s, s), r) {
					var i = null;
					w && gr(e) && s.append(i = document.createComment(``));
					var o = w ? R(s) : s.appendChild(L());
					w && (o === null ? T(!1) : D(o)), r(s, o), i?.remove();
				}
				K.nodes.end = s, n || t.before(s);
			}
			w && D(t);
		}), () => {};
	}, ne), yn(() => {}), o && (T(!0), D(c));
}
function mi(e, t) {
	var n = void 0, r;
	kn(() => {
		n !== (n = t()) && (r &&= (H(r), null), n && (r = V(() => {
			wn(() => n(e));
		})));
	});
}
function hi(e) {
	var t, n, r = ``;
	if (typeof e == `string` || typeof e == `number`) r += e;
	else if (typeof e == `object`) {
		if (Array.isArray(e)) {
			var i = e.length;
			for (t = 0; t < i; t++) e[t] && (n = hi(e[t])) && (r && (r += ` `), r += n);
		} else for (n in e) e[n] && (r && (r += ` `), r += n);
	}
	return r;
}
function gi() {
	for (var e, t, n = 0, r = ``, i = arguments.length; n < i; n++) (e = arguments[n]) && (t = hi(e)) && (r && (r += ` `), r += t);
	return r;
}
function _i(e) {
	return typeof e == `object` ? gi(e) : e ?? ``;
}
var vi = [...` 	
\r\f\xA0\v﻿`];
function yi(e, t, n) {
	var r = e == null ? `` : `` + e;
	if (t && (r = r ? r + ` ` + t : t), n) {
		for (var i of Object.keys(n)) if (n[i]) r = r ? r + ` ` + i : i;
		else if (r.length) for (var a = i.length, o = 0; (o = r.indexOf(i, o)) >= 0;) {
			var s = o + a;
			(o === 0 || vi.includes(r[o - 1])) && (s === r.length || vi.includes(r[s])) ? r = (o === 0 ? `` : r.substring(0, o)) + r.substring(s + 1) : o = s;
		}
	}
	return r === `` ? null : r;
}
function bi(e, t = !1) {
	var n = t ? ` !important;` : `;`, r = ``;
	for (var i of Object.keys(e)) {
		var a = e[i];
		a != null && a !== `` && (r += ` ` + i + `: ` + a + n);
	}
	return r;
}
function xi(e) {
	return e[0] !== `-` || e[1] !== `-` ? e.toLowerCase() : e;
}
function Si(e, t) {
	if (t) {
		var n = ``, r, i;
		if (Array.isArray(t) ? (r = t[0], i = t[1]) : r = t, e) {
			e = String(e).replaceAll(/\/\*.*?\*\//g, ``).trim();
			var a = !1, o = 0, s = !1, c = [];
			r && c.push(...Object.keys(r).map(xi)), i && c.push(...Object.keys(i).map(xi));
			var l = 0, u = -1;
			let t = e.length;
			for (var d = 0; d < t; d++) {
				var f = e[d];
				if (s ? f === `/` && e[d - 1] === `*` && (s = !1) : a ? a === f && (a = !1) : f === `/` && e[d + 1] === `*` ? s = !0 : f === `"` || f === `'` ? a = f : f === `(` ? o++ : f === `)` && o--, !s && a === !1 && o === 0) {
					if (f === `:` && u === -1) u = d;
					else if (f === `;` || d === t - 1) {
						if (u !== -1) {
							var p = xi(e.substring(l, u).trim());
							if (!c.includes(p)) {
								f !== `;` && d++;
								var m = e.substring(l, d).trim();
								n += ` ` + m + `;`;
							}
						}
						l = d + 1, u = -1;
					}
				}
			}
		}
		return r && (n += bi(r)), i && (n += bi(i, !0)), n = n.trim(), n === `` ? null : n;
	}
	return e == null ? null : String(e);
}
function Ci(e, t, n, r, i, a) {
	var o = e[me];
	if (w || o !== n || o === void 0) {
		var s = yi(n, r, a);
		w && s === e.getAttribute(`class`) || (s == null ? e.removeAttribute(`class`) : t ? e.className = s : e.setAttribute(`class`, s)), e[me] = n;
	} else if (a && i !== a) for (var c in a) {
		var l = !!a[c];
		(i == null || l !== !!i[c]) && e.classList.toggle(c, l);
	}
	return a;
}
function wi(e, t = {}, n, r) {
	for (var i in n) {
		var a = n[i];
		t[i] !== a && (n[i] == null ? e.style.removeProperty(i) : e.style.setProperty(i, a, r));
	}
}
function Ti(e, t, n, r) {
	var i = e[he];
	if (w || i !== t) {
		var a = Si(t, r);
		w && a === e.getAttribute(`style`) || (a == null ? e.removeAttribute(`style`) : e.style.cssText = a), e[he] = t;
	} else r && (Array.isArray(r) ? (wi(e, n?.[0], r[0]), wi(e, n?.[1], r[1], `important`)) : wi(e, n, r));
	return r;
}
function Ei(e, t) {
	t ? e.hasAttribute(`selected`) || e.setAttribute(`selected`, ``) : e.removeAttribute(`selected`);
}
function Di(e, t) {
	var n = !(`__defaultValue` in e);
	(n || e.__defaultValue !== t) && (e.__defaultValue = t, Oi(e, !n || `__value` in e));
}
function Oi(t, n) {
	var r = t.__defaultValue, i = t.multiple, a = i ? r ?? [] : null;
	if (!i || e(a)) {
		var o = t.selectedIndex, s = n && i ? new Set(t.selectedOptions) : null;
		for (var c of t.options) {
			var l = Mi(c);
			Ei(c, i ? a.includes(l) : Qt(l, r));
		}
		if (n) {
			if (s !== null) for (c of t.options) {
				var u = s.has(c);
				c.selected !== u && (c.selected = u);
			}
			else t.selectedIndex !== o && (t.selectedIndex = o);
		}
	}
}
function ki(t, n, r = !1) {
	if (t.multiple) {
		if (n == null) return;
		if (!e(n)) return Te();
		for (var i of t.options) i.selected = n.includes(Mi(i));
	} else {
		for (i of t.options) if (Qt(Mi(i), n)) {
			i.selected = !0;
			return;
		}
		r && n === void 0 || (t.selectedIndex = -1);
	}
}
function Ai(e) {
	var t = new MutationObserver((t) => {
		t.every(Ni) || (`__defaultValue` in e && Oi(e, !1), `__value` in e && ki(e, e.__value));
	});
	t.observe(e, {
		childList: !0,
		subtree: !0,
		attributes: !0,
		attributeFilter: [`value`]
	}), yn(() => {
		t.disconnect();
	});
}
function ji(e, t, n = t) {
	var r = new WeakSet(), i = !0;
	st(e, `change`, (t) => {
		var i = t ? `[selected]` : `:checked`, a;
		if (e.multiple) a = [].map.call(e.querySelectorAll(i), Mi);
		else {
			var o = e.querySelector(i) ?? e.querySelector(`option:not([disabled])`);
			a = o && Mi(o);
		}
		n(a), e.__value = a, M !== null && r.add(M);
	}), wn(() => {
		var a = t();
		if (e === document.activeElement) {
			var o = M;
			if (r.has(o)) return;
		}
		if (ki(e, a, i), i && a === void 0) {
			var s = e.querySelector(`:checked`);
			s !== null && (a = Mi(s), n(a));
		}
		e.__value = a, i = !1;
	});
}
function Mi(e) {
	return `__value` in e ? e.__value : e.value;
}
function Ni(e) {
	if (e.target.closest(`selectedcontent`) !== null) return !0;
	if (e.type === `childList`) {
		var t = [...e.addedNodes, ...e.removedNodes];
		return t.length > 0 && t.every((e) => e.nodeName === `SELECTEDCONTENT`);
	}
	return !1;
}
var Pi = Symbol(`class`), Fi = Symbol(`style`), Ii = Symbol(`is custom element`), Li = Symbol(`is html`), Ri = ye ? `link` : `LINK`, zi = ye ? `input` : `INPUT`, Bi = ye ? `option` : `OPTION`, Vi = ye ? `select` : `SELECT`, Hi = ye ? `progress` : `PROGRESS`;
function Ui(e) {
	if (w) {
		var t = !1, n = () => {
			if (!t) {
				if (t = !0, e.hasAttribute(`value`)) {
					var n = e.value;
					Ki(e, `value`, null), e.value = n;
				}
				if (e.hasAttribute(`checked`)) {
					var r = e.checked;
					Ki(e, `checked`, null), e.checked = r;
				}
			}
		};
		e[_e] = n, A(n), at();
	}
}
function Wi(e, t) {
	var n = Yi(e);
	n.value !== (n.value = t ?? void 0) && (e.value !== t || t === 0 && e.nodeName === Hi) && (e.value = t ?? ``);
}
function Gi(e, t) {
	var n = Yi(e);
	n.checked !== (n.checked = t ?? void 0) && (e.checked = t);
}
function Ki(e, t, n, r) {
	var i = Yi(e);
	if (!(w && (i[t] = e.getAttribute(t), t === `src` || t === `srcset` || t === `href` && e.nodeName === Ri))) {
		var a = i[t];
		a !== (i[t] = n) && (t === `loading` && (e[fe] = n), n == null ? e.removeAttribute(t) : typeof n != `string` && Zi(e).has(t) ? e[t] = n : (!w || typeof n != `number` && typeof n != `boolean` || a !== String(n)) && e.setAttribute(t, n));
	}
}
function qi(e, t, n, r, i = !1, a = !1) {
	w && i && e.nodeName === zi && (`defaultValue` in n || `defaultChecked` in n || Ui(e));
	var o = Yi(e), s = o[Ii], c = !o[Li];
	let l = w && s;
	l && T(!1);
	var u = t || {}, d = e.nodeName === Bi, f = e.nodeName === Vi;
	try {
		for (var p in t) !(p in n) && p[0] + p[1] !== `$$` && (n[p] = null);
		n.class ? n.class = _i(n.class) : (r || n[Pi]) && (n.class = null), n[Fi] && (n.style ??= null);
		var m = Zi(e);
		if (e.nodeName === zi && `type` in n && (`value` in n || `__value` in n)) {
			var h = n.type;
			(h !== u.type || h === void 0 && e.hasAttribute(`type`)) && (u.type = h, Ki(e, `type`, h, a));
		}
		for (let i in n) {
			let l = n[i];
			if (d && i === `value` && l == null) e.value = e.__value = ``, u[i] = l;
			else if (i === `class`) Ci(e, e.namespaceURI === `http://www.w3.org/1999/xhtml`, l, r, t?.[Pi], n[Pi]), u[i] = l, u[Pi] = n[Pi];
			else if (i === `style`) Ti(e, l, t?.[Fi], n[Fi]), u[i] = l, u[Fi] = n[Fi];
			else {
				var g = u[i];
				if (l !== g || l === void 0 && e.hasAttribute(i)) {
					u[i] = l;
					var _ = i[0] + i[1];
					if (_ !== `$$`) {
						if (_ === `on`) {
							let t = {}, n = `$$` + i, r = i.slice(2);
							var v = lr(r);
							if (sr(r) && (r = r.slice(0, -7), t.capture = !0), !v && g) {
								if (l != null) continue;
								e.removeEventListener(r, u[n], t), u[n] = null;
							}
							if (v) Cr(r, e, l), wr([r]);
							else if (l != null) {
								function a(e) {
									u[i].call(this, e);
								}
								u[n] = xr(r, e, a, t);
							}
						} else if (i === `style`) Ki(e, i, l);
						else if (i === `autofocus`) rt(e, !!l);
						else if (!s && (i === `__value` || i === `value` && l != null)) e.__value = l, (g == null || e.value !== l || l === 0 && e.nodeName === Hi) && (e.value = l);
						else if (i === `selected` && d) Ei(e, l);
						else {
							var y = i;
							c || (y = fr(y));
							var b = y === `defaultValue` || y === `defaultChecked`;
							if (f && y === `defaultValue`) continue;
							if (l == null && !s && !b) {
								if (o[i] = null, y === `value` || y === `checked`) {
									let n = e, r = t === void 0;
									if (y === `value`) {
										let e = n.defaultValue;
										n.removeAttribute(y), n.defaultValue = e, n.value = n.__value = r ? e : null;
									} else {
										let e = n.defaultChecked;
										n.removeAttribute(y), n.defaultChecked = e, n.checked = r ? e : !1;
									}
								} else e.removeAttribute(i);
							} else b || (s || typeof l != `string`) && m.has(y) ? (e[y] = l, y in o && (o[y] = C)) : typeof l != `function` && Ki(e, y, l, a);
						}
					}
				}
			}
		}
	} finally {
		l && T(!0);
	}
	return u;
}
function Ji(e, t, n = [], r = [], i = [], a, o = !1, s = !1) {
	ct(i, n, r, (n) => {
		var r = void 0, i = {}, c = e.nodeName === Vi, l = !1;
		if (kn(() => {
			var u = t(...n.map(Q)), d = qi(e, r, u, a, o, s);
			if (l && c) {
				var f = e;
				`defaultValue` in u && Di(f, u.defaultValue), `value` in u && ki(f, u.value);
			}
			for (let e of Object.getOwnPropertySymbols(i)) u[e] || H(i[e]);
			for (let t of Object.getOwnPropertySymbols(u)) {
				var p = u[t];
				t.description !== `@attach` || r && p === r[t] || (i[t] && H(i[t]), i[t] = V(() => mi(e, () => p))), d[t] = p;
			}
			r = d;
		}), c) {
			var u = e;
			wn(() => {
				var e = r;
				`defaultValue` in e && Di(u, e.defaultValue), ki(u, e.value, !0), Ai(u);
			});
		}
		l = !0;
	});
}
function Yi(e) {
	return e[pe] ??= {
		[Ii]: e.nodeName.includes(`-`),
		[Li]: e.namespaceURI === xe
	};
}
var Xi = new Map();
function Zi(e) {
	var t = e.getAttribute(`is`) || e.nodeName, n = Xi.get(t);
	if (n) return n;
	Xi.set(t, n = new Set());
	for (var r, i = e, a = Element.prototype; a !== i;) {
		for (var s in r = o(i), r) r[s].set && s !== `innerHTML` && s !== `textContent` && s !== `innerText` && n.add(s);
		i = l(i);
	}
	return n;
}
function Qi(e, t, n = t) {
	var r = new WeakSet();
	st(e, `input`, async (i) => {
		var a = i ? e.defaultValue : e.value;
		if (a = ea(e) ? ta(a) : a, n(a), M !== null && r.add(M), await rr(), a !== (a = t())) {
			var o = e.selectionStart, s = e.selectionEnd, c = e.value.length;
			if (e.value = a ?? ``, s !== null) {
				var l = e.value.length;
				o === s && s === c && l > c ? (e.selectionStart = l, e.selectionEnd = l) : (e.selectionStart = o, e.selectionEnd = Math.min(s, l));
			}
		}
	}), (w && e.defaultValue !== e.value || or(t) == null && e.value) && (n(ea(e) ? ta(e.value) : e.value), M !== null && r.add(M)), En(() => {
		var n = t();
		if (e === document.activeElement) {
			var i = M;
			if (r.has(i)) return;
		}
		ea(e) && n === ta(e.value) || (e.type !== `date` || n || e.value) && n !== e.value && (e.value = n ?? ``);
	});
}
function $i(e, t, n = t) {
	st(e, `change`, (t) => {
		n(t ? e.defaultChecked : e.checked);
	}), (w && e.defaultChecked !== e.checked || or(t) == null) && n(e.checked), En(() => {
		e.checked = !!t();
	});
}
function ea(e) {
	var t = e.type;
	return t === `number` || t === `range`;
}
function ta(e) {
	return e === `` ? null : +e;
}
var na = new class e {
	#e = new WeakMap();
	#t;
	#n;
	static entries = new WeakMap();
	constructor(e) {
		this.#n = e;
	}
	observe(e, t) {
		var n = this.#e.get(e) || new Set();
		return n.add(t), this.#e.set(e, n), this.#r().observe(e, this.#n), () => {
			var n = this.#e.get(e);
			n.delete(t), n.size === 0 && (this.#e.delete(e), this.#t.unobserve(e));
		};
	}
	#r() {
		return this.#t ??= new ResizeObserver((t) => {
			for (var n of t) {
				e.entries.set(n.target, n);
				for (var r of this.#e.get(n.target) || []) r(n);
			}
		});
	}
}({ box: `border-box` });
function ra(e, t, n) {
	var r = na.observe(e, () => n(e[t]));
	wn(() => (or(() => n(e[t])), r));
}
function ia(e, t) {
	return e === t || e?.[le] === t;
}
function aa(e = Ye(), t, n, r) {
	var i = k.r, a = K;
	return wn(() => {
		var o, s;
		return En(() => {
			o = s, s = r?.() || [], or(() => {
				ia(n(...s), e) || (t(e, ...s), o && ia(n(...o), e) && t(null, ...o));
			});
		}), () => {
			let r = a;
			for (; r !== i && r.parent !== null && r.parent.f & 33554432;) r = r.parent;
			let o = () => {
				s && ia(n(...s), e) && t(null, ...s);
			}, c = r.teardown;
			r.teardown = () => {
				o(), c?.();
			};
		};
	}), e;
}
function oa(e, t, n, r, i) {
	var a = () => {
		r(n[e]);
	};
	n.addEventListener(t, a), i ? En(() => {
		n[e] = i();
	}) : a(), (n === document.body || n === window || n === document) && yn(() => {
		n.removeEventListener(t, a);
	});
}
var sa = !1;
function ca(e) {
	var t = sa;
	try {
		return sa = !1, [e(), sa];
	} finally {
		sa = t;
	}
}
var la = {
	get(e, t) {
		let n = e.props.length;
		for (; n--;) {
			let r = e.props[n];
			if (d(r) && (r = r()), typeof r == `object` && r && t in r) return r[t];
		}
	},
	set(e, t, n) {
		let r = e.props.length;
		for (; r--;) {
			let i = e.props[r];
			d(i) && (i = i());
			let o = a(i, t);
			if (o && o.set) return o.set(n), !0;
		}
		return !1;
	},
	getOwnPropertyDescriptor(e, t) {
		let n = e.props.length;
		for (; n--;) {
			let r = e.props[n];
			if (d(r) && (r = r()), typeof r == `object` && r && t in r) {
				let e = a(r, t);
				return e && !e.configurable && (e.configurable = !0), e;
			}
		}
	},
	has(e, t) {
		if (t === le || t === de) return !1;
		for (let n of e.props) if (d(n) && (n = n()), n != null && t in n) return !0;
		return !1;
	},
	ownKeys(e) {
		let t = [];
		for (let n of e.props) if (d(n) && (n = n()), n) {
			for (let e in n) t.includes(e) || t.push(e);
			for (let e of Object.getOwnPropertySymbols(n)) t.includes(e) || t.push(e);
		}
		return t;
	}
};
function ua(...e) {
	return new Proxy({ props: e }, la);
}
function da(e, t, n, r) {
	var i = !0, o = !!(n & 8), s = !!(n & 16), c = r, l = !0, u = void 0, d = () => s && i ? (u ??= ft(r), Q(u)) : (l && (l = !1, c = s ? or(r) : r), c);
	let f;
	if (o) {
		var p = le in e || de in e;
		f = a(e, t)?.set ?? (p && t in e ? (n) => e[t] = n : void 0);
	}
	var m, h = !1;
	o ? [m, h] = ca(() => e[t]) : m = e[t], m === void 0 && r !== void 0 && (m = d(), f && (i && Ve(t), f(m)));
	var g = i ? () => {
		var n = e[t];
		return n === void 0 ? d() : (l = !0, n);
	} : () => {
		var n = e[t];
		return n !== void 0 && (c = void 0), n === void 0 ? c : n;
	};
	if (i && !(n & 4)) return g;
	if (f) {
		var _ = e.$$legacy;
		return (function(e, t) {
			return arguments.length > 0 ? ((!i || !t || _ || h) && f(t ? g() : e), e) : g();
		});
	}
	var v = !1, y = (n & 1 ? ft : gt)(() => (v = !1, g()));
	o && Q(y);
	var b = K;
	return (function(e, t) {
		if (arguments.length > 0) {
			let n = t ? Q(y) : i && o ? Xt(e) : e;
			return I(y, n), v = !0, c !== void 0 && (c = n), e;
		}
		return Vn && v || b.f & 16384 ? y.v : Q(y);
	});
}
function fa(e) {
	k === null && Pe(`onMount`), bn(() => {
		let t = or(e);
		if (typeof t == `function`) return t;
	});
}
export { en as $document, $t as $window, Ir as append, mi as attach, Ji as attribute_effect, rt as autofocus, Zr as await_block, $i as bind_checked, ra as bind_element_size, oa as bind_property, ji as bind_select_value, aa as bind_this, Qi as bind_value, sn as child, _i as clsx, Fr as comment, fi as component, wr as delegate, Cr as delegated, ai as each, pi as element, Sr as event, cn as first_child, Mt as flushSync, jr as from_html, Nr as from_svg, Q as get, Qr as if_block, ti as index, Ai as init_select, ei as key, Ur as mount, Oe as next, f as noop, fa as onMount, ln as only_child, Je as pop, da as prop, Lr as props_id, Xt as proxy, qe as push, Ui as remove_input_defaults, br as replay_events, De as reset, ki as select_option, I as set, Ki as set_attribute, Gi as set_checked, Ci as set_class, Ti as set_style, Hr as set_text, Wi as set_value, un as sibling, di as snippet, ua as spread_props, Vt as state, Dn as template_effect, Pr as text, rr as tick, g as to_array, or as untrack, qt as update, ht as user_derived, bn as user_effect, Sn as user_pre_effect };
