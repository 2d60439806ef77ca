import type { EndPoint, ServerAddress } from './address.ts';
import { textOf } from './channel.ts';
import { leaderIn, leaderNamedIn, MOST_MEMBERS, type Member } from './gossip-responses.ts';
import { Node } from './node.ts';

/**
 * Asks several nodes at once who leads, and those that they name; each over a new connection, for those that are there
 * may be the dead ones.
 */
export class Poll {
  readonly #server: ServerAddress;
  readonly #milliseconds: number;
  readonly #mostNodes: number;
  readonly #nodes = new Map<string, Node>();
  readonly #answers = new Map<string, readonly Member[]>();
  readonly #settled = new Map<string, Promise<void>>();
  readonly #leader = Promise.withResolvers<EndPoint | null>();
  #left = 0;
  #isClosed = false;
  /** Why the last of those that did not answer did not. */
  failure = 'those that answer agree on none';

  constructor(endPoints: readonly EndPoint[], server: ServerAddress, milliseconds: number) {
    this.#server = server;
    this.#milliseconds = milliseconds;
    this.#mostNodes = endPoints.length + MOST_MEMBERS;
    for (const endPoint of endPoints) this.#askOnce(endPoint);
    if (this.#left === 0) this.#leader.resolve(null);
  }

  /**
   * The leader that most of the nodes name, it among them, as soon as that is clear; else, once all have answered or
   * had their time, the one that at least half of them name. Null where there is no such node.
   */
  leader(): Promise<EndPoint | null> {
    return this.#leader.promise;
  }

  /** Whether this node, if it was asked, answers in time. */
  async isAnsweredBy(endPoint: EndPoint): Promise<boolean> {
    await this.#settled.get(textOf(endPoint));
    return this.#answers.has(textOf(endPoint));
  }

  /** All that were named by now. */
  members(): readonly Member[] {
    return this.#answers.values().toArray().flat();
  }

  close(): void {
    this.#isClosed = true;
    for (const node of this.#nodes.values()) node.leave(new Error('enough was heard'));
  }

  #askOnce(endPoint: EndPoint): void {
    const key = textOf(endPoint);
    if (this.#nodes.has(key) || this.#isClosed || this.#nodes.size >= this.#mostNodes) return;
    const node = new Node(endPoint, this.#server);
    this.#nodes.set(key, node);
    this.#left++;
    this.#settled.set(key, this.#ask(key, node));
  }

  async #ask(key: string, node: Node): Promise<void> {
    try {
      const members = await node.members(this.#milliseconds);
      this.#answers.set(key, members);
      for (const { endPoint } of members) this.#askOnce(endPoint);
    } catch (error) {
      this.failure = `${key}: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#left--;
    const leader = this.#agreedLeader();
    if (this.#left === 0 || this.#isNamedByMost(leader)) this.#leader.resolve(leader);
  }

  /** A leader that does not say so itself, or says nothing, serves no one. */
  #agreedLeader(): EndPoint | null {
    const leader = leaderIn(this.#answers.values(), this.#nodes.size);
    if (leader === null) return null;
    const own = leaderNamedIn(this.#answers.get(textOf(leader)) ?? []);
    return own && textOf(own) === textOf(leader) ? leader : null;
  }

  #isNamedByMost(leader: EndPoint | null): boolean {
    return leader !== null && leaderIn(this.#answers.values(), this.#nodes.size + 1) !== null;
  }
}
