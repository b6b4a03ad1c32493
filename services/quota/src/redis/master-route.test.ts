import { expect, it } from 'vitest';
import { MasterRoute } from './master-route.ts';

const OLD = { host: '10.0.0.1', port: 1 };
const NEW = { host: '10.0.0.2', port: 2 };

function startRoute() {
  let clock = 0;
  const route = new MasterRoute(() => clock);
  return { route, pass: (milliseconds: number) => (clock += milliseconds) };
}

it('leads to the master that a sentinel names, where there is no news', () => {
  const { route } = startRoute();
  expect(route.lead('10.0.0.1:1')).toBeNull();
});

it('leads to the new master while sentinels still name the old one', () => {
  const { route } = startRoute();
  route.lead('10.0.0.1:1');
  expect(route.note({ from: OLD, to: NEW })).toBe(true);
  expect(route.lead('10.0.0.1:1')).toEqual(NEW);
  expect(route.lead('10.0.0.3:3')).toBeNull();
});

it('is told the same by several sentinels, and leads elsewhere once', () => {
  const { route } = startRoute();
  route.lead('10.0.0.1:1');
  route.note({ from: OLD, to: NEW });
  route.lead('10.0.0.1:1');
  expect(route.note({ from: OLD, to: NEW })).toBe(false);
});

it('follows a master that goes back', () => {
  const { route } = startRoute();
  route.note({ from: OLD, to: NEW });
  expect(route.note({ from: NEW, to: OLD })).toBe(true);
  expect(route.lead('10.0.0.2:2')).toEqual(OLD);
  expect(route.lead('10.0.0.1:1')).toBeNull();
});

it('trusts the sentinels again after a while: a failover may have been given up', () => {
  const { route, pass } = startRoute();
  route.note({ from: OLD, to: NEW });
  pass(3_000);
  expect(route.lead('10.0.0.1:1')).toBeNull();
});
