import type { AbandonedLine } from '#events/abandoned-checkout.events.ts';
import { figuresOf, knownEmail, type BasketView } from '#events/basket-view.ts';
import { displayAmount, displayFigures, type DisplayCurrency } from '#values/exchange.ts';
import { scale } from '#values/money.ts';
import type { BasketState } from '../basket/basket.state.ts';
import { isSold, type InvoiceState } from '../invoices/invoice.state.ts';
import { toBeCaptured } from '../invoices/payments/authorizations.state.ts';
import type { BasketStanding, LeftBehind } from './abandoned-checkout.commands.ts';

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

const leftBehind = (
  basket: BasketView,
  typedCustomerId: string | null,
  display: DisplayCurrency,
): LeftBehind => {
  const { currency: storeCurrency, lines, totals } = basket;
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

/** What a basket's stream says, with that of the last invoice that was made of it. */
export interface ReadBasket {
  readonly state: BasketState;
  /** Null: it has none. */
  readonly invoice: InvoiceState | null;
  /** Of the sale that this process knows of, if it does. */
  readonly soldInvoiceId: string | null;
}

const isConfirmed = (invoice: InvoiceState | null): boolean =>
  invoice !== null && 'isConfirmed' in invoice && invoice.isConfirmed;

/** What was bought is neither abandoned nor written to (docs/rules/abandoned-checkouts.md#abandonment). */
export const standingOf = (
  { state, invoice, soldInvoiceId }: ReadBasket,
  displayOf: (currency: string) => DisplayCurrency,
): BasketStanding => {
  const { basket, order, status, typedCustomerId } = state;
  const invoiceId = soldInvoiceId ?? (isConfirmed(invoice) ? (order?.invoiceId ?? null) : null);
  if (invoiceId !== null) return { kind: 'bought', invoiceId };
  switch (status) {
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
      return {
        kind: 'open',
        left: leftBehind(basket, typedCustomerId, displayOf(basket.preferredCurrency)),
      };
  }
};
