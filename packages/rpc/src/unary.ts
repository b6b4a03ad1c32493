import {
  Metadata,
  type CallOptions,
  type Client,
  type ClientUnaryCall,
  type requestCallback,
  type handleUnaryCall,
} from '@grpc/grpc-js';
import { HeaderName } from '@sluice/contracts';
import {
  traceHeaders,
  type TraceSpan,
  extractTrace,
  startSpan,
  tracingEnabled,
  type Logger,
} from '@sluice/service';
import { RpcError, errorOfStatus, statusOfError } from './rpc-error.ts';
import type { ClientTls } from './rpc-tls.ts';

export interface UnaryCall<GrpcClient extends Client, Reply> {
  /** The name of the span. */
  readonly name: string;
  readonly deadlineMs: number;
  /** Whether another replica may be tried if one cannot be reached. True only for calls that may safely run twice. */
  readonly repeatable: boolean;
  readonly trace?: TraceSpan | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly send: (
    client: GrpcClient,
    metadata: Metadata,
    options: CallOptions,
    callback: requestCallback<Reply>,
  ) => ClientUnaryCall;
}

/** Calls one replica. Rejects with an RpcError. */
export function sendUnary<GrpcClient extends Client, Reply>(
  client: GrpcClient,
  call: UnaryCall<GrpcClient, Reply>,
  { deadline, span, tls }: { deadline: number; span: TraceSpan; tls: ClientTls | undefined },
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const metadata = new Metadata();
  for (const [name, value] of Object.entries({ ...traceHeaders(span), ...call.metadata })) {
    metadata.set(name, value);
  }
  call.send(client, metadata, { deadline }, (error, reply) => {
    if (error !== null) reject(errorOfStatus(error, tls));
    else if (reply === undefined) reject(new RpcError('internal', 'the reply was empty'));
    else resolve(reply);
  });
  return promise;
}

export interface UnaryDescription<Request, Reply> {
  /** The name of the span, also used in log lines. */
  readonly name: string;
  readonly logger: Logger;
  readonly handle: (request: Request, metadata: Metadata, peer: string) => Promise<Reply>;
}

/** Wraps a handler that may throw for gRPC: traces the call, and converts an error into a status. */
export function unaryHandler<Request, Reply>({
  name,
  logger,
  handle,
}: UnaryDescription<Request, Reply>): handleUnaryCall<Request, Reply> {
  return (call, callback) => {
    const span = startSpan(name, {
      role: 'server',
      parent: tracingEnabled() ? extractTrace(textOf(call.metadata)) : undefined,
    });
    const respond = async () => {
      let reply: Reply;
      try {
        reply = await handle(call.request, call.metadata, call.getPeer());
      } catch (thrown) {
        const error = RpcError.from(thrown);
        if (error.code === 'internal') {
          const [request] = call.metadata.get(HeaderName.requestId);
          logger.error({ request, err: thrown, call: name }, 'call failed');
        }
        span.end(error);
        callback(statusOfError(error));
        return;
      }
      span.end();
      callback(null, reply);
    };
    void respond();
  };
}

function textOf(metadata: Metadata): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}
