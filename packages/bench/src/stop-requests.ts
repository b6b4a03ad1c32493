import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** One Ctrl-C can arrive twice, from the terminal and from npm. */
const SAME_REQUEST_MS = 500;

export interface StopRequests {
  /** Resolves with the exit code for the signal. */
  readonly asked: Promise<number>;
  readonly wasAsked: boolean;
}

/** The first signal requests an orderly end. A later one ends the process at once. */
export function stopRequests(): StopRequests {
  const { promise: asked, resolve } = Promise.withResolvers<number>();
  let firstAt: number | undefined;
  const request = (signal: (typeof SIGNALS)[number]) => {
    const exitCode = 128 + constants.signals[signal];
    firstAt ??= performance.now();
    if (performance.now() - firstAt > SAME_REQUEST_MS) process.exit(exitCode);
    resolve(exitCode);
  };
  for (const signal of SIGNALS) process.on(signal, request);
  // Writing to a closed terminal fails. This must not prevent an orderly end.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    asked,
    get wasAsked() {
      return firstAt !== undefined;
    },
  };
}
