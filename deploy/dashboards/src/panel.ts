/** The names of units in Grafana. */
export type PanelUnit =
  | 'bool_on_off'
  | 'd'
  | 'none'
  | 'percentunit'
  | 'reqps'
  | 'ops'
  | 'short'
  | 's'
  | 'tokens/s';

export interface PanelQuery {
  readonly query: string;
  /** The name of a line: text, and labels in double braces. */
  readonly legend: string;
}

/** One panel. The description says what it shows, and what to do when it looks bad. */
export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly unit: PanelUnit;
  readonly queries: readonly PanelQuery[];
  /** Stacks the lines, because they are parts of one whole. */
  readonly stacked?: boolean;
  /** The values may be negative. The axis of every other panel begins at 0. */
  readonly belowZero?: boolean;
}

export interface PanelRow {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export function line(legend: string, query: string): PanelQuery {
  return { query, legend };
}
