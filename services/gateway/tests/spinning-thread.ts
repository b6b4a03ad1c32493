import { parentPort } from 'node:worker_threads';
import type {
  ExaminationOrder,
  ExaminationReport,
} from '../src/threads/examination-thread-messages.ts';

/** Stands in for the examination thread. Never done with `spin`, grows without end at `grow`. */
const fault = { code: 'invalid_value', message: 'seen', param: null } as const;
const send = (report: ExaminationReport) => parentPort?.postMessage(report);

function neverReturn(growing: boolean): never {
  const kept: unknown[] = [];
  for (;;) {
    if (growing) kept.push(Array.from({ length: 100_000 }, () => ({ kept })));
  }
}

parentPort?.on('message', ({ body }: ExaminationOrder) => {
  const text = Buffer.from(body).toString('utf8');
  if (text === 'spin' || text === 'grow') neverReturn(text === 'grow');
  if (text === 'break') throw new Error('broken');
  send({ kind: 'examined', body, examination: { ok: false, fault } });
});
send({ kind: 'ready' });
