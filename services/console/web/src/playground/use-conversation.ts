import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client.ts';
import type { Answer, AnswerFailure, ToolResult, Turn } from './conversation.ts';
import { type AnswerProgress, newProgress, streamAnswer } from './stream-answer.ts';

/** The next request, except for the conversation so far. */
export interface NextRequest {
  readonly model: string;
  /** The JSON schema to check the answer with. */
  readonly schema: object | null;
  readonly body: (turns: readonly Turn[]) => object;
}

export interface ConversationControl {
  readonly turns: readonly Turn[];
  readonly running: boolean;
  readonly ask: (text: string, request: NextRequest) => void;
  readonly answerCalls: (
    results: readonly Omit<ToolResult, 'id' | 'kind'>[],
    request: NextRequest,
  ) => void;
  readonly retry: (request: NextRequest) => void;
  readonly stop: () => void;
  readonly clear: () => void;
}

/** Runs the conversation, one request at a time. An arriving answer is shown again at most once per animation frame. */
export function useConversation(
  apiUrl: string,
  credential: () => Promise<string>,
): ConversationControl {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const ids = useRef(0);
  const abort = useRef<AbortController>(undefined);
  const running = turns.some((turn) => turn.kind === 'answer' && turn.state === 'running');

  // If the person leaves the page, its request is cancelled, so that no GPU works on it any longer.
  useEffect(() => () => abort.current?.abort(), []);

  const run = useCallback(
    async (before: readonly Turn[], request: NextRequest): Promise<void> => {
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
        const answer = answerOf(id, request, progress, state, durationMs);
        setTurns((known) =>
          known.some((turn) => turn.id === id)
            ? known.map((turn) => (turn.id === id ? answer : turn))
            : known,
        );
      };
      setTurns([...before, answerOf(id, request, progress, state, null)]);
      try {
        const token = await credential();
        await streamAnswer(progress, {
          apiUrl,
          token,
          body: request.body(before),
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
      if (controller.signal.aborted) state = 'stopped';
      else state = progress.failure === null ? 'complete' : 'failed';
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
    ask: (text, request) => {
      void run([...turns, { kind: 'question', id: newId(), text }], request);
    },
    answerCalls: (results, request) => {
      const given = results.map((result) => ({ ...result, kind: 'result' as const, id: newId() }));
      void run([...turns, ...given], request);
    },
    retry: (request) => {
      const last = turns.at(-1);
      void run(last?.kind === 'answer' ? turns.slice(0, -1) : turns, request);
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
  { model, schema }: NextRequest,
  progress: AnswerProgress,
  state: Answer['state'],
  durationMs: number | null,
): Answer {
  const { ended: _, toolCalls, ...shown } = progress;
  return {
    kind: 'answer',
    id,
    model,
    schema,
    state,
    durationMs,
    ...shown,
    // If the stream leaves out an index, the list has a hole, which `flat` removes.
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
