import { existsSync } from 'node:fs';
import { createCodec } from '#log/codec.ts';
import { refuseOtherKey } from '#log/key-check.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { eventDefinition } from '#events/registry.ts';
import type { Config } from '#runtime/config.ts';
import { memoryEngines, type DocumentStoreChoice } from '#runtime/config-engines.ts';
import { readApplicationKey } from '#runtime/keys.ts';
import { closeEngines, openEngines, type Engines } from '../../shared-kernel/open-engines.ts';
import { decodeMasked, decodeRevealed, type Decode, type PrintedLog } from './events.ts';

export interface OpenEventLog extends PrintedLog {
  readonly decode: Decode;
  close(): Promise<void>;
}

/** Opens the log for reading, beside a running shop or without one. Keys are touched only to reveal. */
export const openEventLog = async (config: Config, isRevealed: boolean): Promise<OpenEventLog> => {
  const { events, read, state } = config.engines;
  if (events.kind === 'memory')
    throw new Error('EVENT_STORE is in memory: there is no log to read beside the shop.');
  const choices = { ...memoryEngines, events, read: timesIn(read), ...(isRevealed && { state }) };
  const engines = await openEngines(choices, { readOnly: true });
  const { store, readStore } = engines;
  return {
    store,
    readStore,
    decode: isRevealed ? await revealing(config, engines) : decodeMasked,
    close: async () => {
      await closeEngines(engines);
    },
  };
};

/** Read models can be made again, and the index of time with them: until then the log is read from its beginning. */
const timesIn = (read: DocumentStoreChoice): DocumentStoreChoice =>
  read.kind === 'sqlite' && !existsSync(read.file) ? memoryEngines.read : read;

const revealing = async (config: Config, { store, stateStore }: Engines): Promise<Decode> => {
  const applicationKey = readApplicationKey(config);
  await refuseOtherKey(stateStore, applicationKey);
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store });
  return decodeRevealed(codec.decodeAll, (type) => eventDefinition(type)?.secretFields ?? []);
};
