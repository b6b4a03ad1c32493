import { describe, expect, test } from 'vitest';
import { WholeReply } from './whole-reply.ts';

function setUp() {
  const reply = new WholeReply({ id: 'chatcmpl-1', created: 1, model: 'acme/"odd"' });
  return { reply, sent: (): unknown => reply.body && JSON.parse(reply.body.toString('utf8')) };
}

const message = (content: string) => Buffer.from(JSON.stringify({ role: 'assistant', content }));

describe('a whole reply', () => {
  test('is available only after the end', () => {
    const { reply, sent } = setUp();
    reply.delta(message('Hi'));
    reply.usage(Buffer.from('{"total_tokens":3}'));
    expect(reply.body).toBeUndefined();
    reply.finish('stop');
    expect(sent()).toMatchObject({
      model: 'acme/"odd"',
      choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
      usage: { total_tokens: 3 },
    });
  });

  test('contains nothing from a worker that failed', () => {
    const { reply, sent } = setUp();
    reply.delta(message('wrong'));
    reply.usage(Buffer.from('{"total_tokens":9}'));
    reply.restart();
    reply.finish('stop');
    expect(reply.body).toBeUndefined();
    reply.delta(message('right'));
    reply.finish('stop');
    expect(sent()).toMatchObject({ choices: [{ message: { content: 'right' } }], usage: null });
  });
});
