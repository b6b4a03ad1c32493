import type { Limits } from '@sluice/contracts';

export const DAY = 86_400_000;
/** A midnight in UTC. */
export const MIDNIGHT = 20_500 * DAY;
/** A time well within a day. */
export const NOON = MIDNIGHT + DAY / 2;

export const REVISION = { epoch: 1, sequence: 1 };
export const ONE_REQUEST = { requests: 1, tokens: 0 };
/** The cost of a peek. */
export const PEEK = { requests: 0, tokens: 0 };

export const UNLIMITED: Limits = {
  requests_per_minute: null,
  requests_per_day: null,
  tokens_per_minute: null,
  tokens_per_day: null,
};
