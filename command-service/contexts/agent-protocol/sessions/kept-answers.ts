import { LRUCache } from 'lru-cache';
import type { DialectName } from '#agents/agent-request.ts';
import type { ProtocolAnswer, ProtocolRequestFor } from '#agents/commerce-protocol.ts';
import { dialectFor } from '#agents/dialect-choice.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { hasTimedOutShipping } from '#events/basket-session.ts';
import { areSame, knownGoods } from '#reference/known-goods.ts';
import { isMandated, type SessionAnswers } from './session-answer.ts';
import type { KnownSession } from './known-session.ts';
import type { SeenSession } from './seen-session.ts';

export interface KeptAnswerDeps extends Pick<
  ModuleDeps,
  'reference' | 'settings' | 'apis' | 'clock' | 'config' | 'ownKeys'
> {
  readonly answers: Pick<SessionAnswers, 'text'>;
}

type Answer = ProtocolAnswer<ProtocolSession>;
/** What is kept: the text takes a fraction of the memory that a session as its members does. */
type Written = ProtocolAnswer<string>;
type Asked = Pick<ProtocolRequestFor, 'agent' | 'baseUrl' | 'id'>;

/** Of all answers together, some 2,000 usual ones. A character takes two bytes at most. */
const MOST_CHARACTERS = 16_000_000;
/** What is kept beside a text, and for each source, in characters. */
const BESIDE_TEXT = 500;
const PER_SOURCE = 8;

interface Kept {
  readonly answer: Written;
  readonly sources: readonly unknown[];
  readonly madeAt: number;
}

/** All that an answer follows from but its session and the hour, each replaced when it changes. */
const sourcesOf = (
  { reference, settings, apis, config, ownKeys }: KeptAnswerDeps,
  { session, basket }: KnownSession,
  { agent, baseUrl }: Asked,
): readonly unknown[] => [
  basket,
  baseUrl,
  dialectFor(agent, session.dialect as DialectName),
  settings(),
  apis.payments.offeredToAgents(),
  // An answer that one key signed is not kept once another signs.
  isMandated(session, config.protocol.ucp.extensions) ? ownKeys.signer() : null,
  reference.changes(),
  reference.discounts.changes(),
  reference.taxProviders.current(),
  ...knownGoods(
    reference,
    session.lines.map(({ productId }) => productId),
  ),
];

/** Until something happens: no discount begins or ends unrecorded, and the checkout has not timed out. */
const isTimeless = (
  { reference, settings }: KeptAnswerDeps,
  { session, basket: { basket } }: KnownSession,
  now: number,
): boolean =>
  // A member's segments, saved methods and account change without a word to the session.
  session.memberId === null &&
  basket !== null &&
  reference.discounts.changing(now).length === 0 &&
  !hasTimedOutShipping(basket, settings(), now);

/** The basket was what its session says, each code in force, and no one else had to be asked. */
const isSettled = (known: KnownSession, { session, basket }: SeenSession): boolean => {
  const { state, hasChanged, problem, codeProblems, shipping } = basket;
  return (
    session === known.session &&
    state === known.basket &&
    !hasChanged &&
    problem === null &&
    codeProblems.size === 0 &&
    session.status === 'active' &&
    session.completion === null &&
    (state.status === 'open' || state.status === 'awaitingPayment') &&
    state.handOver === null &&
    state.basket.referrals.length === 0 &&
    shipping?.asksCarriers !== true
  );
};

/**
 * Answers by the states of their sessions, those given last. What is counted holds no state, and so no answer: both go
 * with the state.
 */
const createKept = (mostCharacters: number) => {
  const kept = new WeakMap<KnownSession['session'], Kept>();
  const counted = new LRUCache<string, WeakRef<KnownSession['session']>>({
    maxSize: mostCharacters,
    dispose: (session) => {
      const state = session.deref();
      if (state) kept.delete(state);
    },
  });
  return {
    find: (id: string, session: KnownSession['session']): Kept | undefined =>
      counted.get(id) && kept.get(session),
    keep: (id: string, session: KnownSession['session'], text: string, found: Kept): void => {
      const size = text.length + BESIDE_TEXT + found.sources.length * PER_SOURCE;
      counted.set(id, new WeakRef(session), { size });
      // One that is larger than all together may be is not counted.
      if (counted.has(id)) kept.set(session, found);
    },
  };
};

/**
 * Answers to reads, given again while all that they follow from is what it was: agents look at a session more often
 * than they change it. Kept are those of settled sessions only (docs/rules/agent-sessions.md#answers); whether an agent
 * may see one is asked before. An answer lives no longer than the state of its session does at hand, so that it is gone
 * with whom the shop has forgotten.
 */
export const createKeptAnswers = (deps: KeptAnswerDeps, mostCharacters = MOST_CHARACTERS) => {
  const kept = createKept(mostCharacters);
  const find = (known: KnownSession, asked: Asked): Written | null => {
    const before = kept.find(asked.id, known.session);
    if (!before) return null;
    const now = deps.clock.now();
    const isStill = before.madeAt <= now && isTimeless(deps, known, now);
    return isStill && areSame(before.sources, sourcesOf(deps, known, asked)) ? before.answer : null;
  };
  return {
    find,
    findOrMake: async (
      known: KnownSession,
      asked: Asked,
      make: () => Promise<{ readonly seen: SeenSession; readonly answer: Answer }>,
    ): Promise<Answer | Written> => {
      const found = find(known, asked);
      if (found) return found;
      const now = deps.clock.now();
      // Read before the answer is made: a change meanwhile makes it outdated.
      const sources = sourcesOf(deps, known, asked);
      const { seen, answer } = await make();
      if ('error' in answer || !isTimeless(deps, known, now) || !isSettled(known, seen)) return answer;
      const text = deps.answers.text(answer.result, asked.agent, answer.dialect);
      const written = { ...answer, result: text, isKept: true } as const;
      kept.keep(asked.id, known.session, text, { answer: written, sources, madeAt: now });
      return written;
    },
  };
};
