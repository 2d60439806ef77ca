import type { CommandMeta } from '#command/engine/command-engine.ts';
import { stepMeta } from '#command/engine/command-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { customerSegment, type CustomerSegment } from '#entities/customer-segment.entity.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import { customerStream } from './customer.stream.ts';

type MemberDeps = Pick<CommandDeps, 'streams' | 'reference'>;

/** Errors: `entity-not-found`; `invalid-request` for a segment whose members follow from its criteria. */
const findManual = ({ reference }: MemberDeps, segmentId: string): void => {
  const found = reference.entities.find(customerSegment.category, segmentId);
  if (!found) throw notFound(customerSegment.noun);
  const { segmentType } = found as unknown as CustomerSegment;
  if (segmentType !== 'Manual')
    refuseProblems([
      'id: must be a Manual segment; the members of an Automated one follow from its criteria',
    ]);
};

const isKnown = async ({ streams }: MemberDeps, customerId: string): Promise<boolean> =>
  (await streams.load(customerStream, customerId)).state.status === 'known';

/**
 * Who is in a manual segment is said in each customer's own stream (docs/rules/customers.md#segments). Errors:
 * `entity-not-found`, `invalid-request`.
 */
export const createSegmentMembers = (deps: MemberDeps) => ({
  /** Adds all of them or none. Returns how many were not members before, and the position. */
  add: async (segmentId: string, customerIds: readonly string[], notes: string | null, meta: CommandMeta) => {
    findManual(deps, segmentId);
    const ids = [...new Set(customerIds)];
    const known = await Promise.all(ids.map((id) => isKnown(deps, id)));
    refuseProblems(
      customerIds.flatMap((id, place) =>
        known[ids.indexOf(id)] ? [] : [`customerIds.${place}: must be an existing customer`],
      ),
    );
    const command = { type: 'JoinSegment', segmentId, notes } as const;
    const joined = await Promise.all(
      ids.map((id) => deps.streams.send(customerStream, id, command, stepMeta(meta))),
    );
    const added = joined.filter(({ events }) => events.length > 0).length;
    const position = Math.max(0, ...joined.map((one) => one.position));
    return { added, alreadyMembers: ids.length - added, position };
  },
  /** Returns the position. Errors: also `entity-not-found` for a customer who is not a member. */
  remove: async (segmentId: string, customerId: string, meta: CommandMeta): Promise<number> => {
    findManual(deps, segmentId);
    const command = { type: 'LeaveSegment', segmentId } as const;
    const { events, position } = await deps.streams.send(customerStream, customerId, command, meta);
    if (events.length === 0) throw notFound('member');
    return position;
  },
});

export type SegmentMembers = ReturnType<typeof createSegmentMembers>;
