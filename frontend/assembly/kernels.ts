/* The kernels of the engine in WebAssembly (AssemblyScript), with the meaning of those in src/engine/fallback.ts.
   Addresses are in bytes, strides and counts in floats. */

const PANEL: i32 = 8; // columns of a panel
const ROWS: i32 = 4; // of a tile: with more than 8 accumulators, V8's code takes twice as long

// @ts-ignore: decorator
@inline
function madd(x: v128, y: v128, z: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(x, y, z);
  return f32x4.add(f32x4.mul(x, y), z);
}

// @ts-ignore: decorator
@inline
function four(x: f32): v128 {
  return f32x4.splat(x);
}

// @ts-ignore: decorator
@inline
function sum4(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

/** Store the first n of 8 floats. */
// @ts-ignore: decorator
@inline
function store8(at: usize, low: v128, high: v128, n: i32): void {
  if (n >= PANEL) {
    v128.store(at, low);
    v128.store(at, high, 16);
  } else storePart(at, low, high, n);
}

function storePart(at: usize, low: v128, high: v128, n: i32): void {
  for (let i = 0; i < n; i++) {
    store<f32>(at + (<usize>i << 2), f32x4.extract_lane(low, 0));
    low = i8x16.shuffle(low, high, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
    high = i8x16.shuffle(high, high, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3);
  }
}

/** One row and four panels of a product, from column j of c. */
function row(a: usize, depth: usize, b: usize, panel: usize, bias: usize, j: i32, c: usize): void {
  const at: usize = <usize>j << 2;
  let c0 = four(0), c1 = c0, c2 = c0, c3 = c0, c4 = c0, c5 = c0, c6 = c0, c7 = c0;
  if (bias) {
    c0 = v128.load(bias + at);
    c1 = v128.load(bias + at, 16);
    c2 = v128.load(bias + at, 32);
    c3 = v128.load(bias + at, 48);
    c4 = v128.load(bias + at, 64);
    c5 = v128.load(bias + at, 80);
    c6 = v128.load(bias + at, 96);
    c7 = v128.load(bias + at, 112);
  }
  let p = b, q = b + panel, r = q + panel, s = r + panel;
  for (const end = a + depth; a < end; a += 4, p += 32, q += 32, r += 32, s += 32) {
    const x = v128.load_splat<f32>(a);
    c0 = madd(x, v128.load(p), c0);
    c1 = madd(x, v128.load(p, 16), c1);
    c2 = madd(x, v128.load(q), c2);
    c3 = madd(x, v128.load(q, 16), c3);
    c4 = madd(x, v128.load(r), c4);
    c5 = madd(x, v128.load(r, 16), c5);
    c6 = madd(x, v128.load(s), c6);
    c7 = madd(x, v128.load(s, 16), c7);
  }
  v128.store(c + at, c0);
  v128.store(c + at, c1, 16);
  v128.store(c + at, c2, 32);
  v128.store(c + at, c3, 48);
  v128.store(c + at, c4, 64);
  v128.store(c + at, c5, 80);
  v128.store(c + at, c6, 96);
  v128.store(c + at, c7, 112);
}

export function gemm(
  a: usize,
  lda: i32,
  b: usize,
  panel: i32,
  bias: usize,
  c: usize,
  ldc: i32,
  M: i32,
  K: i32,
  N: i32,
): void {
  const la: usize = <usize>lda << 2;
  const lc: usize = <usize>ldc << 2;
  const depth: usize = <usize>K << 2;
  const wide = M % ROWS == 1 ? N - (N % (4 * PANEL)) : 0; // columns of a last row of its own
  for (let j = 0; j < wide; j += 4 * PANEL) {
    const rest: usize = <usize>(M - 1);
    row(a + rest * la, depth, b + <usize>(j >> 3) * (<usize>panel << 2), <usize>panel << 2, bias, j, c + rest * lc);
  }
  for (let j = 0; j < N; j += PANEL) {
    const tiled = j < wide ? M - 1 : M;
    const bj: usize = b + <usize>(j >> 3) * (<usize>panel << 2);
    const cj: usize = c + (<usize>j << 2);
    const n = N - j;
    const z0 = bias ? v128.load(bias + (<usize>j << 2)) : four(0);
    const z1 = bias ? v128.load(bias + (<usize>j << 2), 16) : four(0);
    for (let i = 0; i < tiled; i += ROWS) {
      const last = M - 1 - i; // rows beyond it repeat it, and are not stored
      let a0: usize = a + <usize>i * la;
      let a1: usize = a0 + (last > 0 ? la : 0);
      let a2: usize = a1 + (last > 1 ? la : 0);
      let a3: usize = a2 + (last > 2 ? la : 0);
      let p = bj;
      let c00 = z0, c01 = z1, c10 = z0, c11 = z1, c20 = z0, c21 = z1, c30 = z0, c31 = z1;
      for (const end = a0 + depth; a0 < end; ) {
        const b0 = v128.load(p);
        const b1 = v128.load(p, 16);
        let s = v128.load_splat<f32>(a0);
        c00 = madd(s, b0, c00);
        c01 = madd(s, b1, c01);
        s = v128.load_splat<f32>(a1);
        c10 = madd(s, b0, c10);
        c11 = madd(s, b1, c11);
        s = v128.load_splat<f32>(a2);
        c20 = madd(s, b0, c20);
        c21 = madd(s, b1, c21);
        s = v128.load_splat<f32>(a3);
        c30 = madd(s, b0, c30);
        c31 = madd(s, b1, c31);
        a0 += 4;
        a1 += 4;
        a2 += 4;
        a3 += 4;
        p += 32;
      }
      const q: usize = cj + <usize>i * lc;
      store8(q, c00, c01, n);
      if (last > 0) store8(q + lc, c10, c11, n);
      if (last > 1) store8(q + 2 * lc, c20, c21, n);
      if (last > 2) store8(q + 3 * lc, c30, c31, n);
    }
  }
}

/** Rows of x, (K, N), as panels. */
export function pack(x: usize, ldx: i32, y: usize, K: i32, N: i32): void {
  for (let j = 0; j < N; j += PANEL) {
    for (let k = 0; k < K; k++, y += 32) {
      const at: usize = x + (<usize>(k * ldx + j) << 2);
      v128.store(y, v128.load(at));
      v128.store(y, v128.load(at, 16), 16);
    }
  }
}

/** Columns of x, (N, K), as panels. */
export function packTransposed(x: usize, ldx: i32, y: usize, K: i32, N: i32): void {
  for (let j = 0; j < N; j += PANEL, y += <usize>K << 5) {
    for (let i = 0; i < PANEL; i++) {
      let to: usize = y + (<usize>i << 2);
      const row: usize = x + (<usize>(min(j + i, N - 1) * ldx) << 2);
      for (let k: usize = 0; k < <usize>K << 2; k += 4, to += 32) store<f32>(to, load<f32>(row + k));
    }
  }
}

/** exp(x), x at most 88 (Cephes, expf). */
// @ts-ignore: decorator
@inline
function exp4(x: v128): v128 {
  x = f32x4.max(x, four(-87));
  const n = f32x4.nearest(f32x4.mul(x, four(1.4426950408889634)));
  let r = madd(n, four(-0.693359375), x);
  r = madd(n, four(2.1219444e-4), r);
  let p = madd(four(1.98756915e-4), r, four(1.3981999507e-3));
  p = madd(p, r, four(8.3334519073e-3));
  p = madd(p, r, four(4.1665795894e-2));
  p = madd(p, r, four(1.6666665459e-1));
  p = madd(p, r, four(5.0000001201e-1));
  const y = f32x4.add(madd(p, f32x4.mul(r, r), r), four(1));
  return f32x4.mul(y, i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23));
}

/** 1 / (1 + exp(-z)). */
// @ts-ignore: decorator
@inline
function sigmoid4(z: v128): v128 {
  return f32x4.div(four(1), f32x4.add(four(1), exp4(f32x4.min(f32x4.neg(z), four(88)))));
}

/** erf(x) for |x| < 4, otherwise 1 (the rational approximation of Eigen). */
// @ts-ignore: decorator
@inline
function erf4(x: v128): v128 {
  const t = f32x4.min(f32x4.max(x, four(-4)), four(4));
  const u = f32x4.mul(t, t);
  let p = madd(u, four(-2.72614225801306e-10), four(2.77068142495902e-8));
  p = madd(p, u, four(-2.10102402082508e-6));
  p = madd(p, u, four(-5.69250639462346e-5));
  p = madd(p, u, four(-7.34990630326855e-4));
  p = madd(p, u, four(-2.954599803e-3));
  p = f32x4.mul(madd(p, u, four(-1.60960333262415e-2)), t);
  let q = madd(u, four(-1.45660718464996e-5), four(-2.13374055278905e-4));
  q = madd(q, u, four(-1.68282697438203e-3));
  q = madd(q, u, four(-7.37332916720468e-3));
  q = madd(q, u, four(-1.42647390514189e-2));
  return f32x4.div(p, q);
}

/** Activations by number: those of `ACTIVATIONS` in src/engine/fallback.ts. */
export function activate(x: usize, y: usize, n: i32, kind: i32): void {
  const end = x + (<usize>n << 2);
  for (; x < end; x += 16, y += 16) {
    const v = v128.load(x);
    let factor: v128;
    if (kind == 0) {
      factor = madd(erf4(f32x4.mul(v, four(0.7071067811865476))), four(0.5), four(0.5));
    } else if (kind == 1) {
      const cube = f32x4.mul(f32x4.mul(v, v), v);
      factor = sigmoid4(f32x4.mul(madd(cube, four(0.044715), v), four(1.5957691216057308)));
    } else {
      factor = sigmoid4(f32x4.mul(v, kind == 2 ? four(1.702) : four(1)));
    }
    v128.store(y, f32x4.mul(v, factor));
  }
}

/** Softmax of scale x + bias, row by row, (rows, n). */
export function softmax(x: usize, y: usize, rows: i32, n: i32, scale: f32, bias: usize): void {
  const whole: usize = <usize>(n & ~3) << 2;
  const bytes: usize = <usize>n << 2;
  const s = four(scale);
  for (let i = 0; i < rows; i++, x += bytes, y += bytes) {
    let most = four(-Infinity);
    let top: f32 = -Infinity;
    let j: usize = 0;
    for (; j < whole; j += 16) {
      let z = f32x4.mul(v128.load(x + j), s);
      if (bias) z = f32x4.add(z, v128.load(bias + j));
      v128.store(y + j, z);
      most = f32x4.max(most, z);
    }
    for (; j < bytes; j += 4) {
      let z = load<f32>(x + j) * scale;
      if (bias) z += load<f32>(bias + j);
      store<f32>(y + j, z);
      top = max(top, z);
    }
    top = max(
      max(max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)), top),
      max(f32x4.extract_lane(most, 2), f32x4.extract_lane(most, 3)),
    );
    let sums = four(0);
    let sum: f32 = 0;
    for (j = 0; j < whole; j += 16) {
      const e = exp4(f32x4.sub(v128.load(y + j), four(top)));
      v128.store(y + j, e);
      sums = f32x4.add(sums, e);
    }
    for (; j < bytes; j += 4) {
      const e = f32x4.extract_lane(exp4(four(load<f32>(y + j) - top)), 0);
      store<f32>(y + j, e);
      sum += e;
    }
    const inverse = <f32>1 / (sum4(sums) + sum);
    for (j = 0; j < whole; j += 16) v128.store(y + j, f32x4.mul(v128.load(y + j), four(inverse)));
    for (; j < bytes; j += 4) store<f32>(y + j, load<f32>(y + j) * inverse);
    if (bias) bias += bytes;
  }
}

