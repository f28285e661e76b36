/** Released tables: how well they answer questions about the records they stand for. */

import { ONE, Rational, ZERO } from "../rational.js";
import { require } from "../refusal.js";
import { count, factIs, fraction, given, noPremise, onlyPremise, type Rule, type Step } from "../reading.js";
import { powerAbove, powerAtMost } from "../rounding.js";
import { reaches } from "./points.js";

const QUERIES = ["points", "thresholds", "ranges", "listed queries"];

export interface Answers {
  readonly error: Rational;
  readonly failure: Rational;
  readonly records: bigint;
}

/** An `answers` fact about one of these queries. */
export function answersOf(step: Step, ...queries: readonly string[]): Answers {
  const fact = factIs(step, "answers");
  const [error, failure] = [fraction(fact.get("error")), fraction(fact.get("failure"))];
  const records = count(fact.get("records"), 1n);
  const known = [...QUERIES].filter((one) => queries.includes(one));
  require(known.some((one) => one === fact.get("queries")), "these are not the queries");
  require(error.sign >= 0 && error.below(ONE), "the error is out of range");
  require(failure.sign > 0 && failure.below(ONE), "the failure is out of range");
  return { error, failure, records };
}

const histogramAnswers: Rule = (step) => {
  noPremise(step);
  const { error, failure, records } = answersOf(step, "points");
  const where = given(step, "cells", "ratio", "above", "steps");
  const [cells, ratio] = [where.whole("cells", 1), where.ratio("ratio", true)];
  const [above, steps] = [where.count("above", 0), where.count("steps", 0)];
  require(above <= steps, "the height is larger than the error");
  require(error.equals(Rational.of(steps, records)), "the error is not that number of records");
  const high = powerAbove(ratio, steps + 1n).times(cells);
  const low = powerAbove(ratio, steps + 1n - above).times(cells < records ? cells : records);
  require(high.plus(low).over(ONE.plus(ratio)).atMost(failure), "the bound fails");
};

const treeAnswers: Rule = (step) => {
  noPremise(step);
  const { error, failure, records } = answersOf(step, "thresholds");
  const where = given(step, "cells", "branching", "levels", "ratio", "above", "steps", "hidden", "tilt");
  const [cells, branching, levels] = [where.whole("cells", 1), where.count("branching", 2), where.count("levels", 1)];
  const [ratio, tilt] = [where.ratio("ratio", true), where.fraction("tilt")];
  const [steps, hidden] = [where.count("steps", 0), where.count("hidden", 0)];
  const deep = reaches(branching, levels, cells) && (levels === 1n || !reaches(branching, levels - 1n, cells));
  require(deep, "the levels are not those of the domain");
  require(ONE.below(tilt) && tilt.times(ratio).below(ONE), "the tilt is out of range");
  const back = ratio.over(tilt);
  const series = ONE.over(ONE.minus(ratio.times(tilt))).plus(back.over(ONE.minus(back)));
  const moment = ONE.minus(ratio).over(ONE.plus(ratio)).times(series);
  const edges = powerAbove(moment, (levels * branching) / 2n).times(powerAbove(ONE.over(tilt), steps + 1n));
  let total = edges.times(2n * cells);
  total = total.plus(powerAbove(ratio, records + 1n).times(4n * branching * cells).over(ONE.plus(ratio)));
  if (where.get("above") === "never") require(hidden === 0n, "nothing is hidden in a full tree");
  else {
    const above = where.count("above", 0);
    require(above <= hidden, "the height is larger than what it hides");
    const nodes = levels * (records / (hidden + 1n));
    total = total.plus(powerAbove(ratio, hidden + 1n - above).times(nodes).over(ONE.plus(ratio)));
  }
  require(error.equals(Rational.of(steps + hidden, records)), "the error is not that of the tree");
  require(total.atMost(failure), "the bound fails");
};

const quantileAnswers: Rule = (step) => {
  noPremise(step);
  const { error, failure, records } = answersOf(step, "thresholds");
  const where = given(step, "cells", "ratio", "levels", "batch", "steps");
  const [cells, ratio, levels] = [where.whole("cells", 1), where.ratio("ratio", true), where.count("levels", 1, 64)];
  const [batch, steps] = [where.count("batch", 1), where.count("steps", 1)];
  const halvings = 1n << levels;
  const places = cells * ((records + batch - 1n) / batch);
  const odds = Rational.of((halvings - 1n) * (places + 1n));
  require(powerAtMost(odds, ratio, steps, failure), "the bound fails");
  let [before, rank] = [ZERO, ZERO];
  for (let i = 0n; i < levels; i += 1n) {
    [before, rank] = [rank, rank.plus(before).plus(Rational.of(batch + steps - 1n)).over(2n)];
  }
  const expected = rank.over(records).plus(Rational.of(1n, 2n * halvings));
  require(error.equals(expected), "the error is not that of the halvings");
};

const blockQuantileAnswers: Rule = (step) => {
  noPremise(step);
  const { error, failure, records } = answersOf(step, "thresholds");
  const where = given(step, "cells", "ratio", "levels", "stake", "reach", "steps");
  const [cells, ratio, levels] = [where.whole("cells", 1), where.ratio("ratio", true), where.count("levels", 1, 64)];
  const [stake, reach, steps] = [where.whole("stake", 1), where.count("reach", 1), where.count("steps", 1)];
  const [halvings, last] = [1n << levels, cells * records - 1n];
  const bits = last === 0n ? 1n : BigInt(last.toString(2).length);
  const blank = powerAbove(ratio, 2n * reach).times(stake);
  const rivals = powerAbove(ratio, steps).times(4n * bits + 2n).over(ONE.minus(ratio.times(ratio)));
  require(blank.plus(rivals).times(halvings - 1n).atMost(failure), "the bound fails");
  let [before, rank] = [ZERO, ZERO];
  for (let i = 0n; i < levels; i += 1n) {
    [before, rank] = [rank, rank.plus(before).plus(Rational.of(2n * reach + steps - 2n)).over(2n)];
  }
  const expected = rank.over(records).plus(Rational.of(1n, 2n * halvings));
  require(error.equals(expected), "the error is not that of the halvings");
};

const candidateAnswers: Rule = (step) => {
  noPremise(step);
  const { error, failure, records } = answersOf(step, "thresholds", "listed queries");
  const where = given(step, "candidates", "ratio", "radius");
  const [candidates, ratio, radius] = [where.whole("candidates", 1), where.ratio("ratio", true), where.fraction("radius")];
  require(radius.sign >= 0 && radius.atMost(error), "the error is below the radius");
  const steps = error.minus(radius).times(records).floor() + 1n;
  require(powerAtMost(Rational.of(candidates - 1n), ratio, steps, failure), "the bound fails");
};

const rangesFromThresholds: Rule = (step) => {
  given(step);
  const [own, old] = [answersOf(step, "ranges"), answersOf(onlyPremise(step), "thresholds")];
  const doubled = own.error.equals(old.error.times(2n)) && own.failure.equals(old.failure);
  require(doubled && own.records === old.records, "not twice the error of the thresholds");
};

export const TABLES: Readonly<Record<string, Rule>> = {
  "histogram-answers": histogramAnswers,
  "tree-answers": treeAnswers,
  "quantile-answers": quantileAnswers,
  "block-quantile-answers": blockQuantileAnswers,
  "candidate-answers": candidateAnswers,
  "ranges-from-thresholds": rangesFromThresholds,
};
