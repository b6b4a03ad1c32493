import { availableParallelism } from 'node:os';
import { generatedDrift } from './generated-drift.ts';
import { houseStyle } from './house-style.ts';
import { importBoundaries } from './import-boundaries.ts';
import { runChecks } from './run-checks.ts';
import { deadCode, fixFormat, fixLint, format, lint, types } from './tool-checks.ts';

/** Every check; with `fix`, after fixing what the tools can fix. Gives the exit code. */
export async function checkRepository(root: string, { fix }: { fix: boolean }): Promise<number> {
  const print = (line: string): void => console.log(line);
  // Fixes write to the same files, so they go one after the other, format last.
  if (fix) await runChecks([fixLint, fixFormat], { root, print, concurrency: 1 });
  const checks = [lint, types, deadCode, importBoundaries, format, generatedDrift, houseStyle];
  print(`Checking: ${checks.map(({ name }) => name).join(', ')}`);
  const passed = await runChecks(checks, { root, print, concurrency: availableParallelism() });
  return passed ? 0 : 1;
}
