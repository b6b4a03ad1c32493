import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { summarize, type Summary } from '../measure/statistics.ts';
import { environmentOfPrograms } from '../programs/child-program.ts';
import { ROOT } from '../programs/repository.ts';
import { WORKER } from './ledger-load.ts';
import type { UsageStage } from './usage-stage.ts';

const run = promisify(execFile);

const MAIN = join(ROOT, 'packages/cli/src/main.ts');
const ROUNDS = 5;
const WITHIN_MS = 2_000;
/** A month of a thousand organizations. */
const MONTH_WITHIN_MS = 1_000;
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

interface Question {
  readonly question: string;
  readonly command: readonly string[];
  /** What the answer contains. */
  readonly answer: RegExp;
  readonly withinMs?: number;
}

export interface AskedQuestion {
  readonly question: string;
  readonly command: string;
  readonly withinMs: number;
  readonly ms: Summary | undefined;
}

/** The questions that operators have every day, each of them one command. */
function questionsOf({ filled, nats, address }: UsageStage): Question[] {
  const at = ['--address', address];
  const day = new Date(Date.parse(filled.until) - 86_400_000).toISOString().slice(0, 10);
  const month = ['--since', '31d'];
  const usage = (...options: readonly string[]) => ['usage', ...month, ...options, ...at];
  const requests = (...options: readonly string[]) => ['requests', ...options, ...at];
  return [
    {
      question: 'Why did this request fail?',
      command: ['explain', filled.failed, ...at],
      answer: /upstream_unavailable/,
    },
    {
      question: 'Which worker served this request, on which machine?',
      command: ['explain', filled.completed, ...at],
      answer: /gpu-\d+[^]*machine-\d/,
    },
    {
      question: 'On which machine is this worker now?',
      command: ['fleet', WORKER, '--nats', nats.url],
      answer: /host: machine-1/,
    },
    {
      question: 'Which requests failed last?',
      command: requests('--failed'),
      answer: /upstream_unavailable/,
    },
    {
      question: 'Which requests of a customer failed?',
      command: requests('--organization', 'organization-0', '--status', '502'),
      answer: /organization-0/,
    },
    {
      question: 'Which requests did a worker get on the last day?',
      command: requests('--worker', 'gpu-3', '--since', day, '--until', filled.until),
      answer: /organization-/,
    },
    {
      question: 'Who was the busiest customer of the month?',
      command: usage('--sort', 'requests', '--top', '1'),
      answer: /organization-0/,
    },
    {
      question: 'What did the month cost, by project?',
      command: usage('--by', 'project', '--sort', 'spend'),
      answer: /organization-0-app/,
    },
    {
      question: 'What did every customer use in the month?',
      command: usage('--output', 'csv'),
      answer: /organization-0,/,
      withinMs: MONTH_WITHIN_MS,
    },
    {
      question: 'What did each project use of each model?',
      command: usage('--by', 'project', '--by', 'model', '--output', 'csv'),
      answer: /organization-0-app,/,
    },
  ];
}

/** Asks each question by a command of its own, as a person would, and measures the whole command. */
export async function askQuestions(
  stage: UsageStage,
  say: (line: string) => void,
): Promise<AskedQuestion[]> {
  const asked: AskedQuestion[] = [];
  for (const { question, command, answer, withinMs = WITHIN_MS } of questionsOf(stage)) {
    say(question);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now();
      const { stdout } = await run(process.execPath, [MAIN, ...command], {
        env: { ...environmentOfPrograms(), SLUICE_ADMIN_TOKEN: stage.token },
        maxBuffer: MAX_OUTPUT_BYTES,
      });
      times.push(performance.now() - startedAt);
      if (!answer.test(stdout)) throw new Error(`'${command.join(' ')}' answers:\n${stdout}`);
    }
    asked.push({ question, command: command.join(' '), withinMs, ms: summarize(times) });
  }
  return asked;
}
