import { expect } from 'chai';
import { PositionMark, waitForPosition } from '#log/wait-for-position.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';

/** A log whose head is known when `answers` says so. */
const logAt = (head: number, asked: string[] = []) => ({
  hurry: () => void asked.push('hurry'),
  head: async () => {
    asked.push('head');
    return head;
  },
});

describe('waiting for a position', () => {
  it('ends with its arrival, and the log is not asked for its head', async () => {
    const mark = new PositionMark(1);
    const asked: string[] = [];
    const waiting = waitForPosition(mark, logAt(9, asked), 5, 5000);
    mark.advance(5);
    expect(await waiting).to.equal(true);
    expect(asked).to.deep.equal(['hurry']);
    expect(await waitForPosition(mark, logAt(9, asked), 3, 5000)).to.equal(true);
    expect(asked).to.deep.equal(['hurry']);
  });

  it('ends within a quarter of a second for a position that the log does not have', async () => {
    const asked: string[] = [];
    const took = await ownMilliseconds(async () =>
      expect(await waitForPosition(new PositionMark(1), logAt(9, asked), 1e15, 5000)).to.equal(true),
    );
    expect(asked).to.deep.equal(['hurry', 'head']);
    expect(took).to.be.below(1000);
  });

  it('goes on for one that it has, until there is no time left', async () => {
    expect(await waitForPosition(new PositionMark(1), logAt(9), 5, 300)).to.equal(false);
    const mark = new PositionMark(1);
    setTimeout(() => mark.advance(5), 250);
    expect(await waitForPosition(mark, logAt(9), 5, 5000)).to.equal(true);
  });

  it('takes no longer if the log does not respond', async () => {
    const silent = { hurry: () => undefined, head: () => new Promise<number>(() => undefined) };
    expect(await waitForPosition(new PositionMark(1), silent, 5, 250)).to.equal(false);
  });
});
