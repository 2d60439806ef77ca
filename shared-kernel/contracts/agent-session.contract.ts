import { z } from 'zod';
import type {
  CompletionInput,
  DestinationInput,
  FulfilmentInput,
  GroupInput,
  LineInput,
  SessionInput,
} from '#agents/protocol-inputs.ts';
import { defined } from '#kernel/defined.ts';
import {
  agentBuyer,
  agentContext,
  agentDestination,
  attribution,
  currencyHint,
  MAX_TEXT,
} from './agent-parts.ts';
import { offeredInstruments, payingInstrument, paymentOfCompletion } from './agent-payment.ts';

/** What a request may hold at most (docs/rules/settings.md#sections). */
export interface AgentLimits {
  readonly maxLineItems: number;
  readonly maxQuantity: number;
  readonly maxDiscountCodes: number;
}

const id = z.string().trim().max(MAX_TEXT);
const optionalId = id.nullish().transform((given) => given || undefined);

const chosenOption = z
  .object({ name: id, label: id.nullish(), value: id.nullish() })
  .transform(({ name, label, value }) => ({ name, label: label ?? value ?? '' }));
const chosenOptions = z.array(chosenOption).max(20).nullish();

/** Options stand within the item, or beside it as answers have them. */
const lineInput = (maxQuantity: number) =>
  z
    .object({
      id: optionalId,
      item: z.object({ id: id.min(1), options: chosenOptions }),
      quantity: z.int().min(1).max(maxQuantity),
      options: chosenOptions,
      parent_id: optionalId,
    })
    .transform(({ id: lineId, item, quantity, options, parent_id }): LineInput => ({
      itemId: item.id,
      quantity,
      options: item.options ?? options ?? [],
      ...defined({ id: lineId, parentId: parent_id }),
    }));

const anyLineInputs = ({ maxLineItems, maxQuantity }: AgentLimits) =>
  z.array(lineInput(maxQuantity)).max(maxLineItems);

export const lineInputs = (limits: AgentLimits) => anyLineInputs(limits).min(1);

const codes = (maximum: number) =>
  z
    .object({ codes: z.array(z.string().max(MAX_TEXT)).max(maximum).nullish() })
    .transform((given) => given.codes ?? []);

/** Null takes a choice back. */
const choice = id
  .nullable()
  .transform((given) => given || null)
  .optional();

const group = z.object({ id: optionalId, selected_option_id: choice });

const method = z.object({
  id: optionalId,
  type: optionalId,
  destinations: z.array(agentDestination).max(100).nullish(),
  selected_destination_id: choice,
  groups: z.array(group).max(200).nullish(),
});

type Method = z.output<typeof method>;

const groupInputs = (methods: readonly Method[]): readonly GroupInput[] =>
  methods.flatMap(({ groups }) =>
    (groups ?? []).flatMap((given) =>
      given.selected_option_id === undefined
        ? []
        : [{ ...defined({ id: given.id }), selectedOptionId: given.selected_option_id }],
    ),
  );

const allDestinations = (methods: readonly Method[]): readonly DestinationInput[] | undefined => {
  const given = methods.flatMap(({ destinations }) => (destinations ? [destinations] : []));
  return given.length === 0 ? undefined : given.flat();
};

/** Goods are sent, never collected: a method for that has nothing that could be read. */
const asOne = (all: readonly Method[]): FulfilmentInput => {
  const methods = all.filter(({ type }) => type !== 'pickup');
  const choosing = methods.find((given) => given.selected_destination_id !== undefined);
  return {
    groups: groupInputs(methods),
    ...defined({
      methodId: methods.find((given) => given.id !== undefined)?.id,
      destinations: allDestinations(methods),
      selectedDestinationId: choosing?.selected_destination_id,
    }),
  };
};

const fulfilment = z
  .object({ methods: z.array(method).max(20).nullish() })
  .transform(({ methods }) => asOne(methods ?? []));

/** What sessions and carts are both told. */
export const sharedMembers = ({ maxDiscountCodes }: AgentLimits) => ({
  buyer: agentBuyer.nullable().optional(),
  context: agentContext.nullable().optional(),
  attribution: attribution.nullable().optional(),
  currency: currencyHint.optional(),
  discounts: codes(maxDiscountCodes).nullable().optional(),
});

const members = (limits: AgentLimits) => ({
  ...sharedMembers(limits),
  line_items: lineInputs(limits).optional(),
  payment: offeredInstruments.nullable().optional(),
  fulfillment: fulfilment.nullable().optional(),
});

type Members = z.output<z.ZodObject<ReturnType<typeof members>>>;

/** Null is what takes back, also where an empty list does. */
export const inputOf = ({
  line_items: lines,
  discounts,
  payment,
  fulfillment,
  buyer,
  context,
  attribution: ledBy,
  currency,
}: Members): SessionInput =>
  defined({
    lines,
    buyer,
    context,
    attribution: ledBy,
    currency: currency ?? context?.currency,
    codes: discounts === null ? [] : discounts,
    instruments: payment === null ? [] : payment,
    fulfilment: fulfillment,
  });

/** POST /api/v1/checkout-sessions: lines, or the cart that has them. */
export const createSessionBody = (limits: AgentLimits) =>
  z
    .object({ ...members(limits), line_items: anyLineInputs(limits).optional(), cart_id: optionalId })
    .refine(({ line_items = [], cart_id }) => line_items.length > 0 || cart_id !== undefined, {
      path: ['line_items'],
      message: 'must be a list of at least one line',
    })
    .transform(({ cart_id: cartId, ...given }): SessionInput => ({
      ...inputOf(given),
      ...defined({ cartId: cartId?.toLowerCase() }),
    }));

/** PUT /api/v1/checkout-sessions/{id}. */
export const updateSessionBody = (limits: AgentLimits) => z.object(members(limits)).transform(inputOf);

/** Anything else counts as no mandate: where none is required, nothing here is refused. */
const mandate = z
  .object({ checkout_mandate: z.string().min(1).optional().catch(undefined) })
  .optional()
  .catch(undefined);

/** POST /api/v1/checkout-sessions/{id}/complete, in the words of either version. */
export const completeSessionBody = z
  .object({
    payment: paymentOfCompletion.nullish(),
    payment_data: payingInstrument.nullish(),
    ap2: mandate,
  })
  .transform(({ payment, payment_data: data, ap2 }): CompletionInput =>
    defined({ instrument: payment ?? data ?? undefined, mandate: ap2?.checkout_mandate }),
  );
