import type { LineInput } from '#agents/protocol-inputs.ts';
import type { ChosenOption } from '#agents/protocol-parts.ts';
import type { AgentLine } from '#events/agent-session.events.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { defined } from '#kernel/defined.ts';
import { featuredOf, itemNamed, purchasable } from '#reference/named-item.ts';
import type { Reference } from '#reference/reference.ts';
import { plainText } from '#values/words.ts';
import type { FoundLine } from '../sessions/session-lines.ts';

/** Why a line cannot be sold. */
export interface LineFailure {
  readonly code: 'item_unavailable' | 'out_of_stock';
  readonly text: string;
  /** The shop sells it, but only the buyer can say what is missing. */
  readonly isForBuyer?: true;
}

type Catalogue = Pick<Reference, 'catalogue' | 'stock' | 'shipping'>;

const MAX_ECHO = 100;

const shortened = (text: string): string => (text.length <= MAX_ECHO ? text : `${text.slice(0, MAX_ECHO)}…`);

const notFound = (text: string): LineFailure => ({ code: 'item_unavailable', text });

const isSameWord = (one: string, other: string): boolean => plainText(one.trim()) === plainText(other.trim());

const hasAll = ({ selectedOptions }: ProductVariant, wanted: readonly ChosenOption[]): boolean =>
  wanted.every(({ name, label }) =>
    selectedOptions.some(
      ({ optionName, valueName }) => isSameWord(optionName, name) && isSameWord(valueName, label),
    ),
  );

const productOf = (
  reference: Catalogue,
  { itemId, options }: Pick<LineInput, 'itemId' | 'options'>,
): string | LineFailure => {
  const item = itemNamed(reference.catalogue, itemId);
  if (!item) return notFound(`Product ${shortened(itemId)} was not found.`);
  if (item.variant) return item.variant.id;
  const fitting = purchasable(item.product).filter((variant) => hasAll(variant, options));
  const variant = featuredOf(reference, item.product, fitting);
  if (variant) return variant.id;
  const words = options.map(({ name, label }) => `${name}: ${label}`).join(', ');
  const { rootName } = item.product.root;
  return notFound(`${rootName} with ${shortened(words)} was not found.`);
};

/** A line that is there already stays what it was found to be, also once that is not sold any more. */
const keptProduct = (
  { catalogue }: Catalogue,
  { id, itemId, options }: LineInput,
  before: readonly AgentLine[],
): string | undefined => {
  const ofItem = before.filter((line) => line.itemId === itemId);
  const kept = ofItem.find(({ lineId }) => lineId === id) ?? ofItem[0];
  if (kept === undefined) return undefined;
  const variant = catalogue.variant(kept.productId)?.variant;
  return !variant || hasAll(variant, options) ? kept.productId : undefined;
};

/**
 * The products of lines, each by the id of a product, that of a variant, or an SKU; of a product the variant with the
 * options that are chosen, else the one that it is shown by (docs/rules/agent-sessions.md#lines).
 */
export const findLines = (
  reference: Catalogue,
  wished: readonly LineInput[],
  before: readonly AgentLine[] = [],
): readonly (FoundLine | LineFailure)[] =>
  wished.map((line) => {
    const productId = keptProduct(reference, line, before) ?? productOf(reference, line);
    if (typeof productId !== 'string') return productId;
    const { id, itemId, quantity } = line;
    return { itemId, productId, quantity, ...defined({ id }) };
  });
