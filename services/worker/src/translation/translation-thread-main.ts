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
// Lowers the priority of this thread.
yieldToMainThread();

/** Buffers of the report that is being made. They are transferred with it. */
const transferred: ArrayBuffer[] = [];

/** Makes bytes of the text, to be transferred. A string would be copied by the main thread. */
function transferredBytes(text: JsonText): Uint8Array {
  const bytes = new TextEncoder().encode(String(text));
  transferred.push(bytes.buffer);
  return bytes;
}

/** Replaces the large texts of a translated request by bytes. */
function withBytes(request: TranslatedRequest): TranslatedRequest {
  const { generation, promptLengthRequest } = request;
  return {
    ...request,
    generation: transferredBytes(generation),
    promptLengthRequest: promptLengthRequest && {
      path: promptLengthRequest.path,
      body: transferredBytes(promptLengthRequest.body),
    },
  };
}

function translate({ body, kind, settings }: TranslationRequest): TranslationReport {
  try {
    const request = translateRequest(new Uint8Array(body), DIALECTS[kind], settings);
    return { kind: 'translated', request: withBytes(request) };
  } catch {
    // The error is left out, because it may quote the prompt.
    return { kind: 'unreadable' };
  }
}

port.on('message', (request: TranslationRequest) => {
  const report = translate(request);
  const buffers = transferred.splice(0);
  port.postMessage(report, buffers);
});
port.postMessage({ kind: 'ready' } satisfies TranslationReport);
