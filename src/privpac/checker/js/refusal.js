/** Why something is not accepted. */

/** A reason that completes a sentence: what stands in a step, a number or a text. */
export class Broken extends Error {}

/** A document that is refused: a sentence for people, and what to do about it. */
export class Refusal extends Error {
  /** @param {string} sentence @param {string} [remedy] */
  constructor(sentence, remedy = "") {
    super(sentence);
    /** @readonly */
    this.remedy = remedy;
  }
}

/**
 * Stop for this reason unless the condition holds.
 * @param {boolean} condition @param {string} reason @returns {asserts condition}
 */
export function require(condition, reason) {
  if (!condition) throw new Broken(reason);
}
