/** Steps, facts and numbers of a certificate, in the one way they are written. */

import { canonical, type Entries, entriesOf, hasKeys, isCount, type Json } from "./json.js";
import { ONE, Rational, ZERO } from "./rational.js";
import { Refusal, require } from "./refusal.js";
import { type Loss, sameLoss } from "./rounding.js";

export const ALL = "all records";

const UNITS: readonly Json[] = ["record", "label"];
const RELEASES: readonly Json[] = [
  "hypothesis", "one answer", "several answers", "noisy numbers",
  "hypothesis and positions asked", "hypothesis and positions kept",
];
const FACTS: Readonly<Record<string, readonly string[]>> = {
  privacy: ["kind", "epsilon", "delta", "unit", "part", "release", "neighbours"],
  "bounded-range": ["kind", "epsilon", "unit"],
  range: ["kind", "epsilon", "unit", "part", "release"],
  concentrated: ["kind", "rho", "delta", "unit", "part", "release"],
  stability: ["kind", "gamma", "unit"],
  accuracy: ["kind", "error", "failure", "against", "records", "proper"],
  answers: ["kind", "error", "failure", "queries", "records"],
};
const MOST_CHARACTERS = 4300;
const FRACTION = /^(0|-?[1-9][0-9]*)(?:\/([1-9][0-9]*))?$/;
const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]*[1-9]))?$/;
const DECIMAL_PLACES = 20;
const STEP_KEYS: readonly string[] = ["rule", "fact", "where", "assumes", "premises"];
const DEEPEST = 100;

/** A step of a derivation, its form checked. */
export interface Step {
  readonly rule: string;
  readonly kind: string;
  readonly fact: Entries;
  readonly where: Entries;
  readonly assumes: readonly string[];
  readonly premises: readonly Step[];
}

/** A fraction, written in lowest terms. */
export function fraction(text: Json | undefined): Rational {
  const found = typeof text === "string" ? FRACTION.exec(text) : null;
  require(found !== null, "a number is misspelt");
  const [, numerator = "", denominator = "1"] = found;
  require(Math.max(numerator.length, denominator.length) <= MOST_CHARACTERS, "a number is too long");
  const value = Rational.of(BigInt(numerator), BigInt(denominator));
  require(value.toString() === text, "a number is not written in lowest terms");
  return value;
}

/** A decimal of at most twenty places, or a positive fraction where that is not exact. */
export function decimal(text: Json | undefined): Rational {
  if (typeof text === "string" && text.includes("/")) {
    const value = fraction(text);
    require(value.sign > 0 && !value.times(10n ** 20n).isWhole, "a number is misspelt");
    return value;
  }
  const found = typeof text === "string" && text.length <= MOST_CHARACTERS ? DECIMAL.exec(text) : null;
  require(found !== null, "a number is misspelt");
  const [, whole = "", places = ""] = found;
  require(places.length <= DECIMAL_PLACES, "a number is misspelt");
  return Rational.of(BigInt(whole + places), 10n ** BigInt(places.length));
}

export function count(value: Json | undefined, least: bigint): bigint {
  require(isCount(value, least), "a whole number is expected, or is out of range");
  return value;
}

export function lossOf(value: Json | undefined): Loss {
  const entries = entriesOf(value, "a loss is expected");
  require(hasKeys(entries, ["log", "factor"]), "a loss has other fields than log and factor");
  const loss = { log: fraction(entries.get("log")), factor: fraction(entries.get("factor")) };
  require(loss.factor.sign > 0, "a factor is not positive");
  return loss;
}

function listOf(value: Json | undefined, reason: string): Json[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Refusal(reason);
  return value;
}

