import { newVariant } from '#entities/product.entity.ts';
import type { ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import { idNamed } from './basket.ts';

interface ProductWith {
  readonly price: number;
  readonly taxGroupId: string | null;
  /** Counted in the warehouse "east", or sold without limit. */
  readonly isTracked: boolean;
}

/** A product with one variant whose id is made of the sku. */
export const productOnSale = (
  sku: string,
  { price, taxGroupId, isTracked }: ProductWith,
): { readonly root: ProductRoot; readonly variants: ProductVariant[] } => ({
  root: {
    rootName: sku,
    rootUrl: sku,
    description: null,
    metaDescription: null,
    pageTitle: null,
    images: [],
    taxGroupId,
    productTypeId: idNamed('type'),
    collectionIds: [],
    tags: [],
    warehouses: [{ warehouseId: idNamed('east'), priorityOrder: 0 }],
    options: [],
    defaultPackages: [],
    isDigitalProduct: false,
    digitalDeliveryMethod: 'InstantDownload',
    digitalFileIds: [],
    downloadLinkExpiryDays: null,
    maxDownloadsPerLink: null,
    allowExternalCarrierShipping: true,
    extendedData: {},
  },
  variants: [
    {
      ...newVariant,
      id: idNamed(sku),
      sku,
      name: sku,
      isDefault: true,
      price,
      url: `/${sku}`,
      stockRows: isTracked ? [{ warehouseId: idNamed('east'), trackStock: true }] : [],
    },
  ],
});
