import type { ShownUpsell } from '#events/upsell.shapes.ts';
import type { DisplayLocation } from '#values/upsells.ts';

export interface ShownTo {
  readonly location: DisplayLocation;
  readonly basketId: string | null;
  /** Null for a guest. */
  readonly customerId: string | null;
  /** The invoice whose offer it was. */
  readonly invoiceId?: string;
}

export interface ShownSuggestion {
  readonly upsellRuleId: string;
  readonly products: readonly { readonly productId: string; readonly productRootId: string }[];
}

/** A suggested product that was clicked. */
export interface ClickedSuggestion {
  readonly upsellRuleId: string;
  readonly productId: string;
  readonly productRootId: string;
}

export interface UpsellImpressionsApi {
  /** Records what was shown; written within a second. Suggestions without products do not count. */
  recordImpressions(to: ShownTo, suggestions: readonly ShownSuggestion[]): void;
  /** What baskets were shown, latest first. Skips the look-up in a shop without rules. Errors: `EngineUnavailable`. */
  impressionsOf(basketIds: readonly string[]): Promise<readonly ShownUpsell[]>;
}

/** Upsell actions for callers without an HTTP request. */
export interface UpsellActions extends UpsellImpressionsApi {
  /** Records a click on what was shown. */
  recordClick(by: ShownTo, clicked: ClickedSuggestion): void;
}
