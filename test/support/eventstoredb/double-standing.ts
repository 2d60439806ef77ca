import { Metadata, status as code } from '@grpc/grpc-js';
import type { DoubleFaults } from './double-faults.ts';
import { gossip, shared } from './protocol.ts';

export interface EndPoint {
  readonly address: string;
  readonly port: number;
}

/** A row of the gossip. The protocol has no term: what is newest is told by the time stamp. */
export interface Member {
  readonly instanceId: string;
  readonly timeStamp: number;
  readonly state: gossip.MemberInfo.VNodeState;
  readonly isAlive: boolean;
  readonly endPoint: EndPoint | null;
}

/** What a node of the double knows of the cluster that it is in. */
export interface Standing {
  /** Who leads as far as this node knows: itself, another, or nobody. */
  leader(): 'itself' | EndPoint | null;
  members(): readonly Member[];
}

/** As gRPC tells it. */
export interface Refusal {
  readonly code: code;
  readonly details: string;
  readonly metadata: Metadata;
}

const refusal = (status: code, details: string, trailers: Readonly<Record<string, string>> = {}): Refusal => {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return { code: status, details, metadata };
};

const sayings = {
  'not ready': { code: code.UNAVAILABLE, details: 'Server Is Not Ready' },
  'too busy': { code: code.UNAVAILABLE, details: 'Server Is Too Busy' },
  'no leader': { code: code.UNKNOWN, details: 'No leader info available in response' },
} as const;

/** Why this node does not serve a call that wants the leader; null if it does. */
export const refusalOf = (faults: DoubleFaults, standing: Standing): Refusal | null => {
  const leader = standing.leader();
  const saying = faults.refusal ?? (leader === null ? 'no leader' : null);
  if (saying !== null) return refusal(sayings[saying].code, sayings[saying].details);
  if (leader === 'itself' || leader === null) return null;
  return refusal(code.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.address,
    'leader-endpoint-port': String(leader.port),
  });
};

/** A refusal that names the leader ends a whole batch call; the others are said of one append, and the call goes on. */
export const endsBatchCall = ({ metadata }: Refusal): boolean =>
  metadata.get('exception')[0] === 'not-leader';

export const accessDenied = (): Refusal =>
  refusal(code.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const streamDeleted = (stream: string): Refusal =>
  refusal(code.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

/** The answer to a read of all that begins inside a record. */
export const noPlace = (options: { readonly isFiltered: boolean }): Refusal =>
  refusal(code.UNKNOWN, `Unexpected ${options.isFiltered ? 'Filtered' : ''}ReadAllResult: Error`);

/** The same of a later server. */
export const invalidPosition = (): Refusal =>
  refusal(code.INVALID_ARGUMENT, 'Trying to read from an invalid position.');

export const consumerTooSlow = (): Refusal =>
  refusal(
    code.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

export const clusterInfo = (members: readonly Member[]): gossip.ClusterInfo =>
  new gossip.ClusterInfo().setMembersList(
    members.map(({ instanceId, timeStamp, state, isAlive, endPoint }) => {
      const info = new gossip.MemberInfo()
        .setInstanceId(new shared.UUID().setString(instanceId))
        .setTimeStamp(String(timeStamp))
        .setState(state)
        .setIsAlive(isAlive);
      return endPoint === null
        ? info
        : info.setHttpEndPoint(new gossip.EndPoint().setAddress(endPoint.address).setPort(endPoint.port));
    }),
  );
