import { type JsonObject, isJsonObject } from './fields.ts';

export type ParsedBody =
  | { readonly ok: true; readonly value: JsonObject }
  | { readonly ok: false; readonly reason: 'not_utf8' | 'not_json' | 'not_an_object' };

/** Keeps a byte order mark, which is no JSON: RFC 8259 forbids senders to add one. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a body as a JSON object, however deep: V8 takes any depth, but what walks the value may
 * not. Of repeated keys the last wins. Why a parser failed is not told: its words quote the text,
 * which may be a prompt.
 */
export function parseRequestBody(bytes: Uint8Array): ParsedBody {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, reason: 'not_utf8' };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'not_json' };
  }
  return isJsonObject(value) ? { ok: true, value } : { ok: false, reason: 'not_an_object' };
}
