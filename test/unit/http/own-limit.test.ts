import { expect } from 'chai';
import { createOwnLimit } from '#http/own-limit.ts';
import type { Taken } from '#http/rate-limit.ts';

const waitOf = (taken: Taken): number => (taken.isTaken ? 0 : taken.retryAfterSeconds);

describe('A limit that a process counts by itself', () => {
  let time = 0;
  const open = (mostKeys?: number) =>
    createOwnLimit({ now: () => time, windowSeconds: 60, ...(mostKeys === undefined ? {} : { mostKeys }) });
  beforeEach(() => (time = Date.UTC(2026, 0, 1)));

  it('lets the given number pass per minute, for each key', () => {
    const limit = open();
    expect([limit.take('a', 2), limit.take('a', 2)].map(waitOf)).to.deep.equal([0, 0]);
    time += 15_000;
    expect(waitOf(limit.take('a', 2))).to.equal(45);
    expect(waitOf(limit.take('b', 2))).to.equal(0);
    time += 45_000;
    expect(waitOf(limit.take('a', 2)), 'a new window').to.equal(0);
  });

  it('takes several together, or none of them', () => {
    const limit = open();
    expect(waitOf(limit.take('a', 10, 11)), 'more than there may ever be').to.equal(60);
    expect(waitOf(limit.take('a', 10, 8))).to.equal(0);
    expect(waitOf(limit.take('a', 10, 3))).to.equal(60);
    expect(waitOf(limit.take('a', 10, 2))).to.equal(0);
  });

  it('has no limit where it is 0', () => {
    const limit = open();
    for (let at = 0; at < 100; at++) expect(waitOf(limit.take('a', 0))).to.equal(0);
  });

  it('forgets what is given back, never more than was counted', () => {
    const limit = open();
    limit.take('a', 1);
    limit.giveBack('a');
    limit.giveBack('a');
    expect(waitOf(limit.take('a', 1))).to.equal(0);
    expect(waitOf(limit.take('a', 1))).to.equal(60);
  });

  it('gives nothing back to the window that follows', () => {
    const limit = open();
    limit.take('a', 1);
    time += 60_000;
    limit.giveBack('a');
    expect([limit.take('a', 1), limit.take('a', 1)].map(waitOf)).to.deep.equal([0, 60]);
  });

  it('bars no longer than its window after the clock has stepped back', () => {
    const limit = open();
    limit.take('a', 1);
    time -= 3_600_000;
    expect(waitOf(limit.take('a', 1))).to.equal(0);
    expect(waitOf(limit.take('a', 1))).to.equal(60);
  });

  it('keeps no more keys than it may, and forgets the one that was used longest ago', () => {
    const limit = open(2);
    for (const key of ['a', 'b', 'a', 'c']) limit.take(key, 5);
    expect([limit.take('a', 2), limit.take('b', 1)].map(waitOf)).to.deep.equal([60, 0]);
  });
});
