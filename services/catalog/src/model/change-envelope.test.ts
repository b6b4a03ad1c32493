import { ResourceSchemas } from '@sluice/contracts';
import { describe, expect, it } from 'vitest';
import { organization, plan } from '../../tests/example-documents.ts';
import {
  UnreadableEntryError,
  encodeChange,
  readEnvelope,
  readResource,
} from './change-envelope.ts';

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const envelope = { change: 'c', action: 'update', by: 'ada', at_ms: 1, before: null };
const document = ResourceSchemas.plans.parse(plan);

describe('an entry', () => {
  it('is decoded as it was encoded', () => {
    const value = encodeChange({
      change: 'c',
      action: 'create',
      by: 'ada',
      atMs: 7,
      before: null,
      document,
    });
    expect(readResource('plans', value)).toEqual(document);
    expect(readEnvelope(value)).toMatchObject({ by: 'ada', at_ms: 7, action: 'create' });
  });

  it('without a document is a deletion', () => {
    expect(readResource('plans', bytes({ ...envelope, document: null }))).toBeNull();
  });

  it('with invalid UTF-8 is not decoded', () => {
    const value = bytes({ ...envelope, document });
    value[value.indexOf('ada')] = 0xff;
    expect(readEnvelope(value)).toBeUndefined();
  });

  it('of a newer version loses only the unknown fields', () => {
    const newer = {
      ...organization,
      region: 'north',
      limits: { requests_per_minute: 5, images_per_minute: 9 },
      members: [{ account: 'ada', active: false, nickname: 'boss' }],
    };
    expect(readResource('organizations', bytes({ ...envelope, document: newer }))).toEqual(
      ResourceSchemas.organizations.parse({
        ...organization,
        limits: { requests_per_minute: 5 },
        members: [{ account: 'ada', active: false }],
      }),
    );
  });

  it.each([
    ['no JSON', Buffer.from('{')],
    ['no text', Buffer.from([0xff, 0xfe])],
    ['no envelope', bytes(document)],
    ['no known action', bytes({ ...envelope, action: 'explode', document })],
    [
      'a document that breaks its schema',
      bytes({ ...envelope, document: { ...document, id: '' } }),
    ],
    ['a document of another kind', bytes({ ...envelope, document: organization })],
  ])('with %s cannot be read', (_name, value) => {
    expect(() => readResource('plans', value)).toThrow(UnreadableEntryError);
  });
});
