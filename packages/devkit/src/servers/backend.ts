/** A real server for one test file alone, which the test may kill, freeze and restart. */
export interface OwnServer extends AsyncDisposable {
  readonly url: string;
  /** Kills the server, like a crash. */
  kill(): Promise<void>;
  /** Asks the server to end, and waits until it has ended. */
  terminate(): Promise<void>;
  /** Starts the server again at the same address, with its data on disk. */
  restart(): Promise<void>;
  /** Freezes the server. Its connections stay open, and it does not answer. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export type BackendKind = 'docker' | 'local';

/** A way to run the real servers of tests. */
export interface Backend {
  readonly kind: BackendKind;
  /** Describes what runs, for the output of the tests. */
  readonly description: string;
  startRedis(): Promise<OwnServer>;
  startNats(): Promise<OwnServer>;
}
