import type { AgentRequest } from '#agents/agent-request.ts';
import { createOwnLimit } from './own-limit.ts';
import { ProtocolRejection } from './protocol-rejection.ts';
import { countedAddress, type Taken } from './rate-limit.ts';

/** 0: no limit. */
export interface AgentRates {
  readonly requestsPerMinute: number;
  readonly completesPerMinute: number;
  readonly unsignedPerAddressPerMinute: number;
}

/** How a request counts: not at all, as one of many, or as a payment too. */
export type Counted = 'nothing' | 'request' | 'complete';

/**
 * Counts in this process: what an agent has signed under its profile, all else under the caller's address, as anyone
 * can name a profile (docs/rules/agents.md#limits). Throws `rate_limited`.
 */
export type AgentLimits = (agent: AgentRequest, ip: string, counted: Counted) => void;

export const createAgentLimits = (now: () => number, rates: AgentRates): AgentLimits => {
  const requests = createOwnLimit({ now, windowSeconds: 60 });
  const completes = createOwnLimit({ now, windowSeconds: 60 });
  const unsigned = createOwnLimit({ now, windowSeconds: 60 });
  const refuse = (what: string, taken: Taken): void => {
    if (taken.isTaken) return;
    const { retryAfterSeconds } = taken;
    throw new ProtocolRejection({
      code: 'rate_limited',
      text: `Too many ${what}. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    });
  };
  return ({ identity }, ip, counted) => {
    if (counted === 'nothing') return;
    if (!identity?.isVerified) {
      const limit = ip === '' ? 0 : rates.unsignedPerAddressPerMinute;
      refuse('unsigned requests from this address', unsigned.take(countedAddress({ ip }), limit));
      return;
    }
    const { profileUri } = identity;
    refuse('requests of this profile', requests.take(profileUri, rates.requestsPerMinute));
    if (counted === 'complete')
      refuse('payments of this profile', completes.take(profileUri, rates.completesPerMinute));
  };
};
