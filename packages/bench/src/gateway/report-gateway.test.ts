import { expect, test } from 'vitest';
import { renderGateway, reportGateway, type Cost, type RivalName } from './report-gateway.ts';

const cost = (round: number, name: RivalName, gatewayUs: number): Cost => ({
  round,
  name,
  gatewayUs,
  allUs: 2 * gatewayUs,
  perSecond: 1_000,
  foreignCores: 0,
});

// The machine becomes four times as slow after the first round.
const COSTS = [
  cost(1, 'nginx', 10),
  cost(1, 'bus', 80),
  cost(1, 'sluice', 120),
  cost(2, 'nginx', 40),
  cost(2, 'bus', 320),
  cost(2, 'sluice', 480),
  cost(3, 'nginx', 40),
  cost(3, 'bus', 320),
  cost(3, 'sluice', 480),
];

test('a slow round does not change a ratio', () => {
  const { figures } = reportGateway(COSTS, 32);
  expect(figures.sluice?.gateway_us).toMatchObject({ median: 480, least: 120 });
  expect(figures.sluice?.over_nginx).toEqual({ median: 12, least: 12, most: 12, count: 3 });
  expect(figures.sluice?.over_bus).toEqual({ median: 1.5, least: 1.5, most: 1.5, count: 3 });
});

test('a gateway that was not measured has no column and no ratios', () => {
  const report = reportGateway(COSTS, 32);
  expect(report.figures.portkey).toBeUndefined();
  expect(report.figures.sluice?.over_portkey).toBeUndefined();
  const [heading = ''] = renderGateway(report).split('\n');
  expect(heading).toMatch(
    /^small requests, not streamed, 32 at once +nginx +and bus, worker +Sluice$/,
  );
});
