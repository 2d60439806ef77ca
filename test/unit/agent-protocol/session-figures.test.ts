import { expect } from 'chai';
import { lineFiguresOf } from '#command/contexts/agent-protocol/sessions/session-figures.ts';
import { agentLine } from '#test/support/builders/agent-session.ts';
import { add, basketIn, idNamed, offer, viewOf } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

// docs/rules/agent-hand-over.md#from-agent-to-shopper
describe('The figures of a product that a shopper has twice', () => {
  it('are shared out over the agent’s lines, and come to those of the basket', () => {
    const basket = viewOf(given(basketIn({ offers: { mug: offer(1000) } })).after(add('mug', 2)));
    const wrapped = basket.lines.map((line) => ({
      ...line,
      ...{ lineId: idNamed('wrapped'), quantity: 1, unitPrice: 1205 },
    }));
    const off = {
      ...{ id: idNamed('taken'), discountId: idNamed('five off'), name: 'Five off', code: null },
      ...{ category: 'AmountOffProducts' as const, lineId: idNamed('wrapped'), amount: 5 },
    };
    const figures = lineFiguresOf([agentLine('mug', 2, 'two'), agentLine('mug', 1, 'one')], {
      ...basket,
      ...{ lines: [...basket.lines, ...wrapped], discounts: [off] },
    });
    expect(figures.map(({ subtotal, discount }) => [subtotal, discount])).to.deep.equal([
      [2137, 3],
      [1068, 2],
    ]);
  });
});
