import { expect } from 'chai';
import {
  CHEAPEST_OF_EACH,
  holdShipping,
  ONE_GROUP,
  shownGroups,
  type HeldShipping,
  type OfferedGroup,
  type OfferedOption,
  type OffBy,
} from '#command/contexts/agent-protocol/sessions/session-fulfilment.ts';

const option = (id: string, cost: number, given: Partial<OfferedOption> = {}): OfferedOption => ({
  optionKey: `so:${id}`,
  id,
  name: id,
  description: '',
  carrier: null,
  cost,
  ...given,
});
const from = (warehouse: string, ...options: OfferedOption[]): OfferedGroup => ({
  groupId: warehouse,
  lineIds: [`line of ${warehouse}`],
  options,
});
const london = from('london', option('express', 900), option('standard', 400, { optionKey: 'so:london' }));
const leeds = from('leeds', option('standard', 300, { optionKey: 'so:leeds' }), option('pallet', 5000));

const nothingOff: OffBy = () => ({ amount: 0, names: [] });
const choose = (optionId: string, groupId = ONE_GROUP) => ({ groupId, optionId });
const hold = (
  groups: readonly OfferedGroup[],
  chosen: readonly ReturnType<typeof choose>[] = [],
  how: { hasManyGroups?: boolean; offBy?: OffBy } = {},
) => holdShipping(groups, [...chosen], { hasManyGroups: false, offBy: nothingOff, ...how });

const inPounds = { currency: 'GBP', amount: (minor: number) => minor };
const optionsOf = ({ groups }: HeldShipping, shown = inPounds) =>
  shownGroups(groups, shown).map(({ options }) =>
    options.map(({ id, title, totals }) => [id, title, totals.at(-1)?.amount]),
  );

