import { expect } from 'chai';
import fc from 'fast-check';
import { quantity, roundTicks, tickLabels } from '#charts/quantities.ts';

const labelled = (low: number, high: number, currency: string | null) =>
  tickLabels(roundTicks(low, high, currency), currency);

describe('quantities on a chart', () => {
  it('are written with the sign and the decimals of their currency, counts with neither', () => {
    expect(quantity(1234.5, 'GBP')).to.equal('£1,234.50');
    expect(quantity(1234, 'JPY')).to.equal('¥1,234');
    expect(quantity(1234, null)).to.equal('1,234');
  });

  it('have round numbers on their scale', () => {
    expect(labelled(0, 870, 'USD')).to.deep.equal(['$0', '$250', '$500', '$750', '$1,000']);
    expect(labelled(0, 38_500, 'GBP')).to.deep.equal(['£0', '£10k', '£20k', '£30k', '£40k']);
    expect(labelled(0, 9_400_000, 'GBP')).to.deep.equal(['£0', '£2.5M', '£5M', '£7.5M', '£10M']);
    expect(labelled(-120, 260, 'USD')).to.deep.equal(['−$200', '−$100', '$0', '$100', '$200', '$300']);
  });

  it('have no step that is smaller than what can be sold or paid', () => {
    expect(labelled(0, 1, null)).to.deep.equal(['0', '1']);
    expect(labelled(0, 3, null)).to.deep.equal(['0', '1', '2', '3']);
    expect(labelled(0, 10, null)).to.deep.equal(['0', '5', '10']);
    expect(labelled(0, 0.02, 'USD')).to.deep.equal(['$0.00', '$0.01', '$0.02']);
    expect(labelled(0, 2, 'USD')).to.deep.equal(['$0.00', '$0.50', '$1.00', '$1.50', '$2.00']);
    expect(labelled(0, 3, 'JPY')).to.deep.equal(['¥0', '¥1', '¥2', '¥3']);
  });

  it('lie within their scale, whatever they are, with 0 on a line', () => {
    const value = fc.integer({ min: -10_000_000, max: 1_000_000_000 });
    fc.assert(
      fc.property(value, value, fc.constantFrom('USD', 'JPY', 'KWD', null), (one, other, currency) => {
        const by = currency === 'USD' ? 100 : currency === 'KWD' ? 1000 : 1;
        const [low, high] = [Math.min(one, other, 0) / by, Math.max(one, other, 0) / by];
        fc.pre(low !== high);
        const ticks = roundTicks(low, high, currency);
        expect(ticks[0]).to.be.at.most(low);
        expect(ticks.at(-1)).to.be.at.least(high);
        expect(ticks).to.include(0);
        expect(ticks.length).to.be.within(2, 8);
        expect(new Set(tickLabels(ticks, currency)).size).to.equal(ticks.length);
      }),
    );
  });
});
