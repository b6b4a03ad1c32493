import { describeDeath, type Death } from '@sluice/servers';

const SILENCE_MS = 1_500;

/** Reports events while a stack starts and runs. */
export interface Progress extends Disposable {
  starting(name: string): void;
  ready(name: string, restarts: number): void;
  died(name: string, death: Death, delayMs: number): void;
  say(line: string): void;
}

/** Prints the events. If nothing happens for more than a second, prints which processes are still awaited. */
export function showProgress(print: (line: string) => void): Progress {
  const startedAt = performance.now();
  const awaited = new Set<string>();
  let silence: NodeJS.Timeout | undefined;
  const seconds = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  const say = (line: string) => {
    print(line);
    clearTimeout(silence);
    silence = setTimeout(tellAwaited, SILENCE_MS).unref();
  };
  function tellAwaited(): void {
    if (awaited.size > 0) say(`  waiting for ${[...awaited].join(', ')} … (${seconds()})`);
  }
  return {
    say,
    starting: (name) => {
      awaited.add(name);
      silence ??= setTimeout(tellAwaited, SILENCE_MS).unref();
    },
    ready: (name, restarts) => {
      awaited.delete(name);
      say(restarts === 0 ? `  ${name} is ready (${seconds()})` : `${name} is ready again`);
    },
    died: (name, death, delayMs) => {
      say(`${name} has ended (${describeDeath(death)}); starting it again in ${delayMs / 1000} s`);
    },
    [Symbol.dispose]: () => clearTimeout(silence),
  };
}
