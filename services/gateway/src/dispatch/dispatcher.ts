import { ServiceError } from '@sluice/contracts';
import { startSpan, type TraceSpan } from '@sluice/service';
import type { ByteBudget } from '../request/byte-budget.ts';
import { addRefusedParameter, isRequestFault } from './dispatch-errors.ts';
import { HeldSlots } from './held-slots.ts';
import { JobRun, startJobCounters, type DispatchOptions } from './job-run.ts';
import type { CompletionSink, CompletionJob } from './job.ts';
import { RetainedBody, retainedBodyBudget } from './retained-body.ts';

interface DispatchCall {
  readonly signal: AbortSignal;
  readonly trace?: TraceSpan | undefined;
}

/** Sends each job to a worker, and to another one if the first fails before the client has received anything. */
export class Dispatcher {
  readonly #options: DispatchOptions;
  readonly #bodyBudget: ByteBudget;
  readonly #heldSlots = new HeldSlots();
  #running = 0;

  constructor(options: DispatchOptions, bodyBudget = retainedBodyBudget()) {
    this.#options = options;
    this.#bodyBudget = bodyBudget;
    startJobCounters();
  }

  get running(): number {
    return this.#running;
  }

  /** Resolves after `sink.finish`. Rejects with a ServiceError or the signal's reason. */
  async dispatch(
    job: CompletionJob,
    sink: CompletionSink,
    { signal, trace }: DispatchCall,
  ): Promise<void> {
    const span = startSpan('gateway.dispatch', { role: 'producer', parent: trace?.context });
    this.#running += 1;
    using body = new RetainedBody(job, this.#bodyBudget);
    try {
      const heldSlots = this.#heldSlots;
      const context = { job, body, sink, signal, span, heldSlots };
      await new JobRun(this.#options, context).run();
      span.end();
    } catch (thrown) {
      const error = addRefusedParameter(thrown, job.examined);
      // If the gateway itself aborts a request, the reason is a ServiceError.
      const disconnected = signal.aborted && !(signal.reason instanceof ServiceError);
      // An answer that breaks off after its first part is a failure of the service, whatever the error says.
      const requestRefused = isRequestFault(error) && !sink.delivered;
      const causedByClient = disconnected || requestRefused;
      span.end(causedByClient ? undefined : error);
      throw error;
    } finally {
      this.#running -= 1;
    }
  }
}
