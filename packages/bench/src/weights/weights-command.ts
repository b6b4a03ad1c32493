import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptRecord, Scheduling } from '@sluice/contracts';
import { parseOptions, wholeNumber, type Command, type CommandContext } from '../command-line.ts';
import { requestBodies } from '../compare/bodies.ts';
import { targetOf } from '../contestants/contestant.ts';
import { startLoadGenerator } from '../load/load-generator.ts';
import type { LoadState } from '../load/load-options.ts';
import { startSimulatorProgram } from '../programs/simulator-program.ts';
import { startStack, type SluiceStack } from '../programs/sluice-stack.ts';
import { createTenantOf } from '../programs/tenant.ts';
import { formatNumber, table } from '../report/table.ts';
import { readAttempts } from './attempts.ts';
import {
  overtakenBy,
  servedTokens,
  shareWithoutWaiting,
  sharesOf,
  type TimeWindow,
} from './judge-shares.ts';

const DEFAULT_SECONDS = 60;
const WARM_UP_MS = 5_000;
const WORKERS = 2;
const SLOTS = 8;
const BETWEEN_TOKENS_MS = 10;
/** How much the share of an organization may differ from the share by its weight, relative to it. */
const MAX_ERROR = 0.05;
/**
 * For how much of the time an organization may have no waiting job at a worker. In that time it rightly gets less than
 * its share.
 */
const MAX_UNSATURATED = 0.02;
const LOWER_CLASS_PERCENT = 10;
/** Ten times as many as can run. */
const TEN_TIMES = 10 * WORKERS * SLOTS;

const SETTINGS = {
  SLOTS: String(SLOTS),
  QUEUE_LIMIT: '1024',
  // Lower classes wait for long, and no request may fail.
  QUEUE_TIMEOUT_MS: '600000',
  LOWER_CLASS_PERCENT: String(LOWER_CLASS_PERCENT),
};

/** Tokens of the answers of one organization, in turn. */
const MIXES = {
  'mostly short': [8, 16, 12, 160, 8],
  mixed: [16, 120, 32, 80, 8],
  'mostly long': [160, 120, 16, 160, 100],
} as const;

interface Load {
  readonly name: string;
  readonly scheduling: Scheduling;
  readonly answers: keyof typeof MIXES;
  readonly connections: number;
}

interface Phase {
  readonly title: string;
  readonly loads: readonly Load[];
}

interface Measured {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
  readonly broken: readonly string[];
}

const BY_WEIGHT: readonly Phase[] = [
  phaseOfWeights([3, 1], ['mostly short', 'mostly long']),
  phaseOfWeights([5, 3, 1], ['mostly long', 'mixed', 'mostly short']),
];

const HIGHER_CLASS: Phase = {
  title: 'A higher class, one request at a time, under ten times the load of the lower class',
  loads: [
    {
      name: 'first-high',
      scheduling: { scheduling_class: 1 },
      answers: 'mostly short',
      connections: 1,
    },
    { name: 'first-low', scheduling: {}, answers: 'mixed', connections: TEN_TIMES },
  ],
};

const LOWER_CLASSES: Phase = {
  title: `Three classes that all want everything, LOWER_CLASS_PERCENT=${LOWER_CLASS_PERCENT}`,
  loads: [
    { name: 'high', scheduling: { scheduling_class: 1 }, answers: 'mixed', connections: 64 },
    { name: 'middle', scheduling: {}, answers: 'mostly short', connections: 64 },
    { name: 'low', scheduling: { scheduling_class: -1 }, answers: 'mostly long', connections: 64 },
  ],
};

