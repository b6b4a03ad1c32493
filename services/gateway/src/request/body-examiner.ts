import type { ModelList } from '../access/model-list.ts';
import { examineRequest, type AvailableModels, type Examination } from './examine-request.ts';

export interface ExaminationContext {
  readonly organization: string;
  /** Undefined if the catalog was unreachable. */
  readonly modelList: ModelList | undefined;
  /** Aborts when the result is no longer needed. */
  readonly signal?: AbortSignal;
}

export interface ExaminedBody {
  readonly examination: Examination;
  /** The same bytes, possibly in another buffer. */
  readonly body: Uint8Array;
}

/** Validates bodies without delaying other requests. */
export interface BodyExaminer {
  examine(body: Buffer, context: ExaminationContext): Promise<ExaminedBody>;
}

/** Validates on the calling thread. Suitable for bodies that take a few milliseconds at most. */
export class DirectExaminer implements BodyExaminer {
  readonly #wallClock: () => number;

  constructor(wallClock: () => number) {
    this.#wallClock = wallClock;
  }

  examine(body: Buffer, { organization, modelList }: ExaminationContext): Promise<ExaminedBody> {
    const models = availableAt(this.#wallClock(), modelList);
    return Promise.resolve({ examination: examineRequest(body, { organization, models }), body });
  }
}

/** Shutdown dates are checked at the given time, even if the validation takes longer. */
export function availableAt(
  nowMs: number,
  modelList: ModelList | undefined,
): AvailableModels | undefined {
  return modelList && { find: (id) => modelList.find(id, nowMs) };
}
