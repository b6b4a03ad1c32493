import {
  AuthorizationError,
  ConnectionError,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node';

/** OpenSSL's verdicts on a certificate, as Node names them, and Node's own on its name. */
const UNTRUSTED =
  /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_(?:CA|PURPOSE)|ERR_TLS_CERT_ALTNAME_)/;

export const UNTRUSTED_CERTIFICATE =
  'shows a certificate that is not trusted here, or not made out to this address';

/** What a server does that keeps us out until an operator changes something; undefined for what may pass by itself. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AuthorizationError || error instanceof UserAuthenticationExpiredError) {
    return 'refuses this user, password, token or credentials file';
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNTRUSTED.test(code)) return UNTRUSTED_CERTIFICATE;
  // The client has no other mark for it than its words.
  if (error instanceof ConnectionError && error.message.includes("not support 'tls'")) {
    return 'does not speak TLS, on which the address insists';
  }
  return refusalOf(error.cause);
}
