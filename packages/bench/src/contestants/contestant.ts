import type { Target } from '../load/load-options.ts';
import type { NodeProcess } from '../measure/collect-garbage.ts';
import type { SimulatorProgram } from '../programs/simulator-program.ts';

export const CONTESTANTS = ['direct', 'nginx', 'portkey', 'sluice'] as const;
export type ContestantName = (typeof CONTESTANTS)[number];

/** A gateway or proxy in front of the runtime, running and reachable. */
export interface Contestant extends AsyncDisposable {
  readonly name: ContestantName;
  /** Name and version of the program. */
  readonly description: string;
  readonly target: Target;
  /** Process ids by name. The process called `gateway` is the one that relays. */
  readonly processes: Readonly<Record<string, readonly number[]>>;
  /** The processes of Node, whose garbage can be collected. */
  readonly nodeProcesses: readonly NodeProcess[];
}

export interface StartContext {
  readonly simulator: SimulatorProgram;
  readonly say: (line: string) => void;
}

/** A contestant cannot run on this machine. The report names it with the reason. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

export type StartContestant = (context: StartContext) => Promise<Contestant>;

export const COMPLETIONS = '/v1/chat/completions';

/** Sent to contestants that need no credential, so that all requests have about the same size. */
export const ANY_CREDENTIAL = `Bearer sk-${'0'.repeat(49)}`;

export function targetOf(url: string, path: string, headers: Record<string, string>): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), path, headers };
}
