import { expect, test } from 'vitest';
import { ZodError } from 'zod';
import { readKnownFields } from './known-fields.ts';
import { Organization } from './resources.ts';

const known = {
  id: 'harbour',
  plan: 'free',
  limits: { requests_per_minute: 5 },
  members: [{ account: 'ada', active: false }],
};

test('a document with only known fields loses nothing', () => {
  expect(readKnownFields(Organization, known)).toEqual({
    document: Organization.parse(known),
    unknownFields: [],
  });
});

test('fields of a newer version are dropped and named, wherever they are', () => {
  const newer = {
    ...known,
    region: 'north',
    limits: { ...known.limits, images_per_minute: 9 },
    members: known.members.map((member) => ({ ...member, nickname: 'boss' })),
  };
  const { document, unknownFields } = readKnownFields(Organization, newer);
  expect(document).toEqual(Organization.parse(known));
  expect(unknownFields.toSorted()).toEqual([
    'limits.images_per_minute',
    'members[0].nickname',
    'region',
  ]);
});

test.each([
  ['a value that is none', { ...known, billing: 'barter' }],
  ['a field that is missing', { id: 'harbour', region: 'north' }],
  ['something else', 'harbour'],
])('%s stays invalid', (_what, stored) => {
  expect(() => readKnownFields(Organization, stored)).toThrow(ZodError);
});
