import type { CustomerDetails } from '#events/customer.events.ts';
import { isSameJson } from '#kernel/same-json.ts';

type Addresses = NonNullable<CustomerDetails['addresses']>;
type Address = Addresses[number];

const isSamePlace = (one: Address, other: Address): boolean =>
  isSameJson({ ...one, externalKey: null }, { ...other, externalKey: null });

/**
 * The known addresses with the given ones: one with a key takes the place of that with the same key, or of the same
 * address without any; one that is there already is not there twice.
 */
export const withAddresses = (known: Addresses, given: Addresses): Addresses => {
  const all = [...known];
  for (const address of given) {
    const { externalKey } = address;
    const byKey = externalKey === null ? -1 : all.findIndex((one) => one.externalKey === externalKey);
    const isKnown = (one: Address): boolean =>
      (externalKey === null || one.externalKey === null) && isSamePlace(one, address);
    const place = byKey === -1 ? all.findIndex(isKnown) : byKey;
    if (place === -1) all.push(address);
    else if (externalKey !== null) all[place] = address;
  }
  return all;
};
