import { expect } from 'chai';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { typedAddress } from '#test/support/builders/address.ts';
import { filesIn } from '#test/support/files-with.ts';
import { hoursLater, knownLinks } from '#test/support/left-checkouts.ts';
import { Customer } from '#test/support/member-shop.ts';
import { add, giveAddresses, keyed, manage, pay, post } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';
import { sendRecoveryMails } from '#test/support/storm-leaver.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';

/** What is to be gone. The quotation mark, the letters and the capitals are other bytes in JSON and in searches. */
const person = {
  name: 'Zdeňka "Zora" Forgetmenot',
  email: 'Zora.Forgetmenot@example.com',
  addressOne: '17 Øresund Parade',
  phone: '+45 3312 345678',
};
const others = { name: 'Grace Hopper', email: 'grace@example.com', addressOne: '3 Navy Yard' };

/** A text as a file may have it: as it is, as JSON, as JSON within JSON, in lower case. */
const shapesOf = (text: string): readonly Buffer[] => {
  const inJson = (one: string): string => JSON.stringify(one).slice(1, -1);
  const escaped = inJson(text).replace(/[^\x20-\x7e]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  const forms = [text, inJson(text), inJson(inJson(text)), escaped];
  return [...new Set([...forms, ...forms.map((form) => form.toLowerCase())])].map((form) =>
    Buffer.from(form),
  );
};

const filesWith = (folder: string, text: string): readonly string[] => {
  const shapes = shapesOf(text);
  return filesIn(folder)
    .filter(({ bytes }) => shapes.some((shape) => bytes.includes(shape)))
    .map(({ path }) => path);
};

const embeddedIn = (folder: string) => ({
  DATA_DIR: folder,
  EVENT_STORE: `sqlite:${folder}/events.db`,
  READ_STORE: `sqlite:${folder}/read.db`,
  STATE_STORE: `sqlite:${folder}/state.db`,
  BUS: `sqlite:${folder}/bus.db`,
});

const done = async (asked: Promise<{ readonly status: number; readonly text: string }>) => {
  const answer = await asked;
  expect(answer.status, answer.text).to.be.below(300);
  return answer;
};

// docs/rules/personal-data.md#files
describe('the files of a shop that has forgotten somebody', () => {
  let folder: string;
  let shop: TestShop;
  let receiver: Receiver;
  let tea: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-forgotten-'));
    // It sends back what it was sent.
    receiver = await startReceiver((response, { body }) => response.writeHead(200).end(body));
    shop = await TestShop.open({
      environment: {
        ...embeddedIn(folder),
        ALLOW_LOOPBACK_TARGETS: 'true',
        Payments__Providers: 'sandbox,manual',
      },
    });
    tea = await shop.sell('TEA', { price: 10, stock: 100 });
    for (const topic of ['customer.created', 'order.created', 'invoice.paid'])
      await shop.subscribe(topic, receiver.url);
  });
  after(async () => {
    await shop.close();
    await receiver.stop();
    rmSync(folder, { recursive: true });
  });

  /** Comes back, has an account, buys twice, and gives what there is to give. */
  const shops = async ({ email, phone, ...address }: Partial<typeof person>): Promise<string> => {
    const customer = new Customer(shop.base);
    const typed = { ...typedAddress(address), ...(phone && { phone }) };
    const lookedAround = shop.shopper();
    await lookedAround.ask(add(tea));
    await lookedAround.ask(post('/api/shop/checkout/capture-email', { email }));
    await done(customer.ask(add(tea)));
    await done(customer.ask(giveAddresses({ email, billingAddress: typed })));
    await customer.signUp(String(email), undefined, { name: String(address.name) });
    await customer.prove(String(email));
    for (const key of ['first', 'second']) {
      await done(customer.ask(keyed(`${key} tea`, add(tea))));
      await done(customer.ask(keyed(`${key} address`, giveAddresses({ email, billingAddress: typed }))));
      await customer.initialize();
      const { body } = await customer.ask(keyed(`${key} pay`, pay()));
      await done(
        customer.payWith(String(body.invoiceId), 'tok_success', { 'Idempotency-Key': `${key} card` }),
      );
    }
    await shop.settle();
    const { items } = await shop.shown(`/customers?search=${String(email).toLowerCase()}`);
    const id = String(items[0].id);
    const orders = await shop.shown(`/orders?customerId=${id}`);
    const note = { text: `Called ${address.name} at ${phone}`, visibleToCustomer: true };
    const [last, first] = orders.items.map((order: { id: string }) => order.id) as [string, string];
    await done(shop.admin.ask(keyed('note', manage.post(`/orders/${last}/notes`, note))));
    const why = { reason: `${address.name} wants no tea at ${address.addressOne}` };
    await done(shop.admin.ask(keyed('cancel', manage.post(`/orders/${first}/cancel`, why))));
    await shop.settle();
    return id;
  };

  it('hold nothing of their name, address, e-mail address and phone number', async () => {
    const customerId = await shops(person);
    const kept = await shops(others);
    for (const [what, text] of Object.entries(person))
      expect(filesWith(folder, text).join(), `${what} before`).to.include('read.db');
    const { body } = await shop.admin.ask(manage.post(`/customers/${customerId}/forget`, {}));
    expect(body).to.include({ status: 'Forgotten' });
    await shop.settle();
    for (const [what, text] of Object.entries(person))
      expect(filesWith(folder, text), what).to.deep.equal([]);
    const { text } = await shop.admin.ask(manage.get(`/customers/${kept}/personal-data`));
    expect(text).to.include(others.name);
  });
});

/** Someone who typed an e-mail address and left; the shop has written to them. */
describe('the files of a shop that has forgotten somebody who only typed an e-mail address', () => {
  const { email } = person;
  let folder: string;
  let shop: TestShop;

  const open = async (more: Record<string, string> = {}): Promise<void> => {
    shop = await TestShop.open({ environment: { ...knownLinks, ...embeddedIn(folder), ...more } });
  };
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tillroll-forgotten-guest-'));
    await open();
  });
  after(async () => {
    await shop.close();
    rmSync(folder, { recursive: true });
  });

  it('hold nothing of it, whatever was configured, cleared or restarted in between', async () => {
    await sendRecoveryMails(shop);
    const tea = await shop.sell('TEA', { price: 10, stock: 100 });
    const guest = shop.shopper();
    await guest.ask(add(tea));
    await done(guest.ask(post('/api/shop/checkout/capture-email', { email })));
    const recordId = abandonedCheckoutId(guest.basketId);
    for (const hours of [2, 2]) await hoursLater(shop, hours);
    const [mail = ''] = filesWith(folder, email).filter((path) => path.startsWith('mails'));
    expect(mail).to.not.equal('');
    const kept = readFileSync(join(folder, mail));
    await done(guest.ask(post('/api/shop/storefront/basket/clear')));
    await shop.settle();
    await shop.close();

    const server = { Mail__Smtp__Url: 'smtp://127.0.0.1:9', Mail__Smtp__From: 'shop@example.com' };
    await open(server);
    const { body } = await shop.admin.ask(manage.post(`/abandoned-checkouts/${recordId}/forget`));
    expect(body).to.include({ status: 'Forgotten' });
    await shop.settle();
    expect(filesWith(folder, email)).to.deep.equal([]);
    await shop.close();

    // As a process leaves it that was killed between a mail and its check.
    writeFileSync(join(folder, mail), kept);
    await open(server);
    await shop.settle();
    expect(filesWith(folder, email)).to.deep.equal([]);
  });
});
