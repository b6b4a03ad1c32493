import type { BackingKind } from './backing-source.ts';
import { converse, type Place } from './conversation.ts';

const PORTS: Readonly<Record<BackingKind, number>> = { redis: 6379, nats: 4222 };
/**
 * This is longer than for a server on this machine, because a remote one needs a DNS look-up and has slower round
 * trips.
 */
const TIMEOUT_MS = 5_000;

/** Whether a server answers at one of the given addresses, which are separated by commas. Passwords are not checked. */
export async function givenServerAnswers(
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
  return converse({
    ...placeOf(url, PORTS[kind]),
    timeoutMs,
    // Both Redis and NATS answer PING. A server of the wrong kind therefore gives a wrong answer at once, and no
    // timeout is needed.
    say: ['redis:', 'nats:'].includes(url.protocol) ? 'PING\r\n' : '',
    judge: (heard) => {
      switch (url.protocol) {
        case 'redis:':
          // An error, such as a missing password, is an answer too.
          return heard === '' ? undefined : /^[+-]/.test(heard);
        case 'nats:':
          return heard.length < 'INFO '.length ? undefined : heard.startsWith('INFO ');
        default:
          // With TLS, an open connection is enough. The protocol behind it is not checked.
          return true;
      }
    },
  });
}

function placeOf({ hostname, port }: URL, usualPort: number): Place {
  // An IPv6 address has brackets only in a URL: https://www.rfc-editor.org/rfc/rfc3986#section-3.2.2
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? usualPort : Number(port) };
}
