import { expect } from 'chai';
import type { Json } from '#agents/dialects.ts';
import { sessionForms } from '#agents/forms/session-forms.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import { schemasInUse } from '#test/support/agents/answer-schemas.ts';
import { checkoutProblems } from '#test/support/agents/checkout-problems.ts';
import { currentContext, mugs, olderContext, sentBy } from '#test/support/builders/agent-answers.ts';

const bodiesOf = (session: ProtocolSession): readonly Json[] => [
  sessionForms['2026-04-08'](session, currentContext),
  sessionForms['2026-01-11'](session, olderContext),
];

const replaced = <Entry extends { readonly type: string }>(
  entries: readonly Entry[],
  type: string,
  amount: number,
): readonly Entry[] => entries.map((entry) => (entry.type === type ? { ...entry, amount } : entry));

const without = (type: string): ProtocolSession => ({
  ...mugs,
  totals: mugs.totals.filter((entry) => entry.type !== type),
});

const applied = mugs.discounts?.applied ?? [];
const group = mugs.fulfilment?.methods[0]?.groups?.[0];
if (!group) throw new TypeError('the mugs are sent in a group');

const broken: readonly (readonly [string, ProtocolSession, RegExp])[] = [
  [
    'a total that is no sum',
    { ...mugs, totals: replaced(mugs.totals, 'total', 2286) },
    /add up to the total/,
  ],
  ['no tax', without('tax'), /must have one tax/],
  ['no subtotal', without('subtotal'), /subtotal|minContains|contain/],
  [
    'lines that come to another subtotal',
    { ...mugs, totals: replaced(replaced(mugs.totals, 'subtotal', 2001), 'total', 2286) },
    /subtotal must be the sum of the lines/,
  ],
  [
    'an allocation that is too small',
    {
      ...mugs,
      discounts: {
        codes: [],
        applied: applied.map((one) => ({
          ...one,
          allocations: one.allocations.map(({ path }) => ({ path, amount: 199 })),
        })),
      },
    },
    /allocations must add up to the amount/,
  ],
  [
    'an order discount that nobody gave',
    { ...mugs, discounts: { codes: [], applied: applied.slice(0, 1) } },
    /discounts without allocations/,
  ],
  [
    'two groups',
    sentBy({ groups: [{ ...group, lineIds: [] }, group].map((one, index) => ({ ...one, id: `${index}` })) }),
    /must have one group/,
  ],
  [
    'an option that is not there',
    sentBy({ groups: [{ ...group, selectedOptionId: 'pigeon' }] }),
    /selected option must be one of its options/,
  ],
  ['a destination that is not there', sentBy({ selectedDestinationId: 'moon' }), /one of its destinations/],
  ['a line in no group', sentBy({ groups: [{ ...group, lineIds: [] }] }), /every line must be in one group/],
  ['lines of another checkout', sentBy({ lineIds: ['line-2'], groups: null }), /must name lines/],
  [
    'a price of shipping that no option has',
    { ...mugs, totals: replaced(replaced(mugs.totals, 'fulfillment', 400), 'total', 2185) },
    /price of the selected options/,
  ],
  [
    'an escalation without a link',
    { ...mugs, status: 'requires_escalation', continueUrl: null },
    /continue_url/,
  ],
  ['a completed session without an order', { ...mugs, lifecycle: 'completed', status: 'completed' }, /order/],
  ['an address that is none', { ...mugs, continueUrl: 'continue here' }, /continue_url .*uri/],
  ['a time that is none', { ...mugs, expiresAt: 'later' }, /expires_at .*date-time/],
];

describe('The check of checkout bodies (docs/rules/agent-dialects.md#checks)', () => {
  it('passes a session that is right, in both dated dialects', () => {
    expect(bodiesOf(mugs).map((body) => checkoutProblems(body))).to.deep.equal([[], []]);
  });

  for (const [name, session, problem] of broken) {
    it(`finds ${name}`, () => {
      for (const body of bodiesOf(session)) expect(checkoutProblems(body).join('; ')).to.match(problem);
    });
  }

  it('lets several groups pass where the agent can show them', () => {
    const groups = [
      { ...group, id: '1' },
      { ...group, id: '2', lineIds: [], selectedOptionId: null },
    ];
    for (const body of bodiesOf(sentBy({ groups }))) {
      expect(checkoutProblems(body, { groups: 'many' })).to.deep.equal([]);
    }
  });

  it('finds a credential, a null and a destination with a name', () => {
    const [body = {}] = bodiesOf(mugs);
    const instrument = { id: 'i', handler_id: 'h', type: 'card', credential: { type: 'token' } };
    expect(checkoutProblems({ ...body, payment: { instruments: [instrument] } }).join()).to.match(
      /credentials/,
    );
    expect(checkoutProblems({ ...body, note: null }).join()).to.match(/\$\.note: null/);
    const method = { id: 's', type: 'shipping', line_item_ids: ['line-1'] };
    const named = { ...method, destinations: [{ id: 'home', name: 'Depot' }] };
    expect(checkoutProblems({ ...body, fulfillment: { methods: [named] } })).not.to.deep.equal([]);
  });
});

describe('The schemas that answers are held to', () => {
  it('are the published ones where their folder is named, which must be there then', () => {
    expect(() => schemasInUse('/nowhere/at/all')).to.throw('2026-04-08 and 2026-01-11');
    expect(schemasInUse).not.to.throw();
  });
});
