import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { GeneratorCommand, GeneratorReply, LoadState } from './load-order.ts';
import { RunningLoad } from './running-load.ts';

/** The process that makes the load: it obeys the one that started it, and ends with it. */

const NANOSECONDS = 1_000_000;
const RESOLUTION_MS = 5;
const late = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
late.enable();
let load: RunningLoad | undefined;

process.on('message', (command: GeneratorCommand) => {
  void obey(command).then((state) => {
    const reply: GeneratorReply = { id: command.id, state };
    process.send?.(reply);
  });
});
process.once('disconnect', () => process.exit(0));

async function obey(command: GeneratorCommand): Promise<LoadState> {
  if (command.kind === 'start') {
    if (load !== undefined) throw new Error('a load is running already');
    load = new RunningLoad(command.order);
    late.reset();
  }
  const state = look();
  if (command.kind === 'stop') {
    await load?.stop();
    load = undefined;
  }
  return state;
}

function look(): LoadState {
  const { user, system } = process.cpuUsage();
  const lateMs = late.count === 0 ? 0 : late.percentile(99) / NANOSECONDS - RESOLUTION_MS;
  late.reset();
  return {
    sent: load?.sent ?? 0,
    completed: load?.completed ?? 0,
    failed: load?.failed ?? 0,
    failures: { ...load?.failures },
    events: load?.events ?? 0,
    begun: load?.begun ?? 0,
    open: load?.open ?? 0,
    firstTokenMs: load?.takeFirstTokens() ?? [],
    latencyMs: load?.takeLatencies() ?? [],
    cpuMicroseconds: user + system,
    lateMs: Math.max(0, lateMs),
  };
}
