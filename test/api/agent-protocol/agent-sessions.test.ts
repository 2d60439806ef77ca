import { expect } from 'chai';
import type { SessionActions } from '#command/contexts/agent-protocol/sessions/agent-session.actions.ts';
import type { NewSession } from '#command/contexts/agent-protocol/sessions/begin-session.ts';
import type { SeenSession } from '#command/contexts/agent-protocol/sessions/seen-session.ts';
import type { AskingAgent } from '#command/contexts/agent-protocol/sessions/session-member.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { agentNoticesCollection, type AgentNotice } from '#topics/agent-notice.ts';
import { streamOf } from '#values/stream-name.ts';
import { faultyEventStore, type FaultyEventStore } from '#test/support/faults.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const agent: AskingAgent = { profileUri: 'https://agent.example/profile', isVerified: false };
const other: AskingAgent = { profileUri: 'https://other.example/profile', isVerified: true };

const metaOf = ({ profileUri }: AskingAgent, commandId: string | null = newId()): CommandMeta => ({
  correlationId: newId(),
  causationId: newId(),
  actor: { kind: 'agent', id: profileUri },
  ...(commandId !== null && { commandId }),
});

const refusal = async (asked: Promise<unknown>): Promise<string> => {
  const error: unknown = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof Rejection ? error.code : `not refused: ${String(error)}`;
};

