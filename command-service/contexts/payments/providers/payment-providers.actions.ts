import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { storedProvider, type ProviderConfiguration } from '#events/payment-providers-view.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { PaymentMethodInfo, PaymentProvider, ProviderField } from '#ports/payment-provider.ts';
import type { PaymentProviderCommand, PresentedProvider } from './payment-provider.commands.ts';
import { PAYMENT_PROVIDERS, paymentProvidersStream } from './payment-providers.stream.ts';
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

/** What stands for a secret that is set; sent back, it keeps it. */
const MASK = '***';

const expected: Readonly<Record<ProviderField['type'], string>> = {
  Text: 'must be text of at most 250 characters',
  Secret: 'must be text of at most 250 characters',
  Url: 'must be an http or https address',
  Boolean: 'must be true or false',
  Number: 'must be a number',
};

const isValue = (type: ProviderField['type'], value: unknown): value is string | number | boolean => {
  if (type === 'Boolean') return typeof value === 'boolean';
  if (type === 'Number') return typeof value === 'number' && Number.isFinite(value);
  if (typeof value !== 'string' || value.length > 250) return false;
  return type !== 'Url' || (/^https?:\/\//i.test(value) && URL.canParse(value));
};

interface Reading {
  /** What the backoffice has kept. */
  readonly kept: ProviderConfiguration;
  /** What the configuration gives. */
  readonly given: ProviderConfiguration;
}

/** A configuration as its fields have it. Errors: Rejection `invalid-request`, `setting-fixed`. */
const readConfiguration = (
  { alias, fields }: PaymentProvider,
  body: Readonly<Record<string, unknown>>,
  { kept, given }: Reading,
): ProviderConfiguration => {
  const known = fields.map(({ key }) => key);
  const problems = Object.keys(body)
    .filter((key) => !known.includes(key))
    .map((key) => `configuration.${key}: there is no such field`);
  const fixed: string[] = [];
  const entries = fields.flatMap(({ key, type, isSecret }): [string, string | number | boolean][] => {
    const value = body[key];
    const before = kept[key];
    const isSame = value === given[key] || (isSecret && value === MASK);
    if (given[key] !== undefined) {
      if (value !== undefined && !isSame) fixed.push(key);
      return before === undefined ? [] : [[key, before]];
    }
    if (isSecret && value === MASK) return before === undefined ? [] : [[key, before]];
    if (value === undefined || value === null || value === '') return [];
    if (isValue(type, value)) return [[key, value]];
    problems.push(`configuration.${key}: ${expected[type]}`);
    return [];
  });
  refuseProblems(problems);
  if (fixed.length > 0) {
    const named = fixed.map((key) => `configuration.${key}`).join(', ');
    throw new Rejection(
      'setting-fixed',
      `${named}: the configuration of the shop gives ${alias} its value. Change it there.`,
    );
  }
  return Object.fromEntries(entries);
};

const masked = ({ fields }: PaymentProvider, settings: ProviderConfiguration): ProviderConfiguration =>
  Object.fromEntries(
    fields.flatMap(({ key, isSecret }): [string, string | number | boolean][] => {
      const value = settings[key];
      return value === undefined ? [] : [[key, isSecret ? MASK : value]];
    }),
  );

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
      configuration: masked(provider, providers.settingsOf(alias)),
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
    const { position } = await streams.send(paymentProvidersStream, PAYMENT_PROVIDERS, command, meta);
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
      const kept = storedProvider(reference.paymentProviders.current(), alias).configuration;
      const configuration = readConfiguration(provider, body, { kept, given: given[alias] ?? {} });
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
