import { MetricsPage, useLeakCheck } from '@sluice/devkit';
import { startTelemetry } from '@sluice/service';
import { afterEach, expect, it, vi } from 'vitest';
import { DONE, attemptWith, piece, scriptedRuntime } from './scripted-runtime.ts';

useLeakCheck();
afterEach(() => void vi.unstubAllEnvs());

it('starts the counters of runtime failures at 0 with the first attempt of a model', async () => {
  const metrics = await MetricsPage.ofThisProcess();
  await using _telemetry = await startTelemetry('worker', metrics.settings);
  const { run } = await scriptedRuntime((reply) => reply.end(piece('Hi', 'stop') + DONE));
  await run(attemptWith({ model: 'acme/chat' }).attempt, () => undefined);
  const page = await metrics.read();
  const series = page.match(/^sluice_worker_.*model="acme\/chat".*/gm) ?? [];
  expect(series.filter((line) => !line.endsWith(' 0'))).toEqual([]);
  const started = series.map((line) => /(?:fault|reason|stage)="(\w+)"/.exec(line)?.[1] ?? line);
  expect(started.toSorted()).toEqual([
    'arguments_differ',
    'arguments_not_json',
    'between_words',
    'first_word',
    'invalid_output',
    'not_json_object',
    'parallel_calls',
    'reasoning_late',
    'schema_differs',
    'schema_unchecked',
    'tool_choice_differs',
    'upstream_busy',
    'upstream_credentials_rejected',
    'upstream_model_missing',
    'upstream_unavailable',
  ]);
});
