import { expect } from 'chai';
import type { CustomerCommand } from '#command/contexts/customers/customer.commands.ts';
import { customerStream } from '#command/contexts/customers/customer.stream.ts';
import type { ContextApis } from '#command/context-apis.ts';
import { newId } from '#kernel/ids.ts';
import { createAccountRemoval } from '#command/contexts/customers/account-removal.ts';
import { createCustomerActions } from '#command/contexts/customers/customer.actions.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { createClaims } from '#command/engine/claims.ts';
import type { Reference } from '#reference/reference.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import type { SegmentRule } from '#values/customer-segments.ts';
import { ada } from '#test/support/builders/customer.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';
import { when } from '#test/support/refusal.ts';

const openBook = async (segments: Readonly<Record<string, SegmentRule>> = {}) => {
  const { engine: commands, store, clock } = await startTestEngine();
  const keyedHash = (kind: string, value: string) => `${kind} ${value}`;
  const kept = new Map(Object.entries(segments));
  const entities = { all: () => kept, has: (_: string, id: string) => kept.has(id) };
  const reference = { entities } as unknown as Reference;
  const apis = { orders: { countUnpaidOf: () => 0 } } as unknown as ContextApis;
  const settings = () => defaultStoreSettings;
  const streams = testStreams(commands, clock, { reference, apis });
  const claims = createClaims({ commands, keyedHash, clock });
  const deps = {
    streams,
    commands,
    claims,
    clock,
    settings,
    reference,
    apis,
  } as unknown as CommandDeps;
  return {
    store,
    clock,
    streams,
    claims,
    customers: createCustomerActions(deps, createAccountRemoval(deps)),
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

  it('are registered once by two requests at the same time', async () => {
    const { customers, store } = await openBook();
    const twice = await Promise.all([1, 2].map(() => customers.ensure(person('ada@example.com'), anyMeta())));
    expect(new Set(twice).size).to.equal(1);
    const registered = (await store.readAll(0)).filter(({ type }) => type === 'CustomerRegistered');
    expect(registered).to.have.length(1);
  });

  it('are registered by the next request after a crash between claim and registration', async () => {
    const { customers, store } = await openBook();
    store.runBefore(
      'append',
      (stream) => stream.startsWith('customer-'),
      () => {
        throw new Error('the process died');
      },
    );
    await when(customers.ensure(person('ada@example.com'), anyMeta())).thenFails(Error, 'the process died');
    const id = await customers.ensure(person('ada@example.com'), anyMeta());
    const [registered] = await store.readStream(`customer-${id}`);
    expect(registered?.type).to.equal('CustomerRegistered');
  });

  it('keep their new e-mail address and free the old one', async () => {
    const { customers } = await openBook();
    const id = await customers.ensure(person('ada@example.com'), anyMeta());
    await customers.change(id, { email: 'king@example.com' }, anyMeta());
    expect(await customers.ensure(person('king@example.com'), anyMeta())).to.equal(id);
    expect(await customers.ensure(person('ada@example.com'), anyMeta())).to.not.equal(id);
  });

  it('lose an old address that a crash left them after a minute', async () => {
    const { customers, streams, claims, clock } = await openBook();
    const id = await customers.ensure(person('ada@example.com'), anyMeta());
    // The process died before it gave the old address back.
    await claims.claim('customer-email', 'king@example.com', id, anyMeta());
    const changes = { email: 'king@example.com' };
    await streams.send(customerStream, id, { type: 'ChangeCustomer', changes }, anyMeta());
    const ask = () => customers.ensure(person('ada@example.com'), anyMeta());
    clock.time += 30_000;
    await when(ask()).thenRefused('conflict');
    clock.time += 30_000;
    expect(await ask()).to.not.equal(id);
  });

  it('are new customers if they come back after being deleted', async () => {
    const { customers } = await openBook();
    const id = await customers.ensure(person('ada@example.com'), anyMeta());
    await customers.remove(id, anyMeta());
    expect(await customers.ensure(person('ada@example.com'), anyMeta())).to.not.equal(id);
  });

  it('are new customers at once where a crash came before a deleted one gave the address back', async () => {
    const { customers, streams } = await openBook();
    const id = await customers.ensure(person('ada@example.com'), anyMeta());
    await streams.send(customerStream, id, { type: 'DeleteCustomer' }, anyMeta());
    expect(await customers.ensure(person('ada@example.com'), anyMeta())).to.not.equal(id);
  });

  it('created twice at once with one address are one customer', async () => {
    const { customers, store } = await openBook();
    const fields = { ...ada, email: 'ada@example.com' };
    const outcomes = await Promise.allSettled([1, 2].map(() => customers.create(newId(), fields, anyMeta())));
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    const types = (await store.readAll(0)).map(({ type }) => type);
    expect(types.filter((type) => type === 'CustomerRegistered')).to.have.length(1);
  });
});

describe('the segments of a customer', () => {
  const segment = (changes: Partial<SegmentRule>): SegmentRule => ({
    segmentType: 'Automated',
    criteria: [],
    matchMode: 'All',
    isActive: true,
    ...changes,
  });
  const [friends, tagged, buyers, closed] = ['friends', 'tagged', 'buyers', 'closed'].map(idNamed) as [
    string,
    string,
    string,
    string,
  ];

  it('follow from the current facts and the choices of staff', async () => {
    const { customers, streams } = await openBook({
      [friends]: segment({ segmentType: 'Manual' }),
      [closed]: segment({ segmentType: 'Manual', isActive: false }),
      [tagged]: segment({ criteria: [{ field: 'Tag', operator: 'Contains', value: 'vip', value2: null }] }),
      [buyers]: segment({
        criteria: [{ field: 'TotalSpend', operator: 'GreaterThan', value: 1000, value2: null }],
      }),
    });
    const id = await customers.ensure(person('ada@example.com'), anyMeta());
    const send = (command: CustomerCommand) => streams.send(customerStream, id, command, anyMeta());
    expect(await customers.segmentsOf(id)).to.deep.equal([]);
    await customers.change(id, { tags: ['VIP'] }, anyMeta());
    for (const segmentId of [friends, closed, idNamed('deleted')])
      await send({ type: 'JoinSegment', segmentId, notes: null });
    expect(await customers.segmentsOf(id)).to.have.members([tagged, friends]);
    const sale = { invoiceId: newId(), businessDay: '2026-01-05', placedAt: '2026-01-05T09:00:00.000Z' };
    await send({ type: 'RecordCustomerSale', ...sale, sourceType: 'web', total: 1001, countryCode: 'GB' });
    await send({ type: 'LeaveSegment', segmentId: friends });
    expect(await customers.segmentsOf(id)).to.have.members([tagged, buyers]);
  });

  it('are none for an unknown customer', async () => {
    const { customers } = await openBook({ [friends]: segment({ segmentType: 'Manual' }) });
    expect(await customers.segmentsOf(newId())).to.deep.equal([]);
  });
});
