import { paymentSettings, type GivenPaymentSettings } from '#reference/payment-settings.ts';
import type { Reference } from '#reference/reference.ts';
import {
  storedProvider,
  type StoredProvider,
  type PaymentProvidersView,
} from '#entities/payment.providers.ts';
import type { PaymentProvider } from '#ports/payment-provider.ts';

/** The providers of these names, in their order. Errors: `Error` for an unknown name. */
const configuredProviders = (
  known: readonly PaymentProvider[],
  aliases: readonly string[],
): readonly PaymentProvider[] =>
  aliases.map((alias) => {
    const provider = known.find((one) => one.alias === alias);
    if (provider) return provider;
    const names = known.map((one) => one.alias).join(', ');
    throw new Error(`Payments.Providers names ${alias}; this shop knows ${names}`);
  });

interface ShopProvidersDeps {
  readonly reference: Pick<Reference, 'paymentProviders'>;
  /** Every provider that there is an adapter for. */
  readonly known: readonly PaymentProvider[];
  readonly config: {
    /** Those that exist. */
    readonly providers: readonly string[];
    /** Those that shoppers may ever be offered. */
    readonly offered: readonly string[];
    readonly given: GivenPaymentSettings;
  };
}

const isForAgentsOnly = ({ agentHandler }: PaymentProvider): boolean =>
  agentHandler?.isForAgentsOnly === true;

/** Those that the backoffice has put first, then the others. */
const inOrder = (
  existing: readonly PaymentProvider[],
  { order }: PaymentProvidersView,
): readonly PaymentProvider[] => {
  const place = ({ alias }: PaymentProvider): number => {
    const index = order.indexOf(alias);
    return index === -1 ? order.length : index;
  };
  return existing.toSorted((one, other) => place(one) - place(other));
};

/** A provider as shoppers see it. */
const presented = (
  { vault, ...provider }: PaymentProvider,
  { displayName, vaultingEnabled, methods: said }: StoredProvider,
): PaymentProvider => ({
  ...provider,
  displayName: displayName ?? provider.displayName,
  methods: provider.methods.flatMap((method) => {
    const shown = said.find(({ methodAlias }) => methodAlias === method.methodAlias);
    if (shown && !shown.isShown) return [];
    return [{ ...method, displayName: shown?.displayName ?? method.displayName }];
  }),
  ...(vault && vaultingEnabled && { vault }),
});

/** The payment providers of the shop, as the backoffice keeps them (docs/rules/payment-providers.md#keeping). */
export const createShopProviders = ({ reference, known, config }: ShopProvidersDeps) => {
  const forAgentsOnly = known.filter(isForAgentsOnly);
  const forShoppers = known.filter((provider) => !isForAgentsOnly(provider));
  const existing = configuredProviders(forShoppers, config.providers);
  const settingsOf = (alias: string) => paymentSettings(reference, config.given, alias);
  /** Fields that have to be set before anybody can pay with it. */
  const missing = ({ alias, fields }: PaymentProvider): readonly string[] => {
    const settings = settingsOf(alias);
    return fields
      .filter(({ key, isRequired }) => isRequired && (settings[key] ?? '') === '')
      .map(({ key }) => key);
  };
  const look = (view: PaymentProvidersView): readonly PaymentProvider[] =>
    inOrder(existing, view)
      .filter(({ alias }) => config.offered.includes(alias) && storedProvider(view, alias).isEnabled)
      .filter((provider) => missing(provider).length === 0)
      .map((provider) => presented(provider, storedProvider(view, provider.alias)))
      .filter(({ methods }) => methods.length > 0);
  let seen: {
    readonly view: PaymentProvidersView;
    readonly offered: readonly PaymentProvider[];
    readonly toAgents: readonly PaymentProvider[];
  } | null = null;
  const current = () => {
    const view = reference.paymentProviders.current();
    if (seen?.view === view) return seen;
    const offered = look(view);
    seen = { view, offered, toAgents: [...offered, ...forAgentsOnly] };
    return seen;
  };
  return {
    settingsOf,
    missing,
    /** Those that exist, in the order of the shop. */
    all: () => inOrder(existing, reference.paymentProviders.current()),
    /** Those that shoppers may choose, as they see them. */
    offered: (): readonly PaymentProvider[] => current().offered,
    /** Those that agents may choose: also those that are there for their tests. */
    toAgents: (): readonly PaymentProvider[] => current().toAgents,
    /** An existing provider, even one that is off: its callbacks are accepted. No other's are. */
    find: (alias: string): PaymentProvider | undefined => existing.find((one) => one.alias === alias),
    /** Every one that there is an adapter for. */
    known,
    /** One that may exist no more: it still gives back what it took, and says what has come of it. */
    ever: (alias: string): PaymentProvider | undefined => known.find((one) => one.alias === alias),
  };
};

export type ShopProviders = ReturnType<typeof createShopProviders>;
