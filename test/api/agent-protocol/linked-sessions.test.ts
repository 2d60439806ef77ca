import { expect } from 'chai';
import type { AgentRequest } from '#agents/agent-request.ts';
import type { ProtocolAnswer } from '#agents/commerce-protocol.ts';
import type { CompletionInput, PayingInstrument, SessionInput } from '#agents/protocol-inputs.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import { agentSessions } from '#command/contexts/agent-protocol/sessions/agent-session.stream.ts';
import { basketLinesStream } from '#command/contexts/basket/basket.stream.ts';
import { checkoutStream } from '#command/contexts/checkout/checkout.stream.ts';
import { agentLinkStream } from '#command/contexts/identity-linking/agent-link.stream.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { customerNamed, giveTerms } from '#test/support/account-customers.ts';
import { saveCard } from '#test/support/agents/linked-shopping.ts';
import { agentIdentity } from '#test/support/builders/agent-identity.ts';
import { agentMeta } from '#test/support/builders/agent-session.ts';
import { openMemberShop, type Customer, type MemberShop } from '#test/support/member-shop.ts';
import { get, manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';

const methods = '/api/shop/storefront/payment-methods';
const home = {
  ...{ id: 'home', firstName: 'Ada', lastName: 'Lovelace', addressOne: '12 High Street' },
  ...{ townCity: 'London', postalCode: 'SW1A 1AA', countryCode: 'GB' },
};

// docs/rules/linked-members.md
describe('The checkout session of a linked member', () => {
  let opened: MemberShop;
  let mug: string;
  let song: string;
  let parcel: string;
  let ada: {
    readonly customer: Customer;
    readonly email: string;
    readonly memberId: string;
    readonly grantId: string;
  };
  let bob: typeof ada;
  const make = async (path: string, given: object): Promise<{ readonly id: string }> => {
    const { status, body, text } = await opened.shop.admin.ask(manage.post(path, given));
    if (status !== 201) throw new Error(text);
    return body as { readonly id: string };
  };
  const link = async (memberId: string): Promise<string> => {
    const grantId = newId();
    const { profileUri } = agentIdentity();
    const { streams, clock } = opened.shop.shop.command.deps;
    const client = { clientId: 'helper', profileUri, timesDisabled: 0 };
    const consent = { ...client, scopes: [], consentedAt: isoInstant(clock.now()) };
    const command = { type: 'LinkAgent', grantId, ...consent } as const;
    await streams.send(agentLinkStream, memberId, command, agentMeta(`links ${grantId}`));
    return grantId;
  };
  const member = async (name: string) => {
    const email = `${name}@staff.example`;
    const customer = opened.customer();
    await customer.register(email, mug);
    await customer.initialize();
    const { body } = await opened.shop.admin.ask(
      manage.get(`/customers/${await customerNamed(opened.shop, email)}`),
    );
    const memberId = body.memberKey as string;
    return { customer, email, memberId, grantId: await link(memberId) };
  };
  before(async () => {
    const redirectUris = ['https://agent.example/back'];
    const helper = {
      clientId: 'helper',
      name: 'Helper',
      redirectUris,
      profileUri: agentIdentity().profileUri,
    };
    opened = await openMemberShop({
      environment: { Protocol__Ucp__OAuth__Clients: JSON.stringify([helper]) },
    });
    mug = await opened.shop.sell('mug', { price: 10, stock: 1000 });
    song = await opened.shop.sell('song', { price: 5, isDigital: true });
    const { items } = (await opened.shop.admin.ask(manage.get('/shipping-options'))).body;
    parcel = `so:${(items as { id: string }[])[0]?.id ?? ''}`;
    const criteria = [{ field: 'Email', operator: 'Contains', value: '@staff.example' }];
    const staff = await make('/customer-segments', {
      ...{ name: 'Staff', segmentType: 'Automated', criteria, isActive: true },
    });
    const eligibilityRules = [{ eligibilityType: 'CustomerSegments', ids: [staff.id] }];
    await opened.shop.rule('Staff', { value: 50, eligibilityRules });
    [ada, bob] = [await member('ada'), await member('bob')];
    await opened.shop.settle();
  });
  after(() => opened.close());

  const asking = <Body>(body: Body, memberId: string | null, id = '') => {
    const identity = agentIdentity();
    const agent: AgentRequest = {
      ...{ identity, ownVersion: '2026-04-08', requestedVersion: null, dialect: '2026-04-08' },
      member:
        memberId === null ? null : { memberId, grantId: (memberId === ada.memberId ? ada : bob).grantId },
    };
    return {
      ...{ agent, body, id, actor: { kind: 'agent', id: identity.profileUri } as const },
      ...{ correlationId: newId(), commandId: newId(), reached: { position: 0 } },
      ...{ ip: '203.0.113.9', baseUrl: 'https://shop.example' },
    };
  };
  const sessionIn = (answer: ProtocolAnswer<ProtocolSession>): ProtocolSession => {
    if ('error' in answer) throw new Error(answer.error.text);
    return answer.result;
  };
  const checkouts = () => opened.shop.shop.command.actions.agentCheckouts;
  const wanting = (itemId: string): SessionInput => ({ lines: [{ itemId, quantity: 1, options: [] }] });
  const create = async (input: SessionInput, memberId: string | null = ada.memberId) =>
    sessionIn(await checkouts().createSession(asking(input, memberId)));
  const update = async (id: string, input: SessionInput, memberId: string | null = ada.memberId) =>
    sessionIn(await checkouts().updateSession(asking(input, memberId, id)));
  const complete = async (id: string, instrument: PayingInstrument, memberId: string | null = ada.memberId) =>
    sessionIn(await checkouts().completeSession(asking<CompletionInput>({ instrument }, memberId, id)));
  /** Sent home by parcel. */
  const sent = (): SessionInput => ({
    fulfilment: {
      ...{ destinations: [home], selectedDestinationId: 'home', groups: [{ selectedOptionId: parcel }] },
    },
  });
  const paying = (id: string, handlerId = 'sandbox:card'): PayingInstrument => ({
    ...{ id, handlerId, type: 'card', isSelected: true },
  });
  const total = ({ totals }: ProtocolSession, type: string) =>
    totals.find((entry) => entry.type === type)?.amount;
  const refusal = async (asked: Promise<unknown>): Promise<string> => {
    const refused = await asked.then(
      () => new Error('it was not refused'),
      (error: unknown) => error,
    );
    if (refused instanceof Rejection) return refused.code;
    throw refused;
  };
  const typesOf = async (sessionId: string) =>
    (await eventsIn(opened.shop))
      .filter(({ stream }) => stream === `agentSession-${sessionId}`)
      .map(({ type }) => type);

  it('has the prices of their segments, which a guest has not', async () => {
    expect(total(await create(wanting(mug)), 'discount')).to.equal(-500);
    expect(total(await create(wanting(mug), null), 'discount')).to.equal(undefined);
  });

  it('opens with a token of theirs only', async () => {
    const { id } = await create(wanting(mug));
    expect(await refusal(update(id, {}, null))).to.equal('identity_required');
    expect(await refusal(update(id, {}, bob.memberId))).to.equal('not_found');
    expect(await refusal(complete(id, paying('card-1'), null))).to.equal('identity_required');
    expect((await update(id, {})).id).to.equal(id);
  });

  it('is theirs from the update that brings their token, and reads of the guest it was are over', async () => {
    const guests = await create(wanting(mug), null);
    const theirs = await update(guests.id, {});
    expect(total(theirs, 'discount')).to.equal(-500);
    expect(await refusal(update(guests.id, {}, null))).to.equal('identity_required');
    expect((await typesOf(guests.id)).filter((type) => type === 'AgentSessionMemberLinked')).to.have.length(
      1,
    );
  });

  it('is offered the addresses that it has brought itself before', async () => {
    const first = await create({ ...wanting(mug), ...sent() });
    expect(first.fulfilment?.methods[0]?.destinations?.map(({ id }) => id)).to.deep.equal(['home']);
    const next = await create(wanting(mug));
    const [place] = next.fulfilment?.methods[0]?.destinations ?? [];
    expect(place).to.include({ id: 'home', addressOne: '12 High Street', postalCode: 'SW1A 1AA' });
    const guests = await create({ ...wanting(mug), buyer: { email: ada.email } }, null);
    expect(guests.fulfilment).to.equal(null);
  });

  it('shows the saved cards, and is paid with one by its id: the sale is the member’s', async () => {
    const card = await saveCard(ada.customer);
    const begun = await create({ ...wanting(mug), ...sent() });
    expect(begun.payment.instruments).to.deep.equal([
      {
        ...{ id: card, handlerId: 'sandbox:card', type: 'card', brand: 'visa', lastDigits: '4242' },
        ...{ isSelected: false, display: { description: 'Visa ending in 4242' } },
      },
    ]);
    expect(begun.status).to.equal('ready_for_complete');
    const done = await complete(begun.id, paying(card));
    expect(done.status).to.equal('completed');
    const invoiceId = done.order?.id ?? '';
    expect(await opened.shop.charges(invoiceId)).to.have.length(1);
    await opened.shop.settle();
    const { items } = (await ada.customer.ask(get('/api/shop/account/orders'))).body;
    expect(items[0]).to.include({ invoiceId });
    const used = (await eventsIn(opened.shop)).filter(({ type }) => type === 'PaymentMethodUsed');
    expect(used.at(-1)?.data).to.include({ methodId: card, invoiceId });
  });

  it('is not paid with the card of another, one that is gone, or under another handler', async () => {
    const [bobs, gone] = [await saveCard(bob.customer), await saveCard(ada.customer)];
    const { id } = await create({ ...wanting(mug), ...sent() });
    await ada.customer.ask({ method: 'DELETE', path: `${methods}/${gone}` });
    for (const card of [bobs, gone]) expect(await refusal(complete(id, paying(card)))).to.equal('missing');
    const card = await saveCard(ada.customer);
    expect(await refusal(complete(id, paying(card, 'manual:manual')))).to.equal('invalid_payment_handler');
    expect(await refusal(complete(id, paying(card, 'none')))).to.equal('invalid_payment_handler');
  });

  it('links a guest’s session that is completed with their token, and sells at their price', async () => {
    const card = await saveCard(ada.customer);
    const guests = await create({ ...wanting(mug), ...sent() }, null);
    const done = await complete(guests.id, paying(card));
    expect([done.status, total(done, 'discount')]).to.deep.equal(['completed', -500]);
  });

  it('shows a member what costs them more than the guest they were before it is charged', async () => {
    const once = { method: 'Code', code: 'ONCE', value: 90, perCustomerUsageLimit: 1 };
    await opened.shop.rule('Once', once);
    const card = await saveCard(ada.customer);
    const wanted = { ...wanting(mug), ...sent(), codes: ['ONCE'] };
    expect((await complete((await create(wanted)).id, paying(card))).status).to.equal('completed');
    const guests = await create(wanted, null);
    expect(total(guests, 'discount')).to.equal(-900);
    const charged = (await opened.shop.charges()).length;
    expect(await refusal(complete(guests.id, paying(card)))).to.equal('conflict');
    expect(await opened.shop.charges()).to.have.length(charged);
    const done = await complete(guests.id, paying(card));
    expect([done.status, total(done, 'discount')]).to.deep.equal(['completed', -500]);
  });

  /** As two requests record it that saw nothing of each other. */
  const steps: Readonly<Record<'link' | 'takeOver', (sessionId: string) => Promise<unknown>>> = {
    link: async (sessionId) => {
      const { streams, clock, apis } = opened.shop.shop.command.deps;
      const member = { memberId: ada.memberId, customerId: await apis.members.customerOf(ada.memberId) };
      const times = { now: isoInstant(clock.now()), expiresAt: isoInstant(clock.now() + 3_600_000) };
      const command = { type: 'UpdateSession', member, changes: {}, ...times } as const;
      await streams.send(agentSessions, sessionId, command, agentMeta(`links ${sessionId}`));
    },
    takeOver: async (sessionId) => {
      const { streams } = opened.shop.shop.command.deps;
      const { profileUri } = agentIdentity();
      const command = { type: 'HandOver', sessionId, agent: profileUri, agentName: null } as const;
      await streams.send(checkoutStream, basketOf(sessionId), command, agentMeta(`takes ${sessionId}`));
    },
  };
  const basketOf = (sessionId: string): string => derivedId('basket of agent session', sessionId);
  const stateOf = async (sessionId: string) =>
    (await opened.shop.shop.command.deps.streams.load(basketLinesStream, basketOf(sessionId))).state;

  for (const [first, second] of [
    ['link', 'takeOver'],
    ['takeOver', 'link'],
  ] as const)
    it(`goes on as a guest’s where a shopper takes its basket over in that moment: ${first}, ${second}`, async () => {
      const card = await saveCard(ada.customer);
      const { id } = await create({ ...wanting(mug), ...sent() }, null);
      await steps[first](id);
      await steps[second](id);
      expect(await refusal(update(id, {}, null))).to.equal('identity_required');
      const shown = await update(id, {});
      expect(total(shown, 'discount')).to.equal(undefined);
      expect(shown.payment.instruments).to.deep.equal([]);
      expect(await refusal(complete(id, paying(card)))).to.equal('missing');
      const credential = { type: 'token', token: 'tok_success', isCard: false };
      const done = await complete(id, { ...paying('card-1'), credential });
      expect(done.status).to.equal('completed');
      const { customerId } = await stateOf(id).then(({ basket }) => basket ?? { customerId: null });
      expect(customerId).to.equal(null);
      const told = (await eventsIn(opened.shop)).filter(({ stream }) => stream === `basket-${basketOf(id)}`);
      expect(told.map(({ type }) => type)).not.to.include('BasketBuyerIdentified');
    });

  it('is the member’s though a kill came before its basket heard of them, until a shopper takes it over', async () => {
    const { id } = await create(wanting(mug), null);
    await steps.link(id);
    expect(total(await update(id, {}), 'discount')).to.equal(-500);
    await steps.takeOver(id);
    expect(total(await update(id, {}), 'discount')).to.equal(-500);
    expect(await refusal(update(id, {}, null))).to.equal('identity_required');
    expect(await refusal(update(id, {}, bob.memberId))).to.equal('not_found');
    expect((await stateOf(id)).memberId).to.equal(ada.memberId);
  });

  it('orders nothing for a member in a basket that a shopper has taken over since it was looked at', async () => {
    const { id } = await create({ ...wanting(mug), ...sent() }, null);
    await steps.takeOver(id);
    const { checkout } = opened.shop.shop.command.deps.apis;
    const buyer = { hasAcceptedTerms: true, wantedCurrency: 'USD', shown: null, ip: '' };
    const order = checkout.placeOrder(
      basketOf(id),
      { ...buyer, memberId: ada.memberId },
      agentMeta('orders'),
    );
    expect(await refusal(order)).to.equal('basket-changed');
    expect((await stateOf(id)).memberId).to.equal(null);
  });

  it('sells digital goods, under the e-mail address of the account', async () => {
    const begun = await create({ ...wanting(song), buyer: { email: 'other@example.com' } });
    expect(begun.messages).to.deep.equal([]);
    const card = await saveCard(ada.customer);
    const done = await complete(begun.id, paying(card));
    const order = await opened.shop.shown(`/orders/${done.order?.id}`);
    expect(order).to.include({ customerEmail: ada.email });
  });

  it('buys on account where staff have granted it, and is not offered it elsewhere', async () => {
    const handlers = ({ payment }: ProtocolSession) => payment.handlers.map(({ id }) => id);
    const before = await create({ ...wanting(mug), ...sent() }, bob.memberId);
    expect(handlers(before)).not.to.include('purchaseorder:purchaseorder');
    const terms = { hasAccountTerms: true, paymentTermsDays: 30 };
    await giveTerms(opened.shop, await customerNamed(opened.shop, bob.email), terms);
    const begun = await create({ ...wanting(mug), ...sent() }, bob.memberId);
    expect(handlers(begun)).to.include('purchaseorder:purchaseorder');
    const credential = { type: 'token', token: 'PO 4711', isCard: false };
    const order = { ...paying('po', 'purchaseorder:purchaseorder'), credential };
    expect((await complete(begun.id, order, bob.memberId)).status).to.equal('completed');
  });

  it('is completed no more once the link has ended, and nothing is ordered', async () => {
    const begun = await create({ ...wanting(mug), ...sent() }, bob.memberId);
    const { streams } = opened.shop.shop.command.deps;
    const end = { type: 'EndAgentGrant', grantId: bob.grantId, reason: 'refresh-token-reused' } as const;
    await streams.send(agentLinkStream, bob.memberId, end, agentMeta('ends'));
    // On another device he is still linked, by a consent of its own.
    await link(bob.memberId);
    const card = { ...paying('card-1'), credential: { type: 'token', token: 'tok_success', isCard: false } };
    expect(await refusal(complete(begun.id, card, bob.memberId))).to.equal('invalid_token');
    expect((await typesOf(begun.id)).at(-1)).to.equal('AgentSessionCompletionFailed');
    const placed = (await eventsIn(opened.shop)).filter(({ type }) => type === 'OrderPlacementStarted');
    expect(JSON.stringify(placed)).not.to.include(begun.id);
  });
});
