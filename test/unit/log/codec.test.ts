import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { applicationKey, anyMeta, createTestCodec } from '#test/support/engine.ts';
import { withoutPersonal, type EventCodec } from '#log/codec.ts';
import { chainStart, verifyChain } from '#log/hash-chain.ts';
import { hasMetadata, maskedEvents } from '#log/masked-events.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { seal } from '#runtime/encryption.ts';
import { addressOf } from '#test/support/builders/invoice.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { basketEvents } from '#events/basket.events.ts';
import { registered as customerRegistered } from '#test/support/builders/customer.ts';
import { webhookEvents } from '#events/webhook.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { StoredEvent } from '#ports/event-store.ts';
import { when } from '#test/support/refusal.ts';

const { BasketStarted } = basketEvents.create;
const { WebhookSubscribed } = webhookEvents.create;

const started = BasketStarted({
  currency: 'GBP',
  destination: { countryCode: 'GB', regionCode: null, postalCode: null },
});
const registered = customerRegistered({ lastName: null, acceptsMarketing: true });

const subscribed = WebhookSubscribed({
  name: 'Warehouse',
  topic: 'invoice.paid',
  targetUrl: 'https://receiver.example.com',
  isActive: true,
  authType: 'HmacSha256',
  authHeaderName: null,
  authHeaderValue: null,
  timeoutSeconds: 30,
  filterExpression: null,
  headers: { 'X-Token': 'sesame' },
  maxConcurrent: 32,
  standardWebhooks: false,
  signingSecret: 'open sesame',
  at: '2026-01-05T09:00:00.000Z',
});

const recordedAt = '2026-01-05T09:00:00.000Z';

/** Events as the log would hold them, under the subject's key. */
const store = async (
  codec: EventCodec,
  subject: string,
  ...events: readonly DomainEvent[]
): Promise<StoredEvent[]> => {
  const subjectKey = (await codec.keys.ensure({ id: subject })) ?? Buffer.alloc(0);
  const stamp = { ...anyMeta('command'), recordedAt, subject, subjectKey };
  const { toAppend } = codec.encode('customer-1', chainStart, events.map(codec.draft), stamp);
  return toAppend.map((event, revision) => ({
    ...event,
    stream: 'customer-1',
    revision,
    position: revision + 1,
  }));
};

