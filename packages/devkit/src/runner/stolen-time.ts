import { readFile } from 'node:fs/promises';

/** Processor time since the start of the system, in ticks. */
export interface ProcessorTime {
  readonly total: number;
  /** Time in which this machine wanted to run, and its host ran another one. */
  readonly stolen: number;
}

/** Undefined where the system does not report it. */
export async function readProcessorTime(): Promise<ProcessorTime | undefined> {
  const text = await readFile('/proc/stat', 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseProcessorTime(text);
}

/**
 * Reads the first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. The fields after steal
 * are guest times, which user and nice include.
 * https://www.kernel.org/doc/html/latest/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat
 */
export function parseProcessorTime(text: string): ProcessorTime | undefined {
  const [name, ...fields] = text.split('\n', 1)[0]?.split(/\s+/) ?? [];
  const ticks = fields.slice(0, 8).map(Number);
  const stolen = ticks[7];
  if (name !== 'cpu' || stolen === undefined || ticks.some(Number.isNaN)) return undefined;
  return { total: ticks.reduce((sum, tick) => sum + tick), stolen };
}

/** The share of the processor time that the host took between two readings. 0 where it is not known. */
export function stolenShare(
  before: ProcessorTime | undefined,
  after: ProcessorTime | undefined,
): number {
  if (before === undefined || after === undefined || after.total <= before.total) return 0;
  return (after.stolen - before.stolen) / (after.total - before.total);
}
