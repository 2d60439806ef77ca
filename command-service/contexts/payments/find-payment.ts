import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import type { Job } from '#runtime/job-runner.ts';
import { idOf } from '#values/stream-name.ts';

/** The invoice that a payment or refund belongs to, under its id. */
interface PaymentPlace extends Document {
  readonly invoiceId: string;
}

/** How far the log has been looked through. */
interface Mark extends Document {
  readonly position: number;
}

const PLACES = 'payment_places';
const MARKS = 'payment_place_marks';
/** Another one with each further name: the log is looked through anew. */
const MARK = 'looked-through-3';

interface Naming {
  readonly paymentId?: string;
  readonly refundId?: string;
  readonly attemptId?: string | null;
  readonly failed?: { readonly paymentId: string };
}

/** Of the events that say of a payment or refund for the first time, what names it. */
const naming: Readonly<Record<string, (data: Naming) => string | null | undefined>> = {
  PaymentCaptured: ({ paymentId }) => paymentId,
  PaymentRefunded: ({ refundId }) => refundId,
  // Listed like these, so somebody may ask for their money back.
  PaymentDeclined: ({ attemptId, failed }) => attemptId ?? failed?.paymentId,
  PaymentSessionClosed: ({ attemptId, failed }) => attemptId ?? failed?.paymentId,
  RefundDeclined: ({ refundId }) => refundId,
};

const placesIn = (events: readonly StoredEvent[]): PaymentPlace[] =>
  events.flatMap(({ type, data, stream }) => {
    const id = naming[type]?.(JSON.parse(data) as Naming);
    return typeof id === 'string' ? [{ _id: id, invoiceId: idOf(stream) }] : [];
  });

/**
 * Which invoice a payment belongs to: rows of the state store, made from the log behind everybody's back, since a
 * purchase has no time for it. What has come since is looked through when somebody asks for it.
 */
export const createPaymentFinder = async ({
  store,
  stateStore,
}: {
  readonly store: EventStore;
  readonly stateStore: DocumentStore;
}) => {
  await Promise.all([stateStore.declare(PLACES), stateStore.declare(MARKS)]);
  let running: Promise<number> | null = null;

  const lookThrough = async (): Promise<number> => {
    let position = (await stateStore.get<Mark>(MARKS, MARK))?.position ?? START;
    let found = 0;
    for (;;) {
      const events = await store.readAll(position, MAX_PAGE);
      const last = events.at(-1);
      if (!last) return found;
      ({ position } = last);
      const places = placesIn(events);
      found += places.length;
      const mark: Mark = { _id: MARK, position };
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

  const known = async (paymentId: string): Promise<string | null> =>
    (await stateStore.get<PaymentPlace>(PLACES, paymentId))?.invoiceId ?? null;

  return {
    /** Null for a payment that nobody knows. */
    find: async (paymentId: string): Promise<string | null> => {
      const invoiceId = await known(paymentId);
      if (invoiceId !== null) return invoiceId;
      // One that is under way may have begun before the payment was made.
      if (running) await running;
      await catchUp();
      return known(paymentId);
    },
    job: {
      name: 'index-payments',
      schedule: '*/5 * * * *',
      runOnce: async () => ({ found: await catchUp() }),
    } satisfies Job,
  };
};

export type PaymentFinder = Awaited<ReturnType<typeof createPaymentFinder>>;
