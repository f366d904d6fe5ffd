import { useEffect, useState } from 'react';
import type { OcelliDatabase } from './database';
import { patiently } from '../patiently';
import { noteTrouble } from '../trouble';
import { openDatabase } from './open';

// Runs `query` now and whenever what it read changes, in this tab or another. Undefined until the
// first answer. `deps` are what the query depends on.
export function useLiveQuery<T>(query: (database: OcelliDatabase) => Promise<T>, deps: readonly unknown[]): T | undefined {
  const [value, setValue] = useState<{ deps: string; result: T }>();
  const key = JSON.stringify(deps);
  useEffect(() => {
    let unsubscribe: (() => void) | undefined;
    let ended = false;
    void Promise.all([openDatabase(), patiently(() => import('./database'))]).then(([database, { liveQuery }]) => {
      if (ended) return;
      const subscription = liveQuery(() => query(database)).subscribe({
        next: (result) => setValue({ deps: key, result }),
        error: () => noteTrouble('unread'), // and it shows as empty
      });
      unsubscribe = () => subscription.unsubscribe();
    });
    return () => {
      ended = true;
      unsubscribe?.();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `query` is a new function each time; `deps` says when it differs
  }, [key]);
  // An answer to an older question is no answer.
  return value?.deps === key ? value.result : undefined;
}
