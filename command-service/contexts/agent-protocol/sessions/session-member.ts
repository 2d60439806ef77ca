import type { CommandDeps } from '#command/engine/service-deps.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { BasketState } from '../../basket/basket.state.ts';
import type { MemberPayments } from '../../payments/agents/agent-payments.commands.ts';
import type { AskedFor } from './agent-session.commands.ts';
import type { AgentSession } from './agent-session.state.ts';

type Deps = Pick<CommandDeps, 'apis'>;

/** Who asks: what a verified request has made is shown to verified requests of its profile only. */
export interface AskingAgent {
  readonly profileUri: string;
  readonly isVerified: boolean;
  /** The member whose token came along; left out: it asks for a guest. */
  readonly memberId?: string;
  /** The network address, which limits how many new customers it can make known. Left out: no limit. */
  readonly ip?: string;
}

export const sessionNotFound = (): Rejection => new Rejection('not_found', 'This checkout was not found.');

/**
 * The session of a member opens to requests with a token of theirs, and to no other
 * (docs/rules/linked-members.md#sessions). Errors: Rejection `identity_required`, `not_found`.
 */
export const refuseOthers = (
  { memberId: owner }: Pick<AgentSession, 'memberId'>,
  { memberId }: AskingAgent,
): void => {
  if (owner === null || owner === memberId) return;
  if (memberId !== undefined) throw sessionNotFound();
  throw new Rejection(
    'identity_required',
    'This checkout is linked to a customer account: send the token of that customer.',
  );
};

/**
 * The session as its basket bears it out: which came first, the link or a shopper who takes the basket over, is decided
 * in the stream of the basket. It is a guest's where that was the shopper (docs/rules/linked-members.md#sessions).
 */
export const asBasketBearsOut = <Linked extends Pick<AgentSession, 'memberId'>>(
  session: Linked,
  { handOver, memberId }: Pick<BasketState, 'handOver' | 'memberId'>,
): Linked =>
  session.memberId === null || session.memberId === memberId || handOver === null
    ? session
    : { ...session, memberId: null };

/** The member an agent asks for, as the session records them; null: a guest. */
export const askedFor = async (
  { apis }: Deps,
  { memberId }: Pick<AskingAgent, 'memberId'>,
): Promise<AskedFor | null> =>
  memberId === undefined ? null : { memberId, customerId: await apis.members.customerOf(memberId) };

/** What its member may pay with besides; null: it is a guest's, or over. */
export const memberPayments = async (
  { apis }: Deps,
  { memberId, status }: Pick<AgentSession, 'memberId' | 'status'>,
): Promise<MemberPayments | null> =>
  memberId === null || status !== 'active' ? null : apis.payments.ofMember(memberId);
