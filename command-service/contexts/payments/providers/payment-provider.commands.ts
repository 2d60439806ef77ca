import type { ShownMethod } from '#events/payment-provider.events.ts';
import type { ConfigureProvider } from '#entities/define-providers.ts';
import type { ProviderConfiguration } from '#values/provider-field.ts';

/** Lets shoppers pay by a provider, or no more. */
interface SwitchProvider {
  readonly type: 'SwitchProvider';
  readonly provider: string;
  readonly isEnabled: boolean;
}

/** Says what shoppers see of a provider; what is left out stays. */
interface PresentProvider {
  readonly type: 'PresentProvider';
  readonly provider: string;
  readonly displayName?: string | null;
  readonly vaultingEnabled?: boolean;
  /** Of each method, what changes. */
  readonly methods?: readonly (Pick<ShownMethod, 'methodAlias'> & Partial<ShownMethod>)[];
}

interface ReorderProviders {
  readonly type: 'ReorderProviders';
  readonly providers: readonly string[];
}

export type PaymentProviderCommand =
  | SwitchProvider
  | PresentProvider
  | ConfigureProvider<ProviderConfiguration>
  | ReorderProviders;
export type PresentedProvider = Omit<PresentProvider, 'type' | 'provider'>;
