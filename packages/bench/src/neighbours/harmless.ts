import type { Target } from '../load/load-options.ts';
import { completion, prose, systemMessage, userMessage } from './completion-body.ts';
import { post, times, type WireTraffic } from './wire-traffic.ts';

/** The smallest size of an ordinary request. */
const MIN_BYTES = 512;

/**
 * Ordinary requests with the same number of bytes on the same number of connections. If each request would be smaller
 * than an ordinary one, there are fewer connections.
 */
export function requestsOfAsManyBytes(
  hostile: readonly WireTraffic[],
  target: Target,
): WireTraffic[] {
  const total = hostile.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const connections = Math.max(1, Math.min(hostile.length, Math.floor(total / MIN_BYTES)));
  return times(connections, () => ({
    bytes: ordinaryRequest(Math.floor(total / connections), target),
  }));
}

function ordinaryRequest(bytes: number, { path, headers }: Target): Buffer {
  const withText = (text: string) =>
    post(path, headers, completion([systemMessage(text), userMessage()]));
  return withText(prose(Math.max(0, bytes - withText('').length)));
}
