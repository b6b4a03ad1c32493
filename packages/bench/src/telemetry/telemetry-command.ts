import { join } from 'node:path';
import { PauseWitness } from '@sluice/devkit/pauses';
import * as z from 'zod';
import { measuringOptions, measuringOptionsHelp, type Command } from '../command-line.ts';
import { FIGURES, type FigureName } from '../compare/figures.ts';
import { rotated } from '../compare/rotated.ts';
import { warmUp } from '../compare/warm-up.ts';
import { FULL_PACE } from '../compare/work.ts';
import { RUN_WORK } from '../compare/works.ts';
import { startSluice, type SluiceContestant } from '../contestants/sluice.ts';
import { startLoadGenerator } from '../load/load-generator.ts';
import { describeMachine } from '../measure/process-usage.ts';
import { summarize, type Summary } from '../measure/statistics.ts';
import { startProgram } from '../programs/child-program.ts';
import { startSimulatorProgram } from '../programs/simulator-program.ts';
import { formatNumber, formatSummary, table } from '../report/table.ts';

const ROUNDS = 3;
const WORKS = ['requests', 'paced'] as const;
const SHOWN = [
  'gateway_us_per_request',
  'all_us_per_request',
  'gateway_us_per_paced_event',
  'all_us_per_paced_event',
] as const satisfies readonly FigureName[];

/** The compared modes. `off` is the default, in which no telemetry library is loaded. */
const MODES = ['off', 'metrics', 'metrics and traces'] as const;
type Mode = (typeof MODES)[number];

function settingsOf(mode: Mode, collector: string): Record<string, string> {
  if (mode === 'off') return { OTEL_SDK_DISABLED: 'true' };
  return {
    OTEL_SDK_DISABLED: 'false',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_METRIC_EXPORT_INTERVAL: '5000',
    ...(mode === 'metrics' ? { OTEL_TRACES_EXPORTER: 'none' } : {}),
  };
}

type Values = Record<Mode, Partial<Record<FigureName, number[]>>>;

/** Measures what telemetry costs per request and event, with three stacks side by side. */
export const telemetryCommand: Command = {
  help: `
Usage: npm run bench -- telemetry [OPTIONS]

Measures the cost of OpenTelemetry.

Options:
${measuringOptionsHelp(ROUNDS)}
`,
  run: async (parameters, { cleanUp, say, print }) => {
    const { rounds, json } = measuringOptions(parameters, ROUNDS);
    const simulator = cleanUp.use(await startSimulatorProgram());
    const generator = cleanUp.use(startLoadGenerator());
    const witness = cleanUp.use(await PauseWitness.start());
    const stacks: [Mode, SluiceContestant, Collector][] = [];
    for (const mode of MODES) {
      say(`starting Sluice with telemetry: ${mode} …`);
      const collector = cleanUp.use(await startCollector());
      const settings = settingsOf(mode, collector.url);
      const contestant = cleanUp.use(await startSluice({ simulator, say }, settings));
      say('warming up …');
      await warmUp(contestant, generator, WORKS);
      await simulator.idle();
      stacks.push([mode, contestant, collector]);
    }
    const values: Values = { off: {}, metrics: {}, 'metrics and traces': {} };
    for (let round = 1; round <= rounds; round += 1) {
      for (const work of WORKS) {
        // The order rotates, so that a stack does not always run after the same one.
        for (const [mode, contestant] of rotated(stacks, round - 1)) {
          say(`round ${round}/${rounds}  ${work}  ${mode}`);
          const observed = { contestant, generator, simulator, witness };
          const measured = await RUN_WORK[work](observed, FULL_PACE);
          for (const figure of SHOWN) {
            const value = measured?.figures[figure];
            if (value !== undefined) (values[mode][figure] ??= []).push(value);
          }
        }
      }
    }
    const received: Partial<Record<Mode, Received>> = {};
    for (const [mode, , collector] of stacks) received[mode] = await collector.received();
    const report: TelemetryReport = {
      machine: describeMachine(),
      rounds,
      figures: Object.fromEntries(
        SHOWN.map((figure) => [
          figure,
          Object.fromEntries(MODES.map((mode) => [mode, summarize(values[mode][figure] ?? [])])),
        ]),
      ),
      received,
    };
    print(json ? JSON.stringify(report, undefined, 2) : renderTelemetry(report));
    return isSound(report) ? 0 : 1;
  },
};

type Received = Readonly<Record<string, number>>;

interface TelemetryReport {
  readonly machine: ReturnType<typeof describeMachine>;
  readonly rounds: number;
  readonly figures: Readonly<Record<string, Readonly<Record<string, Summary | undefined>>>>;
  /** Bytes that the collector of each stack received, by path. */
  readonly received: Readonly<Partial<Record<Mode, Received>>>;
}

interface Collector extends AsyncDisposable {
  readonly url: string;
  received(): Promise<Received>;
}

async function startCollector(): Promise<Collector> {
  const program = await startProgram({
    name: 'collector',
    program: process.execPath,
    parameters: [join(import.meta.dirname, 'collector.ts')],
    isReady: async ({ firstLine }) => (await firstLine) !== '',
  });
  const url = await program.firstLine;
  return {
    url,
    received: async () => z.record(z.string(), z.number()).parse(await (await fetch(url)).json()),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** Whether the collectors received data. Without it, telemetry was not measured. */
function isSound({ received }: TelemetryReport): boolean {
  const hasReceived = (mode: Mode, path: string) => (received[mode]?.[path] ?? 0) > 0;
  return (
    Object.keys(received.off ?? {}).length === 0 &&
    hasReceived('metrics', '/v1/metrics') &&
    hasReceived('metrics and traces', '/v1/metrics') &&
    hasReceived('metrics and traces', '/v1/traces')
  );
}

function renderTelemetry(report: TelemetryReport): string {
  const rows = SHOWN.map((figure) => {
    const { title, unit, digits } = FIGURES[figure];
    return [
      `  ${title}, ${unit}`,
      ...MODES.map((mode) => formatSummary(report.figures[figure]?.[mode], digits)),
    ];
  });
  const sizes = MODES.map((mode) => {
    const bytes = Object.values(report.received[mode] ?? {}).reduce((sum, one) => sum + one, 0);
    return formatNumber(bytes / 1_024, 0);
  });
  return [
    table([
      ['OpenTelemetry in every process', ...MODES],
      ...rows,
      ['  received by the collector, KiB', ...sizes],
    ]),
    ...(isSound(report) ? [] : ['The collectors did not get what they should have.']),
  ].join('\n\n');
}
