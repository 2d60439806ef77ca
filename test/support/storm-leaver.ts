import { setTimeout as pause } from 'node:timers/promises';
import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import { newId } from '#kernel/ids.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import type { ApiResponse } from './browser.ts';
import { typedAddress } from './builders/address.ts';
import { recoverBy } from './left-checkouts.ts';
import type { MailFolder } from './mail-folder.ts';
import { manage } from './requests.ts';
import type { ShopAt, Shopper } from './shop.ts';
import type { ShopProcess } from './shop-process.ts';
import { stormAsking, TRY_AGAIN_MILLISECONDS, type StormAskingOptions } from './storm-asking.ts';

export interface StormLeaverOptions extends StormAskingOptions {
  readonly shop: Pick<ShopProcess, 'ready' | 'shopper'>;
  /** Of the clock, the job, and staff who forget. */
  readonly desk: Pick<ShopAt, 'admin' | 'tester'>;
  /** In which they find their mails. */
  readonly mails: MailFolder;
  readonly productId: string;
  /** At which of the plans below the first checkout is. */
  readonly firstPlan: number;
  /** From 0 to 1, seeded. */
  readonly random: () => number;
}

/** Someone whom the shop has said that it has forgotten. */
export interface ForgottenLeaver {
  /** Stands in name, e-mail address and address, and nowhere else. */
  readonly mark: string;
  readonly basketId: string;
}

/** What the shop has told those who left. */
export interface LeaversAcknowledged {
  readonly paidInvoices: string[];
  /** Baskets to which a link has led back. */
  readonly recovered: string[];
  readonly forgotten: ForgottenLeaver[];
}

interface Plan {
  /** Types an e-mail address and no more; else sends the addresses. */
  readonly onlyTypes: boolean;
  readonly comesBack: 'by the link' | 'without it' | 'never';
  readonly buys: boolean;
  readonly isForgotten: boolean;
}

/** One checkout after the other, so that each of them is made in every storm that is long enough. */
const plans: readonly Plan[] = [
  { onlyTypes: false, comesBack: 'by the link', buys: true, isForgotten: true },
  { onlyTypes: true, comesBack: 'never', buys: false, isForgotten: true },
  { onlyTypes: false, comesBack: 'without it', buys: true, isForgotten: false },
  { onlyTypes: true, comesBack: 'by the link', buys: true, isForgotten: false },
  { onlyTypes: false, comesBack: 'never', buys: false, isForgotten: true },
  { onlyTypes: false, comesBack: 'by the link', buys: false, isForgotten: true },
  { onlyTypes: false, comesBack: 'without it', buys: true, isForgotten: true },
];

const HOUR_SECONDS = 3600;
/** A mail comes in the second hour; kills, and hours that others have let pass, may cost some. */
const MOST_HOURS = 60;
const LOOKS_AN_HOUR = 10;
const tokenIn = /\/checkout\/recover\/([\w-]{43})/;

const recoveryMails = defaultMailConfigurations.filter(({ topic }) =>
  topic.startsWith('checkout.abandoned.'),
);

/** From now on those who leave their checkout are written to. */
export const sendRecoveryMails = async ({ admin }: Pick<ShopAt, 'admin'>): Promise<void> => {
  for (const { id } of recoveryMails) {
    const { status, text } = await admin.ask(manage.post(`/emails/${id}/toggle`, { isEnabled: true }));
    if (status !== 200) throw new Error(`${status}: ${text}`);
  }
};

/** Settings under which hours may pass beside shoppers who take no notice. */
export const unhurried = {
  Store__unpaidHoldMinutes: '100000',
  Store__unpaidInvoiceExpiryMinutes: '100000',
  Store__sessionSlidingTimeoutMinutes: '0',
  Store__sessionAbsoluteTimeoutMinutes: '0',
  // They open their links from many addresses.
  Storefront__trustedProxies: '1',
};

/**
 * A shopper who leaves the checkout until a mail comes, and whom no kill impresses. Comes back by its link or without
 * it, buys or does not, and is then forgotten by staff, or is not. Errors: an answer that no shop should give.
 */
