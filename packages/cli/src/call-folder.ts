/** npm runs its scripts in the repository's root, and tells in INIT_CWD where it was called. */
export function callFolder(
  current: string,
  {
    root,
    environment,
  }: { root: string; environment: Readonly<Record<string, string | undefined>> },
): string {
  const called = environment['INIT_CWD'] ?? '';
  // In any other folder npm was not the last to choose it.
  return current !== root || called === '' ? current : called;
}