describe('the event codec', () => {
  let stateStore: DocumentStore;
  let codec: EventCodec;

  beforeEach(async () => {
    stateStore = createMemoryDocumentStore();
    codec = await createTestCodec(stateStore);
  });

  it('gives back what it was given, with its place in the log', async () => {
    const stored = await store(codec, 'ada', started, registered);
    const [first, second] = await codec.decodeAll(stored);
    expect(first).to.deep.include({ ...started, stream: 'customer-1', revision: 0, position: 1, recordedAt });
    expect(second).to.deep.include({ ...registered, revision: 1, schemaVersion: 3 });
    expect(second?.metadata).to.deep.include({ commandId: 'command', subject: 'ada' });
  });

  it('shows a writer the same event as a reader', async () => {
    const stamp = { ...anyMeta(), recordedAt };
    const { toAppend, recorded } = codec.encode('basket-1', chainStart, [codec.draft(started)], stamp);
    const stored = toAppend.map((event) => ({ ...event, stream: 'basket-1', revision: 0, position: 0 }));
    expect(await codec.decodeAll(stored)).to.deep.equal(recorded);
  });

  it('reads what it has just written as it reads it from the log ever after', async () => {
    const stored = await store(codec, 'ada', started, registered, subscribed);
    const atOnce = await codec.decodeAll(stored);
    expect(await codec.decodeAll(stored)).to.deep.equal(atOnce);
    expect(await (await createTestCodec(stateStore)).decodeAll(stored)).to.deep.equal(atOnce);
  });

  it('works out data and metadata when they are first read, as own properties of the event', async () => {
    const stored = await store(codec, 'ada', registered);
    const again = await createTestCodec(stateStore);
    const [event] = await again.decodeAll(stored);
    const [copied] = (await again.decodeAll(stored)).map((one) => ({ ...one }));
    const [written] = JSON.parse(JSON.stringify(await again.decodeAll(stored))) as unknown[];
    expect(copied).to.deep.equal(event);
    expect(written).to.deep.equal(event);
    expect(event?.data).to.equal(event?.data);
    expect(event?.metadata).to.equal(event?.metadata);
  });

  it('needs sound metadata only of those who read them', async () => {
    const [stored] = await store(codec, 'ada', started);
    if (!stored) return expect.fail();
    const metadata = stored.metadata.slice(0, -1);
    const [event] = await codec.decodeAll([{ ...stored, metadata }]);
    expect(event).to.include({ type: 'BasketStarted', schemaVersion: 1, recordedAt });
    expect(event?.data).to.deep.equal(started.data);
    expect(() => event?.metadata).to.throw(SyntaxError);
    const { message } = await when(codec.decodeAll([{ ...stored, metadata: '{}' }])).thenFails(Error);
    expect(message).to.contain('metadata');
  });

  it('reads metadata whose members a copy of the log has put in another order', async () => {
    const [stored] = await store(codec, 'ada', started);
    if (!stored) throw new Error('nothing was stored');
    const members = Object.entries(JSON.parse(stored.metadata) as object).reverse();
    const metadata = JSON.stringify(Object.fromEntries(members));
    expect(metadata).to.not.equal(stored.metadata);
    const [copied] = await codec.decodeAll([{ ...stored, metadata }]);
    const [original] = await codec.decodeAll([stored]);
    expect(copied).to.deep.equal(original);
  });

  it('reads nothing of a subject that is forgotten, however late it was written', async () => {
    const stored = await store(codec, 'ada', registered);
    await codec.keys.forget('ada');
    const [forgotten] = await codec.decodeAll(stored);
    expect(forgotten?.data).to.deep.equal({ ...registered.data, email: null, firstName: null });
  });

  it('keeps the hash as the last member of the metadata text', async () => {
    const [stored] = await store(codec, 'ada', started);
    expect(Object.keys(JSON.parse(stored?.metadata ?? '{}') as object).at(-1)).to.equal('hash');
  });

  it('says nothing in the log twice: a cause that is the request, a subject that the stream names', async () => {
    const subjectKey = (await codec.keys.ensure({ id: '1' })) ?? Buffer.alloc(0);
    const meta = { ...anyMeta(), recordedAt, subject: '1', subjectKey };
    const stamp = { ...meta, causationId: meta.correlationId };
    const { toAppend, recorded } = codec.encode('customer-1', chainStart, [codec.draft(registered)], stamp);
    const [{ metadata = '' } = {}] = toAppend;
    expect(Object.keys(JSON.parse(metadata) as object)).to.not.include.members(['causationId', 'subject']);
    const stored = toAppend.map((event) => ({ ...event, stream: 'customer-1', revision: 0, position: 0 }));
    expect(recorded[0]?.metadata).to.include({ causationId: meta.correlationId, subject: '1' });
    expect(await (await createTestCodec(stateStore)).decodeAll(stored)).to.deep.equal(recorded);
  });

  it('names no subject of an event in which nothing is sealed', async () => {
    const [stored] = await store(codec, 'ada', started);
    expect(JSON.parse(stored?.metadata ?? '{}')).to.not.have.property('subject');
  });

  it('seals the personal fields of an event as one, what two of them say alike once', async () => {
    const address = addressOf('Ada Lovelace');
    const captured = (shippingAddress: typeof address | null) =>
      checkoutEvents.create.CheckoutAddressCaptured({
        billingAddress: address,
        shippingAddress,
        shippingSameAsBilling: false,
        acceptsMarketing: false,
        session: { at: recordedAt },
      });
    const alike = captured({ ...address });
    const elsewhere = captured({ ...address, addressOne: '2 Other Street' });
    const [one, two, none] = await store(codec, 'ada', alike, elsewhere, captured(null));
    for (const stored of [one, two]) expect(stored?.data.split('"sealed":')).to.have.length(2);
    expect(one?.data.length).to.be.lessThan((two?.data.length ?? 0) - JSON.stringify(address).length);
    const again = await createTestCodec(stateStore);
    expect((await again.decodeAll([one, two, none] as StoredEvent[])).map(({ data }) => data)).to.deep.equal([
      alike.data,
      elsewhere.data,
      captured(null).data,
    ]);
    const [masked] = maskedEvents([one as StoredEvent]);
    expect(masked?.data).to.include({ billingAddress: '(personal)', shippingAddress: '(personal)' });
  });

  it('reads what older releases have sealed, a field at a time', async () => {
    const key = (await codec.keys.ensure({ id: 'ada' })) ?? Buffer.alloc(0);
    const sealed = (value: unknown) => ({ $personal: seal(key, JSON.stringify(value)) });
    const { email, firstName } = registered.data;
    const data = JSON.stringify({ ...registered.data, email: sealed(email), firstName: sealed(firstName) });
    const { correlationId, causationId, actor } = anyMeta();
    const said = { correlationId, causationId, subject: 'ada', actor, previousHash: '', hash: 'h' };
    const metadata = JSON.stringify({ schemaVersion: 2, recordedAt, ...said });
    const place = { id: 'id', stream: 'customer-1', revision: 0, position: 1 };
    const older = { ...place, type: 'CustomerRegistered', data, metadata };
    const [read] = await codec.decodeAll([older]);
    expect(read?.data).to.deep.equal(registered.data);
    expect(read?.metadata).to.deep.include({ causationId, subject: 'ada', hash: 'h' });
    expect(maskedEvents([older])[0]?.data).to.include({ email: '(personal)', lastName: null });
    await codec.keys.forget('ada');
    const [forgotten] = await codec.decodeAll([older]);
    expect(forgotten?.data).to.deep.equal({ ...registered.data, email: null, firstName: null });
  });

  it('leaves no personal data in clear in the log', async () => {
    const [stored] = await store(codec, 'ada', registered);
    expect(JSON.stringify(stored)).to.not.match(/Ada|example\.com/);
    expect(JSON.parse(stored?.data ?? '{}')).to.deep.include({ lastName: null, acceptsMarketing: true });
    expect(maskedEvents(stored ? [stored] : [])[0]?.data).to.include({ email: '(personal)', lastName: null });
  });

  it('shows no auditor what an earlier release wrote of a person in clear', async () => {
    const [stored] = await store(codec, 'ada', registered);
    if (!stored) return expect.fail();
    const [shown] = maskedEvents([{ ...stored, data: JSON.stringify(registered.data) }]);
    expect(shown?.data).to.include({ email: '(personal)', firstName: '(personal)', lastName: null });
    expect(shown?.data).to.include({ acceptsMarketing: true });
  });

  it('shows an auditor where the log is damaged, and the events around it', async () => {
    const [stored] = await store(codec, 'ada', registered);
    if (!stored) return expect.fail();
    const shown = maskedEvents([
      { ...stored, data: `${stored.data}}` },
      { ...stored, metadata: stored.metadata.slice(1) },
      stored,
    ]);
    expect(shown.map(({ recordedAt: at }) => at)).to.deep.equal([recordedAt, '(damaged)', recordedAt]);
    expect(shown.map(({ data }) => Object.keys(data as object)[0] === '(damaged)')).to.deep.equal([
      true,
      false,
      false,
    ]);
    expect(shown.map(hasMetadata)).to.deep.equal([true, false, true]);
  });

  it('reads secrets that an earlier release wrote in clear, and shows them to no auditor', async () => {
    const [stored] = await store(codec, 'ada', subscribed);
    if (!stored) return expect.fail();
    expect(stored.data).not.to.include('sesame');
    const older = { ...stored, data: JSON.stringify(subscribed.data) };
    expect((await codec.decodeAll([stored, older])).map(({ data }) => data)).to.deep.equal([
      subscribed.data,
      subscribed.data,
    ]);
    for (const { data } of maskedEvents([stored, older])) {
      expect(data).to.include({ headers: '(secret)', signingSecret: '(secret)', authHeaderValue: null });
      expect(JSON.stringify(data)).not.to.include('sesame');
    }
  });

  it('reads personal fields as null once their subject is forgotten, and the chain stays valid', async () => {
    const stored = await store(codec, 'ada', registered);
    await codec.decodeAll(stored);
    await codec.keys.forget('ada');
    const [forgotten] = await codec.decodeAll(stored);
    expect(forgotten?.data).to.deep.equal({ ...registered.data, email: null, firstName: null });
    expect(verifyChain(stored).isIntact).to.equal(true);
  });

  it('leaves the personal values of a draft out once its subject is forgotten', () => {
    const { event, isPersonal, text } = withoutPersonal(codec.draft(registered));
    expect(event.data).to.deep.equal({ ...registered.data, email: null, firstName: null });
    expect([isPersonal, text]).to.deep.equal([false, JSON.stringify(event.data)]);
  });

  it('hands on an event of a newer release as it is stored', async () => {
    const [stored] = await store(codec, 'ada', started);
    if (!stored) return expect.fail();
    const [unknown] = await codec.decodeAll([{ ...stored, type: 'BasketTeleported' }]);
    expect(unknown).to.deep.include({ type: 'BasketTeleported', data: started.data });
  });

  it('does not guess at a newer version of an event it knows', async () => {
    const [stored] = await store(codec, 'ada', started);
    if (!stored) return expect.fail();
    const metadata = stored.metadata.replace('"schemaVersion":1', '"schemaVersion":2');
    const { message } = await when(codec.decodeAll([{ ...stored, metadata }])).thenFails(Error);
    expect(message).to.equal('BasketStarted version 2 was written by a newer release');
  });

  it('refuses an event that no schema declares or that does not fit its schema', () => {
    expect(() => codec.draft({ type: 'BasketTeleported', data: {} })).to.throw('BasketTeleported');
    expect(() => codec.draft({ type: 'BasketStarted', data: { currency: 1 } })).to.throw('BasketStarted');
  });

  it('leaves out what the schema does not name', () => {
    const { event } = codec.draft({ type: 'CreationAbandoned', data: { email: 'ada@example.com' } });
    expect(event.data).to.deep.equal({});
  });

  it('writes no personal data without a subject', () => {
    const stamp = { ...anyMeta(), recordedAt };
    expect(() => codec.encode('customer-1', chainStart, [codec.draft(registered)], stamp)).to.throw(
      'data subject',
    );
  });
});

