export type CheckOutcome =
  | { readonly passed: true; readonly summary?: string }
  | { readonly passed: false; readonly report: string };

/** One step of `npm run check`. If it fails, its report says what to change, and where. */
export interface Check {
  readonly name: string;
  readonly run: (root: string) => Promise<CheckOutcome>;
}

/** The outcome of a check from its findings. Without findings it passes. */
export function outcomeOf(findings: readonly string[], summary?: string): CheckOutcome {
  if (findings.length > 0) return { passed: false, report: findings.join('\n') };
  return summary === undefined ? { passed: true } : { passed: true, summary };
}
