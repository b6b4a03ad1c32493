/**
 * Runs the work after so many turns of the event loop. Timers run before sockets are read: a process that was busy
 * reads what has arrived meanwhile before it decides that nothing has.
 */
export function afterTurns(turns: number, work: () => void): void {
  setImmediate(() => {
    if (turns > 1) afterTurns(turns - 1, work);
    else work();
  });
}
