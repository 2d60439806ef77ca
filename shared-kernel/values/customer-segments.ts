import { averageOrderValue, type CustomerFigures } from './customer-figures.ts';
import { countryName } from './region.ts';

/** What a criterion compares: it decides which operators there are (docs/rules/customers.md#criteria). */
export type CriterionKind = 'Number' | 'Money' | 'Date' | 'Text' | 'Tag';

const compared = [
  'Equals',
  'NotEquals',
  'GreaterThan',
  'GreaterThanOrEqual',
  'LessThan',
  'LessThanOrEqual',
  'Between',
] as const;
const written = [
  'Equals',
  'NotEquals',
  'Contains',
  'NotContains',
  'StartsWith',
  'EndsWith',
  'IsEmpty',
  'IsNotEmpty',
] as const;
const tagged = ['Contains', 'NotContains', 'IsEmpty', 'IsNotEmpty'] as const;

export type CriterionOperator = (typeof compared)[number] | (typeof written)[number];

export const operatorsOf: Readonly<Record<CriterionKind, readonly CriterionOperator[]>> = {
  Number: compared,
  Money: compared,
  Date: compared,
  Text: written,
  Tag: tagged,
};

/** What can be asked of a customer. */
export const criterionFields = {
  OrderCount: { label: 'Number of orders', kind: 'Number' },
  TotalSpend: { label: 'Total spend', kind: 'Money' },
  AverageOrderValue: { label: 'Average order value', kind: 'Money' },
  DaysSinceLastOrder: { label: 'Days since the last order', kind: 'Number' },
  FirstOrderDate: { label: 'Date of the first order', kind: 'Date' },
  LastOrderDate: { label: 'Date of the last order', kind: 'Date' },
  DateCreated: { label: 'Customer since', kind: 'Date' },
  Email: { label: 'E-mail address', kind: 'Text' },
  Country: { label: 'Country of the last billing address', kind: 'Text' },
  Tag: { label: 'Tag', kind: 'Tag' },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly kind: CriterionKind }>>;

export type CriterionField = keyof typeof criterionFields;

/** Money in minor units of the store's currency, dates as `YYYY-MM-DD`; null where nothing is compared with. */
export interface SegmentCriterion {
  readonly field: CriterionField;
  readonly operator: CriterionOperator;
  readonly value: string | number | null;
  /** The other end of Between. */
  readonly value2: string | number | null;
}

/** A segment, as far as it decides who belongs to it. */
export interface SegmentRule {
  readonly segmentType: 'Manual' | 'Automated';
  readonly criteria: readonly SegmentCriterion[];
  readonly matchMode: 'All' | 'Any';
  readonly isActive: boolean;
}

/** What is known of a customer, as far as segments ask for it. */
export interface CustomerFacts extends CustomerFigures {
  /** Null once the customer has been forgotten. */
  readonly email: string | null;
  readonly tags: readonly string[];
  /** An ISO instant; null for customers of older releases. */
  readonly dateCreated: string | null;
  /** The manual segments that staff have put the customer in. */
  readonly segmentIds: readonly string[];
}

const DAY_MILLISECONDS = 86_400_000;

const utcDay = (instant: string | null): string | null => instant && instant.slice(0, 10);

const dayNumber = (milliseconds: number): number => Math.floor(milliseconds / DAY_MILLISECONDS);

/** Texts that are there; a country goes by its code and by its name. */
const textsOf = (field: CriterionField, { email, countryCode, tags }: CustomerFacts): readonly string[] => {
  const found =
    field === 'Tag'
      ? tags
      : field === 'Country'
        ? [countryCode, countryCode && countryName(countryCode)]
        : [email];
  return found.filter((text) => text !== null && text !== '').map((text) => String(text).toLowerCase());
};

const valueOf = (field: CriterionField, facts: CustomerFacts, now: number): string | number | null => {
  switch (field) {
    case 'OrderCount':
      return facts.orderCount;
    case 'TotalSpend':
      return facts.totalSpend;
    case 'AverageOrderValue':
      return averageOrderValue(facts);
    case 'DaysSinceLastOrder':
      return facts.lastOrderAt === null ? null : dayNumber(now) - dayNumber(Date.parse(facts.lastOrderAt));
    case 'FirstOrderDate':
      return utcDay(facts.firstOrderAt);
    case 'LastOrderDate':
      return utcDay(facts.lastOrderAt);
    case 'DateCreated':
      return utcDay(facts.dateCreated);
    default:
      return null;
  }
};

type Value = string | number;

const compare = (
  operator: CriterionOperator,
  found: Value | null,
  value: Value,
  value2: Value | null,
): boolean => {
  // What is not known is neither more nor less than anything.
  if (found === null) return operator === 'NotEquals';
  switch (operator) {
    case 'Equals':
      return found === value;
    case 'NotEquals':
      return found !== value;
    case 'GreaterThan':
      return found > value;
    case 'GreaterThanOrEqual':
      return found >= value;
    case 'LessThan':
      return found < value;
    case 'LessThanOrEqual':
      return found <= value;
    case 'Between':
      return value2 !== null && found >= value && found <= value2;
    default:
      return false;
  }
};

const matchText = (operator: CriterionOperator, texts: readonly string[], wanted: string): boolean => {
  switch (operator) {
    case 'Equals':
      return texts.includes(wanted);
    case 'NotEquals':
      return !texts.includes(wanted);
    case 'Contains':
      return texts.some((text) => text.includes(wanted));
    case 'NotContains':
      return !texts.some((text) => text.includes(wanted));
    case 'StartsWith':
      return texts.some((text) => text.startsWith(wanted));
    case 'EndsWith':
      return texts.some((text) => text.endsWith(wanted));
    default:
      return false;
  }
};

/** A tag is had or not: no part of it counts. */
const matchTag = (operator: CriterionOperator, tags: readonly string[], wanted: string): boolean =>
  operator === 'Contains' ? tags.includes(wanted) : operator === 'NotContains' && !tags.includes(wanted);

const isMet = (
  { field, operator, value, value2 }: SegmentCriterion,
  facts: CustomerFacts,
  now: number,
): boolean => {
  const asked = criterionFields[field] as { readonly kind: CriterionKind } | undefined;
  if (!asked?.kind || !operatorsOf[asked.kind].includes(operator)) return false;
  if (asked.kind !== 'Text' && asked.kind !== 'Tag') {
    return value !== null && compare(operator, valueOf(field, facts, now), value, value2);
  }
  const texts = textsOf(field, facts);
  if (operator === 'IsEmpty') return texts.length === 0;
  if (operator === 'IsNotEmpty') return texts.length > 0;
  if (value === null) return false;
  const wanted = String(value).toLowerCase();
  return asked.kind === 'Tag' ? matchTag(operator, texts, wanted) : matchText(operator, texts, wanted);
};

/** Whether a customer is in a segment at that moment: the one place that says so (docs/rules/customers.md#segments). */
export const belongsTo = (
  segmentId: string,
  { segmentType, criteria, matchMode, isActive }: SegmentRule,
  facts: CustomerFacts,
  now: number,
): boolean => {
  if (!isActive) return false;
  if (segmentType === 'Manual') return facts.segmentIds.includes(segmentId);
  if (criteria.length === 0) return false;
  const meets = (criterion: SegmentCriterion): boolean => isMet(criterion, facts, now);
  return matchMode === 'All' ? criteria.every(meets) : criteria.some(meets);
};
