/** Where an order may stand (docs/rules/orders.md#transitions). */
export const orderStatuses = [
  'Pending',
  'AwaitingStock',
  'ReadyToFulfill',
  'Processing',
  'PartiallyShipped',
  'Shipped',
  'Completed',
  'Cancelled',
  'OnHold',
  'FulfilmentFailed',
] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** By status, where an order cannot go from it (docs/rules/orders.md#transitions). */
const refused: Readonly<Partial<Record<OrderStatus, readonly OrderStatus[]>>> = {
  Pending: ['Shipped'],
  AwaitingStock: ['Shipped'],
  Processing: ['Pending', 'ReadyToFulfill'],
  PartiallyShipped: ['Cancelled'],
  Shipped: ['Cancelled', 'Processing', 'ReadyToFulfill'],
  Completed: orderStatuses.filter((status) => status !== 'Shipped'),
  Cancelled: orderStatuses,
};

/** Whether an order may go from one status to another; to where it is already, always. */
export const canMove = (from: OrderStatus, to: OrderStatus): boolean =>
  from === to || !(refused[from] ?? []).includes(to);

/** ISO instants; null for what has not happened. */
export interface OrderDates {
  readonly processingStartedDate: string | null;
  readonly shippedDate: string | null;
  readonly completedDate: string | null;
  readonly cancelledDate: string | null;
}

export const noOrderDates: OrderDates = {
  processingStartedDate: null,
  shippedDate: null,
  completedDate: null,
  cancelledDate: null,
};

/**
 * The dates of an order once it has moved: the first of each counts. An order that leaves Completed is not completed,
 * and one that is packed again is not shipped.
 */
export const datesAfter = (dates: OrderDates, to: OrderStatus, at: string): OrderDates => {
  const left: OrderDates = { ...dates, completedDate: to === 'Completed' ? at : null };
  switch (to) {
    case 'Pending':
    case 'ReadyToFulfill':
      return { ...left, shippedDate: null };
    case 'Processing':
      return { ...left, shippedDate: null, processingStartedDate: dates.processingStartedDate ?? at };
    case 'Shipped':
      return { ...left, shippedDate: dates.shippedDate ?? at };
    case 'Cancelled':
      return { ...left, cancelledDate: at };
    default:
      return left;
  }
};

/** Whether a move sets one of these dates, or takes one back. */
export const changesDates = (from: OrderStatus, to: OrderStatus): boolean =>
  from === 'Completed' ||
  from === 'Shipped' ||
  ['Processing', 'Shipped', 'Completed', 'Cancelled'].includes(to);

export const fulfillmentStatuses = ['Unfulfilled', 'Processing', 'Partial', 'Fulfilled'] as const;
export type FulfillmentStatus = (typeof fulfillmentStatuses)[number];

/** Cancelled orders do not count: what remains decides (docs/rules/orders.md#statuses). */
export const fulfillmentOf = (statuses: readonly OrderStatus[]): FulfillmentStatus => {
  const open = statuses.filter((status) => status !== 'Cancelled');
  const isSent = (status: OrderStatus): boolean => status === 'Shipped' || status === 'Completed';
  if (open.length > 0 && open.every(isSent)) return 'Fulfilled';
  if (open.some((status) => isSent(status) || status === 'PartiallyShipped')) return 'Partial';
  return open.includes('Processing') ? 'Processing' : 'Unfulfilled';
};
