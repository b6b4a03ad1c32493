import { writeFileSync } from 'node:fs';
import { LogDeduplicator } from './log-deduplicator.ts';
import type { Logger } from './logger.ts';

/**
 * A core dump would write prompts and answers to a disk. On Linux, a process may exclude its memory from it
 * (https://man7.org/linux/man-pages/man5/core.5.html, "Controlling which mappings are written to the core dump").
 */
export function excludeMemoryFromCoreDumps(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0');
  } catch {
    // The file exists only on Linux, and only if the kernel was built with core dumps.
  }
}

/**
 * Other methods of the console write through these. The exception is `dir`, which is not replaced, because
 * OpenTelemetry's console exporters use it.
 */
const GUARDED = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dirxml'] as const;
/** Calls from the same line of code are logged at most once in this time. */
const QUIET_MS = 600_000;

/**
 * Replaces the output of console methods by a log line without the text. When a library fails, it may print the input
 * that caused it, such as a message with its prompt or a header with its token. The log line has the location of the
 * call and the kind of error.
 */
export function redactConsole(
  logger: Logger,
  guarded: Pick<Console, (typeof GUARDED)[number]> = console,
): void {
  const logged = new LogDeduplicator({ quietMs: QUIET_MS });
  for (const method of GUARDED) {
    const logWithoutText = (...args: readonly unknown[]) => {
      const at = callerOf(logWithoutText);
      if (!logged.shouldLog(at)) return;
      const err = args.find((argument) => argument instanceof Error);
      logger.warn({ method, at, err }, 'a library wrote to the console: the text is left out');
    };
    guarded[method] = logWithoutText;
  }
}

/** The location of the call, as a line of a stack. */
function callerOf(called: (...args: readonly unknown[]) => void): string {
  const trace = { stack: '' };
  Error.captureStackTrace(trace, called);
  return trace.stack.split('\n', 2)[1]?.trim() ?? '';
}
