/** Without anything that a terminal would obey: whoever names a key must not move the cursor of whoever lists it. */
export function harmlessLine(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '\ufffd');
}

/** The same for a text that may have lines and tabs. */
export function harmlessText(text: string): string {
  return text.replaceAll('\r', '').replaceAll(/(?![\n\t])\p{Cc}/gu, '\ufffd');
}
