/** A certificate: every step is derived again, and what stands on top is what they end with. */
import { entriesOf } from "./json.js";
import { ONE, Rational } from "./rational.js";
import { Refusal, require } from "./refusal.js";
import { ALL, count, decimal, privacyOf, stepOf } from "./reading.js";
import { lossAbove, lossAtMost } from "./rounding.js";
import { RULES } from "./rules/index.js";
export const CERTIFICATE = "privpac-certificate/1";
const FIELDS = [
    "format", "epsilon", "delta", "assumptions", "coins", "labelled", "unlabelled", "request", "learner", "privacy",
    "accuracy",
];
const COINS = ["system", "seeded", "enumerated"];
const ASSUMING = new Set([
    "assuming", "group", "concentrated-group", "reference-cover-realizable", "reference-cover-agnostic",
]);
const TWO_CLASSES = new Set([
    "relabelling", "rank-relabelling", "relabelling-part", "label-boost-labelled", "label-boost-unlabelled",
]);
const UNIT = Rational.of(1n, 10n ** 12n);
/** Derive the certificate again; refuses the first thing that does not follow. */
export function checkCertificate(value, derived, schema) {
    const tree = entriesOf(value, "a certificate is expected");
    require(tree.get("format") === CERTIFICATE, "the certificate has another format");
    const known = [...tree.keys()].every((key) => FIELDS.includes(key) || key === "also");
    require(known && FIELDS.every((key) => tree.has(key)), "fields are missing or unknown");
    const privacy = stepOf(tree.get("privacy"));
    const also = steps(tree, "also");
    const accuracy = steps(tree, "accuracy");
    derive(privacy, "privacy", derived);
    also.forEach((step, i) => derive(step, `also[${i}]`, derived));
    accuracy.forEach((step, i) => derive(step, `accuracy[${i}]`, derived));
    for (const step of [privacy, ...also]) {
        require(privacyOf(step).part === ALL, "the privacy derived is that of a part of the records");
    }
    checkHeadline(tree, privacy);
    checkRecords(tree, accuracy);
    if (schema !== undefined)
        checkClasses([privacy, ...also], schema);
}
function steps(tree, name) {
    const found = tree.has(name) ? tree.get(name) : [];
    if (!Array.isArray(found))
        throw new Refusal("a list is expected");
    return found.map((one) => stepOf(one));
}
/** Derive a step and all its premises again. */
export function derive(step, path, derived) {
    const place = `${path} > ${step.rule.slice(0, 60)}`;
    step.premises.forEach((premise, i) => derive(premise, `${place}[${i}]`, derived));
    require(step.assumes.length === 0 || ASSUMING.has(step.rule) || !RULES.has(step.rule), `${place}: this rule assumes nothing`);
    const rule = RULES.get(step.rule);
    if (rule === undefined) {
        derived.unknown.add(step.rule);
        return;
    }
    try {
        rule(step);
    }
    catch (problem) {
        if (problem instanceof Refusal)
            throw new Refusal(`${place}: ${problem.message}`);
        if (problem instanceof RangeError)
            throw new Refusal(`${place}: a number is out of range`);
        throw problem;
    }
    derived.steps += 1;
}
function checkHeadline(tree, privacy) {
    const { loss, delta } = privacyOf(privacy);
    const epsilon = decimal(tree.get("epsilon"));
    if (loss.factor.equals(ONE))
        require(epsilon.equals(loss.log), "the headline epsilon is not the one derived");
    else {
        const charged = (log) => ({ log, factor: ONE });
        require(epsilon.minus(loss.log).over(UNIT).isWhole, "the headline epsilon is not rounded up");
        require(lossAtMost(loss, charged(epsilon)), "the headline epsilon is smaller than the one derived");
        require(lossAbove(loss, charged(epsilon.minus(UNIT))), "the headline epsilon is larger than the one derived");
    }
    require(decimal(tree.get("delta")).equals(delta), "the headline delta is not the one derived");
    const assumed = [...new Set(assumptions(privacy))];
    const said = tree.get("assumptions");
    const same = Array.isArray(said) && said.length === assumed.length && said.every((text, i) => text === assumed[i]);
    require(same, "the assumptions are not the derivation's");
    require(COINS.includes(tree.get("coins") ?? null), "there are no such coins");
    require(tree.get("learner") instanceof Map, "the learner is not described");
    require(tree.get("request") === null || tree.get("request") instanceof Map, "the request is malformed");
}
function assumptions(step) {
    return [...step.assumes, ...step.premises.flatMap(assumptions)];
}
function checkRecords(tree, accuracy) {
    const [labelled, unlabelled] = [count(tree.get("labelled"), 0n), count(tree.get("unlabelled"), 0n)];
    for (const step of accuracy) {
        require(step.kind === "accuracy" || step.kind === "answers", "there is no such kind of accuracy");
        const expected = step.kind === "accuracy" ? labelled : labelled + unlabelled;
        require(count(step.fact.get("records"), 0n) === expected, "an accuracy speaks of another number of records");
    }
}
function checkClasses(proofs, schema) {
    if (!proofs.some(isForTwoClasses))
        return;
    const classes = schema instanceof Map ? schema.get("classes") : undefined;
    require(Array.isArray(classes) && classes.length === 2, "relabelling is proved for two classes only");
}
function isForTwoClasses(step) {
    return TWO_CLASSES.has(step.rule) || step.premises.some(isForTwoClasses);
}
