import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generatedDrift } from './generated-drift.ts';
import { houseStyle } from './house-style.ts';
import { importBoundaries } from './import-boundaries.ts';
import { runChecks } from './run-checks.ts';
import { deadCode, fixFormat, fixLint, format, lint, types } from './tool-checks.ts';

const { values } = parseArgs({ options: { fix: { type: 'boolean', default: false } } });
const root = join(import.meta.dirname, '../../..');
const print = (line: string): void => console.log(line);

// Fixes write to the same files, so they go one after the other, format last.
if (values.fix) await runChecks([fixLint, fixFormat], { root, print, concurrency: 1 });

const checks = [lint, types, deadCode, importBoundaries, format, generatedDrift, houseStyle];
print(`Checking: ${checks.map(({ name }) => name).join(', ')}`);
const passed = await runChecks(checks, { root, print, concurrency: availableParallelism() });
process.exitCode = passed ? 0 : 1;
