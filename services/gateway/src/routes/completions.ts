import { ServiceError, mintCompletionId } from '@sluice/contracts';
import type { BodyExaminer } from '../domain/body-examiner.ts';
import type { CatalogDirectory } from '../domain/catalog-directory.ts';
import type { CompletionJob } from '../domain/completion-job.ts';
import { CompletionTally } from '../domain/completion-tally.ts';
import { upstreamUnavailable } from '../domain/dispatch-errors.ts';
import type { Dispatcher } from '../domain/dispatch-job.ts';
import { MODELS_UNAVAILABLE, errorOfFault } from '../domain/examine-request.ts';
import type { HeldBytes } from '../domain/held-bytes.ts';
import type { Charge } from './charge.ts';
import { ChunkTemplate } from './chunk-template.ts';
import { EventStream, type EventStreamSettings } from './event-stream.ts';
import { principalOf, type Exchange } from './exchange.ts';
import { JSON_TYPE } from './json-type.ts';
import { PaddingPool } from './padding.ts';
import { readBody } from './read-body.ts';
import { startModelCounters } from './request-metrics.ts';
import { requireJson } from './require-json.ts';
import type { StreamKeeper } from './stream-keeper.ts';
import { TurnFlusher } from './turn-flusher.ts';
import { WholeReply } from './whole-reply.ts';

export interface CompletionsRouteOptions {
  readonly charge: Charge;
  readonly directory: CatalogDirectory;
  readonly examiner: BodyExaminer;
  readonly dispatcher: Dispatcher;
  readonly keeper: StreamKeeper;
  readonly streams: EventStreamSettings;
  readonly bodyLimitBytes: number;
  readonly arriving: HeldBytes;
  readonly requestTimeoutMs: number;
  readonly clock: () => number;
  readonly wallClock: () => number;
}

/** Sends the reply, past the framework: a stream because it has to, a whole one because that is cheaper. */
export type CompletionsRoute = (exchange: Exchange) => Promise<void>;

export function createCompletionsRoute(options: CompletionsRouteOptions): CompletionsRoute {
  const { charge, directory, examiner, dispatcher, keeper, clock, wallClock } = options;
  const bounds = {
    limitBytes: options.bodyLimitBytes,
    arriving: options.arriving,
    timeoutMs: options.requestTimeoutMs,
  };
  const padding = new PaddingPool();
  const flusher = new TurnFlusher();

  async function prepare(exchange: Exchange): Promise<CompletionJob> {
    const principal = principalOf(exchange);
    requireJson(exchange);
    const received = await readBody(exchange, bounds);
    const { organization } = principal;
    let unlisted: unknown;
    const asker = { requestId: exchange.id, trace: exchange.span };
    const shelf = await directory.models(organization, asker).catch((error: unknown) => {
      unlisted = error;
      return undefined;
    });
    const { examination, body } = await examiner.examine(received, {
      organization,
      shelf,
      signal: exchange.abandoned,
    });
    if (!examination.ok) {
      const { fault } = examination;
      // Only the directory's own error knows why.
      if (fault.code === MODELS_UNAVAILABLE.code) throw ServiceError.from(unlisted);
      throw errorOfFault(fault);
    }
    const examined = examination.request;
    exchange.modelId = examined.model.id;
    startModelCounters(examined.model.id);
    // Before it is admitted: a refusal is told of as what was refused.
    const tally = new CompletionTally(examined);
    exchange.tally = tally;
    return { requestId: exchange.id, principal, examined, tally, body };
  }

  async function stream(exchange: Exchange, job: CompletionJob): Promise<void> {
    const { abandoned: signal, span: trace } = exchange;
    const { examined } = job;
    const events = new EventStream({
      ...options.streams,
      response: exchange.response,
      headers: exchange.headers,
      template: new ChunkTemplate({
        ...identity(examined.model.id),
        padding: examined.includeObfuscation ? padding : undefined,
      }),
      includeUsage: examined.includeUsage,
      flusher,
      clock,
      onCutOff: (error) => {
        if (error !== undefined) exchange.failure ??= ServiceError.from(error);
        exchange.leave();
      },
    });
    keeper.add(events);
    try {
      await dispatcher.dispatch(job, events, { signal, trace });
    } catch (error) {
      if (!events.committed) throw error;
      if (exchange.gone) return;
      exchange.failure = ServiceError.from(error);
      events.fail(exchange.failure);
    } finally {
      keeper.delete(events);
      events.dispose();
    }
  }

  async function whole(exchange: Exchange, job: CompletionJob): Promise<void> {
    const { abandoned: signal, span: trace } = exchange;
    const reply = new WholeReply(identity(job.examined.model.id));
    await dispatcher.dispatch(job, reply, { signal, trace });
    if (reply.body === undefined) throw upstreamUnavailable();
    sendWhole(exchange, reply.body);
  }

  function identity(model: string): { id: string; created: number; model: string } {
    return { id: mintCompletionId(), created: Math.floor(wallClock() / 1_000), model };
  }

  return async (exchange) => {
    const job = await prepare(exchange);
    await charge(exchange, job.tally.inputTokens);
    return job.tally.stream ? stream(exchange, job) : whole(exchange, job);
  };
}

/** The body of the request has been read to its end by now, so that the connection can go on. */
function sendWhole({ response, headers }: Exchange, body: Buffer): void {
  headers['content-type'] = JSON_TYPE;
  headers['content-length'] = String(body.length);
  response.writeHead(200, headers).end(body);
}
