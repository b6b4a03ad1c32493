import {
  DEFAULT_WEIGHT,
  SCHEDULING_CLASSES,
  type ClassLoad,
  type Scheduling,
} from '@sluice/contracts';
import { EQUAL_SHARE, FairQueue, type Share } from './fair-queue.ts';

/** The organization of a job, and how it is scheduled. The header of a job has these fields. */
export interface JobOwner extends SchedulingFields {
  readonly organization: string;
}

type SchedulingFields = { readonly [Field in keyof Scheduling]?: Scheduling[Field] | undefined };

export interface ClassQueueOptions<Job> {
  readonly ownerOf: (job: Job) => JobOwner;
  readonly bytesOf: (job: Job) => number;
  /** How many percent of the tokens a class gets at least, even while jobs of higher classes wait. */
  readonly leastPercent: number;
}

export interface UsedClass extends Readonly<ClassLoad> {
  /** Tokens of ended jobs, since the start. */
  readonly tokens: number;
}

interface SchedulingClass<Job> {
  readonly number: number;
  readonly queue: FairQueue<Job>;
  tokens: number;
  /**
   * How far the class is behind its least share, in hundredths of a token. While it has jobs that may start, each token
   * of a higher class adds the least percentage. Tokens of the class itself are subtracted.
   */
  credit: number;
  /** Running jobs that were started before jobs of a higher class because of this credit. */
  readonly onCredit: Set<Job>;
}

/** Weight of the newest job in the moving average of tokens, which covers about ten jobs. */
const NEWEST_WEIGHT = 0.2;

/**
 * A queue in which jobs of a higher class go first, and organizations of one class share fairly. A lower class keeps a
 * least share of the tokens: it earns credit while it waits, and the class with the most credit goes before higher
 * classes. A job that was started on credit reduces the credit at once, by the mean tokens of recent jobs. Otherwise a
 * class would start several jobs on the credit for one. See docs/decisions/0027.
 */
export class ClassQueue<Job> {
  readonly #options: ClassQueueOptions<Job>;
  /** The classes that were used, the highest first. */
  #classes: readonly SchedulingClass<Job>[] = [];
  readonly #byNumber = new Map<number, SchedulingClass<Job>>();
  /** Mean of the tokens of recent jobs. */
  #meanTokens = 0;

  constructor(options: ClassQueueOptions<Job>) {
    this.#options = options;
  }

  get size(): number {
    return this.#sum(({ queue }) => queue.size);
  }

  /** Bytes of all waiting jobs. */
  get bytes(): number {
    return this.#sum(({ queue }) => queue.bytes);
  }

  /** Bytes of the waiting jobs of the job's organization. */
  bytesFor(job: Job): number {
    const { organization } = this.#options.ownerOf(job);
    return this.#sum(({ queue }) => queue.bytesFor(organization));
  }

  /** Number of remembered organizations in all classes. */
  get tenants(): number {
    return this.#sum(({ queue }) => queue.tenants);
  }

