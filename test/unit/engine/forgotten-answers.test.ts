import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createIdempotency } from '#command/engine/idempotency.ts';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

const applicationKey = Buffer.alloc(32, 1);
const request = {
  scope: { caller: 'backoffice 1', method: 'POST', path: '/customers' },
  key: 'once',
  bodyFingerprint: 'ada',
  now: Date.UTC(2026, 0, 5, 9),
  waitMs: 1000,
  subjects: () => ['ada'],
};

// docs/rules/personal-data.md#rows
describe('the answer under an idempotency key, of a request about a person', () => {
  let stateStore: DocumentStore;
  const formerCipher = createTextCipher(Buffer.alloc(32, 2));
  const open = async () => {
    const keys = await createSubjectKeys({ store: stateStore, applicationKey });
    const texts = createPersonalTexts(keys, applicationKey);
    const options = { stateStore, texts, formerCipher, instanceId: 'ours', isOnlyWriter: true };
    return { keys, idempotency: await createIdempotency(options) };
  };
  const kept = () => stateStore.find<Document & { readonly answer: string | null }>('idempotency');

  const ran: string[] = [];
  const answering = (name: string | null) => (commandId: string) => {
    ran.push(commandId);
    return Promise.resolve({ status: 201, json: { name } });
  };

  beforeEach(() => {
    stateStore = createMemoryDocumentStore();
    ran.splice(0);
  });

  it('is kept for repeats, and not in clear', async () => {
    const { keys, idempotency } = await open();
    await keys.ensure({ id: 'ada' });
    const first = await idempotency.run(request, answering('Ada'));
    expect(JSON.stringify(await kept())).not.to.include('Ada');
    expect(await idempotency.run(request, answering('another'))).to.deep.equal(first);
    expect(ran).to.have.length(1);
  });

  it('is gone with the person; the repeat runs as the same command, and its answer is kept', async () => {
    const { keys, idempotency } = await open();
    await keys.ensure({ id: 'ada' });
    await idempotency.run(request, answering('Ada'));
    await keys.forget('ada');
    const ofNobody = { ...request, subjects: () => [] };
    expect(await idempotency.run(ofNobody, answering(null))).to.deep.include({ json: { name: null } });
    await idempotency.run(ofNobody, answering('never'));
    expect(ran).to.have.length(2);
    expect(new Set(ran).size).to.equal(1);
  });

  it('is not kept when the person is forgotten before it is there', async () => {
    const { keys, idempotency } = await open();
    await keys.ensure({ id: 'ada' });
    await idempotency.run(request, async (commandId) => {
      await keys.forget('ada');
      return answering('Ada')(commandId);
    });
    expect(await kept()).to.deep.equal([]);
  });

  it('that an older release kept is given once more', async () => {
    const { idempotency } = await open();
    await idempotency.run({ ...request, subjects: () => [] }, answering('Ada'));
    const [{ _id } = expect.fail('nothing is kept')] = await kept();
    const answer = formerCipher.seal(JSON.stringify({ status: 201, json: { name: 'Grace' } }));
    await stateStore.updateIf('idempotency', { _id }, { set: { answer } });
    expect(await idempotency.run(request, answering(null))).to.deep.include({ json: { name: 'Grace' } });
  });

  it('costs no look at the state store while its key is known', async () => {
    const { keys } = await open();
    await keys.ensure({ id: 'ada' });
    await keys.ensure({ id: 'grace' });
    let reads = 0;
    const texts = createPersonalTexts(keys, applicationKey);
    for (const read of ['get', 'getMany', 'find'] as const) {
      const real = stateStore[read].bind(stateStore) as (...given: unknown[]) => unknown;
      Object.assign(stateStore, { [read]: (...given: unknown[]) => (reads++, real(...given)) });
    }
    expect(await texts.sealFor(['ada', 'grace'], 'a text')).to.be.a('string');
    expect(await texts.sealFor([], 'a text')).to.be.a('string');
    expect(reads).to.equal(0);
    await texts.sealFor(['edsger'], 'a text');
    expect(reads, 'it does count').to.be.above(0);
  });
});