/** A step with all its premises; refused if its form is not that of a step, whatever its rule may be. */
export function stepOf(value: Json | undefined, depth = 0): Step {
  require(depth <= DEEPEST, "too many steps stand on top of each other");
  const entries = entriesOf(value, "a step is expected");
  require([...entries.keys()].every((key) => STEP_KEYS.includes(key)), "a step has unknown fields");
  const rule = entries.get("rule");
  if (typeof rule !== "string") throw new Refusal("a step has no rule");
  const [kind, fact] = factOf(entries.get("fact"));
  const where = entries.has("where") ? entriesOf(entries.get("where"), "the parameters are not named") : new Map();
  const assumes = listOf(entries.get("assumes"), "the assumptions are not a list").map((text) => {
    if (typeof text !== "string" || text === "") throw new Refusal("an assumption has no words");
    return text;
  });
  const premises = listOf(entries.get("premises"), "the premises are not a list");
  return { rule, kind, fact, where, assumes, premises: premises.map((one) => stepOf(one, depth + 1)) };
}

function factOf(value: Json | undefined): [string, Entries] {
  const fact = entriesOf(value, "a step has no fact");
  const kind = fact.get("kind");
  const fields = typeof kind === "string" && Object.hasOwn(FACTS, kind) ? FACTS[kind] : undefined;
  if (typeof kind !== "string" || fields === undefined) throw new Refusal("there is no such kind of fact");
  require(hasKeys(fact, fields), `a ${kind} fact has other fields`);
  require(UNITS.includes(fact.get("unit") ?? "record"), "there is no such protected unit");
  require(RELEASES.includes(fact.get("release") ?? "hypothesis"), "there is no such release");
  const part = fact.get("part") ?? ALL;
  require(typeof part === "string" && part !== "", "a part needs a name");
  for (const name of ["unit", "release", "part"]) require(fact.get(name) !== null, "a word is missing");
  return [kind, fact];
}

/** The fact of a step, which must be of this kind. */
export function factIs(step: Step, kind: string): Entries {
  require(step.kind === kind, `a ${kind} fact is expected here`);
  return step.fact;
}

function word(fact: Entries, name: string): string {
  return String(fact.get(name));
}

/** Of whom and of what a fact speaks. */
export interface Scope {
  readonly unit: string;
  readonly part: string;
  readonly release: string;
}

export function scopeOf(fact: Entries): Scope {
  return { unit: word(fact, "unit"), part: word(fact, "part"), release: word(fact, "release") };
}

export function sameScope(a: Scope, b: Scope): boolean {
  return a.unit === b.unit && a.part === b.part && a.release === b.release;
}

export interface Privacy extends Scope {
  readonly loss: Loss;
  readonly delta: Rational;
}

export function privacyOf(step: Step): Privacy {
  const fact = factIs(step, "privacy");
  require(fact.get("neighbours") === "replace-one", "neighbours must be replace-one");
  const [loss, delta] = [lossOf(fact.get("epsilon")), fraction(fact.get("delta"))];
  require(delta.sign >= 0, "delta is negative");
  return { loss, delta, ...scopeOf(fact) };
}

/** The loss and unit of a `bounded-range` fact. */
export function logOddsOf(step: Step): { loss: Loss; unit: string } {
  const fact = factIs(step, "bounded-range");
  return { loss: lossOf(fact.get("epsilon")), unit: word(fact, "unit") };
}

export interface Accuracy {
  readonly error: Rational;
  readonly failure: Rational;
  readonly against: Json | undefined;
  readonly records: bigint;
  readonly proper: boolean;
}

export function accuracyOf(step: Step): Accuracy {
  const fact = factIs(step, "accuracy");
  const proper = fact.get("proper");
  if (typeof proper !== "boolean") throw new Refusal("proper is not true or false");
  const [error, failure] = [fraction(fact.get("error")), fraction(fact.get("failure"))];
  const records = count(fact.get("records"), 0n);
  require(error.sign >= 0 && error.atMost(ONE), "the error is out of range");
  require(failure.sign > 0 && failure.below(ONE), "the failure is out of range");
  return { error, failure, against: fact.get("against"), records, proper };
}

/** An accuracy of this kind, with an error above 0. */
export function goalOf(step: Step, against: string, proper = true): Accuracy {
  const goal = accuracyOf(step);
  require(goal.against === against && goal.proper === proper, "another kind of accuracy");
  require(goal.error.sign > 0, "the error is out of range");
  return goal;
}

