import { setTimeout as sleep } from 'node:timers/promises';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EndPoint, ServerAddress } from './address.ts';
import { textOf } from './channel.ts';
import { causeOf } from './failures.ts';
import { MOST_MEMBERS } from './gossip-responses.ts';
import { holdsEvent, type LastSeen } from './last-seen.ts';
import { Node } from './node.ts';
import type { Patience } from './patience.ts';
import { Poll } from './poll.ts';

/** Between two rounds of asking for the leader, whatever the address says. */
const SHORTEST_PAUSE_MILLISECONDS = 10;

export interface LeaderOptions {
  readonly server: ServerAddress;
  readonly patience: Patience;
  /** What a node must hold before anything is asked of it. */
  readonly lastSeen: LastSeen;
  /** Told when another node, or another connection, is taken for the leader. */
  readonly onChange: (change: {
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  }) => void;
}

/**
 * The node that leads, as far as is known. It is searched for when it is needed. One that does not serve is left. One
 * that was silent is in doubt: it stays until another is found, and its answers count once the others name it again, as
 * it may have hung while another was elected and not know of that yet.
 */
export class Leader {
  readonly #options: LeaderOptions;
  #isCluster: boolean;
  #node: Node | undefined;
  #isDoubted = false;
  #finding: Promise<Node> | undefined;
  #looking: Promise<void> | undefined;
  #confirming: Promise<void> | undefined;
  #isChecking = false;
  #lookedAt = -Infinity;
  #members: readonly EndPoint[] = [];
  /** The node that was left last, and why. */
  #before: { readonly from: string; readonly reason: string } | undefined;
  #isClosed = false;
  /** How many nodes have been taken for the leader, the same one again included. */
  generation = 0;
  /** How often a node was left or came into doubt. */
  disturbances = 0;

  constructor(options: LeaderOptions) {
    this.#options = options;
    this.#isCluster = options.server.isCluster;
  }

