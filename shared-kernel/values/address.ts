/** An address as it is stored (docs/rules/checkout.md#addresses). Codes are upper case. */
export interface Address {
  readonly name: string;
  readonly company: string | null;
  readonly addressOne: string;
  readonly addressTwo: string | null;
  readonly townCity: string;
  readonly countyState: string | null;
  readonly regionCode: string | null;
  readonly postalCode: string;
  readonly countryCode: string;
  readonly country: string;
  readonly email: string | null;
  readonly phone: string | null;
}

/** What the known parts of an address are put into. */
export const emptyAddress: Address = {
  name: '',
  company: null,
  addressOne: '',
  addressTwo: null,
  townCity: '',
  countyState: null,
  regionCode: null,
  postalCode: '',
  countryCode: '',
  country: '',
  email: null,
  phone: null,
};

/** Where a basket goes: what decides taxes, warehouses and shipping. Not personal. */
export interface Destination {
  readonly countryCode: string;
  readonly regionCode: string | null;
  readonly postalCode: string | null;
}

/** "Ada Lovelace King" → first name "Ada", last name "Lovelace King". */
export const splitName = (name: string): { firstName: string; lastName: string } => {
  const space = name.indexOf(' ');
  return space < 0
    ? { firstName: name, lastName: '' }
    : { firstName: name.slice(0, space), lastName: name.slice(space + 1).trim() };
};
