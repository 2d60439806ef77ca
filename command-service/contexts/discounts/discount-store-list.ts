import { storeList, type StoreList } from '#command/engine/store-list.ts';
import { changeDiscount, createDiscount } from '#contracts/discounts.contract.ts';
import type { CurrencyOf } from '#contracts/management.contract.ts';
import type { Reference } from '#reference/reference.ts';
import { discountProblems } from './discount.decider.ts';
import type { DiscountActions } from './discount.actions.ts';

/** The discounts of a store file. */
export const discountStoreList = (
  discounts: DiscountActions,
  reference: Reference,
  currency: CurrencyOf,
): StoreList =>
  storeList({
    name: 'discounts',
    references: [],
    create: createDiscount(currency),
    change: changeDiscount(currency),
    problemsOf: (id, given) => {
      const { code, startsAt = '' } = given;
      const owner = code === null ? undefined : reference.discounts.byCode(code);
      const taken = owner && owner.id !== id ? [`code: ${code} belongs to ${owner.rule.name}`] : [];
      return [...discountProblems({ ...given, startsAt, status: 'Active' }), ...taken];
    },
    uniqueIn: ({ code }) => (code === null ? [] : [{ kind: 'discount', value: code, path: 'code' }]),
    exists: (id) => discounts.exists(id),
    createEntry: (id, given, meta) => discounts.create(id, given, meta),
    changeEntry: (id, given, meta) => discounts.change(id, given, meta),
  });
