/**
 * An admission leaves at the end of a turn of the event loop, gRPC writes it in the next, and its answer is read in
 * the third or the fourth. Where turns are long, because this process is busy, the other side is not to blame.
 */
const TURNS_TO_ANSWER = 4;

/** Runs the work once an answer that has arrived by now has been read: a timer comes before what the sockets have brought. */
export function afterReadingAnswers(work: () => void, turns = TURNS_TO_ANSWER): void {
  setImmediate(() => {
    if (turns > 1) afterReadingAnswers(work, turns - 1);
    else work();
  });
}
