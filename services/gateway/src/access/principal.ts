import type {
  AccessRefusal,
  BillingRefusal,
  Limits,
  Revision,
  Scheduling,
} from '@sluice/contracts';

/** The caller, as the catalog describes it. */
export interface Principal {
  readonly organization: string;
  readonly project: string;
  readonly credentialId: string;
  readonly retention: string;
  readonly limits: Limits;
  readonly limitsRevision: Revision;
  readonly scheduling: Scheduling;
  /** Checked at every request, because answers are cached. */
  readonly expiresAtMs: number | undefined;
  readonly accessRefusal: AccessRefusal | undefined;
  /** Applies to chat completions only. */
  readonly billingRefusal: BillingRefusal | undefined;
}
