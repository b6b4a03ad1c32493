import type { Metadata, handleUnaryCall } from '@grpc/grpc-js';
import { HeaderName } from '@sluice/contracts';
import { extractTrace, startSpan, tracingEnabled, type Logger } from '@sluice/telemetry';
import { RpcError, statusOfError } from './rpc-error.ts';

export interface UnaryDescription<Request, Reply> {
  /** Names the span and the log line. */
  readonly name: string;
  readonly logger: Logger;
  readonly handle: (request: Request, metadata: Metadata, peer: string) => Promise<Reply>;
}

/** A handler that may throw, as gRPC wants it: traced, its failure turned into a status. */
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
