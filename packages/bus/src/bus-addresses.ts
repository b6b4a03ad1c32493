/** The login sent to a server: a user name and a password, or a token. */
export type BusLogin =
  | { readonly user: string; readonly password: string }
  | { readonly token: string };

export interface BusAddresses {
  /** Each server as `host:port`. */
  readonly servers: readonly string[];
  /** One login for all servers, as in a cluster. */
  readonly login: BusLogin | undefined;
  /** Whether TLS is required. */
  readonly secure: boolean;
}

/** The addresses cannot be used. The message quotes none of them: they may contain a password. */
export class BusAddressError extends Error {
  override readonly name = 'BusAddressError';
}

const DEFAULT_PORT = 4222;

/**
 * Parses `nats://` and `tls://` addresses; an address without a scheme is read as nats://. The client keeps only the
 * host and the port of an address, so the login and the use of TLS are returned separately.
 */
export function parseBusAddresses(addresses: readonly string[]): BusAddresses {
  const urls = addresses.map(parseAddress);
  if (new Set(urls.map(({ protocol }) => protocol)).size > 1) {
    throw new BusAddressError('must be all nats:// or all tls://');
  }
  const logins = new Map<string, BusLogin>();
  for (const { username, password } of urls) {
    const login = readLogin(username, password);
    if (login !== undefined) logins.set(JSON.stringify(login), login);
  }
  if (logins.size > 1) {
    throw new BusAddressError(
      'must have the same user and password, or the same token, in each address',
    );
  }
  return {
    servers: urls.map((url) => `${hostOf(url)}:${url.port || DEFAULT_PORT}`),
    login: logins.values().next().value,
    secure: urls[0]?.protocol === 'tls:',
  };
}

function parseAddress(address: string): URL {
  const text = address.trim();
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`);
  const usable =
    url !== null &&
    /^(?:nats|tls):$/.test(url.protocol) &&
    url.port !== '0' &&
    /^\/?$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '' &&
    // The client parses the address in the same way. With an invalid one, it would fail at every attempt.
    URL.canParse(webAddress(url));
  if (!usable) throw unusable();
  return url;
}

/** The host as the client normalizes it: `10.1` becomes 10.0.0.1, and LOCALHOST becomes localhost. */
function hostOf(url: URL): string {
  return new URL(webAddress(url)).hostname;
}

/** The client parses every host as part of an http:// URL. */
function webAddress({ host }: URL): string {
  return `http://${host}`;
}

function readLogin(username: string, password: string): BusLogin | undefined {
  if (username === '' && password === '') return undefined;
  const [user, secret] = [decode(username), decode(password)];
  // Without a user name, the client does not send the password.
  if (user === '') throw unusable();
  return secret === '' ? { token: user } : { user, password: secret };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable();
  }
}

function unusable(): BusAddressError {
  return new BusAddressError(
    'must be addresses such as nats://host:4222 or tls://user:password@host:4222, separated by commas, with the special characters of a password percent-encoded (a bare % is %25)',
  );
}
