import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import type { DocumentStore } from '#ports/document-store.ts';

const applicationKey = Buffer.alloc(32, 7);
const [ada, grace, edsger] = ['ada', 'grace', 'edsger'];

// docs/rules/personal-data.md#keys
describe('the key of a basket', () => {
  it('is remembered with each who was named, also where two processes name others at once', async () => {
    const store = createMemoryDocumentStore();
    let meanwhile: (() => Promise<void>) | undefined;
    const watched = new Proxy(store, {
      get: (target, name: keyof DocumentStore) => {
        const asked: unknown = target[name];
        if (typeof asked !== 'function') return asked;
        return async (...given: readonly unknown[]): Promise<unknown> => {
          const answer: unknown = await Reflect.apply(asked, target, given);
          const act = name === 'get' ? meanwhile : undefined;
          if (act) meanwhile = undefined;
          await act?.();
          return answer;
        };
      },
    });
    const here = await createSubjectKeys({ store: watched, applicationKey });
    const elsewhere = await createSubjectKeys({ store, applicationKey });
    await here.ensure({ id: 'basket', customerId: ada });
    meanwhile = () => elsewhere.nameCustomer({ id: 'basket', customerId: grace });
    await here.nameCustomer({ id: 'basket', customerId: edsger });
    for (const customerId of [ada, grace, edsger])
      expect((await here.namedBy(customerId)).ids, customerId).to.deep.equal(['basket']);
    await here.forget(grace);
    expect(await here.isForgotten('basket')).to.equal(true);
  });
});
