import { errorCode } from './error-code.ts';

/** Rewrites an error of `parseArgs` (node:util) as a sentence that points to `--help`. */
export function optionMistake(error: Error): string {
  const option = /'(?:-\w, )?(--?[^ '=]+)/.exec(error.message)?.[1] ?? 'an option';
  if (errorCode(error) === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    return `there is no option ${option}; --help lists them`;
  }
  if (error.message.includes('does not take an argument')) {
    return `${option} takes no value; see --help`;
  }
  if (error.message.includes('ambiguous')) {
    return `${option} needs a value, and one that begins with a dash is written ${option}=-…; see --help`;
  }
  return `${option} needs a value; see --help`;
}
