/** A value of a row: text, numbers, truth values, and null for what is not known. */
export type CopiedValue = string | number | boolean | null;

/**
 * Rows in the text format of COPY, which costs the database a fraction of an INSERT:
 * https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.2
 */
export function copyText(rows: Iterable<readonly CopiedValue[]>): string {
  let text = '';
  for (const row of rows) {
    for (let column = 0; column < row.length; column += 1) {
      text += `${column === 0 ? '' : '\t'}${copyField(row[column] ?? null)}`;
    }
    text += '\n';
  }
  return text;
}

function copyField(value: CopiedValue): string | number {
  if (typeof value === 'string') {
    return SPECIAL.test(value) ? value.replaceAll(/[\\\t\n\r]/g, escaped) : value;
  }
  if (typeof value === 'number') return value;
  if (value === null) return String.raw`\N`;
  return value ? 't' : 'f';
}

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\t': String.raw`\t`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
};

function escaped(character: string): string {
  return ESCAPES[character] ?? `\\${character}`;
}

/** The text of an array, for a parameter such as `$1::text[]`. */
export function arrayText(values: Iterable<string | number | bigint>): string {
  let text = '';
  for (const value of values) {
    const element =
      typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"` : value;
    text += `${text === '' ? '' : ','}${element}`;
  }
  return `{${text}}`;
}
