/** Mechanisms: what a draw, a vote or noise loses follows from its ratio. */

import { larger, ONE, Rational } from "../rational.js";
import { require } from "../refusal.js";
import { ALL, given, logOddsOf, noPremise, type Privacy, privacyOf, requireFactor, type Rule, type Step } from "../reading.js";
import { pow, short } from "../rounding.js";

/** The fact of a mechanism without a delta, and, where only one is possible, of that release. */
function pure(step: Step, factor: Rational, release?: string): Privacy {
  noPremise(step);
  const fact = privacyOf(step);
  requireFactor(fact.loss, factor);
  require(fact.delta.sign === 0, "delta must be 0");
  require(release === undefined || fact.release === release, "the release is not what this mechanism gives");
  return fact;
}

function selectionFactor(step: Step): Rational {
  const where = given(step, "ratio", "sensitivity");
  return pow(ONE.over(where.ratio()), 2n * where.count("sensitivity", 1));
}

function selection(release?: string): Rule {
  return (step) => void pure(step, selectionFactor(step), release);
}

const boundedRange: Rule = (step) => {
  noPremise(step);
  requireFactor(logOddsOf(step).loss, selectionFactor(step));
};

const geometricNoise: Rule = (step) => {
  const where = given(step, "ratio", "change");
  pure(step, pow(ONE.over(where.ratio("ratio", true)), where.count("change", 1)), "noisy numbers");
};

const leafwiseMedians: Rule = (step) => {
  pure(step, pow(ONE.over(given(step, "ratio").ratio()), 4n), "noisy numbers");
};

const weightedRounds: Rule = (step) => {
  const where = given(step, "ratio", "cap", "rounds");
  const window = 4n * where.count("cap", 1) * where.count("rounds", 1);
  pure(step, pow(ONE.over(where.ratio()), window), "hypothesis");
};

const vote: Rule = (step) => {
  const where = given(step, "ratio", "models");
  where.count("models", 1);
  pure(step, ONE.over(where.ratio()), "one answer");
};

const plurality: Rule = (step) => {
  const where = given(step, "ratio", "models", "classes");
  where.count("models", 1);
  where.count("classes", 2);
  pure(step, pow(ONE.over(where.ratio()), 2n), "one answer");
};

const stableChoice: Rule = (step) => {
  noPremise(step);
  const where = given(step, "ratio", "threshold");
  const [ratio, threshold, fact] = [where.ratio("ratio", true), where.count("threshold", 0), privacyOf(step)];
  requireFactor(fact.loss, pow(ONE.over(ratio), 2n));
  require(fact.delta.equals(short(pow(ratio, threshold).over(ONE.plus(ratio)))), "delta is not the ratio's");
  require(fact.release === "hypothesis", "the release is not what this mechanism gives");
};

/** A mechanism of whole records, all of them, that releases a rule. */
const occupiedBlocks: Rule = (step) => {
  noPremise(step);
  const where = given(step, "ratio", "levels", "stake");
  const [ratio, fact] = [where.ratio("ratio", true), privacyOf(step)];
  const [lone, blank] = [Rational.of(where.count("levels", 1) - 1n), ratio.times(where.whole("stake", 1))];
  requireFactor(fact.loss, short(pow(ONE.over(ratio), 2n).times(ONE.plus(lone.over(blank)))));
  require(fact.delta.equals(short(lone.over(lone.plus(blank)))), "delta is not the stake's");
  require(fact.release === "hypothesis", "the release is not what this mechanism gives");
};

const leafwiseBlocks: Rule = (step) => {
  noPremise(step);
  const where = given(step, "ratio", "bits", "stake");
  const [ratio, fact] = [where.ratio("ratio", true), privacyOf(step)];
  const [bits, blank] = [Rational.of(where.count("bits", 1)), ratio.times(where.whole("stake", 1))];
  require(bits.atMost(blank) && !bits.equals(blank), "the stake is too small");
  const share = ONE.plus(bits.over(blank));
  requireFactor(fact.loss, short(pow(ONE.over(ratio), 4n).times(share).times(share)));
  require(fact.delta.equals(short(bits.times(2n).over(bits.plus(blank)))), "delta is not the stake's");
  require(fact.release === "noisy numbers", "the release is not what this mechanism gives");
};

function wholeRule(step: Step, factor: Rational): void {
  const fact = pure(step, factor, "hypothesis");
  require(fact.unit === "record" && fact.part === ALL, "the scope is not that of this rule");
}

const clippedPoints: Rule = (step) => {
  const where = given(step, "domain", "ratio", "threshold", "margin");
  const others = Rational.of(where.whole("domain", 2) - 1n);
  const [ratio, threshold] = [where.ratio("ratio", true), where.count("threshold", 1, 2 ** 20)];
  const margin = where.count("margin", 1);
  require(margin <= threshold, "a parameter is out of range");
  const extra = 2n * margin - threshold;
  const weight = pow(ONE.over(ratio), extra > 0n ? extra : 0n);
  wholeRule(step, short(others.plus(weight).over(others.plus(weight.times(ratio))).over(ratio)));
};

const starEntries: Rule = (step) => {
  const where = given(step, "rate", "spread");
  const [rate, spread] = [where.share("rate", { zero: true, one: true }), where.fraction("spread")];
  require(ONE.atMost(spread), "a parameter is out of range");
  const more = ONE.plus(rate.times(spread.minus(ONE)));
  wholeRule(step, more.over(ONE.plus(rate.times(ONE.over(spread).minus(ONE)))));
};

const sampledPoint: Rule = (step) => {
  const where = given(step, "rate", "fail", "spread");
  const [rate, fail, spread] = [where.share("rate"), where.share("fail"), where.fraction("spread")];
  require(ONE.atMost(spread), "a parameter is out of range");
  const silent = fail.plus(rate.times(ONE.minus(fail))).over(fail);
  const spoken = ONE.minus(rate).plus(rate.times(spread)).over(ONE.minus(rate));
  wholeRule(step, larger(silent, spoken));
};

export const MECHANISMS: Readonly<Record<string, Rule>> = {
  "exponential-mechanism": selection(),
  "leafwise-exponential": selection("hypothesis"),
  "permute-and-flip": selection("hypothesis"),
  "bounded-range": boundedRange,
  "geometric-noise": geometricNoise,
  "leafwise-medians": leafwiseMedians,
  "weighted-rounds": weightedRounds,
  vote,
  plurality,
  "exponential-vote": plurality,
  "stable-choice": stableChoice,
  "occupied-blocks": occupiedBlocks,
  "leafwise-blocks": leafwiseBlocks,
  "clipped-points": clippedPoints,
  "star-entries": starEntries,
  "sampled-point": sampledPoint,
};
