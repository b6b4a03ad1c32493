import { count, initCounters, type Logger } from '@sluice/service';
import type { Queryable } from '../store/database.ts';
import { countWaiting, removeDelivery, retryAt, takeDue, type Delivery } from './deliveries.ts';
import { postWebhook } from './post-webhook.ts';
import { webhookHeaders } from './webhook-signature.ts';

export interface WebhookSenderOptions {
  /** The secrets of receivers are computed from it. */
  readonly key: string;
  readonly privateNetworks: boolean;
  /** The version of the secret of a webhook. Undefined if the organization no longer has the webhook. */
  readonly secretVersionOf: (organization: string, url: string) => number | undefined;
  readonly logger: Logger;
  readonly wallClock: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly firstRetryMs?: number;
}

const MAX_AT_ONCE = 20;
/** When an attempt of unknown outcome is repeated. Longer than an attempt can take. */
const UNKNOWN_AGAIN_MS = 30_000;
const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 3_600_000;
const GIVE_UP_AFTER_MS = 3 * 86_400_000;
const OUTCOMES = ['delivered', 'failed', 'given_up'] as const;

/** Sends the deliveries that are due, and repeats each until its receiver answers with success or it is given up. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  #waiting = 0;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    initCounters(
      'sluice.usage.webhooks',
      OUTCOMES.map((outcome) => ({ outcome })),
    );
  }

  /** How many deliveries had not ended after the last call of `sendDue`. */
  get waiting(): number {
    return this.#waiting;
  }

  async sendDue(database: Queryable): Promise<void> {
    const nowMs = this.#options.wallClock();
    const againMs = nowMs + UNKNOWN_AGAIN_MS;
    const due = await takeDue(database, { nowMs, againMs, limit: MAX_AT_ONCE });
    await Promise.all(due.map((delivery) => this.#send(database, delivery)));
    this.#waiting = await countWaiting(database);
  }

  async #send(database: Queryable, delivery: Delivery): Promise<void> {
    const { key, privateNetworks, secretVersionOf, logger, wallClock } = this.#options;
    const { event, url, organization, body } = delivery;
    const secretVersion = secretVersionOf(organization, url);
    if (secretVersion === undefined) {
      await removeDelivery(database, delivery);
      return;
    }
    const message = { id: event, timestampS: Math.floor(wallClock() / 1_000), body };
    const headers = webhookHeaders(key, { organization, url, secretVersion }, message);
    try {
      await postWebhook({ url, headers, body, privateNetworks });
    } catch (error) {
      // The path of the address may be a secret of the receiver.
      const { host } = new URL(url);
      const reason = error instanceof Error ? error.message : 'unknown';
      const described = { organization, event, host, reason };
      await this.#retryLater(database, delivery, described);
      return;
    }
    await removeDelivery(database, delivery);
    count('sluice.usage.webhooks', { outcome: 'delivered' });
    logger.info({ organization, event }, 'a webhook was delivered');
  }

  async #retryLater(
    database: Queryable,
    delivery: Delivery,
    described: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { logger, wallClock, random, firstRetryMs = FIRST_RETRY_MS } = this.#options;
    const nowMs = wallClock();
    if (nowMs - delivery.createdMs > GIVE_UP_AFTER_MS) {
      await removeDelivery(database, delivery);
      count('sluice.usage.webhooks', { outcome: 'given_up' });
      logger.error(described, 'a webhook was given up');
      return;
    }
    const backoffMs = Math.min(LONGEST_RETRY_MS, firstRetryMs * 2 ** (delivery.attempts - 1));
    // A jitter of 20% spreads deliveries that failed at the same time.
    const waitMs = backoffMs * (0.8 + 0.4 * random());
    await retryAt(database, delivery, Math.round(nowMs + waitMs));
    count('sluice.usage.webhooks', { outcome: 'failed' });
    logger.warn({ ...described, waitMs: Math.round(waitMs) }, 'a webhook failed; it is repeated');
  }
}
