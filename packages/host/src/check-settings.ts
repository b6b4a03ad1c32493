import type * as z from 'zod';

export type RefuseSetting<Name extends string> = (name: Name, problem: string) => void;

/** For checks of several settings together: what would be ignored is refused, since whoever sets it counts on it. */
export function settingRefusal<Name extends string>(context: z.RefinementCtx): RefuseSetting<Name> {
  return (name, message) => context.addIssue({ code: 'custom', path: [name], message });
}

/** Of two settings that make sense together alone. */
export function requireBothOrNeither<Name extends string>(
  [one, other]: readonly [Name, Name],
  settings: { readonly [Setting in Name]?: unknown },
  refuse: RefuseSetting<Name>,
): void {
  if ((settings[one] === undefined) !== (settings[other] === undefined)) {
    refuse(one, `goes together with ${other}`);
  }
}
