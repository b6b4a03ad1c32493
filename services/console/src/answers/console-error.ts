import type { ConsoleRefusal } from '@sluice/contracts';
import { RpcError, type RpcErrorCode } from '@sluice/rpc';
import type { ConsoleErrorCode } from '../api/errors.ts';

/** An error that is sent to the page. People read its message, so it contains no internal details. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly code: ConsoleErrorCode;
  readonly help: string | undefined;

  constructor(code: ConsoleErrorCode, message: string, options?: ErrorOptions & { help?: string }) {
    super(message, options);
    this.code = code;
    this.help = options?.help;
  }
}

/** The error of this API for each reason why the catalog refuses a call. */
const CODE_OF_REFUSAL: Readonly<Record<ConsoleRefusal, ConsoleErrorCode>> = {
  session_ended: 'signed_out',
  platform_access_required: 'platform_access_required',
  account_restricted: 'account_restricted',
  organization_membership_required: 'organization_membership_required',
  plan_access_denied: 'plan_access_denied',
  onboarding_pending: 'onboarding_pending',
  role_required: 'permission_denied',
  operator_required: 'permission_denied',
  terms_required: 'invalid_value',
  last_owner: 'not_possible',
  invalid_sign_in_link: 'sign_in_failed',
  invalid_invitation: 'not_found',
  plan_missing: 'not_set_up',
};

/** The error of this API for each gRPC code. Undefined means that the service cannot be used at the moment. */
const CODE_OF_RPC: Readonly<Record<RpcErrorCode, ConsoleErrorCode | undefined>> = {
  invalid_argument: 'invalid_value',
  // The catalog does not accept the key of this console: an operator must act, and the person cannot.
  unauthenticated: 'not_set_up',
  permission_denied: 'permission_denied',
  not_found: 'not_found',
  already_exists: 'already_exists',
  conflict: 'conflict',
  failed_precondition: 'not_possible',
  resource_exhausted: 'too_many_requests',
  deadline_exceeded: undefined,
  unavailable: undefined,
  cancelled: undefined,
  unimplemented: 'not_set_up',
  internal: undefined,
};

export type CalledService = 'catalog' | 'usage' | 'limits';

const UNAVAILABLE = {
  catalog: ['catalog_unavailable', 'The catalog cannot be asked at the moment. Please retry.'],
  usage: [
    'usage_unavailable',
    'Usage cannot be asked at the moment. Everything else works. Please retry.',
  ],
  limits: [
    'limits_unavailable',
    'The limits cannot be asked at the moment. Everything else works. Please retry.',
  ],
} as const satisfies Record<CalledService, readonly [ConsoleErrorCode, string]>;

const NOT_SET_UP = 'The console is not set up for this. Its operator finds the reason in its log.';

/** Converts the error of a failed call to a ConsoleError. Any other error is returned as it is. */
function errorOfCall(thrown: unknown, service: CalledService): unknown {
  if (!(thrown instanceof RpcError)) return thrown;
  const { reason } = thrown;
  if (service === 'catalog' && reason !== undefined && isRefusal(reason)) {
    return new ConsoleError(CODE_OF_REFUSAL[reason], thrown.message, { cause: thrown });
  }
  // A code that the service did not send itself comes from the connection, and says nothing about the request.
  const isMeant = thrown.isAnswer || CODES_OF_WRONG_SETTINGS.has(thrown.code);
  const code = isMeant ? CODE_OF_RPC[thrown.code] : undefined;
  if (code === undefined) {
    const [unavailable, message] = UNAVAILABLE[service];
    return new ConsoleError(unavailable, message, { cause: thrown });
  }
  const message = code === 'not_set_up' ? NOT_SET_UP : thrown.message;
  return new ConsoleError(code, message, { cause: thrown });
}

function isRefusal(reason: string): reason is ConsoleRefusal {
  return Object.hasOwn(CODE_OF_REFUSAL, reason);
}

/**
 * Codes that mean wrong settings even without a message from the service: it has another version, is the wrong port, or
 * does not know the key of this console.
 */
const CODES_OF_WRONG_SETTINGS: ReadonlySet<RpcErrorCode> = new Set([
  'unimplemented',
  'unauthenticated',
]);

/** Awaits a call, and converts its error. */
export async function callOf<Reply>(service: CalledService, call: Promise<Reply>): Promise<Reply> {
  try {
    return await call;
  } catch (error) {
    throw errorOfCall(error, service);
  }
}
