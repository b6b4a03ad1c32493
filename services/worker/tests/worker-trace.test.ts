import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bareEnvironment, useLeakCheck, useNats } from '@sluice/devkit';
import { describe, expect, it } from 'vitest';
import { GatewayDouble } from './gateway-double.ts';

useLeakCheck();
const nats = useNats();
const mainFile = new URL('../src/main.ts', import.meta.url).pathname;

const CHUNK = '{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}';

/** A runtime with one answer that records the headers of its requests. */
async function startHeaderKeeper() {
  const calls: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/v1/models') {
      response.setHeader('content-type', 'application/json');
      response.end('{"data":[{"id":"m","owned_by":"someone"}]}');
      return;
    }
    calls.push(request.headers);
    response.setHeader('content-type', 'text/event-stream; charset=utf-8');
    response.end(`data: ${CHUNK}\n\ndata: [DONE]\n\n`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    calls,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

describe('a trace', () => {
  it.each([
    ['continues from the job to the runtime', { OTEL_TRACES_EXPORTER: 'console' }, true],
    ['is not made without an exporter', {}, false],
  ])('%s', async (_, environment, traced) => {
    await using runtime = await startHeaderKeeper();
    await using gateway = await GatewayDouble.connect(nats.url, nats.namespace);
    const child = spawn(process.execPath, [mainFile], {
      env: {
        ...bareEnvironment(),
        NATS_URL: nats.url,
        SUBJECT_PREFIX: nats.namespace,
        RUNTIME_URL: `${runtime.url}/v1`,
        RUNTIME_API_KEY: 'of the platform',
        LOG_LEVEL: 'silent',
        ...environment,
      },
      stdio: 'ignore',
    });
    try {
      const { worker } = await gateway.workerServing('m');
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const attempt = await gateway
        .send(worker, {
          header: { runtime_model: 'm', request: `request-${String(traced)}` },
          headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
        })
        .untilOver();
      expect(attempt.text('content')).toBe('Hi');
      const [headers] = runtime.calls;
      expect(headers).toMatchObject({
        'x-request-id': `request-${String(traced)}`,
        authorization: 'Bearer of the platform',
      });
      if (traced) {
        expect(headers?.['traceparent']).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`));
        expect(headers?.['traceparent']).not.toContain('00f067aa0ba902b7');
      } else expect(headers).not.toHaveProperty('traceparent');
    } finally {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  });
});
