import type { PaymentProviderEvent } from '#events/payment-provider.events.ts';
import {
  nothingSaid,
  paymentProvidersEvolution,
  type StoredProvider,
  type PaymentProvidersView,
  type ProviderConfiguration,
} from '#events/payment-providers-view.ts';
import type { Recorded } from '#kernel/event.ts';
import { evolve } from '#kernel/evolution.ts';
import type { TextCipher } from '#values/text-cipher.ts';
import type { PaymentProviderReference } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

/** As a snapshot keeps it. */
interface Kept {
  readonly order: PaymentProvidersView['order'];
  readonly providers: Readonly<
    Record<string, Omit<StoredProvider, 'configuration'> & { readonly sealed: string }>
  >;
}

const sealed = ({ order, providers }: PaymentProvidersView, cipher: TextCipher): Kept => ({
  order,
  providers: Object.fromEntries(
    Object.entries(providers).map(([alias, { configuration, ...kept }]) => [
      alias,
      { ...kept, sealed: cipher.seal(JSON.stringify(configuration)) },
    ]),
  ),
});

/** A configuration that no key opens any more is empty, until it is set again. */
const opened = ({ order, providers }: Kept, cipher: TextCipher): PaymentProvidersView => ({
  order,
  providers: Object.fromEntries(
    Object.entries(providers).map(([alias, { sealed: text, ...kept }]) => {
      const configuration = JSON.parse(cipher.open(text) ?? '{}') as ProviderConfiguration;
      return [alias, { ...kept, configuration }];
    }),
  ),
});

/** How the backoffice keeps payment providers: in clear in memory only, sealed by `cipher` in its snapshot. */
export const createPaymentProviderReference = (
  cipher: TextCipher,
): PaymentProviderReference & ReferencePart => {
  const entries = new ChunkedEntries<PaymentProvidersView>({
    keep: (view) => sealed(view, cipher),
  });
  let view = nothingSaid;
  const use = (next: PaymentProvidersView): void => {
    view = next;
    entries.set('providers', next);
  };
  const take = (event: Recorded<PaymentProviderEvent>): void =>
    use(evolve(paymentProvidersEvolution, view, event));
  const on: Fold<PaymentProviderEvent> = {
    PaymentProviderSwitched: take,
    PaymentProviderPresented: take,
    PaymentProviderConfigured: take,
    PaymentProvidersReordered: take,
  };
  return {
    current: () => view,
    name: 'paymentProviders',
    version: 1,
    on,
    entries,
    restore: (kept) => {
      for (const [, said] of kept) use(opened(said as Kept, cipher));
    },
    clear: () => {
      view = nothingSaid;
    },
  };
};
