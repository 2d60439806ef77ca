import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { SessionInput } from '#agents/protocol-inputs.ts';
import { displayRate, presentationFor, type PresentationSources } from '#reference/presentation.ts';
import { isCurrency } from '#values/currency.ts';
import type { DisplayCurrency, Presentation } from '#values/exchange.ts';

const MAX_ECHO = 20;

/** The currency that a request asks for; `currency`: undefined where it asks for none that there is. */
export interface AskedCurrency {
  readonly currency: string | undefined;
  readonly messages: readonly ProtocolMessage[];
}

/** A currency is a hint: one that the shop has no rate for changes nothing. */
export const askedCurrency = (
  sources: PresentationSources,
  { currency, context }: Pick<SessionInput, 'currency' | 'context'>,
): AskedCurrency => {
  if (currency === undefined) return { currency, messages: [] };
  if (isCurrency(currency) && displayRate(sources, currency) !== null) return { currency, messages: [] };
  const path = context?.currency === currency ? '$.context.currency' : '$.currency';
  const content = `This shop has no prices in ${currency.slice(0, MAX_ECHO)}.`;
  return {
    currency: undefined,
    messages: [{ type: 'warning', code: 'currency_not_supported', content, path }],
  };
};

/** How amounts are shown in that currency, or as an order has them. Tax stands by itself. */
export const presentationIn = (
  sources: PresentationSources,
  currency: string,
  ordered: DisplayCurrency | null,
): Presentation => {
  const now = presentationFor(sources, currency);
  return { ...now, displayPricesIncTax: false, display: ordered ?? now.display };
};
