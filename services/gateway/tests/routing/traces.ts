import { SeededRandom } from '@sluice/simulator';
import type { Message } from '../../src/request/schema/message.ts';

/** One request, and the answer to it. */
export interface TraceStep {
  readonly messages: readonly Message[];
  readonly answer: string;
  /** The time after the previous answer of the session. */
  readonly pauseMs: number;
}

/** Requests that one client sends, one after the other. */
export type Session = readonly TraceStep[];

export interface Trace {
  readonly name: string;
  readonly title: string;
  readonly sessions: readonly Session[];
  /** Sessions at a time. */
  readonly clients: number;
  /** The size of each worker's cache, in tokens. */
  readonly cacheTokens: number;
}

/** Each is one token of the simulator, with the space before it. */
const WORDS =
  'the order of a shelf is kept by its index and every page names one place in it where paper ink and cloth are read before snow comes so that each guest finds what we need'.split(
    ' ',
  );

/** Text of this many tokens of the simulator. */
function text(random: SeededRandom, tokens: number): string {
  const words: string[] = [];
  // The numbers make texts differ early.
  for (let count = 0; count < tokens; count += 1) {
    words.push(count % 12 === 0 ? String(random.integer(100, 999)) : random.pick(WORDS));
  }
  return words.join(' ');
}

function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  return items
    .map((item) => ({ item, rank: random.fraction() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const system = (content: string): Message => ({ role: 'system', content });
const user = (content: string): Message => ({ role: 'user', content });

/** Adds turns to a conversation, each with the whole conversation before it. */
function conversation(
  beginning: readonly Message[],
  turns: readonly {
    readonly question: Message;
    readonly answer: string;
    readonly pauseMs: number;
  }[],
): Session {
  const messages = [...beginning];
  return turns.map(({ question, answer, pauseMs }) => {
    messages.push(question);
    const step = { messages: [...messages], answer, pauseMs };
    messages.push({ role: 'assistant', content: answer });
    return step;
  });
}

/** People who chat for many turns, in eight applications with a system prompt of 200 tokens each. */
export function chatTrace(seed = 1): Trace {
  const random = new SeededRandom(seed);
  const prompts = range(8).map(() => system(text(random, 200)));
  const sessions = range(120).map(() =>
    conversation(
      [random.pick(prompts)],
      range(random.integer(5, 14)).map((turn) => ({
        question: user(text(random, random.integer(20, 120))),
        answer: text(random, random.integer(60, 250)),
        pauseMs: turn === 0 ? random.integer(0, 2_000) : random.integer(1_000, 8_000),
      })),
    ),
  );
  const title = 'chat: 120 conversations of 5 to 14 turns';
  return { name: 'chat', title, sessions, clients: 40, cacheTokens: 64_000 };
}

/** Agents with instructions of 6,000 tokens, which call tools several times in a task. */
export function agentTrace(seed = 2): Trace {
  const random = new SeededRandom(seed);
  const prompts = range(16).map(() => system(text(random, 6_000)));
  const tasks = shuffled(
    prompts.flatMap((prompt) => range(14).map(() => prompt)),
    random,
  );
  const sessions = tasks.map((prompt) =>
    conversation(
      [prompt],
      range(random.integer(2, 6)).map(() => ({
        question: user(text(random, random.integer(50, 400))),
        answer: text(random, random.integer(20, 80)),
        pauseMs: random.integer(50, 500),
      })),
    ),
  );
  const title = 'agents: 16 prompts of 6,000 tokens, 224 tasks of 2 to 6 steps';
  return { name: 'agents', title, sessions, clients: 32, cacheTokens: 64_000 };
}

/** Documents with about ten questions each, which are asked within a short time. */
export function documentTrace(seed = 3): Trace {
  const random = new SeededRandom(seed);
  const questions = range(80).flatMap((number) => {
    const document = text(random, random.integer(2_000, 8_000));
    return range(random.integer(7, 13)).map(() => ({
      at: number + random.integer(0, 20),
      step: {
        messages: [user(`${document}\n\n${text(random, random.integer(10, 40))}`)],
        answer: text(random, random.integer(40, 200)),
        pauseMs: random.integer(0, 500),
      },
    }));
  });
  const sessions = shuffled(questions, random)
    .toSorted((one, other) => one.at - other.at)
    .map(({ step }) => [step]);
  const title = 'documents: 80 of 2,000 to 8,000 tokens, about ten questions each';
  return { name: 'documents', title, sessions, clients: 24, cacheTokens: 64_000 };
}

/** 64 system prompts of 4,300 tokens with 8 conversations each, in random order. */
export function sharedPromptTrace(seed = 4): Trace {
  const random = new SeededRandom(seed);
  const prompts = range(64).map(() => system(text(random, 4_300)));
  const sessions = shuffled(
    prompts.flatMap((prompt) => range(8).map(() => prompt)),
    random,
  ).map((prompt) =>
    conversation(
      [prompt],
      [{ question: user(text(random, 40)), answer: text(random, 32), pauseMs: 0 }],
    ),
  );
  const title = 'shared: 64 prompts of 4,300 tokens, 8 conversations each in random order';
  return { name: 'shared', title, sessions, clients: 16, cacheTokens: 64_000 };
}
