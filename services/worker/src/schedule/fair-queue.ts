/** An organization in the queue. */
interface Tenant<Job> {
  /** The organization's virtual time: the units that it was served. It is raised when it becomes active again. */
  counter: number;
  share: Share;
  unitsPerToken: number;
  running: number;
  readonly waiting: Job[];
  /** It has waiting jobs, but runs as many jobs as it may. */
  blocked: boolean;
  waitingBytes: number;
}

/** What an organization may get of the slots. */
export interface Share {
  /** Organizations with waiting jobs are served tokens in proportion to their weights. */
  readonly weight: number;
  /** How many of its jobs may run at once. Further jobs wait even if slots are free. */
  readonly slots: number;
}

export const EQUAL_SHARE: Share = { weight: 1, slots: Infinity };

/** The lowest value of `#idleLimit`. */
const MIN_IDLE_LIMIT = 64;

/**
 * Counters are integers, so that equal ones compare as equal: a token of weight 1 is this many units. The number is
 * divisible by 1 to 16, so that these weights are exact.
 */
const UNITS = 720_720;

/**
 * A queue that is fair between organizations by tokens served: start-time fair queueing. Each organization has a
 * counter of the tokens it was served, divided by its weight, and the lowest counter goes next. An organization that
 * queues its first job starts at the current virtual time, so idle time earns no credit, even if a slow generation was
 * running meanwhile. If its counter is above the virtual time, the organization is in debt, and the counter is kept
 * while it is idle.
 *
 * An organization that runs as many jobs as it may is skipped. When one of its jobs ends, the organization continues at
 * the current virtual time, because it was not allowed to use the slots in between.
 */
export class FairQueue<Job> {
  readonly #bytesOf: (job: Job) => number;
  readonly #tenants = new Map<string, Tenant<Job>>();
  /** Tenants with running or waiting jobs. Kept apart because `#tenants` may hold thousands of idle ones. */
  readonly #active = new Set<Tenant<Job>>();
  /** Tenants with waiting jobs that may start, in the order in which they began to wait. */
  readonly #startable = new Set<Tenant<Job>>();
  /** Idle tenants are forgotten when there are more than this. */
  #idleLimit = MIN_IDLE_LIMIT;
  #size = 0;
  #bytes = 0;
  #running = 0;
  /** The highest counter at which a job got its slot while no tenant with a lower counter waited. */
  #highestStart = 0;
  /** The highest counter that a tenant was raised to when it became active. */
  #highestEntry = 0;

  constructor(bytesOf: (job: Job) => number) {
    this.#bytesOf = bytesOf;
  }

  get size(): number {
    return this.#size;
  }

  get running(): number {
    return this.#running;
  }

  /** Bytes of all waiting jobs. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether a waiting job may start. */
  get hasNext(): boolean {
    return this.#startable.size > 0;
  }

  /** Number of the organization's waiting jobs. */
  sizeFor(organization: string): number {
    return this.#tenants.get(organization)?.waiting.length ?? 0;
  }

  /** Bytes of the organization's waiting jobs. */
  bytesFor(organization: string): number {
    return this.#tenants.get(organization)?.waitingBytes ?? 0;
  }

  /** Number of remembered organizations: active ones, idle ones in debt, and for a while other idle ones. */
  get tenants(): number {
    return this.#tenants.size;
  }

  /** The organizations that run as many jobs as they may. */
  *atTheirBound(): Iterable<string> {
    for (const [organization, { running, share }] of this.#tenants) {
      if (running >= share.slots) yield organization;
    }
  }

  enqueue(organization: string, job: Job, share = EQUAL_SHARE): void {
    const tenant = this.#enter(organization, share);
    tenant.waiting.push(job);
    this.#countWaiting(tenant, job, 1);
  }

  /** Takes the oldest job of the organization with the lowest counter, and counts it as running. */
  next(): Job | undefined {
    let chosen: Tenant<Job> | undefined;
    for (const tenant of this.#startable) {
      if (chosen === undefined || goesBefore(tenant, chosen)) chosen = tenant;
    }
    const job = chosen?.waiting.shift();
    if (chosen === undefined || job === undefined) return undefined;
    this.#highestStart = Math.max(this.#highestStart, chosen.counter);
    chosen.running += 1;
    this.#running += 1;
    this.#countWaiting(chosen, job, -1);
    return job;
  }

