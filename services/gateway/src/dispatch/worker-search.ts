import type { PromptPrefix } from '@sluice/contracts';
import type { WorkerChoice } from '../fleet/choose-worker.ts';
import type { FleetTable } from '../fleet/fleet-table.ts';
import {
  orderTargets,
  type OrderedTargets,
  type ServingTarget,
  type TargetedModel,
} from '../fleet/order-targets.ts';

/** A job is offered to at most this many workers of a target. */
const MAX_OFFERS = 3;
const NONE: ReadonlySet<string> = new Set();

export interface WorkerSearchOptions {
  readonly fleet: FleetTable;
  readonly random: () => number;
  /** Workers at which the organization holds all slots that its plan allows. They are chosen last. */
  readonly fullWorkers?: (() => ReadonlySet<string>) | undefined;
  readonly examined: {
    readonly model: TargetedModel;
    readonly conversation: number;
    readonly prefix: PromptPrefix;
  };
}

/**
 * The workers that a job can still be offered to: those of its conversation's target, then those of the next targets.
 * A job is offered to the same worker again only if that worker was slow to answer, or may do better in a retry.
 */
export class WorkerSearch {
  readonly #options: WorkerSearchOptions;
  /** All targets of the job, in the order of its conversation. */
  readonly targets: OrderedTargets;
  /** The index of the current target in `targets`. */
  #rank = 0;
  // The sets are copied on change, because most searches never change them.
  /** Workers that the job is not offered to. */
  #tried = NONE;
  /** Workers in `#tried` that are offered the job again if no other worker is left. */
  #lastResorts = NONE;
  #offers = 0;
  /** The value that `#offers` starts with at each target. */
  #offersBefore = 0;

  constructor(options: WorkerSearchOptions) {
    this.#options = options;
    const { model, conversation } = options.examined;
    this.targets = orderTargets(model, conversation);
  }

  /** The target whose workers are asked now. */
  get target(): ServingTarget {
    return this.targets[this.#rank] ?? this.targets[0];
  }

  /** Whether the maximum number of offers has been made at the current target. */
  get isOver(): boolean {
    return this.#offers >= MAX_OFFERS;
  }

  /** Whether there is a worker of any target that has not been asked. */
  get hasOther(): boolean {
    const { fleet } = this.#options;
    return this.targets.some((target) => fleet.candidates(target, this.#tried).length > 0);
  }

  /** Whether any worker serves the model, asked or not. */
  get isServed(): boolean {
    const { fleet } = this.#options;
    return this.targets.some((target) => fleet.candidates(target, NONE).length > 0);
  }

  /** Goes on with the workers of the next target. Returns whether there is one. */
  useNextTarget(): boolean {
    if (this.#rank + 1 >= this.targets.length) return false;
    this.#rank += 1;
    this.#offers = this.#offersBefore;
    this.#lastResorts = NONE;
    return true;
  }

  /** The next worker to offer the job to. Undefined if there is none, or after the maximum number of offers. */
  next(): WorkerChoice | undefined {
    if (this.isOver) return undefined;
    const choice = this.#candidate();
    if (choice !== undefined || this.#lastResorts.size === 0) return choice;
    this.#tried = this.#tried.difference(this.#lastResorts);
    this.#lastResorts = NONE;
    return this.#candidate();
  }

  /** Counts an offer, and notes that the cache of the worker will hold the prompt. */
  offered({ worker }: WorkerChoice): void {
    this.#offers += 1;
    const { fleet, examined } = this.#options;
    fleet.recordPrompt(worker, examined.prefix);
  }

  exclude(worker: string): void {
    this.#tried = new Set(this.#tried).add(worker);
  }

  /** Skips a worker that has not answered yet, if its target has another one. Returns whether it was skipped. */
  skipIfOthersRemain(worker: string): boolean {
    this.exclude(worker);
    if (this.isOver || this.#candidate() === undefined) return false;
    this.#lastResorts = new Set(this.#lastResorts).add(worker);
    return true;
  }

  /** Starts over, because workers that were full before may have room now. */
  restart(except: string): void {
    this.#startAtFirstTarget(0);
    this.#tried = new Set([except]);
  }

  /** Starts over with a single offer at each target. Used by a job that waits and asks at every heartbeat. */
  allowOneOffer(): void {
    this.#startAtFirstTarget(MAX_OFFERS - 1);
    this.#tried = NONE;
  }

  allowAgain(worker: string): void {
    this.#tried = this.#tried.difference(new Set([worker]));
  }

  /** Like `allowAgain`, but the worker is asked again only if no other worker is left. */
  allowAgainLast(worker: string): void {
    this.#lastResorts = new Set(this.#lastResorts).add(worker);
  }

  #startAtFirstTarget(offersBefore: number): void {
    this.#rank = 0;
    this.#offersBefore = offersBefore;
    this.#offers = offersBefore;
    this.#lastResorts = NONE;
  }

  #candidate(): WorkerChoice | undefined {
    const { fleet, random, examined, fullWorkers } = this.#options;
    const { prefix } = examined;
    const { target } = this;
    const full = fullWorkers?.() ?? NONE;
    const among = (except: ReadonlySet<string>) => fleet.choose(target, { prefix, except, random });
    const other = full.size > 0 ? among(this.#tried.union(full)) : undefined;
    return other ?? among(this.#tried);
  }
}
