import { subjectsUnder, type Subjects } from '@sluice/contracts';

export const USERS = [
  'gateway',
  'worker-default',
  'catalog',
  'usage',
  'console',
  'operator',
] as const;
export type User = (typeof USERS)[number];

/** A subject with the users that may publish to it and those that may subscribe to it. All other users may not. */
export interface Probe {
  readonly subject: string;
  readonly publish: readonly User[];
  readonly subscribe: readonly User[];
}

const subjects = subjectsUnder('sluice');
const probe = (
  subject: string,
  publish: readonly User[] = [],
  subscribe: readonly User[] = [],
): Probe => ({ subject, publish, subscribe });

const STREAM_CALLS = [
  'STREAM.INFO',
  'STREAM.CREATE',
  'STREAM.UPDATE',
  'STREAM.DELETE',
  'STREAM.PURGE',
  'STREAM.MSG.GET',
  'STREAM.MSG.DELETE',
  'STREAM.SNAPSHOT',
  'STREAM.RESTORE',
  'STREAM.PEER.REMOVE',
  'STREAM.LEADER.STEPDOWN',
  'CONSUMER.NAMES',
  'CONSUMER.LIST',
  'DIRECT.GET',
] as const;
const CONSUMER_CALLS = [
  'CONSUMER.CREATE',
  'CONSUMER.DURABLE.CREATE',
  'CONSUMER.INFO',
  'CONSUMER.DELETE',
  'CONSUMER.PAUSE',
  'CONSUMER.RESET',
  'CONSUMER.UNPIN',
  'CONSUMER.MSG.NEXT',
  'CONSUMER.LEADER.STEPDOWN',
] as const;
type Call = (typeof STREAM_CALLS)[number] | (typeof CONSUMER_CALLS)[number];

function callsOf(stream: string, allowed: Partial<Record<Call, readonly User[]>> = {}): Probe[] {
  return [
    ...STREAM_CALLS.map((call) => probe(`$JS.API.${call}.${stream}`, allowed[call])),
    ...CONSUMER_CALLS.map((call) => probe(`$JS.API.${call}.${stream}.one`, allowed[call])),
  ];
}

/** Every subject of the registry. A new subject must be added here. */
const OF_SUBJECTS: Readonly<Record<keyof Subjects, readonly Probe[]>> = {
  job: [
    probe(subjects.job('default.one'), ['gateway'], ['worker-default']),
    probe(subjects.job('default.*'), [], ['worker-default']),
    probe(subjects.job('other.one'), ['gateway']),
    probe(subjects.job('*.*')),
    probe(subjects.job('>')),
    // A job subject from before each pool had its own users.
    probe(subjects.job('one')),
  ],
  control: [
    probe(subjects.control('default.one'), ['gateway', 'console', 'operator'], ['worker-default']),
    probe(subjects.control('default.*'), [], ['worker-default']),
    probe(subjects.control('other.one'), ['gateway', 'console', 'operator']),
    probe(subjects.control('*.*')),
  ],
  delta: [
    probe(subjects.delta('one', 'request-1'), ['worker-default'], ['gateway']),
    probe(subjects.delta('*', '*'), [], ['gateway']),
    probe('sluice.delta.>'),
  ],
  deltas: [probe(subjects.deltas('one'), [], ['gateway'])],
  fleet: [
    probe(subjects.fleet('default'), ['worker-default'], ['gateway', 'console', 'operator']),
    probe(subjects.fleet('other'), [], ['gateway', 'console', 'operator']),
  ],
  fleets: [probe(subjects.fleets(), [], ['gateway', 'console', 'operator'])],
  lease: [probe(subjects.lease('one'), ['gateway'], ['worker-default'])],
  leases: [probe(subjects.leases(), [], ['worker-default'])],
  inbox: [
    probe(`${subjects.inbox('gateway')}.one.two`, ['worker-default'], ['gateway']),
    probe(`${subjects.inbox('worker.default')}.one.two`, ['gateway'], ['worker-default']),
    probe(`${subjects.inbox('worker.other')}.one.two`, ['gateway']),
    probe(`${subjects.inbox('catalog')}.one.two`, [], ['catalog']),
    probe(`${subjects.inbox('usage')}.one.two`, [], ['usage']),
    probe(`${subjects.inbox('operator')}.one.two`, [], ['operator']),
    probe(`${subjects.inbox('console')}.one.two`, [], ['console']),
    probe(`${subjects.inbox('worker')}.>`),
    probe(subjects.inbox('>')),
  ],
  catalogChanged: [probe(subjects.catalogChanged(), ['catalog'], ['gateway'])],
  outcomes: [
    probe(subjects.outcomes.subject({ kind: 'request', organization: 'acme' }), ['gateway']),
    probe(subjects.outcomes.subject({ kind: 'attempt', organization: 'acme' }), ['worker-default']),
    probe(subjects.outcomes.subjects()),
    probe(subjects.outcomes.subjects('acme')),
  ],
  refusals: [
    probe(subjects.refusals.subject({ organization: 'acme' }), ['gateway']),
    probe(subjects.refusals.subjects()),
  ],
  ledger: subjects.ledger.flatMap(({ stream }) => [
    ...callsOf(stream, {
      'STREAM.INFO': ['catalog', 'usage', 'operator'],
      'STREAM.CREATE': ['catalog'],
      'STREAM.UPDATE': ['catalog'],
      'STREAM.MSG.GET': ['usage'],
      'CONSUMER.CREATE': ['usage', 'operator'],
      'CONSUMER.INFO': ['usage', 'operator'],
      'CONSUMER.DELETE': ['usage', 'operator'],
      'CONSUMER.MSG.NEXT': ['usage', 'operator'],
    }),
  ]),
};

/** Subjects of the server and its streams, and subjects that belong to other clients. */
const OF_THE_SERVER: readonly Probe[] = [
  ...callsOf('KV_sluice-catalog', {
    'STREAM.INFO': ['catalog'],
    'STREAM.CREATE': ['catalog'],
    'STREAM.UPDATE': ['catalog'],
    'STREAM.MSG.GET': ['catalog'],
    'CONSUMER.CREATE': ['catalog'],
    'CONSUMER.INFO': ['catalog'],
    'CONSUMER.DELETE': ['catalog'],
    'CONSUMER.MSG.NEXT': ['catalog'],
  }),
  ...callsOf('another'),
  probe('$KV.sluice-catalog.key', ['catalog']),
  probe('$KV.another.key'),
  probe('$JS.API.INFO', ['catalog', 'usage', 'operator']),
  ...[
    '$JS.API.STREAM.NAMES',
    '$JS.API.STREAM.LIST',
    '$JS.API.META.LEADER.STEPDOWN',
    '$JS.API.SERVER.REMOVE',
    '$JS.API.ACCOUNT.PURGE.STORE',
    '$JS.ACK.sluice-ledger.one.1.1.1.1.0',
    '$JS.FC.sluice-ledger.one',
    '$SYS.REQ.SERVER.PING',
    '$SYS.REQ.ACCOUNT.PING.CONNZ',
    '$SYS.REQ.USER.INFO',
    '_INBOX.one',
    'another.job.default.one',
    'anything',
  ].map((subject) => probe(subject)),
  ...['>', '*', 'sluice.>', '_INBOX.>', '$JS.>', '$JS.API.>', '$JS.EVENT.>', '$KV.>', '$SYS.>'].map(
    (subject) => probe(subject),
  ),
];

export const PROBES: readonly Probe[] = [...Object.values(OF_SUBJECTS).flat(), ...OF_THE_SERVER];
