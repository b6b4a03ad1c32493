import type { FileKind } from '../apply/file-kinds.ts';
import type { CommandEntry } from '../command.ts';

/** In the order of the help text. Each command is loaded when it is used. */
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
    name: 'logs',
    summary: 'show the logs of a running stack',
    load: async () => (await import('./logs.ts')).logs,
  },
  {
    name: 'apply',
    summary: 'change the catalog to match a YAML file',
    load: async () => (await import('./apply.ts')).apply,
  },
  {
    name: 'export',
    summary: 'print the catalog as a YAML file',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'get',
    summary: 'show entries of the catalog',
    load: async () => (await import('./get.ts')).get,
  },
  resourceEntry('organizations'),
  resourceEntry('projects'),
  resourceEntry('accounts'),
  resourceEntry('plans'),
  resourceEntry('models'),
  {
    name: 'keys',
    summary: 'create, list, rotate and revoke API keys',
    load: async () => (await import('./keys.ts')).keys,
  },
  {
    name: 'sign-in-link',
    summary: 'make a link that signs an account in to the console',
    load: async () => (await import('./sign-in-link.ts')).signInLink,
  },
  {
    name: 'playground',
    summary: 'issue a playground credential',
    load: async () => (await import('./playground.ts')).playground,
  },
  {
    name: 'audit',
    summary: 'show the changes of the catalog',
    load: async () => (await import('./audit.ts')).audit,
  },
  {
    name: 'limits',
    summary: 'show what is left of limits, and set them',
    load: async () => (await import('./limits.ts')).limits,
  },
  {
    name: 'explain',
    summary: 'show the outcome of a request',
    load: async () => (await import('./explain.ts')).explain,
  },
  {
    name: 'requests',
    summary: 'list requests, also as they end',
    load: async () => (await import('./requests.ts')).requests,
  },
  {
    name: 'budgets',
    summary: 'show what organizations spent of their budgets',
    load: async () => (await import('./budgets.ts')).budgets,
  },
  {
    name: 'usage',
    summary: 'sum up requests, attempts and tokens from the ledger',
    load: async () => (await import('./usage.ts')).usage,
  },
  {
    name: 'fleet',
    summary: 'show the workers and their load',
    load: async () => (await import('./fleet.ts')).fleet,
  },
  {
    name: 'drain',
    summary: 'empty a worker without failing a request',
    load: async () => (await import('./drain.ts')).drain,
  },
  {
    name: 'undrain',
    summary: 'let a drained worker take jobs again',
    load: async () => (await import('./drain.ts')).undrain,
  },
  {
    name: 'context',
    summary: 'name deployments, and choose one',
    load: async () => (await import('./context.ts')).contextCommand,
  },
  {
    name: 'chat',
    summary: 'chat with a model in the terminal',
    load: async () => (await import('./chat.ts')).chat,
  },
  {
    name: 'completion',
    summary: 'print a completion script for bash, zsh or fish',
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    name: '__complete',
    summary: '',
    load: async () => (await import('./completion.ts')).completeCommand(commands),
  },
];

function resourceEntry(kind: FileKind): CommandEntry {
  return {
    name: kind,
    summary:
      kind === 'projects'
        ? 'show, create and delete projects'
        : `show, create, set and delete ${kind}`,
    load: async () => (await import('./resources.ts')).resourceCommand(kind),
  };
}
