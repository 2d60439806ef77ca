import type { Recorded } from '#kernel/event.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
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

/** What an event says about an instance: it opens it or ends it. */
interface Effect {
  readonly process: OpenInstance['process'];
  readonly is: 'open' | 'closed';
  /** Where it is not the stream's. */
  readonly id?: string;
}

const effectsOf = (event: Recorded): readonly Effect[] => {
  switch (event.type) {
    case 'OrderPlacementStarted':
      return [{ process: 'place-order', is: 'open' }];
    case 'OrderPlaced':
    case 'OrderPlacementFailed':
      return [{ process: 'place-order', is: 'closed' }];
    case 'PaymentAttempted':
      return [{ process: 'settle-payment', is: 'open' }];
    case 'PaymentCaptured': {
      const { balance, isLate = false } = event.data as {
        balance: { paymentStatus: string };
        isLate?: boolean;
      };
      const isSale = balance.paymentStatus === 'Paid' && !isLate;
      return [{ process: 'settle-payment', is: isSale ? 'open' : 'closed' }];
    }
    case 'PaymentDeclined':
    case 'PaymentNotAttempted':
    case 'SaleConfirmed':
      return [{ process: 'settle-payment', is: 'closed' }];
    case 'InvoiceCancelled':
      // Nobody is asked to charge for it any more; what it held is to be given back.
      return [
        { process: 'settle-payment', is: 'closed' },
        { process: 'expire-invoice', is: 'open' },
      ];
    case 'OrderExpired':
      return [
        { process: 'expire-invoice', is: 'closed', id: (event.data as { invoiceId: string }).invoiceId },
      ];
    default:
      return [];
  }
};

/**
 * The processes that are under way, folded from the log like reference state and with a snapshot, so that finding what
 * a crash left open never scans the log.
 */
export const createOpenInstances = (): OpenInstances => {
  let open = new Map<string, OpenInstance>();
  return {
    name: 'open-instances',
    version: 1,
    eventTypes: [
      'OrderPlacementStarted',
      'OrderPlaced',
      'OrderPlacementFailed',
      'PaymentAttempted',
      'PaymentCaptured',
      'PaymentDeclined',
      'PaymentNotAttempted',
      'SaleConfirmed',
      'InvoiceCancelled',
      'OrderExpired',
    ],
    apply: (event) => {
      for (const { process, is, id = idOf(event.stream) } of effectsOf(event)) {
        const key = `${process} ${id}`;
        if (is === 'closed') open.delete(key);
        else open.set(key, { process, id, revision: event.revision });
      }
    },
    list: () => [...open.values()],
    snapshot: () => [...open.values()],
    restore: (snapshot) => {
      const instances = (snapshot ?? []) as readonly OpenInstance[];
      open = new Map(instances.map((instance) => [`${instance.process} ${instance.id}`, instance]));
    },
  };
};
