import { writeFileSync } from 'node:fs';

/** A core dump would bring prompts and answers onto a disk: on Linux a process may leave its memory out of it. */
export function dumpNoMemory(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // Another system, or a kernel that dumps nothing.
  }
}
