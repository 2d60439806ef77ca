import type { Recorded } from '#kernel/event.ts';
import { createCodec } from '#log/codec.ts';
import { createSubjectKeys, type SubjectKeys } from '#log/subject-keys.ts';
import { MAX_PAGE, START } from '#ports/event-store.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { closeEngines, openEngines, type Engines } from '../../shared-kernel/open-engines.ts';

/** What a shop on embedded engines has left, to be read only. */
export interface StoppedShop {
  readonly engines: Engines;
  readonly keys: SubjectKeys;
  /** Every event of the log, in its order, as far as it can be read still. */
  readonly events: readonly Recorded[];
}

/** Reads what a stopped shop has left in its data folder. */
export const inStoppedShop = async <Result>(
  dataDir: string,
  read: (shop: StoppedShop) => Promise<Result>,
): Promise<Result> => {
  const config = loadConfig({ env: { DATA_DIR: dataDir, BACKOFFICE_API_KEY: 'not-needed-for-an-audit' } });
  const { applicationKey } = loadKeys(config);
  const engines = await openEngines(config.engines, { readOnly: true });
  try {
    const { store, stateStore } = engines;
    const keys = await createSubjectKeys({ store: stateStore, applicationKey });
    const codec = createCodec({ keys, applicationKey, store });
    const events: Recorded[] = [];
    for (let after = START; ;) {
      const page = await store.readAll(after, MAX_PAGE);
      const last = page.at(-1);
      if (!last) break;
      events.push(...(await codec.decodeAll(page)));
      after = last.position;
    }
    return await read({ engines, keys, events });
  } finally {
    await closeEngines(engines);
  }
};
