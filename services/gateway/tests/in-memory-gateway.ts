import { mintApiKey, type RequestRecord } from '@sluice/contracts';
import { createLogger } from '@sluice/telemetry';
import { readGatewaySettings, type GatewaySettings } from '../src/config.ts';
import { CatalogDirectory } from '../src/domain/catalog-directory.ts';
import { Dispatcher } from '../src/domain/dispatch-job.ts';
import { Drain } from '../src/domain/drain.ts';
import { FleetTable } from '../src/domain/fleet-table.ts';
import { heartbeatOf } from '../src/domain/heartbeat-fixture.ts';
import { HeldBytes } from '../src/domain/held-bytes.ts';
import type { GatewayApp } from '../src/http/app.ts';
import { assembleApp } from '../src/http/assemble-app.ts';
import { requestRecord } from '../src/http/request-record.ts';
import { StreamKeeper } from '../src/http/stream-keeper.ts';
import { API_ROOT, REQUEST } from './completion-request.ts';
import { FakeCatalog, type FakeCatalogOptions } from './fake-catalog.ts';
import { FakeLimiter } from './fake-limiter.ts';
import { FakeCarrier, politeWorker, type FakeWorker } from './fake-workers.ts';

const SETTINGS = readGatewaySettings({
  QUOTA_ADDRESSES: 'quota:1',
  CATALOG_ADDRESSES: 'catalog:1',
});

export interface InMemoryGatewayOptions extends FakeCatalogOptions {
  readonly worker?: FakeWorker;
  readonly workers?: Readonly<Record<string, FakeWorker>>;
  readonly settings?: Partial<GatewaySettings>;
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
  readonly arriving: HeldBytes;
  readonly keeper: StreamKeeper;
  readonly #stack = new AsyncDisposableStack();
  #url = '';

  constructor(options: InMemoryGatewayOptions = {}) {
    const clock = () => performance.now();
    const wallClock = () => Date.now();
    const settings = { ...SETTINGS, ...options.settings };
    const mostBytes = options.mostArrivingBytes ?? 128 * 1_048_576;
    this.arriving = new HeldBytes({ mostBytes, mostBytesOfOne: mostBytes });
    this.catalog = new FakeCatalog(this.key, options);
    this.directory = new CatalogDirectory({
      reader: this.catalog,
      freshMs: settings.CATALOG_CACHE_MS,
      staleMs: settings.CATALOG_STALE_MS,
      maximumEntries: settings.CATALOG_CACHE_ENTRIES,
      clock,
      wallClock,
    });
    // Its time stands still: workers are heard once, and a test may take longer than that is believed.
    const fleet = new FleetTable(() => 0);
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
      queueMs: settings.QUEUE_TIMEOUT_MS,
      runMs: settings.RUN_TIMEOUT_MS,
    });
    this.keeper = this.#stack.use(new StreamKeeper(clock));
    this.app = assembleApp({
      settings,
      logger: createLogger({
        service: 'gateway',
        level: options.log === undefined ? 'silent' : 'trace',
        ...(options.log === undefined ? {} : { destination: { write: options.log } }),
      }),
      directory: this.directory,
      limiter: this.limiter,
      dispatcher: this.dispatcher,
      drain: this.drain,
      keeper: this.keeper,
      arriving: this.arriving,
      clock,
      wallClock,
      onOutcome: (exchange) => {
        const moment = { gateway: 'gateway1', now: clock(), wallNow: wallClock() };
        this.outcomes.push(requestRecord(exchange, moment));
      },
      stack: this.#stack,
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
    await this.#stack.disposeAsync();
  }
}
