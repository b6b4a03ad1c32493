import {
  FrameKind,
  apiKeyDigest,
  encodeFrames,
  jsonFrame,
  mintApiKey,
  readFrames,
  decodeJob,
  type AdmissionDecision,
  type AdmissionRequest,
  type CatalogModel,
  type Frame,
  type JobHeader,
  type LimitWindows,
  type RequestRecord,
} from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import type { AttemptCarrier } from '../src/domain/attempt-carrier.ts';
import type { Attempt } from '../src/domain/attempt.ts';
import { DirectExaminer } from '../src/domain/body-examiner.ts';
import { CatalogDirectory, type CatalogReader } from '../src/domain/catalog-directory.ts';
import { Dispatcher } from '../src/domain/dispatch-job.ts';
import { FleetTable } from '../src/domain/fleet-table.ts';
import { heartbeatOf } from '../src/domain/heartbeat-fixture.ts';
import type { Principal } from '../src/domain/principal.ts';
import { createGatewayApp, type GatewayApp, type HttpSettings } from '../src/http/app.ts';
import { ArrivingBodies } from '../src/http/arriving-bodies.ts';
import { createCompletionsRoute } from '../src/http/completions-route.ts';
import { Drain } from '../src/http/drain.ts';
import type { EventStreamSettings } from '../src/http/event-stream.ts';
import { createModelsRoutes } from '../src/http/models-routes.ts';
import { RequestPipeline } from '../src/http/request-pipeline.ts';
import { requestRecord } from '../src/http/request-record.ts';
import { StreamKeeper } from '../src/http/stream-keeper.ts';
import { ThreadedExaminer } from '../src/threads/threaded-examiner.ts';

export const API_ROOT = '/compat/v1';

export const MODEL: CatalogModel = {
  id: 'acme/large',
  object: 'model',
  created: 1_700_000_000,
  owned_by: 'acme',
  shutdown_date: null,
  context_length: 4_096,
  max_output_tokens: 1_024,
  pool: 'default',
  runtime_model: 'large',
  reasoning_history: 'optional',
  input_token_ratio: 0.25,
};

const LOAD = { slots: 8, running: 0, queued: 0, queue_limit: 8 };

/** What a fake worker does with a job: sends frames, numbered by the harness. */
export type FakeWorker = (job: FakeJob) => void | Promise<void>;

export interface FakeJob {
  readonly header: JobHeader;
  readonly body: unknown;
  send(...frames: Frame[]): void;
  /** With a number of its own, to leave a gap. */
  sendAs(number: number, ...frames: Frame[]): void;
  readonly cancelled: boolean;
}

export const accepted = () => jsonFrame(FrameKind.accepted, { load: LOAD });
export const started = (): Frame => ({ kind: FrameKind.started, body: Buffer.alloc(0) });
export const delta = (body: object) => jsonFrame(FrameKind.delta, body);
export const usage = (body: object = USAGE) => jsonFrame(FrameKind.usage, body);
export const finished = (reason = 'stop') =>
  jsonFrame(FrameKind.finished, { finish_reason: reason, load: LOAD });
export const failed = (reason: string, retryable: boolean) =>
  jsonFrame(FrameKind.failed, { reason, retryable });

export const USAGE = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

/** Answers "Hello world", streamed or not. */
export const politeWorker: FakeWorker = ({ header, send }) => {
  send(accepted(), started());
  if (header.stream) send(delta({ content: 'Hello' }), delta({ content: ' world' }));
  else send(delta({ role: 'assistant', content: 'Hello world', refusal: null }));
  send(usage(), finished());
};

class FakeLimiter {
  readonly admissions: AdmissionRequest[] = [];
  decide: (request: AdmissionRequest) => AdmissionDecision = () => ({
    outcome: 'admitted',
    windows: WINDOWS,
    decidedAtMs: 0,
  });

  admit(request: AdmissionRequest): Promise<AdmissionDecision> {
    this.admissions.push(request);
    return Promise.resolve(this.decide(request));
  }
}

const WINDOWS: LimitWindows = {
  requests_per_minute: { limit: 60, remaining: 59, resetMs: 1_000 },
  requests_per_day: { limit: 1_000, remaining: 999, resetMs: 3_600_500 },
  tokens_per_minute: { limit: 10_000, remaining: 9_990, resetMs: 60 },
  tokens_per_day: null,
};