  /** Rejects with `EngineUnavailable` when no node leads. */
  async node(): Promise<Node> {
    if (this.#isClosed) throw closed();
    return this.#node ?? (this.#finding ??= this.#find().finally(() => (this.#finding = undefined)));
  }

  /** True when there may be another node than the one that was left. */
  get mayBeElsewhere(): boolean {
    return this.#isCluster || this.#node !== undefined;
  }

  /** True while what the node says may be of the past. */
  isInDoubt(node: Node): boolean {
    return this.#isDoubted && node === this.#node;
  }

  /** Resolves once the node is in doubt no more. Rejects when it is left. */
  async confirmed(node: Node): Promise<void> {
    if (this.isInDoubt(node)) {
      await (this.#confirming ??= this.#confirm(node).finally(() => (this.#confirming = undefined)));
    }
    if (node.reason) throw node.reason;
  }

  /** What an error of a call on `node` says about the leader. */
  failed(node: Node, error: unknown): void {
    const cause = causeOf(error);
    if (node !== this.#node || cause === 'the call') return;
    if (cause === 'a doubtful node') return this.doubt(node);
    if (cause === 'a lost connection')
      return this.#leave(node, `its connection was lost: ${messageOf(error)}`);
    this.#learn(cause.leader);
    this.#leave(node, 'it says that it does not lead');
  }

  /** Looks beside the calls that wait whether another node leads by now. */
  doubt(node: Node): void {
    if (node !== this.#node) return;
    this.#disturbed();
    const now = performance.now();
    if (this.#looking || now - this.#lookedAt < this.#options.patience.againMilliseconds) return;
    void this.#lookAround(node);
  }

  /** For a connection on which nothing needs to be said: doubts a node that does not answer or does not lead. */
  async check(node: Node): Promise<void> {
    if (node !== this.#node || this.#isChecking) return;
    this.#isChecking = true;
    const members = await node.members(this.#gossipMilliseconds).catch(() => null);
    this.#isChecking = false;
    const isLeading =
      members !== null &&
      (!this.#isCluster ||
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
    const { hosts, discoveryAttempts, discoveryIntervalMilliseconds } = this.#options.server;
    let failure = '';
    for (let attempt = 0; attempt < discoveryAttempts; attempt++) {
      if (attempt > 0) await sleep(Math.max(SHORTEST_PAUSE_MILLISECONDS, discoveryIntervalMilliseconds));
      if (this.#isClosed) throw closed();
      const poll = this.#isCluster ? this.#poll() : null;
      try {
        const leader = poll ? await poll.leader() : hosts[0];
        if (leader) return this.#take(await this.#enter(leader));
        failure = poll?.failure ?? '';
      } catch (error) {
        const cause = causeOf(error);
        if (typeof cause === 'object') this.#learn(cause.leader);
        else if (!this.#isCluster || this.#isClosed) throw error;
        failure = messageOf(error);
      } finally {
        if (poll) this.#heardOf(poll);
      }
    }
    throw new EngineUnavailable(`no node of EventStoreDB leads for sure (${failure})`);
  }

  #lookAround(node: Node): Promise<void> {
    this.#lookedAt = performance.now();
    return (this.#looking ??= this.#look(node)
      // It stays in doubt, and is looked at again.
      .catch(() => undefined)
      .finally(() => (this.#looking = undefined)));
  }

  /** Moves to the node that leads, or to the same one over a new connection where the old one is dead. */
  async #look(node: Node): Promise<void> {
    const isAnswering = (): Promise<boolean> =>
      node.members(this.#gossipMilliseconds).then(
        () => true,
        () => false,
      );
    const first = isAnswering();
    const poll = this.#poll();
    try {
      const leader = this.#isCluster ? await poll.leader() : (this.#options.server.hosts[0] ?? null);
      if (leader === null) return;
      if (this.#isCluster && !isSame(leader, node.endPoint)) {
        return this.#replace(node, await this.#enter(leader), 'it does not answer, or no longer leads');
      }
      const isThere = await poll.isAnsweredBy(leader);
      // Asked again: it may have woken while it was asked.
      const isAlive = (await first) || (isThere && (await isAnswering()));
      if (isAlive && node === this.#node) this.#isDoubted = false;
      else if (isThere) this.#replace(node, await this.#enter(leader), 'its connection is dead');
    } finally {
      this.#heardOf(poll);
    }
  }

  async #confirm(node: Node): Promise<void> {
    while (this.isInDoubt(node)) {
      await this.#lookAround(node);
      if (this.isInDoubt(node)) await sleep(this.#options.patience.againMilliseconds);
    }
  }

  /** A connection to a node that holds all that has been seen. Rejects where it does not. */
  async #enter(endPoint: EndPoint): Promise<Node> {
    const { server, lastSeen } = this.#options;
    const node = new Node(endPoint, server);
    try {
      for (let seen = lastSeen.event, held = null; seen !== null && seen !== held; seen = lastSeen.event) {
        if (!(await holdsEvent(node, seen, this.#gossipMilliseconds)))
          throw forgetful(endPoint, seen.position);
        held = seen;
      }
      return node;
    } catch (error) {
      node.leave(new EngineUnavailable(messageOf(error)));
      throw error;
    }
  }

  #poll(): Poll {
    const { server } = this.#options;
    const known = new Map(
      [...server.hosts, ...this.#members].map((endPoint) => [textOf(endPoint), endPoint]),
    );
    return new Poll([...known.values()], server, this.#gossipMilliseconds);
  }

  #heardOf(poll: Poll): void {
    const named = new Map(poll.members().map(({ endPoint }) => [textOf(endPoint), endPoint]));
    if (this.#isCluster && named.size > 0) this.#members = [...named.values()].slice(0, MOST_MEMBERS);
    poll.close();
  }

  /** That there is a cluster, and a node of it. */
  #learn(member: EndPoint): void {
    this.#isCluster = true;
    if (this.#members.length === 0) this.#members = [member];
  }

  #disturbed(): void {
    this.disturbances++;
    this.#isDoubted = this.#isCluster;
  }

  #take(node: Node): Node {
    if (this.#isClosed) {
      node.leave(closed());
      throw closed();
    }
    this.generation++;
    this.#isDoubted = false;
    this.#node = node;
    const to = textOf(node.endPoint);
    if (this.#before && this.#before.from !== to) this.#options.onChange({ ...this.#before, to });
    return node;
  }

  #leave(node: Node, reason: string): void {
    this.disturbances++;
    const from = textOf(node.endPoint);
    this.#node = undefined;
    this.#before = { from, reason };
    node.leave(new EngineUnavailable(`${from} of EventStoreDB was left: ${reason}`));
  }

  #replace(node: Node, next: Node, reason: string): void {
    if (node !== this.#node || this.#isClosed) return next.leave(closed());
    this.#leave(node, reason);
    this.#take(next);
  }
}

const isSame = (one: EndPoint, other: EndPoint): boolean => textOf(one) === textOf(other);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const closed = (): EngineUnavailable => new EngineUnavailable('the event store is closed');

const forgetful = (endPoint: EndPoint, position: number): EngineUnavailable =>
  new EngineUnavailable(
    `${textOf(endPoint)} of EventStoreDB does not hold the event at position ${position}, which this process has seen: ` +
      'it has not caught up, or its log was restored from an older copy; after that, restart the services',
  );
