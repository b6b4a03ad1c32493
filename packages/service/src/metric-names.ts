/** The code updates counters and histograms. Observed counters and gauges are read at each export. */
type MetricKind = 'counter' | 'histogram' | 'observed counter' | 'gauge';

interface MetricDescription {
  readonly kind: MetricKind;
  /** A unit of UCUM: https://ucum.org/ucum. */
  readonly unit: string;
  readonly description: string;
  /**
   * The attributes of the metric. Each has few values: constants, or models, targets and pools of the catalog. An
   * organization, a key or a request is never an attribute, because their number is unlimited, and neither is content.
   */
  readonly attributes: readonly string[];
  /** Bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/**
 * A wait in the queue ends at the latest shortly after QUEUE_TIMEOUT_MS, which is 30 s by default. With bounds at 30
 * and 60 only, interpolated quantiles would show waits of nearly a minute that did not happen.
 */
const QUEUE_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 25, 31, 60, 120, 300, 600,
];
const TOKEN_SECONDS = [
  0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3,
  0.5, 1, 2.5,
];
/** The bounds are close together around 1, the ratio of a correct estimate. */
const RATIOS = [0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.35, 1.5, 2, 3, 5, 10];

/** All metrics. Exporters to Prometheus replace the dots with underscores. */
export const METRICS = {
  'sluice.gateway.requests': {
    kind: 'counter',
    unit: '{request}',
    description: 'Requests whose reply is sent, or whose client has disconnected.',
    attributes: ['operation', 'outcome', 'status', 'code', 'model'],
  },
  'sluice.gateway.request.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Time from the first byte of a request to the last byte of its reply.',
    attributes: ['operation', 'outcome', 'model', 'target', 'stream'],
    buckets: SECONDS,
  },
  'sluice.gateway.first_token.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Time from the first byte of a request to the first piece of its streamed answer.',
    attributes: ['model', 'target'],
    buckets: SECONDS,
  },
  'sluice.gateway.output_token.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'Mean time between the output tokens of a streamed answer.',
    attributes: ['model', 'target'],
    buckets: TOKEN_SECONDS,
  },
  'sluice.gateway.tokens': {
    kind: 'counter',
    unit: '{token}',
    description: 'Tokens of finished answers, as their runtimes counted them.',
    attributes: ['model', 'target', 'kind'],
  },
  'sluice.gateway.admissions': {
    kind: 'counter',
    unit: '{request}',
    description: 'Decisions about admission, with the limit that refused.',
    attributes: ['outcome', 'limit'],
  },
  'sluice.gateway.input_estimate.ratio': {
    kind: 'histogram',
    unit: '1',
    description:
      'Input tokens as estimated for admission, divided by the input tokens that the runtime counted.',
    attributes: ['model'],
    buckets: RATIOS,
  },
  'sluice.gateway.attempts': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Jobs that were offered to workers, by how the attempt ended.',
    attributes: ['end', 'reason'],
  },
  'sluice.gateway.target.attempts': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Jobs that were offered to workers of a target, by how the attempt ended.',
    attributes: ['model', 'target', 'end'],
  },
  'sluice.gateway.target.fallbacks': {
    kind: 'counter',
    unit: '{request}',
    description: 'Jobs that no worker of a target took, and that went to the next target.',
    attributes: ['model', 'target'],
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
      'Connections that were closed because there were more than MAX_CONNECTIONS, or because too many requests waited on one.',
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
    description: 'Streamed answers that have begun and not ended.',
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
    description: 'Workers that have sent this gateway a heartbeat within a minute.',
    attributes: [],
  },
  'sluice.pool.slots': {
    kind: 'gauge',
    unit: '{slot}',
    description:
      'Slots of the workers of a pool that take jobs. Every gateway reports the same: use the maximum.',
    attributes: ['pool'],
  },
  'sluice.pool.running': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs in these slots. Every gateway reports the same: use the maximum.',
    attributes: ['pool'],
  },
  'sluice.pool.queued': {
    kind: 'gauge',
    unit: '{job}',
    description:
      'Jobs that wait at these workers for a slot. Every gateway reports the same: use the maximum.',
    attributes: ['pool'],
  },
  'sluice.pool.waiting': {
    kind: 'gauge',
    unit: '{request}',
    description:
      'Requests that wait at this gateway for a worker to start. Add the values of all gateways.',
    attributes: ['pool'],
  },
  'sluice.pool.unserved': {
    kind: 'gauge',
    unit: '{request}',
    description:
      'Requests of the last minute at this gateway that no worker took. Add the values of all gateways.',
    attributes: ['pool'],
  },
  'sluice.pool.expected_wait': {
    kind: 'gauge',
    unit: 's',
    description:
      'How long a new request waits for a slot or, without a worker, for one to start. Use the maximum.',
    attributes: ['pool'],
  },
  'sluice.contract.mismatches': {
    kind: 'counter',
    unit: '{message}',
    description: 'Messages of another contract version, or messages that could not be read.',
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
    description: 'Records that were lost, because they could not be stored in time.',
    attributes: ['kind'],
  },
  'sluice.ledger.pending': {
    kind: 'gauge',
    unit: '{record}',
    description: 'Records that are not yet acknowledged as stored.',
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
    description:
      '1 while Redis answers, 0 while it does not. In a cluster, every master must answer.',
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
    description: 'Calls of gateways.',
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
    description:
      'Addresses that were locked out for a minute, after twenty calls without a valid token within a minute.',
    attributes: [],
  },
  'sluice.catalog.skipped_records': {
    kind: 'gauge',
    unit: '{record}',
    description: 'Records of the bucket that NATS cannot read and the catalog has skipped.',
    attributes: [],
  },
  'sluice.ledger.kept': {
    kind: 'gauge',
    unit: '',
    description: '1 while the stream for these records exists, according to the catalog.',
    attributes: ['kind'],
  },
  'sluice.catalog.entries': {
    kind: 'gauge',
    unit: '{entry}',
    description: 'Entries in the catalog.',
    attributes: ['kind'],
  },
  'sluice.catalog.live': {
    kind: 'gauge',
    unit: '1',
    description: '1 while changes arrive as they happen.',
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
    description: 'Accepted attempts that have ended.',
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
    description: 'Attempts that failed because the runtime sent nothing for too long.',
    attributes: ['stage', 'model'],
  },
  'sluice.worker.reply_faults': {
    kind: 'counter',
    unit: '{reply}',
    description: 'Replies that broke a promise to the client, or could not be checked against it.',
    attributes: ['fault', 'model'],
  },
  'sluice.worker.generated_tokens': {
    kind: 'observed counter',
    unit: '{token}',
    description: 'Generated tokens, estimated as one for each piece from the runtime.',
    attributes: [],
  },
  'sluice.worker.slots': {
    kind: 'gauge',
    unit: '{slot}',
    description: 'Jobs that may run on the runtime at once.',
    attributes: [],
  },
  'sluice.worker.running': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs that run on the runtime.',
    attributes: [],
  },
  'sluice.worker.queued': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs that wait for a slot.',
    attributes: [],
  },
  'sluice.worker.draining': {
    kind: 'gauge',
    unit: '{worker}',
    description: '1 while the worker takes no new jobs, because an operator drains it or it stops.',
    attributes: [],
  },
  'sluice.worker.class.queued': {
    kind: 'gauge',
    unit: '{job}',
    description: 'Jobs of a scheduling class that wait for a slot.',
    attributes: ['class'],
  },
  'sluice.worker.class.tokens': {
    kind: 'observed counter',
    unit: '{token}',
    description: 'Input and output tokens of ended attempts, by their scheduling class.',
    attributes: ['class'],
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
    description:
      'Generations on the runtime, by its own metrics, including those of other clients.',
    attributes: [],
  },
  'sluice.runtime.waiting': {
    kind: 'gauge',
    unit: '{request}',
    description: 'Requests that wait inside the runtime.',
    attributes: [],
  },
  'sluice.runtime.cache_use': {
    kind: 'gauge',
    unit: '1',
    description: "How full the runtime's cache is, from 0 to 1.",
    attributes: [],
  },
  'sluice.usage.written': {
    kind: 'observed counter',
    unit: '{record}',
    description: 'Records of the ledger that were moved into the tables.',
    attributes: ['kind'],
  },
  'sluice.usage.skipped': {
    kind: 'counter',
    unit: '{record}',
    description: 'Records of the ledger that have no place in the tables.',
    attributes: ['kind', 'reason'],
  },
  'sluice.usage.missed': {
    kind: 'counter',
    unit: '{message}',
    description: 'Messages that the ledger removed before they were read.',
    attributes: ['kind'],
  },
  'sluice.usage.unread': {
    kind: 'gauge',
    unit: '{message}',
    description: 'Messages of the ledger that are not in the tables yet.',
    attributes: ['kind'],
  },
  'sluice.usage.lag': {
    kind: 'gauge',
    unit: 's',
    description: 'The age of the oldest message that is not in the tables yet.',
    attributes: ['kind'],
  },
  'sluice.usage.unread_share': {
    kind: 'gauge',
    unit: '1',
    description:
      'The unread part of what the ledger may hold. At 1, unread messages are removed from it.',
    attributes: ['kind'],
  },
  'sluice.usage.budgets.age': {
    kind: 'gauge',
    unit: 's',
    description:
      'How long ago budgets were decided with all records. Meanwhile, the last decision holds.',
    attributes: [],
  },
  'sluice.usage.budgets.stopped': {
    kind: 'gauge',
    unit: '{organization}',
    description: 'Organizations that have spent their budget, whose completions are refused.',
    attributes: [],
  },
  'sluice.usage.webhooks': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Attempts to deliver a webhook.',
    attributes: ['outcome'],
  },
  'sluice.usage.webhooks.waiting': {
    kind: 'gauge',
    unit: '{webhook}',
    description: 'Webhooks that are not delivered yet.',
    attributes: [],
  },
  'sluice.console.requests': {
    kind: 'counter',
    unit: '{request}',
    description: 'Requests of browsers that the console has answered.',
    attributes: ['route', 'status'],
  },
  'sluice.console.duration': {
    kind: 'histogram',
    unit: 's',
    description: 'How long the answer to a browser took.',
    attributes: ['route'],
    buckets: SECONDS,
  },
  'sluice.console.sign_ins': {
    kind: 'counter',
    unit: '{attempt}',
    description: 'Sign-ins at the provider or with a one-time link.',
    attributes: ['method', 'outcome'],
  },
  'sluice.console.fleet_connected': {
    kind: 'gauge',
    unit: '1',
    description: '1 while the console receives heartbeats over NATS, otherwise 0.',
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
    description: 'Days until the certificates that were read at the start expire.',
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

/** Exactly the attributes of the metric. */
export type MetricAttributes<Name extends MetricName> = Readonly<
  Record<(typeof METRICS)[Name]['attributes'][number], string>
>;
