import type { ApiResponse, Browser } from '../browser.ts';
import { agentAt, sessionsPath, wanting } from './asking-agent.ts';
import type { DatedVersion } from './answer-schemas.ts';

/** Where its buyer lives. */
export const home = {
  ...{ id: 'home', first_name: 'Ada', last_name: 'Lovelace', street_address: '12 High Street' },
  ...{ address_locality: 'London', postal_code: 'SW1A 1AA', address_country: 'GB' },
};

type Wanted = readonly [id: string, quantity: number];

interface Paid {
  readonly handler?: string;
  readonly key?: string;
  /** Beside the instrument's own members. */
  readonly more?: object;
  /** Beside the payment. */
  readonly beside?: object;
}

interface Begun {
  readonly id: string;
  readonly path: string;
}

/** An agent that buys in two calls, or in as many as a test wants. */
export class BuyingAgent {
  readonly browser: Browser;
  readonly #version: DatedVersion;
  #options = new Map<string, string>();

  constructor(
    base: string,
    {
      name = 'buyer',
      version = '2026-04-08' as DatedVersion,
      profile = '',
      browser = agentAt(base, { name, version, ...(profile !== '' && { profile }) }),
    } = {},
  ) {
    this.browser = browser;
    this.#version = version;
  }

  /** A session with a buyer and a destination whose cheapest option is chosen. */
  begin(...lines: readonly Wanted[]): Promise<Begun> {
    return this.beginWith({}, ...lines);
  }

  /** The same with further members. */
  async beginWith(more: object, ...lines: readonly Wanted[]): Promise<Begun> {
    const key = lines.map(([id]) => id).join();
    const option = this.#options.get(key);
    const method = {
      destinations: [home],
      selected_destination_id: home.id,
      groups: option === undefined ? [] : [{ selected_option_id: option }],
    };
    const begun = await this.browser.post(sessionsPath, {
      line_items: wanting(...lines),
      buyer: { first_name: 'Ada', last_name: 'Lovelace', email: 'ada@example.com' },
      fulfillment: { methods: [{ type: 'shipping', ...method }] },
      ...more,
    });
    if (begun.status !== 201) throw new Error(`${begun.status} ${begun.text}`);
    const { id } = begun.body as { id: string };
    const path = `${sessionsPath}/${id}`;
    if (option !== undefined) return { id, path };
    const cheapest: string = begun.body.fulfillment.methods[0].groups[0].options[0].id;
    this.#options.set(key, cheapest);
    const chosen = { selected_option_id: cheapest };
    const changed = await this.browser.put(path, {
      fulfillment: {
        methods: [{ type: 'shipping', selected_destination_id: home.id, groups: [chosen] }],
      },
    });
    if (changed.status !== 200) throw new Error(`${changed.status} ${changed.text}`);
    return { id, path };
  }

  /** What a completion says of its payment, in the words of the agent's version. */
  payment(token: string | null, { handler = 'sandbox:card', more = {} }: Paid = {}): object {
    const credential = token === null ? {} : { credential: { type: 'token', token } };
    const instrument = { id: 'card-1', handler_id: handler, type: 'card', ...credential, ...more };
    return this.#version === '2026-01-11'
      ? { payment_data: instrument }
      : { payment: { instruments: [{ ...instrument, selected: true }] } };
  }

  complete(path: string, token: string | null = 'tok_success', paid: Paid = {}): Promise<ApiResponse> {
    return this.browser.ask({
      method: 'POST',
      path: `${path}/complete`,
      body: { ...this.payment(token, paid), ...paid.beside },
      ...(paid.key !== undefined && { headers: { 'Idempotency-Key': paid.key } }),
    });
  }

  /** A whole purchase. */
  async buy(...lines: readonly Wanted[]): Promise<ApiResponse> {
    return this.complete((await this.begin(...lines)).path);
  }
}
