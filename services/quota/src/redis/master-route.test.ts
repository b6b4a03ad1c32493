import { expect, it } from 'vitest';
import { MasterRoute } from './master-route.ts';

const OLD = { host: '10.0.0.1', port: 1 };
const NEW = { host: '10.0.0.2', port: 2 };

function startRoute() {
  let clock = 0;
  const route = new MasterRoute(() => clock);
  return { route, pass: (milliseconds: number) => (clock += milliseconds) };
}

it('keeps the address that a sentinel returns if there was no failover', () => {
  const { route } = startRoute();
  expect(route.resolve('10.0.0.1:1')).toBeNull();
});

it('maps to the new master while sentinels still return the old one', () => {
  const { route } = startRoute();
  route.resolve('10.0.0.1:1');
  expect(route.note({ from: OLD, to: NEW })).toBe(true);
  expect(route.resolve('10.0.0.1:1')).toEqual(NEW);
  expect(route.resolve('10.0.0.3:3')).toBeNull();
});

it('asks for one reconnect when several sentinels report the same failover', () => {
  const { route } = startRoute();
  route.resolve('10.0.0.1:1');
  route.note({ from: OLD, to: NEW });
  route.resolve('10.0.0.1:1');
  expect(route.note({ from: OLD, to: NEW })).toBe(false);
});

it('follows a failover back to the first master', () => {
  const { route } = startRoute();
  route.note({ from: OLD, to: NEW });
  expect(route.note({ from: NEW, to: OLD })).toBe(true);
  expect(route.resolve('10.0.0.2:2')).toEqual(OLD);
  expect(route.resolve('10.0.0.1:1')).toBeNull();
});

it('uses the address of the sentinels again after a while, because a failover may be aborted', () => {
  const { route, pass } = startRoute();
  route.note({ from: OLD, to: NEW });
  pass(3_000);
  expect(route.resolve('10.0.0.1:1')).toBeNull();
});
