import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SluiceStack, StackProcess } from '../programs/sluice-stack.ts';
import type { Fault, FaultLog } from './fault-log.ts';
import type { Random } from './random.ts';

/** A fault that can be inflicted. */
export interface FaultPlan {
  readonly name: string;
  /** Finds the process that the fault affects. */
  prepare(): Promise<Strike>;
}

/**
 * Inflicts the fault without delay, so that no request succeeds between its record and the fault. Resolves on recovery.
 */
export type Strike = () => Promise<void>;

export interface FaultContext {
  readonly stack: SluiceStack;
  readonly random: Random;
}

const RECOVERY_LIMIT_MS = 60_000;
const CHECK_EVERY_MS = 50;

/** A kill, a stop and a freeze for every process, and the special faults of Redis. */
export async function plannableFaults(
  context: FaultContext,
  { deadly }: { deadly: boolean },
): Promise<FaultPlan[]> {
  const processes = await context.stack.processes();
  const plans = processes.flatMap(({ name }) => [
    freeze(context, name),
    ...(deadly ? [end(context, name, 'SIGKILL'), end(context, name, 'SIGTERM')] : []),
  ]);
  return [...plans, ...redisFaults(context)];
}

/** Returns every plan once, in random order, before one is repeated. */
export class FaultQueue {
  readonly #plans: readonly FaultPlan[];
  readonly #random: Random;
  #left: FaultPlan[] = [];

  constructor(plans: readonly FaultPlan[], random: Random) {
    this.#plans = plans;
    this.#random = random;
  }

  next(): FaultPlan | undefined {
    if (this.#left.length === 0) this.#left = this.#random.shuffled(this.#plans);
    return this.#left.shift();
  }
}

/** Inflicts one fault after another until the time is over. Each is recorded until the stack has recovered. */
export async function inflictFaults({
  queue,
  log,
  until,
  pauseMs,
  say,
}: {
  queue: Pick<FaultQueue, 'next'>;
  log: FaultLog;
  until: number;
  pauseMs: number;
  say: (line: string) => void;
}): Promise<void> {
  for (;;) {
    await delay(pauseMs);
    const plan = performance.now() >= until ? undefined : queue.next();
    if (plan === undefined) return;
    const begin = () => log.begin(plan.name, performance.now());
    let fault: Fault | undefined;
    try {
      const strike = await plan.prepare();
      fault = begin();
      await strike();
    } catch (error) {
      // The run continues: its remaining results are worth more than an early end.
      fault ??= begin();
      fault.failure = error instanceof Error ? error.message : 'failed';
    }
    fault.recoveredAt = performance.now();
    const seconds = ((fault.recoveredAt - fault.startedAt) / 1_000).toFixed(1);
    say(`${plan.name}: ${fault.failure ?? 'over'} after ${seconds} s`);
  }
}

function end({ stack }: FaultContext, name: string, signal: 'SIGKILL' | 'SIGTERM'): FaultPlan {
  return {
    name: `${signal === 'SIGKILL' ? 'kill' : 'restart'} ${name}`,
    prepare: async () => {
      const { pid } = await processNamed(stack, name);
      return async () => {
        if (pid === null) return;
        process.kill(pid, signal);
        await recovered(stack, name, (now) => now.ready && now.pid !== pid);
      };
    },
  };
}

function freeze({ stack, random }: FaultContext, name: string): FaultPlan {
  return {
    name: `freeze ${name}`,
    prepare: async () => {
      const { pid } = await processNamed(stack, name);
      return async () => {
        if (pid === null) return;
        process.kill(pid, 'SIGSTOP');
        try {
          await delay(random.integer(300, 8_000));
        } finally {
          process.kill(pid, 'SIGCONT');
        }
        await recovered(stack, name, ({ ready }) => ready);
      };
    },
  };
}

function redisFaults({ stack, random }: FaultContext): FaultPlan[] {
  return [
    {
      name: 'redis does not answer (CLIENT PAUSE)',
      prepare: async () => async () => {
        const pauseMs = random.integer(200, 3_000);
        await sendToRedis(stack.redisUrl, `CLIENT PAUSE ${pauseMs}`);
        await delay(pauseMs);
      },
    },
    {
      name: 'redis forgets its scripts (SCRIPT FLUSH)',
      prepare: async () => () => sendToRedis(stack.redisUrl, 'SCRIPT FLUSH'),
    },
  ];
}

async function processNamed(stack: SluiceStack, name: string): Promise<StackProcess> {
  const found = (await stack.processes()).find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`the stack has no ${name}`);
  return found;
}

async function recovered(
  stack: SluiceStack,
  name: string,
  isRecovered: (now: StackProcess) => boolean,
): Promise<void> {
  const giveUpAt = performance.now() + RECOVERY_LIMIT_MS;
  for (;;) {
    const now = await processNamed(stack, name);
    if (isRecovered(now)) return;
    if (performance.now() > giveUpAt) {
      throw new Error(`${name} did not recover within ${RECOVERY_LIMIT_MS / 1_000} s`);
    }
    await delay(CHECK_EVERY_MS);
  }
}

async function sendToRedis(url: string, command: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: hostname, port: Number(port) });
  socket.once('data', () => resolve());
  socket.once('error', reject);
  socket.setTimeout(5_000, () => reject(new Error('redis does not answer')));
  socket.write(`${command}\r\n`);
  try {
    await promise;
  } finally {
    socket.destroy();
  }
}
