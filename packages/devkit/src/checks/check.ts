export type CheckOutcome =
  | { readonly passed: true; readonly summary?: string }
  | { readonly passed: false; readonly report: string };

/** One named step; a failed one says in its report what to change, and where. */
export interface Check {
  readonly name: string;
  readonly run: (root: string) => Promise<CheckOutcome>;
}

/** Turns a list of findings into an outcome: none of them passes. */
export function outcomeOf(findings: readonly string[], summary?: string): CheckOutcome {
  if (findings.length > 0) return { passed: false, report: findings.join('\n') };
  return summary === undefined ? { passed: true } : { passed: true, summary };
}
