import { AuthorizationError, PermissionViolationError } from '@nats-io/transport-node';
import { createLogger } from '@sluice/service';
import { beforeEach, expect, it } from 'vitest';
import { NatsErrorLog } from './nats-error-log.ts';

let lines: string[];
let log: NatsErrorLog;
let now: number;
beforeEach(() => {
  lines = [];
  now = 0;
  const destination = { write: (line: string) => void lines.push(line) };
  log = new NatsErrorLog(createLogger({ service: 'test', level: 'warn', destination }), () => now);
});

const untrusted = () => Object.assign(new Error('tls'), { code: 'CERT_HAS_EXPIRED' });
const forbidden = (subject: string) =>
  new PermissionViolationError('not permitted', 'publish', subject);

it('logs each reason of a refusal once until the connection is back', () => {
  for (const error of [new AuthorizationError('no'), untrusted(), new AuthorizationError('no')]) {
    log.add(error);
  }
  expect(lines).toHaveLength(2);
  log.reset();
  log.add(untrusted());
  expect(lines).toHaveLength(3);
});

it('logs a missing right once for all subjects of a kind', () => {
  log.add(forbidden('sluice.fleet.one'));
  log.add(forbidden('sluice.fleet.two'));
  expect(lines).toHaveLength(1);
  log.add(forbidden('sluice.lease.one'));
  expect(lines).toHaveLength(2);
});

it('logs a missing right once, although many processes are named', () => {
  for (const id of ['0aA0aA0aA0aA', '1bB1bB1bB1bB']) log.add(forbidden(`sluice.delta.${id}.one`));
  expect(lines).toHaveLength(1);
});

it('logs a missing right again after ten minutes or on a new connection', () => {
  log.add(forbidden('sluice.fleet.one'));
  now = 599_999;
  log.add(forbidden('sluice.fleet.one'));
  expect(lines).toHaveLength(1);
  now = 600_000;
  log.add(forbidden('sluice.fleet.one'));
  expect(lines).toHaveLength(2);
  log.reset();
  log.add(forbidden('sluice.fleet.one'));
  expect(lines).toHaveLength(3);
});

it('logs all other errors each time', () => {
  log.add(new Error('odd'));
  log.add(new Error('odd'));
  expect(lines).toHaveLength(2);
});
