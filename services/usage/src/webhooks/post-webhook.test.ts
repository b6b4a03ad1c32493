import { expect, it } from 'vitest';
import { isPublicAddress, postWebhook } from './post-webhook.ts';

it.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.255.255',
  '169.254.169.254',
  '::1',
  '::ffff:10.0.0.1',
  'fd00::1',
  'fe80::1',
  '0.0.0.0',
])('%s is not an address on the internet', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

it.each(['1.1.1.1', '172.32.0.1', '2606:4700::1111', '::ffff:1.1.1.1'])(
  '%s is an address on the internet',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it.each([
  ['http://receiver.example/', /https/],
  ['https://127.0.0.1/', /private network/],
  ['https://[::1]/', /private network/],
  ['https://2130706433/', /private network/],
  ['https://localhost/', /private network/],
])('%s is not sent anything, unless private networks are allowed', async (url, reason) => {
  const post = { url, headers: {}, body: '{}', privateNetworks: false };
  await expect(postWebhook(post)).rejects.toThrow(reason);
});
