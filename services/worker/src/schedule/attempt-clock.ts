import type { Attempt, Progress } from '../attempt/attempt.ts';

export interface StallTimeouts {
  readonly stall: StallLimits;
  /** When the runtime went down; undefined while it is up. */
  readonly downSince: () => number | undefined;
}

interface StallLimits {
  /** Limit from the request to the first token, while the runtime processes the prompt. */
  readonly firstTokenMs: number;
  /** Limit for the first token while the runtime is down, counted from the moment at which it went down. */
  readonly firstTokenWhileDownMs: number;
  readonly interTokenMs: number;
}

type Watched = Pick<Attempt, 'state' | 'progress' | 'stopped'>;

/** Values of a metric label. `first_word`: before the first token. `between_words`: after the first token. */
export const STALL_STAGES = ['first_word', 'between_words'] as const;
type StallStage = (typeof STALL_STAGES)[number];

/** The stage in which the runtime has been silent for too long; undefined if it has not. */
export function stalledStage(
  { state, progress, stopped }: Watched,
  now: number,
  { stall, downSince }: StallTimeouts,
): StallStage | undefined {
  // After a complete answer, only its usage is missing. `Generation` has a short deadline for that.
  if (state !== 'running' || progress.answered || stopped) return undefined;
  // Nothing was sent to the runtime yet.
  if (progress.preparing) return undefined;
  const { hasOutput, lastActivityAt } = progress;
  const stage = hasOutput ? 'between_words' : 'first_word';
  const { upMs, downMs } = limitsOf(progress, stall);
  if (now - lastActivityAt >= upMs) return stage;
  const wentDownAt = downSince();
  if (wentDownAt === undefined) return undefined;
  return now - Math.max(wentDownAt, lastActivityAt) >= downMs ? stage : undefined;
}

/** How long the runtime may be silent: `upMs` in any case, and `downMs` since it went down. */
function limitsOf(
  { hasOutput, mayContainToolCall }: Progress,
  { firstTokenMs, firstTokenWhileDownMs, interTokenMs }: StallLimits,
): { readonly upMs: number; readonly downMs: number } {
  if (!hasOutput) return { upMs: firstTokenMs, downMs: firstTokenWhileDownMs };
  // Some tool parsers of vLLM send nothing while a call is generated, which may take as long as reading a prompt.
  const upMs = mayContainToolCall ? Math.max(firstTokenMs, interTokenMs) : interTokenMs;
  return { upMs, downMs: interTokenMs };
}
