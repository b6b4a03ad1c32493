import type { StackProcess } from '../programs/sluice-stack.ts';
import type { Fault } from './fault-log.ts';

/**
 * Names the processes that ended by themselves, which means more often than because of faults, for example `quota (2
 * times)`.
 */
export function unexpectedEnds(
  processes: readonly Pick<StackProcess, 'name' | 'restarts'>[],
  faults: readonly Pick<Fault, 'name'>[],
): string[] {
  return processes.flatMap(({ name, restarts }) => {
    const byFaults = faults.filter(
      (fault) => fault.name === `kill ${name}` || fault.name === `restart ${name}`,
    ).length;
    const times = restarts - byFaults;
    return times > 0 ? [`${name} (${times} ${times === 1 ? 'time' : 'times'})`] : [];
  });
}
