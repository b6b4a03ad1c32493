import { expect } from 'vitest';
import { expectError, type ExpectedError } from './expectations.ts';
import type { SentenceId } from './sentences.ts';
import type { JsonBody, World } from './world.ts';

/** One test of the suite, and the sentences of the interface that it proves. */
export interface Case {
  readonly title: string;
  readonly proves: readonly SentenceId[];
  readonly run: (world: World) => Promise<void>;
}

export interface CaseGroup {
  readonly section: string;
  readonly cases: readonly Case[];
}

/** A completion with this change to a plain request is refused. */
export function refuses(
  title: string,
  proves: readonly SentenceId[],
  change: JsonBody,
  expected: Partial<ExpectedError> & { readonly param: string | null },
): Case {
  return {
    title: `refuses ${title}`,
    proves,
    run: async (world) => {
      const reply = await world.complete(change);
      await expectError(reply, {
        status: 400,
        type: 'invalid_request_error',
        code: 'invalid_value',
        ...expected,
      });
    },
  };
}

/** A completion with this change to a plain request is served. */
export function accepts(title: string, proves: readonly SentenceId[], change: JsonBody): Case {
  return {
    title: `accepts ${title}`,
    proves,
    run: async (world) => {
      const reply = await world.complete(change);
      expect({ status: reply.status, body: await reply.text() }).toMatchObject({ status: 200 });
    },
  };
}
