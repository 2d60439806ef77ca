import type { CommandMeta } from '#command/engine/command-engine.ts';
import { readConfiguration } from '#command/engine/provider-configuration.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { paymentProviders, storedProvider } from '#entities/payment.providers.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentMethodInfo, PaymentProvider } from '#ports/payment-provider.ts';
import { shownConfiguration, type ProviderConfiguration } from '#values/provider-field.ts';
import type { PaymentProviderCommand, PresentedProvider } from './payment-provider.commands.ts';
import { paymentProvidersStream } from './payment-providers.stream.ts';
import type { ShopProviders } from './shop-providers.ts';

interface PaymentProviderDeps extends Pick<CommandDeps, 'streams' | 'reference'> {
  readonly providers: ShopProviders;
  /** What the configuration gives, by alias. */
  readonly given: Readonly<Record<string, ProviderConfiguration>>;
  readonly reach: (position?: number) => Promise<void>;
}

/** A provider as the backoffice sees it; secrets are masked. */
export interface PaymentProviderInShop {
  readonly provider: PaymentProvider;
  readonly displayName: string;
  readonly isEnabled: boolean;
  readonly isConfigured: boolean;
  readonly sortOrder: number;
  readonly vaultingEnabled: boolean;
  readonly methods: readonly (PaymentMethodInfo & { readonly isShown: boolean })[];
  readonly configuration: ProviderConfiguration;
}

/** In the order of the fields. */
const shownSettings = (
  { fields }: PaymentProvider,
  settings: ProviderConfiguration,
): ProviderConfiguration => {
  const ordered = fields.flatMap(({ key }): [string, string | number | boolean][] => {
    const value = settings[key];
    return value === undefined ? [] : [[key, value]];
  });
  return shownConfiguration(fields, Object.fromEntries(ordered));
};

/** What is wrong with the methods that are given. */
const methodProblems = (
  { methods }: PaymentProvider,
  said: PresentedProvider['methods'] = [],
): readonly string[] => {
  const known = methods.map(({ methodAlias }) => methodAlias);
  return said.flatMap(({ methodAlias }, index) =>
    known.includes(methodAlias) ? [] : [`methods.${index}.methodAlias: must be one of ${known.join(', ')}`],
  );
};

const orderProblems = (known: readonly string[], aliases: readonly string[]): readonly string[] =>
  aliases.flatMap((alias, index) => [
    ...(known.includes(alias) ? [] : [`ids.${index}: must be an existing payment provider`]),
    ...(aliases.indexOf(alias) < index ? [`ids.${index}: must name each payment provider once`] : []),
  ]);

const showing =
  ({ reference, providers }: Pick<PaymentProviderDeps, 'reference' | 'providers'>) =>
  (provider: PaymentProvider): PaymentProviderInShop => {
    const { alias, methods } = provider;
    const kept = storedProvider(reference.paymentProviders.current(), alias);
    return {
      provider,
      displayName: kept.displayName ?? provider.displayName,
      isEnabled: kept.isEnabled,
      isConfigured: providers.missing(provider).length === 0,
      sortOrder: providers.all().findIndex((one) => one.alias === alias),
      vaultingEnabled: kept.vaultingEnabled,
      methods: methods.map((method) => {
        const said = kept.methods.find(({ methodAlias }) => methodAlias === method.methodAlias);
        const displayName = said?.displayName ?? method.displayName;
        return { ...method, displayName, isShown: said?.isShown ?? true };
      }),
      configuration: shownSettings(provider, providers.settingsOf(alias)),
    };
  };

/** How the backoffice keeps payment providers. Errors: Rejection `entity-not-found`, and as they say. */
export const createPaymentProviderActions = (deps: PaymentProviderDeps) => {
  const { streams, reference, providers, given, reach } = deps;
  const find = (alias: string): PaymentProvider => {
    const provider = providers.find(alias);
    if (!provider) throw new Rejection('entity-not-found', 'There is no such payment provider.');
    return provider;
  };
  const inShop = showing(deps);
  const list = () => providers.all().map(inShop);
  const send = async (command: PaymentProviderCommand, meta: CommandMeta): Promise<number> => {
    const { position } = await streams.send(paymentProvidersStream, paymentProviders.id, command, meta);
    await reach(position);
    return position;
  };
  const change = async (alias: string, command: PaymentProviderCommand, meta: CommandMeta) => {
    const position = await send(command, meta);
    return { provider: inShop(find(alias)), position };
  };
  return {
    list,
    get: (alias: string) => inShop(find(alias)),
    fields: (alias: string) => find(alias).fields,
    toggle: (alias: string, isEnabled: boolean, meta: CommandMeta) =>
      change(alias, { type: 'SwitchProvider', provider: find(alias).alias, isEnabled }, meta),
    present: (alias: string, said: PresentedProvider, meta: CommandMeta) => {
      const provider = find(alias);
      refuseProblems(methodProblems(provider, said.methods));
      return change(alias, { type: 'PresentProvider', provider: alias, ...said }, meta);
    },
    configure: (alias: string, body: Readonly<Record<string, unknown>>, meta: CommandMeta) => {
      const provider = find(alias);
      const { configuration: before } = storedProvider(reference.paymentProviders.current(), alias);
      const fixed = given[alias] ?? {};
      const configuration = readConfiguration(body, { provider, before, fixed, mayBeIncomplete: true });
      return change(alias, { type: 'ConfigureProvider', provider: alias, configuration }, meta);
    },
    reorder: async (aliases: readonly string[], meta: CommandMeta) => {
      const known = providers.all().map(({ alias }) => alias);
      refuseProblems(orderProblems(known, aliases));
      const position = await send({ type: 'ReorderProviders', providers: aliases }, meta);
      return { providers: list(), position };
    },
    /** What is wrong with a provider as it is set; null: nothing. */
    test: async (alias: string): Promise<string | null> => {
      const provider = find(alias);
      const missing = providers.missing(provider);
      if (missing.length > 0) return `${missing.join(', ')}: must be a value`;
      return (await provider.test?.()) ?? null;
    },
  };
};

export type PaymentProviderActions = ReturnType<typeof createPaymentProviderActions>;
