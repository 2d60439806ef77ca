import { z } from 'zod';
import { ruleStatus } from '#entities/dated-rule.ts';
import { discountCategory, type Discount } from '#entities/discount.entity.ts';
import { idOf } from '#values/stream-name.ts';
import { guid, text } from './data-fields.ts';
import { sampleId } from './samples.ts';
import { declareTopics, type EventNamed } from './topic.ts';

const named = { id: sampleId('discount'), name: 'Ten per cent off', code: 'WELCOME10' };
const active = { ...named, category: 'AmountOffOrder', status: 'Active' } as const;

const entityType = 'Discount';
const name = { id: guid, name: text, code: text.nullable() };
const rule = z.strictObject({ ...name, category: discountCategory, status: ruleStatus });

const about = <Data extends object>(stream: string, data: Data) => {
  const id = idOf(stream);
  return { entityId: id, data: { id, ...data } };
};

const saved = ({ stream, data }: EventNamed<'DiscountCreated' | 'DiscountChanged'>) => {
  const { name, code, category } = data.rule;
  return about(stream, { name, code, category, status: data.status });
};

type Switched = EventNamed<'DiscountActivated' | 'DiscountDeactivated' | 'DiscountExpired'>;

/** Older releases did not record which rule it was: no notification. */
const switched = (statusOf: (event: Switched) => Discount['status']) => (event: Switched) => {
  const { name, code = null, category } = event.data;
  if (name === undefined || category === undefined) return null;
  return about(event.stream, { name, code, category, status: statusOf(event) });
};

type Deleted = EventNamed<'DiscountDeleted'> & {
  readonly data: { readonly name?: string; readonly code?: string | null };
};

const deleted = ({ stream, data: { name, code = null } }: Deleted) =>
  name === undefined ? null : about(stream, { name, code });

export const discountTopics = declareTopics('Discounts', {
  'discount.created': {
    displayName: 'Discount Created',
    description: 'A discount is created.',
    entityType,
    schema: rule,
    sample: active,
    on: { DiscountCreated: saved },
  },
  'discount.updated': {
    displayName: 'Discount Updated',
    description:
      'The rule or the status of a discount has changed: by staff, or because a date of it has come.',
    entityType,
    schema: rule,
    sample: { ...active, status: 'Disabled' },
    on: {
      DiscountChanged: saved,
      DiscountActivated: switched(({ data }) => ('status' in data ? data.status : 'Active')),
      DiscountDeactivated: switched(() => 'Disabled'),
      DiscountExpired: switched(() => 'Expired'),
    },
  },
  'discount.deleted': {
    displayName: 'Discount Deleted',
    description: 'A discount is deleted.',
    entityType,
    schema: z.strictObject(name),
    sample: named,
    on: { DiscountDeleted: deleted },
  },
});
