import { expect } from 'chai';
import { resolveShippingTax, shippingTaxOn } from '#command/pricing/shipping-tax.ts';
import { shippingTaxOverride } from '#entities/shipping-tax-override.entity.ts';
import { createReference } from '#reference/create-reference.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { applyTo, entityCreated, referenceOf, taxGroupNamed } from '#test/support/builders/reference.ts';
import { recordedEvents } from '#test/support/given.ts';
import { restartedAll } from '#test/support/restart-part.ts';

const overrideIn = (countryCode: string, regionCode: string | null, group: string | null) =>
  entityCreated(shippingTaxOverride, `${countryCode} ${regionCode ?? ''}`, {
    countryCode,
    regionCode,
    shippingTaxGroupId: group === null ? null : idNamed(group),
  });

const standard = taxGroupNamed('Standard', 20, [
  { countryCode: 'US', regionCode: 'NY', taxPercentage: 8.875 },
]);
const parcels = taxGroupNamed('Parcels', 6);
const overrides = [
  overrideIn('US', null, null),
  overrideIn('US', 'CA', 'Parcels'),
  overrideIn('US', 'NY', 'Standard'),
];
const taxed = { isShippingTaxable: true, shippingTaxGroupId: idNamed('Parcels') };
const inProportion = { isShippingTaxable: true, shippingTaxGroupId: null };
const untaxed = { isShippingTaxable: false, shippingTaxGroupId: null };
const to = (countryCode: string, regionCode: string | null = null) => ({
  countryCode,
  regionCode,
  postalCode: null,
});

describe('the tax on shipping (docs/rules/tax.md#shipping)', () => {
  const { tax } = referenceOf(standard, parcels, ...overrides);
  const ruleFor = (settings: Parameters<typeof resolveShippingTax>[0], ...place: Parameters<typeof to>) =>
    resolveShippingTax(settings, tax, to(...place));

  it('follows the override for the region, then for the country, then the settings', () => {
    expect(ruleFor(inProportion, 'US', 'CA')).to.deep.equal({ mode: 'FixedRate', rate: 6 });
    expect(ruleFor(inProportion, 'US', 'NY')).to.deep.equal({ mode: 'FixedRate', rate: 8.875 });
    expect(ruleFor(inProportion, 'US', 'TX')).to.deep.equal({ mode: 'NotTaxed' });
    expect(ruleFor(inProportion, 'US')).to.deep.equal({ mode: 'NotTaxed' });
    expect(ruleFor(inProportion, 'GB')).to.deep.equal({ mode: 'Proportional' });
    expect(ruleFor(taxed, 'GB')).to.deep.equal({ mode: 'FixedRate', rate: 6 });
    expect(ruleFor(untaxed, 'GB')).to.deep.equal({ mode: 'NotTaxed' });
    expect(ruleFor(untaxed, 'US', 'CA')).to.deep.equal({ mode: 'FixedRate', rate: 6 });
  });

  it('follows the settings again after an override is deleted, even after a restart', () => {
    const reference = createReference();
    const deleted = { type: 'ShippingTaxOverrideDeleted', data: {}, stream: overrides[0]?.stream ?? '' };
    applyTo(reference, recordedEvents([standard, parcels, ...overrides, deleted]));
    const restored = restartedAll(createReference(), reference);
    for (const { tax: known } of [reference, restored]) {
      expect(resolveShippingTax(inProportion, known, to('US', 'TX')).mode).to.equal('Proportional');
      expect(resolveShippingTax(inProportion, known, to('US', 'CA')).mode).to.equal('FixedRate');
    }
  });

  it('is 1.15 on 8.00 beside 50.00 at 20 % and 30.00 at 5 %', () => {
    expect(shippingTaxOn(800, { mode: 'Proportional' }, 1150, 8000)).to.deep.equal({
      amount: 115,
      effectiveRate: 14.375,
    });
    expect(shippingTaxOn(800, { mode: 'Proportional' }, 0, 8000).amount).to.equal(0);
    expect(shippingTaxOn(800, { mode: 'Proportional' }, 0, 0)).to.deep.equal({
      amount: 0,
      effectiveRate: 0,
    });
    expect(shippingTaxOn(800, { mode: 'FixedRate', rate: 0 }, 1150, 8000).amount).to.equal(0);
  });
});
