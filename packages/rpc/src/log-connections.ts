import type { Client } from '@grpc/grpc-js';
import { LogDeduplicator, type Logger } from '@sluice/service';
import type { ReplicaSetOptions } from './replica-set.ts';

/**
 * Logs when a replica is reached, is lost or is unreachable at the start, but not every attempt in between. A reason
 * that an operator must act on is logged once.
 */
export function logConnections<GrpcClient extends Client>(
  neighbour: string,
  logger: Logger,
): Required<Pick<ReplicaSetOptions<GrpcClient>, 'onFault' | 'onStateChange'>> {
  /** The last logged state by address. */
  const loggedStates = new Map<string, 'reached' | 'away'>();
  /** The logged faults by address. They are reset when the replica is reached. */
  const faults = new Map<string, LogDeduplicator>();
  return {
    onStateChange: ({ address, state }) => {
      if (state === 'ready') {
        loggedStates.set(address, 'reached');
        faults.get(address)?.reset();
        logger.info({ neighbour, address }, 'connected');
        return;
      }
      const before = loggedStates.get(address);
      if (before === 'away' || (before === undefined && state !== 'failing')) return;
      loggedStates.set(address, 'away');
      const what = before === undefined ? 'not reached yet; still trying' : 'connection lost';
      logger.warn({ neighbour, address }, what);
    },
    onFault: ({ address, fault }) => {
      const logged = faults.get(address) ?? new LogDeduplicator();
      faults.set(address, logged);
      if (fault === undefined || !logged.shouldLog(fault)) return;
      logger.warn({ neighbour, address, fault }, 'cannot connect; still trying');
    },
  };
}
