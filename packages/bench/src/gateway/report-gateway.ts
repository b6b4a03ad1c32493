import { summarize, type Summary } from '../measure/statistics.ts';
import { formatSummary, table } from '../report/table.ts';
import { BARE_STEPS } from './bare-gateway-options.ts';

/** The contestants, in the order of the table rows. */
export const RIVALS = ['nginx', ...BARE_STEPS, 'sluice', 'portkey'] as const;
export type RivalName = (typeof RIVALS)[number];

/** The cost of a request in one round, in microseconds of CPU. */
export interface Cost {
  readonly round: number;
  readonly name: RivalName;
  readonly gatewayUs: number;
  readonly allUs: number;
  readonly perSecond: number;
  /** Cores used by programs outside the benchmark. */
  readonly foreignCores: number;
}

const FIGURES = {
  gateway_us: { title: 'CPU per request, gateway, µs', digits: 0 },
  over_nginx: { title: "over nginx's", digits: 1 },
  over_portkey: { title: "over Portkey's", digits: 2 },
  over_bus: { title: 'over the least with limits, bus and worker', digits: 2 },
  all_us: { title: 'CPU per request, all processes, µs', digits: 0 },
  all_over_portkey: { title: "over Portkey's", digits: 2 },
  per_second: { title: 'requests/s in this run', digits: 0 },
  foreign_cores: { title: 'cores used by other programs', digits: 2 },
} as const;
type FigureName = keyof typeof FIGURES;
const FIGURE_NAMES = Object.keys(FIGURES).filter((name): name is FigureName => name in FIGURES);

const TITLES: Readonly<Record<RivalName, string>> = {
  nginx: 'nginx',
  http: 'HTTP alone',
  limits: 'and limits',
  bus: 'and bus, worker',
  sluice: 'Sluice',
  portkey: 'Portkey',
};

export interface GatewayReport {
  readonly at_once: number;
  readonly figures: Readonly<
    Partial<Record<RivalName, Readonly<Record<FigureName, Summary | undefined>>>>
  >;
}

/** Each ratio compares values of the same round, so that a slow minute affects both. */
export function reportGateway(costs: readonly Cost[], atOnce: number): GatewayReport {
  const figures: Partial<Record<RivalName, Record<FigureName, Summary | undefined>>> = {};
  for (const name of RIVALS) {
    const own = costs.filter((cost) => cost.name === name);
    if (own.length === 0) continue;
    // The denominator is the CPU of the gateway alone: nginx and Portkey have no other process.
    const over = (other: RivalName, of: (cost: Cost) => number) =>
      summarize(own.map((cost) => of(cost) / gatewayCost(costs, other, cost.round)));
    figures[name] = {
      gateway_us: summarize(own.map(({ gatewayUs }) => gatewayUs)),
      over_nginx: over('nginx', ({ gatewayUs }) => gatewayUs),
      over_portkey: over('portkey', ({ gatewayUs }) => gatewayUs),
      over_bus: over('bus', ({ gatewayUs }) => gatewayUs),
      all_us: summarize(own.map(({ allUs }) => allUs)),
      all_over_portkey: over('portkey', ({ allUs }) => allUs),
      per_second: summarize(own.map(({ perSecond }) => perSecond)),
      foreign_cores: summarize(own.map(({ foreignCores }) => foreignCores)),
    };
  }
  return { at_once: atOnce, figures };
}

function gatewayCost(costs: readonly Cost[], name: RivalName, round: number): number {
  return costs.find((cost) => cost.name === name && cost.round === round)?.gatewayUs ?? Number.NaN;
}

export function renderGateway({ at_once: atOnce, figures }: GatewayReport): string {
  const present = RIVALS.filter((name) => figures[name] !== undefined);
  return table([
    [`small requests, not streamed, ${atOnce} at once`, ...present.map((name) => TITLES[name])],
    ...FIGURE_NAMES.map((figure) => {
      const { title, digits } = FIGURES[figure];
      return [
        `  ${title}`,
        ...present.map((name) => formatSummary(figures[name]?.[figure], digits)),
      ];
    }),
  ]);
}
