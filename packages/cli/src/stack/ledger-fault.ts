import * as z from 'zod';
import { httpAnswer } from './http-answer.ts';

/** What a catalog says until it has looked. */
const NOT_KNOWN_YET = 'not looked for yet';

const Stream = z.object({ exists: z.boolean(), fault: z.string().optional() });
const CatalogReadiness = z.object({ ledger: z.record(z.string(), Stream) });

/** Which streams of the ledger a catalog could not make, and why; empty when all are there, or nothing is told. */
export async function ledgerFaults(readyUrl: string): Promise<string[]> {
  const answer = await httpAnswer(readyUrl);
  if (answer === undefined) return [];
  const { data } = CatalogReadiness.safeParse(JSON.parse(answer.body));
  return Object.entries(data?.ledger ?? {}).flatMap(([kind, { exists, fault }]) =>
    exists || fault === NOT_KNOWN_YET
      ? []
      : [`no stream keeps the ${kind} of requests: ${fault ?? 'the reason is unknown'}`],
  );
}
