import { ChatCompletionChunk } from '@sluice/contracts';
import { expect } from 'vitest';
import { chunksOf } from '../event-stream-reader.ts';
import type { Case, CaseGroup } from './case.ts';
import { expectError } from './expectations.ts';
import { answer, calling, takes, user, type Messages } from './messages.ts';
import type { SentenceId } from './sentences.ts';
import { STRICT_MODEL } from './world.ts';

function strict(
  title: string,
  proves: readonly SentenceId[],
  messages: Messages,
  missing?: string,
): Case {
  return {
    title: `${missing === undefined ? 'a strict model accepts' : 'a strict model refuses'} ${title}`,
    proves: ['I92', 'D39', ...proves],
    run: async (world) => {
      const reply = await world.complete({ model: STRICT_MODEL, messages });
      if (missing === undefined) {
        expect({ status: reply.status, body: await reply.text() }).toMatchObject({ status: 200 });
        return;
      }
      const message = await expectError(reply, {
        status: 400,
        type: 'invalid_request_error',
        code: 'missing_required_parameter',
        param: missing,
      });
      expect(message).toContain(missing);
    },
  };
}

const turn = { role: 'assistant', content: 'Yes.' };

/** The message that a client puts together from a stream: the texts of each field, concatenated. */
function concatenated(text: string): Record<string, string> {
  const message: Record<string, string> = {};
  for (const chunk of chunksOf(text)) {
    const delta = ChatCompletionChunk.parse(chunk).choices[0]?.delta ?? {};
    for (const [name, piece] of Object.entries(delta)) {
      if (typeof piece === 'string') message[name] = (message[name] ?? '') + piece;
    }
  }
  return message;
}

const history: Case[] = [
  strict('a first turn', [], [user]),
  strict(
    'earlier turns with their reasoning',
    [],
    [user, { ...turn, reasoning_content: 'Hm.' }, user],
  ),
  strict('empty reasoning', ['D40'], [user, { ...turn, reasoning_content: '' }, user]),
  strict('a turn without reasoning', [], [user, turn, user], 'messages[1].reasoning_content'),
  strict(
    'a turn with null reasoning',
    [],
    [user, { ...turn, reasoning_content: null }, user],
    'messages[1].reasoning_content',
  ),
  strict(
    'the second of two turns',
    [],
    [user, { ...turn, reasoning_content: 'a' }, user, turn, user],
    'messages[3].reasoning_content',
  ),
  strict(
    'calls that the model made without reasoning',
    ['D41'],
    [user, calling('call_n123', 'call_n456'), answer('call_n123'), answer('call_n456')],
  ),
  strict(
    'calls if one of them was made with reasoning',
    ['D41'],
    [user, calling('call_n123', 'call_r456'), answer('call_n123'), answer('call_r456')],
    'messages[1].reasoning_content',
  ),
  strict(
    'calls with ids from another service',
    ['D41'],
    [user, calling('toolu_1'), answer('toolu_1')],
    'messages[1].reasoning_content',
  ),
  takes('a turn without reasoning, for a model that needs none', ['D39'], [user, turn, user]),
  {
    title: 'a reply of a strict model always has reasoning_content',
    proves: ['D42'],
    run: async (world) => {
      const messages = [{ role: 'user', content: 'x\n@sim {"tokens": 2, "reasoning": 0}' }];
      const reply = await world.complete({ model: STRICT_MODEL, messages });
      const { choices } = (await reply.json()) as { choices: { message: object }[] };
      expect(choices[0]?.message).toHaveProperty('reasoning_content', '');
    },
  },
  {
    title: 'the message from a stream of a strict model can be sent back',
    proves: ['D42'],
    run: async (world) => {
      const asked = { role: 'user', content: 'x\n@sim {"tokens": 2, "reasoning": 0}' };
      const stream = await world.complete({ model: STRICT_MODEL, messages: [asked], stream: true });
      const message = concatenated(await stream.text());
      const again = { model: STRICT_MODEL, messages: [asked, message, asked] };
      expect((await world.complete(again)).status).toBe(200);
    },
  },
];

export const historyCases: CaseGroup[] = [{ section: 'reasoning history', cases: history }];
