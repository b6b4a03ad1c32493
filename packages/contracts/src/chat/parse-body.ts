import { showableName } from './fault.ts';
import { exceedsNesting, nameOfExcess } from './nesting.ts';

export const MAXIMUM_NESTING = 64;

export type ParsedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: 'not_utf8' | 'not_json' }
  /** `param` is the top-level parameter that nests too deeply, null when there is none. */
  | { readonly ok: false; readonly reason: 'too_deep'; readonly param: string | null };

/** Keeps a byte order mark, which is no JSON: RFC 8259 forbids senders to add one. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a body as JSON. Of repeated keys the last wins. Why a parser failed is not told: its
 * words quote the text, which may be a prompt.
 */
export function parseRequestBody(bytes: Uint8Array): ParsedBody {
  if (exceedsNesting(bytes, MAXIMUM_NESTING)) {
    const name = nameOfExcess(bytes, MAXIMUM_NESTING);
    return { ok: false, reason: 'too_deep', param: name === undefined ? null : showableName(name) };
  }
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, reason: 'not_utf8' };
  }
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false, reason: 'not_json' };
  }
}
