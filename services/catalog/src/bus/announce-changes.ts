import { BusDisconnectedError, type Bus } from '@sluice/bus';
import type { CatalogChanged, Subjects } from '@sluice/contracts';
import type { StorePosition } from '../domain/resource-store.ts';

export interface ChangeAnnouncer extends Disposable {
  /** `organizations` are those whose answers it changes; undefined, everybody's. */
  readonly announce: (position: StorePosition, organizations?: readonly string[]) => void;
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
  const announce: ChangeAnnouncer['announce'] = ({ epoch, sequence }, organizations) => {
    const scope = organizations && { organizations: [...organizations] };
    const message: CatalogChanged = { epoch, sequence, ...scope };
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
