import { formatMoney } from '#values/money.ts';
import type { OrderFold } from './order-fold.ts';
import { withNote } from './order-money.ts';

/** What edits do to the document of an invoice (docs/rules/invoice-editing.md). */
export const orderEdits: OrderFold = {
  InvoiceEdited: (document, { recordedAt, data }) => {
    if (!document?.content) return document;
    const { content, balance, orderStatuses, difference, by, editedAt, reason } = data;
    const { total: before } = document.content.amounts;
    const { total, currency } = { ...content.amounts, currency: content.currency };
    const came = `${formatMoney(before, currency)} to ${formatMoney(total, currency)}`;
    const what = total === before ? 'Edited' : `Edited, from ${came}`;
    return {
      ...withNote(document, editedAt, reason === null ? `${what}.` : `${what}: ${reason}`, by),
      dateUpdated: recordedAt,
      content,
      balance,
      orderStatuses: { ...document.orderStatuses, ...orderStatuses },
      keptInStoreCurrency: document.keptInStoreCurrency + difference.returns,
    };
  },
};
