/** A part of a schema that is measured once: the whole schema, or the target of a reference. */
interface Part {
  /** Levels of nesting in this part alone. Its references and the parts inside it are not followed. */
  levels: number;
  /** The parts that this part refers to or contains, each with the deepest level at which it does so. */
  readonly references: Map<Part, number>;
  readonly referrers: Part[];
  /** How many of the referenced parts have no depth yet. */
  unmeasured: number;
  /** Levels of nesting with all references followed. */
  depth: number | undefined;
}

/**
 * The depth of a schema when every reference is replaced by its target. A runtime that follows references recursively
 * nests its calls this deep, so the limit on this depth protects its stack. `targets` holds the target of each `$ref`:
 * a schema, or a list of schemas.
 *
 * References may form a cycle, and each runtime leaves the cycle at another part. The levels of all parts in cycles are
 * therefore added up, which is an upper bound for every runtime.
 */
export function unrolledDepth(root: object, targets: ReadonlyMap<string, object>): number {
  const parts = new Map<unknown, Part>();
  const values = [root, ...targets.values()];
  for (const value of [...values, ...values.flat()]) parts.set(value, newPart());
  // A field that is the target of a reference is a part of its own, and is measured there.
  const partOf = (name: string, field: unknown) =>
    parts.get(name === '$ref' && typeof field === 'string' ? targets.get(field) : field);
  for (const [value, part] of parts) {
    // A list adds no level of its own.
    readInto(part, { value, level: Array.isArray(value) ? 0 : 1, partOf });
  }
  return measure([...parts.values()]);
}

function newPart(): Part {
  return { levels: 0, references: new Map(), referrers: [], unmeasured: 0, depth: undefined };
}

interface Reading {
  readonly value: unknown;
  readonly level: number;
  /** The part that a field is, or refers to. Undefined for any other field. */
  readonly partOf: (name: string, field: unknown) => Part | undefined;
}

/** Recursive, which is safe because the nesting of a body is limited. */
function readInto(part: Part, { value, level, partOf }: Reading): void {
  if (typeof value !== 'object' || value === null) return;
  part.levels = Math.max(part.levels, level);
  for (const [name, field] of Object.entries(value)) {
    const target = partOf(name, field);
    if (target === undefined) readInto(part, { value: field, level: level + 1, partOf });
    else addReference(part, target, level);
  }
}

function addReference(part: Part, target: Part, level: number): void {
  const known = part.references.get(target);
  part.references.set(target, Math.max(known ?? 0, level));
  if (known !== undefined) return;
  part.unmeasured += 1;
  target.referrers.push(part);
}

/** Measures parts that lead to no cycle first, then adds up the cycles, then measures the parts that lead to cycles. */
function measure(parts: readonly Part[]): number {
  const deepestWithoutCycle = measureUpwards(parts);
  const unmeasured = parts.filter(({ depth }) => depth === undefined);
  if (unmeasured.length === 0) return deepestWithoutCycle;
  const above = aboveCycles(unmeasured);
  let cycleDepth = deepestWithoutCycle;
  for (const part of unmeasured) if (!above.has(part)) cycleDepth += part.levels;
  let deepest = cycleDepth;
  for (const part of [...above].toReversed()) {
    part.depth = depthOf(part, cycleDepth);
    deepest = Math.max(deepest, part.depth);
  }
  return deepest;
}

/** Measures from the parts without references upwards. Not recursive, because a chain may have thousands of parts. */
function measureUpwards(parts: readonly Part[]): number {
  let deepest = 0;
  // The loop adds the parts that become ready.
  const ready = parts.filter(({ unmeasured }) => unmeasured === 0);
  for (const part of ready) {
    part.depth = depthOf(part);
    deepest = Math.max(deepest, part.depth);
    for (const referrer of part.referrers) {
      referrer.unmeasured -= 1;
      if (referrer.unmeasured === 0) ready.push(referrer);
    }
  }
  return deepest;
}

/** The parts that lead to a cycle without being in one. A part comes before the parts that it refers to. */
function aboveCycles(unmeasured: readonly Part[]): ReadonlySet<Part> {
  const referrers = new Map(unmeasured.map((part) => [part, 0]));
  for (const part of unmeasured) {
    for (const target of part.references.keys()) {
      const count = referrers.get(target);
      if (count !== undefined) referrers.set(target, count + 1);
    }
  }
  // The loop adds the parts whose referrers are all in the set.
  const above = new Set(unmeasured.filter((part) => referrers.get(part) === 0));
  for (const part of above) {
    for (const target of part.references.keys()) {
      const count = referrers.get(target);
      if (count === undefined) continue;
      referrers.set(target, count - 1);
      if (count === 1) above.add(target);
    }
  }
  return above;
}

/** `cycleDepth` is used for targets without a depth, which are in a cycle. */
function depthOf({ levels, references }: Part, cycleDepth = 0): number {
  let depth = levels;
  for (const [target, level] of references) {
    depth = Math.max(depth, level + (target.depth ?? cycleDepth));
  }
  return depth;
}
