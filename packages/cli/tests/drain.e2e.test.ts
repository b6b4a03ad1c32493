import { useLeakCheck, useStack, waitUntil } from '@sluice/devkit';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { sluice, watchSluice } from './run-sluice.ts';

useLeakCheck({ timeoutMs: 10_000 });

const stack = useStack({ gateways: 2, workers: 2 });

const Fleet = z.object({
  workers: z.array(
    z.object({ name: z.string(), worker: z.string(), state: z.string(), running: z.int() }),
  ),
});

const run = (...parameters: string[]) => sluice([...parameters, '--state', stack().state]);

async function fleet() {
  const { stdout } = await run('fleet', '--json', '--once');
  return new Map(Fleet.parse(JSON.parse(stdout)).workers.map((worker) => [worker.name, worker]));
}

/** Asks the first gateway for an answer of some length. */
async function answer(tokens: number, betweenMs: number): Promise<string> {
  const response = await fetch(`${stack().apiRoot}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack().apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sluice-demo',
      stream: true,
      messages: [{ role: 'user', content: `@sim {"tokens": ${tokens}, "itl_ms": ${betweenMs}}` }],
    }),
  });
  return response.text();
}

const drain = (worker: string) => watchSluice(['drain', worker, '--state', stack().state]);

test('a drained worker ends its streams and gets no more, also after a restart of the gateways', async () => {
  const streams = [answer(600, 20), answer(600, 20)];
  await waitUntil(
    async () => Array.from((await fleet()).values()).every(({ running }) => running === 1),
    { what: 'a stream at each worker', timeoutMs: 20_000 },
  );
  const first = drain('worker-1');
  await first.until('worker-1 drains: 1 running, 0 queued');
  first.interrupt();
  expect(await first.ended).toBe(1);
  expect(first.said.errors).toContain('worker-1 keeps draining. To undo: sluice undrain worker-1');
  const restarted = await stack().service('gateway-2');
  await stack().kill('gateway-2');
  await stack().restarted(restarted);
  const answers = await Promise.all(Array.from({ length: 10 }, () => answer(5, 0)));
  expect(answers.every((text) => text.includes('data: [DONE]'))).toBe(true);
  const second = drain('default/worker-1');
  expect(await second.ended).toBe(0);
  expect(second.said.output).toContain(
    "worker-1 is empty. It takes no jobs until 'sluice undrain worker-1' or a restart",
  );
  const whole = await Promise.all(streams);
  expect(whole.every((text) => text.includes('data: [DONE]'))).toBe(true);
  expect((await fleet()).get('worker-1')?.state).toBe('drained');
});

test('a worker takes jobs again after its undrain, and the last one is drained with a note', async () => {
  expect(await run('drain', 'worker-2')).toMatchObject({
    code: 0,
    stderr: 'note: no other worker of the pool default takes jobs now\n',
  });
  expect(await answer(5, 0)).toContain('infrastructure_rate_limit_exceeded');
  const undrained = await run('--output', 'json', 'undrain', 'worker-1');
  expect(JSON.parse(undrained.stdout)).toMatchObject({ name: 'worker-1', state: 'ready' });
  expect(await answer(5, 0)).toContain('data: [DONE]');
});

test('an unknown worker is an error that lists the workers', async () => {
  const { code, stderr } = await run('drain', 'worker-9');
  expect(code).toBe(1);
  expect(stderr).toMatch(/^sluice drain: there is no worker 'worker-9'[^]*worker-1[^]*worker-2/);
});
