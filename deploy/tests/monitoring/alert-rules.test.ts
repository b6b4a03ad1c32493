import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { queryFaults } from './query-faults.ts';
import { anchorOf, headingsOf, readPage } from './repository-pages.ts';

const RUNBOOK = 'docs/operations/alerts.md';

const Rules = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Sluice[A-Z]\w+$/),
          expr: z.string(),
          for: z.string().optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string().min(10), runbook: z.string() }),
        }),
      ),
    }),
  ),
});
const Cases = z.object({
  tests: z.array(
    z.object({
      alert_rule_test: z.array(
        z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) }),
      ),
    }),
  ),
});

const rules = Rules.parse(parse(await readPage('deploy/alerts/sluice.rules.yaml'))).groups.flatMap(
  (group) => group.rules,
);
const cases = Cases.parse(parse(await readPage('deploy/alerts/sluice.test.yaml'))).tests.flatMap(
  (one) => one.alert_rule_test,
);
const names = rules.map(({ alert }) => alert);

describe('the alerts', () => {
  test('query only metrics of Sluice, by attributes that they have', () => {
    expect(rules.flatMap(({ expr }) => queryFaults(expr))).toEqual([]);
  });

  test('have different names, and link to their sections of the runbook', async () => {
    expect(new Set(names).size).toBe(names.length);
    const anchors = (await headingsOf(RUNBOOK)).map(anchorOf);
    for (const { alert, annotations } of rules) {
      expect(annotations.runbook).toBe(`${RUNBOOK}#${anchorOf(alert)}`);
      expect(anchors).toContain(anchorOf(alert));
    }
  });

  test('are all alerts that the runbook and the dashboard name', async () => {
    const words = [await readPage(RUNBOOK), await readPage('deploy/dashboards/sluice.json')].join(
      '\n',
    );
    const named = new Set(words.match(/\bSluice[A-Z]\w+/g));
    expect([...named].toSorted()).toEqual(names.toSorted());
  });

  test('each have cases in which they fire, and in which they do not', () => {
    for (const alert of names) {
      const expected = cases.filter(({ alertname }) => alertname === alert);
      const fires = expected.map(({ exp_alerts: alerts }) => alerts.length > 0);
      expect({ alert, fires: new Set(fires) }).toEqual({ alert, fires: new Set([true, false]) });
    }
  });
});
