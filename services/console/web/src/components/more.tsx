import type { ReactElement } from 'react';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface MoreProps {
  readonly shown: number;
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Below a list: how much of it is shown, and the next page of it. */
export function More({ shown, of }: MoreProps): ReactElement {
  return (
    <div className="more">
      <span>{of.hasNextPage ? texts.shownSoFar(shown) : texts.allShown(shown)}</span>
      {of.hasNextPage ? (
        <Button busy={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
          {texts.showMore}
        </Button>
      ) : null}
    </div>
  );
}
