import { Browser, type ApiResponse } from '../browser.ts';
import type { Customer } from '../member-shop.ts';
import { post } from '../requests.ts';
import { sessionsPath, wanting } from './asking-agent.ts';
import { home } from './buying-agent.ts';
import { LinkingClient, linkingEnvironment, max, pia, type LinkingMember } from './linking.ts';

/** The shop's address outside, whichever port its processes listen on. */
export const PUBLIC = 'http://shop.test';

/** A profile that the shop knows by itself. */
export const profileOf = (name: string): string => `${PUBLIC}/.well-known/ucp-test-agent/${name}`;

/** Two agents, each of which acts for the member who linked it. */
export const clients = {
  pia: { ...pia, profileUri: profileOf('pia') },
  max: { ...max, profileUri: profileOf('max') },
};

export const linkedShop: Readonly<Record<string, string>> = {
  ...linkingEnvironment,
  Protocol__Ucp__OAuth__Clients: JSON.stringify(Object.values(clients)),
  PUBLIC_BASE_URL: PUBLIC,
};

/** With the token of a member, or for a guest. */
export const agentWith = (base: string, name: keyof typeof clients, token?: string): Browser =>
  new Browser(base, {
    'UCP-Agent': `profile="${profileOf(name)}"`,
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  });

export const tokenOf = async (member: LinkingMember, name: keyof typeof clients): Promise<string> =>
  (await new LinkingClient(member.base, clients[name]).link(member)).access_token;

const methods = '/api/shop/storefront/payment-methods';

/** The id of a card that the customer has saved. */
export const saveCard = async (customer: Customer, paymentMethodToken = 'tok_success'): Promise<string> => {
  const pages = { providerAlias: 'sandbox', returnUrl: '/account', cancelUrl: '/account' };
  const { setupSessionId } = (await customer.ask(post(`${methods}/setup`, pages))).body;
  const given = { providerAlias: 'sandbox', setupSessionId, paymentMethodToken };
  return (await customer.ask(post(`${methods}/confirm`, given))).body.id as string;
};

/** A session of one unit, ready to be paid. */
export const beginWith = async (agent: Browser, item: string): Promise<ApiResponse> => {
  const begun = await agent.post(sessionsPath, {
    line_items: wanting([item, 1]),
    fulfillment: { methods: [{ destinations: [home], selected_destination_id: home.id }] },
  });
  if (begun.status !== 201) throw new Error(`${begun.status} ${begun.text}`);
  const [option] = begun.body.fulfillment.methods[0].groups[0].options;
  const groups = [{ selected_option_id: option.id }];
  return agent.put(`${sessionsPath}/${begun.body.id}`, { fulfillment: { methods: [{ groups }] } });
};

export const completeWith = (agent: Browser, sessionId: string, instrument: object): Promise<ApiResponse> =>
  agent.post(`${sessionsPath}/${sessionId}/complete`, { payment: { instruments: [instrument] } });
