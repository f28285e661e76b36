/**
 * Checking signatures of Ed25519 (RFC 8032, section 5.1). Nothing here is secret, so nothing needs to take constant
 * time.
 */

import { sha512 } from "./hashing.js";

const P = (1n << 255n) - 19n;
const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;

/** @param {bigint} x @param {bigint} [by] @returns {bigint} */
function modulo(x, by = P) {
  const rest = x % by;
  return rest < 0n ? rest + by : rest;
}

/** @param {bigint} base @param {bigint} exponent @returns {bigint} */
function power(base, exponent) {
  let [result, square] = [1n, modulo(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = modulo(result * square);
    square = modulo(square * square);
  }
  return result;
}

const D = modulo(-121665n * power(121666n, P - 2n));
const ROOT = power(2n, (P - 1n) / 4n);

/** @typedef {{ x: bigint, y: bigint, z: bigint, t: bigint }} Point A point x/z, y/z of the curve, with t = x*y/z. */

/** @type {Point} */
const NEUTRAL = { x: 0n, y: 1n, z: 1n, t: 0n };

/** @param {Point} p @param {Point} q @returns {Point} */
function added(p, q) {
  const a = modulo((p.y - p.x) * (q.y - q.x));
  const b = modulo((p.y + p.x) * (q.y + q.x));
  const c = modulo(2n * p.t * q.t * D);
  const d = modulo(2n * p.z * q.z);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return { x: modulo(e * f), y: modulo(g * h), z: modulo(f * g), t: modulo(e * h) };
}

/** @param {bigint} count @param {Point} point @returns {Point} */
function multiple(count, point) {
  let [result, square] = [NEUTRAL, point];
  for (let left = count; left > 0n; left >>= 1n) {
    if (left & 1n) result = added(result, square);
    square = added(square, square);
  }
  return result;
}

/** @param {Point} p @param {Point} q @returns {boolean} */
function same(p, q) {
  return modulo(p.x * q.z - q.x * p.z) === 0n && modulo(p.y * q.z - q.y * p.z) === 0n;
}

/**
 * The point with this y and this lowest bit of x, or null where there is none.
 * @param {bigint} y @param {bigint} odd @returns {Point | null}
 */
function lifted(y, odd) {
  if (y >= P) return null;
  const square = modulo((y * y - 1n) * power(D * y * y + 1n, P - 2n));
  let x = power(square, (P + 3n) / 8n);
  if (modulo(x * x - square) !== 0n) x = modulo(x * ROOT);
  if (modulo(x * x - square) !== 0n || (x === 0n && odd === 1n)) return null;
  if ((x & 1n) !== odd) x = P - x;
  return { x, y, z: 1n, t: modulo(x * y) };
}

/** @param {Uint8Array} bytes @returns {bigint} */
function little(bytes) {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** @param {Uint8Array} bytes @returns {Point | null} */
function decoded(bytes) {
  const value = little(bytes);
  return lifted(BigInt.asUintN(255, value), value >> 255n);
}

const BASE = lifted(modulo(4n * power(5n, P - 2n)), 0n) ?? NEUTRAL;

/**
 * Whether these 64 bytes are the signature of the message by the key of 32 bytes.
 * @param {Uint8Array} key @param {Uint8Array} message @param {Uint8Array} signature @returns {boolean}
 */
export function signatureHolds(key, message, signature) {
  if (key.length !== 32 || signature.length !== 64) return false;
  const [point, commitment] = [decoded(key), decoded(signature.slice(0, 32))];
  const scalar = little(signature.slice(32));
  if (point === null || commitment === null || scalar >= ORDER) return false;
  if (same(multiple(8n, point), NEUTRAL)) return false; // under such a key anybody can sign
  const hashed = new Uint8Array(64 + message.length);
  hashed.set(signature.slice(0, 32));
  hashed.set(key, 32);
  hashed.set(message, 64);
  const challenge = modulo(little(sha512(hashed)), ORDER);
  return same(multiple(scalar, BASE), added(commitment, multiple(challenge, point)));
}
