/** How many unpaid invoices stand at each address, and which are about to be placed there. */
export const createPlacesAtAddress = () => {
  const standing = new Map<string, number>();
  /** By address, in the order in which they were asked for. */
  const expected = new Map<string, Set<string>>();

  const count = (address: string | null, by: 1 | -1): void => {
    if (address === null) return;
    const places = (standing.get(address) ?? 0) + by;
    if (places > 0) standing.set(address, places);
    else standing.delete(address);
  };

  const forget = (invoiceId: string, address: string): void => {
    const others = expected.get(address);
    others?.delete(invoiceId);
    if (others?.size === 0) expected.delete(address);
  };

  return {
    take: (address: string | null): void => count(address, 1),
    free: (address: string | null): void => count(address, -1),
    standing: (address: string): number => standing.get(address) ?? 0,
    expect: (invoiceId: string, address: string): void => {
      const others = expected.get(address);
      if (others) others.add(invoiceId);
      else expected.set(address, new Set([invoiceId]));
    },
    forget,
    /** Those that were asked for before this one, or all if it was not asked for. */
    expectedBefore: (invoiceId: string, address: string): number => {
      let before = 0;
      for (const other of expected.get(address) ?? []) {
        if (other === invoiceId) break;
        before++;
      }
      return before;
    },
  };
};
