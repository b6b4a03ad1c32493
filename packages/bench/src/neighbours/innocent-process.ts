import { requestBodies } from '../compare/bodies.ts';
import { serveDriver } from '../driver/driver-process.ts';
import { RunningLoad } from '../load/running-load.ts';
import type { InnocentOptions, InnocentState } from './innocent-options.ts';
import { PacedStreams } from './paced-streams.ts';

const CONVERSATIONS = 64;
const ANSWER_TOKENS = 8;

serveDriver<InnocentOptions, InnocentState>(({ target, requestsPerSecond, streams, paceMs }) => {
  const requests = new RunningLoad({
    target,
    bodies: requestBodies(CONVERSATIONS, () => ({
      stream: false,
      steering: { tokens: ANSWER_TOKENS },
    })),
    pattern: { kind: 'arrivals', perSecond: requestsPerSecond },
  });
  const paced = new PacedStreams(target, { streams, paceMs });
  return {
    read: () => {
      const seen = requests.read();
      return {
        requests: seen.replies,
        gaps: paced.takeGaps(),
        failed: seen.failed + paced.failed,
        open: seen.open,
      };
    },
    stop: async () => {
      await Promise.all([requests.stop(), paced.stop()]);
    },
  };
});
