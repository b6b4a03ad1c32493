import { expect, test } from 'vitest';
import { callFolder } from './call-folder.ts';

const root = '/repository';

test('for a command that npm runs in the root, the folder is the one in which npm was called', () => {
  const environment = { INIT_CWD: '/home/ada' };
  expect(callFolder(root, { root, environment })).toBe('/home/ada');
});

test.each([{}, { INIT_CWD: '' }])(
  'without npm, the folder is the current one (%j)',
  (environment) => {
    expect(callFolder(root, { root, environment })).toBe(root);
  },
);

test('if a script of npm changed the folder, that folder is used', () => {
  expect(callFolder('/elsewhere', { root, environment: { INIT_CWD: '/home/ada' } })).toBe(
    '/elsewhere',
  );
});
