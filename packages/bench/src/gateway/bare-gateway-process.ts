import { hash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { BusMessage } from '@sluice/bus';
import {
  DEFAULT_RETENTION_HEADER,
  FrameKind,
  HeaderName,
  LIMIT_NAMES,
  RATE_LIMIT_HEADERS,
  attemptOfSubject,
  readFrames,
  type LimitWindow,
  type LimitWindows,
} from '@sluice/contracts';
import { connectQuota, type QuotaClient } from '@sluice/rpc';
import { LOOPBACK } from '@sluice/servers';
import { createLogger } from '@sluice/service';
import { ReducedGateway } from '../bus/reduced-gateway.ts';
import { COST, LIMITS, REVISION } from '../quota/quota-options.ts';
import { BARE_STEPS, BareGatewayOptions, type BareStep } from './bare-gateway-options.ts';

interface Parts {
  readonly quota: QuotaClient | undefined;
  readonly gateway: ReducedGateway | undefined;
}

const ORGANIZATION = 'bare';
const ANY_WINDOW: LimitWindow = { limit: 10_000_000, remaining: 9_999_999, resetMs: 12 };

const HEAD = Buffer.from(
  '{"id":"chatcmpl-000000000000000000000000","object":"chat.completion","created":1700000000,' +
    '"model":"sluice-small","choices":[{"index":0,"message":',
);
const MIDDLE = Buffer.from(',"logprobs":null,"finish_reason":"stop"}],"usage":');
const END = Buffer.from('}');
const NO_USAGE = Buffer.from('null');
const LAST_FRAMES: ReadonlySet<number> = new Set([
  FrameKind.finished,
  FrameKind.failed,
  FrameKind.refused,
]);
const CONSTANT_REPLY = Buffer.concat([
  HEAD,
  Buffer.from('{"role":"assistant","content":"A constant answer of about the same length."}'),
  MIDDLE,
  Buffer.from('{"prompt_tokens":20,"completion_tokens":8,"total_tokens":28}'),
  END,
]);

const organizations = new Map<string, string>();
const waiting = new Map<string, (reply: Buffer | undefined) => void>();

/**
 * The minimum that a gateway with these features must do for a request that succeeds. It reads and parses the body,
 * hashes the credential and looks it up, and sends as many headers as the real gateway. Depending on the options, it
 * asks for a decision on the limits and gets the answer from a worker. It does not validate, refuse, choose a worker,
 * notice disconnected clients, record or log. That is what the additional cost of the real gateway pays for.
 */
async function answer(request: IncomingMessage, body: Buffer, parts: Parts) {
  // Every gateway must parse the body, because it has to know the model. Nothing is validated.
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  if (typeof parsed !== 'object') throw new TypeError('the body is no object');
  const organization = organizationOf(request.headers.authorization ?? '');
  const id = randomUUID();
  const headers: Record<string, string> = {
    [HeaderName.requestId]: id,
    [HeaderName.serverRequestId]: id,
    [DEFAULT_RETENTION_HEADER]: 'zero',
  };
  addRateLimitHeaders(headers, await decide(parts.quota, organization, id));
  const reply =
    parts.gateway === undefined ? CONSTANT_REPLY : await askWorker(parts.gateway, id, body);
  if (reply === undefined) throw new Error('the worker did not finish the answer');
  headers['content-type'] = 'application/json; charset=utf-8';
  headers['content-length'] = String(reply.length);
  return { headers, reply };
}

function organizationOf(credential: string): string {
  const digest = hash('sha256', credential, 'base64');
  const known = organizations.get(digest);
  if (known !== undefined) return known;
  organizations.set(digest, ORGANIZATION);
  return ORGANIZATION;
}

async function decide(
  quota: QuotaClient | undefined,
  organization: string,
  requestId: string,
): Promise<LimitWindows | undefined> {
  if (quota === undefined) return undefined;
  const request = { organization, limits: LIMITS, revision: REVISION, ...COST, requestId };
  const decision = await quota.admit(request);
  if (decision.outcome !== 'admitted') {
    throw new Error(`the decision on the limits was ${decision.outcome}`);
  }
  return decision.windows;
}

function addRateLimitHeaders(
  headers: Record<string, string>,
  windows: LimitWindows | undefined,
): void {
  for (const name of LIMIT_NAMES) {
    const { limit, remaining, resetMs } = windows?.[name] ?? ANY_WINDOW;
    const names = RATE_LIMIT_HEADERS[name];
    headers[names.limit] = String(limit);
    headers[names.remaining] = String(remaining);
    headers[names.reset] = `${resetMs / 1_000}s`;
  }
}

function askWorker(gateway: ReducedGateway, id: string, body: Buffer): Promise<Buffer | undefined> {
  return new Promise((resolve) => void waiting.set(gateway.send(id, body), resolve));
}

function receive({ subject, data }: BusMessage): void {
  const name = attemptOfSubject(subject);
  if (!waiting.has(name)) return;
  let message: Uint8Array | undefined;
  let usage: Uint8Array = NO_USAGE;
  readFrames(data, (kind, _, body) => {
    if (kind === FrameKind.delta) message = body;
    else if (kind === FrameKind.usage) usage = body;
    else if (kind === FrameKind.finished && message !== undefined) {
      settle(name, Buffer.concat([HEAD, message, MIDDLE, usage, END]));
    } else if (LAST_FRAMES.has(kind)) settle(name, undefined);
  });
}

function settle(name: string, reply: Buffer | undefined): void {
  waiting.get(name)?.(reply);
  waiting.delete(name);
}

function serve(request: IncomingMessage, response: ServerResponse, parts: Parts): void {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    answer(request, Buffer.concat(pieces), parts).then(
      ({ headers, reply }) => response.writeHead(200, headers).end(reply),
      () => response.writeHead(500).end(),
    );
  });
}

async function connect(options: BareGatewayOptions): Promise<Parts> {
  const includes = (step: BareStep) => BARE_STEPS.indexOf(step) <= BARE_STEPS.indexOf(options.step);
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const quota = includes('limits')
    ? connectQuota({ addresses: [options.quotaAddress], logger })
    : undefined;
  await quota?.ready();
  const { natsUrl } = options;
  const gateway = includes('bus')
    ? await ReducedGateway.connect({ natsUrl, stream: false, onFrames: receive })
    : undefined;
  return { quota, gateway };
}

const options = BareGatewayOptions.parse(JSON.parse(process.argv[2] ?? ''));
const parts = await connect(options);
const server = createServer((request, response) => serve(request, response, parts));
server.listen(options.port, LOOPBACK, () => console.log('listening'));
