import { z } from 'zod';
import { availabilityStatuses } from '#agents/protocol-catalogue.ts';

/** What agents ask of the catalogue (docs/rules/agent-catalogue.md). Members that it does not know are passed over. */

const word = z.string().max(250);
const amount = z.int().min(0).nullish();

const context = z
  .object({ address_country: word.nullish(), address_region: word.nullish(), currency: word.nullish() })
  .nullish();
export type CatalogueContext = z.output<typeof context>;

const filters = z
  .object({
    categories: z.array(word).max(100).nullish(),
    price: z.object({ min: amount, max: amount }).nullish(),
  })
  .nullish();
export type CatalogueFilters = z.output<typeof filters>;

export const searchCatalogBody = z.object({
  query: z.string().max(1000).nullish(),
  filters,
  context,
  pagination: z.object({ cursor: z.string().max(4000).nullish(), limit: z.int().nullish() }).nullish(),
});
export type SearchCatalogBody = z.output<typeof searchCatalogBody>;

export const lookupCatalogBody = z.object({ ids: z.array(z.string()), filters, context });
export type LookupCatalogBody = z.output<typeof lookupCatalogBody>;

const chosenOption = z.object({ name: word, label: word });

export const getProductBody = z.object({
  id: z.string(),
  selected: z.array(chosenOption).max(100).nullish(),
  preferences: z.array(word).max(100).nullish(),
  filters,
  context,
});
export type GetProductBody = z.output<typeof getProductBody>;

const price = z.object({ amount: z.int(), currency: z.string() });
const media = z.object({ type: z.literal('image'), url: z.string(), alt_text: z.string().optional() });
const message = z.object({
  type: z.enum(['error', 'warning', 'info']),
  code: z.string(),
  content: z.string(),
  path: z.string().optional(),
});

const variant = z.object({
  id: z.string(),
  sku: z.string(),
  title: z.string(),
  description: z.object({ plain: z.string() }),
  price,
  list_price: price.optional(),
  availability: z.object({
    available: z.boolean(),
    status: z.enum(availabilityStatuses),
  }),
  options: z.array(chosenOption).optional(),
  media: z.array(media).optional(),
});

const optionValue = z.object({ label: z.string() });
const option = z.object({ name: z.string(), values: z.array(optionValue) });

const product = z.object({
  id: z.string(),
  handle: z.string(),
  title: z.string(),
  description: z.object({ plain: z.string() }),
  url: z.string().optional(),
  categories: z.array(z.object({ value: z.string(), taxonomy: z.string() })).optional(),
  price_range: z.object({ min: price, max: price }),
  media: z.array(media).optional(),
  options: z.array(option).optional(),
  variants: z.array(variant),
});

/** As the newest dialect writes it; what differs in the others: docs/rules/agent-dialects.md. */
const envelope = {
  ucp: z.object({
    version: z.string(),
    status: z.enum(['success', 'error']).optional(),
    capabilities: z.record(z.string(), z.array(z.object({ version: z.string() }))).optional(),
  }),
  messages: z.array(message).optional(),
};

export const searchCatalogResponse = z.object({
  ...envelope,
  products: z.array(product),
  pagination: z.object({
    has_next_page: z.boolean(),
    cursor: z.string().optional(),
    total_count: z.int(),
  }),
});

const inputs = z.array(z.object({ id: z.string(), match: z.enum(['exact', 'featured']) }));

export const lookupCatalogResponse = z.object({
  ...envelope,
  products: z.array(product.extend({ variants: z.array(variant.extend({ inputs })) })),
});

const signals = { available: z.boolean(), exists: z.boolean() };

/** Without a product where there is none by that id. */
export const getProductResponse = z.object({
  ...envelope,
  product: product
    .extend({
      selected: z.array(chosenOption),
      options: z.array(option.extend({ values: z.array(optionValue.extend(signals)) })).optional(),
    })
    .optional(),
});
