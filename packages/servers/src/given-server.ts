import type { BackingKind } from './backing-source.ts';
import { converse, type Place } from './conversation.ts';

const PORTS: Readonly<Record<BackingKind, number>> = { redis: 6379, nats: 4222 };
/** It may be far away, and its name may have to be looked up. */
const PATIENCE_MS = 5_000;

/** Whether a server answers at an address that was given, or at one of several. Passwords are not tried. */
export async function givenServerAnswers(
  kind: BackingKind,
  addresses: string,
  { patienceMs = PATIENCE_MS } = {},
): Promise<boolean> {
  const asked = addresses
    .split(',')
    .map(async (address) => answersAt(kind, address.trim(), patienceMs));
  return (await Promise.all(asked)).includes(true);
}

async function answersAt(kind: BackingKind, address: string, patienceMs: number): Promise<boolean> {
  const url = URL.parse(address);
  if (url === null) return false;
  return converse({
    ...placeOf(url, PORTS[kind]),
    patienceMs,
    // A word that both of them answer, so that neither leaves us waiting when taken for the other.
    say: ['redis:', 'nats:'].includes(url.protocol) ? 'PING\r\n' : '',
    judge: (heard) => {
      switch (url.protocol) {
        case 'redis:':
          // A refusal for want of a password is an answer too.
          return heard === '' ? undefined : /^[+-]/.test(heard);
        case 'nats:':
          return heard.length < 'INFO '.length ? undefined : heard.startsWith('INFO ');
        default:
          // What it says behind its encryption is for its clients to hear.
          return true;
      }
    },
  });
}

function placeOf({ hostname, port }: URL, usualPort: number): Place {
  // An address of version 6 stands in brackets, which are no part of it.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? usualPort : Number(port) };
}
