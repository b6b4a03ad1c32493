import type { BackingKind, ServerProgram } from './backing-source.ts';

/** How one server is run and recognised: everything but running it. */
export interface ServerPlan {
  readonly kind: BackingKind;
  readonly url: string;
  readonly port: number;
  readonly program: string;
  readonly parameters: readonly string[];
  /** Whether the server answers there now, and is the one that was started as this process. */
  readonly answers: (pid: number) => Promise<boolean>;
  /** What ends it when signals to the process do not reach it. */
  readonly killCommand: readonly string[] | undefined;
}

export interface PlanOptions {
  readonly program: ServerProgram;
  /** Absolute; what must survive a restart lies here. */
  readonly dataFolder: string;
  readonly port: number;
  /** Settings beyond the shipped ones, in the server's own words. */
  readonly settings?: Readonly<Record<string, string>>;
}
