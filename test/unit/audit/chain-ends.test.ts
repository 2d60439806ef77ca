import { expect } from 'chai';
import { chainStart, HASH_LENGTH } from '#log/hash-chain.ts';
import { derivedId } from '#kernel/ids.ts';
import { ChainEnds } from '#projection/contexts/audit/verification/chain-ends.ts';

const hashOf = (text: string): string => text.padEnd(HASH_LENGTH, '-');

describe('The ends of the chains of all streams', () => {
  it('are kept apart, whatever the streams are called', () => {
    const id = derivedId('basket', 'one');
    const streams = [
      `basket-${id}`,
      `invoice-${id}`,
      `basket-${derivedId('basket', 'two')}`,
      `basket-${id.toUpperCase()}`,
      `basket-${id.slice(0, -1)}`,
      `basket${id}`,
      'basket-1',
      id,
    ];
    const ends = new ChainEnds();
    for (const stream of streams) expect(ends.endAt(ends.slotOf(stream))).to.deep.equal(chainStart);
    streams.forEach((stream, revision) =>
      ends.put(ends.slotOf(stream), { revision, hash: hashOf(stream.slice(0, 40)) }),
    );
    expect(streams.map((stream) => ends.endAt(ends.slotOf(stream)))).to.deep.equal(
      streams.map((stream, revision) => ({ revision, hash: hashOf(stream.slice(0, 40)) })),
    );
    expect(ends.size).to.equal(streams.length);
  });

  it('are found again after many streams have come', () => {
    const ends = new ChainEnds();
    const hexOf = (index: number): string => index.toString(16).padStart(12, '0');
    const streamAt = (index: number): string => `stock-01890000-0000-7000-8000-${hexOf(index)}`;
    for (let index = 0; index < 140_000; index++)
      ends.put(ends.slotOf(streamAt(index)), { revision: index, hash: '' });
    for (let index = 0; index < 140_000; index += 997)
      expect(ends.endAt(ends.slotOf(streamAt(index)))).to.deep.equal({ revision: index, hash: '' });
    expect(ends.size).to.equal(140_000);
  });
});
