import { isJsonObject } from './fields.ts';

/** UTF-8 bytes of a value as compact JSON, strings counted as they read rather than as they are escaped. */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value) + '""'.length;
  if (Array.isArray(value)) {
    let bytes = '[]'.length + Math.max(0, value.length - 1);
    for (const element of value) bytes += jsonBytes(element);
    return bytes;
  }
  if (isJsonObject(value)) {
    let bytes = 0;
    // Not by entries: making a pair of each takes longer than all the rest.
    for (const key of Object.keys(value)) {
      const field = value[key];
      if (field !== undefined) bytes += textBytes(key) + '"":,'.length + jsonBytes(field);
    }
    // As many braces and commas as fields, and one more.
    return bytes === 0 ? '{}'.length : bytes + 1;
  }
  return String(value).length;
}

const SHORT_TEXT = 48;

/** Names and small words are most of a tool's schema: for them a loop beats the native call. */
function textBytes(text: string): number {
  if (text.length > SHORT_TEXT) return Buffer.byteLength(text);
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > 0x7f) return Buffer.byteLength(text);
  }
  return text.length;
}
