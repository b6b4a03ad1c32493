import { parentPort } from 'node:worker_threads';
import type { ExaminationOrder, ExaminationReport } from '../src/threads/examination-messages.ts';

/** Stands in for the examination thread. Never done with `spin`, grows without end at `grow`. */
const fault = { code: 'invalid_value', message: 'seen', param: null } as const;
const send = (report: ExaminationReport) => parentPort?.postMessage(report);

parentPort?.on('message', ({ body }: ExaminationOrder) => {
  const text = Buffer.from(body).toString('utf8');
  const kept: unknown[] = [];
  while (text === 'spin' || text === 'grow') {
    if (text === 'grow') kept.push(Array.from({ length: 100_000 }, () => ({ kept })));
  }
  if (text === 'break') throw new Error('broken');
  send({ kind: 'examined', body, examination: { ok: false, fault } });
});
send({ kind: 'ready' });