  /** The classes that were used since the start, the highest first. */
  get loads(): readonly UsedClass[] {
    return this.#classes.map(({ number, queue: { running, size }, tokens }) => ({
      class: number,
      running,
      queued: size,
      tokens,
    }));
  }

  /** The organizations that run as many jobs as they may. */
  get atTheirBound(): string[] {
    return this.#classes.flatMap(({ queue }) => [...queue.atTheirBound()]);
  }

  enqueue(job: Job): void {
    const owner = this.#options.ownerOf(job);
    this.#classOf(owner).queue.enqueue(owner.organization, job, shareOf(owner));
  }

  /** Takes the job that is to start next, and counts it as running. Undefined if none may start. */
  next(): Job | undefined {
    const [only] = this.#classes;
    if (this.#classes.length === 1) return only?.queue.next();
    let highest: SchedulingClass<Job> | undefined;
    let credited: SchedulingClass<Job> | undefined;
    let mostCredit = 0;
    for (const one of this.#classes) {
      if (!one.queue.hasNext) continue;
      if (highest === undefined) {
        highest = one;
        continue;
      }
      const credit = this.#freeCredit(one);
      if (credit > mostCredit) {
        credited = one;
        mostCredit = credit;
      }
    }
    const from = credited ?? highest;
    const job = from?.queue.next();
    if (from === undefined || job === undefined) return undefined;
    if (from === credited) from.onCredit.add(job);
    this.#settle(from);
    return job;
  }

  /** Whether the job may get a free slot without waiting. */
  mayStartAtOnce(job: Job): boolean {
    const owner = this.#options.ownerOf(job);
    return this.#classOf(owner).queue.mayStartAtOnce(owner.organization, shareOf(owner));
  }

  /** Counts a job as running that got a free slot without waiting. */
  startAtOnce(job: Job): void {
    const owner = this.#options.ownerOf(job);
    this.#classOf(owner).queue.startAtOnce(owner.organization, shareOf(owner));
  }

  /** Charges tokens of a running job. A negative number corrects an earlier estimate. */
  charge(job: Job, tokens: number): void {
    const owner = this.#options.ownerOf(job);
    const own = this.#classOf(owner);
    own.queue.charge(owner.organization, tokens);
    if (this.#classes.length > 1) this.#chargeCredit(own, job, tokens);
  }

  /** Returns a faster `charge`, for the output of a running job. It may be called until the job ends. */
  chargerFor(job: Job): (tokens: number) => void {
    const owner = this.#options.ownerOf(job);
    const own = this.#classOf(owner);
    const charge = own.queue.chargerFor(owner.organization);
    return (tokens) => {
      charge(tokens);
      if (this.#classes.length > 1) this.#chargeCredit(own, job, tokens);
    };
  }

  /** A running job has ended, and was served this many tokens. */
  end(job: Job, tokens: number): void {
    const owner = this.#options.ownerOf(job);
    const own = this.#classOf(owner);
    own.queue.end(owner.organization);
    if (own.onCredit.size > 0) own.onCredit.delete(job);
    own.tokens += tokens;
    this.#meanTokens += NEWEST_WEIGHT * (tokens - this.#meanTokens);
    this.#settle(own);
  }

  /** Removes a waiting job. Returns false if it was not waiting. */
  remove(job: Job): boolean {
    const owner = this.#options.ownerOf(job);
    const own = this.#classOf(owner);
    const removed = own.queue.remove(owner.organization, job);
    this.#settle(own);
    return removed;
  }

  /** How many waiting jobs of the same or a higher class there are. */
  aheadOf(job: Job): number {
    const own = this.#classOf(this.#options.ownerOf(job));
    return this.#sum(({ number, queue }) => (number >= own.number ? queue.size : 0));
  }

  /** How many jobs of the same organization and class wait. */
  ownSize(job: Job): number {
    const owner = this.#options.ownerOf(job);
    return this.#classOf(owner).queue.sizeFor(owner.organization);
  }

  /**
   * Makes room in a full queue for a job: removes and returns another job. Jobs of lower classes make room first, but
   * each class keeps its least share of the places. Returns undefined if the given job has to be refused.
   */
  displaceFor(job: Job): Job | undefined {
    const owner = this.#options.ownerOf(job);
    const own = this.#classOf(owner);
    const leastPlaces = this.size * (this.#leastPercent(own) / 100);
    const excess = ({ queue }: SchedulingClass<Job>) => Math.floor(queue.size - leastPlaces);
    const lower = this.#classes.findLast((one) => one.number < own.number && excess(one) > 0);
    const from = lower ?? (excess(own) < 0 ? this.#classWithMost(excess) : undefined);
    const displaced =
      from?.queue.displaceNewest() ?? own.queue.displaceFor(owner.organization, shareOf(owner));
    this.#settle(from ?? own);
    return displaced;
  }

  /**
   * Makes room for the bytes of a job. In the class with the most bytes of one organization, the newest job with bytes
   * of this organization is removed and returned. Returns undefined if the given job's organization would itself have
   * the most bytes, so the given job has to be refused.
   */
  displaceBytesFor(job: Job): Job | undefined {
    const most = this.#classWithMost(({ queue }) => queue.mostBytes);
    if (most === undefined) return undefined;
    if (this.bytesFor(job) + this.#options.bytesOf(job) >= most.queue.mostBytes) return undefined;
    const displaced = most.queue.displaceBytes();
    this.#settle(most);
    return displaced;
  }

  #chargeCredit(own: SchedulingClass<Job>, job: Job, tokens: number): void {
    const percent = this.#leastPercent(own);
    for (const one of this.#classes) {
      if (one.number < own.number && one.queue.hasNext) one.credit += percent * tokens;
    }
    if (own.onCredit.has(job)) {
      // The class earns its percentage of its own tokens too.
      own.credit -= (100 - percent) * tokens;
    } else if (tokens > 0) {
      // A job that was started without credit uses up the credit too, down to minus one mean job. More debt would be
      // unfair, because no job of a higher class waited when this one started.
      own.credit = Math.max(own.credit - 100 * tokens, Math.min(own.credit, this.#debtOfOne));
    }
  }

  /** The credit that one mean job uses up, as a negative number. */
  get #debtOfOne(): number {
    return -100 * this.#meanTokens;
  }

  /** The credit that is left after the running jobs that were started on it. */
  #freeCredit({ credit, onCredit }: SchedulingClass<Job>): number {
    return credit + onCredit.size * this.#debtOfOne;
  }

  /** The least share of one class, but never more than an equal share of all classes that compete. */
  #leastPercent(own: SchedulingClass<Job>): number {
    let competing = 0;
    for (const one of this.#classes) {
      if (one === own || one.queue.size > 0) competing += 1;
    }
    return Math.min(this.#options.leastPercent, 100 / competing);
  }

  /** A class without waiting jobs loses its credit, and without remembered organizations also its debt. */
  #settle(one: SchedulingClass<Job>): void {
    if (one.credit === 0) return;
    if (one.queue.size === 0) one.credit = Math.min(0, one.credit);
    if (one.queue.tenants === 0) one.credit = 0;
  }

  #classOf({ scheduling_class = SCHEDULING_CLASSES.default }: JobOwner): SchedulingClass<Job> {
    return this.#byNumber.get(scheduling_class) ?? this.#addClass(scheduling_class);
  }

  /** A newer gateway may know more classes. A job of an unknown class is counted as one of the nearest known class. */
  #addClass(scheduling_class: number): SchedulingClass<Job> {
    const { lowest, highest } = SCHEDULING_CLASSES;
    const number = Math.min(highest, Math.max(lowest, scheduling_class));
    const known = this.#byNumber.get(number);
    if (known !== undefined) return known;
    const queue = new FairQueue<Job>(this.#options.bytesOf);
    const added = { number, queue, tokens: 0, credit: 0, onCredit: new Set<Job>() };
    this.#byNumber.set(number, added);
    this.#classes = [...this.#byNumber.values()].toSorted(
      (one, other) => other.number - one.number,
    );
    return added;
  }

  #classWithMost(
    amountOf: (one: SchedulingClass<Job>) => number,
  ): SchedulingClass<Job> | undefined {
    let most: SchedulingClass<Job> | undefined;
    for (const one of this.#classes) {
      if (amountOf(one) > (most === undefined ? 0 : amountOf(most))) most = one;
    }
    return most;
  }

  #sum(amountOf: (one: SchedulingClass<Job>) => number): number {
    let sum = 0;
    for (const one of this.#classes) sum += amountOf(one);
    return sum;
  }
}

function shareOf({ weight = DEFAULT_WEIGHT, slots_per_worker: slots = Infinity }: JobOwner): Share {
  return weight === DEFAULT_WEIGHT && slots === Infinity ? EQUAL_SHARE : { weight, slots };
}
