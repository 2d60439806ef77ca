import { storeFileBody, storeImportResponse } from '#contracts/store-import.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { InvalidStoreFile } from './read-store-file.ts';

export interface StoreImportDeps {
  /** Throws `InvalidStoreFile` with every problem; then nothing has been imported. */
  readonly importStore: (text: string) => Promise<{
    readonly counts: Readonly<Record<string, number>>;
    readonly changed: number;
    readonly position: number;
  }>;
}

/** How large a store file may be that is sent to a running shop. */
const maxBodyBytes = 100_000_000;

/** What `tillroll import` asks a running shop for (docs/rules/store-file.md#importing). */
export const storeRoutes = ({ importStore }: StoreImportDeps): readonly Route[] => [
  route({
    method: 'POST',
    base: 'management',
    service: 'command',
    caller: admin,
    path: '/store-imports',
    file: import.meta.url,
    summary: 'Import a store file',
    schemas: { body: storeFileBody },
    bodyKind: 'jsonText',
    maxBodyBytes,
    response: storeImportResponse,
    handle: async ({ body }) => {
      try {
        const { counts, changed, position } = await importStore(body);
        return ok({ counts, changed }, { position });
      } catch (error) {
        if (!(error instanceof InvalidStoreFile)) throw error;
        throw new Rejection('invalid-request', 'The store file cannot be imported.', {
          errors: error.problems,
        });
      }
    },
  }),
];
