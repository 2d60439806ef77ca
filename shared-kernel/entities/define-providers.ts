import type { Decider } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { derivedId } from '#kernel/ids.ts';
import { isSameJson } from '#kernel/same-json.ts';

/** What the backoffice has set of the providers of a kind. */
export interface ProvidersState<Configuration = Readonly<Record<string, unknown>>> {
  /** The one that is asked; null: none was chosen, or several are on. */
  readonly provider: string | null;
  /** What each is set to, in clear: in memory only. */
  readonly configurations: Readonly<Record<string, Configuration>>;
}

/** Chooses the provider that is asked; `none` turns it off. */
interface ChooseProvider {
  readonly type: 'ChooseProvider';
  readonly provider: string;
}

/** Sets what a provider needs: the whole of it. */
export interface ConfigureProvider<Configuration = Readonly<Record<string, unknown>>> {
  readonly type: 'ConfigureProvider';
  readonly provider: string;
  readonly configuration: Configuration;
}

export type ProviderCommand<Configuration> = ChooseProvider | ConfigureProvider<Configuration>;

interface EventType<Data, Event extends DomainEvent> {
  (data: Data): Event;
  readonly type: Event['type'];
}

interface Chosen {
  readonly provider: string;
}

interface Configured<Configuration> extends Chosen {
  readonly configuration: Configuration;
}

/** Where one of them is asked. */
interface Choice<Event extends DomainEvent> {
  readonly chosen: EventType<Chosen, Event>;
  /** The setting that may name the one. */
  readonly setting: string;
  /** Asked until one is chosen. */
  readonly byDefault: string;
}

interface Declaration<
  Configuration,
  Own,
  ChosenEvent extends DomainEvent,
  ConfiguredEvent extends DomainEvent,
  OwnEvent extends DomainEvent,
> {
  /** Category of their one stream, and their part of reference state. */
  readonly name: string;
  /** Raised when the snapshot of reference state changes. */
  readonly version: number;
  readonly noun: string;
  readonly path: `/${string}`;
  readonly configured: EventType<Configured<Configuration>, ConfiguredEvent>;
  readonly choice?: Choice<ChosenEvent>;
  /** What their stream holds besides. */
  readonly own?: {
    readonly initial: Own;
    readonly on: Evolution<ProvidersState<Configuration> & Own, OwnEvent>;
  };
}

/** A kind of provider, all of which are kept in one stream: chosen, set, and encrypted where they are stored. */
export interface ProviderKind<State, Configuration, Event extends DomainEvent> {
  readonly name: string;
  readonly version: number;
  readonly noun: string;
  readonly path: `/${string}`;
  readonly setting: string;
  /** Of the one stream. */
  readonly id: string;
  readonly initial: State;
  readonly on: Evolution<State, Event>;
  /** The one that is asked. `named`: by the configuration of the shop, which goes first. */
  active(state: Pick<ProvidersState, 'provider'>, named: string | null): string;
  choose(state: ProvidersState, provider: string): Event[];
  configure(state: ProvidersState<Configuration>, provider: string, configuration: Configuration): Event[];
}

/** Declares a kind of provider: all that the services need to keep, choose, set, encrypt and show them. */
export const defineProviders = <
  Configuration extends object,
  ConfiguredEvent extends DomainEvent,
  ChosenEvent extends DomainEvent = never,
  OwnEvent extends DomainEvent = never,
  Own extends object = object,
>({
  choice,
  own,
  configured,
  ...declared
}: Declaration<Configuration, Own, ChosenEvent, ConfiguredEvent, OwnEvent>) => {
  type State = ProvidersState<Configuration> & Own;
  const on = {
    ...(choice && {
      [choice.chosen.type]: (state: State, { data }: DomainEvent<string, Chosen>) => ({
        ...state,
        provider: data.provider,
      }),
    }),
    [configured.type]: (state: State, { data }: DomainEvent<string, Configured<Configuration>>) => ({
      ...state,
      configurations: { ...state.configurations, [data.provider]: data.configuration },
    }),
    ...own?.on,
  };
  const kind: ProviderKind<State, Configuration, ChosenEvent | ConfiguredEvent | OwnEvent> = {
    ...declared,
    setting: choice?.setting ?? '',
    id: derivedId(declared.name),
    initial: { provider: null, configurations: {}, ...own?.initial } as State,
    on: on as unknown as Evolution<State, ChosenEvent | ConfiguredEvent | OwnEvent>,
    active: ({ provider }, byConfiguration) => byConfiguration ?? provider ?? choice?.byDefault ?? '',
    choose: (state, provider) =>
      choice === undefined || state.provider === provider ? [] : [choice.chosen({ provider })],
    configure: ({ configurations }, provider, configuration) =>
      isSameJson(configurations[provider] ?? {}, configuration)
        ? []
        : [configured({ provider, configuration: { ...configuration } })],
  };
  return kind;
};

/** The decider of a kind whose providers are only chosen and set. */
export const providersDecider = <
  State extends ProvidersState<Configuration>,
  Configuration,
  Event extends DomainEvent,
>({
  name: category,
  initial,
  on,
  choose,
  configure,
}: ProviderKind<State, Configuration, Event>): Decider<State, ProviderCommand<Configuration>, Event> => ({
  category,
  initial: () => initial,
  decide: (state, command) =>
    command.type === 'ChooseProvider'
      ? choose(state as ProvidersState, command.provider)
      : configure(state, command.provider, command.configuration),
  on,
  remembersCommands: true,
});
