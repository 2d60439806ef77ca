import { expect } from 'chai';
import fc from 'fast-check';
import type { CustomerCommand } from '#command/contexts/customers/customer.commands.ts';
import { customerDecider, type CustomerStreamEvent } from '#command/contexts/customers/customer.decider.ts';
import { fold } from '#kernel/decider.ts';
import {
  receivablesAfter,
  receivablesNow,
  receivablesProjection,
  type ReceivablesDay,
} from '#projection/contexts/customers/receivables.projection.ts';
import { countedAfter } from '#projection/engine/view-counters.ts';
import { dueDateOf } from '#values/account-terms.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { registered } from '#test/support/builders/customer.ts';
import { givenEvents, type GivenEvent } from '#test/support/given.ts';

const MONTH = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05', '2026-03-06'];
const AFTERWARDS = '2026-03-07';
const noon = (day: string): string => `${day}T12:00:00.000Z`;

/** The customer's terms: how many days until an invoice is due; null names none. */
const terms = { ada: 2, bob: null, eve: 0 } as const;
type Name = keyof typeof terms;

type Step =
  | { readonly kind: 'claim'; readonly who: Name; readonly invoice: number; readonly amount: number }
  | { readonly kind: 'set'; readonly who: Name; readonly invoice: number; readonly amount: number }
  | { readonly kind: 'release'; readonly who: Name; readonly invoice: number }
  | { readonly kind: 'nextDay' };

const who = fc.constantFrom<Name>('ada', 'bob', 'eve');
const invoice = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('claim' as const), who, invoice, amount: fc.integer({ min: 1, max: 900 }) }),
  fc.record({ kind: fc.constant('set' as const), who, invoice, amount: fc.nat(900) }),
  fc.record({ kind: fc.constant('release' as const), who, invoice }),
  fc.constant({ kind: 'nextDay' as const }),
);

/** One line for each invoice that is owed. */
type Naive = Map<string, { readonly amount: number; readonly dueDay: string | null }>;

const naiveOn = (today: string, owed: Naive) => {
  const lines = [...owed.values()];
  return {
    count: lines.length,
    value: lines.reduce((sum, { amount }) => sum + amount, 0),
    overdue: lines.filter(({ dueDay }) => dueDay !== null && dueDay < today).length,
  };
};

const dayOf = (index: number): string => MONTH[index] ?? AFTERWARDS;
const streamIdOf = (name: Name): string => streamOf.customer(idNamed(name));

/** What their streams decide, and the list of who owed what at the end of each day. */
const play = (steps: readonly Step[]) => {
  const events: (GivenEvent & CustomerStreamEvent)[] = Object.entries(terms).map(
    ([name, paymentTermsDays]) => ({
      ...registered({ hasAccountTerms: true, paymentTermsDays }),
      stream: streamIdOf(name as Name),
    }),
  );
  const owed: Naive = new Map();
  const ends: { readonly day: string; readonly owed: Naive }[] = [];
  let today = 0;
  for (const [asOf, step] of steps.entries()) {
    if (step.kind === 'nextDay') {
      ends.push({ day: dayOf(today), owed: new Map(owed) });
      today = Math.min(today + 1, MONTH.length);
      continue;
    }
    const at = noon(dayOf(today));
    const stream = streamIdOf(step.who);
    const name = `${step.who} ${step.invoice}`;
    const dueDate = dueDateOf(at, terms[step.who]);
    const state = fold(customerDecider, structuredClone(events.filter((event) => event.stream === stream)));
    const decided = customerDecider.decide(state, commandOf(step, { name, at, dueDate, asOf }), {
      ...{ at, timeZone: 'UTC', unpaidInvoices: 0, isSegment: () => true },
    });
    events.push(...decided.map((event) => ({ ...event, stream, recordedAt: at })));
    if (decided.length === 0) continue;
    const { dueDay } = owed.get(name) ?? { dueDay: dueDate?.slice(0, 10) ?? null };
    const amount = step.kind === 'release' ? 0 : step.amount;
    if (amount === 0) owed.delete(name);
    else owed.set(name, { amount, dueDay });
  }
  ends.push({ day: dayOf(today), owed });
  return { events, ends };
};

const commandOf = (
  step: Exclude<Step, { readonly kind: 'nextDay' }>,
  { name, at, dueDate, asOf }: { name: string; at: string; dueDate: string | null; asOf: number },
): CustomerCommand => {
  const invoiceId = idNamed(name);
  if (step.kind === 'claim') return { type: 'ClaimCredit', invoiceId, amount: step.amount, soldAt: at };
  if (step.kind === 'release') return { type: 'ReleaseCredit', invoiceId };
  return { type: 'SetOutstanding', invoiceId, amount: step.amount, asOf, dueDate };
};

const recordedDays = (events: readonly GivenEvent[]): readonly ReceivablesDay[] =>
  [...MONTH, AFTERWARDS].flatMap((day) => {
    const { document } = givenEvents(...events).project(receivablesProjection, day);
    return document ? [document] : [];
  });

// docs/rules/orders.md#statistics
describe('receivables, held against a list of who owes what', () => {
  it('as of the end of every day, and now', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { events, ends } = play(steps);
        const days = recordedDays(events);
        for (const { day, owed } of ends) {
          const upToIt = days.filter(({ _id }) => _id <= day);
          expect(receivablesAfter(day, upToIt), `as of ${day}`).to.deep.equal(naiveOn(day, owed));
        }
        const { counters = () => ({}) } = receivablesProjection;
        const figures = countedAfter<ReceivablesDay>(
          {},
          days.map((document) => [null, document]),
          counters,
        );
        const last = ends.at(-1) ?? expect.fail('there is always an end');
        expect(receivablesNow(last.day, figures)).to.deep.equal(naiveOn(last.day, last.owed));
      }),
      { numRuns: 60 },
    );
  });
});
