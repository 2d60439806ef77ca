import { expect } from 'chai';
import type { FulfilmentInput } from '#agents/protocol-inputs.ts';
import type {
  ChangedSession,
  SessionActions,
} from '#command/contexts/agent-protocol/sessions/agent-session.actions.ts';
import type { NewSession } from '#command/contexts/agent-protocol/sessions/begin-session.ts';
import type { SeenSession } from '#command/contexts/agent-protocol/sessions/seen-session.ts';
import type { AskingAgent } from '#command/contexts/agent-protocol/sessions/session-member.ts';
import { billTo } from '#command/contexts/agent-protocol/sessions/session-buyer.ts';
import { lineFiguresOf, totalsOfBasket } from '#command/contexts/agent-protocol/sessions/session-figures.ts';
import { CHEAPEST_OF_EACH } from '#command/contexts/agent-protocol/sessions/session-fulfilment.ts';
import { addressOf } from '#command/contexts/agent-protocol/sessions/session-place.ts';
import { shownFulfilment } from '#command/contexts/agent-protocol/sessions/shown-fulfilment.ts';
import { basketLinesStream } from '#command/contexts/basket/basket.stream.ts';
import { checkoutStream } from '#command/contexts/checkout/checkout.stream.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { streamOf } from '#values/stream-name.ts';
import { ada, agentMeta, newSession, placeIn } from '#test/support/builders/agent-session.ts';
import { faultyEventStore, killBefore, type FaultyEventStore } from '#test/support/faults.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const agent: AskingAgent = { profileUri: 'https://agent.example/profile', isVerified: false };
const inPounds = { currency: 'GBP', amount: (minor: number) => minor };
/** To one of the places that are there, by these options. */
const to = (countryCode: string, ...options: readonly string[]): FulfilmentInput => ({
  selectedDestinationId: `to-${countryCode}`,
  groups: options.map((selectedOptionId) => ({ selectedOptionId })),
});
const inBritain = (...options: readonly string[]): Told => ({
  buyer: ada,
  sending: { destinations: [placeIn('GB')], ...to('GB', ...options) },
});
type Told = Omit<ChangedSession, 'lines'>;
const metaOf = (commandId?: string): CommandMeta => agentMeta(agent.profileUri, commandId);
const line = (productId: string, quantity = 1) => ({ itemId: productId, productId, quantity });

