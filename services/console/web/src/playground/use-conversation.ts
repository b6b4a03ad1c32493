import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client.ts';
import type { Answer, AnswerFailure, ToolResult, Turn } from './conversation.ts';
import { type AnswerProgress, newProgress, streamAnswer } from './stream-answer.ts';

export interface Asking {
  readonly model: string;
  readonly schema: object | null;
  readonly body: (turns: readonly Turn[]) => object;
}

export interface ConversationControl {
  readonly turns: readonly Turn[];
  readonly running: boolean;
  readonly ask: (text: string, asking: Asking) => void;
  readonly answerCalls: (
    results: readonly Omit<ToolResult, 'id' | 'kind'>[],
    asking: Asking,
  ) => void;
  readonly retry: (asking: Asking) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

/** Runs the conversation: one request at a time, whose answer is shown once an animation frame. */
export function useConversation(
  apiUrl: string,
  credential: () => Promise<string>,
): ConversationControl {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const ids = useRef(0);
  const abort = useRef<AbortController>(undefined);
  const running = turns.some((turn) => turn.kind === 'answer' && turn.state === 'running');

  // A page that is left stops its request, and with it the work of the GPU.
  useEffect(() => () => abort.current?.abort(), []);

  const run = useCallback(
    async (before: readonly Turn[], asking: Asking): Promise<void> => {
      abort.current?.abort();
      const controller = new AbortController();
      abort.current = controller;
      ids.current += 1;
      const id = ids.current;
      const start = performance.now();
      const progress = newProgress();
      let state: Answer['state'] = 'running';
      let frame = 0;
      const show = (): void => {
        frame = 0;
        const durationMs = state === 'running' ? null : performance.now() - start;
        const answer = answerOf(id, asking, progress, state, durationMs);
        setTurns((known) =>
          known.some((turn) => turn.id === id)
            ? known.map((turn) => (turn.id === id ? answer : turn))
            : known,
        );
      };
      setTurns([...before, answerOf(id, asking, progress, state, null)]);
      try {
        const token = await credential();
        await streamAnswer(progress, {
          apiUrl,
          token,
          body: asking.body(before),
          signal: controller.signal,
          now: () => performance.now(),
          changed: () => {
            frame ||= requestAnimationFrame(show);
          },
          fetch: window.fetch.bind(window),
        });
      } catch (error) {
        progress.failure = failureOfCredential(error);
      }
      state = controller.signal.aborted
        ? 'stopped'
        : progress.failure === null
          ? 'complete'
          : 'failed';
      cancelAnimationFrame(frame);
      show();
    },
    [apiUrl, credential],
  );

  const newId = (): number => {
    ids.current += 1;
    return ids.current;
  };
  return {
    turns,
    running,
    ask: (text, asking) => {
      void run([...turns, { kind: 'question', id: newId(), text }], asking);
    },
    answerCalls: (results, asking) => {
      const given = results.map((result) => ({ ...result, kind: 'result' as const, id: newId() }));
      void run([...turns, ...given], asking);
    },
    retry: (asking) => {
      const last = turns.at(-1);
      void run(last?.kind === 'answer' ? turns.slice(0, -1) : turns, asking);
    },
    stop: () => abort.current?.abort(),
    clear: () => {
      abort.current?.abort();
      setTurns([]);
    },
  };
}

function answerOf(
  id: number,
  { model, schema }: Asking,
  progress: AnswerProgress,
  state: Answer['state'],
  durationMs: number | null,
): Answer {
  const { ended: _, toolCalls, ...shown } = progress;
  // A gap in the indexes of the calls would be a hole in the list.
  return {
    kind: 'answer',
    id,
    model,
    schema,
    state,
    durationMs,
    ...shown,
    toolCalls: toolCalls.flat(),
  };
}

function failureOfCredential(error: unknown): AnswerFailure {
  const known = error instanceof ApiError ? error : undefined;
  return {
    status: known?.status === 0 ? null : (known?.status ?? null),
    type: null,
    code: known?.code ?? 'page_error',
    param: null,
    message: known?.message ?? '',
    retryAfterSeconds: null,
  };
}
