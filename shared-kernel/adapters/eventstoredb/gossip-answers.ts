import type { EndPoint } from './address.ts';
import { textOf } from './channel.ts';
import { gossip } from './protocol.ts';

/** A member that could be asked, as one node sees it. */
export interface Member {
  readonly endPoint: EndPoint;
  readonly isLeader: boolean;
  /** When that was so, by the clocks of the servers. */
  readonly timeStamp: number;
}

/** Clusters have three to nine nodes, and perhaps a few replicas: more are not asked. */
const MOST_MEMBERS = 12;

/** Members that are alive, the leader first. Whatever else a node says is passed over. */
export const membersIn = (info: gossip.ClusterInfo): readonly Member[] => {
  const members: Member[] = [];
  for (const member of info.getMembersList()) {
    const address = member.getHttpEndPoint()?.getAddress() ?? '';
    const port = member.getHttpEndPoint()?.getPort() ?? 0;
    if (!member.getIsAlive() || address === '' || port <= 0 || port > 65_535) continue;
    members.push({
      endPoint: { address, port },
      isLeader: member.getState() === gossip.MemberInfo.VNodeState.LEADER,
      timeStamp: Number(member.getTimeStamp()),
    });
  }
  return members.toSorted((a, b) => Number(b.isLeader) - Number(a.isLeader)).slice(0, MOST_MEMBERS);
};

/**
 * Whom most of the answers name as leader: a node that was cut off may go on calling itself that. Among equals the
 * newest; null when nobody is named.
 */
export const leaderIn = (answers: Iterable<readonly Member[]>): (EndPoint & { votes: number }) | null => {
  const named = new Map<string, { endPoint: EndPoint; votes: number; timeStamp: number }>();
  for (const members of answers) {
    for (const { endPoint, isLeader, timeStamp } of members) {
      if (!isLeader) continue;
      const key = textOf(endPoint);
      const before = named.get(key) ?? { endPoint, votes: 0, timeStamp };
      named.set(key, {
        endPoint,
        votes: before.votes + 1,
        timeStamp: Math.max(before.timeStamp, timeStamp),
      });
    }
  }
  const [first] = named
    .values()
    .toArray()
    .toSorted((a, b) => b.votes - a.votes || b.timeStamp - a.timeStamp);
  return first ? { ...first.endPoint, votes: first.votes } : null;
};
