import { ServiceError, mintCompletionId } from '@sluice/contracts';
import type { CatalogDirectory } from '../access/catalog-directory.ts';
import { MODELS_UNAVAILABLE } from '../access/model-faults.ts';
import type { Charge } from '../admission/charge.ts';
import { upstreamUnavailable } from '../dispatch/dispatch-errors.ts';
import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { CompletionJob } from '../dispatch/job.ts';
import { JSON_TYPE } from '../edge/error-reply.ts';
import { principalOf, type RequestContext } from '../edge/request-context.ts';
import { startModelCounters } from '../record/request-metrics.ts';
import {
  EventStream,
  type EventStreamSettings,
  type KeepaliveTimer,
} from '../reply/event-stream.ts';
import { FlushBatcher } from '../reply/flush-batcher.ts';
import { PaddingPool } from '../reply/padding.ts';
import { ChunkTemplate } from '../reply/sse-chunks.ts';
import { WholeReply } from '../reply/whole-reply.ts';
import type { BodyExaminer } from '../request/body-examiner.ts';
import type { ByteBudget } from '../request/byte-budget.ts';
import { CompletionCounts } from '../request/completion-counts.ts';
import { requireJson } from '../request/content-type.ts';
import { errorOfFault } from '../request/examine-request.ts';
import { readBody } from '../request/read-body.ts';

export interface CompletionsRouteOptions {
  readonly charge: Charge;
  readonly directory: CatalogDirectory;
  readonly examiner: BodyExaminer;
  readonly dispatcher: Dispatcher;
  readonly keepaliveTimer: KeepaliveTimer;
  readonly streams: EventStreamSettings;
  readonly bodyLimitBytes: number;
  /** The memory for bodies that have not arrived completely. */
  readonly arriving: ByteBudget;
  readonly requestTimeoutMs: number;
  readonly clock: () => number;
  readonly wallClock: () => number;
}

/** Sends the reply directly to the Node response: streams require that, and whole replies are cheaper that way. */
export type CompletionsRoute = (context: RequestContext) => Promise<void>;

export function createCompletionsRoute(options: CompletionsRouteOptions): CompletionsRoute {
  const { charge, directory, examiner, dispatcher, keepaliveTimer, clock, wallClock } = options;
  const bounds = {
    limitBytes: options.bodyLimitBytes,
    arriving: options.arriving,
    timeoutMs: options.requestTimeoutMs,
  };
  const padding = new PaddingPool();
  const batcher = new FlushBatcher();

  async function prepare(context: RequestContext): Promise<CompletionJob> {
    const principal = principalOf(context);
    requireJson(context.request.headers);
    const { organization } = principal;
    const received = await readBody(context, organization, bounds);
    // If the catalog cannot be reached, the body is still examined, because its own faults are reported first.
    let catalogError: unknown;
    const callContext = { requestId: context.id, trace: context.span };
    const modelList = await directory.models(organization, callContext).catch((error: unknown) => {
      catalogError = error;
      return undefined;
    });
    const { examination, body } = await examiner.examine(received, {
      organization,
      modelList,
      signal: context.signal,
    });
    if (!examination.ok) {
      const { fault } = examination;
      // The error of the catalog directory is thrown, because it contains the cause.
      if (fault.code === MODELS_UNAVAILABLE.code) throw ServiceError.from(catalogError);
      throw errorOfFault(fault);
    }
    const examined = examination.request;
    context.modelId = examined.model.id;
    startModelCounters(examined.model.id);
    // Set before admission, so that the record of a refusal describes the request.
    const counts = new CompletionCounts(examined);
    context.counts = counts;
    return { requestId: context.id, principal, examined, counts, body };
  }

  async function stream(context: RequestContext, job: CompletionJob): Promise<void> {
    const { signal, span: trace } = context;
    const { examined } = job;
    const events = new EventStream({
      ...options.streams,
      context,
      template: new ChunkTemplate({
        ...identity(examined.model.id),
        padding: examined.includeObfuscation ? padding : undefined,
      }),
      includeUsage: examined.includeUsage,
      batcher,
      clock,
    });
    keepaliveTimer.add(events);
    try {
      await dispatcher.dispatch(job, events, { signal, trace });
    } catch (error) {
      if (!events.committed) throw error;
      if (context.disconnected) return;
      context.failure = ServiceError.from(error);
      events.fail(context.failure);
    } finally {
      keepaliveTimer.delete(events);
      events.dispose();
    }
  }

  async function whole(context: RequestContext, job: CompletionJob): Promise<void> {
    const { signal, span: trace } = context;
    const reply = new WholeReply(identity(job.examined.model.id));
    await dispatcher.dispatch(job, reply, { signal, trace });
    if (reply.body === undefined) throw upstreamUnavailable();
    sendWhole(context, reply.body);
  }

  function identity(model: string): { id: string; created: number; model: string } {
    return { id: mintCompletionId(), created: Math.floor(wallClock() / 1_000), model };
  }

  return async (context) => {
    const job = await prepare(context);
    await charge(context, job.counts.inputTokens);
    context.signal.throwIfAborted();
    return job.counts.stream ? stream(context, job) : whole(context, job);
  };
}

/** The request body has been read to its end by now, so the connection can be reused. */
function sendWhole({ response, headers }: RequestContext, body: Buffer): void {
  headers['content-type'] = JSON_TYPE;
  headers['content-length'] = String(body.length);
  response.writeHead(200, headers).end(body);
}
