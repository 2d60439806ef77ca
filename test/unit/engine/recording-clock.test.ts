import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { RecordingClock } from '#command/engine/recording-clock.ts';

const noon = Date.UTC(2026, 10, 23, 12);

describe('the time at which events are recorded', () => {
  const clockFrom = async (): Promise<{ readonly at: (now: number) => string }> => {
    let shows = noon;
    const clock = new RecordingClock(createMemoryEventStore(), { now: () => shows });
    await clock.prepare();
    return { at: (now) => ((shows = now), clock.now()) };
  };
  const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

  it('waits for a clock that is set back by seconds, and never runs backwards', async () => {
    const { at } = await clockFrom();
    expect(at(noon)).to.equal(iso(noon));
    expect(at(noon - 5000)).to.equal(iso(noon));
    expect(at(noon + 1)).to.equal(iso(noon + 1));
  });

  it('continues with the correct time after a clock was a day ahead', async () => {
    const { at } = await clockFrom();
    expect(at(noon + 24 * 3_600_000)).to.equal(iso(noon + 24 * 3_600_000));
    expect(at(noon)).to.equal(iso(noon));
    expect(at(noon + 1)).to.equal(iso(noon + 1));
  });
});
