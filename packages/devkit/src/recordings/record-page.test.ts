import { expect, test } from 'vitest';
import { recordPage } from './record-page.ts';

test('a page gets the output of its commands, and keeps everything else', async () => {
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
    keys: (names: readonly string[]) => void asked.push(...names),
    lines: () => [...screen, '$'],
    prompt: async () => Promise.resolve(),
    quiet: async () => Promise.resolve(),
  };
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
