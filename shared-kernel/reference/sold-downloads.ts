import type { StoreSettings } from '#values/store-settings.ts';
import type { Reference } from './reference.ts';

/** What buyers of a digital product get, as it is now (docs/rules/downloads.md#links). */
export interface SoldDownloads {
  /** Paths below the folder of downloads. */
  readonly fileIds: readonly string[];
  /** Links are shown on the confirmation. */
  readonly isInstant: boolean;
  /** Null: links never expire. */
  readonly expiryDays: number | null;
  /** Of each link; 0: as many as wanted. */
  readonly maxDownloads: number;
}

/** What is sold to be downloaded, by the root of a product; null where that is nothing. */
export const soldDownloads =
  ({ catalogue }: Pick<Reference, 'catalogue'>, settings: () => StoreSettings) =>
  (productRootId: string): SoldDownloads | null => {
    const root = catalogue.product(productRootId)?.root;
    if (!root?.isDigitalProduct || root.digitalFileIds.length === 0) return null;
    const days = root.downloadLinkExpiryDays ?? settings().downloadLinkExpiryDays;
    return {
      fileIds: root.digitalFileIds,
      isInstant: root.digitalDeliveryMethod === 'InstantDownload',
      expiryDays: days > 0 ? days : null,
      maxDownloads: root.maxDownloadsPerLink ?? settings().maxDownloadsPerLink,
    };
  };
