import { type ReactElement, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { RouteReply } from '../../../src/api/routes.ts';
import { useChange, useRead } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { useNotice } from '../components/notices.tsx';
import { Card, Page } from '../components/page.tsx';
import { Reading } from '../components/states.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { texts } from '../texts.ts';
import { AuditTrail } from './audit-trail.tsx';
import { DocumentEditor } from './document-editor.tsx';
import { type Kind, kindOf } from './resource-kinds.ts';

const words = texts.resources;

interface ResourcePageProps {
  readonly kind: string;
  readonly id: string;
}

export function ResourcePage({ kind, id }: ResourcePageProps): ReactElement {
  const known = kindOf(kind);
  return known === undefined ? <NotFound /> : <Resource kind={known} id={decodeURIComponent(id)} />;
}

function Resource({ kind, id }: { readonly kind: Kind; readonly id: string }): ReactElement {
  const resource = useRead('getResource', { params: { kind, id } });
  const [deleting, setDeleting] = useState(false);
  return (
    <Page
      title={id}
      lead={<Link href={`/platform/${kind}`}>{words.titles[kind]}</Link>}
      actions={
        <Button
          look="danger"
          disabled={resource.data === undefined}
          onClick={() => setDeleting(true)}
        >
          {words.delete}
        </Button>
      }
    >
      <div className="beside">
        <Reading of={resource} rows={8}>
          {({ resource: read }) => (
            <Card title={words.document}>
              <DocumentEditor
                // If the resource has changed, the editor starts again with the new document.
                key={read.sequence}
                kind={kind}
                start={read.document}
                replaces={read}
                done={() => undefined}
              />
            </Card>
          )}
        </Reading>
        <AuditTrail kind={kind} id={id} />
      </div>
      {deleting && resource.data !== undefined ? (
        <DeleteResource
          kind={kind}
          resource={resource.data.resource}
          close={() => setDeleting(false)}
        />
      ) : null}
    </Page>
  );
}

interface DeleteResourceProps {
  readonly kind: Kind;
  readonly resource: RouteReply<'getResource'>['resource'];
  readonly close: () => void;
}

function DeleteResource({ kind, resource, close }: DeleteResourceProps): ReactElement {
  const [, navigate] = useLocation();
  const remove = useChange('deleteResource', ['listResources', 'listAudit']);
  const notice = useNotice();
  const { id, sequence } = resource;
  return (
    <Confirm
      title={words.deleteTitle(id)}
      action={words.delete}
      typed={id}
      close={close}
      busy={remove.isPending}
      error={remove.error}
      confirm={async () => {
        await remove.mutateAsync({ params: { kind, id }, query: { sequence } });
        notice(words.deleted(id));
        navigate(`/platform/${kind}`);
      }}
    >
      <p>{words.deleteTexts[kind]}</p>
    </Confirm>
  );
}
