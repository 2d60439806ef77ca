import { z } from 'zod';
import { name } from '#fields/body-fields.ts';
import { text } from '#events/fields.ts';
import { defineEntity } from './define-entity.ts';

/** What shoppers narrow a list down by, such as colour (docs/rules/catalogue.md#filters). */
export const filterGroup = defineEntity({
  category: 'filterGroup',
  context: 'catalogue',
  noun: 'filter group',
  path: '/filter-groups',
  list: 'filterGroups',
  fields: { name: text, sortOrder: z.int() },
  body: () => ({ name, sortOrder: z.int() }),
  defaults: { sortOrder: 0 },
  response: { name: z.string(), sortOrder: z.int() },
  searched: ['name'],
  sorted: ['sortOrder'],
  reordered: 'sortOrder',
});
