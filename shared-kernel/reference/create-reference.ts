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
  const entities = createEntityReference(kinds, cipher);
  const stock = createStockReference();
  const discounts = createDiscountReference();
  const upsells = createUpsellReference();
  const unitsSold = createUnitsSoldReference();
  const shipping = createShippingReference();
  const tax = createTaxReference();
  const taxProviders = createProviderReference(taxProviderKind, cipher);
  const addressLookups = createProviderReference(addressLookupProviders, cipher);
  const paymentProviders = createProviderReference(paymentProviderKind, cipher);
  const settings = createSettingsReference();
  const exchangeRates = createProviderReference(exchangeRateProviders, cipher);
  const mails = createMailReference();
  const signingKeys = createSigningKeyReference(cipher);
  const agentClients = createAgentClientReference();
  const agentLinks = createAgentLinkReference();
  const surroundings = [entities, shipping, tax, settings, exchangeRates];
  return {
    catalogue,
    entities,
    stock,
    discounts,
    upsells,
    unitsSold,
    recommended: createRecommendedProducts(catalogue, shipping, unitsSold),
    shipping,
    tax,
    taxProviders,
    addressLookups,
    paymentProviders,
    settings,
    exchangeRates,
    mails,
    signingKeys,
    agentClients,
    agentLinks,
    changes: () => surroundings.reduce((sum, { entries }) => sum + entries.changes, 0),
    parts: [
      catalogue,
      entities,
      stock,
      discounts,
      upsells,
      unitsSold,
      shipping,
      tax,
      taxProviders,
      addressLookups,
      paymentProviders,
      settings,
      exchangeRates,
      mails,
      signingKeys,
      agentClients,
      agentLinks,
    ],
  };
};
