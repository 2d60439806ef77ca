import { beyondCredit, closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { canMove, orderStatuses, type OrderStatus } from '#values/order-transitions.ts';
import { table } from './vector.ts';

/** An invoice of 100 that some money came in for, of which some was given back at once. */
const balance = (paid: number, refunded: number, isClosed: boolean): string => {
  const givenBack = beyondCredit(invoiceBalance(100, paid, 0), refunded);
  const { paymentStatus, balanceDue, creditDue } = isClosed
    ? closedBalance(100, paid, refunded, givenBack)
    : invoiceBalance(100, paid, refunded, givenBack);
  return `${paymentStatus}, due ${balanceDue}, credit ${creditDue}`;
};

export const paymentStatuses = table(
  'How is an invoice of 100 paid?',
  'docs/rules/orders.md#balance',
  balance,
  [
    ['nothing paid', 'Unpaid, due 100, credit 0', 0, 0, false],
    ['40 paid', 'PartiallyPaid, due 60, credit 0', 40, 0, false],
    ['100 paid', 'Paid, due 0, credit 0', 100, 0, false],
    ['120 paid', 'Paid, due 0, credit 20', 120, 0, false],
    ['120 paid, 20 refunded: the credit', 'PartiallyRefunded, due 0, credit 0', 120, 20, false],
    ['120 paid, 15 refunded: part of it', 'PartiallyRefunded, due 0, credit 5', 120, 15, false],
    ['100 paid, 30 given back', 'PartiallyRefunded, due 0, credit 0', 100, 30, false],
    ['100 paid, 100 given back', 'Refunded, due 0, credit 0', 100, 100, false],
    ['40 paid, 40 given back', 'Refunded, due 60, credit 0', 40, 40, false],
    ['nothing paid, cancelled', 'Unpaid, due 0, credit 0', 0, 0, true],
    ['100 paid, cancelled', 'Paid, due 0, credit 100', 100, 0, true],
    ['100 paid, 30 given back, cancelled', 'PartiallyRefunded, due 0, credit 70', 100, 30, true],
    ['100 paid, 100 refunded, cancelled', 'Refunded, due 0, credit 0', 100, 100, true],
  ],
);

/** Where an order cannot go from a status. */
const neverTo = (from: OrderStatus): string => {
  const barred = orderStatuses.filter((to) => !canMove(from, to));
  return barred.length === 0 ? 'nothing' : barred.join(', ');
};

export const orderTransitions = table(
  'Where can an order never go?',
  'docs/rules/orders.md#transitions',
  neverTo,
  [
    ['from Pending', 'Shipped', 'Pending'],
    ['from AwaitingStock', 'Shipped', 'AwaitingStock'],
    ['from ReadyToFulfill', 'nothing', 'ReadyToFulfill'],
    ['from Processing', 'Pending, ReadyToFulfill', 'Processing'],
    ['from PartiallyShipped', 'Cancelled', 'PartiallyShipped'],
    ['from Shipped', 'ReadyToFulfill, Processing, Cancelled', 'Shipped'],
    [
      'from Completed',
      'Pending, AwaitingStock, ReadyToFulfill, Processing, PartiallyShipped, Cancelled, OnHold, FulfilmentFailed',
      'Completed',
    ],
    [
      'from Cancelled',
      'Pending, AwaitingStock, ReadyToFulfill, Processing, PartiallyShipped, Shipped, Completed, OnHold, FulfilmentFailed',
      'Cancelled',
    ],
    ['from OnHold', 'nothing', 'OnHold'],
    ['from FulfilmentFailed', 'nothing', 'FulfilmentFailed'],
  ],
);
