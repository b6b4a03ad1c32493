import { PauseWitness } from '@sluice/machine';
import * as z from 'zod';

/** Asked for a moment since the epoch, it answers for how long the machine stood still since. */
const Question = z.object({ from: z.number() });

const witness = await PauseWitness.start();
process.on('message', (message) => {
  const { from } = Question.parse(message);
  const paused = witness.look().pausedMs(from - performance.timeOrigin, performance.now());
  process.send?.({ paused });
});
process.send?.('ready');
