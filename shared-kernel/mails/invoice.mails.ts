import { formatMoney, toDecimal } from '#values/money.ts';
import type { EventNamed } from '#topics/topic.ts';
import { businessDayInWords, counted } from './in-words.ts';
import { mailTopic, type MailFacts, type MailMessage } from './mail-topic.ts';
import { aboutInvoice, sampleSale, suggested, type SaleNotification } from './order.mails.ts';
import type { OrderNotification } from './order-notification.ts';
import { sampleOrderNotification } from './order-sample.ts';

interface PaymentNotification extends OrderNotification {
  readonly amount: number;
  readonly formattedAmount: string;
  readonly paymentProviderAlias: string;
}

interface RefundNotification extends OrderNotification {
  readonly refundAmount: number;
  readonly formattedRefundAmount: string;
  readonly refundReason: string | null;
}

interface ReminderNotification extends OrderNotification {
  readonly dayDue: string;
  /** Until the invoice is due, or since it was. */
  readonly days: number;
  /** `in 7 days`, `today`, `3 days ago`. */
  readonly when: string;
  /** From 1. */
  readonly reminderNumber: number;
}

const samplePayment: PaymentNotification = {
  ...sampleOrderNotification,
  amount: 25.92,
  formattedAmount: '£25.92',
  paymentProviderAlias: 'manual',
};

const sampleRefund: RefundNotification = {
  ...sampleOrderNotification,
  refundAmount: 12,
  formattedRefundAmount: '£12.00',
  refundReason: 'Damaged in transit',
};

const sampleOwed = {
  ...sampleOrderNotification,
  amountPaid: 0,
  balanceDue: 25.92,
  formattedAmountPaid: null,
  formattedBalanceDue: '£25.92',
  paymentStatus: 'AwaitingPayment',
  purchaseOrderNumber: 'PO-1815',
  dueDate: '31 March 2026',
  dayDue: '31 March 2026',
};

type Captured = EventNamed<'PaymentCaptured'>;

const paid = ({ data }: Captured, facts: MailFacts): MailMessage<PaymentNotification> | null =>
  aboutInvoice(facts, {
    amount: toDecimal(data.amount, data.currency),
    formattedAmount: formatMoney(data.amount, data.currency),
    paymentProviderAlias: data.provider,
  });

/** What comes too late or twice is owed back. */
const isOwedBack = ({ data: { isLate, isSurplus } }: Captured): boolean => Boolean(isLate ?? isSurplus);

const refunded = (
  { data: { amount, currency, reason } }: EventNamed<'PaymentRefunded'>,
  facts: MailFacts,
): MailMessage<RefundNotification> | null =>
  aboutInvoice(facts, {
    refundAmount: toDecimal(amount, currency),
    formattedRefundAmount: formatMoney(amount, currency),
    refundReason: reason,
  });

const reminded = (
  { data: { kind, number, days, dayDue } }: EventNamed<'InvoiceReminded'>,
  facts: MailFacts,
): MailMessage<ReminderNotification> | null => {
  const span = counted(days, 'day');
  const until = days === 0 ? 'today' : `in ${span}`;
  const when = kind === 'dueSoon' ? until : `${span} ago`;
  return aboutInvoice(facts, { dayDue: businessDayInWords(dayDue), days, when, reminderNumber: number });
};

export const invoiceMails = {
  'invoice.created': mailTopic<SaleNotification>({
    displayName: 'Invoice Created',
    description: 'A sale is confirmed: paid, on account or entered by hand.',
    sample: sampleSale,
    on: { SaleConfirmed: (_, facts) => aboutInvoice(facts, suggested(facts)) },
  }),
  'invoice.paid': mailTopic<PaymentNotification>({
    displayName: 'Invoice Paid',
    description: 'A payment leaves nothing of an invoice to be paid.',
    sample: samplePayment,
    on: {
      PaymentCaptured: (event, facts) =>
        event.data.balance.balanceDue > 0 || isOwedBack(event) ? null : paid(event, facts),
    },
  }),
  'invoice.refunded': mailTopic<RefundNotification>({
    displayName: 'Invoice Refunded',
    description: 'Money of an invoice is given back.',
    sample: sampleRefund,
    on: { PaymentRefunded: refunded },
  }),
  'invoice.deleted': mailTopic<OrderNotification>({
    displayName: 'Invoice Deleted',
    description: 'An invoice is taken out of the lists.',
    sample: sampleOrderNotification,
    on: { InvoiceDeleted: (_, facts) => aboutInvoice(facts, {}) },
  }),
  'invoice.reminder': mailTopic<ReminderNotification>({
    displayName: 'Invoice Due Soon',
    description: 'An invoice on account is due soon.',
    sample: { ...sampleOwed, days: 7, when: 'in 7 days', reminderNumber: 1 },
    on: {
      InvoiceReminded: (event, facts) => (event.data.kind === 'dueSoon' ? reminded(event, facts) : null),
    },
  }),
  'invoice.overdue': mailTopic<ReminderNotification>({
    displayName: 'Invoice Overdue',
    description: 'An invoice on account is overdue.',
    sample: { ...sampleOwed, days: 8, when: '8 days ago', reminderNumber: 2 },
    on: {
      InvoiceReminded: (event, facts) => (event.data.kind === 'overdue' ? reminded(event, facts) : null),
    },
  }),
};

export const paymentMails = {
  'payment.created': mailTopic<PaymentNotification>({
    displayName: 'Payment Created',
    description: 'A payment arrives, even if something is left to be paid.',
    sample: samplePayment,
    on: { PaymentCaptured: (event, facts) => paid(event, facts) },
  }),
  'payment.refunded': mailTopic<RefundNotification>({
    displayName: 'Payment Refunded',
    description: 'A payment is given back, in full or in part.',
    sample: sampleRefund,
    on: { PaymentRefunded: refunded },
  }),
};
