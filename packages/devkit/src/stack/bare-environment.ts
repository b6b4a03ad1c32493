/**
 * For a process that must not see the settings of the person who runs the tests. It finds programs, and starts faster
 * because it shares the compiled code of all tests.
 */
export function bareEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
