import { expect, it } from 'vitest';
import { withKeptFields } from './kept-fields.ts';
import { Account, Organization } from './resources.ts';

it('keeps what people changed in the console, if a document leaves it out', () => {
  const present = Account.parse({ id: 'ada', name: 'Ada', session_generation: 4, operator: true });
  const wanted = Account.parse({ id: 'ada', access: 'granted', operator: false });
  expect(withKeptFields('accounts', present, wanted)).toEqual({
    ...wanted,
    name: 'Ada',
    session_generation: 4,
    operator: false,
  });
});

it('keeps the roles of members that the document lists without one', () => {
  const present = Organization.parse({
    id: 'acme',
    plan: 'team',
    name: 'Acme',
    members: [
      { account: 'ada', role: 'owner' },
      { account: 'grace', role: 'admin' },
    ],
  });
  const wanted = Organization.parse({
    id: 'acme',
    plan: 'large',
    name: null,
    members: [
      { account: 'ada', active: false },
      { account: 'grace', role: 'viewer' },
      { account: 'new' },
    ],
  });
  expect(withKeptFields('organizations', present, wanted)).toMatchObject({
    plan: 'large',
    name: null,
    members: [
      { account: 'ada', active: false, role: 'owner' },
      { account: 'grace', role: 'viewer' },
      { account: 'new', active: true },
    ],
  });
});
