import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { waitUntil } from '../src/runner/wait-until.ts';

const PausedAnswer = z.object({ paused: z.number() });
const program = path.join(import.meta.dirname, 'support/witness-program.ts');

it('detects that its process was stopped, and reports it after the witness has ended', async () => {
  const child = fork(program);
  try {
    await once(child, 'message');
    const from = performance.timeOrigin + performance.now();
    child.kill('SIGSTOP');
    await waitUntil(() => performance.timeOrigin + performance.now() > from + 150, {
      what: 'the pause to be one',
    });
    child.kill('SIGCONT');
    const pausedMs = async ({ end }: { end: boolean }) => {
      const answer = once(child, 'message');
      child.send({ from, end });
      const [message] = z
        .tuple([PausedAnswer])
        .rest(z.unknown())
        .parse(await answer);
      return message.paused;
    };
    const noticed = waitUntil(async () => (await pausedMs({ end: false })) > 50, {
      what: 'the pause to be noticed',
    });
    await expect(noticed).resolves.toBe(true);
    expect(await pausedMs({ end: true })).toBeGreaterThan(50);
  } finally {
    child.kill('SIGKILL');
  }
});
