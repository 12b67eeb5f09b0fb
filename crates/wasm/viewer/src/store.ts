// The file that is open, kept by the browser: a page that is loaded anew goes on with it.

const STORE = "files";

/**
 * Runs one request in the browser's database. `null` where there is none, as in private windows.
 */
function ask<T>(mode: IDBTransactionMode, request: (store: IDBObjectStore) => IDBRequest): Promise<T | null> {
  return new Promise((resolve) => {
    let opening: IDBOpenDBRequest;
    try {
      opening = indexedDB.open("waymesh", 1);
    } catch {
      resolve(null);
      return;
    }
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => resolve(null);
    opening.onsuccess = () => {
      const asked = request(opening.result.transaction(STORE, mode).objectStore(STORE));
      // It ends once the request is answered.
      opening.result.close();
      asked.onsuccess = () => resolve((asked.result as T | undefined) ?? null);
      asked.onerror = () => resolve(null);
    };
  });
}

interface Kept {
  name: string;
  bytes: Uint8Array;
}

/** Keeps a file in place of the one before. */
export async function keepFile(name: string, bytes: Uint8Array): Promise<void> {
  await ask("readwrite", (store) => store.put({ name, bytes } satisfies Kept, "open"));
}

/** The bytes of the file that was kept, if it has this name. */
export async function keptFile(name: string): Promise<Uint8Array | null> {
  const kept = await ask<Kept>("readonly", (store) => store.get("open"));
  return kept?.name === name ? kept.bytes : null;
}
