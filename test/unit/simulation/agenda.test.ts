import { expect } from 'chai';
import { createAgenda } from '#command/simulation/agenda.ts';

const nothing = async function* (): AsyncGenerator<number, void> {};

describe('An agenda', () => {
  const agendaWith = (...times: readonly number[]) => {
    const agenda = createAgenda();
    for (const at of times) agenda.add({ at, begin: nothing });
    return agenda;
  };
  const timesIn = (taken: readonly { readonly at: number }[]): readonly number[] => taken.map(({ at }) => at);

  it('hands out what is due before an instant, the soonest first', () => {
    expect(timesIn(agendaWith(30, 10, 20).take(30))).to.deep.equal([10, 20]);
  });

  it('hands nothing out twice, and keeps the rest', () => {
    const agenda = agendaWith(30, 10);
    agenda.take(20);
    expect(timesIn(agenda.take(20))).to.deep.equal([]);
    expect(timesIn(agenda.take(31))).to.deep.equal([30]);
  });
});
