import { Redis, type RedisOptions } from 'ioredis';

export type SentinelAccess = Pick<
  RedisOptions,
  'host' | 'port' | 'password' | 'tls' | 'connectionName' | 'connectTimeout'
>;

export interface SentinelWatch {
  readonly sentinels: readonly SentinelAccess[];
  /** The name that they know the group by. */
  readonly name: string;
  readonly onNewMaster: (host: string, port: number) => void;
}

const RECONNECT_DELAY_MS = 1_000;

/**
 * A master that was replaced while it was well takes commands for some ten seconds more, and then forgets what
 * it was told. The sentinels say at once that they have chosen another, each for itself. The client could listen to
 * them too, but writes past the log, every second, of each that is away.
 */
export function watchSentinels({ sentinels, name, onNewMaster }: SentinelWatch): Disposable {
  const connections = sentinels.map((options) => {
    const sentinel = new Redis({
      ...options,
      enableReadyCheck: false,
      autoResubscribe: false,
      retryStrategy: () => RECONNECT_DELAY_MS,
    });
    // One that is away is no fault: the others tell too. Where all are, there is no way to a master either.
    sentinel.on('error', ignore);
    sentinel.on('ready', () => void sentinel.subscribe('+switch-master').catch(ignore));
    sentinel.on('message', (_channel: string, text: string) => {
      const [group, _oldHost, _oldPort, host = '', port] = text.split(' ');
      if (group === name) onNewMaster(host, Number(port));
    });
    return sentinel;
  });
  return {
    [Symbol.dispose]: () => {
      for (const sentinel of connections) sentinel.disconnect();
    },
  };
}

function ignore(): void {}
