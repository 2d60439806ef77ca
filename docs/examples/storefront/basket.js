import { attempt, call, count, find, h, onSubmit, openPage, picture, totals } from './shop.js';

/** Changes the basket and shows what has become of it. */
const change = (method, path, body) =>
  attempt(async () => {
    await call(method, path, body);
    await show();
  });

const extra = ({ name, formattedDisplayLineTotal }) =>
  h('small', { class: 'block' }, `+ ${name}, ${formattedDisplayLineTotal}`);

const row = (line, lines, problems) =>
  h(
    'tr',
    {},
    h('td', {}, picture(line.imageUrl, line.productRootName)),
    h(
      'th',
      { scope: 'row' },
      line.productRootName,
      h(
        'small',
        { class: 'block' },
        line.selectedOptions.map(({ valueName }) => valueName).join(', ') || line.name,
      ),
      lines.filter(({ parentLineItemId }) => parentLineItemId === line.id).map(extra),
      problems
        .filter(({ relatedLineItemId }) => relatedLineItemId === line.id)
        .map(({ message }) => h('small', { class: 'error' }, message)),
    ),
    h(
      'td',
      {},
      h('input', {
        type: 'number',
        min: 0,
        value: line.quantity,
        'aria-label': `Quantity of ${line.productRootName}`,
        onchange: ({ target }) =>
          change('POST', '/storefront/basket/update', {
            lineItemId: line.id,
            quantity: Number(target.value),
          }),
      }),
    ),
    h('td', { class: 'figure' }, line.formattedDisplayLineTotalWithAddons ?? line.formattedDisplayLineTotal),
    h(
      'td',
      {},
      h(
        'button',
        {
          type: 'button',
          class: 'link',
          'aria-label': `Remove ${line.productRootName}`,
          onclick: () => change('DELETE', `/storefront/basket/${line.id}`),
        },
        'Remove',
      ),
    ),
  );

const codes = ({ appliedDiscounts }) => {
  const form = h(
    'form',
    { class: 'inline' },
    h('label', {}, 'Discount code', h('input', { name: 'code', required: true })),
    h('button', {}, 'Apply'),
  );
  onSubmit(form, async (data) => {
    await call('POST', '/checkout/discount/apply', { code: data.get('code') });
    await show();
  });
  const byCode = appliedDiscounts.filter(({ isAutomatic }) => !isAutomatic);
  return [
    form,
    byCode.map(({ id, code }) =>
      h(
        'p',
        {},
        `${code} is applied. `,
        h(
          'button',
          { class: 'link', onclick: () => change('DELETE', `/checkout/discount/${id}`) },
          'Take it off',
        ),
      ),
    ),
  ].flat();
};

const show = async () => {
  const basket = await call('GET', '/storefront/basket');
  count(basket.isEmpty ? 0 : basket.itemCount);
  if (basket.isEmpty) {
    find('#basket').replaceChildren(
      h('p', {}, 'There is nothing in it yet. ', h('a', { href: 'index.html' }, 'Look around')),
    );
    return;
  }
  const products = basket.lineItems.filter(({ lineItemType }) => lineItemType === 'Product');
  find('#basket').replaceChildren(
    ...basket.warnings.map((warning) => h('p', { class: 'note' }, warning)),
    h(
      'table',
      {},
      h(
        'tbody',
        {},
        products.map((line) => row(line, basket.lineItems, basket.errors)),
      ),
    ),
    h(
      'section',
      { class: 'sum' },
      codes(basket),
      totals(basket),
      h('a', { class: 'main', href: 'checkout.html' }, 'Check out'),
    ),
  );
};

openPage(show);
