import { useEffect, useState } from 'react';

/** The value as it was when typing last paused, so that not every letter asks the server. */
export function useSettled<Value>(value: Value, pause = 200): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return settled;
}
