import { ServiceError, type AccessRefusal, type BillingRefusal } from '@sluice/contracts';
import type { CatalogDirectory } from '../domain/catalog-directory.ts';
import { readCredential } from '../domain/credential.ts';
import { shuttingDown, type Drain } from '../domain/drain.ts';
import type { Principal } from '../domain/principal.ts';
import { createsCompletion, type Exchange } from './exchange.ts';

export interface AuthenticateOptions {
  readonly directory: CatalogDirectory;
  readonly drain: Drain;
  readonly retentionHeader: string;
}

const UNKNOWN_RETENTION = 'zero';

/** Throws a ServiceError unless the caller may use the API. From then on the request has to be charged. */
export type Authenticate = (exchange: Exchange) => Promise<void>;

export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { directory, drain, retentionHeader } = options;

  async function findPrincipal({ id, request, span, headers }: Exchange): Promise<Principal> {
    const credential = readCredential(request.rawHeaders);
    if (drain.phase === 'refusing') {
      headers[retentionHeader] = UNKNOWN_RETENTION;
      throw shuttingDown();
    }
    try {
      return await directory.authenticate(credential, { requestId: id, trace: span });
    } catch (error) {
      // A refused credential learns nothing but the request's id.
      const refused = error instanceof ServiceError && error.code === 'invalid_api_key';
      if (!refused) headers[retentionHeader] = UNKNOWN_RETENTION;
      throw error;
    }
  }

  return async (exchange) => {
    const principal = await findPrincipal(exchange);
    exchange.principal = principal;
    exchange.headers[retentionHeader] = principal.retention;
    const { accessRefusal, billingRefusal } = principal;
    if (accessRefusal !== undefined) throw refusedAccess(accessRefusal);
    if (billingRefusal !== undefined && createsCompletion(exchange)) {
      throw refusedAccess(billingRefusal);
    }
    exchange.isChargeDue = true;
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