// docs/rules/agent-sessions.md
describe('A checkout session and its basket', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let sessions: SessionActions;
  let mug: string;
  let jar: string;
  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    sessions = shop.shop.command.actions.agentSessions;
    mug = await shop.sell('mug', { price: 10, stock: 5 });
    jar = await shop.sell('jar', { price: 7 });
    await shop.discount('TEN', 10);
  });
  after(() => shop.close());

  const line = (productId: string, quantity: number, id?: string) => ({
    ...{ itemId: productId, productId, quantity },
    ...(id !== undefined && { id }),
  });
  const facts = {
    ...{ dialect: '2026-04-08', hasManyGroups: false },
    ...{ agentName: null, capabilities: [], currency: 'GBP' },
    ...{ orderWebhookUrl: null, sessionWebhookUrl: null },
  };
  const begin = (
    lines: NewSession['lines'],
    changes: NewSession['changes'] = {},
    meta = metaOf(agent),
  ): Promise<SeenSession> => sessions.create(agent, { ...facts, lines, changes }, meta);
  const held = ({ basket }: SeenSession) =>
    Object.fromEntries(basket.state.basket?.lines.map(({ sku, quantity }) => [sku, quantity]) ?? []);
  const typesIn = async (stream: string) =>
    (await eventsIn(shop)).filter((event) => event.stream === stream).map(({ type }) => type);

  it('hold the same goods, apart in the one and together in the other, with the agent as the actor', async () => {
    const begun = await begin([line(mug, 1), line(jar, 1), line(mug, 2)]);
    expect(begun.session.lines.map(({ quantity }) => quantity)).to.deep.equal([1, 1, 2]);
    expect(held(begun)).to.deep.equal({ mug: 3, jar: 1 });
    const { basketId } = begun.session;
    const streams = [streamOf.agentSession(begun.sessionId), streamOf.basket(basketId)];
    const events = (await eventsIn(shop)).filter(({ stream }) => streams.includes(stream));
    expect(events.map(({ type }) => type)).to.deep.equal([
      ...['AgentSessionStarted', 'BasketStarted', 'BasketLinesReplaced'],
    ]);
    expect(new Set(events.map(({ metadata }) => metadata.actor.id))).to.deep.equal(
      new Set([agent.profileUri]),
    );
  });

  it('are one each however often they are asked for under one key', async () => {
    const meta = metaOf(agent);
    const first = await begin([line(mug, 1)], {}, meta);
    const again = await begin([line(mug, 1)], {}, meta);
    expect(again.sessionId).to.equal(first.sessionId);
    expect(await typesIn(streamOf.basket(first.session.basketId))).to.have.length(2);
  });

  it('are brought together by whoever looks next, when a kill came between the two', async () => {
    const meta = metaOf(agent);
    log.runBefore(
      'append',
      (stream) => stream.startsWith('basket-'),
      () => {
        throw new Error('killed');
      },
    );
    const died = await refusal(begin([line(jar, 4)], { codes: ['ten'] }, meta));
    expect(died).to.match(/^not refused/);
    const finished = await begin([line(jar, 4)], { codes: ['ten'] }, meta);
    expect(held(finished)).to.deep.equal({ jar: 4 });
    const { basket } = finished.basket.state;
    expect(basket?.codes.map(({ code }) => code)).to.deep.equal(['TEN']);
  });

  it('change together, and not at all beyond the stock', async () => {
    const begun = await begin([line(mug, 1), line(mug, 1)]);
    const [first, second] = begun.session.lines;
    const { sessionId } = begun;
    const lines = [line(mug, 2, second?.lineId), line(jar, 1)];
    const changed = await sessions.update(agent, sessionId, () => ({ lines }), metaOf(agent));
    expect(changed.session.lines.map(({ lineId }) => lineId)).to.include(second?.lineId);
    expect(changed.session.lines.map(({ lineId }) => lineId)).not.to.include(first?.lineId);
    expect(held(changed)).to.deep.equal({ mug: 2, jar: 1 });

    const tooMany = () => ({ lines: [line(mug, 4), line(mug, 2)] });
    expect(await refusal(sessions.update(agent, sessionId, tooMany, metaOf(agent)))).to.equal('out-of-stock');
    expect(held(await sessions.read(agent, sessionId, metaOf(agent, null)))).to.deep.equal({
      mug: 2,
      jar: 1,
    });
    expect(await refusal(begin([line(mug, 6)]))).to.equal('out-of-stock');
  });

  it('have the codes that apply, and the others say why not', async () => {
    const begun = await begin([line(jar, 2)], { codes: ['nope', 'Ten'] });
    const { sessionId } = begun;
    expect(begun.session.codes).to.deep.equal(['nope', 'Ten']);
    expect(begun.basket.state.basket?.totals.productDiscount).to.equal(140);
    expect(begun.messages.map(({ code, path }) => [code, path])).to.deep.equal([
      ['discount_code_invalid', '$.discounts.codes[0]'],
    ]);
    const without = await sessions.update(agent, sessionId, () => ({ codes: [] }), metaOf(agent));
    expect(without.basket.state.basket?.totals.productDiscount).to.equal(0);
  });

  it('are shown to their agent only', async () => {
    const { sessionId } = await begin([line(jar, 1)]);
    for (const asked of [
      sessions.read(other, sessionId, metaOf(other)),
      sessions.update(other, sessionId, () => ({ codes: [] }), metaOf(other)),
      sessions.cancel(other, sessionId, metaOf(other)),
      sessions.read(agent, 'no-guid', metaOf(agent)),
      sessions.read(agent, newId(), metaOf(agent)),
    ])
      expect(await refusal(asked)).to.equal('not_found');
    expect(
      (await sessions.read({ ...agent, isVerified: true }, sessionId, metaOf(agent))).sessionId,
    ).to.equal(sessionId);
  });

  it('made with a signature of a cart without one are shown to signed requests only', async () => {
    const signed = { ...agent, isVerified: true };
    const lines = [{ lineId: newId(), ...line(jar, 1) }];
    const ofCart = { sessionId: newId(), basketId: newId(), cartId: newId(), lines };
    const asked = (as: AskingAgent) =>
      sessions.begin(as, ofCart, { ...facts, changes: { buyer: { email: 'ada@example.com' } } }, metaOf(as));
    expect((await asked(signed)).isNew).to.equal(true);
    expect(await refusal(asked(agent))).to.equal('not_found');
    expect((await asked(signed)).isNew).to.equal(false);
  });

  it('forget with its customer an e-mail address that was only named', async () => {
    const buyer = { email: 'grace@example.com', firstName: 'Grace' };
    const { sessionId } = await begin([line(jar, 1)], { buyer });
    const bodyOf = async () => (await shop.shown(`/agent-sessions/${sessionId}`)).body;
    expect((await bodyOf()).buyer).to.deep.equal(buyer);
    await shop.shopper().prepare(jar, 1, buyer.email);
    await shop.settle();
    const [{ id }] = (await shop.shown(`/customers?search=${buyer.email}`)).items;
    expect((await shop.admin.post(`/backoffice/api/v1/customers/${id}/forget`)).status).to.equal(200);
    expect((await bodyOf()).buyer).to.equal(null);
  });

  it('are over once the agent cancels: nothing else changes', async () => {
    const { sessionId } = await begin([line(jar, 1)]);
    const cancelled = await sessions.cancel(agent, sessionId, metaOf(agent));
    expect(cancelled.session.status).to.equal('cancelled');
    expect(await refusal(sessions.cancel(agent, sessionId, metaOf(agent)))).to.equal(
      'checkout_not_modifiable',
    );
    expect(await refusal(sessions.update(agent, sessionId, () => ({}), metaOf(agent)))).to.equal(
      'checkout_not_modifiable',
    );
  });

  it('tell an agent that has said where of their end, with what it would read', async () => {
    const sessionWebhookUrl = 'https://agent.example/checkouts';
    const { sessionId } = await sessions.create(
      other,
      { ...facts, dialect: '2026-01-11', sessionWebhookUrl, lines: [line(jar, 2)], changes: {} },
      metaOf(other),
    );
    await sessions.cancel(other, sessionId, metaOf(other));
    await shop.settle();
    const { stateStore, personalTexts } = shop.shop.runtime;
    const due = (await eventsIn(shop)).find(({ type }) => type === 'AgentSessionNoticeDue');
    const row = await stateStore.get<AgentNotice>(agentNoticesCollection, due?.id ?? '');
    expect(row).to.include({
      ...{ eventType: 'checkout_canceled', invoiceId: null, sessionId },
      ...{ targetUrl: sessionWebhookUrl, position: due?.position },
    });
    const body = JSON.parse((await personalTexts.open(row?.requestBody ?? '')) ?? '') as object;
    expect(body).to.deep.include({ id: sessionId, status: 'canceled' });
    expect(body).not.to.have.any.keys('event_id', 'event_type', 'created_time', 'order');
    expect(await typesIn(streamOf.agentSession(sessionId))).to.have.ordered.members([
      'AgentSessionStarted',
      'AgentSessionCancelled',
      'AgentSessionNoticeDue',
      'AgentSessionNoticeQueued',
    ]);
  });

  it('tell it of the end of one that is linked to a member, too', async () => {
    const ofMember = { ...other, memberId: newId() };
    const { sessionId } = await sessions.create(
      ofMember,
      { ...facts, sessionWebhookUrl: 'https://agent.example/checkouts', lines: [line(jar, 1)], changes: {} },
      metaOf(other),
    );
    await sessions.cancel(ofMember, sessionId, metaOf(other));
    await shop.settle();
    const filter = { entityId: sessionId, isOpen: true };
    const told = await shop.shop.runtime.stateStore.find<AgentNotice>(agentNoticesCollection, { filter });
    expect(told.map(({ eventType }) => eventType)).to.deep.equal(['checkout_canceled']);
    expect(await typesIn(streamOf.agentSession(sessionId))).to.include('AgentSessionNoticeQueued');
  });

  it('expire for whoever looks, and by the job for all others; they are read for thirty days', async () => {
    const looked = await begin([line(jar, 1)]);
    const left = await begin([line(jar, 1)]);
    await shop.tester.post('/testing/clock', { advanceSeconds: 6 * 3600 });
    const read = () => sessions.read(agent, looked.sessionId, metaOf(agent, null));
    expect((await read()).session.status).to.equal('expired');
    await shop.settle();
    const { body } = await shop.tester.post('/testing/jobs/expire-agent-sessions');
    expect(body['expired'], 'those of the other tests, too').to.be.greaterThan(0);
    expect(await typesIn(streamOf.agentSession(left.sessionId))).to.include('AgentSessionExpired');
    await shop.tester.post('/testing/clock', { advanceSeconds: 30 * 86_400 });
    expect(await refusal(read())).to.equal('not_found');
  });
});
