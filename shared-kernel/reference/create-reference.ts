import { addressLookupProviders } from '#entities/address-lookup.providers.ts';
import { entities as kinds } from '#entities/entities.ts';
import { exchangeRateProviders } from '#entities/exchange-rate.providers.ts';
import { paymentProviders as paymentProviderKind } from '#entities/payment.providers.ts';
import { taxProviders as taxProviderKind } from '#entities/tax.providers.ts';
import { nothingKept, type TextCipher } from '#values/text-cipher.ts';
import { createAgentClientReference } from './agent-clients.reference.ts';
import { createAgentLinkReference } from './agent-links.reference.ts';
import { createCatalogueReference } from './catalogue.reference.ts';
import { createDiscountReference } from './discounts.reference.ts';
import { createEntityReference } from './entities.reference.ts';
import { createMailReference } from './mails.reference.ts';
import { createProviderReference } from './providers.reference.ts';
import { createRecommendedProducts } from './recommended-products.ts';
import type { Reference } from './reference.ts';
import type { ReferencePart } from './reference-part.ts';
import { createSettingsReference } from './settings.reference.ts';
import { createShippingReference } from './shipping.reference.ts';
import { createSigningKeyReference } from './signing-keys.reference.ts';
import { createStockReference } from './stock.reference.ts';
import { createTaxReference } from './tax.reference.ts';
import { createUnitsSoldReference } from './units-sold.reference.ts';
import { createUpsellReference } from './upsells.reference.ts';

/**
 * Empty reference state. The follower of the log feeds its parts; everyone else only asks. `cipher` seals what a
 * snapshot must not hold in clear.
 */
export const createReference = (
  cipher: TextCipher = nothingKept,
): Reference & { readonly parts: readonly ReferencePart[] } => {
  const catalogue = createCatalogueReference();
  const unitsSold = createUnitsSoldReference();
  const shipping = createShippingReference();
  /** Each is snapshotted by itself, and follows the log in this order. */
  const parts = {
    catalogue,
    entities: createEntityReference(kinds, cipher),
    stock: createStockReference(),
    discounts: createDiscountReference(),
    upsells: createUpsellReference(),
    unitsSold,
    shipping,
    tax: createTaxReference(),
    taxProviders: createProviderReference(taxProviderKind, cipher),
    addressLookups: createProviderReference(addressLookupProviders, cipher),
    paymentProviders: createProviderReference(paymentProviderKind, cipher),
    settings: createSettingsReference(),
    exchangeRates: createProviderReference(exchangeRateProviders, cipher),
    mails: createMailReference(),
    signingKeys: createSigningKeyReference(cipher),
    agentClients: createAgentClientReference(),
    agentLinks: createAgentLinkReference(),
  };
  const surroundings = [parts.entities, shipping, parts.tax, parts.settings, parts.exchangeRates];
  return {
    ...parts,
    recommended: createRecommendedProducts(catalogue, shipping, unitsSold),
    changes: () => surroundings.reduce((sum, { entries }) => sum + entries.changes, 0),
    parts: Object.values(parts),
  };
};
