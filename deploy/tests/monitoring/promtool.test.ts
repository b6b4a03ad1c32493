import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { cannotRun } from '@sluice/devkit';
import { describe, expect, test } from 'vitest';

const alerts = join(import.meta.dirname, '../../alerts');

function promtool(...parameters: readonly string[]) {
  const { error, status, stdout, stderr } = spawnSync('promtool', parameters, {
    cwd: alerts,
    encoding: 'utf8',
    timeout: 25_000,
  });
  return { missing: error !== undefined, status, output: `${stdout}${stderr}` };
}

const missing = promtool('--version').missing
  ? 'no promtool on this machine; it comes with Prometheus'
  : undefined;

describe.skipIf(cannotRun('the alerts in promtool', missing))('promtool', () => {
  test('accepts every rule', () => {
    expect(promtool('check', 'rules', 'sluice.rules.yaml')).toMatchObject({ status: 0 });
  });

  test('sees each alert fire when it should, and only then', () => {
    const { status, output } = promtool('test', 'rules', 'sluice.test.yaml');
    expect(output).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});
