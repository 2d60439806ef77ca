import type { EndPoint, ServerAddress } from './address.ts';
import { textOf } from './channel.ts';
import { leaderIn, type Member } from './gossip-answers.ts';
import { Node } from './node.ts';

/** Asks several nodes at once who leads, each over a new connection: those that are there may be the dead ones. */
export class Poll {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #answers = new Map<string, readonly Member[]>();
  readonly #settled = new Map<string, Promise<void>>();
  readonly #leader = Promise.withResolvers<EndPoint | null>();
  #left: number;
  /** Why the last of those that did not answer did not. */
  failure = 'those that answer know of none';

  constructor(endPoints: readonly EndPoint[], server: ServerAddress, milliseconds: number) {
    this.#nodes = new Map(endPoints.map((endPoint) => [textOf(endPoint), new Node(endPoint, server)]));
    this.#left = this.#nodes.size;
    for (const [key, node] of this.#nodes) this.#settled.set(key, this.#ask(key, node, milliseconds));
    if (this.#left === 0) this.#leader.resolve(null);
  }

  /** Whom most of all nodes name, as soon as it is clear; else whom most of those name that answer in time. */
  leader(): Promise<EndPoint | null> {
    return this.#leader.promise;
  }

  /** Whether this node, if it was asked, answers in time. */
  async isAnsweredBy(endPoint: EndPoint): Promise<boolean> {
    await this.#settled.get(textOf(endPoint));
    return this.#answers.has(textOf(endPoint));
  }

  /** Everybody that was named by now. */
  members(): readonly Member[] {
    return this.#answers.values().toArray().flat();
  }

  close(): void {
    for (const node of this.#nodes.values()) node.leave(new Error('enough was heard'));
  }

  async #ask(key: string, node: Node, milliseconds: number): Promise<void> {
    try {
      this.#answers.set(key, await node.members(milliseconds));
    } catch (error) {
      this.failure = `${key}: ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#left--;
    const leader = leaderIn(this.#answers.values());
    const isClear = leader !== null && leader.votes > this.#nodes.size / 2;
    if (isClear || this.#left === 0) this.#leader.resolve(leader);
  }
}
