import { CommandFailure } from '../command.ts';
import { damagedFolder, type StateFolder } from './state-folder.ts';
import { StartFailure } from './supervise.ts';

/** How Redis speaks of files that it cannot make sense of. */
const UNREADABLE = /append only file|AOF|RDB|loading the DB/;

/** A process that does not start has said why: its last words are shown. */
export function explainFailure(error: unknown, folder: StateFolder): unknown {
  if (!(error instanceof StartFailure)) return error;
  const { service, message, lastLines } = error;
  const last = lastLines.at(-1);
  if (service === 'redis' && last !== undefined && UNREADABLE.test(last)) {
    return damagedFolder(
      folder.path,
      `Redis cannot read what it kept there (${withoutStamp(last)})`,
    );
  }
  const lines = lastLines.map((line) => `\n    ${line}`).join('');
  const said = lines === '' ? ' and said nothing' : `; its last words:${lines}`;
  return new CommandFailure(`${message}${said}`, { cause: error });
}

/** "30448:M 15 Nov 2026 02:25:36.923 # What it says." */
function withoutStamp(line: string): string {
  return line.replace(/^\d+:\w .*? [#*] /, '').replace(/:.*$/, '');
}
