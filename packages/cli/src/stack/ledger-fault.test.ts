import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { ledgerFaults } from './ledger-fault.ts';

/** Starts a catalog that answers with this body, and returns its URL. */
async function readyUrlOf(body: object): Promise<string> {
  const server = createServer((_request, response) => response.end(JSON.stringify(body)));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? String(address?.port) : ''}/readyz`;
}

test('a stream of the ledger that could not be created is reported, with the reason', async () => {
  const url = await readyUrlOf({
    status: 'ready',
    ledger: {
      outcomes: { exists: false, fault: 'insufficient storage resources available' },
      refusals: { exists: true },
    },
  });
  expect(await ledgerFaults(url)).toEqual([
    'no stream keeps the outcomes of requests: insufficient storage resources available',
  ]);
});

test('streams that exist, or that were not checked yet, are not reported', async () => {
  const refusals = { exists: false, fault: 'not looked for yet' };
  const url = await readyUrlOf({ ledger: { outcomes: { exists: true }, refusals } });
  expect(await ledgerFaults(url)).toEqual([]);
  expect(await ledgerFaults(await readyUrlOf({ status: 'not ready' }))).toEqual([]);
});
