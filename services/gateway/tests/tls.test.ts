import { useCertificates, useLeakCheck, useNats, waitUntil } from '@sluice/devkit';
import { createLogger } from '@sluice/service';
import { expect, test } from 'vitest';
import { GatewayWithNeighbours } from './gateway-with-neighbours.ts';

useLeakCheck();
const nats = useNats();
const { authority } = useCertificates();

test('neighbours that cannot be called over TLS are unavailable and logged once each', async () => {
  const written: string[] = [];
  const logger = createLogger({
    service: 'gateway',
    level: 'warn',
    destination: { write: (line) => void written.push(line) },
  });
  const settings = { GRPC_TLS: 'true', GRPC_CA_FILE: authority };
  await using parts = await GatewayWithNeighbours.start(nats.url, settings, logger);
  const faults = () => written.filter((line) => line.includes('it does not support TLS'));
  await waitUntil(() => faults().length === 2, { what: 'both neighbours to be named' });
  for (let request = 0; request < 5; request += 1) {
    const reply = await parts.complete();
    expect(reply.status).toBe(503);
    expect(await reply.text()).not.toMatch(/TLS|certificate/);
  }
  expect(parts.gateway.readiness().ready).toBe(false);
  const named = faults().map((line) => (JSON.parse(line) as { neighbour: string }).neighbour);
  expect(named.toSorted()).toEqual(['catalog', 'quota']);
});
