import type { InvoiceContent, OrderLine } from '#events/invoice.fields.ts';
import {
  membersOf,
  soldByMemberProjection,
  sumsOf,
} from '#projection/contexts/reporting/sold-by-member.projection.ts';
import {
  noSums,
  withSums,
  type Dimension,
  type MemberSums,
} from '#projection/contexts/reporting/sold-changes.ts';
import { givenEvents, type GivenEvent } from '../given.ts';
import { idNamed } from './basket.ts';
import { mugOrder, twoMugs } from './invoice.ts';

/** What these events leave of a dimension, by member; of what was recorded up to a day, if one is named. */
export const soldOf = (
  events: readonly GivenEvent[],
  dimension: Dimension,
  recordedUpTo = '9999-12-31',
): Readonly<Record<string, MemberSums>> => {
  const { documents } = givenEvents(...events).project(soldByMemberProjection, '');
  const sold: Record<string, MemberSums> = {};
  for (const [key, document] of documents) {
    if (!key.startsWith(`${dimension} `) || document.recordedDay > recordedUpTo) continue;
    for (const [member, kept] of membersOf(document))
      sold[member] = withSums(sold[member] ?? noSums, sumsOf(kept));
  }
  return sold;
};

export interface SoldLine {
  /** The variant's name; those of one product begin with the same letter. */
  readonly product: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly discount: number;
  readonly tax: number;
  readonly collections?: readonly string[];
}

export const rootOf = (product: string): string => `root ${product[0]}`;

const lineOf = (line: SoldLine, place: number): OrderLine => {
  const { product, quantity, unitPrice, discount, tax, collections = [] } = line;
  const [mug] = mugOrder('order').lines;
  if (!mug) throw new Error('an order of mugs has a line');
  return {
    ...mug,
    id: idNamed(`line ${place}`),
    productId: idNamed(product),
    productRootId: idNamed(rootOf(product)),
    quantity,
    unitPrice,
    lineTotal: unitPrice * quantity,
    lineTotalInStoreCurrency: unitPrice * quantity,
    discount,
    tax,
    ...(collections.length > 0 && { collectionIds: collections.map(idNamed) }),
  };
};

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

/** The content of an invoice of these lines, with shipping that is neither taxed nor discounted. */
export const soldContent = (
  lines: readonly SoldLine[],
  shipping: number,
  changes: Partial<InvoiceContent> = {},
): InvoiceContent => {
  const subTotal = sumOf(lines, ({ unitPrice, quantity }) => unitPrice * quantity);
  const [discount, tax] = [sumOf(lines, (line) => line.discount), sumOf(lines, (line) => line.tax)];
  const amounts = { subTotal, discount, shipping, tax, total: subTotal - discount + shipping + tax };
  return twoMugs({
    amounts,
    amountsInStoreCurrency: amounts,
    itemCount: sumOf(lines, ({ quantity }) => quantity),
    orders: [{ ...mugOrder('order'), lines: lines.map(lineOf) }],
    ...changes,
  });
};
