import { isoInstant, type Clock } from '#kernel/clock.ts';
import { chosenProvider, type ChosenProvider, type SubmissionSource } from '#reference/chosen-provider.ts';
import type { Reference } from '#reference/reference.ts';
import { soldDownloads, type SoldDownloads } from '#reference/sold-downloads.ts';
import { businessDay } from '#values/business-day.ts';
import type { StoreSettings, UnpaidLimits } from '#values/store-settings.ts';

/** When something is decided. */
export interface Moment {
  /** ISO instant. */
  readonly now: string;
  /** Its business day. */
  readonly today: string;
}

/** What the decisions on an invoice need from outside. */
export interface InvoiceContext extends Moment {
  readonly invoiceId: string;
  readonly unpaid: UnpaidLimits;
  /** What is downloaded of a product, by its root, as it is now; null where that is nothing. */
  readonly downloadsOf: (productRootId: string) => SoldDownloads | null;
  /** Who sends from a warehouse, automatically or on request of staff; null: the shop itself. */
  readonly providerFor: (warehouseId: string | null, source: SubmissionSource) => ChosenProvider | null;
}

interface Sources {
  readonly clock: Clock;
  readonly settings: () => StoreSettings;
  readonly reference: Reference;
}

/** Collects what deciding a command on an invoice needs; no I/O. */
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
