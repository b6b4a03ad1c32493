import type { FleetLink } from '../fleet/fleet-link.ts';
import type { Answers, AskCatalog } from './answers.ts';
import { ConsoleError } from './console-error.ts';

type FleetRoute = 'getFleet' | 'drainWorker' | 'undrainWorker';

/** The answers about workers, for operators. The catalog decides whether a person is an operator. */
export function fleetAnswers(
  fleet: Pick<FleetLink, 'connected' | 'setDraining' | 'table'>,
): Pick<Answers, FleetRoute> {
  async function setDraining(ask: AskCatalog, worker: string, draining: boolean) {
    await ask('Authorize', { organization: '', action: 'fleet.drain' });
    if (!fleet.connected) {
      throw new ConsoleError(
        'fleet_unavailable',
        'NATS cannot be reached at the moment. Please retry.',
      );
    }
    if (!fleet.table.has(worker)) {
      throw new ConsoleError('not_found', `No worker ${worker} sends heartbeats.`);
    }
    if (await fleet.setDraining(worker, draining)) return {};
    throw new ConsoleError('fleet_unavailable', `The worker ${worker} did not answer.`, {
      help: 'Workers of version 0.2.0 cannot be drained from here. Send SIGTERM to the process instead.',
    });
  }

  return {
    getFleet: async (_input, ask) => {
      await ask('Authorize', { organization: '', action: 'fleet.read' });
      return { connected: fleet.connected, ...fleet.table.describe() };
    },
    drainWorker: ({ params: { worker } }, ask) => setDraining(ask, worker, true),
    undrainWorker: ({ params: { worker } }, ask) => setDraining(ask, worker, false),
  };
}
