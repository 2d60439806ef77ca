import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { supplier } from '#entities/supplier.entity.ts';
import type { WarehouseEvent } from '#entities/warehouse.entity.ts';
import type { EventOf } from '#events/define-events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { Fold, ReferencePart } from '#reference/reference-part.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { fulfilmentProviderOf } from '#values/fulfilment-providers.ts';
import { idOf } from '#values/stream-name.ts';
import { createDueMinutes } from './due-minutes.ts';
import { createServedWarehouses } from './served-warehouses.ts';

/**
 * What is to be done for an order: `submit` it, again if need be, `cancel` it at its provider, or `watch` it there.
 * While it is `asked`, its process does the rest.
 */
type Stage = 'submit' | 'asked' | 'watch' | 'cancel';

export interface OrderWork {
  readonly orderId: string;
  readonly invoiceId: string;
  readonly stage: Stage;
  /** On hold, or cancelled while its provider is asked: nothing is done until that ends. */
  readonly state: 'open' | 'held' | 'cancelled';
  /** Milliseconds of the shop's clock. */
  readonly dueAt: number;
}

type Kept =
  | OrderWork
  | { readonly warehouseId: string; readonly isServed: boolean; readonly supplierId: string | null }
  | { readonly supplierId: string; readonly isServed: true };

/** Orders with work left to do at their providers. Bounded, as every order ends. */
export interface FulfilmentWork extends ReferencePart {
  /** At most `max` orders to submit or cancel by now. */
  due(now: number, max: number): readonly OrderWork[];
  /** At most `max` orders not polled for `intervalMs`, longest waiting first. */
  toPoll(now: number, intervalMs: number, max: number): readonly OrderWork[];
  /**
   * Puts off an order that could not be handled by a minute. To submit, each wait doubles, up to 16 minutes, until
   * something happens to the order or to the warehouses and suppliers that orders wait for.
   */
  putOff(orderId: string, now: number): void;
  /** Called whenever something may have become due. */
  watch(listener: () => void): void;
  count(): number;
}

type SupplierEvent = EventOf<(typeof supplier)['events']>;
type Told<Type extends InvoiceEvent['type']> = Recorded<Extract<InvoiceEvent, { readonly type: Type }>>;

const isWatched = (providerKey: string): boolean => {
  const known = fulfilmentProviderOf(providerKey);
  return known !== undefined && (known.supportsPolling || known.supportsOrderCancellation);
};

const LOOK_AGAIN_MS = 60_000;
const MOST_DOUBLED = 4;

/** Counts polls of an order since its last news. */
const createLooks = () => {
  const looks = new Map<string, number>();
  return {
    pauseFor: ({ orderId, stage }: OrderWork): number => {
      const before = looks.get(orderId) ?? 0;
      if (stage === 'submit') looks.set(orderId, Math.min(before + 1, MOST_DOUBLED));
      return LOOK_AGAIN_MS * 2 ** before;
    },
    forget: (orderId: string): void => void looks.delete(orderId),
    clear: (): void => looks.clear(),
  };
};

const createBook = (tell: () => void) => {
  const entries = new ChunkedEntries<Kept>();
  const served = createServedWarehouses();
  const orders = new Map<string, OrderWork>();
  const dueNow = createDueMinutes();
  const toPoll = createDueMinutes();
  const polledAt = new Map<string, number>();
  const looks = createLooks();
  const index = (work: OrderWork): void => {
    const { orderId, stage, state, dueAt } = work;
    orders.set(orderId, work);
    dueNow.leave(orderId);
    toPoll.leave(orderId);
    looks.forget(orderId);
    if (state !== 'open') return;
    if (stage === 'watch') toPoll.enter(orderId, polledAt.get(orderId) ?? dueAt);
    else if (stage !== 'asked') {
      dueNow.enter(orderId, dueAt);
      tell();
    }
  };
  const remove = (orderId: string): void => {
    if (!orders.delete(orderId)) return;
    entries.delete(orderId);
    dueNow.leave(orderId);
    toPoll.leave(orderId);
    polledAt.delete(orderId);
    looks.forget(orderId);
  };
  return {
    entries,
    served,
    orders,
    dueNow,
    toPoll,
    polledAt,
    index,
    remove,
    /** Orders that waited for a provider may have one now. */
    lookAgain: (): void => {
      for (const work of orders.values()) if (work.stage === 'submit') index(work);
    },
    putOff: (work: OrderWork, now: number): void =>
      dueNow.enter(work.orderId, Math.max(now + looks.pauseFor(work), work.dueAt)),
    put: (work: OrderWork): void => {
      entries.set(work.orderId, work);
      index(work);
    },
    change: (orderId: string, change: Partial<OrderWork>): void => {
      const before = orders.get(orderId);
      if (!before) return;
      const now = { ...before, ...change };
      entries.set(orderId, now);
      index(now);
    },
    clear: (): void => {
      for (const one of [orders, served, dueNow, toPoll, polledAt, looks]) one.clear();
    },
  };
};
type Book = ReturnType<typeof createBook>;

