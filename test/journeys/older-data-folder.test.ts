import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openShop, type Shop } from '../../tillroll.ts';
import { listen, type HttpServer } from '#http/server.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { silentLogger } from '#runtime/logging.ts';
import { auditShop } from '#test/support/audit-shop.ts';
import { API_KEY, ShopAt, TESTING_SECRET } from '#test/support/shop.ts';
import { openEngines } from '../../shared-kernel/open-engines.ts';

/**
 * `data-folder`: of a shop with ten paid orders. `data-folder-half-way`: of a later version, with seven, an unpaid
 * invoice and a basket with addresses; `shoppers.json` has their cookies.
 */
const fixtures = {
  'of paid orders': new URL('../support/fixtures/data-folder/', import.meta.url),
  'half way through purchases': new URL('../support/fixtures/data-folder-half-way/', import.meta.url),
} as const;

type Answers = Readonly<Record<string, unknown>>;

/** Writes the data folder that an older version has left. */
const unpack = async (fixture: URL, dataDir: string): Promise<void> => {
  for (const name of ['events', 'read', 'state', 'bus'])
    await writeFile(
      join(dataDir, `${name}.db`),
      gunzipSync(await readFile(new URL(`${name}.db.gz`, fixture))),
    );
  await mkdir(join(dataDir, 'keys'));
  await writeFile(
    join(dataDir, 'keys', 'application.key'),
    await readFile(new URL('application.key', fixture)),
    { mode: 0o600 },
  );
};

/** Said nothing when the fixture was made. */
const filledSince = ['deliveryStatus'];

/** Rows of a list by their ids: rows of the same moment may stand in any order. */
const byId = (rows: readonly unknown[]): unknown =>
  rows.every((row) => typeof row === 'object' && row !== null && 'id' in row)
    ? Object.fromEntries(rows.map((row) => [String((row as { id: unknown }).id), row]))
    : rows;

/** What of `before` is missing from `now` or differs, by path. Answers may have got further fields since, and notes. */
const differences = (before: unknown, now: unknown, path = ''): readonly string[] => {
  if (before === null && filledSince.some((field) => path.endsWith(`.${field}`))) return [];
  if (typeof before !== 'object' || before === null || typeof now !== 'object' || now === null)
    return Object.is(before, now) ? [] : [`${path}: ${JSON.stringify(before)}, now ${JSON.stringify(now)}`];
  if (path.endsWith('.notes') && Array.isArray(before) && before.length === 0) return [];
  if (Array.isArray(before) && Array.isArray(now) && before.length !== now.length)
    return [`${path}: ${before.length} elements, now ${now.length}`];
  const fields = (Array.isArray(now) ? byId(now) : now) as Answers;
  return Object.entries(Array.isArray(before) ? (byId(before) as Answers) : before).flatMap(([name, value]) =>
    differences(value, fields[name], `${path}.${name}`),
  );
};

interface Left {
  readonly cookies: Readonly<Record<string, string>>;
}

interface Shoppers {
  readonly open: Left;
  readonly unpaid: Left & { readonly invoiceId: string };
}

for (const [what, fixture] of Object.entries(fixtures))
  describe(`A data folder of an older version, ${what},`, () => {
    let sold = what === 'of paid orders' ? 10 : 7;
    let dataDir: string;
    let shop: Shop;
    let server: HttpServer;
    let visited: ShopAt;

    before(async () => {
      dataDir = await mkdtemp(join(tmpdir(), 'tillroll-older-'));
      await unpack(fixture, dataDir);
      const env = {
        DATA_DIR: dataDir,
        STORE_FILE: 'none',
        LOG_LEVEL: 'silent',
        BACKOFFICE_API_KEY: API_KEY,
        TESTING_SECRET,
        // However long ago the folder was left.
        Store__unpaidHoldMinutes: '100000000',
        Store__unpaidInvoiceExpiryMinutes: '100000000',
      };
      const config = loadConfig({ env });
      const engines = await openEngines(config.engines);
      shop = await openShop({ config, keys: loadKeys(config), engines, log: silentLogger() });
      await shop.prepare();
      server = await listen(shop.app, 0, '127.0.0.1');
      visited = new ShopAt(`http://127.0.0.1:${server.port}`);
      await visited.settle();
    });
    after(() => rm(dataDir, { recursive: true }));

    const get = async (path: string) => (await visited.admin.get(`/backoffice/api/v1${path}`)).body;

    it('is answered from as before', async () => {
      const answers = JSON.parse(await readFile(new URL('answers.json', fixture), 'utf8')) as Answers;
      const changed: string[] = [];
      for (const [path, before] of Object.entries(answers))
        changed.push(...differences(before, await get(path), path));
      expect(changed).to.deep.equal([]);
    });

    it('sells on, with the next invoice number', async () => {
      const { items: before } = await get('/orders');
      const { items: products } = await get('/products?sku=TEA-SENCHA-50');
      const shopper = visited.shopper();
      await shopper.prepare(products[0].variants[0].id);
      const { body: placed } = await shopper.pay();
      expect((await shopper.payWith(placed.invoiceId)).body).to.include({ success: true });
      await visited.settle();
      const { items: after } = await get('/orders');
      expect(after).to.have.length(before.length + 1);
      const numbers = after.map(({ invoiceNumber }: { invoiceNumber: string }) => invoiceNumber).sort();
      expect(new Set(numbers).size).to.equal(after.length);
      expect((await get(`/orders/${placed.invoiceId}`)).invoiceNumber).to.equal(numbers.at(-1));
      sold++;
    });

    if (what === 'half way through purchases')
      it('takes what was begun to its end', async () => {
        const { open, unpaid } = JSON.parse(
          await readFile(new URL('shoppers.json', fixture), 'utf8'),
        ) as Shoppers;
        const shopperWith = ({ cookies }: Left) => {
          const shopper = visited.shopper();
          for (const [name, value] of Object.entries(cookies)) shopper.cookies.set(name, value);
          return shopper;
        };
        const paid = await shopperWith(unpaid).payWith(unpaid.invoiceId);
        expect(paid.body).to.include({ success: true });
        const buyer = shopperWith(open);
        await buyer.initialize();
        const { body: placed } = await buyer.pay();
        expect((await buyer.payWith(placed.invoiceId)).body).to.include({ success: true });
        await visited.settle();
        sold += 2;
        const { billingAddress, customerEmail } = await get(`/orders/${placed.invoiceId}`);
        expect({ ...billingAddress, customerEmail }).to.deep.include({
          name: 'Ada Lovelace',
          townCity: 'London',
          customerEmail: 'open@example.com',
        });
        const forms = (await get(`/audit/events?stream=invoice-${unpaid.invoiceId}`)).events.map(
          ({ type, metadata }: { type: string; metadata: object }) =>
            `${type} ${'previousHash' in metadata ? 'old' : 'new'}`,
        );
        expect(forms).to.include.members(['InvoiceCreated old', 'SaleConfirmed new']);
      });

    it('passes its audit', async () => {
      await server.stop();
      await shop.stop();
      const { problems, sales } = await auditShop({ dataDir });
      expect(problems).to.deep.equal([]);
      expect(sales).to.equal(sold);
    });
  });
