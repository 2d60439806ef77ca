import { expect } from 'chai';
import { genericHttpProvider } from '#adapters/fulfilment-providers/generic-http.ts';
import { supplierDirectProvider } from '#adapters/fulfilment-providers/supplier-direct.ts';
import type { FulfilmentProvider } from '#ports/fulfilment-provider.ts';
import { checkTarget } from '#runtime/check-target.ts';
import type { CheckAddress } from '#runtime/fetch-json.ts';
import {
  FULFILMENT_KEY,
  FULFILMENT_SECRET,
  signedByProvider,
  startFulfilmentServer,
  type FulfilmentServer,
  type FulfilmentFault,
} from '#test/support/fulfilment-server.ts';
import { startReceiver } from '#test/support/receiver.ts';
import type { TargetPolicy } from '#values/target-address.ts';
import { describeFulfilmentProvider, someOrder, someSupplier } from './fulfilment-provider.contract.ts';

const checkUnder =
  (policy: TargetPolicy, addresses: readonly string[] = []): CheckAddress =>
  (address) =>
    checkTarget(address, policy, () => Promise.resolve(addresses));
const check = checkUnder({ allowLoopback: true, allowPrivate: false });
const noMail = (): Promise<never> => Promise.reject(new Error('nobody writes'));
const providerSettings = ({ url }: FulfilmentServer) => ({
  baseUrl: `${url}/`,
  apiKey: FULFILMENT_KEY,
  webhookSecret: FULFILMENT_SECRET,
  timeoutSeconds: '2',
});

describeFulfilmentProvider('over HTTP', async () => {
  const server = await startFulfilmentServer();
  return {
    provider: genericHttpProvider({ check }),
    settings: providerSettings(server),
    arrived: () => server.orders.map(({ body }) => body.orderNumber),
    breakDown: server.close,
    close: server.close,
  };
});

describeFulfilmentProvider('straight to the supplier, by mail', async () => {
  const mails = new Map<string, string>();
  const settings: Record<string, string> = {};
  let contact: Record<string, string> = {};
  const provider = supplierDirectProvider({
    check,
    mailOrder: async (id, { to, order }) => {
      mails.set(id, `${to}\n${order.orderNumber}`);
      return true;
    },
  });
  const submitOrder: FulfilmentProvider['submitOrder'] = (_, order, details) =>
    provider.submitOrder?.(contact, order, {
      ...details,
      supplier: contact['none'] === undefined ? details.supplier : null,
    }) ?? Promise.reject(new Error('it takes no orders'));
  return {
    provider: { ...provider, submitOrder },
    settings,
    arrived: () => [...mails.values()].flatMap((text) => /INV-\d+/.exec(text) ?? []),
    breakDown: async () => void (contact = { none: 'there is no address of the supplier' }),
    close: async () => undefined,
  };
});

describeFulfilmentProvider('straight to the supplier, over HTTP', async () => {
  const keys = new Map<string, string>();
  const receiver = await startReceiver((response, { headers, body }) => {
    const { orderNumber } = JSON.parse(body.toString()) as { orderNumber: string };
    keys.set(String(headers['idempotency-key']), orderNumber);
    response.end();
  });
  return {
    provider: supplierDirectProvider({ check, mailOrder: noMail }),
    settings: { transport: 'http', url: `${receiver.url}/orders`, timeoutSeconds: '1' },
    arrived: () => [...keys.values()],
    breakDown: receiver.close,
    close: receiver.close,
  };
});

