import { type ReactElement, type RefObject, useEffect, useRef, useState } from 'react';

export interface ChartSeries {
  readonly id: string;
  readonly name: string;
  readonly values: readonly number[];
}

interface ChartProps {
  readonly label: string;
  readonly series: readonly ChartSeries[];
  /** The name of each column. */
  readonly columns: readonly string[];
  readonly format: (value: number) => string;
}

// Sizes in CSS pixels.
const height = 240;
const left = 56;
const bottom = 28;
const top = 10;
const plotHeight = height - bottom - top;
const minLabelWidth = 64;

/** A round number that is not below the largest value, so that the lines of the scale are at round numbers. */
function scaleEnd(largest: number): number {
  if (largest <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(largest));
  const step = [1, 2, 2.5, 5, 10].find((step) => step * size >= largest) ?? 10;
  return step * size;
}

/**
 * Stacked columns over time. They are drawn as SVG, because the content security policy allows no inline styles. Screen
 * readers do not get the values from the chart, so the page must also show them in a table.
 */
export function Chart({ label, series, columns, format }: ChartProps): ReactElement {
  const [hovered, setHovered] = useState<number>();
  const figure = useRef<HTMLElement>(null);
  const width = useWidth(figure);
  const totals = columns.map((_, column) =>
    series.reduce((sum, { values }) => sum + (values[column] ?? 0), 0),
  );
  const end = scaleEnd(Math.max(0, ...totals));
  const step = (width - left) / Math.max(1, columns.length);
  const gap = Math.min(6, step * 0.25);
  const y = (value: number): number => top + plotHeight * (1 - value / end);
  const shown = hovered ?? columns.length - 1;
  const columnsPerLabel = Math.max(1, Math.ceil(minLabelWidth / step));
  return (
    <figure className="chart" ref={figure}>
      <p className="chart-readout" aria-hidden="true">
        <strong>{columns[shown]}</strong>
        <span className="chart-total">{format(totals[shown] ?? 0)}</span>
        {series.length < 2
          ? null
          : series.map(({ id, name, values }, index) => (
              <span key={id} className="legend">
                <svg className="legend-mark" viewBox="0 0 8 8">
                  <rect width="8" height="8" rx="2" className={`series-${index}`} />
                </svg>
                <span className="legend-name">{name}</span> {format(values[shown] ?? 0)}
              </span>
            ))}
      </p>
      <svg
        className="chart-plot"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
        onPointerLeave={() => setHovered(undefined)}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line
              className="chart-line"
              x1={left}
              x2={width}
              y1={y(end * share)}
              y2={y(end * share)}
            />
            <text className="chart-scale" x={left - 8} y={y(end * share) + 4} textAnchor="end">
              {format(end * share)}
            </text>
          </g>
        ))}
        {columns.map((name, column) => {
          let stacked = 0;
          return (
            <g key={name} onPointerEnter={() => setHovered(column)}>
              <rect
                className={column === hovered ? 'chart-column pointed' : 'chart-column'}
                x={left + column * step}
                y={top}
                width={step}
                height={plotHeight}
              />
              {series.map(({ id, values }, index) => {
                const value = values[column] ?? 0;
                stacked += value;
                if (value === 0) return null;
                return (
                  <rect
                    key={id}
                    className={`series-${index}`}
                    x={left + column * step + gap / 2}
                    y={y(stacked)}
                    width={Math.max(1, step - gap)}
                    height={Math.max(1, (plotHeight * value) / end)}
                    rx={Math.min(2, step / 6)}
                  />
                );
              })}
              {column % columnsPerLabel === 0 ? (
                <text
                  className="chart-scale"
                  {...labelPlace(column, columns.length, { step, width })}
                  y={height - 8}
                >
                  {name}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

/** Labels are below the middle of their column. If columns are narrow, the first and the last label stay in the chart. */
function labelPlace(
  column: number,
  count: number,
  { step, width }: { readonly step: number; readonly width: number },
): { readonly x: number; readonly textAnchor: 'start' | 'middle' | 'end' } {
  if (step < left && column === 0) return { x: left, textAnchor: 'start' };
  if (step < left && column === count - 1) return { x: width, textAnchor: 'end' };
  return { x: left + (column + 0.5) * step, textAnchor: 'middle' };
}

/** The width of an element. The chart is drawn in this width and not scaled, so its text has the size of other text. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(960);
  useEffect(() => {
    if (element.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.max(240, Math.round(entry.contentRect.width)));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
