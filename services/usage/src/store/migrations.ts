/**
 * The steps that build the tables, in order. A step runs once and is never changed afterwards. During an upgrade the
 * previous version still writes, so a step only adds: tables, indexes, and columns with a default.
 *
 * Ids and names are compared as bytes (`COLLATE "C"`), which takes a fraction of the time of a comparison by the rules
 * of a language.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE positions (
    stream text NOT NULL,
    stream_created text NOT NULL,
    sequence bigint NOT NULL,
    stored_ms bigint NOT NULL,
    PRIMARY KEY (stream, stream_created)
  );

  CREATE SEQUENCE arrivals INCREMENT BY 100000;

  CREATE TABLE requests (
    id text COLLATE "C" NOT NULL,
    received_ms bigint NOT NULL,
    organization text COLLATE "C" NOT NULL,
    project text NOT NULL,
    credential text NOT NULL,
    operation text NOT NULL,
    model text NOT NULL,
    target text NOT NULL,
    stream boolean NOT NULL,
    outcome text NOT NULL,
    code text NOT NULL,
    gateway text NOT NULL,
    offers bigint NOT NULL,
    refused_offers bigint NOT NULL,
    estimated_tokens bigint NOT NULL,
    delivered_tokens bigint NOT NULL,
    counted boolean NOT NULL,
    input_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    first_token_ms bigint,
    duration_ms bigint NOT NULL,
    status bigint,
    details text,
    arrival bigint NOT NULL,
    PRIMARY KEY (id, received_ms)
  ) PARTITION BY RANGE (received_ms);
  CREATE INDEX requests_received ON requests (received_ms);
  CREATE INDEX requests_organization ON requests (organization, received_ms);
  CREATE INDEX requests_arrival ON requests (arrival);
  CREATE INDEX requests_failed ON requests (received_ms) WHERE outcome = 'failed';

  CREATE TABLE attempts (
    id text COLLATE "C" NOT NULL,
    request text NOT NULL,
    accepted_ms bigint NOT NULL,
    organization text NOT NULL,
    project text NOT NULL,
    model text NOT NULL,
    worker text NOT NULL,
    gateway text NOT NULL,
    ended text NOT NULL,
    reason text NOT NULL,
    generated_tokens bigint NOT NULL,
    queued_ms bigint NOT NULL,
    ran_ms bigint NOT NULL,
    worker_name text COLLATE "C" NOT NULL,
    host text NOT NULL,
    runtime text NOT NULL,
    PRIMARY KEY (id, accepted_ms)
  ) PARTITION BY RANGE (accepted_ms);
  CREATE INDEX attempts_worker ON attempts (worker_name, accepted_ms);

  CREATE TABLE summed_days (
    until_ms bigint NOT NULL
  );
  INSERT INTO summed_days VALUES (0);
  ` +
    ['hourly', 'daily']
      .map(
        (period) => `
  CREATE TABLE usage_${period} (
    begins_ms bigint NOT NULL,
    organization text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL,
    credential text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    target text COLLATE "C" NOT NULL,
    requests bigint NOT NULL,
    completed bigint NOT NULL,
    cancelled bigint NOT NULL,
    failed bigint NOT NULL,
    refused bigint NOT NULL,
    input_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    reasoning_tokens bigint NOT NULL,
    delivered_tokens bigint NOT NULL,
    estimated_tokens bigint NOT NULL,
    counted_tokens bigint NOT NULL,
    attempts bigint NOT NULL,
    generated_tokens bigint NOT NULL,
    PRIMARY KEY (begins_ms, organization, project, credential, model, target)
  ) WITH (fillfactor = 70);
  CREATE INDEX usage_${period}_credential ON usage_${period} (credential, begins_ms);`,
      )
      .join(''),
  `
  ALTER TABLE requests ADD COLUMN spend numeric;
  ` +
    ['hourly', 'daily']
      .map(
        (period) => `
  ALTER TABLE usage_${period} ADD COLUMN spend numeric NOT NULL DEFAULT 0;
  ALTER TABLE usage_${period} ADD COLUMN unpriced bigint NOT NULL DEFAULT 0;`,
      )
      .join('') +
    `
  CREATE TABLE spend_monthly (
    month text NOT NULL,
    organization text NOT NULL,
    spend numeric NOT NULL,
    PRIMARY KEY (month, organization)
  ) WITH (fillfactor = 70);

  CREATE TABLE known_prices (
    id integer PRIMARY KEY,
    models text NOT NULL
  );

  CREATE TABLE budget_thresholds (
    organization text NOT NULL,
    month text NOT NULL,
    percent bigint NOT NULL,
    reached_ms bigint NOT NULL,
    PRIMARY KEY (organization, month, percent)
  );

  CREATE TABLE webhook_deliveries (
    event text NOT NULL,
    url text NOT NULL,
    organization text NOT NULL,
    body text NOT NULL,
    created_ms bigint NOT NULL,
    next_ms bigint NOT NULL,
    attempts bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (event, url)
  );
  CREATE INDEX webhook_deliveries_next ON webhook_deliveries (next_ms);
  `,
];
