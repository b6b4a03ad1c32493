import { examineRequest, type AvailableModels, type Examination } from './examine-request.ts';
import type { ModelShelf } from './model-shelf.ts';

export interface ExaminationContext {
  readonly organization: string;
  /** Undefined when the catalog could not be asked. */
  readonly shelf: ModelShelf | undefined;
  /** Aborted when nobody waits for the outcome any more. */
  readonly signal?: AbortSignal;
}

export interface ExaminedBody {
  readonly examination: Examination;
  /** The same bytes; they may have moved. */
  readonly body: Uint8Array;
}

/** Examines bodies, wherever that does not hold up other requests. */
export interface BodyExaminer {
  examine(body: Buffer, context: ExaminationContext): Promise<ExaminedBody>;
}

/** Examines at once, on the caller's own thread: right for bodies that take less than a handful of milliseconds. */
export class DirectExaminer implements BodyExaminer {
  readonly #wallClock: () => number;

  constructor(wallClock: () => number) {
    this.#wallClock = wallClock;
  }

  examine(body: Buffer, { organization, shelf }: ExaminationContext): Promise<ExaminedBody> {
    const models = availableAt(this.#wallClock(), shelf);
    return Promise.resolve({ examination: examineRequest(body, { organization, models }), body });
  }
}

/** Judged at that moment, however long the examination takes. */
export function availableAt(
  nowMs: number,
  shelf: ModelShelf | undefined,
): AvailableModels | undefined {
  return shelf && { find: (id) => shelf.find(id, nowMs) };
}
