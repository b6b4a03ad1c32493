import { Redis, type RedisOptions } from 'ioredis';

export type SentinelAccess = Pick<
  RedisOptions,
  'host' | 'port' | 'password' | 'tls' | 'connectionName' | 'connectTimeout'
>;

export interface SentinelWatch {
  readonly sentinels: readonly SentinelAccess[];
  /** The name of the master group in the configuration of the sentinels. */
  readonly name: string;
  readonly onNewMaster: (change: MasterChange) => void;
}

/** A failover from one server to another. */
export interface MasterChange {
  readonly from: ServerAddress;
  readonly to: ServerAddress;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * A sentinel publishes on the channel `PROMOTED` when it has promoted a replica. It publishes on `SWITCHED` when it has
 * reconfigured the other replicas, which can be a second or more later.
 * https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/#pubsub-messages
 */
const PROMOTED = '+failover-state-wait-promotion';
const SWITCHED = '+switch-master';

const RECONNECT_DELAY_MS = 1_000;

/**
 * Subscribes to the failover messages of the sentinels. After a failover on demand, the old master accepts commands for
 * about ten more seconds, and all these writes are lost. The sentinel that starts the failover publishes it at once.
 * The `failoverDetector` of ioredis subscribes too, but prints a message to the console each second while a sentinel
 * cannot be reached.
 * https://github.com/redis/ioredis/blob/v6.0.0/lib/connectors/SentinelConnector/FailoverDetector.ts
 */
export function watchSentinels({ sentinels, name, onNewMaster }: SentinelWatch): Disposable {
  const connections = sentinels.map((options) => {
    const sentinel = new Redis({
      ...options,
      enableReadyCheck: false,
      autoResubscribe: false,
      retryStrategy: () => RECONNECT_DELAY_MS,
    });
    // An unreachable sentinel does no harm, because the other sentinels publish too. If no sentinel can be reached, the
    // Redis client logs it.
    sentinel.on('error', ignore);
    sentinel.on('ready', () => {
      // Separate commands, because the ACL may allow only one of the channels.
      for (const channel of [PROMOTED, SWITCHED]) sentinel.subscribe(channel).catch(ignore);
    });
    sentinel.on('message', (channel: string, text: string) => {
      const { group, ...change } = channel === PROMOTED ? readPromoted(text) : readSwitched(text);
      if (group === name) onNewMaster(change);
    });
    return sentinel;
  });
  return {
    [Symbol.dispose]: () => {
      for (const sentinel of connections) sentinel.disconnect();
    },
  };
}

interface GroupChange extends MasterChange {
  readonly group: string | undefined;
}

function readSwitched(text: string): GroupChange {
  const [group, fromHost, fromPort, toHost, toPort] = text.split(' ');
  return { group, from: addressOf(fromHost, fromPort), to: addressOf(toHost, toPort) };
}

/** The format is `slave NAME HOST PORT @ GROUP HOST PORT`. The last HOST and PORT are those of the old master. */
function readPromoted(text: string): GroupChange {
  const [_role, _name, toHost, toPort, _at, group, fromHost, fromPort] = text.split(' ');
  return { group, from: addressOf(fromHost, fromPort), to: addressOf(toHost, toPort) };
}

function addressOf(host = '', port = ''): ServerAddress {
  return { host, port: Number(port) };
}

function ignore(): void {}
