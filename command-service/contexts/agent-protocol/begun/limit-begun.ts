import type { ProtocolRequest } from '#agents/commerce-protocol.ts';
import { protocolRefusal } from '#agents/protocol-error.ts';
import { clientNetwork } from '#values/client-network.ts';
import type { Begun, BegunByAgents } from './begun-by-agents.ts';

/** 0: no limit. */
export interface BegunLimits {
  readonly openSessionsPerAgent: number;
  readonly openSessionsPerAddress: number;
}

/** Those that have ended, or their time, make room: most of it after a while. */
const RETRY_AFTER_SECONDS = 60;

type Asked = Pick<ProtocolRequest, 'agent' | 'ip'>;

/**
 * Whether an agent may begin another one; what is returned is told of the one that was begun. Errors: Rejection
 * `rate_limited`.
 */
export type LimitBegun = (begun: Begun, asked: Asked) => (id: string) => void;

export const createLimitBegun =
  (
    book: Pick<BegunByAgents, 'countOf' | 'cameFrom'>,
    { openSessionsPerAgent, openSessionsPerAddress }: BegunLimits,
  ): LimitBegun =>
  (begun, { agent: { identity }, ip }) => {
    const profile = identity?.isVerified === true ? identity.profileUri : null;
    const limit = profile === null ? openSessionsPerAddress : openSessionsPerAgent;
    const owner = profile ?? (ip === '' ? null : clientNetwork(ip));
    if (owner !== null && limit > 0 && book.countOf(begun, owner) >= limit) {
      const whose = profile === null ? 'from this address without a signature' : 'of this profile';
      throw protocolRefusal({
        code: 'rate_limited',
        text: `Too many open ${begun}s ${whose}: complete or cancel some, or wait until they expire.`,
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    return (id) => {
      if (profile === null && owner !== null) book.cameFrom(begun, id, owner);
    };
  };