// docs/rules/agent-sessions.md#shipping
describe('What an agent may choose for shipping', () => {
  it('is one group for the goods of one warehouse, the cheapest option first', () => {
    expect(optionsOf(hold([london]))).to.deep.equal([
      [
        ['standard', 'standard', 400],
        ['express', 'express', 900],
      ],
    ]);
  });

  it('is what several warehouses have in common, at what they take together', () => {
    const held = hold([london, leeds], [choose('standard')]);
    expect(optionsOf(held)).to.deep.equal([[['standard', 'standard', 700]]]);
    expect(held.groups[0]?.lineIds).to.deep.equal(['line of london', 'line of leeds']);
    expect(held.selections).to.deep.equal({ london: 'so:london', leeds: 'so:leeds' });
  });

  it('is the cheapest of each warehouse where they have none in common', () => {
    const biking = from('london', option('express', 900), option('bike', 200));
    const held = hold([biking, leeds], [choose(CHEAPEST_OF_EACH)]);
    expect(optionsOf(held)).to.deep.equal([[[CHEAPEST_OF_EACH, 'Combined shipping', 500]]]);
    expect(held.selections).to.deep.equal({ london: 'so:bike', leeds: 'so:leeds' });
  });

  it('is nothing where one warehouse offers nothing', () => {
    expect(optionsOf(hold([london, from('leeds')]))).to.deep.equal([[]]);
  });

  it('is a group for each warehouse to an agent that can deal with several', () => {
    const half = hold([london, leeds], [choose('express', 'london')], { hasManyGroups: true });
    expect(half.groups.map(({ id }) => id)).to.deep.equal(['london', 'leeds']);
    expect([half.selections, half.isComplete], 'one is open').to.deep.equal([
      { london: 'so:express' },
      false,
    ]);
    expect(half.groups.map(({ selectedOptionId }) => selectedOptionId)).to.deep.equal(['express', null]);
    const both = [choose('express', 'london'), choose('pallet', 'leeds')];
    expect(hold([london, leeds], both, { hasManyGroups: true }).selections).to.deep.equal({
      london: 'so:express',
      leeds: 'so:pallet',
    });
  });

  it('has titles of their own for options of one name', () => {
    const named = (id: string, cost: number) => option(id, cost, { name: 'Post' });
    const held = hold([from('london', named('a', 100), named('b', 200), named('c', 200))]);
    expect(optionsOf(held)).to.deep.equal([
      [
        ['a', 'Post', 100],
        ['b', 'Post (£2.00)', 200],
        ['c', 'Post (£2.00) 2', 200],
      ],
    ]);
  });

  it('is shown in the currency of the session, yen without decimals', () => {
    const inYen = { currency: 'JPY', amount: (minor: number) => Math.round(minor * 1.9) };
    const named = option('other', 905, { name: 'express' });
    expect(optionsOf(hold([from('london', option('express', 900), named)]), inYen)).to.deep.equal([
      [
        ['express', 'express', 1710],
        ['other', 'express (¥1,720)', 1720],
      ],
    ]);
  });

  it('comes to what is charged for it, whatever each price is rounded to', () => {
    const inYen = { currency: 'JPY', amount: (minor: number) => Math.round(minor * 1.91), charged: 1338 };
    const both = [choose('standard', 'london'), choose('standard', 'leeds')];
    const { groups } = hold([london, leeds], both, { hasManyGroups: true });
    const prices = shownGroups(groups, inYen).map(
      ({ options, selectedOptionId }) =>
        options.find(({ id }) => id === selectedOptionId)?.totals.at(-1)?.amount,
    );
    expect(prices, '764 and 573, which would be 1337').to.deep.equal([764, 574]);
  });

  it('comes to what is charged for it so far, where a choice is open', () => {
    const inYen = { currency: 'JPY', amount: (minor: number) => Math.round(minor * 1.91), charged: 765 };
    const half = hold([london, leeds], [choose('standard', 'london')], { hasManyGroups: true });
    const prices = shownGroups(half.groups, inYen).map(({ options }) => options[0]?.totals.at(-1)?.amount);
    expect(prices, 'of leeds, which is open, what it would cost').to.deep.equal([765, 573]);
  });

  it('means the one group whatever id the agent gives it, and tells what is not offered', () => {
    expect(hold([london], [choose('express', 'made up')]).selections).to.deep.equal({ london: 'so:express' });
    const gone = hold([london], [choose('drone')]);
    expect([gone.selections, gone.isComplete]).to.deep.equal([{}, false]);
    expect(gone.lost).to.deep.equal(['drone']);
    expect(hold([london]).lost).to.deep.equal([]);
  });
});

// docs/rules/agent-sessions.md#shipping
describe('Free shipping of an agent', () => {
  const onStandard: OffBy = (options) =>
    options.every(({ optionKey }) => optionKey !== 'so:express' && optionKey !== 'so:pallet')
      ? { amount: options.reduce((sum, { cost }) => sum + cost, 0), names: ['Post on us'] }
      : { amount: 0, names: [] };

  it('is inside the price of each option that it is for, and puts it first', () => {
    const cheap = from('london', option('express', 100), option('standard', 400));
    const held = hold([cheap], [], { offBy: onStandard });
    expect(held.freeShipping).to.deep.equal(['Post on us']);
    expect(shownGroups(held.groups, inPounds)[0]?.options[0]).to.deep.equal({
      id: 'standard',
      title: 'Free standard',
      totals: [
        { type: 'subtotal', amount: 400 },
        { type: 'discount', amount: -400 },
        { type: 'total', amount: 0 },
      ],
    });
  });

  it('is asked for with all warehouses together, and what is off is shared among their groups', () => {
    const off: OffBy = (options) => ({ amount: options.length === 2 ? 351 : 0, names: ['Half'] });
    const both = [choose('standard', 'london'), choose('standard', 'leeds')];
    const held = hold([london, leeds], both, { hasManyGroups: true, offBy: off });
    const selected = held.groups.map(({ options, selectedOptionId }) =>
      options.find(({ id }) => id === selectedOptionId),
    );
    const shares = selected.map((one) => one?.off ?? 0);
    expect(shares).to.deep.equal([201, 150]);
  });
});
