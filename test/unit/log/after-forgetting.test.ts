import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { afterForgetting } from '#log/after-forgetting.ts';

// docs/rules/personal-data.md#files
describe('what follows from forgetting', () => {
  const setUp = async (
    work: (stopping: AbortSignal, last: number | null) => Promise<void>,
    { stateStore = createMemoryDocumentStore(), last = null as number | null, isDoneAtStart = false } = {},
  ) => {
    let tell = (_: { readonly isLast: boolean }): void => undefined;
    let at = last;
    const warnings: unknown[] = [];
    const { followers, stop } = await afterForgetting({
      name: 'files',
      forgetting: { onForgotten: (listener) => void (tell = listener), last: () => at },
      follower: { waitFor: () => Promise.resolve(true), stopped: () => null },
      stateStore,
      log: { warn: (warning: unknown) => void warnings.push(warning) },
      work,
      isDoneAtStart,
    });
    const settled = async (): Promise<boolean | undefined> => followers[0]?.waitFor(1, 5000);
    const forgotten = (isLast = true): void => {
      if (isLast) at = (at ?? 0) + 1;
      tell({ isLast });
    };
    return { forgotten, settled, stop, warnings };
  };

  it('is done once somebody is wholly forgotten, and is waited for', async () => {
    let times = 0;
    const { forgotten, settled } = await setUp(async () => void times++);
    forgotten(false);
    expect(await settled()).to.equal(true);
    expect(times).to.equal(0);
    forgotten();
    expect(await settled()).to.equal(true);
    expect(times).to.equal(1);
  });

  it('is done once more for those who are forgotten meanwhile, however many they are', async () => {
    let times = 0;
    const { promise: first, resolve: finish } = Promise.withResolvers<void>();
    const { forgotten, settled } = await setUp(() => (++times === 1 ? first : Promise.resolve()));
    for (let person = 0; person < 5; person++) forgotten();
    finish();
    await settled();
    expect(times).to.equal(2);
  });

  it('is tried again for the same ones when it fails, and is not taken for done meanwhile', async () => {
    const tries: (number | null)[] = [];
    const { forgotten, settled, warnings } = await setUp((_, last) =>
      tries.push(last) === 1 ? Promise.reject(new Error('the disk is full')) : Promise.resolve(),
    );
    forgotten();
    expect(await settled()).to.equal(true);
    expect([tries, warnings.length]).to.deep.equal([[1, 1], 1]);
    forgotten();
    expect(await settled()).to.equal(true);
    expect(tries).to.deep.equal([1, 1, 2]);
  });

  it('is done by the next start where a kill came first, and only once', async () => {
    const stateStore = createMemoryDocumentStore();
    let times = 0;
    const killed = await setUp(() => Promise.reject(new Error('killed')), { stateStore });
    killed.forgotten();
    await killed.stop();
    const work = async () => void times++;
    const next = await setUp(work, { stateStore, last: 1 });
    expect(await next.settled()).to.equal(true);
    const later = await setUp(work, { stateStore, last: 1 });
    expect(await later.settled()).to.equal(true);
    expect(times).to.equal(1);
  });

  it('is not taken for done where it was cut short', async () => {
    const stateStore = createMemoryDocumentStore();
    const { promise: cut, resolve: finish } = Promise.withResolvers<void>();
    const first = await setUp(() => cut, { stateStore, last: 7 });
    const stopped = first.stop();
    finish();
    await stopped;
    let times = 0;
    const next = await setUp(async () => void times++, { stateStore, last: 7 });
    await next.settled();
    expect(times).to.equal(1);
  });

  it('is done at each start that asks for it, unless no one was ever forgotten', async () => {
    const stateStore = createMemoryDocumentStore();
    for (const [last, expected] of [
      [null, 0],
      [7, 1],
      [7, 1],
    ] as const) {
      let times = 0;
      const { settled } = await setUp(async () => void times++, { stateStore, last, isDoneAtStart: true });
      await settled();
      expect(times).to.equal(expected);
    }
  });

  it('ends with its service', async () => {
    const { forgotten, stop } = await setUp(() => Promise.reject(new Error('the disk is full')));
    forgotten();
    await stop();
  });
});
