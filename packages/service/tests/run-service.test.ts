import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { bareEnvironment, MetricsPage } from '@sluice/devkit';
import { findFreePort } from '@sluice/servers';
import { describe, expect, it, vi } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

const FIXTURE = new URL('./fixtures/service.ts', import.meta.url).pathname;

function run(environment: Record<string, string>, stdio: 'pipe' | 'ipc' = 'pipe') {
  const child = spawn(process.execPath, [FIXTURE], {
    env: { ...bareEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe', ...(stdio === 'ipc' ? (['ipc'] as const) : [])],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const printed = (text: string) => vi.waitFor(() => expect(output).toContain(text), 10_000);
  return { child, exited, printed, output: () => output };
}

function portOf(server: Server): number | undefined {
  const address = server.address();
  return typeof address === 'object' ? address?.port : undefined;
}

/** Runs the service with a page of metrics. `started` returns the value of the metric about its start. */
async function runWithMetrics(environment: Record<string, string>) {
  const metrics = await MetricsPage.onFreePort();
  const service = run({ ...metrics.settings, ...environment });
  const started = async () => {
    const page = await vi.waitFor(() => metrics.read());
    return /^sluice_process_started\S* (\S+)/m.exec(page)?.[1];
  };
  return { ...service, started };
}

describe('the life of a service process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('drains and exits with 0 after %s', async (signal) => {
    const service = run({});
    await service.printed('"started"');
    service.child.kill(signal);
    expect(await service.exited).toEqual([0, null]);
    expect(service.output()).toContain('drained');
  });

  it('logs its version when it has started', async () => {
    const service = run({});
    await service.printed('"started"');
    expect(service.output()).toContain(`"version":"${packageJson.version}"`);
    service.child.kill('SIGTERM');
    await service.exited;
  });

  it('drains in full after SIGTERM, and only shortly after SIGINT', async () => {
    const terminated = run({});
    await terminated.printed('"started"');
    terminated.child.kill('SIGTERM');
    await terminated.exited;
    expect(terminated.output()).not.toContain('shortened');
    const interrupted = run({});
    await interrupted.printed('"started"');
    interrupted.child.kill('SIGINT');
    await interrupted.exited;
    expect(interrupted.output()).toMatch(/shortened\ndrained/);
  });

  it('ends at once at a second signal, however long it would have drained', async () => {
    const service = run({ FIXTURE_HANGS: 'at-end' });
    await service.printed('"started"');
    service.child.kill('SIGTERM');
    await service.printed('draining');
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual([1, null]);
  });

  it('reports that it is still starting, and ends at a signal', async () => {
    const port = await findFreePort();
    const service = run({ FIXTURE_HANGS: 'at-start', HEALTH_PORT: String(port) });
    await service.printed('starting');
    const readiness = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toEqual({ status: 'not ready', phase: 'starting' });
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual([0, null]);
  });

  it('reports whether it has started, from its first moment until its end', async () => {
    const hanging = await runWithMetrics({ FIXTURE_HANGS: 'at-start' });
    await hanging.printed('starting');
    expect(await hanging.started()).toBe('0');
    hanging.child.kill('SIGTERM');
    await hanging.exited;
    const draining = await runWithMetrics({ FIXTURE_HANGS: 'at-end' });
    await draining.printed('"started"');
    expect(await draining.started()).toBe('1');
    draining.child.kill('SIGTERM');
    await draining.printed('draining');
    expect(await draining.started()).toBe('1');
    draining.child.kill('SIGTERM');
    await draining.exited;
  });

  it('stops when the supervisor that started it disconnects', async () => {
    const service = run({}, 'ipc');
    await service.printed('"started"');
    service.child.disconnect();
    expect(await service.exited).toEqual([0, null]);
    expect(service.output()).toMatch(/shortened\ndrained/);
  });

  it('exits with 2 and one readable message when its settings are wrong', async () => {
    const service = run({ HEALTH_PORT: 'many', LOG_LEVEL: 'loud' });
    expect(await service.exited).toEqual([2, null]);
    expect(service.output()).toMatch(
      /^fixture: settings are wrong:\n {2}LOG_LEVEL: .*\n {2}HEALTH_PORT: .*\n$/,
    );
  });

  it('exits with 2 when its settings do not fit the services that it connects to', async () => {
    const service = run({ FIXTURE_BREAKS: 'by-settings' });
    expect(await service.exited).toEqual([2, null]);
    expect(service.output()).toBe('fixture: BODY_LIMIT_BYTES is too large for the bus\n');
  });

  it('sends its last traces before it exits', async () => {
    const received: string[] = [];
    const collector = createServer((request, response) => {
      request
        .setEncoding('latin1')
        .on('data', (text: string) => void received.push(text))
        .on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const port = portOf(collector);
    const service = run({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    await service.printed('"started"');
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual([0, null]);
    collector.close();
    expect(received.join('')).toContain('the last thing done');
  });

  it('exits with 1 and says why when it cannot start', async () => {
    const service = run({ FIXTURE_BREAKS: 'at-start' });
    expect(await service.exited).toEqual([1, null]);
    expect(service.output()).toContain('fixture: no connection: refused');
  });

  it('names the address at which it cannot serve its health', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = portOf(other);
    const service = run({ HEALTH_PORT: String(port) });
    expect(await service.exited).toEqual([1, null]);
    other.close();
    expect(service.output()).toContain(`fixture: cannot listen on 127.0.0.1:${port}: `);
  });

  it('ends after an uncaught error, and does not log its message', async () => {
    const service = run({ FIXTURE_BREAKS: 'later' });
    expect(await service.exited).toEqual([1, null]);
    expect(service.output()).toContain('"crashed"');
    expect(service.output()).not.toContain('secret prompt');
  });

  it('does not print the output of libraries, and logs that there was some', async () => {
    const service = run({ FIXTURE_PRINTS: 'the secret prompt' });
    await service.printed('"started"');
    service.child.kill('SIGTERM');
    await service.exited;
    expect(service.output()).toContain('a library wrote to the console');
    expect(service.output()).not.toContain('secret prompt');
  });

  it.runIf(existsSync('/proc/self/coredump_filter'))(
    'leaves its memory out of a core dump',
    async () => {
      const service = run({});
      await service.printed('"started"');
      const filter = readFileSync(`/proc/${service.child.pid}/coredump_filter`, 'utf8');
      service.child.kill('SIGTERM');
      await service.exited;
      expect(filter).toBe('00000000\n');
    },
  );

  it('lets OpenTelemetry print what an operator asks for', async () => {
    const service = run({ OTEL_TRACES_EXPORTER: 'console', OTEL_LOG_LEVEL: 'debug' });
    await service.printed('"started"');
    service.child.kill('SIGTERM');
    expect(await service.exited).toEqual([0, null]);
    expect(service.output()).toContain("name: 'the last thing done'");
    expect(service.output()).toContain('@opentelemetry/api: Registered a global for trace');
    expect(service.output()).not.toContain('a library wrote to the console');
  });
});
