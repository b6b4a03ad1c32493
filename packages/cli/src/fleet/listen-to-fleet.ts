import type { Bus } from '@sluice/bus';
import { Heartbeat, type Subjects } from '@sluice/contracts';
import { FleetView } from './fleet-view.ts';

/** A view of the workers that follows their heartbeats while the bus is open. */
export function listenToFleet(bus: Bus, subjects: Subjects): FleetView {
  const view = new FleetView();
  bus.subscribe(subjects.fleets(), ({ json }) => {
    const heartbeat = Heartbeat.safeParse(json);
    if (heartbeat.success) view.update(heartbeat.data, performance.now());
  });
  return view;
}
