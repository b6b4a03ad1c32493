import type { Client } from '@grpc/grpc-js';
import type { Logger } from '@sluice/telemetry';
import type { Replica } from './replica-set.ts';

/** Writes a line when a replica is reached and when it is lost, not for every attempt between. */
export function logConnections<GrpcClient extends Client>(
  neighbour: string,
  logger: Logger,
): (replica: Replica<GrpcClient>) => void {
  const reached = new Set<string>();
  return ({ address, state }) => {
    if (state === 'ready') {
      reached.add(address);
      logger.info({ neighbour, address }, 'connected');
    } else if (reached.delete(address)) logger.warn({ neighbour, address }, 'connection lost');
  };
}
