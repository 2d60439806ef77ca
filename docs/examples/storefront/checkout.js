import { addressFields, addressIn } from './address.js';
import { attempt, call, find, h, onSubmit, openPage, say, totals } from './shop.js';

const here = new URLSearchParams(location.search);
const pageOf = (name) => new URL(name, location.href).href;

const showSummary = (basket) => {
  const products = basket.lineItems.filter(({ lineItemType }) => lineItemType === 'Product');
  find('#summary').replaceChildren(
    h(
      'ul',
      { class: 'plain' },
      products.map((line) =>
        h('li', {}, `${line.quantity} × ${line.productRootName}`, h('small', { class: 'block' }, line.name)),
      ),
    ),
    totals(basket),
  );
  find('#payment button').textContent = `Pay ${basket.formattedDisplayTotal}`;
};

const option = (groupId) => (one) =>
  h(
    'label',
    { class: 'choice' },
    h('input', { type: 'radio', name: groupId, value: one.id, checked: one.isSelected }),
    h('span', {}, `${one.name}, ${one.deliveryDescription}`),
    h('small', {}, one.formattedCost),
  );

/** One group for each place that the order is sent from. */
const showShipping = ({ shippingGroups, basket }) => {
  find('#groups').replaceChildren(
    ...shippingGroups.map(({ groupId, groupName, shippingOptions }) =>
      h('fieldset', {}, h('legend', {}, `From ${groupName}`), shippingOptions.map(option(groupId))),
    ),
  );
  showSummary(basket);
};

/** Each way of an integration that this page knows; the others are not shown. */
const ways = {
  HostedFields: (method, { invoiceId }, data) =>
    // The provider's own form gives such a token for a card; the card's number never comes to the page or the shop.
    call('POST', '/checkout/process-payment', {
      ...method,
      invoiceId,
      paymentMethodToken: data.get('token'),
    }),
  Redirect: (_, { redirectUrl }) => ({ status: 'RequiresAction', redirectUrl }),
};

let methods = [];
const showMethods = async () => {
  const offered = await call('GET', '/checkout/payment-methods');
  methods = offered.filter(({ integrationType }) => ways[integrationType]);
  find('#methods').replaceChildren(
    ...methods.map(({ displayName, description }, index) =>
      h(
        'label',
        { class: 'choice' },
        h('input', {
          type: 'radio',
          name: 'method',
          value: index,
          checked: index === 0,
          onchange: showCards,
        }),
        h('span', {}, displayName, h('small', { class: 'block' }, description)),
      ),
    ),
  );
};
const chosenMethod = () => methods[Number(new FormData(find('#payment')).get('method'))];
const showCards = () => {
  find('#cards').hidden = chosenMethod().integrationType !== 'HostedFields';
};

/** Prices the basket for where it goes, and asks how it is sent and paid. */
const goOn = async ({ countryCode, regionCode }) => {
  showShipping(await call('POST', '/checkout/initialize', { countryCode, stateCode: regionCode }));
  await showMethods();
  find('#shipping').hidden = false;
  find('#payment').hidden = false;
};

onSubmit(find('#address'), async (data) => {
  const billingAddress = addressIn(data, 'billing.');
  await call('POST', '/checkout/addresses', {
    email: data.get('email'),
    billingAddress,
    shippingSameAsBilling: true,
  });
  await goOn(billingAddress);
});

find('#shipping').addEventListener('change', () => {
  const selections = Object.fromEntries(new FormData(find('#shipping')));
  void attempt(async () => showShipping(await call('POST', '/checkout/shipping', { selections })));
});

find('#terms').addEventListener('click', (event) => {
  event.preventDefault();
  void attempt(async () => {
    const { html } = await call('GET', '/checkout/terms/terms');
    // The one text that is HTML: the shop has made it safe.
    find('#terms-text').innerHTML = html;
    find('#terms-text').hidden = false;
  });
});

onSubmit(find('#payment'), async (data) => {
  const { integrationType, providerAlias, methodAlias } = chosenMethod();
  const method = { providerAlias, methodAlias };
  try {
    const order = await call('POST', '/checkout/pay', {
      ...method,
      // Who is sent to a bank or a payment page comes back to these.
      returnUrl: pageOf('confirmation.html'),
      cancelUrl: pageOf('checkout.html'),
      acceptTerms: data.has('terms'),
    });
    const payment = await ways[integrationType](method, order, data);
    location.href =
      payment.status === 'RequiresAction'
        ? payment.redirectUrl
        : `confirmation.html?invoiceId=${order.invoiceId}`;
  } catch (refusal) {
    // Prices and stock may change while somebody types: show the new total, and let them decide.
    if (refusal.code === 'basket-changed') showSummary(refusal.basket);
    throw refusal;
  }
});

/** What is known already: of this checkout, else of the account. */
const knownAddress = async () => {
  const basket = await call('GET', '/checkout/basket');
  if (basket.isEmpty) return { basket };
  if (basket.billingAddress) return { basket, address: basket.billingAddress };
  const { location: place } = await call('GET', '/storefront/context');
  const address = { countryCode: place.countryCode, regionCode: place.regionCode };
  try {
    const { email } = await call('GET', '/account');
    const { addresses } = await call('GET', '/account/addresses');
    return { basket, address: { ...(addresses.find((one) => one.isDefaultShipping) ?? address), email } };
  } catch (refusal) {
    if (refusal.code !== 'unauthenticated') throw refusal;
    return { basket, address };
  }
};

openPage(async () => {
  const { basket, address } = await knownAddress();
  if (basket.isEmpty) {
    find('main').replaceChildren(
      h('p', { class: 'note' }, 'Your basket is empty. ', h('a', { href: 'index.html' }, 'Look around')),
    );
    return;
  }
  find('#address [name=email]').value = address.email ?? '';
  find('#address-fields').replaceChildren(await addressFields(address, 'billing.'));
  find('#address').hidden = false;
  showSummary(basket);
  if (basket.billingAddress) await goOn(address);
  if (here.has('status'))
    say('The payment was not approved, and nothing was charged. Try again, or another card.');
});
