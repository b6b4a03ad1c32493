import type { ResourceOf } from '@sluice/contracts';
import type { FileKind } from './file-kinds.ts';

export type Documents = { readonly [Kind in FileKind]: readonly ResourceOf<Kind>[] };

/** Describes every reference to a resource that would not exist, if the catalog held only these documents. */
export function danglingReferences({
  plans,
  accounts,
  organizations,
  projects,
}: Omit<Documents, 'models'>): string[] {
  const known = {
    plan: idsOf(plans),
    account: idsOf(accounts),
    organization: idsOf(organizations),
  };
  const problems: string[] = [];
  const needs = (referrer: string, noun: keyof typeof known, id: string) => {
    if (!known[noun].has(id)) {
      problems.push(`${referrer} refers to ${noun} ${id}, which would not exist`);
    }
  };
  for (const { id, plan, members } of organizations) {
    needs(`organization ${id}`, 'plan', plan);
    for (const { account } of members) needs(`organization ${id}`, 'account', account);
  }
  for (const { id, organization } of projects) {
    needs(`project ${id}`, 'organization', organization);
  }
  return problems;
}

function idsOf(documents: readonly { readonly id: string }[]): Set<string> {
  return new Set(documents.map(({ id }) => id));
}
