import { UsageError } from './command.ts';
import { suggestion } from './suggestion.ts';

export interface VerbLine<Verb extends string> {
  readonly verb: Verb;
  /** The words after the verb. */
  readonly rest: readonly string[];
}

/** Reads the verb of a command such as `keys create`. */
export function readVerb<const Verb extends string>(
  command: string,
  verbs: readonly Verb[],
  [word, ...rest]: readonly string[],
): VerbLine<Verb> {
  const verb = verbs.find((known) => known === word);
  if (verb !== undefined) return { verb, rest };
  const examples = verbs.map((known) => `'${command} ${known}'`);
  const choice = `${examples.slice(0, -1).join(', ')} or ${examples.at(-1)}`;
  if (word === undefined) throw new UsageError(`say what to do: ${choice}`);
  throw new UsageError(
    `there is no '${command} ${word}', only ${choice}${suggestion(word, verbs)}`,
  );
}
