/** What the person has chosen for the next request. Numbers and JSON are kept as they were typed. */
export interface Settings {
  readonly project: string;
  readonly model: string;
  readonly system: string;
  readonly effort: string;
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  readonly seed: string;
  readonly frequencyPenalty: string;
  readonly presencePenalty: string;
  readonly tools: string;
  readonly toolChoice: string;
  readonly parallelCalls: boolean;
  readonly format: 'text' | 'json_object' | 'json_schema';
  readonly schemaName: string;
  readonly schemaStrict: boolean;
  readonly schema: string;
}

export const noSettings: Settings = {
  project: '',
  model: '',
  system: '',
  effort: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  seed: '',
  frequencyPenalty: '',
  presencePenalty: '',
  tools: '',
  toolChoice: 'auto',
  parallelCalls: true,
  format: 'text',
  schemaName: 'answer',
  schemaStrict: true,
  schema: '',
};

export const SETTING_PROBLEMS = [
  'not_a_number',
  'not_whole',
  'too_small',
  'too_large',
  'not_json',
  'not_an_object',
  'not_a_list',
  'too_many_tools',
  'not_a_function_tool',
  'no_name',
] as const;
export type SettingProblem = (typeof SETTING_PROBLEMS)[number];

export interface RequestParameters {
  temperature?: number;
  top_p?: number;
  max_completion_tokens?: number;
  seed?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  reasoning_effort?: string;
  tools?: readonly unknown[];
  tool_choice?: unknown;
  parallel_tool_calls?: boolean;
  response_format?: unknown;
}

export interface ReadSettings {
  readonly parameters: RequestParameters;
  readonly problems: Readonly<Partial<Record<keyof Settings, SettingProblem>>>;
  readonly toolNames: readonly string[];
  readonly schema: object | null;
}

const bounds = [
  { name: 'temperature', field: 'temperature', least: 0, most: 2, whole: false },
  { name: 'topP', field: 'top_p', least: 0, most: 1, whole: false },
  { name: 'maxTokens', field: 'max_completion_tokens', least: 1, most: Infinity, whole: true },
  { name: 'seed', field: 'seed', least: -Infinity, most: Infinity, whole: true },
  { name: 'frequencyPenalty', field: 'frequency_penalty', least: -2, most: 2, whole: false },
  { name: 'presencePenalty', field: 'presence_penalty', least: -2, most: 2, whole: false },
] as const;
type Bound = (typeof bounds)[number];
const maxTools = 128;

/** Converts the settings to parameters of a request, by the rules of the public API. Empty settings are not sent. */
export function readSettings(settings: Settings): ReadSettings {
  const parameters: RequestParameters = {};
  const problems: Partial<Record<keyof Settings, SettingProblem>> = {};
  for (const bound of bounds) {
    const { name, field } = bound;
    const text = settings[name].trim();
    if (text === '') continue;
    const problem = problemOfNumber(Number(text), bound);
    if (problem === undefined) parameters[field] = Number(text);
    else problems[name] = problem;
  }
  if (settings.effort !== '') parameters.reasoning_effort = settings.effort;

  const tools = readTools(settings.tools);
  if (tools.problem !== undefined) problems.tools = tools.problem;
  if (tools.tools.length > 0) {
    parameters.tools = tools.tools;
    parameters.tool_choice = readToolChoice(settings.toolChoice, tools.names);
    parameters.parallel_tool_calls = settings.parallelCalls;
  }

  let schema: object | null = null;
  if (settings.format === 'json_object') parameters.response_format = { type: 'json_object' };
  if (settings.format === 'json_schema') {
    const read = readObject(settings.schema);
    if (typeof read === 'string') problems.schema = read;
    else schema = read;
    if (settings.schemaName.trim() === '') problems.schemaName = 'no_name';
    parameters.response_format = {
      type: 'json_schema',
      json_schema: { name: settings.schemaName.trim(), strict: settings.schemaStrict, schema },
    };
  }
  return { parameters, problems, toolNames: tools.names, schema };
}

/** A function that was removed from the tools may still be chosen. The model then decides. */
function readToolChoice(choice: string, names: readonly string[]): unknown {
  if (names.includes(choice)) return { type: 'function', function: { name: choice } };
  return choice === 'none' || choice === 'required' ? choice : 'auto';
}

function problemOfNumber(value: number, { least, most, whole }: Bound): SettingProblem | undefined {
  if (!Number.isFinite(value)) return 'not_a_number';
  if (whole && !Number.isSafeInteger(value)) return 'not_whole';
  if (value < least) return 'too_small';
  return value > most ? 'too_large' : undefined;
}

/** Parses JSON. The result has no value if the text is not valid. */
function parse(text: string): { readonly value?: unknown } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readObject(text: string): object | SettingProblem {
  const read = parse(text);
  if (!('value' in read)) return 'not_json';
  return isObject(read.value) ? read.value : 'not_an_object';
}

interface ReadTools {
  readonly tools: readonly unknown[];
  readonly names: readonly string[];
  readonly problem?: SettingProblem;
}

function readTools(text: string): ReadTools {
  if (text.trim() === '') return { tools: [], names: [] };
  const wrong = (problem: SettingProblem): ReadTools => ({ tools: [], names: [], problem });
  const read = parse(text);
  if (!('value' in read)) return wrong('not_json');
  if (!Array.isArray(read.value)) return wrong('not_a_list');
  const tools = read.value as unknown[];
  if (tools.length > maxTools) return wrong('too_many_tools');
  const names: string[] = [];
  for (const tool of tools) {
    const name =
      isObject(tool) && tool['type'] === 'function' && isObject(tool['function'])
        ? tool['function']['name']
        : undefined;
    if (typeof name !== 'string' || name === '') return wrong('not_a_function_tool');
    names.push(name);
  }
  return { tools, names };
}
