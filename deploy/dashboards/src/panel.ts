/** Units by the names that Grafana has for them. */
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
  /** What a line is called: words, and labels in double braces. */
  readonly legend: string;
}

/** One picture: what is seen on it, and what to do when it looks bad. */
export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly unit: PanelUnit;
  readonly queries: readonly PanelQuery[];
  /** Lines of one whole, shown on top of each other. */
  readonly stacked?: boolean;
  /** Its values may be below zero, where the axis of all others begins. */
  readonly belowZero?: boolean;
}

export interface PanelRow {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export function line(legend: string, query: string): PanelQuery {
  return { query, legend };
}
