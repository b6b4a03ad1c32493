import { setTimeout as delay } from 'node:timers/promises';
import {
  ChildProgram,
  describeEnding,
  type Ending,
  type ProgramOptions,
  type ReadyProbe,
} from './child-program.ts';
import type { LogFile } from './log-file.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { StartFailure } from './start-failure.ts';

export interface SupervisedOptions extends ProgramOptions {
  /** The log of all runs of the process. It is closed when the process is stopped. */
  readonly log: LogFile;
  readonly isReady: ReadyProbe;
}

/** How a process ended, or the error code if it could not be started, for example because of a system limit. */
export type Death = Ending | { readonly notStarted: string };

export interface SupervisionEvents {
  /** The process is ready, after its first start or after a restart. */
  readonly onReady: (restarts: number) => void;
  /** The process ended unexpectedly, or could not be started. It is started again after the delay. */
  readonly onDeath: (death: Death, delayMs: number) => void;
  /** The process has started or ended. */
  readonly onChange: () => void;
}

/** A process that is restarted whenever it ends, until it is stopped. */
export interface Supervised {
  readonly name: string;
  readonly process: ProcessIdentity | null;
  readonly ready: boolean;
  readonly restarts: number;
  /** Rejects with a StartFailure if the process never became ready. */
  readonly firstReady: Promise<void>;
  stop(): Promise<void>;
  /** Kills the process at once. Call it when the supervisor itself ends. */
  kill(): void;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** After a process was ready for this long, the delay before its next restart is the shortest again. */
const PROVEN_AFTER_MS = 10_000;
/** How many starts are tried in total if the process never becomes ready. */
const FIRST_ATTEMPTS = 3;
const FIRST_READY_TIMEOUT_MS = 60_000;
/** The exit code of a service whose settings are wrong. A restart would fail in the same way. */
const WRONG_SETTINGS_CODE = 2;

export function supervise(options: SupervisedOptions, events: SupervisionEvents): Supervised {
  const stopping = new AbortController();
  const firstReady = Promise.withResolvers<void>();
  // Prevents an unhandled rejection if the process fails before `firstReady` is awaited.
  firstReady.promise.catch(() => undefined);
  const stopped = () => stopping.signal.aborted;
  let current: ChildProgram | undefined;
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
      const giveUpAfterMs = everReady ? undefined : giveUpAt - performance.now();
      const { death, output, readyForMs } = await runOnce(giveUpAfterMs);
      if (stopped()) return;
      const isFinal =
        ('code' in death && death.code === WRONG_SETTINGS_CODE) || attempt === FIRST_ATTEMPTS;
      if (!everReady && isFinal) {
        throw new StartFailure(options.name, `does not start (${describeDeath(death)})`, output);
      }
      if (readyForMs > PROVEN_AFTER_MS) delayMs = FIRST_DELAY_MS;
      events.onDeath(death, delayMs);
      await pause(delayMs);
      delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
      restarts += 1;
    }
  }

  /** Starts the process and returns when it has ended. */
  async function runOnce(
    giveUpAfterMs: number | undefined,
  ): Promise<{ death: Death; output: string; readyForMs: number }> {
    let program: ChildProgram;
    try {
      program = await ChildProgram.launch(options);
    } catch (error) {
      return { death: { notStarted: codeOf(error) }, output: '', readyForMs: 0 };
    }
    current = program;
    // `stop` was called during the launch, when it could not reach the program.
    if (stopped()) program.signal('SIGKILL');
    events.onChange();
    const outcome = await program.waitUntilReady(options.isReady, giveUpAfterMs);
    const readyAt = performance.now();
    if (outcome === 'ready' && !stopped()) announceReady();
    if (outcome === 'timed out' && !stopped()) {
      throw new StartFailure(options.name, 'did not become ready in time', program.output());
    }
    const death = await program.ended;
    current = undefined;
    ready = false;
    events.onChange();
    const readyForMs = outcome === 'ready' ? performance.now() - readyAt : 0;
    return { death, output: program.output(), readyForMs };
  }

  function announceReady(): void {
    ready = true;
    everReady = true;
    firstReady.resolve();
    events.onReady(restarts);
  }

  async function pause(delayMs: number): Promise<void> {
    await delay(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  async function end(): Promise<void> {
    stopping.abort();
    firstReady.reject(new Error(`${options.name} was stopped`));
    await current?.stop();
    await running;
    options.log[Symbol.dispose]();
  }

  return {
    name: options.name,
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

export function describeDeath(death: Death): string {
  if ('notStarted' in death) return `could not be started: ${death.notStarted}`;
  return describeEnding(death);
}
