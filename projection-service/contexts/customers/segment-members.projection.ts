import type { CustomerEvent } from '#events/customer.events.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';

/** A customer whom staff have put in a manual segment; their name is in the list of customers. */
export interface SegmentMemberDocument extends Document {
  readonly segmentId: string;
  readonly customerId: string;
  readonly dateAdded: string;
  /** Null once the customer has been forgotten. */
  readonly notes: string | null;
}

export const memberKey = (segmentId: string, customerId: string): string => `${segmentId}-${customerId}`;

/** Members of manual segments (docs/rules/customers.md#segments). */
export const segmentMembersProjection = projection<CustomerEvent>()<SegmentMemberDocument>({
  name: 'segment-members',
  version: 1,
  indexes: [{ fields: ['segmentId', 'dateAdded'] }, { fields: ['dateAdded'] }],
  keys: ({ type, data, stream }) => {
    const customerId = idOf(stream);
    if (type === 'CustomerDeleted' || type === 'CustomerForgettingStarted')
      return data.segmentIds.map((id) => memberKey(id, customerId));
    const isMembership = type === 'CustomerSegmentJoined' || type === 'CustomerSegmentLeft';
    return isMembership ? [memberKey(data.segmentId, customerId)] : [];
  },
  on: {
    CustomerSegmentJoined: (_, { stream, data: { segmentId, notes, at } }, key) => ({
      _id: key,
      segmentId,
      customerId: idOf(stream),
      dateAdded: at,
      notes,
    }),
    CustomerSegmentLeft: () => remove,
    CustomerDeleted: () => remove,
    CustomerForgettingStarted: () => remove,
  },
});
