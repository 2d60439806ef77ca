import type { Goods } from '../../invoices/invoice.commands.ts';

/** An invoice about to be placed: how many requests expect it, and what it may hold. */
interface Expected {
  readonly requests: number;
  readonly goods: Goods;
}

/** Unpaid invoices by address, and those about to be placed there. */
export const createPlacesAtAddress = () => {
  const standing = new Map<string, Set<string>>();
  /** By address, in the order of the requests. */
  const expected = new Map<string, Map<string, Expected>>();

  const forgetAll = (invoiceId: string, address: string): void => {
    const others = expected.get(address);
    others?.delete(invoiceId);
    if (others?.size === 0) expected.delete(address);
  };

  /** Those requested before this one, or all if this one was not. */
  const before = (invoiceId: string, address: string): readonly Expected[] => {
    const others: Expected[] = [];
    for (const [other, one] of expected.get(address) ?? []) {
      if (other === invoiceId) break;
      others.push(one);
    }
    return others;
  };

  return {
    take: (address: string | null, invoiceId: string): void => {
      if (address === null) return;
      const there = standing.get(address);
      if (there) there.add(invoiceId);
      else standing.set(address, new Set([invoiceId]));
    },
    free: (address: string | null, invoiceId: string): void => {
      if (address === null) return;
      const there = standing.get(address);
      there?.delete(invoiceId);
      if (there?.size === 0) standing.delete(address);
    },
    standing: (address: string): number => standing.get(address)?.size ?? 0,
    invoicesAt: (address: string): readonly string[] => [...(standing.get(address) ?? [])],
    /** Returns a function that undoes it. A repeat expects the same invoice, and undoes its own expectation only. */
    expect: (invoiceId: string, address: string, goods: Goods): (() => void) => {
      const others = expected.get(address) ?? new Map<string, Expected>();
      const requests = (others.get(invoiceId)?.requests ?? 0) + 1;
      expected.set(address, others.set(invoiceId, { requests, goods }));
      return () => {
        const { requests: left = 0 } = expected.get(address)?.get(invoiceId) ?? {};
        if (left > 1) expected.get(address)?.set(invoiceId, { requests: left - 1, goods });
        else forgetAll(invoiceId, address);
      };
    },
    /** The log counts it from now on. */
    forgetAll,
    expectedBefore: (invoiceId: string, address: string): number => before(invoiceId, address).length,
    goodsBefore: (invoiceId: string, address: string): readonly Goods[] =>
      before(invoiceId, address).map(({ goods }) => goods),
  };
};
