import { DoubleLog } from './double-log.ts';
import { EventStoreDouble, type EventStoreDoubleOptions } from './double-server.ts';
import type { Member, Standing } from './double-standing.ts';
import { gossip } from './protocol.ts';

const { VNodeState } = gossip.MemberInfo;

type ClusterOptions = Pick<EventStoreDoubleOptions, 'withoutBatchAppend' | 'tls'>;

const instanceIdOf = (index: number): string =>
  `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;

/**
 * Two or three doubles over one log, of which one leads. Elections are held by the test: `elect`. What a node says of
 * the others is what all know, but one that hangs says nothing, and until somebody else is elected it counts as alive.
 */
export class EventStoreDoubleCluster {
  readonly log = new DoubleLog();
  readonly nodes: readonly EventStoreDouble[];
  /** In place of what the cluster knows of its members, when set. */
  gossip: readonly Member[] | null = null;
  #leader: number | null = 0;
  /** A node that has not heard of the last election. */
  #deluded: EventStoreDouble | null = null;
  /** A leader of before that all count as one beside the one that leads. */
  #revived: EventStoreDouble | null = null;
  /** Nodes that count as dead. */
  readonly #dead = new Set<number>();
  /** How often a leader was elected. */
  #term = 1;

  constructor(size: 2 | 3, options: ClusterOptions = {}) {
    this.nodes = Array.from(
      { length: size },
      (_, index) =>
        new EventStoreDouble({ ...options, cluster: { log: this.log, standing: this.#standingOf(index) } }),
    );
  }

  async start(): Promise<this> {
    await Promise.all(this.nodes.map((node) => node.start()));
    return this;
  }

  /** Of all nodes, for the client. */
  get address(): string {
    return this.#addressOf(this.nodes.keys().toArray(), 'esdb');
  }

  /** Of some nodes, which are to be asked for the rest. */
  seeds(...indexes: number[]): string {
    return this.#addressOf(indexes, 'esdb+discover');
  }

  get leader(): EventStoreDouble {
    const leader = this.#leader === null ? undefined : this.nodes[this.#leader];
    if (!leader) throw new Error('the cluster has no leader');
    return leader;
  }

  /** The leader becomes a follower, and nobody leads. */
  resign(): void {
    this.#leader = null;
  }

  /** The leader goes on holding its connections and says nothing. The others learn of it at the next election. */
  hang(): EventStoreDouble {
    const { leader } = this;
    leader.faults.freeze();
    return leader;
  }

  /** The next node that does not hang leads. */
  elect(): EventStoreDouble {
    const before = this.#leader ?? -1;
    this.nodes.forEach((node, index) => {
      if (node.faults.isFrozen) this.#dead.add(index);
      else this.#dead.delete(index);
    });
    const places = this.nodes.map((_, step) => (before + 1 + step) % this.nodes.length);
    const elected = places.find((index) => !this.#dead.has(index));
    if (elected === undefined) throw new Error('no node is left to lead the cluster');
    this.#leader = elected;
    this.#term++;
    return this.leader;
  }

  /** A node that hung goes on, as a follower if another leads by now. */
  comeBack(node: EventStoreDouble): void {
    this.#dead.delete(this.nodes.indexOf(node));
    node.faults.thaw();
  }

  /**
   * A leader that hung wakes and has not heard yet that another leads: it calls itself that, and so do all others, of
   * both. It answers out of `log`, the one that it had when it hung, perhaps with a tail that only it has; appends
   * to it get no answer. Ended by `hearsOfElection`.
   */
  wakesAsLeader(node: EventStoreDouble, log: DoubleLog): void {
    node.log = log;
    node.faults.isDeafToAppends = true;
    this.#revived = node;
    this.comeBack(node);
  }

  /** The leader of before follows the one that leads, and what only it had is cut off. */
  hearsOfElection(node: EventStoreDouble): void {
    this.#revived = null;
    node.faults.isDeafToAppends = false;
    node.log = this.log;
    node.faults.dropSubscriptions('with an error');
  }

  /** The node says to everybody that it leads, which the others do not. */
  believesToLead(node: EventStoreDouble): void {
    this.#deluded = node;
  }

  close(): void {
    for (const node of this.nodes) node.close();
    this.log.close();
  }

  #addressOf(indexes: readonly number[], scheme: string): string {
    const hosts = indexes
      .map((index) => this.nodes[index]?.endPoint)
      .map((at) => `${at?.address}:${at?.port}`);
    const [, options] = this.nodes[0]?.address.split('?') ?? [];
    return `${scheme}://${hosts.join(',')}?${options}`;
  }

  #standingOf(index: number): Standing {
    return {
      leader: () => {
        const node = this.nodes[index];
        if (this.#leader === index || node === this.#deluded || node === this.#revived) return 'itself';
        return this.#leader === null ? null : (this.nodes[this.#leader]?.endPoint ?? null);
      },
      members: () => {
        if (this.gossip) return this.gossip;
        const leader = this.nodes[index] === this.#deluded ? index : this.#leader;
        return this.nodes.map((node, place) => this.#memberAt(node, place, leader));
      },
    };
  }

  #memberAt(node: EventStoreDouble, index: number, leader: number | null): Member {
    const follows = leader === null ? VNodeState.UNKNOWN : VNodeState.FOLLOWER;
    return {
      instanceId: instanceIdOf(index),
      // What a node says of itself is the newest.
      timeStamp: this.#term + Number(node === this.#revived),
      state: leader === index || node === this.#revived ? VNodeState.LEADER : follows,
      isAlive: !this.#dead.has(index),
      endPoint: node.endPoint,
    };
  }
}
