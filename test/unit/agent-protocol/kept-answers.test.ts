import { expect } from 'chai';
import type { AgentRequest } from '#agents/agent-request.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import type { SeenSession } from '#command/contexts/agent-protocol/sessions/seen-session.ts';
import { agentSessionDecider } from '#command/contexts/agent-protocol/sessions/agent-session.decider.ts';
import { isSession } from '#command/contexts/agent-protocol/sessions/agent-session.state.ts';
import {
  createKeptAnswers,
  type KeptAnswerDeps,
} from '#command/contexts/agent-protocol/sessions/kept-answers.ts';
import type { BasketState } from '#command/contexts/basket/basket.state.ts';
import { discount } from '#entities/discount.entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { streamOf } from '#values/stream-name.ts';
import { startCompletion, startSession } from '#test/support/builders/agent-session.ts';
import { basketIn, idNamed, noon, offer, replaceGoods } from '#test/support/builders/basket.ts';
import { ruleNamed } from '#test/support/builders/discount.ts';
import {
  applyTo,
  optionNamed,
  productNamed,
  referenceOf,
  stockCounted,
  warehouseNamed,
} from '#test/support/builders/reference.ts';
import { freshOwnKeys } from '#test/support/own-keys.ts';
import { given, inStream, recordedEvents, type GivenEvent } from '#test/support/given.ts';

const MINUTE = 60_000;
const sessionId = idNamed('session');
const open = given(agentSessionDecider).after(startSession());
const filled = given(basketIn({ offers: { mug: offer(1000) } })).after(replaceGoods({ mug: 2 }));
const isHeld = (state: BasketState): state is BasketState & { readonly status: 'open' } =>
  state.status === 'open';
const held = filled.state(isHeld);
const known = { session: open.state(isSession), basket: held as BasketState };
const agent: AgentRequest = {
  ...{
    identity: null,
    member: null,
    ownVersion: '2026-04-08',
    requestedVersion: null,
    dialect: '2026-04-08',
  },
};
const asked = { agent, baseUrl: 'https://shop.example', id: sessionId };
const settled: SeenSession = {
  payments: null,
  ...{ sessionId, session: known.session, messages: [] },
  basket: {
    ...{ state: known.basket, position: 1, hasChanged: false, problem: null },
    ...{ codeProblems: new Map(), shipping: null, ordered: null },
  },
};

interface Look {
  readonly known?: typeof known;
  readonly asked?: typeof asked;
  readonly seen?: SeenSession;
  /** Of the text, in characters. */
  readonly length?: number;
}

/** A shop that tells how often an answer was made. `most`: characters of answers that it keeps. */
const openShop = (most?: number) => {
  const reference = referenceOf(
    warehouseNamed('east'),
    optionNamed('post', 'east'),
    productNamed('mug', { shelves: { east: 5 } }),
    productNamed('jar', { shelves: { east: 5 } }),
  );
  const circumstances = {
    ...{ settings: { ...defaultStoreSettings }, providers: [] as object[], now: noon },
    signer: freshOwnKeys().signer(),
  };
  const deps = {
    reference,
    settings: () => circumstances.settings,
    clock: { now: () => circumstances.now },
    apis: { payments: { offeredToAgents: () => circumstances.providers } },
    config: { protocol: { ucp: { extensions: { ap2Mandates: true } } } },
    ownKeys: { signer: () => circumstances.signer },
    answers: { text: ({ id }: ProtocolSession) => id },
  } as unknown as KeptAnswerDeps;
  const answers = createKeptAnswers(deps, most);
  let made = 0;
  const look = (seen: SeenSession, length: number) => () => {
    made++;
    const result = { id: `answer ${made}`.padEnd(length) } as ProtocolSession;
    return Promise.resolve({ seen, answer: { httpStatus: 200, dialect: agent.dialect, result } });
  };
  return {
    circumstances,
    happen: (...events: readonly GivenEvent[]) => applyTo(reference, recordedEvents(events)),
    /** Whether it was given again. */
    isKept: async (how: Look = {}) => {
      const before = made;
      await answers.findOrMake(
        how.known ?? known,
        how.asked ?? asked,
        look(how.seen ?? settled, how.length ?? 0),
      );
      return made === before;
    },
  };
};
type TestedShop = ReturnType<typeof openShop>;

