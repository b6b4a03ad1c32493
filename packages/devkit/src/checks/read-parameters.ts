/** What `npm run check` and `npm run fix` were asked for. */
export type Wish = 'check' | 'fix' | 'help';

export const HELP = `Usage: npm run check    formatting, lint, types, import boundaries, dead code, house style, generated
                        files
       npm run fix      fixes lint and formatting where the tools can, then checks

They take no options. The exit code is 1 when a check fails, and 2 when the command is wrong.`;

/** Undefined when it is none of them. */
export function readParameters(parameters: readonly string[]): Wish | undefined {
  if (parameters.includes('--help') || parameters.includes('-h')) return 'help';
  const others = parameters.filter((parameter) => parameter !== '--fix');
  if (others.length > 0) return undefined;
  return parameters.length > 0 ? 'fix' : 'check';
}
