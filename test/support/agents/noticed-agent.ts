import type { AgentBuyer } from '#command/contexts/checkout/checkout.commands.ts';
import { emptyAddress } from '#values/address.ts';
import type { ApiResponse } from '../browser.ts';
import { agentMeta, newSession } from '../builders/agent-session.ts';
import { startReceiver, type Receiver, type Responder } from '../subscriber.ts';
import type { TestShop } from '../shop.ts';

export const profileUri = 'https://agent.example/profile';

const home = {
  ...emptyAddress,
  name: 'Ada Lovelace',
  addressOne: '12 St James Square',
  townCity: 'London',
  postalCode: 'SW1Y 4JH',
  countryCode: 'GB',
  country: 'United Kingdom',
};
const buyer: AgentBuyer = {
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  billingAddress: home,
  shippingAddress: home,
  acceptsMarketing: false,
};

/** An agent that is told of its orders, at an address of its own. */
export class NoticedAgent {
  readonly #shop: TestShop;
  readonly receiver: Receiver;

  private constructor(shop: TestShop, receiver: Receiver) {
    this.#shop = shop;
    this.receiver = receiver;
  }

  static async open(shop: TestShop, answering?: Responder): Promise<NoticedAgent> {
    return new NoticedAgent(shop, await startReceiver(answering));
  }

  /** Places an unpaid order. `url` null: the agent named no address. */
  async order(
    productId: string,
    {
      quantity = 2,
      dialect = '2026-04-08' as const as '2026-04-08' | '2026-01-11',
      url = '/orders?from=shop' as string | null,
    } = {},
  ): Promise<{ readonly invoiceId: string; readonly sessionId: string; pay(): Promise<unknown> }> {
    const meta = () => agentMeta(profileUri);
    const { command } = this.#shop.shop;
    const shopper = this.#shop.shopper();
    await shopper.add(productId, quantity);
    const { checkout } = command.deps.apis;
    await checkout.nameBuyer(shopper.basketId, buyer, null, meta());
    const orderWebhookUrl = url === null ? null : new URL(url, this.receiver.url).href;
    const asked = newSession([{ itemId: 'mug', productId, quantity }], { dialect, orderWebhookUrl });
    const { sessionId } = await command.actions.agentSessions.create(
      { profileUri, isVerified: false },
      asked,
      meta(),
    );
    const source = {
      type: 'ucp',
      displayName: 'Agent',
      sourceName: 'UCP',
      sourceId: profileUri,
      sessionId,
    } as const;
    const how = {
      hasAcceptedTerms: true,
      wantedCurrency: undefined,
      shown: null,
      ip: '',
      mayStayUnknown: true,
      source,
    };
    const { invoiceId } = await checkout.placeOrder(shopper.basketId, how, meta());
    return { invoiceId, sessionId, pay: () => shopper.payWith(invoiceId) };
  }

  /** The notices it received, oldest first. */
  get told() {
    return this.receiver.received.map(({ headers, body, path }) => ({
      path,
      headers,
      bytes: body,
      event: String(headers['x-event-type']),
      body: JSON.parse(body.toString()) as ApiResponse['body'],
    }));
  }

  get events(): readonly string[] {
    return this.told.map(({ event }) => event);
  }

  close(): Promise<void> {
    return this.receiver.stop();
  }
}
