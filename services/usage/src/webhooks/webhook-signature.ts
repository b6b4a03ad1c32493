import { createHmac } from 'node:crypto';

/** A webhook of an organization. Raising the version replaces its secret. */
export interface SignedWebhook {
  readonly organization: string;
  readonly url: string;
  readonly secretVersion: number;
}

const SECRET_PREFIX = 'whsec_';

/**
 * The secret that a receiver checks signatures with. It is computed from the key of this service, so that it is stored
 * nowhere: not in the catalog, its audit log, its backups or the tables.
 */
export function webhookSecret(key: string, webhook: SignedWebhook): string {
  const { organization, url, secretVersion } = webhook;
  const name = JSON.stringify([organization, url, secretVersion]);
  return `${SECRET_PREFIX}${createHmac('sha256', key).update(name).digest('base64')}`;
}

export interface SignedMessage {
  /** Stays the same when the message is sent again. */
  readonly id: string;
  readonly timestampS: number;
  readonly body: string;
}

/**
 * A signature of Standard Webhooks:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function webhookSignature(secret: string, { id, timestampS, body }: SignedMessage): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampS}.${body}`).digest('base64')}`;
}

/**
 * The headers of a message. It is signed with the present secret and with the previous one, so that a receiver can
 * replace its secret at any time.
 */
export function webhookHeaders(
  key: string,
  webhook: SignedWebhook,
  message: SignedMessage,
): Record<string, string> {
  const { secretVersion } = webhook;
  const versions = secretVersion > 1 ? [secretVersion, secretVersion - 1] : [secretVersion];
  const signatures = versions.map((version) =>
    webhookSignature(webhookSecret(key, { ...webhook, secretVersion: version }), message),
  );
  return {
    'content-type': 'application/json',
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestampS),
    'webhook-signature': signatures.join(' '),
  };
}
