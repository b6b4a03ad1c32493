import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { extractTrace, tracingEnabled, type Context, type Logger } from '@sluice/telemetry';
import { AnswerStream } from './answer-stream.ts';
import type { Admission } from './generated/sluice/quota/v1/Admission.ts';
import type { AdmissionBatch } from './generated/sluice/quota/v1/AdmissionBatch.ts';
import type { DecisionBatchInput } from './generated/sluice/quota/v1/DecisionBatch.ts';
import type { QuotaHandlers as GrpcHandlers } from './generated/sluice/quota/v1/Quota.ts';
import { quotaProtos } from './protos.ts';
import { UNAVAILABLE, admissionFromMessage, decisionToMessage } from './quota-messages.ts';
import { RpcError } from './rpc-error.ts';
import { startRpcServer, type RpcServer } from './rpc-server.ts';
import { unaryHandler } from './unary-handler.ts';

export interface QuotaHandlers {
  /** Decides and charges, unless the caller has gone meanwhile. What it throws is `unavailable`. */
  admit(
    request: AdmissionRequest,
    parent: Context | undefined,
    caller: { readonly gone: boolean },
  ): Promise<AdmissionDecision>;
  /** The same at no cost. */
  peek(request: AdmissionRequest, parent: Context | undefined): Promise<AdmissionDecision>;
}

export interface QuotaServerOptions {
  readonly host: string;
  readonly port: number;
  readonly handlers: QuotaHandlers;
  readonly logger: Logger;
}

/** A caller that lets this many admissions wait is answered `unavailable`. */
const MAX_UNANSWERED = 65_536;

export function serveQuota({
  host,
  port,
  handlers,
  logger,
}: QuotaServerOptions): Promise<RpcServer> {
  const streams = new Set<AnswerStream>();

  const decide = async (message: Admission, caller: AnswerStream): Promise<AdmissionDecision> => {
    const request = admissionFromMessage(message);
    if (request === undefined) {
      logger.error(
        { request: message.requestId },
        'an admission lacked its organization, limits or revision',
      );
      return UNAVAILABLE;
    }
    try {
      return await handlers.admit(request, parentOf(message), caller);
    } catch (error) {
      logger.error({ request: message.requestId, err: error }, 'admission failed');
      return UNAVAILABLE;
    }
  };

  const admit = (call: ServerDuplexStream<AdmissionBatch, DecisionBatchInput>) => {
    const answers = new AnswerStream(call, () => streams.delete(answers));
    streams.add(answers);
    call.on('data', (batch: AdmissionBatch) => {
      for (const admission of batch.admissions) {
        const { id } = admission;
        if (answers.unanswered >= MAX_UNANSWERED) {
          answers.refuse(decisionToMessage(id, UNAVAILABLE));
          continue;
        }
        answers.expect();
        void decide(admission, answers).then((decision) =>
          answers.answer(decisionToMessage(id, decision)),
        );
      }
    });
  };

  const implementation: GrpcHandlers = {
    Admit: admit,
    Peek: unaryHandler({
      name: 'quota.Peek',
      logger,
      handle: async (message: Admission, { trace }) => {
        const request = admissionFromMessage(message);
        if (request === undefined) {
          throw new RpcError('invalid_argument', 'organization, limits and revision are needed');
        }
        return decisionToMessage(message.id, await handlers.peek(request, trace.context));
      },
    }),
  };
  return startRpcServer({
    host,
    port,
    serviceName: 'sluice.quota.v1.Quota',
    definition: quotaProtos().Quota.service,
    implementation,
    onDrain: () => {
      for (const stream of streams) stream.drain();
    },
  });
}

function parentOf({ traceparent }: Admission): Context | undefined {
  if (traceparent === '' || !tracingEnabled()) return undefined;
  return extractTrace({ traceparent });
}
