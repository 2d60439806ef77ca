import type { BasketView } from '#events/basket-view.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { callsOf, remember, type Effect, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { ChargeOutcome } from '#ports/payment-requests.ts';
import type { PlacedOrder } from '../basket/basket.state.ts';
import { basketLinesStream } from '../basket/basket.stream.ts';
import { basketEndStream } from '../checkout/checkout.stream.ts';
import type { SetOutstanding } from '../customers/customer.commands.ts';
import { toCustomer } from '../customers/customer.stream.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import { isKnown, isSold, type InvoiceState, type KnownInvoice } from '../invoices/invoice.state.ts';
import type { OpenAttempt } from '../invoices/payments/open-attempt.state.ts';
import { outstandingToNote } from '../invoices/payments/owed.state.ts';
import type { OfferedAfterwards } from '../invoices/post-purchase/post-purchase.commands.ts';
import { savedMethodsStream } from '../payment-methods/saved-methods.stream.ts';
import { leftoversOf, settledUses, settledUsesOfEdits } from './settled-sale.ts';

/** An invoice with an open attempt, or sold and not announced, or owed otherwise than its customer's stream says. */
export interface OpenSettlement {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
  readonly revision: number;
  /** This driver's right to ask the provider first; null when another caller may have asked before. */
  readonly askId: string | null;
  /** The basket that takes what was added after the invoice was made; null without a basket. */
  readonly nextBasketId: string | null;
  /** Something may be offered after this purchase. */
  readonly mayOffer: boolean;
}

interface Found {
  /** False when the attempt has ended meanwhile: the provider is not asked. */
  readonly isToBeAsked: boolean;
  readonly outcome: AttemptCharged;
  /** Paid, authorised, or accepted on account. */
  readonly isSold: boolean;
  /** What the customer's stream is to be told is owed on account, and the invoice's revision that says so. */
  readonly owed: Pick<SetOutstanding, 'amount' | 'dueDate' | 'asOf'> | null;
  /** As it was closed. */
  readonly basket: BasketView | null;
  /** The order that was sold, as its basket has it. */
  readonly order: PlacedOrder | null;
  /** What the order can be added to with; null for nothing. */
  readonly offer: OfferedAfterwards | null;
}

/** What the call `charge` answers: with the method that was saved with it. */
export type AttemptCharged = ChargeOutcome & { readonly keptMethodId?: string };

export interface ChargeInput {
  readonly invoiceId: string;
  readonly attempt: OpenAttempt;
}

export interface SettlementCalls {
  readonly charge: (asked: ChargeInput) => Promise<AttemptCharged>;
  readonly offerAfterwards: (sold: {
    readonly invoiceId: string;
    /** The saved method that paid; null where it was none. */
    readonly chargedMethodId: string | null;
  }) => Promise<OfferedAfterwards | null>;
}

const call = callsOf<SettlementCalls>();

const owedIn = (state: InvoiceState, asOf: number): Found['owed'] => {
  const owed = isKnown(state) ? outstandingToNote(state) : null;
  return owed && { ...owed, asOf };
};

const isFirst = ({ invoice: { openAttempt }, askId }: OpenSettlement): boolean =>
  askId !== null && askId === openAttempt?.firstAsk;

/** What the provider said, as a command. An unknown outcome is no failure: the attempt stays open. */
const recordOutcome = (open: OpenSettlement, attemptId: string, outcome: AttemptCharged) => {
  switch (outcome.kind) {
    case 'completed':
    case 'authorized': {
      const { transactionId, keptMethodId, risk, authorizedUntil: expiresAt = null } = outcome;
      const of = { attemptId, transactionId, ...defined({ keptMethodId, risk }) };
      return outcome.kind === 'completed'
        ? [{ type: 'CapturePayment', ...of } as const]
        : [{ type: 'AuthorizePayment', ...of, expiresAt } as const];
    }
    case 'refused': {
      const { code, message } = outcome;
      return [{ type: 'DeclinePayment', attemptId, code, message } as const];
    }
    case 'unavailable': {
      // Says nothing of an earlier ask (docs/rules/payments.md#asking).
      if (!isFirst(open)) return [];
      const reason = 'the provider could not be reached';
      return [{ type: 'GiveUpAttempt', attemptId, askId: open.askId, reason } as const];
    }
    case 'pending':
      return [{ type: 'AwaitOutcome', attemptId, transactionId: outcome.transactionId } as const];
    case 'requiresAction': {
      const { sessionId, redirectUrl, clientSecret } = outcome.session;
      return [{ type: 'SendPayerOn', attemptId, sessionId, redirectUrl, clientSecret } as const];
    }
    case 'unknownOutcome':
      return [];
  }
};

/** Not everything that comes in is of the attempt that waits for its outcome. */
const endsAttempt = ({ data }: { readonly data: unknown }): Effect | null =>
  (data as { readonly attemptId?: string | null }).attemptId ? 'ends' : null;

