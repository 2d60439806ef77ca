import type { ChosenOption, ProtocolEnvelope, ProtocolMessage } from './protocol-parts.ts';

export interface CataloguePrice {
  readonly amount: number;
  readonly currency: string;
}

export interface CatalogueMedia {
  readonly type: 'image';
  readonly url: string;
  readonly altText?: string;
}

/** Whether a variant can be had, and if not, why (docs/rules/agent-catalogue.md#prices-and-places). */
export const availabilityStatuses = [
  'in_stock',
  'out_of_stock',
  'not_deliverable',
  'requires_buyer_input',
] as const;

export interface CatalogueVariant {
  readonly id: string;
  readonly sku: string | null;
  readonly title: string;
  readonly description: string;
  readonly price: CataloguePrice;
  readonly listPrice: CataloguePrice | null;
  readonly availability: {
    readonly isAvailable: boolean;
    readonly status: (typeof availabilityStatuses)[number];
  };
  readonly options: readonly ChosenOption[];
  readonly media: readonly CatalogueMedia[];
}

export interface CatalogueOptionValue {
  readonly label: string;
  readonly isAvailable?: boolean;
  readonly exists?: boolean;
}

/** Without its variants, of which each answer shows its own. */
export interface CatalogueProduct {
  readonly id: string;
  readonly handle: string | null;
  readonly title: string;
  readonly description: string;
  readonly url: string | null;
  readonly categories: readonly string[];
  readonly priceRange: { readonly min: CataloguePrice; readonly max: CataloguePrice };
  readonly media: readonly CatalogueMedia[];
  readonly options: readonly { readonly name: string; readonly values: readonly CatalogueOptionValue[] }[];
}

export interface ShownVariant {
  readonly variant: CatalogueVariant;
  /** What of the question led to it, in a lookup. */
  readonly inputs?: readonly { readonly id: string; readonly match: 'exact' | 'featured' }[];
}

/** A product in an answer. What is shown to many is the same object until it changes: it is written once. */
export interface ShownProduct {
  readonly product: CatalogueProduct;
  readonly variants: readonly ShownVariant[];
  /** Where the whole of it is such an object, the place of its text; else only its product and variants are. */
  readonly kept?: { text?: string };
  /** The choice that the question made, of one product. */
  readonly selected?: readonly ChosenOption[];
}

/** Found products, before a dialect writes them. */
export interface ProtocolProducts extends ProtocolEnvelope {
  readonly products: readonly ShownProduct[];
  /** Null: not in pages. */
  readonly pagination: { readonly cursor: string | null; readonly totalCount: number } | null;
  readonly messages: readonly ProtocolMessage[];
}

/** One product; null: there is none such, which is no refusal. */
export interface ProtocolProduct extends ProtocolEnvelope {
  readonly product: ShownProduct | null;
  readonly messages: readonly ProtocolMessage[];
}
