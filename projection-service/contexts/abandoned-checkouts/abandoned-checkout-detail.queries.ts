import { addressResponse } from '#contracts/basket-response.ts';
import { shownOf } from '#contracts/basket-line-response.ts';
import type {
  AbandonedCheckoutDetail,
  AbandonedLineResponse,
} from '#contracts/abandoned-checkouts.contract.ts';
import type { AbandonedLine } from '#events/abandoned-checkout.events.ts';
import type { BasketViewLine } from '#events/basket-view.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import { isoInstant } from '#kernel/clock.ts';
import type { Document } from '#kernel/projection.ts';
import { presentationFor, type PresentationSources } from '#reference/presentation.ts';
import { imageOf } from '#reference/product-image.ts';
import type { Address } from '#values/address.ts';
import { symbolOf } from '#values/currency.ts';
import { formatMoney, toDecimal } from '#values/money.ts';
import { basketProjection, type BasketDocument } from '../basket/basket.projection.ts';
import { orderListProjection } from '../orders/order-list.projection.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';
import type { AbandonedCheckoutDocument } from './abandoned-checkout.document.ts';
import { checkoutRow } from './abandoned-checkouts.queries.ts';

/** Amounts in minor units of one currency. */
interface ShownLines {
  readonly currency: string;
  readonly lines: readonly AbandonedLine[];
}

const lineResponses = ({ currency, lines }: ShownLines): AbandonedLineResponse[] =>
  lines.map(({ lineId: id, productRootId: _, unitPrice, lineTotal, ...line }) => ({
    id,
    ...line,
    unitPrice: toDecimal(unitPrice, currency),
    lineTotal: toDecimal(lineTotal, currency),
    formattedUnitPrice: formatMoney(unitPrice, currency),
    formattedLineTotal: formatMoney(lineTotal, currency),
  }));

const ofBasket = (
  deps: PresentationSources,
  lines: readonly BasketViewLine[],
  displayCurrency: string,
): ShownLines => {
  const presentation = presentationFor(deps, displayCurrency);
  return {
    currency: presentation.display.currency,
    lines: lines.map((line) => {
      const { lineId, productId, productRootId, sku, name, productRootName, imageUrl, quantity } = line;
      const { unit: unitPrice, total: lineTotal } = shownOf(line, quantity, presentation);
      const { selectedOptions } = line;
      const product = { lineId, productId, productRootId, sku, name, productRootName, imageUrl, quantity };
      return { ...product, selectedOptions, unitPrice, lineTotal };
    }),
  };
};

interface SoldDocument extends Document {
  readonly content: InvoiceContent | null;
}

const ofOrder = (
  { reference }: Pick<ProjectionDeps, 'reference'>,
  { currency, orders }: InvoiceContent,
): ShownLines => ({
  currency,
  lines: orders
    .flatMap(({ lines }) => lines)
    .flatMap((line) => {
      const { id: lineId, productId, productRootId, sku, name, productRootName, quantity } = line;
      if (productId === null || productRootId === null) return [];
      const { selectedOptions, unitPrice, lineTotal } = line;
      const sellable = reference.catalogue.variant(productId);
      const imageUrl = sellable ? imageOf(sellable) : null;
      const product = { lineId, productId, productRootId, sku, name, productRootName, imageUrl, quantity };
      return [{ ...product, selectedOptions, unitPrice, lineTotal }];
    }),
});

/** What was bought, else what is in the basket, else what was left in it; nothing where none of them is known. */
const linesOf = async (
  deps: ProjectionDeps,
  { invoiceId, basketId, displayCurrency, left }: AbandonedCheckoutDocument,
): Promise<ShownLines> => {
  const [sold, basket] = await Promise.all([
    invoiceId === null ? null : deps.reader.get<SoldDocument>(orderListProjection.name, invoiceId),
    basketId === null ? null : deps.reader.get<BasketDocument>(basketProjection.name, basketId),
  ]);
  if (sold?.content) return ofOrder(deps, sold.content);
  if (basket && basket.status !== 'completed' && basket.lines.length > 0)
    return ofBasket(deps, basket.lines, displayCurrency);
  return left ?? { currency: displayCurrency, lines: [] };
};

const addressWith = (address: Address | null, email: string | null) =>
  addressResponse(address && { ...address, email: address.email ?? email });

/** For admins only: whoever has it opens the basket. */
const linkOf = (
  { recoveryLinkOf, clock }: Pick<ProjectionDeps, 'recoveryLinkOf' | 'clock'>,
  { _id: recordId, status, basketId, link }: AbandonedCheckoutDocument,
): string | null => {
  if (status !== 'Abandoned' || basketId === null || link === null) return null;
  return link.expiresAt > isoInstant(clock.now()) ? recoveryLinkOf({ recordId, issue: link.number }) : null;
};

export const checkoutDetail = async (
  deps: ProjectionDeps,
  document: AbandonedCheckoutDocument,
  { seesLink }: { readonly seesLink: boolean },
): Promise<AbandonedCheckoutDetail> => {
  const row = checkoutRow(deps, document);
  const { email } = document;
  return {
    ...row,
    basketId: document.basketId,
    customerId: document.customerId,
    dateCreated: document.dateCreated,
    dateRecovered: document.recoveredAt,
    dateConverted: document.convertedAt,
    dateExpired: document.expiredAt,
    recoveredInvoiceId: document.invoiceId,
    recoveryLink: seesLink ? linkOf(deps, document) : null,
    recoveryTokenExpiresUtc: document.link?.expiresAt ?? null,
    lastRecoveryEmailSentUtc: document.lastMailAt,
    currencySymbol: symbolOf(row.currencyCode),
    billingAddress: addressWith(document.billingAddress, email),
    shippingAddress: addressWith(document.shippingAddress, email),
    lineItems: lineResponses(await linesOf(deps, document)),
  };
};
