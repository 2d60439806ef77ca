import { expect } from 'chai';
import fc from 'fast-check';
import type { AgentLine } from '#events/agent-session.events.ts';
import { datedVersions } from '#test/support/agents/answer-schemas.ts';
import { agentOrder, agentSource, orderBody } from '#test/support/builders/agent-order.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyBasket, basketOf, freeze } from '#test/support/builders/frozen-sale.ts';

const display = fc.constantFrom(
  null,
  { currency: 'JPY', rate: '190.15' },
  { currency: 'KWD', rate: '0.387' },
  { currency: 'EUR', rate: '1.1734' },
);

/** As an agent may have asked for them: the first units of each product on a line of their own. */
const asked = (lines: ReturnType<typeof basketOf>['basket']['lines'], first: number): readonly AgentLine[] =>
  lines.flatMap(({ sku, productId, quantity }) => {
    const units = quantity > first ? [first, quantity - first] : [quantity];
    return units.map((count, index) => ({
      ...{ lineId: idNamed(`${sku} ${index}`), itemId: sku, productId, quantity: count },
    }));
  });

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

// docs/rules/agent-orders.md
describe('An order as its agent is shown it', () => {
  it('keeps the rules of the protocol, in each version, whatever was sold in whatever currency', () => {
    const first = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(anyBasket, display, first, ([pieces, percent, cost], shownIn, units) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const quote = shownIn && { ...shownIn, source: 'manual', quotedAt: '2030-06-01T00:00:00.000Z' };
        const content = freeze(basket, groups, quote);
        const lines = asked(basket.lines, units);
        const document = agentOrder({ ...content, source: agentSource }, lines).after();
        for (const version of datedVersions) {
          const body = orderBody(document, lines, version);
          expect(body.totals.at(-1)).to.deep.include({ type: 'total', amount: content.amounts.total });
          expect(body.line_items.map(({ id }) => id)).to.have.members(lines.map(({ lineId }) => lineId));
          expect(sum(body.line_items.map(({ quantity }) => quantity.total))).to.equal(content.itemCount);
        }
      }),
      { numRuns: 50 },
    );
  });
});
