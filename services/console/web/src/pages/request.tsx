import type { ReactElement, ReactNode } from 'react';
import { Link } from 'wouter';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useRead } from '../api/queries.ts';
import { Badge } from '../components/badge.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Moment } from '../components/moment.tsx';
import { Card, Page } from '../components/page.tsx';
import { Empty, Reading } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { formatCount, formatDuration, formatMoney } from '../format/numbers.ts';
import { useOrganization } from '../session/session-context.ts';
import { pathOf, pathOfError } from '../shell/paths.ts';
import { texts } from '../texts.ts';
import { EndBadge, OutcomeBadge } from './outcome-badge.tsx';
import { useProjects } from './project-select.tsx';

const words = texts.request;
type Explained = RouteReply<'getRequest'>;
type KnownRequest = NonNullable<Explained['request']>;

export function RequestPage({ request }: { readonly request: string }): ReactElement {
  const { id: organization } = useOrganization();
  const id = decodeURIComponent(request);
  const projects = useProjects(organization);
  const explained = useRead('getRequest', { params: { organization, request: id } });
  return (
    <Page
      title={words.title}
      lead={<code className="wraps">{id}</code>}
      actions={
        <>
          <CopyButton text={id} label={words.copyId} done={texts.copied} />
          <Link href={pathOf(organization, 'requests')} className="button">
            {words.back}
          </Link>
        </>
      }
    >
      <Reading of={explained}>
        {({ request: known, attempts, currency }) => (
          <>
            {known === null ? (
              <Empty icon="clock" title={words.unfinishedTitle}>
                <p>{words.unfinished}</p>
              </Empty>
            ) : (
              <>
                <Overview
                  request={known}
                  project={projects.data?.find((each) => each.id === known.project)?.name}
                  currency={currency}
                />
                <LimitsAtAdmission request={known} />
                <Offers offers={known.tried} />
              </>
            )}
            <Attempts attempts={attempts} />
          </>
        )}
      </Reading>
    </Page>
  );
}

interface OverviewProps {
  readonly request: KnownRequest;
  /** The name of the project. Undefined if the project was deleted. */
  readonly project: string | undefined;
  readonly currency: string | null;
}

function Overview({ request, project, currency }: OverviewProps): ReactElement {
  const { code } = request;
  return (
    <Card title={words.overview} actions={<OutcomeBadge outcome={request.outcome} />}>
      <dl className="facts-list">
        <Fact name={words.received}>
          <Moment at={request.received_at_ms} exact />
        </Fact>
        {code === null ? null : (
          <Fact name={words.code}>
            <Link href={pathOfError(code)}>
              <code>{code}</code>
            </Link>
          </Fact>
        )}
        {request.status === null ? null : <Fact name={words.status}>{request.status}</Fact>}
        <Fact name={words.operation}>
          {request.operation}
          {request.stream ? ` (${words.stream})` : ''}
        </Fact>
        <Fact name={words.model}>{request.model}</Fact>
        <Fact name={words.project}>{project ?? request.project}</Fact>
        <Fact name={words.credential}>
          <code>{request.credential}</code>
        </Fact>
        <Fact name={words.firstToken}>
          {request.first_token_ms === null ? '–' : formatDuration(request.first_token_ms)}
        </Fact>
        <Fact name={words.duration}>{formatDuration(request.duration_ms)}</Fact>
        <Fact name={words.input}>
          {formatCount(request.input_tokens)}
          {request.cached_tokens > 0
            ? ` (${words.cached(formatCount(request.cached_tokens))})`
            : ''}
        </Fact>
        <Fact name={words.output}>
          {formatCount(request.output_tokens)}
          {request.reasoning_tokens > 0
            ? ` (${words.reasoning(formatCount(request.reasoning_tokens))})`
            : ''}
        </Fact>
        {request.counted ? null : <Fact name={words.counts}>{words.estimates}</Fact>}
        {request.spend === null ? null : (
          <Fact name={words.spend}>{formatMoney(request.spend, currency)}</Fact>
        )}
        <Fact name={words.estimated}>{formatCount(request.estimated_input_tokens)}</Fact>
        <Fact name={words.offers}>{words.offered(request.offers, request.refused_offers)}</Fact>
        {request.target === null ? null : <Fact name={words.target}>{request.target}</Fact>}
        <Fact name={words.gateway}>{request.gateway}</Fact>
      </dl>
    </Card>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function LimitsAtAdmission({ request }: { readonly request: KnownRequest }): ReactElement | null {
  if (request.limits.length === 0) return null;
  const names: Readonly<Record<string, string>> = texts.limits.names;
  return (
    <Card title={words.limits} lead={words.limitsLead}>
      <Table
        label={words.limits}
        rows={request.limits}
        rowKey={({ name }) => name}
        columns={[
          { name: words.limit, cell: ({ name }) => names[name] ?? name },
          { name: words.size, number: true, cell: ({ limit }) => formatCount(limit) },
          { name: words.remaining, number: true, cell: ({ remaining }) => formatCount(remaining) },
          {
            name: words.decision,
            cell: ({ name }) =>
              request.refused_by === name ? (
                <>
                  <Badge tone="bad">{words.refused}</Badge>
                  {request.wait_ms > 0 ? ` ${words.retryIn(formatDuration(request.wait_ms))}` : ''}
                </>
              ) : (
                <Badge tone="good">{words.admitted}</Badge>
              ),
          },
        ]}
      />
    </Card>
  );
}

function Attempts({ attempts }: { readonly attempts: Explained['attempts'] }): ReactElement {
  return (
    <Card title={words.attempts} lead={words.attemptsLead}>
      {attempts.length === 0 ? (
        <p className="muted">{words.noAttempts}</p>
      ) : (
        <ol className="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.id}>
              <p className="attempt-head">
                <strong title={attempt.worker}>{attempt.name}</strong>
                <EndBadge ended={attempt.ended} />
                {attempt.reason === null ? null : <code>{attempt.reason}</code>}
              </p>
              <p className="muted">
                <Moment at={attempt.accepted_at_ms} exact /> · {attempt.model} ·{' '}
                {words.waited(formatDuration(attempt.queued_ms))} ·{' '}
                {words.ran(formatDuration(attempt.ran_ms))} ·{' '}
                {words.generated(formatCount(attempt.generated_tokens))}
              </p>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** The workers to which the gateway offered the request. */
function Offers({ offers }: { readonly offers: KnownRequest['tried'] }): ReactElement | null {
  if (offers.length === 0) return null;
  return (
    <Card title={words.offersTitle} lead={words.offersLead}>
      <ol className="attempts">
        {offers.map((offer, index) => (
          <li key={index}>
            <p className="attempt-head">
              <strong title={offer.worker}>{offer.name}</strong>
              <EndBadge ended={offer.ended} />
              {offer.reason === null ? null : <code>{offer.reason}</code>}
            </p>
            <p className="muted">
              {[
                ...(offer.target === null ? [] : [offer.target]),
                words.after(formatDuration(offer.after_ms)),
                words.took(formatDuration(offer.took_ms)),
              ].join(' · ')}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  );
}
