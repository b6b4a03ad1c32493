import type { Panel, PanelRow } from './panel.ts';
import { prometheusSpelling } from './prometheus-names.ts';

export interface Dashboard {
  readonly title: string;
  readonly description: string;
  /** Part of the address of the dashboard. A newer version with the same uid replaces an older one. */
  readonly uid: string;
  readonly rows: readonly PanelRow[];
}

const GRID_WIDTH = 24;
const PANEL = { w: 8, h: 8 } as const;
const HEADING_HEIGHT = 1;
/** A variable of the dashboard: its user chooses the data source, so it works with every installation. */
const SOURCE = { type: 'prometheus', uid: '${datasource}' } as const;

/** The dashboard in the format that Grafana imports. */
export function renderDashboard({ title, description, uid, rows }: Dashboard): object {
  return {
    id: null,
    uid,
    title,
    description,
    tags: ['sluice'],
    editable: true,
    graphTooltip: 1,
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: [sourceVariable(), modelVariable()] },
    annotations: { list: [] },
    panels: placePanels(rows),
  };
}

function sourceVariable(): object {
  return {
    name: 'datasource',
    label: 'Data source',
    type: 'datasource',
    query: 'prometheus',
    refresh: 1,
    multi: false,
    includeAll: false,
  };
}

function modelVariable(): object {
  const query = `label_values(${prometheusSpelling('sluice.gateway.requests').scraped}, model)`;
  return {
    name: 'model',
    label: 'Model',
    type: 'query',
    datasource: SOURCE,
    definition: query,
    query: { query, refId: 'models' },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  };
}

/** Places the panels of each row from left to right, and the rows below each other. */
function placePanels(rows: readonly PanelRow[]): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    const gridPos = { x: 0, y, w: GRID_WIDTH, h: HEADING_HEIGHT };
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos,
      panels: [],
    });
    y += HEADING_HEIGHT;
    let x = 0;
    for (const panel of panels) {
      if (x + PANEL.w > GRID_WIDTH) {
        x = 0;
        y += PANEL.h;
      }
      placed.push({ id: placed.length + 1, ...renderPanel(panel), gridPos: { x, y, ...PANEL } });
      x += PANEL.w;
    }
    y += PANEL.h;
  }
  return placed;
}

function renderPanel(panel: Panel): object {
  const { title, description, unit, queries, stacked = false, belowZero = false } = panel;
  return {
    type: 'timeseries',
    title,
    description,
    datasource: SOURCE,
    targets: queries.map(({ query, legend }, index) => ({
      refId: String.fromCodePoint('A'.charCodeAt(0) + index),
      datasource: SOURCE,
      expr: query,
      legendFormat: legend,
      range: true,
    })),
    fieldConfig: {
      defaults: {
        unit,
        ...(belowZero ? {} : { min: 0 }),
        custom: {
          drawStyle: 'line',
          lineWidth: 1,
          fillOpacity: stacked ? 30 : 0,
          showPoints: 'never',
          stacking: { mode: stacked ? 'normal' : 'none', group: 'A' },
        },
      },
      overrides: [],
    },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}
