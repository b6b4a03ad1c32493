import { FrameKind, type Frame } from '@sluice/contracts';
import { ReplyBuilder, type ReplyBuilderOptions } from './reply-builder.ts';
import { ServerSentEventParser } from './sse-events.ts';

export const chunk = (delta: object, finishReason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

export const text = (...pieces: string[]) => pieces.map((piece) => Buffer.from(piece));

export interface Reply {
  readonly deltas: unknown[];
  readonly usage: unknown;
  readonly finishReason: string;
  readonly content: string;
}

export function replyWith(options: Partial<ReplyBuilderOptions> = {}): ReplyBuilder {
  return new ReplyBuilder({
    stream: true,
    reasoningAlways: false,
    keepContent: false,
    callFirst: false,
    reportCached: true,
    promptTokens: 40,
    outputBound: undefined,
    contextLength: undefined,
    forcedFunction: undefined,
    isUsedCallId: () => false,
    onCall: () => undefined,
    maxReplyBytes: 1_000_000,
    emit: () => undefined,
    ...options,
  });
}

/** The reply that is built from a stream which arrives in these pieces. */
export function run(pieces: readonly Buffer[], options: Partial<ReplyBuilderOptions> = {}): Reply {
  const frames: Frame[] = [];
  const reply = replyWith({ emit: (frame) => frames.push(frame), ...options });
  const parser = new ServerSentEventParser((event) => reply.add(event));
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
