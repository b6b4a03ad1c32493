import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Engine, type SimulatorState } from './engine.ts';
import { defaultModels, type SimulatedModel } from './models.ts';
import { Routes } from './routes.ts';
import type { ReasoningField } from './wire-shapes.ts';

export interface SimulatorOptions {
  readonly host?: string | undefined;
  /** With 0, any free port. */
  readonly port?: number | undefined;
  readonly models?: readonly SimulatedModel[] | undefined;
  /** Number of generations at a time. Further requests wait. */
  readonly slots?: number | undefined;
  readonly timeToFirstTokenMs?: number | undefined;
  readonly betweenTokensMs?: number | undefined;
  /** Size of the prefix cache in blocks of 16 tokens. */
  readonly cacheBlocks?: number | undefined;
  readonly reasoningField?: ReasoningField | undefined;
  /** The key that requests must have. Without it, every request is accepted. */
  readonly apiKey?: string | undefined;
}

export interface Simulator extends AsyncDisposable {
  /** The address without a slash at the end and without `/v1`. */
  readonly url: string;
  state(): SimulatorState;
}

export const defaultOptions = {
  host: '127.0.0.1',
  port: 8_000,
  slots: 64,
  timeToFirstTokenMs: 60,
  betweenTokensMs: 15,
  cacheBlocks: 16_384,
  reasoningField: 'reasoning_content',
} as const;

// Longer than clients keep idle connections, so that the server does not close one just before a new request.
const idleConnectionMs = 120_000;

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the simulator has no port');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** Starts a simulated runtime. Disposing of it ends all running requests. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const engine = new Engine({
    slots: options.slots ?? defaultOptions.slots,
    timeToFirstTokenMs: options.timeToFirstTokenMs ?? defaultOptions.timeToFirstTokenMs,
    betweenTokensMs: options.betweenTokensMs ?? defaultOptions.betweenTokensMs,
    cacheBlocks: options.cacheBlocks ?? defaultOptions.cacheBlocks,
  });
  const routes = new Routes({
    engine,
    models: options.models ?? defaultModels,
    reasoningField: options.reasoningField ?? defaultOptions.reasoningField,
    apiKey: options.apiKey,
    startedAt: Math.floor(Date.now() / 1_000),
  });
  const server = createServer({ keepAliveTimeout: idleConnectionMs }, routes.answer);
  server.listen(options.port ?? 0, options.host ?? defaultOptions.host);
  await once(server, 'listening');
  return {
    url: urlOf(server),
    state: () => engine.state(),
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      engine.abortAll();
      server.closeAllConnections();
      await closed;
    },
  };
}
