/** JSON that was read: JSDoc has no words for a type that names itself. */

import type { Float } from "./json.js";

export type Json = null | boolean | bigint | Float | string | Json[] | Entries;
export type Entries = Map<string, Json>;
