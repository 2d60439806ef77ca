import { z } from 'zod';
import { name } from '#fields/body-fields.ts';
import { text } from '#events/fields.ts';
import { slugOf } from '#values/slug.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';

/** What kind of goods a product is. */
export const productType = defineEntity({
  category: 'productType',
  context: 'catalogue',
  noun: 'product type',
  path: '/product-types',
  list: 'productTypes',
  fields: { name: text, alias: text },
  recordedAs: null,
  body: () => ({ name, alias: name }),
  derived: { alias: (given) => slugOf(given.name) },
  response: { name: z.string(), alias: z.string() },
  searched: ['name', 'alias'],
  unique: { alias: { kind: 'product-type-alias', inCase: 'lower' } },
});
export type ProductType = FieldsOf<typeof productType>;
