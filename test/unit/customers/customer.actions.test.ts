import { expect } from 'chai';
import { createCustomerActions } from '#command/contexts/customers/customer.actions.ts';
import { createClaims } from '#command/engine/claims.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';

const openBook = async () => {
  const { engine: commands, store, clock } = await startTestEngine();
  const keyedHash = (kind: string, value: string) => `${kind} ${value}`;
  return {
    store,
    customers: createCustomerActions({
      streams: testStreams(commands, clock),
      commands,
      claims: createClaims({ commands, keyedHash, clock }),
    }),
  };
};

const person = (email: string) => ({
  email,
  firstName: 'Ada',
  lastName: 'Lovelace',
  acceptsMarketing: false,
});

describe('customers', () => {
  it('are the same person by their e-mail address, whatever its case', async () => {
    const { customers } = await openBook();
    const ids = [];
    for (const email of ['ada@example.com', 'ADA@Example.com', 'ada@example.com']) {
      ids.push(await customers.ensure(person(email), anyMeta()));
    }
    expect(new Set(ids).size).to.equal(1);
    expect(await customers.ensure(person('bob@example.com'), anyMeta())).to.not.equal(ids[0]);
  });

  it('are registered once when they come twice at the same time', async () => {
    const { customers, store } = await openBook();
    const twice = await Promise.all([1, 2].map(() => customers.ensure(person('ada@example.com'), anyMeta())));
    expect(new Set(twice).size).to.equal(1);
    const registered = (await store.readAll(0)).filter(({ type }) => type === 'CustomerRegistered');
    expect(registered).to.have.length(1);
  });

  it('are registered by the next address when a crash came between claim and registration', async () => {
    const { customers, store } = await openBook();
    store.runBefore(
      'append',
      (stream) => stream.startsWith('customer-'),
      () => {
        throw new Error('the process died');
      },
    );
    await customers.ensure(person('ada@example.com'), anyMeta()).catch(() => undefined);
    const id = await customers.ensure(person('ada@example.com'), anyMeta());
    const [registered] = await store.readStream(`customer-${id}`);
    expect(registered?.type).to.equal('CustomerRegistered');
  });
});
