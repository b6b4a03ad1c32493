import { parentPort } from 'node:worker_threads';
import { DIALECTS } from '../dialect/choose-dialect.ts';
import {
  translateRequest,
  type JsonText,
  type TranslatedRequest,
} from '../dialect/translate-request.ts';
import type { TranslationOrder, TranslationReport } from './translation-thread-messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the main file of a thread');

const moved: ArrayBuffer[] = [];

/** Bytes in memory of their own, to be moved: a string would be copied by the thread that gets it. */
function movable(text: JsonText): Uint8Array {
  const bytes = new TextEncoder().encode(String(text));
  moved.push(bytes.buffer);
  return bytes;
}

function inBytes(request: TranslatedRequest): TranslatedRequest {
  const { generation, promptQuestion: question } = request;
  return {
    ...request,
    generation: movable(generation),
    promptQuestion: question && { path: question.path, body: movable(question.body) },
  };
}

function translated({ body, kind, settings }: TranslationOrder): TranslationReport {
  try {
    const request = translateRequest(new Uint8Array(body), DIALECTS[kind], settings);
    return { kind: 'translated', request: inBytes(request) };
  } catch {
    return { kind: 'unreadable' };
  }
}

port.on('message', (order: TranslationOrder) => {
  const report = translated(order);
  port.postMessage(report, moved.splice(0));
});
port.postMessage({ kind: 'ready' } satisfies TranslationReport);
