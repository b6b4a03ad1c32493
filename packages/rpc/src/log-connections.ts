import type { Client } from '@grpc/grpc-js';
import { LogDeduplicator, type Logger } from '@sluice/telemetry';
import type { ReplicaSetOptions } from './replica-set.ts';

/**
 * Writes a line when a replica is reached, is lost or was not there in the beginning, not for every attempt between;
 * and once each reason for which there will be none until an operator does something.
 */
export function logConnections<GrpcClient extends Client>(
  neighbour: string,
  logger: Logger,
): Required<Pick<ReplicaSetOptions<GrpcClient>, 'onFault' | 'onStateChange'>> {
  const told = new Map<string, 'reached' | 'away'>();
  /** By address; over when it is reached. */
  const faults = new Map<string, LogDeduplicator>();
  return {
    onStateChange: ({ address, state }) => {
      if (state === 'ready') {
        told.set(address, 'reached');
        faults.get(address)?.reset();
        logger.info({ neighbour, address }, 'connected');
        return;
      }
      const before = told.get(address);
      if (before === 'away' || (before === undefined && state !== 'failing')) return;
      told.set(address, 'away');
      const what = before === undefined ? 'not reached yet; still trying' : 'connection lost';
      logger.warn({ neighbour, address }, what);
    },
    onFault: ({ address, fault }) => {
      const said = faults.get(address) ?? new LogDeduplicator();
      faults.set(address, said);
      if (fault === undefined || !said.shouldLog(fault)) return;
      logger.warn({ neighbour, address, fault }, 'cannot connect; still trying');
    },
  };
}
