import * as z from 'zod';

/** No user, password, query or fragment: with them an address may be a secret, and no request would carry them. */
export function hasPathAlone(address: string): boolean {
  const url = URL.parse(address);
  return url === null || url.href === `${url.origin}${url.pathname}`;
}

/** The paths of operations are put after it, so that the path of one would be there twice. */
function endsWithVersion(address: string): boolean {
  const path = URL.parse(address)?.pathname.replace(/\/+$/, '') ?? '';
  return !path.includes('/v1/') || path.endsWith('/v1');
}

/** Where a GPU runtime is, with or without the closing /v1. No complaint of these two repeats what was given. */
export const RuntimeUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address' })
  .refine(
    hasPathAlone,
    'must have no user, password, query or fragment; a key goes into RUNTIME_API_KEY',
  )
  .refine(
    endsWithVersion,
    'must have nothing after /v1: write http://HOST:PORT or http://HOST:PORT/v1',
  );

/** With anything else, such as the line end of a file, no request could be sent. */
export const RuntimeApiKey = z
  .string()
  .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII characters, without a line end');
