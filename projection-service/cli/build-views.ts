import type { AnyProjection } from '#kernel/projection.ts';
import { createCodec } from '#log/codec.ts';
import { refuseOtherKey } from '#log/key-check.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Config } from '#runtime/config.ts';
import { readApplicationKey } from '#runtime/keys.ts';
import { closeEngines, openForFilling } from '../../shared-kernel/open-engines.ts';
import { openEnginesOffline } from '../../shared-kernel/open-offline.ts';
import { markBuilds } from '../engine/builds-under-way.ts';
import { adoptUnversioned, dropOlder, servingGenerations } from '../engine/generations.ts';
import { projectionsOf } from '../engine/join-modules.ts';
import { dropUnused, finishFill } from '../engine/rebuild.ts';
import { fillViews, startFills, type FillOptions } from '../engine/rebuilds/fill-views.ts';
import { modules } from '../modules.ts';

/** Views by name; the version is that of this release. */
export interface Built {
  readonly built: readonly AnyProjection[];
  /** Why some could not be. */
  readonly failures: readonly string[];
}

type Watched = Required<Pick<FillOptions, 'onProgress' | 'signal'>>;

/**
 * Fills what this release has in a version that nothing serves yet, beside a running shop of the release before, which
 * goes on with its own. `names`: null for all. Errors: `Error` that says what to do; `AbortError`, with nothing left.
 */
export const buildViews = async (
  config: Config,
  names: readonly string[] | null,
  watched: Watched,
): Promise<Built> => {
  const applicationKey = readApplicationKey(config);
  const wanted = projectionsNamed(names);
  if (config.engines.read.kind === 'memory')
    throw new Error('READ_STORE is in memory: nothing that is built there would be left for a start.');
  const engines = await openEnginesOffline(config);
  try {
    const { store, stateStore } = engines;
    await refuseOtherKey(stateStore, applicationKey);
    const keys = await createSubjectKeys({ store: stateStore, applicationKey });
    const codec = createCodec({ keys, applicationKey, store });
    const readStore = await openForFilling(config.engines.read);
    try {
      return await fillMissing(wanted, readStore, { ...watched, store, codec });
    } finally {
      await readStore.close();
    }
  } finally {
    await closeEngines(engines);
  }
};

const projectionsNamed = (names: readonly string[] | null): readonly AnyProjection[] => {
  const projections = projectionsOf(modules);
  const unknown = names?.find((name) => !projections.some((one) => one.name === name));
  if (unknown !== undefined)
    throw new Error(`There is no projection "${unknown}"; tillroll projections list shows them.`);
  return projections.filter(({ name }) => names?.includes(name) ?? true);
};

/** The same on stores that are open. */
export const fillMissing = async (
  projections: readonly AnyProjection[],
  readStore: DocumentStore,
  options: FillOptions,
): Promise<Built> => {
  // A running release that named one version of each view serves those that have not been raised since.
  await adoptUnversioned(readStore, projections);
  const missingOf = async (views: readonly AnyProjection[]): Promise<readonly AnyProjection[]> => {
    const serving = await servingGenerations(readStore, views);
    return views.filter(({ name }) => !serving.has(name));
  };
  const missing = await missingOf(projections);
  if (missing.length === 0) return { built: [], failures: [] };
  const unmark = await markBuilds(readStore, missing);
  try {
    // Another process may have built them by now.
    return await fillAll(await missingOf(missing), readStore, options);
  } finally {
    await unmark();
  }
};

const fillAll = async (
  missing: readonly AnyProjection[],
  readStore: DocumentStore,
  options: FillOptions,
): Promise<Built> => {
  const fills = await startFills(missing, readStore);
  const built: AnyProjection[] = [];
  const failures: string[] = [];
  try {
    await fillViews(fills, options);
    for (const fill of fills) {
      const { projection, poison } = fill;
      if (poison) {
        failures.push(`${projection.name}: the event at position ${poison.position}: ${poison.message}`);
        continue;
      }
      await dropOlder(readStore, projection, await finishFill(fill, readStore));
      built.push(projection);
    }
    return { built, failures };
  } finally {
    await dropUnused(fills, readStore);
  }
};
