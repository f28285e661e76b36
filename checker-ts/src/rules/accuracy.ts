/** How good a draw is, counted directly. */

import { Interval } from "../interval.js";
import type { Json } from "../json.js";
import { ONE, Rational, sum, TWO, ZERO } from "../rational.js";
import { require } from "../refusal.js";
import {
  accuracyOf, ALL, fraction, given, goalOf, noPremise, onlyPremise, privacyOf, type Rule, type Step,
} from "../reading.js";
import { expOf, lnDown, lnUp, lossAtMost, pow, powerAtMost, PRECISE, rootUp, roundedUp } from "../rounding.js";
import { requireAssumption } from "./composition.js";

const MOST_STAGES = 64;

/** The mean of tilt^(mistakes more than the best) for a rule that is worse by `error`, at most. */
export function worseBy(against: string, error: Rational, tilt: Rational, near: Rational = ZERO): Rational {
  if (against === "realizable") {
    return ONE.minus(error).plus(error.times(tilt)).plus(near.over(tilt)).minus(near);
  }
  const [more, less] = [ONE.minus(error).plus(near), ONE.plus(error).minus(near)];
  return more.over(tilt).plus(less.times(tilt)).over(2n);
}

function occam(against: string): Rule {
  return (step) => {
    noPremise(step);
    const goal = goalOf(step, against);
    const where = given(step, "odds", "records", "ratio", "tilt");
    const { tilt } = where.tilted();
    const base = worseBy(against, goal.error, tilt);
    require(powerAtMost(where.odds(), base, where.records(goal), goal.failure), "the bound fails");
  };
}

const empiricalDraw: Rule = (step) => {
  noPremise(step);
  const goal = accuracyOf(step);
  const where = given(step, "odds", "ratio");
  require(goal.against === "empirical" && goal.proper, "another kind of accuracy");
  require(goal.records >= 1n && goal.error.below(ONE), "a number is out of range");
  const mistakes = goal.error.times(goal.records).floor() + 1n;
  require(powerAtMost(where.odds(), where.ratio(), mistakes, goal.failure), "the bound fails");
};

function numbers(text: Json | undefined): Rational[] {
  require(typeof text === "string", "a number is misspelt");
  const words = text.split(" ");
  require(words.length <= MOST_STAGES, "there are too many stages");
  return words.map(fraction);
}

/** Mistakes that all stages together may add, except with probability `each` for every one. */
function addedMistakes(odds: readonly Rational[], ratios: readonly Rational[], each: Rational): Rational {
  require(odds.length === ratios.length, "a stage lacks a number");
  require(odds.every((one) => one.sign >= 0), "odds are negative");
  require(ratios.every((one) => one.sign > 0 && one.below(ONE)), "a ratio is out of range");
  const added = odds.map((one, k) =>
    each.below(one) ? lnUp(one.over(each)).over(lnDown(ONE.over(ratios[k] ?? ONE))) : ZERO,
  );
  return roundedUp(sum(added), 12n);
}

/** e^epsilon of the learner, whose own privacy is the premise: at least what draws with these ratios lose together. */
function growthOf(step: Step, ratios: readonly Rational[]): Rational {
  const fact = privacyOf(onlyPremise(step));
  const whole = fact.delta.sign === 0 && fact.unit === "record" && fact.part === ALL;
  require(whole && fact.release === "hypothesis", "whole records must be protected, without a delta");
  const drawn = ratios.reduce((product, ratio) => product.over(ratio.square()), ONE);
  require(lossAtMost({ log: ZERO, factor: drawn }, fact.loss), "the draws lose more than the premise says");
  return expOf(fact.loss);
}

function stagedDraws(against: string): Rule {
  return (step) => {
    const premised = step.premises.length > 0;
    const where = given(step, "odds", "ratios", "records", ...(premised ? [] : ["size"]));
    const [odds, ratios] = [numbers(where.get("odds")), numbers(where.get("ratios"))];
    const goal = goalOf(step, against, odds.length === 1);
    const n = where.records(goal);
    require(n >= 1n, "there are no records");
    const events = odds.length + (against === "agnostic" ? 2 : 1);
    const each = goal.failure.over(BigInt(events));
    const size = premised ? ONE : Rational.of(where.whole("size", 1));
    const added = addedMistakes(odds, ratios, each).over(n);
    const growth = premised ? growthOf(step, ratios) : null;
    const bound = against === "agnostic"
      ? agnosticBound(added, n, each, size, growth)
      : realizableBound(added, n, each, size, growth);
    require(goal.error.equals(bound) && bound.below(ONE), "the bound is another one");
  };
}

function agnosticBound(added: Rational, n: bigint, each: Rational, size: Rational, growth: Rational | null): Rational {
  const single = rootUp(lnUp(ONE.over(each)).over(2n * n));
  if (growth === null) {
    return roundedUp(added.plus(single).plus(rootUp(lnUp(size.over(each)).over(2n * n))), 12n);
  }
  const private_ = ONE.minus(TWO.over(rootUp(growth).plus(ONE)));
  return roundedUp(added.plus(single.times(2n)).plus(private_), 12n);
}

function realizableBound(added: Rational, n: bigint, each: Rational, size: Rational, growth: Rational | null): Rational {
  const roots = rootUp(added).plus(rootUp(lnUp(size.over(each)).over(n)));
  const rate = roundedUp(roots.square(), 12n);
  require(rate.below(ONE), "so few records prove nothing");
  if (growth === null) return rate;
  const right = ONE.minus(rate);
  return roundedUp(ONE.minus(right.over(right.plus(rate.times(growth)))), 12n);
}