describe('the keys of data subjects', () => {
  it('are the same for two who ask at once, and for another process', async () => {
    const store = createMemoryDocumentStore();
    const ours = await createSubjectKeys({ store, applicationKey });
    const theirs = await createSubjectKeys({ store, applicationKey });
    const keys = await Promise.all([
      ours.ensure({ id: 'a' }),
      theirs.ensure({ id: 'a' }),
      ours.ensure({ id: 'a' }),
    ]);
    expect(keys[1]).to.deep.equal(keys[0]);
    expect(keys[2]).to.deep.equal(keys[0]);
    expect((await theirs.load(new Set(['a', 'nobody']))).size).to.equal(1);
  });

  it('of a basket go with its customer, whenever that became known', async () => {
    const keys = await createSubjectKeys({ store: createMemoryDocumentStore(), applicationKey });
    await keys.ensure({ id: 'known at once', customerId: 'ada' });
    await keys.ensure({ id: 'known later' });
    await keys.ensure({ id: 'known later', customerId: 'ada' });
    await keys.ensure({ id: 'named' });
    await keys.nameCustomer({ id: 'named', customerId: 'ada' });
    await keys.ensure({ id: 'ada' });
    await keys.ensure({ id: 'of another', customerId: 'grace' });
    expect(await keys.forget('ada')).to.equal(4);
    const left = await keys.load(new Set(['known at once', 'known later', 'named', 'ada', 'of another']));
    expect([...left.keys()]).to.deep.equal(['of another']);
  });

  it('are never made again once they are forgotten, in any process, whether there was one or not', async () => {
    const store = createMemoryDocumentStore();
    const keys = await createSubjectKeys({ store, applicationKey });
    const elsewhere = await createSubjectKeys({ store, applicationKey });
    await keys.ensure({ id: 'ada' });
    await elsewhere.load(new Set(['ada']));
    expect(await keys.forget('ada')).to.equal(1);
    expect(await keys.forget('ada'), 'a second time').to.equal(0);
    expect(await keys.forget('never seen')).to.equal(0);
    for (const id of ['ada', 'never seen']) {
      expect(await keys.ensure({ id })).to.equal(null);
      expect(await keys.ensure({ id }, true), 'for a new stream').to.equal(null);
      expect(await keys.isForgotten(id)).to.equal(true);
    }
    elsewhere.dropKnown();
    expect((await elsewhere.load(new Set(['ada']))).size).to.equal(0);
    expect(await keys.isForgotten('grace')).to.equal(false);
    expect(JSON.stringify(await store.find('subjectKeys'))).to.not.include('"wrapped":"');
  });

  it('of a basket go with a customer who is forgotten before it names them', async () => {
    const keys = await createSubjectKeys({ store: createMemoryDocumentStore(), applicationKey });
    await keys.ensure({ id: 'named later' });
    await keys.forget('ada');
    expect(await keys.ensure({ id: 'named later', customerId: 'ada' })).to.equal(null);
    expect(await keys.ensure({ id: 'begun later', customerId: 'ada' })).to.equal(null);
    expect((await keys.load(new Set(['named later', 'begun later']))).size).to.equal(0);
  });

  it('of a basket that named another customer before go with either of them', async () => {
    const keys = await createSubjectKeys({ store: createMemoryDocumentStore(), applicationKey });
    await keys.ensure({ id: 'basket', customerId: 'ada' });
    await keys.ensure({ id: 'basket', customerId: 'grace' });
    expect((await keys.namedBy('ada')).ids).to.deep.equal(['basket']);
    expect((await keys.namedBy('grace')).ids).to.deep.equal(['basket']);
    expect(await keys.forget('ada')).to.equal(1);
    expect(await keys.ensure({ id: 'basket', customerId: 'grace' })).to.equal(null);
  });

  it('name the subjects of a customer page by page, forgotten or not', async () => {
    const keys = await createSubjectKeys({ store: createMemoryDocumentStore(), applicationKey });
    const all = Array.from({ length: 501 }, (_, index) => `basket ${String(index).padStart(3, '0')}`);
    for (const id of all) await keys.ensure({ id, customerId: 'ada' });
    await keys.forget('ada');
    const first = await keys.namedBy('ada');
    const second = await keys.namedBy('ada', first.next ?? '');
    expect([...first.ids, ...second.ids]).to.deep.equal(all);
    expect([first.ids.length, second.next]).to.deep.equal([500, null]);
  });

  it('read as missing under another application key, are counted, and new ones are written', async () => {
    const store = createMemoryDocumentStore();
    await (await createSubjectKeys({ store, applicationKey })).ensure({ id: 'ada' });
    const another = { store, applicationKey: Buffer.alloc(32, 'another') };
    const keys = await createSubjectKeys(another);
    expect((await keys.load(new Set(['ada']))).size).to.equal(0);
    expect(keys.unreadable()).to.equal(1);
    const [first, second] = await Promise.all([
      keys.ensure({ id: 'ada', customerId: 'c' }),
      (await createSubjectKeys(another)).ensure({ id: 'ada' }),
    ]);
    expect(second).to.deep.equal(first);
    expect((await keys.load(new Set(['ada']))).get('ada')).to.deep.equal(first);
    expect(await keys.forget('c')).to.equal(1);
  });
});
