import {
  type ReactElement,
  type ReactNode,
  createContext,
  use,
  useCallback,
  useRef,
  useState,
} from 'react';
import { Icon } from './icons.tsx';

const shownForMs = 6_000;
const NoticeContext = createContext<(text: string) => void>(() => undefined);

/** Returns a function that shows a text for some seconds, for example that something was done. */
export const useNotice = (): ((text: string) => void) => use(NoticeContext);

export function Notices({ children }: { readonly children: ReactNode }): ReactElement {
  const [notice, setNotice] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = useCallback((text: string) => {
    clearTimeout(timer.current);
    setNotice(text);
    timer.current = setTimeout(() => setNotice(undefined), shownForMs);
  }, []);
  return (
    <NoticeContext value={show}>
      {children}
      <div className="notices" role="status">
        {notice === undefined ? null : (
          <p className="notice">
            <Icon name="check" />
            {notice}
          </p>
        )}
      </div>
    </NoticeContext>
  );
}
