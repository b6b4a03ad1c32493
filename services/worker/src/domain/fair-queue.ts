interface Tenant<Job> {
  /** Tokens served to the organization, on a scale that all share. */
  counter: number;
  running: number;
  readonly waiting: Job[];
  waitingBytes: number;
}

/** So few idle organizations are not worth a look at who of them is in debt. */
const FEW_IDLE = 64;

/**
 * A queue that is fair between organizations by tokens served: start-time fair queueing. Each has a counter that grows
 * with what it was given; the lowest goes next. Who has nothing waiting is lifted to where the others have begun
 * meanwhile, so that nobody saves up a claim, be it by a generation that takes hardly anything. What was used while
 * nobody waited is owed only until somebody begins at or beyond it; a debt above that is found again.
 */
export class FairQueue<Job> {
  readonly #bytesOf: (job: Job) => number;
  readonly #tenants = new Map<string, Tenant<Job>>();
  /** Those with jobs that run or wait: all that are remembered may be thousands, too many to look at for each job. */
  readonly #active = new Set<Tenant<Job>>();
  /** Whoever began to wait first is first. */
  readonly #waiting = new Set<Tenant<Job>>();
  /** With more idle ones than this it is time to forget. */
  #idleLimit = FEW_IDLE;
  #size = 0;
  #bytes = 0;
  /**
   * The highest counter at which a job was given its slot when nobody with a lower one waited. It never falls, but
   * with all counters, once nobody is active.
   */
  #reached = 0;
  /** The highest level to which anybody was lifted, on the same terms. */
  #lifted = 0;

  constructor(bytesOf: (job: Job) => number) {
    this.#bytesOf = bytesOf;
  }

  get size(): number {
    return this.#size;
  }

  /** Of all jobs that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Of those that wait for the organization. */
  bytesFor(organization: string): number {
    return this.#tenants.get(organization)?.waitingBytes ?? 0;
  }

  /**
   * Organizations that are remembered: the active ones, those in debt to them, and for a while other idle ones. None
   * once nobody is active.
   */
  get tenants(): number {
    return this.#tenants.size;
  }

  enqueue(organization: string, job: Job): void {
    const tenant = this.#enter(organization);
    tenant.waiting.push(job);
    this.#count(tenant, job, 1);
  }

  /** The oldest job of the organization that was served least, now counted as running. */
  next(): Job | undefined {
    let chosen: Tenant<Job> | undefined;
    for (const tenant of this.#waiting) {
      if (chosen === undefined || goesBefore(tenant, chosen)) chosen = tenant;
    }
    const job = chosen?.waiting.shift();
    if (chosen === undefined || job === undefined) return undefined;
    this.#count(chosen, job, -1);
    this.#reached = Math.max(this.#reached, chosen.counter);
    chosen.running += 1;
    return job;
  }

