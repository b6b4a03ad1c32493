import { ErrorBody } from '@sluice/contracts';
import { Answer, AnswerError, type AnswerObserver } from './answer.ts';

export interface AnswerRequest {
  readonly apiRoot: string;
  readonly credential: string;
  readonly body: object;
  readonly observer: AnswerObserver;
  readonly signal: AbortSignal;
}

export interface ReceivedAnswer {
  readonly answer: Answer;
  readonly headers: Headers;
}

const END_MARKER = '[DONE]';
const DATA = 'data:';

/**
 * Sends the request and reads the answer to its end. Throws an AnswerError with the message of the service, or the
 * reason of the signal.
 */
export async function requestAnswer({
  apiRoot,
  credential,
  body,
  observer,
  signal,
}: AnswerRequest): Promise<ReceivedAnswer> {
  const response = await fetch(`${apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  if (!response.ok || response.body === null) throw await refusalOf(response);
  const answer = new Answer(observer);
  for await (const data of eventsOf(response.body)) {
    if (data === END_MARKER) return { answer, headers: response.headers };
    answer.take(data);
  }
  throw new AnswerError('the connection ended before the answer did');
}

export async function refusalOf(response: Response): Promise<AnswerError> {
  const text = await response.text();
  try {
    const { error } = ErrorBody.parse(JSON.parse(text));
    return new AnswerError(`${error.message} (${response.status})`);
  } catch {
    return new AnswerError(`the service answered with status ${response.status}`);
  }
}

/** The data of each server-sent event. Comments are dropped. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith(DATA)) yield line.slice(DATA.length).trim();
    }
  }
}
