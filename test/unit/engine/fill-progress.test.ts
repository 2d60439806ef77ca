import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { HttpRejection } from '#http/errors.ts';
import { FillProgress, type Filling } from '#projection/engine/fill-progress.ts';
import { beingFilled } from '#projection/engine/reader.ts';
import { silentLog } from '#test/support/plain-log.ts';

const refusal = (filling: Filling | null) => {
  const rejection = beingFilled('orders', filling);
  const headers = rejection instanceof HttpRejection ? rejection.headers : {};
  return { ...rejection.details, message: rejection.message, retryAfter: headers['Retry-After'] };
};

describe('how far the first filling of a view is', () => {
  let now = 0;
  const given = () => {
    now = 1000;
    const readStore = createMemoryDocumentStore();
    return new FillProgress({ readStore, isShared: false, log: silentLog, now: () => now });
  };
  const at = (position: number) => ({ phase: 'filling', position, head: 10_000, events: position }) as const;

  it('is told to callers with the time that is left at the pace so far, after which they may ask again', () => {
    const fills = given();
    fills.note(['orders'], at(1000));
    expect(refusal(fills.of('orders'))).to.include({ phase: 'filling', share: 0.1, secondsLeft: null });
    now += 2000;
    fills.note(['orders'], at(4000));
    expect(refusal(fills.of('orders'))).to.deep.include({
      ...{ view: 'orders', percent: 40, phase: 'filling', share: 0.4, secondsLeft: 4, retryAfter: '4' },
      message:
        'The view orders is being filled from the log: 40 % done, about 4 s left. Please try again shortly.',
    });
  });

  it('has callers wait a minute at most, and a second at least', () => {
    const filling = { ...at(1), secondsLeft: 4000 };
    expect(refusal(filling).retryAfter).to.equal('60');
    expect(refusal({ ...filling, secondsLeft: 0 }).retryAfter).to.equal('1');
  });

  it('counts the pace of the next pass from its own beginning', async () => {
    const fills = given();
    fills.note(['orders'], at(1000));
    now += 1000;
    fills.note(['orders'], at(9000));
    await fills.end(['orders']);
    expect(fills.of('orders')).to.equal(null);
    expect(refusal(null)).to.include({ percent: 0 }).and.to.not.have.property('share');
    now += 60_000;
    fills.note(['orders'], at(500));
    expect(fills.of('orders')).to.include({ secondsLeft: null });
  });
});
