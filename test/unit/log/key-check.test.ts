import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { holdToKey, refuseOtherKey } from '#log/key-check.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';

describe('The key check of a state store', () => {
  const ours = Buffer.alloc(32, 1);
  const other = Buffer.alloc(32, 2);
  const refusal = (work: Promise<void>): Promise<unknown> =>
    work.then(
      () => null,
      (error: Error) => error.message,
    );

  it('lets the key in under which the store was opened first, and no other', async () => {
    const store = createMemoryDocumentStore();
    await holdToKey(store, ours);
    await holdToKey(store, ours);
    expect(await refusal(holdToKey(store, other))).to.include('Set APPLICATION_KEY to that key');
    expect(await refusal(refuseOtherKey(store, other))).to.include('Set APPLICATION_KEY to that key');
    await refuseOtherKey(store, ours);
  });

  it('lets one of two keys in that come at once', async () => {
    const store = createMemoryDocumentStore();
    const refusals = await Promise.all([refusal(holdToKey(store, ours)), refusal(holdToKey(store, other))]);
    expect(refusals.filter((message) => message !== null)).to.have.length(1);
  });

  it('is told by the keys of data subjects where an older release has written the store', async () => {
    const store = createMemoryDocumentStore();
    await (await createSubjectKeys({ store, applicationKey: ours })).ensure({ id: 'ada' });
    expect(await refusal(holdToKey(store, other))).to.include('Set APPLICATION_KEY to that key');
    await holdToKey(store, ours);
  });
});
