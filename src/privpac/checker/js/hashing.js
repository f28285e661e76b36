/** SHA-256 and SHA-512 (FIPS 180-4). Their constants are digits of roots of primes, computed here. */

import { bitLength, integerRoot } from "./rational.js";

/** @param {number} count @returns {bigint[]} */
function primes(count) {
  /** @type {bigint[]} */
  const found = [];
  for (let n = 2n; found.length < count; n += 1n) {
    if (found.every((prime) => n % prime !== 0n)) found.push(n);
  }
  return found;
}

/** @param {bigint} x @returns {bigint} */
function cubeRoot(x) {
  let [low, high] = [0n, 1n << BigInt(Math.ceil(bitLength(x) / 3))];
  while (low < high) {
    const middle = (low + high + 1n) >> 1n;
    if (middle ** 3n <= x) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/** The first `bits` bits of the fractions of square roots of primes. @param {bigint} bits @returns {bigint[]} */
function starts(bits) {
  return primes(8).map((prime) => BigInt.asUintN(Number(bits), integerRoot(prime << (2n * bits))));
}

/**
 * The first `bits` bits of the fractions of cube roots of primes.
 * @param {number} count @param {bigint} bits @returns {bigint[]}
 */
function constants(count, bits) {
  return primes(count).map((prime) => BigInt.asUintN(Number(bits), cubeRoot(prime << (3n * bits))));
}

/**
 * The message, one bit, zeros, and its length in bits, in whole blocks.
 * @param {Uint8Array} message @param {number} block @returns {Uint8Array}
 */
function padded(message, block) {
  const length = Math.ceil((message.length + 1 + block / 8) / block) * block;
  const result = new Uint8Array(length);
  result.set(message);
  result[message.length] = 0x80;
  for (let i = length - 1, bits = message.length * 8; bits > 0; i--, bits = Math.floor(bits / 256)) {
    result[i] = bits % 256;
  }
  return result;
}

const WORDS = Int32Array.from(constants(64, 32n), Number);
const START = Int32Array.from(starts(32n), Number);

/** @param {number} x @param {number} by @returns {number} */
function turned(x, by) {
  return (x >>> by) | (x << (32 - by));
}

/** The 32 bytes of SHA-256. @param {Uint8Array} message @returns {Uint8Array} */
export function sha256(message) {
  const bytes = padded(message, 64);
  const view = new DataView(bytes.buffer);
  const state = Int32Array.from(START);
  const schedule = new Int32Array(64);
  for (let at = 0; at < bytes.length; at += 64) {
    for (let i = 0; i < 16; i++) schedule[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) schedule[i] = next(schedule, i);
    mix(state, schedule);
  }
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => digest.setInt32(4 * i, word));
  return new Uint8Array(digest.buffer);
}

/** @param {Int32Array} words @param {number} i @returns {number} */
function next(words, i) {
  const [late, early] = [words[i - 2] ?? 0, words[i - 15] ?? 0];
  const first = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
  const second = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
  return (first + (words[i - 7] ?? 0) + second + (words[i - 16] ?? 0)) | 0;
}

/** @param {Int32Array} state @param {Int32Array} words */
function mix(state, words) {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first =
      (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + (WORDS[i] ?? 0) + (words[i] ?? 0)) | 0;
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = (state[i] ?? 0) + word));
}

const LONG_WORDS = constants(80, 64n);
const LONG_START = starts(64n);

/** @param {bigint} x @returns {bigint} */
function wide(x) {
  return BigInt.asUintN(64, x);
}

/** @param {bigint} x @param {bigint} by @returns {bigint} */
function rolled(x, by) {
  return wide((x >> by) | (x << (64n - by)));
}

/** The 64 bytes of SHA-512; for short messages. @param {Uint8Array} message @returns {Uint8Array} */
export function sha512(message) {
  const bytes = padded(message, 128);
  const view = new DataView(bytes.buffer);
  let state = LONG_START;
  for (let at = 0; at < bytes.length; at += 128) {
    /** @type {bigint[]} */
    const words = [];
    for (let i = 0; i < 16; i++) words.push(view.getBigUint64(at + 8 * i));
    for (let i = 16; i < 80; i++) words.push(nextLong(words, i));
    state = mixedLong(state, words);
  }
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, i) => digest.setBigUint64(8 * i, word));
  return new Uint8Array(digest.buffer);
}

/** @param {readonly bigint[]} words @param {number} i @returns {bigint} */
function nextLong(words, i) {
  const [late, early] = [words[i - 2] ?? 0n, words[i - 15] ?? 0n];
  const first = rolled(late, 19n) ^ rolled(late, 61n) ^ (late >> 6n);
  const second = rolled(early, 1n) ^ rolled(early, 8n) ^ (early >> 7n);
  return wide(first + (words[i - 7] ?? 0n) + second + (words[i - 16] ?? 0n));
}

/** @param {readonly bigint[]} state @param {readonly bigint[]} words @returns {bigint[]} */
function mixedLong(state, words) {
  let [a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n, g = 0n, h = 0n] = state;
  for (let i = 0; i < 80; i++) {
    const choice = (e & f) ^ (wide(~e) & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first =
      h + (rolled(e, 14n) ^ rolled(e, 18n) ^ rolled(e, 41n)) + choice + (LONG_WORDS[i] ?? 0n) + (words[i] ?? 0n);
    const second = (rolled(a, 28n) ^ rolled(a, 34n) ^ rolled(a, 39n)) + majority;
    [a, b, c, d, e, f, g, h] = [wide(first + second), a, b, c, wide(d + first), e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => wide(word + (state[i] ?? 0n)));
}

/** Bytes of a text of ASCII characters. @param {string} text @returns {Uint8Array} */
export function ascii(text) {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Hexadecimal digits in lower case. @param {Uint8Array} bytes @returns {string} */
export function hexadecimal(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
