import { expect } from 'chai';
import { HOUR } from '#command/simulation/demand.ts';
import { towns } from '#command/simulation/people.ts';
import { planVisits, type Market, type Visit } from '#command/simulation/plan-visits.ts';

const DAY = 24 * HOUR;
const from = Date.UTC(2026, 5, 1);

const market: Market = {
  towns,
  drawGoods: ({ countryCode }, chance) => ({
    productId: `${countryCode}-${chance.whole(1, 9)}`,
    addons: [],
  }),
  needsAddons: (productId) => productId === 'US-9',
  codes: ['WELCOME10'],
  currencyOf: ({ countryCode }) => (countryCode === 'JP' ? 'JPY' : null),
};

interface Given {
  readonly seed?: number;
  readonly orders?: number;
  readonly days?: number;
  readonly from?: number;
  readonly sellsToAgents?: boolean;
}

const plan = (given: Given = {}): Visit[] => {
  const { seed = 1, orders = 1000, days = 28, sellsToAgents = true } = given;
  const begins = given.from ?? from;
  const period = { from: begins, to: begins + days * DAY };
  return [...planVisits({ seed, orders, period, market, sellsToAgents })];
};

const share = (visits: readonly Visit[], isOne: (visit: Visit) => boolean): number =>
  visits.filter(isOne).length / visits.length;

describe('The plan of a simulation', () => {
  it('lets exactly as many visits buy as there are to be orders', () => {
    for (const orders of [1, 2, 60, 1000]) {
      expect(plan({ orders }).filter(({ ending }) => ending === 'buys')).to.have.length(orders);
    }
  });

  it('is the same for the same seed, and another for another', () => {
    expect(plan({ seed: 7 })).to.deep.equal(plan({ seed: 7 }));
    expect(plan({ seed: 7 })).not.to.deep.equal(plan({ seed: 8 }));
  });

  it('has the same visits in the same order whenever it begins', () => {
    const withoutTimes = (visits: Visit[]) => visits.map(({ at: _, ...visit }) => visit);
    expect(withoutTimes(plan({ from: from + 3 * DAY }))).to.deep.equal(withoutTimes(plan()));
  });

  it('sends an assistant for one buyer in twenty, and has all others do what they do without agents', () => {
    const withAgents = plan({ orders: 3000 });
    const buyers = withAgents.filter(({ ending }) => ending === 'buys');
    expect(share(buyers, ({ isThroughAgent }) => isThroughAgent)).to.be.within(0.04, 0.06);
    const bought = buyers.filter(({ isThroughAgent }) => isThroughAgent).flatMap(({ lines }) => lines);
    expect(bought.some(({ productId }) => productId === 'US-9')).to.equal(false);
    const without = plan({ orders: 3000, sellsToAgents: false });
    expect(without.some(({ isThroughAgent }) => isThroughAgent)).to.equal(false);
    const asWithoutAgents = withAgents.map((visit) => ({ ...visit, isThroughAgent: false }));
    expect(asWithoutAgents).to.deep.equal(without);
  });

  it('is in the order of time and within its period', () => {
    const times = plan().map(({ at }) => at);
    expect(times).to.deep.equal([...times].sort((one, other) => one - other));
    expect(times[0]).to.be.at.least(from);
    expect(times.at(-1)).to.be.below(from + 28 * DAY);
  });

  it('spreads a single day over its hours, and visits over single days', () => {
    const visits = plan({ orders: 100, days: 100 });
    const days = new Set(visits.map(({ at }) => Math.floor(at / DAY)));
    expect(days.size).to.be.above(70);
  });

  it('has more shoppers at the weekend, in the evening and at the end', () => {
    const visits = plan({ orders: 5000 });
    const isWeekend = ({ at }: Visit) => [0, 6].includes(new Date(at).getUTCDay());
    const isEvening = ({ at }: Visit) => new Date(at).getUTCHours() >= 18;
    const isLate = ({ at }: Visit) => at >= from + 14 * DAY;
    expect(share(visits, isWeekend)).to.be.above(2.1 / 7);
    expect(share(visits, isEvening)).to.be.above(0.3);
    expect(share(visits, isLate)).to.be.within(0.52, 0.62);
  });

  it('has shoppers who come back under the same name and address', () => {
    const buyers = plan().filter(({ ending }) => ending === 'buys');
    const byEmail = Map.groupBy(buyers, ({ person }) => person.email);
    const returning = [...byEmail.values()].filter(({ length }) => length > 1);
    expect(returning.length).to.be.within(100, 400);
    for (const visits of returning)
      expect(new Set(visits.map(({ person }) => JSON.stringify(person))).size).to.equal(1);
  });

  it('has one to four lines, codes, refused cards and second thoughts', () => {
    const visits = plan({ orders: 3000 });
    for (const { lines, person } of visits) {
      expect(lines.length).to.be.within(1, 4);
      for (const { productId } of lines) expect(productId.startsWith(person.town.countryCode)).to.equal(true);
    }
    for (const ending of [
      'leavesBasket',
      'clearsBasket',
      'leavesCheckout',
      'leavesInvoice',
      'declined',
    ] as const)
      expect(
        share(visits, (visit) => visit.ending === ending),
        ending,
      ).to.be.above(0.01);
    expect(share(visits, ({ code }) => code !== null)).to.be.within(0.02, 0.1);
    expect(share(visits, ({ afterthought }) => afterthought !== null)).to.be.within(0.005, 0.04);
    const declined = visits.filter(({ ending }) => ending === 'declined');
    expect(declined.every(({ refusedTokens }) => refusedTokens.length > 0)).to.equal(true);
  });
});
