import type { AgentRequest } from '#agents/agent-request.ts';
import type { ProtocolAnswer } from '#agents/commerce-protocol.ts';
import { mainDialect } from '#agents/dialect-choice.ts';
import { protocolRefusal } from '#agents/protocol-error.ts';
import type { LineInput, SessionInput } from '#agents/protocol-inputs.ts';
import type { ProtocolSession } from '#agents/protocol-session.ts';
import { Rejection } from '#kernel/rejection.ts';
import { START } from '#ports/event-store.ts';
import type { Config } from '#runtime/config.ts';
import type { Visit } from './plan-visits.ts';
import { requestsOf } from './requests.ts';
import { nobodysAddress, type VisitorOptions } from './visitor.ts';

type Ucp = Config['protocol']['ucp'];

export interface AssistantOptions extends VisitorOptions {
  readonly ucp: Ucp;
}

const profileUri = 'https://assistant.example/profile.json';
const actor = { kind: 'agent', id: profileUri } as const;
const home = 'home';
const card = { id: 'card', handlerId: 'sandbox:card', type: 'card', isSelected: true };
/** No links are followed. */
const baseUrl = 'http://localhost';

/** Whether a stranger's agent may buy, and have goods sent. */
export const sellsToAgents = ({ capabilities, extensions, allowedAgents, requireSignature }: Ucp): boolean =>
  capabilities.checkout && extensions.fulfillment && allowedAgents.includes('*') && !requireSignature;

/** As if its profile had been read: nothing is fetched, and no notices are sent. */
const agentOf = ({ version }: Ucp): AgentRequest => ({
  identity: {
    profileUri,
    profileState: 'resolved',
    name: 'Example Assistant',
    version,
    capabilities: [],
    signingKeys: [],
    webhookUrl: null,
    checkoutWebhookUrl: null,
    supportsMultiGroup: false,
    isVerified: false,
  },
  member: null,
  ownVersion: version,
  requestedVersion: null,
  dialect: mainDialect(version),
});

const sessionIn = (answer: ProtocolAnswer<ProtocolSession>): ProtocolSession => {
  if ('error' in answer) throw protocolRefusal(answer.error);
  return answer.result;
};

/** Without the add-ons that the shopper would have chosen: agents can ask for none. */
const lineOf = ({ productId, quantity = 1 }: Visit['lines'][number]): LineInput => ({
  itemId: productId,
  quantity,
  options: [],
});

/** Whose checkout it is, and where the goods go: known at once, so that ways to send them are offered. */
const buyerOf = ({ person, code, currency }: Visit): SessionInput => {
  const { name, email, addressOne, acceptsMarketing: marketing, town } = person;
  const [firstName = name, lastName = ''] = name.split(' ');
  const { townCity, postalCode, countryCode, regionCode } = town;
  const place = { townCity, postalCode, countryCode, ...(regionCode !== null && { region: regionCode }) };
  return {
    buyer: { firstName, lastName, email, consent: { marketing } },
    fulfilment: {
      destinations: [{ id: home, firstName, lastName, addressOne, ...place }],
      selectedDestinationId: home,
      groups: [],
    },
    codes: code === null ? [] : [code],
    ...(currency !== null && { currency }),
  };
};

/** An agent that buys for a shopper, and an id for each thing that it asks for. */
export const createAssistant = ({ seed, shop, ucp }: AssistantOptions, visit: Visit) => {
  const { agentCheckouts } = shop;
  const agent = agentOf(ucp);
  const next = requestsOf(actor, seed, 'through an agent', visit.number);
  const asking = <Body>(body: Body) => ({
    ...next(),
    ...{ agent, body, reached: { position: START }, ip: nobodysAddress, baseUrl },
  });
  const change = async (id: string, changes: SessionInput): Promise<ProtocolSession> =>
    sessionIn(await agentCheckouts.updateSession({ ...asking(changes), id }));
  return {
    begins: async (): Promise<ProtocolSession> =>
      sessionIn(
        await agentCheckouts.createSession(asking({ lines: visit.lines.map(lineOf), ...buyerOf(visit) })),
      ),
    wantsInstead: (id: string, goods: Visit['lines']): Promise<ProtocolSession> =>
      change(id, { lines: goods.map(lineOf) }),
    choosesShipping: async ({ id, fulfilment }: ProtocolSession): Promise<void> => {
      const groups = (fulfilment?.methods ?? []).flatMap((method) => method.groups ?? []);
      const chosen = groups.flatMap((group) => {
        const [cheapest] = group.options;
        return cheapest ? [{ id: group.id, selectedOptionId: cheapest.id }] : [];
      });
      if (chosen.length === 0 || chosen.length < groups.length)
        throw new Rejection('cannot-ship', 'Something in the checkout cannot be shipped there.');
      await change(id, { fulfilment: { selectedDestinationId: home, groups: chosen } });
    },
    /** The invoice that is paid; null: the card was refused. */
    pays: async (id: string, token: string): Promise<string | null> => {
      const instrument = { ...card, credential: { type: 'token', token, isCard: false } };
      try {
        const paid = await agentCheckouts.completeSession({ ...asking({ instrument }), id });
        return sessionIn(paid).order?.id ?? null;
      } catch (error) {
        if (error instanceof Rejection && error.code === 'payment_failed') return null;
        throw error;
      }
    },
  };
};
