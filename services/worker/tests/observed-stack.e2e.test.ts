import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import { join } from 'node:path';
import { startStack, useLeakCheck, waitUntil, type TestStack } from '@sluice/devkit';
import { startSimulator, type Simulator } from '@sluice/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';

useLeakCheck({ timeoutMs: 10_000 });

/** Occurs in every prompt, tool argument and answer below, and nowhere else. */
const MARK = 'xylophone-7f3a';
const CLIENT_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

const Exported = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({
        attributes: z.array(
          z.object({ key: z.string(), value: z.object({ stringValue: z.string().optional() }) }),
        ),
      }),
      scopeSpans: z.array(
        z.object({ spans: z.array(z.object({ traceId: z.string(), name: z.string() })) }),
      ),
    }),
  ),
});

/** Everything that was sent to the collector, and the traces in it. */
const exported: string[] = [];
const traces: string[] = [];
const runtimeTraces: string[] = [];
let simulator: Simulator;
let stack: TestStack;
const servers: Server[] = [];

beforeAll(async () => {
  simulator = await startSimulator();
  const collector = await listening(
    createServer((request, response) => {
      let body = '';
      request
        .setEncoding('utf8')
        .on('data', (text: string) => (body += text))
        .on('end', () => {
          exported.push(body);
          if (request.url === '/v1/traces') traces.push(body);
          response.end('{}');
        });
    }),
  );
  const runtime = await listening(
    createServer((request, response) => {
      const { traceparent } = request.headers;
      if (typeof traceparent === 'string') runtimeTraces.push(traceparent);
      const { method, headers, url = '/' } = request;
      const onward = forward(new URL(url, simulator.url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
        answer.once('error', () => response.destroy());
      });
      onward.once('error', () => response.destroy());
      response.once('close', () => onward.destroy());
      request.pipe(onward);
    }),
  );
  stack = await startStack({
    runtimes: [runtime],
    environment: {
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  await simulator[Symbol.asyncDispose]();
});

async function listening(server: Server): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return `http://127.0.0.1:${address.port}`;
}

async function complete(body: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${stack.apiRoot}/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.apiKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ model: 'sluice-demo', ...body }),
  });
  // A stream that fails is cut off. The part before that is the answer.
  return response.text().catch(() => '');
}

const user = (content: string) => ({ messages: [{ role: 'user', content }] });

/** The services in the client's trace. */
function servicesInTrace(): Set<string> {
  const names = new Set<string>();
  for (const body of traces) {
    for (const { resource, scopeSpans } of Exported.parse(JSON.parse(body)).resourceSpans) {
      const spans = scopeSpans.flatMap(({ spans }) => spans);
      const service = resource.attributes.find(({ key }) => key === 'service.name');
      if (spans.some(({ traceId }) => traceId === CLIENT_TRACE)) {
        names.add(service?.value.stringValue ?? '');
      }
    }
  }
  return names;
}

describe('a stack with all logs, traces and metrics', () => {
  test('carries one trace from the client through every service to the runtime', async () => {
    const traceparent = `00-${CLIENT_TRACE}-00f067aa0ba902b7-01`;
    const answer = await complete(
      { ...user('Hello'), stream: true },
      { traceparent, baggage: `secret=${MARK}` },
    );
    expect(answer).toContain('data: [DONE]');
    await waitUntil(() => servicesInTrace().size === 4, { what: 'the spans of four services' });
    expect([...servicesInTrace()].toSorted()).toEqual(['catalog', 'gateway', 'quota', 'worker']);
    expect(runtimeTraces.some((header) => header.includes(CLIENT_TRACE))).toBe(true);
  });

  test('leaves no prompt and no answer in a log, a file, a trace or a metric, even after failures', async () => {
    const steer = (steering: object) =>
      user(`${MARK}\n@sim ${JSON.stringify({ text: `${MARK} again and again`, ...steering })}`);
    const tools = [
      {
        type: 'function',
        function: {
          name: 'look_up',
          parameters: { type: 'object', properties: { word: { const: MARK } }, required: ['word'] },
        },
      },
    ];
    const answers = await Promise.all([
      complete(steer({})),
      complete({ ...steer({}), stream: true }),
      complete({ ...user(MARK), tools, tool_choice: 'required' }),
      ...[true, false].flatMap((stream) =>
        [
          { fail_after: 2 },
          { cut_after: 2 },
          { malformed_after: 2 },
          { status: 500 },
          { status: 400 },
          { status: 401 },
        ].map(async (fault) => complete({ ...steer(fault), stream })),
      ),
      complete({ ...user(MARK), temperature: MARK }),
      complete({ messages: [{ role: MARK, content: MARK }] }),
      complete({ ...user(MARK), [MARK.slice(0, 4)]: MARK }),
    ]);
    // It occurs in the text and in the arguments of the call. A stream has it in pieces.
    expect(answers[0]).toContain(MARK);
    expect(answers[2]).toContain(MARK);
    // The errors of refused requests name the fault and do not quote the request.
    for (const answer of answers.slice(-3)) expect(answer).not.toContain(MARK);

    const seen = traces.length;
    await waitUntil(() => traces.length > seen, { what: 'the traces of these requests' });
    expect(await stack.stop()).toBe(0);
    expect(exported.filter((body) => body.includes(MARK))).toEqual([]);
    const entries = await readdir(stack.state, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(7);
    for (const { parentPath, name } of files) {
      const bytes = await readFile(join(parentPath, name));
      expect(bytes.includes(MARK), `${name} holds content`).toBe(false);
    }
  });
});
