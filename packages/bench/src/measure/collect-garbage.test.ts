import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '@sluice/devkit';
import { expect, onTestFinished, test } from 'vitest';
import { collectGarbage } from './collect-garbage.ts';

const WAITING = 'setInterval(() => undefined, 1_000); console.error("ready")';

/** A process with an inspector, and the log of its standard error. */
async function startWithLog() {
  const child = spawn(process.execPath, ['--inspect-port=0', '--eval', WAITING], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const log = { text: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log.text += text;
  });
  await waitUntil(() => log.text.includes('ready'), { what: 'the process' });
  const { pid } = child;
  if (pid === undefined) throw new Error('the process has no id');
  return { pid, log };
}

test('the garbage of a process is collected again after its log was emptied', async () => {
  const { pid, log } = await startWithLog();
  const errorOutput = async () => log.text;
  expect(await collectGarbage({ pid, errorOutput })).toBeGreaterThan(0);
  let isEmptied = false;
  const emptiedOnce = async () => {
    const { text } = log;
    if (!isEmptied) log.text = '';
    isEmptied = true;
    return text;
  };
  expect(await collectGarbage({ pid, errorOutput: emptiedOnce })).toBeGreaterThan(0);
});
