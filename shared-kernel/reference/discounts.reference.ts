import { discountsSold, type DiscountEvent } from '#entities/discount.entity.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { DiscountUsageEvent } from '#events/discount-usage.events.ts';
import { idOf } from '#values/stream-name.ts';
import { createDatedEntries } from './dated-entries.ts';
import { createDiscountIndex } from './discount-index.ts';
import type { DiscountReference, ReferenceDiscount } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import type { ChunkedEntries } from './chunked-entries.ts';

const codeKey = (code: string): string => code.trim().toUpperCase();

const byPriority = (one: ReferenceDiscount, other: ReferenceDiscount): number =>
  one.rule.priority - other.rule.priority || (one.id < other.id ? -1 : 1);

/** The indexes over the rules: by code, and by what automatic ones ask of a basket. */
const createIndexes = () => {
  const byCode = new Map<string, string>();
  const index = createDiscountIndex();
  const forgetCode = ({ id, rule: { code } }: ReferenceDiscount): void => {
    if (code !== null && byCode.get(codeKey(code)) === id) byCode.delete(codeKey(code));
  };
  return {
    ...index,
    idByCode: (code: string): string | undefined => byCode.get(codeKey(code)),
    put: (discount: ReferenceDiscount, before: ReferenceDiscount | undefined): void => {
      if (before) forgetCode(before);
      const { code } = discount.rule;
      if (code !== null) byCode.set(codeKey(code), discount.id);
      index.put(discount);
    },
    remove: (discount: ReferenceDiscount): void => {
      forgetCode(discount);
      index.remove(discount.id);
    },
    clear: (): void => {
      byCode.clear();
      index.clear();
    },
  };
};

const countSold = (entries: ChunkedEntries<ReferenceDiscount>, sold: ReadonlyMap<string, number>): void => {
  for (const [id, uses] of sold) {
    const known = entries.get(id);
    if (known) entries.set(id, { ...known, sold: (known.sold ?? 0) + uses });
  }
};

/** Discount rules by id, by code, and automatic ones by what they ask of a basket, with the uses so far. */
export const createDiscountReference = (): DiscountReference & ReferencePart => {
  const index = createIndexes();
  const { entries, put, change, remove, kept } = createDatedEntries<ReferenceDiscount>(index);

  /** The indexes know nothing of uses. */
  const count = (stream: string, uses: number): void => {
    const known = entries.get(idOf(stream));
    if (known) entries.set(known.id, { ...known, uses });
  };

  const on: Fold<
    | DiscountEvent
    | DiscountUsageEvent
    | EventOfType<InvoiceEvent, 'SaleConfirmed' | 'InvoiceEdited' | 'InvoiceCancelled' | 'InvoiceDeleted'>
  > = {
    DiscountCreated: ({ stream, data: { rule, status, at } }) => {
      const id = idOf(stream);
      put({ id, rule, status, createdAt: at, uses: entries.get(id)?.uses ?? 0 });
    },
    DiscountChanged: ({ stream, data: { rule, status } }) => change(stream, { rule, status }),
    DiscountActivated: ({ stream, data: { status } }) => change(stream, { status }),
    DiscountDeactivated: ({ stream }) => change(stream, { status: 'Disabled' }),
    DiscountExpired: ({ stream }) => change(stream, { status: 'Expired' }),
    SaleConfirmed: ({ data }) => countSold(entries, discountsSold(data)),
    InvoiceEdited: ({ data }) => countSold(entries, discountsSold(data)),
    InvoiceCancelled: ({ data }) => countSold(entries, discountsSold(data)),
    InvoiceDeleted: ({ data }) => countSold(entries, discountsSold(data)),
    DiscountUseClaimed: ({ stream, data: { uses } }) => count(stream, uses),
    DiscountUseReleased: ({ stream, data: { uses } }) => count(stream, uses),
    DiscountUseSettled: ({ stream, data: { uses } }) => count(stream, uses),
    DiscountUsesTakenOver: ({ stream, data: { uses } }) => count(stream, uses),
    DiscountDeleted: ({ stream }) => remove(stream),
  };

  return {
    ...kept,
    changes: () => entries.changes,
    byCode: (code) => {
      const id = index.idByCode(code);
      return id === undefined ? undefined : entries.get(id);
    },
    candidates: (basket, now) =>
      index
        .candidates(basket, now)
        .flatMap((id) => entries.get(id) ?? [])
        .sort(byPriority),
    askForPlaces: index.askForPlaces,
    name: 'discounts',
    version: 4,
    on,
  };
};
