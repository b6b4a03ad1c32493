import { HeaderName, RATE_LIMIT_HEADER_NAMES } from '@sluice/contracts';

/** Those by which a reply is framed, or that a proxy takes out. */
const FRAMING = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** Those that say something of their own in a reply of the gateway. */
const SPOKEN_FOR = [
  'allow',
  'cache-control',
  'set-cookie',
  'vary',
  'x-accel-buffering',
  ...Object.values(HeaderName),
  ...RATE_LIMIT_HEADER_NAMES,
];

const TAKEN = new Set([...FRAMING, ...SPOKEN_FOR]);

/** Whether a reply has a header of this name already, so that a setting may not give it another meaning. */
export function isTakenHeader(name: string): boolean {
  return TAKEN.has(name) || name.startsWith('access-control-');
}
