import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FrameKind, type Frame, type JobHeader } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { onTestFinished } from 'vitest';
import { Attempt, type FrameChannel } from '../src/attempt/attempt.ts';
import { jobHeaderOf } from '../src/attempt/job-header-fixture.ts';
import type { Dialect } from '../src/dialects/dialect.ts';
import { openAiDialect } from '../src/dialects/openai.ts';
import { attemptRunner } from '../src/run/attempt-runner.ts';
import { RuntimeClient } from '../src/runtime/runtime-client.ts';
import { RequestTranslator } from '../src/translation/request-translator.ts';
import { SchemaChecker } from '../src/verify/schema-checker.ts';
import { silentLogger } from './gateway-double.ts';

export const piece = (content: string, finishReason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finishReason }] })}\n\n`;
export const DONE = 'data: [DONE]\n\n';

interface ScriptedRuntimeOptions {
  readonly dialect: Dialect;
  readonly sharedCache: boolean;
  readonly priorities?: boolean;
  readonly translation?: { readonly limitMs?: number };
}

type Answer = (reply: ServerResponse) => void;

/** A runtime whose responses are scripted by the test, one for each request. */
export const scriptedRuntime = (...answers: Answer[]) =>
  scriptedRuntimeOf({ dialect: openAiDialect, sharedCache: false }, ...answers);

export async function scriptedRuntimeOf(
  { dialect, sharedCache, priorities = false, translation = {} }: ScriptedRuntimeOptions,
  ...answers: Answer[]
) {
  const bounds: unknown[] = [];
  const asked: string[] = [];
  let closed = 0;
  const server = createServer((request, reply) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const answer = answers[bounds.length];
      asked.push(body);
      bounds.push((JSON.parse(body) as { max_tokens?: number }).max_tokens);
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      answer?.(reply);
    });
    reply.on('close', () => (closed += 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new RuntimeClient({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: undefined,
    connections: 1,
  });
  const schemas = new SchemaChecker({ logger: silentLogger });
  const translator = new RequestTranslator({ logger: silentLogger, ...translation });
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    await schemas[Symbol.asyncDispose]();
    await translator[Symbol.asyncDispose]();
    await new Promise((resolve) => server.close(resolve));
  });
  let moments = -1;
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const run = attemptRunner({
    runtime: client,
    dialect: () => dialect,
    translator,
    schemas,
    sharedCache,
    priorities,
    maxPayload: () => 1_048_576,
    // Each activity of the runtime reads the clock once, and so does the end of the preparation. Nothing else does.
    clock: () => (moments += 1),
    logger: createLogger({ service: 'worker', level: 'debug', destination }),
    onFailure: () => undefined,
  });
  return { run, bounds, asked, lines, closed: () => closed };
}

export const PLAIN_REQUEST = '{"messages":[{"role":"user","content":"Hello"}]}';

export function attemptWith(header: Partial<JobHeader> = {}, body = PLAIN_REQUEST) {
  const deltas: unknown[] = [];
  const take = (frames: readonly Frame[]) => {
    for (const { kind, body } of frames) {
      if (kind === FrameKind.delta) deltas.push(JSON.parse(Buffer.from(body).toString()));
    }
  };
  const channel: FrameChannel = {
    lastSentAt: 0,
    send: (...frames) => take(frames),
    sendDeferred: (makeFrame) => take([makeFrame()]),
    close: () => undefined,
    forceGap: () => undefined,
  };
  const attempt = new Attempt({
    header: jobHeaderOf({ max_output_tokens: 50, ...header }),
    body: Buffer.from(body),
    channel,
    arrivedAt: 0,
    trace: undefined,
  });
  return { attempt, deltas };
}
