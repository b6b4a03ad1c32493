import { runBench } from './run-bench.ts';

process.exitCode = await runBench(process.argv.slice(2));
