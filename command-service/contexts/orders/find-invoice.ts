import type { Document } from '#kernel/projection.ts';
import { confirmMark } from '#log/confirm-mark.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { idOf } from '#values/stream-name.ts';

/** The invoice of an order, shipment, payment, refund or download link, under the id of that. */
interface Place extends Document {
  readonly invoiceId: string;
}

/** How far the log has been scanned. */
interface Mark extends Document {
  readonly position: number;
  /** The event at that position; absent if an older release wrote the mark. */
  readonly eventId?: string;
}

const PLACES = 'payment_places';
const MARKS = 'payment_place_marks';
/** A new mark for every further name: the log is scanned again. */
const MARK = 'looked-through-6';

/** Finds the GUIDs of these fields anywhere in the text of an event. */
const named =
  (...fields: readonly string[]) =>
  (data: string): readonly string[] =>
    Array.from(
      data.matchAll(new RegExp(`"(?:${fields.join('|')})":"([0-9a-f-]{36})"`, 'g')),
      ([, id = '']) => id,
    );

/** By event type, the ids that the event introduces. */
const naming: Readonly<Record<string, (data: string) => readonly string[]>> = {
  InvoiceCreated: named('orderId'),
  // An edit may open orders.
  InvoiceEdited: named('orderId'),
  ShipmentCreated: named('shipmentId'),
  FulfilmentSubmitted: named('referenceId'),
  DownloadLinksCreated: named('linkId'),
  PaymentAuthorized: named('paymentId'),
  PaymentCaptured: named('paymentId'),
  PaymentRefunded: named('refundId'),
  // Listed with payments, so staff may refund it.
  PaymentDeclined: named('attemptId', 'paymentId'),
  PaymentSessionClosed: named('attemptId', 'paymentId'),
  RefundDeclined: named('refundId'),
};

const placesIn = (events: readonly StoredEvent[]): Place[] =>
  events.flatMap(({ type, data, stream }) =>
    [...new Set(naming[type]?.(data))].map((_id) => ({ _id, invoiceId: idOf(stream) })),
  );

/**
 * Finds the invoice of an id in rows of the state store, which are made from the log in the background: a purchase has
 * no time for it. Newer events are read when an id is looked up.
 */
export const createInvoiceFinder = async ({
  store,
  stateStore,
}: {
  readonly store: EventStore;
  readonly stateStore: DocumentStore;
}) => {
  await Promise.all([stateStore.declare(PLACES), stateStore.declare(MARKS)]);
  let running: Promise<number> | null = null;
  let isChecked = false;

  /**
   * If the log was restored to before the mark, all of it is scanned again. Rows from the lost part stay: they lead to
   * invoices that no longer exist.
   */
  const begin = async (): Promise<number> => {
    const mark = await stateStore.get<Mark>(MARKS, MARK);
    if (mark === null || isChecked) return mark?.position ?? START;
    const { position, eventId = null } = mark;
    const confirmed = await confirmMark(store, { position, eventId });
    isChecked = confirmed !== null;
    return confirmed?.position ?? START;
  };

  const lookThrough = async (): Promise<number> => {
    let position = await begin();
    let found = 0;
    for (;;) {
      const events = await store.readAll(position, MAX_PAGE);
      const last = events.at(-1);
      if (!last) return found;
      ({ position } = last);
      const places = placesIn(events);
      found += places.length;
      const mark: Mark = { _id: MARK, position, eventId: last.id };
      await stateStore.write([
        ...places.map((put) => ({ collection: PLACES, put })),
        { collection: MARKS, put: mark },
      ]);
    }
  };

  const catchUp = (): Promise<number> => {
    running ??= lookThrough().finally(() => {
      running = null;
    });
    return running;
  };

  const known = async (id: string): Promise<string | null> =>
    (await stateStore.get<Place>(PLACES, id))?.invoiceId ?? null;

  return {
    /** Null if unknown. */
    find: async (id: string): Promise<string | null> => {
      const invoiceId = await known(id);
      if (invoiceId !== null) return invoiceId;
      // A scan under way may have begun before the id was there.
      if (running) await running;
      await catchUp();
      return known(id);
    },
    job: {
      name: 'index-invoices',
      schedule: '*/5 * * * *',
      worksOff: Object.keys(naming),
      runOnce: async () => ({ found: await catchUp() }),
    } satisfies Job,
  };
};

export type InvoiceFinder = Awaited<ReturnType<typeof createInvoiceFinder>>;
