import { absoluteUrl } from '#agents/storefront-url.ts';
import { imageOf } from '#reference/product-image.ts';
import type { Reference } from '#reference/reference.ts';

/**
 * Pictures of products as they are now, as whole addresses: an order keeps none. `base`: what an address without a host
 * belongs to.
 */
export const productPictures =
  ({ catalogue }: Pick<Reference, 'catalogue'>, base: string) =>
  (productId: string): string | null => {
    const sellable = catalogue.variant(productId);
    const image = sellable ? imageOf(sellable) : null;
    return image === null ? null : absoluteUrl(image, `${base}/`);
  };
