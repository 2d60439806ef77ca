import { expect } from 'chai';
import { errorRow } from '#http/errors.ts';
import { newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { anyMeta } from '#test/support/engine.ts';
import { faultyEventStore, type FaultyEventStore, holds } from '#test/support/faults.ts';
import type { ApiResponse, Method, Request } from '#test/support/browser.ts';
import {
  add,
  applyCode,
  billTo,
  changeFirstLine,
  changeLine,
  giveAddresses,
  initialize,
  pay,
  payInvoice,
  selectShipping,
  type Step,
} from '#test/support/requests.ts';
import { events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const base = '/backoffice/api/v1';
const nobody = '00000000-0000-4000-8000-000000000000';

type Case = readonly [what: string, method: Method, path: string, body: unknown, status: number];

/** What is on sale before anything is refused; the cases name it as `{product}`, `{discount}` and so on. */
const furnish = async (shop: TestShop): Promise<Record<string, string>> => {
  const make = async (path: string, body: unknown) => {
    const answer = await shop.admin.post(base + path, body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body;
  };
  const address = { countryCode: 'GB' };
  const supplier = await make('/suppliers', { name: 'Potter', address });
  const filterGroup = await make('/filter-groups', { name: 'Colour' });
  const filter = await make('/filters', { name: 'Blue', filterGroupId: filterGroup.id });
  const leeds = { name: 'Leeds', code: 'LEEDS', address, supplierId: supplier.id };
  const warehouse = await make('/warehouses', leeds);
  const other = await make('/warehouses', { name: 'York', code: 'YORK', address });
  const option = await make('/shipping-options', { name: 'Van', warehouseId: other.id, fixedCost: 1 });
  const type = await make('/product-types', { name: 'Cups' });
  const collection = await make('/collections', { name: 'Spring' });
  const taxGroup = await make('/tax-groups', { name: 'Full', taxPercentage: 20 });
  const override = await make('/shipping-tax-overrides', { countryCode: 'US', regionCode: 'CA' });
  const cup = {
    rootName: 'Cup',
    sku: 'CUP',
    price: 5,
    productTypeId: type.id,
    collectionIds: [collection.id],
    taxGroupId: taxGroup.id,
    warehouses: [{ warehouseId: warehouse.id }],
    stock: [{ warehouseId: warehouse.id, stock: 3 }],
  };
  const product = await make('/products', cup);
  await make('/products', { rootName: 'Jug', sku: 'JUG', price: 8, productTypeId: type.id });
  const rule = { category: 'AmountOffOrder', method: 'Code', valueType: 'Percentage', value: 10 };
  const discount = await make('/discounts', { name: 'Ten', code: 'TEN', ...rule });
  await make('/discounts', { name: 'Five', code: 'FIVE', ...rule });
  const customer = await make('/customers', { email: 'ada@example.com' });
  await make('/customers', { email: 'alan@example.com' });
  const criteria = [{ field: 'OrderCount', operator: 'GreaterThan', value: 3 }];
  const loyal = await make('/customer-segments', { name: 'Loyal', segmentType: 'Automated', criteria });
  const friends = await make('/customer-segments', { name: 'Friends', segmentType: 'Manual' });
  const forFriends = [{ eligibilityType: 'CustomerSegments', ids: [friends.id] }];
  await make('/discounts', { name: 'Ours', code: 'OURS', ...rule, eligibilityRules: forFriends });
  const target = 'https://accounting.example.com/hooks';
  const webhook = await make('/webhooks', { name: 'Books', topic: 'invoice.paid', targetUrl: target });
  const user = await make('/users', { email: 'bea@shop.example', password: 'correct horse', role: 'admin' });
  await shop.settle();
  return {
    supplier: supplier.id,
    filterGroup: filterGroup.id,
    filter: filter.id,
    warehouse: warehouse.id,
    other: other.id,
    option: option.id,
    type: type.id,
    collection: collection.id,
    taxGroup: taxGroup.id,
    override: override.id,
    product: product.id,
    variant: product.variants[0].id,
    discount: discount.id,
    customer: customer.id,
    loyal: loyal.id,
    friends: friends.id,
    webhook: webhook.id,
    user: user.id,
    manual: 'manual',
  };
};

/** A product that nothing speaks against, but for what is said of it. */
const product = (said: object) => ({ rootName: 'X', sku: 'X-1', price: 1, ...said });
const variantsOf = (...skus: readonly string[]) => skus.map((sku) => ({ sku, price: 1 }));
const ofVariants = (...skus: readonly string[]) => ({ rootName: 'X', variants: variantsOf(...skus) });

const rule = { name: 'Rule', category: 'AmountOffOrder', method: 'Code', valueType: 'Percentage' };

const forUnknown = {
  ...rule,
  code: 'CLUB',
  value: 5,
  eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [nobody] }],
};
const whatIf = (wish: object) => ({ from: '2026-01-01', to: '2026-01-31', asAutomatic: true, ...wish });
const strangely = {
  name: 'Odd',
  segmentType: 'Automated',
  criteria: [{ field: 'OrderCount', operator: 'Like', value: 1 }],
};

/** A store file that begins with an entry that nothing speaks against. */
const storeFile = (lists: object) => ({
  formatVersion: 1,
  settings: { storeCurrencyCode: 'GBP' },
  warehouses: [{ key: 'w', name: 'W', address: { countryCode: 'GB' } }],
  ...lists,
});
const file = { key: 'x', rootName: 'X' };

/** Puts the ids of what is there in the place of their names. */
const named = (text: string, ids: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => ids[name] ?? whole);

const cases: readonly Case[] = [
  ['keys removed while none follows at once', 'POST', '/agent-keys/rotate', { removeFormer: true }, 400],
  ['an agent that is not registered', 'POST', `/agent-clients/${nobody}/disable`, { reason: 'a leak' }, 404],
  ['an agent disabled without a reason', 'POST', `/agent-clients/${nobody}/disable`, { reason: ' ' }, 400],
  ['an agent that is not registered', 'POST', `/agent-clients/${nobody}/enable`, undefined, 404],
  ['an agent that cannot be named', 'POST', '/ucp-test/manifest', { agentId: 'a b' }, 400],
  ['an agent that cannot be named', 'POST', '/ucp-test/sessions/create', { agentId: 'a b' }, 400],
  ['an agent that cannot be named', 'POST', '/ucp-test/sessions/get', { agentId: 'a b' }, 400],
  ['an agent that cannot be named', 'POST', '/ucp-test/sessions/update', { agentId: 'a b' }, 400],
  ['an agent that cannot be named', 'POST', '/ucp-test/sessions/complete', { agentId: 'a b' }, 400],
  ['an agent that cannot be named', 'POST', '/ucp-test/sessions/cancel', { agentId: 'a b' }, 400],
  ['a warehouse without a name', 'POST', '/warehouses', { code: 'NEW', address: { countryCode: 'GB' } }, 400],
  [
    'a taken warehouse code',
    'POST',
    '/warehouses',
    { name: 'X', code: 'leeds', address: { countryCode: 'GB' } },
    409,
  ],
  ['a taken warehouse code', 'PUT', '/warehouses/{other}', { code: 'LEEDS' }, 409],
  ['an unknown warehouse', 'PUT', `/warehouses/${nobody}`, { code: 'FRESH' }, 404],
  ['a warehouse in use', 'DELETE', '/warehouses/{other}', undefined, 409],
  ['an option of an unknown warehouse', 'POST', '/shipping-options', { name: 'X', warehouseId: nobody }, 400],
  ['an option with days turned over', 'PUT', '/shipping-options/{option}', { daysFrom: 5, daysTo: 1 }, 400],
  ['an unknown option', 'DELETE', `/shipping-options/${nobody}`, undefined, 404],
  ['a product type without a name', 'POST', '/product-types', {}, 400],
  ['an unknown product type', 'PUT', `/product-types/${nobody}`, { name: 'X' }, 404],
  ['a product type in use', 'DELETE', '/product-types/{type}', undefined, 409],
  ['a collection without a name', 'POST', '/collections', {}, 400],
  ['an unknown collection', 'PUT', `/collections/${nobody}`, { name: 'X' }, 404],
  ['a collection in use', 'DELETE', '/collections/{collection}', undefined, 409],
  ['a tax above 100', 'POST', '/tax-groups', { name: 'X', taxPercentage: 101 }, 400],
  ['a tax above 100', 'PUT', '/tax-groups/{taxGroup}', { taxPercentage: 101 }, 400],
  ['a tax group in use', 'DELETE', '/tax-groups/{taxGroup}', undefined, 409],
  [
    'an unknown tax group',
    'POST',
    '/shipping-tax-overrides',
    { countryCode: 'GB', shippingTaxGroupId: nobody },
    400,
  ],
  [
    'a place that is taken',
    'POST',
    '/shipping-tax-overrides',
    { countryCode: 'us', regionCode: 'us-ca' },
    409,
  ],
  ['an unknown tax group', 'PUT', '/shipping-tax-overrides/{override}', { shippingTaxGroupId: nobody }, 400],
  ['an unknown shipping tax override', 'PUT', `/shipping-tax-overrides/${nobody}`, {}, 404],
  ['an unknown shipping tax override', 'DELETE', `/shipping-tax-overrides/${nobody}`, undefined, 404],
  ['an unknown tax provider', 'PUT', `/tax-providers/${nobody}/activate`, {}, 404],
  ['an unknown tax provider', 'PUT', `/tax-providers/${nobody}/settings`, { configuration: {} }, 404],
  ['an unknown tax provider', 'POST', `/tax-providers/${nobody}/test`, {}, 404],
  ['an unknown lost cart', 'POST', `/abandoned-checkouts/${nobody}/resend-email`, {}, 404],
  ['an unknown lost cart', 'POST', `/abandoned-checkouts/${nobody}/regenerate-link`, {}, 404],
  ['an unknown health check', 'POST', `/health-checks/${nobody}/run`, {}, 404],
  [
    'a custom item of an unknown tax group',
    'POST',
    '/tax-groups/preview-custom-item',
    { amount: 1, taxGroupId: nobody, countryCode: 'GB' },
    400,
  ],
  ['an unknown setting', 'PUT', '/settings', { lowStock: 1 }, 400],
  ['the currency of the store', 'PUT', '/settings', { lowStockThreshold: 1, storeCurrencyCode: 'EUR' }, 409],
  ['a discount of 150 per cent', 'POST', '/discounts', { ...rule, code: 'HUGE', value: 150 }, 400],
  [
    'a discount that ends before it starts',
    'POST',
    '/discounts',
    { ...rule, code: 'BACK', value: 5, startsAt: '2030-01-02T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' },
    400,
  ],
  ['a taken discount code', 'POST', '/discounts', { ...rule, code: 'ten', value: 5 }, 409],
  ['a taken discount code', 'PUT', '/discounts/{discount}', { code: 'FIVE' }, 409],
  ['a new code with too much off', 'PUT', '/discounts/{discount}', { code: 'FRESH', value: 150 }, 400],
  ['an unknown discount', 'DELETE', `/discounts/${nobody}`, undefined, 404],
  ['an unknown discount', 'POST', `/discounts/${nobody}/activate`, {}, 404],
  ['an unknown discount', 'POST', `/discounts/${nobody}/deactivate`, {}, 404],
  ['a discount for nobody that is known', 'POST', '/discounts', forUnknown, 400],
  ['a what-if with too much off', 'POST', '/what-if', whatIf({ discount: { ...rule, value: 150 } }), 400],
  ['a what-if without an unknown discount', 'POST', '/what-if', whatIf({ without: nobody }), 404],
  ['an unknown what-if', 'DELETE', `/what-if/${nobody}`, undefined, 404],
  ['a customer without an address', 'POST', '/customers', {}, 400],
  ['a taken e-mail address', 'POST', '/customers', { email: ' ADA@example.com' }, 409],
  ['a taken e-mail address', 'PUT', '/customers/{customer}', { email: 'alan@example.com' }, 409],
  ['an unknown customer', 'DELETE', `/customers/${nobody}`, undefined, 404],
  ['an unknown customer', 'POST', `/customers/${nobody}/forget`, {}, 404],
  ['an unknown checkout', 'POST', `/abandoned-checkouts/${nobody}/forget`, undefined, 404],
  ['an unknown session of an agent', 'POST', `/agent-sessions/${nobody}/forget`, undefined, 404],
  ['an unknown cart of an agent', 'POST', `/agent-carts/${nobody}/forget`, undefined, 404],
  ['a wish that is no yes or no', 'POST', '/customers/{customer}/forget', { force: 'perhaps' }, 400],
  ['an unknown operator', 'POST', '/customer-segments', strangely, 400],
  ['another type of segment', 'PUT', '/customer-segments/{friends}', { segmentType: 'Automated' }, 400],
  ['a segment in use', 'DELETE', '/customer-segments/{friends}', undefined, 409],
  ['a member by name', 'POST', '/customer-segments/{loyal}/members', { customerIds: ['{customer}'] }, 400],
  ['an unknown member', 'POST', '/customer-segments/{friends}/members', { customerIds: [nobody] }, 400],
  ['a member of a rule', 'DELETE', '/customer-segments/{loyal}/members/{customer}', undefined, 400],
  ['criteria that are none', 'POST', '/customer-segments/criteria/validate', { criteria: 'all' }, 400],
  [
    'a product with an unknown warehouse',
    'POST',
    '/products',
    product({ warehouses: [{ warehouseId: nobody }] }),
    400,
  ],
  [
    'a product with stock in an unknown warehouse',
    'POST',
    '/products',
    product({ stock: [{ warehouseId: nobody, stock: 1 }] }),
    400,
  ],
  ['a supplier without a name', 'POST', '/suppliers', {}, 400],
  ['an unknown supplier', 'PUT', `/suppliers/${nobody}`, {}, 404],
  ['a supplier in use', 'DELETE', '/suppliers/{supplier}', undefined, 409],
  ['a filter group without a name', 'POST', '/filter-groups', {}, 400],
  ['an unknown filter group', 'PUT', `/filter-groups/${nobody}`, {}, 404],
  ['an unknown filter group', 'PUT', '/filter-groups/reorder', { ids: [nobody] }, 400],
  ['a filter group in use', 'DELETE', '/filter-groups/{filterGroup}', undefined, 409],
  ['an unknown filter group', 'POST', '/filters', { name: 'Red', filterGroupId: nobody }, 400],
  ['an unknown filter group', 'PUT', '/filters/{filter}', { filterGroupId: nobody }, 400],
  ['an unknown filter', 'PUT', '/filters/reorder', { ids: ['{filter}', nobody] }, 400],
  ['an unknown filter', 'DELETE', `/filters/${nobody}`, undefined, 404],
  ['an unknown carrier', 'POST', '/shipping-providers', { providerKey: 'pigeon' }, 400],
  ['an unknown shipping provider', 'PUT', `/shipping-providers/${nobody}`, {}, 404],
  ['an unknown shipping provider', 'PUT', '/shipping-providers/reorder', { ids: [nobody] }, 400],
  ['an unknown shipping provider', 'DELETE', `/shipping-providers/${nobody}`, undefined, 404],
  ['an unknown shipping provider', 'POST', `/shipping-providers/${nobody}/toggle`, { isEnabled: true }, 404],
  ['an unknown shipping provider', 'POST', `/shipping-providers/${nobody}/test`, {}, 404],
  ['an unknown fulfilment provider', 'POST', '/fulfilment-providers', { providerKey: 'pigeon' }, 400],
  ['an unknown fulfilment provider', 'PUT', `/fulfilment-providers/${nobody}`, {}, 404],
  ['an unknown fulfilment provider', 'PUT', '/fulfilment-providers/reorder', { ids: [nobody] }, 400],
  ['an unknown fulfilment provider', 'DELETE', `/fulfilment-providers/${nobody}`, undefined, 404],
  [
    'an unknown fulfilment provider',
    'POST',
    `/fulfilment-providers/${nobody}/toggle`,
    { isEnabled: true },
    404,
  ],
  ['an unknown fulfilment provider', 'POST', `/fulfilment-providers/${nobody}/test`, {}, 404],
  ['an unknown fulfilment provider', 'POST', `/fulfilment-providers/${nobody}/test/order`, {}, 404],
  ['an unknown fulfilment provider', 'POST', `/fulfilment-providers/${nobody}/sync/products`, {}, 404],
  ['an unknown fulfilment provider', 'POST', `/fulfilment-providers/${nobody}/sync/inventory`, {}, 404],
  ['an unknown order', 'POST', `/orders/${nobody}/fulfillment/release`, {}, 404],
  ['an unknown order', 'POST', `/orders/${nobody}/fulfillment/submit`, {}, 404],
  [
    'an unknown fulfilment provider',
    'POST',
    `/fulfilment-providers/${nobody}/simulate-webhook`,
    { eventType: 'order.shipped' },
    404,
  ],
  ['a product of an unknown type', 'POST', '/products', product({ productTypeId: nobody }), 400],
  ['a taken sku beside a new one', 'POST', '/products', ofVariants('X-1', 'CUP'), 409],
  ['one sku twice', 'POST', '/products', ofVariants('X-1', 'X-1'), 400],
  ['a taken address beside a new sku', 'POST', '/products', product({ rootUrl: 'cup' }), 409],
  [
    'a product that is too large',
    'POST',
    '/products',
    {
      rootName: 'X',
      variants: Array.from({ length: 2000 }, (_, n) => ({ sku: `X-${n}`, name: 'x'.repeat(200), price: 1 })),
    },
    413,
  ],
  ['a taken sku beside a new one', 'PUT', '/products/{product}', { variants: variantsOf('X-1', 'JUG') }, 409],
  ['a taken address', 'PUT', '/products/{product}', { rootUrl: 'jug' }, 409],
  [
    'the default type beside an unknown tax group',
    'PUT',
    '/products/{product}',
    { productTypeId: null, taxGroupId: nobody },
    400,
  ],
  [
    'a new sku beside an unknown collection',
    'PUT',
    '/products/{product}',
    { collectionIds: [nobody], variants: variantsOf('X-1') },
    400,
  ],
  ['no file of products', 'POST', '/product-sync/imports/start', undefined, 400],
  ['no file of products', 'POST', '/product-sync/imports/validate', undefined, 400],
  ['an unknown profile', 'POST', '/product-sync/exports/start?profile=loose', undefined, 400],
  ['an unknown run', 'POST', `/product-sync/runs/${nobody}/cancel`, undefined, 404],
  ['an unknown product', 'PUT', `/products/${nobody}`, { rootUrl: 'fresh' }, 404],
  [
    'an unknown shipping option',
    'PUT',
    '/products/{product}/shipping-exclusions',
    { excludedShippingOptionIds: [nobody] },
    400,
  ],
  [
    'the add-ons of an unknown variant',
    'POST',
    `/products/{product}/variants/${nobody}/preview-addons`,
    {},
    404,
  ],
  ['an unknown product', 'DELETE', `/products/${nobody}`, undefined, 404],
  ['a variant with a taken sku', 'POST', '/products/{product}/variants', { sku: 'JUG', price: 1 }, 409],
  [
    'a variant with stock in an unknown warehouse',
    'POST',
    '/products/{product}/variants',
    { sku: 'X-1', price: 1, stock: [{ warehouseId: nobody, stock: 1 }] },
    400,
  ],
  [
    'a stock row that there is not',
    'DELETE',
    `/products/{product}/variants/{variant}/stock/${nobody}`,
    {},
    404,
  ],
  ['a variant with a taken sku', 'PUT', '/products/{product}/variants/{variant}', { sku: 'JUG' }, 409],
  [
    'a new sku beside an unknown option',
    'PUT',
    '/products/{product}/variants/{variant}',
    { sku: 'X-1', allowedShippingOptionIds: [nobody] },
    400,
  ],
  ['the last variant', 'DELETE', '/products/{product}/variants/{variant}', undefined, 409],
  [
    'stock in an unknown warehouse',
    'POST',
    '/products/{product}/variants/{variant}/stock',
    { warehouseId: nobody, stock: 1, reason: 'count' },
    400,
  ],
  [
    'stock below nothing in a new row',
    'POST',
    '/products/{product}/variants/{variant}/stock',
    { warehouseId: '{other}', adjustBy: -1, reason: 'count' },
    400,
  ],
  [
    'stock below nothing',
    'POST',
    '/products/{product}/variants/{variant}/stock',
    { warehouseId: '{warehouse}', adjustBy: -9, reason: 'count' },
    409,
  ],
  [
    'less than nothing in a warehouse',
    'POST',
    '/inventory/adjust',
    { productId: '{variant}', warehouseId: '{warehouse}', quantity: -9, reason: 'count' },
    400,
  ],
  [
    'a target inside',
    'POST',
    '/webhooks',
    { name: 'X', topic: 'invoice.paid', targetUrl: 'http://168.63.129.16/' },
    400,
  ],
  ['a target inside', 'PUT', '/webhooks/{webhook}', { targetUrl: 'http://10.0.0.1/' }, 400],
  ['an unknown subscription', 'DELETE', `/webhooks/${nobody}`, undefined, 404],
  ['an unknown subscription', 'POST', `/webhooks/${nobody}/regenerate-secret`, {}, 404],
  ['a replay of some', 'POST', '/webhooks/{webhook}/replay', { from: '2026-01-01', include: 'some' }, 400],
  [
    'a replay for an unknown subscription',
    'POST',
    `/webhooks/${nobody}/replay`,
    { from: '2026-01-01', include: 'all' },
    404,
  ],
  ['an unknown replay', 'DELETE', `/webhooks/{webhook}/replays/${nobody}`, undefined, 404],
  [
    'a filter that cannot be read',
    'POST',
    '/webhooks/filter-test',
    { topic: 'invoice.paid', filterExpression: 'total >' },
    400,
  ],
  [
    'a mail to nobody',
    'POST',
    '/emails',
    {
      name: 'X',
      topic: 'order.created',
      templatePath: 'refund',
      toExpression: 'nobody',
      subjectExpression: 'X',
    },
    400,
  ],
  ['an unknown mail', 'PUT', `/emails/${nobody}`, { name: 'X' }, 404],
  ['an unknown mail', 'POST', `/emails/${nobody}/test`, { to: 'ada@example.com' }, 404],
  ['a test for two', 'POST', `/emails/${nobody}/test`, { to: 'ada@example.com,eve@example.com' }, 400],
  ['an unknown mail', 'DELETE', `/emails/${nobody}`, undefined, 404],
  ['an unknown mail', 'POST', `/emails/${nobody}/toggle`, { isEnabled: false }, 404],
  [
    'money for an unknown invoice',
    'POST',
    `/invoices/${nobody}/payments/manual`,
    { amount: 5, paymentMethod: 'Bank transfer' },
    404,
  ],
  [
    'less than no money',
    'POST',
    `/invoices/${nobody}/payments/manual`,
    { amount: -5, paymentMethod: 'Bank transfer' },
    400,
  ],
  [
    'a user who is there',
    'POST',
    '/users',
    { email: 'bea@shop.example', password: 'correct horse', role: 'admin' },
    409,
  ],
  ['a role that there is not', 'PUT', '/users/{user}', { role: 'boss' }, 400],
  ['an unknown user', 'POST', `/users/${nobody}/disable`, {}, 404],
  ['an unknown user', 'POST', `/users/${nobody}/token`, {}, 404],
  ['a wrong password', 'POST', '/sign-in', { email: 'bea@shop.example', password: 'wrong' }, 401],
  [
    'a store file with a taken sku',
    'POST',
    '/store-imports',
    storeFile({
      products: [
        {
          ...file,
          variants: variantsOf('X-1', 'CUP'),
        },
      ],
    }),
    400,
  ],
  [
    'a store file with a taken address',
    'POST',
    '/store-imports',
    storeFile({ products: [{ ...file, rootUrl: 'cup', variants: variantsOf('X-1') }] }),
    400,
  ],
  [
    'a store file with a discount of 150 per cent',
    'POST',
    '/store-imports',
    storeFile({ discounts: [{ key: 'd', ...rule, code: 'HUGE', value: 150 }] }),
    400,
  ],
  [
    'a store file in another currency',
    'POST',
    '/store-imports',
    { ...storeFile({}), settings: { storeCurrencyCode: 'USD' } },
    400,
  ],
  [
    'a rate of nothing',
    'PUT',
    '/exchange-rate-providers/{manual}/settings',
    { configuration: { rates: { EUR: 0 } } },
    400,
  ],
  ['an unknown provider', 'PUT', '/exchange-rate-providers/{unknown}/activate', {}, 404],
  ['an unknown provider', 'POST', '/exchange-rate-providers/{unknown}/test', {}, 404],
  ['a body that is no object', 'POST', '/exchange-rate-providers/refresh', 'now', 400],
  ['an unknown provider', 'PUT', '/address-lookup-providers/{unknown}/activate', {}, 404],
  ['an unknown provider', 'PUT', '/address-lookup-providers/{unknown}/deactivate', {}, 404],
  ['no settings', 'PUT', '/address-lookup-providers/{unknown}/settings', {}, 400],
  ['an unknown provider', 'POST', '/address-lookup-providers/{unknown}/test', {}, 404],
  ['an unknown provider', 'PUT', '/payment-providers/{unknown}', {}, 404],
  ['no settings', 'PUT', '/payment-providers/{unknown}/settings', {}, 400],
  ['an unknown provider', 'POST', '/payment-providers/{unknown}/toggle', { isEnabled: false }, 404],
  ['an unknown provider', 'POST', '/payment-providers/{unknown}/test', {}, 404],
  ['an unknown event', 'POST', '/payment-providers/{unknown}/simulate-webhook', { eventType: 'Gift' }, 400],
  ['no order at all', 'PUT', '/payment-providers/reorder', {}, 400],
  ['an unknown payment', 'POST', `/payments/${nobody}/refund`, { reason: 'broken' }, 404],
  ['an unknown payment', 'POST', `/payments/${nobody}/preview-refund`, {}, 404],
  ['an unknown payment', 'POST', `/payments/${nobody}/capture`, {}, 404],
  ['an amount in words', 'POST', `/payments/${nobody}/capture`, { amount: 'all' }, 400],
  ['an unknown payment', 'POST', `/payments/${nobody}/void`, {}, 404],
  ['an unknown payment', 'POST', `/payments/unmatched/${nobody}/match`, { invoiceId: nobody }, 404],
  ['an unknown payment', 'POST', `/payments/unmatched/${nobody}/refund`, {}, 404],
  ['an unknown saved method', 'POST', `/saved-payment-methods/${nobody}/set-default`, {}, 404],
  ['no reason', 'POST', `/orders/${nobody}/cancel`, {}, 400],
  ['no orders', 'POST', '/orders/delete', {}, 400],
  ['an unknown invoice', 'PUT', `/orders/${nobody}/edit`, {}, 404],
  ['a quantity of 0', 'PUT', `/orders/${nobody}/edit`, { lineItems: [{ id: nobody, quantity: 0 }] }, 400],
  ['an unknown invoice', 'POST', `/orders/${nobody}/preview-edit`, {}, 404],
  ['no invoice', 'POST', '/orders/preview-discount', { type: 'Free' }, 400],
  ['no type', 'POST', `/orders/${nobody}/apply-discount`, { value: 1 }, 400],
  ['no address', 'POST', '/orders/manual', {}, 400],
  ['no invoices', 'POST', '/orders/batch-mark-paid', { invoiceIds: [], paymentMethod: 'Bank' }, 400],
  [
    'unknown invoices',
    'POST',
    '/orders/batch-mark-paid',
    { invoiceIds: [nobody], paymentMethod: 'Bank' },
    400,
  ],
  ['a blank note', 'POST', `/orders/${nobody}/notes`, { text: ' ' }, 400],
  ['a note on an unknown invoice', 'POST', `/orders/${nobody}/notes`, { text: 'Called' }, 404],
  ['an unknown invoice', 'PUT', `/orders/${nobody}/billing-address`, { name: 'Ada' }, 404],
  ['a blank name', 'PUT', `/orders/${nobody}/shipping-address`, { name: '' }, 400],
  ['an unknown invoice', 'PUT', `/orders/${nobody}/purchase-order`, { purchaseOrder: '1' }, 404],
  ['nothing to pack', 'POST', `/orders/${nobody}/shipments`, { lineItems: {} }, 400],
  ['no status', 'PUT', `/orders/${nobody}/status`, {}, 400],
  ['an unknown shipment', 'PUT', `/shipments/${nobody}`, {}, 404],
  ['no status', 'PUT', `/shipments/${nobody}/status`, {}, 400],
  ['an unknown shipment', 'DELETE', `/shipments/${nobody}`, undefined, 404],
  ['a nameless rule', 'POST', '/upsells', {}, 400],
  ['an unknown rule', 'PUT', `/upsells/${nobody}`, { name: 'Saucers' }, 404],
  ['an unknown rule', 'DELETE', `/upsells/${nobody}`, undefined, 404],
  ['an unknown rule', 'POST', `/upsells/${nobody}/activate`, {}, 404],
  ['an unknown rule', 'POST', `/upsells/${nobody}/deactivate`, {}, 404],
  ['an unknown invoice', 'POST', `/orders/${nobody}/downloads/regenerate`, {}, 404],
  ['an unknown saved method', 'DELETE', `/saved-payment-methods/${nobody}`, undefined, 404],
];

describe('A refused request of the backoffice', () => {
  let shop: TestShop;
  let ids: Record<string, string> = {};
  before(async () => {
    shop = await TestShop.open();
    ids = await furnish(shop);
  });
  after(() => shop.close());

  const wanted = (method: Method, path: string, body: unknown): Request => ({
    method,
    path: base + named(path, ids),
    body: body && named(JSON.stringify(body), ids),
  });

  for (const [what, method, path, body, status] of cases) {
    it(`leaves no event: ${method} ${path.replace(nobody, '{unknown}')} with ${what} (${status})`, async () => {
      await shop
        .given()
        .by(shop.admin)
        .when(wanted(method, path, body))
        .then(status)
        .and(noNewEvents());
    });
  }

  it('is tried for everything that the backoffice can change by command', () => {
    const shape = (path: string): string => path.replace(nobody, '{id}').replace(/\{\w+\}/g, '{}');
    const tried = new Set(cases.map(([, method, path]) => `${method} ${shape(path.replace(/\?.*/, ''))}`));
    const untried = shop.shop.routes
      .filter(
        ({ surface, service, method }) =>
          surface.name === 'management' && service === 'command' && method !== 'GET',
      )
      .map(({ method, path }) => `${method} ${shape(path)}`)
      .filter((one) => !tried.has(one));
    expect(untried).to.deep.equal([]);
  });

  it('may leave a claim and its release only where two want the same at once; the loser keeps nothing', async () => {
    const { claims } = shop.shop.command.deps;
    const sku = (value: string) => ({ kind: 'sku', value, field: 'sku' }) as const;
    const wanted = [sku('RACE'), sku('RACE-1')];
    await claims.refuseTaken(wanted, nobody);
    expect(await claims.claim('sku', 'RACE', ids.product ?? '', anyMeta())).to.include({ kind: 'ok' });
    const refusal = await claims.claimAll(wanted, nobody, anyMeta()).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).to.be.instanceOf(Rejection).with.property('code', 'value-taken');
    await claims.refuseTaken([sku('RACE-1')], newId());
  });

  it('costs a product no more appends than its claims and itself', async () => {
    const frugal = { rootName: 'Frugal', sku: 'FRUGAL', price: 1, productTypeId: '{type}' };
    await shop
      .given()
      .by(shop.admin)
      .when(wanted('POST', '/products', frugal))
      .then(201)
      .and(events('ValueClaimed', 'ValueClaimed', 'ProductCreated'));
  });
});

