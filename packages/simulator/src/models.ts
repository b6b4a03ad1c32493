export interface SimulatedModel {
  readonly name: string;
  /** Whether it reasons before it answers. */
  readonly reasoning: boolean;
  /** Tokens of prompt and answer together. */
  readonly contextLength: number;
}

/** Coding agents request up to 64,000 tokens of output, with prompts of more than 100,000 tokens. */
const demoContextLength = 262_144;

export const defaultModels: readonly SimulatedModel[] = [
  { name: 'sluice-demo', reasoning: true, contextLength: demoContextLength },
  { name: 'sluice-small', reasoning: false, contextLength: demoContextLength },
  { name: 'sluice-strict', reasoning: true, contextLength: demoContextLength },
];

const defaultContextLength = 32_768;

/** Parses `name[:reasoning][:context=N]`. Only these endings are options, so a name may contain other colons. */
export function parseModel(text: string): SimulatedModel | undefined {
  let name = text.trim();
  let reasoning = false;
  let contextLength = defaultContextLength;
  for (;;) {
    const option = /:(?:(reasoning)|context=(\d{1,9}))$/.exec(name);
    if (option === null) break;
    if (option[1] !== undefined) reasoning = true;
    if (option[2] !== undefined) contextLength = Number(option[2]);
    name = name.slice(0, option.index);
  }
  return name === '' || contextLength < 2 ? undefined : { name, reasoning, contextLength };
}