  /** Whether a job of the organization may get a free slot without waiting. */
  mayStartAtOnce(organization: string, { slots }: Share): boolean {
    const tenant = this.#tenants.get(organization);
    return tenant === undefined || (tenant.waiting.length === 0 && tenant.running < slots);
  }

  /** Counts a job that got a free slot without waiting as running. */
  startAtOnce(organization: string, share = EQUAL_SHARE): void {
    const tenant = this.#enter(organization, share);
    tenant.running += 1;
    this.#running += 1;
    // While other jobs wait, the virtual time must not follow this start: the waiting tenants may have lower counters,
    // and newcomers would then start behind them.
    if (!this.hasNext) this.#highestStart = Math.max(this.#highestStart, tenant.counter);
  }

  /** A running job has ended. */
  end(organization: string): void {
    const tenant = this.#tenants.get(organization);
    if (tenant === undefined) return;
    tenant.running -= 1;
    this.#running -= 1;
    if (tenant.blocked) this.#updateStartable(tenant);
    this.#releaseIfIdle(tenant);
  }

  /** Removes a waiting job. Returns false if it was not waiting. */
  remove(organization: string, job: Job): boolean {
    const tenant = this.#tenants.get(organization);
    const at = tenant?.waiting.indexOf(job) ?? -1;
    if (tenant === undefined || at === -1) return false;
    tenant.waiting.splice(at, 1);
    this.#countWaiting(tenant, job, -1);
    this.#releaseIfIdle(tenant);
    return true;
  }

  /**
   * Adds tokens to the organization's counter. A negative number corrects an earlier estimate, but does not reduce the
   * counter to below the highest entry. The estimate may have raised the counters of tenants that became active since.
   * Below that, the corrected tenant would go before all of them.
   */
  charge(organization: string, tokens: number): void {
    const tenant = this.#tenants.get(organization);
    if (tenant !== undefined) this.#charge(tenant, tokens);
  }

  /** Returns a faster `charge`, for the output of a running job. It may be called until the job ends. */
  chargerFor(organization: string): (tokens: number) => void {
    const tenant = this.#tenants.get(organization);
    return tenant === undefined ? () => undefined : (tokens) => this.#charge(tenant, tokens);
  }

  #charge(tenant: Tenant<Job>, tokens: number): void {
    const { counter, unitsPerToken } = tenant;
    const charged = counter + tokens * unitsPerToken;
    tenant.counter = Math.max(charged, Math.min(counter, this.#highestEntry));
  }

  /**
   * Makes room in a full queue for a job of an organization: removes and returns the newest job of the organization
   * with most waiting jobs for its weight. Returns undefined if the given organization would itself have the most, so
   * its job has to be refused.
   */
  displaceFor(organization: string, { weight } = EQUAL_SHARE): Job | undefined {
    const own = (this.sizeFor(organization) + 1) / weight;
    const most = this.#mostWaiting();
    return most === undefined || own >= placesOf(most) ? undefined : this.#takeNewest(most);
  }

  /** Removes and returns the newest job of the organization with most waiting jobs for its weight. */
  displaceNewest(): Job | undefined {
    const most = this.#mostWaiting();
    return most && this.#takeNewest(most);
  }

  /** The most bytes that the waiting jobs of one organization have. */
  get mostBytes(): number {
    return this.#withMostBytes()?.waitingBytes ?? 0;
  }

  /** Removes and returns the newest job with bytes of the organization with most waiting bytes. */
  displaceBytes(): Job | undefined {
    const most = this.#withMostBytes();
    const at = most?.waiting.findLastIndex((job) => this.#bytesOf(job) > 0) ?? -1;
    if (most === undefined || at === -1) return undefined;
    const [displaced] = most.waiting.splice(at, 1);
    if (displaced !== undefined) this.#countWaiting(most, displaced, -1);
    this.#releaseIfIdle(most);
    return displaced;
  }

  #takeNewest(tenant: Tenant<Job>): Job | undefined {
    const displaced = tenant.waiting.pop();
    if (displaced !== undefined) this.#countWaiting(tenant, displaced, -1);
    this.#releaseIfIdle(tenant);
    return displaced;
  }

  #mostWaiting(): Tenant<Job> | undefined {
    let most: Tenant<Job> | undefined;
    for (const tenant of this.#active) {
      if (tenant.waiting.length === 0) continue;
      if (most === undefined || placesOf(tenant) > placesOf(most)) most = tenant;
    }
    return most;
  }

