import { expect, test } from 'vitest';
import { planNats } from './plan-nats.ts';
import { planRedis } from './plan-redis.ts';

test('an image runs in the foreground, as this user, on the loopback interface only', () => {
  const plan = planRedis({
    program: { kind: 'docker', image: 'redis:7-alpine' },
    dataFolder: '/data one',
    port: 7,
  });

  expect(plan.program).toBe('/bin/sh');
  expect(plan.parameters).toEqual([
    '-c',
    expect.stringMatching(/^docker rm --force "\$0" .*; exec docker run "\$@"$/),
    expect.stringMatching(/^sluice-redis-[0-9a-f]{12}$/),
    '--rm',
    '--init',
    expect.stringMatching(/^--name=sluice-redis-[0-9a-f]{12}$/),
    `--user=${process.getuid?.()}:${process.getgid?.()}`,
    '--publish=127.0.0.1:7:6379',
    '--mount=type=bind,source=/data one,target=/data',
    expect.stringMatching(/^--mount=type=bind,source=.*redis\.conf,target=.*,readonly$/),
    'redis:7-alpine',
    'redis-server',
    '/etc/sluice-server.conf',
    '--bind',
    '0.0.0.0',
    '--protected-mode',
    'no',
    '--dir',
    '/data',
    '--syslog-ident',
    expect.stringMatching(/^sluice-/),
  ]);
  expect(plan.killCommand).toEqual(['docker', 'rm', '--force', plan.parameters[2]]);
});

test('a container is recognized only by its data folder', () => {
  const nameFor = (dataFolder: string, port: number): string | undefined =>
    planRedis({ program: { kind: 'docker', image: 'redis' }, dataFolder, port }).parameters[2];

  expect(nameFor('/one', 1)).toBe(nameFor('/one', 2));
  expect(nameFor('/one', 1)).not.toBe(nameFor('/two', 1));
});

test('an image of NATS keeps its streams in the mounted folder', () => {
  const plan = planNats({
    program: { kind: 'docker', image: 'nats:2.10-alpine' },
    dataFolder: '/data',
    port: 7,
  });

  expect(plan.parameters).toContain('--publish=127.0.0.1:7:4222');
  expect(plan.parameters.slice(-4)).toEqual(['--port', '4222', '--store_dir', '/data']);
});

test('every plan for NATS has a unique name, by which the server is recognized', () => {
  const program = { kind: 'executable', path: '/nats-server' } as const;
  const options = { program, dataFolder: '/data', port: 7 };
  const nameOf = ({ parameters }: { parameters: readonly string[] }): string | undefined =>
    parameters[parameters.indexOf('--name') + 1];

  expect(nameOf(planNats(options))).not.toBe(nameOf(planNats(options)));
});
