import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { codeSample } from './code-samples.ts';

const body = {
  model: 'a/b',
  messages: [{ role: 'user', content: `It's "quoted" $(id) \`x\` \\ \n end` }],
  stream: true,
  seed: null,
};

test('A shell reads the body of the curl command as it is, whatever the message says', () => {
  const command = codeSample('curl', 'http://api/v1', body).replace(/^curl/, "printf '%s\\n'");
  const printed = execFileSync('sh', ['-c', command], { encoding: 'utf8' });
  const json = printed.slice(printed.indexOf('-d\n') + 3);
  expect(JSON.parse(json)).toEqual(body);
});

test('Python has other words for true and null', () => {
  const sample = codeSample('Python', 'http://api/v1', body);
  expect(sample).toContain('stream=True,');
  expect(sample).toContain('seed=None,');
});
