import { errorCode } from './error-code.ts';

/** What node:util's parser complains of, in a sentence that says where to read more. */
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