// docs/rules/agent-sessions.md#basket
describe('The basket of a checkout session', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let sessions: SessionActions;
  let mug: string;
  let leedsMug: string;
  let parcel: string;
  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const { status, body: made, text } = await shop.admin.ask(manage.post(path, body));
    if (status !== 201) throw new Error(`${path}: ${text}`);
    return made as Record<string, string>;
  };
  before(async () => {
    shop = await TestShop.open({
      wrapStore: (store) => (log = faultyEventStore(store)),
      environment: { Protocol__Ucp__StoredAddressInjection: 'all' },
    });
    sessions = shop.shop.command.actions.agentSessions;
    mug = await shop.sell('mug', { price: 10, stock: 50 });
    const { items } = (await shop.admin.ask(manage.get('/shipping-options'))).body;
    parcel = (items as { id: string }[])[0]?.id ?? '';
    const address = { countryCode: 'GB' };
    const { id: leeds = '' } = await make('/warehouses', { name: 'Leeds', address });
    const van = { name: 'Van', warehouseId: leeds, fixedCost: 3, externalKey: 'van' };
    await make('/shipping-options', van);
    leedsMug = await shop.sell('leeds', { price: 20, more: { warehouses: [{ warehouseId: leeds }] } });
    const freeShipping = { countryScope: 'AllCountries', countryCodes: [], allowedShippingOptionIds: [] };
    const onTheHouse = {
      category: 'FreeShipping',
      valueType: 'Free',
      method: 'Code',
      code: 'NOPOST',
      freeShipping,
    };
    await shop.rule('Post on us', onTheHouse);
    await shop.settle();
  });
  after(() => shop.close());

  const begin = (
    lines: NewSession['lines'],
    { sending, ...changes }: Told = {},
    meta = metaOf(),
    hasManyGroups = false,
  ): Promise<SeenSession> =>
    sessions.create(agent, newSession(lines, { hasManyGroups, changes, sending }), meta);
  const change = ({ sessionId }: SeenSession, told: Told) =>
    sessions.update(agent, sessionId, () => told, metaOf());
  const basketOf = ({ basket }: SeenSession) => {
    if (basket.state.basket === null) throw new Error('there is no basket');
    return basket.state.basket;
  };
  const shown = (seen: SeenSession) => {
    const { session, basket } = seen;
    return shownFulfilment(session, basket.shipping, lineFiguresOf(session.lines, basketOf(seen)), inPounds);
  };
  const methodOf = (seen: SeenSession) => shown(seen).fulfilment?.methods[0];
  const optionsOf = (seen: SeenSession) =>
    methodOf(seen)?.groups?.map(({ options }) =>
      options.map(({ id, title, totals }) => [id, title, totals.at(-1)?.amount]),
    );
  const total = (seen: SeenSession, type: string) =>
    totalsOfBasket(basketOf(seen)).find((entry) => entry.type === type)?.amount;
  const typesIn = async ({ session }: SeenSession) =>
    (await eventsIn(shop))
      .filter(({ stream }) => stream === streamOf.basket(session.basketId))
      .map(({ type }) => type);

  it('goes to the selected place, by the selected option, in the name of the buyer', async () => {
    const seen = await begin([line(mug, 2)], inBritain(`so:${parcel}`));
    const basket = basketOf(seen);
    expect(basket).to.deep.include({ email: ada.email, acceptsMarketing: false });
    expect(basket.shippingAddress).to.include({
      ...{ name: 'Ada Lovelace', addressOne: '12 High Street', townCity: 'London', countryCode: 'GB' },
    });
    expect(basket.emailCustomerId).to.be.a('string');
    expect(basket.choices.map(({ optionKey }) => optionKey)).to.deep.equal([`so:${parcel}`]);
    expect(totalsOfBasket(basket)).to.deep.equal([
      { type: 'subtotal', amount: 2000 },
      { type: 'fulfillment', amount: 500 },
      { type: 'tax', amount: 400 },
      { type: 'total', amount: 2900 },
    ]);
    expect(shown(seen)).to.deep.include({ isComplete: true, messages: [] });
    expect(methodOf(seen)?.lineIds).to.deep.equal(seen.session.lines.map(({ lineId }) => lineId));
    const before = await typesIn(seen);
    const again = await sessions.read(agent, seen.sessionId, metaOf());
    expect(await typesIn(again), 'nothing is done twice').to.deep.equal(before);
  });

  it('opens no checkout that could be abandoned', async () => {
    await begin([line(mug)], inBritain());
    expect((await shop.shown('/abandoned-checkouts')).totalItems).to.equal(0);
  });

  it('is whole after a kill anywhere between its events, once the request is repeated', async () => {
    const told = { ...inBritain(`so:${parcel}`), codes: ['nopost'] };
    const whole = await typesIn(await begin([line(mug)], told));
    const dyingAfter = async (appends: number, meta: CommandMeta): Promise<boolean> => {
      let left = appends;
      const isOne = (stream: string) => stream.startsWith('basket-') && left-- === 0;
      killBefore(log, isOne);
      try {
        await begin([line(mug)], told, meta);
        return false;
      } catch {
        return true;
      } finally {
        left = -1;
      }
    };
    const repeated: number[] = [];
    for (let appends = 0; ; appends++) {
      const meta = metaOf();
      if (!(await dyingAfter(appends, meta))) break;
      repeated.push(appends);
      const finished = await begin([line(mug)], told, meta);
      expect(total(finished, 'fulfillment'), `killed after ${appends}`).to.equal(0);
      expect(await typesIn(finished), `killed after ${appends}`).to.deep.equal(whole);
    }
    expect(repeated, 'goods, buyer, code, option').to.deep.equal([0, 1, 2, 3]);
  });

  it('keeps what the agent does not change, and lets go of what it takes back', async () => {
    const seen = await begin([line(mug)], inBritain(`so:${parcel}`));
    const renamed = await change(seen, { buyer: { ...ada, email: 'ada@lovelace.example' } });
    expect(basketOf(renamed)).to.include({ email: 'ada@lovelace.example' });
    expect(basketOf(renamed).choices).to.have.length(1);
    const back = await change(renamed, { sending: { groups: [{ selectedOptionId: null }] } });
    expect(basketOf(back).choices).to.deep.equal([]);
    expect(total(back, 'fulfillment')).to.equal(undefined);
    expect(shown(back).isComplete).to.equal(false);
  });

  it('takes several warehouses as one group, and selects in each of them', async () => {
    const seen = await begin([line(mug), line(leedsMug)], inBritain(CHEAPEST_OF_EACH));
    expect(optionsOf(seen)).to.deep.equal([[[CHEAPEST_OF_EACH, 'Combined shipping', 800]]]);
    expect(basketOf(seen).choices.map(({ name }) => name)).to.have.members(['Parcel', 'Van']);
    expect(total(seen, 'fulfillment')).to.equal(800);
  });

  it('shows each warehouse to an agent that can deal with several, by the keys of the shop', async () => {
    const seen = await begin([line(mug), line(leedsMug)], inBritain(), metaOf(), true);
    expect(optionsOf(seen)).to.deep.equal([[[`so:${parcel}`, 'Parcel', 500]], [['van', 'Van', 300]]]);
    const [hull, leeds] = methodOf(seen)?.groups ?? [];
    const groups = [
      { id: hull?.id ?? '', selectedOptionId: `so:${parcel}` },
      { id: leeds?.id ?? '', selectedOptionId: 'van' },
    ];
    const both = await change(seen, { sending: { groups } });
    expect(shown(both).isComplete).to.equal(true);
    expect(total(both, 'fulfillment')).to.equal(800);
  });

  it('has free shipping inside the price of each option, chosen or not', async () => {
    const seen = await begin([line(mug)], { ...inBritain(), codes: ['NOPOST'] });
    expect(optionsOf(seen)).to.deep.equal([[[`so:${parcel}`, 'Free Parcel', 0]]]);
    expect(shown(seen).messages.map(({ code }) => code)).to.deep.equal(['free_shipping_applied']);
    const chosen = await change(seen, { sending: to('GB', `so:${parcel}`) });
    expect(total(chosen, 'fulfillment')).to.equal(0);
    expect(total(chosen, 'discount'), 'it is no discount').to.equal(undefined);
  });

  it('goes nowhere that the shop does not deliver to, and takes no option that is not there', async () => {
    const { id } = await make('/warehouses', { name: 'Oslo', address: { countryCode: 'NO' } });
    const serviceRegions = [{ countryCode: 'NO', isExcluded: false }];
    await shop.admin.ask(manage.put(`/warehouses/${id}`, { serviceRegions }));
    await make('/shipping-options', { name: 'Sledge', warehouseId: id, fixedCost: 7 });
    const sold = { warehouses: [{ warehouseId: id ?? '' }] };
    const sock = await shop.sell('sock', { price: 4, more: sold });
    const destinations = [placeIn('GB'), placeIn('NO'), placeIn('XX')];
    const seen = await begin([line(sock)], { sending: { destinations, ...to('GB', 'drone') } });
    expect(shown(seen).messages.map(({ code }) => code)).to.deep.equal(['address_undeliverable']);
    const unknown = await change(seen, { sending: to('XX') });
    expect(shown(unknown).messages[0]?.content).to.contain('XX is not a country code');
    const north = await change(seen, { sending: to('NO', 'drone') });
    expect(shown(north).messages.map(({ code }) => code)).to.deep.equal(['fulfillment_option_unavailable']);
    expect(basketOf(north).destination.countryCode).to.equal('NO');
    const lost = await change(seen, { sending: to('nowhere') });
    expect(shown(lost).messages.map(({ code }) => code)).to.deep.equal(['destination_not_found']);
    expect(methodOf(lost)).to.include({ selectedDestinationId: null, groups: null });
  });

  it('is the shopper’s once it was handed over, but for what the agent says afterwards', async () => {
    const seen = await begin([line(mug)], inBritain(`so:${parcel}`));
    const { sessionId, session } = seen;
    const { streams } = shop.shop.command.deps;
    const handOver = { type: 'HandOver', sessionId, agent: agent.profileUri, agentName: null } as const;
    await streams.send(checkoutStream, session.basketId, handOver, metaOf());
    const more = {
      type: 'ReplaceBasketLines',
      goods: [{ productId: mug, quantity: 3 }],
      startFor: null,
    } as const;
    await streams.send(basketLinesStream, session.basketId, more, metaOf());
    const read = await sessions.read(agent, sessionId, metaOf());
    expect(basketOf(read).itemCount).to.equal(3);
    expect(methodOf(read)?.groups?.map(({ selectedOptionId }) => selectedOptionId)).to.deep.equal([
      `so:${parcel}`,
    ]);
    const coded = await change(seen, { codes: ['NOPOST'] });
    expect(basketOf(coded)).to.include({ itemCount: 3 });
    expect(total(coded, 'fulfillment')).to.equal(0);
    const lined = await sessions.update(agent, sessionId, () => ({ lines: [line(mug, 2)] }), metaOf());
    expect(basketOf(lined).itemCount).to.equal(2);
  });

  it('tells who pays and agrees to marketing at the end, which binds only whom this sale makes known', async () => {
    const { deps } = shop.shop.command;
    const consent = { analytics: true, marketing: true };
    const billing = addressOf({ ...placeIn('FR'), firstName: 'Babbage' }, null);
    const email = 'jean@example.com';
    const seen = await begin([line(mug)], { ...inBritain(`so:${parcel}`), buyer: { email }, consent });
    expect(basketOf(seen)).to.include({ acceptsMarketing: false });
    await billTo(deps, seen.session, { billingAddress: billing, ip: '' }, metaOf());
    const told = await sessions.read(agent, seen.sessionId, metaOf());
    expect(basketOf(told)).to.deep.include({ acceptsMarketing: true, billingAddress: billing });
    expect(basketOf(told).shippingAddress).to.include({ countryCode: 'GB' });
    const before = await typesIn(told);
    await billTo(deps, told.session, { billingAddress: billing, ip: '' }, metaOf());
    expect(await typesIn(told), 'once').to.deep.equal(before);
    const other = await begin([line(mug)], { ...inBritain(), buyer: { email }, consent });
    await billTo(deps, other.session, { billingAddress: null, ip: '' }, metaOf());
    const known = await sessions.read(agent, other.sessionId, metaOf());
    expect(basketOf(known)).to.include({ acceptsMarketing: false });
  });

  // docs/rules/agent-sessions.md#places
  it('can go to the addresses that the shop knows of a buyer, and adds new ones to them', async () => {
    const buyer = { ...ada, email: 'grace@example.com' };
    const { id: _, ...unnamed } = placeIn('GB');
    const { addressOne: __, ...incomplete } = placeIn('FR');
    const first = await begin([line(mug)], {
      buyer,
      sending: { destinations: [unnamed, { ...placeIn('US'), id: 'the office' }, incomplete], groups: [] },
    });
    const [given, office] = first.session.destinations;
    const next = await begin([line(mug)], { buyer });
    const ids = methodOf(next)?.destinations?.map(({ id }) => id);
    expect(ids).to.have.length(2);
    expect(ids?.[0], 'the id that the session gave it').to.equal(given?.id);
    expect(ids, 'what cannot be a key gets another').not.to.include(office?.id);
    const again = await change(next, { sending: { destinations: [unnamed], groups: [] } });
    expect(again.session.destinations.map(({ id }) => id)).to.deep.equal([given?.id]);
    const { items } = await shop.shown('/customers?search=grace');
    expect(items).to.have.length(1);
    expect((await shop.shown(`/customers/${items[0].id}`)).addresses).to.have.length(2);
  });
});