export const weightsCommand: Command = {
  help: `
Usage: npm run bench -- weights [OPTIONS]

How two saturated workers share their slots between organizations, by weight and
by class. Fails if a share differs from the share by weight by more than
${MAX_ERROR * 100}%, if a request of a higher class does not get the first free slot, or if
a lower class gets less than its least share.

Options:
  --seconds N   how long each part is measured (${DEFAULT_SECONDS})
  --json        the result as JSON
  --help        this text
`,
  run: async (parameters, context) => {
    const options = parseOptions(parameters, {
      seconds: { type: 'string', default: String(DEFAULT_SECONDS) },
      json: { type: 'boolean', default: false },
    });
    const seconds = wholeNumber('--seconds', options.seconds, { least: 5, most: 3_600 });
    const { cleanUp, say, print } = context;
    say('starting a gateway, two workers and two runtimes …');
    const settings = { slots: 64, 'itl-ms': BETWEEN_TOKENS_MS };
    const runtimes = [
      cleanUp.use(await startSimulatorProgram(settings)),
      cleanUp.use(await startSimulatorProgram(settings)),
    ];
    const stack = cleanUp.use(
      await startStack({ runtimes: runtimes.map(({ url }) => url), environment: SETTINGS }),
    );
    const run = (phase: Phase) => runPhase(phase, seconds, stack, context);
    const measured: Measured[] = [];
    for (const phase of BY_WEIGHT) measured.push(judgeWeights(phase, await run(phase)));
    measured.push(judgeHigherClass(await run(HIGHER_CLASS)));
    measured.push(judgeLowerClasses(await run(LOWER_CLASSES)));
    print(options.json ? JSON.stringify(measured, undefined, 2) : render(measured));
    return measured.some(({ broken }) => broken.length > 0) ? 1 : 0;
  },
};

function phaseOfWeights(
  weights: readonly number[],
  answers: readonly (keyof typeof MIXES)[],
): Phase {
  const ratio = weights.join(':');
  return {
    title: `Weights ${ratio}`,
    loads: weights.map((weight, index) => ({
      name: `weight-${weights.join('-')}-of-${weight}`,
      scheduling: { weight },
      answers: answers[index] ?? 'mixed',
      connections: 64,
    })),
  };
}

interface PhaseResult {
  readonly attempts: readonly AttemptRecord[];
  readonly window: TimeWindow;
  readonly failures: readonly string[];
}

async function runPhase(
  { title, loads }: Phase,
  seconds: number,
  stack: SluiceStack,
  { say }: CommandContext,
): Promise<PhaseResult> {
  say(`${title}: ${seconds} s …`);
  await using generators = new AsyncDisposableStack();
  const running = await Promise.all(
    loads.map(async (load) => {
      const { apiKey } = await createTenantOf(stack, load.name, load.scheduling);
      const path = `${new URL(stack.apiRoot).pathname}/chat/completions`;
      const target = targetOf(stack.baseUrl, path, { authorization: `Bearer ${apiKey}` });
      return { load, target, generator: generators.use(startLoadGenerator()) };
    }),
  );
  for (const { load, target, generator } of running) {
    const tokens = MIXES[load.answers];
    const bodies = requestBodies(500, (number) => ({
      stream: true,
      steering: { tokens: tokens[number % tokens.length] ?? 1, itl_ms: BETWEEN_TOKENS_MS },
    }));
    const pattern = { kind: 'closed loop', connections: load.connections } as const;
    await generator.start({ target, bodies, pattern });
  }
  await delay(WARM_UP_MS);
  const fromMs = Date.now();
  await delay(seconds * 1_000);
  const window = { fromMs, untilMs: Date.now() };
  const states = await Promise.all(
    running.map(async ({ load, generator }) => ({ load, state: await generator.stop() })),
  );
  const attempts = await readAttempts(stack.natsUrl, new Set(loads.map(({ name }) => name)));
  return { attempts, window, failures: states.flatMap(({ load, state }) => failed(load, state)) };
}

function failed({ name }: Load, { failures }: LoadState): readonly string[] {
  return Object.entries(failures).map(
    ([status, times]) => `${name}: ${times} requests failed with ${status}`,
  );
}

