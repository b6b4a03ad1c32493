import { PauseWitness } from '@sluice/machine';
import * as z from 'zod';

/** Asked for a moment since the epoch, it answers for how long the machine stood still since, or did until it ended. */
const Question = z.object({ from: z.number(), end: z.boolean() });

const witness = await PauseWitness.start();
process.on('message', (message) => void answer(Question.parse(message)));
process.send?.('ready');

async function answer({ from, end }: z.infer<typeof Question>): Promise<void> {
  if (end) await witness[Symbol.asyncDispose]();
  const paused = witness.look().pausedMs(from - performance.timeOrigin, performance.now());
  process.send?.({ paused });
}
