import { discountsSold, type DiscountEvent } from '#entities/discount.entity.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { DiscountUsageEvent } from '#events/discount-usage.events.ts';
import { changesAt } from '#values/dated-status.ts';
import { idOf } from '#values/stream-name.ts';
import { createDiscountIndex } from './discount-index.ts';
import type { DiscountReference, ReferenceDiscount } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { createSchedule } from './schedule.ts';
import { SlicedEntries } from './sliced-entries.ts';

const codeKey = (code: string): string => code.trim().toUpperCase();

const byPriority = (one: ReferenceDiscount, other: ReferenceDiscount): number =>
  one.rule.priority - other.rule.priority || (one.id < other.id ? -1 : 1);

/** The rules, and the indexes over them. */
const createRules = () => {
  const entries = new SlicedEntries<ReferenceDiscount>();
  const byCode = new Map<string, string>();
  const index = createDiscountIndex();
  const changing = createSchedule();

  const forgetCode = (id: string): void => {
    const code = entries.get(id)?.rule.code;
    if (code && byCode.get(codeKey(code)) === id) byCode.delete(codeKey(code));
  };

  return {
    entries,
    byCode,
    index,
    changing,
    put: (discount: ReferenceDiscount): void => {
      forgetCode(discount.id);
      entries.set(discount.id, discount);
      const { code } = discount.rule;
      if (code !== null) byCode.set(codeKey(code), discount.id);
      index.put(discount);
      const at = changesAt(discount.rule, discount.status);
      if (at === null) changing.remove(discount.id);
      else changing.set(discount.id, at);
    },
    remove: (id: string): void => {
      forgetCode(id);
      entries.delete(id);
      index.remove(id);
      changing.remove(id);
    },
  };
};

const countSold = (
  entries: ReturnType<typeof createRules>['entries'],
  sold: ReadonlyMap<string, number>,
): void => {
  for (const [id, uses] of sold) {
    const known = entries.get(id);
    if (known) entries.set(id, { ...known, sold: (known.sold ?? 0) + uses });
  }
};

/** Discount rules by id, by code, and automatic ones by what they ask of a basket, with the uses so far. */
export const createDiscountReference = (): DiscountReference & ReferencePart => {
  const { entries, byCode, index, changing, put, remove } = createRules();

  const change = (stream: string, changes: Partial<ReferenceDiscount>): void => {
    const known = entries.get(idOf(stream));
    if (known) put({ ...known, ...changes });
  };

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
    DiscountDeleted: ({ stream }) => remove(idOf(stream)),
  };

  return {
    byCode: (code) => {
      const id = byCode.get(codeKey(code));
      return id === undefined ? undefined : entries.get(id);
    },
    byId: (id) => entries.get(id),
    candidates: (basket, now) =>
      index
        .candidates(basket, now)
        .flatMap((id) => entries.get(id) ?? [])
        .sort(byPriority),
    askForPlaces: index.askForPlaces,
    changing: changing.due,
    name: 'discounts',
    version: 4,
    on,
    entries,
    restore: (kept) => {
      for (const [, discount] of kept) put(discount as ReferenceDiscount);
    },
    clear: () => {
      byCode.clear();
      index.clear();
      changing.clear();
    },
  };
};
