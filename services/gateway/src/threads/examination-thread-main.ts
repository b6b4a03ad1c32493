import { parentPort } from 'node:worker_threads';
import { examineRequest } from '../domain/examine-request.ts';
import type { ExaminationOrder, ExaminationReport } from './examination-thread-messages.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the main file of a thread');

function report(message: ExaminationReport, moved: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, moved);
}

port.on('message', ({ body, organization, models }: ExaminationOrder) => {
  const byId = models && new Map(models.map((model) => [model.id, model]));
  const available = byId && { find: (model: string) => byId.get(model) };
  const examination = examineRequest(new Uint8Array(body), { organization, models: available });
  report({ kind: 'examined', body, examination }, [body]);
});
report({ kind: 'ready' });
