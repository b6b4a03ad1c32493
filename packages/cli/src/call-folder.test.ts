import { expect, test } from 'vitest';
import { callFolder } from './call-folder.ts';

const root = '/repository';

test('for a command that npm runs in the root, the folder is that of the npm call', () => {
  const environment = { INIT_CWD: '/home/ada' };
  expect(callFolder(root, { root, environment })).toBe('/home/ada');
});

test.each([{}, { INIT_CWD: '' }])('without npm it is where it runs (%j)', (environment) => {
  expect(callFolder(root, { root, environment })).toBe(root);
});

test('a script of npm that went elsewhere means that folder', () => {
  expect(callFolder('/elsewhere', { root, environment: { INIT_CWD: '/home/ada' } })).toBe(
    '/elsewhere',
  );
});
