import type { AbandonedLine } from '#events/abandoned-checkout.events.ts';
import { orderedFigures } from '#events/abandoned-figures.ts';
import { figuresOf, knownEmail, type BasketView } from '#events/basket-view.ts';
import { displayAmount, displayFigures, type DisplayCurrency } from '#values/exchange.ts';
import { scale } from '#values/money.ts';
import type { BasketState } from '../basket/basket.state.ts';
import { isKnown, isSold, type InvoiceState, type KnownInvoice } from '../invoices/invoice.state.ts';
import { toBeCaptured } from '../invoices/payments/authorizations.state.ts';
import type { BasketStanding, CheckoutWorth, LeftBehind } from './abandoned-checkout.commands.ts';

const linesOf = ({ lines, currency }: BasketView, display: DisplayCurrency): AbandonedLine[] =>
  lines.map(({ unitPrice, quantity, ...line }) => {
    const { lineId, productId, productRootId, sku, name, productRootName, selectedOptions, imageUrl } = line;
    return {
      ...{
        lineId,
        productId,
        productRootId,
        sku,
        name,
        productRootName,
        selectedOptions,
        imageUrl,
        quantity,
      },
      unitPrice: displayAmount(unitPrice, currency, display),
      lineTotal: displayAmount(scale(unitPrice, quantity, 1), currency, display),
    };
  });

/** What was typed last counts, sent or not. */
const addressesOf = ({ captured, ...sent }: BasketView) => {
  const { billingAddress, shippingAddress } = captured?.address ?? sent;
  return { billingAddress, shippingAddress };
};

type DisplayOf = (currency: string) => DisplayCurrency;

/** What is in a basket, and whose it is. */
export const leftIn = (
  { basket, typedCustomerId }: { readonly basket: BasketView; readonly typedCustomerId: string | null },
  displayOf: DisplayOf,
): LeftBehind => {
  const { currency: storeCurrency, lines, totals } = basket;
  const display = displayOf(basket.preferredCurrency);
  const { billingAddress, shippingAddress } = addressesOf(basket);
  return {
    customerId: basket.emailCustomerId ?? typedCustomerId ?? basket.customerId,
    email: knownEmail(basket),
    customerName: billingAddress?.name || shippingAddress?.name || null,
    ...{ billingAddress, shippingAddress },
    figures: {
      currency: display.currency,
      total: displayFigures(figuresOf(basket), storeCurrency, display).total,
      ...{ storeCurrency, totalInStoreCurrency: totals.total, rate: display.rate, lineCount: lines.length },
    },
    lines: linesOf(basket, display),
  };
};

/** Whether money is promised, set aside, or may come of what a provider was asked. */
const isMoneyOnItsWay = (invoice: InvoiceState): boolean => {
  if (invoice.status !== 'open') return false;
  const { awaited, openAttempt, pending } = invoice;
  const isOwed = openAttempt !== null || pending !== null || awaited?.isPromised === true;
  return isOwed || isSold(invoice) || toBeCaptured(invoice).length > 0;
};

const soldTo = ({ content, email, customerName }: KnownInvoice): CheckoutWorth => ({
  customerId: content.customerId,
  ...{ email, customerName },
  figures: orderedFigures(content),
});

/** What a basket's stream says, with that of the invoice that was sold of it, or else of the last. */
export interface ReadBasket {
  readonly state: BasketState;
  /** Null: there is none, like the next. */
  readonly invoiceId: string | null;
  readonly invoice: InvoiceState | null;
}

/** What was bought is neither abandoned nor written to (docs/rules/abandoned-checkouts.md#abandonment). */
export const standingOf = (
  { state, invoiceId, invoice }: ReadBasket,
  displayOf: DisplayOf,
): BasketStanding => {
  if (invoiceId !== null && invoice !== null && isKnown(invoice) && invoice.isConfirmed)
    return { kind: 'bought', invoiceId, sold: soldTo(invoice) };
  if (state.isForgotten) return { kind: 'forgotten' };
  switch (state.status) {
    case 'none':
      return { kind: 'gone' };
    case 'placing':
    case 'completedInPlacement':
      return { kind: 'busy' };
    case 'completed':
      return { kind: 'closed' };
    case 'open':
    case 'awaitingPayment':
      if (invoice !== null && isMoneyOnItsWay(invoice)) return { kind: 'busy' };
      return { kind: 'open', left: leftIn(state, displayOf) };
  }
};
