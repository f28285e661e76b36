/** Accuracy carried over from an inner run, from a sample, or from noise. */

import { ONE, Rational, smaller, TWO } from "../rational.js";
import { require } from "../refusal.js";
import {
  type Accuracy, accuracyOf, assumesNothing, given, noPremise, onlyPremise, requireSame, type Rule, type Step,
} from "../reading.js";
import { labellings, lnDown, lnUp, pow, powerAtMost, rootUp, short } from "../rounding.js";
import { worseBy } from "./accuracy.js";

/** ln of the most labellings of so many points, rounded up. */
export function logLabellings(points: bigint, vc: bigint): Rational {
  return lnUp(Rational.of(labellings(points, vc)));
}

/** What the best on the records loses against the best. */
export function near(records: bigint, failure: Rational, vc: bigint): Rational {
  const uniform = rootUp(logLabellings(records, vc).times(2n).over(records));
  const single = rootUp(lnUp(TWO.over(failure)).over(2n * records)).times(2n);
  return smaller(ONE, uniform.plus(single));
}

/** s + 2 sqrt(a s) + 4 a, at most 1. */
export function grown(seen: Rational, a: Rational): Rational {
  return smaller(ONE, seen.plus(rootUp(a.times(seen)).times(2n)).plus(a.times(4n)));
}

/** The most that a rate seen on the records can be in truth, for one free concept or two. */
function trueRate(seen: Rational, records: bigint, failure: Rational, vc: bigint, sides: bigint): Rational {
  const logs = logLabellings(2n * records, vc).times(sides).plus(lnUp(Rational.of(4).over(failure)));
  return grown(seen, logs.over(records));
}

/** The fact and its premise's, of independent records or of any. */
function two(step: Step, ...kinds: readonly string[]): [Accuracy, Accuracy] {
  const [own, old] = [accuracyOf(step), accuracyOf(onlyPremise(step))];
  require(kinds.some((kind) => kind === old.against), "the premise is another kind of accuracy");
  return [own, old];
}

const INDEPENDENT = ["realizable", "agnostic"] as const;

const subsamplingAccuracy: Rule = (step) => {
  const [own, old] = two(step, ...INDEPENDENT);
  const of = given(step, "of").count("of", 0);
  require(of >= old.records, "there are fewer records than were looked at");
  requireSame(own, { ...old, records: of });
};

/** The same of independent records, where the premise must hold for every distribution: a table's own is one. */
function twoOfAny(step: Step): [Accuracy, Accuracy] {
  require(step.premises.every(assumesNothing), "the premise is not for every distribution");
  return two(step, ...INDEPENDENT);
}

const resamplingEmpirical: Rule = (step) => {
  const [own, old] = twoOfAny(step);
  requireSame(own, { ...old, against: "empirical", records: given(step, "of").count("of", 1) });
};

const resamplingAccuracy: Rule = (step) => {
  const [own, old] = twoOfAny(step);
  const where = given(step, "of", "vc", "miss");
  const [of, vc, miss] = [where.count("of", 1), where.count("vc", 0), where.share("miss")];
  require(old.proper, "the inner answers may lie outside of the class");
  const error = old.against === "realizable"
    ? trueRate(old.error, of, miss, vc, 1n)
    : smaller(ONE, old.error.plus(near(of, miss, vc)));
  requireSame(own, { ...old, error, failure: old.failure.plus(miss), records: of, proper: true });
};

const confidence: Rule = (step) => {
  const [own, old] = two(step, ...INDEPENDENT);
  const where = given(step, "runs", "held", "ratio", "tilt", "gap");
  const [runs, held, gap] = [where.count("runs", 1), where.count("held", 0), where.share("gap")];
  const { tilt } = where.tilted();
  require(runs * old.records + held <= own.records, "there are too few records");
  const error = old.error.plus(gap);
  const base = old.against === "realizable"
    ? ONE.plus(old.error.over(tilt)).minus(old.error).minus(ONE.minus(tilt).times(error))
    : worseBy("agnostic", gap, tilt);
  require(base.below(ONE) && error.below(ONE), "the bound is void");
  const failure = short(pow(old.failure, runs).plus(pow(base, held).times(runs - 1n)));
  requireSame(own, { ...old, error, failure, records: own.records });
};

