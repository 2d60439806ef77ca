import { expect } from 'chai';
import { invoiceDecider } from '#command/contexts/invoices/invoice.decider.ts';
import { isKnown } from '#command/contexts/invoices/invoice.state.ts';
import { orderListProjection } from '#projection/contexts/orders/order-list.projection.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { closedBalance, invoiceBalance } from '#values/invoice-balance.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { given, givenStream } from '#test/support/given.ts';

const {
  InvoiceCancelled,
  PaymentAskedAgain,
  PaymentAttemptMatched,
  PaymentDeclined,
  PaymentPending,
  PaymentPromised,
  PaymentSessionClosed,
  PaymentSessionOpened,
  PurchaseOrderAccepted,
} = invoiceEvents.create;

const now = '2026-03-01T09:05:00.000Z';
const { stream, placed, captured, invoiceName } = invoice('awaited');
const unpaid = invoiceBalance(2640, 0, 0);
const awaited = { ...unpaid, paymentStatus: 'AwaitingPayment' as const };
const card = { provider: 'sandbox', method: 'card' };

const opened = (sessionId: string, kind: 'redirect' | 'intent' = 'redirect', attempt?: string) =>
  PaymentSessionOpened({
    ...invoiceName,
    ...card,
    ...{ sessionId, kind, amount: 2640, currency: 'GBP', returnUrl: null, cancelUrl: null },
    openedAt: now,
    ...(attempt === undefined ? {} : { attemptId: idNamed(attempt) }),
    balance: kind === 'intent' ? unpaid : awaited,
  });
type Reason = 'cancelled' | 'voided' | 'declined' | 'paid';
const closed = (sessionId: string, reason: Reason, more: { endsPending?: true } = {}) =>
  PaymentSessionClosed({ ...card, sessionId, reason, closedAt: now, ...more });
const pending = (attempt: string | null, sessionId: string | null = null) =>
  PaymentPending({
    ...card,
    ...{ transactionId: 'tx', attemptId: attempt && idNamed(attempt), sessionId },
    ...{ amount: 2640, currency: 'GBP', pendingSince: now },
  });
const declined = (attempt: string | null, more: { endsPending?: true } = {}) =>
  PaymentDeclined({
    ...card,
    ...{ attemptId: attempt && idNamed(attempt), code: 'declined', message: 'No.', endedAt: now },
    ...more,
  });
const askedAgain = (attempt: string) => PaymentAskedAgain({ ...card, attemptId: idNamed(attempt) });
const matched = (attempt: string) =>
  PaymentAttemptMatched({ ...card, attemptId: idNamed(attempt), transactionId: 'tx' });
const onAccount = PurchaseOrderAccepted({
  ...invoiceName,
  ...{ requestId: idNamed('request'), purchaseOrderNumber: 'PO-1', dueDate: null },
  ...{ balance: awaited, acceptedAt: now },
});
const promised = PaymentPromised({
  ...invoiceName,
  ...{ provider: 'manual', method: 'manual', amount: 2640, currency: 'GBP', formData: {} },
  ...{ promisedAt: now, heldUntil: now, balance: awaited },
});
const expired = InvoiceCancelled({
  ...invoiceName,
  ...{ reason: 'expired', cancelledAt: now, balance: closedBalance(2640, 0, 0) },
});

/** As who decides has it, and as it is read: they have to agree after each of these events. */
const statusesAfter = (...steps: readonly InvoiceEvent[]): readonly string[] =>
  steps.map((step, place) => {
    const events = [placed, ...steps.slice(0, place + 1)];
    const { document } = givenStream(stream, ...events).project(orderListProjection);
    const decided = given(invoiceDecider, events).state(isKnown).balance.paymentStatus;
    expect(document?.balance.paymentStatus, `read after ${step.type}`).to.equal(decided);
    return decided;
  });

const AWAITED = 'AwaitingPayment';
const UNPAID = 'Unpaid';

describe('the payment that an invoice awaits', () => {
  const cases: readonly (readonly [string, readonly (readonly [InvoiceEvent, string])[]])[] = [
    [
      'ends with the last of its sessions',
      [
        [opened('one'), AWAITED],
        [opened('two'), AWAITED],
        [closed('one', 'cancelled'), AWAITED],
        [closed('one', 'cancelled'), AWAITED],
        [closed('two', 'voided'), UNPAID],
      ],
    ],
    [
      'is none while a form waits to be filled in, and one from its first outcome that is owed',
      [
        [opened('form', 'intent'), UNPAID],
        [pending(null, 'form'), AWAITED],
        [closed('form', 'declined', { endsPending: true }), UNPAID],
      ],
    ],
    [
      'ends with the outcome that was owed, not with that of another payment',
      [
        [pending('first'), AWAITED],
        [declined('second'), AWAITED],
        [declined(null), AWAITED],
        [declined('first'), UNPAID],
        [pending(null), AWAITED],
        [declined(null, { endsPending: true }), UNPAID],
      ],
    ],
    [
      'is one while a provider has left the outcome of a charge unknown, until it is known',
      [
        [askedAgain('first'), AWAITED],
        [declined('second'), AWAITED],
        [declined('first'), UNPAID],
        [askedAgain('third'), AWAITED],
        [opened('bank', 'redirect', 'third'), AWAITED],
        [closed('bank', 'declined'), UNPAID],
        [askedAgain('fourth'), AWAITED],
        [matched('fourth'), UNPAID],
      ],
    ],
    [
      'goes on under a purchase order, whatever comes of a card',
      [
        [opened('one'), AWAITED],
        [onAccount, AWAITED],
        [closed('one', 'declined'), AWAITED],
        [pending('first'), AWAITED],
        [declined('first'), AWAITED],
      ],
    ],
    [
      'goes on for money that was promised by hand',
      [
        [promised, AWAITED],
        [opened('one'), AWAITED],
        [closed('one', 'cancelled'), AWAITED],
      ],
    ],
    [
      'is none once the invoice is closed, whatever comes late',
      [
        [promised, AWAITED],
        [opened('one'), AWAITED],
        [pending(null, 'one'), AWAITED],
        [expired, UNPAID],
        [closed('one', 'voided'), UNPAID],
        [pending('late'), UNPAID],
      ],
    ],
    [
      'gives way to money',
      [
        [opened('one'), AWAITED],
        [captured(640), 'PartiallyPaid'],
        [closed('one', 'voided'), 'PartiallyPaid'],
        [captured(), 'Paid'],
      ],
    ],
  ];
  for (const [name, steps] of cases) {
    it(name, () => {
      const found = statusesAfter(...steps.map(([event]) => event));
      expect(found).to.deep.equal(steps.map(([, status]) => status));
    });
  }
});
