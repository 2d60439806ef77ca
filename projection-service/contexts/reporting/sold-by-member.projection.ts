import type { Recorded } from '#kernel/event.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import {
  isNothing,
  noSums,
  soldChanges,
  withSums,
  type Dimension,
  type MemberSums,
  type SoldChange,
  type SoldEvent,
} from './sold-changes.ts';
import { VersionedRecord } from './versioned-record.ts';

/** Sums as they are kept: a day may have thousands of members. */
type KeptSums = readonly [
  sales: number,
  grossSales: number,
  discounts: number,
  returns: number,
  orders: number,
  items: number,
];

/** What was recorded on one day of what members of a dimension sold on a business day: signed, as in the rest. */
export interface SoldByMember extends Document {
  readonly businessDay: string;
  /** The UTC day of recording. */
  readonly recordedDay: string;
  /** By a part of their ids: what an event changes is copied, and it copies no more than one of these. */
  readonly members: Readonly<Record<string, Members>>;
}

type Members = Readonly<Record<string, KeptSums>>;

export const membersOf = ({ members }: SoldByMember): readonly (readonly [string, KeptSums])[] =>
  Object.values(members).flatMap((some) => Object.entries(some));

/** By the last digit but one: in a document of a dimension that is spread, the last one is the same. */
const partOf = (member: string): string => member.slice(-2, -1);

export const hasMember = ({ members }: SoldByMember, member: string): boolean =>
  members[partOf(member)]?.[member] !== undefined;

export const sumsOf = ([sales, grossSales, discounts, returns, orders, items]: KeptSums): MemberSums => ({
  sales,
  grossSales,
  discounts,
  returns,
  orders,
  items,
});

const kept = ({ sales, grossSales, discounts, returns, orders, items }: MemberSums): KeptSums => [
  sales,
  grossSales,
  discounts,
  returns,
  orders,
  items,
];

/** Dimensions that may have any number of members on a day: theirs are spread, by the last digit of their ids. */
const spread: ReadonlySet<Dimension> = new Set(['product', 'variant', 'customer', 'discount']);

/** Of a member of such a dimension. */
export const shardOfMember = (member: string): string => member.slice(-1);

const shardOf = ({ dimension, member }: SoldChange): string =>
  spread.has(dimension) ? shardOfMember(member) : '0';

/** The documents of a dimension stand side by side, by business day. */
export const keyFrom = (dimension: Dimension, businessDay: string): string => `${dimension} ${businessDay}`;

const keyOf = (change: SoldChange, recordedDay: string): string =>
  `${keyFrom(change.dimension, change.businessDay)} ${recordedDay} ${shardOf(change)}`;

type Changes = ReadonlyMap<string, readonly SoldChange[]>;

const known = new WeakMap<Recorded<SoldEvent>, Changes>();

const recordedDayOf = ({ recordedAt }: Recorded): string => recordedAt.slice(0, 10);

/** By document. Asked for each document of an event, they are worked out once. */
const changesOf = (event: Recorded<SoldEvent>): Changes => {
  const found = known.get(event);
  if (found) return found;
  const recordedDay = recordedDayOf(event);
  const changes = Map.groupBy(soldChanges(event), (change) => keyOf(change, recordedDay));
  known.set(event, changes);
  return changes;
};

type Part = VersionedRecord<KeptSums>;
type Parts = VersionedRecord<Part>;

/** Of documents that were made here and not read back. */
const inHand = new WeakMap<SoldByMember, Parts>();

const partsOf = (document: SoldByMember | null): Parts => {
  const known = document && inHand.get(document);
  if (known) return known;
  const members = Object.entries(document?.members ?? {});
  return VersionedRecord.of(members.map(([part, some]) => [part, VersionedRecord.of(Object.entries(some))]));
};

const membersFrom = (parts: Parts): SoldByMember['members'] =>
  Object.fromEntries(parts.entries().map(([part, some]) => [part, Object.fromEntries(some.entries())]));

/** They become plain objects only where the document is written or read. */
const withMembers = (facts: Omit<SoldByMember, 'members'>, parts: Parts): SoldByMember => {
  const document: SoldByMember = {
    ...facts,
    get members() {
      return membersFrom(parts);
    },
  };
  inHand.set(document, parts);
  return document;
};

const withChange = (parts: Parts, { member, sums }: SoldChange): Parts => {
  const name = partOf(member);
  const part: Part = parts.get(name) ?? VersionedRecord.of([]);
  const before = part.get(member);
  const after = withSums(before ? sumsOf(before) : noSums, sums);
  if (!isNothing(after)) return parts.with(name, part.with(member, kept(after)));
  const others = part.without(member);
  return others.size === 0 ? parts.without(name) : parts.with(name, others);
};

const changed = (document: SoldByMember | null, event: Recorded<SoldEvent>, key: string) => {
  const changes = changesOf(event).get(key) ?? [];
  const parts = changes.reduce(withChange, partsOf(document));
  const [{ businessDay } = { businessDay: document?.businessDay ?? '' }] = changes;
  if (parts.size === 0) return document && remove;
  return withMembers({ _id: key, businessDay, recordedDay: recordedDayOf(event) }, parts);
};

/**
 * What was sold by product, customer and the like, by business day and by the day of recording
 * (docs/rules/reporting.md#top). No document grows with the shop: what may have any number of members a day is spread
 * over sixteen.
 */
export const soldByMemberProjection = projection<SoldEvent>()<SoldByMember>({
  name: 'soldByMember',
  version: 2,
  indexes: [],
  keys: (event) => [...changesOf(event).keys()],
  on: {
    SaleConfirmed: changed,
    InvoiceEdited: changed,
    PaymentRefunded: changed,
    RefundFailed: changed,
    InvoiceCancelled: changed,
    InvoiceDeleted: changed,
  },
});
