import { expect } from 'chai';
import { createTimetable } from '#runtime/timetable.ts';

const start = Date.UTC(2026, 10, 23, 12, 0, 30);
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const entries = [
  { name: 'minutely', schedule: '* * * * *' },
  { name: 'hourly', schedule: '7 * * * *' },
  { name: 'nightly', schedule: '23 3 * * *' },
];

describe('a timetable', () => {
  /** How often each came due while the clock showed these times, one look a second. */
  const looks = () => {
    const table = createTimetable(entries, start);
    const runs: Record<string, number> = {};
    const look = (now: number): void => {
      for (const { name } of table.due(now)) runs[name] = (runs[name] ?? 0) + 1;
    };
    return {
      runs,
      look,
      until: (from: number, to: number): void => {
        for (let now = from + second; now <= to; now += second) look(now);
      },
    };
  };

  it('has each entry due once per scheduled time, however rarely it is read', () => {
    const { runs, look, until } = looks();
    until(start, start + hour);
    expect(runs).to.deep.equal({ minutely: 60, hourly: 1 });
    look(start + hour + 59 * second);
    expect(runs).to.deep.equal({ minutely: 61, hourly: 1 });
  });

  it('goes on at once where the clock has stepped back', () => {
    const { runs, look, until } = looks();
    until(start, start + 10 * minute);
    expect(runs).to.deep.equal({ minutely: 10, hourly: 1 });
    look(start - 24 * hour);
    until(start - 24 * hour, start - 24 * hour + 3 * minute);
    expect(runs).to.deep.equal({ minutely: 13, hourly: 1 });
  });

  it('has everything due once after a jump of three days, without stepping through it', () => {
    const { runs, look } = looks();
    const begun = performance.now();
    look(start + 72 * hour);
    expect(performance.now() - begun).to.be.lessThan(50);
    expect(runs).to.deep.equal({ minutely: 1, hourly: 1, nightly: 1 });
    look(start + 72 * hour + second);
    expect(runs).to.deep.equal({ minutely: 1, hourly: 1, nightly: 1 });
  });

  it('refuses an invalid schedule', () => {
    expect(() => createTimetable([{ name: 'count', schedule: 'now and then' }], start)).to.throw('count');
  });
});
