import { isoInstant, type Clock } from '#kernel/clock.ts';
import { chosenProvider, type ChosenProvider, type SubmissionSource } from '#reference/chosen-provider.ts';
import type { Reference } from '#reference/reference.ts';
import { soldDownloads, type SoldDownloads } from '#reference/sold-downloads.ts';
import { businessDay } from '#values/business-day.ts';
import type { StoreSettings, UnpaidLimits } from '#values/store-settings.ts';

export interface Moment {
  /** ISO instant. */
  readonly now: string;
  /** Its business day. */
  readonly today: string;
}

export interface InvoiceContext extends Moment {
  readonly invoiceId: string;
  readonly unpaid: UnpaidLimits;
  /** The downloads of a root product as they are now; null if it has none. */
  readonly downloadsOf: (productRootId: string) => SoldDownloads | null;
  /** Who sends from a warehouse, automatically or when staff ask; null: the shop itself. */
  readonly providerFor: (warehouseId: string | null, source: SubmissionSource) => ChosenProvider | null;
}

interface Sources {
  readonly clock: Clock;
  readonly settings: () => StoreSettings;
  readonly reference: Reference;
}

export const invoiceContext = (
  { clock, settings, reference }: Sources,
  invoiceId: string,
): (() => InvoiceContext) => {
  const downloadsOf = soldDownloads(reference, settings);
  return () => {
    const now = clock.now();
    const unpaid = settings();
    return {
      invoiceId,
      now: isoInstant(now),
      today: businessDay(now, unpaid.reportingTimeZone),
      unpaid,
      downloadsOf,
      providerFor: (warehouseId, source) => chosenProvider(reference, warehouseId, source),
    };
  };
};
