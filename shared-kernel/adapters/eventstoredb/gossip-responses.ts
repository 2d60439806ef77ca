import type { EndPoint } from './address.ts';
import { textOf } from './channel.ts';
import { gossip } from './protocol.ts';

/** A member that could be asked, as one node sees it. */
export interface Member {
  readonly endPoint: EndPoint;
  readonly isLeader: boolean;
}

/** Clusters have three to nine nodes, and perhaps a few replicas: more are not asked. */
export const MOST_MEMBERS = 12;

/** Members that are alive, the leader first. The rest of a node's answer is ignored. */
export const membersIn = (info: gossip.ClusterInfo): readonly Member[] => {
  const members: Member[] = [];
  for (const member of info.getMembersList()) {
    const address = member.getHttpEndPoint()?.getAddress() ?? '';
    const port = member.getHttpEndPoint()?.getPort() ?? 0;
    if (!member.getIsAlive() || address === '' || port <= 0 || port > 65_535) continue;
    members.push({
      endPoint: { address, port },
      isLeader: member.getState() === gossip.MemberInfo.VNodeState.LEADER,
    });
  }
  return members.toSorted((a, b) => Number(b.isLeader) - Number(a.isLeader)).slice(0, MOST_MEMBERS);
};

/** The one leader that a node names; null where it names none, or several, which is what it says when it is unsure. */
export const leaderNamedIn = (members: readonly Member[]): EndPoint | null => {
  const [leader, ...others] = members.filter(({ isLeader }) => isLeader);
  return leader && others.length === 0 ? leader.endPoint : null;
};

/**
 * The leader that at least half of the `asked` nodes name; null without one, or with two that half of them name each.
 * Gossip knows no terms: for a second or two a leader of before that has just woken is named like the one of today.
 */
export const leaderIn = (answers: Iterable<readonly Member[]>, asked: number): EndPoint | null => {
  const named = new Map<string, { endPoint: EndPoint; votes: number }>();
  for (const members of answers) {
    const endPoint = leaderNamedIn(members);
    if (!endPoint) continue;
    const key = textOf(endPoint);
    named.set(key, { endPoint, votes: (named.get(key)?.votes ?? 0) + 1 });
  }
  const [leader, ...others] = named
    .values()
    .toArray()
    .filter(({ votes }) => 2 * votes >= asked);
  return leader && others.length === 0 ? leader.endPoint : null;
};
