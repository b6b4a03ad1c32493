import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { GeneratorCommand, GeneratorReply, LoadOrder, LoadState } from './load-order.ts';

/** A process of its own that makes load, so that measuring and loading do not disturb each other. */
export interface LoadGenerator extends AsyncDisposable {
  readonly pid: number;
  start(order: LoadOrder): Promise<LoadState>;
  look(): Promise<LoadState>;
  /** Returns when so many replies have begun, or failed, or the time is over. */
  begun(count: number, timeoutMs: number): Promise<void>;
  /** Gives the state at the end, and returns when every connection is closed. */
  stop(): Promise<LoadState>;
}

const LOOK_EVERY_MS = 50;
const PROCESS = fileURLToPath(new URL('generator-process.ts', import.meta.url));

export function startLoadGenerator(): LoadGenerator {
  const child = fork(PROCESS, { serialization: 'advanced', execArgv: [] });
  const waiting = new Map<number, PromiseWithResolvers<LoadState>>();
  let nextId = 1;
  child.on('message', (reply: GeneratorReply) => {
    waiting.get(reply.id)?.resolve(reply.state);
    waiting.delete(reply.id);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`the load generator has ended (${signal ?? String(code)})`));
    }
    waiting.clear();
  });
  type Plain<Command> = Command extends unknown ? Omit<Command, 'id'> : never;
  const command = (plain: Plain<GeneratorCommand>): Promise<LoadState> => {
    const id = nextId;
    nextId += 1;
    const answer = Promise.withResolvers<LoadState>();
    waiting.set(id, answer);
    child.send({ id, ...plain });
    return answer.promise;
  };
  const look = () => command({ kind: 'look' });
  return {
    pid: child.pid ?? 0,
    start: (order) => command({ kind: 'start', order }),
    look,
    begun: async (count, timeoutMs) => {
      const giveUpAt = performance.now() + timeoutMs;
      while (performance.now() < giveUpAt) {
        const { begun, failed } = await look();
        if (begun + failed >= count) return;
        await delay(LOOK_EVERY_MS);
      }
    },
    stop: () => command({ kind: 'stop' }),
    [Symbol.asyncDispose]: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  child.once('exit', () => resolve());
  child.kill('SIGKILL');
  await promise;
}
