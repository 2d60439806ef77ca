import { expect } from 'chai';
import type { WhyContribution, WhyResponse } from '#contracts/why.contract.ts';
import { printWhy } from '#projection/cli/why/print-why.ts';
import { readWhy } from '#projection/cli/why/why-command.ts';

const dropped = (position: number, contribution: number): WhyContribution => ({
  ...{
    position,
    stream: 'jar-a',
    type: 'CoinsDropped',
    recordedAt: '2026-03-01T12:00:00.000Z',
    contribution,
  },
});

const why = (changes: Partial<WhyResponse> = {}): WhyResponse => ({
  ...{ figure: 'coins', value: 7, sum: 7, addsUp: true, next: null },
  items: [dropped(4, 12), dropped(9, -5)],
  ...changes,
});

describe('tillroll why', () => {
  it('prints the figure and under it what each event contributed', () => {
    expect(printWhy('jars', 'a', why())).to.equal(
      'jars a\ncoins: 7, from 2 events\n\n' +
        '  +12   2026-03-01T12:00:00.000Z   CoinsDropped   jar-a   at 4\n' +
        '   -5   2026-03-01T12:00:00.000Z   CoinsDropped   jar-a   at 9\n\n' +
        'The contributions add up to it.\n',
    );
  });

  it('says so where they do not add up', () => {
    const printed = printWhy('jars', 'a', why({ value: 9, addsUp: false }));
    expect(printed).to.include('coins: 9').and.to.include('do NOT add up to it: they come to 7.');
  });

  it('reads page after page, and then lets go of what it has opened', async () => {
    const asked: string[] = [];
    let isClosed = false;
    const pages = [why({ items: [dropped(4, 12)], next: 4 }), why({ items: [dropped(9, -5)] })];
    const read = await readWhy(
      'jars',
      'a b/c',
      { figure: 'coins', data: '/nowhere' },
      async () => async () => ({
        ask: async (path) => {
          asked.push(path);
          return pages.shift();
        },
        close: async () => void (isClosed = true),
      }),
    );
    expect(read).to.deep.equal(why());
    expect(asked).to.deep.equal([
      '/audit/why/jars/a%20b%2Fc?figure=coins&limit=1000&position=0',
      '/audit/why/jars/a%20b%2Fc?figure=coins&limit=1000&position=4',
    ]);
    expect(isClosed).to.equal(true);
  });
});
