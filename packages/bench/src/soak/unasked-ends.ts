import type { StackProcess } from '../programs/sluice-stack.ts';
import type { Fault } from './fault-log.ts';

/** Processes that were started again more often than they were killed or told to stop: `quota (2 times)`. */
export function unaskedEnds(
  processes: readonly Pick<StackProcess, 'name' | 'restarts'>[],
  faults: readonly Pick<Fault, 'name'>[],
): string[] {
  return processes.flatMap(({ name, restarts }) => {
    const asked = faults.filter(
      (fault) => fault.name === `kill ${name}` || fault.name === `restart ${name}`,
    ).length;
    const times = restarts - asked;
    return times > 0 ? [`${name} (${times} ${times === 1 ? 'time' : 'times'})`] : [];
  });
}
