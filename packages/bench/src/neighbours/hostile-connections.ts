import { randomBytes } from 'node:crypto';
import { mintApiKey } from '@sluice/contracts';
import type { Target } from '../load/load-order.ts';
import { LARGEST_BODY, completion, prose, systemMessage, userMessage } from './completion-body.ts';
import { head, post, times, type WireTraffic } from './wire-traffic.ts';

/** Of kinds that cost nothing but their number. */
const MANY = 200;
/** Of kinds whose every request costs something: many ordinary ones at once would block a loop as well. */
const FEW = 20;
/** Requests that follow each other on a connection without waiting for replies. */
const PIPELINED = 110;
/** Few enough to be answered, not cut off. */
const LOOK_UPS = 8;
const LONG = 12_000;

type MakeTraffic = (target: Target) => WireTraffic[];

function onEach(make: (target: Target, number: number) => WireTraffic, connections = MANY) {
  return (target: Target) => times(connections, (number) => make(target, number));
}

const modelsPath = ({ path }: Target) => path.replace('/chat/completions', '/models');

function repeated(request: string, count = PIPELINED): Buffer {
  return Buffer.from(request.repeat(count));
}

/** A body in chunks of one byte each. */
function inSingleBytes({ path, headers }: Target): WireTraffic {
  const body = completion([systemMessage(prose(LARGEST_BODY / 8)), userMessage()]);
  const chunks = Array.from(body, (character) => `1\r\n${character}\r\n`).join('');
  const start = head('POST', path, {
    'content-type': 'application/json',
    'transfer-encoding': 'chunked',
    ...headers,
  });
  return { bytes: Buffer.from(`${start}${chunks}0\r\n\r\n`) };
}

function stream({ path, headers }: Target, tokens: number): Buffer {
  return post(path, headers, completion([userMessage({ tokens })], ['"stream":true']));
}

const headerLines = (count: number) =>
  Object.fromEntries(times(count, (number): [string, string] => [`a${number.toString(36)}`, '']));

const FORGED_CLAIMS = {
  id: 'forged',
  key: 'forged',
  account: 'bench',
  project: 'bench',
  expires_at_ms: 9e12,
};

/** Has the shape of a playground credential, and a signature of nobody. */
function forgedToken(): string {
  const claims = Buffer.from(JSON.stringify(FORGED_CLAIMS));
  return `pg-${claims.toString('base64url')}.${randomBytes(64).toString('base64url')}`;
}

const withCredential = (target: Target, credential: string) =>
  head('GET', modelsPath(target), { authorization: `Bearer ${credential}` });

/** Kinds that need a connection of their own making, most of them without a credential. */
export const HOSTILE_CONNECTIONS = {
  'pipelined requests': onEach((target) => ({ bytes: repeated(head('GET', modelsPath(target))) })),
  'pipelined documents': onEach(() => ({ bytes: repeated(head('GET', '/openapi.json')) })),
  'documents never read': onEach(() => ({
    bytes: repeated(head('GET', '/openapi.json')),
    manners: 'never reads',
  })),
  'slow headers': onEach((target) => ({
    bytes: Buffer.from(head('GET', modelsPath(target), { a: 'b'.repeat(60) })),
    drip: { bytes: 1, everyMs: 10 },
    manners: 'never ends',
  })),
  'long headers': onEach(
    (target) => ({
      bytes: Buffer.from(head('GET', modelsPath(target), { a: 'b'.repeat(LONG) })),
    }),
    FEW,
  ),
  'many headers': onEach(
    (target) => ({
      bytes: Buffer.from(head('GET', modelsPath(target), headerLines(1_500))),
    }),
    FEW,
  ),
  'a long path': onEach(
    () => ({ bytes: Buffer.from(head('GET', `/${'a/'.repeat(LONG / 2)}`)) }),
    FEW,
  ),
  'a long content type': onEach(
    (target) => ({
      bytes: post(
        target.path,
        { ...target.headers, 'content-type': `application/json;${' a=b;'.repeat(LONG / 5)}` },
        completion([userMessage()]),
      ),
    }),
    FEW,
  ),
  'unknown keys': onEach(
    (target) => ({
      bytes: Buffer.from(times(LOOK_UPS, () => withCredential(target, mintApiKey())).join('')),
    }),
    FEW,
  ),
  'forged tokens': onEach(
    (target) => ({
      bytes: Buffer.from(times(LOOK_UPS, () => withCredential(target, forgedToken())).join('')),
    }),
    FEW,
  ),
  'chunks of one byte': onEach(inSingleBytes, 1),
  'bodies that never come': onEach(({ path, headers }) => ({
    bytes: Buffer.from(
      head('POST', path, {
        'content-type': 'application/json',
        'content-length': String(LARGEST_BODY),
        ...headers,
      }),
    ),
    manners: 'never ends',
  })),
  'abandoned requests': onEach((target) => ({ bytes: stream(target, 50), manners: 'leaves' })),
  'streams never read': onEach(
    (target) => ({ bytes: stream(target, 2_000), manners: 'never reads' }),
    20,
  ),
  'connections that say nothing': onEach(
    () => ({ bytes: Buffer.from('G'), manners: 'never ends' }),
    400,
  ),
} as const satisfies Record<string, MakeTraffic>;
