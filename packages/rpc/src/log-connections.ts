import type { Client } from '@grpc/grpc-js';
import type { Logger } from '@sluice/telemetry';
import type { ReplicaSetOptions } from './replica-set.ts';

/**
 * Writes a line when a replica is reached and when it is lost, not for every attempt between; and once
 * each reason for which there will be none until an operator does something.
 */
export function logConnections<GrpcClient extends Client>(
  neighbour: string,
  logger: Logger,
): Required<Pick<ReplicaSetOptions<GrpcClient>, 'onFault' | 'onStateChange'>> {
  const reached = new Set<string>();
  /** By address, since it was last reached. */
  const written = new Map<string, Set<string | undefined>>();
  return {
    onStateChange: ({ address, state }) => {
      if (state === 'ready') {
        reached.add(address);
        written.delete(address);
        logger.info({ neighbour, address }, 'connected');
      } else if (reached.delete(address)) logger.warn({ neighbour, address }, 'connection lost');
    },
    onFault: ({ address, fault }) => {
      const before = written.get(address) ?? new Set();
      if (before.has(fault)) return;
      written.set(address, before.add(fault));
      logger.warn({ neighbour, address, fault }, 'cannot connect; trying on');
    },
  };
}
