import type { AdmissionDecision } from '@sluice/contracts';

/** A refusal by the limit of requests per minute, in an organization without other limits. */
export const REFUSED = {
  outcome: 'refused',
  windows: {
    requests_per_minute: { limit: 60, remaining: 0, resetMs: 60_000 },
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
  },
  decidedAtMs: 0,
  refusedBy: 'requests_per_minute',
  waitMs: 1_000,
  exceedsCapacity: false,
} satisfies AdmissionDecision;
