/** Every rule that this implementation derives again. */

import type { Rule } from "../reading.js";
import { ACCURACY } from "./accuracy.js";
import { CARRIED } from "./carried.js";
import { COMPOSITION } from "./composition.js";
import { CONCENTRATED } from "./concentrated.js";
import { FEW_LABELS } from "./fewlabels.js";
import { MECHANISMS } from "./mechanisms.js";
import { POINTS } from "./points.js";
import { TABLES } from "./tables.js";
import { VOTES } from "./votes.js";

export const RULES: ReadonlyMap<string, Rule> = new Map(
  [MECHANISMS, COMPOSITION, ACCURACY, CARRIED, POINTS, VOTES, FEW_LABELS, TABLES, CONCENTRATED].flatMap((family) =>
    Object.entries(family),
  ),
);