  /** A job that found a free slot and never waited. */
  startAtOnce(organization: string): void {
    const tenant = this.#enter(organization);
    tenant.running += 1;
    // Beside those who wait it says nothing of how far they have come: newcomers would be put behind them.
    if (this.#size === 0) this.#reached = Math.max(this.#reached, tenant.counter);
  }

  /** A running job has ended. */
  end(organization: string): void {
    const tenant = this.#tenants.get(organization);
    if (tenant === undefined) return;
    tenant.running -= 1;
    this.#noteRest(tenant);
  }

  /** Takes a job out that waits no longer. False when it was not waiting. */
  remove(organization: string, job: Job): boolean {
    const tenant = this.#tenants.get(organization);
    const at = tenant?.waiting.indexOf(job) ?? -1;
    if (tenant === undefined || at === -1) return false;
    tenant.waiting.splice(at, 1);
    this.#count(tenant, job, -1);
    this.#noteRest(tenant);
    return true;
  }

  /**
   * Adds tokens to what the organization was served; an earlier estimate is corrected by a negative number, but not to
   * below where others have entered: the estimate may have raised that level, and its owner would go before all of
   * them. While nobody enters, all of it is given back.
   */
  charge(organization: string, tokens: number): void {
    const tenant = this.#tenants.get(organization);
    if (tenant === undefined) return;
    const { counter } = tenant;
    tenant.counter = Math.max(counter + tokens, Math.min(counter, this.#lifted));
  }

  /**
   * Makes room in a full queue for an organization that has fewer jobs in it than another: takes out and returns
   * the newest job of the one with most. Undefined when that would only turn the inequality round.
   */
  displaceFor(organization: string): Job | undefined {
    const own = this.#tenants.get(organization)?.waiting.length ?? 0;
    let most: Tenant<Job> | undefined;
    for (const tenant of this.#waiting) {
      if (most === undefined || tenant.waiting.length > most.waiting.length) most = tenant;
    }
    if (most === undefined || own + 1 >= most.waiting.length) return undefined;
    const displaced = most.waiting.pop();
    if (displaced !== undefined) this.#count(most, displaced, -1);
    return displaced;
  }

  /**
   * The same for want of bytes: takes out and returns the newest job that has any, of the organization with most of
   * them. Undefined when that would only turn the inequality round.
   */
  displaceBytesFor(organization: string, bytes: number): Job | undefined {
    let most: Tenant<Job> | undefined;
    for (const tenant of this.#waiting) {
      if (most === undefined || tenant.waitingBytes > most.waitingBytes) most = tenant;
    }
    if (most === undefined || this.bytesFor(organization) + bytes >= most.waitingBytes) {
      return undefined;
    }
    const at = most.waiting.findLastIndex((job) => this.#bytesOf(job) > 0);
    const [displaced] = most.waiting.splice(at, 1);
    if (displaced !== undefined) this.#count(most, displaced, -1);
    this.#noteRest(most);
    return displaced;
  }

  /** A job has come to those of the organization that wait, or has left them. */
  #count(tenant: Tenant<Job>, job: Job, change: 1 | -1): void {
    const bytes = change * this.#bytesOf(job);
    this.#size += change;
    this.#bytes += bytes;
    tenant.waitingBytes += bytes;
    if (tenant.waiting.length > 0) this.#waiting.add(tenant);
    else this.#waiting.delete(tenant);
  }

  #enter(organization: string): Tenant<Job> {
    const tenant = this.#tenants.get(organization) ?? newTenant();
    // What it runs may take hardly anything: as long as it has nothing waiting, it has no claim to more.
    if (tenant.waiting.length === 0) this.#lift(tenant);
    this.#tenants.set(organization, tenant);
    this.#active.add(tenant);
    return tenant;
  }

  /** To the level of newcomers, who come from a counter of zero. */
  #lift(tenant: Tenant<Job>): void {
    const level = this.#newcomersLevel();
    if (tenant.counter >= level) return;
    tenant.counter = level;
    this.#lifted = Math.max(this.#lifted, level);
  }

  /** Behind nobody who waits: one whose estimate was corrected may do so below what was reached. */
  #newcomersLevel(): number {
    const reached = Math.max(this.#reached, lowestOf(this.#active) ?? 0);
    return Math.min(reached, lowestOf(this.#waiting) ?? reached);
  }

  /** It may have become idle. With nobody active all are equal, and nothing is worth remembering. */
  #noteRest(tenant: Tenant<Job>): void {
    if (tenant.running > 0 || tenant.waiting.length > 0) return;
    this.#active.delete(tenant);
    if (this.#active.size === 0) {
      this.#tenants.clear();
      this.#reached = 0;
      this.#lifted = 0;
      this.#idleLimit = FEW_IDLE;
    } else if (this.#idle > this.#idleLimit) this.#forgetIdle();
  }

  get #idle(): number {
    return this.#tenants.size - this.#active.size;
  }

  /**
   * An idle organization at or below the level of newcomers would be lifted anyway. It is looked for again when there
   * are twice as many as are left, so that a look costs each job little, however many are in debt.
   */
  #forgetIdle(): void {
    const level = this.#newcomersLevel();
    for (const [organization, tenant] of this.#tenants) {
      if (!this.#active.has(tenant) && tenant.counter <= level) this.#tenants.delete(organization);
    }
    this.#idleLimit = Math.max(FEW_IDLE, 2 * this.#idle);
  }
}

function newTenant<Job>(): Tenant<Job> {
  return { counter: 0, running: 0, waiting: [], waitingBytes: 0 };
}

function lowestOf(tenants: Iterable<Tenant<unknown>>): number | undefined {
  let lowest: number | undefined;
  for (const { counter } of tenants) {
    if (lowest === undefined || counter < lowest) lowest = counter;
  }
  return lowest;
}

/** Between equals, the one with fewer jobs at work; neither if they have as many. */
function goesBefore(one: Tenant<unknown>, other: Tenant<unknown>): boolean {
  return one.counter === other.counter ? one.running < other.running : one.counter < other.counter;
}
