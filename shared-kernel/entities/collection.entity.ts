import { z } from 'zod';
import { name } from '#fields/body-fields.ts';
import { text } from '#events/fields.ts';
import { slugOf } from '#values/slug.ts';
import { defineEntity } from './define-entity.ts';

/** Products that are shown together. */
export const collection = defineEntity({
  category: 'collection',
  context: 'catalogue',
  noun: 'collection',
  path: '/collections',
  list: 'collections',
  fields: { name: text, slug: text },
  recordedAs: null,
  body: () => ({ name, slug: name }),
  derived: { slug: (given) => slugOf(given.name) },
  response: { name: z.string(), slug: z.string() },
  searched: ['name', 'slug'],
  unique: { slug: { kind: 'collection-slug', inCase: 'lower' } },
});
