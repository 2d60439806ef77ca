import { attempt, call, find, h, openPage, picture, price } from './shop.js';

// The fields of the form are named as the shop's query is, so that the page's address, the form and the request agree.
const form = find('#choice');
const chosen = () => new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));

const card = (product) =>
  h(
    'li',
    {},
    h(
      'a',
      { href: `product.html?${new URLSearchParams({ product: product.url })}` },
      picture(product.image, product.name),
      h('h2', {}, product.name),
    ),
    h('p', { class: 'quiet' }, product.productTypeName),
    price(product),
    product.isAvailable ? null : h('p', { class: 'quiet' }, 'Sold out'),
  );

const swatch = (colour) => {
  const mark = h('i', { class: 'swatch' });
  mark.style.background = colour;
  return mark;
};

const choice = (name, type) => (one) =>
  h(
    'label',
    { class: 'choice' },
    h('input', { type, name, value: one.value, checked: one.isSelected }),
    one.hexColour ? swatch(one.hexColour) : null,
    h('span', {}, one.name),
    h('small', {}, one.count),
  );

/** A group of facets, without what would find nothing. */
const group = (title, choices, name, type) => {
  const shown = choices.filter(({ count, isSelected }) => count > 0 || isSelected);
  return shown.length === 0 ? null : h('fieldset', {}, h('legend', {}, title), shown.map(choice(name, type)));
};

const showFacets = ({ facets }) => {
  const focused = document.activeElement?.value;
  const onlyAvailable = chosen().get('availability') === 'available';
  const stock = [
    { name: 'In stock', value: 'available', count: facets.availability.available, isSelected: onlyAvailable },
  ];
  const collections = facets.collections.map((one) => ({ ...one, value: one.slug }));
  const groups = facets.filterGroups.map(({ name, filters }) =>
    group(
      name,
      filters.map((one) => ({ ...one, value: one.id })),
      'filter',
      'checkbox',
    ),
  );
  find('#facets').replaceChildren(
    ...[
      group('Availability', stock, 'availability', 'checkbox'),
      group('Collection', collections, 'collection', 'checkbox'),
      ...groups,
    ].filter((one) => one !== null),
    h('a', { href: 'index.html' }, 'Clear all filters'),
  );
  const { price: range } = facets;
  form.elements.minPrice.placeholder = range?.formattedMin ?? '';
  form.elements.maxPrice.placeholder = range?.formattedMax ?? '';
  if (focused) form.querySelector(`[value="${CSS.escape(focused)}"]`)?.focus();
};

const pageLink = (query, page, text) =>
  h('a', { href: `?${new URLSearchParams([...query, ['page', page]])}` }, text);

let latest = '';
const show = async (address) => {
  latest = address;
  const query = new URLSearchParams(address);
  const answer = await call('GET', `/storefront/products?facets=true&${query}`);
  // Another filter was chosen meanwhile.
  if (latest !== address) return;
  for (const name of ['search', 'sort', 'minPrice', 'maxPrice'])
    form.elements[name].value = query.get(name) ?? '';
  showFacets(answer);
  find('#title').textContent = query.get('search') ? `“${query.get('search')}”` : 'All products';
  find('#found').textContent = answer.totalItems === 1 ? '1 product' : `${answer.totalItems} products`;
  find('#products').replaceChildren(...answer.items.map(card));
  query.delete('page');
  find('#pages').replaceChildren(
    ...(answer.hasPreviousPage ? [pageLink(query, answer.page - 1, 'Previous')] : []),
    ...(answer.totalPages > 1 ? [`Page ${answer.page} of ${answer.totalPages}`] : []),
    ...(answer.hasNextPage ? [pageLink(query, answer.page + 1, 'Next')] : []),
  );
};

/** One collection at a time: the shop knows a product by the one that it is looked for in. */
const onlyOne = ({ target }) => {
  if (target.name !== 'collection' || !target.checked) return;
  for (const other of form.querySelectorAll('[name=collection]')) other.checked = other === target;
};

form.addEventListener('change', (event) => {
  onlyOne(event);
  history.pushState(null, '', `?${chosen()}`);
  void attempt(() => show(location.search));
});
form.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('popstate', () => void attempt(() => show(location.search)));

openPage(() => show(location.search));
