import type { CheckoutEvent } from '#events/checkout.events.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { idOf } from '#values/stream-name.ts';

/** An instance of a process that the log has opened and not closed. */
export interface OpenInstance {
  readonly process: 'place-order' | 'settle-payment' | 'expire-invoice';
  /** The stream's id: of the basket, or of the invoice. */
  readonly id: string;
  /** Revision of the event that opened it, or of the payment that it went on with. */
  readonly revision: number;
}

export interface OpenInstances extends ReferencePart {
  list(): readonly OpenInstance[];
}

/**
 * The processes that are under way, folded from the log like reference state and with a snapshot, so that finding what
 * a crash left open never scans the log.
 */
export const createOpenInstances = (): OpenInstances => {
  let open = new Map<string, OpenInstance>();
  const opens =
    (process: OpenInstance['process']) =>
    ({ stream, revision }: Recorded): void => {
      const id = idOf(stream);
      open.set(`${process} ${id}`, { process, id, revision });
    };
  const end = (process: OpenInstance['process'], id: string): void => void open.delete(`${process} ${id}`);
  const ends =
    (process: OpenInstance['process']) =>
    ({ stream }: Recorded): void =>
      end(process, idOf(stream));
  const settles = ends('settle-payment');
  const on: Partial<Fold<CheckoutEvent | InvoiceEvent>> = {
    OrderPlacementStarted: opens('place-order'),
    OrderPlaced: ends('place-order'),
    OrderPlacementFailed: ends('place-order'),
    PaymentAttempted: opens('settle-payment'),
    PaymentCaptured: (event) => {
      const { balance, isLate = false } = event.data;
      if (balance.paymentStatus === 'Paid' && !isLate) opens('settle-payment')(event);
      else settles(event);
    },
    PaymentDeclined: settles,
    PaymentNotAttempted: settles,
    SaleConfirmed: settles,
    InvoiceCancelled: (event) => {
      // Nobody is asked to charge for it any more; what it held is to be given back.
      settles(event);
      opens('expire-invoice')(event);
    },
    OrderExpired: ({ data }) => end('expire-invoice', data.invoiceId),
  };
  return {
    name: 'open-instances',
    version: 1,
    on,
    list: () => [...open.values()],
    snapshot: () => [...open.values()],
    restore: (snapshot) => {
      const instances = (snapshot ?? []) as readonly OpenInstance[];
      open = new Map(instances.map((instance) => [`${instance.process} ${instance.id}`, instance]));
    },
  };
};
