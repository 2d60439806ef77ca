import type { TaxProviderEvent } from '#events/tax.events.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import { createChosenProvider } from './chosen-provider.reference.ts';
import type { TaxProviderReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

/** Who is asked for tax, and what they are set to. */
export const createTaxProviderReference = (cipher: TextCipher): TaxProviderReference & ReferencePart => {
  const { choose, configure, ...chosen } = createChosenProvider(cipher);
  const on: Fold<TaxProviderEvent> = {
    TaxProviderActivated: ({ data: { provider } }) => choose(provider),
    TaxProviderConfigured: ({ data: { provider, configuration } }) => configure(provider, configuration),
  };
  return { ...chosen, name: 'taxProviders', version: 2, on };
};
