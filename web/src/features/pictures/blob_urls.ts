import { useSyncExternalStore } from 'react';

// Addresses under which the browser shows blobs. An address lives while a component shows the blob,
// and a little longer: pages of a viewer come and go.

const KEPT_MS = 10_000;
const urls = new Map<Blob, { url: string; users: number }>();

function urlOf(blob: Blob): string {
  const entry = urls.get(blob) ?? { url: URL.createObjectURL(blob), users: 0 };
  urls.set(blob, entry);
  return entry.url;
}

function use(blob: Blob): () => void {
  urlOf(blob);
  const entry = urls.get(blob);
  if (entry) entry.users += 1;
  return () => {
    if (entry) entry.users -= 1;
    setTimeout(() => {
      if (!entry || entry.users > 0 || urls.get(blob) !== entry) return;
      URL.revokeObjectURL(entry.url);
      urls.delete(blob);
    }, KEPT_MS);
  };
}

const nothing = () => () => undefined;

export function useBlobUrl(blob: Blob | undefined): string | undefined {
  return useSyncExternalStore(
    // The functions only depend on the blob; React asks again when it changes.
    blob ? subscriptionOf(blob) : nothing,
    () => blob && urlOf(blob),
  );
}

const subscriptions = new WeakMap<Blob, () => () => void>();

function subscriptionOf(blob: Blob): () => () => void {
  const known = subscriptions.get(blob) ?? (() => use(blob));
  subscriptions.set(blob, known);
  return known;
}
