/** A record that waits to be sent. */
export interface WaitingRecord {
  readonly id: string;
  readonly subject: string;
  /** The record as one line, without the line break. */
  readonly line: string;
  readonly appendedAt: number;
}

/**
 * Records of one subject that are sent, stored and acknowledged as one message. A batch keeps the same records each
 * time it is sent, so the stream can detect duplicates by the batch's id.
 */
export interface LedgerBatch {
  /** The id of the first record, which is in no other batch. */
  readonly id: string;
  readonly subject: string;
  readonly payload: Buffer;
  readonly recordCount: number;
  /** When the newest record was appended. */
  readonly appendedAt: number;
}

/**
 * Combines records into batches, in the order of their first records. A batch has at most `maxCharacters`, unless it is
 * a single record.
 */
export function gatherBatches(
  records: readonly WaitingRecord[],
  maxCharacters: number,
): LedgerBatch[] {
  const gathered: Gathering[] = [];
  const open = new Map<string, Gathering>();
  for (const { id, subject, line, appendedAt } of records) {
    const found = open.get(subject);
    if (found !== undefined && found.text.length + line.length < maxCharacters) {
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

/** The lines of the records, in order. */
export function linesOf(payload: Uint8Array): string[] {
  const { buffer, byteOffset, byteLength } = payload;
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8').split('\n');
}
