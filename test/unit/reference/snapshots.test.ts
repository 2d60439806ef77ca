import { expect } from 'chai';
import { collection as collectionKind } from '#entities/collection.entity.ts';
import { productEvents } from '#events/catalogue.events.ts';
import { discount } from '#entities/discount.entity.ts';
import { discountUsageEvents } from '#events/discount-usage.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import { settingsEvents } from '#events/settings.events.ts';
import { createReference } from '#reference/create-reference.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed, percentOff } from '#test/support/builders/basket.ts';
import {
  applyTo,
  optionNamed,
  productNamed,
  referenceOf,
  taxGroupNamed,
  warehouseNamed,
} from '#test/support/builders/reference.ts';
import { inStream, recordedEvents } from '#test/support/given.ts';
import { restartedAll } from '#test/support/restart-part.ts';

const at = '2030-01-01T00:00:00.000Z';
const { rule } = percentOff('TEN', 10);
const ten = idNamed('TEN');

const history = [
  settingsEvents.create.StoreOpened({ storeCurrencyCode: 'JPY' }),
  settingsEvents.create.StoreSettingsChanged({ settings: { lowStockThreshold: 3 } }),
  taxGroupNamed('standard', 10, [
    { countryCode: 'US', regionCode: null, taxPercentage: 1 },
    { countryCode: 'US', regionCode: 'CA', taxPercentage: 7.25 },
  ]),
  warehouseNamed('east'),
  optionNamed('post', 'east'),
  productNamed('mug', {
    shelves: { east: 4 },
    root: { taxGroupId: idNamed('standard'), collectionIds: [idNamed('spring')] },
  }),
  inStream(
    streamOf.collection(idNamed('spring')),
    collectionKind.events.create.CollectionCreated({ name: 'Spring', slug: 'spring', at }),
  ),
  inStream(streamOf.discount(ten), discount.events.create.DiscountCreated({ rule, status: 'Active', at })),
  inStream(
    streamOf.discountUsage(ten),
    discountUsageEvents.create.DiscountUseClaimed({
      discountId: ten,
      basketId: idNamed('basket'),
      placementId: idNamed('placement'),
      customerId: idNamed('ada'),
      amount: 100,
      uses: 1,
    }),
  ),
];

const answers = (reference: ReturnType<typeof createReference>) => ({
  mug: reference.catalogue.variantBySku('mug'),
  users: reference.catalogue.productsThatUse('collection', idNamed('spring')),
  collection: reference.entities.find('collection', idNamed('spring')),
  level: reference.stock.level(idNamed('mug'), idNamed('east')),
  discount: reference.discounts.byCode(' ten '),
  options: reference.shipping.optionsOf(idNamed('east')).map(({ name }) => name),
  california: reference.tax.rate(idNamed('standard'), {
    countryCode: 'us',
    regionCode: 'ca',
    postalCode: null,
  }),
  settings: reference.settings.current(),
});

describe('reference state', () => {
  it('says what the log says', () => {
    const reference = referenceOf(...history);
    const { mug, users, collection, level, discount, options, california, settings } = answers(reference);
    expect(mug?.variant.id).to.equal(idNamed('mug'));
    expect(users).to.deep.equal([mug?.rootId]);
    expect(collection?.name).to.equal('Spring');
    expect(level).to.include({ stock: 4, reserved: 0, trackStock: true });
    expect(discount).to.include({ id: ten, uses: 1, status: 'Active' });
    expect(options).to.deep.equal(['post']);
    expect(california).to.equal(7.25);
    expect(settings).to.include({ storeCurrencyCode: 'JPY', lowStockThreshold: 3, maxBasketLines: 500 });
    const rate = (countryCode: string) =>
      reference.tax.rate(idNamed('standard'), { countryCode, regionCode: 'NY', postalCode: null });
    expect([rate('US'), rate('DE'), rate('')]).to.deep.equal([1, 10, 0]);
  });

  it('says the same after a restart from its snapshots', () => {
    const before = referenceOf(...history);
    const after = restartedAll(createReference(), before);
    expect(answers(after)).to.deep.equal(answers(before));
  });

  it('keeps a snapshot as it was while the log goes on', () => {
    const reference = referenceOf(...history);
    const taken = reference.parts.map(({ entries }) => entries.take(() => false));
    const kept = () => taken.map(({ chunks }) => chunks.map((slice) => slice.entries()));
    const copy = structuredClone(kept());
    const hold = {
      basketId: idNamed('b'),
      placementId: idNamed('p'),
      quantity: 1,
      change: 1,
      stock: 4,
      reserved: 1,
    };
    const row = { productId: idNamed('mug'), warehouseId: idNamed('east'), sku: 'mug' };
    applyTo(
      reference,
      recordedEvents([
        inventoryEvents.create.StockReserved({ ...row, ...hold }),
        ...inStream(streamOf.product(idNamed('root mug')), productEvents.create.ProductDeleted({})),
        ...inStream(streamOf.discount(ten), discount.events.create.DiscountDeleted({})),
      ]),
    );
    expect(kept()).to.deep.equal(copy);
    expect(reference.catalogue.variantBySku('mug')).to.equal(undefined);
    expect(reference.catalogue.productsThatUse('collection', idNamed('spring'))).to.deep.equal([]);
    expect(reference.discounts.byCode('TEN')).to.equal(undefined);
    expect(reference.stock.level(idNamed('mug'), idNamed('east'))?.reserved).to.equal(1);
  });
});
