import { mintApiKey, type RequestRecord } from '@sluice/contracts';
import { createLogger } from '@sluice/service';
import { CatalogDirectory } from '../src/access/catalog-directory.ts';
import { readGatewaySettings, type GatewaySettings } from '../src/config.ts';
import { Dispatcher } from '../src/dispatch/dispatcher.ts';
import { PoolDemand } from '../src/dispatch/pool-demand.ts';
import { WakeQueue } from '../src/dispatch/wake-queue.ts';
import { Drain } from '../src/edge/drain.ts';
import type { GatewayApp } from '../src/edge/server.ts';
import { FleetTable } from '../src/fleet/fleet-table.ts';
import { heartbeatOf } from '../src/fleet/heartbeat-fixture.ts';
import { KeepaliveTimer } from '../src/reply/event-stream.ts';
import { ByteBudget } from '../src/request/byte-budget.ts';
import { assembleApp } from '../src/routes/assemble.ts';
import { API_ROOT, REQUEST } from './completion-request.ts';
import { FakeCatalog, type FakeCatalogOptions } from './fake-catalog.ts';
import { FakeLimiter } from './fake-limiter.ts';
import { FakeSender, helloWorker, type FakeWorker } from './fake-workers.ts';

const SETTINGS = readGatewaySettings({
  QUOTA_ADDRESSES: 'quota:1',
  CATALOG_ADDRESSES: 'catalog:1',
});

export interface InMemoryGatewayOptions extends FakeCatalogOptions {
  readonly worker?: FakeWorker;
  readonly workers?: Readonly<Record<string, FakeWorker>>;
  readonly settings?: Partial<GatewaySettings>;
  readonly maxArrivingBytes?: number;
  readonly log?: (line: string) => void;
}

/** The HTTP part of a gateway on a real socket, with a fake catalog, limiter and workers. */
export class InMemoryGateway implements AsyncDisposable {
  readonly key = mintApiKey();
  readonly limiter = new FakeLimiter();
  readonly catalog: FakeCatalog;
  readonly sender: FakeSender;
  readonly drain = new Drain();
  readonly directory: CatalogDirectory;
  readonly wakes: WakeQueue;
  readonly dispatcher: Dispatcher;
  readonly app: GatewayApp;
  /** The records that the ledger would get. */
  readonly outcomes: RequestRecord[] = [];
  readonly arriving: ByteBudget;
  readonly keepaliveTimer: KeepaliveTimer;
  readonly #stack = new AsyncDisposableStack();
  #url = '';

  constructor(options: InMemoryGatewayOptions = {}) {
    const clock = () => performance.now();
    const wallClock = () => Date.now();
    const settings = { ...SETTINGS, ...options.settings };
    const maxBytes = options.maxArrivingBytes ?? 128 * 1_048_576;
    this.arriving = new ByteBudget({ maxBytes, maxBytesPerOrganization: maxBytes });
    this.catalog = new FakeCatalog(this.key, options);
    this.directory = new CatalogDirectory({
      reader: this.catalog,
      freshMs: settings.CATALOG_CACHE_MS,
      staleMs: settings.CATALOG_STALE_MS,
      maximumEntries: settings.CATALOG_CACHE_ENTRIES,
      clock,
      wallClock,
    });
    // A fixed clock: there is only one heartbeat for each worker, and a test may take longer than it stays fresh.
    const fleet = new FleetTable(() => 0);
    const workers = options.workers ?? { worker1: options.worker ?? helloWorker };
    this.sender = new FakeSender(workers);
    for (const worker of Object.keys(workers)) {
      fleet.update(heartbeatOf(worker));
    }
    this.wakes = new WakeQueue({
      fleet,
      clock,
      maxRequests: settings.WAKE_QUEUE_REQUESTS,
      maxBytes: settings.WAKE_QUEUE_BYTES,
    });
    this.dispatcher = new Dispatcher({
      gateway: 'gateway1',
      fleet,
      wakes: this.wakes,
      demand: new PoolDemand({ fleet, wakes: this.wakes, clock }),
      sender: this.sender,
      clock,
      random: Math.random,
      queueMs: settings.QUEUE_TIMEOUT_MS,
      runMs: settings.RUN_TIMEOUT_MS,
    });
    this.keepaliveTimer = this.#stack.use(new KeepaliveTimer(clock));
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
      keepaliveTimer: this.keepaliveTimer,
      arriving: this.arriving,
      clock,
      wallClock,
      gateway: 'gateway1',
      ledger: { record: (record) => void this.outcomes.push(record) },
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

  /** A JSON request with the key. */
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
    this.app.openRequests.destroyAll();
    await this.#stack.disposeAsync();
  }
}
