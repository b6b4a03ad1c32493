import { expect, test } from 'vitest';
import { noSettings, readSettings } from './settings.ts';

test('Nothing that was left empty is sent', () => {
  expect(readSettings(noSettings)).toMatchObject({ parameters: {}, problems: {} });
});

test('Numbers outside the bounds of the interface are named, and not sent', () => {
  const { parameters, problems } = readSettings({
    ...noSettings,
    temperature: '2.1',
    topP: '0.5',
    maxTokens: '0',
    seed: '1.5',
    presencePenalty: 'x',
  });
  expect(parameters).toEqual({ top_p: 0.5 });
  expect(problems).toEqual({
    temperature: 'too_large',
    maxTokens: 'too_small',
    seed: 'not_whole',
    presencePenalty: 'not_a_number',
  });
});

const tool = { type: 'function', function: { name: 'get_weather' } };

test('A chosen function becomes the choice of that function', () => {
  const { parameters } = readSettings({
    ...noSettings,
    tools: JSON.stringify([tool]),
    toolChoice: 'get_weather',
    parallelCalls: false,
  });
  expect(parameters).toEqual({
    tools: [tool],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    parallel_tool_calls: false,
  });
});

test('Without functions, neither a choice nor parallel calls are sent', () => {
  expect(readSettings({ ...noSettings, tools: '[]', toolChoice: 'required' }).parameters).toEqual(
    {},
  );
});

test.each([
  ['{', 'not_json'],
  ['{}', 'not_a_list'],
  ['[{"type":"function"}]', 'not_a_function_tool'],
  [JSON.stringify(Array.from({ length: 129 }, () => tool)), 'too_many_tools'],
])('Functions that the interface refuses are named: %.20s', (tools, problem) => {
  expect(readSettings({ ...noSettings, tools }).problems).toEqual({ tools: problem });
});

test('A schema that is not an object is named as the problem', () => {
  const settings = { ...noSettings, format: 'json_schema', schema: '[]', schemaName: ' ' } as const;
  expect(readSettings(settings).problems).toEqual({
    schema: 'not_an_object',
    schemaName: 'no_name',
  });
});
