/** Answers instead of rules: how good votes are, and what relabelling all records loses. */
import { larger, ONE, Rational, smaller, TWO } from "../rational.js";
import { require } from "../refusal.js";
import { ALL, given, goalOf, noPremise, pairOf, requireFactor } from "../reading.js";
import { exp30, expOf, labellings, lnDown, lnUp, pow, short } from "../rounding.js";
import { grown, logLabellings, near } from "./carried.js";
const MOST_MODELS = 2 ** 14;
const TINY = Rational.of(10n ** 25n + 1n, 10n ** 25n);
/** The chance that a vote is wrong, if so many of the models are. */
const voteWrong = (wrong, models, { numerator: a, denominator: b }) => {
    const lead = 2n * wrong - models;
    const size = lead < 0n ? -lead : lead;
    const odd = models % 2n === 1n;
    const k = odd ? (size + 1n) / 2n : size / 2n;
    const [top, bottom] = odd ? [a ** k * b, b ** k * (a + b)] : [a ** k, 2n * b ** k];
    return lead <= 0n ? [top, bottom] : [bottom - top, bottom];
};
/** The same by exponential weights. */
const weightedWrong = (wrong, models, { numerator: a, denominator: b }) => {
    const right = models - wrong;
    const [mine, other] = [a ** right * b ** wrong, a ** wrong * b ** right];
    return [mine, mine + other];
};
/** wrong(0) + models * average * the steepest way up from there: ways get steeper up to one beyond half of the models, then flatter. */
function voted(average, models, ratio, wrong) {
    require(models <= BigInt(MOST_MODELS), "there are too many models");
    const [none, whole] = wrong(0n, models, ratio);
    const chord = (w) => {
        const [top, bottom] = wrong(w, models, ratio);
        return [top * whole - none * bottom, bottom * whole * w];
    };
    let [low, high] = [models > 1n ? models / 2n : 1n, models];
    while (low < high) {
        const middle = (low + high) / 2n;
        const [[rise, run], [up, over]] = [chord(middle), chord(middle + 1n)];
        if (rise * over < up * run)
            low = middle + 1n;
        else
            high = middle;
    }
    const [rise, run] = chord(low);
    return Rational.of(none, whole).plus(Rational.of(rise * models, run).times(average));
}
/** The average error of models that are right on their blocks of so many records. */
function blockError(block, logs) {
    require(block >= 1n, "a block has no records");
    const bound = lnUp(TWO).plus(logs).times(2n).over(lnDown(TWO).times(block));
    const average = larger(bound, Rational.of(8n, block));
    require(average.below(ONE), "the models are not proved to be right at all");
    return average;
}
function goal(step, against) {
    noPremise(step);
    const found = goalOf(step, against, false);
    require(found.error.below(ONE) && found.records >= 1n, "a number is out of range");
    return found;
}
function requireError(own, found) {
    require(own.error.equals(short(found)), "the error is not that of the rule");
}
function voteAccuracy(wrong) {
    return (step) => {
        const own = goal(step, "realizable");
        const where = given(step, "models", "ratio", "records", "vc");
        const [n, models, vc] = [where.records(own), where.count("models", 1, MOST_MODELS), where.count("vc", 0)];
        require(models <= n, "there are too few records");
        const block = n / models;
        const logs = logLabellings(2n * block, vc).plus(lnUp(Rational.of(models).over(own.failure)));
        requireError(own, voted(blockError(block, logs), models, where.ratio(), wrong));
    };
}
const flippedAnswers = (step) => {
    const own = goal(step, "agnostic");
    const where = given(step, "kept", "ratio", "flip", "slip", "records", "vc");
    const [n, kept, vc] = [where.records(own), where.count("kept", 1), where.count("vc", 0)];
    require(kept <= n, "there are too few records");
    const drawn = logLabellings(kept, vc).over(lnDown(ONE.over(where.ratio("ratio", true))).times(n));
    const { flip, missed } = misled(step, n, kept, vc);
    requireError(own, near(n, own.failure, vc).plus(missed).plus(drawn).plus(flip));
};
/** How often an answer is turned round, and what a subset that may mislead costs. */
function misled(step, n, kept, vc) {
    const where = given(step, ...step.where.keys());
    const [flip, slip] = [where.share("flip", { zero: true }), where.share("slip")];
    require(flip.times(2n).atMost(ONE), "the flip is out of range");
    return { flip, missed: logLabellings(n, vc).plus(lnUp(ONE.over(slip))).over(kept).plus(slip) };
}
const relabelledVote = (step) => {
    const own = goal(step, "agnostic");
    const where = given(step, "kept", "mistake", "models", "ratio", "weight", "inner", "records", "vc");
    const [n, kept, mistake] = [where.records(own), where.count("kept", 1), where.count("mistake", 1)];
    const [models, vc] = [where.count("models", 1, MOST_MODELS), where.count("vc", 0)];
    const [ratio, inner, weight] = [where.ratio("ratio", true), where.ratio("inner"), where.fraction("weight")];
    require(kept < n && weight.sign > 0, "a parameter is out of range");
    const [voters, miss] = [n - kept, own.failure.over(5n)];
    const drawn = logLabellings(kept, vc).plus(lnUp(ONE.over(miss)))
        .over(lnDown(ONE.over(ratio)).times(voters * mistake));
    require(drawn.below(weight), "the draw of labels proves nothing");
    const spread = logLabellings(2n * kept, vc).times(2n).plus(lnUp(Rational.of(4).over(miss))).over(kept);
    const relabelled = grown(drawn.over(weight), spread);
    const wrong = netVote(kept / models, miss, models, vc, inner);
    requireError(own, near(voters, miss.times(2n), vc).plus(drawn).plus(relabelled).plus(wrong));
};
/** The error of a vote of concepts that agree with the labels of their blocks, for all pairs of concepts at once. */
function netVote(block, failure, models, vc, ratio) {
    require(block >= 1n, "a block has no records");
    const logs = logLabellings(2n * block, vc).times(2n).plus(lnUp(Rational.of(models).over(failure)));
    return smaller(ONE, voted(blockError(block, logs), models, ratio, voteWrong));
}
const netRelabellingAccuracy = (step) => {
    const own = goal(step, "agnostic");
    const where = given(step, "kept", "models", "ratio", "inner", "flip", "slip", "records", "vc");
    const [n, kept, vc] = [where.records(own), where.count("kept", 1), where.count("vc", 0)];
    const [models, half] = [where.count("models", 1, MOST_MODELS), own.failure.over(2n)];
    const [ratio, inner] = [where.ratio("ratio", true), where.ratio("inner")];
    require(kept <= n, "there are too few records");
    const { flip, missed } = misled(step, n, kept, vc);
    const drawn = logLabellings(kept, vc).over(lnDown(ONE.over(ratio)).times(n));
    const wrong = netVote(n / models, half, models, vc, inner);
    requireError(own, near(n, half, vc).plus(missed).plus(drawn).plus(wrong).plus(flip));
};
const netRelabelling = (step) => {
    const where = given(step, "ratio", "kept", "of", "net", "vc");
    const [kept, of, vc] = [where.count("kept", 2), where.count("of", 3), where.count("vc", 0)];
    const [ratio, net] = [where.ratio(), where.share("net", { zero: true })];
    const [own, old] = pairOf(step);
    require(kept < of, "a parameter is out of range");
    require(old.delta.sign === 0 && old.release === "one answer", "the inner answer must be pure");
    require(old.unit === "record" && old.part === ALL, "the inner answer must protect whole records");
    const both = short(pow(ONE.over(ratio), 2n).times(expOf(old.loss)));
    const [reach, share] = [net.times(of - 1n).floor() + 1n, Rational.of(kept, of)];
    const mixed = ONE.minus(share).times(both).plus(share.times(4n).times(pow(both, reach)));
    requireFactor(own.loss, short(mixed));
    const pairs = Rational.of(labellings(of - 1n, vc) ** 2n, 2n);
    const missed = smaller(ONE, pairs.over(exp30(net.times(kept - 1n))).times(TINY));
    require(own.delta.equals(short(smaller(ONE, share.times(missed)))), "delta is not that of the net");
};
export const VOTES = {
    "vote-accuracy": voteAccuracy(voteWrong),
    "exponential-vote-accuracy": voteAccuracy(weightedWrong),
    "flipped-answers": flippedAnswers,
    "relabelled-vote": relabelledVote,
    "net-relabelling-accuracy": netRelabellingAccuracy,
    "net-relabelling": netRelabelling,
};
