import { useEffect, useState } from 'react';

/** A debounced value: it changes when a person stops typing, so that the server is not called for every letter. */
export function useSettled<Value>(value: Value, pauseMs = 200): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