export interface InMemoryGatewayOptions {
  readonly worker?: FakeWorker;
  readonly workers?: Readonly<Record<string, FakeWorker>>;
  readonly models?: readonly CatalogModel[];
  readonly principal?: Partial<Principal>;
  readonly http?: Partial<HttpSettings>;
  readonly streams?: Partial<EventStreamSettings>;
  readonly bodyLimitBytes?: number;
  readonly mostArrivingBytes?: number;
  readonly log?: (line: string) => void;
}

/** The gateway's HTTP half on a real socket, with a catalog, a limiter and workers of the test's own. */
export class InMemoryGateway implements AsyncDisposable {
  readonly key = mintApiKey();
  readonly limiter = new FakeLimiter();
  readonly catalog: FakeCatalog;
  readonly carrier: FakeCarrier;
  readonly drain = new Drain();
  readonly directory: CatalogDirectory;
  readonly dispatcher: Dispatcher;
  readonly app: GatewayApp;
  /** What the ledger would be told. */
  readonly outcomes: RequestRecord[] = [];
  readonly arriving: ArrivingBodies;
  readonly #keeper: StreamKeeper;
  readonly #examiner: ThreadedExaminer;
  #url = '';

  constructor(options: InMemoryGatewayOptions = {}) {
    const clock = () => performance.now();
    const wallClock = () => Date.now();
    const mostBytes = options.mostArrivingBytes ?? 128 * 1_048_576;
    this.arriving = new ArrivingBodies({ mostBytes, mostBytesOfOne: mostBytes });
    this.catalog = new FakeCatalog(this.key, options);
    this.directory = new CatalogDirectory({
      reader: this.catalog,
      freshMs: 10_000,
      staleMs: 300_000,
      maximumEntries: 100,
      clock,
      wallClock,
    });
    const fleet = new FleetTable(clock);
    const workers = options.workers ?? { worker1: options.worker ?? politeWorker };
    this.carrier = new FakeCarrier(workers);
    for (const worker of Object.keys(workers)) {
      fleet.heard(heartbeatOf(worker));
    }
    this.dispatcher = new Dispatcher({
      gateway: 'gateway1',
      fleet,
      carrier: this.carrier,
      clock,
      random: Math.random,
      queueMs: 30_000,
      runMs: 600_000,
    });
    const retentionHeader = 'service-data-retention';
    const pipeline = new RequestPipeline({
      directory: this.directory,
      limiter: this.limiter,
      drain: this.drain,
      retentionHeader,
    });
    this.#keeper = new StreamKeeper(clock);
    const logger = createLogger({
      service: 'gateway',
      level: options.log === undefined ? 'silent' : 'trace',
      ...(options.log === undefined ? {} : { destination: { write: options.log } }),
    });
    this.#examiner = new ThreadedExaminer({
      direct: new DirectExaminer(wallClock),
      directLimitBytes: 65_536,
      threads: 2,
      limitMs: 3_000,
      heapMebibytes: 512,
      wallClock,
      logger,
    });
    this.app = createGatewayApp({
      apiRoot: API_ROOT,
      retentionHeader,
      corsOrigins: ['*'],
      headerLimitBytes: 16_384,
      headersTimeoutMs: 10_000,
      requestTimeoutMs: 60_000,
      keepAliveTimeoutMs: 5_000,
      ...options.http,
      pipeline,
      models: createModelsRoutes({ pipeline, directory: this.directory, wallClock }),
      createCompletion: createCompletionsRoute({
        pipeline,
        directory: this.directory,
        examiner: this.#examiner,
        dispatcher: this.dispatcher,
        keeper: this.#keeper,
        streams: {
          lateStatusMs: 10_000,
          keepaliveMs: 15_000,
          bufferBytes: 1_048_576,
          ...options.streams,
        },
        bodyLimitBytes: options.bodyLimitBytes ?? 4_194_304,
        arriving: this.arriving,
        clock,
        wallClock,
      }),
      drain: this.drain,
      logger,
      onOutcome: (exchange) => {
        const moment = { gateway: 'gateway1', now: clock(), wallNow: wallClock() };
        this.outcomes.push(requestRecord(exchange, moment));
      },
    });
  }

  static async start(options: InMemoryGatewayOptions = {}): Promise<InMemoryGateway> {
    const gateway = new InMemoryGateway(options);
    gateway.#url = await gateway.app.fastify.listen({ host: '127.0.0.1', port: 0 });
    return gateway;
  }

  get url(): string {
    return this.#url;
  }

  get port(): number {
    return Number(new URL(this.#url).port);
  }

  get authorization(): string {
    return `Bearer ${this.key}`;
  }

  /** A request with the key, as JSON. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#url}${API_ROOT}${path}`, {
      ...init,
      headers: { authorization: this.authorization, ...(init.headers as Record<string, string>) },
    });
  }

  async complete(body: object = {}, init: RequestInit = {}): Promise<Response> {
    return this.request('/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ ...REQUEST, ...body }),
      ...init,
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.app.connections.destroyAll();
    await this.app.fastify.close();
    this.app.connections[Symbol.dispose]();
    this.#keeper[Symbol.dispose]();
    await this.#examiner[Symbol.asyncDispose]();
  }
}

export const REQUEST = { model: MODEL.id, messages: [{ role: 'user', content: 'Hi' }] };

/** A completion as the bytes of its request. */
export function post(gateway: InMemoryGateway, body: object, version = '1.1'): string {
  const text = JSON.stringify({ ...REQUEST, ...body });
  return (
    `POST ${API_ROOT}/chat/completions HTTP/${version}\r\nhost: a\r\n` +
    `authorization: ${gateway.authorization}\r\ncontent-type: application/json\r\n` +
    `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
}

class FakeCatalog implements CatalogReader {
  readonly asked: string[] = [];
  /** The requests on whose behalf it was asked. */
  readonly askers: (string | undefined)[] = [];
  unavailable = false;
  principal: Principal | undefined;
  models: readonly CatalogModel[];
  readonly #digest: string;

  constructor(key: string, options: InMemoryGatewayOptions) {
    this.#digest = apiKeyDigest(key).toString('hex');
    this.models = options.models ?? [MODEL];
    this.principal = {
      organization: 'acme',
      project: 'default',
      credentialId: 'key1',
      retention: 'standard',
      limits: {
        requests_per_minute: 60,
        requests_per_day: 1_000,
        tokens_per_minute: 10_000,
        tokens_per_day: null,
      },
      limitsRevision: { epoch: 1, sequence: 1 },
      expiresAtMs: undefined,
      accessRefusal: undefined,
      billingRefusal: undefined,
      ...options.principal,
    };
  }

  resolveCredential: CatalogReader['resolveCredential'] = (credential, _atLeast, asker) => {
    this.asked.push('credential');
    this.askers.push(asker?.id);
    if (this.unavailable) return Promise.reject(new Error('the catalog is down'));
    const known =
      credential.kind === 'api_key' && credential.digest.toString('hex') === this.#digest;
    return Promise.resolve({ answer: known ? this.principal : undefined, position: POSITION });
  };

  listModels: CatalogReader['listModels'] = (_organization, _atLeast, asker) => {
    this.asked.push('models');
    this.askers.push(asker?.id);
    if (this.unavailable) return Promise.reject(new Error('the catalog is down'));
    return Promise.resolve({ answer: this.models, position: POSITION });
  };
}

const POSITION = { epoch: 1, sequence: 1 };

/** Hands jobs to fake workers and their frames back, each in a turn of its own, as the bus does. */
class FakeCarrier implements AttemptCarrier {
  connected = true;
  readonly offers: string[] = [];
  readonly cancelled: string[] = [];
  readonly #workers: Readonly<Record<string, FakeWorker>>;

  constructor(workers: Readonly<Record<string, FakeWorker>>) {
    this.#workers = workers;
  }

  offer(attempt: Attempt, payload: Uint8Array): void {
    this.offers.push(attempt.worker);
    const { header, body } = decodeJob(payload);
    let number = 0;
    let over = false;
    const sendAs = (first: number, frames: readonly Frame[]) => {
      const message = encodeFrames(first, frames);
      number = first + frames.length;
      setImmediate(() => readFrames(message, attempt.visit));
    };
    void attempt.ended.then((end) => {
      over = true;
      if (!['finished', 'refused', 'failed', 'nobody_listens'].includes(end.kind)) {
        this.cancelled.push(attempt.name);
      }
    });
    void this.#workers[attempt.worker]?.({
      header,
      get body() {
        return JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
      },
      send: (...frames) => sendAs(number, frames),
      sendAs: (first, ...frames) => sendAs(first, frames),
      get cancelled() {
        return over;
      },
    });
  }

  reconnected(): Promise<boolean> {
    return Promise.resolve(this.connected);
  }

  fleetHeard(): Promise<void> {
    return Promise.resolve();
  }
}
