import { connectBus, type Bus } from '@sluice/bus';
import {
  CatalogModel,
  apiKeyDigest,
  mintApiKey,
  mintProcessId,
  subjectsUnder,
  type AdmissionDecision,
  type Subjects,
} from '@sluice/contracts';
import {
  RpcError,
  encodeModels,
  serveCatalog,
  serveQuota,
  type PrincipalInput,
  type RpcServer,
} from '@sluice/rpc';
import { createLogger, type Logger } from '@sluice/service';
import { readGatewaySettings } from '../src/config.ts';
import { start, type RunningGateway } from '../src/start.ts';
import { API_ROOT, REQUEST } from './completion-request.ts';
import { keepLedger } from './keep-ledger.ts';
import { WorkerDouble, type DoubleJob } from './worker-double.ts';

const MODELS = encodeModels([
  CatalogModel.parse({
    id: REQUEST.model,
    owned_by: 'acme',
    pool: 'default',
    runtime_model: 'large',
    input_token_ratio: 0.25,
  }),
]);
const silent = createLogger({ service: 'test', level: 'silent' });

/** A whole gateway in this process, with a real bus and with neighbours that the test controls. */
export class GatewayWithNeighbours implements AsyncDisposable {
  readonly key = mintApiKey();
  readonly prefix = `test${mintProcessId()}`;
  readonly subjects: Subjects = subjectsUnder(this.prefix);
  readonly jobs: DoubleJob[] = [];
  readonly asked: { credential: number; atLeast: number[] } = { credential: 0, atLeast: [] };
  onJob: (job: DoubleJob) => void = () => undefined;
  onAdmit: () => Promise<AdmissionDecision> = () => Promise.resolve(ADMITTED);
  principal: PrincipalInput | null = {
    credentialKind: 'CREDENTIAL_KIND_API_KEY',
    credentialId: 'key1',
    organization: 'acme',
    project: 'default',
    retention: 'standard',
    limits: { requestsPerMinute: 60 },
    limitsRevision: { epoch: 1, sequence: 1 },
  };
  sequence = 1;
  catalogDown = false;
  gateway!: RunningGateway;
  bus!: Bus;
  worker!: WorkerDouble;
  quota!: RpcServer;
  catalog!: RpcServer;
  readonly #ledger = new DisposableStack();

  static async start(
    natsUrl: string,
    environment: Readonly<Record<string, string>> = {},
    logger: Logger = silent,
  ): Promise<GatewayWithNeighbours> {
    const parts = new GatewayWithNeighbours();
    await parts.#start(natsUrl, environment, logger);
    return parts;
  }

  async #start(
    natsUrl: string,
    environment: Readonly<Record<string, string>>,
    logger: Logger,
  ): Promise<void> {
    this.bus = await connectBus({ servers: [natsUrl], name: 'worker double', logger });
    keepLedger(this.#ledger, this.bus, this.subjects);
    this.worker = new WorkerDouble({
      bus: this.bus,
      subjects: this.subjects,
      id: 'default.worker1',
      onJob: (job) => {
        this.jobs.push(job);
        this.onJob(job);
      },
    });
    this.quota = await serveQuota({
      host: '127.0.0.1',
      port: 0,
      logger,
      handlers: { admit: () => this.onAdmit(), peek: () => Promise.resolve(ADMITTED) },
    });
    this.catalog = await serveCatalog({
      host: '127.0.0.1',
      port: 0,
      logger,
      handlers: {
        resolveCredential: ({ apiKeySha256, atLeast }) => {
          this.asked.credential += 1;
          this.asked.atLeast.push(atLeast?.sequence ?? 0);
          if (this.catalogDown) return Promise.reject(new RpcError('unavailable', 'down'));
          const known = apiKeySha256?.equals(apiKeyDigest(this.key)) === true;
          const position = { epoch: 1, sequence: this.sequence };
          return Promise.resolve({ principal: known ? this.principal : null, position });
        },
        listModels: () =>
          Promise.resolve({
            tag: 'models',
            encodedModels: MODELS,
            position: { epoch: 1, sequence: this.sequence },
          }),
      },
    });
    this.gateway = await start(
      readGatewaySettings({
        PORT: '0',
        NATS_URL: natsUrl,
        SUBJECT_PREFIX: this.prefix,
        QUOTA_ADDRESSES: this.quota.address,
        CATALOG_ADDRESSES: this.catalog.address,
        DRAIN_ANNOUNCE_MS: '0',
        ...environment,
      }),
      logger,
    );
  }

  async request(
    path: string,
    init: RequestInit = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(`${this.gateway.url}${API_ROOT}${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${this.key}`,
        'content-type': 'application/json',
        ...headers,
      },
    });
  }

  async complete(
    body: object = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const init = { method: 'POST', body: JSON.stringify({ ...REQUEST, ...body }) };
    return this.request('/chat/completions', init, headers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway[Symbol.asyncDispose]();
    this.worker[Symbol.dispose]();
    this.#ledger.dispose();
    await this.bus[Symbol.asyncDispose]();
    await this.quota[Symbol.asyncDispose]();
    await this.catalog[Symbol.asyncDispose]();
  }
}

const ADMITTED = {
  outcome: 'admitted' as const,
  decidedAtMs: 0,
  windows: {
    requests_per_minute: { limit: 60, remaining: 59, resetMs: 1_000 },
    requests_per_day: null,
    tokens_per_minute: null,
    tokens_per_day: null,
  },
};
