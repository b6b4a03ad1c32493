import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { environmentOfPrograms } from '../programs/child-program.ts';
import { ROOT } from '../programs/repository.ts';
import { MARKED } from './ledger-load.ts';
import type { UsageStage } from './usage-stage.ts';

const Line = z.object({ id: z.string() });

export interface FollowedRequests extends AsyncDisposable {
  /** When the line of each request was printed. */
  readonly shownAt: ReadonlyMap<string, number>;
}

/** Runs `sluice requests --follow` for the marked organization. */
export function followRequests({ address, token }: UsageStage): FollowedRequests {
  const shownAt = new Map<string, number>();
  const command = ['requests', '--follow', '--organization', MARKED, '--output', 'json'];
  const child = spawn(
    process.execPath,
    [join(ROOT, 'packages/cli/src/main.ts'), ...command, '--address', address],
    {
      env: { ...environmentOfPrograms(), SLUICE_ADMIN_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'close');
  createInterface({ input: child.stdout }).on('line', (line) => {
    shownAt.set(Line.parse(JSON.parse(line)).id, performance.now());
  });
  return {
    shownAt,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGINT');
      await ended;
    },
  };
}
