import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { AnswerDisplay, costText } from './show-answer.ts';

function displayFor(interactive: boolean, answer = 'yes') {
  const output = new PassThrough();
  const errors = new PassThrough();
  const display = new AnswerDisplay({
    input: new PassThrough(),
    output,
    errors,
    interactive,
    onInterrupt: () => () => undefined,
  });
  display.reasoning('hmm');
  if (answer !== '') display.content(answer);
  display.note('(cut)');
  display.note('[2 out]');
  return { output: String(output.read() ?? ''), errors: String(errors.read() ?? '') };
}

test('on a terminal all text is shown, and everything but the answer is dimmed', () => {
  expect(displayFor(true)).toEqual({
    output: '\u001B[2mhmm\u001B[0m\n\nyes\n\u001B[2m(cut)\u001B[0m\n\u001B[2m[2 out]\u001B[0m\n',
    errors: '',
  });
});

test('a program gets only the answer on standard output, and everything else on standard error', () => {
  expect(displayFor(false)).toEqual({ output: 'yes\n', errors: 'hmm\n\n(cut)\n[2 out]\n' });
});

test('each note is on a separate line, also after reasoning without an answer', () => {
  expect(displayFor(false, '')).toEqual({ output: '', errors: 'hmm\n(cut)\n[2 out]\n' });
});

test('control characters of an answer are removed on a terminal and kept for a program', () => {
  const answer = '\u001B]52;c;cm0K\u0007\tone\r\ntwo\u009b2J';
  expect(displayFor(true, answer).output).toContain(
    '\n\n\ufffd]52;c;cm0K\ufffd\tone\ntwo\ufffd2J\n',
  );
  expect(displayFor(false, answer).output).toBe(`${answer}\n`);
});

test('the line with the cost contains the counts that are known', () => {
  const usage = { input: 9, cached: 3, output: 4, reasoning: 2 };
  const headers = new Headers({
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-remaining-tokens': '9990',
  });
  expect(costText(usage, headers)).toBe(
    '[9 tokens in (3 cached) · 4 out (2 reasoning) · 59 requests and 9990 tokens left this minute]',
  );
  expect(costText({ ...usage, cached: 0, reasoning: 0 }, new Headers())).toBe(
    '[9 tokens in · 4 out]',
  );
});
