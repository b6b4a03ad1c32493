import * as z from 'zod';
import { PauseWitness } from '../../src/pauses/pause-witness.ts';

/** Asks how long the machine was paused since `from`, in milliseconds since the epoch; `end` ends the witness first. */
const Question = z.object({ from: z.number(), end: z.boolean() });

const witness = await PauseWitness.start();
process.on('message', (message) => void answer(Question.parse(message)));
process.send?.('ready');

async function answer({ from, end }: z.infer<typeof Question>): Promise<void> {
  if (end) await witness[Symbol.asyncDispose]();
  const paused = witness.look().pausedMs(from - performance.timeOrigin, performance.now());
  process.send?.({ paused });
}
