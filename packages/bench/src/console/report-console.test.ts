import { expect, test } from 'vitest';
import {
  breaksConsolePromise,
  renderConsole,
  reportConsole,
  type ConsoleMeasurement,
} from './report-console.ts';

const quiet: ConsoleMeasurement = {
  machine: { cores: 2, processor: 'Xeon', kernel: 'Linux 6', node: 'v24', loadAverage: 0 },
  keys: 10_000,
  organizations: 1_000,
  workers: 1_000,
  requests: 10_000,
  times: { Keys: [400, 500, 1_200], 'A request until it is in the usage': [1_100, 1_900, 1_500] },
  scriptBytes: { firstPage: 90_000, all: 140_000 },
  foreignCores: 0.1,
  stolenShare: 0,
};

test('the median of a page is judged by its own limit', () => {
  const report = reportConsole(quiet);
  expect(report.verdicts.map(({ kept }) => kept)).toEqual([true, true]);
  expect(breaksConsolePromise(report)).toBe(false);
  expect(renderConsole(report)).toMatch(/✓ Keys +500 +1,200 +1,000/);
  const slow = reportConsole({ ...quiet, times: { Keys: [900, 1_100, 1_200] } });
  expect(breaksConsolePromise(slow)).toBe(true);
});

test('times of a disturbed machine are not judged, and the size of the scripts is', () => {
  const disturbed = { ...quiet, foreignCores: 1, times: { Keys: [9_000] } };
  const report = reportConsole(disturbed);
  expect(breaksConsolePromise(report)).toBe(false);
  expect(renderConsole(report)).toContain('times are not judged');
  const large = reportConsole({ ...disturbed, scriptBytes: { firstPage: 1, all: 300_000 } });
  expect(breaksConsolePromise(large)).toBe(true);
  expect(reportConsole({ ...quiet, stolenShare: 0.2 }).disturbance).toBe(
    'the machine ran too slowly',
  );
});
