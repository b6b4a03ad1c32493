import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { waitUntil } from '../runner/wait-until.ts';

/**
 * Resources that a test file must release, by their names in `process.getActiveResourcesInfo()`. Timers are missing,
 * because the test runner has some of its own.
 */
const WATCHED = new Set([
  'FSEventWrap',
  'HTTPINCOMINGMESSAGE',
  'PipeConnectWrap',
  'PipeServerWrap',
  'PipeWrap',
  'ProcessWrap',
  'StatWatcher',
  'TCPConnectWrap',
  'TCPServerWrap',
  'TCPSocketWrap',
  'TLSWrap',
  'UDPWrap',
  'Worker',
]);

/** Fails a test file that holds more sockets, servers or processes after its last test than before its first one. */
export function useLeakCheck({ timeoutMs = 5_000 }: { timeoutMs?: number } = {}): void {
  let before: OpenResources | undefined;
  beforeAll(() => {
    // Node opens a standard stream at the first access and never closes it. All are opened here, so that a test that
    // opens one does not count as a leak. `listenerCount` is called only because the access needs an expression.
    for (const stream of [process.stdin, process.stdout, process.stderr]) {
      stream.listenerCount('error');
    }
    before = openResources();
  });
  afterAll(async () => {
    const known = before;
    if (known === undefined) return;
    let leaked: string[] = [];
    try {
      await waitUntil(
        () => {
          leaked = openedSince(known, openResources());
          return leaked.length === 0;
        },
        { what: 'all resources to be released', timeoutMs },
      );
    } catch (cause) {
      throw new Error(`still held after the last test: ${leaked.join(', ')}`, { cause });
    }
  });
}

interface OpenResources {
  readonly resources: ReadonlyMap<string, number>;
  readonly children: ReadonlyMap<number, string>;
}

function openResources(): OpenResources {
  const resources = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) {
    if (WATCHED.has(name)) resources.set(name, (resources.get(name) ?? 0) + 1);
  }
  return { resources, children: childProcesses(process.pid) };
}

function openedSince(before: OpenResources, now: OpenResources): string[] {
  const more: string[] = [];
  for (const [name, count] of now.resources) {
    const extra = count - (before.resources.get(name) ?? 0);
    if (extra > 0) more.push(`${extra} ${name}`);
  }
  for (const [pid, command] of now.children) {
    if (!before.children.has(pid)) more.push(`process ${pid} (${command})`);
  }
  return more;
}

/** The living children of a process, by pid, with their commands. */
function childProcesses(parent: number): Map<number, string> {
  const children = new Map<number, string>();
  for (const { pid, parentPid, state, command } of process.platform === 'linux'
    ? processesInProc()
    : processesFromPs()) {
    // A zombie has ended, and its parent has not read the exit code yet.
    if (parentPid === parent && !state.startsWith('Z')) children.set(pid, command);
  }
  return children;
}

interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly state: string;
  readonly command: string;
}

/** Reads /proc, because a minimal Linux has no `ps`. */
function* processesInProc(): Generator<ProcessEntry> {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The command is in brackets and may contain spaces and brackets.
      const end = stat.lastIndexOf(')');
      const [state = '', parentPid = ''] = stat.slice(end + 2).split(' ');
      const command = stat.slice(stat.indexOf('(') + 1, end);
      yield { pid: Number(name), parentPid: Number(parentPid), state, command };
    } catch {
      // The process ended while its files were read.
    }
  }
}

function* processesFromPs(): Generator<ProcessEntry> {
  const listing = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,comm='], { encoding: 'utf8' });
  for (const line of listing.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    // `ps` itself is a child process too.
    if (match === null || match[4] === 'ps') continue;
    const [, pid, parentPid, state = '', command = ''] = match;
    yield { pid: Number(pid), parentPid: Number(parentPid), state, command };
  }
}
