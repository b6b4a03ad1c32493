import { parentPort } from 'node:worker_threads';
import { examineRequest } from '../domain/examine-request.ts';
import type { ExaminationOrder, ExaminationResult } from './examination-messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the main file of a thread');

port.on('message', ({ id, body, organization, models }: ExaminationOrder) => {
  const byId = models && new Map(models.map((model) => [model.id, model]));
  const available = byId && { find: (model: string) => byId.get(model) };
  const examination = examineRequest(new Uint8Array(body), { organization, models: available });
  const result: ExaminationResult = { id, body, examination };
  port.postMessage(result, [body]);
});
