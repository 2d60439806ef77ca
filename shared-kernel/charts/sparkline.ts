import { escapeHtml } from '#values/escape-html.ts';
import { at } from './coordinate.ts';

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** At most `width` values: neighbours share one, their mean. */
const condensed = (values: readonly number[], width: number): readonly number[] => {
  if (values.length <= width) return values;
  return Array.from({ length: width }, (_, place) => {
    const from = Math.floor((place * values.length) / width);
    const to = Math.floor(((place + 1) * values.length) / width);
    const group = values.slice(from, to);
    return group.reduce((sum, value) => sum + value, 0) / group.length;
  });
};

const scaleOf = (values: readonly number[]): { readonly low: number; readonly span: number } => {
  const low = Math.min(0, ...values);
  return { low, span: Math.max(0, ...values) - low };
};

/** For terminals, from 0 up: `▁▃▅█▂`. */
export const sparkline = (values: readonly number[], width = 30): string => {
  const shown = condensed(values, width);
  const { low, span } = scaleOf(shown);
  return shown
    .map((value) => bars[span === 0 ? 0 : Math.round(((value - low) / span) * (bars.length - 1))] ?? bars[0])
    .join('');
};

const WIDTH = 280;
const HEIGHT = 40;
const EDGE = 3;

/** For pages: no axes, one colour, that of the text around it. `title` says what it shows. */
export const sparklineImage = (values: readonly number[], title: string): string => {
  const { low, span } = scaleOf(values);
  const xOf = (index: number): number =>
    values.length === 1 ? WIDTH / 2 : EDGE + (index * (WIDTH - 2 * EDGE)) / (values.length - 1);
  const yOf = (value: number): number =>
    HEIGHT - EDGE - (span === 0 ? 0 : ((value - low) / span) * (HEIGHT - 2 * EDGE));
  const points = values.map((value, index) => `${at(xOf(index))},${at(yOf(value))}`);
  const last = values.at(-1);
  const end =
    last === undefined
      ? ''
      : `<circle cx="${at(xOf(values.length - 1))}" cy="${at(yOf(last))}" r="2.5" fill="currentColor"/>`;
  return (
    `<svg class="tr-spark" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" ` +
    `height="${HEIGHT}" role="img" aria-label="${escapeHtml(title)}"><title>${escapeHtml(title)}</title>` +
    `<polyline points="${points.join(' ')}" fill="none" stroke="currentColor" stroke-width="1.75" ` +
    `stroke-linejoin="round" stroke-linecap="round"/>${end}</svg>`
  );
};
