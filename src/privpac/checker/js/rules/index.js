/** Every rule that this implementation derives again; written by listing.mjs. */
import { ACCURACY } from "./accuracy.js";
import { CARRIED } from "./carried.js";
import { COMPOSITION } from "./composition.js";
import { CONCENTRATED } from "./concentrated.js";
import { FEW_LABELS } from "./fewlabels.js";
import { MECHANISMS } from "./mechanisms.js";
import { POINTS } from "./points.js";
import { TABLES } from "./tables.js";
import { VOTES } from "./votes.js";
export const RULES = new Map([ACCURACY, CARRIED, COMPOSITION, CONCENTRATED, FEW_LABELS, MECHANISMS, POINTS, TABLES, VOTES].flatMap((family) => Object.entries(family)));
