import type { AdmissionDecision, AdmissionRequest, LimitWindows } from '@sluice/contracts';

/** Admits every request unless the test decides otherwise. */
export class FakeLimiter {
  readonly admissions: AdmissionRequest[] = [];
  decide: (request: AdmissionRequest) => AdmissionDecision = () => ({
    outcome: 'admitted',
    windows: WINDOWS,
    decidedAtMs: 0,
  });

  admit(request: AdmissionRequest): Promise<AdmissionDecision> {
    this.admissions.push(request);
    return Promise.resolve(this.decide(request));
  }
}

const WINDOWS: LimitWindows = {
  requests_per_minute: { limit: 60, remaining: 59, resetMs: 1_000 },
  requests_per_day: { limit: 1_000, remaining: 999, resetMs: 3_600_500 },
  tokens_per_minute: { limit: 10_000, remaining: 9_990, resetMs: 60 },
  tokens_per_day: null,
};
