import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ClassQueue, type JobOwner } from './class-queue.ts';
import { QueueModel, type ModelOrganization } from './queue-model-fixture.ts';

interface Job {
  readonly name: string;
  readonly owner: JobOwner;
}

const anyOrganization = fc.record({
  weight: fc.integer({ min: 1, max: 16 }),
  class: fc.constantFrom(0, 0, 0, 1),
  slots: fc.constantFrom(1, 2, 3, Infinity),
});

/** Few different numbers, so that counters are often equal. */
const anyTokens = fc.constantFrom(0, 0, 10, 100, 1_000);
const anyPlace = fc.nat(20);

const anyStep = fc.oneof(
  // The job is charged these tokens when it starts.
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('arrive' as const), at: anyPlace, tokens: anyTokens }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('serve' as const), at: anyPlace, tokens: anyTokens }),
  },
  // These tokens correct the earlier charge, as the usage of a reply does.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      at: anyPlace,
      tokens: fc.constantFrom(-1_000, -100, 0, 10),
    }),
  },
);

/** The queue and its model, with the slots of a worker. Each step asks both, and their answers are compared. */
class Worker {
  /** What went wrong. */
  readonly faults: unknown[] = [];
  readonly #queue = new ClassQueue<Job>({
    ownerOf: ({ owner }) => owner,
    bytesOf: () => 0,
    leastPercent: 0,
  });
  readonly #model = new QueueModel();
  readonly #organizations: readonly ModelOrganization[];
  readonly #slots: number;
  readonly #estimates = new Map<string, number>();
  readonly #jobs = new Map<string, Job>();
  readonly #running: Job[] = [];

  constructor(organizations: readonly ModelOrganization[], slots: number) {
    this.#organizations = organizations;
    this.#slots = slots;
  }

  arrive(at: number, tokens: number): void {
    const organization = this.#organizations[at % this.#organizations.length];
    if (organization === undefined) throw new RangeError('there is no organization');
    const job = { name: `job-${this.#jobs.size}`, owner: ownerOf(organization) };
    this.#jobs.set(job.name, job);
    this.#estimates.set(job.name, tokens);
    const startsAtOnce = this.#model.mayStartAtOnce(organization);
    this.#compare('may start', this.#queue.mayStartAtOnce(job), startsAtOnce);
    if (this.#isFree && startsAtOnce) {
      this.#queue.startAtOnce(job);
      this.#model.startAtOnce(organization);
      this.#started(job);
    } else {
      this.#queue.enqueue(job);
      this.#model.enqueue(organization, job.name);
    }
    this.#fill();
  }

  serve(at: number, tokens: number): void {
    const job = this.#running[at % this.#running.length];
    if (job === undefined) return;
    this.#queue.chargerFor(job)(tokens);
    this.#model.charge(job.owner.organization, tokens);
  }

  end(at: number, tokens: number): void {
    const [job] = this.#running.splice(at % Math.max(1, this.#running.length), 1);
    if (job === undefined) return;
    this.#charge(job, tokens);
    this.#queue.end(job, tokens);
    this.#model.end(job.owner.organization);
    this.#fill();
  }

  endAll(): void {
    while (this.#running.length > 0) this.end(0, 10);
    this.#compare('waiting', this.#queue.size, 0);
    this.#compare('remembered', this.#queue.tenants, 0);
  }

  get #isFree(): boolean {
    return this.#running.length < this.#slots;
  }

  #fill(): void {
    while (this.#isFree) {
      const expected = this.#model.next();
      const job = this.#queue.next();
      this.#compare('next', job?.name, expected);
      if (job === undefined) break;
      this.#started(job);
    }
    // No slot is free while a job waits that may use it, and no organization holds more slots than it may.
    if (this.#isFree) this.#compare('startable', this.#model.startable, 0);
    for (const { name, slots } of this.#organizations) {
      const running = this.#model.runningOf(name);
      if (running > slots) this.faults.push({ name, running, slots });
    }
  }

  #compare(what: string, found: unknown, expected: unknown): void {
    if (found !== expected) this.faults.push({ what, found, expected });
  }

  #started(job: Job): void {
    this.#running.push(job);
    this.#charge(job, this.#estimates.get(job.name) ?? 0);
  }

  #charge(job: Job, tokens: number): void {
    this.#queue.charge(job, tokens);
    this.#model.charge(job.owner.organization, tokens);
  }
}

function ownerOf({ name, weight, class: scheduling_class, slots }: ModelOrganization): JobOwner {
  return {
    organization: name,
    weight,
    scheduling_class,
    ...(slots !== Infinity && { slots_per_worker: slots }),
  };
}

it('starts jobs in exactly the order of the integer model, after any arrivals, tokens and ends', () => {
  fc.assert(
    fc.property(
      fc.array(anyOrganization, { minLength: 2, maxLength: 5 }),
      fc.integer({ min: 1, max: 6 }),
      fc.array(anyStep, { minLength: 20, maxLength: 200, size: 'max' }),
      (organizations, slots, steps) => {
        const worker = new Worker(
          organizations.map((organization, index) => ({ ...organization, name: `org-${index}` })),
          slots,
        );
        for (const { kind, at, tokens } of steps) worker[kind](at, tokens);
        worker.endAll();
        expect(worker.faults).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});
