import { expect } from 'chai';
import { createTraffic } from '#runtime/traffic.ts';

/** A process of which time and use are told. `processorShare`: of all its processors. */
const processWith = (utilization: number, processorShare = 0, processors = 1) => {
  let now = 0;
  const traffic = createTraffic({
    now: () => now,
    utilization: () => ({ utilization, idle: 0, active: 0 }),
    processorTime: () => now * processors * processorShare,
    processors,
  });
  return {
    traffic,
    /** Lets time pass with so many answers in it. */
    pass: (milliseconds: number, answers: number): void => {
      for (let answer = 0; answer < answers; answer++) traffic.answered();
      now += milliseconds;
    },
  };
};

describe('Traffic', () => {
  it('is heavy while the event loop is busy with many requests', () => {
    const { traffic, pass } = processWith(0.97);
    pass(100, 50);
    expect(traffic.isHeavy()).to.equal(true);
    pass(50, 0);
    expect(traffic.isHeavy()).to.equal(true);
    pass(50, 0);
    expect(traffic.isHeavy()).to.equal(false);
  });

  it('is heavy while the threads behind the event loop have no processor left', () => {
    const { traffic, pass } = processWith(0.8, 0.95);
    pass(100, 50);
    expect(traffic.isHeavy()).to.equal(true);
  });

  it('is not heavy while another processor is free', () => {
    const { traffic, pass } = processWith(0.8, 0.6, 2);
    pass(100, 50);
    expect(traffic.isHeavy()).to.equal(false);
  });

  it('is not heavy when it is not callers who keep the process busy', () => {
    const { traffic, pass } = processWith(1, 1);
    pass(1000, 5);
    expect(traffic.isHeavy()).to.equal(false);
  });

  it('is not heavy while there is room for all', () => {
    const { traffic, pass } = processWith(0.6);
    pass(100, 50);
    expect(traffic.isHeavy()).to.equal(false);
  });

  it('is not judged by the distant past', () => {
    const { traffic, pass } = processWith(1);
    pass(60_000, 100_000);
    expect(traffic.isHeavy()).to.equal(false);
  });
});
