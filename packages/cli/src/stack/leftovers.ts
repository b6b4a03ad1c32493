import { setTimeout as delay } from 'node:timers/promises';
import { signalGroup } from './launch.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import { readRunningStack, removeRunningStack } from './running-stack.ts';

const GRACE_MS = 5_000;
const LOOK_EVERY_MS = 20;

/** Ends what a stack left behind whose `up` was killed and could not: Redis and NATS above all. */
export async function stopLeftovers(runningFile: string): Promise<void> {
  // What cannot be read names nobody to end, and must not keep the next stack from starting.
  const stack = await readRunningStack(runningFile).catch(() => undefined);
  if (stack !== undefined) {
    await Promise.all(
      stack.services.map(async ({ process }) => process !== null && endProcess(process)),
    );
  }
  await removeRunningStack(runningFile);
}

async function endProcess(identity: ProcessIdentity): Promise<void> {
  if (!isAlive(identity)) return;
  signalGroup(identity.pid, 'SIGTERM');
  const killAt = performance.now() + GRACE_MS;
  while (isAlive(identity)) {
    if (performance.now() >= killAt) signalGroup(identity.pid, 'SIGKILL');
    await delay(LOOK_EVERY_MS);
  }
}
