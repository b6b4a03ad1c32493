import * as z from 'zod';
import { harmlessLine } from '../harmless-text.ts';
import { paint, type Colour, type Screen } from '../screen.ts';

/** From the least severe to the most. pino writes the number: https://github.com/pinojs/pino/blob/main/docs/api.md#levels */
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
export type Level = (typeof LEVELS)[number];

const COLOURS: Readonly<Partial<Record<Level, Colour>>> = {
  trace: 'dim',
  debug: 'dim',
  warn: 'yellow',
  error: 'red',
  fatal: 'red',
};

const ServiceLine = z.looseObject({
  level: z.union([z.string(), z.number()]),
  time: z.union([z.string(), z.number()]),
  msg: z.string().default(''),
});

export interface LogLine {
  /** The name of the process. */
  readonly name: string;
  /** Undefined if the line has no known format. */
  readonly level: Level | undefined;
  readonly atMs: number | undefined;
  /** The line as it was written. */
  readonly text: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function readLogLine(name: string, text: string): LogLine {
  const plain = { name, level: undefined, atMs: undefined, text, message: text, fields: {} };
  if (!text.startsWith('{')) return { ...plain, ...readServerLine(text) };
  try {
    const {
      level,
      time,
      msg,
      service: _service,
      pid: _pid,
      ...fields
    } = ServiceLine.parse(JSON.parse(text));
    const atMs = typeof time === 'number' ? time : Date.parse(time);
    return { name, level: readLevel(level), atMs, text, message: msg, fields };
  } catch {
    return plain;
  }
}

/** `[7] 2027/01/31 12:00:00.123456 [INF] Server is ready`, in local time. */
const NATS_LINE =
  /^\[\d+\] (?<date>\d{4}\/\d\d\/\d\d) (?<time>[\d:]+\.\d{3})\d* \[(?<level>\w+)\] (?<message>.*)$/;
/** `7:M 31 Jan 2027 12:00:00.123 * Ready to accept connections`, in local time. */
const REDIS_LINE =
  /^\d+:\w (?<date>\d\d \w{3} \d{4}) (?<time>[\d:]+\.\d{3}) (?<level>[.*#-]) (?<message>.*)$/;

const SERVER_LEVELS: Readonly<Record<string, Level>> = {
  TRC: 'trace',
  DBG: 'debug',
  INF: 'info',
  WRN: 'warn',
  ERR: 'error',
  FTL: 'fatal',
  '.': 'debug',
  '-': 'debug',
  '*': 'info',
  '#': 'warn',
};

function readServerLine(text: string): Partial<LogLine> {
  const {
    date,
    time,
    level = '',
    message,
  } = (NATS_LINE.exec(text) ?? REDIS_LINE.exec(text))?.groups ?? {};
  if (message === undefined) return {};
  return { level: SERVER_LEVELS[level], atMs: Date.parse(`${date} ${time}`), message };
}

/** pino numbers the levels 10, 20 to 60. */
function readLevel(level: string | number): Level | undefined {
  return typeof level === 'number'
    ? LEVELS[level / 10 - 1]
    : LEVELS.find((known) => known === level);
}

/** Whether the line is at least this severe. A line without a level is shown, because it may be an error. */
export function isAtLeast({ level }: LogLine, least: Level): boolean {
  return level === undefined || LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

/** A line for people, such as `12:00:00.123 gateway  warn  the catalog does not answer  address=127.0.0.1:1`. */
export function logText(
  line: LogLine,
  { width, screen }: { width: number; screen: Screen },
): string {
  const { name, level, atMs, message, fields } = line;
  const time =
    atMs === undefined || Number.isNaN(atMs)
      ? '-'.padEnd(12)
      : new Date(atMs).toISOString().slice(11, 23);
  const details = Object.entries(fields).map(([field, value]) => `${field}=${valueText(value)}`);
  return [
    paint(screen, 'dim', time),
    harmlessLine(name).padEnd(width),
    paint(screen, level && COLOURS[level], (level ?? '-').padEnd(5)),
    harmlessLine([message, ...details].join('  ')),
  ].join(' ');
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
