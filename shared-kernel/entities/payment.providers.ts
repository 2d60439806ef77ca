import {
  paymentProviderEvents,
  type PaymentProviderEvent,
  type ShownMethod,
} from '#events/payment-provider.events.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { ProviderConfiguration } from '#values/provider-field.ts';
import { defineProviders, type ProvidersState } from './define-providers.ts';

/** What the backoffice says of a provider beside its configuration. */
interface Presented {
  readonly isEnabled: boolean;
  /** null: as the provider calls itself. */
  readonly displayName: string | null;
  readonly vaultingEnabled: boolean;
  readonly methods: readonly ShownMethod[];
}

export interface StoredProvider extends Presented {
  readonly configuration: ProviderConfiguration;
}

interface Shown {
  /** Those that come first; the others follow in the order of the configuration. */
  readonly order: readonly string[];
  readonly providers: Readonly<Record<string, Presented>>;
}

/** Payment providers. The decider and reference state fold the same. */
export type PaymentProvidersView = ProvidersState<ProviderConfiguration> & Shown;

const untouched: Presented = { isEnabled: true, displayName: null, vaultingEnabled: true, methods: [] };

const ownOf = <Value>(all: Readonly<Record<string, Value>>, alias: string): Value | undefined =>
  Object.hasOwn(all, alias) ? all[alias] : undefined;

/** What is said of a provider; one of which nothing is said is on, and shown as it comes. */
export const storedProvider = (
  { providers, configurations }: PaymentProvidersView,
  alias: string,
): StoredProvider => ({
  ...(ownOf(providers, alias) ?? untouched),
  configuration: ownOf(configurations, alias) ?? {},
});

const changed = (
  view: PaymentProvidersView,
  alias: string,
  changes: Partial<Presented>,
): PaymentProvidersView => ({
  ...view,
  providers: { ...view.providers, [alias]: { ...(ownOf(view.providers, alias) ?? untouched), ...changes } },
});

type OwnEvent = Exclude<PaymentProviderEvent, { readonly type: 'PaymentProviderConfigured' }>;

const on: Evolution<PaymentProvidersView, OwnEvent> = {
  PaymentProviderSwitched: (view, { data: { provider, isEnabled } }) =>
    changed(view, provider, { isEnabled }),
  PaymentProviderPresented: (view, { data: { provider, ...presented } }) =>
    changed(view, provider, presented),
  PaymentProvidersReordered: (view, { data: { providers: order } }) => ({ ...view, order }),
};

/** How the backoffice keeps payment providers (docs/rules/payment-providers.md#keeping). */
export const paymentProviders = defineProviders({
  name: 'paymentProviders',
  version: 2,
  noun: 'payment provider',
  path: '/payment-providers',
  configured: paymentProviderEvents.create.PaymentProviderConfigured,
  own: { initial: { order: [], providers: {} } as Shown, on },
});