function judgeWeights({ title, loads }: Phase, result: PhaseResult): Measured {
  const { attempts, window, failures } = result;
  const sum = loads.reduce((total, { scheduling }) => total + (scheduling.weight ?? 1), 0);
  const shares = sharesOf(
    servedTokens(attempts, window),
    loads.map(({ name }) => name),
  );
  const broken = [...failures];
  const rows = loads.map(({ name, scheduling, answers }, index) => {
    const { tokens = 0, share = 0 } = shares[index] ?? {};
    const expectedShare = (scheduling.weight ?? 1) / sum;
    const error = share / expectedShare - 1;
    if (Math.abs(error) > MAX_ERROR) {
      broken.push(`weight ${scheduling.weight ?? 1}: the share is off by ${percent(error)}`);
    }
    const unsaturated = shareWithoutWaiting(attempts, name, window);
    if (unsaturated > MAX_UNSATURATED) {
      broken.push(`weight ${scheduling.weight ?? 1}: too often no job waited at a worker`);
    }
    return [
      `  weight ${scheduling.weight ?? 1}, answers ${answers}`,
      formatNumber(tokens, 0),
      percent(share),
      percent(expectedShare),
      percent(error),
      percent(unsaturated),
    ];
  });
  return {
    title,
    rows: [['', 'tokens', 'share', 'by weight', 'error', 'time without waiting jobs'], ...rows],
    broken,
  };
}

function judgeHigherClass({ attempts, window, failures }: PhaseResult): Measured {
  const within = attempts.filter(({ accepted_at_ms: at }) => at < window.untilMs);
  const overtaken = overtakenBy(within, 'first-high');
  const late = overtaken.filter((count) => count > 0).length;
  const waits = within
    .filter(({ organization, ended }) => organization === 'first-high' && ended === 'finished')
    .map(({ queued_ms }) => queued_ms)
    .toSorted((one, other) => one - other);
  const broken = [...failures];
  if (overtaken.length === 0) broken.push('no request of the higher class had to wait');
  if (late > 0) broken.push(`${late} requests did not get the first slot that became free`);
  return {
    title: HIGHER_CLASS.title,
    rows: [
      ['', 'requests', 'waited', 'not the first free slot', 'median wait, ms', 'longest wait, ms'],
      [
        '  the higher class',
        String(waits.length),
        String(overtaken.length),
        String(late),
        String(waits[Math.floor(waits.length / 2)] ?? 0),
        String(waits.at(-1) ?? 0),
      ],
    ],
    broken,
  };
}

function judgeLowerClasses({ attempts, window, failures }: PhaseResult): Measured {
  const served = servedTokens(attempts, window);
  const shares = sharesOf(
    served,
    LOWER_CLASSES.loads.map(({ name }) => name),
  );
  const broken = [...failures];
  let tokensSoFar = 0;
  const rows = shares.map(({ organization, tokens, share }, index) => {
    tokensSoFar += tokens;
    const shareSoFar = tokens / tokensSoFar;
    const bound = index === 0 ? 0 : LOWER_CLASS_PERCENT / 100;
    // A class may be behind by one job at each worker.
    const behind = (WORKERS * Math.max(...Object.values(MIXES).flat())) / tokensSoFar;
    if (shareSoFar < bound - behind) {
      broken.push(`the class '${organization}' got ${percent(shareSoFar)}`);
    }
    return [
      `  ${organization}`,
      formatNumber(tokens, 0),
      percent(share),
      index === 0 ? '–' : percent(shareSoFar),
    ];
  });
  return {
    title: LOWER_CLASSES.title,
    rows: [['', 'tokens', 'share', 'of its own and higher classes'], ...rows],
    broken,
  };
}

function percent(share: number): string {
  return `${formatNumber(share * 100, 2)}%`;
}

function render(measured: readonly Measured[]): string {
  return measured
    .map(({ title, rows, broken }) =>
      [title, table(rows), ...broken.map((fault) => `  BROKEN: ${fault}`)].join('\n'),
    )
    .join('\n\n');
}
