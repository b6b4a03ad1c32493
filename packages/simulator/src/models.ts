export interface SimulatedModel {
  readonly name: string;
  /** Whether it thinks before it answers. */
  readonly reasoning: boolean;
  /** Prompt and answer together, in tokens. */
  readonly contextLength: number;
}

/** Coding agents ask for up to 64,000 tokens of output, beside prompts of more than 100,000. */
const demoContextLength = 262_144;

export const defaultModels: readonly SimulatedModel[] = [
  { name: 'sluice-demo', reasoning: true, contextLength: demoContextLength },
  { name: 'sluice-small', reasoning: false, contextLength: demoContextLength },
  { name: 'sluice-strict', reasoning: true, contextLength: demoContextLength },
];

const defaultContextLength = 32_768;

/**
 * Reads `name[:reasoning][:context=N]`. Only such endings are options, so that a name may hold
 * colons of its own.
 */
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
