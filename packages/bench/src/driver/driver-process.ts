import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A load that runs inside the process of a driver. */
export interface Running<State> {
  /** Counts since the start, and the list entries since the last call. */
  read(): State;
  stop(): Promise<void>;
}

/** The cost of the driver itself. */
export interface DriverCost {
  readonly cpuMicroseconds: number;
  /** 99th percentile of the delay of its timers since the last reading. */
  readonly lateMs: number;
}

export type DriverState<State> = State & DriverCost;

export type DriverCommand<Options> =
  | { readonly id: number; readonly kind: 'start'; readonly options: Options }
  | { readonly id: number; readonly kind: 'read' }
  | { readonly id: number; readonly kind: 'stop' };

export type DriverReply<State> =
  | { readonly id: number; readonly state: DriverState<State> | undefined }
  | { readonly id: number; readonly failure: string };

const NANOSECONDS_PER_MS = 1_000_000;
const RESOLUTION_MS = 5;

/** Turns this process into a driver. It runs the commands of its parent process and ends with it. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the options of a load
export function serveDriver<Options, State extends object>(
  start: (options: Options) => Running<State> | Promise<Running<State>>,
): void {
  const late = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  late.enable();
  let running: Running<State> | undefined;

  function readState(): DriverState<State> | undefined {
    if (running === undefined) return undefined;
    const { user, system } = process.cpuUsage();
    const lateMs = late.count === 0 ? 0 : late.percentile(99) / NANOSECONDS_PER_MS - RESOLUTION_MS;
    late.reset();
    return { ...running.read(), cpuMicroseconds: user + system, lateMs: Math.max(0, lateMs) };
  }

  async function run(command: DriverCommand<Options>): Promise<DriverState<State> | undefined> {
    if (command.kind === 'start') {
      if (running !== undefined) throw new Error('a load is running already');
      running = await start(command.options);
      late.reset();
    }
    const state = readState();
    if (command.kind === 'stop') {
      await running?.stop();
      running = undefined;
    }
    return state;
  }

  process.on('message', (command: DriverCommand<Options>) => {
    const { id } = command;
    void run(command).then(
      (state) => process.send?.({ id, state }),
      (error: unknown) => {
        process.send?.({ id, failure: error instanceof Error ? error.message : 'failed' });
      },
    );
  });
  process.once('disconnect', () => process.exit(0));
}
