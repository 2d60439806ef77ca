import { escapeHtml } from '#values/escape-html.ts';
import { at } from './coordinate.ts';
import { axisLabel, shownInterval, type ChartInterval } from './dates.ts';
import { quantity, roundTicks, tickLabels, type ChartCurrency } from './quantities.ts';

export interface ChartPoint {
  /** `YYYY-MM-DD`, or an instant that begins with it. */
  readonly date: string;
  readonly value: number;
  readonly comparisonValue: number | null;
}

export interface LineChart {
  /** Of the drawing in its page. */
  readonly id: string;
  readonly title: string;
  readonly points: readonly ChartPoint[];
  readonly interval: ChartInterval;
  readonly currency: ChartCurrency;
  /** What the two lines are about; without the second there is one line. */
  readonly legend: { readonly now: string; readonly before: string | null };
  /** Of its page: the whole width, or half of it beside another chart. */
  readonly size: 'wide' | 'half';
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly bottom: number;
  readonly right: number;
  readonly dates: number;
}

/** Drawn in the size in which they are shown, so that texts are as large as those around them. */
const frames: Readonly<Record<LineChart['size'], Frame>> = {
  wide: { width: 1000, height: 300, top: 36, bottom: 270, right: 988, dates: 10 },
  half: { width: 480, height: 240, top: 36, bottom: 210, right: 468, dates: 5 },
};

const CHARACTER = 6.6;
const style =
  '.tr-chart{--now:#2456c7;--before:#8b94a3;--text:#5a6372;--line:#e4e7ec;font:12px system-ui,sans-serif}' +
  '@media(prefers-color-scheme:dark){.tr-chart{--now:#86a9ff;--before:#858d9b;--text:#a4acb9;--line:#2f353e}}' +
  '@media print{.tr-chart{--now:#2456c7;--before:#8b94a3;--text:#5a6372;--line:#e4e7ec}}' +
  '.tr-chart text{fill:var(--text)}.tr-chart .grid{stroke:var(--line)}.tr-chart .zero{stroke:var(--before)}' +
  '.tr-chart .now{fill:none;stroke:var(--now);stroke-width:2.25}.tr-chart .dot{fill:var(--now)}.tr-chart .mark{fill:var(--before)}' +
  '.tr-chart .area{fill:var(--now);opacity:.09}' +
  '.tr-chart .before{fill:none;stroke:var(--before);stroke-width:1.75;stroke-dasharray:5 4}' +
  '.tr-chart path{stroke-linejoin:round;stroke-linecap:round}.tr-chart .spot{fill:transparent}';

interface Place {
  readonly x: number;
  readonly y: number;
}

/** One line for each stretch without a gap. */
const pathOf = (places: readonly (Place | null)[]): string =>
  places
    .map((place, index) => place && `${places[index - 1] ? 'L' : 'M'}${at(place.x)} ${at(place.y)}`)
    .join('');

const circle = (kind: string, { x, y }: Place): string =>
  `<circle class="${kind}" cx="${at(x)}" cy="${at(y)}" r="3"/>`;

/** A place between gaps is no line: it gets a dot. */
const alone = (places: readonly (Place | null)[]): readonly Place[] =>
  places.flatMap((place, index) => (place && !places[index - 1] && !places[index + 1] ? [place] : []));

const lowestAndHighest = (points: readonly ChartPoint[]): readonly [number, number] => {
  const values = points.flatMap(({ value, comparisonValue }) => [value, comparisonValue ?? 0]);
  return [Math.min(0, ...values), Math.max(0, ...values)];
};

/** What the drawing says, for those who do not see it. */
const descriptionOf = ({ points, interval, currency, legend }: LineChart): string => {
  const lowest = points.reduce((one, other) => (other.value < one.value ? other : one));
  const highest = points.reduce((one, other) => (other.value > one.value ? other : one));
  const shown = ({ value, date }: ChartPoint): string =>
    `${quantity(value, currency)} (${shownInterval(date, interval)})`;
  const compared = legend.before === null ? '' : ` A second line shows ${legend.before}.`;
  return (
    `By ${interval}, ${legend.now}: ${points.length} ${points.length === 1 ? 'point' : 'points'}, ` +
    `lowest ${shown(lowest)}, highest ${shown(highest)}.${compared}`
  );
};

const drawing = (
  { id, title }: LineChart,
  { width, height }: Pick<Frame, 'width' | 'height'>,
  description: string,
  content: string,
): string => {
  const [name, titleId, descriptionId] = [title, `${id}-title`, `${id}-desc`].map(escapeHtml);
  return (
    `<svg class="tr-chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="100%" ` +
    `role="img" aria-labelledby="${titleId} ${descriptionId}"><title id="${titleId}">${name}</title>` +
    `<desc id="${descriptionId}">${escapeHtml(description)}</desc><style>${style}</style>${content}</svg>`
  );
};

/** Where values and points are in the drawing. */
interface Plane extends Frame {
  readonly left: number;
  readonly ticks: readonly number[];
  readonly labels: readonly string[];
  readonly xOf: (index: number) => number;
  readonly yOf: (value: number) => number;
}

