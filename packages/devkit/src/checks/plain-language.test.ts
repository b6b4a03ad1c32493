import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkPlainLanguage, plainLanguage } from './plain-language.ts';

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');

test.each([
  ['Retries whoever asks.', '"whoever"', 'Retries every client that asks.'],
  ['The one for whom it waits.', '"whom"', 'The client that it waits for.'],
  ['Nobody reads it.', '"Nobody"', 'No client reads it.'],
  ["It is somebody else's.", '"somebody"', 'It belongs to another tenant.'],
  ['Lifts those who wait.', '"those who"', 'Lifts tenants that wait.'],
  ['Empty. Who waits is next.', '"Who"', 'Who is calling, as the catalog knows the caller.'],
  ['Ends whatever runs.', '"whatever"', 'It ends, whatever the outcome.'],
  ['A store of which it is read.', '"of which"', 'Requests, each of which is recorded.'],
  ['Those that are served.', '"Those"', 'Models, and those that are served.'],
  ['Such a reply is cut.', '"Such"', 'Such as `nginx`.'],
  ['The one that is served.', '"The one"', 'The one way out of the function.'],
  ['One that is late.', '"One"', 'One of the replicas is late.'],
  ['Of each request.', '"Of"', 'The number of each request.'],
  ['Else it fails.', '"Else"', 'It works, or else it fails.'],
  ['It begins anew.', '"anew"', 'It begins again.'],
  ['It waits for ever.', '"for ever"', 'It waits without a limit.'],
  ['The reply was cut lately.', '"lately"', 'The reply was cut recently.'],
  ['Counts what became of it.', '"became of"', 'Because of this, it became slow.'],
  ['A request that came to nothing.', '"came to nothing"', 'A request that failed.'],
  ['It never says a word.', '"says a word"', 'The first few words of a reply.'],
  ['It waits for news.', '"news"', 'It waits for a newer event.'],
  ['It tells of failures.', '"tells of"', 'It tells the client.'],
  ['What it says of itself.', '"says of"', 'What it says about itself.'],
  ['A worker that is heard.', '"heard"', 'A shared worker.'],
  ['The client is gone.', '"is gone"', 'It was gone through once.'],
  ['The catalog is away.', '"is away"', 'Ten steps away.'],
  ['The value stands there.', '"stands"', 'It stands for a path, and it can stand alone.'],
  ['It owes a reply.', '"owes"', 'It has not replied.'],
  ['It is taken for dead.', '"taken for"', 'The time it takes for one step.'],
  ['Reads so many bytes. So many are read.', '"So many"', 'There are so many that it fails.'],
  ['It ends after so long.', '"after so long"', 'It ends after ten seconds.'],
  ['A desk for jobs.', '"desk"', 'An intake for jobs.'],
  [`A ${words(40)}.`, 'a sentence of 41 words', `A ${words(38)}. It is short.`],
])('in a comment, %s is found as %s', (hard, finding, plain) => {
  expect(checkPlainLanguage('a.ts', `const a = 1;\n// ${hard}\n`)).toEqual([
    expect.stringContaining(`a.ts:2: ${finding}`),
  ]);
  expect(checkPlainLanguage('a.ts', `const a = 1;\n// ${plain}\n`)).toEqual([]);
});

test.each([
  ['a block comment', 'a.ts', '/**\n * Ends\n * whoever runs.\n */', 3],
  ['a comment on one line', 'a.ts', 'const a = 1;\n/** Ends whoever runs. */', 2],
  ['a comment in Lua', 'a.lua', 'local a\n-- whoever runs', 2],
  ['a comment in a script', 'a.sh', '#!/bin/sh\n# whoever runs', 2],
  ['a title', 'a.test.ts', "test('ends whoever runs', () => {});", 1],
  [
    'a title on a line of its own',
    'a.test.ts',
    "test(\n  'ends whoever runs',\n  async () => {",
    2,
  ],
  [
    'the title of a table of tests',
    'a.test.ts',
    "test.each([\n  1,\n])('%s, whoever', (a) => {",
    3,
  ],
  ['the title of a suite', 'a.test.ts', "describe('whoever', () => {", 1],
  ['a paragraph', 'a.md', '# Title\n\nEnds\nwhoever runs.', 4],
  ['an item of a list', 'a.md', '- one\n- whoever', 2],
  ['a cell', 'a.md', '| a | b |\n| - | - |\n| c | whoever |', 3],
  ['a heading', 'a.md', '# Whoever', 1],
])('%s is read', (_where, path, content, line) => {
  expect(checkPlainLanguage(path, content)).toEqual([
    expect.stringContaining(`${path}:${line}: "`),
  ]);
});

test.each([
  ['code', 'a.ts', 'const whoever = nobody\n  * somebody;'],
  ['a string', 'a.ts', "log('whoever');"],
  ['a string that no test has as its title', 'a.test.ts', "expect(a).toBe('whoever');"],
  ['code in a comment', 'a.ts', '// As `nobody`, {@link nobody} or "nobody" has it.'],
  ['a linter directive', 'a.ts', '// oxlint-disable-next-line news -- reason'],
  ['a code block', 'a.md', '```sh\nnobody\n```'],
  ['the target of a link', 'a.md', 'A [link](nobody.md).'],
  ['a comment of another kind of file', 'a.json', '// whoever'],
  ['two short paragraphs', 'a.ts', `// A ${words(30)}\n//\n// and ${words(30)}`],
  ['a list of short items', 'a.ts', `// - ${words(30)}\n// - ${words(30)}`],
])('%s is not read', (_what, path, content) => {
  expect(checkPlainLanguage(path, content)).toEqual([]);
});

test.each([
  ['a comment', 'a.ts', '// plain-language-ignore -- a user of Unix\n// Runs as nobody.'],
  ['a title', 'a.test.ts', "// plain-language-ignore -- a user\ntest('nobody', () => {});"],
  ['a paragraph', 'a.md', '<!-- plain-language-ignore -- a user -->\nRuns as nobody.'],
  ['a cell', 'a.md', '| nobody <!-- plain-language-ignore -- a user --> |'],
])('an exception is possible for %s', (_what, path, content) => {
  expect(checkPlainLanguage(path, content)).toEqual([]);
});

test('an exception needs a reason', () => {
  expect(checkPlainLanguage('a.ts', '// plain-language-ignore\n// Runs as nobody.')).toEqual([
    'a.ts:1: say why: plain-language-ignore -- reason',
  ]);
});

test('an exception that excuses nothing is found', () => {
  expect(checkPlainLanguage('a.ts', '// plain-language-ignore -- a user\n// Runs.')).toEqual([
    'a.ts:1: excuses nothing; remove it',
  ]);
});

test('the check reads documents, sources and scripts, and names each finding', async () => {
  const root = await mkdtemp(resolve(tmpdir(), 'sluice-plain-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [file, text] of [
    ['docs/a.md', 'Plain.\n'],
    ['services/quota/src/redis/a.lua', '-- Nobody.\n'],
    ['deploy/a.sh', '# Nobody.\n'],
    ['packages/a/generated/a.ts', '// Nobody.\n'],
  ] as const) {
    await mkdir(dirname(resolve(root, file)), { recursive: true });
    await writeFile(resolve(root, file), text);
  }

  const outcome = await plainLanguage.run(root);
  expect(outcome.passed ? '' : outcome.report).toMatch(
    /^deploy\/a\.sh:1: "Nobody": [^\n]+\nservices\/quota\/src\/redis\/a\.lua:1: "Nobody": [^\n]+$/,
  );
});
