import { summaryOf, type ShopCheck } from '#command/engine/shop-check.ts';
import type { CatalogueReference, SoldProduct } from '#reference/reference.ts';
import type { DownloadFolder } from './download-folder.ts';

const MAX_DESCRIPTION = 250;

/** What is wrong with the files of a product, in words; null: nothing. */
const problemOf = async ({ root }: SoldProduct, folder: DownloadFolder): Promise<string | null> => {
  if (!root.isDigitalProduct) return null;
  if (root.digitalFileIds.length === 0) return 'No file';
  const missing: string[] = [];
  for (const fileId of root.digitalFileIds) if (!(await folder.has(fileId))) missing.push(fileId);
  return missing.length === 0 ? null : `Not on disk: ${missing.join(', ')}`.slice(0, MAX_DESCRIPTION);
};

/** Digital products whose buyers would miss something. */
export const downloadChecks = (
  catalogue: CatalogueReference,
  folder: DownloadFolder,
): readonly ShopCheck[] => [
  {
    alias: 'digital-products-without-files',
    name: 'Digital products without a file',
    description: 'Digital products that name no file, or one that is not on disk.',
    icon: 'icon-download',
    sortOrder: 450,
    severity: 'warning',
    summary: summaryOf(
      'digital product lacks a file',
      'digital products lack a file',
      'Every digital product has its files.',
    ),
    async *look() {
      for (const product of catalogue.products()) {
        const wrong = await problemOf(product, folder);
        const { id, root } = product;
        yield wrong === null
          ? null
          : {
              ...{ id, name: root.rootName, description: wrong, editPath: `/products/${id}` },
              imageUrl: root.images[0] ?? null,
            };
      }
    },
  },
];