const timeOf = ({ recordedAt }: Pick<Recorded, 'recordedAt'>): number => Date.parse(recordedAt);

/** The order is cancelled: its provider is told, once its reference is known. */
const closed = (book: Book, orderId: string, dueAt: number): void => {
  const stage = book.orders.get(orderId)?.stage;
  if (stage === 'submit') book.remove(orderId);
  else if (stage === 'asked') book.change(orderId, { state: 'cancelled' });
  else book.change(orderId, { stage: 'cancel', state: 'open', dueAt });
};

const onMoved =
  (book: Book) =>
  (event: Told<'OrderStatusChanged'>): void => {
    const { orderId, to } = event.data;
    const known = book.orders.get(orderId);
    if (to === 'OnHold') return book.change(orderId, { state: 'held' });
    if (to === 'Cancelled') return closed(book, orderId, timeOf(event));
    if (to === 'ReadyToFulfill' && (!known || known.stage === 'submit') && book.served.isAnyServed())
      return book.put({
        ...{ orderId, invoiceId: idOf(event.stream), stage: 'submit', state: 'open' },
        dueAt: timeOf(event),
      });
    if (to === 'Completed' || (known?.stage === 'submit' && to !== 'Processing')) return book.remove(orderId);
    if (known?.state === 'held') book.change(orderId, { state: 'open' });
  };

/** Only orders from a warehouse with a provider. */
const onSold =
  ({ served, remove }: Book) =>
  ({ data: { content } }: Told<'SaleConfirmed'>): void => {
    for (const { orderId, warehouseId } of content.orders) if (!served.has(warehouseId)) remove(orderId);
  };

/** No other event reports the status of an order that an edit opens. */
const onEdited =
  ({ orders, put, served }: Book) =>
  ({ stream, data: { orderStatuses, content, isOfSale, editedAt } }: Told<'InvoiceEdited'>): void => {
    for (const { orderId, warehouseId } of isOfSale ? content.orders : []) {
      const isNew = orderStatuses[orderId] === 'ReadyToFulfill' && !orders.has(orderId);
      if (isNew && served.has(warehouseId))
        put({
          ...{ orderId, invoiceId: idOf(stream), stage: 'submit', state: 'open' },
          dueAt: Date.parse(editedAt),
        });
    }
  };

const onPlaces = ({ entries, served, lookAgain }: Book): Partial<Fold<WarehouseEvent | SupplierEvent>> => {
  const putWarehouse = ({
    stream,
    data,
  }: Recorded<Extract<WarehouseEvent, { type: 'WarehouseCreated' }>>) => {
    const warehouseId = idOf(stream);
    const { supplierId, fulfilmentProviderConfigurationId } = data.warehouse;
    const isServed = fulfilmentProviderConfigurationId !== null;
    served.putWarehouse(warehouseId, isServed, supplierId);
    entries.set(`warehouse ${warehouseId}`, { warehouseId, isServed, supplierId });
    lookAgain();
  };
  const putSupplier = ({ stream, data }: Recorded<Extract<SupplierEvent, { type: 'SupplierCreated' }>>) => {
    const supplierId = idOf(stream);
    const isServed = data.supplier.defaultFulfilmentProviderConfigurationId !== null;
    served.putSupplier(supplierId, isServed);
    if (isServed) entries.set(`supplier ${supplierId}`, { supplierId, isServed });
    else entries.delete(`supplier ${supplierId}`);
    lookAgain();
  };
  return {
    WarehouseCreated: putWarehouse,
    WarehouseChanged: putWarehouse as never,
    WarehouseDeleted: ({ stream }) => {
      served.removeWarehouse(idOf(stream));
      entries.delete(`warehouse ${idOf(stream)}`);
    },
    SupplierCreated: putSupplier,
    SupplierChanged: putSupplier as never,
    SupplierDeleted: ({ stream }) => {
      served.putSupplier(idOf(stream), false);
      entries.delete(`supplier ${idOf(stream)}`);
    },
  };
};

