import { expect } from 'chai';
import {
  FULFILMENT_KEY,
  FULFILMENT_SECRET,
  startFulfilmentServer,
  type FulfilmentServer,
} from '#test/support/fulfilment-server.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/fulfilment-providers';
const problems = (...wanted: readonly string[]) =>
  body(({ errors }) => expect(errors).to.deep.equal([...wanted]));

interface Row {
  readonly key: string;
}

describe('fulfilment providers (docs/rules/fulfilment.md#providers)', () => {
  let shop: TestShop;
  let server: FulfilmentServer;
  const { when, make, seen } = managing(() => shop);
  const settings = () => ({ baseUrl: server.url, apiKey: FULFILMENT_KEY, webhookSecret: FULFILMENT_SECRET });
  beforeEach(async () => {
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    server = await startFulfilmentServer();
  });
  afterEach(async () => {
    await server.close();
    await shop.close();
  });

  it('can be chosen from, with what each can do and wants to be told', async () => {
    await when(manage.get(`${path}/available`))
      .then(200)
      .and(
        body((kinds) => {
          expect(kinds.map(({ key }: Row) => key)).to.deep.equal(['generic-http', 'supplier-direct']);
          expect(kinds[0]).to.include({ supportsWebhooks: true, apiStyle: 'Rest' });
          expect(kinds[1]).to.include({ supportsWebhooks: false, createsShipmentOnSubmission: true });
        }),
      );
    await when(manage.get(`${path}/generic-http/fields`))
      .then(200)
      .and(
        body((fields) =>
          expect(fields.map(({ key }: Row) => key)).to.deep.equal([
            'baseUrl',
            'apiKey',
            'webhookSecret',
            'timeoutSeconds',
          ]),
        ),
      );
    await when(manage.get(`${path}/pigeon/fields`))
      .then(404)
      .and(refusedFor('entity-not-found'));
  });

  it('are set up, changed and shown without their secrets, which stay when they come back masked', async () => {
    const made = await make(path, { providerKey: 'generic-http', configuration: settings() });
    expect(made).to.deep.include({
      providerKey: 'generic-http',
      displayName: 'A fulfilment service over HTTP',
      isEnabled: true,
      inventorySyncMode: 'Full',
      configuration: { baseUrl: server.url, apiKey: '***', webhookSecret: '***' },
      sortOrder: 0,
    });
    await shop.settle();
    await seen(path, made);
    const configuration = { baseUrl: server.url, apiKey: '***', timeoutSeconds: 2 };
    await when(manage.put(`${path}/${made.id}`, { inventorySyncMode: 1, configuration }))
      .then(200, { inventorySyncMode: 'Delta' })
      .and(
        body((changed) =>
          expect(changed.configuration).to.deep.equal({
            baseUrl: server.url,
            apiKey: '***',
            timeoutSeconds: '2',
          }),
        ),
      );
    await when(manage.post(`${path}/${made.id}/test`)).then(200, { success: true });
    await when(manage.get('/audit/events?type=FulfilmentProviderConfigurationCreated'))
      .then(200)
      .and(body((found) => expect(JSON.stringify(found)).not.to.include(FULFILMENT_KEY)));
  });

  it('are told apart by their order, switched, and offered to warehouses and suppliers', async () => {
    const one = await make(path, { providerKey: 'generic-http', configuration: settings(), sortOrder: 2 });
    const other = await make(path, { providerKey: 'supplier-direct', displayName: 'Potters' });
    await when(manage.post(`${path}/${one.id}/toggle`, { isEnabled: false }))
      .then(200, { isEnabled: false })
      .and(events('FulfilmentProviderConfigurationChanged'));
    await shop.settle();
    await when(manage.get(`${path}/options`))
      .then(200)
      .and(
        body(([first, second]) => {
          expect(first).to.include({ id: other.id, displayName: 'Potters', isEnabled: true });
          expect(second).to.include({ configurationId: one.id, isEnabled: false, supportsPolling: true });
        }),
      );
    const supplier = await make('/suppliers', {
      name: 'Potter',
      defaultFulfilmentProviderConfigurationId: other.id,
    });
    const address = { countryCode: 'GB' };
    const fulfilmentProviderConfigurationId = one.id;
    const house3 = { name: 'Leith', address, supplierId: supplier.id, fulfilmentProviderConfigurationId };
    await seen('/warehouses', await make('/warehouses', house3));
    await when(manage.delete(`${path}/${other.id}`))
      .then(409)
      .and(refusedFor('still-used'))
      .and(body(({ message }) => expect(message).to.include('the supplier Potter')));
    await when(manage.delete(`${path}/${one.id}`))
      .then(409)
      .and(noNewEvents());
  });

  it('are refused, with everything that is wrong named at once', async () => {
    await when(manage.post(path, { providerKey: 'pigeon' }))
      .then(400)
      .and(problems('providerKey: must be one of generic-http, supplier-direct'))
      .and(noNewEvents());
    const configuration = { baseUrl: 'ftp://house', timeoutSeconds: 90, colour: 'red' };
    await when(manage.post(path, { providerKey: 'generic-http', configuration }))
      .then(400)
      .and(
        problems(
          'configuration.baseUrl: must be an http or https address',
          'configuration.timeoutSeconds: must be a whole number from 1 to 60',
          'configuration.colour: generic-http has no such setting',
        ),
      )
      .and(noNewEvents());
    await when(manage.post(path, { providerKey: 'generic-http' }))
      .then(400)
      .and(problems('configuration.baseUrl: must be a value'));
    const overHttp = { transport: 'http', email: 'nobody' };
    await when(manage.post(path, { providerKey: 'supplier-direct', configuration: overHttp }))
      .then(400)
      .and(problems('configuration.email: must be an e-mail address', 'configuration.url: must be a value'))
      .and(noNewEvents());
    const inside = { baseUrl: 'http://169.254.169.254/latest' };
    await when(manage.post(path, { providerKey: 'generic-http', configuration: inside }))
      .then(400)
      .and(problems('configuration.baseUrl: 169.254.169.254 is a private or reserved address'))
      .and(noNewEvents());
    const made = await make(path, { providerKey: 'supplier-direct' });
    await when(manage.put(`${path}/${made.id}`, { providerKey: 'generic-http' }))
      .then(400)
      .and(noNewEvents());
  });

  it('are tried out with an order that nobody has placed, and leave nothing behind', async () => {
    const { id } = await make(path, { providerKey: 'generic-http', configuration: settings() });
    await when(manage.post(`${path}/${id}/test/order`))
      .then(200, { success: true, providerReference: 'HOUSE-1', errorMessage: null })
      .and(noNewEvents());
    expect(server.orders[0]?.body.orderNumber).to.match(/^TEST-/);
    server.fail('refuses', 'off');
    await when(manage.post(`${path}/${id}/test/order`)).then(200, {
      success: false,
      errorMessage: 'it answered 422: {"message":"The address is not served."}',
    });
    await when(manage.post(`${path}/${id}/test`)).then(200, { success: false, errorCode: 'failed' });
    await when(manage.get(`${path}/${id}/test/webhook-events`))
      .then(200)
      .and(body((some) => expect(some).to.have.length(9)));
  });
});
