/** A counter and a histogram are told what happens; the other two are asked when it is time to export. */
type MetricKind = 'counter' | 'histogram' | 'observed counter' | 'gauge';

interface MetricDescription {
  readonly kind: MetricKind;
  /** In UCUM. */
  readonly unit: string;
  readonly description: string;
  /**
   * All that a value may be told apart by. Each has few values: words of our own, and models of the catalog.
   * Never an organization, a key or a request, of which there is no end, and never content.
   */
  readonly attributes: readonly string[];
  /** Bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/**
 * A wait that runs out ends a moment after QUEUE_TIMEOUT_MS, 30 s unless set. With a bound at 30 and the next at 60,
 * quantiles would guess waits of nearly a minute, which nobody had.
 */
const QUEUE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 25, 31, 60, 120, 300, 600,
];
/** Close together around 1, where the estimate is right. */
const RATIOS = [0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.35, 1.5, 2, 3, 5, 10];

/** Every metric that there is. Exporters to Prometheus write the dots as underscores. */
export const METRICS = {
  'sluice.gateway.requests': {
    kind: 'counter',
    unit: '{request}',
    description: 'Requests whose reply is out, or whose client is gone.',
    attributes: ['operation', 'outcome', 'status', 'code', 'model'],
  },
  'sluice.gateway.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'From the first byte of a request to the last of its reply.',
    attributes: ['operation', 'outcome', 'model', 'stream'],
    buckets: SECONDS,
  },
  'sluice.gateway.first_token.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'From the first byte of a request to the first piece of its streamed answer.',
    attributes: ['model'],
    buckets: SECONDS,
  },
  'sluice.gateway.tokens': {
    kind: 'counter',
    unit: '{token}',
    description: 'Tokens of finished answers, as their runtimes counted them.',
    attributes: ['model', 'kind'],
  },
  'sluice.gateway.admissions': {
    kind: 'counter',
    unit: '{request}',
    description: 'Decisions of the limiter, with the limit that refused.',
    attributes: ['outcome', 'limit'],
  },
  'sluice.gateway.input_estimate.ratio': {
    kind: 'histogram',
    unit: '1',
    description: 'Input tokens as estimated for admission, divided by those the runtime counted.',
    attributes: ['model'],
    buckets: RATIOS,
  },
  'sluice.gateway.attempts': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Jobs offered to workers, by how that ended.',
    attributes: ['end', 'reason'],
  },
  'sluice.gateway.retries': {
    kind: 'counter',
    unit: '{request}',
    description: 'Jobs that failed before their first piece and were given to another worker.',
    attributes: ['cause'],
  },
  'sluice.gateway.unserved': {
    kind: 'counter',
    unit: '{request}',
    description:
      'Requests that no worker took: none served their model, none had room, or no runtime of the pool has the model.',
    attributes: ['reason', 'model'],
  },
  'sluice.gateway.open_connections': {
    kind: 'gauge',
    unit: '{connection}',
    description: 'Connections of clients, idle ones included.',
    attributes: [],
  },
  'sluice.gateway.dropped_connections': {
    kind: 'counter',
    unit: '{connection}',
    description:
      'Connections closed at once: over MAX_CONNECTIONS, or with too many requests waiting.',
    attributes: ['reason'],
  },
  'sluice.gateway.open_requests': {
    kind: 'gauge',
    unit: '{request}',
    description: 'Requests that are not answered in full.',
    attributes: [],
  },
  'sluice.gateway.open_streams': {
    kind: 'gauge',
    unit: '{stream}',
    description: 'Streamed answers under way.',
    attributes: [],
  },
  'sluice.gateway.running_jobs': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs that are offered, queued or running.',
    attributes: [],
  },
  'sluice.gateway.workers': {
    kind: 'gauge',
    unit: '{worker}',
    description: 'Workers that this gateway has heard of within a minute.',
    attributes: [],
  },
  'sluice.contract.mismatches': {
    kind: 'counter',
    unit: '{message}',
    description: 'Messages of another contract version, or of a shape that could not be read.',
    attributes: ['message', 'fault'],
  },
  'sluice.ledger.stored': {
    kind: 'observed counter',
    unit: '{record}',
    description: 'Records that the ledger has acknowledged.',
    attributes: ['kind'],
  },
  'sluice.ledger.lost': {
    kind: 'observed counter',
    unit: '{record}',
    description: 'Records that were given up.',
    attributes: ['kind'],
  },
  'sluice.ledger.pending': {
    kind: 'gauge',
    unit: '{record}',
    description: 'Records that are not known to be stored.',
    attributes: ['kind'],
  },
  'sluice.quota.decisions': {
    kind: 'observed counter',
    unit: '{request}',
    description: 'Admissions decided by this replica.',
    attributes: ['outcome'],
  },
  'sluice.quota.store.failures': {
    kind: 'counter',
    unit: '{call}',
    description: 'Calls that the store did not answer, or answered with an error.',
    attributes: ['about'],
  },
  'sluice.quota.store.usable': {
    kind: 'gauge',
    unit: '1',
    description: '1 while the store answers, 0 while it, or a master of a cluster, does not.',
    attributes: [],
  },
  'sluice.quota.unanswered': {
    kind: 'gauge',
    unit: '{request}',
    description: 'Admissions that wait for a decision.',
    attributes: [],
  },
  'sluice.catalog.answers': {
    kind: 'counter',
    unit: '{call}',
    description: 'Questions of gateways.',
    attributes: ['call', 'outcome'],
  },
  'sluice.catalog.changes': {
    kind: 'counter',
    unit: '{change}',
    description: 'Changes made through this replica.',
    attributes: ['kind', 'action'],
  },
  'sluice.catalog.admin_refusals': {
    kind: 'counter',
    unit: '{call}',
    description: 'Admin calls without a valid token.',
    attributes: [],
  },
  'sluice.catalog.admin_lockouts': {
    kind: 'counter',
    unit: '{lockout}',
    description: 'Addresses locked out for a minute, after twenty such calls within one.',
    attributes: [],
  },
  'sluice.catalog.skipped_records': {
    kind: 'gauge',
    unit: '{record}',
    description: 'Records of the bucket that NATS cannot read, and the catalog goes without.',
    attributes: [],
  },
  'sluice.ledger.kept': {
    kind: 'gauge',
    unit: '',
    description: '1 while the stream exists that keeps these records, as the catalog sees it.',
    attributes: ['kind'],
  },
  'sluice.catalog.entries': {
    kind: 'gauge',
    unit: '{entry}',
    description: 'What the catalog holds.',
    attributes: ['kind'],
  },
  'sluice.catalog.live': {
    kind: 'gauge',
    unit: '1',
    description: '1 while changes are heard as they happen.',
    attributes: [],
  },
  'sluice.worker.jobs': {
    kind: 'counter',
    unit: '{job}',
    description: 'Jobs that were accepted or refused.',
    attributes: ['answer', 'reason'],
  },
  'sluice.worker.attempts': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Accepted attempts that have ended; abandoned ones were cancelled generations.',
    attributes: ['end', 'reason', 'stage', 'model'],
  },
  'sluice.worker.queue.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long accepted attempts waited for a slot.',
    attributes: ['model'],
    buckets: QUEUE_SECONDS,
  },
  'sluice.worker.run.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long attempts held a slot.',
    attributes: ['model', 'end'],
    buckets: SECONDS,
  },
  'sluice.worker.stalls': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Attempts that were failed because the runtime said nothing for too long.',
    attributes: ['stage', 'model'],
  },
  'sluice.worker.reply_faults': {
    kind: 'counter',
    unit: '{reply}',
    description:
      'Replies that broke what was promised to the client, or could not be checked for it.',
    attributes: ['fault', 'model'],
  },
  'sluice.worker.generated_tokens': {
    kind: 'observed counter',
    unit: '{token}',
    description: 'About a token for each piece that came from the runtime.',
    attributes: [],
  },
  'sluice.worker.slots': {
    kind: 'gauge',
    unit: '{slot}',
    description: 'Jobs that may be on the runtime at once.',
    attributes: [],
  },
  'sluice.worker.running': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs on the runtime.',
    attributes: [],
  },
  'sluice.worker.queued': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs that wait for a slot.',
    attributes: [],
  },
  'sluice.runtime.up': {
    kind: 'gauge',
    unit: '1',
    description: '1 while the runtime answers and serves models.',
    attributes: [],
  },
  'sluice.runtime.running': {
    kind: 'gauge',
    unit: '{request}',
    description: 'Generations on the runtime, as it tells itself, whoever they are for.',
    attributes: [],
  },
  'sluice.runtime.waiting': {
    kind: 'gauge',
    unit: '{request}',
    description: 'Requests that wait within the runtime.',
    attributes: [],
  },
  'sluice.runtime.cache_use': {
    kind: 'gauge',
    unit: '1',
    description: "How full the runtime's cache is, from 0 to 1.",
    attributes: [],
  },
  'sluice.process.started': {
    kind: 'gauge',
    unit: '1',
    description: '1 once the service has started, and while it stops; 0 before.',
    attributes: [],
  },
  'sluice.certificate.days_left': {
    kind: 'gauge',
    unit: '{day}',
    description: 'Until the end of the certificates that were read at the start.',
    attributes: ['setting'],
  },
} as const satisfies Record<string, MetricDescription>;

export type MetricName = keyof typeof METRICS;

type NamesOfKind<Kind extends MetricKind> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

export type CounterName = NamesOfKind<'counter'>;
export type HistogramName = NamesOfKind<'histogram'>;
export type ObservedName = NamesOfKind<'observed counter' | 'gauge'>;

/** Exactly the attributes that the metric has. */
export type MetricAttributes<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['attributes'][number], string>
>;
