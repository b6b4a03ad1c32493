import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlExample, openaiExample, pythonExample, welcomeText } from './welcome.ts';

const welcome = {
  apiRoot: 'http://127.0.0.1:8080/compat/v1',
  apiKey: 'sk-example',
  models: ["it's/a-model", 'another'],
  simulated: true,
  logs: '.sluice/logs',
  seconds: 2.34,
  signInUrl: 'http://127.0.0.1:7005/sign-in/link?token=once',
};

test('a shell runs the curl command as one command with a JSON body', () => {
  const shown = curlExample(welcome).replace(/^curl/, String.raw`printf '%s\n'`);
  const words = execFileSync('sh', ['-c', shown], { encoding: 'utf8' }).trimEnd().split('\n');
  expect(words[0]).toBe('http://127.0.0.1:8080/compat/v1/chat/completions');
  expect(words).toContain('Authorization: Bearer sk-example');
  const body: unknown = JSON.parse(words.at(-1) ?? '');
  expect(body).toMatchObject({ model: "it's/a-model" });
  expect(body).not.toHaveProperty('stream');
});

test('the module names the address, the key and the model', () => {
  const shown = openaiExample(welcome);
  expect(shown).toContain("baseURL: 'http://127.0.0.1:8080/compat/v1'");
  expect(shown).toContain("apiKey: 'sk-example'");
  expect(shown).toContain(String.raw`model: 'it\'s/a-model'`);
});

test('everything a newcomer needs is shown', () => {
  const shown = welcomeText(welcome);
  for (const part of [
    curlExample(welcome),
    openaiExample(welcome),
    pythonExample(welcome),
    '--runtime',
    '.sluice/logs',
    '2.3 s',
    'another',
    'http://127.0.0.1:7005/sign-in/link?token=once',
  ]) {
    expect(shown).toContain(part);
  }
  expect(welcomeText({ ...welcome, signInUrl: '' })).not.toContain('Console');
});

test('answers of a real runtime are not called simulated', () => {
  expect(welcomeText({ ...welcome, simulated: false })).not.toContain('simulated');
});
