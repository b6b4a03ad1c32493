import { type ReactElement, useState } from 'react';
import { useRead } from '../api/queries.ts';
import { Button } from '../components/button.tsx';
import { Page } from '../components/page.tsx';
import { Empty, Failure, Loading } from '../components/states.tsx';
import { FirstProject } from '../pages/create-project.tsx';
import { useProjects } from '../pages/project-select.tsx';
import { hasRole, useOrganization, useSession } from '../session/session-context.ts';
import { texts } from '../texts.ts';
import { CodeDialog } from './code-dialog.tsx';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import { type Turn, messagesOf, openCalls } from './conversation.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { type Settings, noSettings, readSettings } from './settings.ts';
import { useConversation } from './use-conversation.ts';
import { useCredential } from './use-credential.ts';

const words = texts.playground;

export function PlaygroundPage(): ReactElement {
  const organization = useOrganization();
  const params = { organization: organization.id };
  const allowed = hasRole(organization.role, 'member');
  const models = useRead('listModels', { params }, { enabled: allowed });
  const projects = useProjects(organization.id);
  const error = models.error ?? projects.error;
  if (!allowed) {
    return (
      <Page title={words.title} lead={words.lead}>
        <Empty icon="playground" title={words.forMembers} />
      </Page>
    );
  }
  if (models.data === undefined || projects.data === undefined) {
    return (
      <Page title={words.title} lead={words.lead}>
        {error === null ? <Loading /> : <Failure error={error} retry={models.refetch} />}
      </Page>
    );
  }
  const project = projects.data[0];
  if (project === undefined || models.data.models.length === 0) {
    return (
      <Page title={words.title} lead={words.lead}>
        {project === undefined ? (
          <FirstProject />
        ) : (
          <Empty icon="playground" title={words.noModel} />
        )}
      </Page>
    );
  }
  return <Playground models={models.data.models} projects={projects.data} />;
}

type Model = Parameters<typeof SettingsPanel>[0]['models'][number];
interface PlaygroundProps {
  readonly models: readonly Model[];
  readonly projects: readonly { readonly id: string; readonly name: string }[];
}

function blockReason(problems: number, openCallCount: number): string | undefined {
  if (problems > 0) return words.settingsWrong(problems);
  return openCallCount > 0 ? words.answerCallsFirst : undefined;
}

function Playground({ models, projects }: PlaygroundProps): ReactElement {
  const { api_url: apiUrl } = useSession();
  const organization = useOrganization();
  const [settings, setSettings] = useState<Settings>(() => ({
    ...noSettings,
    project: projects[0]?.id ?? '',
    model: models[0]?.id ?? '',
  }));
  const [message, setMessage] = useState('');
  const [showsCode, setShowsCode] = useState(false);
  const credential = useCredential(organization.id, settings.project);
  const conversation = useConversation(apiUrl, credential);
  const read = readSettings(settings);
  const problems = Object.keys(read.problems).length;

  const body = (turns: readonly Turn[]): object => ({
    model: settings.model,
    messages: messagesOf(settings.system, turns),
    stream: true,
    stream_options: { include_usage: true },
    ...read.parameters,
  });
  const nextRequest = { model: settings.model, schema: read.schema, body };
  const drafted: Turn[] = message.trim() === '' ? [] : [{ kind: 'question', id: 0, text: message }];

  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <Button icon="code" onClick={() => setShowsCode(true)}>
            {words.code}
          </Button>
          <Button
            icon="plus"
            disabled={conversation.turns.length === 0}
            onClick={conversation.clear}
          >
            {words.newConversation}
          </Button>
        </>
      }
    >
      <div className="playground">
        <section className="conversation-frame" aria-label={words.conversation}>
          <ConversationView
            turns={conversation.turns}
            canRetry={!conversation.running && problems === 0}
            retry={() => conversation.retry(nextRequest)}
            answerCalls={(results) => conversation.answerCalls(results, nextRequest)}
            suggest={setMessage}
          />
          <Composer
            message={message}
            setMessage={setMessage}
            running={conversation.running}
            blocked={blockReason(problems, openCalls(conversation.turns).length)}
            send={() => {
              conversation.ask(message, nextRequest);
              setMessage('');
            }}
            stop={conversation.stop}
          />
        </section>
        <SettingsPanel
          models={models}
          projects={projects}
          settings={settings}
          read={read}
          change={(changed) => setSettings((known) => ({ ...known, ...changed }))}
        />
      </div>
      {showsCode ? (
        <CodeDialog
          apiUrl={apiUrl}
          body={body([...conversation.turns, ...drafted])}
          close={() => setShowsCode(false)}
        />
      ) : null}
    </Page>
  );
}
