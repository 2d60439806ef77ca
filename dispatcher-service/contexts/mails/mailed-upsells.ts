import { shownAmount } from '#contracts/basket-line-response.ts';
import type { MailedInvoice } from '#mails/mailed-invoice.ts';
import type { MailedUpsell } from '#mails/order-notification.ts';
import { locationOf } from '#reference/location.ts';
import { presentationFor, type PresentationSources } from '#reference/presentation.ts';
import type { Reference } from '#reference/reference.ts';
import { suggest } from '#reference/suggest.ts';
import { formatMoney, scale } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';

export interface UpsellSources extends PresentationSources {
  readonly reference: Reference;
  readonly settings: () => StoreSettings;
}

/** The same for an invoice whenever it is asked. */
const seedOf = (invoiceId: string): number => Number.parseInt(invoiceId.slice(0, 8), 16);

/**
 * What the rules for mails suggest beside a sale (docs/rules/mails.md#suggestions), in its currency. In which segments
 * its customer is, is not known here.
 */
export const mailedUpsells = (sources: UpsellSources, invoice: MailedInvoice): readonly MailedUpsell[] => {
  const { reference, settings } = sources;
  const { content, shippingAddress, billingAddress, id } = invoice;
  const address = shippingAddress ?? billingAddress;
  if (address === null || !reference.upsells.any()) return [];
  const place = locationOf(address.countryCode, address.regionCode);
  const lines = content.orders.flatMap(({ lines: sold }) =>
    sold.flatMap(({ productId, productRootId, quantity, lineTotalInStoreCurrency }) =>
      productId === null || productRootId === null
        ? []
        : [{ productId, productRootId, quantity, unitPrice: scale(lineTotalInStoreCurrency, 1, quantity) }],
    ),
  );
  const suggestions = suggest(reference, {
    location: 'Email',
    lines,
    buyer: { customerId: content.customerId, segmentIds: [] },
    place,
    now: Date.parse(content.createdAt),
    limit: settings().maxSuggestionsPerLocation,
    seed: seedOf(id),
  });
  const presentation = presentationFor(sources, content.currency);
  const { currency } = presentation.display;
  const website = settings().websiteUrl?.replace(/\/+$/, '') ?? null;
  return suggestions.map(({ upsell: { rule }, products }) => ({
    heading: rule.heading,
    products: products.map(({ root, variant }) => ({
      name: root.rootName,
      formattedPrice: formatMoney(
        shownAmount(variant.price, reference.tax.rate(root.taxGroupId, place), presentation),
        currency,
      ),
      url: website !== null && variant.url !== null ? new URL(variant.url, `${website}/`).href : null,
    })),
  }));
};
