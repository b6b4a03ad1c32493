import type { Target } from '../load/load-options.ts';
import { requestsOfAsManyBytes } from './harmless.ts';
import { HOSTILE_BODIES } from './hostile-bodies.ts';
import { HOSTILE_CONNECTIONS } from './hostile-connections.ts';
import { post, type WireTraffic } from './wire-traffic.ts';

export type KindName = keyof typeof HOSTILE_BODIES | keyof typeof HOSTILE_CONNECTIONS;

const isBody = (name: string): name is keyof typeof HOSTILE_BODIES => name in HOSTILE_BODIES;
const isConnection = (name: string): name is keyof typeof HOSTILE_CONNECTIONS =>
  name in HOSTILE_CONNECTIONS;

export function isKind(name: string): name is KindName {
  return isBody(name) || isConnection(name);
}

/** In the order of the table rows. */
export const KINDS: readonly KindName[] = [
  ...Object.keys(HOSTILE_BODIES).filter(isBody),
  ...Object.keys(HOSTILE_CONNECTIONS).filter(isConnection),
];

/** What a kind sends: one whole request, or the traffic of each of its connections. */
export function hostileTraffic(name: KindName, target: Target): WireTraffic[] {
  return isBody(name)
    ? [{ bytes: post(target.path, target.headers, HOSTILE_BODIES[name]()) }]
    : HOSTILE_CONNECTIONS[name](target);
}

/** The load with which a hostile kind is compared. */
export function harmlessTraffic(name: KindName, target: Target): WireTraffic[] {
  const hostile = hostileTraffic(name, target);
  // The cost of a stream is not in the bytes of its request, so the same streams are requested and read.
  if (name === 'streams never read') return hostile.map(({ bytes }) => ({ bytes }));
  return requestsOfAsManyBytes(hostile, target);
}
