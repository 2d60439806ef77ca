import { productAvailability } from '#reference/availability.ts';
import { locationOf } from '#reference/location.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import {
  optionNamed,
  productNamed,
  referenceOf,
  serves,
  warehouseNamed,
} from '#test/support/builders/reference.ts';
import { table } from './vector.ts';

const message = (
  stock: number | null,
  quantity: number,
  countryCode: string,
  showStockLevels: boolean,
): string => {
  const reference = referenceOf(
    warehouseNamed('east', [serves('GB')]),
    optionNamed('parcel', 'east'),
    productNamed('mug', { shelves: { east: stock } }),
  );
  const settings = { ...defaultStoreSettings, showStockLevels };
  return productAvailability(
    reference,
    reference.sellable('mug'),
    quantity,
    locationOf(countryCode, null),
    settings,
  ).statusMessage;
};

export const statusMessages = table(
  'What is a shopper told? Low stock: 10',
  'docs/rules/inventory.md#availability',
  message,
  [
    ['40 there, 5 to DE, where nobody goes', 'Not available in Germany', 40, 5, 'DE', false],
    ['not counted, 5 to GB', 'In Stock', null, 5, 'GB', true],
    ['0 there, 5 to GB', 'Out of Stock', 0, 5, 'GB', false],
    ['0 there, 5 to GB, counts shown', 'Out of Stock', 0, 5, 'GB', true],
    ['3 there, 5 to GB', 'Out of Stock', 3, 5, 'GB', false],
    ['3 there, 5 to GB, counts shown', 'Only 3 left', 3, 5, 'GB', true],
    ['10 there, 5 to GB', 'In Stock', 10, 5, 'GB', false],
    ['10 there, 5 to GB, counts shown', 'Only 10 left', 10, 5, 'GB', true],
    ['11 there, 5 to GB, counts shown', 'In Stock', 11, 5, 'GB', true],
  ],
);
