/** How many unpaid invoices stand at each address, and which are about to be placed there. */
export const createPlacesAtAddress = () => {
  const standing = new Map<string, number>();
  /** By address, in the order in which they were asked for: invoices, and how many requests expect each. */
  const expected = new Map<string, Map<string, number>>();

  const count = (address: string | null, by: 1 | -1): void => {
    if (address === null) return;
    const places = (standing.get(address) ?? 0) + by;
    if (places > 0) standing.set(address, places);
    else standing.delete(address);
  };

  const forgetAll = (invoiceId: string, address: string): void => {
    const others = expected.get(address);
    others?.delete(invoiceId);
    if (others?.size === 0) expected.delete(address);
  };

  return {
    take: (address: string | null): void => count(address, 1),
    free: (address: string | null): void => count(address, -1),
    standing: (address: string): number => standing.get(address) ?? 0,
    /** The answer takes it back. A repeat expects the same invoice, and takes back its own expectation only. */
    expect: (invoiceId: string, address: string): (() => void) => {
      const others = expected.get(address) ?? new Map<string, number>();
      expected.set(address, others.set(invoiceId, (others.get(invoiceId) ?? 0) + 1));
      return () => {
        const requests = expected.get(address)?.get(invoiceId) ?? 0;
        if (requests > 1) expected.get(address)?.set(invoiceId, requests - 1);
        else forgetAll(invoiceId, address);
      };
    },
    /** The log counts it from now on. */
    forgetAll,
    /** Those that were asked for before this one, or all if it was not asked for. */
    expectedBefore: (invoiceId: string, address: string): number => {
      let before = 0;
      for (const other of expected.get(address)?.keys() ?? []) {
        if (other === invoiceId) break;
        before++;
      }
      return before;
    },
  };
};
