import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { CommandEngineOptions } from '#command/engine/engine-options.ts';
import { createCommandEngine, type RunningCommandEngine } from '#command/engine/handle-command.ts';
import type { CommandEngine, CommandMeta } from '#command/engine/command-engine.ts';
import type { ContextApis } from '#command/context-apis.ts';
import { createStreams, type Sources, type Streams } from '#command/engine/streams.ts';
import { createCodec, type EventCodec } from '#log/codec.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { Clock } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { createReference } from '#reference/create-reference.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { faultyEventStore, type FaultyEventStore } from './faults.ts';

export const applicationKey = Buffer.alloc(32, 'tillroll');

/** A meta of its own for every command. */
export const anyMeta = (commandId?: string): CommandMeta => ({
  correlationId: newId(),
  causationId: newId(),
  actor: { kind: 'visitor', id: null },
  ...(commandId === undefined ? {} : { commandId }),
});

/** The streams of a shop without a catalogue, commanded through an engine. */
export const testStreams = (commands: CommandEngine, clock: Clock, changes: Partial<Sources> = {}): Streams =>
  createStreams(commands, {
    reference: createReference(),
    settings: () => defaultStoreSettings,
    clock,
    keyedHash: (kind, value) => `${kind} ${value}`,
    apis: {} as ContextApis,
    ...changes,
  });

export const createTestCodec = async (
  stateStore: DocumentStore,
  store: EventStore = createMemoryEventStore(),
): Promise<EventCodec> => {
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  return createCodec({ keys, applicationKey, store });
};

export interface TestEngine {
  readonly store: FaultyEventStore;
  readonly stateStore: DocumentStore;
  readonly codec: EventCodec;
  readonly clock: { time: number; now(): number };
  readonly engine: RunningCommandEngine;
  /** One more process on the same stores. */
  another(options?: Partial<CommandEngineOptions>): RunningCommandEngine;
}

/** A command engine on memory stores into whose way faults can be put; the clock stands still unless it is moved. */
export const startTestEngine = async (options: Partial<CommandEngineOptions> = {}): Promise<TestEngine> => {
  const store = faultyEventStore(createMemoryEventStore());
  const stateStore = createMemoryDocumentStore();
  const codec = await createTestCodec(stateStore, store);
  const clock = { time: Date.UTC(2026, 0, 5, 9), now: () => clock.time };
  const secrets = createTextCipher(applicationKey);
  const another = (more: Partial<CommandEngineOptions> = {}): RunningCommandEngine =>
    createCommandEngine({ store, stateStore, secrets, codec, clock, ...options, ...more });
  return { store, stateStore, codec, clock, engine: another(), another };
};
