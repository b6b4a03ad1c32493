import type { ListRequestsReply } from '@sluice/rpc';
import { harmlessLine } from '../harmless-text.ts';
import { numberText } from '../readable-values.ts';
import { table } from '../table.ts';

type Request = ListRequestsReply['requests'][number];

export const OUTPUTS = ['table', 'csv', 'json'] as const;
export type Output = (typeof OUTPUTS)[number];

const TABLE_HEAD = ['received', 'request', 'organization', 'outcome', 'ms', 'tokens'];

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
  output: Output,
  { head }: { head: boolean },
): string[] {
  if (output === 'json') return requests.map((request) => JSON.stringify(fieldsOf(request)));
  if (output === 'csv') {
    const rows = requests.map((request) => Object.values(fieldsOf(request)).map(csvCell).join(','));
    return head ? [FIELDS.join(','), ...rows] : rows;
  }
  const lines = table(TABLE_HEAD, requests.map(tableRow), { numbersFrom: 4 }).split('\n');
  return head ? lines : lines.slice(1);
}

function tableRow(request: Request): string[] {
  const { receivedAtMs, id, organization, outcome, code, durationMs } = request;
  return [
    new Date(receivedAtMs).toISOString().slice(5, 19).replace('T', ' '),
    id,
    organization,
    code === '' ? outcome : `${outcome}: ${code}`,
    numberText(durationMs),
    numberText(request.inputTokens + request.outputTokens),
  ];
}

/** RFC 4180: https://www.rfc-editor.org/rfc/rfc4180#section-2 */
function csvCell(value: string | number | null): string {
  const text = harmlessLine(String(value ?? ''));
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
