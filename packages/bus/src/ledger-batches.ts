/** A record that waits to be sent. */
export interface WaitingRecord {
  readonly id: string;
  readonly subject: string;
  /** One line, without its end. */
  readonly line: string;
  readonly appendedAt: number;
}

/**
 * Records of one subject that are sent, stored and acknowledged as one message. What was put together stays
 * together however often it is sent: the stream tells doubles by the batch's id.
 */
export interface LedgerBatch {
  /** That of its first record, which is in no other batch. */
  readonly id: string;
  readonly subject: string;
  readonly payload: Buffer;
  readonly recordCount: number;
  /** When the newest of its records was. */
  readonly appendedAt: number;
}

/** In the order of their first records, none with more characters than that unless it is a single record. */
export function gatherBatches(
  records: readonly WaitingRecord[],
  longestCharacters: number,
): LedgerBatch[] {
  const gathered: Gathering[] = [];
  const open = new Map<string, Gathering>();
  for (const { id, subject, line, appendedAt } of records) {
    const found = open.get(subject);
    if (found !== undefined && found.text.length + line.length < longestCharacters) {
      found.text += `\n${line}`;
      found.recordCount += 1;
      found.appendedAt = appendedAt;
    } else {
      const begun = { id, subject, text: line, recordCount: 1, appendedAt };
      open.set(subject, begun);
      gathered.push(begun);
    }
  }
  return gathered.map(({ text, ...batch }) => ({ ...batch, payload: Buffer.from(text) }));
}

interface Gathering {
  readonly id: string;
  readonly subject: string;
  appendedAt: number;
  text: string;
  recordCount: number;
}

/** The records' lines, in their order. */
export function linesOf(payload: Uint8Array): string[] {
  const { buffer, byteOffset, byteLength } = payload;
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8').split('\n');
}
