import { Provider } from 'oidc-provider';

/**
 * A provider of OpenID Connect for tests, in a process of its own. Its pages are the development pages of
 * oidc-provider, on which every name can sign in with any password.
 */
const { ISSUER = '', PORT, CLIENT_ID = '', CLIENT_SECRET = '', CONSOLE_URL = '' } = process.env;

const provider = new Provider(ISSUER, {
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [`${CONSOLE_URL}/sign-in/callback`],
      post_logout_redirect_uris: [`${CONSOLE_URL}/signed-out`],
    },
  ],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  cookies: { keys: ['only for tests'] },
  pkce: { required: () => true },
  findAccount: (_context, id) => ({
    accountId: id,
    claims: () => ({ sub: id, email: `${id}@example.org`, email_verified: true, name: id }),
  }),
});

provider.listen(Number(PORT), '127.0.0.1');
