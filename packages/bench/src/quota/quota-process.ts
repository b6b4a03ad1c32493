import { connectQuota, type QuotaClient } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { serveDriver, type Running } from '../driver/driver-process.ts';
import { TimingList } from '../measure/timings.ts';
import { Arrivals } from './arrivals.ts';
import { drawOrganizations, organizationName } from './organizations.ts';
import {
  COST,
  LIMITS,
  REVISION,
  SAMPLED,
  TURN_MS,
  type DecisionState,
  type QuotaOptions,
} from './quota-options.ts';

class AdmissionLoad implements Running<DecisionState> {
  readonly #client: QuotaClient;
  readonly #draws: Uint32Array;
  readonly #names: readonly string[];
  readonly #turn: NodeJS.Timeout | undefined;
  #asked = 0;
  #decided = 0;
  #unanswered = 0;
  readonly #admissions = new TimingList();
  readonly #undecided = new TimingList();
  #stopped = false;
  readonly #allAnswered = Promise.withResolvers<void>();

  constructor(client: QuotaClient, { organizations, pattern }: QuotaOptions) {
    this.#client = client;
    this.#draws = drawOrganizations(organizations, Math.random);
    this.#names = Array.from({ length: organizations }, (_, index) => organizationName(index));
    if (pattern.kind === 'in flight') {
      for (let count = 0; count < pattern.count; count += 1) void this.#askRepeatedly();
      return;
    }
    const arrivals = new Arrivals(pattern.perSecond, performance.now());
    this.#turn = setInterval(() => {
      for (const { count, since } of arrivals.take(performance.now())) {
        for (let asked = 0; asked < count; asked += 1) void this.#ask(since);
      }
    }, TURN_MS);
  }

  read(): DecisionState {
    return {
      decided: this.#decided,
      admissions: this.#admissions.take(),
      undecided: this.#undecided.take(),
    };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#turn);
    if (this.#unanswered > 0) await this.#allAnswered.promise;
  }

  async #askRepeatedly(): Promise<void> {
    while (!this.#stopped) await this.#ask(performance.now());
  }

  async #ask(since: number): Promise<void> {
    const number = this.#asked;
    this.#asked += 1;
    this.#unanswered += 1;
    const organization = this.#names[this.#draws[number % this.#draws.length] ?? 0] ?? '';
    const { outcome } = await this.#client.admit({
      organization,
      limits: LIMITS,
      revision: REVISION,
      ...COST,
    });
    this.#unanswered -= 1;
    if (this.#stopped && this.#unanswered === 0) this.#allAnswered.resolve();
    const took = performance.now() - since;
    if (number % SAMPLED === 0) this.#admissions.add(since, took);
    if (outcome === 'unavailable') {
      this.#undecided.add(since, took);
      // If calls fail immediately, this pause lets the event loop run.
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
    } else this.#decided += 1;
  }
}

// One connection serves all requests, as in the gateway.
const logger = createLogger({ service: 'bench', level: 'silent' });
let connected: { readonly address: string; readonly client: QuotaClient } | undefined;

async function connectOnce(address: string): Promise<QuotaClient> {
  if (connected?.address !== address) {
    await connected?.client[Symbol.asyncDispose]();
    const client = connectQuota({ addresses: [address], logger });
    await client.ready();
    connected = { address, client };
  }
  return connected.client;
}

serveDriver<QuotaOptions, DecisionState>(
  async (options) => new AdmissionLoad(await connectOnce(options.address), options),
);
