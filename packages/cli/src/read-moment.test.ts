import { afterEach, describe, expect, test, vi } from 'vitest';
import { UsageError } from './command.ts';
import { readMoment, readPastMoment } from './read-moment.ts';

const NOW = Date.UTC(2026, 0, 1);

test.each([
  ['30m', NOW + 1_800_000],
  ['12h', NOW + 43_200_000],
  ['90d', NOW + 7_776_000_000],
  ['2027-01-31', Date.UTC(2027, 0, 31)],
  ['2028-02-29', Date.UTC(2028, 1, 29)],
  ['2027-01-31T12:00:00Z', Date.UTC(2027, 0, 31, 12)],
  ['2027-01-31T12:00:00.250+02:00', Date.UTC(2027, 0, 31, 10, 0, 0, 250)],
])('%s', (text, moment) => {
  expect(readMoment(text, NOW)).toBe(moment);
});

test.each([
  '',
  'soon',
  '90',
  '5w',
  '-1d',
  '2027-13-01',
  '2027-02-29',
  '2027-02-31T12:00Z',
  '2027-01-31 ',
  '2027-01-31 (noon)',
  '2027-01-31 PST',
  '2027-01-31 25:00',
  '1e9d',
])('%j is not a time', (text) => {
  expect(() => readMoment(text, NOW)).toThrow(UsageError);
});

describe.each(['America/Los_Angeles', 'UTC', 'Asia/Tokyo'])('in the time zone %s', (zone) => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test.each(['2027-01-31 18:30', '2027-01-31T18:30'])('%s is read as UTC', (text) => {
    vi.stubEnv('TZ', zone);
    expect(readMoment(text, NOW)).toBe(Date.UTC(2027, 0, 31, 18, 30));
  });
});

test.each([
  ['24h', NOW - 86_400_000],
  ['2025-12-31', Date.UTC(2025, 11, 31)],
  ['2026-01-01', NOW],
])('since %s', (text, moment) => {
  expect(readPastMoment(text, NOW)).toBe(moment);
});

test.each(['2026-01-02', '2026-01-01T00:00:01Z'])(
  '%s is refused, because it is in the future',
  (text) => {
    expect(() => readPastMoment(text, NOW)).toThrow(UsageError);
    expect(() => readPastMoment(text, NOW)).toThrow(`'${text}' is in the future: `);
  },
);
