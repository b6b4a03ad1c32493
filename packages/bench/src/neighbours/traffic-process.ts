import { serveDriver } from '../driver/driver-process.ts';
import { harmlessTraffic } from './harmless.ts';
import { hostileTraffic } from './kinds.ts';
import { RunningTraffic } from './running-traffic.ts';
import type { TrafficOrder, TrafficState } from './traffic-order.ts';

serveDriver<TrafficOrder, TrafficState>(({ kind, load, target }) => {
  const hostile = hostileTraffic(kind, target);
  const traffic = load === 'hostile' ? hostile : harmlessTraffic(hostile, target);
  return RunningTraffic.start(traffic, target);
});