/** From an attempt that was recorded to a sale that is announced. Sent again, it goes on from what the streams say. */
export const settlePayment: Process<OpenSettlement, Found> = {
  name: 'settle-payment',
  on: {
    PaymentAttempted: 'opens',
    PaymentCaptured: endsAttempt,
    PaymentAuthorized: endsAttempt,
    PaymentPending: endsAttempt,
    PaymentSessionOpened: endsAttempt,
    PaymentAttemptMatched: 'ends',
    PaymentDeclined: endsAttempt,
    PaymentNotAttempted: 'ends',
    // No charge is attempted for it any more.
    InvoiceCancelled: 'ends',
    InvoiceDeleted: 'ends',
  },
  takenOver: null,
  begins: ({ invoice, revision }) => ({
    isToBeAsked: invoice.openAttempt !== null,
    outcome: { kind: 'unknownOutcome' },
    isSold: isSold(invoice),
    owed: owedIn(invoice, revision),
    basket: null,
    order: null,
    offer: null,
  }),
  steps: [
    {
      name: 'record that another caller asks, or asks again',
      commands: (open) => {
        const { invoiceId, invoice } = open;
        const { openAttempt } = invoice;
        if (openAttempt === null || openAttempt.firstAsk === null || isFirst(open)) return [];
        return [
          remember(
            to(invoiceStream, invoiceId, { type: 'AskAgain', attemptId: openAttempt.attemptId }),
            (found, { state }) => ({ ...found, isToBeAsked: isKnown(state) && state.openAttempt !== null }),
          ),
        ];
      },
    },
    {
      name: 'ask the provider',
      commands: ({ invoiceId, invoice: { openAttempt } }, { isToBeAsked }) =>
        openAttempt && isToBeAsked
          ? [
              remember(call('charge', { invoiceId, attempt: openAttempt }), (found, outcome) => ({
                ...found,
                outcome,
              })),
            ]
          : [],
    },
    {
      name: 'record what it said',
      commands: (open, { outcome }) => {
        const attemptId = open.invoice.openAttempt?.attemptId;
        if (attemptId === undefined) return [];
        return recordOutcome(open, attemptId, outcome).map((command) =>
          remember(to(invoiceStream, open.invoiceId, command), (found, { state, revision }) => ({
            ...found,
            isSold: isSold(state),
            owed: owedIn(state, revision),
          })),
        );
      },
    },
    {
      name: 'note that a saved method was used',
      isTidyingUp: true,
      commands: ({ invoiceId, invoice: { openAttempt } }, { outcome }) =>
        openAttempt?.saved && (outcome.kind === 'completed' || outcome.kind === 'authorized')
          ? [
              to(savedMethodsStream, openAttempt.saved.customerId, {
                type: 'NotePaymentMethodUsed',
                methodId: openAttempt.saved.methodId,
                invoiceId,
              }),
            ]
          : [],
    },
    {
      name: 'record the sale and close the basket',
      commands: (
        { invoiceId, invoice: { content, invoiceNumber, isConfirmed, billingCountryCode: countryCode } },
        found,
      ) => {
        if (!found.isSold || isConfirmed) return [];
        const {
          customerId,
          basketId,
          businessDay,
          createdAt: placedAt,
          amountsInStoreCurrency,
          source,
        } = content;
        const { total } = amountsInStoreCurrency;
        const of = { invoiceId, businessDay, sourceType: source.type, total, placedAt, countryCode };
        const baskets = basketId === null ? [] : [basketId];
        return [
          ...toCustomer(customerId, { type: 'RecordCustomerSale', ...of }),
          ...baskets.map((id) =>
            remember(
              to(basketEndStream, id, { type: 'CompleteBasket', invoiceId, invoiceNumber }),
              (before: Found, { state: { basket, order } }) => ({ ...before, basket, order }),
            ),
          ),
        ];
      },
    },
    {
      name: 'count the uses of its discounts for good',
      isTidyingUp: true,
      commands: ({ invoiceId, invoice }, { order, isSold: isToBeCounted }) => [
        ...(order?.invoiceId === invoiceId ? settledUses(invoice, order) : []),
        ...(isToBeCounted ? settledUsesOfEdits(invoice) : []),
      ],
    },
    {
      // Added after the invoice was made, and not charged. What cannot be bought any more stays behind.
      name: 'carry over what was not bought',
      isTidyingUp: true,
      commands: ({ invoiceId, invoice, nextBasketId }, { basket }) =>
        basket === null || nextBasketId === null
          ? []
          : leftoversOf(basket, invoice.madeAs ?? invoice.content).map(({ key, ...goods }) => {
              const add = { type: 'AddBasketLine', ...goods, startFor: basket.destination } as const;
              const commandId = derivedId('leftover', invoiceId, key);
              return to(basketLinesStream, nextBasketId, add, commandId);
            }),
    },
    {
      name: 'see what to offer after it',
      commands: ({ invoiceId, invoice, mayOffer }, found) =>
        mayOffer && found.isSold && !invoice.isConfirmed
          ? [
              remember(
                call('offerAfterwards', {
                  invoiceId,
                  chargedMethodId: invoice.openAttempt?.saved?.methodId ?? null,
                }),
                (before, offer) => ({ ...before, offer }),
              ),
            ]
          : [],
    },
    {
      name: 'announce the sale',
      commands: ({ invoiceId }, found) =>
        found.isSold
          ? [
              to(invoiceStream, invoiceId, {
                type: 'ConfirmSale',
                ...(found.offer ? { offer: found.offer } : {}),
              }),
            ]
          : [],
    },
    {
      name: 'tell the customer what is still owed',
      commands: ({ invoiceId, invoice }, { owed }) =>
        owed === null
          ? []
          : toCustomer(invoice.content.customerId, { type: 'SetOutstanding', invoiceId, ...owed }),
    },
    {
      name: 'note that they know',
      commands: ({ invoiceId }, { owed }) =>
        owed === null ? [] : [to(invoiceStream, invoiceId, { type: 'NoteOutstanding', amount: owed.amount })],
    },
  ],
  completes: null,
  fails: null,
};
