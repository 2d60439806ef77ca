import { currencies, shop } from './config.js';

/** The shop says no: `code` is for programs, `message` for people, `errors` has what is wrong by field. */
export class Refusal extends Error {
  constructor(answer) {
    super(answer.message);
    Object.assign(this, { errors: {} }, answer);
  }
}

const TRIES = 3;
const LONGEST_WAIT_SECONDS = 5;

const unreachable = {
  success: false,
  code: 'unreachable',
  message: 'The shop cannot be reached. Try again in a moment.',
};

/** The browser tells a page no more of a failed fetch; its console says whether the origin is not allowed. */
const send = (path, request) =>
  fetch(shop + path, request).catch(() => {
    throw new Refusal(unreachable);
  });

/** Asks the shop and resolves with its answer. Throws a Refusal. */
export const call = async (method, path, body) => {
  const request = {
    method,
    // Basket, country and sign-in are cookies of the shop.
    credentials: 'include',
    ...(method === 'GET'
      ? {}
      : {
          // The same key for each try, so that nothing is done twice.
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
          body: JSON.stringify(body ?? {}),
        }),
  };
  for (let tries = 1; ; tries += 1) {
    const response = await send(path, request);
    // What is no JSON comes from a gateway before the shop.
    const answer = await response.json().catch(() => unreachable);
    if (response.ok && answer.success !== false) return answer;
    const seconds = Number(response.headers.get('Retry-After'));
    if (tries === TRIES || seconds === 0 || seconds > LONGEST_WAIT_SECONDS) throw new Refusal(answer);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
};

/** Makes an element; attributes that begin with `on` are listeners. Text stays text: nothing is read as HTML. */
export const h = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value === true ? '' : value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
};

export const find = (selector) => document.querySelector(selector);

/** What this storefront says better than the shop's own message. */
const words = {
  'out-of-stock': ({ availableQuantity }) =>
    availableQuantity > 0 ? `Only ${availableQuantity} of these are left.` : 'This is sold out.',
  'basket-not-found': () => 'Your basket is empty.',
  'basket-changed': ({ message }) => `${message} Look at the new total and pay again.`,
  'payment-declined': ({ message }) => `${message} Nothing was charged: try another card.`,
};

export const say = (text) => {
  const alert = find('#alert');
  alert.textContent = text;
  if (text !== '') alert.scrollIntoView({ block: 'center' });
};

const mark = (field, text) => {
  const id = `${field.name}-error`;
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', id);
  field.closest('label').after(h('small', { class: 'error', id }, text));
};

const unmark = (form) => {
  for (const note of form.querySelectorAll('.error')) note.remove();
  for (const field of form.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid');
};

/** Shows a refusal: beside the fields that it names, else above the page. What is no refusal is a mistake of ours. */
const explain = (refusal, form) => {
  if (!(refusal instanceof Refusal)) throw refusal;
  const named = Object.entries(refusal.errors).filter(([name]) => form?.elements.namedItem(name));
  for (const [name, text] of named) mark(form.elements.namedItem(name), text);
  if (named.length > 0) form.elements.namedItem(named[0][0]).focus();
  else say(words[refusal.code]?.(refusal) ?? refusal.message);
};

/** Does what the shopper asked for, once: the buttons of the form rest meanwhile. */
export const attempt = async (action, form) => {
  const buttons = [...(form?.querySelectorAll('button') ?? [])];
  say('');
  if (form) unmark(form);
  for (const button of buttons) button.disabled = true;
  try {
    await action();
  } catch (refusal) {
    explain(refusal, form);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
};

/** Sends a form to a function instead of a server. */
export const onSubmit = (form, action) =>
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void attempt(() => action(new FormData(form)), form);
  });

/** The picture of a product; its first letter where there is none or it cannot be loaded. */
export const picture = (source, name) => {
  const tile = h('div', { class: 'picture' }, h('span', { 'aria-hidden': 'true' }, name[0]));
  tile.style.setProperty('--hue', [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 360);
  if (source) tile.append(h('img', { src: source, alt: '', onerror: ({ target }) => target.remove() }));
  return tile;
};

export const price = ({ formattedPrice, formattedPreviousPrice }) =>
  h(
    'p',
    { class: 'price' },
    formattedPrice,
    formattedPreviousPrice
      ? h('s', { 'aria-label': `before: ${formattedPreviousPrice}` }, formattedPreviousPrice)
      : null,
  );

/** Label and figure of each row; rows without a figure are left out. */
export const figures = (rows) =>
  h(
    'dl',
    { class: 'totals' },
    rows
      .filter(([, figure]) => figure)
      .map(([label, figure]) => h('div', {}, h('dt', {}, label), h('dd', {}, figure))),
  );

/** What a basket costs, in the shopper's currency. */
export const totals = (basket) =>
  figures([
    ['Goods', basket.formattedDisplaySubTotal],
    ...basket.appliedDiscounts.map(({ name, formattedAmount }) => [name, `−${formattedAmount}`]),
    ['Shipping', basket.shippingAddress && basket.formattedDisplayShipping],
    ['Tax', basket.displayTax > 0 && basket.formattedDisplayTax],
    ['Total', basket.formattedDisplayTotal],
  ]);

/** Shows how many things are in the basket. */
export const count = (items) => {
  find('#count').textContent = items > 0 ? `(${items})` : '';
};

export const select = (attributes, options, chosen) =>
  h(
    'select',
    attributes,
    options.map(([value, name]) => h('option', { value, selected: value === chosen }, name)),
  );

/** The two menus of each page: where the shopper is, and what they pay in. Every price follows. */
const showPlace = async () => {
  const place = await call('GET', '/storefront/shipping/countries');
  const set =
    (path, name) =>
    ({ target }) =>
      attempt(async () => {
        await call('POST', path, { [name]: target.value });
        location.reload();
      });
  const countries = place.countries.map(({ code, name }) => [code, name]);
  const shown = place.currency.currencyCode;
  const codes = [...new Set([...currencies, shown])].map((code) => [code, code]);
  const toCountry = { 'aria-label': 'Country', onchange: set('/storefront/shipping/country', 'countryCode') };
  const toCurrency = { 'aria-label': 'Currency', onchange: set('/storefront/currency', 'currencyCode') };
  find('#place').replaceChildren(
    select(toCountry, countries, place.currentCountry.code),
    select(toCurrency, codes, shown),
  );
};

/** Puts the head on a page, then shows it. */
export const openPage = (show) => {
  document.body.prepend(
    h(
      'header',
      {},
      h('a', { href: 'index.html', class: 'name' }, 'Harbour & Kiln'),
      h(
        'form',
        { action: 'index.html', role: 'search' },
        h('input', { type: 'search', name: 'search', 'aria-label': 'Search', placeholder: 'Search' }),
      ),
      h('div', { id: 'place' }),
      h(
        'nav',
        {},
        h('a', { href: 'account.html' }, 'Account'),
        h('a', { href: 'basket.html' }, 'Basket ', h('span', { id: 'count' })),
      ),
    ),
  );
  find('main').prepend(h('p', { id: 'alert', role: 'alert' }));
  void attempt(async () => {
    const [{ itemCount }] = await Promise.all([call('GET', '/storefront/basket/count'), showPlace(), show()]);
    count(itemCount);
  });
};
