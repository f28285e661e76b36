/** Why a document is not accepted, in words. */
export class Refusal extends Error {
}
/** Refuse for this reason unless the condition holds. */
export function require(condition, reason) {
    if (!condition)
        throw new Refusal(reason);
}