  #withMostBytes(): Tenant<Job> | undefined {
    let most: Tenant<Job> | undefined;
    for (const tenant of this.#active) {
      if (tenant.waitingBytes > (most?.waitingBytes ?? 0)) most = tenant;
    }
    return most;
  }

  /** Updates the totals after a job was added to or removed from the tenant's waiting jobs. */
  #countWaiting(tenant: Tenant<Job>, job: Job, change: 1 | -1): void {
    const bytes = change * this.#bytesOf(job);
    this.#size += change;
    this.#bytes += bytes;
    tenant.waitingBytes += bytes;
    this.#updateStartable(tenant);
  }

  /** Notes whether the tenant has waiting jobs and whether they may start. */
  #updateStartable(tenant: Tenant<Job>): void {
    const wasBlocked = tenant.blocked;
    tenant.blocked = tenant.waiting.length > 0 && tenant.running >= tenant.share.slots;
    if (tenant.blocked || tenant.waiting.length === 0) this.#startable.delete(tenant);
    else {
      if (wasBlocked) this.#catchUp(tenant);
      this.#startable.add(tenant);
    }
  }

  #enter(organization: string, share: Share): Tenant<Job> {
    const tenant = this.#tenants.get(organization) ?? newTenant<Job>();
    if (tenant.share !== share) {
      tenant.share = share;
      tenant.unitsPerToken = Math.max(1, Math.round(UNITS / share.weight));
      this.#updateStartable(tenant);
    }
    // This holds for a tenant with running jobs too: a slow generation uses few tokens and must not earn credit.
    if (tenant.waiting.length === 0) this.#catchUp(tenant);
    this.#tenants.set(organization, tenant);
    this.#active.add(tenant);
    return tenant;
  }

  /** Raises the tenant's counter to the current virtual time. */
  #catchUp(tenant: Tenant<Job>): void {
    const virtualTime = this.#virtualTime();
    if (tenant.counter >= virtualTime) return;
    tenant.counter = virtualTime;
    this.#highestEntry = Math.max(this.#highestEntry, virtualTime);
  }

  /**
   * The counter of a tenant that becomes active. It is not above that of any tenant whose jobs may start: a correction
   * may have reduced the counter of a waiting tenant to below the highest start.
   */
  #virtualTime(): number {
    const reached = Math.max(this.#highestStart, lowestOf(this.#active) ?? 0);
    return Math.min(reached, lowestOf(this.#startable) ?? reached);
  }

  /** When no tenant is active any more, every counter is reset, so all tenants start equal. */
  #releaseIfIdle(tenant: Tenant<Job>): void {
    if (tenant.running > 0 || tenant.waiting.length > 0) return;
    this.#active.delete(tenant);
    if (this.#active.size === 0) {
      this.#tenants.clear();
      this.#highestStart = 0;
      this.#highestEntry = 0;
      this.#idleLimit = MIN_IDLE_LIMIT;
    } else if (this.#idle > this.#idleLimit) this.#forgetIdle();
  }

  get #idle(): number {
    return this.#tenants.size - this.#active.size;
  }

  /**
   * Forgets idle tenants without a debt. The next pass waits until the number of idle tenants has doubled, so that its
   * cost for each job stays small even if many tenants are in debt.
   */
  #forgetIdle(): void {
    const virtualTime = this.#virtualTime();
    for (const [organization, tenant] of this.#tenants) {
      const isForgettable = !this.#active.has(tenant) && tenant.counter <= virtualTime;
      if (isForgettable) this.#tenants.delete(organization);
    }
    this.#idleLimit = Math.max(MIN_IDLE_LIMIT, 2 * this.#idle);
  }
}

function newTenant<Job>(): Tenant<Job> {
  return {
    counter: 0,
    share: EQUAL_SHARE,
    unitsPerToken: UNITS,
    running: 0,
    waiting: [],
    blocked: false,
    waitingBytes: 0,
  };
}

/** The places in the queue that the tenant takes, in relation to its weight. */
function placesOf({ waiting, share }: Tenant<unknown>): number {
  return waiting.length / share.weight;
}

function lowestOf(tenants: Iterable<Tenant<unknown>>): number | undefined {
  let lowest: number | undefined;
  for (const { counter } of tenants) {
    if (lowest === undefined || counter < lowest) lowest = counter;
  }
  return lowest;
}

/** With equal counters, the tenant with fewer running jobs for its weight goes first. */
function goesBefore(one: Tenant<unknown>, other: Tenant<unknown>): boolean {
  if (one.counter !== other.counter) return one.counter < other.counter;
  return one.running / one.share.weight < other.running / other.share.weight;
}
