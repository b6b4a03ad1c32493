import { FrameKind, type Frame } from '@sluice/contracts';
import { ServerSentEventParser } from '../dialect/sse-parser.ts';
import { RuntimeReply, type RuntimeReplyOptions } from './runtime-reply.ts';

export const chunk = (delta: object, finishReason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

export const text = (...pieces: string[]) => pieces.map((piece) => Buffer.from(piece));

export interface Reply {
  readonly deltas: unknown[];
  readonly usage: unknown;
  readonly finishReason: string;
  readonly content: string;
}

export function replyWith(options: Partial<RuntimeReplyOptions> = {}): RuntimeReply {
  return new RuntimeReply({
    stream: true,
    reasoningAlways: false,
    keepContent: false,
    callFirst: false,
    reportCached: true,
    promptTokens: 40,
    outputBound: undefined,
    contextLength: undefined,
    demandedFunction: undefined,
    isTakenId: () => false,
    onCall: () => undefined,
    longestReply: 1_000_000,
    emit: () => undefined,
    ...options,
  });
}

/** What becomes of a stream that comes from the runtime in these pieces. */
export function run(pieces: readonly Buffer[], options: Partial<RuntimeReplyOptions> = {}): Reply {
  const frames: Frame[] = [];
  const reply = replyWith({ emit: (frame) => frames.push(frame), ...options });
  const parser = new ServerSentEventParser((event) => reply.take(event));
  for (const piece of pieces) parser.push(piece);
  parser.end();
  reply.end();
  const finished = reply.finish();
  frames.push(...finished.frames);
  const bodies = (kind: number) =>
    frames
      .filter((frame) => frame.kind === kind)
      .map(({ body }): unknown => JSON.parse(Buffer.from(body).toString()));
  return {
    deltas: bodies(FrameKind.delta),
    usage: bodies(FrameKind.usage)[0],
    finishReason: finished.finishReason,
    content: reply.content,
  };
}
