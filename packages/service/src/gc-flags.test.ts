import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { RARE_COLLECTIONS } from './gc-flags.ts';

it.each(RARE_COLLECTIONS)(
  '%s is a setting that this V8 knows, and not how it is by itself',
  async (flag) => {
    // At run time, V8 only prints a line about an unknown flag and ignores it.
    const { stdout } = await promisify(execFile)(process.execPath, ['--v8-options'], {
      maxBuffer: 2 ** 24,
    });
    const [name = ''] = flag.replace(/^--(?:no-)?/u, '').split('=');
    const [, byItself] =
      new RegExp(`default: (--(?:no-)?${name}(?:=\\S+)?)`, 'u').exec(stdout) ?? [];
    expect(byItself).toBeDefined();
    expect(byItself).not.toBe(flag);
  },
);
