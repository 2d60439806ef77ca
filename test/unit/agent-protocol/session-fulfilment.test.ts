import { expect } from 'chai';
import {
  CHEAPEST_OF_EACH,
  choosableGroups,
  holdChoice,
  ONE_GROUP,
  type OfferedGroup,
  type OfferedOption,
} from '#command/contexts/agent-protocol/sessions/session-fulfilment.ts';

const option = (id: string, cost: number, given: Partial<OfferedOption> = {}): OfferedOption => ({
  optionKey: `so:${id}`,
  id,
  name: id,
  description: '',
  carrier: null,
  cost,
  off: 0,
  ...given,
});
const from = (warehouse: string, ...options: OfferedOption[]): OfferedGroup => ({
  groupId: warehouse,
  lineIds: [`line of ${warehouse}`],
  options,
});
const london = from('london', option('express', 900), option('standard', 400, { optionKey: 'so:london' }));
const leeds = from('leeds', option('standard', 300, { optionKey: 'so:leeds' }), option('pallet', 5000));

const asOne = (...groups: OfferedGroup[]) =>
  choosableGroups(groups, { hasManyGroups: false, currency: 'GBP' });
const optionsOf = (choosables: ReturnType<typeof asOne>) =>
  choosables.map(({ group }) =>
    group.options.map(({ id, title, totals }) => [id, title, totals.at(-1)?.amount]),
  );
const choose = (optionId: string, groupId = ONE_GROUP) => ({ groupId, optionId });

// docs/rules/agent-sessions.md#shipping
describe('What an agent may choose for shipping', () => {
  it('is one group for the goods of one warehouse, the cheapest option first', () => {
    expect(optionsOf(asOne(london))).to.deep.equal([
      [
        ['standard', 'standard', 400],
        ['express', 'express', 900],
      ],
    ]);
  });

  it('is what several warehouses have in common, at what they take together', () => {
    const choosables = asOne(london, leeds);
    expect(optionsOf(choosables)).to.deep.equal([[['standard', 'standard', 700]]]);
    expect(choosables[0]?.group.lineIds).to.deep.equal(['line of london', 'line of leeds']);
    expect(holdChoice(choosables, [choose('standard')]).selections).to.deep.equal({
      london: 'so:london',
      leeds: 'so:leeds',
    });
  });

  it('is the cheapest of each warehouse where they have none in common', () => {
    const choosables = asOne(from('london', option('express', 900), option('bike', 200)), leeds);
    expect(optionsOf(choosables)).to.deep.equal([[[CHEAPEST_OF_EACH, 'Combined shipping', 500]]]);
    expect(holdChoice(choosables, [choose(CHEAPEST_OF_EACH)]).selections).to.deep.equal({
      london: 'so:bike',
      leeds: 'so:leeds',
    });
  });

  it('is nothing where one warehouse offers nothing', () => {
    expect(optionsOf(asOne(london, from('leeds')))).to.deep.equal([[]]);
  });

  it('is a group for each warehouse to an agent that can deal with several', () => {
    const choosables = choosableGroups([london, leeds], { hasManyGroups: true, currency: 'GBP' });
    expect(choosables.map(({ group }) => group.id)).to.deep.equal(['london', 'leeds']);
    const half = holdChoice(choosables, [choose('express', 'london')]);
    expect(half.selections, 'one is open').to.equal(null);
    expect(half.groups.map(({ selectedOptionId }) => selectedOptionId)).to.deep.equal(['express', null]);
    const both = [choose('express', 'london'), choose('pallet', 'leeds')];
    expect(holdChoice(choosables, both).selections).to.deep.equal({
      london: 'so:express',
      leeds: 'so:pallet',
    });
  });

  it('says what free shipping makes of it, inside the option', () => {
    const [[shown] = []] = asOne(
      from('london', option('standard', 400, { off: 400 }), option('express', 900)),
    ).map(({ group }) => group.options);
    expect(shown).to.deep.equal({
      id: 'standard',
      title: 'Free standard',
      totals: [
        { type: 'subtotal', amount: 400 },
        { type: 'discount', amount: -400 },
        { type: 'total', amount: 0 },
      ],
    });
  });

  it('has titles of their own for options of one name', () => {
    const named = (id: string, cost: number) => option(id, cost, { name: 'Post' });
    expect(optionsOf(asOne(from('london', named('a', 100), named('b', 200), named('c', 200))))).to.deep.equal(
      [
        [
          ['a', 'Post', 100],
          ['b', 'Post (£2.00)', 200],
          ['c', 'Post (£2.00) 2', 200],
        ],
      ],
    );
  });

  it('means the one group whatever id the agent gives it, and tells what is not offered', () => {
    const choosables = asOne(london);
    expect(holdChoice(choosables, [choose('express', 'made up')]).selections).to.deep.equal({
      london: 'so:express',
    });
    const gone = holdChoice(choosables, [choose('drone')]);
    expect(gone.selections).to.equal(null);
    expect(gone.lost).to.deep.equal(['drone']);
    expect(holdChoice(choosables, []).lost).to.deep.equal([]);
  });
});
