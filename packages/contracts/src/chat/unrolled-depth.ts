/** A place that a schema refers to, or the schema itself. */
interface Place {
  /** Its own levels, without those behind its references. */
  levels: number;
  /** Where it refers to, each with the deepest level at which it does. */
  readonly references: Map<Place, number>;
  readonly referrers: Place[];
  /** How many of its references lead to what is not measured yet. */
  unmeasured: number;
  /** Its levels with those behind its references. */
  depth: number | undefined;
}

/**
 * How many levels a schema has with its references followed, which is how often a runtime may call itself
 * while it reads it: each place is gone into once. Where places refer to each other in a circle, the way
 * that is taken through them hangs on the runtime; their levels are added up, and no way has more. Where a
 * reference may lead to several places, its target is a list of them.
 */
export function unrolledDepth(root: object, targets: ReadonlyMap<string, object>): number {
  const places = new Map<unknown, Place>();
  const ats = [root, ...targets.values()];
  for (const at of [...ats, ...ats.flat()]) places.set(at, newPlace());
  const placeBehind = (name: string, field: unknown) =>
    // A place that stands within another is not read twice.
    places.get(name === '$ref' && typeof field === 'string' ? targets.get(field) : field);
  // A list of places is not in the schema, and has no level of its own.
  for (const [at, place] of places) {
    readInto(place, { at, level: Array.isArray(at) ? 0 : 1, placeBehind });
  }
  return measure([...places.values()]);
}

function newPlace(): Place {
  return { levels: 0, references: new Map(), referrers: [], unmeasured: 0, depth: undefined };
}

interface Reading {
  readonly at: unknown;
  readonly level: number;
  /** The place that a member is, or refers to. */
  readonly placeBehind: (name: string, field: unknown) => Place | undefined;
}

/** No deeper than a body is. */
function readInto(place: Place, { at, level, placeBehind }: Reading): void {
  if (typeof at !== 'object' || at === null) return;
  place.levels = Math.max(place.levels, level);
  for (const [name, field] of Object.entries(at)) {
    const target = placeBehind(name, field);
    if (target === undefined) readInto(place, { at: field, level: level + 1, placeBehind });
    else refer(place, target, level);
  }
}

function refer(place: Place, target: Place, level: number): void {
  const known = place.references.get(target);
  place.references.set(target, Math.max(known ?? 0, level));
  if (known !== undefined) return;
  place.unmeasured += 1;
  target.referrers.push(place);
}

function measure(places: readonly Place[]): number {
  const deepest = measureUpwards(places);
  const unmeasured = places.filter(({ depth }) => depth === undefined);
  if (unmeasured.length === 0) return deepest;
  const above = aboveCircles(unmeasured);
  let core = deepest;
  for (const place of unmeasured) if (!above.has(place)) core += place.levels;
  let deepestAbove = core;
  for (const place of [...above].toReversed()) {
    place.depth = depthOf(place, core);
    deepestAbove = Math.max(deepestAbove, place.depth);
  }
  return deepestAbove;
}

/** From those that refer to nothing upwards, and not by calling itself: a chain may have thousands. */
function measureUpwards(places: readonly Place[]): number {
  let deepest = 0;
  // It grows while it is gone through.
  const ready = places.filter(({ unmeasured }) => unmeasured === 0);
  for (const place of ready) {
    place.depth = depthOf(place);
    deepest = Math.max(deepest, place.depth);
    for (const referrer of place.referrers) {
      referrer.unmeasured -= 1;
      if (referrer.unmeasured === 0) ready.push(referrer);
    }
  }
  return deepest;
}

/** Those that lead to a circle and are in none, each before what it refers to: they may be many, side by side. */
function aboveCircles(unmeasured: readonly Place[]): ReadonlySet<Place> {
  const referrers = new Map(unmeasured.map((place) => [place, 0]));
  const referTo = (place: Place, change: number, then: (target: Place, left: number) => void) => {
    for (const target of place.references.keys()) {
      const left = (referrers.get(target) ?? Number.NaN) + change;
      if (Number.isNaN(left)) continue;
      referrers.set(target, left);
      then(target, left);
    }
  };
  for (const place of unmeasured) referTo(place, 1, () => undefined);
  // It grows while it is gone through.
  const above = new Set(unmeasured.filter((place) => referrers.get(place) === 0));
  for (const place of above) {
    referTo(place, -1, (target, left) => {
      if (left === 0) above.add(target);
    });
  }
  return above;
}

/** What lies behind a circle is as deep as that at most. */
function depthOf({ levels, references }: Place, circle = 0): number {
  let depth = levels;
  for (const [target, level] of references) {
    depth = Math.max(depth, level + (target.depth ?? circle));
  }
  return depth;
}
