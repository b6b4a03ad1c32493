import page from '../../../../../docs/errors.md?raw';

export interface DocumentedError {
  readonly code: string;
  readonly status: string;
  readonly type: string;
  readonly meaning: string;
  readonly advice: string;
}

const plain = (cell: string): string =>
  cell
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .trim();

/** The table of the documentation's page on errors, so that the console says the same. */
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
