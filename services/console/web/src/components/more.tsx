import type { ReactElement } from 'react';
import { formatCount } from '../format/numbers.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface MoreProps {
  readonly shown: number;
  /** The number of items on all pages, if it is known. */
  readonly total: number | undefined;
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Shown below a list: how many of its items are shown, and a button that shows more. */
export function More({ shown, total, of }: MoreProps): ReactElement {
  return (
    <div className="more">
      <span>
        {of.hasNextPage
          ? texts.shownSoFar(
              formatCount(shown),
              total === undefined ? undefined : formatCount(total),
            )
          : texts.allShown(formatCount(shown))}
      </span>
      {of.hasNextPage ? (
        <Button busy={of.isFetchingNextPage} onClick={() => void of.fetchNextPage()}>
          {texts.showMore}
        </Button>
      ) : null}
    </div>
  );
}
