import {
  Metadata,
  type CallOptions,
  type Client,
  type ClientUnaryCall,
  type requestCallback,
} from '@grpc/grpc-js';
import { traceHeaders, type TraceSpan } from '@sluice/telemetry';
import { RpcError, errorOfStatus } from './rpc-error.ts';
import type { ClientTls } from './rpc-tls.ts';

export interface UnaryCall<GrpcClient extends Client, Reply> {
  /** Names the span. */
  readonly name: string;
  readonly deadlineMs: number;
  /** Whether another replica may be asked when one cannot be reached: only where asking twice does no harm. */
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

/** Asks one replica; rejects with an RpcError. */
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
