import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../error-code.ts';
import type { Ending, Launched } from './launch.ts';
import type { LogFile } from './log-file.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** How one process of the stack is started and asked whether it is ready. */
export interface ProcessPlan {
  readonly name: string;
  readonly log: LogFile;
  readonly launch: () => Promise<Launched>;
  readonly isReady: (launched: Launched) => Promise<boolean>;
  /** How long it may take to end by itself when asked. */
  readonly graceMs: number;
  /** Asks it to end. Our services end quickly at SIGINT; at SIGTERM they drain for as long as their settings say. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM';
}

/** How a process ended, or why there was none: the system had no more processes or files to give. */
export type Death = Ending | { readonly notStarted: string };

export interface SupervisionEvents {
  /** It is ready, the first time or again. */
  readonly onReady: (restarts: number) => void;
  /** It ended without being asked; another start follows after the delay. */
  readonly onDeath: (death: Death, delayMs: number) => void;
  /** Its process is another one now, or none. */
  readonly onChange: () => void;
}

/** A process that is started again whenever it ends, until it is stopped. */
export interface Supervised {
  readonly name: string;
  readonly process: ProcessIdentity | null;
  readonly ready: boolean;
  readonly restarts: number;
  /** Rejects with a StartFailure when it never became ready. */
  readonly firstReady: Promise<void>;
  stop(): Promise<void>;
  /** At once, without asking: for the moment in which the supervisor itself ends. */
  kill(): void;
}

export class StartFailure extends Error {
  override readonly name = 'StartFailure';
  readonly service: string;
  readonly lastLines: readonly string[];

  constructor(service: string, reason: string, lastLines: readonly string[]) {
    super(`${service} ${reason}`);
    this.service = service;
    this.lastLines = lastLines;
  }
}

const PROBE_EVERY_MS = 25;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** One that was ready for this long has proven itself: its next restart is quick again. */
const PROVEN_AFTER_MS = 10_000;
/** A process that never became ready is tried this often in all. */
const FIRST_ATTEMPTS = 3;
const FIRST_READY_TIMEOUT_MS = 60_000;
const SHOWN_LINES = 15;
/** What a service ends with when its settings are wrong: another try would end the same way. */
const WRONG_SETTINGS_CODE = 2;

export function supervise(plan: ProcessPlan, events: SupervisionEvents): Supervised {
  const stopping = new AbortController();
  const firstReady = Promise.withResolvers<void>();
  // Whoever waits for it hears of the failure; nobody may be waiting yet.
  firstReady.promise.catch(() => undefined);
  const stopped = () => stopping.signal.aborted;
  let current: Launched | undefined;
  let ready = false;
  let everReady = false;
  let restarts = 0;
  let stop: Promise<void> | undefined;

  const running = keepRunning().catch((error: unknown) => {
    firstReady.reject(error);
  });

  async function keepRunning(): Promise<void> {
    const giveUpAt = performance.now() + FIRST_READY_TIMEOUT_MS;
    let delayMs = FIRST_DELAY_MS;
    for (let attempt = 1; !stopped(); attempt += 1) {
      const from = plan.log.size();
      const { death, readyForMs } = await runOnce(from, everReady ? Infinity : giveUpAt);
      if (stopped()) return;
      const isFinal =
        ('code' in death && death.code === WRONG_SETTINGS_CODE) || attempt === FIRST_ATTEMPTS;
      if (!everReady && isFinal) throw failure(`does not start (${describeDeath(death)})`, from);
      if (readyForMs > PROVEN_AFTER_MS) delayMs = FIRST_DELAY_MS;
      events.onDeath(death, delayMs);
      await pause(delayMs);
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
      restarts += 1;
    }
  }

  /** From one start to the end that follows it, however it comes. */
  async function runOnce(
    from: number,
    giveUpAt: number,
  ): Promise<{ death: Death; readyForMs: number }> {
    let launched: Launched;
    try {
      launched = await plan.launch();
    } catch (error) {
      return { death: { notStarted: errorCode(error) }, readyForMs: 0 };
    }
    current = launched;
    // Stopped in the moment between starting it and knowing it.
    if (stopped()) launched.signal('SIGKILL');
    events.onChange();
    const ended = new AbortController();
    const ending = launched.ended.finally(() => ended.abort());
    const becameReady = await waitUntilReady(launched, ended.signal, giveUpAt);
    const readyAt = performance.now();
    if (becameReady) announceReady();
    else if (!everReady && !ended.signal.aborted && !stopped()) {
      throw failure('did not become ready in time', from);
    }
    const death = await ending;
    current = undefined;
    ready = false;
    events.onChange();
    return { death, readyForMs: becameReady ? performance.now() - readyAt : 0 };
  }

  async function waitUntilReady(
    launched: Launched,
    ended: AbortSignal,
    giveUpAt: number,
  ): Promise<boolean> {
    while (!ended.aborted && !stopped() && performance.now() < giveUpAt) {
      if (await plan.isReady(launched)) return !ended.aborted;
      await delay(PROBE_EVERY_MS);
    }
    return false;
  }

  function announceReady(): void {
    ready = true;
    everReady = true;
    firstReady.resolve();
    events.onReady(restarts);
  }

  function failure(reason: string, from: number): StartFailure {
    return new StartFailure(plan.name, reason, plan.log.lastLines(SHOWN_LINES, from));
  }

  async function pause(delayMs: number): Promise<void> {
    await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  async function end(): Promise<void> {
    stopping.abort();
    firstReady.reject(new Error(`${plan.name} was stopped`));
    const launched = current;
    if (launched !== undefined) {
      launched.signal(plan.stopSignal);
      const timer = setTimeout(() => launched.signal('SIGKILL'), plan.graceMs);
      await launched.ended;
      clearTimeout(timer);
      // Whatever it may have started itself.
      launched.signal('SIGKILL');
    }
    await running;
    plan.log[Symbol.dispose]();
  }

  return {
    name: plan.name,
    get process() {
      return current?.process ?? null;
    },
    get ready() {
      return ready;
    },
    get restarts() {
      return restarts;
    },
    firstReady: firstReady.promise,
    stop: async () => (stop ??= end()),
    kill: () => {
      stopping.abort();
      current?.signal('SIGKILL');
    },
  };
}

export function describeDeath(death: Death): string {
  if ('notStarted' in death) return `could not be started: ${death.notStarted}`;
  return death.signal ?? `exit code ${String(death.code)}`;
}
