import { BusDisconnectedError, type Bus } from '@sluice/bus';
import type { CatalogChanged, Subjects } from '@sluice/contracts';
import type { StorePosition } from '../domain/resource-store.ts';

export interface ChangeAnnouncer extends Disposable {
  readonly announce: (position: StorePosition) => void;
}

/**
 * Tells the gateways of changes. The replica that made a change announces it, once its own watch has seen it. What a
 * broken connection or a killed process swallowed is made good by announcing the present position at each start and
 * reconnect: to a gateway that knows it already, it says nothing.
 */
export function announceChanges(
  bus: Bus,
  subjects: Subjects,
  position: () => StorePosition,
): ChangeAnnouncer {
  const announce = ({ epoch, sequence }: StorePosition) => {
    const message: CatalogChanged = { epoch, sequence };
    try {
      bus.publish(subjects.catalogChanged(), Buffer.from(JSON.stringify(message)));
    } catch (error) {
      if (!(error instanceof BusDisconnectedError)) throw error;
    }
  };
  announce(position());
  const stop = bus.onReconnect(() => announce(position()));
  return { announce, [Symbol.dispose]: stop };
}
