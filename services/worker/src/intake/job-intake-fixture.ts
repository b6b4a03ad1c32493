import type { JobHeader } from '@sluice/contracts';
import type { AttemptEnd } from './attempt.ts';
import { JobDesk } from './job-desk.ts';
import { RunStand, logger, type RunStandOptions } from './run-stand-fixture.ts';

interface DeskOptions extends RunStandOptions {
  readonly queueLimit?: number;
}

/** A desk over runs that the test ends. */
export function setUpDesk({ queueLimit = 3, ...options }: DeskOptions = {}) {
  const stand = new RunStand({ ...options, canWait: queueLimit > 0 });
  const ended: [name: string, end: AttemptEnd][] = [];
  const desk = new JobDesk({
    slots: stand.slots,
    queueLimit,
    stall: { firstWordMs: 5_000, firstWordWhileDownMs: 1_000, betweenWordsMs: 1_000 },
    now: () => stand.now,
    downSince: () => stand.downSince,
    logger,
    onEnd: (attempt, end) => ended.push([attempt.name, end]),
    run: stand.run,
  });
  const offer = (organization?: string, header?: Partial<JobHeader>, body?: Uint8Array) => {
    const details = stand.jobDetails(organization, header, body);
    desk.take(details);
    const { request, attempt } = details.header;
    return { channel: details.channel, name: `${request}-${attempt}` };
  };
  return { stand, desk, ended, offer };
}

/** What a desk holds when nothing is under way. */
export const nothing = { attempts: 0, running: 0, queued: 0, organizations: 0 };
