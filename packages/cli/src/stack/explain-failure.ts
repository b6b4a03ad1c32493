import { StartFailure } from '@sluice/servers';
import { CommandFailure } from '../command.ts';
import { damagedFolder, type StateFolder } from './state-folder.ts';

/** Log messages of Redis about files that it cannot read. */
const UNREADABLE = /append only file|AOF|RDB|loading the DB/;

/** Adds the last lines of its log to the error of a process that did not start, because they contain the reason. */
export function explainFailure(error: unknown, folder: StateFolder): unknown {
  if (!(error instanceof StartFailure)) return error;
  const { program, summary, lastLines } = error;
  const last = lastLines.at(-1);
  if (program === 'redis' && last !== undefined && UNREADABLE.test(last)) {
    return damagedFolder(folder.path, `Redis cannot read its data there (${withoutStamp(last)})`);
  }
  const lines = lastLines.map((line) => `\n    ${line}`).join('');
  const logText = lines === '' ? ' and wrote no log' : `; the end of its log:${lines}`;
  return new CommandFailure(`${summary}${logText}`, { cause: error });
}

/** Keeps the message of a Redis log line such as `30448:M 15 Nov 2026 02:25:36.923 # Message: details`. */
function withoutStamp(line: string): string {
  return line.replace(/^\d+:\w .*? [#*] /, '').replace(/:.*$/, '');
}
