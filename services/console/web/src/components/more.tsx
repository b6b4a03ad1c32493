import type { ReactElement } from 'react';
import { formatCount } from '../format/numbers.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface MoreProps {
  readonly shown: number;
  /** Of all pages, where it is known. */
  readonly total: number | undefined;
  readonly of: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** Below a list: how much of it is shown, and the next page of it. */
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
