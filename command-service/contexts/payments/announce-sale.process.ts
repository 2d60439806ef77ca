import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Process } from '#kernel/process.ts';

type Captured = EventOfType<InvoiceEvent, 'PaymentCaptured'>['data'];
type Authorized = EventOfType<InvoiceEvent, 'PaymentAuthorized'>['data'];
type Released = EventOfType<InvoiceEvent, 'AuthorizationReleased'>['data'];
type Edited = EventOfType<InvoiceEvent, 'InvoiceEdited'>['data'];

/**
 * From the payment of an invoice, money set aside for it, or its purchase order, to its announced sale. Of its own
 * beside the attempt: an invoice may be paid otherwise while the outcome of one is unknown.
 */
export const announceSale: Pick<Process<never, never>, 'name' | 'on'> = {
  name: 'announce-sale',
  on: {
    PaymentCaptured: ({ data }) => {
      const { balance, isLate, isOnAccount, isSold } = data as Captured;
      // A sale on account was announced before.
      return balance.balanceDue === 0 && !isLate && !isOnAccount && !isSold ? 'opens' : null;
    },
    PaymentAuthorized: ({ data }) => {
      const { isSale } = data as Authorized;
      return isSale ? 'opens' : null;
    },
    // Nothing is left that the sale could stand on; a sale that was announced before has ended already.
    AuthorizationReleased: ({ data }) => ((data as Released).isLast ? 'ends' : null),
    // A total that was lowered may be paid by then.
    InvoiceEdited: ({ data }) => ((data as Edited).isPaid ? 'opens' : null),
    PurchaseOrderAccepted: 'opens',
    SaleConfirmed: 'ends',
    InvoiceCancelled: 'ends',
    InvoiceDeleted: 'ends',
  },
};
