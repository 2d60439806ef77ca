import type { TaxProviderEvent } from '#events/tax.events.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import type { TaxProviderReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { SlicedEntries } from './sliced-entries.ts';

type Chosen = ReturnType<TaxProviderReference['current']>;

/** As a snapshot keeps it. */
interface Kept extends Pick<Chosen, 'provider'> {
  readonly sealedConfigurations: string;
}

const KEY = 'chosen';
const none: Chosen = { provider: null, configurations: {} };

/** What no key opens any more is empty, until somebody sets it again. */
const opened = (sealed: string, cipher: TextCipher): Chosen['configurations'] => {
  const text = cipher.open(sealed);
  return text === null ? {} : (JSON.parse(text) as Chosen['configurations']);
};

/** Who is asked for tax, and what they are set to: in clear in memory only, sealed by `cipher` in its snapshot. */
export const createTaxProviderReference = (cipher: TextCipher): TaxProviderReference & ReferencePart => {
  const entries = new SlicedEntries<Chosen>({
    keep: ({ provider, configurations }): Kept => ({
      provider,
      sealedConfigurations: cipher.seal(JSON.stringify(configurations)),
    }),
  });
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
    version: 2,
    on,
    entries,
    restore: (kept) => {
      for (const [key, chosen] of kept) {
        const { provider, sealedConfigurations } = chosen as Kept;
        entries.set(key, { provider, configurations: opened(sealedConfigurations, cipher) });
      }
    },
    clear: () => undefined,
  };
};
