/** What `npm run check` and `npm run fix` have to do. */
export type CheckMode = 'check' | 'fix' | 'help';

export const HELP = `Usage: npm run check    formatting, lint, types, import boundaries, dead code, house style, plain
                        language, quoted test titles, generated files
       npm run fix      fixes lint and formatting where the tools can, then checks

The commands have no options. The exit code is 1 if a check fails, and 2 if the command is wrong.`;

/** Reads the parameters. Undefined if they are wrong. */
export function readParameters(parameters: readonly string[]): CheckMode | undefined {
  if (parameters.includes('--help') || parameters.includes('-h')) return 'help';
  const others = parameters.filter((parameter) => parameter !== '--fix');
  if (others.length > 0) return undefined;
  return parameters.length > 0 ? 'fix' : 'check';
}
