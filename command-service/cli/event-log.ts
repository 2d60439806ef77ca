import { createCodec } from '#log/codec.ts';
import { refuseOtherKey } from '#log/key-check.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { eventDefinition } from '#events/registry.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { Config } from '#runtime/config.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { readApplicationKey } from '#runtime/keys.ts';
import { closeEngines, openEngines, type Engines } from '../../shared-kernel/open-engines.ts';
import { decodeMasked, decodeRevealed, type Decode } from './events.ts';

export interface OpenEventLog {
  readonly store: EventStore;
  readonly decode: Decode;
  close(): Promise<void>;
}

/** Opens the log for reading, beside a running shop or without one. Keys are touched only to reveal. */
export const openEventLog = async (config: Config, isRevealed: boolean): Promise<OpenEventLog> => {
  const { events, state } = config.engines;
  if (events.kind === 'memory')
    throw new Error('EVENT_STORE is in memory: there is no log to read beside the shop.');
  const choices = { ...memoryEngines, events, ...(isRevealed && { state }) };
  const engines = await openEngines(choices, { readOnly: true });
  const { store } = engines;
  return {
    store,
    decode: isRevealed ? await revealing(config, engines) : decodeMasked,
    close: async () => {
      await closeEngines(engines);
    },
  };
};

const revealing = async (config: Config, { store, stateStore }: Engines): Promise<Decode> => {
  const applicationKey = readApplicationKey(config);
  await refuseOtherKey(stateStore, applicationKey);
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store });
  return decodeRevealed(codec.decodeAll, (type) => eventDefinition(type)?.secretFields ?? []);
};
