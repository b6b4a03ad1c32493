import { bodyRequests } from './body-requests.ts';
import { headRequests } from './head-requests.ts';
import { parameterRequests } from './parameter-requests.ts';
import type { Keys, RecordedRequest } from './recorded-request.ts';

/** What the replay sends: valid and invalid requests, in this order. */
export function replayRequests(keys: Keys): RecordedRequest[] {
  return [...headRequests(keys), ...bodyRequests(keys), ...parameterRequests(keys)];
}
