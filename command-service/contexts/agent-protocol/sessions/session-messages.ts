import type { ProtocolMessage } from '#agents/protocol-parts.ts';
import type { DiscountProblem } from '#command/pricing/discounts/discount-problem.ts';
import type { Address } from '#values/address.ts';
import type { ActiveSession } from './agent-session.state.ts';
import type { SettledShipping } from './session-shipping.ts';

const error = (
  code: string,
  content: string,
  path: string,
  severity: NonNullable<ProtocolMessage['severity']> = 'recoverable',
): ProtocolMessage => ({ type: 'error', code, content, path, severity });

const warning = (code: string, content: string, path: string): ProtocolMessage => ({
  type: 'warning',
  ...{ code, content, path },
});

/**
 * What is told of a request and of its session: a request that comes again may name lines that are short by now, of
 * which the session, begun the first time, says the same.
 */
export const withoutRepeats = (
  ofRequest: readonly ProtocolMessage[],
  ofSession: readonly ProtocolMessage[],
): readonly ProtocolMessage[] => {
  const isSaid = ({ code, content }: ProtocolMessage): boolean =>
    ofSession.some((other) => other.code === code && other.content === content);
  return [...ofRequest.filter((message) => !isSaid(message)), ...ofSession];
};

/** Why a code takes nothing off, as agents are told it. */
const codeOfProblem: Readonly<Record<DiscountProblem['errorCode'], string>> = {
  NotFound: 'discount_code_invalid',
  Inactive: 'discount_code_invalid',
  NotStarted: 'discount_code_invalid',
  Expired: 'discount_code_expired',
  UsageLimitReached: 'discount_code_invalid',
  CustomerNotEligible: 'discount_code_user_ineligible',
  MinimumRequirementNotMet: 'discount_code_user_ineligible',
  NoApplicableProducts: 'discount_code_user_ineligible',
  AlreadyApplied: 'discount_code_already_applied',
  CannotCombine: 'discount_code_combination_disallowed',
};

/** Codes are the same in any case. */
export const normalCode = (code: string): string => code.trim().toUpperCase();

/** One for each submitted code that is not in force; `problemOf` is asked for it in capitals. */
export const codeMessages = (
  submitted: readonly string[],
  problemOf: (code: string) => DiscountProblem | null,
): ProtocolMessage[] =>
  submitted.flatMap((given, index) => {
    const path = `$.discounts.codes[${index}]`;
    const code = normalCode(given);
    if (submitted.findIndex((other) => normalCode(other) === code) < index)
      return [warning(codeOfProblem.AlreadyApplied, `${code} is there already.`, path)];
    const found = problemOf(code);
    return found === null ? [] : [warning(codeOfProblem[found.errorCode], found.message, path)];
  });

/** What is known of the goods and the shop's wishes. */
export interface Needs {
  readonly hasDigital: boolean;
  readonly requiresEmail: boolean;
  /** The shopper to whom it was handed over has given theirs. */
  readonly hasShoppersEmail: boolean;
}

/** What is missing of the buyer. Digital goods belong to an account. */
export const buyerMessages = (
  { buyer, memberId }: Pick<ActiveSession, 'buyer' | 'memberId'>,
  { hasDigital, requiresEmail, hasShoppersEmail }: Needs,
): ProtocolMessage[] => {
  const account =
    hasDigital && memberId === null
      ? [
          error(
            'account_required',
            'Digital products need an account of this shop: the buyer must sign in.',
            '$.buyer',
            'requires_buyer_input',
          ),
        ]
      : [];
  // A member has the one of their account.
  if (buyer?.email !== undefined || memberId !== null || hasShoppersEmail) return account;
  const content = 'buyer.email: no e-mail address was given.';
  const path = '$.buyer.email';
  return [
    ...account,
    requiresEmail ? error('missing', content, path) : { type: 'info', code: 'missing', content, path },
  ];
};

