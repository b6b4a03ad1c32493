import {
  DEFAULT_CATALOG_BUCKET,
  DEFAULT_SUBJECT_PREFIX,
  subjectsUnder,
  workerName,
} from './subjects.ts';

/**
 * What each user may do on a NATS server that checks permissions. The shipped configurations and the table in the
 * documentation are generated from this, and tests compare them with it.
 *
 * There are two accounts, because permissions alone are not enough. JetStream publishes an acknowledgement to the reply
 * subject of the message, without checking that the sender may publish there. A user that may only publish records
 * could name `$JS.API.STREAM.PURGE.…` or a key of the catalog's bucket as the reply subject. In an account without
 * JetStream, these subjects lead nowhere.
 */
export interface BusUser {
  /** `STORE` has JetStream. `BUS` stores nothing. */
  readonly account: BusAccount;
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

export type BusAccount = 'STORE' | 'BUS';

/** A subject that one account exports and the other imports. For a `service`, replies pass back as well. */
export interface SharedSubject {
  readonly kind: 'service' | 'stream';
  readonly subject: string;
  readonly from: BusAccount;
  readonly to: BusAccount;
}

interface BusDeployment {
  readonly prefix?: string;
  readonly bucket?: string;
  readonly pools?: readonly string[];
}

const DEFAULT_POOL = 'default';

export function busUsers({
  prefix = DEFAULT_SUBJECT_PREFIX,
  bucket = DEFAULT_CATALOG_BUCKET,
  pools = [DEFAULT_POOL],
}: BusDeployment = {}): Readonly<Record<string, BusUser>> {
  const subjects = subjectsUnder(prefix);
  const inboxOf = (owner: string) => `${subjects.inbox(owner)}.>`;
  const workers = pools.map((pool): [string, BusUser] => [
    `worker-${pool}`,
    {
      account: 'BUS',
      publish: [
        subjects.delta('*', '*'),
        subjects.fleet(pool),
        subjects.outcomes.subject({ kind: 'attempt', organization: '*' }),
        // Acknowledges the control messages of gateways.
        inboxOf('gateway'),
      ],
      subscribe: [
        subjects.job(workerName(pool, '*')),
        subjects.control(workerName(pool, '*')),
        subjects.leases(),
        inboxOf(`worker.${pool}`),
      ],
    },
  ]);
  const catalogStream = `KV_${bucket}`;
  const ledgerStreams = subjects.ledger.map(({ stream }) => stream);
  return {
    gateway: {
      account: 'BUS',
      publish: [
        subjects.job(workerName('*', '*')),
        subjects.control(workerName('*', '*')),
        subjects.lease('*'),
        subjects.outcomes.subject({ kind: 'request', organization: '*' }),
        subjects.refusals.subject({ organization: '*' }),
        // Answers workers that ask whether the gateway is alive.
        inboxOf('worker'),
      ],
      subscribe: [
        subjects.delta('*', '*'),
        subjects.fleets(),
        subjects.catalogChanged(),
        inboxOf('gateway'),
      ],
    },
    ...Object.fromEntries(workers),
    catalog: {
      account: 'STORE',
      publish: [
        subjects.catalogChanged(),
        `$KV.${bucket}.>`,
        '$JS.API.INFO',
        ...[catalogStream, ...ledgerStreams].flatMap((stream) =>
          ['INFO', 'CREATE', 'UPDATE'].map((call) => `$JS.API.STREAM.${call}.${stream}`),
        ),
        `$JS.API.STREAM.MSG.GET.${catalogStream}`,
        ...consumerSubjects(catalogStream),
      ],
      subscribe: [inboxOf('catalog')],
    },
    usage: {
      account: 'STORE',
      publish: [
        '$JS.API.INFO',
        ...ledgerStreams.flatMap((stream) => [
          `$JS.API.STREAM.INFO.${stream}`,
          `$JS.API.STREAM.MSG.GET.${stream}`,
          ...consumerSubjects(stream),
        ]),
      ],
      subscribe: [inboxOf('usage')],
    },
    console: {
      account: 'BUS',
      publish: [subjects.control(workerName('*', '*'))],
      subscribe: [subjects.fleets(), inboxOf('console')],
    },
    operator: {
      account: 'STORE',
      publish: [
        '$JS.API.INFO',
        ...ledgerStreams.flatMap((stream) => [
          `$JS.API.STREAM.INFO.${stream}`,
          ...consumerSubjects(stream),
        ]),
        subjects.control(workerName('*', '*')),
      ],
      subscribe: [subjects.fleets(), inboxOf('operator')],
    },
  };
}

/** The API subjects to create a consumer of a stream, read from it and delete it. */
function consumerSubjects(stream: string): string[] {
  return ['CREATE', 'INFO', 'DELETE', 'MSG.NEXT'].map(
    (call) => `$JS.API.CONSUMER.${call}.${stream}.>`,
  );
}

export function sharedSubjects({
  prefix = DEFAULT_SUBJECT_PREFIX,
}: Pick<BusDeployment, 'prefix'> = {}): readonly SharedSubject[] {
  const subjects = subjectsUnder(prefix);
  const { outcomes, refusals } = subjects;
  const outcomeKinds = ['request', 'attempt'] as const;
  return [
    ...outcomeKinds.map((kind) => outcomes.subject({ kind, organization: '*' })),
    refusals.subject({ organization: '*' }),
  ]
    .map((subject): SharedSubject => ({ kind: 'service', subject, from: 'STORE', to: 'BUS' }))
    .concat([
      { kind: 'stream', subject: subjects.catalogChanged(), from: 'STORE', to: 'BUS' },
      { kind: 'stream', subject: subjects.fleets(), from: 'BUS', to: 'STORE' },
      // Drains. The heartbeat acknowledges them, so no reply has to pass back.
      { kind: 'stream', subject: subjects.control(workerName('*', '*')), from: 'STORE', to: 'BUS' },
    ]);
}

interface ServerAccount {
  readonly jetstream?: 'enabled';
  readonly users: readonly {
    readonly user: string;
    readonly password: string;
    readonly permissions: Pick<BusUser, 'publish' | 'subscribe'>;
  }[];
  readonly exports: readonly object[];
  readonly imports: readonly object[];
}

/** The `accounts` section of a NATS server configuration with these users. */
export function serverAccounts(
  users: Readonly<Record<string, BusUser>>,
  shared: readonly SharedSubject[],
  passwordOf: (user: string) => string,
): Record<BusAccount, ServerAccount> {
  const account = (name: BusAccount): ServerAccount => ({
    ...(name === 'STORE' && { jetstream: 'enabled' as const }),
    users: Object.entries(users)
      .filter(([, user]) => user.account === name)
      .map(([user, { publish, subscribe }]) => ({
        user,
        password: passwordOf(user),
        permissions: { publish, subscribe },
      })),
    exports: shared
      .filter(({ from }) => from === name)
      .map(({ kind, subject, to }) => ({ [kind]: subject, accounts: [to] })),
    imports: shared
      .filter(({ to }) => to === name)
      .map(({ kind, subject, from }) => ({ [kind]: { account: from, subject } })),
  });
  return { STORE: account('STORE'), BUS: account('BUS') };
}

/** The environment variable from which the shipped configurations read a user's password. */
export function passwordVariable(user: string): string {
  return `NATS_${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
}
