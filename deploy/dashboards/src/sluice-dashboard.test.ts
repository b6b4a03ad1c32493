import { readFile } from 'node:fs/promises';
import { METRICS } from '@sluice/service';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { queryFaults } from '../../tests/monitoring/query-faults.ts';
import { renderDashboard } from './render-dashboard.ts';
import { SLUICE_DASHBOARD } from './sluice-dashboard.ts';

const Placed = z.object({
  id: z.int(),
  type: z.enum(['row', 'timeseries']),
  title: z.string().min(1),
  description: z.string().optional(),
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
  fieldConfig: z.object({ defaults: z.object({ min: z.number().optional() }) }).optional(),
  targets: z
    .array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() }))
    .default([]),
});
type Placed = z.infer<typeof Placed>;

const committed: unknown = JSON.parse(
  await readFile(new URL('../sluice.json', import.meta.url), 'utf8'),
);
const { panels } = z.object({ panels: z.array(Placed) }).parse(committed);
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

function overlap({ gridPos: one }: Placed, { gridPos: other }: Placed): boolean {
  const beside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const below = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !beside && !below;
}

describe('the dashboard', () => {
  test('equals the output of npm run generate', () => {
    expect(committed).toEqual(JSON.parse(JSON.stringify(renderDashboard(SLUICE_DASHBOARD))));
  });

  test('queries only metrics of Sluice, by attributes that they have', () => {
    expect(queries.flatMap(queryFaults)).toEqual([]);
  });

  test('shows every metric that there is', () => {
    const asked = new Set(queries.join('\n').match(/sluice_\w+/g));
    const isShown = (name: string) =>
      ['', '_total', '_bucket'].some((ending) => asked.has(name.replaceAll('.', '_') + ending));
    expect(Object.keys(METRICS).filter((name) => !isShown(name))).toEqual([]);
  });

  test('describes what each panel shows and what to do about it', () => {
    const shown = panels.filter(({ type }) => type === 'timeseries');
    expect(shown.length).toBeGreaterThan(20);
    const isSaid = (description = '') => /^.{80,}\.$/.test(description);
    expect(shown.filter(({ description }) => !isSaid(description))).toEqual([]);
  });

  test('shows values below zero where they can occur', () => {
    const open = panels.filter(
      ({ type, fieldConfig }) => type === 'timeseries' && fieldConfig?.defaults.min === undefined,
    );
    expect(open.map(({ title }) => title)).toEqual(['Days until certificates expire']);
  });

  test('gives each panel a unique id, title and position', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    const pairs = panels.flatMap((panel, index) =>
      panels.slice(index + 1).map((other) => [panel, other] as const),
    );
    expect(pairs.filter(([panel, other]) => overlap(panel, other))).toEqual([]);
    for (const { targets } of panels) {
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
  });

  test('works in any installation', () => {
    const sources = JSON.stringify(committed).match(/"uid":"[^"]*"/g) ?? [];
    expect(new Set(sources)).toEqual(new Set(['"uid":"${datasource}"', '"uid":"sluice"']));
  });
});
