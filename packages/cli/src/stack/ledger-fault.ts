import * as z from 'zod';
import { httpAnswer } from './http-answer.ts';

/** The fault that a catalog reports before its first check. */
const NOT_KNOWN_YET = 'not looked for yet';

const Stream = z.object({ exists: z.boolean(), fault: z.string().optional() });
const CatalogReadiness = z.object({ ledger: z.record(z.string(), Stream) });

/** Describes the ledger streams that a catalog could not create. Empty if all exist or the state is unknown. */
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
