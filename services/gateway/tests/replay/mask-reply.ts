/** What differs between two runs of the same gateway: ids, times and what is left of a limit. */
const MASKS: readonly (readonly [pattern: RegExp, mask: string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>'],
  [/^date: .*$/gim, 'date: <time>'],
  [/^(x-ratelimit-(?:remaining|reset)-[a-z-]+): .*$/gim, '$1: <left>'],
  [/^(retry-after(?:-ms)?): .*$/gim, '$1: <wait>'],
  [/"chatcmpl-[0-9A-Za-z]{24,}"/g, '"<completion>"'],
  [/"call_([rn])[0-9A-Za-z_-]{6,}"/g, '"<call $1>"'],
  [/"created":1[0-9]{9}/g, '"created":<time>'],
];

/** Prepares a reply for comparison. Chunks are joined, because their boundaries depend on turns of the event loop. */
export function maskReply(received: Buffer): string {
  const text = received.toString('latin1');
  const plain = Buffer.from(joinChunks(text), 'latin1').toString('utf8');
  const padded = plain.replaceAll(
    /"obfuscation":"([^"]*)"/g,
    (_, padding: string) => `"obfuscation":"<${String(padding.length)}>"`,
  );
  const masked = MASKS.reduce((so, [pattern, mask]) => so.replaceAll(pattern, mask), padded);
  return masked.replaceAll('\r\n', '\n');
}

/** Joins the chunks of each reply in the text of a connection, and marks the end of each body. */
function joinChunks(text: string): string {
  const head = /transfer-encoding: chunked\r\n(?:.+\r\n)*\r\n/i.exec(text);
  if (head === null) return text;
  let at = head.index + head[0].length;
  let body = '';
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(text.slice(at, lineEnd), 16);
    if (Number.isNaN(size)) return `${text.slice(0, head.index) + head[0] + body}<cut off>`;
    const start = lineEnd + 2;
    at = start + size + 2;
    if (size === 0) break;
    body += text.slice(start, start + size);
  }
  return `${text.slice(0, head.index) + head[0] + body}<end>${joinChunks(text.slice(at))}`;
}
