import type { AdmissionDecision, AdmissionRequest } from '@sluice/contracts';
import { extractTrace, tracingEnabled, type Context, type Logger } from '@sluice/service';
import { DecisionStream, type AnsweredCall } from './decision-stream.ts';
import { QUOTA_SERVICE, QUOTA_SERVICE_NAME, type QuotaImplementation } from './quota-service.ts';
import { RpcError } from './rpc-error.ts';
import { startRpcServer, type RpcServer } from './rpc-server.ts';
import type { ServerTls } from './rpc-tls.ts';
import { unaryHandler } from './unary.ts';
import type { ReceivedAdmission } from './wire/admission-messages.ts';
import { UNAVAILABLE } from './wire/decision-messages.ts';

export interface QuotaHandlers {
  /** Decides and charges, unless the caller has disconnected (`gone`). A thrown error is answered as `unavailable`. */
  admit(
    request: AdmissionRequest,
    parent: Context | undefined,
    caller: { readonly gone: boolean },
  ): Promise<AdmissionDecision>;
  /** Decides without charging. */
  peek(request: AdmissionRequest): Promise<AdmissionDecision>;
}

export interface QuotaServerOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined means without TLS. */
  readonly tls?: ServerTls | undefined;
  readonly handlers: QuotaHandlers;
  readonly logger: Logger;
}

/** If a caller has this many unanswered admissions, further ones are answered `unavailable`. */
const MAX_UNANSWERED = 65_536;

export function serveQuota({
  host,
  port,
  tls,
  handlers,
  logger,
}: QuotaServerOptions): Promise<RpcServer> {
  const streams = new Set<DecisionStream>();

  const decide = (
    admission: ReceivedAdmission,
    caller: DecisionStream,
    answer: (decision: AdmissionDecision) => void,
  ): void => {
    const { request, requestId } = admission;
    if (request === undefined) {
      logger.error(
        { request: requestId },
        'an admission lacked its organization, limits or revision',
      );
      answer(UNAVAILABLE);
      return;
    }
    const fail = (error: unknown) => {
      logger.error({ request: requestId, err: error }, 'admission failed');
      answer(UNAVAILABLE);
    };
    // `admit` is not awaited in an async function, because that would create two more promises for every admission.
    try {
      handlers.admit(request, parentOf(admission), caller).then(answer, fail);
    } catch (error) {
      fail(error);
    }
  };

  const admit = (call: AnsweredCall) => {
    const answers = new DecisionStream(call, () => streams.delete(answers));
    streams.add(answers);
    call.on('data', (admissions: ReceivedAdmission[]) => {
      for (const admission of admissions) {
        const { id } = admission;
        if (answers.unanswered >= MAX_UNANSWERED) {
          answers.answerUncounted({ id, decision: UNAVAILABLE });
          continue;
        }
        answers.expect();
        decide(admission, answers, (decision) => answers.answer({ id, decision }));
      }
    });
  };

  const implementation = {
    Admit: admit,
    Peek: unaryHandler({
      name: 'quota.Peek',
      logger,
      handle: async ({ id, request }: ReceivedAdmission) => {
        if (request === undefined) {
          throw new RpcError('invalid_argument', 'organization, limits and revision are needed');
        }
        return { id, decision: await handlers.peek(request) };
      },
    }),
  } satisfies QuotaImplementation;
  return startRpcServer({
    host,
    port,
    tls,
    services: [{ name: QUOTA_SERVICE_NAME, definition: QUOTA_SERVICE, implementation }],
    onDrain: () => {
      for (const stream of streams) stream.drain();
    },
  });
}

function parentOf({ traceparent }: ReceivedAdmission): Context | undefined {
  if (traceparent === '' || !tracingEnabled()) return undefined;
  return extractTrace({ traceparent });
}
