/**
 * The folder in which the command was typed. npm runs scripts in the package root and sets INIT_CWD to the folder in
 * which npm was called: https://docs.npmjs.com/cli/v9/commands/npm-run-script#description
 */
export function callFolder(
  current: string,
  {
    root,
    environment,
  }: { root: string; environment: Readonly<Record<string, string | undefined>> },
): string {
  const called = environment['INIT_CWD'] ?? '';
  // If the current folder is not the package root, a program between npm and this process has changed it on purpose.
  return current !== root || called === '' ? current : called;
}
