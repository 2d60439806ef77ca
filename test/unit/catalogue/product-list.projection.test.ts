import { productEvents } from '#events/catalogue.events.ts';
import { inventoryEvents } from '#events/inventory.events.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { productListProjection } from '#projection/contexts/catalogue/product-list.projection.ts';
import { stockLevelsProjection } from '#projection/contexts/catalogue/stock-levels.projection.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { productOnSale } from '#test/support/builders/product.ts';
import { givenEvents, givenStream } from '#test/support/given.ts';

const { ProductCreated, ProductDeleted, ProductDetailsChanged } = productEvents.create;
const { ProductVariantAdded, ProductVariantChanged, ProductVariantRemoved } = productEvents.create;
const { StockAdjusted, StockReserved, StockReleased, StockRowOpened } = inventoryEvents.create;

const id = idNamed('root mug');
const { root, variants } = productOnSale('mug', { price: 1200, taxGroupId: null, isTracked: true });
const red = variants.map((blue) => ({
  ...blue,
  id: idNamed('red'),
  sku: 'MUG-RED',
  name: 'Red mug',
  price: 1500,
}));
const on = (day: string): string => `2026-01-${day}T00:00:00.000Z`;
const created = ProductCreated({ root, variants, at: on('01') });
const addedRed = red.map((variant) => ProductVariantAdded({ variant, at: on('02') }));

const product = (...events: readonly DomainEvent[]) =>
  givenStream(streamOf.product(id), ...events).project(productListProjection);

describe('the product list', () => {
  it('keeps a product with its variants and the range of their prices', () => {
    product(created, ...addedRed).then({
      fields: root,
      variants: [...variants, ...red],
      priceFrom: 1200,
      priceTo: 1500,
      skus: ['mug', 'mug-red'],
      warehouseIds: [idNamed('east')],
      searchText: 'mug mug red mug mug mug-red',
      dateCreated: on('01'),
      dateUpdated: on('02'),
    });
  });

  it('follows changes of the product and of a variant', () => {
    const cheaper = variants.map((blue) =>
      ProductVariantChanged({ variant: { ...blue, price: 900 }, at: on('03') }),
    );
    const renamed = ProductDetailsChanged({ root: { ...root, rootName: 'Cup' }, at: on('04') });
    product(created, ...addedRed, ...cheaper, renamed).then({
      priceFrom: 900,
      searchText: 'cup mug red mug mug mug-red',
      dateUpdated: on('04'),
    });
  });

  it('forgets a variant that is removed, and the product with its deletion', () => {
    const removed = ProductVariantRemoved({ variantId: idNamed('red'), sku: 'MUG-RED', at: on('03') });
    product(created, ...addedRed, removed).then({ variants, priceTo: 1200 });
    product(created, ProductDeleted({})).thenNothing();
  });
});

describe('the stock levels', () => {
  it('hold a row for every warehouse of a variant', () => {
    const [east, west] = [idNamed('east'), idNamed('west')];
    const productId = idNamed('mug');
    const row = { productId, sku: 'mug' };
    const opened = { ...row, stock: 10, trackStock: true, reorderPoint: 2, reorderQuantity: null };
    const hold = {
      ...row,
      warehouseId: east,
      basketId: idNamed('basket'),
      placementId: idNamed('placement'),
    };
    givenEvents(
      StockRowOpened({ ...opened, warehouseId: east }),
      StockRowOpened({ ...opened, warehouseId: west, stock: 5 }),
      StockReserved({ ...hold, quantity: 3, change: 3, stock: 10, reserved: 3 }),
      StockAdjusted({ ...row, warehouseId: west, adjustedBy: -1, reason: 'broken', stock: 4, reserved: 0 }),
      StockReleased({ ...hold, quantity: 0, stock: 10, reserved: 0 }),
    )
      .project(stockLevelsProjection, productId)
      .then({
        rows: {
          [east]: { stock: 10, reserved: 0, trackStock: true, reorderPoint: 2, reorderQuantity: null },
          [west]: { stock: 4, reserved: 0, trackStock: true, reorderPoint: 2, reorderQuantity: null },
        },
      });
  });
});
