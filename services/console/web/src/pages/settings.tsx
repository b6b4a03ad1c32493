import { type SubmitEvent, type ReactElement, useState } from 'react';
import { useLocation } from 'wouter';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { ChoiceField, TextField } from '../components/field.tsx';
import { useNotice } from '../components/notices.tsx';
import { Card, Page } from '../components/page.tsx';
import { Failure, Reading } from '../components/states.tsx';
import { hasRole, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { BudgetCard } from './budget.tsx';
import { Webhooks } from './webhooks.tsx';

const words = texts.settings;
type Organization = RouteReply<'getOrganization'>;

export function SettingsPage(): ReactElement {
  const { id: organization } = useOrganization();
  const settings = useRead('getOrganization', { params: { organization } });
  return (
    <Page title={words.title} lead={words.lead}>
      <Reading of={settings}>
        {(read) => (
          <>
            <General organization={read} />
            <Retention organization={read} />
            <BudgetCard organization={read} />
            <Webhooks organization={read} />
            <DeleteOrganization organization={read} />
          </>
        )}
      </Reading>
    </Page>
  );
}

function General({ organization }: { readonly organization: Organization }): ReactElement {
  const { role } = useOrganization();
  const [name, setName] = useState(organization.name);
  const change = useChange('changeOrganization', ['getOrganization', 'getSession']);
  const notice = useNotice();
  const allowed = hasRole(role, 'admin');
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    await change
      .mutateAsync({ params: { organization: organization.id }, body: { name: name.trim() } })
      .then(
        () => notice(words.saved),
        () => undefined,
      );
  };
  return (
    <Card title={words.general}>
      <form className="row-form" onSubmit={(event) => void save(event)}>
        <TextField
          label={words.name}
          required
          maxLength={128}
          autoComplete="off"
          disabled={!allowed}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        {allowed ? (
          <Button type="submit" busy={change.isPending} disabled={name === organization.name}>
            {words.save}
          </Button>
        ) : null}
      </form>
      <dl className="facts-list">
        <div>
          <dt>{words.id}</dt>
          <dd>
            <code>{organization.id}</code>
          </dd>
        </div>
        <div>
          <dt>{words.plan}</dt>
          <dd>{organization.plan}</dd>
        </div>
      </dl>
      {change.error === null ? null : <Failure error={change.error} />}
    </Card>
  );
}

function Retention({ organization }: { readonly organization: Organization }): ReactElement {
  const { role } = useOrganization();
  const change = useChange('changeOrganization', ['getOrganization']);
  const notice = useNotice();
  const choose = async (retention: Organization['retention']): Promise<void> => {
    await change
      .mutateAsync({ params: { organization: organization.id }, body: { retention } })
      .then(
        () => notice(words.saved),
        () => undefined,
      );
  };
  return (
    <Card title={words.retention} lead={words.retentionLead}>
      <ChoiceField
        label={words.retention}
        bare
        hint={words.retentionTexts[organization.retention]}
        disabled={!hasRole(role, 'owner') || change.isPending}
        value={organization.retention}
        choose={(retention) => void choose(retention)}
        choices={(['zero', 'standard', 'contributor'] as const).map((name) => [
          name,
          words.retentions[name],
        ])}
      />
      {change.error === null ? null : <Failure error={change.error} />}
    </Card>
  );
}

function DeleteOrganization({
  organization,
}: {
  readonly organization: Organization;
}): ReactElement | null {
  const { role } = useOrganization();
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const remove = useChange('deleteOrganization', ['getSession']);
  const notice = useNotice();
  if (!hasRole(role, 'owner')) return null;
  const { id, name } = organization;
  return (
    <Card title={words.danger} lead={words.dangerLead}>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      {asking ? (
        <Confirm
          title={words.deleteTitle(name)}
          action={words.delete}
          typed={name}
          close={() => setAsking(false)}
          busy={remove.isPending}
          error={remove.error}
          confirm={async () => {
            await remove.mutateAsync({ params: { organization: id } });
            notice(words.deleted(name));
            navigate('/');
          }}
        >
          <p>{words.dangerLead}</p>
        </Confirm>
      ) : null}
    </Card>
  );
}
