import { expect, it } from 'vitest';
import { splitAddress } from './address.ts';

it.each([
  ['quota.internal:50051', { host: 'quota.internal', port: 50_051 }],
  ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
  ['[::1]:50051', { host: '::1', port: 50_051 }],
])('%s is a host and a port', (address, parts) => {
  expect(splitAddress(address)).toEqual(parts);
});
