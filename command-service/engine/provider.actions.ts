import type { ProviderCommand, ProviderKind, ProvidersState } from '#entities/define-providers.ts';
import { refuseProblems } from '#kernel/entity.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  shownConfiguration,
  type ProviderConfiguration,
  type ProviderField,
} from '#values/provider-field.ts';
import type { CommandMeta } from './command-engine.ts';
import { readConfiguration } from './provider-configuration.ts';
import type { CommandDeps } from './service-deps.ts';
import type { ShopStream } from './streams.ts';

/** A provider that there is an adapter for. */
interface Provider<Configuration> {
  readonly alias: string;
  readonly displayName: string;
  readonly fields: readonly ProviderField[];
  /** What is wrong with a configuration, as `field: must be …`. */
  problems?(configuration: Configuration): Promise<readonly string[]>;
}

interface ProviderActionDeps<
  Known extends Provider<Configuration>,
  Configuration extends ProviderConfiguration,
  State extends ProvidersState<Configuration>,
  Event extends DomainEvent,
> {
  readonly kind: ProviderKind<State, Configuration, Event>;
  readonly stream: ShopStream<State, ProviderCommand<Configuration>, Event>;
  readonly providers: readonly Known[];
  /** The one that the configuration names; null: the backoffice chooses. */
  readonly namedProvider: string | null;
  /** What the backoffice has set, as this process knows it. */
  readonly current: () => ProvidersState;
  /** What the backoffice reads of one beside whether it is active and what it is set to. */
  readonly describe: (provider: Known) => object;
  readonly streams: CommandDeps['streams'];
  readonly reach: (position?: number) => Promise<void>;
}

/** Stands in place of a provider: no provider is asked. */
const NONE = 'none';

/** The providers of a kind as they are set, and the one that is asked. Errors: Rejection `entity-not-found`. */
const knownProviders = <
  Known extends Provider<Configuration>,
  Configuration extends ProviderConfiguration,
  State extends ProvidersState<Configuration>,
  Event extends DomainEvent,
>({
  kind,
  providers,
  namedProvider,
  current,
  describe,
}: ProviderActionDeps<Known, Configuration, State, Event>) => {
  const activeAlias = (): string => kind.active(current(), namedProvider);
  const configurationOf = ({ alias }: Known): Configuration =>
    (current().configurations[alias] ?? {}) as Configuration;
  return {
    activeAlias,
    configurationOf,
    active: (): Known | undefined => providers.find(({ alias }) => alias === activeAlias()),
    find: (alias: string): Known => {
      const provider = providers.find((one) => one.alias === alias.toLowerCase());
      if (!provider) throw new Rejection('entity-not-found', `There is no such ${kind.noun}.`);
      return provider;
    },
    inShop: (provider: Known): object => ({
      ...describe(provider),
      isActive: provider.alias === activeAlias(),
      configuration: shownConfiguration(provider.fields, configurationOf(provider)),
    }),
  };
};

/** Providers of which one is asked. Errors: Rejection `entity-not-found`, `setting-fixed`, `invalid-request`. */
export const createProviderActions = <
  Known extends Provider<Configuration>,
  Configuration extends ProviderConfiguration,
  State extends ProvidersState<Configuration>,
  Event extends DomainEvent,
>(
  deps: ProviderActionDeps<Known, Configuration, State, Event>,
) => {
  const { kind, stream, providers, namedProvider, streams, reach } = deps;
  const { noun, setting } = kind;
  const { inShop, ...known } = knownProviders(deps);
  const { active, activeAlias, configurationOf, find } = known;
  const send = async (provider: Known, command: ProviderCommand<Configuration>, meta: CommandMeta) => {
    const { position } = await streams.send(stream, kind.id, command, meta);
    await reach(position);
    return { provider: inShop(provider), position };
  };
  const choose = (shown: Known, provider: string, meta: CommandMeta) => {
    // What the configuration says is not for the backoffice to choose.
    if (namedProvider !== null && namedProvider !== provider)
      throw new Rejection(
        'setting-fixed',
        `${setting}: the configuration names ${namedProvider}. Change it there.`,
      );
    return send(shown, { type: 'ChooseProvider', provider }, meta);
  };
  return {
    ...known,
    /** For the endpoints of the backoffice. */
    managed: {
      list: (): readonly object[] => providers.map(inShop),
      active: (): object => {
        const provider = active();
        if (!provider) throw new Rejection('entity-not-found', `No ${noun} is active.`);
        return inShop(provider);
      },
      fields: (alias: string): readonly ProviderField[] => find(alias).fields,
      activate: (alias: string, meta: CommandMeta) => {
        const provider = find(alias);
        return choose(provider, provider.alias, meta);
      },
      /** Stops asking this provider. */
      deactivate: (alias: string, meta: CommandMeta) => {
        const provider = find(alias);
        if (provider.alias === activeAlias()) return choose(provider, NONE, meta);
        return Promise.resolve({ provider: inShop(provider), position: 0 });
      },
      configure: async (alias: string, given: Readonly<Record<string, unknown>>, meta: CommandMeta) => {
        const provider = find(alias);
        const before = configurationOf(provider);
        const configuration = readConfiguration(given, {
          provider,
          before,
          textProblem: 'must be a text',
        }) as Configuration;
        const problems = (await provider.problems?.(configuration)) ?? [];
        refuseProblems(problems.map((problem) => `configuration.${problem}`));
        return send(provider, { type: 'ConfigureProvider', provider: provider.alias, configuration }, meta);
      },
    },
  };
};
