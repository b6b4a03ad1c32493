import { Redis, type RedisOptions } from 'ioredis';

export type SentinelAccess = Pick<
  RedisOptions,
  'host' | 'port' | 'password' | 'tls' | 'connectionName' | 'connectTimeout'
>;

export interface SentinelWatch {
  readonly sentinels: readonly SentinelAccess[];
  /** The name that they know the group by. */
  readonly name: string;
  readonly onNewMaster: (change: MasterChange) => void;
}

/** A server that takes the place of another. */
export interface MasterChange {
  readonly from: ServerAddress;
  readonly to: ServerAddress;
}

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * What a sentinel says when it has made a replica the master, and when it has told the other replicas. A second or
 * more may lie between the two. https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/#pubsub-messages
 */
const PROMOTED = '+failover-state-wait-promotion';
const SWITCHED = '+switch-master';

const RECONNECT_DELAY_MS = 1_000;

/**
 * A master that was replaced while it was well takes commands for some ten seconds more, and then forgets what
 * it was told. The sentinel that replaces it says so at once, and the others when they have heard of it. The client could listen to
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
    sentinel.on('ready', () => {
      // One by one: a user may have the right to only one of them.
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

/** As sentinels name a replica: `slave NAME HOST PORT @ GROUP HOST PORT`, its master's at the end. */
function readPromoted(text: string): GroupChange {
  const [_role, _name, toHost, toPort, _at, group, fromHost, fromPort] = text.split(' ');
  return { group, from: addressOf(fromHost, fromPort), to: addressOf(toHost, toPort) };
}

function addressOf(host = '', port = ''): ServerAddress {
  return { host, port: Number(port) };
}

function ignore(): void {}