describe('A refused request of a shopper', () => {
  let shop: TestShop;
  let log: FaultyEventStore;
  let mug: string;
  before(async () => {
    shop = await TestShop.open({ wrapStore: (store) => (log = faultyEventStore(store)) });
    mug = await shop.sell('mug', { price: 10, stock: 3 });
    await shop.discount('TEN', 10);
  });
  after(() => shop.close());

  const refused: Readonly<Record<string, readonly [code: string, wanted: () => Step]>> = {
    'an unknown product': ['product-not-found', () => add(nobody)],
    'more than there is': ['out-of-stock', () => add(mug, 9)],
    'an unknown line': ['line-not-found', () => changeLine({ lineItemId: nobody, quantity: 1 })],
    'more of a line than there is': ['out-of-stock', () => changeFirstLine(9)],
    'an address without an e-mail': ['invalid-address', () => giveAddresses({ email: '' })],
    'an address in a country that does not exist': ['invalid-address', () => billTo({ countryCode: 'XX' })],
    'a country that nothing is sent to': ['invalid-request', () => initialize({ countryCode: 'XX' })],
    'shipping that is not offered': [
      'shipping-incomplete',
      () => selectShipping({ selections: { [nobody]: 'so:nothing' } }),
    ],
    'a code that does not exist': ['discount-not-applicable', () => applyCode('NONE')],
    'no code': ['discount-not-applicable', () => applyCode('')],
    'paying without an address': ['checkout-incomplete', () => pay()],
    'paying an unknown invoice': ['invoice-not-found', () => payInvoice(nobody)],
  };
  for (const [what, [code, wanted]] of Object.entries(refused)) {
    it(`leaves no event: ${what}`, async () => {
      const { status } = errorRow(code) ?? expect.fail(`${code} has no status`);
      await shop
        .given(add(mug, 2))
        .when(wanted())
        .then(status, { success: false })
        .and(refusedFor(code))
        .and(noNewEvents());
    });
  }

  it('leaves no event: an address without a basket', () =>
    shop.given().when(giveAddresses()).then(400).and(refusedFor('basket-not-found')).and(noNewEvents()));

  it('leaves no event: another address while the order is being placed', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    let answer: Promise<ApiResponse> | null = null;
    log.runBefore('append', holds('InvoiceCreated'), async () => {
      answer = shopper.giveAddress('late@example.com');
      await answer;
    });
    const before = await shop.shop.runtime.store.head();
    expect((await shopper.pay()).status).to.equal(200);
    expect((await (answer as Promise<ApiResponse> | null))?.status).to.equal(409);
    const types = (await shop.shop.runtime.store.readAll(before)).map(({ type }) => type);
    expect(types).to.include('InvoiceCreated').and.to.not.include('CustomerRegistered');
  });
});
