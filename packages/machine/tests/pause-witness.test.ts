import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PauseWitness } from '@sluice/machine';
import { waitUntil } from '@sluice/testkit';
import { expect, it } from 'vitest';
import * as z from 'zod';

const PausedAnswer = z.object({ paused: z.number() });
const program = path.join(import.meta.dirname, 'support/witness-program.ts');

it('sees that its process was stopped', async () => {
  const child = fork(program);
  try {
    await once(child, 'message');
    const from = performance.timeOrigin + performance.now();
    child.kill('SIGSTOP');
    await waitUntil(() => performance.timeOrigin + performance.now() > from + 150, {
      what: 'the pause to be one',
    });
    child.kill('SIGCONT');
    const pausedMs = async () => {
      const answer = once(child, 'message');
      child.send({ from });
      const [message] = z
        .tuple([PausedAnswer])
        .rest(z.unknown())
        .parse(await answer);
      return message.paused;
    };
    const noticed = waitUntil(async () => (await pausedMs()) > 50, {
      what: 'the pause to be noticed',
    });
    await expect(noticed).resolves.toBe(true);
  } finally {
    child.kill('SIGKILL');
  }
});

it('can be asked after it ended, and knows all that it had seen', async () => {
  const witness = await PauseWitness.start();
  const pausedMs = () => witness.look().pausedMs(-Infinity, Infinity);
  const before = pausedMs();
  await witness[Symbol.asyncDispose]();
  expect(pausedMs()).toBeGreaterThanOrEqual(before);
});
