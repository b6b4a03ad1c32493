import { type SubmitEvent, type ReactElement, useState } from 'react';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Secret } from '../components/copy.tsx';
import { Confirm } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { useNotice } from '../components/notices.tsx';
import { Card } from '../components/page.tsx';
import { Failure } from '../components/states.tsx';
import { Table } from '../components/table.tsx';
import { hasRole, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';

const words = texts.webhooks;
type Organization = RouteReply<'getOrganization'>;
type Webhook = Organization['webhooks'][number];

export function Webhooks({ organization }: { readonly organization: Organization }): ReactElement {
  const { role } = useOrganization();
  const [deleting, setDeleting] = useState<Webhook>();
  const remove = useChange('deleteWebhook', ['getOrganization']);
  const notice = useNotice();
  const allowed = hasRole(role, 'owner');
  return (
    <Card title={words.title} lead={words.lead}>
      {allowed ? <CreateWebhook organization={organization.id} /> : null}
      {organization.webhooks.length === 0 ? (
        <p className="muted">{words.none}</p>
      ) : (
        <Table
          label={words.title}
          rows={organization.webhooks}
          rowKey={({ id }) => id}
          columns={[
            {
              name: words.address,
              cell: ({ id, url }) => (
                <code className="wraps" id={`webhook-${id}`}>
                  {url}
                </code>
              ),
            },
            {
              name: texts.actions,
              unnamed: true,
              cell: (webhook) =>
                allowed ? (
                  <Button
                    look="quiet"
                    className="danger-text"
                    aria-describedby={`webhook-${webhook.id}`}
                    onClick={() => setDeleting(webhook)}
                  >
                    {words.remove}
                  </Button>
                ) : null,
            },
          ]}
        />
      )}
      {deleting === undefined ? null : (
        <Confirm
          title={words.removeTitle}
          action={words.remove}
          close={() => setDeleting(undefined)}
          busy={remove.isPending}
          error={remove.error}
          confirm={async () => {
            await remove.mutateAsync({
              params: { organization: organization.id, webhook: deleting.id },
            });
            notice(words.removed);
          }}
        >
          <p>{words.removeText}</p>
        </Confirm>
      )}
    </Card>
  );
}

function CreateWebhook({ organization }: { readonly organization: string }): ReactElement {
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState<string>();
  const create = useChange('createWebhook', ['getOrganization']);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const made = await create
      .mutateAsync({ params: { organization }, body: { url: url.trim() } })
      .catch(() => undefined);
    if (made === undefined) return;
    setSecret(made.secret);
    setUrl('');
  };
  if (secret !== undefined) {
    return (
      <div className="stack">
        <p>{words.onlyOnce}</p>
        <Secret value={secret} label={words.secret} copy={words.copy} done={texts.copied} />
        <Button onClick={() => setSecret(undefined)}>{words.done}</Button>
      </div>
    );
  }
  return (
    <>
      <form className="row-form" onSubmit={(event) => void submit(event)}>
        <TextField
          label={words.address}
          type="url"
          required
          placeholder="https://example.com/budget"
          autoComplete="off"
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <Button type="submit" busy={create.isPending}>
          {words.create}
        </Button>
      </form>
      {create.error === null ? null : <Failure error={create.error} />}
    </>
  );
}
