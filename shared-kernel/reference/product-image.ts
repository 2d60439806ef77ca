import type { SellableVariant } from './reference.ts';

/** The first image of a variant: its own, or its product's unless it goes without. */
export const imageOf = ({ root, variant }: Pick<SellableVariant, 'root' | 'variant'>): string | null =>
  variant.images[0] ?? (variant.excludeRootImages ? null : root.images[0]) ?? null;
