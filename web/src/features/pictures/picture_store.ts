import { useEffect, useState } from 'react';
import { openDatabase, type PictureRecord } from '@/lib/db';

// Pictures never change once they are kept, so those that were read stay in memory. Their bytes do
// not: a Blob is a handle.
const known = new Map<string, PictureRecord>();

export async function keepPicture(picture: PictureRecord): Promise<void> {
  const database = await openDatabase();
  await database.pictures.put(picture);
  known.set(picture.id, picture);
}

export async function loadPictures(ids: readonly string[]): Promise<(PictureRecord | null)[]> {
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length > 0) {
    const database = await openDatabase();
    for (const picture of await database.pictures.bulkGet(missing)) if (picture) known.set(picture.id, picture);
  }
  return ids.map((id) => known.get(id) ?? null);
}

// The pictures of these ids; null for one that is lost, undefined while they are being read.
export function usePictures(ids: readonly string[]): (PictureRecord | null)[] | undefined {
  const key = ids.join(' ');
  const [loaded, setLoaded] = useState<{ key: string; pictures: (PictureRecord | null)[] }>();
  useEffect(() => {
    let current = true;
    const names = key ? key.split(' ') : [];
    void loadPictures(names)
      .catch(() => names.map(() => null)) // shown as lost
      .then((pictures) => {
        if (current) setLoaded({ key, pictures });
      });
    return () => {
      current = false;
    };
  }, [key]);
  return loaded?.key === key ? loaded.pictures : undefined;
}
