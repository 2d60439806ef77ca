import { attempt, call, h, select } from './shop.js';

const field = (label, name, attributes) =>
  h('div', {}, h('label', {}, label, h('input', { name, ...attributes })));

/**
 * The fields of an address, named as the shop names them in `errors`: with a prefix where a form has more than one
 * address. Regions are asked for where the country has some.
 */
export const addressFields = async (known = {}, prefix = '') => {
  const countries = await call('GET', '/checkout/shipping/countries');
  const regions = h('div');
  const showRegions = async (countryCode, chosen) => {
    const found = await call('GET', `/checkout/shipping/regions/${countryCode}`);
    const options = [['', 'Choose …'], ...found.map(({ regionCode, name }) => [regionCode, name])];
    regions.replaceChildren(
      ...(found.length > 0
        ? [h('label', {}, 'Region', select({ name: `${prefix}regionCode` }, options, chosen))]
        : []),
    );
  };
  const country = select(
    { name: `${prefix}countryCode`, onchange: ({ target }) => attempt(() => showRegions(target.value)) },
    countries.map(({ code, name }) => [code, name]),
    known.countryCode,
  );
  await showRegions(country.value, known.regionCode);
  const text = (label, name, autocomplete) =>
    field(label, prefix + name, { value: known[name] ?? '', autocomplete });
  return h(
    'div',
    { class: 'fields' },
    text('Name', 'name', 'name'),
    text('Address', 'addressOne', 'address-line1'),
    text('Address, second line', 'addressTwo', 'address-line2'),
    text('Town or city', 'townCity', 'address-level2'),
    text('Postal code', 'postalCode', 'postal-code'),
    h('div', {}, h('label', {}, 'Delivered to', country)),
    regions,
  );
};

/** The address that such fields hold. */
export const addressIn = (data, prefix = '') =>
  Object.fromEntries(
    [...data]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value]),
  );

export const addressLines = ({ name, addressOne, addressTwo, townCity, postalCode, country }) =>
  [name, addressOne, addressTwo, `${townCity} ${postalCode}`, country].filter(Boolean).join(', ');
