import { AuthorizationError, PermissionViolationError } from '@nats-io/transport-node';
import { createLogger } from '@sluice/telemetry';
import { beforeEach, expect, it } from 'vitest';
import { ComplaintLog } from './complaint-log.ts';

let lines: string[];
let log: ComplaintLog;
beforeEach(() => {
  lines = [];
  const destination = { write: (line: string) => void lines.push(line) };
  log = new ComplaintLog(createLogger({ service: 'test', level: 'warn', destination }));
});

const untrusted = () => Object.assign(new Error('tls'), { code: 'CERT_HAS_EXPIRED' });
const forbidden = (subject: string) =>
  new PermissionViolationError('not permitted', 'publish', subject);

it('says why it is refused once, and another reason too, until the connection is back', () => {
  for (const error of [new AuthorizationError('no'), untrusted(), new AuthorizationError('no')]) {
    log.add(error);
  }
  expect(lines).toHaveLength(2);
  log.over();
  log.add(untrusted());
  expect(lines).toHaveLength(3);
});

it('says once what is not permitted, of all subjects that are of one kind', () => {
  log.add(forbidden('sluice.fleet.one'));
  log.add(forbidden('sluice.fleet.two'));
  expect(lines).toHaveLength(1);
  log.add(forbidden('sluice.lease.one'));
  expect(lines).toHaveLength(2);
});

it('does not fill the log with kinds', () => {
  for (let kind = 0; kind < 100; kind += 1) log.add(forbidden(`sluice.delta.gateway-${kind}.one`));
  expect(lines).toHaveLength(20);
});

it('says everything else each time', () => {
  log.add(new Error('odd'));
  log.add(new Error('odd'));
  expect(lines).toHaveLength(2);
});
