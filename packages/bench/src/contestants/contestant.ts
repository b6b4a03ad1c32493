import type { Target } from '../load/load-order.ts';
import type { NodeProcess } from '../measure/collect-garbage.ts';
import type { SimulatorProgram } from '../programs/simulator-program.ts';

export const CONTESTANTS = ['direct', 'nginx', 'portkey', 'sluice'] as const;
export type ContestantName = (typeof CONTESTANTS)[number];

/** One thing to stand in front of the runtime, running and reachable. */
export interface Contestant extends AsyncDisposable {
  readonly name: ContestantName;
  /** What exactly runs, with its version. */
  readonly description: string;
  readonly target: Target;
  /** Processes by name; the one called `gateway` is what relays. */
  readonly processes: Readonly<Record<string, readonly number[]>>;
  /** Those of them that collect garbage. */
  readonly nodeProcesses: readonly NodeProcess[];
}

export interface StartContext {
  readonly simulator: SimulatorProgram;
  readonly say: (line: string) => void;
}

/** A contestant that cannot run here, and why: it is named in the report, never dropped. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

export type StartContestant = (context: StartContext) => Promise<Contestant>;

export const COMPLETIONS = '/v1/chat/completions';

/** Every contestant gets a credential, so that all requests have about the same size. */
export const ANY_CREDENTIAL = `Bearer sk-${'0'.repeat(49)}`;

export function targetOf(url: string, path: string, headers: Record<string, string>): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), path, headers };
}
