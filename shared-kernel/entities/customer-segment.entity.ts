import { z } from 'zod';
import { enumOf, longText, name, type CurrencyOf } from '#fields/body-fields.ts';
import type { EventOf } from '#events/define-events.ts';
import { text } from '#events/fields.ts';
import {
  criterionFields,
  operatorsOf,
  type CriterionField,
  type CriterionKind,
  type CriterionOperator,
  type SegmentCriterion,
} from '#values/customer-segments.ts';
import { isAmountIn, isWithinLimit, toDecimal, toMinor } from '#values/money.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';

const fieldNumbers = {
  OrderCount: 0,
  TotalSpend: 1,
  AverageOrderValue: 2,
  DaysSinceLastOrder: 3,
  FirstOrderDate: 4,
  LastOrderDate: 5,
  DateCreated: 6,
  Email: 7,
  Country: 8,
  Tag: 9,
} as const satisfies Readonly<Record<CriterionField, number>>;

const operatorNumbers = {
  Equals: 0,
  NotEquals: 1,
  GreaterThan: 2,
  GreaterThanOrEqual: 3,
  LessThan: 4,
  LessThanOrEqual: 5,
  Between: 6,
  Contains: 7,
  NotContains: 8,
  StartsWith: 9,
  EndsWith: 10,
  IsEmpty: 11,
  IsNotEmpty: 12,
} as const satisfies Readonly<Record<CriterionOperator, number>>;

const MAX_CRITERIA = 50;

type Given = string | number | null;

const numberOf = (given: Given): number =>
  typeof given === 'string' && given !== '' ? Number(given) : typeof given === 'number' ? given : NaN;

const isDay = (given: string): boolean => {
  const parsed = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(`${given}T00:00:00Z`) : NaN;
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(given);
};

const givenInstant = z.iso.datetime({ offset: true });

/** A day as it is; of an instant its day in UTC. */
const dayOf = (given: string): string | null => {
  if (isDay(given)) return given;
  return givenInstant.safeParse(given).success ? new Date(given).toISOString().slice(0, 10) : null;
};

/** A value as it is kept, or what was expected instead. */
const readValue = (
  kind: CriterionKind,
  given: Given,
  currency: CurrencyOf,
): { readonly value: string | number } | { readonly expected: string } => {
  switch (kind) {
    case 'Number': {
      const value = numberOf(given);
      return Number.isSafeInteger(value) && value >= 0
        ? { value }
        : { expected: 'must be a whole number, 0 or more' };
    }
    case 'Money': {
      const value = numberOf(given);
      const isFine =
        value >= 0 &&
        Number.isFinite(value) &&
        isWithinLimit(value, currency()) &&
        isAmountIn(value, currency());
      return isFine
        ? { value: toMinor(value, currency()) }
        : { expected: 'must be an amount, 0 or more, with the decimals of the store currency' };
    }
    case 'Date': {
      const value = typeof given === 'string' ? dayOf(given) : null;
      return value === null ? { expected: 'must be a date YYYY-MM-DD' } : { value };
    }
    default: {
      const value = String(given ?? '');
      return value === '' ? { expected: 'must be text' } : { value };
    }
  }
};

const hasNoValue = (operator: CriterionOperator): boolean =>
  operator === 'IsEmpty' || operator === 'IsNotEmpty';

const scalar = z
  .union([z.string().trim().max(250), z.number()])
  .nullable()
  .default(null);

/** One criterion of a body: what it compares with is read as its field asks (docs/rules/customers.md#criteria). */
const criterion = (currency: CurrencyOf) =>
  z
    .object({ field: enumOf(fieldNumbers), operator: enumOf(operatorNumbers), value: scalar, value2: scalar })
    .transform((given, context): SegmentCriterion => {
      const { field, operator } = given;
      const { kind } = criterionFields[field];
      const refuse = (path: 'operator' | 'value' | 'value2', message: string): never => {
        context.addIssue({ code: 'custom', path: [path], message });
        return z.NEVER;
      };
      if (!operatorsOf[kind].includes(operator))
        return refuse('operator', `must be one of ${operatorsOf[kind].join(', ')} of ${field}`);
      if (hasNoValue(operator)) return { field, operator, value: null, value2: null };
      const read = readValue(kind, given.value, currency);
      if ('expected' in read) return refuse('value', read.expected);
      const { value } = read;
      if (operator !== 'Between') return { field, operator, value, value2: null };
      const end = readValue(kind, given.value2, currency);
      if ('expected' in end) return refuse('value2', end.expected);
      if (end.value < value) return refuse('value2', 'must be value or more');
      return { field, operator, value, value2: end.value };
    });

/** The criteria of a body. */
export const segmentCriteria = (currency: CurrencyOf) => z.array(criterion(currency)).max(MAX_CRITERIA);

const shownCriterion = (
  { field, operator, value, value2 }: SegmentCriterion,
  currency: string,
): SegmentCriterion => {
  const shown = (one: string | number | null): string | number | null =>
    criterionFields[field].kind === 'Money' && typeof one === 'number' ? toDecimal(one, currency) : one;
  return { field, operator, value: shown(value), value2: shown(value2) };
};

const stored = z.union([text, z.number()]).nullable();

/** A group of customers: put together by staff, or by what is known of them (docs/rules/customers.md#segments). */
export const customerSegment = defineEntity({
  category: 'customerSegment',
  context: 'customers',
  noun: 'customer segment',
  path: '/customer-segments',
  list: 'segments',
  fields: {
    name: text,
    description: text.nullable(),
    segmentType: z.enum(['Manual', 'Automated']),
    criteria: z.array(
      z.object({
        field: z.enum(Object.keys(fieldNumbers) as CriterionField[]),
        operator: z.enum(Object.keys(operatorNumbers) as CriterionOperator[]),
        value: stored,
        value2: stored,
      }),
    ),
    matchMode: z.enum(['All', 'Any']),
    isActive: z.boolean(),
    /** The shop's own: never deleted. */
    isSystemSegment: z.boolean(),
  },
  recordedAs: 'segment',
  body: (currency) => ({
    name,
    description: longText,
    segmentType: enumOf({ Manual: 0, Automated: 1 }),
    criteria: segmentCriteria(currency),
    matchMode: enumOf({ All: 0, Any: 1 }),
    isActive: z.boolean(),
    isSystemSegment: z.boolean(),
  }),
  defaults: {
    description: null,
    criteria: [],
    matchMode: 'All',
    isActive: true,
    isSystemSegment: false,
  },
  response: {
    name: z.string(),
    description: z.string().nullable(),
    segmentType: z.string(),
    criteria: z.array(z.object({ field: z.string(), operator: z.string(), value: stored, value2: stored })),
    matchMode: z.string(),
    isActive: z.boolean(),
    isSystemSegment: z.boolean(),
  },
  show: ({ criteria }, currency) => ({ criteria: criteria.map((one) => shownCriterion(one, currency)) }),
  // Manual ones have no criteria, and no members yet.
  counted: { memberCount: ({ criteria, isActive }) => (criteria.length === 0 || !isActive ? 0 : null) },
  searched: ['name', 'description'],
  fixed: ['isSystemSegment'],
  // Who is in it follows from its type.
  immutable: ['segmentType'],
});
export type CustomerSegment = FieldsOf<typeof customerSegment>;
export type CustomerSegmentEvent = EventOf<(typeof customerSegment)['events']>;
