import type { Document } from '#kernel/projection.ts';
import { confirmMark } from '#log/confirm-mark.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { idOf } from '#values/stream-name.ts';

/** The invoice that an order, a shipment, a payment, a refund or a download link belongs to, under its id. */
interface Place extends Document {
  readonly invoiceId: string;
}

/** How far the log has been looked through. */
interface Mark extends Document {
  readonly position: number;
  /** Which event is there; absent where an older release wrote it. */
  readonly eventId?: string;
}

const PLACES = 'payment_places';
const MARKS = 'payment_place_marks';
/** A new mark for every further name: the log is scanned again. */
const MARK = 'looked-through-5';

/** Of fields that are GUIDs wherever they stand in the text of an event: what they name. */
const named =
  (...fields: readonly string[]) =>
  (data: string): readonly string[] =>
    Array.from(
      data.matchAll(new RegExp(`"(?:${fields.join('|')})":"([0-9a-f-]{36})"`, 'g')),
      ([, id = '']) => id,
    );

/** By event that tells of something for the first time, what names it. */
const naming: Readonly<Record<string, (data: string) => readonly string[]>> = {
  InvoiceCreated: named('orderId'),
  // It may open orders.
  InvoiceEdited: named('orderId'),
  ShipmentCreated: named('shipmentId'),
  FulfilmentSubmitted: named('referenceId'),
  DownloadLinksCreated: named('linkId'),
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
 * Which invoice an id belongs to: rows of the state store, made from the log in the background, since a purchase has
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
   * Where the log was restored to before the mark, all of it is looked through again. What was found in the lost part
   * stays: it leads to invoices that the log does not have.
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
    /** Null for an unknown id. */
    find: async (id: string): Promise<string | null> => {
      const invoiceId = await known(id);
      if (invoiceId !== null) return invoiceId;
      // One that is under way may have begun before it was there.
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
