import { expect } from 'chai';
import fc from 'fast-check';
import { lineChart, type ChartPoint, type LineChart } from '#charts/line-chart.ts';

const days = (...values: readonly (number | readonly [number, number | null])[]): readonly ChartPoint[] =>
  values.map((given, place) => {
    const [value, comparisonValue] = typeof given === 'number' ? [given, null] : given;
    return { date: `2026-03-${String(place + 1).padStart(2, '0')}T00:00:00Z`, value, comparisonValue };
  });

const drawn = (points: readonly ChartPoint[], changes: Partial<LineChart> = {}): string =>
  lineChart({
    id: 'sales',
    title: 'Sales by day',
    points,
    interval: 'day',
    currency: 'USD',
    legend: { now: '1 to 3 Mar 2026', before: '26 to 28 Feb 2026' },
    size: 'wide',
    ...changes,
  });

const found = (svg: string, pattern: RegExp): string[][] =>
  [...svg.matchAll(pattern)].map(([, ...groups]) => groups.map(String));

/** Where the points of the first line are. */
const dotsOf = (svg: string): (readonly [x: number, y: number])[] =>
  found(svg, /<circle class="dot" cx="([^"]+)" cy="([^"]+)"/g).map(([x, y]) => [Number(x), Number(y)]);

/** The height of each line of the scale, by its label. */
const scaleOf = (svg: string): ReadonlyMap<string, number> =>
  new Map(
    found(svg, /<text class="tick" x="[^"]+" y="([^"]+)"[^>]*>([^<]+)/g).map(([y, label = '']) => [
      label,
      Number(y) - 4,
    ]),
  );

const pathOf = (svg: string, kind: string): string =>
  found(svg, new RegExp(`<path class="${kind}" d="([^"]+)"`, 'g'))[0]?.[0] ?? '';

describe('a line chart', () => {
  it('has each point at the height of its value and at the place of its day', () => {
    const svg = drawn(days(0, 500, 1000, 250));
    const scale = scaleOf(svg);
    expect([...scale.keys()]).to.deep.equal(['$0', '$250', '$500', '$750', '$1,000']);
    const dots = dotsOf(svg);
    expect(dots.map(([, y]) => y)).to.deep.equal(
      ['$0', '$500', '$1,000', '$250'].map((label) => scale.get(label)),
    );
    const steps = dots.slice(1).map(([x], place) => x - (dots[place]?.[0] ?? 0));
    for (const step of steps)
      expect(step)
        .to.be.closeTo(steps[0] ?? 0, 0.2)
        .and.above(0);
  });

  it('shows the comparison as a second line, with a gap where nothing was sold', () => {
    const svg = drawn(days([100, 50], [100, 60], [100, null], [100, 70], [100, null], [100, 80], [100, 90]));
    const scale = scaleOf(svg);
    const line = pathOf(svg.replace(/<path class="before" d="M[^"]*h20"\/>/, ''), 'before');
    expect(line.match(/M/g)).to.have.length(3);
    expect(Number(line.split(/[ L]/)[1])).to.equal(scale.get('$50'));
    // The fourth day stands alone: as a line it would not be seen.
    expect(found(svg, /<circle class="mark"/g)).to.have.length(1);
    expect(svg).to.contain('26 to 28 Feb 2026');
    expect(drawn(days(1, 2), { legend: { now: 'now', before: null } })).to.not.contain('class="before"');
  });

  it('goes below 0 where more was given back than sold', () => {
    const svg = drawn(days(100, -100));
    const [above = [0, 0], below = [0, 0]] = dotsOf(svg);
    const zero = scaleOf(svg).get('$0') ?? NaN;
    expect(above[1]).to.be.below(zero);
    expect(below[1]).to.be.above(zero);
  });

  it('shows one day as one dot in the middle', () => {
    const dots = dotsOf(drawn(days([10, 5])));
    expect(dots).to.have.length(1);
    expect(dots[0]?.[0]).to.be.within(450, 560);
  });

  it('says so where there is nothing to show', () => {
    for (const points of [[], days(0), days([0, 0], [0, null])]) {
      const svg = drawn(points);
      expect(svg).to.contain('Nothing to show');
      expect(svg).to.not.contain('<circle');
    }
  });

  it('tells what it shows to those who do not see it', () => {
    const svg = drawn(days(20, 5, 80.5));
    expect(svg).to.match(
      /<svg[^>]* role="img" aria-labelledby="sales-title sales-desc"><title id="sales-title">Sales by day</,
    );
    expect(svg).to.contain(
      '<desc id="sales-desc">By day, 1 to 3 Mar 2026: 3 points, lowest $5.00 (2 Mar 2026), highest $80.50 (3 Mar 2026). ' +
        'A second line shows 26 to 28 Feb 2026.</desc>',
    );
    expect(drawn(days([20, 10]))).to.contain('<title>1 Mar 2026: $20.00, before $10.00</title>');
  });

  it('escapes what it is given', () => {
    const svg = drawn(days(1), {
      id: '"><script>',
      title: '<script>alert(1)</script>',
      legend: { now: '<b>', before: '&' },
    });
    expect(svg).to.not.contain('<script').and.to.not.contain('<b>');
    expect(svg).to.contain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });

  it('dates months by their names, and the year where it begins', () => {
    const dates = ['2025-11-01', '2025-12-01', '2026-01-01', '2026-02-01'];
    const points = dates.map((date) => ({ date, value: 1, comparisonValue: null }));
    const svg = drawn(points, { interval: 'month' });
    const below = found(svg, /<text x="[^"]+" y="292"[^>]*>([^<]+)/g).flat();
    expect(below).to.deep.equal(['Nov 2025', 'Dec', 'Jan 2026', 'Feb']);
  });

  it('knows light and dark', () => {
    expect(drawn(days(1))).to.contain('@media(prefers-color-scheme:dark)');
  });

  it('is well-formed and within its frame, whatever it shows', () => {
    const value = fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((minor) => minor / 100);
    const point = fc.tuple(value, fc.option(value));
    fc.assert(
      fc.property(
        fc.array(point, { maxLength: 30 }),
        fc.constantFrom('wide' as const, 'half' as const),
        (points, size) => {
          const svg = drawn(days(...points), { size });
          expect(svg).to.not.match(/NaN|Infinity|undefined|null/);
          const [, width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number);
          for (const [x, y] of dotsOf(svg)) {
            expect(x).to.be.within(0, width);
            expect(y).to.be.within(0, height);
          }
        },
      ),
    );
  });
});
