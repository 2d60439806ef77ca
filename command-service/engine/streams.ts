import type { Clock } from '#kernel/clock.ts';
import type { Command } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { StreamDefinition } from '#kernel/stream.ts';
import type { Reference } from '#reference/reference.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { ContextApis } from '../context-apis.ts';
import type {
  CommandEngine,
  CommandMeta,
  Executed,
  ExecuteRequest,
  Loaded,
  ReferenceMatters,
} from './command-engine.ts';

/** Where the context of a command comes from. */
export interface Sources {
  readonly reference: Reference;
  readonly clock: Clock;
  /** The settings in force: configuration over what the log says over the defaults. */
  readonly settings: () => StoreSettings;
  /** A hash that only this shop can compute, for values that name a stream but must not be guessed from it. */
  readonly keyedHash: (kind: string, value: string) => string;
  readonly apis: ContextApis;
  /** Whether a provider determines the tax; default: none is asked. */
  readonly asksForTax?: () => boolean;
}

/** A stream definition of this service. */
export type ShopStream<
  State,
  Cmd extends Command,
  Event extends DomainEvent,
  Context = void,
> = StreamDefinition<State, Cmd, Event, Context, Sources>;

/** A stream definition whose types have been checked before. */
export type AnyShopStream = ShopStream<unknown, Command, DomainEvent, unknown>;

/** How a command is sent, where it is not simply a caller's. */
export interface Sending {
  /** A step of a process tries conflicts again until a deadline instead of five times. */
  readonly isProcessStep?: boolean;
  /** The id was made for this command: most likely the stream is not there yet. */
  readonly isNewId?: boolean;
  /** Of a kind with a context; without one it never does. */
  readonly referenceMatters?: ReferenceMatters;
  /** The stream is unlikely to be needed again soon (`ExecuteRequest`). */
  readonly isLast?: boolean;
}

/** The streams of the shop, for everything that commands them. */
export interface Streams {
  /** Errors: those of `CommandEngine.execute`. */
  send<State, Cmd extends Command, Event extends DomainEvent, Context>(
    definition: ShopStream<State, Cmd, Event, Context>,
    id: string,
    command: Cmd,
    meta: CommandMeta,
    how?: Sending,
  ): Promise<Executed<State, Event>>;
  /** Throws what `send` would be refused with; records nothing (`CommandEngine.rehearse`). */
  rehearse<State, Cmd extends Command, Event extends DomainEvent, Context>(
    definition: ShopStream<State, Cmd, Event, Context>,
    id: string,
    command: Cmd,
    meta: CommandMeta,
    how?: Sending,
  ): Promise<void>;
  /** The state of a stream as it is now. */
  load<State, Cmd extends Command, Event extends DomainEvent, Context>(
    definition: ShopStream<State, Cmd, Event, Context>,
    id: string,
  ): Promise<Loaded<State>>;
  /** The same at once, where this process knows it (`CommandEngine.peek`). */
  peek<State, Cmd extends Command, Event extends DomainEvent, Context>(
    definition: ShopStream<State, Cmd, Event, Context>,
    id: string,
  ): State | undefined;
  /** What `load` would return, where that takes no waiting (`CommandEngine.settled`). */
  settled<State, Cmd extends Command, Event extends DomainEvent, Context>(
    definition: ShopStream<State, Cmd, Event, Context>,
    id: string,
  ): State | undefined;
  /** The state as this process knows it (`CommandEngine.recall`). */
  recall<State, Cmd extends Command, Event extends DomainEvent, Context>(
    definition: ShopStream<State, Cmd, Event, Context>,
    id: string,
  ): Promise<Loaded<State>>;
}

/**
 * Works with a stream as this process knows it. A refusal, or a result without a command that would meet a conflict
 * (`isCertain` tells), is tried once more on the current stream when others have appended to it meanwhile: no caller
 * gets an outdated answer.
 */
export const asKnown = async <State, Cmd extends Command, Event extends DomainEvent, Context, Result>(
  streams: Streams,
  definition: ShopStream<State, Cmd, Event, Context>,
  id: string,
  work: (loaded: Loaded<State>) => Promise<Result>,
  isCertain: (result: Result) => boolean = () => true,
): Promise<Result> => {
  const known = await streams.recall(definition, id);
  const { revision } = known;
  const [outcome] = await Promise.allSettled([work(known)]);
  const isFinal =
    outcome.status === 'fulfilled' ? isCertain(outcome.value) : !(outcome.reason instanceof Rejection);
  const current = isFinal ? null : await streams.load(definition, id);
  if (current && current.revision !== revision) return work(current);
  if (outcome.status === 'fulfilled') return outcome.value;
  throw outcome.reason;
};

const requestOf = <State, Cmd extends Command, Event extends DomainEvent, Context>(
  sources: Sources,
  definition: ShopStream<State, Cmd, Event, Context>,
  id: string,
  command: Cmd,
  meta: CommandMeta,
  how: Sending = {},
): ExecuteRequest<State, Cmd, Event, Context> => ({
  decider: definition.decider,
  id,
  command,
  context: definition.context?.(sources, command, id) ?? ((): never => undefined as never),
  meta,
  referenceMatters: definition.context ? (how.referenceMatters ?? 'always') : 'never',
  isProcessStep: how.isProcessStep ?? false,
  isNewId: how.isNewId ?? definition.begins?.(command) ?? false,
  isLast: how.isLast ?? definition.ends?.(command) ?? false,
});

export const createStreams = (commands: CommandEngine, sources: Sources): Streams => ({
  send: (definition, id, command, meta, how) =>
    commands.execute(requestOf(sources, definition, id, command, meta, how)),
  rehearse: (definition, id, command, meta, how) =>
    commands.rehearse(
      requestOf(sources, definition, id, command, meta, { ...how, isNewId: false, isLast: false }),
    ),
  load: (definition, id) => commands.load(definition.decider, id),
  recall: (definition, id) => commands.recall(definition.decider, id),
  peek: (definition, id) => commands.peek(definition.decider, id),
  settled: (definition, id) => commands.settled(definition.decider, id),
});
