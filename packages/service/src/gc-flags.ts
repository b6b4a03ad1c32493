import { setFlagsFromString } from 'node:v8';

/**
 * V8 flags that make full garbage collections rare, at the cost of memory. V8 describes them in
 * https://github.com/v8/v8/blob/main/src/flags/flag-definitions.h.
 *
 * `--heap-growing-percent`: a full collection starts when the heap has grown by three times what the last one left. By
 * default, a small heap is collected after a growth of 8 MB, every few seconds under load. The helper threads of the
 * collector then keep the processors busy for some 40 ms. With two processors, this alone determined the 99th
 * percentile of the duration of admissions.
 *
 * `--no-allocation-site-pretenuring`: objects are never allocated in the old generation. By default, V8 does that for
 * the objects of a code location that survived earlier collections. If replies are late for a moment, the objects of
 * pending admissions survive, and V8 does not revise its decision later. From then on, half a kilobyte of each
 * admission was allocated in the old generation, which led to a full collection every second at 70,000 admissions a
 * second.
 *
 * `--memory-reducer-gc-count`: no full collections to give memory back. V8 starts them when a process is idle, but also
 * under load after 100 s without a full collection. The next load would take the memory again. The memory reducer is
 * created before our code runs, so it cannot be switched off here, only limited.
 */
export const RARE_COLLECTIONS = [
  '--heap-growing-percent=300',
  '--no-allocation-site-pretenuring',
  '--memory-reducer-gc-count=0',
] as const;

/** Call this at the start of a process that serves load. */
export function applyGcFlags(): void {
  for (const flag of RARE_COLLECTIONS) setFlagsFromString(flag);
}
