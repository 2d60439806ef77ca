import { addressFields, addressIn, addressLines } from './address.js';
import { attempt, call, find, h, onSubmit, openPage } from './shop.js';

const day = (date) => new Date(date).toLocaleDateString(undefined, { dateStyle: 'medium' });

const states = {
  Unfulfilled: 'In preparation',
  Processing: 'Being packed',
  Partial: 'Partly sent',
  Fulfilled: 'Sent',
};

const order = ({ invoiceId, invoiceNumber, dateCreated, formattedTotal, fulfillmentStatus }) =>
  h(
    'tr',
    {},
    h('th', { scope: 'row' }, h('a', { href: `confirmation.html?order=${invoiceId}` }, invoiceNumber)),
    h('td', {}, day(dateCreated)),
    h('td', {}, states[fulfillmentStatus]),
    h('td', { class: 'figure' }, formattedTotal),
  );

const address = (one) =>
  h(
    'li',
    {},
    addressLines(one),
    ' ',
    h(
      'button',
      {
        class: 'link',
        'aria-label': `Remove ${one.addressOne}`,
        onclick: () =>
          attempt(async () => {
            await call('DELETE', `/account/addresses/${one.id}`);
            await showMember();
          }),
      },
      'Remove',
    ),
  );

const showMember = async () => {
  const [account, { items }, { addresses }] = await Promise.all([
    call('GET', '/account'),
    call('GET', '/account/orders'),
    call('GET', '/account/addresses'),
  ]);
  find('#greeting').textContent = `Hello, ${account.firstName || account.name}`;
  find('#confirm').hidden = account.isEmailConfirmed;
  find('#orders').replaceChildren(
    items.length > 0
      ? h('table', {}, h('tbody', {}, items.map(order)))
      : h('p', {}, 'You have not ordered anything yet.'),
  );
  find('#addresses').replaceChildren(...addresses.map(address));
  find('#address-fields').replaceChildren(await addressFields({ name: account.name }));
  find('#visitor').hidden = true;
  find('#member').hidden = false;
};

const show = async () => {
  try {
    await showMember();
  } catch (refusal) {
    if (refusal.code !== 'unauthenticated') throw refusal;
    find('#visitor').hidden = false;
  }
};

const signIn = async (data) => {
  await call('POST', '/checkout/sign-in', { email: data.get('email'), password: data.get('password') });
  await showMember();
};

onSubmit(find('#sign-in'), signIn);
onSubmit(find('#register'), async (data) => {
  // The answer is the same for an address that has an account already: only its password signs in.
  await call('POST', '/account/register', Object.fromEntries(data));
  await signIn(data);
});
onSubmit(find('#address'), async (data) => {
  await call('POST', '/account/addresses', addressIn(data));
  await showMember();
});
onSubmit(find('#sign-out'), async () => {
  await call('POST', '/checkout/sign-out');
  location.reload();
});

openPage(show);
