import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createDeliveryQueues } from '#dispatcher/engine/create-delivery-queues.ts';
import type { DeliveryQueuesOptions } from '#dispatcher/engine/delivery-queues.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';

/** Receivers that answer when they are told to. */
const receivers = (more: Partial<DeliveryQueuesOptions> = {}) => {
  const begun: string[] = [];
  const open = new Map<string, (result: 'succeeded' | 'failed') => void>();
  const errors: unknown[] = [];
  const queues = createDeliveryQueues({
    claim: async (id) => ({
      send: () => {
        begun.push(id);
        return new Promise((resolve) => open.set(id, resolve));
      },
    }),
    untried: async () => [],
    onError: (_, error) => errors.push(error),
    ...more,
  });
  const rest = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await nextTurn();
  };
  return {
    queues,
    begun,
    errors,
    rest,
    answer: async (id: string, result: 'succeeded' | 'failed' = 'succeeded') => {
      open.get(id)?.(result);
      await rest();
    },
  };
};

const ids = (key: string, count: number) => Array.from({ length: count }, (_, index) => `${key}${index}`);

describe('the queues of deliveries', () => {
  it('begin in order, a few at once, more with every success and one by one after a failure', async () => {
    const { queues, begun, rest, answer } = receivers();
    for (const id of ids('a', 20)) queues.offer('a', id);
    await rest();
    expect(begun).to.deep.equal(ids('a', 4));
    await answer('a0');
    expect(begun).to.deep.equal(ids('a', 9));
    for (const id of ids('a', 9)) await answer(id, 'failed');
    expect(begun).to.deep.equal(ids('a', 10));
  });

  it('forget a receiver that is gone once nothing waits for it', async () => {
    const gone = new Set<string>();
    const { queues, rest, answer } = receivers({ isGone: (key) => gone.has(key) });
    for (const key of ['a', 'b', 'c']) queues.offer(key, `${key}0`);
    await rest();
    for (const key of ['a', 'b']) gone.add(key);
    queues.catchUp('a');
    await answer('a0');
    queues.release('b');
    await answer('b0');
    await answer('c0');
    expect(queues.figures()).to.include({ receivers: 1, inFlight: 0 });
    queues.offer('c', 'c1');
    await rest();
    await answer('c1');
    expect(queues.figures()).to.include({ receivers: 1, inFlight: 0 });
  });

  it('begin in order even if claims return out of order', async () => {
    const claims = new Map<string, () => void>();
    const begun: string[] = [];
    const { queues, rest } = receivers({
      claim: (id) =>
        new Promise((resolve) =>
          claims.set(id, () =>
            resolve({
              send: async () => {
                begun.push(id);
                return 'succeeded';
              },
            }),
          ),
        ),
    });
    for (const id of ids('a', 3)) queues.offer('a', id);
    await rest();
    for (const id of ['a2', 'a1', 'a0']) {
      claims.get(id)?.();
      await rest();
    }
    expect(begun).to.deep.equal(['a0', 'a1', 'a2']);
  });

  it('count claims that came too late or failed', async () => {
    const { queues, rest } = receivers({
      claim: async (id) => {
        if (id === 'a1') throw new EngineUnavailable('away');
        return id === 'a0' ? null : { send: async () => 'succeeded' };
      },
    });
    for (const id of ids('a', 3)) queues.offer('a', id);
    await rest();
    expect(queues.figures().failedClaims).to.equal(2);
  });

  it('never wait for a receiver that does not respond, however long its queue', async () => {
    const { queues, begun, rest, answer } = receivers({ inFlightAtMost: 8 });
    for (const key of ['dead1', 'dead2', 'dead3', 'dead4', 'dead5', 'dead6']) {
      queues.offer(key, `${key} first`);
      await rest();
      await answer(`${key} first`, 'failed');
      for (const id of ids(`${key} `, 100)) queues.offer(key, id);
    }
    await rest();
    expect(queues.figures().inFlight).to.equal(4);
    for (const id of ids('b', 50)) {
      queues.offer('b', id);
      await rest();
      expect(begun.at(-1)).to.equal(id);
      await answer(id);
    }
  });

  it('keep places for others when many quick receivers stop responding at once', async () => {
    const { queues, begun, rest, answer } = receivers();
    const silent = ids('silent', 40);
    for (const key of silent) {
      for (const id of ids(`${key} quick `, 3)) {
        queues.offer(key, id);
        await rest();
        await answer(id);
      }
    }
    for (const key of silent) for (const id of ids(`${key} `, 100)) queues.offer(key, id);
    await rest();
    expect(queues.figures().inFlight).to.be.at.least(448);
    for (const id of ids('b', 20)) {
      queues.offer('b', id);
      await rest();
      expect(begun.at(-1)).to.equal(id);
      await answer(id);
    }
  });

  it('keep places for other hosts when one with thousands of receivers stops responding', async () => {
    const { queues, begun, rest, answer } = receivers({ hostOf: (key) => key.split(' ')[0] ?? null });
    for (const key of ids('silent ', 5000)) queues.offer(key, key);
    await rest();
    expect(begun).to.deep.equal(ids('silent ', 64));
    for (const id of ids('b', 20)) {
      queues.offer('b', id);
      await rest();
      expect(begun.at(-1)).to.equal(id);
      await answer(id);
    }
  });

  it('give a host more places with every success, and half with every failure', async () => {
    const { queues, begun, rest, answer } = receivers({ hostOf: () => 'one host' });
    for (const key of ids('receiver ', 5000)) queues.offer(key, key);
    await rest();
    const open = (): number => queues.figures().inFlight;
    expect(open()).to.equal(64);
    for (let at = 0; at < 64; at++) await answer(begun[at] ?? '');
    expect(open(), 'all but what is kept free').to.equal(512);
    for (let at = 64; at < 513; at++) await answer(begun[at] ?? '', 'failed');
    expect(open()).to.equal(64);
  });

  it('send everything to a host with more receivers than places, each in turn, those that fail too', async () => {
    const { queues, begun, rest, answer } = receivers({ hostOf: () => 'one host', inFlightAtMost: 16 });
    const keys = ids('receiver', 10);
    for (const key of keys) for (const id of ids(`${key} `, 3)) queues.offer(key, id);
    await rest();
    for (let at = 0; at < 30; at++) {
      expect(queues.figures().inFlight, `after ${at}`).to.be.within(Math.min(2, 30 - at), 16);
      await answer(begun[at] ?? '', at % 3 === 0 ? 'succeeded' : 'failed');
    }
    expect(new Set(begun)).to.deep.equal(new Set(keys.flatMap((key) => ids(`${key} `, 3))));
  });

  describe('of a receiver that may have few attempts under way', () => {
    it('begin so many at once and no more, however well it answers', async () => {
      const { queues, begun, rest, answer } = receivers({ atOnceTo: () => 2 });
      for (const id of ids('a', 6)) queues.offer('a', id);
      await rest();
      expect(begun).to.deep.equal(ids('a', 2));
      await answer('a1');
      expect(begun).to.deep.equal(ids('a', 3));
      await answer('a0');
      expect(begun).to.deep.equal(ids('a', 4));
    });

    it('begin strictly one after another where it is one, and what failed holds nothing back', async () => {
      const { queues, begun, rest, answer } = receivers({ atOnceTo: () => 1 });
      for (const id of ids('a', 4)) queues.offer('a', id);
      await rest();
      for (let at = 0; at < 4; at++) {
        expect(begun).to.deep.equal(ids('a', at + 1));
        expect(queues.figures().inFlight).to.equal(1);
        await answer(`a${at}`, at % 2 === 0 ? 'failed' : 'succeeded');
      }
    });

    it('leave places of other receivers alone', async () => {
      const { queues, begun, rest } = receivers({ atOnceTo: (key) => (key === 'a' ? 1 : 32) });
      for (const id of ids('a', 4)) queues.offer('a', id);
      for (const id of ids('b', 4)) queues.offer('b', id);
      await rest();
      expect(begun.toSorted()).to.deep.equal(['a0', ...ids('b', 4)]);
    });

    it('follow a change while deliveries are under way, up and down', async () => {
      let most = 1;
      const { queues, begun, rest, answer } = receivers({ atOnceTo: () => most });
      for (const id of ids('a', 12)) queues.offer('a', id);
      await rest();
      expect(begun).to.deep.equal(ids('a', 1));
      most = 3;
      queues.catchUp('a');
      await rest();
      expect(begun).to.deep.equal(ids('a', 3));
      most = 1;
      await answer('a0');
      await answer('a1');
      expect(begun, 'one is under way still').to.deep.equal(ids('a', 3));
      await answer('a2');
      expect(begun).to.deep.equal(ids('a', 4));
    });

    it('wait while it may have none, and go on in order', async () => {
      let most = 0;
      const { queues, begun, rest, answer } = receivers({ atOnceTo: () => most });
      for (const id of ids('a', 3)) queues.offer('a', id);
      await rest();
      expect(begun).to.deep.equal([]);
      most = 32;
      queues.catchUp('a');
      await rest();
      expect(begun).to.deep.equal(ids('a', 3));
      await answer('a0');
    });
  });

  it('take turns between what is new and what is tried again', async () => {
    const { queues, begun, rest, answer } = receivers();
    queues.offer('a', 'first');
    await rest();
    await answer('first', 'failed');
    for (const id of ids('new', 3)) queues.offer('a', id);
    const again = ids('again', 3).map((id) => queues.retry('a', id));
    await rest();
    for (let turn = 0; turn < 6; turn++) await answer(begun.at(-1) ?? '', 'failed');
    expect(begun.slice(1)).to.deep.equal(['new0', 'again0', 'new1', 'again1', 'new2', 'again2']);
    expect(await Promise.all(again.filter((one) => one !== null))).to.deep.equal([
      'failed',
      'failed',
      'failed',
    ]);
  });

  it('begin what is replayed only while nothing is new or tried again, in order', async () => {
    const waiting = ids('old', 5);
    const { queues, begun, rest, answer } = receivers({
      atOnceTo: () => 1,
      replayed: async () => waiting.filter((id) => !begun.includes(id)),
    });
    queues.takeReplayed('a');
    await rest();
    queues.offer('a', 'new0');
    void queues.retry('a', 'again');
    queues.offer('a', 'new1');
    const order = ['old0', 'new0', 'again', 'new1', 'old1', 'old2', 'old3', 'old4'];
    for (const id of order) await answer(id);
    expect(begun).to.deep.equal(order);
  });

  it('keep few of what is replayed in memory, and forget them when another process takes over', async () => {
    const waiting = ids('old', 1000);
    const { queues, begun, rest } = receivers({
      atOnceTo: () => 0,
      replayed: async (_key, limit) => waiting.slice(0, limit),
    });
    queues.catchUp('a');
    await rest();
    expect(queues.figures().waiting).to.be.within(1, 256);
    queues.release('a');
    expect(queues.figures().waiting).to.equal(0);
    expect(begun).to.deep.equal([]);
  });

  it('keep few deliveries in memory and fetch the rest in order from the store', async () => {
    const kept = ids('a', 100);
    const { queues, begun, rest, answer } = receivers({
      capacity: 8,
      untried: async (_, limit) => kept.filter((id) => !begun.includes(id)).slice(0, limit),
    });
    for (const id of kept) queues.offer('a', id);
    for (let turn = 0; turn < 100; turn++) {
      await rest();
      expect(queues.figures().waiting).to.be.at.most(8);
      await answer(kept[turn] ?? '', 'failed');
    }
    expect(begun).to.deep.equal(kept);
    queues.offer('a', 'later');
    await rest();
    expect(begun.at(-1)).to.equal('later');
  });

  describe('of receivers that come from other processes', () => {
    it('begin with what the other process has left, before what is offered here', async () => {
      const kept = ['left0', 'left1', 'new'];
      const { queues, begun, rest, answer } = receivers({
        isShared: true,
        atOnceTo: () => 1,
        untried: async () => kept.filter((id) => !begun.includes(id)),
      });
      queues.offer('a', 'new');
      await rest();
      for (const id of kept) await answer(id);
      expect(begun).to.deep.equal(kept);
      kept.push('left by the other', 'newer');
      queues.release('a');
      queues.offer('a', 'newer');
      await rest();
      for (const id of kept) await answer(id);
      expect(begun).to.deep.equal(kept);
    });

    it('send nothing to one that has gone while its rows were fetched', async () => {
      for (const fetched of ['untried', 'replayed'] as const) {
        const rows = Promise.withResolvers<readonly string[]>();
        const fetch = () => rows.promise;
        const fetching = fetched === 'untried' ? { untried: fetch } : { replayed: fetch };
        const { queues, begun, rest } = receivers({ isShared: true, ...fetching });
        queues.catchUp('a');
        await rest();
        queues.release('a');
        rows.resolve(['a0', 'a1']);
        await rest();
        expect(begun, fetched).to.deep.equal([]);
        expect(queues.figures().waiting, fetched).to.equal(0);
      }
    });

    it('fetch again for one that has gone and come back meanwhile', async () => {
      const fetches: ((ids: readonly string[]) => void)[] = [];
      const { queues, begun, rest } = receivers({
        isShared: true,
        untried: () => new Promise((resolve) => fetches.push(resolve)),
      });
      queues.catchUp('a');
      await rest();
      queues.release('a');
      queues.offer('a', 'new');
      fetches[0]?.(['sent by the other']);
      await rest();
      expect(begun).to.deep.equal([]);
      fetches[1]?.(['new']);
      await rest();
      expect(begun).to.deep.equal(['new']);
    });

    it('do not take up again what has gone, after an attempt that the engine cut short', async () => {
      const claim = Promise.withResolvers<null>();
      let fetches = 0;
      const { queues, errors, rest } = receivers({
        isShared: true,
        claim: () => claim.promise,
        untried: async () => (fetches++ === 0 ? ['a0'] : []),
      });
      queues.offer('a', 'a0');
      await rest();
      const before = fetches;
      queues.release('a');
      claim.reject(new EngineUnavailable('away'));
      await rest();
      queues.catchUpStalled();
      await rest();
      expect(errors).to.have.length(1);
      expect(fetches).to.equal(before);
    });
  });

  it('find what was offered while the rows were fetched and is not among them', async () => {
    const fetches: ((ids: readonly string[]) => void)[] = [];
    const { queues, begun, rest } = receivers({
      untried: () => new Promise((resolve) => fetches.push(resolve)),
    });
    queues.catchUp('a');
    await rest();
    queues.offer('a', 'new');
    fetches[0]?.([]);
    await rest();
    fetches[1]?.(['new']);
    await rest();
    expect(begun).to.deep.equal(['new']);
  });

  it('do not queue a delivery twice', async () => {
    const { queues, begun, rest } = receivers();
    queues.offer('a', 'a0');
    queues.offer('a', 'a0');
    expect(queues.retry('a', 'a0')).to.equal(null);
    await rest();
    expect(begun).to.deep.equal(['a0']);
  });

  it('wait to be asked again after the engine was unavailable', async () => {
    let isAway = true;
    const sent: string[] = [];
    const { queues, errors, rest } = receivers({
      claim: async (id) => {
        if (isAway) throw new EngineUnavailable('away');
        return {
          send: async () => {
            sent.push(id);
            return 'succeeded';
          },
        };
      },
      untried: async () => (sent.length === 0 ? ['a0'] : []),
    });
    queues.offer('a', 'a0');
    await rest();
    expect(errors).to.have.length(1);
    isAway = false;
    queues.catchUp('a');
    await rest();
    expect(sent).to.deep.equal(['a0']);
  });

  it('finish deliveries under way before they stop, and begin no more', async () => {
    const { queues, begun, rest, answer } = receivers();
    for (const id of ids('a', 10)) queues.offer('a', id);
    await rest();
    let isStopped = false;
    const stopping = queues.stop().then(() => (isStopped = true));
    for (const id of ids('a', 3)) await answer(id);
    expect(isStopped).to.equal(false);
    await answer('a3');
    await stopping;
    expect(begun).to.deep.equal(ids('a', 4));
  });
});
