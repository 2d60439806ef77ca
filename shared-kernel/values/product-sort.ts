/** How shoppers may sort what the shop sells (docs/rules/catalogue.md#products-for-shoppers). */
export const productSorts = ['relevance', 'name', 'price', '-price', 'newest'] as const;
export type ProductSort = (typeof productSorts)[number];
