import { expect } from 'chai';
import type {
  AskingAgent,
  NewSession,
  SeenSession,
  SessionActions,
} from '#command/contexts/agent-protocol/sessions/agent-session.actions.ts';
import type { SessionChanges } from '#command/contexts/agent-protocol/sessions/agent-session.commands.ts';
import { lineFiguresOf, totalsOfBasket } from '#command/contexts/agent-protocol/sessions/session-figures.ts';
import { CHEAPEST_OF_EACH, ONE_GROUP } from '#command/contexts/agent-protocol/sessions/session-fulfilment.ts';
import { shownFulfilment } from '#command/contexts/agent-protocol/sessions/shown-fulfilment.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { newId } from '#kernel/ids.ts';
import { streamOf } from '#values/stream-name.ts';
import { ada, placeIn } from '#test/support/builders/agent-session.ts';
import { faultyEventStore, type FaultyEventStore } from '#test/support/faults.ts';
import { manage } from '#test/support/requests.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop } from '#test/support/shop.ts';

const agent: AskingAgent = { profileUri: 'https://agent.example/profile', isVerified: false };
const inPounds = { currency: 'GBP', amount: (minor: number) => minor };
const to = (countryCode: string, ...options: readonly string[]) => ({
  ...{ methodId: 'shipping', destinationId: `to-${countryCode}` },
  options: options.map((optionId) => ({ groupId: ONE_GROUP, optionId })),
});
const metaOf = (commandId: string = newId()): CommandMeta => ({
  ...{ correlationId: newId(), causationId: newId(), commandId },
  actor: { kind: 'agent', id: agent.profileUri },
});
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
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
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
    changes: NewSession['changes'] = {},
    meta = metaOf(),
    hasManyGroups = false,
  ): Promise<SeenSession> =>
    sessions.create(
      agent,
      {
        ...{ dialect: '2026-04-08', memberId: null, hasManyGroups },
        ...{ agentName: null, capabilities: [], currency: 'GBP' },
        ...{ orderWebhookUrl: null, sessionWebhookUrl: null, lines, changes },
      },
      meta,
    );
  const change = ({ sessionId }: SeenSession, changes: SessionChanges) =>
    sessions.update(agent, sessionId, () => changes as Omit<SessionChanges, 'lines'>, metaOf());
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
    const there = { buyer: ada, destinations: [placeIn('GB')], fulfilment: to('GB', `so:${parcel}`) };
    const seen = await begin([line(mug, 2)], there);
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
    await begin([line(mug)], { buyer: ada, destinations: [placeIn('GB')], fulfilment: to('GB') });
    await shop.settle();
    const { body } = await shop.admin.ask(manage.get('/abandoned-checkouts'));
    expect(body.totalItems).to.equal(0);
  });

  it('is whole after a kill anywhere between its events, once the request is repeated', async () => {
    const there = {
      ...{ buyer: ada, destinations: [placeIn('GB')], codes: ['nopost'] },
      fulfilment: to('GB', `so:${parcel}`),
    };
    const whole = await typesIn(await begin([line(mug)], there));
    const dyingAfter = async (appends: number, meta: CommandMeta): Promise<boolean> => {
      let left = appends;
      const isOne = (stream: string) => stream.startsWith('basket-') && left-- === 0;
      log.runBefore('append', isOne, () => {
        throw new Error('killed');
      });
      try {
        await begin([line(mug)], there, meta);
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
      const finished = await begin([line(mug)], there, meta);
      expect(total(finished, 'fulfillment'), `killed after ${appends}`).to.equal(0);
      expect(await typesIn(finished), `killed after ${appends}`).to.deep.equal(whole);
    }
    expect(repeated, 'goods, buyer, code, option').to.deep.equal([0, 1, 2, 3]);
  });

  it('keeps what the agent does not change, and lets go of what it takes back', async () => {
    const there = { buyer: ada, destinations: [placeIn('GB')], fulfilment: to('GB', `so:${parcel}`) };
    const seen = await begin([line(mug)], there);
    const renamed = await change(seen, { buyer: { ...ada, email: 'ada@lovelace.example' } });
    expect(basketOf(renamed)).to.include({ email: 'ada@lovelace.example' });
    expect(basketOf(renamed).choices).to.have.length(1);
    const open = await change(renamed, { fulfilment: to('GB') });
    expect(basketOf(open).choices).to.deep.equal([]);
    expect(total(open, 'fulfillment')).to.equal(undefined);
    expect(shown(open).isComplete).to.equal(false);
  });

  it('takes several warehouses as one group, and selects in each of them', async () => {
    const seen = await begin([line(mug), line(leedsMug)], {
      ...{ buyer: ada, destinations: [placeIn('GB')], fulfilment: to('GB', CHEAPEST_OF_EACH) },
    });
    expect(optionsOf(seen)).to.deep.equal([[[CHEAPEST_OF_EACH, 'Combined shipping', 800]]]);
    expect(basketOf(seen).choices.map(({ name }) => name)).to.have.members(['Parcel', 'Van']);
    expect(total(seen, 'fulfillment')).to.equal(800);
  });

  it('shows each warehouse to an agent that can deal with several, by the keys of the shop', async () => {
    const places = { buyer: ada, destinations: [placeIn('GB')], fulfilment: to('GB') };
    const seen = await begin([line(mug), line(leedsMug)], places, metaOf(), true);
    expect(optionsOf(seen)).to.deep.equal([[[`so:${parcel}`, 'Parcel', 500]], [['van', 'Van', 300]]]);
    const [hull, leeds] = methodOf(seen)?.groups ?? [];
    const options = [
      { groupId: hull?.id ?? '', optionId: `so:${parcel}` },
      { groupId: leeds?.id ?? '', optionId: 'van' },
    ];
    const both = await change(seen, { fulfilment: { ...to('GB'), options } });
    expect(shown(both).isComplete).to.equal(true);
    expect(total(both, 'fulfillment')).to.equal(800);
  });

  it('has free shipping inside the price of each option, chosen or not', async () => {
    const places = { buyer: ada, destinations: [placeIn('GB')], codes: ['NOPOST'] };
    const seen = await begin([line(mug)], { ...places, fulfilment: to('GB') });
    expect(optionsOf(seen)).to.deep.equal([[[`so:${parcel}`, 'Free Parcel', 0]]]);
    expect(shown(seen).messages.map(({ code }) => code)).to.deep.equal(['free_shipping_applied']);
    const chosen = await change(seen, { fulfilment: to('GB', `so:${parcel}`) });
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
    const places = { destinations: [placeIn('GB'), placeIn('NO'), placeIn('XX')] };
    const seen = await begin([line(sock)], { ...places, fulfilment: to('GB', 'drone') });
    expect(shown(seen).messages.map(({ code }) => code)).to.deep.equal(['address_undeliverable']);
    const unknown = await change(seen, { fulfilment: to('XX') });
    expect(shown(unknown).messages[0]?.content).to.contain('XX is not a country code');
    const north = await change(seen, { fulfilment: to('NO', 'drone') });
    expect(shown(north).messages.map(({ code }) => code)).to.deep.equal(['fulfillment_option_unavailable']);
    expect(basketOf(north).destination.countryCode).to.equal('NO');
    const lost = await change(seen, { fulfilment: to('nowhere') });
    expect(shown(lost).messages.map(({ code }) => code)).to.deep.equal(['destination_not_found']);
    expect(methodOf(lost)).to.include({ selectedDestinationId: null, groups: null });
  });
});
