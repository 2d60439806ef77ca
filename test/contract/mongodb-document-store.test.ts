import { randomUUID } from 'node:crypto';

import { MongoClient } from 'mongodb';

import { openMongoDocumentStore } from '#adapters/mongodb/mongo-document-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { onRealEngine } from '#test/support/real-engine.ts';
import { describeDocumentStore } from './document-store.contract.ts';

const versionOf = async (url: string): Promise<string> => {
  const client = new MongoClient(url);
  const { version } = await client.db().admin().buildInfo();
  await client.close();
  return String(version);
};

onRealEngine('TEST_READ_STORE', (url) => {
  const database = `tillroll_test_${randomUUID().slice(0, 8)}`;
  let shared: DocumentStore | undefined;

  after(async () => {
    await shared?.close();
    if (!url) return;
    const client = new MongoClient(url);
    await client.db(database).dropDatabase();
    await client.close();
  });

  describeDocumentStore({
    name: 'MongoDB',
    isTransactional: false,
    ordersByCodePoint: async () => !(await versionOf(url)).includes('mongo-java-server'),
    open: async () => {
      const store = (shared ??= await openMongoDocumentStore({ url, database }));
      const dispose = async (): Promise<void> => {
        for (const collection of await store.collections()) await store.drop(collection);
      };
      return { store, dispose };
    },
  });
});
