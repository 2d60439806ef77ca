import { z } from 'zod';
import {
  amount,
  areDistinct,
  name,
  optionalText,
  keyedAddress,
  type CurrencyOf,
} from '#fields/body-fields.ts';
import { changeBody, createBody } from '#fields/bodies.ts';
import type { CustomerDetails } from '#events/customer.events.ts';
import { isEmail, normalEmail } from '#values/email-address.ts';
import { averageOrderValue, type CustomerFigures } from '#values/customer-figures.ts';
import { toDecimal } from '#values/money.ts';

/** A customer as staff see one (docs/rules/customers.md#fields). Personal fields are null once they are forgotten. */
export interface Customer {
  readonly id: string;
  readonly fields: CustomerDetails;
  readonly figures: CustomerFigures;
  /** Null where an older release registered the customer and recorded no time. */
  readonly dateCreated: string | null;
  readonly dateUpdated: string | null;
}

export const MAX_ADDRESSES = 50;
const MAX_TAGS = 100;
const MAX_TERMS_DAYS = 3650;

const email = z.string().refine(isEmail, 'must be an e-mail address').transform(normalEmail);

const addresses = z
  .array(keyedAddress)
  .max(MAX_ADDRESSES)
  .refine(
    (given) => areDistinct(given.flatMap(({ externalKey }) => (externalKey === null ? [] : [externalKey]))),
    'must name each externalKey once',
  );

/** Each once, ignoring case: the first spelling stays. */
const tags = z
  .array(name)
  .max(MAX_TAGS)
  .transform((given) => {
    const folded = given.map((tag) => tag.toLowerCase());
    return given.filter((_, place) => folded.indexOf(folded[place] ?? '') === place);
  });

const body = (currency: CurrencyOf) => ({
  email,
  firstName: optionalText,
  lastName: optionalText,
  memberKey: optionalText,
  acceptsMarketing: z.boolean(),
  isFlagged: z.boolean(),
  hasAccountTerms: z.boolean(),
  paymentTermsDays: z.int().min(0).max(MAX_TERMS_DAYS).nullable(),
  creditLimit: amount(currency).nullable(),
  tags,
  addresses,
});

const defaults = {
  firstName: null,
  lastName: null,
  memberKey: null,
  acceptsMarketing: false,
  isFlagged: false,
  hasAccountTerms: false,
  paymentTermsDays: null,
  creditLimit: null,
  tags: [],
  addresses: [],
};

export const createCustomer = (currency: CurrencyOf) => createBody(body(currency), defaults);

const imported = { email, firstName: optionalText, lastName: optionalText, addresses };

/** A customer of a store file (docs/rules/store-file.md#customers): all else is as of one whom staff create. */
export const importedCustomer = createBody(imported, {
  firstName: null,
  lastName: null,
  addresses: [],
}).transform((given) => ({ ...defaults, ...given }));

export const importedCustomerChanges = changeBody(imported);

const clearing = {
  clearMemberKey: 'memberKey',
  clearPaymentTermsDays: 'paymentTermsDays',
  clearCreditLimit: 'creditLimit',
} as const;

const clears = z.boolean().optional();

/** A change: null leaves a field that has a flag of its own as it is, the flag takes its value away. */
export const changeCustomer = (currency: CurrencyOf) =>
  z
    .object({
      ...z.object(body(currency)).partial().shape,
      clearMemberKey: clears,
      clearPaymentTermsDays: clears,
      clearCreditLimit: clears,
    })
    .transform((given, context): Partial<CustomerDetails> => {
      const { clearMemberKey, clearPaymentTermsDays, clearCreditLimit, ...fields } = given;
      const flags = { clearMemberKey, clearPaymentTermsDays, clearCreditLimit };
      const changes: Record<string, unknown> = { ...fields };
      for (const [flag, field] of Object.entries(clearing)) {
        const isCleared = flags[flag as keyof typeof flags] === true;
        if (isCleared && (fields[field] ?? null) !== null)
          context.addIssue({
            code: 'custom',
            path: [flag],
            message: `either this or ${field} must be given`,
          });
        if (isCleared) changes[field] = null;
        else if (fields[field] === null) delete changes[field];
      }
      return changes;
    });

/** What a customer has bought (docs/rules/customers.md#figures). */
export const shownFigures = {
  orderCount: z.int(),
  /** Store currency. */
  totalSpend: z.number(),
  /** Null without an order. */
  averageOrderValue: z.number().nullable(),
  firstOrderDate: z.string().nullable(),
  lastOrderDate: z.string().nullable(),
  /** Where the last order was billed to: a code. */
  countryCode: z.string().nullable(),
};

export const figuresResponse = (figures: CustomerFigures, currency: string) => {
  const { orderCount, totalSpend, firstOrderAt, lastOrderAt, countryCode } = figures;
  const average = averageOrderValue(figures);
  return {
    orderCount,
    totalSpend: toDecimal(totalSpend, currency),
    averageOrderValue: average === null ? null : toDecimal(average, currency),
    firstOrderDate: firstOrderAt,
    lastOrderDate: lastOrderAt,
    countryCode,
  };
};

const addressResponse = z.looseObject({ countryCode: z.string(), externalKey: z.string().nullable() });

/** One customer, in a list too. */
export const customerSchema = z.object({
  id: z.string(),
  email: z.string().nullable(),
  memberKey: z.string().nullable(),
  firstName: z.string().nullable(),
  lastName: z.string().nullable(),
  dateCreated: z.string().nullable(),
  dateUpdated: z.string().nullable(),
  isFlagged: z.boolean(),
  acceptsMarketing: z.boolean(),
  hasAccountTerms: z.boolean(),
  paymentTermsDays: z.int().nullable(),
  creditLimit: z.number().nullable(),
  tags: z.array(z.string()),
  addresses: z.array(addressResponse),
  ...shownFigures,
});

/** Of whom staff look for at the order desk. */
export const foundCustomerSchema = customerSchema.extend({ customerId: z.string(), name: z.string() });
export type CustomerResponse = z.output<typeof customerSchema>;

/** As the management API shows a customer. */
export const customerResponse = (customer: Customer, currency: string): CustomerResponse => {
  const { id, fields, figures, dateCreated, dateUpdated } = customer;
  const { creditLimit, addresses: known } = fields;
  return {
    id,
    ...fields,
    creditLimit: creditLimit === null ? null : toDecimal(creditLimit, currency),
    addresses: known ?? [],
    ...figuresResponse(figures, currency),
    dateCreated,
    dateUpdated,
  };
};
