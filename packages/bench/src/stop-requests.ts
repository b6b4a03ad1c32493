import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** One Ctrl-C may arrive twice, from the terminal and from npm. */
const SAME_REQUEST_MS = 500;

export interface StopRequests {
  /** Gives the exit code that tells of the signal. */
  readonly asked: Promise<number>;
  readonly wasAsked: boolean;
}

/** The first signal asks for an orderly end; another one, later, ends at once. */
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
  // A terminal that was closed takes no more text, which must not keep us from stopping.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    asked,
    get wasAsked() {
      return firstAt !== undefined;
    },
  };
}
