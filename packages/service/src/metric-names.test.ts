import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { METRICS } from './metric-names.ts';

const documentation = join(import.meta.dirname, '../../../docs/observability.md');

describe('the list of metrics', () => {
  it('has no attribute with an unlimited number of values or with content', () => {
    const endless =
      /organization|project|credential|key|request|attempt|worker|gateway|prompt|content|text|user/;
    for (const { attributes } of Object.values(METRICS)) {
      for (const attribute of attributes) expect(attribute).not.toMatch(endless);
    }
  });

  it('has one bound shortly after 30 s, when the wait for a slot times out', () => {
    const { buckets } = METRICS['sluice.worker.queue.duration'];
    expect(buckets.filter((bound) => bound > 25 && bound < 60)).toEqual([31]);
  });

  it('has names that stay different from each other in Prometheus', () => {
    const names = Object.keys(METRICS);
    for (const name of names) expect(name).toMatch(/^sluice(\.[a-z]+(_[a-z]+)*){2,3}$/);
    const flattened = names.map((name) => name.replaceAll('.', '_'));
    expect(new Set(flattened).size).toBe(names.length);
  });

  it('is documented, each metric with its kind, its attributes and its description', async () => {
    const text = await readFile(documentation, 'utf8');
    const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    const documented = rows
      .filter(([, name]) => name?.startsWith('`sluice.'))
      .map(([, name, kind, , attributes, description]) => ({
        name,
        kind,
        attributes,
        description,
      }));
    const expected = Object.entries(METRICS).map(([name, { kind, attributes, description }]) => ({
      name: `\`${name}\``,
      kind,
      attributes: attributes.map((attribute) => `\`${attribute}\``).join(', '),
      description,
    }));
    const byName = (left: { name: string | undefined }, right: { name: string | undefined }) =>
      (left.name ?? '').localeCompare(right.name ?? '');
    expect(documented.toSorted(byName)).toEqual(expected.toSorted(byName));
  });
});
