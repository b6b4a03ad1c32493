import * as openid from 'openid-client';
import * as z from 'zod';
import type { SealedKind, Sealer } from './sealed-text.ts';

export interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the provider sends people back to. */
  readonly callbackUrl: string;
  /** Where the provider sends people after they have signed out there. */
  readonly signedOutUrl: string;
  readonly sealer: Sealer;
}

/** What the provider says about a person. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
}

const Attempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  return_to: z.string(),
});
type Attempt = z.infer<typeof Attempt>;

export const ATTEMPT_LIFE_MS = 600_000;
const ATTEMPT: SealedKind<Attempt> = {
  purpose: 'sign-in',
  claims: Attempt,
  lifeMs: ATTEMPT_LIFE_MS,
};

const TIMEOUT_S = 10;
const MAX_TEXT = 256;

/** The provider has refused the sign-in, or its answer is not valid. The message is for the log, and has no token. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** Signs people in by OpenID Connect: the authorization code flow with PKCE, a state and a nonce. */
export class Provider {
  readonly #options: ProviderOptions;
  #configuration: Promise<openid.Configuration> | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /** Begins a sign-in. Returns the page of the provider, and the value of a cookie that `finish` needs. */
  async begin(returnTo: string): Promise<{ readonly url: string; readonly cookie: string }> {
    const provider = await this.#find();
    const attempt: Attempt = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
      return_to: returnTo,
    };
    const url = openid.buildAuthorizationUrl(provider, {
      redirect_uri: this.#options.callbackUrl,
      response_type: 'code',
      scope: 'openid email profile',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, cookie: await this.#options.sealer.seal(ATTEMPT, attempt) };
  }

  /** Checks the answer of the provider against the attempt that this browser began. */
  async finish(
    query: string,
    cookie: string,
  ): Promise<{ readonly identity: Identity; readonly returnTo: string }> {
    const attempt = await this.#options.sealer.open(ATTEMPT, cookie);
    if (attempt === undefined) throw new SignInError('the browser began no sign-in, or long ago');
    const provider = await this.#find();
    const url = new URL(this.#options.callbackUrl);
    url.search = query;
    const grant = openid.authorizationCodeGrant(provider, url, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
    });
    const identity = await grant.then(
      (tokens) => readIdentity(provider, tokens),
      (error: unknown) => {
        throw new SignInError(describeFailure(error));
      },
    );
    return { identity, returnTo: attempt.return_to };
  }

  /** The page of the provider that ends its own session, if it has one. */
  async signOutUrl(): Promise<string | null> {
    const provider = await this.#find();
    if (provider.serverMetadata().end_session_endpoint === undefined) return null;
    return openid.buildEndSessionUrl(provider, {
      post_logout_redirect_uri: this.#options.signedOutUrl,
    }).href;
  }

  /** Reads the configuration that the provider publishes, once. After a failure, the next sign-in tries again. */
  #find(): Promise<openid.Configuration> {
    this.#configuration ??= this.#discover().catch((error: unknown) => {
      this.#configuration = undefined;
      throw new SignInError(describeFailure(error));
    });
    return this.#configuration;
  }

  #discover(): Promise<openid.Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const server = new URL(issuer);
    return openid.discovery(server, clientId, clientSecret, undefined, {
      timeout: TIMEOUT_S,
      execute: [
        // Checks the signature of id tokens. By default, openid-client trusts the TLS connection instead.
        openid.enableNonRepudiationChecks,
        // The settings accept http only for a provider on this machine. The function is marked as deprecated only as a
        // warning, because it is for development.
        // oxlint-disable-next-line typescript/no-deprecated -- a provider on this machine has no certificate
        ...(server.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
      ],
    });
  }
}

type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>;

async function readIdentity(provider: openid.Configuration, tokens: Tokens): Promise<Identity> {
  const idToken = tokens.claims();
  if (idToken === undefined) throw new SignInError('the provider sent no id token');
  const { iss, sub } = idToken;
  const person =
    idToken['email'] === undefined ? await askUserInfo(provider, tokens, sub) : idToken;
  return {
    issuer: iss,
    subject: sub,
    email: textOf(person['email']),
    emailVerified: person['email_verified'] === true,
    name: textOf(person['name']) || textOf(person['preferred_username']),
  };
}

/**
 * Some providers send the e-mail address only here, and not in the id token:
 * https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims. A person can sign in without an address.
 */
async function askUserInfo(
  provider: openid.Configuration,
  { access_token: token }: Tokens,
  subject: string,
): Promise<Readonly<Record<string, unknown>>> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
  return openid.fetchUserInfo(provider, token, subject).catch(() => ({}));
}

/** Describes an error by its name and code, because its message may quote what the provider sent. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const { code } = z.object({ code: z.string() }).safeParse(error).data ?? {};
  return code === undefined ? error.name : `${error.name} ${code}`;
}

function textOf(claim: unknown): string {
  return typeof claim === 'string' ? claim.slice(0, MAX_TEXT) : '';
}
