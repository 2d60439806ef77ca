import type { Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { Reference } from '#reference/reference.ts';
import type { StoreSettings } from '#values/store-settings.ts';
import type { CommandEngine } from './command-engine.ts';

/** What the contexts of the command service are given. */
export interface CommandDeps {
  readonly commands: CommandEngine;
  readonly reference: Reference;
  readonly clock: Clock;
  /** The settings in force: configuration over what the log says over the defaults. */
  readonly settings: () => StoreSettings;
  readonly stateStore: DocumentStore;
  readonly store: EventStore;
  /** A hash that only this shop can compute, for values that name a stream but must not be guessed from it. */
  readonly keyedHash: (kind: string, value: string) => string;
}
