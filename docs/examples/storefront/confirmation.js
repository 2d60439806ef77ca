import { addressLines } from './address.js';
import { shop } from './config.js';
import { call, figures, find, h, openPage } from './shop.js';

const here = new URLSearchParams(location.search);
const status = here.get('status');
/** Of a guest who has just bought, or of a member's account: the same fields. */
const source = here.has('order')
  ? `/account/orders/${here.get('order')}`
  : `/checkout/confirmation/${here.get('invoiceId')}`;

const line = ({ quantity, productRootName, name, formattedLineTotal }) =>
  h(
    'tr',
    {},
    h('td', {}, `${quantity} ×`),
    h(
      'th',
      { scope: 'row' },
      productRootName || name,
      h('small', { class: 'block' }, productRootName ? name : ''),
    ),
    h('td', { class: 'figure' }, formattedLineTotal),
  );

const parcel = ({ carrier, trackingNumber, trackingUrl, status: state }) =>
  h(
    'p',
    {},
    `Parcel ${state.toLowerCase()}`,
    carrier ? ` with ${carrier}` : '',
    ' ',
    trackingUrl ? h('a', { href: trackingUrl }, trackingNumber ?? 'Track it') : (trackingNumber ?? ''),
  );

const shipment = ({ shippingMethodName, deliveryEstimate }) =>
  [shippingMethodName, deliveryEstimate].filter(Boolean).join(', ');

const download = ({ fileName, downloadUrl }) =>
  h('p', {}, h('a', { href: new URL(downloadUrl, shop) }, fileName));

const show = async () => {
  const order = await call('GET', source);
  const { displayTotals: sums } = order;
  const isPaid = order.balanceDue <= 0;
  document.title = `${order.invoiceNumber} · Harbour & Kiln`;
  find('#order').replaceChildren(
    h('h1', {}, isPaid ? 'Thank you' : 'We have your order'),
    h(
      'p',
      {},
      'Your order is ',
      h('strong', { id: 'number' }, order.invoiceNumber),
      isPaid ? '. It is paid.' : '. Its payment is still under way.',
    ),
    h('table', {}, h('tbody', {}, order.lines.map(line))),
    figures([
      ['Goods', sums.formattedSubTotal],
      ['Discount', sums.discount > 0 && `−${sums.formattedDiscount}`],
      ['Shipping', sums.formattedShipping],
      ['Tax', sums.tax > 0 && sums.formattedTax],
      ['Total', sums.formattedTotal],
    ]),
    h('h2', {}, 'Where it goes'),
    h('p', {}, addressLines(order.shippingAddress ?? order.billingAddress)),
    h('p', { class: 'quiet' }, order.shipments.map(shipment).join(' · ')),
    ...order.parcels.map(parcel),
    ...order.downloads.map(download),
    h('p', {}, h('a', { href: 'index.html' }, 'Look around some more')),
  );
};

// A bank that says no sends the shopper here as well. The basket is still theirs, and may be paid in another way.
if (status === 'Failed' || status === 'Cancelled') location.replace(`checkout.html?status=${status}`);
else openPage(show);
