import type { TaxProviderEvent } from '#events/tax.events.ts';
import type { TaxProviderReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { SlicedEntries } from './sliced-entries.ts';

type Chosen = ReturnType<TaxProviderReference['current']>;

const KEY = 'chosen';
const none: Chosen = { provider: null, configurations: {} };

/** Who is asked for tax, and what they are set to. */
export const createTaxProviderReference = (): TaxProviderReference & ReferencePart => {
  const entries = new SlicedEntries<Chosen>();
  const current = (): Chosen => entries.get(KEY) ?? none;
  const on: Fold<TaxProviderEvent> = {
    TaxProviderActivated: ({ data: { provider } }) => entries.set(KEY, { ...current(), provider }),
    TaxProviderConfigured: ({ data: { provider, configuration } }) => {
      const configurations = { ...current().configurations, [provider]: configuration };
      entries.set(KEY, { ...current(), configurations });
    },
  };
  return {
    current,
    name: 'taxProviders',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [key, chosen] of kept) entries.set(key, chosen as Chosen);
    },
    clear: () => undefined,
  };
};
