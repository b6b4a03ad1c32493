import { getEnvironmentData, parentPort } from 'node:worker_threads';
import type { ExaminationCommand, ExaminationReport } from '../src/request/examiner-thread.ts';

// A substitute for the examination thread. The text of a body says what the thread does: `spin` never returns, `grow`
// uses more and more memory, `break` throws, and `hold` answers while the main thread is blocked and then releases it.

const fault = { code: 'invalid_value', message: 'seen', param: null } as const;
const send = (report: ExaminationReport) => parentPort?.postMessage(report);

function neverReturn(growing: boolean): never {
  const kept: unknown[] = [];
  for (;;) {
    if (growing) kept.push(Array.from({ length: 100_000 }, () => ({ kept })));
  }
}

function whileHeld(answer: () => void): void {
  const { state, heldMs } = getEnvironmentData('hold') as { state: Int32Array; heldMs: number };
  while (Atomics.load(state, 0) !== 1);
  answer();
  const until = performance.now() + heldMs;
  while (performance.now() < until);
  Atomics.store(state, 0, 2);
}

parentPort?.on('message', (command: ExaminationCommand) => {
  if (command.kind !== 'examine') return;
  const { body } = command;
  const text = Buffer.from(body).toString('utf8');
  if (text === 'spin' || text === 'grow') neverReturn(text === 'grow');
  if (text === 'break') throw new Error('broken');
  const answer = () => send({ kind: 'examined', body, examination: { ok: false, fault } });
  if (text === 'hold') whileHeld(answer);
  else answer();
});
send({ kind: 'ready' });
