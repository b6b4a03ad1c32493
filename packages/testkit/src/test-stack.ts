export interface StackOptions {
  readonly gateways?: number;
  readonly catalogs?: number;
  readonly quotas?: number;
  readonly workers?: number;
  readonly runtimes?: readonly string[];
  /** A state folder to use and to leave; otherwise one is made and removed. */
  readonly state?: string;
  /** Settings for the services, by the names of their environment variables. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A process of the stack as it is at this moment. */
export interface StackService {
  readonly name: string;
  /** Null while it is being started again. */
  readonly pid: number | null;
  readonly url: string;
  readonly healthUrl: string | null;
  /** It serves, and after a restart so does the whole stack again. */
  readonly ready: boolean;
  readonly restarts: number;
}

/** A whole stack of real processes. Disposing of it stops them all and makes sure of it. */
export interface TestStack extends AsyncDisposable {
  /** The first gateway, without and with the path of the API. */
  readonly baseUrl: string;
  readonly apiRoot: string;
  readonly apiKey: string;
  readonly models: readonly string[];
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly quotaAddress: string;
  readonly catalogAddress: string;
  readonly adminAddress: string;
  /** The admin port of every catalog. */
  readonly adminAddresses: readonly string[];
  readonly adminToken: string;
  readonly state: string;
  /** The folder with a log of each process. */
  readonly logs: string;
  /** The process that watches over the others. */
  readonly pid: number;
  services(): Promise<StackService[]>;
  service(name: string): Promise<StackService>;
  /** Sends a signal to a process of the stack, and to that alone. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Waits until a process that was killed is another one, and requests get through again. */
  restarted(before: StackService): Promise<StackService>;
  /** Stops everything and gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}
