import { stringify } from 'yaml';
import { UsageError, type Format } from '../command.ts';
import { PLAIN_SCREEN, type Screen } from '../screen.ts';
import { suggestion } from '../suggestion.ts';
import { csvText, type CsvRow } from './csv.ts';

/** The formats of one entry or of a report. The first one is the default. */
export const FORMATS: readonly Format[] = ['table', 'json', 'yaml'];
/** The formats of a list. */
export const LIST_FORMATS: readonly Format[] = [...FORMATS, 'csv'];

/** Options of every command that shows data. */
export const OUTPUT_OPTIONS = {
  output: { type: 'string', short: 'o' },
  json: { type: 'boolean', default: false },
} as const;

/** `width` is the column where the descriptions of the other options begin. */
export function outputHelp(formats: readonly Format[] = FORMATS, { width = 20 } = {}): string {
  const names = `${formats.slice(0, -1).join(', ')} or ${formats.at(-1)}`;
  return `${'  -o, --output FMT'.padEnd(width)}${names} (${formats[0]}); --json is short for json`;
}

export interface OutputValues {
  readonly output?: string | undefined;
  readonly json?: boolean | undefined;
}

export function readFormat({ output, json }: OutputValues, formats: readonly Format[]): Format {
  if (json === true) {
    if (output === undefined || output === 'json') return 'json';
    throw new UsageError(`--json and --output ${output} exclude each other`);
  }
  const format = formats.find((known) => known === (output ?? formats[0]));
  if (format !== undefined) return format;
  throw new UsageError(
    `--output must be one of ${formats.join(', ')}, not '${output}'${suggestion(output ?? '', formats)}`,
  );
}

/** What a command shows. */
export interface Shown {
  /** The value for JSON and YAML. */
  readonly data: unknown;
  /** The text for people. A table fits the screen. By default it is YAML. */
  readonly text?: (screen: Screen) => string;
  /** The rows for CSV, if they are not `data`. */
  readonly rows?: readonly CsvRow[];
}

/** On a terminal, JSON is indented. A program gets one line. */
export function formatted(shown: Shown, format: Format, screen: Screen = PLAIN_SCREEN): string {
  switch (format) {
    case 'table':
      return shown.text?.(screen) ?? formatted(shown, 'yaml');
    case 'json':
      return JSON.stringify(shown.data, undefined, screen.columns === undefined ? undefined : 2);
    case 'yaml':
      // With this width, long lines are not folded.
      return stringify(shown.data, { lineWidth: 0 }).trimEnd();
    case 'csv':
      return csvText(shown.rows ?? rowsOf(shown.data));
  }
}

function rowsOf(data: unknown): readonly CsvRow[] {
  const entries: readonly unknown[] = Array.isArray(data) ? data : [data];
  return entries.map((entry) => ({ ...(typeof entry === 'object' ? entry : { value: entry }) }));
}
