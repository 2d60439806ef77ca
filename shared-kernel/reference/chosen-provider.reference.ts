import type { TextCipher } from '#values/text-cipher.ts';
import type { ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

/** Settings of a provider, by the keys of its fields. */
type Configuration = Readonly<Record<string, string | number>>;

/** Which provider of a kind the backoffice has chosen, and what each is set to. */
export interface ChosenProvider {
  /** Null: none was chosen. */
  readonly provider: string | null;
  readonly configurations: Readonly<Record<string, Configuration>>;
}

/** As a snapshot keeps it. */
interface Kept extends Pick<ChosenProvider, 'provider'> {
  readonly sealedConfigurations: string;
}

const KEY = 'chosen';
const none: ChosenProvider = { provider: null, configurations: {} };

/** What no key opens any more is empty, until it is set again. */
const opened = (sealed: string, cipher: TextCipher): ChosenProvider['configurations'] => {
  const text = cipher.open(sealed);
  return text === null ? {} : (JSON.parse(text) as ChosenProvider['configurations']);
};

/** The choice of one kind of provider: in clear in memory only, sealed by `cipher` in its snapshot. */
export const createChosenProvider = (
  cipher: TextCipher,
): Pick<ReferencePart, 'restore' | 'clear'> & {
  readonly entries: ChunkedEntries<ChosenProvider>;
  readonly current: () => ChosenProvider;
  readonly choose: (provider: string) => void;
  readonly configure: (provider: string, configuration: Configuration) => void;
} => {
  const entries = new ChunkedEntries<ChosenProvider>({
    keep: ({ provider, configurations }): Kept => ({
      provider,
      sealedConfigurations: cipher.seal(JSON.stringify(configurations)),
    }),
  });
  const current = (): ChosenProvider => entries.get(KEY) ?? none;
  return {
    entries,
    current,
    choose: (provider) => entries.set(KEY, { ...current(), provider }),
    configure: (provider, configuration) => {
      const configurations = { ...current().configurations, [provider]: configuration };
      entries.set(KEY, { ...current(), configurations });
    },
    restore: (kept) => {
      for (const [key, chosen] of kept) {
        const { provider, sealedConfigurations } = chosen as Kept;
        entries.set(key, { provider, configurations: opened(sealedConfigurations, cipher) });
      }
    },
    clear: () => undefined,
  };
};