/** For the agents of a shop without the fulfilment extension. */
export const shippingIsForBuyer: ProtocolMessage = {
  type: 'error',
  code: 'fulfillment_required',
  content:
    'Fulfillment address and option must be selected by the buyer: this shop takes them in its storefront, at continue_url.',
  path: '$.line_items',
  severity: 'requires_buyer_input',
};

const METHOD = '$.fulfillment.methods[0]';

/** `shipping`: how the goods can be sent; null: no place is selected. */
export const shippingMessages = (
  { destinations, fulfilment }: Pick<ActiveSession, 'destinations' | 'fulfilment'>,
  shipping: Pick<SettledShipping, 'undeliverable' | 'outOfStock' | 'lost' | 'freeShipping'> | null,
): ProtocolMessage[] => {
  const wanted = fulfilment?.destinationId ?? null;
  const isUnknown = wanted !== null && !destinations.some(({ id }) => id === wanted);
  const place = `${METHOD}.selected_destination_id`;
  const unknown = `There is no destination ${wanted}. Nothing is selected.`;
  if (shipping === null) return isUnknown ? [warning('destination_not_found', unknown, place)] : [];
  const { undeliverable, outOfStock, lost, freeShipping } = shipping;
  return [
    ...(undeliverable === null ? [] : [error('address_undeliverable', undeliverable, place)]),
    ...outOfStock.map((why) => error('out_of_stock', `Insufficient stock. ${why}`, '$.line_items')),
    ...lost.map((optionId) =>
      warning(
        'fulfillment_option_unavailable',
        `${optionId} is not offered for these goods and this place. Select another option.`,
        `${METHOD}.groups`,
      ),
    ),
    ...freeShipping.map((name): ProtocolMessage => {
      const content = `${name} lowers the price of shipping.`;
      return { type: 'info', code: 'free_shipping_applied', content, path: METHOD };
    }),
  ];
};

/** What agents call the fields of an address. */
const membersOfAddress = [
  ['name', 'first_name'],
  ['addressOne', 'street_address'],
  ['addressTwo', 'extended_address'],
  ['townCity', 'address_locality'],
  ['countyState', 'address_region'],
  ['postalCode', 'postal_code'],
  ['phone', 'phone_number'],
] as const satisfies readonly (readonly [keyof Address, string])[];

/**
 * What keeps a selected place from being a whole address. `problems` stand under the fields of `address`; those of its
 * country are told where the goods are quoted.
 */
export const addressMessages = (
  { destinations, fulfilment }: Pick<ActiveSession, 'destinations' | 'fulfilment'>,
  address: Address,
  problems: Readonly<Record<string, string>>,
): ProtocolMessage[] => {
  const index = destinations.findIndex(({ id }) => id === fulfilment?.destinationId);
  return membersOfAddress.flatMap(([field, member]) => {
    const problem = problems[field];
    if (problem === undefined) return [];
    const isMissing = (address[field]?.trim() ?? '') === '';
    const path = `${METHOD}.destinations[${index}].${member}`;
    return [error(isMissing ? 'missing' : 'invalid', `${member}: ${problem}`, path)];
  });
};

/** Claims of the buyer that this shop does not know: they change nothing. */
export const eligibilityMessages = (claims: readonly string[]): ProtocolMessage[] =>
  claims.map((claim, index) =>
    warning(
      'eligibility_not_accepted',
      `${claim} changes nothing in this shop.`,
      `$.context.eligibility[${index}]`,
    ),
  );

/** What the buyer has to do before the payment goes on. */
export const paymentMessages = ({ completion }: Pick<ActiveSession, 'completion'>): ProtocolMessage[] => {
  if (completion?.awaited?.from !== 'buyer') return [];
  const content = 'The buyer must confirm the payment at continue_url.';
  return [error('payment_action_required', content, '$.payment', 'requires_buyer_input')];
};
