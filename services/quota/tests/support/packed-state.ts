const DOUBLE = 8;
/** Fields start after the version byte. */
const FIELDS_AT = 1;

/** The positions of fields in the state of an organization, as packed by admit.lua. */
export const PACKED_AT = {
  lastClock: FIELDS_AT,
  day: FIELDS_AT + 9 * DOUBLE,
  requestsOfDay: FIELDS_AT + 10 * DOUBLE,
  tokensOfDay: FIELDS_AT + 11 * DOUBLE,
} as const;
