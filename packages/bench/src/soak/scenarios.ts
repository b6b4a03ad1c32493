import { mintApiKey } from '@sluice/contracts';
import { simulatedAnswer, tokenize, type SimulatedAnswer } from '@sluice/simulator';
import type { ExchangeOptions } from './exchange.ts';
import type { Random } from './random.ts';

/** The expected result of a request when no fault disturbs it. */
export type Expectation =
  /** This complete answer, with or without token usage. */
  | { readonly kind: 'answer'; readonly answer: SimulatedAnswer; readonly counted: boolean }
  /** The beginning of this answer, then an error event and a broken connection. */
  | { readonly kind: 'broken answer'; readonly answer: SimulatedAnswer }
  | { readonly kind: 'refusal'; readonly status: number; readonly code: string | null }
  /** A list of models. */
  | { readonly kind: 'list' }
  /** The client disconnects, after it received the beginning of this answer. */
  | { readonly kind: 'left'; readonly answer: SimulatedAnswer };

export interface Scenario {
  readonly name: ScenarioName;
  readonly body: string;
  readonly expectation: Expectation;
  readonly options: Pick<ExchangeOptions, 'leaveAfter' | 'restMs'>;
  /** Used instead of the key of the user. */
  readonly apiKey?: string;
}

export const SCENARIOS = [
  'stream',
  'whole reply',
  'tools',
  'leaving',
  'slow reader',
  'client error',
  'runtime error',
] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

/** Relative frequency of each scenario. */
const WEIGHTS: Readonly<Record<ScenarioName, number>> = {
  stream: 8,
  'whole reply': 5,
  tools: 3,
  leaving: 4,
  'slow reader': 2,
  'client error': 3,
  'runtime error': 2,
};

const WEIGHTED = SCENARIOS.flatMap((name) => Array<ScenarioName>(WEIGHTS[name]).fill(name));

export function drawScenario(random: Random): Scenario {
  const name = random.pick(WEIGHTED);
  return MAKE[name](random);
}

const MAKE: Readonly<Record<ScenarioName, (random: Random) => Scenario>> = {
  stream: (random) => {
    const usage = random.fraction() < 0.5;
    const body = completion(random, {
      stream: true,
      ...(usage ? { stream_options: { include_usage: true } } : {}),
      steering: { tokens: random.integer(5, 120), itl_ms: random.integer(0, 12) },
    });
    return scenario('stream', body, answerTo(body, { counted: usage }));
  },
  'whole reply': (random) => {
    const body = completion(random, { steering: { tokens: random.integer(1, 60) } });
    return scenario('whole reply', body, answerTo(body, { counted: true }));
  },
  tools: (random) => {
    const stream = random.fraction() < 0.6;
    const body = completion(random, {
      stream,
      tools: [WEATHER_TOOL],
      text: 'Please get weather for the lock.',
    });
    return scenario('tools', body, answerTo(body, { counted: !stream }));
  },
  leaving: (random) => {
    const stream = random.fraction() < 0.7;
    const body = completion(random, {
      stream,
      steering: { tokens: random.integer(50, 400), itl_ms: 10, ttft_ms: random.integer(0, 400) },
    });
    return {
      ...scenario('leaving', body, { kind: 'left', answer: simulatedAnswer(JSON.parse(body)) }),
      options: {
        leaveAfter: stream
          ? { events: random.integer(1, 40), ms: random.integer(20, 2_000) }
          : { events: Number.POSITIVE_INFINITY, ms: random.integer(20, 1_000) },
      },
    };
  },
  'slow reader': (random) => {
    const body = completion(random, {
      stream: true,
      steering: { tokens: random.integer(100, 300), itl_ms: 2 },
    });
    return {
      ...scenario('slow reader', body, answerTo(body, { counted: false })),
      options: { restMs: random.integer(5, 60) },
    };
  },
  'client error': (random) => random.pick(CLIENT_ERRORS)(random),
  'runtime error': (random) => random.pick(RUNTIME_ERRORS)(random),
};

const CLIENT_ERRORS: readonly ((random: Random) => Scenario)[] = [
  (random) => refused(random, { temperature: 3 }, { status: 400, code: 'invalid_value' }),
  (random) => refused(random, { colour: 'red' }, { status: 400, code: 'unsupported_parameter' }),
  (random) => refused(random, { n: 2 }, { status: 400, code: 'unsupported_value' }),
  (random) => refused(random, { model: 'no-such-model' }, { status: 404, code: 'model_not_found' }),
  (random) => ({
    ...refused(random, {}, { status: 401, code: 'invalid_api_key' }),
    apiKey: mintApiKey(),
  }),
];

const RUNTIME_ERRORS: readonly ((random: Random) => Scenario)[] = [
  (random) => {
    const body = completion(random, { steering: { status: 500 } });
    return scenario('runtime error', body, { kind: 'refusal', status: 502, code: null });
  },
  (random) => brokenOff(random, 'fail_after'),
  (random) => brokenOff(random, 'cut_after'),
];

const WEATHER_TOOL = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { place: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 9 } },
      required: ['place', 'days'],
    },
  },
} as const;

interface CompletionOptions {
  readonly stream?: boolean;
  readonly stream_options?: object;
  readonly tools?: readonly object[];
  readonly steering?: Readonly<Record<string, number>>;
  readonly text?: string;
  readonly [parameter: string]: unknown;
}

const MODELS = ['sluice-demo', 'sluice-small'] as const;

function completion(random: Random, { steering, text, ...parameters }: CompletionOptions): string {
  const words = text ?? `What stands in line ${random.integer(1, 1_000_000)} of the lock's log?`;
  return JSON.stringify({
    model: random.pick(MODELS),
    seed: random.integer(1, 1_000_000),
    messages: [
      { role: 'system', content: `You keep lock ${random.integer(1, 50)}.` },
      {
        role: 'user',
        content: steering === undefined ? words : `${words}\n@sim ${JSON.stringify(steering)}`,
      },
    ],
    ...parameters,
  });
}

function scenario(name: ScenarioName, body: string, expectation: Expectation): Scenario {
  return { name, body, expectation, options: {} };
}

export function answerTo(body: string, { counted }: { counted: boolean }): Expectation {
  return { kind: 'answer', answer: simulatedAnswer(JSON.parse(body)), counted };
}

function brokenOff(random: Random, how: 'fail_after' | 'cut_after'): Scenario {
  const after = random.integer(3, 20);
  const body = completion(random, {
    stream: true,
    steering: { tokens: 40, itl_ms: 2, [how]: after },
  });
  const answer = beginningOf(simulatedAnswer(JSON.parse(body)), after);
  return scenario('runtime error', body, { kind: 'broken answer', answer });
}

/** The first tokens of an answer without tool calls. */
function beginningOf(answer: SimulatedAnswer, tokens: number): SimulatedAnswer {
  const reasoning = tokenize(answer.reasoning ?? '');
  const content = tokenize(answer.content ?? '');
  return {
    ...answer,
    reasoning: reasoning.slice(0, tokens).join(''),
    content: content.slice(0, Math.max(0, tokens - reasoning.length)).join(''),
  };
}

function refused(
  random: Random,
  parameters: Readonly<Record<string, unknown>>,
  { status, code }: { status: number; code: string },
): Scenario {
  const body = completion(random, { steering: { tokens: 3 }, ...parameters });
  return scenario('client error', body, { kind: 'refusal', status, code });
}
