import type { CommandEntry } from '../command.ts';

/** In the order in which help lists them; each is loaded when it is asked for. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'up',
    summary: 'run a whole Sluice on this machine until Ctrl-C',
    load: async () => (await import('./up.ts')).up,
  },
  {
    name: 'status',
    summary: 'show the processes of a running stack',
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'apply',
    summary: 'make the catalog hold what a YAML file says',
    load: async () => (await import('./apply.ts')).apply,
  },
  {
    name: 'export',
    summary: 'print everything the catalog holds as such a file',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'get',
    summary: 'show entries of the catalog',
    load: async () => (await import('./get.ts')).get,
  },
  {
    name: 'organizations',
    summary: 'show organizations',
    load: async () => (await import('./get.ts')).organizations,
  },
  {
    name: 'models',
    summary: 'show models',
    load: async () => (await import('./get.ts')).models,
  },
  {
    name: 'keys',
    summary: 'make, list and revoke API keys',
    load: async () => (await import('./keys.ts')).keys,
  },
  {
    name: 'playground',
    summary: 'issue a playground credential',
    load: async () => (await import('./playground.ts')).playground,
  },
  {
    name: 'audit',
    summary: 'show who changed what in the catalog',
    load: async () => (await import('./audit.ts')).audit,
  },
  {
    name: 'limits',
    summary: "show what is left of an organization's limits",
    load: async () => (await import('./limits.ts')).limits,
  },
  {
    name: 'usage',
    summary: 'sum up requests, attempts and tokens from the ledger',
    load: async () => (await import('./usage.ts')).usage,
  },
  {
    name: 'fleet',
    summary: 'watch the workers',
    load: async () => (await import('./fleet.ts')).fleet,
  },
  {
    name: 'chat',
    summary: 'talk to a model in the terminal',
    load: async () => (await import('./chat.ts')).chat,
  },
];
