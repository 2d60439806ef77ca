import { sessionsPath } from '#test/support/agents/asking-agent.ts';
import {
  agentWith,
  beginWith,
  completeWith,
  linkedShop,
  saveCard,
  tokenOf,
} from '#test/support/agents/linked-shopping.ts';
import { LinkingMember } from '#test/support/agents/linking.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { openMemberShop, type MemberShop } from '#test/support/member-shop.ts';
import { get } from '#test/support/requests.ts';

const WIDTH = 58;
const links = '/api/shop/storefront/linked-agents';

const totalOf = ({ body }: ApiResponse): number =>
  body.totals.find(({ type }: { type: string }) => type === 'total').amount;

/** Prints what was answered; false where it is not what was expected. */
const print = (what: string, answered: unknown, expected: unknown): boolean => {
  const [is, should] = [answered, expected].map((one) => JSON.stringify(one));
  console.log(`  ${what.padEnd(WIDTH)}${is}${is === should ? '' : `  EXPECTED ${should}`}`);
  return is === should;
};

const journey = async ({ shop }: MemberShop): Promise<readonly boolean[]> => {
  const mug = await shop.sell('mug', { price: 10 });
  const ada = new LinkingMember(shop.base);
  await ada.register('ada@example.com', mug);
  const card = await saveCard(ada);
  const agent = agentWith(shop.base, 'pia', await tokenOf(ada, 'pia'));
  const linked = async () => (await ada.ask(get(links))).body.map(({ name }: { name: string }) => name);
  const begun = await beginWith(agent, 'mug');
  const [instrument] = begun.body.payment.instruments;
  const seen = [
    print('the member sees what is linked', await linked(), ['Pia & Friends']),
    print(
      'the agent sees the saved card',
      [instrument.id === card, instrument.display.last_digits],
      [true, '4242'],
    ),
    print('what it costs, with parcel and tax, in pence', totalOf(begun), 1700),
  ];
  const done = await completeWith(agent, begun.body.id, instrument);
  const orderId: string = done.body.order?.id ?? '';
  const charges = (await shop.charges(orderId)).map(({ amount, status }) => [amount, status]);
  seen.push(
    print('the agent pays with it', [done.status, done.body.status], [200, 'completed']),
    print('the provider has charged it, once', charges, [[17, 'Completed']]),
  );
  await shop.settle();
  const { items } = (await ada.ask(get('/api/shop/account/orders'))).body;
  const [order] = items;
  seen.push(
    print('the member has the order in the account', [items.length, order.paymentStatus], [1, 'Paid']),
  );
  const open = await beginWith(agent, 'mug');
  const { status } = await ada.ask({ method: 'DELETE', path: `${links}/pia` });
  await shop.settle();
  const refused = await completeWith(agent, open.body.id, instrument);
  const asGuest = await agentWith(shop.base, 'pia').get(`${sessionsPath}/${open.body.id}`);
  return [
    ...seen,
    print('the member ends the link', [status, await linked()], [200, []]),
    print('its token is dead', [refused.status, refused.body.code], [401, 'invalid_token']),
    print(
      'an open checkout is closed to it',
      [asGuest.status, asGuest.body.messages[0].code],
      [401, 'identity_required'],
    ),
    print('nothing more was charged', (await shop.charges()).length, 1),
  ];
};

/** A member who links an agent, buys through it with a saved card, and ends that. False where a step fails. */
export const printLinkedMember = async (): Promise<boolean> => {
  const opened = await openMemberShop({ environment: linkedShop });
  try {
    console.log('\nA member, and the agent that buys for them');
    return (await journey(opened)).every(Boolean);
  } finally {
    await opened.close();
  }
};
