import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { Transform, pipeline } from 'node:stream';
import { bareEnvironment, useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { startSimulator } from '@sluice/simulator';
import { expect, it } from 'vitest';
import { GatewayDouble } from './gateway-double.ts';

useLeakCheck();
const nats = useNats();
const mainFile = new URL('../src/main.ts', import.meta.url).pathname;

/** A proxy to NATS that inserts a byte before the first job. */
async function openBrokenWire(url: string) {
  const { port, hostname } = new URL(url);
  let isBroken = false;
  const server = createServer((client) => {
    const breaking = new Transform({
      transform: (said: Buffer, _encoding, tell) => {
        const breaks = !isBroken && said.includes(`MSG ${nats.namespace}.job.`);
        isBroken ||= breaks;
        tell(null, breaks ? Buffer.concat([Buffer.from('X'), said]) : said);
      },
    });
    pipeline(client, connect(Number(port), hostname), breaking, client, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      await once(server.close(), 'close');
    },
  };
}

/** A worker process, with all of its output. */
function startWorker(environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [mainFile], {
    env: { ...bareEnvironment(), SUBJECT_PREFIX: nats.namespace, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => (output += String(text)));
  }
  return {
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
    },
  };
}

it('the worker writes no prompt to its output if the bus connection delivers a broken byte', async () => {
  await using simulator = await startSimulator({ port: 0 });
  await using wire = await openBrokenWire(nats.url);
  await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
  await using worker = startWorker({ NATS_URL: wire.url, RUNTIME_URL: simulator.url });
  const { worker: name } = await gateway.workerServing('sluice-small');
  const messages = [{ role: 'user', content: 'the secret prompt' }];
  gateway.send(name, { body: { messages } });
  await waitUntil(() => worker.output().includes('wrote to the console'), {
    what: 'the line that something broke',
  });
  expect(worker.output()).not.toContain('secret prompt');
  expect(worker.output().match(/^[^{\n].*$/gm)).toBeNull();
});
