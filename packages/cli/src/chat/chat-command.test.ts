import { expect, test } from 'vitest';
import { chatCommand } from './chat-command.ts';
import { Conversation } from './conversation.ts';

test('a conversation can be cleared, and its model and system message can be changed', () => {
  const conversation = new Conversation({ model: 'small', system: 'Be brief.' });
  conversation.ask('one');
  chatCommand('/clear', conversation);
  chatCommand('/model large', conversation);
  chatCommand('/system Be  polite.', conversation);
  conversation.ask('two');
  expect(conversation.requestBody()).toMatchObject({
    model: 'large',
    messages: [
      { role: 'system', content: 'Be polite.' },
      { role: 'user', content: 'two' },
    ],
  });
});

test.each([
  ['/help', /^\/help/],
  ['/hlep', /did you mean '\/help'\?/],
  ['/x', /\/help lists/],
])('%s is answered', (line, text) => {
  expect(chatCommand(line, new Conversation({ model: 'small' }))).toMatch(text);
});
