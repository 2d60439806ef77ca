import { expect } from 'chai';
import { sparkline, sparklineImage } from '#charts/sparkline.ts';

describe('a sparkline in the terminal', () => {
  it('rises from 0 to the highest value', () => {
    expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).to.equal('▁▂▃▄▅▆▇█');
    expect(sparkline([5, 5])).to.equal('██');
  });

  it('begins below where there is something below 0', () => {
    expect(sparkline([-7, 0])).to.equal('▁█');
  });

  it('is flat where there is nothing, and empty without values', () => {
    expect(sparkline([0, 0, 0])).to.equal('▁▁▁');
    expect(sparkline([])).to.equal('');
  });

  it('has the mean of neighbours where there are more values than room', () => {
    expect(sparkline([0, 0, 7, 7, 14, 14], 3)).to.equal('▁▅█');
    expect(
      sparkline(
        Array.from({ length: 365 }, () => 3),
        30,
      ),
    ).to.equal('█'.repeat(30));
  });
});

describe('a sparkline in a page', () => {
  const pointsOf = (svg: string) =>
    (/points="([^"]*)"/.exec(svg)?.[1] ?? '').split(' ').map((point) => point.split(',').map(Number));

  it('has its highest value on top and its lowest below', () => {
    const [low = [], high = [], middle = []] = pointsOf(sparklineImage([0, 10, 5], 'Orders by day'));
    expect([low[0], low[1]]).to.deep.equal([3, 37]);
    expect(high[1]).to.equal(3);
    expect([middle[0], middle[1]]).to.deep.equal([277, 20]);
  });

  it('says what it shows, and shows one value or none', () => {
    expect(sparklineImage([1], 'Orders "by" day')).to.contain(
      'role="img" aria-label="Orders &quot;by&quot; day"',
    );
    for (const values of [[], [0], [3], [0, 0]])
      expect(sparklineImage(values, 'Orders')).to.not.match(/NaN|Infinity|undefined/);
  });
});
