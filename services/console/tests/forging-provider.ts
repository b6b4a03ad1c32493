import { createServer } from 'node:http';
import { listen } from '@sluice/service';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

type Claims = Readonly<Record<string, unknown>>;

export interface ForgingProvider extends AsyncDisposable {
  readonly settings: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  /** Changes the claims of the id tokens. Without it, they are valid. */
  forge: (claims: Claims) => Claims;
  /** If it is set, this id token is sent instead of a new one. */
  replayed: string | undefined;
  /** Whether id tokens are signed with a key that is not published. */
  signsWrongly: boolean;
  /** The id tokens that were sent. */
  readonly sent: string[];
  /** Acts as the page of the provider: returns the address at the console to which it redirects, with a code. */
  approve(authorizationUrl: string): string;
}

/** A provider of OpenID Connect whose id tokens can be wrong in every way that a test needs. */
export async function startForgingProvider(): Promise<ForgingProvider> {
  const published = await generateKeyPair('RS256');
  const other = await generateKeyPair('RS256');
  const clientId = 'sluice-console';
  let nonce = '';
  const sent: string[] = [];

  async function idToken(issuer: string): Promise<string> {
    if (provider.replayed !== undefined) return provider.replayed;
    const now = Math.floor(Date.now() / 1_000);
    const claims = { iss: issuer, sub: 'mallory', aud: clientId, nonce, iat: now, exp: now + 60 };
    const { privateKey } = provider.signsWrongly ? other : published;
    const token = await new SignJWT({ ...provider.forge(claims) })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(privateKey);
    sent.push(token);
    return token;
  }

  async function answer(path: string, issuer: string): Promise<object> {
    switch (path) {
      case '/jwks':
        return { keys: [{ ...(await exportJWK(published.publicKey)), kid: 'one', alg: 'RS256' }] };
      case '/token':
        return {
          access_token: 'any',
          token_type: 'Bearer',
          expires_in: 60,
          id_token: await idToken(issuer),
        };
      default:
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        };
    }
  }

  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    void answer(request.url ?? '', issuer).then((body) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  const issuer = await listen(server, { host: '127.0.0.1', port: 0 });
  const provider: ForgingProvider = {
    settings: { issuer, clientId, clientSecret: 'a secret of tests' },
    forge: (claims) => claims,
    replayed: undefined,
    signsWrongly: false,
    sent,
    approve: (authorizationUrl) => {
      const { searchParams } = new URL(authorizationUrl);
      nonce = searchParams.get('nonce') ?? '';
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      back.search = String(
        new URLSearchParams({ code: 'any', state: searchParams.get('state') ?? '', iss: issuer }),
      );
      return back.href;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return provider;
}
