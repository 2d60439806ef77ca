import { expect } from 'chai';
import { afterForgetting } from '#log/after-forgetting.ts';

// docs/rules/personal-data.md#files
describe('what follows from forgetting', () => {
  const setUp = (work: () => Promise<void>) => {
    let tell = (_: { readonly isLast: boolean }): void => undefined;
    const warnings: unknown[] = [];
    const { followers, stop } = afterForgetting({
      name: 'files',
      forgetting: { onForgotten: (listener) => void (tell = listener) },
      follower: { waitFor: () => Promise.resolve(true), stopped: () => null },
      log: { warn: (warning: unknown) => void warnings.push(warning) },
      work,
    });
    const settled = async (): Promise<boolean | undefined> => followers[0]?.waitFor(1, 5000);
    return { forgotten: (isLast = true) => tell({ isLast }), settled, stop, warnings };
  };

  it('is done once somebody is wholly forgotten, and is waited for', async () => {
    let times = 0;
    const { forgotten, settled } = setUp(async () => void times++);
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
    const { forgotten, settled } = setUp(() => (++times === 1 ? first : Promise.resolve()));
    for (let person = 0; person < 5; person++) forgotten();
    finish();
    await settled();
    expect(times).to.equal(2);
  });

  it('is tried again when it fails, and is not taken for done meanwhile', async () => {
    let times = 0;
    const { forgotten, settled, warnings } = setUp(() =>
      ++times === 1 ? Promise.reject(new Error('the disk is full')) : Promise.resolve(),
    );
    forgotten();
    expect(await settled()).to.equal(true);
    expect([times, warnings.length]).to.deep.equal([2, 1]);
  });

  it('ends with its service', async () => {
    const { forgotten, stop } = setUp(() => Promise.reject(new Error('the disk is full')));
    forgotten();
    await stop();
  });
});
