import type { ShownUpsell } from '#events/upsell.shapes.ts';
import type { DisplayLocation } from '#values/upsells.ts';

/** Who was shown something, and where. */
export interface ShownTo {
  readonly location: DisplayLocation;
  readonly basketId: string | null;
  /** Of who is signed in. */
  readonly customerId: string | null;
  /** What was paid before. */
  readonly invoiceId?: string;
}

/** A suggestion as far as it is remembered. */
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
  /** Remembers what was shown: it is written within a second. Suggestions without products count for nothing. */
  recordImpressions(to: ShownTo, suggestions: readonly ShownSuggestion[]): void;
  /**
   * What baskets were shown, the last first. Skips the lookup in a shop without rules. Errors: `EngineUnavailable`.
   */
  impressionsOf(basketIds: readonly string[]): Promise<readonly ShownUpsell[]>;
}

/** What those may do, beside, who call without a request. */
export interface UpsellActions extends UpsellImpressionsApi {
  /** Records a click on what was shown. */
  recordClick(by: ShownTo, clicked: ClickedSuggestion): void;
}
