import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListQuery } from '#contracts/listing.contract.ts';
import type { CustomerSegment } from '#entities/customer-segment.entity.ts';
import { belongsTo } from '#values/customer-segments.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Minor } from '#values/money.ts';
import { isFound } from '#values/search.ts';
import type { ViewReader } from '../../engine/reader.ts';
import {
  customerListProjection,
  factsOfDocument,
  type CustomerDocument,
} from './customer-list.projection.ts';
import {
  memberKey,
  segmentMembersProjection,
  type SegmentMemberDocument,
} from './segment-members.projection.ts';

type Views = Pick<ViewReader, 'find' | 'getMany'>;

/** What the members of a segment come to. */
export interface SegmentCounters {
  readonly members: number;
  /** Those with an order. */
  readonly active: number;
  readonly orders: number;
  /** Store currency. */
  readonly revenue: Minor;
}

export interface NamedSegment {
  readonly id: string;
  readonly fields: CustomerSegment;
}

/** Customers that are read at a time. */
const BATCH = 500;
/** The customers, times segments, examined before other work gets its turn. */
const LOOKS_A_TURN = 2000;

/** Customers in batches, in the order of their ids. */
async function* allCustomers(views: Views): AsyncGenerator<readonly CustomerDocument[]> {
  let gt = '';
  for (;;) {
    const page = await views.find<CustomerDocument>(customerListProjection.name, {
      filter: { _id: { gt } },
      sort: [['_id', 1]],
      limit: BATCH,
    });
    yield page;
    if (page.length < BATCH) return;
    gt = page.at(-1)?._id ?? '';
  }
}

/** Whom staff have put in a segment, in batches. */
async function* membersOf(views: Views, segmentId: string): AsyncGenerator<readonly CustomerDocument[]> {
  let gt = memberKey(segmentId, '');
  // '.' comes right after the '-' between segment and customer.
  const lt = `${segmentId}.`;
  for (;;) {
    const page = await views.find<SegmentMemberDocument>(segmentMembersProjection.name, {
      filter: { _id: { gt, lt } },
      sort: [['_id', 1]],
      limit: BATCH,
    });
    const ids = page.map(({ customerId }) => customerId);
    yield await views.getMany<CustomerDocument>(customerListProjection.name, ids);
    if (page.length < BATCH) return;
    gt = page.at(-1)?._id ?? '';
  }
}

type Visit = (segmentId: string, customer: CustomerDocument) => void;

/** Goes through all current members of these segments; through all customers once, however many segments ask. */
const eachMember = async (
  views: Views,
  segments: readonly NamedSegment[],
  now: number,
  visit: Visit,
): Promise<void> => {
  const look = async (
    batches: AsyncGenerator<readonly CustomerDocument[]>,
    among: readonly NamedSegment[],
  ): Promise<void> => {
    let looks = 0;
    for await (const customers of batches)
      for (const customer of customers) {
        const facts = factsOfDocument(customer);
        for (const { id, fields } of among) if (belongsTo(id, fields, facts, now)) visit(id, customer);
        looks += among.length;
        if (looks < LOOKS_A_TURN) continue;
        looks = 0;
        await nextTurn();
      }
  };
  const active = segments.filter(({ fields }) => fields.isActive);
  for (const one of active)
    if (one.fields.segmentType === 'Manual') await look(membersOf(views, one.id), [one]);
  const automated = active.filter(({ fields }) => fields.criteria.length > 0);
  if (automated.length > 0) await look(allCustomers(views), automated);
};

export const noMembers: SegmentCounters = { members: 0, active: 0, orders: 0, revenue: 0 };

const withMember = (
  { members, active, orders, revenue }: SegmentCounters,
  { orderCount, totalSpend }: CustomerDocument,
): SegmentCounters => ({
  members: members + 1,
  active: active + (orderCount > 0 ? 1 : 0),
  orders: orders + orderCount,
  revenue: revenue + totalSpend,
});

/** What was counted a moment ago is told again for so long, unless the caller knows of something newer. */
const FRESH_MILLISECONDS = 10_000;
/** Questions that may wait for one another. */
const MAX_WAITING = 20;

interface Remembered {
  readonly counters: SegmentCounters;
  readonly fields: CustomerSegment;
  readonly at: number;
  /** The position that its caller knew of. */
  readonly position: number;
}

/** One after another, as each goes through all customers; more than a few at once are told to come back. */
const createQueue = () => {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (waiting >= MAX_WAITING)
      throw new Rejection('too-many-requests', 'Segments are being counted. Please try again in a minute.');
    waiting++;
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn.finally(() => void waiting--);
  };
};

/**
 * Who belongs to segments now, over the list of customers: page by page, so that neither memory nor a turn of the event
 * loop grows with the number of customers (docs/rules/customers.md#counting).
 */
export const createSegmentCounter = (views: Views, clock: { now(): number }) => {
  const remembered = new Map<string, Remembered>();
  const inTurn = createQueue();

  const known = ({ id, fields }: NamedSegment, position: number): SegmentCounters | undefined => {
    const found = remembered.get(id);
    if (!found || found.fields !== fields || found.position < position) return undefined;
    return clock.now() - found.at < FRESH_MILLISECONDS ? found.counters : undefined;
  };

  const count = async (
    segments: readonly NamedSegment[],
    position: number,
  ): Promise<readonly SegmentCounters[]> => {
    const at = clock.now();
    const counters = new Map(segments.map((segment) => [segment.id, known(segment, position)]));
    const missing = segments.filter(({ id }) => !counters.get(id));
    await eachMember(views, missing, at, (id, customer) =>
      counters.set(id, withMember(counters.get(id) ?? noMembers, customer)),
    );
    for (const [id, one] of remembered) if (at - one.at >= FRESH_MILLISECONDS) remembered.delete(id);
    for (const { id, fields } of missing)
      remembered.set(id, { counters: counters.get(id) ?? noMembers, fields, at, position });
    return segments.map(({ id }) => counters.get(id) ?? noMembers);
  };

  return {
    /** In the order of the segments. `position`: of the log, up to which the caller has to be told the truth. */
    counters: async (
      segments: readonly NamedSegment[],
      position = 0,
    ): Promise<readonly SegmentCounters[]> => {
      const before = segments.flatMap((segment) => known(segment, position) ?? []);
      return before.length === segments.length ? before : inTurn(() => count(segments, position));
    },
    /** One page of the members, and how many there are. */
    page: (segment: NamedSegment, { page, pageSize, search }: ListQuery) =>
      inTurn(async () => {
        const customers: CustomerDocument[] = [];
        const first = (page - 1) * pageSize;
        let totalItems = 0;
        await eachMember(views, [segment], clock.now(), (_, customer) => {
          if (!isFound(search, [customer.searchText])) return;
          if (totalItems >= first && customers.length < pageSize) customers.push(customer);
          totalItems++;
        });
        return { customers, totalItems };
      }),
  };
};

export type SegmentCounter = ReturnType<typeof createSegmentCounter>;