const foldOf = (book: Book): Partial<Fold<InvoiceEvent | WarehouseEvent | SupplierEvent>> => {
  const ended = ({ data: { orderId } }: { readonly data: { readonly orderId: string } }): void =>
    book.remove(orderId);
  return {
    ...onPlaces(book),
    OrderStatusChanged: onMoved(book),
    SaleConfirmed: onSold(book),
    InvoiceEdited: onEdited(book),
    InvoiceDeleted: (event) => {
      for (const orderId of event.data.orderIds) closed(book, orderId, timeOf(event));
    },
    FulfilmentSubmissionAttempted: ({ stream, data: { orderId, askedAt } }) =>
      book.put({
        ...{ orderId, invoiceId: idOf(stream), stage: 'asked', state: 'open' },
        dueAt: Date.parse(askedAt),
      }),
    FulfilmentAttemptFailed: (event) => {
      const { orderId, nextAt } = event.data;
      if (nextAt === null) book.remove(orderId);
      else book.change(orderId, { stage: 'submit', dueAt: Date.parse(nextAt) });
    },
    FulfilmentSubmitted: ({ data: { orderId, providerKey, submittedAt } }) => {
      if (!isWatched(providerKey)) return book.remove(orderId);
      const isCancelled = book.orders.get(orderId)?.state === 'cancelled';
      const stage = isCancelled ? 'cancel' : 'watch';
      book.change(orderId, {
        ...{ stage, dueAt: Date.parse(submittedAt) },
        ...(isCancelled && { state: 'open' }),
      });
    },
    // The provider cancelled the order itself, and need not be told.
    FulfilmentStatusNoted: (event) => (event.data.mappedStatus === 'Cancelled' ? ended(event) : undefined),
    FulfilmentCancellationEnded: ended,
    FulfilmentWatchEnded: ended,
  };
};

const isOrder = (kept: Kept): kept is OrderWork => 'orderId' in kept;

export const createFulfilmentWork = (): FulfilmentWork => {
  const listeners: (() => void)[] = [];
  const book = createBook(() => {
    for (const listener of listeners) listener();
  });
  const { entries, orders, dueNow, toPoll, polledAt, served } = book;
  const named = (ids: readonly string[]): readonly OrderWork[] =>
    ids.flatMap((id) => {
      const work = orders.get(id);
      return work ? [work] : [];
    });
  return {
    name: 'fulfilment-work',
    isBookkeeping: true,
    version: 1,
    on: foldOf(book),
    due: (now, max) => named(dueNow.due(now, max)).filter(({ dueAt }) => dueAt <= now),
    toPoll: (now, intervalMs, max) => {
      const ids = toPoll.due(now - intervalMs, max);
      for (const id of ids) {
        polledAt.set(id, now);
        toPoll.enter(id, now);
      }
      return named(ids);
    },
    putOff: (orderId, now) => {
      const known = orders.get(orderId);
      const isWaiting = known?.state === 'open' && (known.stage === 'submit' || known.stage === 'cancel');
      if (isWaiting) book.putOff(known, now);
    },
    watch: (listener) => void listeners.push(listener),
    count: () => orders.size,
    entries,
    restore: (kept) => {
      for (const [key, one] of kept as readonly (readonly [string, Kept])[]) {
        entries.set(key, one);
        if (isOrder(one)) book.index(one);
        else if ('warehouseId' in one) served.putWarehouse(one.warehouseId, one.isServed, one.supplierId);
        else served.putSupplier(one.supplierId, true);
      }
    },
    clear: book.clear,
  };
};