const planeOf = ({ points, currency, size }: LineChart, low: number, high: number): Plane => {
  const frame = frames[size];
  const { top, bottom, right } = frame;
  const ticks = roundTicks(low, high, currency);
  const labels = tickLabels(ticks, currency);
  const left = Math.max(...labels.map(({ length }) => length)) * CHARACTER + 12;
  const [lowest, highest] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const from = left + 8;
  return {
    ...frame,
    left,
    ticks,
    labels,
    xOf: (index) =>
      points.length === 1 ? (from + right) / 2 : from + (index * (right - from)) / (points.length - 1),
    yOf: (value) => bottom - ((value - lowest) / (highest - lowest)) * (bottom - top),
  };
};

const legendOf = ({ legend: { now, before } }: LineChart, { left }: Plane): string => {
  const entry = (x: number, kind: string, text: string): string =>
    `<path class="${kind}" d="M${at(x)} 12h20"/><text x="${at(x + 27)}" y="16">${escapeHtml(text)}</text>`;
  const second = left + 27 + now.length * CHARACTER + 20;
  return entry(left, 'now', now) + (before === null ? '' : entry(second, 'before', before));
};

const scaleOf = ({ ticks, labels, left, right, yOf }: Plane): string =>
  ticks
    .map((tick, place) => {
      const y = yOf(tick);
      return (
        `<path class="${tick === 0 ? 'zero' : 'grid'}" d="M${at(left)} ${at(y)}H${right}"/>` +
        `<text class="tick" x="${at(left - 8)}" y="${at(y + 4)}" text-anchor="end">${escapeHtml(labels[place] ?? '')}</text>`
      );
    })
    .join('');

const monthSteps = [1, 2, 3, 6, 12, 24, 36];

const datesBelow = ({ points, interval }: LineChart, { dates, width, height, xOf }: Plane): string => {
  const wanted = Math.ceil(points.length / dates);
  const step = interval === 'month' ? (monthSteps.find((one) => one >= wanted) ?? wanted) : wanted;
  const labelled = points.filter((_, index) => index % step === 0);
  return labelled
    .map(({ date }, place) => {
      const text = axisLabel(date, labelled[place - 1]?.date, interval);
      const half = (text.length * CHARACTER) / 2;
      const x = Math.min(Math.max(xOf(place * step), half), width - half);
      return `<text x="${at(x)}" y="${height - 8}" text-anchor="middle">${text}</text>`;
    })
    .join('');
};

/** Points that stand closer than this have no dot each. */
const DOT_DISTANCE = 12;

const linesOf = ({ points, legend }: LineChart, { xOf, yOf }: Plane): string => {
  const now = points.map(({ value }, index) => ({ x: xOf(index), y: yOf(value) }));
  const before = points.map(({ comparisonValue }, index) =>
    comparisonValue === null ? null : { x: xOf(index), y: yOf(comparisonValue) },
  );
  const line = pathOf(now);
  const ground = at(yOf(0));
  const area =
    now.length > 1
      ? `<path class="area" d="${line}L${at(xOf(now.length - 1))} ${ground}L${at(xOf(0))} ${ground}Z"/>`
      : '';
  const hasDots = now.length === 1 || xOf(1) - xOf(0) >= DOT_DISTANCE;
  const dots = hasDots ? now.map((place) => circle('dot', place)) : [];
  const compared =
    legend.before === null
      ? []
      : [
          `<path class="before" d="${pathOf(before)}"/>`,
          ...alone(before).map((place) => circle('mark', place)),
        ];
  return [area, ...compared, `<path class="now" d="${line}"/>`, ...dots].join('');
};

/** Names each point where the pointer rests on it. */
const spotsOf = (
  { points, interval, currency }: LineChart,
  { top, bottom, right, left, xOf }: Plane,
): string => {
  const width = points.length < 2 ? right - left : xOf(1) - xOf(0);
  return points
    .map(({ date, value, comparisonValue }, index) => {
      const before = comparisonValue === null ? '' : `, before ${quantity(comparisonValue, currency)}`;
      const says = `${shownInterval(date, interval)}: ${quantity(value, currency)}${before}`;
      const box = `x="${at(xOf(index) - width / 2)}" y="${top}" width="${at(width)}" height="${bottom - top}"`;
      return `<rect class="spot" ${box}><title>${escapeHtml(says)}</title></rect>`;
    })
    .join('');
};

const nothing = 'Nothing to show: there is no value but 0.';
const EMPTY_HEIGHT = 90;

/** A line over time, beside what it is compared with, as inline SVG that needs nothing else. */
export const lineChart = (chart: LineChart): string => {
  const [low, high] = lowestAndHighest(chart.points);
  if (low === high) {
    const { width } = frames[chart.size];
    const text = `<text x="${width / 2}" y="${EMPTY_HEIGHT / 2}" text-anchor="middle">${nothing}</text>`;
    return drawing(chart, { width, height: EMPTY_HEIGHT }, nothing, text);
  }
  const plane = planeOf(chart, low, high);
  return drawing(
    chart,
    plane,
    descriptionOf(chart),
    legendOf(chart, plane) +
      scaleOf(plane) +
      linesOf(chart, plane) +
      datesBelow(chart, plane) +
      spotsOf(chart, plane),
  );
};
