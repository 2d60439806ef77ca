import type { ProtocolDiscounts, ProtocolLine, ProtocolTotal } from '#agents/protocol-parts.ts';
import { absoluteUrl } from '#agents/storefront-url.ts';
import type { AgentLine } from '#events/agent-session.events.ts';
import { noTotals } from '#events/basket-view.ts';
import type { Presentation } from '#values/exchange.ts';
import { wholeName } from '#values/named-goods.ts';
import type { ShownBasket } from '../sessions/ordered-basket.ts';
import { totalsOfLine, type LineFigures } from '../sessions/session-figures.ts';
import { figuresShown } from './figures-shown.ts';

/** Lines with their prices, and what all of them come to. */
export interface ShownGoods {
  readonly lines: readonly ProtocolLine[];
  readonly totals: readonly ProtocolTotal[];
  /** Null: none was submitted, and none applies. */
  readonly discounts: ProtocolDiscounts | null;
  readonly figures: readonly LineFigures[];
}

export interface GoodsToShow {
  readonly lines: readonly AgentLine[];
  /** Codes as they were submitted. */
  readonly codes: readonly string[];
  /** Null: nothing could be put into one. */
  readonly basket: ShownBasket | null;
}

export interface GoodsView {
  readonly presentation: Presentation;
  /** What addresses of pictures without a host belong to. */
  readonly mediaBase: string;
}

const lineShown = (figures: LineFigures, mediaBase: string): ProtocolLine => {
  const { line, of, unitPrice } = figures;
  const imageUrl = of.imageUrl === null ? null : absoluteUrl(of.imageUrl, mediaBase);
  return {
    id: line.lineId,
    item: { id: line.itemId, title: wholeName(of), price: unitPrice, ...(imageUrl !== null && { imageUrl }) },
    quantity: line.quantity,
    totals: totalsOfLine(figures),
    options: of.selectedOptions.map(({ optionName: name, valueName: label }) => ({ name, label })),
  };
};

const nothing = { lines: [], totals: noTotals, discounts: [], choices: [] };

/** The goods of a session or cart as its agent sees them (docs/rules/agent-sessions.md#totals). */
export const shownGoods = (
  { lines, codes, basket }: GoodsToShow,
  { presentation, mediaBase }: GoodsView,
): ShownGoods => {
  const { lines: figures, totals, applied } = figuresShown(lines, basket ?? nothing, presentation);
  return {
    lines: figures.map((one) => lineShown(one, mediaBase)),
    totals,
    discounts: codes.length === 0 && applied.length === 0 ? null : { codes, applied },
    figures,
  };
};