const relabellingAccuracy: Rule = (step) => {
  const [own, old] = two(step, "empirical");
  const where = given(step, "kept", "ratio", "change", "mistake", "vc", "miss");
  const [kept, change, mistake, vc] = ["kept", "change", "mistake", "vc"].map((name) => where.count(name, 1));
  require(kept !== undefined && change !== undefined && mistake !== undefined && vc !== undefined, "a count is missing");
  const [ratio, miss] = [where.ratio("ratio", true), where.share("miss")];
  const voters = own.records - kept;
  require(old.proper && old.records === kept && voters >= 1n, "the records do not fit");
  const units = logLabellings(kept, vc).plus(lnUp(ONE.over(miss))).over(lnDown(ONE.over(ratio)));
  const seen = old.error.plus(units.over(change * kept));
  const error = near(voters, miss.times(2n), vc)
    .plus(units.over(mistake * voters))
    .plus(trueRate(seen, kept, miss, vc, 2n));
  const failure = old.failure.plus(miss.times(4n));
  requireSame(own, { error: short(smaller(ONE, error)), failure, against: "agnostic", records: own.records, proper: true });
};

const stableAccuracy: Rule = (step) => {
  noPremise(step);
  const own = accuracyOf(step);
  const where = given(step, "kept", "ratio", "vc", "miss");
  const [kept, vc] = [where.count("kept", 1), where.count("vc", 1)];
  const [ratio, miss] = [where.ratio("ratio", true), where.share("miss")];
  require(kept <= own.records, "more records are kept than there are");
  const log = lnUp(ONE.over(miss));
  const error = near(own.records, miss.times(2n), vc)
    .plus(logLabellings(own.records, vc).plus(log).over(kept))
    .plus(logLabellings(kept, vc).plus(log).over(lnDown(ONE.over(ratio)).times(own.records)));
  requireSame(own, {
    error: short(smaller(ONE, error)), failure: miss.times(4n), against: "agnostic", records: own.records, proper: true,
  });
};

const switchReconstruction: Rule = (step) => {
  const [own, old] = two(step, "realizable");
  const where = given(step, "candidates", "selection", "ratio", "tilt");
  const [candidates, fresh] = [where.count("candidates", 2), where.count("selection", 0)];
  const { tilt } = where.tilted();
  require(own.against === "realizable" && own.proper && own.error.sign > 0, "another kind of accuracy");
  require(own.records === old.records + fresh, "the numbers of records do not add up");
  const base = worseBy("realizable", own.error, tilt, old.error);
  const left = own.failure.minus(old.failure);
  require(left.sign > 0, "the hypothesis fails too often");
  require(powerAtMost(Rational.of(candidates - 1n), base, fresh, left), "the bound fails");
};

const independentNoise: Rule = (step) => {
  const [own, old] = [accuracyOf(step), accuracyOf(onlyPremise(step))];
  const where = given(step, "rate", "noise");
  const [rate, noise] = [where.share("rate"), where.share("noise", { one: true })];
  require(rate.times(2n).below(ONE), "a rate is out of range");
  const [error, failure] = [old.error.plus(noise), old.failure.plus(rate.over(noise))];
  requireSame(own, { ...old, error, failure, proper: false });
};

const noiseReconstruction: Rule = (step) => {
  const [own, old] = [accuracyOf(step), accuracyOf(onlyPremise(step))];
  const rate = given(step, "rate").share("rate");
  require(rate.times(2n).below(ONE), "the rate is out of range");
  require(old.proper && own.error.sign > 0, "the premise speaks of something else");
  const kept = ONE.minus(rate.times(2n)).square();
  requireSame(own, { ...old, failure: old.failure.plus(ONE).minus(kept), proper: true });
};

export const CARRIED: Readonly<Record<string, Rule>> = {
  "subsampling-accuracy": subsamplingAccuracy,
  "resampling-empirical": resamplingEmpirical,
  "resampling-accuracy": resamplingAccuracy,
  confidence,
  "relabelling-accuracy": relabellingAccuracy,
  "stable-accuracy": stableAccuracy,
  "switch-reconstruction": switchReconstruction,
  "independent-noise": independentNoise,
  "noise-reconstruction": noiseReconstruction,
};
