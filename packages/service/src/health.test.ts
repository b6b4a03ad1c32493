import { describe, expect, it } from 'vitest';
import { startHealthServer } from './health.ts';

describe('the health server', () => {
  it('distinguishes alive from ready, and shows the details of both', async () => {
    let ready = false;
    await using health = await startHealthServer({
      host: '127.0.0.1',
      port: 0,
      readiness: () => ({ ready, details: { bus: 'connected' } }),
    });

    expect((await fetch(`${health.url}/livez`)).status).toBe(200);
    const before = await fetch(`${health.url}/readyz`);
    expect(before.status).toBe(503);
    expect(await before.json()).toEqual({ status: 'not ready', bus: 'connected' });

    ready = true;
    const after = await fetch(`${health.url}/readyz?verbose`);
    expect(after.status).toBe(200);
    expect(await after.json()).toEqual({ status: 'ready', bus: 'connected' });
    expect((await fetch(`${health.url}/metrics`)).status).toBe(404);
  });

  it('names the address on which it cannot listen', async () => {
    await using first = await startHealthServer({
      host: '127.0.0.1',
      port: 0,
      readiness: () => ({ ready: true, details: {} }),
    });
    const port = Number(new URL(first.url).port);
    await expect(
      startHealthServer({
        host: '127.0.0.1',
        port,
        readiness: () => ({ ready: true, details: {} }),
      }),
    ).rejects.toThrow(`cannot listen on 127.0.0.1:${port}`);
  });
});
