import { expect } from 'chai';
import type { FulfilmentInput } from '#agents/protocol-inputs.ts';
import {
  changedSending,
  placeKey,
  type Sending,
} from '#command/contexts/agent-protocol/sessions/session-destinations.ts';
import { addressOf } from '#command/contexts/agent-protocol/sessions/session-place.ts';
import { ada, placeIn } from '#test/support/builders/agent-session.ts';

const home = placeIn('GB', 'home');
const office = { ...placeIn('US', 'office'), addressOne: '1 Main Street', region: 'CA' };
const { id: _, ...withoutId } = office;

const nowhere = { destinations: [], fulfilment: null, hasManyGroups: false };
const change = (
  asked: Partial<FulfilmentInput> | null | undefined,
  before: Partial<Parameters<typeof changedSending>[0]> = {},
  known: Partial<Sending> = {},
) =>
  changedSending(
    { ...nowhere, ...before },
    {
      asked: asked && { groups: [], ...asked },
      ...{ stored: [], namesBuyer: false, newId: (index) => `new-${index}`, ...known },
    },
  );
const idsOf = ({ destinations }: ReturnType<typeof changedSending>) => destinations?.map(({ id }) => id);
const chosen = {
  methodId: 'shipping',
  destinationId: 'home',
  options: [{ groupId: 'group_1', optionId: 'van' }],
};

// docs/rules/agent-sessions.md#places
describe('The places that a session can be sent to', () => {
  it('are exactly those that a request names, each with an id', () => {
    expect(idsOf(change({ destinations: [home, withoutId] }, {}, { stored: [placeIn('FR')] }))).to.deep.equal(
      ['home', 'new-1'],
    );
  });

  it('keep the id that the same place has already, stored or in the session, in any spelling', () => {
    const loud = { ...withoutId, addressOne: ' 1 MAIN street', region: 'California' };
    expect(idsOf(change({ destinations: [loud] }, {}, { stored: [office] }))).to.deep.equal(['office']);
    expect(idsOf(change({ destinations: [loud] }, { destinations: [office] }))).to.deep.equal(['office']);
    const elsewhere = { ...withoutId, postalCode: '90210' };
    expect(idsOf(change({ destinations: [elsewhere] }, {}, { stored: [office] }))).to.deep.equal(['new-0']);
  });

  it('have ids of their own even where one is named twice', () => {
    const twice = { destinations: [home, { ...office, id: 'home' }] };
    expect(idsOf(change(twice))).to.deep.equal(['home', 'new-1']);
  });

  it('can be pointed at by their id alone', () => {
    const { destinations } = change({ destinations: [{ id: 'office' }] }, {}, { stored: [office] });
    expect(destinations).to.deep.equal([office]);
  });

  it('are the stored ones and then its own where a request names none', () => {
    const before = { destinations: [{ ...withoutId, id: 'same' }, placeIn('FR')] };
    expect(idsOf(change({}, before, { stored: [office] }))).to.deep.equal(['office', 'to-FR']);
  });

  it('are offered as soon as the buyer is known, and once only', () => {
    const known = { stored: [office], namesBuyer: true };
    expect(change(undefined, {}, known)).to.deep.equal({ destinations: [office] });
    expect(change(undefined, { destinations: [home] }, known)).to.deep.equal({});
    expect(change(undefined, {}, { stored: [office] })).to.deep.equal({});
  });

  it('are all taken back by null, with what was chosen', () => {
    const before = { destinations: [home], fulfilment: chosen };
    expect(change(null, before)).to.deep.equal({ destinations: [], fulfilment: null });
  });
});

// docs/rules/agent-sessions.md#places
describe('What a request chooses of sending', () => {
  const before = { destinations: [home], fulfilment: chosen };

  it('is added to what was chosen before, as far as that is there', () => {
    expect(change({ groups: [{ selectedOptionId: 'bike' }] }, before).fulfilment).to.deep.equal({
      ...chosen,
      options: [{ groupId: 'group_1', optionId: 'bike' }],
    });
    expect(change({ selectedDestinationId: 'office' }, before).fulfilment).to.deep.equal({
      ...chosen,
      destinationId: 'office',
    });
    expect(change({ destinations: [office] }, before).fulfilment?.destinationId).to.equal(null);
  });

  it('is taken back by null', () => {
    expect(change({ selectedDestinationId: null }, before).fulfilment?.destinationId).to.equal(null);
    const back = change({ groups: [{ id: 'group_1', selectedOptionId: null }] }, before);
    expect(back.fulfilment?.options).to.deep.equal([]);
  });

  it('is one choice for each warehouse of an agent that can deal with several', () => {
    const many = { ...before, hasManyGroups: true };
    const groups = [{ id: 'leeds', selectedOptionId: 'bike' }];
    expect(change({ groups }, many).fulfilment?.options).to.deep.equal([
      { groupId: 'group_1', optionId: 'van' },
      { groupId: 'leeds', optionId: 'bike' },
    ]);
  });

  it('keeps the id by which the agent calls the method', () => {
    expect(change({ methodId: 'post' }).fulfilment?.methodId).to.equal('post');
    expect(change({}).fulfilment?.methodId).to.equal('shipping');
  });
});

// docs/rules/agent-sessions.md#places
describe('An address of an agent', () => {
  it("has the shop's code for a region that it knows, and the text of one that it does not", () => {
    expect(addressOf(office, ada)).to.deep.include({
      ...{ name: 'Ada Lovelace', addressOne: '1 Main Street', regionCode: 'CA', countyState: 'California' },
      ...{ countryCode: 'US', country: 'United States of America', email: 'ada@example.com', phone: null },
    });
    const odd = addressOf({ ...office, region: 'Middle Earth' }, ada);
    expect(odd).to.deep.include({ regionCode: null, countyState: 'Middle Earth' });
  });

  it('is that of the buyer where it names nobody', () => {
    const { firstName: __, lastName: ___, ...unnamed } = office;
    expect(addressOf(unnamed, { ...ada, phone: '+44 20' })).to.include({
      name: 'Ada Lovelace',
      phone: '+44 20',
    });
  });

  it('is the same place in any case', () => {
    expect(placeKey({ ...office, townCity: 'LONDON ' })).to.equal(placeKey(office));
  });
});
