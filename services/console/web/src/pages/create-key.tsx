import { type SubmitEvent, type ReactElement, useRef, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Secret } from '../components/copy.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { useNotice } from '../components/notices.tsx';
import { Card } from '../components/page.tsx';
import { Failure } from '../components/states.tsx';
import { useOrganization } from '../session/session-context.ts';
import { texts } from '../texts.ts';

const words = texts.keys;
const day = 86_400_000;
const lifetimes = [7, 30, 90, 365] as const;

interface CreateKeyProps {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

/** The form, and the key itself after it was created: it is shown once, and not kept. */
export function CreateKey({ projects }: CreateKeyProps): ReactElement {
  const { id: organization } = useOrganization();
  const [name, setName] = useState('');
  const [chosen, setProject] = useState('');
  const [lifetime, setLifetime] = useState('');
  const [secret, setSecret] = useState<{ name: string; value: string }>();
  const [missing, setMissing] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const create = useChange('createKey', ['listKeys']);
  const notice = useNotice();
  const project = chosen === '' ? (projects[0]?.id ?? '') : chosen;

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (name.trim() === '') {
      setMissing(true);
      form.current?.querySelector('input')?.focus();
      return;
    }
    const created = await create
      .mutateAsync({
        params: { organization },
        body: {
          name: name.trim(),
          project,
          expires_at_ms: lifetime === '' ? null : Date.now() + Number(lifetime) * day,
        },
      })
      .catch(() => undefined);
    if (created === undefined) return;
    setSecret({ name: created.key.name, value: created.secret });
    setName('');
    notice(words.wasCreated(created.key.name));
  };

  if (secret !== undefined) {
    return (
      <Card title={words.newKey(secret.name)} lead={words.onlyOnce}>
        <Secret value={secret.value} label={words.theKey} copy={words.copy} done={words.copied} />
        <Button onClick={() => setSecret(undefined)}>{words.kept}</Button>
      </Card>
    );
  }
  return (
    <Card title={words.createTitle} lead={words.createLead}>
      <form ref={form} className="row-form" noValidate onSubmit={(event) => void submit(event)}>
        <TextField
          label={words.keyName}
          placeholder={words.namePlaceholder}
          autoComplete="off"
          maxLength={128}
          value={name}
          error={missing ? words.nameMissing : undefined}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value);
            setMissing(false);
          }}
        />
        <SelectField
          label={texts.projects.one}
          value={project}
          onChange={({ currentTarget }) => setProject(currentTarget.value)}
        >
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={words.expires}
          value={lifetime}
          onChange={({ currentTarget }) => setLifetime(currentTarget.value)}
        >
          <option value="">{words.never}</option>
          {lifetimes.map((days) => (
            <option key={days} value={days}>
              {words.inDays(days)}
            </option>
          ))}
        </SelectField>
        {/* There is no project to choose while the projects are loading. */}
        <Button
          type="submit"
          look="primary"
          icon="plus"
          busy={create.isPending}
          disabled={project === ''}
        >
          {words.create}
        </Button>
      </form>
      {create.error === null ? null : <Failure error={create.error} />}
    </Card>
  );
}
