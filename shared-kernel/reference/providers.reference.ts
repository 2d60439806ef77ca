import type { ProviderKind, ProvidersState } from '#entities/define-providers.ts';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import { ChunkedEntries } from './chunked-entries.ts';
import type { ReferencePart } from './reference-part.ts';

/** As a snapshot keeps them. */
interface Kept extends Omit<ProvidersState, 'configurations'> {
  readonly sealedConfigurations: string;
}

const KEY = 'chosen';

/** The providers of a kind: configurations are in clear in memory only, encrypted by `cipher` in the snapshot. */
export const createProviderReference = <
  State extends ProvidersState<object>,
  Configuration,
  Event extends DomainEvent,
>(
  { name, version, initial, on }: ProviderKind<State, Configuration, Event>,
  cipher: TextCipher,
): { current(): State } & ReferencePart => {
  const entries = new ChunkedEntries<State>({
    keep: ({ configurations, ...plain }) => ({
      ...plain,
      sealedConfigurations: cipher.seal(JSON.stringify(configurations)),
    }),
  });
  let state = initial;
  const use = (next: State): void => {
    state = next;
    entries.set(KEY, next);
  };
  const take = (event: Recorded<Event>): void => use(evolve(on, state, event));
  return {
    current: () => state,
    name,
    version,
    on: Object.fromEntries(Object.keys(on).map((type) => [type, take])),
    entries,
    restore: (kept) => {
      for (const [, { sealedConfigurations, ...plain }] of kept as readonly (readonly [string, Kept])[]) {
        // What no key opens any more is empty, until it is set again.
        const configurations = JSON.parse(cipher.open(sealedConfigurations) ?? '{}') as object;
        use({ ...plain, configurations } as State);
      }
    },
    clear: () => {
      state = initial;
    },
  };
};
