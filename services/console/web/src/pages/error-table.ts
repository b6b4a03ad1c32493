import page from '../../../../../docs/errors.md?raw';

export interface DocumentedError {
  readonly code: string;
  readonly status: string;
  readonly type: string;
  readonly meaning: string;
  readonly advice: string;
}

/** Removes links and code marks of Markdown. */
const plain = (cell: string): string =>
  cell
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim();

/** Reads the table in `docs/errors.md`, so that the console shows the texts of the documentation. */
function readErrorTable(markdown: string): DocumentedError[] {
  return markdown
    .split('\n')
    .filter((line) => /^\| `[a-z_]+` +\| \d{3} /.test(line))
    .map((line) => {
      const [, code = '', status = '', type = '', , meaning = '', advice = ''] = line.split('|');
      return {
        code: plain(code),
        status: plain(status),
        type: plain(type),
        meaning: plain(meaning),
        advice: plain(advice),
      };
    });
}

export const documentedErrors: readonly DocumentedError[] = readErrorTable(page);
