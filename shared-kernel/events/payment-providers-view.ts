import type { Evolution } from '#kernel/evolution.ts';
import type { PaymentProviderEvent, ShownMethod } from './payment-provider.events.ts';

export type ProviderConfiguration = Readonly<Record<string, string | number | boolean>>;

/** What the backoffice says of a provider. */
export interface StoredProvider {
  readonly isEnabled: boolean;
  /** null: as the provider calls itself. */
  readonly displayName: string | null;
  readonly vaultingEnabled: boolean;
  readonly methods: readonly ShownMethod[];
  readonly configuration: ProviderConfiguration;
}

/** Payment providers, as the events of their stream add up to them. The decider and reference state fold the same. */
export interface PaymentProvidersView {
  /** Those that come first; the others follow in the order of the configuration. */
  readonly order: readonly string[];
  readonly providers: Readonly<Record<string, StoredProvider>>;
}

export const nothingSaid: PaymentProvidersView = { order: [], providers: {} };

const untouched: StoredProvider = {
  isEnabled: true,
  displayName: null,
  vaultingEnabled: true,
  methods: [],
  configuration: {},
};

/** What is said of a provider; one of which nothing is said is on, and shown as it comes. */
export const storedProvider = ({ providers }: PaymentProvidersView, alias: string): StoredProvider =>
  (Object.hasOwn(providers, alias) ? providers[alias] : null) ?? untouched;

const changed = (
  view: PaymentProvidersView,
  alias: string,
  changes: Partial<StoredProvider>,
): PaymentProvidersView => ({
  ...view,
  providers: { ...view.providers, [alias]: { ...storedProvider(view, alias), ...changes } },
});

export const paymentProvidersEvolution: Evolution<PaymentProvidersView, PaymentProviderEvent> = {
  PaymentProviderSwitched: (view, { data: { provider, isEnabled } }) =>
    changed(view, provider, { isEnabled }),
  PaymentProviderPresented: (view, { data: { provider, ...presented } }) =>
    changed(view, provider, presented),
  PaymentProviderConfigured: (view, { data: { provider, configuration } }) =>
    changed(view, provider, { configuration }),
  PaymentProvidersReordered: (view, { data: { providers: order } }) => ({ ...view, order }),
};
