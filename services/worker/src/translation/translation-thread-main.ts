import { parentPort } from 'node:worker_threads';
import { yieldToMainThread } from '@sluice/service/yield-to-main-thread';
import { DIALECTS } from '../dialects/choose-dialect.ts';
import {
  translateRequest,
  type JsonText,
  type TranslatedRequest,
} from '../dialects/translate-request.ts';
import type { TranslationRequest, TranslationReport } from './translation-thread.ts';

const port = parentPort;
if (port === null) throw new Error('this file must run in a worker thread');
yieldToMainThread();

const transferred: ArrayBuffer[] = [];

/** The text as bytes, which are transferred. A string would be copied by the main thread. */
function bytesOf(text: JsonText): Uint8Array {
  const bytes = new TextEncoder().encode(String(text));
  transferred.push(bytes.buffer);
  return bytes;
}

/** The large parts of a translated request become bytes. */
function withBytes(request: TranslatedRequest): TranslatedRequest {
  const { generation, promptQuestion: question } = request;
  return {
    ...request,
    generation: bytesOf(generation),
    promptQuestion: question && { path: question.path, body: bytesOf(question.body) },
  };
}

function translate({ body, kind, settings }: TranslationRequest): TranslationReport {
  try {
    const request = translateRequest(new Uint8Array(body), DIALECTS[kind], settings);
    return { kind: 'translated', request: withBytes(request) };
  } catch {
    return { kind: 'unreadable' };
  }
}

port.on('message', (request: TranslationRequest) => {
  const report = translate(request);
  port.postMessage(report, transferred.splice(0));
});
port.postMessage({ kind: 'ready' } satisfies TranslationReport);
