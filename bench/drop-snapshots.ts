import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { fileNames } from './data-folder.ts';

/*
 * Takes the snapshots of reference state and of streams out of a data folder: `node drop-snapshots.ts <data folder>`.
 */

const [, , dataDir = ''] = process.argv;
const stateStore = await openSqliteDocumentStore({ file: fileNames(dataDir).state });
const known = await stateStore.collections();
const dropped = ['referenceSlices', 'snapshots'].filter((name) => known.includes(name));
for (const collection of dropped) await stateStore.drop(collection);
await stateStore.close();
process.send?.({ result: { dropped } });
process.on('disconnect', () => process.exit());