/** LayerNorm of rows of n floats: (x - mean) / sd w + b. */
export function layerNorm(
  x: usize,
  ldx: i32,
  y: usize,
  ldy: i32,
  rows: i32,
  n: i32,
  w: usize,
  b: usize,
  eps: f32,
): void {
  const whole: usize = <usize>(n & ~3) << 2;
  const bytes: usize = <usize>n << 2;
  for (let i = 0; i < rows; i++, x += <usize>ldx << 2, y += <usize>ldy << 2) {
    let sums = four(0);
    let sum: f32 = 0;
    let j: usize = 0;
    for (; j < whole; j += 16) sums = f32x4.add(sums, v128.load(x + j));
    for (; j < bytes; j += 4) sum += load<f32>(x + j);
    const mean: f32 = (sum4(sums) + sum) / <f32>n;
    sums = four(0);
    sum = 0;
    for (j = 0; j < whole; j += 16) {
      const d = f32x4.sub(v128.load(x + j), four(mean));
      sums = madd(d, d, sums);
    }
    for (; j < bytes; j += 4) {
      const d = load<f32>(x + j) - mean;
      sum += d * d;
    }
    const rstd: f32 = <f32>1 / sqrt<f32>((sum4(sums) + sum) / <f32>n + eps);
    for (j = 0; j < whole; j += 16) {
      const d = f32x4.mul(f32x4.sub(v128.load(x + j), four(mean)), four(rstd));
      v128.store(y + j, madd(d, v128.load(w + j), v128.load(b + j)));
    }
    for (; j < bytes; j += 4) store<f32>(y + j, (load<f32>(x + j) - mean) * rstd * load<f32>(w + j) + load<f32>(b + j));
  }
}

/** y += x, n floats. */
export function add(x: usize, y: usize, n: i32): void {
  const end = x + (<usize>(n & ~3) << 2);
  for (; x < end; x += 16, y += 16) v128.store(y, f32x4.add(v128.load(y), v128.load(x)));
  for (const rest = end + (<usize>(n & 3) << 2); x < rest; x += 4, y += 4) {
    store<f32>(y, load<f32>(y) + load<f32>(x));
  }
}
