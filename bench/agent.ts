import type { HttpResponse } from './http-connection.ts';
import { expectStatus, WrongResponse, type Shopper, type ShopperOptions } from './shopper.ts';

export const manifestPath = '/.well-known/ucp';
export const sessionsPath = '/api/v1/checkout-sessions';

/** A test agent of the shop at this port, which the shop knows without asking anyone. */
export const agentOf = (port: number, name = 'bench'): string =>
  `http://127.0.0.1:${port}${manifestPath}-test-agent/${name}`;

const destination = {
  id: 'home',
  first_name: 'Ada',
  last_name: 'Benchmark',
  street_address: '12 Chapel Street',
  address_locality: 'Leeds',
  postal_code: 'LS1 4AP',
  address_country: 'GB',
};

/** Where the goods go, by an option once it is known. */
export const sendingBy = (optionId: string | null) => ({
  methods: [
    {
      destinations: [destination],
      selected_destination_id: destination.id,
      ...(optionId !== null && { groups: [{ selected_option_id: optionId }] }),
    },
  ],
});

export const linesOf = (productIds: readonly string[], quantity = 1) =>
  productIds.map((id) => ({ item: { id }, quantity }));

export interface AgentOptions extends ShopperOptions {
  readonly port: number;
}

/** Posts, and expects a status. */
export type Ask = (path: string, body: object, status: number) => Promise<HttpResponse>;

/** Asks as the agent with this profile. */
export const askingBy =
  ({ connection }: Pick<AgentOptions, 'connection'>, profile: () => Promise<string>): Ask =>
  async (path, body, status) => {
    const answer = await connection.request('POST', path, '', JSON.stringify(body), '', '', await profile());
    expectStatus(answer, path, status);
    return answer;
  };

const oneOf = ({ productIds, random }: ShopperOptions): string =>
  productIds[Math.floor(random() * productIds.length)] ?? '';

/** Begins one session after another. */
export const beginningAgent = (options: AgentOptions): Shopper => {
  const agent = Promise.resolve(agentOf(options.port));
  const ask = askingBy(options, () => agent);
  return {
    next: async () => {
      await ask(sessionsPath, { line_items: linesOf([oneOf(options)]) }, 201);
    },
  };
};

const payment = {
  instruments: [
    {
      id: 'card',
      handler_id: 'sandbox:card',
      type: 'card',
      selected: true,
      credential: { type: 'token', token: 'tok_success' },
    },
  ],
};

const PRODUCTS = 3;

/** Buys in two calls: what is wanted, where to and by which option; then the payment. */
export const buyingAgent = (options: ShopperOptions, name: string, ask: Ask): Shopper => {
  let bought = 0;
  let optionId: string | null = null;
  const begin = async (): Promise<{
    readonly id: string;
    readonly options: readonly { readonly id: string }[];
  }> => {
    const products = new Set(Array.from({ length: PRODUCTS }, () => oneOf(options)));
    const { body } = await ask(
      sessionsPath,
      {
        line_items: linesOf([...products]),
        buyer: { first_name: 'Ada', last_name: 'Benchmark', email: `${name}-${++bought}@example.com` },
        fulfillment: sendingBy(optionId),
      },
      201,
    );
    const { id, fulfillment } = JSON.parse(body.toString()) as {
      readonly id: string;
      readonly fulfillment: {
        readonly methods: readonly [
          { readonly groups: readonly [{ readonly options: readonly { readonly id: string }[] }] },
        ];
      };
    };
    return { id, options: fulfillment.methods[0].groups[0].options };
  };
  return {
    next: async () => {
      optionId ??= (await begin()).options[0]?.id ?? null;
      const { id } = await begin();
      const { body } = await ask(`${sessionsPath}/${id}/complete`, { payment }, 200);
      if (!body.includes('"status":"completed"'))
        throw new WrongResponse(`the session was not completed: ${body.toString().slice(0, 500)}`);
    },
  };
};
