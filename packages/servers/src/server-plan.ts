import type { BackingKind, ServerProgram } from './backing-source.ts';

/** How to run a server, and how to recognize it. The plan itself starts nothing. */
export interface ServerPlan {
  readonly kind: BackingKind;
  readonly url: string;
  readonly port: number;
  readonly program: string;
  readonly parameters: readonly string[];
  /** Whether the server on the port answers and is the one that was started with this pid. */
  readonly answers: (pid: number) => Promise<boolean>;
  /** A command that kills the server if signals to the process do not reach it. */
  readonly killCommand: readonly string[] | undefined;
}

export interface PlanOptions {
  readonly program: ServerProgram;
  /** The absolute path of the folder with the data that must survive a restart. */
  readonly dataFolder: string;
  readonly port: number;
  /** Settings in addition to the shipped ones, by the server's own names. */
  readonly settings?: Readonly<Record<string, string>>;
}
