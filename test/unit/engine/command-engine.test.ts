import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { faultyEventStore } from '#test/support/faults.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { verifyChain } from '#log/hash-chain.ts';
import { unchanged } from '#kernel/evolution.ts';
import { newId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { StoppedAt } from '#log/feed-follower.ts';
import type { ReadUpTo } from '#log/share-read.ts';
import type { EventStore } from '#ports/event-store.ts';
import { exchangeRatesDecider } from '#command/contexts/currency/exchange-rates.decider.ts';
import type { ExecuteRequest } from '#command/engine/command-engine.ts';
import { asKnown, createStreams, type Sources } from '#command/engine/streams.ts';
import type { RunningCommandEngine } from '#command/engine/handle-command.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';
import { when } from '#test/support/refusal.ts';
import { counter, guestBook, longCounter, taken, type CounterCommand, type CounterState } from './counter.ts';

const id = newId();
const stream = `stock-${id}`;

/** A request to take from the counter of this file, which has a hundred unless the test says otherwise. */
const taking = (pieces = 1, changes: Partial<TakeRequest> = {}): TakeRequest => ({
  decider: counter,
  id,
  command: { type: 'Take', pieces },
  context: () => 100,
  meta: anyMeta(),
  ...changes,
});
type TakeRequest = ExecuteRequest<CounterState, CounterCommand, ReturnType<typeof taken>, number>;

const take = (engine: RunningCommandEngine, pieces: number, limit = 100, commandId?: string, from = id) =>
  engine.execute(taking(pieces, { id: from, context: () => limit, meta: anyMeta(commandId) }));

describe('the command engine', () => {
  it('appends what a command decides and answers with the state after it', async () => {
    const { engine, store } = await startTestEngine();
    const first = await take(engine, 2);
    const second = await take(engine, 3);
    expect(first.events.map(({ data }) => data)).to.deep.equal([taken(2, 2).data]);
    expect(second).to.deep.include({ revision: 1, position: 2, isRepeat: false, state: { taken: 5 } });
    expect(await store.readStream(stream)).to.have.length(2);
  });

  it('rehearses: refuses what execution would refuse, and records nothing', async () => {
    const { engine, store } = await startTestEngine();
    const rehearse = (pieces: number, commandId?: string) =>
      engine.rehearse(taking(pieces, { context: () => 5, meta: anyMeta(commandId) }));
    await rehearse(3);
    await when(rehearse(6)).thenRefused('out-of-stock');
    expect(await store.head()).to.equal(0);
    await take(engine, 5, 5, 'the same');
    // By what was taken since.
    await when(rehearse(1)).thenRefused('out-of-stock');
    await rehearse(5, 'the same');
    expect(await store.head(), 'a repeat is not refused').to.equal(1);
  });

  it('rehearses next to commands that are decided in the same round, on the state that they leave', async () => {
    const { engine, store } = await startTestEngine();
    const [taken] = await Promise.all([
      take(engine, 5, 5),
      when(engine.rehearse(taking(1, { context: () => 5 }))).thenRefused('out-of-stock'),
    ]);
    expect([taken.events.length, await store.head()]).to.deep.equal([1, 1]);
  });

  it('refuses no rehearsal because of a stale state: it reads the stream first', async () => {
    const store = { ...faultyEventStore(createMemoryEventStore()), isOnlyWriter: false };
    const { engine, another } = await startTestEngine({ store });
    await take(engine, 5, 5);
    await take(another(), -2, 5);
    expect(await engine.rehearse(taking(2, { context: () => 5 }))).to.equal(undefined);
    expect(await store.head()).to.equal(2);
  });

  it('stamps each event with who asked, why, and the time of the shop', async () => {
    const { engine, clock } = await startTestEngine();
    const meta = anyMeta();
    const { events } = await engine.execute(taking(1, { meta }));
    expect(events[0]?.recordedAt).to.equal(new Date(clock.time).toISOString());
    expect(events[0]?.metadata).to.deep.include(meta);
  });

  it('never lets the recorded time go back, in a stream or along the log of one writer', async () => {
    const { engine, clock, another } = await startTestEngine();
    const before = await take(engine, 1);
    clock.time -= 60_000;
    const [after] = (await take(engine, 1)).events;
    expect(after?.recordedAt).to.equal(before.events[0]?.recordedAt);
    const elsewhere = await another().execute(taking(1, { id: newId() }));
    expect(elsewhere.events[0]?.recordedAt).to.equal(before.events[0]?.recordedAt);
  });

  it('answers a refusal and an "already so" without touching the log', async () => {
    const { engine, store } = await startTestEngine();
    await when(take(engine, 2, 1)).thenRefused('out-of-stock');
    expect(await take(engine, 0)).to.deep.include({ revision: -1, position: 0, events: [] });
    expect(await store.head()).to.equal(0);
  });

  it('appends together what piles up while an append is on its way', async () => {
    const { engine, store } = await startTestEngine();
    const answers = await Promise.all(Array.from({ length: 50 }, () => take(engine, 1)));
    expect(new Set(answers.map(({ events }) => events[0]?.revision)).size).to.equal(50);
    expect(engine.counters().appends).to.be.lessThan(5);
    expect(verifyChain(await store.readStream(stream)).isIntact).to.equal(true);
  });

  it('recognises a repeated command by its id, also after a restart', async () => {
    const { engine, store, another } = await startTestEngine();
    const commandId = newId();
    const first = await take(engine, 2, 100, commandId);
    await take(engine, 1);
    for (const again of [engine, another()]) {
      const repeat = await take(again, 2, 100, commandId);
      expect(repeat).to.deep.include({ isRepeat: true, state: { taken: 3 } });
      expect(repeat.events).to.deep.equal(first.events);
    }
    expect(await store.readStream(stream)).to.have.length(2);
  });

  it('refuses a command id that comes back with another body, whose events tell of the first', async () => {
    const { engine, store, another } = await startTestEngine();
    const commandId = newId();
    const takeAs = (by: RunningCommandEngine, bodyFingerprint?: string) =>
      by.execute(
        taking(2, { meta: { ...anyMeta(commandId), ...(bodyFingerprint ? { bodyFingerprint } : {}) } }),
      );
    await takeAs(engine, 'two');
    for (const again of [engine, another()]) {
      await when(takeAs(again, 'nine')).thenRefused('idempotency-key-reused');
      expect(await takeAs(again, 'two')).to.deep.include({ isRepeat: true, state: { taken: 2 } });
    }
    expect(await store.readStream(stream)).to.have.length(1);
  });

  it('accepts any body as a repeat of an event written without a fingerprint', async () => {
    const { engine } = await startTestEngine();
    const commandId = newId();
    await take(engine, 2, 100, commandId);
    const meta = { ...anyMeta(commandId), bodyFingerprint: 'two' };
    const repeat = await engine.execute(taking(2, { meta }));
    expect(repeat).to.deep.include({ isRepeat: true, state: { taken: 2 } });
  });

  it('remembers only the last command ids of a long stream', async () => {
    const { engine, another } = await startTestEngine();
    const decider = { ...counter, remembersCommands: { last: 2 } };
    const [oldest = '', older = '', newest = ''] = [newId(), newId(), newId()];
    const takeOne = (by: RunningCommandEngine, commandId: string) =>
      by.execute(taking(1, { decider, meta: anyMeta(commandId) }));
    for (const commandId of [oldest, older, newest]) await takeOne(engine, commandId);
    for (const again of [engine, another()]) {
      for (const commandId of [older, newest])
        expect((await takeOne(again, commandId)).isRepeat).to.equal(true);
    }
    expect((await takeOne(engine, oldest)).isRepeat).to.equal(false);
  });

  /** As a command that made its id takes it. */
  const takeFirst = (engine: RunningCommandEngine, pieces: number, limit = 100, commandId?: string) =>
    engine.execute(taking(pieces, { context: () => limit, meta: anyMeta(commandId), isNewId: true }));

  it('keeps cached states while one caller reads more streams than fit', async () => {
    const { engine, store } = await startTestEngine({ limits: { cachedStreams: 3 } });
    await take(engine, 1);
    for (const other of [newId(), newId(), newId(), newId()]) {
      await engine.execute(taking(1, { id: other, isLast: true }));
    }
    const read: string[] = [];
    store.runBefore(
      'readStream',
      (name) => read.push(name) > 0,
      () => undefined,
    );
    await take(engine, 1);
    expect(read).to.deep.equal([]);
  });

  it('does not read a stream that is most likely new', async () => {
    const { engine, store } = await startTestEngine();
    let reads = 0;
    store.runBefore(
      'readStream',
      () => true,
      () => void reads++,
    );
    expect((await takeFirst(engine, 2)).state).to.deep.equal({ taken: 2 });
    expect(reads).to.equal(0);
  });

  it('recognises a repeat on a stream that was taken for new', async () => {
    const { engine, store, another } = await startTestEngine();
    const commandId = newId();
    const first = await takeFirst(engine, 2, 100, commandId);
    const repeat = await takeFirst(another(), 2, 100, commandId);
    expect(repeat).to.deep.include({ isRepeat: true, state: { taken: 2 } });
    expect(repeat.events).to.deep.equal(first.events);
    expect(await store.readStream(stream)).to.have.length(1);
  });

  it('looks at a stream that was taken for new before it refuses anything or says "already so"', async () => {
    const { engine, another } = await startTestEngine();
    const commandId = newId();
    await takeFirst(engine, 5, 100, commandId);
    const repeat = await takeFirst(another(), 5, 1, commandId);
    expect(repeat).to.deep.include({ isRepeat: true, state: { taken: 5 } });
    expect(await takeFirst(another(), 0)).to.deep.include({ state: { taken: 5 }, revision: 0 });
    await when(takeFirst(another(), 9, 8)).thenRefused('out-of-stock');
  });

  it('carries out two equal commands that arrive together once', async () => {
    const { engine, store } = await startTestEngine();
    await take(engine, 1);
    const commandId = newId();
    const both = await Promise.all([take(engine, 2, 100, commandId), take(engine, 2, 100, commandId)]);
    expect(both.map(({ isRepeat }) => isRepeat)).to.deep.equal([false, true]);
    expect(both[1].events).to.deep.equal(both[0].events);
    expect(await store.readStream(stream)).to.have.length(2);
  });

  it('runs different streams side by side', async () => {
    const { engine, store } = await startTestEngine();
    const other = newId();
    store.runBefore(
      'append',
      (name) => name === stream,
      async () => void (await engine.execute(taking(1, { id: other }))),
    );
    await take(engine, 1);
    expect(await store.head()).to.equal(2);
  });

  it('asks before-hooks, whose reason refuses the command', async () => {
    const { engine, store } = await startTestEngine({
      hooks: [({ category }) => (category === 'stock' ? 'Closed for stocktaking.' : undefined)],
    });
    await when(take(engine, 1)).thenRefused('cancelled');
    expect(await store.head()).to.equal(0);
  });

  it('fails a command whose events do not fit, and only that one', async () => {
    const { engine } = await startTestEngine();
    const misfit = { ...counter, decide: () => [{ ...taken(1, 1), data: { stock: 'many' } as never }] };
    const failing = engine.execute(taking(1, { decider: misfit }));
    await Promise.all([when(failing).thenFails(TypeError), take(engine, 1)]);
  });

  it('appends a command up to what every engine takes at once, and refuses a larger one without a trace', async () => {
    const double = await new EventStoreDouble().start();
    const onServer = await openEventStoreDb({ address: double.address });
    try {
      for (const store of [createMemoryEventStore(), onServer]) {
        const { another } = await startTestEngine();
        const engine = another({ store });
        const sign = (characters: number) =>
          engine.execute({
            decider: guestBook,
            id,
            command: { type: 'Sign', name: 'x'.repeat(characters) },
            context: () => null,
            meta: anyMeta(newId()),
          });
        expect((await sign(748_500)).revision).to.equal(0);
        const tooLarge = when(sign(750_000)).thenRefused('command-too-large');
        const [beside] = await Promise.all([sign(10), tooLarge]);
        expect(beside.revision).to.equal(1);
        await engine.drain();
      }
    } finally {
      await onServer.close();
      double.close();
    }
  });

  it('has answered everything once it is drained', async () => {
    const { engine } = await startTestEngine();
    let answered = 0;
    for (let command = 0; command < 10; command++) void take(engine, 1).then(() => answered++);
    await engine.drain();
    expect(answered).to.equal(10);
    expect(engine.counters().mailboxDepth).to.equal(0);
  });
});

describe('the command engine and other writers', () => {
  /** Two processes on one log, neither of them its only writer. */
  const startTwo = async () => {
    const shared = { ...faultyEventStore(createMemoryEventStore()), isOnlyWriter: false };
    const { engine: ours, another } = await startTestEngine({ store: shared });
    return { shared, ours, theirs: another() };
  };

  it('decides again on what the other one has appended', async () => {
    const { ours, theirs } = await startTwo();
    await take(ours, 1);
    await take(theirs, 2);
    expect((await take(ours, 3)).state).to.deep.equal({ taken: 6 });
    expect(ours.counters().conflicts).to.deep.equal({ stock: 1 });
  });

  it('never says "out of stock" from a stale cache', async () => {
    const { ours, theirs } = await startTwo();
    await take(ours, 5);
    await take(theirs, -5);
    expect((await take(ours, 5, 5)).state).to.deep.equal({ taken: 5 });
  });

  it('shows a stream as it is now', async () => {
    const { ours, theirs } = await startTwo();
    await take(ours, 1);
    await take(theirs, 1);
    expect(await ours.load(counter, id)).to.deep.include({ state: { taken: 2 }, revision: 1, position: 2 });
  });

  it('recalls a stream as it knows it, without asking for more', async () => {
    const { ours: one, theirs: other } = await startTwo();
    await take(one, 1);
    await take(other, 2);
    const { state, revision } = await one.recall(counter, id);
    expect([state, revision]).to.deep.equal([{ taken: 1 }, 0]);
    expect((await one.load(counter, id)).state).to.deep.equal({ taken: 3 });
    expect((await one.recall(counter, id)).state).to.deep.equal({ taken: 3 });
    const unknown = await other.recall(counter, newId());
    expect(unknown.revision).to.equal(-1);
  });

  it('says at once what a stream is, unless a command may be changing it or others write the log', async () => {
    const { engine } = await startTestEngine();
    expect(engine.settled(counter, id), 'not looked at yet').to.equal(undefined);
    await take(engine, 1);
    await engine.load(counter, id);
    await pause();
    expect(engine.settled(counter, id)).to.deep.equal({ taken: 1 });
    const taking = take(engine, 2);
    expect(engine.settled(counter, id)).to.equal(undefined);
    await taking;
    await pause();
    expect(engine.settled(counter, id)).to.deep.equal({ taken: 3 });
    const { ours } = await startTwo();
    await take(ours, 1);
    await pause();
    expect(ours.settled(counter, id)).to.equal(undefined);
  });

  it('works with its cached state, but never refuses because of it', async () => {
    const { ours: one, theirs: other } = await startTwo();
    const streams = createStreams(one, {} as Sources);
    const seen: number[] = [];
    const look = (isCertain: boolean, isRefused: (taken: number) => boolean = () => false) =>
      asKnown(
        streams,
        { decider: counter },
        id,
        async ({ state }) => {
          seen.push(state.taken);
          if (isRefused(state.taken)) throw new Rejection('too-few', 'Too few.');
          return state.taken;
        },
        () => isCertain,
      );
    await take(one, 1);
    await take(other, 2);
    expect(await look(true)).to.equal(1);
    expect(await look(true, (taken) => taken < 3), 'refused by what it knew').to.equal(3);
    await take(other, 4);
    expect(await look(false), 'not sure by itself').to.equal(7);
    await when(look(true, () => true)).thenRefused('too-few');
    expect(seen).to.deep.equal([1, 1, 3, 3, 7, 7]);
  });

  it('recognises a command that the other one has carried out', async () => {
    const { ours, theirs } = await startTwo();
    await take(ours, 1);
    const commandId = newId();
    await take(theirs, 2, 100, commandId);
    expect(await take(ours, 2, 100, commandId)).to.deep.include({ isRepeat: true, state: { taken: 3 } });
  });

  it('gives up on a caller after five more tries, on a process step only at its deadline', async () => {
    const { store, engine } = await startTestEngine();
    for (let conflict = 0; conflict < 6; conflict++) store.conflictOnce();
    await when(take(engine, 1)).thenRefused('conflict');
    for (let conflict = 0; conflict < 6; conflict++) store.conflictOnce();
    const step = await engine.execute(taking(1, { isProcessStep: true }));
    expect(step.state).to.deep.equal({ taken: 1 });
  });

  it('lets three processes crowd one stream on a slow log: hardly any call fails, and none counts twice', async () => {
    const log = createMemoryEventStore();
    const late = (): Promise<void> => pause(5 + Math.random() * 10);
    const slow: EventStore = {
      ...log,
      isOnlyWriter: false,
      append: (...appended) => late().then(() => log.append(...appended)),
      readStream: (...read) => late().then(() => log.readStream(...read)),
    };
    const store = faultyEventStore(slow);
    const { another } = await startTestEngine({ store });
    const processes = [another(), another(), another()];
    let sentAway = 0;
    const crowd = async (crowded: string): Promise<void> => {
      const visits = Array.from({ length: 50 }, async (_, visitor): Promise<number> => {
        await pause(Math.random() * 200);
        const visit = take(processes[visitor % 3] ?? another(), 1, 100, newId(), crowded);
        return visit.then(
          () => 1,
          (error: unknown) => {
            expect(error).to.include({ code: 'conflict' });
            sentAway++;
            return 0;
          },
        );
      });
      const taken = (await Promise.all(visits)).reduce((sum, one) => sum + one, 0);
      expect((await another().load(counter, crowded)).state).to.deep.equal({ taken });
    };
    await Promise.all(Array.from({ length: 20 }, () => crowd(newId())));
    // They part by chance: of a thousand, one or another may meet somebody six times over.
    expect(sentAway).to.be.at.most(5);
  });

  /** It has caught up, and follows. */
  const following = {
    catchingUp: (): ReadUpTo | null => null,
    stopped: (): StoppedAt | null => null,
  };

  it('refuses by prices and rules only once reference state has seen the whole log', async () => {
    let seen = 0;
    const reference = {
      ...following,
      position: () => seen,
      waitFor: (position: number) => {
        seen = position;
        return Promise.resolve(true);
      },
    };
    const { engine } = await startTestEngine({ reference });
    await take(engine, 1);
    const limit = (): number => (seen >= 1 ? 10 : 0);
    const { state } = await engine.execute(taking(5, { context: limit }));
    expect(state).to.deep.equal({ taken: 6 });
  });

  it('decides "nothing to change" by the current stream, and refuses only by current reference state', async () => {
    const { shared } = await startTwo();
    let seen = 0;
    const waitFor = (position: number): Promise<boolean> => Promise.resolve((seen = position) > 0);
    const reference = { ...following, position: () => seen, waitFor };
    const { engine, another } = await startTestEngine({ store: shared, reference });
    const takeAsChosen = (pieces: number) =>
      engine.execute(
        taking(pieces, { context: () => (seen > 0 ? 10 : 4), referenceMatters: 'to a refusal' }),
      );
    await takeAsChosen(1);
    await take(another(), 2);
    const { state, events } = await takeAsChosen(0);
    expect([state, events, seen]).to.deep.equal([{ taken: 3 }, [], 0]);
    // Beyond the limit as reference state has it, and within it as it is.
    expect((await takeAsChosen(5)).state).to.deep.equal({ taken: 8 });
    expect(seen).to.equal(2);
  });

  it('decides nothing while reference state has not caught up or has stopped, but continues decided work', async () => {
    let reference = { ...following, position: () => 0, waitFor: () => Promise.resolve(false) };
    const { engine } = await startTestEngine({
      reference: {
        position: () => reference.position(),
        waitFor: () => reference.waitFor(),
        catchingUp: () => reference.catchingUp(),
        stopped: () => reference.stopped(),
      },
    });
    const request = taking();
    const unusable = [
      { catchingUp: () => ({ position: 3, head: 12 }), says: /25 % read/ },
      { stopped: () => ({ position: 7, message: 'thirteen' }), says: /position 7: thirteen/ },
    ];
    for (const { says, ...how } of unusable) {
      reference = { ...reference, ...following, ...how };
      const { message } = await when(engine.execute(request)).thenFails(EngineUnavailable);
      expect(message).to.match(says);
      await when(engine.rehearse(request)).thenFails(EngineUnavailable);
      expect((await engine.execute({ ...request, isProcessStep: true })).events).to.have.length(1);
      expect((await engine.execute({ ...request, referenceMatters: 'never' })).events).to.have.length(1);
    }
    reference = { ...reference, ...following };
    expect((await engine.execute(request)).state).to.deep.equal({ taken: 5 });
  });

  it('refuses nothing while reference state lags behind', async () => {
    const reference = { ...following, position: () => 0, waitFor: () => Promise.resolve(false) };
    const { engine } = await startTestEngine({ reference });
    await take(engine, 1);
    await when(take(engine, 5, 1)).thenFails(EngineUnavailable);
  });

  it('refuses a stream with an event of a newer release, and names it', async () => {
    const { engine, store, codec } = await startTestEngine();
    const { toAppend } = codec.encode(stream, { revision: -1, hash: '' }, [codec.draft(taken(1, 1))], {
      ...anyMeta(),
      recordedAt: new Date(0).toISOString(),
    });
    await store.append(
      stream,
      -1,
      toAppend.map((event) => ({ ...event, type: 'StockTeleported' })),
    );
    const { message } = await when(take(engine, 1)).thenRefused('unknown-event-type');
    expect(message).to.include('StockTeleported');
  });
});

describe('the command engine and an append whose outcome is unknown', () => {
  for (const moment of ['before', 'after'] as const) {
    it(`has it once in the log when the answer is lost ${moment} it happened`, async () => {
      const { engine, store } = await startTestEngine();
      store.failAppend(moment);
      store.failAppend(moment);
      expect((await take(engine, 2)).state).to.deep.equal({ taken: 2 });
      expect(await store.readStream(stream)).to.have.length(1);
    });
  }

  it('says so when it stays unknown, and recognises the repeat from the log', async () => {
    const { engine, store } = await startTestEngine({ limits: { unknownOutcomeMs: 0 } });
    const commandId = newId();
    store.failAppend('after');
    await when(take(engine, 2, 100, commandId)).thenFails(EngineUnavailable);
    expect(await take(engine, 2, 100, commandId)).to.deep.include({ isRepeat: true, state: { taken: 2 } });
    expect(await store.readStream(stream)).to.have.length(1);
  });

  it('says so at the deadline, though the log has not answered the repeat at all', async () => {
    const { engine, store } = await startTestEngine({ limits: { unknownOutcomeMs: 200 } });
    const silence = () => new Promise<void>(() => undefined);
    store.failAppend('before');
    store.runBefore('append', () => true, silence);
    await when(take(engine, 1)).thenFails(EngineUnavailable);
    expect((await take(engine, 1)).state).to.deep.equal({ taken: 1 });
  });

  it('says so at the deadline of the request, however late in it the command comes', async () => {
    const { engine, store } = await startTestEngine({ limits: { unknownOutcomeMs: 3000 } });
    store.runBefore(
      'append',
      () => true,
      () => new Promise<void>(() => undefined),
    );
    const begun = performance.now();
    const late = () => engine.execute(taking(1, { meta: { ...anyMeta(), askedAt: begun - 60_000 } }));
    const took = await ownMilliseconds(() => when(late()).thenFails(EngineUnavailable));
    expect(performance.now() - begun, 'a second for the one try').to.be.at.least(900);
    expect(took).to.be.below(2500);
    expect((await take(engine, 1)).state).to.deep.equal({ taken: 1 });
  });

  it('releases the commands that waited behind it', async () => {
    const { engine, store } = await startTestEngine({ limits: { unknownOutcomeMs: 0 } });
    const late: Promise<unknown>[] = [];
    store.runBefore(
      'append',
      () => true,
      () => {
        late.push(when(take(engine, 1)).thenFails(EngineUnavailable));
        throw new EngineUnavailable('gone');
      },
    );
    await when(take(engine, 1)).thenFails(EngineUnavailable);
    await late[0];
    expect((await take(engine, 1)).state).to.deep.equal({ taken: 1 });
  });
});

describe('snapshots of long streams', () => {
  const takeLong = (engine: RunningCommandEngine, pieces: number) =>
    engine.execute(taking(pieces, { decider: longCounter }));

  it('save a restart from reading the beginning of the stream', async () => {
    const { engine, store, another } = await startTestEngine();
    for (let command = 0; command < 7; command++) await takeLong(engine, 1);
    await engine.drain();
    const reads: (number | undefined)[] = [];
    const read = (_: string, options?: { readonly fromRevision?: number }): boolean => {
      reads.push(options?.fromRevision);
      return false;
    };
    store.runBefore('readStream', read, () => undefined);
    expect((await takeLong(another(), 1)).state).to.deep.equal({ taken: 8 });
    expect(reads).to.deep.equal([4, 5]);
  });

  it('are ignored if their version, events or history differ', async () => {
    const { engine, another, codec, clock, stateStore } = await startTestEngine();
    for (let command = 0; command < 5; command++) await takeLong(engine, 1);
    await engine.drain();
    const collection = 'snapshots';
    const kept = await stateStore.get<Document & { content: string; hash?: string }>(
      collection,
      `stock-${id}`,
    );
    if (!kept) return expect.fail('no snapshot');
    const { hash: _, ...unchecked } = kept;
    // Tells the snapshot from the log; as an older release wrote it, without a hash.
    const marked = { ...unchecked, content: kept.content.replace('"taken":5', '"taken":50') };
    await stateStore.write([{ collection, put: marked }]);
    const loaded = async (decider: typeof longCounter) => (await another().load(decider, id)).state;
    expect(await loaded(longCounter)).to.deep.equal({ taken: 50 });
    expect(await loaded({ ...longCounter, snapshot: { version: 2, every: 5 } })).to.deep.equal({ taken: 5 });
    const on = { ...longCounter.on, StockReserved: unchanged };
    expect(await loaded({ ...longCounter, on })).to.deep.equal({ taken: 5 });
    // As older releases named it.
    await stateStore.write([{ collection, put: { ...marked, version: 1 } as Document }]);
    expect(await loaded(longCounter)).to.deep.equal({ taken: 5 });
    const restored = another({ store: createMemoryEventStore(), codec, clock });
    expect((await restored.load(longCounter, id)).state).to.deep.equal({ taken: 0 });
  });

  it('are dropped when they were altered', async () => {
    const { engine, another, stateStore } = await startTestEngine();
    for (let command = 0; command < 5; command++) await takeLong(engine, 1);
    await engine.drain();
    const stream = `stock-${id}`;
    const kept = await stateStore.get<Document & { content: string }>('snapshots', stream);
    const content = kept?.content.replace('"taken":5', '"taken":2') ?? '';
    expect(content).to.include('"taken":2');
    await stateStore.updateIf('snapshots', { _id: stream }, { set: { content } });
    expect((await another().load(longCounter, id)).state).to.deep.equal({ taken: 5 });
    expect(await stateStore.get('snapshots', stream)).to.equal(null);
  });

  it('hold personal data under the key of its subject, and are dropped with it', async () => {
    const { engine, another, stateStore, codec } = await startTestEngine();
    const command = { type: 'Sign', name: 'Ada Lovelace' } as const;
    await engine.execute({ decider: guestBook, id, command, context: () => null, meta: anyMeta() });
    await engine.drain();
    const kept = await stateStore.get('snapshots', `customer-${id}`);
    expect(kept).to.not.equal(null);
    expect(JSON.stringify(kept)).to.not.include('Ada Lovelace');
    expect((await another().load(guestBook, id)).state).to.deep.equal({ names: ['Ada Lovelace'] });
    await codec.keys.forget(id);
    expect((await another().load(guestBook, id)).state).to.deep.equal({ names: [null] });
    expect(await stateStore.get('snapshots', `customer-${id}`)).to.equal(null);
  });

  it('are not written of someone who is forgotten, of whom nothing personal is recorded any more', async () => {
    const { engine, stateStore, codec, store } = await startTestEngine();
    const sign = async (name: string) => {
      const command = { type: 'Sign', name } as const;
      await engine.execute({ decider: guestBook, id, command, context: () => null, meta: anyMeta() });
      await engine.drain();
    };
    await sign('Ada Lovelace');
    await codec.keys.forget(id);
    await sign('Augusta');
    const events = await codec.decodeAll(await store.readStream(`customer-${id}`));
    expect(events.map(({ data }) => (data as { firstName: string | null }).firstName)).to.deep.equal([
      null,
      null,
    ]);
    expect((await engine.load(guestBook, id)).state, 'what is kept in memory').to.deep.equal({
      names: [null, null],
    });
    expect(await stateStore.get('snapshots', `customer-${id}`)).to.equal(null);
  });

  it('hold secrets encrypted, and are dropped where an older release wrote them in clear', async () => {
    const { engine, another, stateStore, store } = await startTestEngine();
    const decider = { ...exchangeRatesDecider, snapshot: { version: 1, every: 1 } };
    const configurations = { frankfurter: { url: 'https://rates.example/key-4711' } };
    const command = {
      type: 'ConfigureRateProvider',
      provider: 'frankfurter',
      configuration: configurations.frankfurter,
      baseCurrency: 'GBP',
      namedProvider: null,
    } as const;
    const context = () => ({ now: '2026-01-05T09:00:00.000Z' });
    const { state } = await engine.execute({ decider, id, command, context, meta: anyMeta() });
    await engine.drain();
    const key = `exchangeRates-${id}`;
    const kept = await stateStore.get<Document & { content: string; hash?: string }>('snapshots', key);
    if (!kept) return expect.fail('no snapshot');
    expect(JSON.stringify(kept)).to.not.include('key-4711').and.not.include('frankfurter');
    const reads: (number | undefined)[] = [];
    const read = (_: string, options?: { readonly fromRevision?: number }): boolean => {
      reads.push(options?.fromRevision);
      return false;
    };
    store.runBefore('readStream', read, () => undefined);
    expect((await another().load(decider, id)).state).to.deep.include({ configurations });
    expect(reads, 'read from the snapshot on').to.not.be.empty.and.not.include(undefined);
    const { hash: _, ...unchecked } = kept;
    const clear = { ...unchecked, content: JSON.stringify({ state, commands: [] }) };
    await stateStore.write([{ collection: 'snapshots', put: clear }]);
    expect((await another().load(decider, id)).state).to.deep.include({ configurations });
    expect(await stateStore.get('snapshots', key)).to.equal(null);
  });
});
