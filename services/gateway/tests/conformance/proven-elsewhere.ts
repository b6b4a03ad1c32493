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
const REQUEST = 'services/worker/src/dialects/client-request.test.ts';
const WORKER_CANCELS = 'services/worker/tests/worker-cancels.test.ts';
const LIMITER = 'services/quota/tests/invariants';

/** Sentences that a client of a running stack cannot prove: they need a fault, a clock or internal state. */
export const PROVEN_ELSEWHERE: Partial<Readonly<Record<SentenceId, readonly NamedTest[]>>> = {
  I108: [
    {
      file: 'services/gateway/src/request/examine-request.test.ts',
      title: 'is the requested one, or the default of the model, or none',
    },
  ],
  D73: [
    {
      file: CHECKS,
      title: 'faults of a request take precedence over a catalog that cannot list models',
    },
  ],
  D74: [
    {
      file: WHOLE,
      title: 'fails streams that have begun, retries jobs that have not, and refuses new requests',
    },
    {
      file: WHOLE,
      title: 'lets open streams finish, closes connections and refuses new requests',
    },
  ],
  D75: [{ file: CHECKS, title: 'an internal failure is a 503, and a 500 on completions' }],
  D76: [
    {
      file: STREAMS,
      title: 'is not sent before the first delta, so that a failure can still be one',
    },
    {
      file: STREAMS,
      title: 'is sent without a delta some time after the runtime accepted the request',
    },
    { file: SETTINGS, title: 'default to the values of the interface' },
  ],
  D77: [
    {
      file: 'services/worker/src/intake/job-intake-clock.test.ts',
      title: 'fails a job that waited too long for a slot',
    },
    { file: SETTINGS, title: 'default to the values of the interface' },
  ],
  D78: [
    { file: STREAMS, title: 'keeps an idle connection open with comments' },
    { file: SETTINGS, title: 'default to the values of the interface' },
  ],
  D79: [
    { file: WHOLE, title: 'a client that disconnects mid-stream cancels its job within a second' },
    { file: WORKER_CANCELS, title: 'in the middle of a stream stops the runtime' },
    { file: WORKER_CANCELS, title: 'of a job that does not stream stops the runtime' },
  ],
  D80: [
    {
      file: 'services/catalog/src/changes/playground-issuer.test.ts',
      title: 'gives a member a token of ten minutes',
    },
  ],
  D81: [{ file: `${LIMITER}/refusals.ts`, title: 'names the limit with the longest wait' }],
  D82: [
    {
      file: `${LIMITER}/revisions.ts`,
      title:
        'that lowers a limit locks out for at most a minute, and one that raises it applies at once',
    },
  ],
  D83: [{ file: REQUEST, title: 'keeps the fields that runtimes use and drops all others' }],
  D84: [
    {
      file: REQUEST,
      title: 'passes tools and their choice, and no choice without tools',
    },
  ],
  D85: [
    {
      file: 'services/worker/src/run/output-bound.test.ts',
      title: 'is reduced to the rest of the context if the client asked for none',
    },
  ],
  D86: [
    {
      file: 'services/gateway/src/request/schema/model-rules.test.ts',
      title: 'is required of %s',
    },
  ],
  D87: [
    {
      file: CHECKS,
      title: 'with the catalog down a cached key works and an unknown one gets a 503',
    },
  ],
  D88: [
    {
      file: WHOLE,
      title: 'takes its root path and the name of its retention header from its settings',
    },
  ],
};