describe('a fulfilment service over HTTP', () => {
  let server: FulfilmentServer;
  const provider = genericHttpProvider({ check });
  const submit = (settings = providerSettings(server)) =>
    provider.submitOrder?.(settings, someOrder, {
      idempotencyKey: 'key',
      supplier: someSupplier,
      subject: null,
    });
  beforeEach(async () => {
    server = await startFulfilmentServer();
  });
  afterEach(() => server.close());

  it('gets the order with its key, and says how it is called there', async () => {
    expect(await submit()).to.deep.equal({ kind: 'submitted', reference: 'HOUSE-1', status: 'processing' });
    const [request] = server.requests;
    expect(request?.path).to.equal('/orders');
    expect(request?.headers).to.include({
      'idempotency-key': 'key',
      authorization: `Bearer ${FULFILMENT_KEY}`,
    });
    expect(JSON.parse(request?.body.toString() ?? '')).to.deep.equal(someOrder);
  });

  for (const fault of ['off', 'nonsense', 'hangs', 'endless', 'losesAnswer'] satisfies FulfilmentFault[])
    it(`may be asked again when it ${fault === 'off' ? 'is off' : fault}`, async () => {
      server.fail(fault);
      expect((await submit())?.kind).to.equal('failed');
      expect(await submit()).to.include({ kind: 'submitted', reference: 'HOUSE-1' });
    });

  it('refuses for good with most of the 4xx, and says why', async () => {
    server.fail('refuses');
    expect(await submit()).to.deep.equal({
      kind: 'refused',
      message: 'it answered 422: {"message":"The address is not served."}',
    });
    for (const [status, kind] of [
      [400, 'refused'],
      [401, 'refused'],
      [404, 'refused'],
      [408, 'failed'],
      [409, 'failed'],
      [425, 'failed'],
      [429, 'failed'],
      [302, 'failed'],
      [500, 'failed'],
    ] as const) {
      const receiver = await startReceiver((response) => {
        response.statusCode = status;
        response.setHeader('Location', server.url);
        response.end();
      });
      const outcome = await submit({ ...providerSettings(server), baseUrl: receiver.url });
      expect(outcome?.kind, String(status)).to.equal(kind);
      await receiver.close();
    }
    expect(server.orders).to.have.length(0);
  });

  it('is not called where the shop must not call, whatever its name says', async () => {
    const outside: TargetPolicy = { allowLoopback: false, allowPrivate: false };
    for (const [baseUrl, addresses] of [
      [server.url, []],
      [server.url.replace('127.0.0.1', 'house.example.com'), ['127.0.0.1']],
      [server.url.replace('127.0.0.1', 'house.example.com'), ['93.184.216.34', '10.0.0.1']],
      ['http://169.254.169.254', []],
    ] as const) {
      const careful = genericHttpProvider({ check: checkUnder(outside, addresses) });
      const settings = { ...providerSettings(server), baseUrl };
      const details = { idempotencyKey: 'key', supplier: null, subject: null };
      const outcome = await careful.submitOrder?.(settings, someOrder, details);
      expect(outcome).to.include({ kind: 'failed' });
      expect((outcome as { message: string }).message).to.match(/its address cannot be used/);
    }
    expect(server.connections()).to.equal(0);
  });

  it('cancels, is polled, takes products and tells what it has', async () => {
    await submit();
    const settings = providerSettings(server);
    server.levels = [{ sku: 'MUG', availableQuantity: 7, reservedQuantity: 2 }];
    expect(await provider.inventoryLevels?.(settings)).to.deep.equal({
      kind: 'levels',
      levels: [{ sku: 'MUG', warehouseCode: null, availableQuantity: 7 }],
    });
    const product = { productId: 'p', name: 'Mug', barcode: null, weightKg: null };
    const products = [
      { ...product, sku: 'MUG' },
      { ...product, sku: 'BAD' },
    ];
    expect(await provider.syncProducts?.(settings, products)).to.deep.equal({
      kind: 'synced',
      failedSkus: ['BAD'],
    });
    expect(await provider.cancelOrder?.(settings, 'HOUSE-1', 'cancel')).to.deep.equal({ kind: 'cancelled' });
    const polled = await provider.pollOrder?.(settings, 'HOUSE-1');
    expect(polled).to.deep.include({ kind: 'found' });
    expect(polled?.kind === 'found' ? polled.updates.statusUpdates : polled).to.deep.equal([
      {
        providerReference: 'HOUSE-1',
        providerStatus: 'cancelled',
        mappedStatus: 'Cancelled',
        statusDate: null,
        errorMessage: null,
      },
    ]);
    expect(await provider.pollOrder?.(settings, 'HOUSE-9')).to.include({ kind: 'refused' });
  });

  it('is recognised by its signature alone, for five minutes', () => {
    const now = Date.UTC(2026, 0, 1);
    const settings = providerSettings(server);
    const text = provider.testCallback?.(
      {
        eventType: 'order.delivered',
        providerReference: 'HOUSE-1',
        providerShipmentId: null,
        trackingNumber: null,
        carrier: null,
        shippedDate: null,
      },
      now,
    );
    const bytes = Buffer.from(text ?? '');
    const headers = signedByProvider(bytes.toString(), now);
    const read = (body: Buffer, at: number, given = headers) => {
      const lower = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]);
      return provider.callback?.(settings, { body, headers: Object.fromEntries(lower), now: at })?.kind;
    };
    expect(read(bytes, now + 299_000)).to.equal('updates');
    expect(read(bytes, now + 302_000)).to.equal('invalidSignature');
    expect(read(bytes, now - 302_000)).to.equal('invalidSignature');
    expect(read(Buffer.from(`${text} `), now)).to.equal('invalidSignature');
    expect(read(bytes, now, { ...headers, 'webhook-id': 'other' })).to.equal('invalidSignature');
    expect(read(bytes, now, {})).to.equal('invalidSignature');
    const rotated = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` };
    expect(read(bytes, now, rotated)).to.equal('updates');
    const unset = { body: bytes, headers, now };
    expect(provider.callback?.({}, unset)?.kind).to.equal('invalidSignature');
  });
});
