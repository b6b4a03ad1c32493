import { type SubmitEvent, type ReactElement, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { TextField } from '../components/field.tsx';
import { useNotice } from '../components/notices.tsx';
import { Card } from '../components/page.tsx';
import { Empty, Failure } from '../components/states.tsx';
import { hasRole, useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';

const words = texts.projects;

/** Shown where a project is needed and there is none. Admins create the first one in place. */
export function FirstProject(): ReactElement {
  const { id, role } = useOrganization();
  const manages = hasRole(role, 'admin');
  return (
    <>
      <Empty icon="projects" title={words.empty}>
        <p>{manages ? words.firstText : words.askAdmin}</p>
      </Empty>
      {manages ? <CreateProject organization={id} /> : null}
    </>
  );
}

export function CreateProject({ organization }: { readonly organization: string }): ReactElement {
  const [name, setName] = useState('');
  const create = useChange('createProject', ['listProjects']);
  const notice = useNotice();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    await create.mutateAsync({ params: { organization }, body: { name: name.trim() } }).then(
      (project) => {
        notice(words.created(project.name));
        setName('');
      },
      () => undefined,
    );
  };
  return (
    <Card title={words.createTitle}>
      <form className="row-form" onSubmit={(event) => void submit(event)}>
        <TextField
          label={words.projectName}
          required
          maxLength={128}
          autoComplete="off"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Button type="submit" look="primary" icon="plus" busy={create.isPending}>
          {words.create}
        </Button>
      </form>
      {create.error === null ? null : <Failure error={create.error} />}
    </Card>
  );
}
