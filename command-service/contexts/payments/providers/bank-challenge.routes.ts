import { bankChallengeQuery } from '#contracts/checkout.contract.ts';
import { htmlPage, pageReply } from '#http/page.ts';
import { escapeHtml } from '#values/escape-html.ts';
import { anyone, route, type Route } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { BankChallenge, PaymentProvider } from '#ports/payment-provider.ts';
import { formatMoney } from '#values/money.ts';

const hidden = ([name, value]: readonly [string, string]): string =>
  `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`;

const button = (outcome: string, label: string): string =>
  `<button type="submit" name="outcome" value="${outcome}">${label}</button>`;

/** Two buttons: each goes back to the shop with its word, as the page of a bank does. */
const pageOf = ({ price, returnPath, returnFields }: BankChallenge): string => {
  const asked =
    price === null
      ? 'The shop wants to save your card.'
      : `The shop wants <strong>${escapeHtml(formatMoney(price.amountMinor, price.currency))}</strong> of your card.`;
  return htmlPage(
    'Your bank',
    `<main><h1>Your bank asks</h1>
<p>${asked} Is it you?</p>
<form method="get" action="${escapeHtml(returnPath)}">
${Object.entries(returnFields).map(hidden).join('\n')}
<p>${button('approve', 'Approve')} ${button('decline', 'Decline')}</p>
</form>
<p class="quiet">This is the bank of the sandbox. No money is moved.</p></main>`,
  );
};

/** The page of a payer's bank, of a provider for tests (docs/rules/payments.md#challenge). */
export const bankChallengeRoutes = ({
  alias,
  challenge,
}: Pick<PaymentProvider, 'alias' | 'challenge'>): readonly Route[] =>
  challenge
    ? [
        route({
          base: 'checkout',
          service: 'command',
          caller: anyone,
          file: import.meta.url,
          method: 'GET',
          path: `/${alias}/challenge`,
          summary: "The page of the payer's bank, of the sandbox",
          status: 200,
          schemas: { query: bankChallengeQuery },
          errors: ['payment-not-found'],
          handle: async ({ query }) => {
            const asked = await challenge(query.sessionId);
            if (asked === null)
              throw new Rejection('payment-not-found', 'Nothing waits here for the word of your bank.');
            return pageReply(pageOf(asked));
          },
        }),
      ]
    : [];
