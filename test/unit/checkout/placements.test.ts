import { expect } from 'chai';
import {
  createPlacements,
  type Placements,
} from '#command/contexts/checkout/placement/placements.actions.ts';
import { basketEndStream, checkoutStream } from '#command/contexts/checkout/checkout.stream.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { Reference } from '#reference/reference.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { anyMeta, startTestEngine, testStreams } from '#test/support/engine.ts';

/** Placements whose first lease is given back only when the test says so; `names` are those of the runs. */
const openPlacements = async () => {
  const { engine, clock } = await startTestEngine();
  const names: string[] = [];
  const released = Promise.withResolvers<void>();
  const runAlone: RunAlone = async (name, work) => {
    names.push(name);
    const isFirst = names.length === 1;
    const done = await work(() => true);
    if (isFirst) await released.promise;
    return done;
  };
  const placements = createPlacements({
    streams: testStreams(engine, clock),
    settings: () => defaultStoreSettings,
    calls: {
      takeInvoiceNumber: () => expect.fail('no number is taken'),
      keepToLimit: () => expect.fail('no limit is kept to'),
    },
    runAlone,
  });
  return { placements, names, release: released.resolve };
};

const [basket, one, next] = [idNamed('basket'), idNamed('one'), idNamed('next')];
const drive = (placements: Placements, placementId: string) =>
  placements.drive(basket, { placementId }, anyMeta());

describe('driving placements', () => {
  it('drives the next placement of a basket while the previous lease is still being released', async () => {
    const { placements, names, release } = await openPlacements();

    const settled: string[] = [];
    const first = drive(placements, one).then(() => settled.push('one'));
    const second = drive(placements, next).then(() => settled.push('next'));
    expect(names).to.deep.equal([`place-order ${one}`, `place-order ${next}`]);
    await second;
    expect(settled).to.deep.equal(['next']);
    expect(placements.running(one), 'the first one has not ended').to.not.equal(undefined);
    expect(placements.running(next)).to.equal(undefined);

    release();
    await first;
    expect(settled).to.deep.equal(['next', 'one']);
  });

  it('lets a second caller share the run of the same placement', async () => {
    const { placements, names, release } = await openPlacements();
    const both = [drive(placements, one), drive(placements, one)];
    release();
    await Promise.all(both);
    expect(names).to.deep.equal([`place-order ${one}`]);
  });
});

describe('closing a basket', () => {
  it('asks for no price and no rule: what was bought is closed whatever the shop has become', async () => {
    const { engine, clock } = await startTestEngine();
    const reference = new Proxy({} as Reference, {
      get: () => {
        throw new TypeError('prices are gathered');
      },
    });
    const streams = testStreams(engine, clock, { reference });
    const complete = {
      type: 'CompleteBasket',
      invoiceId: idNamed('invoice'),
      invoiceNumber: 'INV-0007',
    } as const;
    expect((await streams.send(basketEndStream, basket, complete, anyMeta())).events).to.deep.equal([]);
    const dropping = { type: 'DropUsedUpDiscounts', discountIds: [] } as const;
    const dropped = streams.send(checkoutStream, basket, dropping, anyMeta());
    expect(await dropped.catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });
});
