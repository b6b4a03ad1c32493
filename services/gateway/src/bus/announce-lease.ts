import type { Bus } from '@sluice/bus';
import { LEASE_INTERVAL_MS, type Lease, type Subjects } from '@sluice/contracts';

export interface AnnounceLeaseOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  readonly gateway: string;
}

/** Says again and again that this gateway lives: workers drop the jobs of one that does not. */
export function announceLease({ bus, subjects, gateway }: AnnounceLeaseOptions): Disposable {
  const lease: Lease = { gateway };
  const payload = Buffer.from(JSON.stringify(lease));
  const announce = () => {
    if (bus.connected) bus.publish(subjects.lease(gateway), payload);
  };
  announce();
  const stop = bus.onReconnect(announce);
  const timer = setInterval(announce, LEASE_INTERVAL_MS).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      stop();
    },
  };
}
