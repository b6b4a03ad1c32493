import { findFreePort } from '@sluice/servers';

const ATTEMPTS = 20;

/** Finds free ports and returns each port once. */
export class FreePorts {
  readonly #given = new Set<number>();

  async next(): Promise<number> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const port = await findFreePort();
      if (this.#given.has(port)) continue;
      this.#given.add(port);
      return port;
    }
    throw new Error('found no free port that was not returned before');
  }
}
