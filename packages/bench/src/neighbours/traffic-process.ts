import { serveDriver } from '../driver/driver-process.ts';
import { harmlessTraffic, hostileTraffic } from './kinds.ts';
import { RunningTraffic } from './running-traffic.ts';
import type { TrafficOrder, TrafficState } from './traffic-order.ts';

serveDriver<TrafficOrder, TrafficState>(({ kind, load, target }) => {
  const makeTraffic = load === 'hostile' ? hostileTraffic : harmlessTraffic;
  return RunningTraffic.start(makeTraffic(kind, target), target);
});
