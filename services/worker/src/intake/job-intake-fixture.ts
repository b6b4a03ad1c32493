import type { JobHeader } from '@sluice/contracts';
import { AttemptFixture, logger, type AttemptFixtureOptions } from '../attempt/attempt-fixture.ts';
import type { AttemptEnd } from '../attempt/attempt.ts';
import { PromptCache } from '../cache/prompt-cache.ts';
import { JobIntake } from './job-intake.ts';

interface IntakeOptions extends AttemptFixtureOptions {
  readonly queueLimit?: number;
}

/** A job intake whose runs end when the test says so. */
export function setUpIntake({ queueLimit = 3, ...options }: IntakeOptions = {}) {
  const fixture = new AttemptFixture({ ...options, canWait: queueLimit > 0 });
  const ended: [name: string, end: AttemptEnd][] = [];
  const intake = new JobIntake({
    slots: fixture.slots,
    queueLimit,
    leastClassPercent: 5,
    cache: new PromptCache({ reports: false }),
    stall: { firstTokenMs: 5_000, firstTokenWhileDownMs: 1_000, interTokenMs: 1_000 },
    clock: () => fixture.now,
    downSince: () => fixture.downSince,
    logger,
    onEnd: (attempt, end) => ended.push([attempt.name, end]),
    run: fixture.run,
  });
  const offer = (organization?: string, header?: Partial<JobHeader>, body?: Uint8Array) => {
    const details = fixture.jobDetails(organization, header, body);
    intake.accept(details);
    const { request, attempt } = details.header;
    return { channel: details.channel, name: `${request}-${attempt}` };
  };
  return { fixture, intake, ended, offer };
}

/** The holdings of an idle intake. */
export const nothing = { attempts: 0, running: 0, queued: 0, organizations: 0 };
