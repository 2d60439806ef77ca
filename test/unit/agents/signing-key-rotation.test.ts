import { expect } from 'chai';
import { signingKeysDecider } from '#command/contexts/agent-protocol/signing-keys/signing-key.decider.ts';
import { agentKeyList, rotateAgentKeys } from '#contracts/agent-keys.contract.ts';
import { signingKeyEvents, type SigningKeyEvent } from '#events/signing-key.events.ts';
import { createSigningKeyReference } from '#reference/signing-keys.reference.ts';
import { nothingKept } from '#values/text-cipher.ts';
import { given, givenEvents } from '#test/support/given.ts';

const { SigningKeyCreated, SigningKeySuperseded, SigningKeyRemoved } = signingKeyEvents.create;

const at = (time: string, day = '27') => `2026-11-${day}T${time}:00.000Z`;
const pairOf = (kid: string) => ({ kid, x: `x-${kid}`, y: `y-${kid}`, privateKey: `d-${kid}` });
const created = (kid: string, now: string, signsFrom = now) =>
  SigningKeyCreated({ ...pairOf(kid), signsFrom, at: now });
const superseded = (kid: string, by: string, signsUntil: string, acceptedUntil: string, now: string) =>
  SigningKeySuperseded({ kid, by, signsUntil, acceptedUntil, at: now });
const removed = (kid: string, now: string) => SigningKeyRemoved({ kid, at: now });

interface Wish {
  readonly replacing: string;
  readonly signsFrom?: string;
  readonly until?: string | null;
}
const rotate = (kid: string, now: string, { replacing, signsFrom = now, until = weekLater }: Wish) =>
  ({
    type: 'RotateSigningKey',
    pair: pairOf(kid),
    replacing,
    signsFrom,
    formerAcceptedUntil: until,
    at: now,
  }) as const;

const weekLater = '2026-12-04T13:00:00.000Z';
const first = created('one', at('09:00'));
const planned = rotate('two', at('12:00'), { replacing: 'one', signsFrom: at('13:00') });
const underWay = [
  first,
  created('two', at('12:00'), at('13:00')),
  superseded('one', 'two', at('13:00'), weekLater, at('12:00')),
];

describe('a rotation of the signing keys (docs/rules/agents.md#signing-keys)', () => {
  it('publishes a key that signs later, until when the former one does', () => {
    given(signingKeysDecider, [first]).when(planned).then(underWay.slice(1));
  });

  it('happens once, however many rotate at the same time', () => {
    const late = rotate('three', at('12:00'), { replacing: 'one', signsFrom: at('13:00') });
    given(signingKeysDecider, underWay).when(late).thenNothing();
    const now = rotate('two', at('12:00'), { replacing: 'one' });
    const immediate = given(signingKeysDecider, [first]).after(now);
    immediate.when(rotate('three', at('12:00'), { replacing: 'one' })).thenNothing();
    immediate.when(late).thenNothing();
    given(signingKeysDecider).when(planned).thenNothing();
  });

  it('is not lost to one that came first and leaves more time, or the former keys', () => {
    const now = rotate('three', at('12:00'), { replacing: 'one' });
    given(signingKeysDecider, underWay)
      .when(now)
      .thenLike(['SigningKeyCreated'], ['SigningKeySuperseded'], ['SigningKeySuperseded']);
    const leak = { replacing: 'one', until: null };
    const after = (wish: Wish) => given(signingKeysDecider, [first]).after(rotate('two', at('12:00'), wish));
    after({ replacing: 'one' })
      .when(rotate('three', at('12:00'), leak))
      .thenLike(['SigningKeyCreated'], ['SigningKeyRemoved'], ['SigningKeyRemoved']);
    after(leak)
      .when(rotate('three', at('12:00'), leak))
      .thenNothing();
  });

  it('is awaited by the next one, unless that is to be immediate', () => {
    const next = rotate('three', at('12:30'), { replacing: 'two', signsFrom: at('13:30') });
    given(signingKeysDecider, underWay).when(next).thenNothing();
    const now = rotate('three', at('12:30'), { replacing: 'two' });
    given(signingKeysDecider, underWay)
      .when(now)
      .then([
        created('three', at('12:30')),
        superseded('one', 'three', at('12:30'), weekLater, at('12:30')),
        superseded('two', 'three', at('12:30'), weekLater, at('12:30')),
      ]);
  });

  it('after a leak accepts nothing but the new key', () => {
    given(signingKeysDecider, underWay)
      .when(rotate('three', at('12:30'), { replacing: 'two', until: null }))
      .then([created('three', at('12:30')), removed('one', at('12:30')), removed('two', at('12:30'))]);
  });

  it('leaves a key that signs no more as long as it was promised to be accepted', () => {
    const until = '2026-12-05T13:00:00.000Z';
    given(signingKeysDecider, underWay)
      .when(rotate('three', at('13:00', '28'), { replacing: 'two', until }))
      .then([
        created('three', at('13:00', '28')),
        superseded('two', 'three', at('13:00', '28'), until, at('13:00', '28')),
      ]);
  });

  it('ends with the removal of the former key, which comes once, and not before its time', () => {
    const remove = (now: string) => ({ type: 'RemoveRetiredSigningKeys', at: now }) as const;
    given(signingKeysDecider, underWay).when(remove('2026-12-04T12:59:59.999Z')).thenNothing();
    given(signingKeysDecider, underWay)
      .when(remove(weekLater))
      .then([removed('one', weekLater)]);
    given(signingKeysDecider, [...underWay, removed('one', weekLater)])
      .when(remove('2027-12-04T13:00:00.000Z'))
      .thenNothing();
    given(signingKeysDecider, [first]).when(remove('2036-12-04T13:00:00.000Z')).thenNothing();
  });
});

