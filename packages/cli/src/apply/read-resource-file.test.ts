import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { UsageError } from '../command.ts';
import { parseResourceFile, readResourceFile } from './read-resource-file.ts';

const parse = (content: string) => parseResourceFile(content, 'file.yaml');

test('a field that a file leaves out gets its default', () => {
  expect(parse('accounts: [{ id: ada }]')).toEqual({
    accounts: [{ id: 'ada', access: 'waiting', onboarding: 'pending', restricted: false }],
  });
});

test('an empty file changes nothing', () => {
  expect(parse('')).toEqual({});
  expect(parse('# nothing yet\n')).toEqual({});
});

test('a file that is not YAML is refused with the position', () => {
  expect(() => parse('plans:\n  - id: [free\n')).toThrow(UsageError);
  expect(() => parse('plans:\n  - id: [free\n')).toThrow(/^file\.yaml:3:1: /);
});

test('a file of several documents is refused, with advice', () => {
  expect(() => parse('plans: []\n---\naccounts: []\n')).toThrow(
    'file.yaml:2:1: a file holds one document: put all lists into it, without ---',
  );
});

test('one error names every mistake', () => {
  const content = `
plans:
  - { id: free, limits: { requests_per_minute: -1 } }
accounts:
  - { id: ada, acces: granted }
  - { id: ben, access: maybe }
`;
  let message = '';
  try {
    parse(content);
  } catch (error) {
    message = error instanceof Error ? error.message : '';
  }
  expect(message.split('\n')).toEqual([
    'file.yaml cannot be applied:',
    expect.stringMatching(/^ {2}plans\[0\]\.limits\.requests_per_minute: /),
    expect.stringMatching(/^ {2}accounts\[0\]: .*acces/),
    expect.stringMatching(/^ {2}accounts\[1\]\.access: /),
  ]);
});

test('an id that is given twice is refused', () => {
  expect(() => parse('accounts: [{ id: ada }, { id: ada }]')).toThrow(
    'accounts[1].id: ada is there twice',
  );
});

test('aliases that would expand to a huge value are refused', () => {
  const bomb = ['a: &a [1,1,1,1,1,1,1,1,1,1]'];
  for (const [before, after] of ['a b', 'b c', 'c d', 'd e', 'e f', 'f g'].map((pair) =>
    pair.split(' '),
  )) {
    bomb.push(`${after}: &${after} [${Array(10).fill(`*${before}`).join(',')}]`);
  }
  expect(() => parse(bomb.join('\n'))).toThrow(UsageError);
});

test('a missing file is refused', async () => {
  await expect(readResourceFile('nowhere.yaml', '/tmp')).rejects.toThrow(
    'nowhere.yaml cannot be read (ENOENT)',
  );
});

async function readBytes(bytes: Uint8Array) {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-apply-'));
  onTestFinished(async () => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'file.yaml'), bytes);
  return readResourceFile('file.yaml', folder);
}

test('a file in another encoding than UTF-8 is refused', async () => {
  const reading = readBytes(Buffer.from('# Société\naccounts: [{ id: ada }]', 'latin1'));
  await expect(reading).rejects.toThrow(UsageError);
  await expect(reading).rejects.toThrow(/^file\.yaml is not UTF-8$/);
});

test('a byte order mark is ignored', async () => {
  const { accounts } = await readBytes(Buffer.from('\uFEFFaccounts: [{ id: ada }]'));
  expect(accounts).toMatchObject([{ id: 'ada' }]);
});
