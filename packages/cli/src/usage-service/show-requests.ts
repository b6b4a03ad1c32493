import type { ListRequestsReply } from '@sluice/rpc';
import type { Format } from '../command.ts';
import { csvText } from '../output/csv.ts';
import { numberText } from '../readable-values.ts';
import { table } from '../table.ts';

type Request = ListRequestsReply['requests'][number];

export const OUTPUTS: readonly Format[] = ['table', 'json', 'csv'];

const TABLE_HEAD = ['received', 'request', 'organization', 'status', 'outcome', 'ms', 'tokens'];

/** The columns of CSV, and the names in JSON. */
const FIELDS = [
  'id',
  'received_at',
  'organization',
  'project',
  'key',
  'model',
  'target',
  'operation',
  'outcome',
  'status',
  'code',
  'gateway',
  'offers',
  'refused_offers',
  'first_token_ms',
  'duration_ms',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'reasoning_tokens',
  'spend',
] as const;

function fieldsOf(request: Request): Record<(typeof FIELDS)[number], string | number | null> {
  return {
    id: request.id,
    received_at: new Date(request.receivedAtMs).toISOString(),
    organization: request.organization,
    project: request.project,
    key: request.credential,
    model: request.model,
    target: request.target,
    operation: request.operation,
    outcome: request.outcome,
    status: request.status ?? null,
    code: request.code,
    gateway: request.gateway,
    offers: request.offers,
    refused_offers: request.refusedOffers,
    first_token_ms: request.firstTokenMs ?? null,
    duration_ms: request.durationMs,
    input_tokens: request.inputTokens,
    cached_tokens: request.cachedTokens,
    output_tokens: request.outputTokens,
    reasoning_tokens: request.reasoningTokens,
    spend: request.spend ?? null,
  };
}

/** Lines for these requests. With `head`, CSV and tables begin with the names of the columns. */
export function requestLines(
  requests: readonly Request[],
  format: Format,
  { head }: { head: boolean },
): string[] {
  if (format === 'json') return requests.map((request) => JSON.stringify(fieldsOf(request)));
  if (format === 'csv') {
    // The names of the columns are printed even if there is no request yet.
    const names = head ? [FIELDS.join(',')] : [];
    return [...names, ...requests.map((request) => csvText([fieldsOf(request)], { head: false }))];
  }
  const lines = table(TABLE_HEAD, requests.map(tableRow), { numbersFrom: 5 }).split('\n');
  return head ? lines : lines.slice(1);
}

function tableRow(request: Request): string[] {
  const { receivedAtMs, id, organization, status, outcome, code, durationMs } = request;
  return [
    new Date(receivedAtMs).toISOString().slice(5, 19).replace('T', ' '),
    id,
    organization,
    status === undefined ? '-' : String(status),
    code === '' ? outcome : `${outcome}: ${code}`,
    numberText(durationMs),
    numberText(request.inputTokens + request.outputTokens),
  ];
}
