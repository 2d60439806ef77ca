import { call, count, find, h, onSubmit, openPage, picture, price } from './shop.js';

/** What one chooses between: the product's options, or its variants by name where it has none. */
const optionsOf = ({ options, variants }) => {
  if (options.length > 0)
    return options.map(({ name, values }) => ({ name, values: values.map((value) => value.name) }));
  return variants.length > 1 ? [{ name: 'Kind', values: variants.map(({ name }) => name) }] : [];
};

const hasChosen = (data) => (variant) =>
  variant.selectedOptions.length > 0
    ? variant.selectedOptions.every(({ optionName, valueName }) => data.get(optionName) === valueName)
    : (data.get('Kind') ?? variant.name) === variant.name;

const radios = ({ name, values }, first) =>
  h(
    'fieldset',
    {},
    h('legend', {}, name),
    values.map((value) =>
      h(
        'label',
        { class: 'pill' },
        h('input', { type: 'radio', name, value, required: true, checked: value === first(name, value) }),
        value,
      ),
    ),
  );

/** Extras at a price of their own. Several of one kind, or one, as the shop says. */
const extras = ({ id, name, values, isMultiSelect, isRequired }) =>
  h(
    'fieldset',
    {},
    h('legend', {}, name),
    values.map((value) =>
      h(
        'label',
        { class: 'choice' },
        h('input', {
          type: isMultiSelect ? 'checkbox' : 'radio',
          name: `extra:${id}`,
          value: value.id,
          required: isRequired && !isMultiSelect,
        }),
        h('span', {}, value.name),
        h('small', {}, `+ ${value.formattedPriceAdjustment}`),
      ),
    ),
  );

const extrasIn = (data) =>
  [...data]
    .filter(([name]) => name.startsWith('extra:'))
    .map(([name, valueId]) => ({ optionId: name.slice('extra:'.length), valueId }));

const show = async () => {
  const slug = new URLSearchParams(location.search).get('product') ?? '';
  const product = await call('GET', `/storefront/products/${encodeURIComponent(slug)}`);
  document.title = `${product.name} · Harbour & Kiln`;
  const usual = product.variants.find(({ isDefault }) => isDefault) ?? product.variants[0];
  const first = (name, value) =>
    usual.selectedOptions.length > 0
      ? usual.selectedOptions.find(({ optionName }) => optionName === name)?.valueName
      : usual.name && value === usual.name && usual.name;
  const offer = h('div', { role: 'status' });
  const added = h('p', { role: 'status' });
  const form = h(
    'form',
    {},
    optionsOf(product).map((option) => radios(option, first)),
    product.addOns.map(extras),
    h(
      'label',
      {},
      'Quantity',
      h('input', { type: 'number', name: 'quantity', value: 1, min: 1, required: true }),
    ),
    h('button', { class: 'main' }, 'Add to basket'),
    added,
  );
  const variant = () => product.variants.find(hasChosen(new FormData(form)));
  const showOffer = () => {
    const one = variant();
    const said = one?.availability.statusMessage ?? 'Not made in this combination';
    offer.replaceChildren(price(one ?? product), h('p', { class: 'quiet' }, said));
  };
  form.addEventListener('change', showOffer);
  onSubmit(form, async (data) => {
    const { productId } = variant() ?? {};
    const { basket } = await call('POST', '/storefront/basket/add', {
      productId,
      quantity: Number(data.get('quantity')),
      addons: extrasIn(data),
    });
    count(basket.itemCount);
    added.replaceChildren('It is in your basket. ', h('a', { href: 'basket.html' }, 'See the basket'));
  });
  find('#product').replaceChildren(
    picture(product.image, product.name),
    h(
      'div',
      {},
      h('p', { class: 'quiet' }, product.collections.map(({ name }) => name).join(' · ')),
      h('h1', {}, product.name),
      offer,
      h('p', {}, product.description),
      form,
    ),
  );
  showOffer();
};

openPage(show);
