import { randomBytes } from 'node:crypto';
import { mintApiKey } from '@sluice/contracts';
import type { Target } from '../load/load-options.ts';
import { LARGEST_BODY, completion, prose, systemMessage, userMessage } from './completion-body.ts';
import { head, post, times, type WireTraffic } from './wire-traffic.ts';

/** Number of connections of a kind whose single request is cheap. */
const MANY = 200;
/**
 * Number of connections of a kind whose single request is costly. More would block a loop even with ordinary requests.
 */
const FEW = 20;
/** Requests sent on a connection without waiting for replies. */
const PIPELINED = 110;
/** Headers as large as those of an SDK, so that the harmless load of equal bytes has an equal number of requests. */
const SDK_HEADERS = { 'user-agent': 'bench'.repeat(80) };
/** Characters of a long path or header: below Node's limit of 16 KiB for the head of a request. */
const LONG = 12_000;

type MakeTraffic = (target: Target) => WireTraffic[];

/** Traffic on this many connections, made for each of them. */
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

/** A token in the form of a playground credential, with random bytes as its signature. */
function forgedToken(): string {
  const claims = Buffer.from(JSON.stringify(FORGED_CLAIMS));
  return `pg-${claims.toString('base64url')}.${randomBytes(64).toString('base64url')}`;
}

const withCredential = (target: Target, credential: string) =>
  Buffer.from(
    head('GET', modelsPath(target), { ...SDK_HEADERS, authorization: `Bearer ${credential}` }),
  );

/** Kinds that differ in how the connection is used. Most of them need no credential. */
export const HOSTILE_CONNECTIONS = {
  'pipelined requests': onEach((target) => ({ bytes: repeated(head('GET', modelsPath(target))) })),
  'pipelined documents': onEach(() => ({ bytes: repeated(head('GET', '/openapi.json')) })),
  'documents never read': onEach(() => ({
    bytes: repeated(head('GET', '/openapi.json')),
    misbehaviour: 'never reads',
  })),
  'slow headers': onEach((target) => ({
    bytes: Buffer.from(head('GET', modelsPath(target), { a: 'b'.repeat(60) })),
    drip: { bytes: 1, everyMs: 10 },
    misbehaviour: 'never ends',
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
  'unknown keys': onEach((target) => ({ bytes: withCredential(target, mintApiKey()) }), FEW),
  'forged tokens': onEach((target) => ({ bytes: withCredential(target, forgedToken()) }), FEW),
  'chunks of one byte': onEach(inSingleBytes, 1),
  'bodies that never come': onEach(({ path, headers }) => ({
    bytes: Buffer.from(
      head('POST', path, {
        'content-type': 'application/json',
        'content-length': String(LARGEST_BODY),
        ...headers,
      }),
    ),
    misbehaviour: 'never ends',
  })),
  'abandoned requests': onEach((target) => ({ bytes: stream(target, 50), misbehaviour: 'leaves' })),
  'streams never read': onEach(
    (target) => ({ bytes: stream(target, 2_000), misbehaviour: 'never reads' }),
    FEW,
  ),
  'connections that say nothing': onEach(() => ({
    bytes: Buffer.from('G'),
    misbehaviour: 'never ends',
  })),
} as const satisfies Record<string, MakeTraffic>;
