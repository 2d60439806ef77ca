import type { DownloadLink } from '#events/download.shapes.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId } from '#kernel/ids.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { isKnown, isPaidInFull, type InvoiceState, type KnownInvoice } from '../invoice.state.ts';

type DownloadsContext = Pick<InvoiceContext, 'now' | 'downloadsOf'>;

const { DownloadLinksCreated, DownloadLinksWithdrawn } = invoiceEvents.create;

/** The most links in one event: they must never make a payment too large for the log. */
const LINKS_TOGETHER = 500;
const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Only an invoice paid in full and not refunded has downloads (docs/rules/downloads.md#when). */
export const mayDownload = (invoice: KnownInvoice): boolean =>
  isPaidInFull(invoice) && invoice.balance.paymentStatus !== 'Refunded';

const digitalLines = ({ content, orderStatuses }: KnownInvoice): OrderLine[] =>
  content.orders
    .filter(({ orderId }) => orderStatuses[orderId] !== 'Cancelled')
    .flatMap(({ lines }) => lines.filter(({ isDigital }) => isDigital));

const expiryOf = (now: string, days: number | null): string | null =>
  days === null ? null : isoInstant(Date.parse(now) + days * DAY_MILLISECONDS);

/** Every link that the invoice should have. `generation` gives replaced links new ids. */
const linksOf = (
  invoice: KnownInvoice,
  { now, downloadsOf: soldAs }: DownloadsContext,
  generation: number,
  expiryDays?: number | null,
): DownloadLink[] =>
  digitalLines(invoice).flatMap(({ id: lineId, productRootId, productRootName: productName }) => {
    const sold = productRootId === null ? null : soldAs(productRootId);
    if (!sold) return [];
    const { isInstant, maxDownloads } = sold;
    const expiresAt = expiryOf(now, expiryDays === undefined ? sold.expiryDays : expiryDays);
    return sold.fileIds.map((fileId) => ({
      // The same line and file always get the same link.
      linkId: derivedId('download link', lineId, fileId, generation),
      ...{ lineId, fileId, productName, isInstant, expiresAt, maxDownloads },
    }));
  });

const createdLinks = (
  { invoiceNumber, content, email }: KnownInvoice,
  links: readonly DownloadLink[],
  { now: createdAt }: DownloadsContext,
  replaces?: { readonly expiryDays?: number | null },
): InvoiceEvent[] => {
  const { businessDay, customerId, memberId } = content;
  // A link is signed for its customer: staff may have added a file to a sale that has none.
  if (customerId === null) return [];
  return [
    DownloadLinksCreated({
      ...{ invoiceNumber, businessDay, customerId, email, createdAt },
      ...defined({ memberId }),
      links: links.slice(0, LINKS_TOGETHER),
      ...defined({ replaces, hasMore: links.length > LINKS_TOGETHER || undefined }),
    }),
  ];
};

export const missingLinks = (invoice: InvoiceState, context: DownloadsContext): InvoiceEvent[] => {
  if (!isKnown(invoice) || !mayDownload(invoice)) return [];
  const { links = [], generation = 0, renewedFor = null } = invoice.downloads ?? {};
  const known = new Set(links.map(({ lineId, fileId }) => `${lineId} ${fileId}`));
  // Links left over from a replacement by staff expire as those do.
  const days = invoice.hasMoreDownloads && renewedFor !== null ? renewedFor.days : undefined;
  const missing = linksOf(invoice, context, generation, days).filter(
    ({ lineId, fileId }) => !known.has(`${lineId} ${fileId}`),
  );
  return missing.length === 0 ? [] : createdLinks(invoice, missing, context);
};

/** Replaces all links. `expiryDays`: null never, undefined as the products say. */
export const renewedLinks = (
  invoice: KnownInvoice,
  context: DownloadsContext,
  expiryDays: number | null | undefined,
): InvoiceEvent[] => {
  const before = invoice.downloads;
  const links = linksOf(invoice, context, (before?.generation ?? 0) + 1, expiryDays);
  if (links.length === 0 && !before?.links.length) return [];
  return createdLinks(invoice, links, context, defined({ expiryDays }));
};

/** Ends the links of an order that is cancelled on its own. */
export const withdrawnLinks = (
  { content, downloads }: KnownInvoice,
  orderId: string,
  withdrawnAt: string,
): InvoiceEvent[] => {
  const ofOrder = content.orders.find((order) => order.orderId === orderId)?.lines ?? [];
  const standing = new Set(
    downloads?.links.filter((link) => link.withdrawnAt === null).map(({ lineId }) => lineId),
  );
  const lineIds = ofOrder.map(({ id }) => id).filter((id) => standing.has(id));
  return lineIds.length === 0 ? [] : [DownloadLinksWithdrawn({ lineIds, withdrawnAt })];
};
