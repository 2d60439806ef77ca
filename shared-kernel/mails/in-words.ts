import { wholeName } from '#values/named-goods.ts';

/** By time zone: making one takes longer than writing a mail. */
const formats = new Map<string, Intl.DateTimeFormat>();

const formatIn = (timeZone: string): Intl.DateTimeFormat => {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone });
  formats.set(timeZone, format);
  return format;
};

/** `1 March 2026`: an instant as people where the shop is read it. */
export const dayInWords = (instant: string, timeZone: string): string =>
  formatIn(timeZone).format(Date.parse(instant));

/** Likewise of a business day. */
export const businessDayInWords = (day: string): string => dayInWords(day, 'UTC');

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

interface NamedGoods {
  readonly name: string;
  readonly productRootName: string;
  readonly selectedOptions: readonly unknown[];
}

/** Options, where there are some, stand beside it. */
export const goodsInWords = ({ selectedOptions, ...goods }: NamedGoods): string =>
  selectedOptions.length > 0 ? goods.productRootName : wholeName(goods);
