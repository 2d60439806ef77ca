import type { AdditionPreviewResponse } from '#contracts/post-purchase.contract.ts';
import type { OrderLine } from '#events/invoice.fields.ts';
import { locationOf } from '#reference/location.ts';
import type { Reference } from '#reference/reference.ts';
import { symbolOf } from '#values/currency.ts';
import { pricingCurrency, type Presentation } from '#values/exchange.ts';
import { formatMoney, percentOf, toDecimal, type Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { KnownInvoice } from '../../invoices/invoice.state.ts';
import type { PlannedAddition } from '../../invoices/post-purchase/post-purchase.commands.ts';
import { placeOf } from './offer-afterwards.ts';
import type { AddedAfterwards, StandingOffer } from './post-purchase.actions.ts';
import { suggestionResponses } from '../suggestion.response.ts';

interface AnswerSources {
  readonly reference: Reference;
  readonly settings: () => Pick<StoreSettings, 'displayPricesIncTax'>;
}

/** In the currency of the invoice, at the rate at which it was sold. */
const presentationOf = (
  { settings }: AnswerSources,
  { content: { storeCurrency, currency, rate, quote } }: KnownInvoice,
): Presentation => ({
  storeCurrency,
  display: { currency, rate: quote?.displayRate ?? pricingCurrency({ currency, rate }).rate },
  displayPricesIncTax: settings().displayPricesIncTax,
});

export const offerResponse = (
  sources: AnswerSources,
  invoiceId: string,
  { invoice, postPurchase, isOver, left, suggestions, savedMethod }: StandingOffer,
): object => {
  const { invoiceNumber, content } = invoice;
  const { currency } = content;
  const { countryCode, regionCode } = placeOf(invoice);
  const location = locationOf(countryCode, regionCode);
  const view = { reference: sources.reference, presentation: presentationOf(sources, invoice), location };
  return {
    invoiceId,
    invoiceNumber,
    suggestions: suggestionResponses(view, suggestions).map(
      ({ checkoutMode: _, defaultChecked: __, ...suggestion }) => suggestion,
    ),
    expiresUtc: postPurchase.endsAt,
    timeRemainingSeconds: Math.ceil(left / 1000),
    windowExpired: isOver,
    originalInvoiceTotal: toDecimal(postPurchase.total, currency),
    formattedOriginalInvoiceTotal: formatMoney(postPurchase.total, currency),
    currencyCode: currency,
    savedPaymentMethod: savedMethod,
  };
};

type Piece = Pick<OrderLine, 'lineTotal' | 'lineTotalInStoreCurrency' | 'unitPrice'>;

/** Lines with their add-ons. */
const piecesOf = (lines: readonly OrderLine[]): readonly Piece[] =>
  lines.flatMap((line): Piece[] => [line, ...(line.addons ?? [])]);

const sumOf = (pieces: readonly Piece[], figure: keyof Piece): Minor =>
  pieces.reduce((sum, piece) => sum + piece[figure], 0);

const amount = <Name extends string>(name: Name, minor: Minor, currency: string) =>
  ({
    [name]: toDecimal(minor, currency),
    [`formatted${name.charAt(0).toUpperCase()}${name.slice(1)}`]: formatMoney(minor, currency),
  }) as Record<Name, number> & Record<`formatted${Capitalize<Name>}`, string>;

/** What the addition costs (docs/rules/post-purchase.md#figures). */
export const previewResponse = (
  { settings }: Pick<AnswerSources, 'settings'>,
  productId: string,
  invoice: KnownInvoice,
  { edited, lines, unavailable }: PlannedAddition,
): AdditionPreviewResponse => {
  const { content: before } = invoice;
  const { content: after } = edited;
  const { currency, storeCurrency } = before;
  const [first] = lines;
  const taxRate = first?.isTaxable ? first.taxRate : 0;
  const isGross = settings().displayPricesIncTax && taxRate > 0;
  const shown = (net: Minor): Minor => (isGross ? net + percentOf(net, taxRate) : net);
  const pieces = piecesOf(lines);
  const quantity = lines.reduce((sum, line) => sum + line.quantity, 0);
  const [subTotal, inStore] = [sumOf(pieces, 'lineTotal'), sumOf(pieces, 'lineTotalInStoreCurrency')];
  const unit = sumOf(piecesOf(first ? [first] : []), 'unitPrice');
  const inStoreUnit = quantity === 0 ? 0 : Math.round(inStore / quantity);
  const total = after.amounts.total - before.amounts.total;
  const totalInStore = after.amountsInStoreCurrency.total - before.amountsInStoreCurrency.total;
  const reason = unavailable?.message ?? (total > 0 ? null : 'There is nothing to pay for it.');
  return {
    productId,
    productName: first?.productRootName ?? '',
    quantity,
    ...amount('unitPrice', shown(unit), currency),
    ...amount('unitPriceInStoreCurrency', shown(inStoreUnit), storeCurrency),
    ...amount('subTotal', shown(subTotal), currency),
    ...amount('subTotalInStoreCurrency', shown(inStore), storeCurrency),
    ...amount('taxAmount', after.amounts.tax - before.amounts.tax, currency),
    taxRate,
    ...amount('shippingDelta', after.amounts.shipping - before.amounts.shipping, currency),
    ...amount('total', total, currency),
    ...amount('totalInStoreCurrency', totalInStore, storeCurrency),
    currencyCode: currency,
    currencySymbol: symbolOf(currency),
    priceIncludesTax: isGross,
    taxLabel: isGross ? `Including ${taxRate}% tax` : null,
    isAvailable: reason === null,
    unavailableReason: reason,
  };
};

export const addedResponse = (invoiceId: string, { invoice, result }: AddedAfterwards): object => {
  const { currency } = invoice.content;
  const { transactionId, amount: charged, lineId, total } = result;
  return {
    success: true,
    errorMessage: null,
    paymentTransactionId: transactionId,
    amountCharged: toDecimal(charged, currency),
    formattedAmountCharged: formatMoney(charged, currency),
    addedLineItemId: lineId,
    invoiceId,
    invoiceTotal: toDecimal(total, currency),
  };
};
