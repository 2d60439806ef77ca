import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { add, get, initialize, manage, withHeaders } from '#test/support/requests.ts';
import { makesAccount } from './account-steps.ts';
import { basketOf, buy, nothing, shopper, staff, type Body } from './steps.ts';
import type { Known, Purchase, PurchaseStep } from './walk.ts';

/*
 * A file at 8.00, which a member downloads. Its 15 bytes are "All about tea.\n": the first eight, and the rest of it.
 */
const FILE = 'books/tea.txt';
const downloads = '/api/shop/downloads';

/** A data folder with the file that these purchases sell. */
export const openDownloads = (): { readonly dataDir: string; readonly remove: () => void } => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tillroll-journeys-'));
  mkdirSync(join(dataDir, 'downloads/books'), { recursive: true });
  writeFileSync(join(dataDir, 'downloads', FILE), 'All about tea.\n');
  return { dataDir, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
};

const emailOf = ({ productId }: Known): string => `reader-of-${productId}@example.com`;

interface Bought {
  product: string;
  invoice: string;
  url: string;
}

const linksOf = (links: Body): string =>
  links
    .map(
      ({ fileName, remainingDownloads, maxDownloads, isExpired }: Body) =>
        `${fileName}, ${remainingDownloads} of ${maxDownloads} left${isExpired ? ', ended' : ''}`,
    )
    .join('; ');

/** A member buys the file, which may be downloaded so often. */
const bought = (ids: Bought, maxDownloadsPerLink: number): readonly PurchaseStep[] => [
  {
    by: 'staff',
    ask: ({ productId }) =>
      manage.post('/products', {
        rootName: 'The tea book',
        sku: `TEA-${productId}`,
        price: 8,
        isDigitalProduct: true,
        digitalFileIds: [FILE],
        maxDownloadsPerLink,
      }),
    status: 201,
    read: ({ variants }) => {
      ids.product = variants[0].id;
      return '';
    },
    money: '',
  },
  shopper(() => add(ids.product, 1), '$8.00, tax $0.00, shipping $0.00, total $8.00 ($8.00)', basketOf),
  ...makesAccount(emailOf, '$8.00, tax $0.00, shipping $0.00, total $8.00 ($8.00)', basketOf),
  shopper(
    () => initialize({ countryCode: 'US' }),
    '$8.00, tax $0.00, shipping $0.00, total $8.00 ($8.00)',
    basketOf,
  ),
  ...buy('digital 0, subtotal 8, tax 0, shipping 0, total 8 USD (8 USD), paid 8, due 0'),
  shopper(
    ({ invoiceId }) => get(`${downloads}/invoice/${invoiceId}`),
    `tea.txt, ${maxDownloadsPerLink} of ${maxDownloadsPerLink} left`,
    (links: Body) => {
      ids.url = links[0].downloadUrl;
      return linksOf(links);
    },
  ),
];

const part = (ids: Bought, range: string, text = '', status = 206): PurchaseStep =>
  shopper(
    () => withHeaders({ Range: range }, get(ids.url)),
    text,
    (body) => String(body),
    status,
  );

const listed = (money: string, query = ''): PurchaseStep =>
  shopper(() => get(`${downloads}/customer${query}`), money, linksOf);

const inRanges = (): readonly PurchaseStep[] => {
  const ids: Bought = { product: '', invoice: '', url: '' };
  // The rest of a download that was counted is not counted.
  const whole = [part(ids, 'bytes=0-7', 'All abou'), part(ids, 'bytes=8-', 't tea.\n')];
  return [
    ...bought(ids, 3),
    ...whole,
    listed('tea.txt, 2 of 3 left'),
    ...whole,
    ...whole,
    part(ids, 'bytes=0-7', '', 403),
    listed(''),
    listed('tea.txt, 0 of 3 left', '?includeExpired=true'),
  ];
};

const revoked = (): readonly PurchaseStep[] => {
  const ids: Bought = { product: '', invoice: '', url: '' };
  let payment = '';
  return [
    ...bought(ids, 5),
    shopper(
      () => get(ids.url),
      'All about tea.\n',
      (body) => String(body),
    ),
    staff(
      ({ invoiceId }) => manage.get(`/invoices/${invoiceId}/payments`),
      '8',
      ({ items: [{ id, amount }] }: Body) => {
        payment = id;
        return String(amount);
      },
    ),
    staff(
      () => manage.post(`/payments/${payment}/refund`, { reason: 'Not a word about coffee' }),
      '-8',
      ({ amount }: Body) => String(amount),
    ),
    shopper(() => get(ids.url), '', nothing, 404),
    part(ids, 'bytes=8-', '', 404),
    listed(''),
    listed('tea.txt, 4 of 5 left, ended', '?includeExpired=true'),
  ];
};

export const downloadPurchases: readonly Purchase[] = [
  {
    title: 'a member who buys, downloads three times in ranges and is refused the fourth time',
    get steps() {
      return inRanges();
    },
  },
  {
    title: 'a refund that ends what could be downloaded',
    get steps() {
      return revoked();
    },
  },
];
