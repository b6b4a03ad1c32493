import { CatalogError } from './catalog-error.ts';
import type { CatalogState, CatalogView } from './catalog-state.ts';
import type { StorePosition } from './resource-store.ts';

export interface AnswerGateOptions {
  readonly state: CatalogState;
  /** Whether changes are being heard as they happen. */
  readonly live: () => boolean;
  readonly now: () => number;
  /** How long to wait for a position that was not reached yet. */
  readonly lagWaitMs: number;
  /** How long to answer without hearing of changes. */
  readonly staleAnswersMs: number;
}

/** Lets a question through to the state when the state is fit to answer it. */
export class AnswerGate {
  readonly #options: AnswerGateOptions;
  #deafSince: number | undefined;

  constructor(options: AnswerGateOptions) {
    this.#options = options;
  }

  /** The state, at the position asked for or later; rejects when it cannot get there in time. */
  async open(atLeast: StorePosition | undefined): Promise<CatalogView> {
    const { state, lagWaitMs } = this.#options;
    const wanted = atLeast ?? { epoch: 0, sequence: 0 };
    if (!(await state.reached(wanted, lagWaitMs))) {
      throw new CatalogError(
        'unavailable',
        state.loaded ? 'this replica lags behind' : 'not loaded yet',
      );
    }
    this.#refuseStale();
    return state;
  }

  /** Called from time to time too, so that the clock starts when hearing stops and not at the next question. */
  notice(): void {
    const { live, now } = this.#options;
    if (live()) this.#deafSince = undefined;
    else this.#deafSince ??= now();
  }

  #refuseStale(): void {
    this.notice();
    const { now, staleAnswersMs } = this.#options;
    if (this.#deafSince !== undefined && now() - this.#deafSince > staleAnswersMs) {
      throw new CatalogError('unavailable', 'this replica has not heard of changes for too long');
    }
  }
}
