import type { ProtocolProduct } from '#agents/protocol-catalogue.ts';
import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { GetProductBody } from '#contracts/agent-catalogue.contract.ts';
import { itemNamed, purchasable, type NamedItem } from '#reference/named-item.ts';
import {
  agentProduct,
  agentVariant,
  availabilityFor,
  MAX_VARIANTS,
  optionsOf,
  quoted,
  variantsMeeting,
} from './agent-product.ts';
import { questionOf, type AgentQuestion } from './agent-view.ts';
import type { CatalogueSources, Found } from './catalogue-sources.ts';
import { fits, relaxed, signalled } from './chosen-options.ts';

/** All variants, those that meet the filters with what fits the choice first, and what is chosen in the end. */
const narrowed = (
  question: AgentQuestion,
  { product, variant: named }: NamedItem,
  { selected: wanted, preferences }: GetProductBody,
) => {
  const all = purchasable(product).map((variant) => ({
    variant,
    options: optionsOf(variant),
    isAvailable: availabilityFor(question.view, product, variant).isAvailable,
  }));
  const meeting = new Set(variantsMeeting(question, product));
  const met = all.filter(({ variant }) => meeting.has(variant));
  const kept = relaxed(met, wanted ?? [], preferences ?? []);
  const fitting = met
    .filter((one) => fits(one, kept))
    .toSorted(
      (one, other) =>
        Number(other.isAvailable) - Number(one.isAvailable) ||
        Number(other.variant.isDefault) - Number(one.variant.isDefault),
    );
  const first = met.find(({ variant }) => variant === named) ?? fitting[0];
  const variants = first ? [...new Set([first, ...fitting, ...met])] : [];
  const selected = kept.length > 0 ? kept : (first?.options ?? []);
  return { all, selected, variants, isRelaxed: kept.length < (wanted ?? []).length };
};

const selectionRelaxed: ProtocolMessage = {
  type: 'info',
  code: 'selection_relaxed',
  content: 'No variant has everything that was selected: see `selected` for what was kept of it.',
  path: '$.product.selected',
};

const absent = (id: string, messages: readonly ProtocolMessage[]): ProtocolProduct => ({
  capabilities: ['dev.ucp.shopping.catalog.lookup'],
  product: null,
  messages: [
    ...messages,
    {
      type: 'error',
      code: 'not_found',
      content: `Product not found: nothing that meets the filters is called ${quoted(id)} here.`,
      path: '$.id',
      severity: 'unrecoverable',
    },
  ],
});

/** One product, and what choosing its options would come to (docs/rules/agent-catalogue.md#product). */
export const getCatalogueProduct = async (
  sources: CatalogueSources,
  body: GetProductBody,
  baseUrl: string,
): Promise<Found<ProtocolProduct>> => {
  const question = questionOf(sources, sources.names, body, baseUrl);
  const { view, messages } = question;
  const item = itemNamed(sources.reference.catalogue, body.id);
  if (!item) return { result: absent(body.id, messages) };
  const { product } = item;
  const { all, selected, variants, isRelaxed } = narrowed(question, item, body);
  if (variants.length === 0) return { result: absent(body.id, messages) };
  const shown = agentProduct(view, product, await sources.descriptions.long(product));
  return {
    result: {
      capabilities: ['dev.ucp.shopping.catalog.lookup'],
      product: {
        product: { ...shown, options: signalled(shown.options, all, selected) },
        variants: variants
          .slice(0, MAX_VARIANTS)
          .map(({ variant }) => ({ variant: agentVariant(view, product, variant) })),
        selected,
      },
      messages: isRelaxed ? [...messages, selectionRelaxed] : messages,
    },
  };
};
