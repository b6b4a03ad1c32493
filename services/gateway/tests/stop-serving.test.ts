import { waitUntil } from '@sluice/devkit';
import { expect, test } from 'vitest';
import { stopServing } from '../src/edge/stop-serving.ts';
import { completionBytes, completionHead } from './completion-request.ts';
import type { FakeJob } from './fake-workers.ts';
import { InMemoryGateway } from './in-memory-gateway.ts';
import { RawClient } from './raw-client.ts';
import { accepted, delta, finished, started } from './worker-frames.ts';

const PATIENT = { announceMs: 0, limitMs: 60_000 };

test('a connection whose stream ends during a stop is closed, like idle connections', async () => {
  const jobs: FakeJob[] = [];
  await using gateway = await InMemoryGateway.start({
    settings: { KEEP_ALIVE_TIMEOUT_MS: 600_000 },
    worker: (job) => {
      jobs.push(job);
      job.send(accepted(), started(), delta({ content: 'first' }));
    },
  });
  await using client = await RawClient.connect(gateway.port);
  await using other = await RawClient.connect(gateway.port);
  for (const each of [client, other]) {
    each.send(completionBytes(gateway.key, { stream: true }));
    await each.waitFor('"first"');
  }
  await using idle = await RawClient.connect(gateway.port);
  idle.send(completionHead('no key', 'content-length: 0'));
  await idle.waitFor('HTTP/1.1 401');
  const stopped = stopServing(gateway.app, gateway.drain, PATIENT);
  await waitUntil(() => gateway.drain.phase === 'refusing', { what: 'the stop' });
  await idle.waitForClose();
  expect(client.closed).toBe(false);
  jobs[0]?.send(finished());
  expect(await client.waitForClose()).toMatch(/data: \[DONE\]\s+0\s+$/);
  expect(other.closed).toBe(false);
  jobs[1]?.send(finished());
  expect(await other.waitForClose()).toContain('[DONE]');
  await stopped;
});

test('a stop does not wait for a body that does not arrive', async () => {
  const settings = { HEADERS_TIMEOUT_MS: 100, REQUEST_TIMEOUT_MS: 100 };
  await using gateway = await InMemoryGateway.start({ settings });
  await using client = await RawClient.connect(gateway.port);
  client.send(completionHead(gateway.key, 'content-length: 100'), '{');
  await waitUntil(() => gateway.app.openRequests.requestCount === 1, { what: 'the request' });
  await stopServing(gateway.app, gateway.drain, PATIENT);
  expect((await client.reply()).status).toBe(408);
});
