import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';

function loggerToList() {
  const lines: string[] = [];
  const logger = createLogger({
    service: 'gateway',
    level: 'info',
    destination: { write: (line) => void lines.push(line) },
  });
  return { logger, lines };
}

describe('log lines', () => {
  it('are JSON with the service, the level by name and the fields given', () => {
    const { logger, lines } = loggerToList();
    logger.info({ request: 'r-1' }, 'answered');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      service: 'gateway',
      level: 'info',
      request: 'r-1',
      msg: 'answered',
    });
  });

  it('show an error by name, code and place, never by its message', () => {
    const { logger, lines } = loggerToList();
    const cause = new SyntaxError('Unexpected token in "my secret prompt"');
    logger.error(
      {
        err: Object.assign(new Error('choked on my secret prompt', { cause }), { code: 'E_PARSE' }),
      },
      'failed',
    );
    expect(lines[0]).not.toContain('secret');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { name: 'Error', code: 'E_PARSE', cause: { name: 'SyntaxError' } },
    });
  });

  it.each([
    ['as it was thrown', (error: Error) => error],
    ['with another message since', (error: Error) => Object.assign(error, { message: 'other' })],
    ['with no message any more', (error: Error) => Object.assign(error, { message: '' })],
  ])('do not show a line of a message as a location: an error %s', (_, change) => {
    const { logger, lines } = loggerToList();
    logger.error({ err: change(new Error('choked on\n    at my secret prompt')) }, 'failed');
    expect(lines[0]).not.toContain('secret');
  });

  it.each([[new Error('choked\n  at once')], [new Error('')], [new TypeError('Error')]])(
    'keep the places of %o',
    (error) => {
      const { logger, lines } = loggerToList();
      logger.error({ err: error }, 'failed');
      expect(lines[0]).toMatch(/"at":\["at [^"]*logger\.test\.ts/);
    },
  );

  it.each([
    ['alone', (error: Error) => error],
    ['among fields', (error: Error) => ({ err: error })],
  ])('do not show the message of an error as their own: one that is logged %s', (_, told) => {
    const { logger, lines } = loggerToList();
    logger.error(told(new Error('my secret prompt')));
    expect(lines[0]).toContain('"name":"Error"');
    expect(lines[0]).not.toContain('secret');
  });

  it('show only the type of a thrown value that is not an error', () => {
    const { logger, lines } = loggerToList();
    logger.error({ err: 'my secret prompt' }, 'failed');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ err: { name: 'string' }, msg: 'failed' });
    expect(lines[0]).not.toContain('secret');
  });

  it('omit lines below the level', () => {
    const { logger, lines } = loggerToList();
    logger.debug('quiet');
    expect(lines).toEqual([]);
  });
});
