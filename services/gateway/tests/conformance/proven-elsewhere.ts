import type { SentenceId } from './sentences.ts';

/** A test outside of this suite, by its file from the root of the repository and its title there. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

const STREAMS = 'services/gateway/tests/streams.test.ts';
const CHECKS = 'services/gateway/tests/checks-and-headers.test.ts';
const WHOLE = 'services/gateway/tests/whole-gateway.test.ts';
const SETTINGS = 'services/gateway/src/config.test.ts';
const REQUEST = 'services/worker/src/dialect/client-request.test.ts';
const WORKER_CANCELS = 'services/worker/tests/worker-cancels.test.ts';
const LIMITER = 'services/quota/tests/invariants';

/** Sentences that need a fault, a clock or an inside that a client of a live stack does not have. */
export const PROVEN_ELSEWHERE: Partial<Readonly<Record<SentenceId, readonly NamedTest[]>>> = {
  I108: [
    {
      file: 'services/gateway/src/domain/examine-request.test.ts',
      title: 'is the one asked for, else the default of the model, else none',
    },
  ],
  D73: [
    {
      file: CHECKS,
      title: 'a catalog that cannot list models is told after the faults of the request itself',
    },
  ],
  D74: [
    {
      file: WHOLE,
      title:
        'fails the streams that had begun, retries the jobs that had not, and refuses new ones',
    },
    {
      file: WHOLE,
      title: 'lets open streams finish, tells clients to go, and refuses what comes after',
    },
  ],
  D75: [{ file: CHECKS, title: 'a failure inside is a 503 there, and a 500 on completions' }],
  D76: [
    {
      file: STREAMS,
      title: 'is not sent before the first delta, so that a failure can still be one',
    },
    {
      file: STREAMS,
      title: 'is sent without a delta some time after the runtime took the request',
    },
    { file: SETTINGS, title: 'are those of the interface unless they are set' },
  ],
  D77: [
    {
      file: 'services/worker/src/domain/job-desk-clock.test.ts',
      title: 'fails a job that waited too long for a slot',
    },
    { file: SETTINGS, title: 'are those of the interface unless they are set' },
  ],
  D78: [
    { file: STREAMS, title: 'while nothing comes, comments keep the connection open' },
    { file: SETTINGS, title: 'are those of the interface unless they are set' },
  ],
  D79: [
    { file: WHOLE, title: 'a client that leaves mid-stream reaches the worker within a second' },
    { file: WORKER_CANCELS, title: 'in the middle of a stream stops the runtime' },
    { file: WORKER_CANCELS, title: 'of a job that does not stream stops the runtime' },
  ],
  D80: [
    {
      file: 'services/catalog/src/domain/issue-playground-token.test.ts',
      title: 'gives a member ten minutes',
    },
  ],
  D81: [{ file: `${LIMITER}/refusals.ts`, title: 'names the limit with the longest wait' }],
  D82: [
    {
      file: `${LIMITER}/revisions.ts`,
      title: 'that lowers a limit locks out for a minute, one that raises it gives room at once',
    },
  ],
  D83: [{ file: REQUEST, title: 'keeps what has a meaning for a runtime and drops what has none' }],
  D84: [
    {
      file: REQUEST,
      title: 'passes tools and the choice among them, and nothing about tools without tools',
    },
  ],
  D85: [
    {
      file: 'services/worker/src/domain/output-bound.test.ts',
      title: 'is cut to what is left when the client asked for nothing',
    },
  ],
  D86: [
    {
      file: 'packages/contracts/src/chat/validate-against-model.test.ts',
      title: 'is required of %s',
    },
  ],
  D87: [
    {
      file: CHECKS,
      title: 'with the catalog down a known key goes on and an unknown one is told to wait',
    },
  ],
  D88: [
    {
      file: WHOLE,
      title: 'has its root path and the name of its retention header from its settings',
    },
  ],
};
