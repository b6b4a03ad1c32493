import { expect, test } from 'vitest';
import { PLAIN_SCREEN } from '../screen.ts';
import { isAtLeast, logText, readLogLine } from './log-line.ts';

const NOON = Date.UTC(2027, 0, 31, 12, 0, 0, 123);
const local = new Date(2027, 0, 31, 12, 0, 0, 123).getTime();

test('a line of a service is shown with its fields, and without control characters', () => {
  const line = { level: 'warn', time: NOON, service: 'gateway', pid: 7, msg: 'late', by_ms: 5 };
  const text = JSON.stringify({ ...line, path: '/v1\u001b[2J' });
  expect(logText(readLogLine('gateway', text), { width: 8, screen: PLAIN_SCREEN })).toBe(
    '12:00:00.123 gateway  warn  late  by_ms=5  path=/v1\ufffd[2J',
  );
});

test.each([
  ['[7] 2027/01/31 12:00:00.123456 [WRN] slow consumer', 'warn', local, 'slow consumer'],
  ['7:M 31 Jan 2027 12:00:00.123 * Ready', 'info', local, 'Ready'],
  [`{"level":50,"time":${NOON},"msg":"x"}`, 'error', NOON, 'x'],
  ['    at start (main.ts:1)', undefined, undefined, '    at start (main.ts:1)'],
  ['{"half', undefined, undefined, '{"half'],
])('%j', (text, level, atMs, message) => {
  expect(readLogLine('x', text)).toMatchObject({ level, atMs, message });
});

test('a line without a level is always shown', () => {
  expect(isAtLeast(readLogLine('x', 'trace'), 'fatal')).toBe(true);
  expect(isAtLeast(readLogLine('x', `{"level":"info","time":1,"msg":""}`), 'warn')).toBe(false);
});
