import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EndPoint, ServerAddress } from './address.ts';
import { textOf } from './channel.ts';
import { causeOf } from './failures.ts';
import type { Member } from './gossip-answers.ts';
import { Node } from './node.ts';
import type { Patience } from './patience.ts';
import { Poll } from './poll.ts';

/** Between two rounds of asking who leads, whatever the address says. */
const SHORTEST_PAUSE_MILLISECONDS = 10;

export interface LeaderOptions {
  readonly server: ServerAddress;
  readonly patience: Patience;
  /** Told when another node is taken for the leader. */
  readonly onChange: (change: {
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  }) => void;
}

/**
 * The node that leads, as far as is known. It is searched for when it is needed; one that does not serve is left, and
 * one that is only doubted stays until another is found.
 */
export class Leader {
  readonly #options: LeaderOptions;
  #node: Node | undefined;
  #finding: Promise<Node> | undefined;
  #isLooking = false;
  #isChecking = false;
  #lookedAt = -Infinity;
  #members: readonly EndPoint[] = [];
  #isClosed = false;
  /** How many nodes have been taken for the leader, the same one again included. */
  generation = 0;

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  /** Rejects with `EngineUnavailable` when nobody leads. */
  async node(): Promise<Node> {
    if (this.#isClosed) throw closed();
    return this.#node ?? (this.#finding ??= this.#find().finally(() => (this.#finding = undefined)));
  }

  /** True when there may be another node than the one that was left. */
  get mayBeElsewhere(): boolean {
    return this.#options.server.isCluster || this.#node !== undefined;
  }

  /** What an error of a call on `node` says about the leader. */
  failed(node: Node, error: unknown): void {
    const cause = causeOf(error);
    if (node !== this.#node || cause === 'the call') return;
    if (cause === 'a doubtful node') return this.doubt(node);
    if (cause === 'a lost connection') return this.#lose(node, error);
    this.#replace(node, cause.leader, 'it says that it does not lead');
  }

  /** Looks beside the calls that wait whether another node leads by now. */
  doubt(node: Node): void {
    const now = performance.now();
    if (node !== this.#node || this.#isLooking) return;
    if (now - this.#lookedAt < this.#options.patience.againMilliseconds) return;
    this.#lookedAt = now;
    this.#isLooking = true;
    void this.#look(node).finally(() => (this.#isLooking = false));
  }

  /** For a connection on which nothing needs to be said: doubts a node that does not answer or does not lead. */
  async check(node: Node): Promise<void> {
    if (node !== this.#node || this.#isChecking) return;
    this.#isChecking = true;
    const members = await node.members(this.#gossipMilliseconds).catch(() => null);
    this.#isChecking = false;
    const isLeading =
      members !== null &&
      (!this.#options.server.isCluster ||
        members.some(({ endPoint, isLeader }) => isLeader && isSame(endPoint, node.endPoint)));
    if (!isLeading) this.doubt(node);
  }

  close(): void {
    this.#isClosed = true;
    this.#node?.leave(closed());
    this.#node = undefined;
  }

  get #gossipMilliseconds(): number {
    const { server, patience } = this.#options;
    return Math.min(server.gossipTimeoutMilliseconds, patience.gossipMilliseconds);
  }

  async #find(): Promise<Node> {
    const { hosts, isCluster, discoveryAttempts, discoveryIntervalMilliseconds } = this.#options.server;
    const [only] = hosts;
    if (!isCluster && only) return this.#take(only);
    let failure = '';
    for (let attempt = 0; attempt < discoveryAttempts; attempt++) {
      if (attempt > 0) await sleep(Math.max(SHORTEST_PAUSE_MILLISECONDS, discoveryIntervalMilliseconds));
      const poll = this.#poll();
      const leader = await poll.leader();
      failure = poll.failure;
      this.#heardOf(poll);
      if (this.#isClosed) throw closed();
      if (leader) return this.#take(leader);
    }
    throw new EngineUnavailable(`no node of EventStoreDB names a leader (${failure})`);
  }

  async #look(node: Node): Promise<void> {
    const isAnswering = node.members(this.#gossipMilliseconds).then(
      () => true,
      () => false,
    );
    const poll = this.#poll();
    try {
      const better = await this.#betterThan(node, poll, isAnswering);
      if (better) this.#replace(node, better, 'it does not answer, or no longer leads');
    } finally {
      this.#heardOf(poll);
    }
  }

  /** Null while there is nobody else: then those who wait are best served where they are. */
  async #betterThan(node: Node, poll: Poll, isAnswering: Promise<boolean>): Promise<EndPoint | null> {
    const { isCluster, hosts } = this.#options.server;
    const leader = isCluster ? await poll.leader() : (hosts[0] ?? null);
    if (leader === null) return null;
    if (isCluster && !isSame(leader, node.endPoint)) return leader;
    // The node is there for new connections, and this one is dead.
    const [isThere, isAlive] = await Promise.all([poll.isAnsweredBy(leader), isAnswering]);
    return isThere && !isAlive ? leader : null;
  }

  #poll(): Poll {
    const { server } = this.#options;
    const known = new Map(
      [...server.hosts, ...this.#members].map((endPoint) => [textOf(endPoint), endPoint]),
    );
    return new Poll([...known.values()], server, this.#gossipMilliseconds);
  }

  #heardOf(poll: Poll): void {
    const named = new Map(poll.members().map((member: Member) => [textOf(member.endPoint), member.endPoint]));
    if (this.#options.server.isCluster && named.size > 0) this.#members = [...named.values()].slice(0, 12);
    poll.close();
  }

  #take(endPoint: EndPoint): Node {
    if (this.#node) return this.#node;
    this.generation++;
    this.#node = new Node(endPoint, this.#options.server);
    return this.#node;
  }

  #lose(node: Node, error: unknown): void {
    this.#node = undefined;
    node.leave(new EngineUnavailable(`the connection to EventStoreDB was lost: ${messageOf(error)}`));
  }

  #replace(node: Node, endPoint: EndPoint, reason: string): void {
    if (node !== this.#node || this.#isClosed) return;
    const [from, to] = [textOf(node.endPoint), textOf(endPoint)];
    this.#node = undefined;
    this.#take(endPoint);
    this.#options.onChange({ from, to, reason });
    node.leave(new EngineUnavailable(`EventStoreDB is led by ${to}, no longer by ${from}: ${reason}`));
  }
}

const isSame = (one: EndPoint, other: EndPoint): boolean => textOf(one) === textOf(other);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const closed = (): EngineUnavailable => new EngineUnavailable('the event store is closed');
