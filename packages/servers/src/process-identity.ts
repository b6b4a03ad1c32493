import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod';

/**
 * Identifies a process uniquely. Pids are reused, so a stored pid may belong to another process later, which has another
 * start time.
 */
export const ProcessIdentity = z.object({ pid: z.int().min(1), started: z.string().min(1) });
export type ProcessIdentity = z.infer<typeof ProcessIdentity>;

/** Undefined if there is no such process. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedElsewhere(pid);
  return started === undefined ? undefined : { pid, started };
}

export function isAlive({ pid, started }: ProcessIdentity): boolean {
  return identify(pid)?.started === started;
}

// Positions in /proc/PID/stat, counted from the field after the command.
const STATE_FIELD = 0;
const START_TIME_FIELD = 19;

/**
 * The id of the boot, and the start time in clock ticks since the boot
 * (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html).
 */
function startedOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in brackets, which may itself contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie process has ended.
    if (fields[STATE_FIELD] === 'Z') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[START_TIME_FIELD]}`;
  } catch {
    return undefined;
  }
}

function startedElsewhere(pid: number): string | undefined {
  try {
    const [state = 'Z', ...started] = execFileSync(
      'ps',
      ['-o', 'stat=,lstart=', '-p', String(pid)],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
      },
    )
      .trim()
      .split(/\s+/);
    return state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}
