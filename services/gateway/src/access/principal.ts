import type { AccessRefusal, BillingRefusal, Limits, Revision } from '@sluice/contracts';

/** Who is calling, as the catalog knows them. */
export interface Principal {
  readonly organization: string;
  readonly project: string;
  readonly credentialId: string;
  readonly retention: string;
  readonly limits: Limits;
  readonly limitsRevision: Revision;
  /** Judged at each request: answers are kept for a while. */
  readonly expiresAtMs: number | undefined;
  readonly accessRefusal: AccessRefusal | undefined;
  /** Concerns chat completions only. */
  readonly billingRefusal: BillingRefusal | undefined;
}
