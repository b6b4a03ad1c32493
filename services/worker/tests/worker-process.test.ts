import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment, useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { startSimulator, type Simulator } from '@sluice/simulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayDouble } from './gateway-double.ts';

useLeakCheck();
const nats = useNats();
const mainFile = new URL('../src/main.ts', import.meta.url).pathname;

let simulator: Simulator;
let gateway: GatewayDouble;
const children: ChildProcess[] = [];

function startProcess(environment: Record<string, string>) {
  const child = spawn(process.execPath, [mainFile], {
    env: {
      ...bareEnvironment(),
      NATS_URL: nats.url,
      SUBJECT_PREFIX: nats.namespace,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const said = { out: '', error: '' };
  child.stdout.on('data', (text) => (said.out += String(text)));
  child.stderr.on('data', (text) => (said.error += String(text)));
  return { child, said, exited: once(child, 'exit') };
}

beforeEach(async () => {
  simulator = await startSimulator({ port: 0, timeToFirstTokenMs: 5, betweenTokensMs: 2 });
  gateway = await GatewayDouble.connect(nats.url, nats.namespace);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  await gateway[Symbol.asyncDispose]();
  await simulator[Symbol.asyncDispose]();
});

describe('the worker process', () => {
  it('lets running jobs finish on a stop signal, returns the queue, and exits with 0', async () => {
    const { child, said, exited } = startProcess({ RUNTIME_URL: simulator.url, SLOTS: '1' });
    const { worker } = await gateway.workerServing('sluice-small');
    const running = gateway.send(worker, { sim: { tokens: 300 } });
    const queued = gateway.send(worker, { sim: { tokens: 5 } });
    await Promise.all([running.until('delta'), queued.until('accepted')]);
    child.kill('SIGTERM');
    expect((await queued.untilOver()).body('refused')).toMatchObject({ reason: 'draining' });
    await exited;
    expect(child.exitCode).toBe(0);
    expect((await running.untilOver()).kinds().at(-1)).toBe('finished');
    const late = gateway.send(worker);
    await waitUntil(() => late.hasNoWorker, { what: 'the notice of no subscriber' });
    expect(said.out).toContain('"msg":"stopped"');
    const log = said.out + said.error;
    expect(log).not.toContain('Say something');
    expect(log).not.toContain(running.text('content').slice(0, 20));
  });

  it('stops the generation at the runtime when it is killed', async () => {
    const { child } = startProcess({ RUNTIME_URL: simulator.url });
    const { worker } = await gateway.workerServing('sluice-small');
    const attempt = gateway.send(worker, { sim: { tokens: 5_000 } });
    await attempt.until('delta');
    child.kill('SIGKILL');
    await waitUntil(() => simulator.state().aborted === 1, {
      what: 'the runtime to stop',
      timeoutMs: 1_000,
    });
    expect(attempt.kinds()).not.toContain('finished');
  });

  it('drops attempts that their gateways gave up while it was frozen', async () => {
    const { child } = startProcess({ RUNTIME_URL: simulator.url });
    const { worker } = await gateway.workerServing('sluice-small');
    const attempt = gateway.send(worker, { sim: { tokens: 8_000, itl_ms: 20 } });
    await attempt.until('delta');
    child.kill('SIGSTOP');
    const cancelled = gateway.cancel(worker, attempt.name, 1_000);
    await expect(cancelled).rejects.toThrow('no answer');
    child.kill('SIGCONT');
    await waitUntil(() => simulator.state().aborted === 1, {
      what: 'the cancel to be read',
      timeoutMs: 1_000,
    });
  });

  it('does not count the time in which it was frozen as a stall of the runtime', async () => {
    const { child } = startProcess({ RUNTIME_URL: simulator.url, STALL_TIMEOUT_MS: '1000' });
    const { worker } = await gateway.workerServing('sluice-small');
    const attempt = gateway.send(worker, { sim: { tokens: 2_000, itl_ms: 20 } });
    await attempt.until('delta');
    // After the pause, either the sweep or the output of the runtime may come first.
    for (let time = 0; time < 4; time += 1) {
      child.kill('SIGSTOP');
      const frozenAt = performance.now();
      await waitUntil(() => performance.now() > frozenAt + 1_500, {
        what: 'more time to pass than the runtime may be silent',
      });
      const heard = attempt.kinds().length;
      child.kill('SIGCONT');
      await waitUntil(() => attempt.kinds().length > heard + 100, { what: 'more of the answer' });
    }
    expect(attempt.kinds()).not.toContain('failed');
  });

  it('names each invalid setting and exits with 2', async () => {
    const { child, said, exited } = startProcess({ RUNTIME_KIND: 'abacus', SLOTS: 'many' });
    await exited;
    expect(child.exitCode).toBe(2);
    for (const name of ['RUNTIME_URL', 'RUNTIME_KIND', 'SLOTS']) expect(said.error).toContain(name);
  });
});
