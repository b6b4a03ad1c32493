import { type SubmitEvent, type ReactElement, useState } from 'react';
import { useChange } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { TextArea } from '../components/field.tsx';
import { useNotice } from '../components/notices.tsx';
import { Failure } from '../components/states.tsx';
import { texts } from '../texts.ts';
import { type Kind, isObject } from './resource-kinds.ts';

const words = texts.resources;
type Document = Record<string, unknown>;

/** Parses a document. Undefined if the text is not the JSON of an object. */
function readDocument(text: string): Document | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface DocumentEditorProps {
  readonly kind: Kind;
  readonly start: Document;
  /** The resource to replace. Undefined if a new one is created. */
  readonly replaces?: { readonly id: string; readonly sequence: number };
  readonly done: (id: string) => void;
  readonly cancel?: () => void;
}

/** Edits a resource as JSON, with the field names of the files that `sluice apply` reads. */
export function DocumentEditor({
  kind,
  start,
  replaces,
  done,
  cancel,
}: DocumentEditorProps): ReactElement {
  const original = JSON.stringify(start, null, 2);
  const [text, setText] = useState(original);
  const create = useChange('createResource', ['listResources', 'listAudit']);
  const replace = useChange('replaceResource', ['listResources', 'getResource', 'listAudit']);
  const notice = useNotice();
  const document = readDocument(text);
  const error = create.error ?? replace.error;

  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (document === undefined) return;
    const saving =
      replaces === undefined
        ? create.mutateAsync({ params: { kind }, body: { document } })
        : replace.mutateAsync({
            params: { kind, id: replaces.id },
            body: { document, sequence: replaces.sequence },
          });
    const saved = await saving.catch(() => undefined);
    if (saved === undefined) return;
    notice(words.saved(saved.resource.id));
    done(saved.resource.id);
  };
  return (
    <form className="stack" onSubmit={(event) => void save(event)}>
      <TextArea
        label={words.document}
        bare
        hint={words.documentHint}
        className="code-input"
        rows={Math.min(30, Math.max(8, text.split('\n').length + 1))}
        spellCheck={false}
        value={text}
        error={document === undefined ? words.notJson : undefined}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      {error === null ? null : <Failure error={error} />}
      <div className="form-actions">
        <Button
          type="submit"
          look="primary"
          busy={create.isPending || replace.isPending}
          disabled={replaces !== undefined && text === original}
        >
          {words.save}
        </Button>
        {cancel === undefined ? null : <Button onClick={cancel}>{texts.cancel}</Button>}
      </div>
    </form>
  );
}
