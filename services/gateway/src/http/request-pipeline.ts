import { ServiceError, type AccessRefusal, type BillingRefusal } from '@sluice/contracts';
import { startSpan } from '@sluice/telemetry';
import { admitRequest, startAdmissionCounters, type Limiter } from '../domain/admit-request.ts';
import type { CatalogDirectory } from '../domain/catalog-directory.ts';
import { readCredential } from '../domain/credential.ts';
import { shuttingDown, type Drain } from '../domain/drain.ts';
import type { Principal } from '../domain/principal.ts';
import { principalOf, type Exchange } from './exchange.ts';
import { addRateLimitHeaders } from './rate-limit-headers.ts';
import { allowedMethods } from './request-target.ts';
import { requireHost } from './require-host.ts';

export interface RequestPipelineOptions {
  readonly directory: CatalogDirectory;
  readonly limiter: Limiter;
  readonly drain: Drain;
  readonly retentionHeader: string;
}

const UNKNOWN_RETENTION = 'zero';

/** What a handler prepared before its request was admitted. */
export interface Prepared<Value> {
  readonly tokens: number;
  readonly value: Value;
}

/** The checks that every request passes, in their order. Each throws a ServiceError. */
export class RequestPipeline {
  readonly #options: RequestPipelineOptions;

  constructor(options: RequestPipelineOptions) {
    this.#options = options;
    startAdmissionCounters();
  }

  /** From the request line to the route. */
  async pass(exchange: Exchange): Promise<void> {
    const { target } = exchange;
    exchange.abandoned.throwIfAborted();
    requireHost(exchange);
    if (target.insideApiRoot) await this.#authenticate(exchange);
    const refusal = routeRefusal(exchange);
    if (refusal === undefined) return;
    if (target.insideApiRoot) await this.admit(exchange, () => Promise.reject(refusal));
    throw refusal;
  }

  /**
   * Every request that got this far is admitted exactly once, whatever else is wrong with
   * it: what is wrong is found first, and told only if the request was admitted.
   */
  async admit<Value>(exchange: Exchange, prepare: () => Promise<Prepared<Value>>): Promise<Value> {
    let prepared: Prepared<Value> | undefined;
    let failure: ServiceError | undefined;
    try {
      prepared = await prepare();
    } catch (thrown) {
      failure = exchange.gone ? undefined : ServiceError.from(thrown);
    }
    await this.#charge(exchange, prepared?.tokens ?? 0);
    exchange.abandoned.throwIfAborted();
    if (failure !== undefined) throw failure;
    if (prepared === undefined) throw new Error('nothing was prepared and nothing failed');
    return prepared.value;
  }

  async #charge(exchange: Exchange, tokens: number): Promise<void> {
    const span = startSpan('gateway.admit', { parent: exchange.span?.context });
    const admission = { tokens, trace: span, requestId: exchange.id };
    const { windows, refusal } = await admitRequest(
      this.#options.limiter,
      principalOf(exchange),
      admission,
    ).catch((error: unknown) => {
      span.end(error);
      throw error;
    });
    // A limit that refuses does what it is for.
    span.end(windows === undefined ? refusal : undefined);
    if (windows !== undefined) {
      addRateLimitHeaders(exchange.headers, windows, { tokens: createsCompletion(exchange) });
    }
    if (refusal !== undefined) throw refusal;
  }

  async #authenticate(exchange: Exchange): Promise<void> {
    const { directory, drain, retentionHeader } = this.#options;
    const credential = readCredential(exchange.request.rawHeaders);
    if (drain.phase === 'refusing') {
      exchange.headers[retentionHeader] = UNKNOWN_RETENTION;
      throw shuttingDown();
    }
    let principal: Principal;
    try {
      const asker = { requestId: exchange.id, trace: exchange.span };
      principal = await directory.authenticate(credential, asker);
    } catch (error) {
      // A refused credential learns nothing but the request's id.
      const refused = error instanceof ServiceError && error.code === 'invalid_api_key';
      if (!refused) exchange.headers[retentionHeader] = UNKNOWN_RETENTION;
      throw error;
    }
    exchange.principal = principal;
    exchange.headers[retentionHeader] = principal.retention;
    const { accessRefusal, billingRefusal } = principal;
    if (accessRefusal !== undefined) throw refusedAccess(accessRefusal);
    if (billingRefusal !== undefined && createsCompletion(exchange)) {
      throw refusedAccess(billingRefusal);
    }
  }
}

function createsCompletion({ route, method }: Exchange): boolean {
  return route.name === 'completions' && method === 'POST';
}

function routeRefusal(exchange: Exchange): ServiceError | undefined {
  const allowed = allowedMethods(exchange.route);
  if (allowed === undefined) {
    return new ServiceError('unknown_url', 'There is nothing at this address.');
  }
  if (allowed.includes(exchange.method)) return undefined;
  return new ServiceError(
    'method_not_allowed',
    `Only ${allowed.join(', ')} can be used at this address.`,
  );
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
