import { errorCode } from './error-code.ts';
import { suggestion } from './suggestion.ts';

/** Rewrites an error of `parseArgs` (node:util) as a sentence that points to `--help`. `names` are the known options. */
export function optionMistake(error: Error, names: readonly string[]): string {
  const option = /'(?:-\w, )?(--?[^ '=]+)/.exec(error.message)?.[1] ?? 'an option';
  if (errorCode(error) === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const meant = suggestion(
      option,
      [...names, 'help'].map((name) => `--${name}`),
    );
    return `there is no option ${option}${meant || '; --help lists them'}`;
  }
  if (error.message.includes('does not take an argument')) {
    return `${option} takes no value; see --help`;
  }
  if (error.message.includes('ambiguous')) {
    return `${option} needs a value, and one that begins with a dash is written ${option}=-…; see --help`;
  }
  return `${option} needs a value; see --help`;
}
