import { type ReactElement, useState } from 'react';
import { Button } from '../components/button.tsx';
import { CodeBlock, CopyButton } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { texts } from '../texts.ts';
import { SAMPLE_LANGUAGES, type SampleLanguage, codeSample } from './code-samples.ts';

const words = texts.playground;

interface CodeDialogProps {
  readonly apiUrl: string;
  readonly body: object;
  readonly close: () => void;
}

export function CodeDialog({ apiUrl, body, close }: CodeDialogProps): ReactElement {
  const [language, setLanguage] = useState<SampleLanguage>('curl');
  const code = codeSample(language, apiUrl, body);
  return (
    <Dialog title={words.codeTitle} close={close} wide>
      <p className="dialog-text">{words.codeLead}</p>
      <div className="code-bar">
        <div className="segments" role="group" aria-label={words.language}>
          {SAMPLE_LANGUAGES.map((name) => (
            <Button
              key={name}
              look="quiet"
              aria-pressed={name === language}
              onClick={() => setLanguage(name)}
            >
              {name}
            </Button>
          ))}
        </div>
        <CopyButton text={code} label={words.copyCode} done={texts.copied} />
      </div>
      <CodeBlock code={code} label={words.codeOf(language)} />
    </Dialog>
  );
}
