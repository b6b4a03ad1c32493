import { serveDriver } from '../driver/driver-process.ts';
import { harmlessTraffic, hostileTraffic } from './kinds.ts';
import { RunningTraffic } from './running-traffic.ts';
import type { TrafficOptions, TrafficState } from './traffic-options.ts';

serveDriver<TrafficOptions, TrafficState>(({ kind, load, target }) => {
  const makeTraffic = load === 'hostile' ? hostileTraffic : harmlessTraffic;
  return RunningTraffic.start(makeTraffic(kind, target), target);
});