export function requireSame(found: Accuracy, expected: Accuracy): void {
  require(found.error.equals(expected.error), "the error is another one");
  require(found.failure.equals(expected.failure), "the failure is another one");
  require(found.against === expected.against, "another kind of accuracy");
  require(found.records === expected.records, "the numbers of records differ");
  require(found.proper === expected.proper, "another kind of accuracy");
}

export function noPremise(step: Step): void {
  require(step.premises.length === 0, "this step has no premises");
}

export function onlyPremise(step: Step): Step {
  const [premise] = step.premises;
  if (premise === undefined || step.premises.length !== 1) throw new Refusal("exactly one premise is expected");
  return premise;
}

/** Whether a step and all below it hold without assumptions. */
export function assumesNothing(step: Step): boolean {
  return step.assumes.length === 0 && step.premises.every(assumesNothing);
}

/** The privacy of a step and of its only premise, of the same scope. */
export function pairOf(step: Step): [Privacy, Privacy] {
  const [own, old] = [privacyOf(step), privacyOf(onlyPremise(step))];
  require(sameScope(own, old), "the scope differs from the premise's");
  return [own, old];
}

/** Refuse unless the loss is e^epsilon = factor. */
export function requireFactor(loss: Loss, factor: Rational): void {
  require(sameLoss(loss, { log: ZERO, factor }), "epsilon is not that of the step");
}

/** Whether two values are the same to the letter. */
export function sameText(a: Entries, b: Entries): boolean {
  return canonical(a) === canonical(b);
}

/** The parameters of a step, which must be these and no others. */
export class Parameters {
  constructor(private readonly where: Entries, names: readonly string[]) {
    require(hasKeys(where, names), "the parameters are not those of this rule");
  }

  get(name: string): Json | undefined {
    return this.where.get(name);
  }

  fraction(name: string): Rational {
    return fraction(this.where.get(name));
  }

  decimal(name: string): Rational {
    return decimal(this.where.get(name));
  }

  count(name: string, least: number, most?: number): bigint {
    const found = count(this.where.get(name), BigInt(least));
    require(most === undefined || found <= BigInt(most), "a whole number is too large");
    return found;
  }

  whole(name: string, least: number): bigint {
    const found = this.fraction(name);
    require(found.isWhole && found.numerator >= BigInt(least), "a whole number is expected");
    return found.numerator;
  }

  text(name: string): string {
    const found = this.where.get(name);
    if (typeof found !== "string" || found === "") throw new Refusal("a text is expected");
    return found;
  }

  /** A number above 0 and at most 1, or below 1. */
  ratio(name = "ratio", below = false): Rational {
    const found = this.fraction(name);
    require(found.sign > 0 && (below ? found.below(ONE) : found.atMost(ONE)), "a ratio is out of range");
    return found;
  }

  /** A number at least 0, or above 0, and below 1 or at most 1. */
  share(name: string, { zero = false, one = false }: { zero?: boolean; one?: boolean } = {}): Rational {
    const found = this.fraction(name);
    require(zero ? found.sign >= 0 : found.sign > 0, "a parameter is out of range");
    require(one ? found.atMost(ONE) : found.below(ONE), "a parameter is out of range");
    return found;
  }

  /** ratio and tilt with 0 < ratio <= tilt, and tilt at most 1, or below it. */
  tilted(below = false): { ratio: Rational; tilt: Rational } {
    const [ratio, tilt] = [this.ratio(), this.ratio("tilt", below)];
    require(ratio.atMost(tilt), "the tilt is below the ratio");
    return { ratio, tilt };
  }

  odds(): Rational {
    const odds = this.fraction("odds");
    require(odds.sign >= 0, "odds are negative");
    return odds;
  }

  /** The records named here, which are those of the fact. */
  records(of: Accuracy): bigint {
    require(this.count("records", 0) === of.records, "the numbers of records differ");
    return of.records;
  }
}

export function given(step: Step, ...names: readonly string[]): Parameters {
  return new Parameters(step.where, names);
}

/** Derives one step again, or refuses it. */
export type Rule = (step: Step) => void;
