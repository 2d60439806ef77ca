import type { EventOfType } from '#kernel/event.ts';
import type { DownloadLink } from './download.shapes.ts';
import type { InvoiceEvent } from './invoice.events.ts';

/** A link as the events of its invoice tell it. */
export interface KnownLink extends DownloadLink {
  /** ISO instants. */
  readonly createdAt: string;
  /** When its line was taken out of the invoice, or cancelled with its order; null while it stands. */
  readonly withdrawnAt: string | null;
}

/** The files of an invoice (docs/rules/downloads.md#links). */
export interface DownloadsView {
  readonly links: readonly KnownLink[];
  /** How often staff had them made again. */
  readonly generation: number;
  /** For how long, the last time; null where it was not said, `days` of null: for ever. */
  readonly renewedFor: { readonly days: number | null } | null;
  /** When everything had been given back, and when it was cancelled or deleted: nothing is downloaded from then on. */
  readonly refundedAt: string | null;
  readonly closedAt: string | null;
}

type Data<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];

const noLinks: DownloadsView = {
  links: [],
  generation: 0,
  renewedFor: null,
  refundedAt: null,
  closedAt: null,
};

/** What was made again stands for everything that there was. */
export const withLinks = (
  view: DownloadsView | null,
  { links: made, replaces, createdAt }: Data<'DownloadLinksCreated'>,
): DownloadsView => {
  const links = made.map((link): KnownLink => ({ ...link, createdAt, withdrawnAt: null }));
  const before = view ?? noLinks;
  if (!replaces) return { ...before, links: [...before.links, ...links] };
  const { expiryDays: days } = replaces;
  const renewedFor = days === undefined ? null : { days };
  return { ...noLinks, links, generation: before.generation + 1, renewedFor };
};

/** What has nothing to download is not touched. */
const onLinks =
  <Type extends InvoiceEvent['type']>(change: (view: DownloadsView, data: Data<Type>) => DownloadsView) =>
  (view: DownloadsView | null, data: Data<Type>): DownloadsView | null =>
    view && change(view, data);

/** A full refund ends the links; one that could not be made after all gives them back. */
export const withRefund = onLinks<'PaymentRefunded'>((view, { balance, refundedAt }) => ({
  ...view,
  refundedAt: balance.paymentStatus === 'Refunded' ? (view.refundedAt ?? refundedAt) : null,
}));

export const withRefundFailed = onLinks<'RefundFailed'>((view, { balance }) => ({
  ...view,
  refundedAt: balance.paymentStatus === 'Refunded' ? view.refundedAt : null,
}));

export const withCancellation = onLinks<'InvoiceCancelled'>((view, { cancelledAt: closedAt }) => ({
  ...view,
  closedAt,
}));

export const withDeletion = onLinks<'InvoiceDeleted'>((view, { deletedAt }) => ({
  ...view,
  closedAt: view.closedAt ?? deletedAt,
}));

/** A line that goes takes its files along. */
const withoutLines = (
  view: DownloadsView,
  isGone: (lineId: string) => boolean,
  withdrawnAt: string,
): DownloadsView => ({
  ...view,
  links: view.links.map((link) =>
    link.withdrawnAt === null && isGone(link.lineId) ? { ...link, withdrawnAt } : link,
  ),
});

export const withEdit = onLinks<'InvoiceEdited'>((view, { content, editedAt }) => {
  const kept = new Set(content.orders.flatMap(({ lines }) => lines.map(({ id }) => id)));
  return withoutLines(view, (lineId) => !kept.has(lineId), editedAt);
});

export const withWithdrawal = onLinks<'DownloadLinksWithdrawn'>((view, { lineIds, withdrawnAt }) =>
  withoutLines(view, (lineId) => lineIds.includes(lineId), withdrawnAt),
);

/** When a link ends, or has ended; null: never. */
export const endOf = (
  { refundedAt, closedAt }: Pick<DownloadsView, 'refundedAt' | 'closedAt'>,
  { expiresAt, withdrawnAt }: Pick<KnownLink, 'expiresAt' | 'withdrawnAt'>,
): string | null => {
  const ends = [expiresAt, withdrawnAt, refundedAt, closedAt].filter((end) => end !== null);
  return ends.length === 0
    ? null
    : ends.reduce((first, end) => (Date.parse(end) < Date.parse(first) ? end : first));
};

/** Whether a link has ended by an instant. */
export const hasEnded = (end: string | null, nowMs: number): boolean =>
  end !== null && Date.parse(end) <= nowMs;
