import {
  request,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { AnswerCollector, type CollectedAnswer, readWholeAnswer } from './answer-collector.ts';

export interface ExchangeOptions {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly apiKey: string;
  readonly body?: string;
  readonly agent: Agent;
  /** Disconnect after this many events, or after this time when none has arrived. */
  readonly leaveAfter?: { readonly events: number; readonly ms: number };
  /** Pause this long after each piece that is read. */
  readonly restMs?: number;
}

export type Ending =
  /** The reply ended as it should. */
  | 'complete'
  /** The connection broke during the reply. */
  | 'cut'
  /** No reply: the connection was refused or broke before a reply began. */
  | 'unreachable'
  /** The client disconnected as ordered. */
  | 'left'
  /** The client gave up after a long time without an end. */
  | 'hung';

export interface Exchange {
  /** Scheme, host and port of the gateway. */
  readonly origin: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly ending: Ending;
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The answer of a reply with status 200. */
  readonly answer: CollectedAnswer | undefined;
  /** `error.code` of a refusal. Undefined when the body is not an error object. */
  readonly errorCode: string | null | undefined;
  /** The error that occurred when the reply was parsed. */
  readonly unreadable: string | undefined;
}

const HUNG_MS = 90_000;
const ModelList = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });

/** Sends one request and records its result. It never throws. */
export async function exchange(options: ExchangeOptions): Promise<Exchange> {
  const startedAt = performance.now();
  let ending: Ending | undefined;
  const { outgoing, replied } = send(options);
  const leave = (as: Ending) => {
    ending ??= as;
    outgoing.destroy();
  };
  const hung = setTimeout(() => leave('hung'), HUNG_MS);
  const departure =
    options.leaveAfter === undefined
      ? undefined
      : setTimeout(() => leave('left'), options.leaveAfter.ms);
  let reply: IncomingMessage | undefined;
  let read: ReadReply = { whole: false };
  let unreadable: string | undefined;
  try {
    reply = await replied;
    read = await readReply(reply, options, () => leave('left'));
  } catch (error) {
    if (error instanceof Error && isReadingFault(error)) unreadable = error.message;
  } finally {
    clearTimeout(hung);
    clearTimeout(departure);
  }
  if (unreadable !== undefined) reply?.destroy();
  return {
    origin: new URL(options.url).origin,
    startedAt,
    endedAt: performance.now(),
    ending: ending ?? endingOf(reply, read.whole),
    status: reply?.statusCode,
    headers: reply?.headers ?? {},
    answer: read.answer,
    errorCode: read.errorCode,
    unreadable: unreadable ?? read.unreadable,
  };
}

function endingOf(reply: IncomingMessage | undefined, whole: boolean): Ending {
  if (reply === undefined) return 'unreachable';
  return whole ? 'complete' : 'cut';
}

/** Whether parsing the reply failed, as opposed to the connection. */
function isReadingFault(error: Error): boolean {
  return ['UnreadableStream', 'SyntaxError', 'ZodError', 'TypeError'].includes(error.name);
}

function send(options: ExchangeOptions): {
  outgoing: ClientRequest;
  replied: Promise<IncomingMessage>;
} {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(options.url, {
    method: options.method,
    agent: options.agent,
    headers: {
      authorization: `Bearer ${options.apiKey}`,
      ...(options.body === undefined
        ? {}
        : {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(options.body),
          }),
    },
  });
  outgoing.once('response', (reply) => {
    // Without a listener the process would end: the reader of the reply may not listen yet when an error occurs.
    reply.on('error', () => undefined);
    resolve(reply);
  });
  // This listener stays after the reply began. From then on the reply itself reports a broken connection.
  outgoing.on('error', reject);
  outgoing.end(options.body);
  return { outgoing, replied: promise };
}

interface ReadReply {
  readonly whole: boolean;
  readonly answer?: CollectedAnswer;
  readonly errorCode?: string | null;
  readonly unreadable?: string;
}

async function readReply(
  reply: IncomingMessage,
  { method, leaveAfter, restMs }: ExchangeOptions,
  leave: () => void,
): Promise<ReadReply> {
  if (reply.headers['content-type']?.startsWith('text/event-stream') === true) {
    const collector = new AnswerCollector();
    const whole = await readPieces(reply, async (piece) => {
      collector.read(piece);
      if (leaveAfter !== undefined && collector.events >= leaveAfter.events) leave();
      if (restMs !== undefined) await delay(restMs);
    });
    return { whole, answer: collector.answer() };
  }
  const pieces: Buffer[] = [];
  const whole = await readPieces(reply, async (piece) => void pieces.push(piece));
  const text = Buffer.concat(pieces).toString('utf8');
  if (!whole) return { whole };
  if (reply.statusCode === 200) {
    if (method === 'POST') return { whole, answer: readWholeAnswer(text) };
    ModelList.parse(JSON.parse(text));
    return { whole };
  }
  const code = errorCodeOf(text);
  return code === undefined
    ? { whole, unreadable: `a refusal (${reply.statusCode}) without an error's body` }
    : { whole, errorCode: code };
}

/** Returns false when the connection broke. Errors of the reader are thrown. */
async function readPieces(
  reply: IncomingMessage,
  take: (piece: Buffer) => Promise<void>,
): Promise<boolean> {
  const pieces = reply[Symbol.asyncIterator]();
  for (;;) {
    let next: IteratorResult<Buffer>;
    try {
      next = await pieces.next();
    } catch {
      return false;
    }
    if (next.done === true) return reply.complete;
    await take(next.value);
  }
}

function errorCodeOf(text: string): string | null | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
    const { error } = body;
    if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
    const { code } = error;
    return typeof code === 'string' || code === null ? code : undefined;
  } catch {
    return undefined;
  }
}
