import { expect, it } from 'vitest';
import { webhookHeaders, webhookSecret, webhookSignature } from './webhook-signature.ts';

const KEY = 'a-key-of-this-service-for-the-tests';
const webhook = { organization: 'acme', url: 'https://acme.example/hook', secretVersion: 1 };

// The example of
// https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/python/tests/test_webhooks.py
it('a signature follows Standard Webhooks', () => {
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampS: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  expect(webhookSignature('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message)).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

it('each organization, address and version has a different secret', () => {
  const secrets = [
    webhook,
    { ...webhook, organization: 'zeta' },
    { ...webhook, url: 'https://acme.example/other' },
    { ...webhook, secretVersion: 2 },
  ].map((each) => webhookSecret(KEY, each));
  expect(new Set(secrets).size).toBe(4);
  expect(secrets.every((secret) => /^whsec_[A-Za-z0-9+/]{43}=$/.test(secret))).toBe(true);
});

it('a message is also signed with the previous secret, so that receivers can replace it', () => {
  const message = { id: 'budget_1', timestampS: 1, body: '{}' };
  const headers = webhookHeaders(KEY, { ...webhook, secretVersion: 2 }, message);
  expect(headers['webhook-signature']?.split(' ')).toEqual([
    webhookSignature(webhookSecret(KEY, { ...webhook, secretVersion: 2 }), message),
    webhookSignature(webhookSecret(KEY, webhook), message),
  ]);
});
