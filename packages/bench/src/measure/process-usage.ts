import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';

/** Clock ticks per second on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;
const MICROSECONDS_PER_TICK = 1_000_000 / TICKS_PER_SECOND;

/** Whether this machine has /proc. */
export function canMeasureProcesses(): boolean {
  return existsSync('/proc/self/stat');
}

/** CPU time in user and kernel mode of all threads so far, in microseconds. 0 for a process that has ended. */
export function cpuMicroseconds(pid: number): number {
  const [user, system] = statFields(pid).slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) * MICROSECONDS_PER_TICK;
}

/** CPU time of the children of a process that have ended and that it has waited for, in microseconds. */
export function endedChildrenMicroseconds(pid: number): number {
  const [user, system] = statFields(pid).slice(13, 15).map(Number);
  return ((user ?? 0) + (system ?? 0)) * MICROSECONDS_PER_TICK;
}

/**
 * CPU time of a process and everything that it has started, in microseconds. Processes that have ended are counted as
 * far as their parents have waited for them.
 */
export function treeMicroseconds(pid: number): number {
  const stat = readProcessFile(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // User and system time of the process itself, and of its children that have ended.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const children = childProcesses(pid).reduce((sum, child) => sum + treeMicroseconds(child), 0);
  return ticks * MICROSECONDS_PER_TICK + children;
}

export function residentKibibytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProcessFile(pid, 'status'))?.[1] ?? 0);
}

export function openDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

export function childProcesses(pid: number): number[] {
  try {
    // Each thread of a process may have started some of its children.
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readProcessFile(pid, `task/${thread}/children`).split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

export function isRunning(pid: number): boolean {
  const stat = readProcessFile(pid, 'stat');
  const state = stat.charAt(stat.lastIndexOf(')') + 2);
  return state !== '' && state !== 'Z' && state !== 'X';
}

/** CPU time of all processes of the machine so far, in microseconds. */
export function machineMicroseconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + interrupts + softInterrupts) * MICROSECONDS_PER_TICK;
}

/** Processor time that the host of a virtual machine gave to other machines so far, in microseconds. */
export function stolenMicroseconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  return Number(line.split(/\s+/)[8] ?? 0) * MICROSECONDS_PER_TICK;
}

export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly kernel: string;
  readonly node: string;
  readonly loadAverage: number;
}

export function describeMachine(): Machine {
  const processors = cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    kernel: `Linux ${release()}`,
    node: process.version,
    loadAverage: loadavg()[0] ?? 0,
  };
}

/** The fields of /proc/PID/stat after the name: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function statFields(pid: number): string[] {
  const stat = readProcessFile(pid, 'stat');
  // The process name is in brackets and can itself contain brackets and spaces.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProcessFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
