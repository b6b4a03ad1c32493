import { availableParallelism } from 'node:os';
import { generatedDrift } from './generated-drift.ts';
import { houseStyle } from './house-style.ts';
import { importBoundaries } from './import-boundaries.ts';
import { plainLanguage } from './plain-language.ts';
import { quotedTitles } from './quoted-titles.ts';
import { runChecks } from './run-checks.ts';
import { deadCode, fixFormat, fixLint, format, lint, types, typesOfPages } from './tool-checks.ts';

/** Runs every check and returns the exit code. With `fix`, the tools first fix what they can. */
export async function checkRepository(root: string, { fix }: { fix: boolean }): Promise<number> {
  const print = (line: string): void => console.log(line);
  // Fixes write to the same files, so they run one after the other. The format is fixed last.
  if (fix) await runChecks([fixLint, fixFormat], { root, print, concurrency: 1 });
  const checks = [
    lint,
    types,
    typesOfPages,
    deadCode,
    importBoundaries,
    format,
    generatedDrift,
    houseStyle,
    plainLanguage,
    quotedTitles,
  ];
  print(`Checking: ${checks.map(({ name }) => name).join(', ')}`);
  const passed = await runChecks(checks, { root, print, concurrency: availableParallelism() });
  return passed ? 0 : 1;
}
