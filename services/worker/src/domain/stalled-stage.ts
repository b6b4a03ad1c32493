import type { Attempt } from './attempt.ts';

export interface Patience {
  readonly stall: StallLimits;
  /** Since when the runtime has been down; undefined while it is up. */
  readonly downSince: () => number | undefined;
}

interface StallLimits {
  /** From getting a slot to the first word: the prompt is being read. */
  readonly firstWordMs: number;
  /** The same from the moment at which the runtime was found to be down, if it is. */
  readonly firstWordWhileDownMs: number;
  readonly betweenWordsMs: number;
}

type Watched = Pick<Attempt, 'state' | 'progress' | 'stopped'>;

/** Where the runtime has been silent for longer than it may; undefined while it has not. */
export function stalledStage(
  { state, progress, stopped }: Watched,
  now: number,
  { stall, downSince }: Patience,
): 'first_word' | 'between_words' | undefined {
  // An answer that is complete lacks only its usage; whoever runs it does not wait long for that.
  if (state !== 'running' || progress.answered || stopped) return undefined;
  const silentMs = now - progress.lastSignAt;
  if (progress.speaking) return silentMs >= stall.betweenWordsMs ? 'between_words' : undefined;
  if (silentMs >= stall.firstWordMs) return 'first_word';
  const down = downSince();
  if (down === undefined) return undefined;
  const silentWhileDownMs = now - Math.max(down, progress.lastSignAt);
  return silentWhileDownMs >= stall.firstWordWhileDownMs ? 'first_word' : undefined;
}
