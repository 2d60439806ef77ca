import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { demoStore, soldOf } from '#test/support/demo-store.ts';
import type { InBrowser, Visitor } from '#test/support/example-storefront.ts';
import { root } from '#test/support/tillroll-process.ts';

const japaneseGreenTeas = demoStore.products.filter(
  (product) =>
    product.collections.includes('green-tea') &&
    [product, ...soldOf(product)].some(({ filters }) => filters?.includes('origin-japan')),
);

const amountIn = (text: string | null): number =>
  Number(/[\d,]+\.\d\d/.exec(text ?? '')?.[0].replace(',', ''));

/** The figure beside a label, of what the page adds up. */
const figure = async (page: Page, label: string): Promise<number> =>
  amountIn(await page.locator('dl div').filter({ hasText: label }).locator('dd').textContent());

/** From the list to a basket with one tin of a Japanese tea. */
const fillBasket = async ({ page, shot }: Visitor): Promise<void> => {
  await page.goto('/');
  await page.getByLabel('Japan').check();
  await page.waitForURL(/filter=/);
  await page.getByLabel('Green Tea').check();
  await page.waitForURL(/collection=green-tea/);
  await page.getByText(`${japaneseGreenTeas.length} products`).waitFor();
  await shot('list');
  await page.getByRole('link', { name: 'Cloud Ridge Kabusecha' }).click();
  await page.getByText('Tin', { exact: true }).click();
  await page.getByText('$20.50').waitFor();
  await page.getByLabel('Quantity').fill('2');
  await shot('product');
  await page.getByRole('button', { name: 'Add to basket' }).click();
  await page.getByRole('link', { name: 'See the basket' }).click();
  await page.getByRole('rowheader', { name: 'Cloud Ridge Kabusecha' }).waitFor();
};

const giveAddress = async (page: Page): Promise<void> => {
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Address', { exact: true }).fill('12 St James Square');
  await page.getByLabel('Town or city').fill('London');
  await page.getByLabel('Postal code').fill('SW1Y 4JH');
  await page.getByRole('button', { name: 'Continue to shipping' }).click();
};

const payWith = async (page: Page, card: string): Promise<void> => {
  await page.getByRole('radio', { name: 'Card' }).check();
  await page.getByLabel('Test card').selectOption({ label: card });
  await page.getByLabel('I accept the terms').check();
  await page.getByRole('button', { name: /^Pay £/ }).click();
};

/** The files that the guide has its readers write. */
const codeOfGuide = (language: 'html' | 'js'): string => {
  const guide = readFileSync(join(root, 'docs/guides/storefront.md'), 'utf8');
  const fences = guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...fences].map(([, code]) => code).join('\n');
};

/** docs/guides/storefront.md */
export const buyFromTheExample = (at: InBrowser): void => {
  describe('the example storefront', () => {
    it('sells to a guest: a filter, options, a code, pounds, an address, shipping, a bank that says no, then yes', async () => {
      const { page, shot } = at.visitor;
      await fillBasket(at.visitor);
      await page.getByLabel('Country').selectOption({ label: 'United Kingdom' });
      await page.getByRole('cell', { name: '£' }).waitFor();
      await page.getByLabel('Discount code').fill('NOPE');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('alert').filter({ hasText: 'There is no discount code NOPE' }).waitFor();
      await page.getByLabel('Discount code').fill('WELCOME10');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('WELCOME10 is applied').waitFor();
      const goods = await figure(page, 'Goods');
      expect(await figure(page, 'Welcome: ten percent off')).to.be.closeTo(goods / 10, 0.01);
      await shot('basket');

      await page.getByRole('link', { name: 'Check out' }).click();
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByRole('button', { name: 'Continue to shipping' }).click();
      await page.getByText('Enter the town or city.').waitFor();
      await giveAddress(page);
      await page.getByLabel('Courier').check();
      const shipping = amountIn(
        await page
          .getByText(/^Courier/)
          .locator('..')
          .locator('small')
          .textContent(),
      );
      await page.locator('dl div').filter({ hasText: 'Shipping' }).getByText(shipping.toFixed(2)).waitFor();
      const total = await figure(page, 'Total');
      await shot('checkout');

      await payWith(page, 'Visa whose bank asks (3-D Secure)');
      await page.getByRole('heading', { name: 'Your bank asks' }).waitFor();
      expect(amountIn(await page.locator('strong').textContent())).to.equal(total);
      await shot('bank');
      await page.getByRole('button', { name: 'Decline' }).click();

      await page.getByRole('alert').filter({ hasText: 'The payment was not approved' }).waitFor();
      await shot('declined');
      await payWith(page, 'Visa whose bank asks (3-D Secure)');
      await page.getByRole('button', { name: 'Approve' }).click();

      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      expect(await page.locator('#number').textContent()).to.match(/^INV-\d+$/);
      expect(await figure(page, 'Total')).to.equal(total);
      await shot('confirmation');
    });

    it('sells to a member, whose account has the order', async () => {
      const { page, shot } = at.visitor;
      await fillBasket(at.visitor);
      await page.getByRole('link', { name: 'Account' }).click();
      const register = page.locator('#register');
      await register.getByLabel('Your name').fill('Grace Hopper');
      await register.getByLabel('Your e-mail address').fill('grace@example.com');
      await register.getByLabel('New password').fill('short');
      await register.getByRole('button').click();
      await register.getByText('Use at least 10 characters.').waitFor();
      await register.getByLabel('New password').fill('correct horse battery');
      await register.getByRole('button').click();
      await page.getByRole('heading', { name: 'Hello, Grace' }).waitFor();
      await page.getByText('Add an address').click();
      await page.getByLabel('Delivered to').selectOption({ label: 'United Kingdom' });
      await page.getByLabel('Address', { exact: true }).fill('1 Mill Lane');
      await page.getByLabel('Town or city').fill('Hull');
      await page.getByLabel('Postal code').fill('HU1 1AA');
      await page.getByRole('button', { name: 'Save address' }).click();
      await page.getByText('1 Mill Lane, Hull HU1 1AA').waitFor();

      await page.goto('/checkout.html');
      await page.getByRole('button', { name: 'Continue to shipping' }).click();
      await payWith(page, 'Visa that is declined');
      await page.getByRole('alert').filter({ hasText: 'The card was declined.' }).waitFor();
      await page.getByLabel('Test card').selectOption({ label: 'Visa ending in 4242' });
      await page.getByRole('button', { name: /^Pay £/ }).click();
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      const number = (await page.locator('#number').textContent()) ?? '';

      await page.getByRole('link', { name: 'Account' }).click();
      await page.getByRole('link', { name: number }).waitFor();
      await shot('account');
      await page.getByRole('link', { name: number }).click();
      await page.getByRole('rowheader', { name: 'Cloud Ridge Kabusecha' }).waitFor();
    });

    it('may be a page that is written as the guide says', async () => {
      const { page } = at.visitor;
      at.storefront.write('own.html', codeOfGuide('html'));
      at.storefront.write('my.js', codeOfGuide('js'));
      await page.goto('/own.html');
      const buy = page.getByRole('button', { name: /^Buy / });
      await buy.nth(4).waitFor();
      await buy.first().click();
      await page.getByRole('button', { name: 'Decline' }).click();
      await page.getByRole('status').filter({ hasText: 'Your bank said no.' }).waitFor();
      await buy.first().click();
      await page.getByRole('button', { name: 'Approve' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: /Your order is INV-\d+: £/ })
        .waitFor();
    });
  });
};
