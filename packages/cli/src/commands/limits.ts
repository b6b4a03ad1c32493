import type { AdmissionDecision, AdmissionRequest, LimitWindows } from '@sluice/contracts';
import { RpcError, connectQuota, type ClientTls } from '@sluice/rpc';
import { createLogger } from '@sluice/service';
import { readAddress } from '../address-option.ts';
import { CATALOG_OPTIONS, CATALOG_OPTIONS_HELP, withCatalog } from '../catalog/connect-catalog.ts';
import { CommandFailure, UsageError, type CommandContext } from '../command.ts';
import { addressIn, chosenDeployment } from '../contexts/chosen-deployment.ts';
import { defineCommand } from '../define-command.ts';
import { setFields } from '../edit/edit-resource.ts';
import { fieldOptions, fieldsHelp, limitFields, readEdit } from '../edit/fields.ts';
import { readLimits } from '../limits/read-limits.ts';
import { limitsJson, limitsRows, limitsTable } from '../limits/show-limits.ts';
import { LIST_FORMATS, outputHelp } from '../output/formats.ts';
import { tlsElsewhere } from '../service-access.ts';
import { findStack } from '../stack/find-stack.ts';

const DEADLINE_MS = 2_000;
/** For an organization, the value `default` means the limit of its plan. */
const LIMITS = limitFields("the plan's");

export const limits = defineCommand({
  help: `
Usage: sluice limits ORGANIZATION [OPTIONS]
       sluice limits set ORGANIZATION [LIMITS]

Shows what is left of each limit of an organization, and when the limit is full
again. This command uses up none of them. 'sluice limits set' sets limits for the
organization, which replace those of its plan.

Limits:
${fieldsHelp(LIMITS)}

Options:
  --quota H:P       a quota service of another deployment. Needs --address
${outputHelp(LIST_FORMATS)}
${CATALOG_OPTIONS_HELP}
`,
  options: { quota: { type: 'string' }, ...fieldOptions(LIMITS), ...CATALOG_OPTIONS },
  formats: LIST_FORMATS,
  words: [{ words: ['set'], idOf: 'organizations' }, { idOf: 'organizations' }],
  run: async ({ values, positionals, show }, context) => {
    const edit = readEdit(LIMITS, values);
    // `set` may also be the id of an organization.
    const sets = positionals[0] === 'set' && (positionals.length > 1 || edit !== undefined);
    const [organization, ...more] = sets ? positionals.slice(1) : positionals;
    if (organization === undefined || more.length > 0) {
      throw new UsageError('name one organization');
    }
    if (sets) {
      if (edit === undefined) throw new UsageError('name a limit to set; --help lists them');
      const change = { kind: 'organizations', id: organization, edit } as const;
      show(await withCatalog(values, context, async (admin) => setFields(admin, change)));
      return;
    }
    if (edit !== undefined) throw new UsageError("limits are changed with 'limits set'");
    const quota = await findQuota(values, context);
    const request = await withCatalog(values, context, async (admin) =>
      readLimits(admin, organization),
    );
    const windows = await peek(quota, request);
    show({
      data: limitsJson(organization, windows),
      text: (screen) => limitsTable(windows, screen),
      rows: limitsRows(windows),
    });
  },
});

interface QuotaService {
  /** The address of each replica of the quota service. Every replica can answer. */
  readonly addresses: readonly string[];
  /** Without it, the connection is not encrypted. */
  readonly tls?: ClientTls | undefined;
}

async function findQuota(
  { quota, address, state }: { quota?: string; address?: string; state?: string },
  context: CommandContext,
): Promise<QuotaService> {
  if (quota !== undefined) {
    return { addresses: [readAddress('--quota', quota)], tls: tlsElsewhere(context) };
  }
  if (address !== undefined) throw new UsageError('--address needs --quota beside it');
  const deployment = await chosenDeployment(context, { isNamed: state !== undefined });
  const isElsewhere = deployment !== undefined && deployment.state === undefined;
  if (isElsewhere) {
    return {
      addresses: [addressIn(deployment, 'quota')],
      tls: tlsElsewhere(context, deployment),
    };
  }
  const stack = await findStack(state ?? deployment?.state, context, '--address and --quota');
  return { addresses: stack.quota_addresses };
}

/** Asks a quota replica for the state of the limits. Nothing is charged. */
async function peek(
  { addresses, tls }: QuotaService,
  request: AdmissionRequest,
): Promise<LimitWindows> {
  const logger = createLogger({ service: 'sluice', level: 'silent' });
  await using quota = connectQuota({ addresses, deadlineMs: DEADLINE_MS, tls, logger });
  let decision: AdmissionDecision;
  try {
    decision = await quota.peek(request);
  } catch (error) {
    throw error instanceof RpcError ? explain(error, addresses, quota.state().faults) : error;
  }
  if (decision.outcome === 'unavailable') {
    throw new CommandFailure(
      `the quota service at ${anyOf(addresses)} answers, but cannot use its Redis; see its /readyz`,
    );
  }
  return decision.windows;
}

type Faults = Readonly<Record<string, string>>;

function explain(error: RpcError, addresses: readonly string[], faults: Faults): CommandFailure {
  const failure = (message: string) => new CommandFailure(message, { cause: error });
  if (error.code === 'unavailable' || error.code === 'deadline_exceeded') {
    return failure(failureText(addresses, faults));
  }
  if (error.code === 'unimplemented') {
    return failure(`${anyOf(addresses)} is not the port of a quota service`);
  }
  return failure(`the quota service at ${anyOf(addresses)} fails: ${error.message}`);
}

/** All addresses, because a reply does not contain the address of the replica that sent it. */
function anyOf(addresses: readonly string[]): string {
  return addresses.join(' or ');
}

function failureText(addresses: readonly string[], faults: Faults): string {
  const failures = addresses.map((address) => {
    const fault = faults[address];
    const failure = fault === undefined ? 'does not answer' : `cannot be reached: ${fault}`;
    return `the quota service at ${address} ${failure}`;
  });
  // If every replica has a known fault, an operator has to fix it and trying again does not help.
  if (addresses.some((address) => faults[address] === undefined)) failures.push('try again');
  return failures.join('; ');
}