const leftOf = (sku: string, stock: number) => stockCounted(sku, 'east', stock, 5);
const ruled = (status: 'Active' | 'Scheduled', dates: { startsAt: string; endsAt: string | null }) => {
  const { rule } = ruleNamed('spring', { method: 'Automatic', ...dates });
  const created = discount.events.create.DiscountCreated({ rule, status, at: '2030-01-01T00:00:00.000Z' });
  return inStream(streamOf.discount(idNamed('spring')), created);
};
const minutesAfterNoon = (minutes: number): string => new Date(noon + minutes * MINUTE).toISOString();

// docs/rules/agent-sessions.md#answers
describe('Answers about a session, kept', () => {
  it('are given again as long as nothing that they follow from changes, whatever else is sold', async () => {
    const shop = openShop();
    expect(await shop.isKept()).to.equal(false);
    shop.happen(leftOf('jar', 1));
    shop.circumstances.now += 5 * MINUTE;
    expect(await shop.isKept()).to.equal(true);
  });

  const changes: Readonly<Record<string, (shop: TestedShop) => Parameters<TestedShop['isKept']>[0] | void>> =
    {
      'its session': () => ({ known: { ...known, session: { ...known.session } } }),
      'its basket': () => ({ known: { ...known, basket: { ...known.basket } } }),
      'the dialect that is asked for': () => ({
        asked: { ...asked, agent: { ...agent, requestedVersion: '2026-01-11', dialect: '2026-01-11' } },
      }),
      'the address of the shop': () => ({ asked: { ...asked, baseUrl: 'https://other.example' } }),
      'the settings': ({ circumstances }) => void (circumstances.settings = { ...defaultStoreSettings }),
      'the ways to pay': ({ circumstances }) => void (circumstances.providers = []),
      'the ways to send': ({ happen }) => happen(optionNamed('van', 'east')),
      'its product': ({ happen }) => happen(...productNamed('mug', { shelves: { east: 5 } })),
      'the stock of its product': ({ happen }) => happen(leftOf('mug', 1)),
      discounts: ({ happen }) =>
        happen(...ruled('Active', { startsAt: minutesAfterNoon(-60), endsAt: null })),
      'the clock, which was put back': ({ circumstances }) => void (circumstances.now -= 1),
    };
  for (const [what, change] of Object.entries(changes))
    it(`are made again after a change of ${what}`, async () => {
      const shop = openShop();
      await shop.isKept();
      expect(await shop.isKept(change(shop) ?? {})).to.equal(false);
    });

  it('are made again from the minute in which a discount begins or ends', async () => {
    const shop = openShop();
    shop.happen(...ruled('Scheduled', { startsAt: minutesAfterNoon(10), endsAt: minutesAfterNoon(20) }));
    await shop.isKept();
    shop.circumstances.now = noon + 10 * MINUTE - 1;
    expect(await shop.isKept()).to.equal(true);
    shop.circumstances.now = noon + 10 * MINUTE;
    expect(await shop.isKept()).to.equal(false);
    expect(await shop.isKept(), 'until it is recorded').to.equal(false);
    const ending = openShop();
    ending.happen(...ruled('Active', { startsAt: minutesAfterNoon(-10), endsAt: minutesAfterNoon(20) }));
    await ending.isKept();
    ending.circumstances.now = noon + 20 * MINUTE;
    expect(await ending.isKept()).to.equal(true);
    ending.circumstances.now = noon + 20 * MINUTE + 1;
    expect(await ending.isKept()).to.equal(false);
  });

  const { basket } = settled;
  const paying = open.after(startCompletion(1)).state(isSession);
  const unsettled: Readonly<Record<string, SeenSession>> = {
    'that was not yet what its session says': { ...settled, basket: { ...basket, hasChanged: true } },
    'whose goods are gone': {
      ...settled,
      basket: { ...basket, problem: new Rejection('out-of-stock', 'mug: none left.') },
    },
    'without a code that was submitted': {
      ...settled,
      basket: { ...basket, codeProblems: new Map([['TEN', { errorCode: 'Expired', message: 'Too late.' }]]) },
    },
    'for which carriers were asked': {
      ...settled,
      basket: {
        ...basket,
        shipping: {
          ...{ selections: {}, isComplete: false, groups: [], lost: [], freeShipping: [] },
          ...{ undeliverable: null, outOfStock: [], asksCarriers: true },
        },
      },
    },
    'that changed meanwhile': { ...settled, session: { ...known.session } },
  };
  for (const [which, seen] of Object.entries(unsettled))
    it(`are not kept of a basket ${which}`, async () => {
      const shop = openShop();
      await shop.isKept({ seen });
      expect(await shop.isKept({ seen })).to.equal(false);
    });

  /** The same session and basket, as they are looked at and as they are seen. */
  const withStates = (states: Partial<typeof known>) => {
    const looked = { ...known, ...states };
    const seen = { ...settled, session: looked.session, basket: { ...basket, state: looked.basket } };
    return { known: looked, seen };
  };
  const handOver = { sessionId, agent: 'https://agent.example/profile', agentName: null };
  const referral = {
    lineId: idNamed('line mug'),
    percentage: 10,
    name: 'Friend',
    expiresAt: minutesAfterNoon(1),
  };
  it('are made again once another key signs, where buyers agree by mandates', async () => {
    const session = { ...known.session, capabilities: ['dev.ucp.shopping.ap2_mandate'] };
    for (const [how, isKept] of [
      [withStates({}), true],
      [withStates({ session }), false],
    ] as const) {
      const shop = openShop();
      await shop.isKept(how);
      expect(await shop.isKept(how)).to.equal(true);
      shop.circumstances.signer = freshOwnKeys().signer();
      expect(await shop.isKept(how)).to.equal(isKept);
    }
  });

  const large = (name: string, length = 100_000): Look => ({
    ...withStates({ session: { ...known.session } }),
    ...{ asked: { ...asked, id: idNamed(name) }, length },
  });

  it('take no more memory than they may together: those that were given last', async () => {
    const shop = openShop(450_000);
    const [first, ...more] = Array.from({ length: 5 }, (_, index) => large(`session ${index}`));
    await shop.isKept(first);
    for (const other of more) {
      await shop.isKept(other);
      expect(await shop.isKept(first), 'which is read most').to.equal(true);
    }
    const kept: boolean[] = [];
    for (const other of more.toReversed()) kept.push(await shop.isKept(other));
    expect(kept).to.deep.equal([true, true, true, false]);
    expect(await shop.isKept(more[0]), 'made again, and kept again').to.equal(true);
  });

  it('make room for the next answer to the same session, and leave one out that is larger than all may be', async () => {
    const shop = openShop(250_000);
    const [one, other, tooLarge] = [large('one'), large('other'), large('huge', 300_000)];
    await shop.isKept(other);
    for (let change = 0; change < 5; change++) {
      const changed = { ...large('one'), asked: one.asked ?? asked };
      await shop.isKept(changed);
      expect([await shop.isKept(changed), await shop.isKept(other)]).to.deep.equal([true, true]);
    }
    await shop.isKept(tooLarge);
    expect([await shop.isKept(tooLarge), await shop.isKept(other)]).to.deep.equal([false, true]);
  });

  const others: Readonly<Record<string, ReturnType<typeof withStates>>> = {
    'is being paid': withStates({ session: paying }),
    'was handed over': withStates({ basket: { ...held, handOver } }),
    'has a discount that ends by itself': withStates({
      basket: { ...held, basket: { ...held.basket, referrals: [referral] } },
    }),
  };
  for (const [what, how] of Object.entries(others))
    it(`are not kept of one that ${what}`, async () => {
      const shop = openShop();
      await shop.isKept(how);
      expect(await shop.isKept(how)).to.equal(false);
    });

  it('are kept until the checkout times out in which shipping was chosen', async () => {
    const shop = openShop();
    shop.circumstances.settings = { ...defaultStoreSettings, sessionSlidingTimeoutMinutes: 30 };
    const choice = {
      ...{ groupId: 'east', warehouseId: idNamed('east'), optionKey: 'so:post', shippingOptionId: null },
      ...{ name: 'Post', cost: 500, quotedAt: minutesAfterNoon(0), quotedFor: 'mug', deliveryDate: null },
    };
    const session = { begunAt: minutesAfterNoon(0), changedAt: minutesAfterNoon(0) };
    const how = withStates({ basket: { ...held, basket: { ...held.basket, choices: [choice], session } } });
    await shop.isKept(how);
    shop.circumstances.now = noon + 30 * MINUTE - 1;
    expect(await shop.isKept(how)).to.equal(true);
    shop.circumstances.now = noon + 30 * MINUTE;
    expect(await shop.isKept(how)).to.equal(false);
  });
});
