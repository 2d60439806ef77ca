import { expect } from 'chai';
import { withAddresses } from '#command/contexts/customers/customer-addresses.ts';
import { emptyAddress } from '#values/address.ts';

const at = (addressOne: string, externalKey: string | null = null) => ({
  ...emptyAddress,
  countryCode: 'GB',
  addressOne,
  externalKey,
});

// docs/rules/store-file.md#customers
describe('addresses that join those of a customer', () => {
  it('take the place of the one with their key, or of the same place without any', () => {
    const known = [at('1 High St', 'home'), at('9 Quay')];
    expect(withAddresses(known, [at('2 High St', 'home'), at('9 Quay', 'work')])).to.deep.equal([
      at('2 High St', 'home'),
      at('9 Quay', 'work'),
    ]);
  });

  it('are not there twice, and take none away', () => {
    const known = [at('1 High St', 'home'), at('9 Quay')];
    expect(withAddresses(known, [at('9 Quay'), at('1 High St')])).to.deep.equal(known);
    expect(withAddresses(known, [at('1 High St', 'mother')])).to.deep.equal([
      ...known,
      at('1 High St', 'mother'),
    ]);
  });

  it('keep each key once, also where the place is known without one', () => {
    const known = [at('1 High St'), at('9 Quay', 'home')];
    const keys = withAddresses(known, [at('1 High St', 'home')]).map(({ externalKey }) => externalKey);
    expect(keys).to.deep.equal([null, 'home']);
  });
});
