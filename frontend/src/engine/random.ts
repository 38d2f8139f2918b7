/* The random numbers of numpy: `np.random.default_rng(seed).permutation(n)`. */

const MASK64 = (1n << 64n) - 1n;
const MASK128 = (1n << 128n) - 1n;
const MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n; // of PCG64

/** CRC-32 of bytes, as `zlib.crc32`. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Words of 32 bits from a seed of 32 bits (`SeedSequence`). */
function seedWords(seed: number, count: number): number[] {
  let constant = 0x43b0d7e5;
  const hash = (value: number, multiplier: number) => {
    const mixed = (value ^ constant) >>> 0;
    constant = Math.imul(constant, multiplier) >>> 0;
    const product = Math.imul(mixed, constant) >>> 0;
    return (product ^ (product >>> 16)) >>> 0;
  };
  const mix = (x: number, y: number) => {
    const mixed = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) >>> 0;
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  const pool = [seed, 0, 0, 0].map((word) => hash(word, 0x931e8875));
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to], hash(pool[from], 0x931e8875));
  }
  constant = 0x8b51f9dd;
  return Array.from({ length: count }, (_, i) => hash(pool[i % 4], 0x58f38ded));
}

/** PCG64 (O'Neill 2014) as `np.random.default_rng`. */
export class Generator {
  #state: bigint;
  readonly #increment: bigint;
  #half: number | null = null; // the other half of the last 64 bits

  constructor(seed: number) {
    const words = seedWords(seed, 8).map(BigInt);
    const long = (i: number) => (words[i + 1] << 32n) | words[i];
    this.#increment = ((((long(4) << 64n) | long(6)) << 1n) | 1n) & MASK128;
    this.#state = 0n;
    this.#step();
    this.#state = (this.#state + ((long(0) << 64n) | long(2))) & MASK128;
    this.#step();
  }

  #step() {
    this.#state = (this.#state * MULTIPLIER + this.#increment) & MASK128;
  }

  #next32(): number {
    if (this.#half !== null) {
      const found = this.#half;
      this.#half = null;
      return found;
    }
    this.#step();
    const folded = (this.#state >> 64n) ^ (this.#state & MASK64);
    const turn = this.#state >> 122n;
    const bits = ((folded >> turn) | (folded << (64n - turn))) & MASK64;
    this.#half = Number(bits >> 32n);
    return Number(bits & 0xffffffffn);
  }

  /** An integer from 0 to `most`, by rejection. */
  #upTo(most: number): number {
    const mask = 2 ** (32 - Math.clz32(most)) - 1;
    for (;;) {
      const found = (this.#next32() & mask) >>> 0;
      if (found <= most) return found;
    }
  }

  permutation(n: number): number[] {
    const order = [...Array(n).keys()];
    for (let i = n - 1; i > 0; i--) {
      const j = this.#upTo(i);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}
