import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

interface FilePart extends Document {
  readonly runId: string;
  readonly text: string;
}

const files = 'product_sync_files';

/** Characters: in UTF-8 three times as many bytes at most, which every engine takes. */
const PART_LENGTH = 500_000;

const partId = (runId: string, place: number): string => `${runId}.${place}`;

/** Cuts a text so that no character is torn apart. */
function* partsOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PART_LENGTH, text.length);
    const code = text.charCodeAt(to - 1);
    if (to < text.length && code >= 0xd800 && code <= 0xdbff) to--;
    yield text.slice(from, to);
    from = to;
  }
}

/** The files of runs in the state store, in parts: every process has them. */
export const createSyncFiles = (stateStore: DocumentStore) => ({
  declare: () => stateStore.declare(files, [{ fields: ['runId'] }]),
  /** Appends a text and returns how many parts there are now. */
  append: async (runId: string, text: string, partsBefore: number): Promise<number> => {
    let parts = partsBefore;
    for (const piece of partsOf(text)) {
      const part: FilePart = { _id: partId(runId, parts++), runId, text: piece };
      await stateStore.write([{ collection: files, put: part }]);
    }
    return parts;
  },
  partsIn: async function* (runId: string, parts: number): AsyncGenerator<string> {
    for (let place = 0; place < parts; place++) {
      const found = await stateStore.get<FilePart>(files, partId(runId, place));
      if (!found) throw new Error(`part ${place} of the file of run ${runId} is missing`);
      yield found.text;
    }
  },
  forget: async (runId: string): Promise<void> => {
    while ((await stateStore.deleteMany(files, { runId }, 1000)) > 0);
  },
});

export type SyncFiles = ReturnType<typeof createSyncFiles>;
