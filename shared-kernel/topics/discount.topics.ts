import type { Discount } from '#entities/discount.entity.ts';
import { idOf } from '#values/stream-name.ts';
import { sampleId } from './samples.ts';
import { declareTopics, type Announcement, type EventNamed } from './topic.ts';

const named = { id: sampleId('discount'), name: 'Ten per cent off', code: 'WELCOME10' };
const active = { ...named, category: 'AmountOffOrder', status: 'Active' };

const about = (stream: string, data: object): Announcement => {
  const id = idOf(stream);
  return { entityType: 'Discount', entityId: id, data: { id, ...data } };
};

const saved = ({ stream, data }: EventNamed<'DiscountCreated' | 'DiscountChanged'>): Announcement => {
  const { name, code, category } = data.rule;
  return about(stream, { name, code, category, status: data.status });
};

type Switched = EventNamed<'DiscountActivated' | 'DiscountDeactivated' | 'DiscountExpired'>;

/** Older releases did not record which rule it was: no notification. */
const switched =
  (statusOf: (event: Switched) => Discount['status']) =>
  (event: Switched): Announcement | null => {
    const { name, code = null, category } = event.data;
    return name === undefined ? null : about(event.stream, { name, code, category, status: statusOf(event) });
  };

type Deleted = EventNamed<'DiscountDeleted'> & {
  readonly data: { readonly name?: string; readonly code?: string | null };
};

const deleted = ({ stream, data: { name, code = null } }: Deleted): Announcement | null =>
  name === undefined ? null : about(stream, { name, code });

export const discountTopics = declareTopics('Discounts', {
  'discount.created': {
    displayName: 'Discount Created',
    description: 'A discount is created.',
    sample: active,
    on: { DiscountCreated: saved },
  },
  'discount.updated': {
    displayName: 'Discount Updated',
    description: 'The rule or the status of a discount has changed.',
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
    sample: named,
    on: { DiscountDeleted: deleted },
  },
});
