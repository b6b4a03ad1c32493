import { ServiceError, type AccessRefusal, type BillingRefusal } from '@sluice/contracts';
import type { CatalogDirectory } from '../access/catalog-directory.ts';
import { readCredential } from '../access/credential.ts';
import type { Principal } from '../access/principal.ts';
import { shuttingDown, type Drain } from '../edge/drain.ts';
import { createsCompletion, type RequestContext } from '../edge/request-context.ts';

export interface AuthenticateOptions {
  readonly directory: CatalogDirectory;
  readonly drain: Drain;
  readonly retentionHeader: string;
}

/** Reported while the retention of the organization is not known. */
const RETENTION_IF_UNKNOWN = 'zero';

/**
 * Throws a ServiceError unless the caller may use the API. Otherwise the request counts towards the rate limits of the
 * organization, and `isChargeDue` is set.
 */
export type Authenticate = (context: RequestContext) => Promise<void>;

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { directory, drain, retentionHeader } = options;

  async function findPrincipal({ id, request, span, headers }: RequestContext): Promise<Principal> {
    const credential = readCredential(request.rawHeaders);
    if (drain.phase === 'refusing') {
      headers[retentionHeader] = RETENTION_IF_UNKNOWN;
      throw shuttingDown();
    }
    try {
      return await directory.authenticate(credential, { requestId: id, trace: span });
    } catch (error) {
      // The reply to an invalid credential has no retention header, because the request is not authenticated.
      const isInvalid = error instanceof ServiceError && error.code === 'invalid_api_key';
      if (!isInvalid) headers[retentionHeader] = RETENTION_IF_UNKNOWN;
      throw error;
    }
  }

  return async (context) => {
    const principal = await findPrincipal(context);
    context.principal = principal;
    context.headers[retentionHeader] = principal.retention;
    const { accessRefusal, billingRefusal } = principal;
    if (accessRefusal !== undefined) throw refusedAccess(accessRefusal);
    if (billingRefusal !== undefined && createsCompletion(context)) {
      throw refusedAccess(billingRefusal);
    }
    context.isChargeDue = true;
  };
}

const REFUSAL_MESSAGES: Readonly<Record<AccessRefusal | BillingRefusal, string>> = {
  organization_membership_required:
    "The caller is not an active member of the credential's organization.",
  platform_access_required: 'The account is waiting for access to the platform.',
  onboarding_pending: 'The registration of the account is not finished.',
  plan_access_denied: "The organization's plan excludes access with this kind of credential.",
  account_restricted: 'The account is restricted from using the API.',
  insufficient_quota: 'The balance of the organization is exhausted.',
  billing_conflict: 'The billing state of the organization is being reconciled.',
};

function refusedAccess(code: AccessRefusal | BillingRefusal): ServiceError {
  return new ServiceError(code, REFUSAL_MESSAGES[code]);
}
