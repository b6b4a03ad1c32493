import { RESOURCE_KINDS, type ResourceKind } from '@sluice/contracts';
import { readKind } from '../catalog/kinds.ts';
import type { ArgumentWords, Command, CommandContext, CommandEntry } from '../command.ts';
import { readContextFile, LOCAL } from '../contexts/context-file.ts';
import { readGlobalOptions } from '../global-options.ts';

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

export interface CompletionSources {
  readonly commands: readonly CommandEntry[];
  readonly context: CommandContext;
  /** The ids of the entries of a kind. Empty if the catalog cannot be asked. */
  readonly idsOf: (kind: ResourceKind, words: readonly string[]) => Promise<readonly string[]>;
}

/** Options whose value is the id of an entry. */
const ID_OPTIONS: Readonly<Record<string, ResourceKind>> = {
  organization: 'organizations',
  project: 'projects',
  model: 'models',
  key: 'api_keys',
  plan: 'plans',
  account: 'accounts',
  creator: 'accounts',
  member: 'accounts',
};
const GLOBAL = ['context', 'no-color', 'help'];

/** The candidates for the word that is still being written. It is at the end of `given`, and may be empty. */
export async function complete(
  given: readonly string[],
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  const written = joinEquals(given);
  const part = written.at(-1) ?? '';
  const before = written.slice(0, -1);
  const found =
    before.at(-1) === '--context'
      ? plain(await contextNames(sources))
      : await candidatesFor({ ...readGlobalOptions(before), part }, sources);
  return found.filter((candidate) => candidate.word.startsWith(part));
}

/**
 * bash passes `--output=json` as three words: https://www.gnu.org/software/bash/manual/html_node/Bash-Variables.html.
 * They become an option and its value, as if a space were between them.
 */
function joinEquals(given: readonly string[]): string[] {
  return given
    .filter((word, index) => word !== '=' || index === given.length - 1)
    .map((word, index, all) => (word === '=' && index === all.length - 1 ? '' : word));
}

interface UnfinishedLine {
  readonly word: string | undefined;
  readonly rest: readonly string[];
  readonly part: string;
}

async function candidatesFor(
  { word, rest, part }: UnfinishedLine,
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  const visible = sources.commands.filter(({ summary }) => summary !== '');
  const names = visible.map(({ name, summary }) => ({ word: name, description: summary }));
  if (word === undefined) {
    return part.startsWith('-') ? optionWords(['version', ...GLOBAL]) : names;
  }
  if (word === 'help') return names;
  const command = await visible.find(({ name }) => name === word)?.load();
  if (command === undefined) return [];
  const [optionName, valuePart] = part.split('=', 2);
  if (part.startsWith('--') && valuePart !== undefined && optionName !== undefined) {
    const values = await valuesOf(optionName.slice(2), command, { rest, sources });
    return values.map((value) => ({ word: `${optionName}=${value}` }));
  }
  const open = openOption(rest.at(-1), command);
  if (open !== undefined) {
    return plain(await valuesOf(open, command, { rest, sources }));
  }
  if (part.startsWith('-')) return optionWords([...optionNames(command), ...GLOBAL]);
  const before = positionalsOf(rest, command);
  const argument = command.words?.[before.length];
  return argument === undefined ? [] : plain(await wordsOf(argument, { before, rest, sources }));
}

/** The option whose value is being written. Undefined if the previous word takes no value. */
function openOption(before: string | undefined, { options = {} }: Command): string | undefined {
  return Object.keys(options).find((name) => {
    const option = options[name];
    const isNamed = before === `--${name}` || before === `-${option?.short}`;
    return isNamed && option?.type === 'string';
  });
}

/** A command that does not declare its options names them in its help. */
function optionNames({ options, help }: Command): string[] {
  if (options !== undefined) return Object.keys(options);
  return [...help.matchAll(/^ +(?:-\w, )?--([a-z-]+)/gm)].map(([, name = '']) => name);
}

function positionalsOf(rest: readonly string[], command: Command): string[] {
  return rest.filter(
    (word, index) =>
      !word.startsWith('-') &&
      openOption(index === 0 ? undefined : rest[index - 1], command) === undefined,
  );
}

interface LineSources {
  readonly rest: readonly string[];
  readonly sources: CompletionSources;
}

async function valuesOf(
  option: string,
  command: Command,
  { rest, sources }: LineSources,
): Promise<readonly string[]> {
  if (option === 'output') return command.formats ?? [];
  if (option === 'kind') return RESOURCE_KINDS;
  if (option === 'context') return contextNames(sources);
  const kind = ID_OPTIONS[option];
  return kind === undefined ? [] : sources.idsOf(kind, rest);
}

async function contextNames({ context }: CompletionSources): Promise<readonly string[]> {
  return [LOCAL, ...Object.keys((await readContextFile(context)).contexts)];
}

async function wordsOf(
  { words = [], idOf }: ArgumentWords,
  { before, rest, sources }: LineSources & { readonly before: readonly string[] },
): Promise<readonly string[]> {
  if (idOf === undefined) return words;
  const kind = idOf === 'kind before' ? readKind(before.at(-1) ?? '') : idOf;
  return [...words, ...(await sources.idsOf(kind, rest))];
}

function optionWords(names: readonly string[]): Candidate[] {
  return names.map((name) => ({ word: `--${name}` }));
}

function plain(words: readonly string[]): Candidate[] {
  return words.map((word) => ({ word }));
}
