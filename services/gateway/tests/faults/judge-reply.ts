import type { SimulatedAnswer } from '@sluice/simulator';
import * as z from 'zod';

/**
 * What a client received.
 * `whole`: the complete answer with a proper end. `http error`: a status with an error body.
 * `error event`: a correct beginning, then an error event and a broken connection.
 * `broken`: a correct beginning or nothing, and a broken connection.
 * `wrong`: a result that must never occur, such as a part that looks whole or a duplicated or missing token.
 */
export type Ending = 'whole' | 'http error' | 'error event' | 'broken' | 'wrong';

export interface Verdict {
  readonly ending: Ending;
  /** The status of an HTTP error, the code of an error, or what is wrong. */
  readonly detail: string;
}

export interface ReceivedReply {
  readonly stream: boolean;
  readonly status: number | undefined;
  /** Whether the reply has the end that HTTP requires, and did not just stop with its connection. */
  readonly complete: boolean;
  readonly text: string;
  readonly failure: string | undefined;
}

const ErrorBody = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

const Usage = z.object({ prompt_tokens: z.int(), completion_tokens: z.int() });

const Chunk = z.object({
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.string().optional(),
        reasoning_content: z.string().optional(),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: Usage.nullable(),
});

const Completion = z.object({
  choices: z.tuple([
    z.object({
      message: z.object({
        content: z.string().nullable(),
        reasoning_content: z.string().optional(),
      }),
      finish_reason: z.string(),
    }),
  ]),
  usage: Usage,
});

export function judgeReply(expected: SimulatedAnswer, received: ReceivedReply): Verdict {
  const { status, complete, stream, failure } = received;
  if (status === undefined) return { ending: 'broken', detail: failure ?? 'closed' };
  try {
    if (status !== 200) return judgeError(status, received);
    if (stream) return judgeStream(expected, received);
    return complete ? judgeWhole(expected, received.text) : { ending: 'broken', detail: 'cut' };
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}

interface ReadEvents {
  readonly reasoning: string;
  readonly content: string;
  readonly pieces: number;
  readonly finishReasons: readonly string[];
  readonly usages: readonly z.infer<typeof Usage>[];
  readonly errors: readonly string[];
  readonly done: boolean;
}

/** Reads a stream as far as it arrived. Throws if an event is invalid or comes after the end. */
export function readEvents(text: string): ReadEvents {
  const read = {
    reasoning: '',
    content: '',
    pieces: 0,
    finishReasons: new Array<string>(),
    usages: new Array<z.infer<typeof Usage>>(),
    errors: new Array<string>(),
    done: false,
  };
  // An incomplete event may follow the last empty line.
  for (const event of text.split('\n\n').slice(0, -1)) {
    if (event.startsWith(':')) continue;
    if (!event.startsWith('data: ')) throw new Error('a line that is not an event');
    if (read.done || read.errors.length > 0) throw new Error('an event after the end');
    const data = event.slice('data: '.length);
    if (data === '[DONE]') {
      read.done = true;
      continue;
    }
    const parsed: unknown = JSON.parse(data);
    const failure = ErrorBody.safeParse(parsed);
    if (failure.success) {
      read.errors.push(failure.data.error.code ?? failure.data.error.type);
      continue;
    }
    const { choices, usage } = Chunk.parse(parsed);
    if (usage !== null) read.usages.push(usage);
    for (const { delta, finish_reason: reason } of choices) {
      if (reason !== null) read.finishReasons.push(reason);
      if (delta.content === undefined && delta.reasoning_content === undefined) continue;
      read.pieces += 1;
      if (delta.reasoning_content !== undefined && read.content !== '') {
        throw new Error('reasoning after content');
      }
      read.reasoning += delta.reasoning_content ?? '';
      read.content += delta.content ?? '';
    }
  }
  return read;
}

function judgeStream(expected: SimulatedAnswer, { text, complete }: ReceivedReply): Verdict {
  const { reasoning, content, finishReasons, usages, errors, done } = readEvents(text);
  const wanted = { reasoning: expected.reasoning ?? '', content: expected.content ?? '' };
  const isBeginning =
    wanted.reasoning.startsWith(reasoning) &&
    wanted.content.startsWith(content) &&
    (content === '' || reasoning === wanted.reasoning);
  if (!isBeginning) return wrong('a token is missing, doubled or another one');
  if (!done) {
    if (complete) return wrong('a proper end without [DONE]');
    const [code] = errors;
    return code === undefined
      ? { ending: 'broken', detail: 'cut' }
      : { ending: 'error event', detail: code };
  }
  const isAll = reasoning === wanted.reasoning && content === wanted.content;
  if (!isAll) return wrong('a shorter answer that looks whole');
  const [usage] = usages;
  if (finishReasons.join(' ') !== expected.finishReason) return wrong('another finish reason');
  if (usages.length !== 1 || usage === undefined || !isCounted(expected, usage)) {
    return wrong('another usage');
  }
  // After [DONE], the reply must also have its proper end.
  return complete ? { ending: 'whole', detail: '' } : wrong('cut after [DONE]');
}

function judgeWhole(expected: SimulatedAnswer, text: string): Verdict {
  const { choices, usage } = Completion.parse(JSON.parse(text));
  const [{ message, finish_reason: reason }] = choices;
  const isAll =
    (message.content ?? '') === (expected.content ?? '') &&
    (message.reasoning_content ?? '') === (expected.reasoning ?? '') &&
    reason === expected.finishReason;
  if (!isAll) return wrong('another answer');
  return isCounted(expected, usage) ? { ending: 'whole', detail: '' } : wrong('another usage');
}

function isCounted(expected: SimulatedAnswer, usage: z.infer<typeof Usage>): boolean {
  return (
    usage.prompt_tokens === expected.promptTokens &&
    usage.completion_tokens === expected.completionTokens
  );
}

function judgeError(status: number, { text, complete }: ReceivedReply): Verdict {
  if (!complete) return { ending: 'broken', detail: `${status}, cut` };
  const { error } = ErrorBody.parse(JSON.parse(text));
  return { ending: 'http error', detail: `${status} ${error.code ?? error.type}` };
}

function wrong(detail: string): Verdict {
  return { ending: 'wrong', detail };
}
