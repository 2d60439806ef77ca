import { expect } from 'chai';
import { currentLocation, isServed, shippingCountries, shippingRegions } from '#reference/location.ts';
import {
  excludes,
  optionNamed,
  referenceOf,
  serves,
  warehouseNamed,
} from '#test/support/builders/reference.ts';

const at = (countryCode: string, regionCode: string | null = null) => ({ countryCode, regionCode });

describe('the places that a warehouse serves', () => {
  const served = (rules: ReturnType<typeof serves>[], place: ReturnType<typeof at>): boolean =>
    isServed({ serviceRegions: rules }, place);

  it('are all without rules, and none without a country', () => {
    expect(served([], at('JP'))).to.equal(true);
    expect(served([], at(''))).to.equal(false);
  });

  it('follow the rule for the region before that for the country', () => {
    const rules = [serves('US'), excludes('US', 'HI')];
    expect(served(rules, at('us', 'CA'))).to.equal(true);
    expect(served(rules, at('US', 'hi'))).to.equal(false);
    expect(served(rules, at('US'))).to.equal(true);
    expect(served([serves('US', 'CA')], at('US', 'NY'))).to.equal(false);
    expect(served([serves('US', 'CA')], at('US'))).to.equal(false);
  });

  it('follow the rule for the country before that for all', () => {
    const rules = [serves('*'), excludes('FR')];
    expect(served(rules, at('DE'))).to.equal(true);
    expect(served(rules, at('FR'))).to.equal(false);
  });
});

describe('where the shop delivers', () => {
  const { shipping } = referenceOf(
    warehouseNamed('everywhere but France', [serves('*'), excludes('FR')]),
    warehouseNamed('California', [serves('US', 'CA')]),
    warehouseNamed('Paris', [serves('FR')]),
    warehouseNamed('closed', [serves('KP')]),
    optionNamed('a', 'California'),
    optionNamed('b', 'Paris'),
    optionNamed('c', 'everywhere but France', { isEnabled: false }),
  );

  it('is told by the warehouses that can send anything, each for itself', () => {
    expect(shippingCountries(shipping).map(({ code }) => code)).to.deep.equal(['FR', 'US']);
    expect(shippingRegions(shipping, 'US').map(({ regionCode }) => regionCode)).to.deep.equal(['CA']);
  });

  it('decides where a shopper is taken to be', () => {
    const none = { defaultShippingCountry: null };
    const where = (chosen: Parameters<typeof currentLocation>[0], settings = none) =>
      currentLocation(chosen, settings as typeof none, shipping);
    expect(where({ countryCode: 'us', regionCode: 'ca' })).to.deep.equal({
      countryCode: 'US',
      countryName: 'United States of America',
      regionCode: 'CA',
      regionName: 'California',
      postalCode: null,
    });
    expect(where({ countryCode: 'US', regionCode: 'nowhere' }).regionCode).to.equal(null);
    expect(where({ countryCode: 'DE' }).countryCode).to.equal('US');
    const french = { defaultShippingCountry: 'FR' } as unknown as typeof none;
    expect(where({}, french).countryCode).to.equal('FR');
  });
});
