import type { FulfilmentInput } from '#agents/protocol-inputs.ts';
import type { SessionChanges, StartSession } from './agent-session.commands.ts';
import type { AgentSession } from './agent-session.state.ts';
import { changedSending } from './session-destinations.ts';
import type { StoredAddresses } from './stored-addresses.ts';

/** What a request says of fulfilment, unchecked. */
export interface Sent {
  /** Undefined: nothing is said; null: everything is cleared. */
  readonly sending?: FulfilmentInput | null | undefined;
}

/** The destinations and fulfilment of a session after a request. */
export const sendingAfter = async (
  { storedAddresses }: { readonly storedAddresses: StoredAddresses },
  before: Pick<AgentSession, 'destinations' | 'fulfilment' | 'hasManyGroups' | 'memberId' | 'buyer'>,
  {
    sending: asked,
    buyer: named,
    member,
  }: Sent & Pick<SessionChanges, 'buyer'> & Pick<StartSession, 'member'>,
  newId: (index: number) => string,
): Promise<Pick<SessionChanges, 'destinations' | 'fulfilment'>> => {
  const buyer = named === undefined ? before.buyer : named;
  const namesBuyer = named !== undefined || (member !== null && before.memberId === null);
  if (asked === undefined && !namesBuyer) return {};
  const memberId = member?.memberId ?? before.memberId;
  const stored = await storedAddresses.of({ memberId, email: buyer?.email ?? null });
  return changedSending(before, { asked, stored, namesBuyer, newId });
};

export const nothingSent = { destinations: [], fulfilment: null, buyer: null, memberId: null };
