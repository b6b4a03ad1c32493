import type { BackingKind } from './backing-source.ts';
import { probeServer, type ServerAddress } from './probe-server.ts';

const DEFAULT_PORTS: Readonly<Record<BackingKind, number>> = { redis: 6379, nats: 4222 };
/**
 * Longer than the default for a server on this machine: a remote server needs a DNS look-up, and its round trips are
 * slower.
 */
const TIMEOUT_MS = 5_000;

/** Whether a server answers at one of the given addresses, which are separated by commas. Passwords are not checked. */
export async function externalServerAnswers(
  kind: BackingKind,
  addresses: string,
  { timeoutMs = TIMEOUT_MS } = {},
): Promise<boolean> {
  const asked = addresses
    .split(',')
    .map(async (address) => answersAt(kind, address.trim(), timeoutMs));
  return (await Promise.all(asked)).includes(true);
}

async function answersAt(kind: BackingKind, address: string, timeoutMs: number): Promise<boolean> {
  const url = URL.parse(address);
  if (url === null) return false;
  return probeServer({
    ...addressOf(url, DEFAULT_PORTS[kind]),
    timeoutMs,
    // Both Redis and NATS answer PING. A server of the wrong kind therefore gives a wrong answer at once, and no
    // timeout is needed.
    send: ['redis:', 'nats:'].includes(url.protocol) ? 'PING\r\n' : '',
    check: (received) => {
      switch (url.protocol) {
        case 'redis:':
          // An error, such as a missing password, is an answer too.
          return received === '' ? undefined : /^[+-]/.test(received);
        case 'nats:':
          return received.length < 'INFO '.length ? undefined : received.startsWith('INFO ');
        default:
          // With TLS, an open connection is enough. The protocol behind it is not checked.
          return true;
      }
    },
  });
}

function addressOf({ hostname, port }: URL, defaultPort: number): ServerAddress {
  // An IPv6 address has brackets only in a URL: https://www.rfc-editor.org/rfc/rfc3986#section-3.2.2
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? defaultPort : Number(port) };
}
