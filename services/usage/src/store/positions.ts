import * as z from 'zod';
import { select, type Queryable } from './database.ts';

/** A position in a stream of the ledger. The tables hold everything up to it. */
export interface Position {
  readonly streamCreated: string;
  readonly sequence: number;
  readonly storedAtMs: number;
}

const PositionRow = z.object({
  streamCreated: z.string(),
  sequence: z.number(),
  storedAtMs: z.number(),
});

/** The positions in a stream, one for each time that it was created. */
export async function readPositions(database: Queryable, stream: string): Promise<Position[]> {
  return select(
    database,
    PositionRow,
    `SELECT stream_created AS "streamCreated", sequence::float8 AS sequence, stored_ms::float8 AS "storedAtMs"
     FROM positions WHERE stream = $1`,
    [stream],
  );
}

/** Another process has moved the position, so it has already written the records that this process has just read. */
export class PositionMovedError extends Error {
  override readonly name = 'PositionMovedError';
  constructor(stream: string) {
    super(`another process moved the position in ${stream}`);
  }
}

/** Moves the position. Rejects unless it is still `from`, the sequence after which the caller began to read. */
export async function movePosition(
  transaction: Queryable,
  { stream, from, to }: { stream: string; from: number | undefined; to: Position },
): Promise<void> {
  const { streamCreated, sequence, storedAtMs } = to;
  const parameters = [stream, streamCreated, sequence, storedAtMs];
  const moved =
    from === undefined
      ? await transaction.query(
          'INSERT INTO positions VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1 AS moved',
          parameters,
        )
      : await transaction.query(
          `UPDATE positions SET sequence = $3, stored_ms = $4
           WHERE stream = $1 AND stream_created = $2 AND sequence = $5 RETURNING 1 AS moved`,
          [...parameters, from],
        );
  if (moved.length === 0) throw new PositionMovedError(stream);
}
