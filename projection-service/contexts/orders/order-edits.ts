import type { OrderFold } from './order-fold.ts';

/** What edits do to the document of an invoice (docs/rules/invoice-editing.md). */
export const orderEdits: OrderFold = {
  InvoiceEdited: (document, { recordedAt, data }) => {
    if (!document?.content) return document;
    const { content, balance, orderStatuses, difference } = data;
    return {
      ...document,
      dateUpdated: recordedAt,
      content,
      balance,
      orderStatuses: { ...document.orderStatuses, ...orderStatuses },
      keptInStoreCurrency: document.keptInStoreCurrency + difference.returns,
    };
  },
};
