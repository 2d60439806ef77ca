import { z } from 'zod';
import { guid as givenGuid, name, optionalText } from '#fields/body-fields.ts';
import { guid, text } from '#events/fields.ts';
import { defineEntity } from './define-entity.ts';

/** One choice of a filter group, such as blue; variants name those that fit them. */
export const filter = defineEntity({
  category: 'filter',
  context: 'catalogue',
  noun: 'filter',
  path: '/filters',
  list: 'filters',
  fields: {
    filterGroupId: guid,
    name: text,
    sortOrder: z.int(),
    hexColour: text.nullable(),
    image: text.nullable(),
  },
  body: () => ({
    filterGroupId: givenGuid,
    name,
    sortOrder: z.int(),
    hexColour: z
      .string()
      .trim()
      .regex(/^#([0-9a-f]{3}|[0-9a-f]{6})$/i, 'must be a colour such as #00a0ff')
      .nullable(),
    image: optionalText,
  }),
  defaults: { sortOrder: 0, hexColour: null, image: null },
  response: {
    filterGroupId: z.string(),
    name: z.string(),
    sortOrder: z.int(),
    hexColour: z.string().nullable(),
    image: z.string().nullable(),
  },
  searched: ['name'],
  sorted: ['sortOrder'],
  reordered: 'sortOrder',
  references: { filterGroupId: 'filterGroup' },
});
