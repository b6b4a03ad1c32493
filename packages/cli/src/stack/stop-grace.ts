type Settings = Readonly<Record<string, string | undefined>>;

/** For the last replies, cancels and records of a service whose drain is over, on a machine that is busy. */
const AFTER_DRAIN_MS = 7_000;
const LEAST_MS = 10_000;

/** How long a service of these settings may take to end by itself: one drain setting follows the other. */
export function stopGraceMs(settings: Settings, drainSettings: readonly string[]): number {
  let drainMs = 0;
  for (const name of drainSettings) {
    const value = Number(settings[name] ?? 0);
    // One that is no number is refused by the service itself, which then has nothing to drain.
    if (Number.isSafeInteger(value)) drainMs += value;
  }
  return Math.max(LEAST_MS, drainMs + AFTER_DRAIN_MS);
}
