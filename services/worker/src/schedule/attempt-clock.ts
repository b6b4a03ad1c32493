import type { Attempt, Progress } from './attempt.ts';

export interface Patience {
  readonly stall: StallLimits;
  /** Since when the runtime has been down; undefined while it is up. */
  readonly downSince: () => number | undefined;
}

interface StallLimits {
  /** From asking the runtime to its first word: the prompt is being read. */
  readonly firstWordMs: number;
  /** The same from the moment at which the runtime was found to be down, if it is. */
  readonly firstWordWhileDownMs: number;
  readonly betweenWordsMs: number;
}

type Watched = Pick<Attempt, 'state' | 'progress' | 'stopped'>;

export const STALL_STAGES = ['first_word', 'between_words'] as const;
type StallStage = (typeof STALL_STAGES)[number];

/** Where the runtime has been silent for longer than it may; undefined while it has not. */
export function stalledStage(
  { state, progress, stopped }: Watched,
  now: number,
  { stall, downSince }: Patience,
): StallStage | undefined {
  // An answer that is complete lacks only its usage; whoever runs it does not wait long for that.
  if (state !== 'running' || progress.answered || stopped) return undefined;
  // The silence is the worker's own: its runtime has nothing to say yet.
  if (progress.preparing) return undefined;
  const { speaking, lastSignAt } = progress;
  const stage = speaking ? 'between_words' : 'first_word';
  const { upMs, downMs } = limitsOf(progress, stall);
  if (now - lastSignAt >= upMs) return stage;
  const down = downSince();
  if (down === undefined) return undefined;
  return now - Math.max(down, lastSignAt) >= downMs ? stage : undefined;
}

/** How long it may be silent while it is up, and from the moment at which it was found to be down. */
function limitsOf(
  { speaking, mayCall }: Progress,
  { firstWordMs, firstWordWhileDownMs, betweenWordsMs }: StallLimits,
): { readonly upMs: number; readonly downMs: number } {
  if (!speaking) return { upMs: firstWordMs, downMs: firstWordWhileDownMs };
  // Parsers of vLLM say nothing while a call is generated, which may take as long as a prompt does.
  const upMs = mayCall ? Math.max(firstWordMs, betweenWordsMs) : betweenWordsMs;
  return { upMs, downMs: betweenWordsMs };
}
