const DOUBLE = 8;
/** After the version. */
const FIELDS_AT = 1;

/** Where fields stand in the state of an organization, as admit.lua packs it. */
export const PACKED_AT = {
  lastClock: FIELDS_AT,
  day: FIELDS_AT + 9 * DOUBLE,
  requestsOfDay: FIELDS_AT + 10 * DOUBLE,
  tokensOfDay: FIELDS_AT + 11 * DOUBLE,
} as const;
