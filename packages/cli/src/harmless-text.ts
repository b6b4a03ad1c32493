/** Replaces control characters, so that a name in a listing cannot control the terminal. */
export function harmlessLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** Like `harmlessLine`, but keeps line breaks and tabs. */
export function harmlessText(text: string): string {
  return text.replaceAll('\r', '').replaceAll(/(?![\n\t])\p{Cc}/gu, '\ufffd');
}
