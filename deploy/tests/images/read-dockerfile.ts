export interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

/** A build stage. `all` has the instructions of the stages that it is based on, and then its own. */
export interface Stage {
  readonly name: string;
  /** Only the instructions of this stage. */
  readonly own: readonly Instruction[];
  readonly all: readonly Instruction[];
}

export interface Dockerfile {
  /** The arguments before the first stage, with their defaults. */
  readonly globals: Readonly<Record<string, string>>;
  readonly stages: ReadonlyMap<string, Stage>;
}

/** Parses the part of the Dockerfile syntax that deploy/Dockerfile uses. */
export function readDockerfile(text: string): Dockerfile {
  const globals: Record<string, string> = {};
  const stages = new Map<string, Stage>();
  let own: Instruction[] | undefined;
  for (const { keyword, text: rest } of instructionsOf(text)) {
    if (keyword === 'FROM') {
      const [, base = '', name = ''] = /^(\S+) AS (\S+)$/.exec(rest) ?? [];
      if (name === '') throw new Error(`a stage has no name: FROM ${rest}`);
      own = [];
      stages.set(name, stageOf(name, own, stages.get(base)));
    } else if (own !== undefined) own.push({ keyword, text: rest });
    else if (keyword === 'ARG') Object.assign(globals, pairsOf(rest));
  }
  return { globals, stages };
}

function stageOf(name: string, own: readonly Instruction[], base: Stage | undefined): Stage {
  return {
    name,
    own,
    get all() {
      return [...(base?.all ?? []), ...own];
    },
  };
}

function instructionsOf(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  const whole = lines.join('\n').replaceAll(/\\\n\s*/g, '');
  return whole.split('\n').flatMap((line) => {
    const [, keyword, rest] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    return keyword === undefined || rest === undefined ? [] : [{ keyword, text: rest }];
  });
}

/** The texts of all instructions with a keyword. */
export function textsOf(instructions: readonly Instruction[], keyword: string): string[] {
  return instructions.filter((one) => one.keyword === keyword).map(({ text }) => text);
}

/** The names and values that ENV, ARG or LABEL instructions define. If a name is repeated, the last value counts. */
export function namedBy(
  instructions: readonly Instruction[],
  keyword: string,
): Record<string, string> {
  const pairs = textsOf(instructions, keyword).map(pairsOf);
  return Object.fromEntries(pairs.flatMap((some) => Object.entries(some)));
}

function pairsOf(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w.]+)(?:=("[^"]*"|\S*))?/g);
  return Object.fromEntries(
    Array.from(pairs, ([, name = '', value = '']) => [name, value.replaceAll('"', '')]),
  );
}
