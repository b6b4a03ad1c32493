import { type ReactElement, useSyncExternalStore } from 'react';
import { Icon } from '../components/icons.tsx';
import { texts } from '../texts.ts';

function subscribe(changed: () => void): () => void {
  window.addEventListener('online', changed);
  window.addEventListener('offline', changed);
  return () => {
    window.removeEventListener('online', changed);
    window.removeEventListener('offline', changed);
  };
}

/** Says that the browser has no network. The page keeps showing the data that was read before. */
export function OfflineBanner(): ReactElement | null {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine);
  if (online) return null;
  return (
    <p className="offline" role="alert">
      <Icon name="offline" />
      {texts.offline}
    </p>
  );
}
