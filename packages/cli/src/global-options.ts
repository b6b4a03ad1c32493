import { UsageError } from './command.ts';
import { suggestion } from './suggestion.ts';

/** Options that many commands share, and whether they take a value. They may also be given before the command. */
const GLOBAL_OPTIONS: Readonly<Record<string, boolean>> = {
  '--context': true,
  '--state': true,
  '--address': true,
  '--token': true,
  '--nats': true,
  '--output': true,
  '-o': true,
  '--json': false,
  '--yes': false,
  '-y': false,
  '--no-color': false,
  '--help': false,
  '-h': false,
  '--version': false,
};

/** A command line, after the options that concern every command were taken out. */
export interface SplitLine {
  /** The name of the command. Undefined if there is none. */
  readonly word: string | undefined;
  /** All other words: the options that were given before the command, and what follows it. */
  readonly rest: readonly string[];
  /** The value of --context. */
  readonly contextName: string | undefined;
  readonly noColour: boolean;
}

/** Separates the command from its options, and reads the options that concern every command. */
export function readGlobalOptions(parameters: readonly string[]): SplitLine {
  const leading: string[] = [];
  let index = 0;
  for (; index < parameters.length; index += 1) {
    const parameter = parameters[index] ?? '';
    if (!parameter.startsWith('-')) break;
    const [name = ''] = parameter.split('=', 1);
    const takesValue = GLOBAL_OPTIONS[name];
    if (takesValue === undefined) {
      const meant = suggestion(name, Object.keys(GLOBAL_OPTIONS));
      throw new UsageError(`the command comes first, not '${parameter}'${meant}`);
    }
    leading.push(parameter);
    const value = parameters[index + 1];
    if (takesValue && !parameter.includes('=') && value !== undefined) {
      leading.push(value);
      index += 1;
    }
  }
  const word = parameters[index];
  return { word, ...takeContext([...leading, ...parameters.slice(index + 1)]) };
}

/** Takes --context and --no-color out of the words, up to `--`. */
function takeContext(words: readonly string[]): Omit<SplitLine, 'word'> {
  const rest: string[] = [];
  let contextName: string | undefined;
  let noColour = false;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') {
      rest.push(...words.slice(index));
      break;
    }
    if (word === '--no-color') noColour = true;
    else if (word === '--context' || word.startsWith('--context=')) {
      if (contextName !== undefined) throw new UsageError('--context is given twice');
      if (word === '--context') {
        index += 1;
        contextName = words[index];
      } else contextName = word.slice('--context='.length);
      if (contextName === undefined) throw new UsageError('--context needs a value');
    } else rest.push(word);
  }
  return { rest, contextName, noColour };
}