export const createStormLeaver = (options: StormLeaverOptions) => {
  const { shop, desk, mails, productId, name, firstPlan, random } = options;
  const { ask, must } = stormAsking(options);
  const told: LeaversAcknowledged = { paidInvoices: [], recovered: [], forgotten: [] };
  let checkouts = 0;

  const emailOf = (mark: string): string => `${mark}@example.com`;
  const key = () => ({ 'Idempotency-Key': newId() });

  const add = (shopper: Shopper): Promise<ApiResponse> => {
    const body = { productId, quantity: 1, idempotencyKey: newId() };
    return must(() => shopper.post('/api/shop/storefront/basket/add', body));
  };

  const sendAddresses = async (shopper: Shopper, mark: string): Promise<void> => {
    const address = typedAddress({ name: `Zora ${mark}`, addressOne: `12 ${mark} Parade` });
    await must(() => shopper.giveAddress(emailOf(mark), address));
    await must(() => shopper.initialize());
  };

  const leave = async (shopper: Shopper, mark: string, { onlyTypes }: Plan): Promise<void> => {
    await add(shopper);
    if (!onlyTypes) await sendAddresses(shopper, mark);
    else await must(() => shopper.post('/api/shop/checkout/capture-email', { email: emailOf(mark) }));
  };

  const anHourPasses = async (): Promise<void> => {
    await must(() => desk.tester.post('/testing/clock', { advanceSeconds: HOUR_SECONDS }));
    await must(() => desk.tester.post('/testing/jobs/detect-abandoned'));
  };

  const linkMailedTo = async (email: string): Promise<string> => {
    for (let hours = 0; hours < MOST_HOURS; hours++) {
      await anHourPasses();
      for (let looks = 0; looks < LOOKS_AN_HOUR; looks++) {
        const [mail] = await mails.to(email);
        const token = tokenIn.exec(mail?.text ?? '')?.[1];
        if (token !== undefined) return token;
        if (mail) throw new Error(`${name} got a mail without a link: ${mail.text}`);
        await pause(TRY_AGAIN_MILLISECONDS);
      }
    }
    throw new Error(`${name} waited ${MOST_HOURS} hours for a mail to ${email}`);
  };

  /** Of several browsers that open the link at once, one is back. */
  const followLink = async (token: string, basketId: string): Promise<Shopper> => {
    const browsers = random() < 0.5 ? [shop.shopper()] : [shop.shopper(), shop.shopper()];
    for (const browser of browsers) await add(browser);
    const answers = await Promise.all(browsers.map((browser) => ask(() => browser.ask(recoverBy(token)))));
    const [back, ...more] = browsers.filter((_, index) => answers[index]?.status === 200);
    if (!back || more.length > 0 || back.basketId !== basketId) {
      const statuses = answers.map(({ status }) => status).join(', ');
      throw new Error(`${name}'s link to ${basketId} answered ${statuses}`);
    }
    told.recovered.push(basketId);
    return back;
  };

  const buy = async (shopper: Shopper, mark: string): Promise<void> => {
    await sendAddresses(shopper, mark);
    const [ordering, paying] = [key(), key()];
    const { invoiceId } = (await must(() => shopper.pay(ordering))).body;
    const { body } = await must(() => shopper.payWith(invoiceId, 'tok_success', paying));
    if (body.status !== 'Completed') throw new Error(`${name} paid, and that came to ${body.status}`);
    told.paidInvoices.push(invoiceId);
  };

  const customerNamed = async (email: string): Promise<string> => {
    for (;;) {
      const found = await must(() => desk.admin.ask(manage.get(`/customers?search=${email}`)));
      const [customer] = found.body.items as readonly { readonly id: string }[];
      if (customer) return customer.id;
      await pause(TRY_AGAIN_MILLISECONDS);
    }
  };

  /** By staff, until the shop says that it is done. */
  const haveForgotten = async (path: string, body: object): Promise<void> => {
    for (;;) {
      const answer = await must(() => desk.admin.ask(manage.post(`${path}/forget`, body)));
      if (answer.body.status === 'Forgotten') return;
      await pause(TRY_AGAIN_MILLISECONDS);
    }
  };

  const beForgotten = async (mark: string, basketId: string, isCustomer: boolean): Promise<void> => {
    if (isCustomer) await haveForgotten(`/customers/${await customerNamed(emailOf(mark))}`, { force: true });
    else await haveForgotten(`/abandoned-checkouts/${abandonedCheckoutId(basketId)}`, {});
    told.forgotten.push({ mark, basketId });
  };

  const checkOut = async (plan: Plan): Promise<void> => {
    const mark = `zq${name.replace(/\W/g, '')}n${++checkouts}q`;
    const first = shop.shopper();
    await leave(first, mark, plan);
    const { basketId } = first;
    const token = await linkMailedTo(emailOf(mark));
    const shopper = plan.comesBack === 'by the link' ? await followLink(token, basketId) : first;
    if (plan.buys) await buy(shopper, mark);
    if (plan.isForgotten) await beForgotten(mark, basketId, plan.buys || !plan.onlyTypes);
  };

  return {
    told,
    /** Leaves one checkout after another until told to stop, and finishes what was begun. */
    shopUntil: async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) {
        const plan = plans[(firstPlan + checkouts) % plans.length];
        if (plan) await checkOut(plan);
      }
    },
  };
};
