import { mintApiKey, type RequestRecord } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { DirectExaminer } from '../src/domain/body-examiner.ts';
import { CatalogDirectory } from '../src/domain/catalog-directory.ts';
import { Dispatcher } from '../src/domain/dispatch-job.ts';
import { FleetTable } from '../src/domain/fleet-table.ts';
import { heartbeatOf } from '../src/domain/heartbeat-fixture.ts';
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
import { API_ROOT, REQUEST } from './completion-request.ts';
import { FakeCatalog, type FakeCatalogOptions } from './fake-catalog.ts';
import { FakeLimiter } from './fake-limiter.ts';
import { FakeCarrier, politeWorker, type FakeWorker } from './fake-workers.ts';

export interface InMemoryGatewayOptions extends FakeCatalogOptions {
  readonly worker?: FakeWorker;
  readonly workers?: Readonly<Record<string, FakeWorker>>;
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