function referenceCover(against: string): Rule {
  return (step) => {
    noPremise(step);
    const goal = goalOf(step, against);
    const names = ["odds", "records", "ratio", "tilt", "kappa", "level", "miss", "reference"];
    const where = given(step, ...names);
    const { tilt } = where.tilted(true);
    const [kappa, level, miss] = [where.decimal("kappa"), where.fraction("level"), where.fraction("miss")];
    const said = `records come from a distribution whose density against ${where.text("reference")} is at most ` +
      where.text("kappa");
    requireAssumption(step, [said]);
    require(ONE.atMost(kappa) && level.sign >= 0, "a parameter is out of range");
    require(miss.sign >= 0 && miss.below(goal.failure), "a parameter is out of range");
    const near = kappa.times(level);
    require(near.below(goal.error), "the cover is too coarse");
    const n = where.records(goal);
    require(n >= 1n, "there are no records");
    const base = worseBy(against, goal.error, tilt, near);
    require(powerAtMost(where.odds(), base, n, goal.failure.minus(miss)), "the bound fails");
  };
}

const labelThresholds: Rule = (step) => {
  noPremise(step);
  const goal = goalOf(step, "realizable");
  const where = given(step, "records", "cuts", "spacing", "few", "ratio");
  const [n, cuts] = [where.records(goal), where.count("cuts", 1)];
  const [spacing, few, ratio] = [where.count("spacing", 0), where.count("few", 0, 2 ** 20), where.ratio("ratio", true)];
  require(n >= 1n && spacing <= few && few < n && goal.error.below(ONE), "a parameter is out of range");
  const left = goal.failure.minus(atMostSo(n, goal.error, few).times(2n));
  require(powerAtMost(Rational.of(cuts), ratio, few + 1n - spacing, left), "the bound fails");
};

/** A number just above P[Binomial(n, chance) <= most], for 0 < chance < 1. */
function atMostSo(n: bigint, chance: Rational, most: bigint): Rational {
  const odds = chance.over(ONE.minus(chance));
  let term = Interval.around(ONE.minus(chance), PRECISE).power(n);
  let total = term;
  for (let k = 0n; k < most; k += 1n) {
    term = term.times(Interval.around(odds.times(Rational.of(n - k, k + 1n)), PRECISE));
    total = total.plus(term);
  }
  return total.above();
}

const labelCover: Rule = (step) => {
  noPremise(step);
  const goal = goalOf(step, "realizable");
  const where = given(step, "records", "vc", "candidates", "ratio", "level");
  const [n, vc, candidates] = [where.records(goal), where.count("vc", 1), where.fraction("candidates")];
  const [ratio, level] = [where.ratio("ratio", true), where.share("level", { zero: true })];
  require(n >= 1n && 2n * n >= vc && ONE.atMost(candidates), "a parameter is out of range");
  const above = (x: Rational): Rational => lnUp(x, 9n);
  const noise = above(candidates.times(2n).over(goal.failure)).over(lnDown(ONE.over(ratio), 9n).times(n)).plus(level);
  const dimension = Rational.of(vc);
  const spread = dimension
    .plus(dimension.times(above(Rational.of(2n * n, vc))))
    .plus(above(Rational.of(8).over(goal.failure)))
    .times(4n).over(n);
  const room = goal.error.minus(noise);
  require(room.sign > 0 && goal.error.times(spread).atMost(room.square()), "the bound fails");
};

const MOST_PATTERNS = 2 ** 30;

const clauseCounts: Rule = (step) => {
  noPremise(step);
  const goal = goalOf(step, "realizable", false);
  const where = given(step, "clauses", "ratio", "threshold", "tilt", "records");
  const [clauses, threshold] = [where.count("clauses", 1, MOST_PATTERNS), where.count("threshold", 0, MOST_PATTERNS)];
  const [noise, tilt, records] = [where.ratio("ratio", true), where.ratio("tilt", true), where.records(goal)];
  require(goal.error.below(ONE) && goal.failure.below(ONE) && noise.below(tilt), "a parameter is out of range");
  const missed = pow(noise, threshold + 1n).times(clauses).over(ONE.plus(noise));
  const quiet = ONE.minus(noise).square().over(ONE.minus(noise.times(tilt)).times(ONE.minus(noise.over(tilt))));
  const odds = quiet.times(clauses).times(pow(ONE.over(tilt), threshold));
  const base = ONE.minus(goal.error.times(ONE.minus(tilt)).over(Rational.of(clauses)));
  require(powerAtMost(odds, base, records, goal.failure.minus(missed)), "the bound fails");
};

export const ACCURACY: Readonly<Record<string, Rule>> = {
  "clause-counts": clauseCounts,
  "occam-realizable": occam("realizable"),
  "occam-agnostic": occam("agnostic"),
  "staged-draws-realizable": stagedDraws("realizable"),
  "staged-draws-agnostic": stagedDraws("agnostic"),
  "empirical-draw": empiricalDraw,
  "reference-cover-realizable": referenceCover("realizable"),
  "reference-cover-agnostic": referenceCover("agnostic"),
  "label-thresholds": labelThresholds,
  "label-cover": labelCover,
};
