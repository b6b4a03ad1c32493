import { LogDeduplicator, type Logger } from '@sluice/telemetry';

/** The others write through these, but `dir`: OpenTelemetry's console exporters use it when they are asked for. */
const GUARDED = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dirxml'] as const;
/** A line about the same place is not followed by another before so long. */
const QUIET_MS = 600_000;

/**
 * Libraries write to the console what they choked on: a broken message with its prompt, a header with its token. The
 * log says where they do and with what kind of error, never their words.
 */
export function guardConsole(
  logger: Logger,
  guarded: Pick<Console, (typeof GUARDED)[number]> = console,
): void {
  const said = new LogDeduplicator({ quietMs: QUIET_MS });
  for (const method of GUARDED) {
    const tell = (...words: readonly unknown[]) => {
      const at = callerOf(tell);
      if (!said.shouldLog(at)) return;
      const err = words.find((word) => word instanceof Error);
      logger.warn({ method, at, err }, 'a library writes to the console: its words are left out');
    };
    guarded[method] = tell;
  }
}

/** The place in the code, as a line of a stack. */
function callerOf(called: (...words: readonly unknown[]) => void): string {
  const trace = { stack: '' };
  Error.captureStackTrace(trace, called);
  return trace.stack.split('\n', 2)[1]?.trim() ?? '';
}
