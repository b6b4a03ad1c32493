import { ServiceError } from '@sluice/contracts';
import { startSpan, type TraceSpan } from '@sluice/telemetry';
import type { CompletionJob } from './completion-job.ts';
import type { CompletionSink } from './completion-sink.ts';
import { DetourMemory } from './detour-memory.ts';
import { isRequestsFault, namingParameter } from './dispatch-errors.ts';
import type { HeldBytes } from './held-bytes.ts';
import { KeptBody, roomForKeptBodies } from './kept-body.ts';
import { JobRun, startJobCounters, type DispatchOptions } from './run-job.ts';

interface DispatchCall {
  readonly signal: AbortSignal;
  readonly trace?: TraceSpan | undefined;
}

/** Gets each job to a worker, and to another one when that is possible unnoticed. */
export class Dispatcher {
  readonly #options: DispatchOptions;
  readonly #room: HeldBytes;
  readonly #detours = new DetourMemory();
  #running = 0;

  constructor(options: DispatchOptions, room = roomForKeptBodies()) {
    this.#options = options;
    this.#room = room;
    startJobCounters();
  }

  get running(): number {
    return this.#running;
  }

  /** Resolves when the sink has been told of the end. Rejects with a ServiceError, or the signal's reason. */
  async dispatch(
    job: CompletionJob,
    sink: CompletionSink,
    { signal, trace }: DispatchCall,
  ): Promise<void> {
    const span = startSpan('gateway.dispatch', { role: 'producer', parent: trace?.context });
    this.#running += 1;
    using body = new KeptBody(job, this.#room);
    try {
      const detours = this.#detours;
      await new JobRun(this.#options, { job, body, sink, signal, span, detours }).run();
      span.end();
    } catch (thrown) {
      const error = namingParameter(thrown, job.examined);
      const clientLeft = signal.aborted && !(signal.reason instanceof ServiceError);
      // An answer that breaks off is a failure, whatever for.
      const clientsOwn = clientLeft || (isRequestsFault(error) && !sink.delivered);
      span.end(clientsOwn ? undefined : error);
      throw error;
    } finally {
      this.#running -= 1;
    }
  }
}
