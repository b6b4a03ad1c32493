import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { Page } from '../components/page.tsx';
import { Empty } from '../components/states.tsx';
import { texts } from '../texts.ts';

const words = texts.notFound;

export function NotFound(): ReactElement {
  return (
    <Page title={words.title}>
      <Empty icon="requests" title={words.text}>
        <Link href="/" className="button">
          {words.home}
        </Link>
      </Empty>
    </Page>
  );
}