describe('the list of signing keys', () => {
  const keysAfter = (...events: readonly SigningKeyEvent[]) =>
    givenEvents(...events).foldInto(
      () => createSigningKeyReference(nothingKept),
      (keys) => agentKeyList(keys, Date.parse(at('12:00'))),
    );
  const statesOf = (keys: ReturnType<typeof keysAfter>, now: string) =>
    agentKeyList(keys, Date.parse(now)).items.map(({ kid, state }) => `${kid} ${state}`);

  it('says of each what it does now: one is active at any time', () => {
    const keys = keysAfter(...underWay);
    expect(statesOf(keys, at('12:59'))).to.deep.equal(['two coming', 'one active']);
    expect(statesOf(keys, at('13:00'))).to.deep.equal(['two active', 'one retiring']);
    expect(statesOf(keysAfter(...underWay, removed('one', weekLater)), weekLater)).to.deep.equal([
      'two active',
      'one removed',
    ]);
    const overtaken = keysAfter(
      ...underWay,
      created('three', at('12:30')),
      superseded('one', 'three', at('12:30'), weekLater, at('12:30')),
      superseded('two', 'three', at('12:30'), weekLater, at('12:30')),
    );
    for (const now of [at('12:30'), at('14:00')])
      expect(statesOf(overtaken, now)).to.deep.equal(['three active', 'two retiring', 'one retiring']);
  });

  it('is read in pages', () => {
    const page = (number: number) =>
      agentKeyList(keysAfter(...underWay), Date.parse(at('12:00')), { page: number, pageSize: 1 });
    expect([1, 2, 3].map((number) => page(number).items.map(({ kid }) => kid))).to.deep.equal([
      ['two'],
      ['one'],
      [],
    ]);
    expect(page(3).totalItems).to.equal(2);
  });

  it('publishes and accepts those that are not removed, and keeps the last fifty of those that are', () => {
    const kids = Array.from({ length: 60 }, (_, index) => `k${index}`);
    const keys = keysAfter(
      ...underWay,
      ...kids.flatMap((kid) => [created(kid, at('13:00')), removed(kid, at('13:00'))]),
    );
    expect(keys.published().map(({ kid }) => kid)).to.deep.equal(['one', 'two']);
    expect(keys.known().map(({ published: { kid } }) => kid)).to.deep.equal([
      'one',
      'two',
      ...kids.slice(10),
    ]);
    expect(keys.known().map(({ privateHalf }) => privateHalf())).to.deep.equal([
      'd-one',
      'd-two',
      ...kids.slice(10).map(() => null),
    ]);
  });
});

describe('the wish to rotate', () => {
  const problemsOf = (body: unknown) =>
    rotateAgentKeys.safeParse(body).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

  it('is for later unless it says otherwise, and names what is wrong with it', () => {
    expect(rotateAgentKeys.parse({})).to.deep.equal({ immediately: false, removeFormer: false });
    expect(problemsOf({ immediately: 'yes' })).to.deep.equal(['immediately: must be true or false']);
    expect(problemsOf({ removeFormer: true })?.[0]).to.match(
      /^removeFormer: can be true only with immediately/,
    );
    expect(problemsOf({ now: true })?.[0]).to.include('now');
  });
});
