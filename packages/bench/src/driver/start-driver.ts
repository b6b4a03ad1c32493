import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RARE_COLLECTIONS } from '@sluice/service';
import type { DriverCommand, DriverReply, DriverState } from './driver-process.ts';

/** Generates load in a separate process, so that loading and measuring do not disturb each other. */
export interface Driver<Options, State> extends AsyncDisposable {
  readonly pid: number;
  start(options: Options): Promise<DriverState<State>>;
  read(): Promise<DriverState<State>>;
  /** Stops the load and returns its final state when nothing is under way. */
  stop(): Promise<DriverState<State>>;
}

type Plain<Command> = Command extends unknown ? Omit<Command, 'id'> : never;

/** Starts a module that calls `serveDriver` as a child process. */
export function startDriver<Options, State extends object>(module: URL): Driver<Options, State> {
  const child = fork(fileURLToPath(module), {
    serialization: 'advanced',
    // A full garbage collection in the driver would be mistaken for slowness of the server that is measured.
    execArgv: [...RARE_COLLECTIONS],
  });
  const waiting = new Map<number, PromiseWithResolvers<DriverState<State>>>();
  let nextId = 1;
  child.on('message', (reply: DriverReply<State>) => {
    const answer = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('failure' in reply) answer?.reject(new Error(`the driver failed: ${reply.failure}`));
    else if (reply.state === undefined) answer?.reject(new Error('the driver has no load'));
    else answer?.resolve(reply.state);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`the driver has ended (${signal ?? String(code)})`));
    }
    waiting.clear();
  });
  const command = (plain: Plain<DriverCommand<Options>>): Promise<DriverState<State>> => {
    const id = nextId;
    nextId += 1;
    const answer = Promise.withResolvers<DriverState<State>>();
    waiting.set(id, answer);
    child.send({ id, ...plain });
    return answer.promise;
  };
  return {
    pid: child.pid ?? 0,
    start: (options) => command({ kind: 'start', options }),
    read: () => command({ kind: 'read' }),
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
