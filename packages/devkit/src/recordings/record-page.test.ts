import { expect, test } from 'vitest';
import { recordPage } from './record-page.ts';

function fakeWindow() {
  const asked: string[] = [];
  let screen: string[] = [];
  const window = {
    clear: () => {
      screen = [];
    },
    type: (text: string) => {
      asked.push(text);
      screen.push(`$ ${text}`, 'new output of secret');
    },
    write: (text: string) => {
      asked.push(text);
      screen.push(`$ ${text}`, 'revoke  rotate');
    },
    keys: (names: readonly string[]) => void asked.push(...names),
    lines: () => [...screen, '$'],
    prompt: async () => Promise.resolve(),
    quiet: async () => Promise.resolve(),
  };
  return { asked, window };
}

test('a block gets the words that Tab completes', async () => {
  const { asked, window } = fakeWindow();
  const page = ['<!-- tab -->', '```console', '$ keys r', 'old words', '```'].join('\n');
  expect(await recordPage(page, { window, clean: (text) => text })).toBe(
    page.replace('old words', 'revoke  rotate'),
  );
  expect(asked).toEqual(['keys r', 'Tab', 'Tab', 'C-u', 'Enter']);
});

test('a page gets the output of its commands, and keeps everything else', async () => {
  const { asked, window } = fakeWindow();
  const page = [
    'Before',
    '<!-- run: A=1 -->',
    '<!-- keys: y Enter -->',
    '```console',
    '$ one \\',
    '>   two',
    'old output',
    '```',
    'After',
  ].join('\n');
  const clean = (text: string) => text.replaceAll('secret', '…');
  expect(await recordPage(page, { window, clean })).toBe(
    page.replace('old output', 'new output of …').replace('>   two', '  two'),
  );
  expect(asked).toEqual(['A=1', 'one \\\n  two', 'y', 'Enter']);
});
