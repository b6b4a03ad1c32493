import { parentPort } from 'node:worker_threads';
import { yieldToMainThread } from '@sluice/service/yield-to-main-thread';
import {
  examineForModel,
  parseAndValidate,
  type Examination,
  type FoundModel,
} from './examine-request.ts';
import type { ExaminationCommand, ExaminationReport } from './examiner-thread.ts';
import type { ChatCompletionRequest } from './schema/request.ts';

const port = parentPort;
if (port === null) throw new Error('this file must run as the main file of a worker thread');
yieldToMainThread();

interface ValidatedRequest {
  readonly body: ArrayBuffer;
  readonly organization: string;
  readonly request: ChatCompletionRequest;
}

/** The request that waits for its model. */
let waiting: ValidatedRequest | undefined;

function report(message: ExaminationReport, transferred: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, transferred);
}

function reportExamined(body: ArrayBuffer, examination: Examination): void {
  report({ kind: 'examined', body, examination }, [body]);
}

function begin(body: ArrayBuffer, organization: string): void {
  const validated = parseAndValidate(new Uint8Array(body));
  if (!validated.ok) {
    reportExamined(body, validated);
    return;
  }
  const { request } = validated;
  waiting = { body, organization, request };
  report({ kind: 'model_wanted', id: request.model });
}

function finish(found: FoundModel): void {
  if (waiting === undefined) throw new Error('no request waits for a model');
  const { body, organization, request } = waiting;
  waiting = undefined;
  const examination = found.ok
    ? examineForModel(request, { organization, model: found.model })
    : found;
  reportExamined(body, examination);
}

port.on('message', (command: ExaminationCommand) => {
  if (command.kind === 'examine') begin(command.body, command.organization);
  else finish(command.found);
});
report({ kind: 'ready' });
