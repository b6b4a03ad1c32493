/** A real server that belongs to one test file, to be hurt as the test likes. */
export interface OwnServer extends AsyncDisposable {
  readonly url: string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Asks it to end, and waits until it has. */
  terminate(): Promise<void>;
  /** Starts it again at the same address, with the data it had on disk. */
  restart(): Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export type BackendKind = 'docker' | 'local';

/** Where real servers for tests come from. */
export interface Backend {
  readonly kind: BackendKind;
  /** For people: what will run. */
  readonly description: string;
  startRedis(): Promise<OwnServer>;
  startNats(): Promise<OwnServer>;
}
