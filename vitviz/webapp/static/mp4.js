import { videoConfig } from "./shared.js";
var __commonJSMin = (cb, mod) => () => (mod || (cb((mod = { exports: {} }).exports, mod, mod.exports), cb = null), mod.exports);
// node_modules/mediabunny/dist/modules/src/misc.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
function assert(x) {
	if (!x) throw new Error("Assertion failed.");
}
var DEG_TO_RAD = Math.PI / 180;
var IDENTITY_MATRIX = [
	1,
	0,
	0,
	0,
	1,
	0,
	0,
	0,
	1
];
var centeredTransformationMatrix = (linear, width, height) => {
	const [a, b, , c, d] = linear;
	const transformedWidth = Math.abs(a) * width + Math.abs(c) * height;
	const transformedHeight = Math.abs(b) * width + Math.abs(d) * height;
	return multiplyMatrices(multiplyMatrices(translationMatrix(-width / 2, -height / 2), linear), translationMatrix(transformedWidth / 2, transformedHeight / 2));
};
var rotationMatrix = (rotationInDegrees) => {
	const theta = rotationInDegrees * DEG_TO_RAD;
	const cosTheta = Math.round(Math.cos(theta));
	const sinTheta = Math.round(Math.sin(theta));
	return [
		cosTheta,
		sinTheta,
		0,
		-sinTheta,
		cosTheta,
		0,
		0,
		0,
		1
	];
};
var translationMatrix = (x, y) => {
	return [
		1,
		0,
		0,
		0,
		1,
		0,
		x,
		y,
		1
	];
};
var scaleMatrix = (x, y) => {
	return [
		x,
		0,
		0,
		0,
		y,
		0,
		0,
		0,
		1
	];
};
var multiplyMatrices = (a, b) => {
	const result = new Array(9);
	for (let i = 0; i < 3; i++) for (let j = 0; j < 3; j++) result[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
	return result;
};
var last = (arr) => {
	return arr && arr[arr.length - 1];
};
var isU32 = (value) => {
	return value >= 0 && value < 2 ** 32;
};
var isI32 = (value) => {
	return value >= -(2 ** 31) && value < 2 ** 31;
};
var readExpGolomb = (bitstream) => {
	let leadingZeroBits = 0;
	while (bitstream.readBits(1) === 0 && leadingZeroBits < 32) leadingZeroBits++;
	if (leadingZeroBits >= 32) throw new Error("Invalid exponential-Golomb code.");
	return (1 << leadingZeroBits) - 1 + bitstream.readBits(leadingZeroBits);
};
var readSignedExpGolomb = (bitstream) => {
	const codeNum = readExpGolomb(bitstream);
	return (codeNum & 1) === 0 ? -(codeNum >> 1) : codeNum + 1 >> 1;
};
var toUint8Array = (source) => {
	if (source.constructor === Uint8Array) return source;
	else if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
	else return new Uint8Array(source);
};
var toDataView = (source) => {
	if (source.constructor === DataView) return source;
	else if (ArrayBuffer.isView(source)) return new DataView(source.buffer, source.byteOffset, source.byteLength);
	else return new DataView(source);
};
var TextEncoder = typeof globalThis.TextEncoder !== "undefined" ? globalThis.TextEncoder : class TextEncoder {
	constructor() {
		this.encoding = "utf-8";
	}
	encode(input = "") {
		const bytes = new Uint8Array(3 * input.length);
		let n = 0;
		for (let i = 0; i < input.length; i++) {
			let c = input.charCodeAt(i);
			if (c < 128) bytes[n++] = c;
			else if (c < 2048) {
				bytes[n++] = 192 | c >> 6;
				bytes[n++] = 128 | c & 63;
			} else if (c < 55296 || c > 57343) {
				bytes[n++] = 224 | c >> 12;
				bytes[n++] = 128 | c >> 6 & 63;
				bytes[n++] = 128 | c & 63;
			} else {
				const next = i + 1 < input.length ? input.charCodeAt(i + 1) : 0;
				if (c < 56320 && next >= 56320 && next <= 57343) {
					c = 65536 + (c - 55296 << 10) + (next - 56320);
					i++;
					bytes[n++] = 240 | c >> 18;
					bytes[n++] = 128 | c >> 12 & 63;
					bytes[n++] = 128 | c >> 6 & 63;
					bytes[n++] = 128 | c & 63;
				} else {
					bytes[n++] = 239;
					bytes[n++] = 191;
					bytes[n++] = 189;
				}
			}
		}
		return bytes.slice(0, n);
	}
};
typeof globalThis.TextDecoder !== "undefined" && globalThis.TextDecoder;
var textEncoder = new TextEncoder();
var COLOR_PRIMARIES_MAP = {
	bt709: 1,
	bt470bg: 5,
	smpte170m: 6,
	bt2020: 9,
	smpte432: 12
};
var TRANSFER_CHARACTERISTICS_MAP = {
	"bt709": 1,
	"smpte170m": 6,
	"linear": 8,
	"iec61966-2-1": 13,
	"pq": 16,
	"hlg": 18
};
var MATRIX_COEFFICIENTS_MAP = {
	"rgb": 0,
	"bt709": 1,
	"bt470bg": 5,
	"smpte170m": 6,
	"bt2020-ncl": 9
};
var colorSpaceIsEmpty = (colorSpace) => {
	return !colorSpace || colorSpace.primaries == null && colorSpace.transfer == null && colorSpace.matrix == null && colorSpace.fullRange == null;
};
var isAllowSharedBufferSource = (x) => {
	return x instanceof ArrayBuffer || typeof SharedArrayBuffer !== "undefined" && x instanceof SharedArrayBuffer || ArrayBuffer.isView(x);
};
var AsyncMutex = class {
	constructor() {
		this.currentPromise = Promise.resolve();
		this.pending = 0;
	}
	async acquire() {
		let resolver;
		const nextPromise = new Promise((resolve) => {
			let resolved = false;
			resolver = () => {
				if (resolved) return;
				resolve();
				this.pending--;
				resolved = true;
			};
		});
		const currentPromiseAlias = this.currentPromise;
		this.currentPromise = nextPromise;
		this.pending++;
		await currentPromiseAlias;
		return resolver;
	}
};
var promiseWithResolvers = () => {
	let resolve;
	let reject;
	return {
		promise: new Promise((res, rej) => {
			resolve = res;
			reject = rej;
		}),
		resolve,
		reject
	};
};
var assertNever = (x) => {
	throw new Error(`Unexpected value: ${x}`);
};
var setUint24 = (view, byteOffset, value, littleEndian) => {
	value = value >>> 0;
	value = value & 16777215;
	if (littleEndian) {
		view.setUint8(byteOffset, value & 255);
		view.setUint8(byteOffset + 1, value >>> 8 & 255);
		view.setUint8(byteOffset + 2, value >>> 16 & 255);
	} else {
		view.setUint8(byteOffset, value >>> 16 & 255);
		view.setUint8(byteOffset + 1, value >>> 8 & 255);
		view.setUint8(byteOffset + 2, value & 255);
	}
};
var popcount = (value) => {
	let count = 0;
	while (value !== 0) {
		value &= value - 1;
		count++;
	}
	return count;
};
var ISO_639_2_REGEX = /^[a-z]{3}$/;
var isIso639Dash2LanguageCode = (x) => {
	return ISO_639_2_REGEX.test(x);
};
var SECOND_TO_MICROSECOND_FACTOR = 1e6 * (1 + Number.EPSILON);
var computeRationalApproximation = (x, maxDenominator) => {
	const sign = x < 0 ? -1 : 1;
	x = Math.abs(x);
	let prevNumerator = 0, prevDenominator = 1;
	let currNumerator = 1, currDenominator = 0;
	let remainder = x;
	while (true) {
		const integer = Math.floor(remainder);
		const nextNumerator = integer * currNumerator + prevNumerator;
		const nextDenominator = integer * currDenominator + prevDenominator;
		if (nextDenominator > maxDenominator) return {
			num: sign * currNumerator,
			den: currDenominator
		};
		prevNumerator = currNumerator;
		prevDenominator = currDenominator;
		currNumerator = nextNumerator;
		currDenominator = nextDenominator;
		remainder = 1 / (remainder - integer);
		if (!isFinite(remainder)) break;
	}
	return {
		num: sign * currNumerator,
		den: currDenominator
	};
};
var NativePromiseConstructor = (async () => {})().constructor;
var isThenable = (value) => {
	if (value instanceof NativePromiseConstructor || value instanceof Promise) return true;
	return typeof value?.then === "function";
};
var keyValueIterator = function* (object) {
	for (const key in object) {
		const value = object[key];
		if (value === void 0) continue;
		yield {
			key,
			value
		};
	}
};
var isNumber = (x) => {
	return typeof x === "number" && !Number.isNaN(x);
};
var simplifyRational = (rational) => {
	assert(Number.isInteger(rational.num));
	assert(Number.isInteger(rational.den));
	assert(rational.den !== 0);
	let a = Math.abs(rational.num);
	let b = Math.abs(rational.den);
	while (b !== 0) {
		const t = a % b;
		a = b;
		b = t;
	}
	const gcd = a || 1;
	return {
		num: rational.num / gcd,
		den: rational.den / gcd
	};
};
var toArray = (x) => {
	if (Array.isArray(x)) return x;
	else return [x];
};
var EventEmitter = class {
	constructor() {
		this._listeners = new Map();
	}
	on(event, listener, options) {
		if (!this._listeners.has(event)) this._listeners.set(event, new Set());
		const entry = {
			fn: listener,
			once: options?.once ?? false
		};
		this._listeners.get(event).add(entry);
		return () => {
			this._listeners.get(event)?.delete(entry);
		};
	}
	_emit(...args) {
		const [event, data] = args;
		const listeners = this._listeners.get(event);
		if (!listeners) return;
		for (const entry of listeners) {
			try {
				entry.fn(data);
			} catch (error) {
				console.error(error);
			}
			if (entry.once) listeners.delete(entry);
		}
	}
};
var isRecordStringString = (value) => {
	return value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every((x) => typeof x === "string");
};
// node_modules/mediabunny/dist/modules/src/logging.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var LogLevel;
(function(LogLevel) {
	LogLevel[LogLevel["Silent"] = 0] = "Silent";
	LogLevel[LogLevel["Errors"] = 1] = "Errors";
	LogLevel[LogLevel["Warnings"] = 2] = "Warnings";
	LogLevel[LogLevel["Info"] = 3] = "Info";
})(LogLevel || (LogLevel = {}));
var Logging = class Logging {
	constructor() {}
	static get level() {
		return Logging._level;
	}
	static set level(value) {
		if (value !== LogLevel.Silent && value !== LogLevel.Errors && value !== LogLevel.Warnings && value !== LogLevel.Info) throw new TypeError("Invalid log level. Use one of the values of the LogLevel enum.");
		Logging._level = value;
	}
	static get _emitter() {
		return Logging._emitterInstance ??= new EventEmitter();
	}
	static on(event, listener, options) {
		return Logging._emitter.on(event, listener, options);
	}
	static _error(...args) {
		Logging._emitter._emit("error", args);
		if (Logging._level >= LogLevel.Errors) console.error(...args);
	}
	static _warn(...args) {
		Logging._emitter._emit("warn", args);
		if (Logging._level >= LogLevel.Warnings) console.warn(...args);
	}
	static _info(...args) {
		Logging._emitter._emit("info", args);
		if (Logging._level >= LogLevel.Info) console.info(...args);
	}
};
Logging._level = LogLevel.Info;
Logging._emitterInstance = null;
// node_modules/mediabunny/dist/modules/src/metadata.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var RichImageData = class {
	constructor(data, mimeType) {
		this.data = data;
		this.mimeType = mimeType;
		if (!(data instanceof Uint8Array)) throw new TypeError("data must be a Uint8Array.");
		if (typeof mimeType !== "string") throw new TypeError("mimeType must be a string.");
	}
};
var AttachedFile = class {
	constructor(data, mimeType, name, description) {
		this.data = data;
		this.mimeType = mimeType;
		this.name = name;
		this.description = description;
		if (!(data instanceof Uint8Array)) throw new TypeError("data must be a Uint8Array.");
		if (mimeType !== void 0 && typeof mimeType !== "string") throw new TypeError("mimeType, when provided, must be a string.");
		if (name !== void 0 && typeof name !== "string") throw new TypeError("name, when provided, must be a string.");
		if (description !== void 0 && typeof description !== "string") throw new TypeError("description, when provided, must be a string.");
	}
};
var validateMetadataTags = (tags) => {
	if (!tags || typeof tags !== "object") throw new TypeError("tags must be an object.");
	if (tags.title !== void 0 && typeof tags.title !== "string") throw new TypeError("tags.title, when provided, must be a string.");
	if (tags.description !== void 0 && typeof tags.description !== "string") throw new TypeError("tags.description, when provided, must be a string.");
	if (tags.artist !== void 0 && typeof tags.artist !== "string") throw new TypeError("tags.artist, when provided, must be a string.");
	if (tags.album !== void 0 && typeof tags.album !== "string") throw new TypeError("tags.album, when provided, must be a string.");
	if (tags.albumArtist !== void 0 && typeof tags.albumArtist !== "string") throw new TypeError("tags.albumArtist, when provided, must be a string.");
	if (tags.trackNumber !== void 0 && (!Number.isInteger(tags.trackNumber) || tags.trackNumber <= 0)) throw new TypeError("tags.trackNumber, when provided, must be a positive integer.");
	if (tags.tracksTotal !== void 0 && (!Number.isInteger(tags.tracksTotal) || tags.tracksTotal <= 0)) throw new TypeError("tags.tracksTotal, when provided, must be a positive integer.");
	if (tags.discNumber !== void 0 && (!Number.isInteger(tags.discNumber) || tags.discNumber <= 0)) throw new TypeError("tags.discNumber, when provided, must be a positive integer.");
	if (tags.discsTotal !== void 0 && (!Number.isInteger(tags.discsTotal) || tags.discsTotal <= 0)) throw new TypeError("tags.discsTotal, when provided, must be a positive integer.");
	if (tags.genre !== void 0 && typeof tags.genre !== "string") throw new TypeError("tags.genre, when provided, must be a string.");
	if (tags.date !== void 0 && (!(tags.date instanceof Date) || Number.isNaN(tags.date.getTime()))) throw new TypeError("tags.date, when provided, must be a valid Date.");
	if (tags.beatsPerMinute !== void 0 && (!Number.isInteger(tags.beatsPerMinute) || tags.beatsPerMinute <= 0)) throw new TypeError("tags.beatsPerMinute, when provided, must be a positive integer.");
	if (tags.lyrics !== void 0 && typeof tags.lyrics !== "string") throw new TypeError("tags.lyrics, when provided, must be a string.");
	if (tags.images !== void 0) {
		if (!Array.isArray(tags.images)) throw new TypeError("tags.images, when provided, must be an array.");
		for (const image of tags.images) {
			if (!image || typeof image !== "object") throw new TypeError("Each image in tags.images must be an object.");
			if (!(image.data instanceof Uint8Array)) throw new TypeError("Each image.data must be a Uint8Array.");
			if (typeof image.mimeType !== "string") throw new TypeError("Each image.mimeType must be a string.");
			if (![
				"coverFront",
				"coverBack",
				"unknown"
			].includes(image.kind)) throw new TypeError("Each image.kind must be 'coverFront', 'coverBack', or 'unknown'.");
		}
	}
	if (tags.comment !== void 0 && typeof tags.comment !== "string") throw new TypeError("tags.comment, when provided, must be a string.");
	if (tags.raw !== void 0) {
		if (!tags.raw || typeof tags.raw !== "object") throw new TypeError("tags.raw, when provided, must be an object.");
		for (const value of Object.values(tags.raw)) if (value !== null && typeof value !== "string" && !(Array.isArray(value) && value.every((x) => typeof x === "string")) && !(value instanceof Uint8Array) && !(value instanceof RichImageData) && !(value instanceof AttachedFile) && !isRecordStringString(value)) throw new TypeError("Each value in tags.raw must be a string, string array, Uint8Array, RichImageData, AttachedFile, Record<string, string>, or null.");
	}
};
var validateTrackDisposition = (disposition) => {
	if (!disposition || typeof disposition !== "object") throw new TypeError("disposition must be an object.");
	if (disposition.default !== void 0 && typeof disposition.default !== "boolean") throw new TypeError("disposition.default must be a boolean.");
	if (disposition.primary !== void 0 && typeof disposition.primary !== "boolean") throw new TypeError("disposition.primary must be a boolean.");
	if (disposition.forced !== void 0 && typeof disposition.forced !== "boolean") throw new TypeError("disposition.forced must be a boolean.");
	if (disposition.original !== void 0 && typeof disposition.original !== "boolean") throw new TypeError("disposition.original must be a boolean.");
	if (disposition.commentary !== void 0 && typeof disposition.commentary !== "boolean") throw new TypeError("disposition.commentary must be a boolean.");
	if (disposition.hearingImpaired !== void 0 && typeof disposition.hearingImpaired !== "boolean") throw new TypeError("disposition.hearingImpaired must be a boolean.");
	if (disposition.visuallyImpaired !== void 0 && typeof disposition.visuallyImpaired !== "boolean") throw new TypeError("disposition.visuallyImpaired must be a boolean.");
};
// node_modules/mediabunny/dist/modules/shared/bitstream.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var Bitstream = class Bitstream {
	constructor(bytes) {
		this.bytes = bytes;
		this.pos = 0;
	}
	seekToByte(byteOffset) {
		this.pos = 8 * byteOffset;
	}
	readBit() {
		const byteIndex = Math.floor(this.pos / 8);
		const byte = this.bytes[byteIndex] ?? 0;
		const bitIndex = 7 - (this.pos & 7);
		const bit = (byte & 1 << bitIndex) >> bitIndex;
		this.pos++;
		return bit;
	}
	readBits(n) {
		if (n === 1) return this.readBit();
		let result = 0;
		for (let i = 0; i < n; i++) {
			result <<= 1;
			result |= this.readBit();
		}
		return result;
	}
	writeBits(n, value) {
		const end = this.pos + n;
		for (let i = this.pos; i < end; i++) {
			const byteIndex = Math.floor(i / 8);
			let byte = this.bytes[byteIndex];
			const bitIndex = 7 - (i & 7);
			byte &= ~(1 << bitIndex);
			byte |= (value & 1 << end - i - 1) >> end - i - 1 << bitIndex;
			this.bytes[byteIndex] = byte;
		}
		this.pos = end;
	}
	copyBits(n, other) {
		let i = 0;
		for (; i < n - 7; i += 8) this.writeBits(8, other.readBits(8));
		const leftover = n - i;
		if (leftover > 0) this.writeBits(leftover, other.readBits(leftover));
	}
	readAlignedByte() {
		if (this.pos % 8 !== 0) throw new Error("Bitstream is not byte-aligned.");
		const byteIndex = this.pos / 8;
		const byte = this.bytes[byteIndex] ?? 0;
		this.pos += 8;
		return byte;
	}
	skipBits(n) {
		this.pos += n;
	}
	getBitsLeft() {
		return this.bytes.length * 8 - this.pos;
	}
	clone() {
		const clone = new Bitstream(this.bytes);
		clone.pos = this.pos;
		return clone;
	}
};
// node_modules/mediabunny/dist/modules/shared/aac-misc.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var aacFrequencyTable = [
	96e3,
	88200,
	64e3,
	48e3,
	44100,
	32e3,
	24e3,
	22050,
	16e3,
	12e3,
	11025,
	8e3,
	7350
];
var aacChannelMap = [
	-1,
	1,
	2,
	3,
	4,
	5,
	6,
	8
];
var buildAacAudioSpecificConfig = (config) => {
	const usesSbr = config.objectType === 5 || config.objectType === 29;
	const usesPs = config.objectType === 29;
	const coreSampleRate = usesSbr ? config.outputSampleRate / 2 : config.outputSampleRate;
	const coreNumberOfChannels = usesPs ? 1 : config.outputNumberOfChannels;
	const channelConfiguration = aacChannelMap.indexOf(coreNumberOfChannels);
	if (channelConfiguration === -1) throw new TypeError(`Unsupported number of channels: ${config.outputNumberOfChannels}`);
	let bitCount = 16;
	if (config.objectType >= 32) bitCount += 6;
	if (findAacFrequencyIndex(coreSampleRate) === 15) bitCount += 24;
	if (usesSbr) {
		bitCount += 9;
		if (findAacFrequencyIndex(config.outputSampleRate) === 15) bitCount += 24;
	}
	const byteCount = Math.ceil(bitCount / 8);
	const bytes = new Uint8Array(byteCount);
	const bitstream = new Bitstream(bytes);
	writeAacObjectType(bitstream, config.objectType);
	writeAacSamplingFrequency(bitstream, coreSampleRate);
	bitstream.writeBits(4, channelConfiguration);
	if (usesSbr) {
		writeAacSamplingFrequency(bitstream, config.outputSampleRate);
		writeAacObjectType(bitstream, 2);
	}
	bitstream.writeBits(3, 0);
	return bytes;
};
var writeAacObjectType = (bitstream, objectType) => {
	if (objectType < 32) bitstream.writeBits(5, objectType);
	else {
		bitstream.writeBits(5, 31);
		bitstream.writeBits(6, objectType - 32);
	}
};
var writeAacSamplingFrequency = (bitstream, sampleRate) => {
	const frequencyIndex = findAacFrequencyIndex(sampleRate);
	bitstream.writeBits(4, frequencyIndex);
	if (frequencyIndex === 15) bitstream.writeBits(24, sampleRate);
};
var findAacFrequencyIndex = (sampleRate) => {
	const index = aacFrequencyTable.indexOf(sampleRate);
	return index === -1 ? 15 : index;
};
// node_modules/mediabunny/dist/modules/shared/ac3-misc.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var AC3_SAMPLE_RATES = [
	48e3,
	44100,
	32e3
];
var EAC3_REDUCED_SAMPLE_RATES = [
	24e3,
	22050,
	16e3
];
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var VERSIONED_NAME = `Mediabunny v1.61.0`;
// node_modules/mediabunny/dist/modules/src/codec-data.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var AvcNalUnitType;
(function(AvcNalUnitType) {
	AvcNalUnitType[AvcNalUnitType["NON_IDR_SLICE"] = 1] = "NON_IDR_SLICE";
	AvcNalUnitType[AvcNalUnitType["SLICE_DPA"] = 2] = "SLICE_DPA";
	AvcNalUnitType[AvcNalUnitType["SLICE_DPB"] = 3] = "SLICE_DPB";
	AvcNalUnitType[AvcNalUnitType["SLICE_DPC"] = 4] = "SLICE_DPC";
	AvcNalUnitType[AvcNalUnitType["IDR"] = 5] = "IDR";
	AvcNalUnitType[AvcNalUnitType["SEI"] = 6] = "SEI";
	AvcNalUnitType[AvcNalUnitType["SPS"] = 7] = "SPS";
	AvcNalUnitType[AvcNalUnitType["PPS"] = 8] = "PPS";
	AvcNalUnitType[AvcNalUnitType["AUD"] = 9] = "AUD";
	AvcNalUnitType[AvcNalUnitType["SPS_EXT"] = 13] = "SPS_EXT";
})(AvcNalUnitType || (AvcNalUnitType = {}));
var HevcNalUnitType;
(function(HevcNalUnitType) {
	HevcNalUnitType[HevcNalUnitType["RASL_N"] = 8] = "RASL_N";
	HevcNalUnitType[HevcNalUnitType["RASL_R"] = 9] = "RASL_R";
	HevcNalUnitType[HevcNalUnitType["BLA_W_LP"] = 16] = "BLA_W_LP";
	HevcNalUnitType[HevcNalUnitType["RSV_IRAP_VCL23"] = 23] = "RSV_IRAP_VCL23";
	HevcNalUnitType[HevcNalUnitType["VPS_NUT"] = 32] = "VPS_NUT";
	HevcNalUnitType[HevcNalUnitType["SPS_NUT"] = 33] = "SPS_NUT";
	HevcNalUnitType[HevcNalUnitType["PPS_NUT"] = 34] = "PPS_NUT";
	HevcNalUnitType[HevcNalUnitType["AUD_NUT"] = 35] = "AUD_NUT";
	HevcNalUnitType[HevcNalUnitType["PREFIX_SEI_NUT"] = 39] = "PREFIX_SEI_NUT";
	HevcNalUnitType[HevcNalUnitType["SUFFIX_SEI_NUT"] = 40] = "SUFFIX_SEI_NUT";
})(HevcNalUnitType || (HevcNalUnitType = {}));
var iterateNalUnitsInAnnexB = function* (packetData) {
	let i = 0;
	let nalStart = -1;
	while (i < packetData.length - 2) {
		const zeroIndex = packetData.indexOf(0, i);
		if (zeroIndex === -1 || zeroIndex >= packetData.length - 2) break;
		i = zeroIndex;
		let startCodeLength = 0;
		if (i + 3 < packetData.length && packetData[i + 1] === 0 && packetData[i + 2] === 0 && packetData[i + 3] === 1) startCodeLength = 4;
		else if (packetData[i + 1] === 0 && packetData[i + 2] === 1) startCodeLength = 3;
		if (startCodeLength === 0) {
			i++;
			continue;
		}
		if (nalStart !== -1 && i > nalStart) yield {
			offset: nalStart,
			length: i - nalStart
		};
		nalStart = i + startCodeLength;
		i = nalStart;
	}
	if (nalStart !== -1 && nalStart < packetData.length) yield {
		offset: nalStart,
		length: packetData.length - nalStart
	};
};
var extractNalUnitTypeForAvc = (byte) => {
	return byte & 31;
};
var removeEmulationPreventionBytes = (data) => {
	const result = [];
	const len = data.length;
	for (let i = 0; i < len; i++) if (i + 2 < len && data[i] === 0 && data[i + 1] === 0 && data[i + 2] === 3) {
		result.push(0, 0);
		i += 2;
	} else result.push(data[i]);
	return new Uint8Array(result);
};
new Uint8Array([
	0,
	0,
	0,
	1
]);
var concatNalUnitsInLengthPrefixed = (nalUnits, lengthSize) => {
	const totalLength = nalUnits.reduce((a, b) => a + lengthSize + b.byteLength, 0);
	const result = new Uint8Array(totalLength);
	let offset = 0;
	for (const nalUnit of nalUnits) {
		const dataView = new DataView(result.buffer, result.byteOffset, result.byteLength);
		switch (lengthSize) {
			case 1:
				dataView.setUint8(offset, nalUnit.byteLength);
				break;
			case 2:
				dataView.setUint16(offset, nalUnit.byteLength, false);
				break;
			case 3:
				setUint24(dataView, offset, nalUnit.byteLength, false);
				break;
			case 4: dataView.setUint32(offset, nalUnit.byteLength, false);
		}
		offset += lengthSize;
		result.set(nalUnit, offset);
		offset += nalUnit.byteLength;
	}
	return result;
};
var extractAvcDecoderConfigurationRecord = (packetData) => {
	try {
		const spsUnits = [];
		const ppsUnits = [];
		const spsExtUnits = [];
		for (const loc of iterateNalUnitsInAnnexB(packetData)) {
			const nalUnit = packetData.subarray(loc.offset, loc.offset + loc.length);
			const type = extractNalUnitTypeForAvc(nalUnit[0]);
			if (type === AvcNalUnitType.SPS) spsUnits.push(nalUnit);
			else if (type === AvcNalUnitType.PPS) ppsUnits.push(nalUnit);
			else if (type === AvcNalUnitType.SPS_EXT) spsExtUnits.push(nalUnit);
		}
		if (spsUnits.length === 0) return null;
		if (ppsUnits.length === 0) return null;
		const spsData = spsUnits[0];
		const spsInfo = parseAvcSps(spsData);
		assert(spsInfo !== null);
		const hasExtendedData = spsInfo.profileIdc === 100 || spsInfo.profileIdc === 110 || spsInfo.profileIdc === 122 || spsInfo.profileIdc === 144;
		return {
			configurationVersion: 1,
			avcProfileIndication: spsInfo.profileIdc,
			profileCompatibility: spsInfo.constraintFlags,
			avcLevelIndication: spsInfo.levelIdc,
			lengthSizeMinusOne: 3,
			sequenceParameterSets: spsUnits,
			pictureParameterSets: ppsUnits,
			chromaFormat: hasExtendedData ? spsInfo.chromaFormatIdc : null,
			bitDepthLumaMinus8: hasExtendedData ? spsInfo.bitDepthLumaMinus8 : null,
			bitDepthChromaMinus8: hasExtendedData ? spsInfo.bitDepthChromaMinus8 : null,
			sequenceParameterSetExt: hasExtendedData ? spsExtUnits : null
		};
	} catch (error) {
		Logging._error("Error building AVC Decoder Configuration Record:", error);
		return null;
	}
};
var serializeAvcDecoderConfigurationRecord = (record) => {
	const bytes = [];
	bytes.push(record.configurationVersion);
	bytes.push(record.avcProfileIndication);
	bytes.push(record.profileCompatibility);
	bytes.push(record.avcLevelIndication);
	bytes.push(252 | record.lengthSizeMinusOne & 3);
	bytes.push(224 | record.sequenceParameterSets.length & 31);
	for (const sps of record.sequenceParameterSets) {
		const length = sps.byteLength;
		bytes.push(length >> 8);
		bytes.push(length & 255);
		for (let i = 0; i < length; i++) bytes.push(sps[i]);
	}
	bytes.push(record.pictureParameterSets.length);
	for (const pps of record.pictureParameterSets) {
		const length = pps.byteLength;
		bytes.push(length >> 8);
		bytes.push(length & 255);
		for (let i = 0; i < length; i++) bytes.push(pps[i]);
	}
	if ((record.avcProfileIndication === 100 || record.avcProfileIndication === 110 || record.avcProfileIndication === 122 || record.avcProfileIndication === 144) && record.chromaFormat !== null) {
		assert(record.bitDepthLumaMinus8 !== null);
		assert(record.bitDepthChromaMinus8 !== null);
		assert(record.sequenceParameterSetExt !== null);
		bytes.push(252 | record.chromaFormat & 3);
		bytes.push(248 | record.bitDepthLumaMinus8 & 7);
		bytes.push(248 | record.bitDepthChromaMinus8 & 7);
		bytes.push(record.sequenceParameterSetExt.length);
		for (const spsExt of record.sequenceParameterSetExt) {
			const length = spsExt.byteLength;
			bytes.push(length >> 8);
			bytes.push(length & 255);
			for (let i = 0; i < length; i++) bytes.push(spsExt[i]);
		}
	}
	return new Uint8Array(bytes);
};
var AVC_HEVC_ASPECT_RATIO_IDC_TABLE = {
	1: {
		num: 1,
		den: 1
	},
	2: {
		num: 12,
		den: 11
	},
	3: {
		num: 10,
		den: 11
	},
	4: {
		num: 16,
		den: 11
	},
	5: {
		num: 40,
		den: 33
	},
	6: {
		num: 24,
		den: 11
	},
	7: {
		num: 20,
		den: 11
	},
	8: {
		num: 32,
		den: 11
	},
	9: {
		num: 80,
		den: 33
	},
	10: {
		num: 18,
		den: 11
	},
	11: {
		num: 15,
		den: 11
	},
	12: {
		num: 64,
		den: 33
	},
	13: {
		num: 160,
		den: 99
	},
	14: {
		num: 4,
		den: 3
	},
	15: {
		num: 3,
		den: 2
	},
	16: {
		num: 2,
		den: 1
	}
};
var parseAvcSps = (sps) => {
	try {
		const emulationUnpreventedBytes = removeEmulationPreventionBytes(sps);
		const bitstream = new Bitstream(emulationUnpreventedBytes);
		bitstream.skipBits(1);
		bitstream.skipBits(2);
		if (bitstream.readBits(5) !== 7) return null;
		const profileIdc = bitstream.readAlignedByte();
		const constraintFlags = bitstream.readAlignedByte();
		const levelIdc = bitstream.readAlignedByte();
		readExpGolomb(bitstream);
		let chromaFormatIdc = 1;
		let bitDepthLumaMinus8 = 0;
		let bitDepthChromaMinus8 = 0;
		let separateColourPlaneFlag = 0;
		if (profileIdc === 100 || profileIdc === 110 || profileIdc === 122 || profileIdc === 244 || profileIdc === 44 || profileIdc === 83 || profileIdc === 86 || profileIdc === 118 || profileIdc === 128) {
			chromaFormatIdc = readExpGolomb(bitstream);
			if (chromaFormatIdc === 3) separateColourPlaneFlag = bitstream.readBits(1);
			bitDepthLumaMinus8 = readExpGolomb(bitstream);
			bitDepthChromaMinus8 = readExpGolomb(bitstream);
			bitstream.skipBits(1);
			if (bitstream.readBits(1)) {
				for (let i = 0; i < (chromaFormatIdc !== 3 ? 8 : 12); i++) if (bitstream.readBits(1)) {
					const sizeOfScalingList = i < 6 ? 16 : 64;
					let lastScale = 8;
					let nextScale = 8;
					for (let j = 0; j < sizeOfScalingList; j++) {
						if (nextScale !== 0) {
							const deltaScale = readSignedExpGolomb(bitstream);
							nextScale = (lastScale + deltaScale + 256) % 256;
						}
						lastScale = nextScale === 0 ? lastScale : nextScale;
					}
				}
			}
		}
		readExpGolomb(bitstream);
		const picOrderCntType = readExpGolomb(bitstream);
		if (picOrderCntType === 0) readExpGolomb(bitstream);
		else if (picOrderCntType === 1) {
			bitstream.skipBits(1);
			readSignedExpGolomb(bitstream);
			readSignedExpGolomb(bitstream);
			const numRefFramesInPicOrderCntCycle = readExpGolomb(bitstream);
			for (let i = 0; i < numRefFramesInPicOrderCntCycle; i++) readSignedExpGolomb(bitstream);
		}
		readExpGolomb(bitstream);
		bitstream.skipBits(1);
		const picWidthInMbsMinus1 = readExpGolomb(bitstream);
		const picHeightInMapUnitsMinus1 = readExpGolomb(bitstream);
		const codedWidth = 16 * (picWidthInMbsMinus1 + 1);
		const codedHeight = 16 * (picHeightInMapUnitsMinus1 + 1);
		let displayWidth = codedWidth;
		let displayHeight = codedHeight;
		const frameMbsOnlyFlag = bitstream.readBits(1);
		if (!frameMbsOnlyFlag) bitstream.skipBits(1);
		bitstream.skipBits(1);
		if (bitstream.readBits(1)) {
			const frameCropLeftOffset = readExpGolomb(bitstream);
			const frameCropRightOffset = readExpGolomb(bitstream);
			const frameCropTopOffset = readExpGolomb(bitstream);
			const frameCropBottomOffset = readExpGolomb(bitstream);
			let cropUnitX;
			let cropUnitY;
			if ((separateColourPlaneFlag === 0 ? chromaFormatIdc : 0) === 0) {
				cropUnitX = 1;
				cropUnitY = 2 - frameMbsOnlyFlag;
			} else {
				const subWidthC = chromaFormatIdc === 3 ? 1 : 2;
				const subHeightC = chromaFormatIdc === 1 ? 2 : 1;
				cropUnitX = subWidthC;
				cropUnitY = subHeightC * (2 - frameMbsOnlyFlag);
			}
			displayWidth -= cropUnitX * (frameCropLeftOffset + frameCropRightOffset);
			displayHeight -= cropUnitY * (frameCropTopOffset + frameCropBottomOffset);
		}
		let colourPrimaries = 2;
		let transferCharacteristics = 2;
		let matrixCoefficients = 2;
		let fullRangeFlag = 0;
		let pixelAspectRatio = {
			num: 1,
			den: 1
		};
		let numReorderFrames = null;
		let maxDecFrameBuffering = null;
		let bitstreamRestrictionFlagBitOffset = null;
		let bitstreamRestrictionFlag = null;
		const vuiParametersFlagBitOffset = bitstream.pos;
		if (bitstream.readBits(1)) {
			if (bitstream.readBits(1)) {
				const aspectRatioIdc = bitstream.readBits(8);
				if (aspectRatioIdc === 255) pixelAspectRatio = {
					num: bitstream.readBits(16),
					den: bitstream.readBits(16)
				};
				else {
					const aspectRatio = AVC_HEVC_ASPECT_RATIO_IDC_TABLE[aspectRatioIdc];
					if (aspectRatio) pixelAspectRatio = aspectRatio;
				}
			}
			if (bitstream.readBits(1)) bitstream.skipBits(1);
			if (bitstream.readBits(1)) {
				bitstream.skipBits(3);
				fullRangeFlag = bitstream.readBits(1);
				if (bitstream.readBits(1)) {
					colourPrimaries = bitstream.readBits(8);
					transferCharacteristics = bitstream.readBits(8);
					matrixCoefficients = bitstream.readBits(8);
				}
			}
			if (bitstream.readBits(1)) {
				readExpGolomb(bitstream);
				readExpGolomb(bitstream);
			}
			if (bitstream.readBits(1)) {
				bitstream.skipBits(32);
				bitstream.skipBits(32);
				bitstream.skipBits(1);
			}
			const nalHrdParametersPresentFlag = bitstream.readBits(1);
			if (nalHrdParametersPresentFlag) skipAvcHrdParameters(bitstream);
			const vclHrdParametersPresentFlag = bitstream.readBits(1);
			if (vclHrdParametersPresentFlag) skipAvcHrdParameters(bitstream);
			if (nalHrdParametersPresentFlag || vclHrdParametersPresentFlag) bitstream.skipBits(1);
			bitstream.skipBits(1);
			bitstreamRestrictionFlagBitOffset = bitstream.pos;
			bitstreamRestrictionFlag = bitstream.readBits(1);
			if (bitstreamRestrictionFlag) {
				bitstream.skipBits(1);
				readExpGolomb(bitstream);
				readExpGolomb(bitstream);
				readExpGolomb(bitstream);
				readExpGolomb(bitstream);
				numReorderFrames = readExpGolomb(bitstream);
				maxDecFrameBuffering = readExpGolomb(bitstream);
			}
		}
		if (numReorderFrames === null) {
			assert(maxDecFrameBuffering === null);
			const constraintSet3Flag = constraintFlags & 16;
			if ((profileIdc === 44 || profileIdc === 86 || profileIdc === 100 || profileIdc === 110 || profileIdc === 122 || profileIdc === 244) && constraintSet3Flag) {
				numReorderFrames = 0;
				maxDecFrameBuffering = 0;
			} else {
				const picWidthInMbs = picWidthInMbsMinus1 + 1;
				const picHeightInMapUnits = picHeightInMapUnitsMinus1 + 1;
				const frameHeightInMbs = (2 - frameMbsOnlyFlag) * picHeightInMapUnits;
				const levelInfo = AVC_LEVEL_TABLE.find((x) => x.level >= levelIdc) ?? last(AVC_LEVEL_TABLE);
				const maxDpbFrames = Math.min(Math.floor(levelInfo.maxDpbMbs / (picWidthInMbs * frameHeightInMbs)), 16);
				numReorderFrames = maxDpbFrames;
				maxDecFrameBuffering = maxDpbFrames;
			}
		}
		assert(maxDecFrameBuffering !== null);
		return {
			emulationUnpreventedBytes,
			profileIdc,
			constraintFlags,
			levelIdc,
			frameMbsOnlyFlag,
			chromaFormatIdc,
			bitDepthLumaMinus8,
			bitDepthChromaMinus8,
			codedWidth,
			codedHeight,
			displayWidth,
			displayHeight,
			pixelAspectRatio,
			colourPrimaries,
			matrixCoefficients,
			transferCharacteristics,
			fullRangeFlag,
			numReorderFrames,
			maxDecFrameBuffering,
			vuiParametersFlagBitOffset,
			bitstreamRestrictionFlagBitOffset,
			bitstreamRestrictionFlag
		};
	} catch (error) {
		Logging._error("Error parsing AVC SPS:", error);
		return null;
	}
};
var skipAvcHrdParameters = (bitstream) => {
	const cpb_cnt_minus1 = readExpGolomb(bitstream);
	bitstream.skipBits(4);
	bitstream.skipBits(4);
	for (let i = 0; i <= cpb_cnt_minus1; i++) {
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		bitstream.skipBits(1);
	}
	bitstream.skipBits(5);
	bitstream.skipBits(5);
	bitstream.skipBits(5);
	bitstream.skipBits(5);
};
var extractNalUnitTypeForHevc = (byte) => {
	return byte >> 1 & 63;
};
var parseHevcSps = (sps) => {
	try {
		const bitstream = new Bitstream(removeEmulationPreventionBytes(sps));
		bitstream.skipBits(16);
		bitstream.readBits(4);
		const spsMaxSubLayersMinus1 = bitstream.readBits(3);
		const spsTemporalIdNestingFlag = bitstream.readBits(1);
		const { general_profile_space, general_tier_flag, general_profile_idc, general_profile_compatibility_flags, general_constraint_indicator_flags, general_level_idc } = parseProfileTierLevel(bitstream, spsMaxSubLayersMinus1);
		readExpGolomb(bitstream);
		const chromaFormatIdc = readExpGolomb(bitstream);
		let separateColourPlaneFlag = 0;
		if (chromaFormatIdc === 3) separateColourPlaneFlag = bitstream.readBits(1);
		const picWidthInLumaSamples = readExpGolomb(bitstream);
		const picHeightInLumaSamples = readExpGolomb(bitstream);
		let displayWidth = picWidthInLumaSamples;
		let displayHeight = picHeightInLumaSamples;
		if (bitstream.readBits(1)) {
			const confWinLeftOffset = readExpGolomb(bitstream);
			const confWinRightOffset = readExpGolomb(bitstream);
			const confWinTopOffset = readExpGolomb(bitstream);
			const confWinBottomOffset = readExpGolomb(bitstream);
			let subWidthC = 1;
			let subHeightC = 1;
			const chromaArrayType = separateColourPlaneFlag === 0 ? chromaFormatIdc : 0;
			if (chromaArrayType === 1) {
				subWidthC = 2;
				subHeightC = 2;
			} else if (chromaArrayType === 2) {
				subWidthC = 2;
				subHeightC = 1;
			}
			displayWidth -= (confWinLeftOffset + confWinRightOffset) * subWidthC;
			displayHeight -= (confWinTopOffset + confWinBottomOffset) * subHeightC;
		}
		const bitDepthLumaMinus8 = readExpGolomb(bitstream);
		const bitDepthChromaMinus8 = readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		const startI = bitstream.readBits(1) ? 0 : spsMaxSubLayersMinus1;
		let spsMaxNumReorderPics = 0;
		for (let i = startI; i <= spsMaxSubLayersMinus1; i++) {
			readExpGolomb(bitstream);
			spsMaxNumReorderPics = readExpGolomb(bitstream);
			readExpGolomb(bitstream);
		}
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		if (bitstream.readBits(1)) {
			if (bitstream.readBits(1)) skipScalingListData(bitstream);
		}
		bitstream.skipBits(1);
		bitstream.skipBits(1);
		if (bitstream.readBits(1)) {
			bitstream.skipBits(4);
			bitstream.skipBits(4);
			readExpGolomb(bitstream);
			readExpGolomb(bitstream);
			bitstream.skipBits(1);
		}
		skipAllStRefPicSets(bitstream, readExpGolomb(bitstream));
		if (bitstream.readBits(1)) {
			const numLongTermRefPicsSps = readExpGolomb(bitstream);
			for (let i = 0; i < numLongTermRefPicsSps; i++) {
				readExpGolomb(bitstream);
				bitstream.skipBits(1);
			}
		}
		bitstream.skipBits(1);
		bitstream.skipBits(1);
		let colourPrimaries = 2;
		let transferCharacteristics = 2;
		let matrixCoefficients = 2;
		let fullRangeFlag = 0;
		let minSpatialSegmentationIdc = 0;
		let pixelAspectRatio = {
			num: 1,
			den: 1
		};
		if (bitstream.readBits(1)) {
			const vui = parseHevcVui(bitstream, spsMaxSubLayersMinus1);
			pixelAspectRatio = vui.pixelAspectRatio;
			colourPrimaries = vui.colourPrimaries;
			transferCharacteristics = vui.transferCharacteristics;
			matrixCoefficients = vui.matrixCoefficients;
			fullRangeFlag = vui.fullRangeFlag;
			minSpatialSegmentationIdc = vui.minSpatialSegmentationIdc;
		}
		return {
			displayWidth,
			displayHeight,
			pixelAspectRatio,
			colourPrimaries,
			transferCharacteristics,
			matrixCoefficients,
			fullRangeFlag,
			maxDecFrameBuffering: spsMaxNumReorderPics + 1,
			spsMaxSubLayersMinus1,
			spsTemporalIdNestingFlag,
			generalProfileSpace: general_profile_space,
			generalTierFlag: general_tier_flag,
			generalProfileIdc: general_profile_idc,
			generalProfileCompatibilityFlags: general_profile_compatibility_flags,
			generalConstraintIndicatorFlags: general_constraint_indicator_flags,
			generalLevelIdc: general_level_idc,
			chromaFormatIdc,
			bitDepthLumaMinus8,
			bitDepthChromaMinus8,
			minSpatialSegmentationIdc
		};
	} catch (error) {
		Logging._error("Error parsing HEVC SPS:", error);
		return null;
	}
};
var extractHevcDecoderConfigurationRecord = (packetData) => {
	try {
		const vpsUnits = [];
		const spsUnits = [];
		const ppsUnits = [];
		const seiUnits = [];
		for (const loc of iterateNalUnitsInAnnexB(packetData)) {
			const nalUnit = packetData.subarray(loc.offset, loc.offset + loc.length);
			const type = extractNalUnitTypeForHevc(nalUnit[0]);
			if (type === HevcNalUnitType.VPS_NUT) vpsUnits.push(nalUnit);
			else if (type === HevcNalUnitType.SPS_NUT) spsUnits.push(nalUnit);
			else if (type === HevcNalUnitType.PPS_NUT) ppsUnits.push(nalUnit);
			else if (type === HevcNalUnitType.PREFIX_SEI_NUT || type === HevcNalUnitType.SUFFIX_SEI_NUT) seiUnits.push(nalUnit);
		}
		if (spsUnits.length === 0 || ppsUnits.length === 0) return null;
		const spsInfo = parseHevcSps(spsUnits[0]);
		if (!spsInfo) return null;
		let parallelismType = 0;
		if (ppsUnits.length > 0) {
			const pps = ppsUnits[0];
			const ppsBitstream = new Bitstream(removeEmulationPreventionBytes(pps));
			ppsBitstream.skipBits(16);
			readExpGolomb(ppsBitstream);
			readExpGolomb(ppsBitstream);
			ppsBitstream.skipBits(1);
			ppsBitstream.skipBits(1);
			ppsBitstream.skipBits(3);
			ppsBitstream.skipBits(1);
			ppsBitstream.skipBits(1);
			readExpGolomb(ppsBitstream);
			readExpGolomb(ppsBitstream);
			readSignedExpGolomb(ppsBitstream);
			ppsBitstream.skipBits(1);
			ppsBitstream.skipBits(1);
			if (ppsBitstream.readBits(1)) readExpGolomb(ppsBitstream);
			readSignedExpGolomb(ppsBitstream);
			readSignedExpGolomb(ppsBitstream);
			ppsBitstream.skipBits(1);
			ppsBitstream.skipBits(1);
			ppsBitstream.skipBits(1);
			ppsBitstream.skipBits(1);
			const tiles_enabled_flag = ppsBitstream.readBits(1);
			const entropy_coding_sync_enabled_flag = ppsBitstream.readBits(1);
			if (!tiles_enabled_flag && !entropy_coding_sync_enabled_flag) parallelismType = 0;
			else if (tiles_enabled_flag && !entropy_coding_sync_enabled_flag) parallelismType = 2;
			else if (!tiles_enabled_flag && entropy_coding_sync_enabled_flag) parallelismType = 3;
			else parallelismType = 0;
		}
		const arrays = [
			...vpsUnits.length ? [{
				arrayCompleteness: 1,
				nalUnitType: HevcNalUnitType.VPS_NUT,
				nalUnits: vpsUnits
			}] : [],
			...spsUnits.length ? [{
				arrayCompleteness: 1,
				nalUnitType: HevcNalUnitType.SPS_NUT,
				nalUnits: spsUnits
			}] : [],
			...ppsUnits.length ? [{
				arrayCompleteness: 1,
				nalUnitType: HevcNalUnitType.PPS_NUT,
				nalUnits: ppsUnits
			}] : [],
			...seiUnits.length ? [{
				arrayCompleteness: 1,
				nalUnitType: extractNalUnitTypeForHevc(seiUnits[0][0]),
				nalUnits: seiUnits
			}] : []
		];
		return {
			configurationVersion: 1,
			generalProfileSpace: spsInfo.generalProfileSpace,
			generalTierFlag: spsInfo.generalTierFlag,
			generalProfileIdc: spsInfo.generalProfileIdc,
			generalProfileCompatibilityFlags: spsInfo.generalProfileCompatibilityFlags,
			generalConstraintIndicatorFlags: spsInfo.generalConstraintIndicatorFlags,
			generalLevelIdc: spsInfo.generalLevelIdc,
			minSpatialSegmentationIdc: spsInfo.minSpatialSegmentationIdc,
			parallelismType,
			chromaFormatIdc: spsInfo.chromaFormatIdc,
			bitDepthLumaMinus8: spsInfo.bitDepthLumaMinus8,
			bitDepthChromaMinus8: spsInfo.bitDepthChromaMinus8,
			avgFrameRate: 0,
			constantFrameRate: 0,
			numTemporalLayers: spsInfo.spsMaxSubLayersMinus1 + 1,
			temporalIdNested: spsInfo.spsTemporalIdNestingFlag,
			lengthSizeMinusOne: 3,
			arrays
		};
	} catch (error) {
		Logging._error("Error building HEVC Decoder Configuration Record:", error);
		return null;
	}
};
var parseProfileTierLevel = (bitstream, maxNumSubLayersMinus1) => {
	const general_profile_space = bitstream.readBits(2);
	const general_tier_flag = bitstream.readBits(1);
	const general_profile_idc = bitstream.readBits(5);
	let general_profile_compatibility_flags = 0;
	for (let i = 0; i < 32; i++) general_profile_compatibility_flags = general_profile_compatibility_flags << 1 | bitstream.readBits(1);
	const general_constraint_indicator_flags = new Uint8Array(6);
	for (let i = 0; i < 6; i++) general_constraint_indicator_flags[i] = bitstream.readBits(8);
	const general_level_idc = bitstream.readBits(8);
	const sub_layer_profile_present_flag = [];
	const sub_layer_level_present_flag = [];
	for (let i = 0; i < maxNumSubLayersMinus1; i++) {
		sub_layer_profile_present_flag.push(bitstream.readBits(1));
		sub_layer_level_present_flag.push(bitstream.readBits(1));
	}
	if (maxNumSubLayersMinus1 > 0) for (let i = maxNumSubLayersMinus1; i < 8; i++) bitstream.skipBits(2);
	for (let i = 0; i < maxNumSubLayersMinus1; i++) {
		if (sub_layer_profile_present_flag[i]) bitstream.skipBits(88);
		if (sub_layer_level_present_flag[i]) bitstream.skipBits(8);
	}
	return {
		general_profile_space,
		general_tier_flag,
		general_profile_idc,
		general_profile_compatibility_flags,
		general_constraint_indicator_flags,
		general_level_idc
	};
};
var skipScalingListData = (bitstream) => {
	for (let sizeId = 0; sizeId < 4; sizeId++) for (let matrixId = 0; matrixId < (sizeId === 3 ? 2 : 6); matrixId++) if (!bitstream.readBits(1)) readExpGolomb(bitstream);
	else {
		const coefNum = Math.min(64, 1 << 4 + (sizeId << 1));
		if (sizeId > 1) readSignedExpGolomb(bitstream);
		for (let i = 0; i < coefNum; i++) readSignedExpGolomb(bitstream);
	}
};
var skipAllStRefPicSets = (bitstream, num_short_term_ref_pic_sets) => {
	const NumDeltaPocs = [];
	for (let stRpsIdx = 0; stRpsIdx < num_short_term_ref_pic_sets; stRpsIdx++) NumDeltaPocs[stRpsIdx] = skipStRefPicSet(bitstream, stRpsIdx, num_short_term_ref_pic_sets, NumDeltaPocs);
};
var skipStRefPicSet = (bitstream, stRpsIdx, num_short_term_ref_pic_sets, NumDeltaPocs) => {
	let NumDeltaPocsThis = 0;
	let inter_ref_pic_set_prediction_flag = 0;
	let RefRpsIdx = 0;
	if (stRpsIdx !== 0) inter_ref_pic_set_prediction_flag = bitstream.readBits(1);
	if (inter_ref_pic_set_prediction_flag) {
		if (stRpsIdx === num_short_term_ref_pic_sets) RefRpsIdx = stRpsIdx - (readExpGolomb(bitstream) + 1);
		else RefRpsIdx = stRpsIdx - 1;
		bitstream.readBits(1);
		readExpGolomb(bitstream);
		const numDelta = NumDeltaPocs[RefRpsIdx] ?? 0;
		for (let j = 0; j <= numDelta; j++) if (!bitstream.readBits(1)) bitstream.readBits(1);
		NumDeltaPocsThis = NumDeltaPocs[RefRpsIdx];
	} else {
		const num_negative_pics = readExpGolomb(bitstream);
		const num_positive_pics = readExpGolomb(bitstream);
		for (let i = 0; i < num_negative_pics; i++) {
			readExpGolomb(bitstream);
			bitstream.readBits(1);
		}
		for (let i = 0; i < num_positive_pics; i++) {
			readExpGolomb(bitstream);
			bitstream.readBits(1);
		}
		NumDeltaPocsThis = num_negative_pics + num_positive_pics;
	}
	return NumDeltaPocsThis;
};
var parseHevcVui = (bitstream, sps_max_sub_layers_minus1) => {
	let colourPrimaries = 2;
	let transferCharacteristics = 2;
	let matrixCoefficients = 2;
	let fullRangeFlag = 0;
	let minSpatialSegmentationIdc = 0;
	let pixelAspectRatio = {
		num: 1,
		den: 1
	};
	if (bitstream.readBits(1)) {
		const aspect_ratio_idc = bitstream.readBits(8);
		if (aspect_ratio_idc === 255) pixelAspectRatio = {
			num: bitstream.readBits(16),
			den: bitstream.readBits(16)
		};
		else {
			const aspectRatio = AVC_HEVC_ASPECT_RATIO_IDC_TABLE[aspect_ratio_idc];
			if (aspectRatio) pixelAspectRatio = aspectRatio;
		}
	}
	if (bitstream.readBits(1)) bitstream.readBits(1);
	if (bitstream.readBits(1)) {
		bitstream.readBits(3);
		fullRangeFlag = bitstream.readBits(1);
		if (bitstream.readBits(1)) {
			colourPrimaries = bitstream.readBits(8);
			transferCharacteristics = bitstream.readBits(8);
			matrixCoefficients = bitstream.readBits(8);
		}
	}
	if (bitstream.readBits(1)) {
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
	}
	bitstream.readBits(1);
	bitstream.readBits(1);
	bitstream.readBits(1);
	if (bitstream.readBits(1)) {
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
	}
	if (bitstream.readBits(1)) {
		bitstream.readBits(32);
		bitstream.readBits(32);
		if (bitstream.readBits(1)) readExpGolomb(bitstream);
		if (bitstream.readBits(1)) skipHevcHrdParameters(bitstream, true, sps_max_sub_layers_minus1);
	}
	if (bitstream.readBits(1)) {
		bitstream.readBits(1);
		bitstream.readBits(1);
		bitstream.readBits(1);
		minSpatialSegmentationIdc = readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
	}
	return {
		pixelAspectRatio,
		colourPrimaries,
		transferCharacteristics,
		matrixCoefficients,
		fullRangeFlag,
		minSpatialSegmentationIdc
	};
};
var skipHevcHrdParameters = (bitstream, commonInfPresentFlag, maxNumSubLayersMinus1) => {
	let nal_hrd_parameters_present_flag = false;
	let vcl_hrd_parameters_present_flag = false;
	let sub_pic_hrd_params_present_flag = false;
	if (commonInfPresentFlag) {
		nal_hrd_parameters_present_flag = bitstream.readBits(1) === 1;
		vcl_hrd_parameters_present_flag = bitstream.readBits(1) === 1;
		if (nal_hrd_parameters_present_flag || vcl_hrd_parameters_present_flag) {
			sub_pic_hrd_params_present_flag = bitstream.readBits(1) === 1;
			if (sub_pic_hrd_params_present_flag) {
				bitstream.readBits(8);
				bitstream.readBits(5);
				bitstream.readBits(1);
				bitstream.readBits(5);
			}
			bitstream.readBits(4);
			bitstream.readBits(4);
			if (sub_pic_hrd_params_present_flag) bitstream.readBits(4);
			bitstream.readBits(5);
			bitstream.readBits(5);
			bitstream.readBits(5);
		}
	}
	for (let i = 0; i <= maxNumSubLayersMinus1; i++) {
		const fixed_pic_rate_general_flag = bitstream.readBits(1) === 1;
		let fixed_pic_rate_within_cvs_flag = true;
		if (!fixed_pic_rate_general_flag) fixed_pic_rate_within_cvs_flag = bitstream.readBits(1) === 1;
		let low_delay_hrd_flag = false;
		if (fixed_pic_rate_within_cvs_flag) readExpGolomb(bitstream);
		else low_delay_hrd_flag = bitstream.readBits(1) === 1;
		let CpbCnt = 1;
		if (!low_delay_hrd_flag) CpbCnt = readExpGolomb(bitstream) + 1;
		if (nal_hrd_parameters_present_flag) skipSubLayerHrdParameters(bitstream, CpbCnt, sub_pic_hrd_params_present_flag);
		if (vcl_hrd_parameters_present_flag) skipSubLayerHrdParameters(bitstream, CpbCnt, sub_pic_hrd_params_present_flag);
	}
};
var skipSubLayerHrdParameters = (bitstream, CpbCnt, sub_pic_hrd_params_present_flag) => {
	for (let i = 0; i < CpbCnt; i++) {
		readExpGolomb(bitstream);
		readExpGolomb(bitstream);
		if (sub_pic_hrd_params_present_flag) {
			readExpGolomb(bitstream);
			readExpGolomb(bitstream);
		}
		bitstream.readBits(1);
	}
};
var serializeHevcDecoderConfigurationRecord = (record) => {
	const bytes = [];
	bytes.push(record.configurationVersion);
	bytes.push((record.generalProfileSpace & 3) << 6 | (record.generalTierFlag & 1) << 5 | record.generalProfileIdc & 31);
	bytes.push(record.generalProfileCompatibilityFlags >>> 24 & 255);
	bytes.push(record.generalProfileCompatibilityFlags >>> 16 & 255);
	bytes.push(record.generalProfileCompatibilityFlags >>> 8 & 255);
	bytes.push(record.generalProfileCompatibilityFlags & 255);
	bytes.push(...record.generalConstraintIndicatorFlags);
	bytes.push(record.generalLevelIdc & 255);
	bytes.push(240 | record.minSpatialSegmentationIdc >> 8 & 15);
	bytes.push(record.minSpatialSegmentationIdc & 255);
	bytes.push(252 | record.parallelismType & 3);
	bytes.push(252 | record.chromaFormatIdc & 3);
	bytes.push(248 | record.bitDepthLumaMinus8 & 7);
	bytes.push(248 | record.bitDepthChromaMinus8 & 7);
	bytes.push(record.avgFrameRate >> 8 & 255);
	bytes.push(record.avgFrameRate & 255);
	bytes.push((record.constantFrameRate & 3) << 6 | (record.numTemporalLayers & 7) << 3 | (record.temporalIdNested & 1) << 2 | record.lengthSizeMinusOne & 3);
	bytes.push(record.arrays.length & 255);
	for (const arr of record.arrays) {
		bytes.push((arr.arrayCompleteness & 1) << 7 | 0 | arr.nalUnitType & 63);
		bytes.push(arr.nalUnits.length >> 8 & 255);
		bytes.push(arr.nalUnits.length & 255);
		for (const nal of arr.nalUnits) {
			bytes.push(nal.length >> 8 & 255);
			bytes.push(nal.length & 255);
			for (let i = 0; i < nal.length; i++) bytes.push(nal[i]);
		}
	}
	return new Uint8Array(bytes);
};
var HevcNaluOrderState;
(function(HevcNaluOrderState) {
	HevcNaluOrderState[HevcNaluOrderState["audAllowed"] = 0] = "audAllowed";
	HevcNaluOrderState[HevcNaluOrderState["beforeFirstVcl"] = 1] = "beforeFirstVcl";
	HevcNaluOrderState[HevcNaluOrderState["afterFirstVcl"] = 2] = "afterFirstVcl";
	HevcNaluOrderState[HevcNaluOrderState["eoBitstreamAllowed"] = 3] = "eoBitstreamAllowed";
	HevcNaluOrderState[HevcNaluOrderState["noMoreDataAllowed"] = 4] = "noMoreDataAllowed";
})(HevcNaluOrderState || (HevcNaluOrderState = {}));
var parseOpusIdentificationHeader = (bytes) => {
	const view = toDataView(bytes);
	const outputChannelCount = view.getUint8(9);
	const preSkip = view.getUint16(10, true);
	const inputSampleRate = view.getUint32(12, true);
	const outputGain = view.getInt16(16, true);
	const channelMappingFamily = view.getUint8(18);
	let channelMappingTable = null;
	if (channelMappingFamily) channelMappingTable = bytes.subarray(19, 21 + outputChannelCount);
	return {
		outputChannelCount,
		preSkip,
		inputSampleRate,
		outputGain,
		channelMappingFamily,
		channelMappingTable
	};
};
var FlacBlockType;
(function(FlacBlockType) {
	FlacBlockType[FlacBlockType["STREAMINFO"] = 0] = "STREAMINFO";
	FlacBlockType[FlacBlockType["VORBIS_COMMENT"] = 4] = "VORBIS_COMMENT";
	FlacBlockType[FlacBlockType["PICTURE"] = 6] = "PICTURE";
})(FlacBlockType || (FlacBlockType = {}));
var parseAc3SyncFrame = (data) => {
	if (data.length < 7) return null;
	if (data[0] !== 11 || data[1] !== 119) return null;
	const bitstream = new Bitstream(data);
	bitstream.skipBits(16);
	bitstream.skipBits(16);
	const fscod = bitstream.readBits(2);
	if (fscod === 3) return null;
	const frmsizecod = bitstream.readBits(6);
	const bsid = bitstream.readBits(5);
	if (bsid > 8) return null;
	const bsmod = bitstream.readBits(3);
	const acmod = bitstream.readBits(3);
	if ((acmod & 1) !== 0 && acmod !== 1) bitstream.skipBits(2);
	if ((acmod & 4) !== 0) bitstream.skipBits(2);
	if (acmod === 2) bitstream.skipBits(2);
	return {
		fscod,
		bsid,
		bsmod,
		acmod,
		lfeon: bitstream.readBits(1),
		bitRateCode: Math.floor(frmsizecod / 2)
	};
};
new Uint8Array([
	5,
	4,
	65,
	67,
	45,
	51
]);
new Uint8Array([
	5,
	4,
	69,
	65,
	67,
	51
]);
var EAC3_NUMBLKS_TABLE = [
	1,
	2,
	3,
	6
];
var parseEac3SyncFrame = (data) => {
	if (data.length < 6) return null;
	if (data[0] !== 11 || data[1] !== 119) return null;
	const bitstream = new Bitstream(data);
	bitstream.skipBits(16);
	const strmtyp = bitstream.readBits(2);
	bitstream.skipBits(3);
	if (strmtyp !== 0 && strmtyp !== 2) return null;
	const frmsiz = bitstream.readBits(11);
	const fscod = bitstream.readBits(2);
	let fscod2 = 0;
	let numblkscod;
	if (fscod === 3) {
		fscod2 = bitstream.readBits(2);
		numblkscod = 3;
	} else numblkscod = bitstream.readBits(2);
	const acmod = bitstream.readBits(3);
	const lfeon = bitstream.readBits(1);
	const bsid = bitstream.readBits(5);
	if (bsid < 11 || bsid > 16) return null;
	const numblks = EAC3_NUMBLKS_TABLE[numblkscod];
	let fs;
	if (fscod < 3) fs = AC3_SAMPLE_RATES[fscod] / 1e3;
	else fs = EAC3_REDUCED_SAMPLE_RATES[fscod2] / 1e3;
	return {
		dataRate: Math.round((frmsiz + 1) * fs / (numblks * 16)),
		substreams: [{
			fscod,
			fscod2,
			bsid,
			bsmod: 0,
			acmod,
			lfeon,
			numDepSub: 0,
			chanLoc: 0
		}]
	};
};
var DTS_SUBBAND_SAMPLES = 8;
var DTS_CORE_SAMPLE_RATES = [
	0,
	8e3,
	16e3,
	32e3,
	0,
	0,
	11025,
	22050,
	44100,
	0,
	0,
	12e3,
	24e3,
	48e3,
	96e3,
	192e3
];
var DTS_CORE_BIT_RATES = [
	32e3,
	56e3,
	64e3,
	96e3,
	112e3,
	128e3,
	192e3,
	224e3,
	256e3,
	32e4,
	384e3,
	448e3,
	512e3,
	576e3,
	64e4,
	768e3,
	96e4,
	1024e3,
	1152e3,
	128e4,
	1344e3,
	1408e3,
	1411200,
	1472e3,
	1536e3,
	192e4,
	2048e3,
	3072e3,
	384e4,
	0,
	0,
	0
];
var DTS_PCM_RESOLUTIONS = [
	16,
	16,
	20,
	20,
	0,
	24,
	24,
	0
];
var DTS_AMODE_CHANNEL_COUNTS = [
	1,
	2,
	2,
	2,
	2,
	3,
	3,
	4,
	4,
	5,
	6,
	6,
	6,
	7,
	8,
	8
];
var DTS_AMODE_CHANNEL_LAYOUTS = [
	1,
	2,
	2,
	2,
	2,
	3,
	18,
	19,
	6,
	7,
	518,
	323,
	83,
	519,
	582,
	535
];
var DTS_CHANNEL_LAYOUT_LFE1 = 8;
var DTS_EXSS_REF_CLOCKS = [
	32e3,
	44100,
	48e3,
	0
];
var DTS_EXSS_SAMPLE_RATES = [
	8e3,
	16e3,
	32e3,
	64e3,
	128e3,
	22050,
	44100,
	88200,
	176400,
	352800,
	12e3,
	24e3,
	48e3,
	96e3,
	192e3,
	384e3
];
var DTS_SPECIFIC_BOX_FRAME_DURATIONS = [
	512,
	1024,
	2048,
	4096
];
var parseDtsFrame = (data) => {
	const core = parseDtsCoreFrameHeader(data);
	const view = toDataView(data);
	let offset = core ? Math.ceil(core.frameSize / 4) * 4 : 0;
	let firstExss = null;
	while (offset + 4 <= data.length && view.getUint32(offset) === 1683496997) {
		const exss = parseDtsExssHeader(data.subarray(offset));
		if (!exss) break;
		firstExss ??= exss;
		offset += exss.frameSize;
	}
	if (core) return {
		frameSize: firstExss ? offset : core.frameSize,
		sampleRate: core.sampleRate,
		numberOfChannels: core.numberOfChannels,
		sampleCount: core.sampleCount,
		channelLayout: core.channelLayout,
		pcmResolution: core.pcmResolution,
		bitRate: core.bitRate,
		core,
		hasExtensions: firstExss !== null
	};
	if (!firstExss?.asset) return null;
	const { asset } = firstExss;
	return {
		frameSize: offset,
		sampleRate: asset.sampleRate,
		numberOfChannels: asset.numberOfChannels,
		sampleCount: asset.sampleCount,
		channelLayout: asset.channelLayout,
		pcmResolution: asset.pcmResolution,
		bitRate: 0,
		core: null,
		hasExtensions: true
	};
};
var parseDtsCoreFrameHeader = (data) => {
	if (data.length < 18) return null;
	if (data[0] !== 127 || data[1] !== 254 || data[2] !== 128 || data[3] !== 1) return null;
	const bitstream = new Bitstream(data);
	bitstream.skipBits(32);
	bitstream.skipBits(1);
	if (bitstream.readBits(5) !== 31) return null;
	const cpf = bitstream.readBits(1);
	const npcmblocks = bitstream.readBits(7) + 1;
	if (npcmblocks % DTS_SUBBAND_SAMPLES !== 0) return null;
	const frameSize = bitstream.readBits(14) + 1;
	if (frameSize < 96) return null;
	const amode = bitstream.readBits(6);
	if (amode >= DTS_AMODE_CHANNEL_COUNTS.length) return null;
	const sampleRate = DTS_CORE_SAMPLE_RATES[bitstream.readBits(4)];
	if (sampleRate === 0) return null;
	const bitRate = DTS_CORE_BIT_RATES[bitstream.readBits(5)];
	if (bitstream.readBits(1) !== 0) return null;
	bitstream.skipBits(4);
	bitstream.skipBits(5);
	const lff = bitstream.readBits(2);
	if (lff === 3) return null;
	bitstream.skipBits(1);
	if (cpf) bitstream.skipBits(16);
	bitstream.skipBits(7);
	const pcmResolution = DTS_PCM_RESOLUTIONS[bitstream.readBits(3)];
	if (pcmResolution === 0) return null;
	const lfePresent = lff !== 0;
	return {
		frameSize,
		sampleRate,
		numberOfChannels: DTS_AMODE_CHANNEL_COUNTS[amode] + (lfePresent ? 1 : 0),
		sampleCount: npcmblocks * 32,
		channelLayout: DTS_AMODE_CHANNEL_LAYOUTS[amode] | (lfePresent ? DTS_CHANNEL_LAYOUT_LFE1 : 0),
		amode,
		lfePresent,
		bitRate,
		pcmResolution
	};
};
var parseDtsExssHeader = (data) => {
	if (data.length < 10) return null;
	if (data[0] !== 100 || data[1] !== 88 || data[2] !== 32 || data[3] !== 37) return null;
	const bitstream = new Bitstream(data);
	bitstream.skipBits(32);
	bitstream.skipBits(8);
	const extSsIndex = bitstream.readBits(2);
	const wideHeader = bitstream.readBits(1);
	const headerSizeBits = 8 + 4 * wideHeader;
	const frameSizeBits = 16 + 4 * wideHeader;
	bitstream.skipBits(headerSizeBits);
	const frameSize = bitstream.readBits(frameSizeBits) + 1;
	const incomplete = {
		frameSize,
		asset: null
	};
	if (!bitstream.readBits(1)) return incomplete;
	const refClock = DTS_EXSS_REF_CLOCKS[bitstream.readBits(2)];
	const frameDurationCycles = 512 * (bitstream.readBits(3) + 1);
	if (bitstream.readBits(1)) bitstream.skipBits(36);
	const numAudioPresentations = bitstream.readBits(3) + 1;
	const numAssets = bitstream.readBits(3) + 1;
	const activeExssMasks = [];
	for (let i = 0; i < numAudioPresentations; i++) activeExssMasks.push(bitstream.readBits(extSsIndex + 1));
	for (const mask of activeExssMasks) bitstream.skipBits(8 * popcount(mask));
	if (bitstream.readBits(1)) {
		bitstream.skipBits(2);
		const spkrMaskBits = bitstream.readBits(2) + 1 << 2;
		const numMixOutConfigs = bitstream.readBits(2) + 1;
		bitstream.skipBits(numMixOutConfigs * spkrMaskBits);
	}
	for (let i = 0; i < numAssets; i++) bitstream.skipBits(frameSizeBits);
	bitstream.skipBits(9);
	bitstream.skipBits(3);
	if (bitstream.readBits(1)) bitstream.skipBits(4);
	if (bitstream.readBits(1)) bitstream.skipBits(24);
	if (bitstream.readBits(1)) bitstream.skipBits(8 * (bitstream.readBits(10) + 1));
	const pcmResolution = bitstream.readBits(5) + 1;
	const sampleRate = DTS_EXSS_SAMPLE_RATES[bitstream.readBits(4)];
	const numberOfChannels = bitstream.readBits(8) + 1;
	let channelLayout = 0;
	if (bitstream.readBits(1)) {
		if (numberOfChannels > 2) bitstream.skipBits(1);
		if (numberOfChannels > 6) bitstream.skipBits(1);
		if (bitstream.readBits(1)) {
			const spkrMaskBits = bitstream.readBits(2) + 1 << 2;
			channelLayout = bitstream.readBits(spkrMaskBits);
		}
	}
	if (refClock === 0 || bitstream.getBitsLeft() < 0) return incomplete;
	return {
		frameSize,
		asset: {
			sampleRate,
			numberOfChannels,
			sampleCount: Math.round(frameDurationCycles * sampleRate / refClock),
			channelLayout,
			pcmResolution
		}
	};
};
var buildDtsSpecificBox = (frameInfo) => {
	const bytes = new Uint8Array(20);
	const view = toDataView(bytes);
	view.setUint32(0, frameInfo.sampleRate);
	view.setUint32(4, frameInfo.bitRate);
	view.setUint32(8, frameInfo.bitRate);
	bytes[12] = frameInfo.pcmResolution;
	const streamConstruction = frameInfo.core && !frameInfo.hasExtensions ? 1 : 0;
	const bitstream = new Bitstream(bytes);
	bitstream.seekToByte(13);
	bitstream.writeBits(2, Math.max(DTS_SPECIFIC_BOX_FRAME_DURATIONS.indexOf(frameInfo.sampleCount), 0));
	bitstream.writeBits(5, streamConstruction);
	bitstream.writeBits(1, frameInfo.core?.lfePresent ? 1 : 0);
	bitstream.writeBits(6, frameInfo.core?.amode ?? 0);
	bitstream.writeBits(14, frameInfo.core ? frameInfo.core.frameSize - 1 : 0);
	bitstream.writeBits(1, 0);
	bitstream.writeBits(3, 0);
	bitstream.writeBits(16, frameInfo.channelLayout);
	bitstream.writeBits(1, 0);
	bitstream.writeBits(1, 0);
	bitstream.writeBits(1, 0);
	bitstream.writeBits(5, 0);
	return bytes;
};
// node_modules/mediabunny/dist/modules/src/codec.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var VIDEO_CODECS = [
	"avc",
	"hevc",
	"vp9",
	"av1",
	"vp8",
	"prores"
];
var PCM_AUDIO_CODECS = [
	"pcm-s16",
	"pcm-s16be",
	"pcm-s24",
	"pcm-s24be",
	"pcm-s32",
	"pcm-s32be",
	"pcm-f32",
	"pcm-f32be",
	"pcm-f64",
	"pcm-f64be",
	"pcm-u8",
	"pcm-s8",
	"ulaw",
	"alaw"
];
var NON_PCM_AUDIO_CODECS = [
	"aac",
	"opus",
	"mp3",
	"vorbis",
	"flac",
	"ac3",
	"eac3",
	"dts"
];
var AUDIO_CODECS = [...NON_PCM_AUDIO_CODECS, ...PCM_AUDIO_CODECS];
var SUBTITLE_CODECS = ["webvtt"];
var AVC_LEVEL_TABLE = [
	{
		maxMacroblocks: 99,
		maxBitrate: 64e3,
		maxDpbMbs: 396,
		level: 10
	},
	{
		maxMacroblocks: 396,
		maxBitrate: 192e3,
		maxDpbMbs: 900,
		level: 11
	},
	{
		maxMacroblocks: 396,
		maxBitrate: 384e3,
		maxDpbMbs: 2376,
		level: 12
	},
	{
		maxMacroblocks: 396,
		maxBitrate: 768e3,
		maxDpbMbs: 2376,
		level: 13
	},
	{
		maxMacroblocks: 396,
		maxBitrate: 2e6,
		maxDpbMbs: 2376,
		level: 20
	},
	{
		maxMacroblocks: 792,
		maxBitrate: 4e6,
		maxDpbMbs: 4752,
		level: 21
	},
	{
		maxMacroblocks: 1620,
		maxBitrate: 4e6,
		maxDpbMbs: 8100,
		level: 22
	},
	{
		maxMacroblocks: 1620,
		maxBitrate: 1e7,
		maxDpbMbs: 8100,
		level: 30
	},
	{
		maxMacroblocks: 3600,
		maxBitrate: 14e6,
		maxDpbMbs: 18e3,
		level: 31
	},
	{
		maxMacroblocks: 5120,
		maxBitrate: 2e7,
		maxDpbMbs: 20480,
		level: 32
	},
	{
		maxMacroblocks: 8192,
		maxBitrate: 2e7,
		maxDpbMbs: 32768,
		level: 40
	},
	{
		maxMacroblocks: 8192,
		maxBitrate: 5e7,
		maxDpbMbs: 32768,
		level: 41
	},
	{
		maxMacroblocks: 8704,
		maxBitrate: 5e7,
		maxDpbMbs: 34816,
		level: 42
	},
	{
		maxMacroblocks: 22080,
		maxBitrate: 135e6,
		maxDpbMbs: 110400,
		level: 50
	},
	{
		maxMacroblocks: 36864,
		maxBitrate: 24e7,
		maxDpbMbs: 184320,
		level: 51
	},
	{
		maxMacroblocks: 36864,
		maxBitrate: 24e7,
		maxDpbMbs: 184320,
		level: 52
	},
	{
		maxMacroblocks: 139264,
		maxBitrate: 24e7,
		maxDpbMbs: 696320,
		level: 60
	},
	{
		maxMacroblocks: 139264,
		maxBitrate: 48e7,
		maxDpbMbs: 696320,
		level: 61
	},
	{
		maxMacroblocks: 139264,
		maxBitrate: 8e8,
		maxDpbMbs: 696320,
		level: 62
	}
];
var PRORES_FOURCCS = [
	"ap4x",
	"ap4h",
	"apch",
	"apcn",
	"apcs",
	"apco"
];
var DTS_FOURCCS = [
	"dtsc",
	"dtsh",
	"dtsl",
	"dtse"
];
var generateAv1CodecConfigurationFromCodecString = (codecString) => {
	const parts = codecString.split(".");
	const firstByte = 129;
	const profile = Number(parts[1]);
	const levelAndTier = parts[2];
	const level = Number(levelAndTier.slice(0, -1));
	const secondByte = (profile << 5) + level;
	const tier = levelAndTier.slice(-1) === "H" ? 1 : 0;
	const bitDepth = Number(parts[3]);
	const highBitDepth = bitDepth === 8 ? 0 : 1;
	const twelveBit = bitDepth === 12 ? 1 : 0;
	const monochrome = parts[4] ? Number(parts[4]) : 0;
	const chromaSubsamplingX = parts[5] ? Number(parts[5][0]) : 1;
	const chromaSubsamplingY = parts[5] ? Number(parts[5][1]) : 1;
	const chromaSamplePosition = parts[5] ? Number(parts[5][2]) : 0;
	return [
		firstByte,
		secondByte,
		(tier << 7) + (highBitDepth << 6) + (twelveBit << 5) + (monochrome << 4) + (chromaSubsamplingX << 3) + (chromaSubsamplingY << 2) + chromaSamplePosition,
		0
	];
};
var PCM_CODEC_REGEX = /^pcm-([usf])(\d+)(be)?$/;
var parsePcmCodec = (codec) => {
	assert(PCM_AUDIO_CODECS.includes(codec));
	if (codec === "ulaw") return {
		dataType: "ulaw",
		sampleSize: 1,
		littleEndian: true,
		silentValue: 255
	};
	else if (codec === "alaw") return {
		dataType: "alaw",
		sampleSize: 1,
		littleEndian: true,
		silentValue: 213
	};
	const match = PCM_CODEC_REGEX.exec(codec);
	assert(match);
	let dataType;
	if (match[1] === "u") dataType = "unsigned";
	else if (match[1] === "s") dataType = "signed";
	else dataType = "float";
	const sampleSize = Number(match[2]) / 8;
	const littleEndian = match[3] !== "be";
	return {
		dataType,
		sampleSize,
		littleEndian,
		silentValue: codec === "pcm-u8" ? 128 : 0
	};
};
var inferCodecFromCodecString = (codecString) => {
	if (codecString.startsWith("avc1") || codecString.startsWith("avc3")) return "avc";
	else if (codecString.startsWith("hev1") || codecString.startsWith("hvc1")) return "hevc";
	else if (codecString === "vp8") return "vp8";
	else if (codecString.startsWith("vp09")) return "vp9";
	else if (codecString.startsWith("av01")) return "av1";
	else if (PRORES_FOURCCS.includes(codecString)) return "prores";
	if (codecString === "mp3" || codecString === "mp4a.69" || codecString === "mp4a.6B" || codecString === "mp4a.6b" || codecString === "mp4a.40.34") return "mp3";
	else if (codecString.startsWith("mp4a.40.") || codecString === "mp4a.67") return "aac";
	else if (codecString === "opus" || codecString === "Opus") return "opus";
	else if (codecString === "vorbis") return "vorbis";
	else if (codecString === "flac") return "flac";
	else if (codecString === "ac-3" || codecString === "ac3") return "ac3";
	else if (codecString === "ec-3" || codecString === "eac3") return "eac3";
	else if (DTS_FOURCCS.includes(codecString)) return "dts";
	else if (codecString === "ulaw") return "ulaw";
	else if (codecString === "alaw") return "alaw";
	else if (PCM_CODEC_REGEX.test(codecString)) return codecString;
	if (codecString === "webvtt") return "webvtt";
	return null;
};
var VALID_VIDEO_CODEC_STRING_PREFIXES = [
	"avc1",
	"avc3",
	"hev1",
	"hvc1",
	"vp8",
	"vp09",
	"av01",
	...PRORES_FOURCCS
];
var AVC_CODEC_STRING_REGEX = /^(avc1|avc3)\.[0-9a-fA-F]{6}$/;
var HEVC_CODEC_STRING_REGEX = /^(hev1|hvc1)\.(?:[ABC]?\d+)\.[0-9a-fA-F]{1,8}\.[LH]\d+(?:\.[0-9a-fA-F]{1,2}){0,6}$/;
var VP9_CODEC_STRING_REGEX = /^vp09(?:\.\d{2}){3}(?:(?:\.\d{2}){5})?$/;
var AV1_CODEC_STRING_REGEX = /^av01\.\d\.\d{2}[MH]\.\d{2}(?:\.\d\.\d{3}\.\d{2}\.\d{2}\.\d{2}\.\d)?$/;
var validateVideoChunkMetadata = (metadata, trackCodec) => {
	if (!metadata) throw new TypeError("Video chunk metadata must be provided.");
	if (typeof metadata !== "object") throw new TypeError("Video chunk metadata must be an object.");
	if (!metadata.decoderConfig) throw new TypeError("Video chunk metadata must include a decoder configuration.");
	if (typeof metadata.decoderConfig !== "object") throw new TypeError("Video chunk metadata decoder configuration must be an object.");
	if (typeof metadata.decoderConfig.codec !== "string") throw new TypeError("Video chunk metadata decoder configuration must specify a codec string.");
	if (!VALID_VIDEO_CODEC_STRING_PREFIXES.some((prefix) => metadata.decoderConfig.codec.startsWith(prefix))) throw new TypeError("Video chunk metadata decoder configuration codec string must be a valid video codec string as specified in the Mediabunny Codec Registry.");
	if (!Number.isInteger(metadata.decoderConfig.codedWidth) || metadata.decoderConfig.codedWidth <= 0) throw new TypeError("Video chunk metadata decoder configuration must specify a valid codedWidth (positive integer).");
	if (!Number.isInteger(metadata.decoderConfig.codedHeight) || metadata.decoderConfig.codedHeight <= 0) throw new TypeError("Video chunk metadata decoder configuration must specify a valid codedHeight (positive integer).");
	if (metadata.decoderConfig.displayAspectWidth !== void 0 && (!Number.isInteger(metadata.decoderConfig.displayAspectWidth) || metadata.decoderConfig.displayAspectWidth <= 0)) throw new TypeError("Video chunk metadata decoder configuration displayAspectWidth, when defined, must be a positive integer.");
	if (metadata.decoderConfig.displayAspectHeight !== void 0 && (!Number.isInteger(metadata.decoderConfig.displayAspectHeight) || metadata.decoderConfig.displayAspectHeight <= 0)) throw new TypeError("Video chunk metadata decoder configuration displayAspectHeight, when defined, must be a positive integer.");
	if (metadata.decoderConfig.displayAspectWidth !== void 0 !== (metadata.decoderConfig.displayAspectHeight !== void 0)) throw new TypeError("Video chunk metadata decoder configuration must specify both displayAspectWidth and displayAspectHeight, or neither.");
	if (metadata.decoderConfig.description !== void 0) {
		if (!isAllowSharedBufferSource(metadata.decoderConfig.description)) throw new TypeError("Video chunk metadata decoder configuration description, when defined, must be an ArrayBuffer or an ArrayBuffer view.");
	}
	if (metadata.decoderConfig.colorSpace !== void 0) {
		const { colorSpace } = metadata.decoderConfig;
		if (typeof colorSpace !== "object") throw new TypeError("Video chunk metadata decoder configuration colorSpace, when provided, must be an object.");
		const primariesValues = Object.keys(COLOR_PRIMARIES_MAP);
		if (colorSpace.primaries != null && !primariesValues.includes(colorSpace.primaries)) throw new TypeError(`Video chunk metadata decoder configuration colorSpace primaries, when defined, must be one of ${primariesValues.join(", ")}.`);
		const transferValues = Object.keys(TRANSFER_CHARACTERISTICS_MAP);
		if (colorSpace.transfer != null && !transferValues.includes(colorSpace.transfer)) throw new TypeError(`Video chunk metadata decoder configuration colorSpace transfer, when defined, must be one of ${transferValues.join(", ")}.`);
		const matrixValues = Object.keys(MATRIX_COEFFICIENTS_MAP);
		if (colorSpace.matrix != null && !matrixValues.includes(colorSpace.matrix)) throw new TypeError(`Video chunk metadata decoder configuration colorSpace matrix, when defined, must be one of ${matrixValues.join(", ")}.`);
		if (colorSpace.fullRange != null && typeof colorSpace.fullRange !== "boolean") throw new TypeError("Video chunk metadata decoder configuration colorSpace fullRange, when defined, must be a boolean.");
	}
	if (metadata.decoderConfig.codec.startsWith("avc1") || metadata.decoderConfig.codec.startsWith("avc3")) {
		if (!AVC_CODEC_STRING_REGEX.test(metadata.decoderConfig.codec)) throw new TypeError("Video chunk metadata decoder configuration codec string for AVC must be a valid AVC codec string as specified in Section 3.4 of RFC 6381.");
	} else if (metadata.decoderConfig.codec.startsWith("hev1") || metadata.decoderConfig.codec.startsWith("hvc1")) {
		if (!HEVC_CODEC_STRING_REGEX.test(metadata.decoderConfig.codec)) throw new TypeError("Video chunk metadata decoder configuration codec string for HEVC must be a valid HEVC codec string as specified in Section E.3 of ISO 14496-15.");
	} else if (metadata.decoderConfig.codec.startsWith("vp8")) {
		if (metadata.decoderConfig.codec !== "vp8") throw new TypeError("Video chunk metadata decoder configuration codec string for VP8 must be \"vp8\".");
	} else if (metadata.decoderConfig.codec.startsWith("vp09")) {
		if (!VP9_CODEC_STRING_REGEX.test(metadata.decoderConfig.codec)) throw new TypeError("Video chunk metadata decoder configuration codec string for VP9 must be a valid VP9 codec string as specified in Section \"Codecs Parameter String\" of https://www.webmproject.org/vp9/mp4/.");
	} else if (metadata.decoderConfig.codec.startsWith("av01")) {
		if (!AV1_CODEC_STRING_REGEX.test(metadata.decoderConfig.codec)) throw new TypeError("Video chunk metadata decoder configuration codec string for AV1 must be a valid AV1 codec string as specified in Section \"Codecs Parameter String\" of https://aomediacodec.github.io/av1-isobmff/.");
	} else if (PRORES_FOURCCS.some((x) => metadata.decoderConfig.codec.startsWith(x))) {
		if (!PRORES_FOURCCS.some((x) => metadata.decoderConfig.codec === x)) throw new TypeError(`Video chunk metadata decoder configuration codec string for ProRes must be one of the valid ProRes four-character codes: ${PRORES_FOURCCS.join(", ")}.`);
	}
	if (trackCodec !== null && inferCodecFromCodecString(metadata.decoderConfig.codec) !== trackCodec) throw new TypeError(`Video chunk metadata decoder configuration codec string '${metadata.decoderConfig.codec}' does not fit to the track codec '${trackCodec}'.`);
};
var VALID_AUDIO_CODEC_STRING_PREFIXES = [
	"mp4a",
	"mp3",
	"opus",
	"vorbis",
	"flac",
	"ulaw",
	"alaw",
	"pcm",
	"ac-3",
	"ec-3",
	"dts"
];
var validateAudioChunkMetadata = (metadata, trackCodec) => {
	if (!metadata) throw new TypeError("Audio chunk metadata must be provided.");
	if (typeof metadata !== "object") throw new TypeError("Audio chunk metadata must be an object.");
	if (!metadata.decoderConfig) throw new TypeError("Audio chunk metadata must include a decoder configuration.");
	if (typeof metadata.decoderConfig !== "object") throw new TypeError("Audio chunk metadata decoder configuration must be an object.");
	if (typeof metadata.decoderConfig.codec !== "string") throw new TypeError("Audio chunk metadata decoder configuration must specify a codec string.");
	if (!VALID_AUDIO_CODEC_STRING_PREFIXES.some((prefix) => metadata.decoderConfig.codec.startsWith(prefix))) throw new TypeError("Audio chunk metadata decoder configuration codec string must be a valid audio codec string as specified in the Mediabunny Codec Registry.");
	if (!Number.isInteger(metadata.decoderConfig.sampleRate) || metadata.decoderConfig.sampleRate <= 0) throw new TypeError("Audio chunk metadata decoder configuration must specify a valid sampleRate (positive integer).");
	if (!Number.isInteger(metadata.decoderConfig.numberOfChannels) || metadata.decoderConfig.numberOfChannels <= 0) throw new TypeError("Audio chunk metadata decoder configuration must specify a valid numberOfChannels (positive integer).");
	if (metadata.decoderConfig.description !== void 0) {
		if (!isAllowSharedBufferSource(metadata.decoderConfig.description)) throw new TypeError("Audio chunk metadata decoder configuration description, when defined, must be an ArrayBuffer or an ArrayBuffer view.");
	}
	if (metadata.decoderConfig.codec.startsWith("mp4a") && metadata.decoderConfig.codec !== "mp4a.69" && metadata.decoderConfig.codec !== "mp4a.6B" && metadata.decoderConfig.codec !== "mp4a.6b") {
		if (![
			"mp4a.40.2",
			"mp4a.40.02",
			"mp4a.40.5",
			"mp4a.40.05",
			"mp4a.40.29",
			"mp4a.67"
		].includes(metadata.decoderConfig.codec)) throw new TypeError("Audio chunk metadata decoder configuration codec string for AAC must be a valid AAC codec string as specified in https://www.w3.org/TR/webcodecs-aac-codec-registration/.");
	} else if (metadata.decoderConfig.codec.startsWith("mp3") || metadata.decoderConfig.codec.startsWith("mp4a")) {
		if (metadata.decoderConfig.codec !== "mp3" && metadata.decoderConfig.codec !== "mp4a.69" && metadata.decoderConfig.codec !== "mp4a.6B" && metadata.decoderConfig.codec !== "mp4a.6b") throw new TypeError("Audio chunk metadata decoder configuration codec string for MP3 must be \"mp3\", \"mp4a.69\" or \"mp4a.6B\".");
	} else if (metadata.decoderConfig.codec.startsWith("opus")) {
		if (metadata.decoderConfig.codec !== "opus") throw new TypeError("Audio chunk metadata decoder configuration codec string for Opus must be \"opus\".");
		if (metadata.decoderConfig.description && metadata.decoderConfig.description.byteLength < 18) throw new TypeError("Audio chunk metadata decoder configuration description, when specified, is expected to be an Identification Header as specified in Section 5.1 of RFC 7845.");
	} else if (metadata.decoderConfig.codec.startsWith("vorbis")) {
		if (metadata.decoderConfig.codec !== "vorbis") throw new TypeError("Audio chunk metadata decoder configuration codec string for Vorbis must be \"vorbis\".");
		if (!metadata.decoderConfig.description) throw new TypeError("Audio chunk metadata decoder configuration for Vorbis must include a description, which is expected to adhere to the format described in https://www.w3.org/TR/webcodecs-vorbis-codec-registration/.");
	} else if (metadata.decoderConfig.codec.startsWith("flac")) {
		if (metadata.decoderConfig.codec !== "flac") throw new TypeError("Audio chunk metadata decoder configuration codec string for FLAC must be \"flac\".");
		if (!metadata.decoderConfig.description || metadata.decoderConfig.description.byteLength < 42) throw new TypeError("Audio chunk metadata decoder configuration for FLAC must include a description, which is expected to adhere to the format described in https://www.w3.org/TR/webcodecs-flac-codec-registration/.");
	} else if (metadata.decoderConfig.codec.startsWith("ac-3") || metadata.decoderConfig.codec.startsWith("ac3")) {
		if (metadata.decoderConfig.codec !== "ac-3") throw new TypeError("Audio chunk metadata decoder configuration codec string for AC-3 must be \"ac-3\".");
	} else if (metadata.decoderConfig.codec.startsWith("ec-3") || metadata.decoderConfig.codec.startsWith("eac3")) {
		if (metadata.decoderConfig.codec !== "ec-3") throw new TypeError("Audio chunk metadata decoder configuration codec string for EC-3 must be \"ec-3\".");
	} else if (metadata.decoderConfig.codec.startsWith("dts")) {
		if (!DTS_FOURCCS.includes(metadata.decoderConfig.codec)) throw new TypeError(`Audio chunk metadata decoder configuration codec string for DTS must be one of the following four-character codes: ${DTS_FOURCCS.join(", ")}.`);
	} else if (metadata.decoderConfig.codec.startsWith("pcm") || metadata.decoderConfig.codec.startsWith("ulaw") || metadata.decoderConfig.codec.startsWith("alaw")) {
		if (!PCM_AUDIO_CODECS.includes(metadata.decoderConfig.codec)) throw new TypeError(`Audio chunk metadata decoder configuration codec string for PCM must be one of the supported PCM codecs (${PCM_AUDIO_CODECS.join(", ")}).`);
	}
	if (trackCodec !== null && inferCodecFromCodecString(metadata.decoderConfig.codec) !== trackCodec) throw new TypeError(`Audio chunk metadata decoder configuration codec string '${metadata.decoderConfig.codec}' does not fit to the track codec '${trackCodec}'.`);
};
var validateSubtitleMetadata = (metadata) => {
	if (!metadata) throw new TypeError("Subtitle metadata must be provided.");
	if (typeof metadata !== "object") throw new TypeError("Subtitle metadata must be an object.");
	if (!metadata.config) throw new TypeError("Subtitle metadata must include a config object.");
	if (typeof metadata.config !== "object") throw new TypeError("Subtitle metadata config must be an object.");
	if (typeof metadata.config.description !== "string") throw new TypeError("Subtitle metadata config description must be a string.");
};
// node_modules/mediabunny/dist/modules/src/packet.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var PLACEHOLDER_DATA = new Uint8Array(0);
var EncodedPacket = class EncodedPacket {
	constructor(data, type, timestamp, duration, sequenceNumber = -1, byteLength, sideData) {
		this.data = data;
		this.type = type;
		this.timestamp = timestamp;
		this.duration = duration;
		this.sequenceNumber = sequenceNumber;
		if (data === PLACEHOLDER_DATA && byteLength === void 0) throw new Error("Internal error: byteLength must be explicitly provided when constructing metadata-only packets.");
		if (byteLength === void 0) byteLength = data.byteLength;
		if (!(data instanceof Uint8Array)) throw new TypeError("data must be a Uint8Array.");
		if (type !== "key" && type !== "delta") throw new TypeError("type must be either \"key\" or \"delta\".");
		if (!Number.isFinite(timestamp)) throw new TypeError("timestamp must be a number.");
		if (!Number.isFinite(duration) || duration < 0) throw new TypeError("duration must be a non-negative number.");
		if (!Number.isFinite(sequenceNumber)) throw new TypeError("sequenceNumber must be a number.");
		if (!Number.isInteger(byteLength) || byteLength < 0) throw new TypeError("byteLength must be a non-negative integer.");
		if (sideData !== void 0 && (typeof sideData !== "object" || !sideData)) throw new TypeError("sideData, when provided, must be an object.");
		if (sideData?.alpha !== void 0 && !(sideData.alpha instanceof Uint8Array)) throw new TypeError("sideData.alpha, when provided, must be a Uint8Array.");
		if (sideData?.alphaByteLength !== void 0 && (!Number.isInteger(sideData.alphaByteLength) || sideData.alphaByteLength < 0)) throw new TypeError("sideData.alphaByteLength, when provided, must be a non-negative integer.");
		this.byteLength = byteLength;
		this.sideData = sideData ?? {};
		if (this.sideData.alpha && this.sideData.alphaByteLength === void 0) this.sideData.alphaByteLength = this.sideData.alpha.byteLength;
	}
	get isMetadataOnly() {
		return this.data === PLACEHOLDER_DATA;
	}
	get microsecondTimestamp() {
		return Math.trunc(SECOND_TO_MICROSECOND_FACTOR * this.timestamp);
	}
	get microsecondDuration() {
		return Math.trunc(SECOND_TO_MICROSECOND_FACTOR * this.duration);
	}
	toEncodedVideoChunk() {
		if (this.isMetadataOnly) throw new TypeError("Metadata-only packets cannot be converted to a video chunk.");
		if (typeof EncodedVideoChunk === "undefined") throw new Error("EncodedVideoChunk is not available in this environment.");
		return new EncodedVideoChunk({
			data: this.data,
			type: this.type,
			timestamp: this.microsecondTimestamp,
			duration: this.microsecondDuration
		});
	}
	alphaToEncodedVideoChunk(type = this.type) {
		if (!this.sideData.alpha) throw new TypeError("This packet does not contain alpha side data.");
		if (this.isMetadataOnly) throw new TypeError("Metadata-only packets cannot be converted to a video chunk.");
		if (typeof EncodedVideoChunk === "undefined") throw new Error("EncodedVideoChunk is not available in this environment.");
		return new EncodedVideoChunk({
			data: this.sideData.alpha,
			type,
			timestamp: this.microsecondTimestamp,
			duration: this.microsecondDuration
		});
	}
	toEncodedAudioChunk() {
		if (this.isMetadataOnly) throw new TypeError("Metadata-only packets cannot be converted to an audio chunk.");
		if (typeof EncodedAudioChunk === "undefined") throw new Error("EncodedAudioChunk is not available in this environment.");
		return new EncodedAudioChunk({
			data: this.data,
			type: this.type,
			timestamp: this.microsecondTimestamp,
			duration: this.microsecondDuration
		});
	}
	static fromEncodedChunk(chunk, sideData) {
		if (!(chunk instanceof EncodedVideoChunk || chunk instanceof EncodedAudioChunk)) throw new TypeError("chunk must be an EncodedVideoChunk or EncodedAudioChunk.");
		const data = new Uint8Array(chunk.byteLength);
		chunk.copyTo(data);
		return new EncodedPacket(data, chunk.type, chunk.timestamp / 1e6, (chunk.duration ?? 0) / 1e6, void 0, void 0, sideData);
	}
	clone(options) {
		if (options !== void 0 && (typeof options !== "object" || options === null)) throw new TypeError("options, when provided, must be an object.");
		if (options?.data !== void 0 && !(options.data instanceof Uint8Array)) throw new TypeError("options.data, when provided, must be a Uint8Array.");
		if (options?.type !== void 0 && options.type !== "key" && options.type !== "delta") throw new TypeError("options.type, when provided, must be either \"key\" or \"delta\".");
		if (options?.timestamp !== void 0 && !Number.isFinite(options.timestamp)) throw new TypeError("options.timestamp, when provided, must be a number.");
		if (options?.duration !== void 0 && !Number.isFinite(options.duration)) throw new TypeError("options.duration, when provided, must be a number.");
		if (options?.sequenceNumber !== void 0 && !Number.isFinite(options.sequenceNumber)) throw new TypeError("options.sequenceNumber, when provided, must be a number.");
		if (options?.sideData !== void 0 && (typeof options.sideData !== "object" || options.sideData === null)) throw new TypeError("options.sideData, when provided, must be an object.");
		return new EncodedPacket(options?.data ?? this.data, options?.type ?? this.type, options?.timestamp ?? this.timestamp, options?.duration ?? this.duration, options?.sequenceNumber ?? this.sequenceNumber, this.byteLength, options?.sideData ?? this.sideData);
	}
};
// node_modules/mediabunny/dist/modules/src/isobmff/isobmff-misc.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var buildIsobmffMimeType = (info) => {
	let string = (info.hasVideo ? "video/" : info.hasAudio ? "audio/" : "application/") + (info.isQuickTime ? "quicktime" : "mp4");
	if (info.codecStrings.length > 0) {
		const uniqueCodecMimeTypes = [...new Set(info.codecStrings)];
		string += `; codecs="${uniqueCodecMimeTypes.join(", ")}"`;
	}
	return string;
};
// node_modules/mediabunny/dist/modules/src/adts/adts-reader.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var readAdtsFrameHeader = (slice) => {
	const startPos = slice.filePos;
	const bitstream = new Bitstream(readBytes(slice, 9));
	if (bitstream.readBits(12) !== 4095) return null;
	bitstream.skipBits(1);
	if (bitstream.readBits(2) !== 0) return null;
	const protectionAbsence = bitstream.readBits(1);
	const objectType = bitstream.readBits(2) + 1;
	const samplingFrequencyIndex = bitstream.readBits(4);
	if (samplingFrequencyIndex === 15) return null;
	bitstream.skipBits(1);
	const channelConfiguration = bitstream.readBits(3);
	if (channelConfiguration === 0) throw new Error("ADTS frames with channel configuration 0 are not supported.");
	bitstream.skipBits(1);
	bitstream.skipBits(1);
	bitstream.skipBits(1);
	bitstream.skipBits(1);
	const frameLength = bitstream.readBits(13);
	bitstream.skipBits(11);
	const numberOfAacFrames = bitstream.readBits(2) + 1;
	if (numberOfAacFrames !== 1) throw new Error("ADTS frames with more than one AAC frame are not supported.");
	let crcCheck = null;
	if (protectionAbsence === 1) slice.filePos -= 2;
	else crcCheck = bitstream.readBits(16);
	return {
		objectType,
		samplingFrequencyIndex,
		channelConfiguration,
		frameLength,
		numberOfAacFrames,
		crcCheck,
		startPos
	};
};
// __vite-browser-external
var require___vite_browser_external = __commonJSMin(((exports, module) => {
	module.exports = {};
}));
// node_modules/mediabunny/dist/modules/src/reader.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var FileSlice = class FileSlice {
	constructor(bytes, view, offset, start, end) {
		this.bytes = bytes;
		this.view = view;
		this.offset = offset;
		this.start = start;
		this.end = end;
		this.bufferPos = start - offset;
	}
	static tempFromBytes(bytes) {
		return new FileSlice(bytes, toDataView(bytes), 0, 0, bytes.length);
	}
	get length() {
		return this.end - this.start;
	}
	get filePos() {
		return this.offset + this.bufferPos;
	}
	set filePos(value) {
		this.bufferPos = value - this.offset;
	}
	get remainingLength() {
		return Math.max(this.end - this.filePos, 0);
	}
	skip(byteCount) {
		this.bufferPos += byteCount;
	}
	slice(filePos, length = this.end - filePos) {
		if (filePos < this.start || filePos + length > this.end) throw new RangeError("Slicing outside of original slice.");
		return new FileSlice(this.bytes, this.view, this.offset, filePos, filePos + length);
	}
};
var checkIsInRange = (slice, bytesToRead) => {
	if (slice.filePos < slice.start || slice.filePos + bytesToRead > slice.end) throw new RangeError(`Tried reading [${slice.filePos}, ${slice.filePos + bytesToRead}), but slice is [${slice.start}, ${slice.end}). This is likely an internal error, please report it alongside the file that caused it.`);
};
var readBytes = (slice, length) => {
	checkIsInRange(slice, length);
	const bytes = slice.bytes.subarray(slice.bufferPos, slice.bufferPos + length);
	slice.bufferPos += length;
	return bytes;
};
// node_modules/mediabunny/dist/modules/src/muxer.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var Muxer = class {
	constructor(output) {
		this.mutex = new AsyncMutex();
		this.trackTimestampInfo = new WeakMap();
		this.output = output;
	}
	onTrackClose(track) {}
	validateTimestamp(track, timestampInSeconds, isKeyPacket) {
		let timestampInfo = this.trackTimestampInfo.get(track);
		if (!timestampInfo) {
			if (!isKeyPacket) throw new Error("First packet must be a key packet.");
			timestampInfo = {
				maxTimestamp: timestampInSeconds,
				maxTimestampBeforeLastKeyPacket: null
			};
			this.trackTimestampInfo.set(track, timestampInfo);
		} else {
			if (isKeyPacket) timestampInfo.maxTimestampBeforeLastKeyPacket = timestampInfo.maxTimestamp;
			if (timestampInfo.maxTimestampBeforeLastKeyPacket !== null && timestampInSeconds < timestampInfo.maxTimestampBeforeLastKeyPacket) throw new Error(`Timestamps cannot be smaller than the largest timestamp of the previous GOP (a GOP begins with a key packet and ends right before the next key packet). Got ${timestampInSeconds}s, but largest timestamp is ${timestampInfo.maxTimestampBeforeLastKeyPacket}s.`);
			timestampInfo.maxTimestamp = Math.max(timestampInfo.maxTimestamp, timestampInSeconds);
		}
	}
};
// node_modules/mediabunny/dist/modules/src/subtitles.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var inlineTimestampRegex = /<(?:(\d{2}):)?(\d{2}):(\d{2}).(\d{3})>/g;
var formatSubtitleTimestamp = (timestamp) => {
	const hours = Math.floor(timestamp / 36e5);
	const minutes = Math.floor(timestamp % 36e5 / 6e4);
	const seconds = Math.floor(timestamp % 6e4 / 1e3);
	const milliseconds = timestamp % 1e3;
	return hours.toString().padStart(2, "0") + ":" + minutes.toString().padStart(2, "0") + ":" + seconds.toString().padStart(2, "0") + "." + milliseconds.toString().padStart(3, "0");
};
// node_modules/mediabunny/dist/modules/src/isobmff/isobmff-boxes.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var IsobmffBoxWriter = class {
	constructor(writer) {
		this.writer = writer;
		this.helper = new Uint8Array(8);
		this.helperView = new DataView(this.helper.buffer);
		this.offsets = new WeakMap();
	}
	writeU32(value) {
		this.helperView.setUint32(0, value, false);
		this.writer.write(this.helper.subarray(0, 4));
	}
	writeU64(value) {
		this.helperView.setUint32(0, Math.floor(value / 2 ** 32), false);
		this.helperView.setUint32(4, value, false);
		this.writer.write(this.helper.subarray(0, 8));
	}
	writeAscii(text) {
		for (let i = 0; i < text.length; i++) {
			this.helperView.setUint8(i % 8, text.charCodeAt(i));
			if (i % 8 === 7) this.writer.write(this.helper);
		}
		if (text.length % 8 !== 0) this.writer.write(this.helper.subarray(0, text.length % 8));
	}
	writeBox(box) {
		this.offsets.set(box, this.writer.getPos());
		if (box.contents && !box.children) {
			this.writeBoxHeader(box, box.size ?? box.contents.byteLength + 8);
			this.writer.write(box.contents);
		} else {
			const startPos = this.writer.getPos();
			this.writeBoxHeader(box, 0);
			if (box.contents) this.writer.write(box.contents);
			if (box.children) {
				for (const child of box.children) if (child) this.writeBox(child);
			}
			const endPos = this.writer.getPos();
			const size = box.size ?? endPos - startPos;
			this.writer.seek(startPos);
			this.writeBoxHeader(box, size);
			this.writer.seek(endPos);
		}
	}
	writeBoxHeader(box, size) {
		this.writeU32(box.largeSize ? 1 : size);
		this.writeAscii(box.type);
		if (box.largeSize) this.writeU64(size);
	}
	measureBoxHeader(box) {
		return 8 + (box.largeSize ? 8 : 0);
	}
	patchBox(box) {
		const boxOffset = this.offsets.get(box);
		assert(boxOffset !== void 0);
		const endPos = this.writer.getPos();
		this.writer.seek(boxOffset);
		this.writeBox(box);
		this.writer.seek(endPos);
	}
	measureBox(box) {
		if (box.contents && !box.children) return this.measureBoxHeader(box) + box.contents.byteLength;
		else {
			let result = this.measureBoxHeader(box);
			if (box.contents) result += box.contents.byteLength;
			if (box.children) {
				for (const child of box.children) if (child) result += this.measureBox(child);
			}
			return result;
		}
	}
};
var bytes = new Uint8Array(8);
var view = new DataView(bytes.buffer);
var u8 = (value) => {
	return [(value % 256 + 256) % 256];
};
var u16 = (value) => {
	view.setUint16(0, value, false);
	return [bytes[0], bytes[1]];
};
var i16 = (value) => {
	view.setInt16(0, value, false);
	return [bytes[0], bytes[1]];
};
var u24 = (value) => {
	view.setUint32(0, value, false);
	return [
		bytes[1],
		bytes[2],
		bytes[3]
	];
};
var u32 = (value) => {
	view.setUint32(0, value, false);
	return [
		bytes[0],
		bytes[1],
		bytes[2],
		bytes[3]
	];
};
var i32 = (value) => {
	view.setInt32(0, value, false);
	return [
		bytes[0],
		bytes[1],
		bytes[2],
		bytes[3]
	];
};
var u64 = (value) => {
	view.setUint32(0, Math.floor(value / 2 ** 32), false);
	view.setUint32(4, value, false);
	return [
		bytes[0],
		bytes[1],
		bytes[2],
		bytes[3],
		bytes[4],
		bytes[5],
		bytes[6],
		bytes[7]
	];
};
var i64 = (value) => {
	view.setInt32(0, Math.floor(value / 2 ** 32), false);
	view.setUint32(4, value, false);
	return [
		bytes[0],
		bytes[1],
		bytes[2],
		bytes[3],
		bytes[4],
		bytes[5],
		bytes[6],
		bytes[7]
	];
};
var fixed_8_8 = (value) => {
	view.setInt16(0, 256 * value, false);
	return [bytes[0], bytes[1]];
};
var fixed_16_16 = (value) => {
	view.setInt32(0, 2 ** 16 * value, false);
	return [
		bytes[0],
		bytes[1],
		bytes[2],
		bytes[3]
	];
};
var fixed_2_30 = (value) => {
	view.setInt32(0, 2 ** 30 * value, false);
	return [
		bytes[0],
		bytes[1],
		bytes[2],
		bytes[3]
	];
};
var variableUnsignedInt = (value, byteLength) => {
	const bytes = [];
	let remaining = value;
	do {
		let byte = remaining & 127;
		remaining >>= 7;
		if (bytes.length > 0) byte |= 128;
		bytes.push(byte);
		if (byteLength !== void 0) byteLength--;
	} while (remaining > 0 || byteLength);
	return bytes.reverse();
};
var ascii = (text, nullTerminated = false) => {
	const bytes = Array(text.length).fill(null).map((_, i) => text.charCodeAt(i));
	if (nullTerminated) bytes.push(0);
	return bytes;
};
var matrixToBytes = (matrix) => {
	return [
		fixed_16_16(matrix[0]),
		fixed_16_16(matrix[1]),
		fixed_2_30(matrix[2]),
		fixed_16_16(matrix[3]),
		fixed_16_16(matrix[4]),
		fixed_2_30(matrix[5]),
		fixed_16_16(matrix[6]),
		fixed_16_16(matrix[7]),
		fixed_2_30(matrix[8])
	];
};
var box = (type, contents, children) => ({
	type,
	contents: contents && new Uint8Array(contents.flat(10)),
	children
});
var fullBox = (type, version, flags, contents, children) => box(type, [
	u8(version),
	u24(flags),
	contents ?? []
], children);
var ftyp = (details) => {
	const minorVersion = 512;
	if (details.isQuickTime) return box("ftyp", [
		ascii("qt  "),
		u32(minorVersion),
		ascii("qt  ")
	]);
	if (details.fragmented) {
		if (details.cmaf) return box("ftyp", [
			ascii("iso5"),
			u32(minorVersion),
			ascii("iso5"),
			ascii("iso6"),
			ascii("mp41"),
			ascii("cmfc"),
			ascii("dash")
		]);
		else return box("ftyp", [
			ascii("iso5"),
			u32(minorVersion),
			ascii("iso5"),
			ascii("iso6"),
			ascii("mp41")
		]);
	}
	return box("ftyp", [
		ascii("isom"),
		u32(minorVersion),
		ascii("isom"),
		details.holdsAvc ? ascii("avc1") : [],
		ascii("mp41")
	]);
};
var styp = () => box("styp", [
	ascii("iso5"),
	u32(0),
	ascii("iso5"),
	ascii("iso6"),
	ascii("mp41"),
	ascii("cmfc"),
	ascii("dash")
]);
var sidx = (muxer, referencedSize) => {
	const earliestPresentationTime = Math.max(0, muxer.minWrittenTimestamp);
	let duration = Math.max(0, muxer.maxWrittenEndTimestamp - earliestPresentationTime);
	if (!Number.isFinite(duration)) duration = 0;
	return fullBox("sidx", 1, 0, [
		u32(1),
		u32(GLOBAL_TIMESCALE),
		u64(intoTimescale(earliestPresentationTime, GLOBAL_TIMESCALE)),
		u64(0),
		u16(0),
		u16(1),
		u32(referencedSize & 2147483647),
		u32(intoTimescale(duration, GLOBAL_TIMESCALE)),
		u32(0)
	]);
};
var mdat = (reserveLargeSize) => ({
	type: "mdat",
	largeSize: reserveLargeSize
});
var free = (size) => ({
	type: "free",
	size
});
var moov = (muxer) => {
	return box("moov", void 0, [
		mvhd(muxer.creationTime, muxer.trackDatas),
		...muxer.trackDatas.map((x) => trak(x, muxer.creationTime)),
		muxer.isFragmented ? mvex(muxer.trackDatas) : null,
		udta(muxer)
	]);
};
var mvhd = (creationTime, trackDatas) => {
	const duration = Math.max(0, ...trackDatas.map((trackData) => Math.max(0, intoTimescale(presentationSpan(trackData), GLOBAL_TIMESCALE) + intoTimescale(trackData.startTimestampOffset ?? 0, GLOBAL_TIMESCALE))));
	const nextTrackId = Math.max(0, ...trackDatas.map((x) => x.track.id)) + 1;
	const needsU64 = !isU32(creationTime) || !isU32(duration);
	const u32OrU64 = needsU64 ? u64 : u32;
	return fullBox("mvhd", +needsU64, 0, [
		u32OrU64(creationTime),
		u32OrU64(creationTime),
		u32(GLOBAL_TIMESCALE),
		u32OrU64(duration),
		fixed_16_16(1),
		fixed_8_8(1),
		Array(10).fill(0),
		matrixToBytes(IDENTITY_MATRIX),
		Array(24).fill(0),
		u32(nextTrackId)
	]);
};
var trak = (trackData, creationTime) => {
	const trackMetadata = getTrackMetadata(trackData);
	const needsEditList = trackData.startTimestampOffset !== null && trackData.startTimestampOffset !== 0;
	return box("trak", void 0, [
		tkhd(trackData, creationTime),
		needsEditList ? edts(trackData) : null,
		mdia(trackData, creationTime),
		trackMetadata.name !== void 0 ? box("udta", void 0, [box("name", [...textEncoder.encode(trackMetadata.name)])]) : null
	]);
};
var tkhd = (trackData, creationTime) => {
	const durationInGlobalTimescale = Math.max(0, intoTimescale(presentationSpan(trackData), GLOBAL_TIMESCALE) + intoTimescale(trackData.startTimestampOffset ?? 0, GLOBAL_TIMESCALE));
	const needsU64 = !isU32(creationTime) || !isU32(durationInGlobalTimescale);
	const u32OrU64 = needsU64 ? u64 : u32;
	let matrix;
	if (trackData.type === "video" && trackData.track.metadata.transformationMatrix) matrix = trackData.track.metadata.transformationMatrix;
	else if (trackData.type === "video") {
		const { rotation, flip } = trackData.track.metadata;
		matrix = centeredTransformationMatrix(multiplyMatrices(rotationMatrix(rotation ?? 0), scaleMatrix(flip ? -1 : 1, 1)), trackData.info.width, trackData.info.height);
	} else matrix = IDENTITY_MATRIX;
	let flags = 2;
	if (trackData.track.metadata.disposition?.default !== false) flags |= 1;
	const alternateGroup = trackData.type === "video" ? 0 : trackData.type === "audio" ? 1 : trackData.type === "subtitle" ? 2 : assertNever(trackData);
	return fullBox("tkhd", +needsU64, flags, [
		u32OrU64(creationTime),
		u32OrU64(creationTime),
		u32(trackData.track.id),
		u32(0),
		u32OrU64(durationInGlobalTimescale),
		Array(8).fill(0),
		u16(0),
		u16(alternateGroup),
		fixed_8_8(trackData.type === "audio" ? 1 : 0),
		u16(0),
		matrixToBytes(matrix),
		fixed_16_16(trackData.type === "video" ? trackData.info.width : 0),
		fixed_16_16(trackData.type === "video" ? trackData.info.height : 0)
	]);
};
var edts = (trackData) => {
	const offset = trackData.startTimestampOffset;
	assert(offset !== null);
	if (offset > 0) {
		const startOffset = intoTimescale(offset, GLOBAL_TIMESCALE);
		const mediaDuration = intoTimescale(presentationSpan(trackData), GLOBAL_TIMESCALE);
		const needs64Bits = !isU32(startOffset) || !isU32(mediaDuration);
		const u32OrU64 = needs64Bits ? u64 : u32;
		const i32OrI64 = needs64Bits ? i64 : i32;
		return box("edts", void 0, [fullBox("elst", needs64Bits ? 1 : 0, 0, [
			u32(2),
			u32OrU64(startOffset),
			i32OrI64(-1),
			fixed_16_16(1),
			u32OrU64(mediaDuration),
			i32OrI64(0),
			fixed_16_16(1)
		])]);
	} else {
		const mediaTime = intoTimescale(-offset, trackData.timescale);
		const mediaDuration = Math.max(0, intoTimescale(presentationSpan(trackData), GLOBAL_TIMESCALE) + intoTimescale(offset, GLOBAL_TIMESCALE));
		const needs64Bits = !isI32(mediaTime) || !isU32(mediaDuration);
		const u32OrU64 = needs64Bits ? u64 : u32;
		const i32OrI64 = needs64Bits ? i64 : i32;
		return box("edts", void 0, [fullBox("elst", needs64Bits ? 1 : 0, 0, [
			u32(1),
			u32OrU64(mediaDuration),
			i32OrI64(mediaTime),
			fixed_16_16(1)
		])]);
	}
};
var mdia = (trackData, creationTime) => box("mdia", void 0, [
	mdhd(trackData, creationTime),
	hdlr(true, TRACK_TYPE_TO_COMPONENT_SUBTYPE[trackData.type], TRACK_TYPE_TO_HANDLER_NAME[trackData.type]),
	minf(trackData)
]);
var mdhd = (trackData, creationTime) => {
	const localDuration = intoTimescale(presentationSpan(trackData), trackData.timescale);
	const needsU64 = !isU32(creationTime) || !isU32(localDuration);
	const u32OrU64 = needsU64 ? u64 : u32;
	return fullBox("mdhd", +needsU64, 0, [
		u32OrU64(creationTime),
		u32OrU64(creationTime),
		u32(trackData.timescale),
		u32OrU64(localDuration),
		u16(getLanguageCodeInt(trackData.track.metadata.languageCode ?? "und")),
		u16(0)
	]);
};
var TRACK_TYPE_TO_COMPONENT_SUBTYPE = {
	video: "vide",
	audio: "soun",
	subtitle: "text"
};
var TRACK_TYPE_TO_HANDLER_NAME = {
	video: "MediabunnyVideoHandler",
	audio: "MediabunnySoundHandler",
	subtitle: "MediabunnyTextHandler"
};
var hdlr = (hasComponentType, handlerType, name, manufacturer = "\0\0\0\0") => fullBox("hdlr", 0, 0, [
	hasComponentType ? ascii("mhlr") : u32(0),
	ascii(handlerType),
	ascii(manufacturer),
	u32(0),
	u32(0),
	ascii(name, true)
]);
var minf = (trackData) => box("minf", void 0, [
	TRACK_TYPE_TO_HEADER_BOX[trackData.type](),
	dinf(),
	stbl(trackData)
]);
var vmhd = () => fullBox("vmhd", 0, 1, [
	u16(0),
	u16(0),
	u16(0),
	u16(0)
]);
var smhd = () => fullBox("smhd", 0, 0, [u16(0), u16(0)]);
var nmhd = () => fullBox("nmhd", 0, 0);
var TRACK_TYPE_TO_HEADER_BOX = {
	video: vmhd,
	audio: smhd,
	subtitle: nmhd
};
var dinf = () => box("dinf", void 0, [dref()]);
var dref = () => fullBox("dref", 0, 0, [u32(1)], [url()]);
var url = () => fullBox("url ", 0, 1);
var stbl = (trackData) => {
	const needsCtts = trackData.compositionTimeOffsetTable.length > 1 || trackData.compositionTimeOffsetTable.some((x) => x.sampleCompositionTimeOffset !== 0);
	return box("stbl", void 0, [
		stsd(trackData),
		stts(trackData),
		needsCtts ? ctts(trackData) : null,
		needsCtts ? cslg(trackData) : null,
		stsc(trackData),
		stsz(trackData),
		stco(trackData),
		stss(trackData)
	]);
};
var stsd = (trackData) => {
	let sampleDescription;
	if (trackData.type === "video") sampleDescription = videoSampleDescription(videoCodecToBoxName(trackData.track.source._codec, trackData.info.decoderConfig.codec), trackData);
	else if (trackData.type === "audio") {
		const boxName = audioCodecToBoxName(trackData.track.source._codec, trackData.info.decoderConfig.codec, trackData.muxer.isQuickTime);
		assert(boxName);
		sampleDescription = soundSampleDescription(boxName, trackData);
	} else if (trackData.type === "subtitle") sampleDescription = subtitleSampleDescription(SUBTITLE_CODEC_TO_BOX_NAME[trackData.track.source._codec], trackData);
	assert(sampleDescription);
	return fullBox("stsd", 0, 0, [u32(1)], [sampleDescription]);
};
var videoSampleDescription = (compressionType, trackData) => box(compressionType, [
	Array(6).fill(0),
	u16(1),
	u16(0),
	u16(0),
	Array(12).fill(0),
	u16(trackData.info.width),
	u16(trackData.info.height),
	u32(4718592),
	u32(4718592),
	u32(0),
	u16(1),
	u8(VERSIONED_NAME.length),
	ascii(VERSIONED_NAME),
	Array(31 - VERSIONED_NAME.length).fill(0),
	u16(trackData.info.hasAlphaChannel ? 32 : 24),
	i16(65535)
], [
	VIDEO_CODEC_TO_CONFIGURATION_BOX[trackData.track.source._codec]?.(trackData) ?? null,
	pasp(trackData),
	colorSpaceIsEmpty(trackData.info.decoderConfig.colorSpace) ? null : colr(trackData),
	btrt(trackData)
]);
var btrt = (trackData) => {
	if (trackData.avgBitrate === 0 && trackData.maxBitrate === 0) return null;
	return box("btrt", [
		u32(0),
		u32(trackData.maxBitrate),
		u32(trackData.avgBitrate)
	]);
};
var pasp = (trackData) => {
	if (trackData.info.pixelAspectRatio.num === trackData.info.pixelAspectRatio.den) return null;
	return box("pasp", [u32(trackData.info.pixelAspectRatio.num), u32(trackData.info.pixelAspectRatio.den)]);
};
var colr = (trackData) => {
	const colorSpace = trackData.info.decoderConfig.colorSpace;
	return box("colr", [
		ascii(trackData.muxer.isQuickTime ? "nclc" : "nclx"),
		u16(colorSpace?.primaries != null ? COLOR_PRIMARIES_MAP[colorSpace.primaries] : 2),
		u16(colorSpace?.transfer != null ? TRANSFER_CHARACTERISTICS_MAP[colorSpace.transfer] : 2),
		u16(colorSpace?.matrix != null ? MATRIX_COEFFICIENTS_MAP[colorSpace.matrix] : 2),
		trackData.muxer.isQuickTime ? [] : u8((colorSpace?.fullRange ? 1 : 0) << 7)
	]);
};
var avcC = (trackData) => trackData.info.decoderConfig && box("avcC", [...toUint8Array(trackData.info.decoderConfig.description)]);
var hvcC = (trackData) => trackData.info.decoderConfig && box("hvcC", [...toUint8Array(trackData.info.decoderConfig.description)]);
var vpcC = (trackData) => {
	if (!trackData.info.decoderConfig) return null;
	const decoderConfig = trackData.info.decoderConfig;
	const parts = decoderConfig.codec.split(".");
	const profile = Number(parts[1]);
	const level = Number(parts[2]);
	const bitDepth = Number(parts[3]);
	const chromaSubsampling = parts[4] ? Number(parts[4]) : 1;
	const videoFullRangeFlag = parts[8] ? Number(parts[8]) : Number(decoderConfig.colorSpace?.fullRange ?? 0);
	const thirdByte = (bitDepth << 4) + (chromaSubsampling << 1) + videoFullRangeFlag;
	const colourPrimaries = parts[5] ? Number(parts[5]) : decoderConfig.colorSpace?.primaries ? COLOR_PRIMARIES_MAP[decoderConfig.colorSpace.primaries] : 1;
	const transferCharacteristics = parts[6] ? Number(parts[6]) : decoderConfig.colorSpace?.transfer ? TRANSFER_CHARACTERISTICS_MAP[decoderConfig.colorSpace.transfer] : 1;
	const matrixCoefficients = parts[7] ? Number(parts[7]) : decoderConfig.colorSpace?.matrix ? MATRIX_COEFFICIENTS_MAP[decoderConfig.colorSpace.matrix] : 1;
	return fullBox("vpcC", 1, 0, [
		u8(profile),
		u8(level),
		u8(thirdByte),
		u8(colourPrimaries),
		u8(transferCharacteristics),
		u8(matrixCoefficients),
		u16(0)
	]);
};
var av1C = (trackData) => {
	return box("av1C", generateAv1CodecConfigurationFromCodecString(trackData.info.decoderConfig.codec));
};
var soundSampleDescription = (compressionType, trackData) => {
	let version = 0;
	let contents;
	let sampleSizeInBits = 16;
	const isPcmCodec = PCM_AUDIO_CODECS.includes(trackData.track.source._codec);
	if (isPcmCodec) {
		const codec = trackData.track.source._codec;
		const { sampleSize } = parsePcmCodec(codec);
		sampleSizeInBits = 8 * sampleSize;
		if (sampleSizeInBits > 16) version = 1;
	}
	if (trackData.muxer.isQuickTime) version = 1;
	if (version === 0) contents = [
		Array(6).fill(0),
		u16(1),
		u16(version),
		u16(0),
		u32(0),
		u16(trackData.info.numberOfChannels),
		u16(sampleSizeInBits),
		u16(0),
		u16(0),
		u16(trackData.info.sampleRate < 2 ** 16 ? trackData.info.sampleRate : 0),
		u16(0)
	];
	else {
		const compressionId = isPcmCodec ? 0 : -2;
		contents = [
			Array(6).fill(0),
			u16(1),
			u16(version),
			u16(0),
			u32(0),
			u16(trackData.info.numberOfChannels),
			u16(Math.min(sampleSizeInBits, 16)),
			i16(compressionId),
			u16(0),
			u16(trackData.info.sampleRate < 2 ** 16 ? trackData.info.sampleRate : 0),
			u16(0),
			isPcmCodec ? [
				u32(1),
				u32(sampleSizeInBits / 8),
				u32(trackData.info.numberOfChannels * sampleSizeInBits / 8)
			] : [
				u32(0),
				u32(0),
				u32(0)
			],
			u32(2)
		];
	}
	return box(compressionType, contents, [audioCodecToConfigurationBox(trackData.track.source._codec, trackData.muxer.isQuickTime)?.(trackData) ?? null, btrt(trackData)]);
};
var esds = (trackData) => {
	let objectTypeIndication;
	switch (trackData.track.source._codec) {
		case "aac":
			objectTypeIndication = 64;
			break;
		case "mp3":
			objectTypeIndication = 107;
			break;
		case "vorbis":
			objectTypeIndication = 221;
			break;
		default: throw new Error(`Unhandled audio codec: ${trackData.track.source._codec}`);
	}
	let bytes = [
		...u8(objectTypeIndication),
		...u8(21),
		...u24(0),
		...u32(trackData.maxBitrate),
		...u32(trackData.avgBitrate)
	];
	if (trackData.info.decoderConfig.description) {
		const description = toUint8Array(trackData.info.decoderConfig.description);
		bytes = [
			...bytes,
			...u8(5),
			...variableUnsignedInt(description.byteLength),
			...description
		];
	}
	bytes = [
		...u16(1),
		...u8(0),
		...u8(4),
		...variableUnsignedInt(bytes.length),
		...bytes,
		...u8(6),
		...u8(1),
		...u8(2)
	];
	bytes = [
		...u8(3),
		...variableUnsignedInt(bytes.length),
		...bytes
	];
	return fullBox("esds", 0, 0, bytes);
};
var wave = (trackData) => {
	return box("wave", void 0, [
		frma(trackData),
		enda(trackData),
		box("\0\0\0\0")
	]);
};
var frma = (trackData) => {
	return box("frma", [ascii(audioCodecToBoxName(trackData.track.source._codec, trackData.info.decoderConfig.codec, trackData.muxer.isQuickTime))]);
};
var enda = (trackData) => {
	const { littleEndian } = parsePcmCodec(trackData.track.source._codec);
	return box("enda", [u16(+littleEndian)]);
};
var dOps = (trackData) => {
	let outputChannelCount = trackData.info.numberOfChannels;
	let preSkip = 3840;
	let inputSampleRate = trackData.info.sampleRate;
	let outputGain = 0;
	let channelMappingFamily = 0;
	let channelMappingTable = new Uint8Array(0);
	const description = trackData.info.decoderConfig?.description;
	if (description) {
		assert(description.byteLength >= 18);
		const header = parseOpusIdentificationHeader(toUint8Array(description));
		outputChannelCount = header.outputChannelCount;
		preSkip = header.preSkip;
		inputSampleRate = header.inputSampleRate;
		outputGain = header.outputGain;
		channelMappingFamily = header.channelMappingFamily;
		if (header.channelMappingTable) channelMappingTable = header.channelMappingTable;
	}
	return box("dOps", [
		u8(0),
		u8(outputChannelCount),
		u16(preSkip),
		u32(inputSampleRate),
		i16(outputGain),
		u8(channelMappingFamily),
		...channelMappingTable
	]);
};
var dfLa = (trackData) => {
	const description = trackData.info.decoderConfig?.description;
	assert(description);
	return fullBox("dfLa", 0, 0, [...toUint8Array(description).subarray(4)]);
};
var pcmC = (trackData) => {
	const { littleEndian, sampleSize } = parsePcmCodec(trackData.track.source._codec);
	return fullBox("pcmC", 0, 0, [u8(+littleEndian), u8(8 * sampleSize)]);
};
var dac3 = (trackData) => {
	assert(trackData.info.primingPacket);
	const frameInfo = parseAc3SyncFrame(trackData.info.primingPacket.data);
	if (!frameInfo) throw new Error("Couldn't extract AC-3 frame info from the audio packet. Ensure the packets contain valid AC-3 sync frames (as specified in ETSI TS 102 366).");
	const bytes = new Uint8Array(3);
	const bitstream = new Bitstream(bytes);
	bitstream.writeBits(2, frameInfo.fscod);
	bitstream.writeBits(5, frameInfo.bsid);
	bitstream.writeBits(3, frameInfo.bsmod);
	bitstream.writeBits(3, frameInfo.acmod);
	bitstream.writeBits(1, frameInfo.lfeon);
	bitstream.writeBits(5, frameInfo.bitRateCode);
	bitstream.writeBits(5, 0);
	return box("dac3", [...bytes]);
};
var dec3 = (trackData) => {
	assert(trackData.info.primingPacket);
	const frameInfo = parseEac3SyncFrame(trackData.info.primingPacket.data);
	if (!frameInfo) throw new Error("Couldn't extract E-AC-3 frame info from the audio packet. Ensure the packets contain valid E-AC-3 sync frames (as specified in ETSI TS 102 366).");
	let totalBits = 16;
	for (const sub of frameInfo.substreams) {
		totalBits += 23;
		if (sub.numDepSub > 0) totalBits += 9;
		else totalBits += 1;
	}
	const size = Math.ceil(totalBits / 8);
	const bytes = new Uint8Array(size);
	const bitstream = new Bitstream(bytes);
	bitstream.writeBits(13, frameInfo.dataRate);
	bitstream.writeBits(3, frameInfo.substreams.length - 1);
	for (const sub of frameInfo.substreams) {
		bitstream.writeBits(2, sub.fscod);
		bitstream.writeBits(5, sub.bsid);
		bitstream.writeBits(1, 0);
		bitstream.writeBits(1, 0);
		bitstream.writeBits(3, sub.bsmod);
		bitstream.writeBits(3, sub.acmod);
		bitstream.writeBits(1, sub.lfeon);
		bitstream.writeBits(3, 0);
		bitstream.writeBits(4, sub.numDepSub);
		if (sub.numDepSub > 0) bitstream.writeBits(9, sub.chanLoc);
		else bitstream.writeBits(1, 0);
	}
	return box("dec3", [...bytes]);
};
var ddts = (trackData) => {
	assert(trackData.info.primingPacket);
	const frameInfo = parseDtsFrame(trackData.info.primingPacket.data);
	if (!frameInfo) throw new Error("Couldn't extract DTS frame info from the audio packet. Ensure the packets contain valid DTS frames as specified in ETSI TS 102 114.");
	return box("ddts", [...buildDtsSpecificBox(frameInfo)]);
};
var subtitleSampleDescription = (compressionType, trackData) => box(compressionType, [Array(6).fill(0), u16(1)], [SUBTITLE_CODEC_TO_CONFIGURATION_BOX[trackData.track.source._codec](trackData), btrt(trackData)]);
var vttC = (trackData) => box("vttC", [...textEncoder.encode(trackData.info.config.description)]);
var stts = (trackData) => {
	return fullBox("stts", 0, 0, [u32(trackData.timeToSampleTable.length), trackData.timeToSampleTable.map((x) => [u32(x.sampleCount), u32(x.sampleDelta)])]);
};
var stss = (trackData) => {
	if (trackData.samples.every((x) => x.type === "key")) return null;
	const keySamples = [...trackData.samples.entries()].filter(([, sample]) => sample.type === "key");
	return fullBox("stss", 0, 0, [u32(keySamples.length), keySamples.map(([index]) => u32(index + 1))]);
};
var stsc = (trackData) => {
	return fullBox("stsc", 0, 0, [u32(trackData.compactlyCodedChunkTable.length), trackData.compactlyCodedChunkTable.map((x) => [
		u32(x.firstChunk),
		u32(x.samplesPerChunk),
		u32(1)
	])]);
};
var stsz = (trackData) => {
	if (trackData.type === "audio" && trackData.info.requiresPcmTransformation) {
		const { sampleSize } = parsePcmCodec(trackData.track.source._codec);
		return fullBox("stsz", 0, 0, [u32(sampleSize * trackData.info.numberOfChannels), u32(trackData.samples.reduce((acc, x) => acc + intoTimescale(x.duration, trackData.timescale), 0))]);
	}
	return fullBox("stsz", 0, 0, [
		u32(0),
		u32(trackData.samples.length),
		trackData.samples.map((x) => u32(x.size))
	]);
};
var stco = (trackData) => {
	if (trackData.finalizedChunks.length > 0 && last(trackData.finalizedChunks).offset >= 2 ** 32) return fullBox("co64", 0, 0, [u32(trackData.finalizedChunks.length), trackData.finalizedChunks.map((x) => u64(x.offset))]);
	return fullBox("stco", 0, 0, [u32(trackData.finalizedChunks.length), trackData.finalizedChunks.map((x) => u32(x.offset))]);
};
var ctts = (trackData) => {
	return fullBox("ctts", 1, 0, [u32(trackData.compositionTimeOffsetTable.length), trackData.compositionTimeOffsetTable.map((x) => [u32(x.sampleCount), i32(x.sampleCompositionTimeOffset)])]);
};
var cslg = (trackData) => {
	let leastDecodeToDisplayDelta = Infinity;
	let greatestDecodeToDisplayDelta = -Infinity;
	let compositionStartTime = Infinity;
	let compositionEndTime = -Infinity;
	assert(trackData.compositionTimeOffsetTable.length > 0);
	assert(trackData.samples.length > 0);
	for (let i = 0; i < trackData.compositionTimeOffsetTable.length; i++) {
		const entry = trackData.compositionTimeOffsetTable[i];
		leastDecodeToDisplayDelta = Math.min(leastDecodeToDisplayDelta, entry.sampleCompositionTimeOffset);
		greatestDecodeToDisplayDelta = Math.max(greatestDecodeToDisplayDelta, entry.sampleCompositionTimeOffset);
	}
	for (let i = 0; i < trackData.samples.length; i++) {
		const sample = trackData.samples[i];
		compositionStartTime = Math.min(compositionStartTime, intoTimescale(sample.timestamp, trackData.timescale));
		compositionEndTime = Math.max(compositionEndTime, intoTimescale(sample.timestamp + sample.duration, trackData.timescale));
	}
	const compositionToDtsShift = Math.max(-leastDecodeToDisplayDelta, 0);
	if (compositionEndTime >= 2 ** 31) return null;
	return fullBox("cslg", 0, 0, [
		i32(compositionToDtsShift),
		i32(leastDecodeToDisplayDelta),
		i32(greatestDecodeToDisplayDelta),
		i32(compositionStartTime),
		i32(compositionEndTime)
	]);
};
var mvex = (trackDatas) => {
	return box("mvex", void 0, trackDatas.map(trex));
};
var trex = (trackData) => {
	return fullBox("trex", 0, 0, [
		u32(trackData.track.id),
		u32(1),
		u32(0),
		u32(0),
		u32(0)
	]);
};
var moof = (sequenceNumber, trackDatas) => {
	return box("moof", void 0, [mfhd(sequenceNumber), ...trackDatas.map(traf)]);
};
var mfhd = (sequenceNumber) => {
	return fullBox("mfhd", 0, 0, [u32(sequenceNumber)]);
};
var fragmentSampleFlags = (sample) => {
	let byte1 = 0;
	let byte2 = 0;
	const sampleIsDifferenceSample = sample.type === "delta";
	byte2 |= +sampleIsDifferenceSample;
	if (sampleIsDifferenceSample) byte1 |= 1;
	else byte1 |= 2;
	return byte1 << 24 | byte2 << 16 | 0;
};
var traf = (trackData) => {
	return box("traf", void 0, [
		tfhd(trackData),
		tfdt(trackData),
		trun(trackData)
	]);
};
var tfhd = (trackData) => {
	assert(trackData.currentChunk);
	let tfFlags = 0;
	tfFlags |= 8;
	tfFlags |= 16;
	tfFlags |= 32;
	tfFlags |= 131072;
	const referenceSample = trackData.currentChunk.samples[1] ?? trackData.currentChunk.samples[0];
	const referenceSampleInfo = {
		duration: referenceSample.timescaleUnitsToNextSample,
		size: referenceSample.size,
		flags: fragmentSampleFlags(referenceSample)
	};
	return fullBox("tfhd", 0, tfFlags, [
		u32(trackData.track.id),
		u32(referenceSampleInfo.duration),
		u32(referenceSampleInfo.size),
		u32(referenceSampleInfo.flags)
	]);
};
var tfdt = (trackData) => {
	assert(trackData.currentChunk);
	return fullBox("tfdt", 1, 0, [u64(intoTimescale(trackData.currentChunk.startTimestamp, trackData.timescale))]);
};
var trun = (trackData) => {
	assert(trackData.currentChunk);
	const allSampleDurations = trackData.currentChunk.samples.map((x) => x.timescaleUnitsToNextSample);
	const allSampleSizes = trackData.currentChunk.samples.map((x) => x.size);
	const allSampleFlags = trackData.currentChunk.samples.map(fragmentSampleFlags);
	const allSampleCompositionTimeOffsets = trackData.currentChunk.samples.map((x) => intoTimescale(x.timestamp - x.decodeTimestamp, trackData.timescale));
	const uniqueSampleDurations = new Set(allSampleDurations);
	const uniqueSampleSizes = new Set(allSampleSizes);
	const uniqueSampleFlags = new Set(allSampleFlags);
	const uniqueSampleCompositionTimeOffsets = new Set(allSampleCompositionTimeOffsets);
	const firstSampleFlagsPresent = uniqueSampleFlags.size === 2 && allSampleFlags[0] !== allSampleFlags[1];
	const sampleDurationPresent = uniqueSampleDurations.size > 1;
	const sampleSizePresent = uniqueSampleSizes.size > 1;
	const sampleFlagsPresent = !firstSampleFlagsPresent && uniqueSampleFlags.size > 1;
	const sampleCompositionTimeOffsetsPresent = uniqueSampleCompositionTimeOffsets.size > 1 || [...uniqueSampleCompositionTimeOffsets].some((x) => x !== 0);
	let flags = 0;
	flags |= 1;
	flags |= 4 * +firstSampleFlagsPresent;
	flags |= 256 * +sampleDurationPresent;
	flags |= 512 * +sampleSizePresent;
	flags |= 1024 * +sampleFlagsPresent;
	flags |= 2048 * +sampleCompositionTimeOffsetsPresent;
	return fullBox("trun", 1, flags, [
		u32(trackData.currentChunk.samples.length),
		u32(trackData.currentChunk.offset - trackData.currentChunk.moofOffset || 0),
		firstSampleFlagsPresent ? u32(allSampleFlags[0]) : [],
		trackData.currentChunk.samples.map((_, i) => [
			sampleDurationPresent ? u32(allSampleDurations[i]) : [],
			sampleSizePresent ? u32(allSampleSizes[i]) : [],
			sampleFlagsPresent ? u32(allSampleFlags[i]) : [],
			sampleCompositionTimeOffsetsPresent ? i32(allSampleCompositionTimeOffsets[i]) : []
		])
	]);
};
var mfra = (trackDatas) => {
	return box("mfra", void 0, [...trackDatas.map(tfra), mfro()]);
};
var tfra = (trackData) => {
	return fullBox("tfra", 1, 0, [
		u32(trackData.track.id),
		u32(63),
		u32(trackData.finalizedChunks.length),
		trackData.finalizedChunks.map((chunk) => [
			u64(intoTimescale(chunk.samples[0].timestamp, trackData.timescale)),
			u64(chunk.moofOffset),
			u32(chunk.trafIndex + 1),
			u32(1),
			u32(1)
		])
	]);
};
var mfro = () => {
	return fullBox("mfro", 0, 0, [u32(0)]);
};
var vtte = () => box("vtte");
var vttc = (payload, timestamp, identifier, settings, sourceId) => box("vttc", void 0, [
	sourceId !== null ? box("vsid", [i32(sourceId)]) : null,
	identifier !== null ? box("iden", [...textEncoder.encode(identifier)]) : null,
	timestamp !== null ? box("ctim", [...textEncoder.encode(formatSubtitleTimestamp(timestamp))]) : null,
	settings !== null ? box("sttg", [...textEncoder.encode(settings)]) : null,
	box("payl", [...textEncoder.encode(payload)])
]);
var vtta = (notes) => box("vtta", [...textEncoder.encode(notes)]);
var udta = (muxer) => {
	const boxes = [];
	const metadataFormat = muxer.format._options.metadataFormat ?? "auto";
	const metadataTags = muxer.output._metadataTags;
	if (metadataFormat === "mdir" || metadataFormat === "auto" && !muxer.isQuickTime) {
		const metaBox = metaMdir(metadataTags);
		if (metaBox) boxes.push(metaBox);
	} else if (metadataFormat === "mdta") {
		const metaBox = metaMdta(metadataTags);
		if (metaBox) boxes.push(metaBox);
	} else if (metadataFormat === "udta" || metadataFormat === "auto" && muxer.isQuickTime) addQuickTimeMetadataTagBoxes(boxes, muxer.output._metadataTags);
	if (boxes.length === 0) return null;
	return box("udta", void 0, boxes);
};
var addQuickTimeMetadataTagBoxes = (boxes, tags) => {
	for (const { key, value } of keyValueIterator(tags)) switch (key) {
		case "title":
			boxes.push(metadataTagStringBoxShort("©nam", value));
			break;
		case "description":
			boxes.push(metadataTagStringBoxShort("©des", value));
			break;
		case "artist":
			boxes.push(metadataTagStringBoxShort("©ART", value));
			break;
		case "album":
			boxes.push(metadataTagStringBoxShort("©alb", value));
			break;
		case "albumArtist":
			boxes.push(metadataTagStringBoxShort("albr", value));
			break;
		case "genre":
			boxes.push(metadataTagStringBoxShort("©gen", value));
			break;
		case "date":
			boxes.push(metadataTagStringBoxShort("©day", value.toISOString().slice(0, 10)));
			break;
		case "comment":
			boxes.push(metadataTagStringBoxShort("©cmt", value));
			break;
		case "lyrics":
			boxes.push(metadataTagStringBoxShort("©lyr", value));
			break;
		case "raw": break;
		case "discNumber":
		case "discsTotal":
		case "trackNumber":
		case "tracksTotal":
		case "beatsPerMinute":
		case "images": break;
		default: assertNever(key);
	}
	if (tags.raw) for (const key in tags.raw) {
		const value = tags.raw[key];
		if (value == null || key.length !== 4 || boxes.some((x) => x.type === key)) continue;
		if (typeof value === "string") boxes.push(metadataTagStringBoxShort(key, value));
		else if (value instanceof Uint8Array) boxes.push(box(key, Array.from(value)));
	}
};
var metadataTagStringBoxShort = (name, value) => {
	const encoded = textEncoder.encode(value);
	return box(name, [
		u16(encoded.length),
		u16(getLanguageCodeInt("und")),
		Array.from(encoded)
	]);
};
var DATA_BOX_MIME_TYPE_MAP = {
	"image/jpeg": 13,
	"image/png": 14,
	"image/bmp": 27
};
var generateMetadataPairs = (tags, isMdta) => {
	const pairs = [];
	for (const { key, value } of keyValueIterator(tags)) switch (key) {
		case "title":
			pairs.push({
				key: isMdta ? "title" : "©nam",
				value: dataStringBoxLong(value)
			});
			break;
		case "description":
			pairs.push({
				key: isMdta ? "description" : "©des",
				value: dataStringBoxLong(value)
			});
			break;
		case "artist":
			pairs.push({
				key: isMdta ? "artist" : "©ART",
				value: dataStringBoxLong(value)
			});
			break;
		case "album":
			pairs.push({
				key: isMdta ? "album" : "©alb",
				value: dataStringBoxLong(value)
			});
			break;
		case "albumArtist":
			pairs.push({
				key: isMdta ? "album_artist" : "aART",
				value: dataStringBoxLong(value)
			});
			break;
		case "comment":
			pairs.push({
				key: isMdta ? "comment" : "©cmt",
				value: dataStringBoxLong(value)
			});
			break;
		case "genre":
			pairs.push({
				key: isMdta ? "genre" : "©gen",
				value: dataStringBoxLong(value)
			});
			break;
		case "beatsPerMinute":
			if (!isMdta) pairs.push({
				key: "tmpo",
				value: box("data", [
					u32(21),
					u32(0),
					u16(value)
				])
			});
			break;
		case "lyrics":
			pairs.push({
				key: isMdta ? "lyrics" : "©lyr",
				value: dataStringBoxLong(value)
			});
			break;
		case "date":
			pairs.push({
				key: isMdta ? "date" : "©day",
				value: dataStringBoxLong(value.toISOString().slice(0, 10))
			});
			break;
		case "images":
			for (const image of value) {
				if (image.kind !== "coverFront") continue;
				pairs.push({
					key: "covr",
					value: box("data", [
						u32(DATA_BOX_MIME_TYPE_MAP[image.mimeType] ?? 0),
						u32(0),
						Array.from(image.data)
					])
				});
			}
			break;
		case "trackNumber":
			if (isMdta) {
				const string = tags.tracksTotal !== void 0 ? `${value}/${tags.tracksTotal}` : value.toString();
				pairs.push({
					key: "track",
					value: dataStringBoxLong(string)
				});
			} else pairs.push({
				key: "trkn",
				value: box("data", [
					u32(0),
					u32(0),
					u16(0),
					u16(value),
					u16(tags.tracksTotal ?? 0),
					u16(0)
				])
			});
			break;
		case "discNumber":
			if (!isMdta) pairs.push({
				key: "disc",
				value: box("data", [
					u32(0),
					u32(0),
					u16(0),
					u16(value),
					u16(tags.discsTotal ?? 0),
					u16(0)
				])
			});
			break;
		case "tracksTotal":
		case "discsTotal": break;
		case "raw": break;
		default: assertNever(key);
	}
	if (tags.raw) for (const key in tags.raw) {
		const value = tags.raw[key];
		if (value == null || !isMdta && key.length !== 4 || pairs.some((x) => x.key === key)) continue;
		if (typeof value === "string") pairs.push({
			key,
			value: dataStringBoxLong(value)
		});
		else if (value instanceof Uint8Array) pairs.push({
			key,
			value: box("data", [
				u32(0),
				u32(0),
				Array.from(value)
			])
		});
		else if (value instanceof RichImageData) pairs.push({
			key,
			value: box("data", [
				u32(DATA_BOX_MIME_TYPE_MAP[value.mimeType] ?? 0),
				u32(0),
				Array.from(value.data)
			])
		});
	}
	return pairs;
};
var metaMdir = (tags) => {
	const pairs = generateMetadataPairs(tags, false);
	if (pairs.length === 0) return null;
	return fullBox("meta", 0, 0, void 0, [hdlr(false, "mdir", "", "appl"), box("ilst", void 0, pairs.map((pair) => box(pair.key, void 0, [pair.value])))]);
};
var metaMdta = (tags) => {
	const pairs = generateMetadataPairs(tags, true);
	if (pairs.length === 0) return null;
	return box("meta", void 0, [
		hdlr(false, "mdta", ""),
		fullBox("keys", 0, 0, [u32(pairs.length)], pairs.map((pair) => box("mdta", [...textEncoder.encode(pair.key)]))),
		box("ilst", void 0, pairs.map((pair, i) => {
			return box(String.fromCharCode(...u32(i + 1)), void 0, [pair.value]);
		}))
	]);
};
var dataStringBoxLong = (value) => {
	return box("data", [
		u32(1),
		u32(0),
		...textEncoder.encode(value)
	]);
};
var videoCodecToBoxName = (codec, fullCodecString) => {
	switch (codec) {
		case "avc": return fullCodecString.startsWith("avc3") ? "avc3" : "avc1";
		case "hevc": return "hvc1";
		case "vp8": return "vp08";
		case "vp9": return "vp09";
		case "av1": return "av01";
		case "prores": return fullCodecString;
	}
};
var VIDEO_CODEC_TO_CONFIGURATION_BOX = {
	avc: avcC,
	hevc: hvcC,
	vp8: vpcC,
	vp9: vpcC,
	av1: av1C,
	prores: null
};
var audioCodecToBoxName = (codec, fullCodecString, isQuickTime) => {
	switch (codec) {
		case "aac": return "mp4a";
		case "mp3": return "mp4a";
		case "opus": return "Opus";
		case "vorbis": return "mp4a";
		case "flac": return "fLaC";
		case "ulaw": return "ulaw";
		case "alaw": return "alaw";
		case "pcm-u8": return "raw ";
		case "pcm-s8": return "sowt";
		case "ac3": return "ac-3";
		case "eac3": return "ec-3";
		case "dts": return fullCodecString;
	}
	if (isQuickTime) switch (codec) {
		case "pcm-s16": return "sowt";
		case "pcm-s16be": return "twos";
		case "pcm-s24": return "in24";
		case "pcm-s24be": return "in24";
		case "pcm-s32": return "in32";
		case "pcm-s32be": return "in32";
		case "pcm-f32": return "fl32";
		case "pcm-f32be": return "fl32";
		case "pcm-f64": return "fl64";
		case "pcm-f64be": return "fl64";
	}
	else switch (codec) {
		case "pcm-s16": return "ipcm";
		case "pcm-s16be": return "ipcm";
		case "pcm-s24": return "ipcm";
		case "pcm-s24be": return "ipcm";
		case "pcm-s32": return "ipcm";
		case "pcm-s32be": return "ipcm";
		case "pcm-f32": return "fpcm";
		case "pcm-f32be": return "fpcm";
		case "pcm-f64": return "fpcm";
		case "pcm-f64be": return "fpcm";
	}
};
var audioCodecToConfigurationBox = (codec, isQuickTime) => {
	switch (codec) {
		case "aac": return esds;
		case "mp3": return esds;
		case "opus": return dOps;
		case "vorbis": return esds;
		case "flac": return dfLa;
		case "ac3": return dac3;
		case "eac3": return dec3;
		case "dts": return ddts;
	}
	if (isQuickTime) switch (codec) {
		case "pcm-s24": return wave;
		case "pcm-s24be": return wave;
		case "pcm-s32": return wave;
		case "pcm-s32be": return wave;
		case "pcm-f32": return wave;
		case "pcm-f32be": return wave;
		case "pcm-f64": return wave;
		case "pcm-f64be": return wave;
	}
	else switch (codec) {
		case "pcm-s16": return pcmC;
		case "pcm-s16be": return pcmC;
		case "pcm-s24": return pcmC;
		case "pcm-s24be": return pcmC;
		case "pcm-s32": return pcmC;
		case "pcm-s32be": return pcmC;
		case "pcm-f32": return pcmC;
		case "pcm-f32be": return pcmC;
		case "pcm-f64": return pcmC;
		case "pcm-f64be": return pcmC;
	}
	return null;
};
var SUBTITLE_CODEC_TO_BOX_NAME = { webvtt: "wvtt" };
var SUBTITLE_CODEC_TO_CONFIGURATION_BOX = { webvtt: vttC };
var getLanguageCodeInt = (code) => {
	assert(code.length === 3);
	let language = 0;
	for (let i = 0; i < 3; i++) {
		language <<= 5;
		language += code.charCodeAt(i) - 96;
	}
	return language;
};
// node_modules/mediabunny/dist/modules/src/writer.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var Writer = class {
	constructor(target, isMonotonic) {
		this.finalized = false;
		this.started = false;
		this.pos = 0;
		this.trackedWrites = null;
		this.trackedStart = -1;
		this.trackedEnd = -1;
		if (target._writerAcquired) throw new Error("Can't have multiple Writers for the same Target.");
		this.target = target;
		target._setMonotonicity(isMonotonic);
		target._writerAcquired = true;
	}
	start() {
		assert(!this.started);
		this.target._start();
		this.started = true;
	}
	write(data) {
		assert(this.started && !this.finalized);
		this.maybeTrackWrites(data);
		this.target._write(data, this.pos);
		this.pos += data.byteLength;
	}
	seek(newPos) {
		this.pos = newPos;
	}
	getPos() {
		return this.pos;
	}
	async flush() {
		assert(this.started && !this.finalized);
		return this.target._flush();
	}
	async finalize() {
		assert(this.started && !this.finalized);
		await this.target._finalize();
		this.finalized = true;
	}
	maybeTrackWrites(data) {
		if (!this.trackedWrites) return;
		let pos = this.getPos();
		if (pos < this.trackedStart) {
			if (pos + data.byteLength <= this.trackedStart) return;
			data = data.subarray(this.trackedStart - pos);
			pos = 0;
		}
		const neededSize = pos + data.byteLength - this.trackedStart;
		let newLength = this.trackedWrites.byteLength;
		while (newLength < neededSize) newLength *= 2;
		if (newLength !== this.trackedWrites.byteLength) {
			const copy = new Uint8Array(newLength);
			copy.set(this.trackedWrites, 0);
			this.trackedWrites = copy;
		}
		this.trackedWrites.set(data, pos - this.trackedStart);
		this.trackedEnd = Math.max(this.trackedEnd, pos + data.byteLength);
	}
	startTrackingWrites() {
		this.trackedWrites = new Uint8Array(1024);
		this.trackedStart = this.getPos();
		this.trackedEnd = this.trackedStart;
	}
	stopTrackingWrites() {
		if (!this.trackedWrites) throw new Error("Internal error: Can't get tracked writes since nothing was tracked.");
		const result = {
			data: this.trackedWrites.subarray(0, this.trackedEnd - this.trackedStart),
			start: this.trackedStart,
			end: this.trackedEnd
		};
		this.trackedWrites = null;
		return result;
	}
};
require___vite_browser_external();
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var Target = class extends EventEmitter {
	constructor() {
		super(...arguments);
		this._writerAcquired = false;
		this._monotonicity = null;
		this.onwrite = null;
	}
	_setMonotonicity(monotonicity) {
		if (this._monotonicity !== false) this._monotonicity = monotonicity;
	}
	_dispatchWrite(start, end) {
		this.onwrite?.(start, end);
		this._emit("write", {
			start,
			end
		});
	}
	slice(offset) {
		if (!Number.isInteger(offset) || offset < 0) throw new TypeError("offset must be a non-negative integer.");
		return new RangedTarget(this, offset);
	}
};
var ARRAY_BUFFER_INITIAL_SIZE = 2 ** 16;
var ARRAY_BUFFER_MAX_SIZE = 2 ** 32;
var BufferTarget = class extends Target {
	constructor(options = {}) {
		super();
		this.buffer = null;
		this._maxPos = 0;
		if (!options || typeof options !== "object") throw new TypeError("BufferTarget options, when provided, must be an object.");
		if (options.onFinalize !== void 0 && typeof options.onFinalize !== "function") throw new TypeError("options.onFinalize, when provided, must be a function.");
		this._options = options;
		this._supportsResize = "resize" in new ArrayBuffer(0);
		if (this._supportsResize) try {
			this._buffer = new ArrayBuffer(ARRAY_BUFFER_INITIAL_SIZE, { maxByteLength: ARRAY_BUFFER_MAX_SIZE });
		} catch {
			this._buffer = new ArrayBuffer(ARRAY_BUFFER_INITIAL_SIZE);
			this._supportsResize = false;
		}
		else this._buffer = new ArrayBuffer(ARRAY_BUFFER_INITIAL_SIZE);
		this._bytes = new Uint8Array(this._buffer);
	}
	_ensureSize(size) {
		let newLength = this._buffer.byteLength;
		while (newLength < size) newLength *= 2;
		if (newLength === this._buffer.byteLength) return;
		if (newLength > ARRAY_BUFFER_MAX_SIZE) throw new Error(`ArrayBuffer exceeded maximum size of ${ARRAY_BUFFER_MAX_SIZE} bytes. Please consider using another target.`);
		if (this._supportsResize) this._buffer.resize(newLength);
		else {
			const newBuffer = new ArrayBuffer(newLength);
			const newBytes = new Uint8Array(newBuffer);
			newBytes.set(this._bytes, 0);
			this._buffer = newBuffer;
			this._bytes = newBytes;
		}
	}
	_start() {}
	_write(data, pos) {
		this._ensureSize(pos + data.byteLength);
		this._bytes.set(data, pos);
		this._maxPos = Math.max(this._maxPos, pos + data.byteLength);
		this._dispatchWrite(pos, pos + data.byteLength);
	}
	async _flush() {}
	async _finalize() {
		this.buffer = this._buffer.slice(0, this._maxPos);
		if (this._options.onFinalize) await this._options.onFinalize(this.buffer);
		this._emit("finalized");
	}
	async _close() {}
	_getSlice(start, end) {
		return this._bytes.slice(start, end);
	}
};
var RangedTarget = class extends Target {
	constructor(baseTarget, offset) {
		super();
		this._baseTarget = baseTarget;
		this._offset = offset;
	}
	_start() {}
	_write(data, pos) {
		this._baseTarget._write(data, this._offset + pos);
		this._dispatchWrite(pos, pos + data.byteLength);
	}
	_flush() {
		return this._baseTarget._flush();
	}
	async _finalize() {
		this._emit("finalized");
	}
	async _close() {}
	_setMonotonicity(monotonicity) {
		super._setMonotonicity(monotonicity);
		this._baseTarget._setMonotonicity(monotonicity);
	}
};
var PathedTarget = class {
	constructor(rootPath, getTarget) {
		this.rootPath = rootPath;
		this.getTarget = getTarget;
		if (typeof rootPath !== "string") throw new TypeError("rootPath must be a string.");
		if (typeof getTarget !== "function") throw new TypeError("getTarget must be a function.");
	}
};
// node_modules/mediabunny/dist/modules/src/isobmff/isobmff-muxer.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var GLOBAL_TIMESCALE = 57600;
var TIMESTAMP_OFFSET = 2082844800;
var getTrackMetadata = (trackData) => {
	const metadata = {};
	const track = trackData.track;
	if (track.metadata.name !== void 0) metadata.name = track.metadata.name;
	return metadata;
};
var intoTimescale = (timeInSeconds, timescale, round = true) => {
	const value = timeInSeconds * timescale;
	return round ? Math.round(value) : value;
};
var presentationSpan = (trackData) => {
	if (trackData.samples.length === 0) return 0;
	let minTimestamp = Infinity;
	let maxEndTimestamp = -Infinity;
	for (let i = 0; i < trackData.samples.length; i++) {
		const sample = trackData.samples[i];
		if (sample.timestamp < minTimestamp) minTimestamp = sample.timestamp;
		if (sample.timestamp + sample.duration > maxEndTimestamp) maxEndTimestamp = sample.timestamp + sample.duration;
	}
	if (minTimestamp === Infinity) return 0;
	return maxEndTimestamp - minTimestamp;
};
var IsobmffMuxer = class extends Muxer {
	constructor(output, format) {
		super(output);
		this.writer = null;
		this.boxWriter = null;
		this.initWriter = null;
		this.initBoxWriter = null;
		this.auxTarget = new BufferTarget();
		this.auxWriter = new Writer(this.auxTarget, false);
		this.auxBoxWriter = new IsobmffBoxWriter(this.auxWriter);
		this.mdat = null;
		this.ftypSize = null;
		this.trackDatas = [];
		this.allTracksKnown = promiseWithResolvers();
		this.creationTime = Math.floor(Date.now() / 1e3) + TIMESTAMP_OFFSET;
		this.finalizedChunks = [];
		this.wroteFragmentedHeader = false;
		this.nextFragmentNumber = 1;
		this.maxWrittenTimestamp = -Infinity;
		this.minWrittenTimestamp = Infinity;
		this.maxWrittenEndTimestamp = -Infinity;
		this.segmentHeaderSize = null;
		this.format = format;
		this.formatOptions = { ...format._options };
		this.isQuickTime = format instanceof MovOutputFormat;
		this.isCmaf = format instanceof CmafOutputFormat;
		this.minimumFragmentDuration = this.formatOptions.minimumFragmentDuration ?? (format instanceof CmafOutputFormat ? Infinity : 1);
		this.auxWriter.start();
	}
	async start() {
		const release = await this.mutex.acquire();
		if (!this.isCmaf) {
			this.writer = await this.output._getRootWriter((target) => this.formatOptions.fastStart !== void 0 ? this.formatOptions.fastStart === "fragmented" : target instanceof BufferTarget);
			this.boxWriter = new IsobmffBoxWriter(this.writer);
			this.fastStart = this.formatOptions.fastStart ?? (this.writer.target instanceof BufferTarget ? "in-memory" : false);
			this.isFragmented = this.fastStart === "fragmented";
		} else {
			this.fastStart = "fragmented";
			this.isFragmented = true;
		}
		if (this.isCmaf) {
			if (!this.output._hasInitTarget()) throw new Error("CMAF outputs require the initTarget field in OutputOptions to be set; the init segment will be written to it.");
			const initWriter = new Writer(await this.output._getInitTarget(), true);
			initWriter.start();
			this.initWriter = initWriter;
			this.initBoxWriter = new IsobmffBoxWriter(initWriter);
		}
		const holdsAvc = this.output.tracks.some((x) => x.isVideoTrack() && x.source._codec === "avc");
		{
			const boxWriter = this.initBoxWriter ?? this.boxWriter;
			assert(boxWriter);
			if (this.formatOptions.onFtyp) boxWriter.writer.startTrackingWrites();
			boxWriter.writeBox(ftyp({
				isQuickTime: this.isQuickTime,
				holdsAvc,
				fragmented: this.isFragmented,
				cmaf: this.isCmaf
			}));
			if (this.formatOptions.onFtyp) {
				const { data, start } = boxWriter.writer.stopTrackingWrites();
				this.formatOptions.onFtyp(data, start);
			}
			this.ftypSize = boxWriter.writer.getPos();
			if (this.isCmaf) await this.initWriter.flush();
		}
		if (this.fastStart === "in-memory") {} else if (this.fastStart === "reserve") {
			for (const track of this.output.tracks) if (track.metadata.maximumPacketCount === void 0) throw new Error("All tracks must specify maximumPacketCount in their metadata when using fastStart: 'reserve'.");
		} else if (this.isFragmented) {} else {
			assert(this.writer);
			assert(this.boxWriter);
			if (this.formatOptions.onMdat) this.writer.startTrackingWrites();
			this.mdat = mdat(true);
			this.boxWriter.writeBox(this.mdat);
		}
		await this.writer?.flush();
		for (const track of this.output.tracks) if (track.isVideoTrack() && track.metadata.decoderConfig) this.getVideoTrackData(track, track.metadata.primingPacket ?? null, { decoderConfig: track.metadata.decoderConfig });
		else if (track.isAudioTrack() && track.metadata.decoderConfig) this.getAudioTrackData(track, track.metadata.primingPacket ?? null, { decoderConfig: track.metadata.decoderConfig });
		release();
	}
	allTracksAreKnown() {
		for (const track of this.output.tracks) if (!track.source._closed && !this.trackDatas.some((x) => x.track === track)) return false;
		return true;
	}
	async getMimeType() {
		await this.allTracksKnown.promise;
		const codecStrings = this.trackDatas.map((trackData) => {
			if (trackData.type === "video") return trackData.info.decoderConfig.codec;
			else if (trackData.type === "audio") return trackData.info.decoderConfig.codec;
			else return { webvtt: "wvtt" }[trackData.track.source._codec];
		});
		return buildIsobmffMimeType({
			isQuickTime: this.isQuickTime,
			hasVideo: this.trackDatas.some((x) => x.type === "video"),
			hasAudio: this.trackDatas.some((x) => x.type === "audio"),
			codecStrings
		});
	}
	getVideoTrackData(track, packet, meta) {
		const existingTrackData = this.trackDatas.find((x) => x.track === track);
		if (existingTrackData) return existingTrackData;
		validateVideoChunkMetadata(meta, track.source._codec);
		assert(meta);
		assert(meta.decoderConfig);
		const decoderConfig = { ...meta.decoderConfig };
		assert(decoderConfig.codedWidth !== void 0);
		assert(decoderConfig.codedHeight !== void 0);
		let requiresAnnexBTransformation = false;
		if (track.source._codec === "avc" && !decoderConfig.description) {
			if (!packet) throw new Error("No AVC description provided; you must therefore provide a priming packet.");
			const decoderConfigurationRecord = extractAvcDecoderConfigurationRecord(packet.data);
			if (!decoderConfigurationRecord) throw new Error("Couldn't extract an AVCDecoderConfigurationRecord from the AVC packet. Make sure the packets are in Annex B format (as specified in ITU-T-REC-H.264) when not providing a description, or provide a description (must be an AVCDecoderConfigurationRecord as specified in ISO 14496-15) and ensure the packets are in AVCC format.");
			decoderConfig.description = serializeAvcDecoderConfigurationRecord(decoderConfigurationRecord);
			requiresAnnexBTransformation = true;
		} else if (track.source._codec === "hevc" && !decoderConfig.description) {
			if (!packet) throw new Error("No HEVC description provided; you must therefore provide a priming packet.");
			const decoderConfigurationRecord = extractHevcDecoderConfigurationRecord(packet.data);
			if (!decoderConfigurationRecord) throw new Error("Couldn't extract an HEVCDecoderConfigurationRecord from the HEVC packet. Make sure the packets are in Annex B format (as specified in ITU-T-REC-H.265) when not providing a description, or provide a description (must be an HEVCDecoderConfigurationRecord as specified in ISO 14496-15) and ensure the packets are in HEVC format.");
			decoderConfig.description = serializeHevcDecoderConfigurationRecord(decoderConfigurationRecord);
			requiresAnnexBTransformation = true;
		}
		const timescale = computeRationalApproximation(1 / (track.metadata.frameRate ?? 57600), 1e6).den;
		const displayAspectWidth = decoderConfig.displayAspectWidth;
		const displayAspectHeight = decoderConfig.displayAspectHeight;
		const pixelAspectRatio = displayAspectWidth === void 0 || displayAspectHeight === void 0 ? {
			num: 1,
			den: 1
		} : simplifyRational({
			num: displayAspectWidth * decoderConfig.codedHeight,
			den: displayAspectHeight * decoderConfig.codedWidth
		});
		const hasAlphaChannel = decoderConfig.codec === "ap4h" || decoderConfig.codec === "ap4x";
		const newTrackData = {
			muxer: this,
			track,
			type: "video",
			info: {
				width: decoderConfig.codedWidth,
				height: decoderConfig.codedHeight,
				pixelAspectRatio,
				decoderConfig,
				requiresAnnexBTransformation,
				hasAlphaChannel
			},
			timescale,
			samples: [],
			sampleQueue: [],
			timestampProcessingQueue: [],
			timeToSampleTable: [],
			compositionTimeOffsetTable: [],
			lastTimescaleUnits: null,
			lastSample: null,
			startTimestampOffset: null,
			finalizedChunks: [],
			currentChunk: null,
			compactlyCodedChunkTable: [],
			closed: false,
			avgBitrate: track.source._nominalBitrate ?? track.metadata.averageBitrate ?? 0,
			maxBitrate: track.source._nominalBitrate ?? track.metadata.bitrate ?? 0
		};
		this.trackDatas.push(newTrackData);
		this.trackDatas.sort((a, b) => a.track.id - b.track.id);
		if (this.allTracksAreKnown()) this.allTracksKnown.resolve();
		return newTrackData;
	}
	getAudioTrackData(track, packet, meta) {
		const existingTrackData = this.trackDatas.find((x) => x.track === track);
		if (existingTrackData) return existingTrackData;
		validateAudioChunkMetadata(meta, track.source._codec);
		assert(meta);
		assert(meta.decoderConfig);
		const decoderConfig = { ...meta.decoderConfig };
		let requiresAdtsStripping = false;
		if (track.source._codec === "aac" && !decoderConfig.description) {
			if (!packet) throw new Error("No AAC description provided; you must therefore provide a priming packet.");
			const adtsFrame = readAdtsFrameHeader(FileSlice.tempFromBytes(packet.data));
			if (!adtsFrame) throw new Error("Couldn't parse ADTS header from the AAC packet. Make sure the packets are in ADTS format (as specified in ISO 13818-7) when not providing a description, or provide a description (must be an AudioSpecificConfig as specified in ISO 14496-3) and ensure the packets are raw AAC data.");
			const sampleRate = aacFrequencyTable[adtsFrame.samplingFrequencyIndex];
			const numberOfChannels = aacChannelMap[adtsFrame.channelConfiguration];
			if (sampleRate === void 0 || numberOfChannels === void 0) throw new Error("Invalid ADTS frame header.");
			decoderConfig.description = buildAacAudioSpecificConfig({
				objectType: adtsFrame.objectType,
				outputSampleRate: sampleRate,
				outputNumberOfChannels: numberOfChannels
			});
			requiresAdtsStripping = true;
		}
		if (!packet) {
			if (track.source._codec === "ac3" || track.source._codec === "eac3") throw new Error("AC-3/E-AC-3 require a priming packet.");
			if (track.source._codec === "dts") throw new Error("DTS requires a priming packet.");
		}
		const newTrackData = {
			muxer: this,
			track,
			type: "audio",
			info: {
				numberOfChannels: meta.decoderConfig.numberOfChannels,
				sampleRate: meta.decoderConfig.sampleRate,
				decoderConfig,
				requiresPcmTransformation: !this.isFragmented && PCM_AUDIO_CODECS.includes(track.source._codec),
				expectedNextPcmPacketTimestamp: null,
				requiresAdtsStripping,
				primingPacket: packet
			},
			timescale: decoderConfig.sampleRate,
			samples: [],
			sampleQueue: [],
			timestampProcessingQueue: [],
			timeToSampleTable: [],
			compositionTimeOffsetTable: [],
			lastTimescaleUnits: null,
			lastSample: null,
			startTimestampOffset: null,
			finalizedChunks: [],
			currentChunk: null,
			compactlyCodedChunkTable: [],
			closed: false,
			avgBitrate: track.source._nominalBitrate ?? track.metadata.averageBitrate ?? 0,
			maxBitrate: track.source._nominalBitrate ?? track.metadata.bitrate ?? 0
		};
		this.trackDatas.push(newTrackData);
		this.trackDatas.sort((a, b) => a.track.id - b.track.id);
		if (this.allTracksAreKnown()) this.allTracksKnown.resolve();
		return newTrackData;
	}
	getSubtitleTrackData(track, meta) {
		const existingTrackData = this.trackDatas.find((x) => x.track === track);
		if (existingTrackData) return existingTrackData;
		validateSubtitleMetadata(meta);
		assert(meta);
		assert(meta.config);
		const newTrackData = {
			muxer: this,
			track,
			type: "subtitle",
			info: { config: meta.config },
			timescale: 1e3,
			samples: [],
			sampleQueue: [],
			timestampProcessingQueue: [],
			timeToSampleTable: [],
			compositionTimeOffsetTable: [],
			lastTimescaleUnits: null,
			lastSample: null,
			startTimestampOffset: null,
			finalizedChunks: [],
			currentChunk: null,
			compactlyCodedChunkTable: [],
			closed: false,
			avgBitrate: track.source._nominalBitrate ?? track.metadata.averageBitrate ?? 0,
			maxBitrate: track.source._nominalBitrate ?? track.metadata.bitrate ?? 0,
			lastCueEndTimestamp: null,
			cueQueue: [],
			nextSourceId: 0,
			cueToSourceId: new WeakMap()
		};
		this.trackDatas.push(newTrackData);
		this.trackDatas.sort((a, b) => a.track.id - b.track.id);
		if (this.allTracksAreKnown()) this.allTracksKnown.resolve();
		return newTrackData;
	}
	async addEncodedVideoPacket(track, packet, meta) {
		const release = await this.mutex.acquire();
		try {
			const trackData = this.getVideoTrackData(track, packet, meta);
			let packetData = packet.data;
			if (trackData.info.requiresAnnexBTransformation) {
				const nalUnits = [...iterateNalUnitsInAnnexB(packetData)].map((loc) => packetData.subarray(loc.offset, loc.offset + loc.length));
				if (nalUnits.length === 0) throw new Error("Failed to transform packet data. Make sure all packets are provided in Annex B format, as specified in ITU-T-REC-H.264 and ITU-T-REC-H.265.");
				packetData = concatNalUnitsInLengthPrefixed(nalUnits, 4);
			}
			this.validateTimestamp(trackData.track, packet.timestamp, packet.type === "key");
			const internalSample = this.createSampleForTrack(trackData, packetData, packet.timestamp, packet.duration, packet.type);
			await this.registerSample(trackData, internalSample);
		} finally {
			release();
		}
	}
	async addEncodedAudioPacket(track, packet, meta) {
		const release = await this.mutex.acquire();
		try {
			const trackData = this.getAudioTrackData(track, packet, meta);
			let packetData = packet.data;
			if (trackData.info.requiresAdtsStripping) {
				const adtsFrame = readAdtsFrameHeader(FileSlice.tempFromBytes(packetData));
				if (!adtsFrame) throw new Error("Expected ADTS frame, didn't get one.");
				const headerLength = adtsFrame.crcCheck === null ? 7 : 9;
				packetData = packetData.subarray(headerLength);
			}
			this.validateTimestamp(trackData.track, packet.timestamp, packet.type === "key");
			let timestamp = packet.timestamp;
			let duration = packet.duration;
			if (trackData.info.requiresPcmTransformation) {
				const frameSize = parsePcmCodec(trackData.info.decoderConfig.codec).sampleSize * trackData.info.numberOfChannels;
				duration = packetData.byteLength / frameSize / trackData.info.sampleRate;
				if (trackData.info.expectedNextPcmPacketTimestamp !== null) {
					const diff = timestamp - trackData.info.expectedNextPcmPacketTimestamp;
					if (diff < .01) timestamp = trackData.info.expectedNextPcmPacketTimestamp;
					else {
						const paddedDuration = await this.padWithSilence(trackData, trackData.info.expectedNextPcmPacketTimestamp, diff);
						timestamp = trackData.info.expectedNextPcmPacketTimestamp + paddedDuration;
					}
				}
				trackData.info.expectedNextPcmPacketTimestamp = timestamp + duration;
			}
			const internalSample = this.createSampleForTrack(trackData, packetData, timestamp, duration, packet.type);
			await this.registerSample(trackData, internalSample);
		} finally {
			release();
		}
	}
	async padWithSilence(trackData, timestamp, duration) {
		const deltaInTimescale = intoTimescale(duration, trackData.timescale);
		duration = deltaInTimescale / trackData.timescale;
		if (deltaInTimescale > 0) {
			const { sampleSize, silentValue } = parsePcmCodec(trackData.info.decoderConfig.codec);
			const samplesNeeded = deltaInTimescale * trackData.info.numberOfChannels;
			const data = new Uint8Array(sampleSize * samplesNeeded).fill(silentValue);
			const paddingSample = this.createSampleForTrack(trackData, new Uint8Array(data.buffer), timestamp, duration, "key");
			await this.registerSample(trackData, paddingSample);
		}
		return duration;
	}
	async addSubtitleCue(track, cue, meta) {
		const release = await this.mutex.acquire();
		try {
			const trackData = this.getSubtitleTrackData(track, meta);
			this.validateTimestamp(trackData.track, cue.timestamp, true);
			if (track.source._codec === "webvtt") {
				trackData.cueQueue.push(cue);
				await this.processWebVTTCues(trackData, cue.timestamp);
			}
		} finally {
			release();
		}
	}
	async processWebVTTCues(trackData, until) {
		while (trackData.cueQueue.length > 0) {
			trackData.lastCueEndTimestamp ??= Math.min(0, trackData.cueQueue[0].timestamp);
			const timestamps = new Set([]);
			for (const cue of trackData.cueQueue) {
				assert(cue.timestamp <= until);
				assert(trackData.lastCueEndTimestamp <= cue.timestamp + cue.duration);
				timestamps.add(Math.max(cue.timestamp, trackData.lastCueEndTimestamp));
				timestamps.add(cue.timestamp + cue.duration);
			}
			const sortedTimestamps = [...timestamps].sort((a, b) => a - b);
			const sampleStart = sortedTimestamps[0];
			const sampleEnd = sortedTimestamps[1] ?? sampleStart;
			if (until < sampleEnd) break;
			if (trackData.lastCueEndTimestamp < sampleStart) {
				this.auxWriter.seek(0);
				const box = vtte();
				this.auxBoxWriter.writeBox(box);
				const body = this.auxTarget._getSlice(0, this.auxWriter.getPos());
				const sample = this.createSampleForTrack(trackData, body, trackData.lastCueEndTimestamp, sampleStart - trackData.lastCueEndTimestamp, "key");
				await this.registerSample(trackData, sample);
				trackData.lastCueEndTimestamp = sampleStart;
			}
			this.auxWriter.seek(0);
			for (let i = 0; i < trackData.cueQueue.length; i++) {
				const cue = trackData.cueQueue[i];
				if (cue.timestamp >= sampleEnd) break;
				inlineTimestampRegex.lastIndex = 0;
				const containsTimestamp = inlineTimestampRegex.test(cue.text);
				const endTimestamp = cue.timestamp + cue.duration;
				let sourceId = trackData.cueToSourceId.get(cue);
				if (sourceId === void 0 && sampleEnd < endTimestamp) {
					sourceId = trackData.nextSourceId++;
					trackData.cueToSourceId.set(cue, sourceId);
				}
				if (cue.notes) {
					const box = vtta(cue.notes);
					this.auxBoxWriter.writeBox(box);
				}
				const box = vttc(cue.text, containsTimestamp ? sampleStart : null, cue.identifier ?? null, cue.settings ?? null, sourceId ?? null);
				this.auxBoxWriter.writeBox(box);
				if (endTimestamp === sampleEnd) trackData.cueQueue.splice(i--, 1);
			}
			const body = this.auxTarget._getSlice(0, this.auxWriter.getPos());
			const sample = this.createSampleForTrack(trackData, body, sampleStart, sampleEnd - sampleStart, "key");
			await this.registerSample(trackData, sample);
			trackData.lastCueEndTimestamp = sampleEnd;
		}
	}
	createSampleForTrack(trackData, data, timestamp, duration, type) {
		return {
			timestamp,
			decodeTimestamp: timestamp,
			duration,
			data,
			size: data.byteLength,
			type,
			timescaleUnitsToNextSample: intoTimescale(duration, trackData.timescale)
		};
	}
	processTimestamps(trackData, nextSample) {
		if (trackData.timestampProcessingQueue.length === 0) return;
		if (trackData.type === "audio" && trackData.info.requiresPcmTransformation) {
			assert(!this.isFragmented);
			trackData.startTimestampOffset ??= trackData.timestampProcessingQueue[0].timestamp;
			let totalDuration = 0;
			for (let i = 0; i < trackData.timestampProcessingQueue.length; i++) {
				const sample = trackData.timestampProcessingQueue[i];
				const duration = intoTimescale(sample.duration, trackData.timescale);
				totalDuration += duration;
			}
			if (trackData.timeToSampleTable.length === 0) trackData.timeToSampleTable.push({
				sampleCount: totalDuration,
				sampleDelta: 1
			});
			else {
				const lastEntry = last(trackData.timeToSampleTable);
				lastEntry.sampleCount += totalDuration;
			}
			trackData.timestampProcessingQueue.length = 0;
			return;
		}
		const sortedTimestamps = trackData.timestampProcessingQueue.map((x) => x.timestamp).sort((a, b) => a - b);
		if (this.isFragmented) trackData.startTimestampOffset ??= Math.min(sortedTimestamps[0], 0);
		else trackData.startTimestampOffset ??= sortedTimestamps[0];
		for (let i = 0; i < trackData.timestampProcessingQueue.length; i++) {
			const sample = trackData.timestampProcessingQueue[i];
			sample.decodeTimestamp = sortedTimestamps[i];
			const sampleCompositionTimeOffset = intoTimescale(sample.timestamp - sample.decodeTimestamp, trackData.timescale);
			const durationInTimescale = intoTimescale(sample.duration, trackData.timescale);
			if (trackData.lastTimescaleUnits !== null) {
				assert(trackData.lastSample);
				const timescaleUnits = intoTimescale(sample.decodeTimestamp, trackData.timescale, false);
				const delta = Math.round(timescaleUnits - trackData.lastTimescaleUnits);
				assert(delta >= 0);
				trackData.lastTimescaleUnits += delta;
				trackData.lastSample.timescaleUnitsToNextSample = delta;
				if (!this.isFragmented) {
					let lastTableEntry = last(trackData.timeToSampleTable);
					assert(lastTableEntry);
					if (lastTableEntry.sampleCount === 1) {
						lastTableEntry.sampleDelta = delta;
						const entryBefore = trackData.timeToSampleTable[trackData.timeToSampleTable.length - 2];
						if (entryBefore && entryBefore.sampleDelta === delta) {
							entryBefore.sampleCount++;
							trackData.timeToSampleTable.pop();
							lastTableEntry = entryBefore;
						}
					} else if (lastTableEntry.sampleDelta !== delta) {
						lastTableEntry.sampleCount--;
						trackData.timeToSampleTable.push(lastTableEntry = {
							sampleCount: 1,
							sampleDelta: delta
						});
					}
					if (lastTableEntry.sampleDelta === durationInTimescale) lastTableEntry.sampleCount++;
					else trackData.timeToSampleTable.push({
						sampleCount: 1,
						sampleDelta: durationInTimescale
					});
					const lastCompositionTimeOffsetTableEntry = last(trackData.compositionTimeOffsetTable);
					assert(lastCompositionTimeOffsetTableEntry);
					if (lastCompositionTimeOffsetTableEntry.sampleCompositionTimeOffset === sampleCompositionTimeOffset) lastCompositionTimeOffsetTableEntry.sampleCount++;
					else trackData.compositionTimeOffsetTable.push({
						sampleCount: 1,
						sampleCompositionTimeOffset
					});
				}
			} else {
				trackData.lastTimescaleUnits = intoTimescale(sample.decodeTimestamp, trackData.timescale, false);
				if (!this.isFragmented) {
					trackData.timeToSampleTable.push({
						sampleCount: 1,
						sampleDelta: durationInTimescale
					});
					trackData.compositionTimeOffsetTable.push({
						sampleCount: 1,
						sampleCompositionTimeOffset
					});
				}
			}
			trackData.lastSample = sample;
		}
		trackData.timestampProcessingQueue.length = 0;
		assert(trackData.lastSample);
		assert(trackData.lastTimescaleUnits !== null);
		if (nextSample !== void 0 && trackData.lastSample.timescaleUnitsToNextSample === 0) {
			assert(nextSample.type === "key");
			const timescaleUnits = intoTimescale(nextSample.timestamp, trackData.timescale, false);
			const delta = Math.round(timescaleUnits - trackData.lastTimescaleUnits);
			trackData.lastSample.timescaleUnitsToNextSample = delta;
		}
	}
	async registerSample(trackData, sample) {
		if (sample.type === "key") this.processTimestamps(trackData, sample);
		trackData.timestampProcessingQueue.push(sample);
		if (this.isFragmented) {
			trackData.sampleQueue.push(sample);
			await this.interleaveSamples();
		} else if (this.fastStart === "reserve") await this.registerSampleFastStartReserve(trackData, sample);
		else await this.addSampleToTrack(trackData, sample);
	}
	async addSampleToTrack(trackData, sample) {
		if (!this.isFragmented) {
			trackData.samples.push(sample);
			if (this.fastStart === "reserve") {
				const maximumPacketCount = trackData.track.metadata.maximumPacketCount;
				assert(maximumPacketCount !== void 0);
				if (trackData.samples.length > maximumPacketCount) throw new Error(`Track #${trackData.track.id} has already reached the maximum packet count (${maximumPacketCount}). Either add less packets or increase the maximum packet count.`);
			}
		}
		let beginNewChunk = false;
		if (!trackData.currentChunk) beginNewChunk = true;
		else {
			trackData.currentChunk.startTimestamp = Math.min(trackData.currentChunk.startTimestamp, sample.timestamp);
			const currentChunkDuration = sample.timestamp - trackData.currentChunk.startTimestamp;
			if (this.isFragmented) {
				const keyFrameQueuedEverywhere = this.trackDatas.every((otherTrackData) => {
					if (trackData === otherTrackData) return sample.type === "key";
					const firstQueuedSample = otherTrackData.sampleQueue[0];
					if (firstQueuedSample) return firstQueuedSample.type === "key";
					return otherTrackData.closed;
				});
				if (currentChunkDuration >= this.minimumFragmentDuration && keyFrameQueuedEverywhere && sample.timestamp > this.maxWrittenTimestamp) {
					beginNewChunk = true;
					await this.finalizeFragment();
				}
			} else beginNewChunk = currentChunkDuration >= .5;
		}
		if (beginNewChunk) {
			if (trackData.currentChunk) await this.finalizeCurrentChunk(trackData);
			trackData.currentChunk = {
				startTimestamp: sample.timestamp,
				samples: [],
				offset: null,
				moofOffset: null,
				trafIndex: null
			};
		}
		assert(trackData.currentChunk);
		trackData.currentChunk.samples.push(sample);
		if (this.isFragmented) {
			this.maxWrittenTimestamp = Math.max(this.maxWrittenTimestamp, sample.timestamp);
			this.maxWrittenEndTimestamp = Math.max(this.maxWrittenEndTimestamp, sample.timestamp + sample.duration);
			this.minWrittenTimestamp = Math.min(this.minWrittenTimestamp, sample.timestamp);
		}
	}
	async finalizeCurrentChunk(trackData) {
		assert(!this.isFragmented);
		assert(this.writer);
		if (!trackData.currentChunk) return;
		trackData.finalizedChunks.push(trackData.currentChunk);
		this.finalizedChunks.push(trackData.currentChunk);
		let sampleCount = trackData.currentChunk.samples.length;
		if (trackData.type === "audio" && trackData.info.requiresPcmTransformation) sampleCount = trackData.currentChunk.samples.reduce((acc, sample) => acc + intoTimescale(sample.duration, trackData.timescale), 0);
		if (trackData.compactlyCodedChunkTable.length === 0 || last(trackData.compactlyCodedChunkTable).samplesPerChunk !== sampleCount) trackData.compactlyCodedChunkTable.push({
			firstChunk: trackData.finalizedChunks.length,
			samplesPerChunk: sampleCount
		});
		if (this.fastStart === "in-memory") {
			trackData.currentChunk.offset = 0;
			return;
		}
		trackData.currentChunk.offset = this.writer.getPos();
		for (const sample of trackData.currentChunk.samples) {
			assert(sample.data);
			this.writer.write(sample.data);
			sample.data = null;
		}
		await this.writer.flush();
	}
	async interleaveSamples(isFinalCall = false) {
		assert(this.isFragmented);
		if (!isFinalCall && !this.allTracksAreKnown()) return;
		outer: while (true) {
			let trackWithMinTimestamp = null;
			let minTimestamp = Infinity;
			for (const trackData of this.trackDatas) {
				if (!isFinalCall && trackData.sampleQueue.length === 0 && !trackData.closed) break outer;
				if (trackData.sampleQueue.length > 0 && trackData.sampleQueue[0].timestamp < minTimestamp) {
					trackWithMinTimestamp = trackData;
					minTimestamp = trackData.sampleQueue[0].timestamp;
				}
			}
			if (!trackWithMinTimestamp) break;
			const sample = trackWithMinTimestamp.sampleQueue.shift();
			await this.addSampleToTrack(trackWithMinTimestamp, sample);
		}
	}
	async finalizeFragment(flushWriter = !this.isCmaf) {
		assert(this.isFragmented);
		if (!this.wroteFragmentedHeader) {
			this.wroteFragmentedHeader = true;
			const boxWriter = this.initBoxWriter ?? this.boxWriter;
			assert(boxWriter);
			if (this.formatOptions.onMoov) boxWriter.writer.startTrackingWrites();
			this.ensureOneEnabledTrack();
			const movieBox = moov(this);
			boxWriter.writeBox(movieBox);
			if (this.formatOptions.onMoov) {
				const { data, start } = boxWriter.writer.stopTrackingWrites();
				this.formatOptions.onMoov(data, start);
			}
			if (this.isCmaf) {
				assert(this.initWriter);
				await this.initWriter.flush();
				await this.initWriter.finalize();
				this.writer = await this.output._getRootWriter(true);
				this.boxWriter = new IsobmffBoxWriter(this.writer);
				const stypSize = this.boxWriter.measureBox(styp());
				const sidxSize = this.boxWriter.measureBox(sidx(this, 0));
				this.segmentHeaderSize = stypSize + sidxSize;
				this.writer.seek(this.segmentHeaderSize);
			}
		}
		assert(this.writer);
		assert(this.boxWriter);
		const tracksInFragment = this.trackDatas.filter((x) => x.currentChunk);
		if (tracksInFragment.length === 0) {
			if (flushWriter) await this.writer.flush();
			return;
		}
		const fragmentNumber = this.nextFragmentNumber++;
		const moofBox = moof(fragmentNumber, tracksInFragment);
		const moofOffset = this.writer.getPos();
		const mdatStartPos = moofOffset + this.boxWriter.measureBox(moofBox);
		let currentPos = mdatStartPos + 8;
		let fragmentStartTimestamp = Infinity;
		for (let i = 0; i < tracksInFragment.length; i++) {
			const trackData = tracksInFragment[i];
			assert(trackData.currentChunk);
			assert(trackData.startTimestampOffset !== null);
			trackData.currentChunk.offset = currentPos;
			trackData.currentChunk.moofOffset = moofOffset;
			trackData.currentChunk.trafIndex = i;
			trackData.currentChunk.startTimestamp -= trackData.startTimestampOffset;
			for (const sample of trackData.currentChunk.samples) {
				currentPos += sample.size;
				sample.timestamp -= trackData.startTimestampOffset;
				sample.decodeTimestamp -= trackData.startTimestampOffset;
			}
			fragmentStartTimestamp = Math.min(fragmentStartTimestamp, trackData.currentChunk.startTimestamp);
		}
		const mdatSize = currentPos - mdatStartPos;
		const needsLargeMdatSize = mdatSize >= 2 ** 32;
		if (needsLargeMdatSize) for (const trackData of tracksInFragment) trackData.currentChunk.offset += 8;
		if (this.formatOptions.onMoof) this.writer.startTrackingWrites();
		const newMoofBox = moof(fragmentNumber, tracksInFragment);
		this.boxWriter.writeBox(newMoofBox);
		if (this.formatOptions.onMoof) {
			const { data, start } = this.writer.stopTrackingWrites();
			this.formatOptions.onMoof(data, start, fragmentStartTimestamp);
		}
		assert(this.writer.getPos() === mdatStartPos);
		if (this.formatOptions.onMdat) this.writer.startTrackingWrites();
		const mdatBox = mdat(needsLargeMdatSize);
		mdatBox.size = mdatSize;
		this.boxWriter.writeBox(mdatBox);
		this.writer.seek(mdatStartPos + (needsLargeMdatSize ? 16 : 8));
		for (const trackData of tracksInFragment) for (const sample of trackData.currentChunk.samples) {
			this.writer.write(sample.data);
			sample.data = null;
		}
		if (this.formatOptions.onMdat) {
			const { data, start } = this.writer.stopTrackingWrites();
			this.formatOptions.onMdat(data, start);
		}
		for (const trackData of tracksInFragment) {
			trackData.finalizedChunks.push(trackData.currentChunk);
			this.finalizedChunks.push(trackData.currentChunk);
			trackData.currentChunk = null;
		}
		if (flushWriter) await this.writer.flush();
	}
	async registerSampleFastStartReserve(trackData, sample) {
		if (this.allTracksAreKnown()) {
			if (!this.mdat) await this.createFastStartReserveMdat();
			await this.addSampleToTrack(trackData, sample);
		} else trackData.sampleQueue.push(sample);
	}
	async createFastStartReserveMdat() {
		assert(this.writer);
		assert(this.boxWriter);
		this.ensureOneEnabledTrack();
		const moovBox = moov(this);
		const reservedSize = this.boxWriter.measureBox(moovBox) + this.computeSampleTableSizeUpperBound() + 4096;
		assert(this.ftypSize !== null);
		this.writer.seek(this.ftypSize + reservedSize);
		if (this.formatOptions.onMdat) this.writer.startTrackingWrites();
		this.mdat = mdat(true);
		this.boxWriter.writeBox(this.mdat);
		for (const trackData of this.trackDatas) {
			for (const sample of trackData.sampleQueue) await this.addSampleToTrack(trackData, sample);
			trackData.sampleQueue.length = 0;
		}
	}
	computeSampleTableSizeUpperBound() {
		assert(this.fastStart === "reserve");
		let upperBound = 0;
		for (const trackData of this.trackDatas) {
			const n = trackData.track.metadata.maximumPacketCount;
			assert(n !== void 0);
			upperBound += 8 * Math.ceil(2 / 3 * n);
			upperBound += 4 * n;
			upperBound += 8 * Math.ceil(2 / 3 * n);
			upperBound += 12 * Math.ceil(2 / 3 * n);
			upperBound += 4 * n;
			upperBound += 8 * n;
		}
		return upperBound;
	}
	async onTrackClose(track) {
		const release = await this.mutex.acquire();
		const trackData = this.trackDatas.find((x) => x.track === track);
		if (trackData) {
			trackData.closed = true;
			if (trackData.type === "subtitle" && track.source._codec === "webvtt") await this.processWebVTTCues(trackData, Infinity);
			this.processTimestamps(trackData);
		}
		if (this.allTracksAreKnown()) this.allTracksKnown.resolve();
		if (this.isFragmented) await this.interleaveSamples();
		release();
	}
	ensureOneEnabledTrack() {
		for (const type of [
			"video",
			"audio",
			"subtitle"
		]) {
			const tracks = this.trackDatas.filter((t) => t.type === type);
			if (tracks.length === 0) continue;
			if (!tracks.some((t) => t.track.metadata.disposition?.default !== false)) {
				const firstTrack = tracks[0];
				firstTrack.track.metadata.disposition = {
					...firstTrack.track.metadata.disposition,
					default: true
				};
			}
		}
	}
	async forceFragmentFinalization() {
		assert(this.isFragmented);
		const release = await this.mutex.acquire();
		try {
			for (const trackData of this.trackDatas) {
				if (trackData.type === "subtitle" && trackData.track.source._codec === "webvtt") await this.processWebVTTCues(trackData, Infinity);
				this.processTimestamps(trackData);
			}
			await this.interleaveSamples(true);
			await this.finalizeFragment();
		} finally {
			release();
		}
	}
	async finalize() {
		const release = await this.mutex.acquire();
		this.allTracksKnown.resolve();
		this.ensureOneEnabledTrack();
		if (!this.mdat && this.fastStart === "reserve") await this.createFastStartReserveMdat();
		for (const trackData of this.trackDatas) {
			trackData.closed = true;
			if (trackData.type === "subtitle" && trackData.track.source._codec === "webvtt") await this.processWebVTTCues(trackData, Infinity);
			this.processTimestamps(trackData);
		}
		if (this.isFragmented) {
			await this.interleaveSamples(true);
			await this.finalizeFragment(false);
		} else for (const trackData of this.trackDatas) {
			await this.finalizeCurrentChunk(trackData);
			const span = presentationSpan(trackData);
			if (span > 0) {
				let totalBytes = 0;
				for (const sample of trackData.samples) totalBytes += sample.size;
				trackData.avgBitrate = Math.round(8 * totalBytes / span);
			} else trackData.avgBitrate = 0;
			let windowStart = 0;
			let windowBytes = 0;
			let maxWindowBytes = 0;
			for (let i = 0; i < trackData.samples.length; i++) {
				const sample = trackData.samples[i];
				windowBytes += sample.size;
				while (sample.decodeTimestamp - trackData.samples[windowStart].decodeTimestamp >= 1) {
					windowBytes -= trackData.samples[windowStart].size;
					windowStart++;
				}
				maxWindowBytes = Math.max(maxWindowBytes, windowBytes);
			}
			trackData.maxBitrate = 8 * maxWindowBytes;
			if (trackData.startTimestampOffset !== null) for (let i = 0; i < trackData.samples.length; i++) {
				const sample = trackData.samples[i];
				sample.timestamp -= trackData.startTimestampOffset;
				sample.decodeTimestamp -= trackData.startTimestampOffset;
			}
		}
		assert(this.writer);
		assert(this.boxWriter);
		if (this.fastStart === "in-memory") {
			this.mdat = mdat(false);
			let mdatSize;
			for (let i = 0; i < 2; i++) {
				const movieBox = moov(this);
				const movieBoxSize = this.boxWriter.measureBox(movieBox);
				mdatSize = this.boxWriter.measureBox(this.mdat);
				let currentChunkPos = this.writer.getPos() + movieBoxSize + mdatSize;
				for (const chunk of this.finalizedChunks) {
					chunk.offset = currentChunkPos;
					for (const { data } of chunk.samples) {
						assert(data);
						currentChunkPos += data.byteLength;
						mdatSize += data.byteLength;
					}
				}
				if (currentChunkPos < 2 ** 32) break;
				if (mdatSize >= 2 ** 32) this.mdat.largeSize = true;
			}
			if (this.formatOptions.onMoov) this.writer.startTrackingWrites();
			const movieBox = moov(this);
			this.boxWriter.writeBox(movieBox);
			if (this.formatOptions.onMoov) {
				const { data, start } = this.writer.stopTrackingWrites();
				this.formatOptions.onMoov(data, start);
			}
			if (this.formatOptions.onMdat) this.writer.startTrackingWrites();
			this.mdat.size = mdatSize;
			this.boxWriter.writeBox(this.mdat);
			for (const chunk of this.finalizedChunks) for (const sample of chunk.samples) {
				assert(sample.data);
				this.writer.write(sample.data);
				sample.data = null;
			}
			if (this.formatOptions.onMdat) {
				const { data, start } = this.writer.stopTrackingWrites();
				this.formatOptions.onMdat(data, start);
			}
		} else if (this.isFragmented) {
			if (this.isCmaf) {
				const contentSize = this.segmentHeaderSize !== null ? this.writer.getPos() - this.segmentHeaderSize : 0;
				this.writer.seek(0);
				this.boxWriter.writeBox(styp());
				this.boxWriter.writeBox(sidx(this, contentSize));
			} else {
				const startPos = this.writer.getPos();
				const mfraBox = mfra(this.trackDatas);
				this.boxWriter.writeBox(mfraBox);
				const mfraBoxSize = this.writer.getPos() - startPos;
				this.writer.seek(this.writer.getPos() - 4);
				this.boxWriter.writeU32(mfraBoxSize);
			}
		} else {
			assert(this.mdat);
			const mdatPos = this.boxWriter.offsets.get(this.mdat);
			assert(mdatPos !== void 0);
			const mdatSize = this.writer.getPos() - mdatPos;
			this.mdat.size = mdatSize;
			this.mdat.largeSize = mdatSize >= 2 ** 32;
			this.boxWriter.patchBox(this.mdat);
			if (this.formatOptions.onMdat) {
				const { data, start } = this.writer.stopTrackingWrites();
				this.formatOptions.onMdat(data, start);
			}
			const movieBox = moov(this);
			if (this.fastStart === "reserve") {
				assert(this.ftypSize !== null);
				this.writer.seek(this.ftypSize);
				if (this.formatOptions.onMoov) this.writer.startTrackingWrites();
				this.boxWriter.writeBox(movieBox);
				const remainingSpace = this.boxWriter.offsets.get(this.mdat) - this.writer.getPos();
				this.boxWriter.writeBox(free(remainingSpace));
			} else {
				if (this.formatOptions.onMoov) this.writer.startTrackingWrites();
				this.boxWriter.writeBox(movieBox);
			}
			if (this.formatOptions.onMoov) {
				const { data, start } = this.writer.stopTrackingWrites();
				this.formatOptions.onMoov(data, start);
			}
		}
		release();
	}
};
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
(function(SuppressedError) {
	return function(env) {
		function fail(e) {
			env.error = env.hasError ? new SuppressedError(e, env.error, "An error was suppressed during disposal.") : e;
			env.hasError = true;
		}
		var r, s = 0;
		function next() {
			while (r = env.stack.pop()) try {
				if (!r.async && s === 1) return s = 0, env.stack.push(r), Promise.resolve().then(next);
				if (r.dispose) {
					var result = r.dispose.call(r.value);
					if (r.async) return s |= 2, Promise.resolve(result).then(next, function(e) {
						fail(e);
						return next();
					});
				} else s |= 1;
			} catch (e) {
				fail(e);
			}
			if (s === 1) return env.hasError ? Promise.reject(env.error) : Promise.resolve();
			if (env.hasError) throw env.error;
		}
		return next();
	};
})(typeof SuppressedError === "function" ? SuppressedError : function(error, suppressed, message) {
	var e = new Error(message);
	return e.name = "SuppressedError", e.error = error, e.suppressed = suppressed, e;
});
var MediaSource = class {
	constructor() {
		this._connectedTrack = null;
		this._closingPromise = null;
		this._closed = false;
		this._nominalBitrate = null;
	}
	_ensureValidAdd() {
		if (!this._connectedTrack) throw new Error("Source is not connected to an output track.");
		if (this._connectedTrack.output.state === "canceled") throw new Error("Output has been canceled.");
		if (this._connectedTrack.output.state === "finalizing" || this._connectedTrack.output.state === "finalized") throw new Error("Output has been finalized.");
		if (this._connectedTrack.output.state === "pending") throw new Error("Output has not started.");
		if (this._closed) throw new Error("Source is closed.");
	}
	async _start() {}
	async _flushAndClose(forceClose) {}
	close() {
		if (this._closingPromise) return;
		const connectedTrack = this._connectedTrack;
		if (!connectedTrack) throw new Error("Cannot call close without connecting the source to an output track.");
		if (connectedTrack.output.state === "pending") throw new Error("Cannot call close before output has been started.");
		this._closingPromise = (async () => {
			await this._flushAndClose(false);
			this._closed = true;
			if (connectedTrack.output.state === "finalizing" || connectedTrack.output.state === "finalized") return;
			connectedTrack.output._muxer.onTrackClose(connectedTrack);
		})();
	}
	async _flushOrWaitForOngoingClose(forceClose) {
		return this._closingPromise ??= (async () => {
			await this._flushAndClose(forceClose);
			this._closed = true;
		})();
	}
};
var VideoSource = class extends MediaSource {
	constructor(codec) {
		super();
		if (!VIDEO_CODECS.includes(codec)) throw new TypeError(`Invalid video codec '${codec}'. Must be one of: ${VIDEO_CODECS.join(", ")}.`);
		this._codec = codec;
	}
};
var maybeEnsureIsKeyPacket = (track, packet) => {
	if (track.metadata.hasOnlyKeyPackets && packet.type !== "key") throw new Error("Cannot add non-key packets to a hasOnlyKeyPackets video track.");
};
var EncodedVideoPacketSource = class extends VideoSource {
	constructor(codec) {
		super(codec);
	}
	add(packet, meta) {
		if (!(packet instanceof EncodedPacket)) throw new TypeError("packet must be an EncodedPacket.");
		if (packet.isMetadataOnly) throw new TypeError("Metadata-only packets cannot be added.");
		if (meta !== void 0 && (!meta || typeof meta !== "object")) throw new TypeError("meta, when provided, must be an object.");
		this._ensureValidAdd();
		maybeEnsureIsKeyPacket(this._connectedTrack, packet);
		return this._connectedTrack.output._muxer.addEncodedVideoPacket(this._connectedTrack, packet, meta);
	}
};
var AudioSource = class extends MediaSource {
	constructor(codec) {
		super();
		if (!AUDIO_CODECS.includes(codec)) throw new TypeError(`Invalid audio codec '${codec}'. Must be one of: ${AUDIO_CODECS.join(", ")}.`);
		this._codec = codec;
	}
};
var SubtitleSource = class extends MediaSource {
	constructor(codec) {
		super();
		if (!SUBTITLE_CODECS.includes(codec)) throw new TypeError(`Invalid subtitle codec '${codec}'. Must be one of: ${SUBTITLE_CODECS.join(", ")}.`);
		this._codec = codec;
	}
};
// node_modules/mediabunny/dist/modules/src/output-format.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var OutputFormat = class {
	get supportsVideoRotationMetadata() {
		return this.supportsVideoTransformationMetadata;
	}
	getSupportedVideoCodecs() {
		return this.getSupportedCodecs().filter((codec) => VIDEO_CODECS.includes(codec));
	}
	getSupportedAudioCodecs() {
		return this.getSupportedCodecs().filter((codec) => AUDIO_CODECS.includes(codec));
	}
	getSupportedSubtitleCodecs() {
		return this.getSupportedCodecs().filter((codec) => SUBTITLE_CODECS.includes(codec));
	}
	_codecUnsupportedHint(codec) {
		return "";
	}
	_isFragmentedIsobmff() {
		return false;
	}
};
var IsobmffOutputFormat = class extends OutputFormat {
	constructor(options = {}) {
		if (!options || typeof options !== "object") throw new TypeError("options must be an object.");
		if (options.fastStart !== void 0 && ![
			false,
			"in-memory",
			"reserve",
			"fragmented"
		].includes(options.fastStart)) throw new TypeError("options.fastStart, when provided, must be false, 'in-memory', 'reserve', or 'fragmented'.");
		if (options.minimumFragmentDuration !== void 0 && (!isNumber(options.minimumFragmentDuration) || options.minimumFragmentDuration < 0)) throw new TypeError("options.minimumFragmentDuration, when provided, must be a non-negative number.");
		if (options.onFtyp !== void 0 && typeof options.onFtyp !== "function") throw new TypeError("options.onFtyp, when provided, must be a function.");
		if (options.onMoov !== void 0 && typeof options.onMoov !== "function") throw new TypeError("options.onMoov, when provided, must be a function.");
		if (options.onMdat !== void 0 && typeof options.onMdat !== "function") throw new TypeError("options.onMdat, when provided, must be a function.");
		if (options.onMoof !== void 0 && typeof options.onMoof !== "function") throw new TypeError("options.onMoof, when provided, must be a function.");
		if (options.metadataFormat !== void 0 && ![
			"mdir",
			"mdta",
			"udta",
			"auto"
		].includes(options.metadataFormat)) throw new TypeError("options.metadataFormat, when provided, must be either 'auto', 'mdir', 'mdta', or 'udta'.");
		super();
		this._options = options;
	}
	getSupportedTrackCounts() {
		const max = 2 ** 32 - 1;
		return {
			video: {
				min: 0,
				max
			},
			audio: {
				min: 0,
				max
			},
			subtitle: {
				min: 0,
				max
			},
			total: {
				min: 0,
				max
			}
		};
	}
	get supportsVideoTransformationMetadata() {
		return true;
	}
	get supportsTimestampedMediaData() {
		return true;
	}
	get negativeTimestampSupport() {
		return "full";
	}
	_createMuxer(output) {
		return new IsobmffMuxer(output, this);
	}
	_isFragmentedIsobmff() {
		return this._options.fastStart === "fragmented";
	}
};
var Mp4OutputFormat = class extends IsobmffOutputFormat {
	constructor(options) {
		super(options);
	}
	get _name() {
		return "MP4";
	}
	get fileExtension() {
		return ".mp4";
	}
	get mimeType() {
		return "video/mp4";
	}
	getSupportedCodecs() {
		return [
			...VIDEO_CODECS,
			...NON_PCM_AUDIO_CODECS,
			"pcm-s16",
			"pcm-s16be",
			"pcm-s24",
			"pcm-s24be",
			"pcm-s32",
			"pcm-s32be",
			"pcm-f32",
			"pcm-f32be",
			"pcm-f64",
			"pcm-f64be",
			...SUBTITLE_CODECS
		];
	}
	_codecUnsupportedHint(codec) {
		if (new MovOutputFormat().getSupportedCodecs().includes(codec)) return " Switching to MOV will grant support for this codec.";
		return "";
	}
};
var CmafOutputFormat = class extends IsobmffOutputFormat {
	constructor(options) {
		super(options);
	}
	get _name() {
		return "CMAF";
	}
	get fileExtension() {
		return ".m4s";
	}
	get mimeType() {
		return "video/mp4";
	}
	getSupportedCodecs() {
		return [
			...VIDEO_CODECS,
			...NON_PCM_AUDIO_CODECS,
			"pcm-s16",
			"pcm-s16be",
			"pcm-s24",
			"pcm-s24be",
			"pcm-s32",
			"pcm-s32be",
			"pcm-f32",
			"pcm-f32be",
			"pcm-f64",
			"pcm-f64be",
			...SUBTITLE_CODECS
		];
	}
};
var MovOutputFormat = class extends IsobmffOutputFormat {
	constructor(options) {
		super(options);
	}
	get _name() {
		return "MOV";
	}
	get fileExtension() {
		return ".mov";
	}
	get mimeType() {
		return "video/quicktime";
	}
	getSupportedCodecs() {
		return [...VIDEO_CODECS, ...AUDIO_CODECS];
	}
	_codecUnsupportedHint(codec) {
		if (new Mp4OutputFormat().getSupportedCodecs().includes(codec)) return " Switching to MP4 will grant support for this codec.";
		return "";
	}
};
// node_modules/mediabunny/dist/modules/src/output.js
/*!
* Copyright (c) 2026-present, Vanilagy and contributors
*
* This Source Code Form is subject to the terms of the Mozilla Public
* License, v. 2.0. If a copy of the MPL was not distributed with this
* file, You can obtain one at https://mozilla.org/MPL/2.0/.
*/
var ALL_TRACK_TYPES = [
	"video",
	"audio",
	"subtitle"
];
var OutputTrack = class OutputTrack {
	constructor(id, output, type, source, metadata) {
		this.id = id;
		this.output = output;
		this.type = type;
		this.source = source;
		this.metadata = metadata;
	}
	isVideoTrack() {
		return this.type === "video";
	}
	isAudioTrack() {
		return this.type === "audio";
	}
	isSubtitleTrack() {
		return this.type === "subtitle";
	}
	canBePairedWith(other) {
		if (!(other instanceof OutputTrack)) throw new TypeError("other must be an OutputTrack.");
		if (this === other) return false;
		const thisGroups = toArray(this.metadata.group);
		const otherGroups = toArray(other.metadata.group);
		for (const aGroup of thisGroups) {
			if (this.type !== other.type && otherGroups.some((bGroup) => aGroup === bGroup)) return true;
			if (otherGroups.some((bGroup) => aGroup._pairedGroups.has(bGroup))) return true;
		}
		return false;
	}
};
var OutputVideoTrack = class extends OutputTrack {
	constructor(id, output, source, metadata) {
		super(id, output, "video", source, metadata);
	}
};
var OutputAudioTrack = class extends OutputTrack {
	constructor(id, output, source, metadata) {
		super(id, output, "audio", source, metadata);
	}
};
var OutputSubtitleTrack = class extends OutputTrack {
	constructor(id, output, source, metadata) {
		super(id, output, "subtitle", source, metadata);
	}
};
var OutputTrackGroup = class OutputTrackGroup {
	constructor() {
		this._pairedGroups = new Set();
	}
	pairWith(other) {
		if (!(other instanceof OutputTrackGroup)) throw new TypeError("other must be an OutputTrackGroup.");
		if (this === other) throw new TypeError("Cannot pair a group with itself.");
		this._pairedGroups.add(other);
		other._pairedGroups.add(this);
	}
};
var validateBaseTrackMetadata = (metadata) => {
	if (!metadata || typeof metadata !== "object") throw new TypeError("metadata must be an object.");
	if (metadata.languageCode !== void 0 && !isIso639Dash2LanguageCode(metadata.languageCode)) throw new TypeError("metadata.languageCode, when provided, must be a three-letter, ISO 639-2/T language code.");
	if (metadata.name !== void 0 && typeof metadata.name !== "string") throw new TypeError("metadata.name, when provided, must be a string.");
	if (metadata.disposition !== void 0) validateTrackDisposition(metadata.disposition);
	if (metadata.maximumPacketCount !== void 0 && (!Number.isInteger(metadata.maximumPacketCount) || metadata.maximumPacketCount < 0)) throw new TypeError("metadata.maximumPacketCount, when provided, must be a non-negative integer.");
	if (metadata.bitrate !== void 0 && (!Number.isFinite(metadata.bitrate) || metadata.bitrate < 0)) throw new TypeError("metadata.bitrate, when provided, must be a non-negative number.");
	if (metadata.averageBitrate !== void 0 && (!Number.isFinite(metadata.averageBitrate) || metadata.averageBitrate < 0)) throw new TypeError("metadata.averageBitrate, when provided, must be a non-negative number.");
	if (metadata.group !== void 0 && !(metadata.group instanceof OutputTrackGroup) && (!Array.isArray(metadata.group) || metadata.group.some((group) => !(group instanceof OutputTrackGroup)))) throw new TypeError("metadata.group, when provided, must be an OutputTrackGroup instance or an array of OutputTrackGroup instances.");
};
var Output = class extends EventEmitter {
	get target() {
		const errorMessage = "Output.target cannot be used when using PathedTarget with an async callback. Use the 'target' event instead.";
		if (this._rootTargetPromise) throw new TypeError(errorMessage);
		const rootTargetResult = this._getRootTarget();
		if (isThenable(rootTargetResult)) throw new TypeError(errorMessage);
		return rootTargetResult;
	}
	constructor(options) {
		super();
		this.state = "pending";
		this.defaultTrackGroup = new OutputTrackGroup();
		this.tracks = [];
		this._onFinalize = null;
		this._unfinalizedTargets = new Set();
		this._rootWriterPromise = null;
		this._startPromise = null;
		this._cancelPromise = null;
		this._finalizePromise = null;
		this._mutex = new AsyncMutex();
		this._metadataTags = {};
		this._rootTarget = null;
		this._rootTargetPromise = null;
		this._firstMediaStreamTimestamp = null;
		if (!options || typeof options !== "object") throw new TypeError("options must be an object.");
		if (!(options.format instanceof OutputFormat)) throw new TypeError("options.format must be an OutputFormat.");
		if (!(options.target instanceof Target || options.target instanceof PathedTarget)) throw new TypeError("options.target must be a Target or a PathedTarget.");
		if (options.target instanceof Target) this._rememberTarget(options.target);
		if (options.initTarget !== void 0 && !(options.initTarget instanceof Target) && typeof options.initTarget !== "function") throw new Error("options.initTarget, when provided, must be a Target or a function that returns or resolves to a Target.");
		if (options.onFinalize !== void 0 && typeof options.onFinalize !== "function") throw new TypeError("options.onFinalize, when provided, must be a function.");
		this.format = options.format;
		this._target = options.target;
		this._onFinalize = options.onFinalize ?? null;
		this._initTarget = options.initTarget ?? null;
		if (this._initTarget instanceof Target) this._rememberTarget(this._initTarget);
		this._muxer = options.format._createMuxer(this);
	}
	_getTargetValidated(request) {
		assert(this._target instanceof PathedTarget);
		const result = this._target.getTarget(request);
		const handleResult = (result) => {
			if (!(result instanceof Target)) throw new TypeError("getTarget must return a Target.");
			return result;
		};
		if (isThenable(result)) return result.then(handleResult);
		else return handleResult(result);
	}
	async _getTarget(request) {
		assert(this._target instanceof PathedTarget);
		const target = await this._getTargetValidated(request);
		this._emit("target", {
			target,
			request,
			isRoot: request.isRoot
		});
		if (this.state === "canceled") await target._close();
		else this._rememberTarget(target);
		return target;
	}
	_rememberTarget(target) {
		this._unfinalizedTargets.add(target);
		target.on("finalized", () => this._unfinalizedTargets.delete(target), { once: true });
	}
	async _getInitTarget() {
		assert(this._initTarget !== null);
		if (this._initTarget instanceof Target) return this._initTarget;
		const target = await this._initTarget();
		if (this.state === "canceled") await target._close();
		else this._rememberTarget(target);
		return target;
	}
	_hasInitTarget() {
		return this._initTarget !== null;
	}
	_getRootTarget() {
		if (this._rootTarget) return this._rootTarget;
		if (this._rootTargetPromise) return this._rootTargetPromise;
		if (this._target instanceof Target) {
			this._emit("target", {
				target: this._target,
				request: null,
				isRoot: true
			});
			this._rootTarget = this._target;
			return this._target;
		}
		const request = {
			path: this._target.rootPath,
			isRoot: true,
			mimeType: this.format.mimeType
		};
		const result = this._getTargetValidated(request);
		const handleResult = (target) => {
			if (this.state === "canceled") target._close();
			else this._rememberTarget(target);
			this._emit("target", {
				target,
				request,
				isRoot: true
			});
			this._rootTarget = target;
			return target;
		};
		if (isThenable(result)) return this._rootTargetPromise = result.then(handleResult);
		else return handleResult(result);
	}
	_getRootWriter(isMonotonic) {
		return this._rootWriterPromise ??= (async () => {
			const target = await this._getRootTarget();
			const writer = new Writer(target, typeof isMonotonic === "boolean" ? isMonotonic : isMonotonic(target));
			writer.start();
			return writer;
		})();
	}
	addVideoTrack(source, metadata = {}) {
		if (!(source instanceof VideoSource)) throw new TypeError("source must be a VideoSource.");
		validateBaseTrackMetadata(metadata);
		if (metadata.rotation !== void 0 && ![
			0,
			90,
			180,
			270
		].includes(metadata.rotation)) throw new TypeError(`Invalid video rotation: ${metadata.rotation}. Has to be 0, 90, 180 or 270.`);
		if (metadata.flip !== void 0 && typeof metadata.flip !== "boolean") throw new TypeError("metadata.flip, when provided, must be a boolean.");
		if (metadata.transformationMatrix !== void 0 && (!Array.isArray(metadata.transformationMatrix) || metadata.transformationMatrix.length !== 9 || !metadata.transformationMatrix.every((x) => Number.isFinite(x)))) throw new TypeError("metadata.transformationMatrix, when provided, must be an array of 9 finite numbers.");
		if (metadata.frameRate !== void 0 && (!Number.isFinite(metadata.frameRate) || metadata.frameRate <= 0)) throw new TypeError(`Invalid video frame rate: ${metadata.frameRate}. Must be a positive number.`);
		if (metadata.hasOnlyKeyPackets !== void 0 && typeof metadata.hasOnlyKeyPackets !== "boolean") throw new TypeError("metadata.hasOnlyKeyPackets, when provided, must be a boolean.");
		if (metadata.canBeTransparent !== void 0 && typeof metadata.canBeTransparent !== "boolean") throw new TypeError("metadata.canBeTransparent, when provided, must be a boolean.");
		if (metadata.decoderConfig !== void 0) validateVideoChunkMetadata({ decoderConfig: metadata.decoderConfig }, source._codec);
		if (metadata.primingPacket !== void 0) {
			if (!(metadata.primingPacket instanceof EncodedPacket)) throw new TypeError("metadata.primingPacket, when provided, must be an EncodedPacket.");
			if (metadata.decoderConfig === void 0) throw new TypeError("metadata.primingPacket can only be provided alongside metadata.decoderConfig.");
		}
		const metadataCopy = { ...metadata };
		metadataCopy.group ??= this.defaultTrackGroup;
		return this._addTrack(new OutputVideoTrack(this.tracks.length + 1, this, source, metadataCopy));
	}
	addAudioTrack(source, metadata = {}) {
		if (!(source instanceof AudioSource)) throw new TypeError("source must be an AudioSource.");
		validateBaseTrackMetadata(metadata);
		if (metadata.decoderConfig !== void 0) validateAudioChunkMetadata({ decoderConfig: metadata.decoderConfig }, source._codec);
		if (metadata.primingPacket !== void 0) {
			if (!(metadata.primingPacket instanceof EncodedPacket)) throw new TypeError("metadata.primingPacket, when provided, must be an EncodedPacket.");
			if (metadata.decoderConfig === void 0) throw new TypeError("metadata.primingPacket can only be provided alongside metadata.decoderConfig.");
		}
		const metadataCopy = { ...metadata };
		metadataCopy.group ??= this.defaultTrackGroup;
		return this._addTrack(new OutputAudioTrack(this.tracks.length + 1, this, source, metadataCopy));
	}
	addSubtitleTrack(source, metadata = {}) {
		if (!(source instanceof SubtitleSource)) throw new TypeError("source must be a SubtitleSource.");
		validateBaseTrackMetadata(metadata);
		const metadataCopy = { ...metadata };
		metadataCopy.group ??= this.defaultTrackGroup;
		return this._addTrack(new OutputSubtitleTrack(this.tracks.length + 1, this, source, metadataCopy));
	}
	setMetadataTags(tags) {
		validateMetadataTags(tags);
		if (this.state !== "pending") throw new Error("Cannot set metadata tags after output has been started or canceled.");
		this._metadataTags = tags;
	}
	_addTrack(track) {
		if (this.state !== "pending") throw new Error("Cannot add track after output has been started or canceled.");
		if (track.source._connectedTrack) throw new Error("Source is already used for a track.");
		const supportedTrackCounts = this.format.getSupportedTrackCounts();
		const presentTracksOfThisType = this.tracks.reduce((count, t) => count + (t.type === track.type ? 1 : 0), 0);
		const maxCount = supportedTrackCounts[track.type].max;
		if (presentTracksOfThisType === maxCount) throw new Error(maxCount === 0 ? `${this.format._name} does not support ${track.type} tracks.` : `${this.format._name} does not support more than ${maxCount} ${track.type} track${maxCount === 1 ? "" : "s"}.`);
		const maxTotalCount = supportedTrackCounts.total.max;
		if (this.tracks.length === maxTotalCount) throw new Error(`${this.format._name} does not support more than ${maxTotalCount} tracks${maxTotalCount === 1 ? "" : "s"} in total.`);
		if (track.isVideoTrack()) {
			const supportedVideoCodecs = this.format.getSupportedVideoCodecs();
			if (supportedVideoCodecs.length === 0) throw new Error(`${this.format._name} does not support video tracks.` + this.format._codecUnsupportedHint(track.source._codec));
			else if (!supportedVideoCodecs.includes(track.source._codec)) throw new Error(`Codec '${track.source._codec}' cannot be contained within ${this.format._name}. Supported video codecs are: ${supportedVideoCodecs.map((codec) => `'${codec}'`).join(", ")}.` + this.format._codecUnsupportedHint(track.source._codec));
		} else if (track.isAudioTrack()) {
			const supportedAudioCodecs = this.format.getSupportedAudioCodecs();
			if (supportedAudioCodecs.length === 0) throw new Error(`${this.format._name} does not support audio tracks.` + this.format._codecUnsupportedHint(track.source._codec));
			else if (!supportedAudioCodecs.includes(track.source._codec)) throw new Error(`Codec '${track.source._codec}' cannot be contained within ${this.format._name}. Supported audio codecs are: ${supportedAudioCodecs.map((codec) => `'${codec}'`).join(", ")}.` + this.format._codecUnsupportedHint(track.source._codec));
		} else if (track.isSubtitleTrack()) {
			const supportedSubtitleCodecs = this.format.getSupportedSubtitleCodecs();
			if (supportedSubtitleCodecs.length === 0) throw new Error(`${this.format._name} does not support subtitle tracks.` + this.format._codecUnsupportedHint(track.source._codec));
			else if (!supportedSubtitleCodecs.includes(track.source._codec)) throw new Error(`Codec '${track.source._codec}' cannot be contained within ${this.format._name}. Supported subtitle codecs are: ${supportedSubtitleCodecs.map((codec) => `'${codec}'`).join(", ")}.` + this.format._codecUnsupportedHint(track.source._codec));
		}
		this.tracks.push(track);
		track.source._connectedTrack = track;
		return track;
	}
	hasEnoughTracks() {
		const supportedTrackCounts = this.format.getSupportedTrackCounts();
		for (const trackType of ALL_TRACK_TYPES) if (this.tracks.reduce((count, track) => count + (track.type === trackType ? 1 : 0), 0) < supportedTrackCounts[trackType].min) return false;
		const totalMinCount = supportedTrackCounts.total.min;
		if (this.tracks.length < totalMinCount) return false;
		return true;
	}
	async start() {
		const supportedTrackCounts = this.format.getSupportedTrackCounts();
		for (const trackType of ALL_TRACK_TYPES) {
			const presentTracksOfThisType = this.tracks.reduce((count, track) => count + (track.type === trackType ? 1 : 0), 0);
			const minCount = supportedTrackCounts[trackType].min;
			if (presentTracksOfThisType < minCount) throw new Error(minCount === supportedTrackCounts[trackType].max ? `${this.format._name} requires exactly ${minCount} ${trackType} track${minCount === 1 ? "" : "s"}.` : `${this.format._name} requires at least ${minCount} ${trackType} track${minCount === 1 ? "" : "s"}.`);
		}
		const totalMinCount = supportedTrackCounts.total.min;
		if (this.tracks.length < totalMinCount) throw new Error(totalMinCount === supportedTrackCounts.total.max ? `${this.format._name} requires exactly ${totalMinCount} track${totalMinCount === 1 ? "" : "s"}.` : `${this.format._name} requires at least ${totalMinCount} track${totalMinCount === 1 ? "" : "s"}.`);
		if (this.state === "canceled") throw new Error("Output has been canceled.");
		if (this._startPromise) {
			Logging._warn("Output has already been started.");
			return this._startPromise;
		}
		return this._startPromise = (async () => {
			this.state = "started";
			const releasePromise = this._mutex.acquire();
			try {
				await this._muxer.start();
				const promises = this.tracks.map((track) => track.source._start());
				await Promise.all(promises);
			} finally {
				(await releasePromise)();
			}
		})();
	}
	getMimeType() {
		return this._muxer.getMimeType();
	}
	async cancel() {
		if (this.state === "canceled") return this._cancelPromise ?? void 0;
		else if (this.state === "finalizing" || this.state === "finalized") {
			if (this.state === "finalized") Logging._warn("Output has already been finalized.");
			return;
		}
		return this._cancelPromise = (async () => {
			this.state = "canceled";
			const release = await this._mutex.acquire();
			try {
				const promises = this.tracks.map((x) => x.source._flushOrWaitForOngoingClose(true));
				await Promise.all(promises);
				await Promise.all([...this._unfinalizedTargets].map((target) => target._close()));
				this._unfinalizedTargets.clear();
			} finally {
				release();
			}
		})();
	}
	async finalize() {
		if (this.state === "pending") throw new Error("Cannot finalize before starting.");
		if (this.state === "canceled") throw new Error("Cannot finalize after canceling.");
		if (this._finalizePromise) {
			Logging._warn("Output has already been finalized.");
			return this._finalizePromise;
		}
		return this._finalizePromise = (async () => {
			this.state = "finalizing";
			const release = await this._mutex.acquire();
			try {
				const promises = this.tracks.map((x) => x.source._flushOrWaitForOngoingClose(false));
				await Promise.all(promises);
				await this._muxer.finalize();
				if (this._rootWriterPromise) {
					const rootWriter = await this._rootWriterPromise;
					if (!rootWriter.finalized) {
						await rootWriter.flush();
						await rootWriter.finalize();
					}
				}
				if (this._onFinalize) await this._onFinalize();
				this.state = "finalized";
			} catch (error) {
				this.state = "canceled";
				throw error;
			} finally {
				await Promise.all([...this._unfinalizedTargets].map((target) => target._close().catch(() => {})));
				this._unfinalizedTargets.clear();
				release();
			}
		})();
	}
};
// src/lib/mp4.ts
var KEY_FRAME_INTERVAL = 30;
var MAX_QUEUE = 8;
async function encode(webp) {
	const decoder = new ImageDecoder({
		data: webp,
		type: "image/webp"
	});
	try {
		await decoder.tracks.ready;
		const first = (await decoder.decode()).image;
		const [width, height] = [first.displayWidth & -2, first.displayHeight & -2];
		first.close();
		const config = await videoConfig(width, height);
		if (!config) throw new Error(`no encoder for ${width} x ${height} px`);
		const count = decoder.tracks.selectedTrack?.frameCount ?? 1;
		return await mux(config, async (encoder) => {
			for (let index = 0; index < count; index++) {
				const { image } = await decoder.decode({ frameIndex: index });
				const { timestamp, duration } = image;
				const visibleRect = {
					x: 0,
					y: 0,
					width,
					height
				};
				const frame = new VideoFrame(image, {
					visibleRect,
					timestamp,
					duration: duration ?? 0,
					alpha: "discard"
				});
				image.close();
				encoder.encode(frame, { keyFrame: index % KEY_FRAME_INTERVAL === 0 });
				frame.close();
				if (encoder.encodeQueueSize > MAX_QUEUE) await encoder.flush();
			}
		});
	} finally {
		decoder.close();
	}
}
async function mux(config, fill) {
	const target = new BufferTarget();
	const output = new Output({
		format: new Mp4OutputFormat(),
		target
	});
	const track = new EncodedVideoPacketSource(config.codec.startsWith("avc") ? "avc" : "vp9");
	output.addVideoTrack(track);
	await output.start();
	let written = Promise.resolve();
	let failure;
	const encoder = new VideoEncoder({
		output: (chunk, meta) => {
			written = written.then(() => track.add(EncodedPacket.fromEncodedChunk(chunk), meta));
		},
		error: (reason) => {
			failure = reason;
		}
	});
	encoder.configure(config);
	await fill(encoder);
	await encoder.flush();
	await written;
	encoder.close();
	if (failure) throw failure;
	await output.finalize();
	if (!target.buffer) throw new Error("the file is empty");
	return new Blob([target.buffer], { type: "video/mp4" });
}
export { encode };
