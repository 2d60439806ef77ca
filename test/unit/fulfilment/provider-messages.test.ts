import { expect } from 'chai';
import { readMessage } from '#adapters/fulfilment-providers/generic-http-updates.ts';
import { mappedStatus } from '#adapters/fulfilment-providers/provider-statuses.ts';

const now = Date.UTC(2026, 0, 5, 9);
const at = '2026-01-05T09:00:00.000Z';
const read = (type: string, data: object = {}) => {
  const body = Buffer.from(JSON.stringify({ type, data: { reference: 'R1', ...data } }));
  const said = readMessage(body, now);
  return said.kind === 'updates' ? said.updates : said;
};

/** What a message says, in short. */
const inShort = (type: string, data: object = {}) => {
  const said = read(type, data);
  if ('kind' in said) return said;
  return [
    ...said.statusUpdates.map(({ mappedStatus: status }) => status),
    ...said.shipmentUpdates.map(({ providerShipmentId, shippedDate, deliveredDate, isCancelled }) =>
      [providerShipmentId ?? '-', shippedDate, deliveredDate, isCancelled ? 'cancelled' : null]
        .filter((part) => part !== null)
        .join(' '),
    ),
  ];
};

describe('what a fulfilment service says (docs/guides/writing-a-fulfilment-provider.md#callbacks)', () => {
  for (const [type, wanted] of [
    ['order.processing', ['Processing']],
    ['order.shipped', ['Shipped']],
    ['order_shipped', ['Shipped']],
    ['order.delivered', ['Completed']],
    ['order.cancelled', ['Cancelled']],
    ['order.on_hold', ['OnHold']],
    ['order.shipment.exception', ['OnHold']],
    ['order.shipment.on_hold', ['OnHold']],
    ['shipment_exception', ['OnHold']],
    ['shipment_onhold', ['OnHold']],
    ['shipment.delivered', ['Completed']],
    ['order.shipment.delivered', ['Completed']],
    ['shipment_delivered', ['Completed']],
    ['order.shipment.cancelled', ['Cancelled']],
    ['shipment_cancelled', ['Cancelled']],
    ['shipment.created', ['-']],
    ['shipment.updated', ['-']],
    ['toString', []],
  ] as const)
    it(`${type} of a whole order`, () => expect(inShort(type)).to.deep.equal(wanted));

  for (const [type, wanted] of [
    ['shipment.delivered', [`S1 ${at}`]],
    ['shipment_cancelled', ['S1 cancelled']],
    ['shipment.created', ['S1']],
    ['order.shipped', ['Shipped', `S1 ${at}`]],
    ['order.delivered', ['Completed']],
  ] as const)
    it(`${type} of one shipment`, () =>
      expect(inShort(type, { providerShipmentId: 'S1' })).to.deep.equal(wanted));

  it('order.shipped with a part of its goods ships that part only', () => {
    const items = [{ sku: 'MUG', quantityShipped: 1 }];
    expect(inShort('order.shipped', { items })).to.deep.equal([`- ${at}`]);
    expect(read('order.shipped', { items })).to.have.nested.property('shipmentUpdates.0.items[0].sku', 'MUG');
  });

  it('a tracking address that no browser should follow is none', () => {
    for (const [trackingUrl, wanted] of [
      ['https://track.example/1', 'https://track.example/1'],
      ['javascript:alert(1)', null],
      ['track.example/1', null],
    ])
      expect(read('shipment.created', { trackingUrl })).to.have.nested.property(
        'shipmentUpdates[0].trackingUrl',
        wanted,
      );
  });

  it('inventory.updated tells levels, also those that make no sense', () => {
    const levels = [{ sku: 'MUG', availableQuantity: -3, warehouseCode: '' }];
    expect(read('inventory.updated', { levels })).to.deep.include({
      inventoryUpdates: [{ sku: 'MUG', warehouseCode: null, availableQuantity: -3 }],
    });
  });

  for (const [what, body, message] of [
    ['is no JSON', '{', 'body: must be an object'],
    ['has no type', '{"data":{}}', 'type: must be text'],
    ['names no order', '{"type":"order.shipped"}', 'data.reference: must be text'],
    [
      'ships nothing of something',
      '{"type":"order.shipped","data":{"reference":"R","items":[{"sku":"A","quantityShipped":0}]}}',
      'data.items.0.quantityShipped: must be 1 or more',
    ],
  ] as const)
    it(`a message that ${what} is malformed`, () =>
      expect(readMessage(Buffer.from(body), now)).to.deep.equal({ kind: 'malformed', message }));

  for (const [word, status] of [
    ['picked', 'Processing'],
    ['In Transit', 'Shipped'],
    ['out_for_delivery', 'Shipped'],
    ['labelled', 'Shipped'],
    ['Delivered', 'Completed'],
    ['canceled', 'Cancelled'],
    ['delivery exception', 'OnHold'],
    ['on-hold', 'OnHold'],
    ['something new', 'Processing'],
  ] as const)
    it(`"${word}" is ${status}`, () => expect(mappedStatus(word)).to.equal(status));
});
