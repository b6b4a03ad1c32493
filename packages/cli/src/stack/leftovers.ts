import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, signalGroup, type ProcessIdentity } from '@sluice/servers';
import { readRunningStack, removeRunningStack } from './running-stack.ts';

const GRACE_MS = 5_000;
const CHECK_EVERY_MS = 20;

/** Ends the processes of a stack whose `up` was killed before it could stop them, such as Redis and NATS. */
export async function stopLeftovers(runningFile: string): Promise<void> {
  // An unreadable record names no process to end, and must not prevent the next start.
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
    await delay(CHECK_EVERY_MS);
  }
}
