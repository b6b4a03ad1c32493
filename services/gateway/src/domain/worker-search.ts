import { chooseWorker, type WorkerChoice } from './choose-worker.ts';
import type { DetourMemory } from './detour-memory.ts';
import type { FleetTable } from './fleet-table.ts';
import type { WantedModel } from './worker-index.ts';

const OFFERS = 3;
const NOBODY: ReadonlySet<string> = new Set();

export interface WorkerSearchOptions {
  readonly fleet: FleetTable;
  readonly random: () => number;
  readonly detours: DetourMemory;
  readonly examined: { readonly model: WantedModel; readonly affinity: number };
}

/** Whom a job may still be offered to: nobody twice, but for those who were only slow. */
export class WorkerSearch {
  readonly #options: WorkerSearchOptions;
  // Made anew by a change, which most searches never see.
  #tried = NOBODY;
  /** Those among them that are asked again once there is no other: one that did not answer in time, for instance. */
  #slow = NOBODY;
  #offers = 0;

  constructor(options: WorkerSearchOptions) {
    this.#options = options;
  }

  /** Enough workers were asked. */
  get isOver(): boolean {
    return this.#offers >= OFFERS;
  }

  /** Whether there is anybody who has not been asked. */
  get hasOther(): boolean {
    return this.#candidate() !== undefined;
  }

  /** Whether anybody serves the model, asked or not. */
  get isServed(): boolean {
    const { fleet, examined } = this.#options;
    return fleet.candidates(examined.model, NOBODY).length > 0;
  }

  /** Whoever was only slow is better than nobody, and is given more time. Nobody once enough were asked. */
  next(): WorkerChoice | undefined {
    if (this.isOver) return undefined;
    const choice = this.#candidate();
    if (choice !== undefined || this.#slow.size === 0) return choice;
    this.#tried = this.#tried.difference(this.#slow);
    this.#slow = NOBODY;
    return this.#candidate();
  }

  offered({ worker, reason }: WorkerChoice): void {
    this.#offers += 1;
    const { detours, examined } = this.#options;
    if (reason === 'affinity') detours.forget(examined.affinity);
    else detours.remember(examined.affinity, worker.id);
  }

  exclude(worker: string): void {
    this.#tried = new Set(this.#tried).add(worker);
  }

  /** Whether one that has not answered yet was passed over, for there is somebody else to ask. */
  passOver(worker: string): boolean {
    this.exclude(worker);
    if (this.isOver || !this.hasOther) return false;
    this.#slow = new Set(this.#slow).add(worker);
    return true;
  }

  /** Time has passed: those who had no room then may have some now. */
  beginAnew(except: string): void {
    this.#offers = 0;
    this.#slow = NOBODY;
    this.#tried = new Set([except]);
  }

  /** As {@link beginAnew}, of anybody; but of one only, since who waits asks again and again. */
  askOnce(): void {
    this.#offers = OFFERS - 1;
    this.#slow = NOBODY;
    this.#tried = NOBODY;
  }

  readmit(worker: string): void {
    this.#tried = this.#tried.difference(new Set([worker]));
  }

  /** As {@link readmit}, once there is no other to offer the job to. */
  readmitLast(worker: string): void {
    this.#slow = new Set(this.#slow).add(worker);
  }

  #candidate(): WorkerChoice | undefined {
    const { fleet, random, detours, examined } = this.#options;
    const { model, affinity } = examined;
    const lastWorker = detours.get(affinity);
    return chooseWorker(fleet.candidates(model, this.#tried), { affinity, lastWorker, random });
  }
}
