import { defaultMailConfigurations } from '#mails/default-configurations.ts';
import { add, get, initialize, manage } from '#test/support/requests.ts';
import { untilMailed, type RecoveryMail } from './left-mails.ts';
import { basketOf, buy, livingIn, shippingOf, shopper, staff, tester, type Body } from './steps.ts';
import type { Known, Purchase, PurchaseStep } from './walk.ts';

/*
 * What shoppers leave behind and come back to. To the USA, where nothing is taxed:
 *
 *   1 mug                       19.99
 *   shipping from the West       7.25
 *   total                       27.24
 */
const HOUR = 3600;
const records = '/abandoned-checkouts';
const emailOf = ({ productId }: Known): string => `left-${productId}@example.com`;
const invoice =
  'West parcel 7.25, subtotal 19.99, tax 0, shipping 7.25, total 27.24 USD (27.24 USD), paid 27.24, due 0';

/** What the steps of a checkout that is left tell each other. */
interface Left {
  id: string;
  mails: readonly RecoveryMail[];
  converted: number;
}

const nobodyYet = (): Left => ({ id: '', mails: [], converted: 0 });

/** Recovery mails are off until staff switch them on. */
const switchesMailsOn = (): readonly PurchaseStep[] =>
  defaultMailConfigurations
    .filter(({ topic }) => topic.startsWith('checkout.abandoned.'))
    .map(({ id, topic }) =>
      staff(
        () => manage.post(`/emails/${id}/toggle`, { isEnabled: true }),
        `${topic} is on`,
        (mail: Body) => `${mail.topic} is ${mail.isEnabled ? 'on' : 'off'}`,
      ),
    );

const oneClick = 'List-Unsubscribe=One-Click';
const unsubscribeLink = /^<https?:\S+\/api\/shop\/checkout\/unsubscribe\/[\w-]+>$/;

/** The mails on the disk are of the record, and say how to have no more of them. */
const mailed = (left: Left, count: number, told: readonly string[]): PurchaseStep =>
  staff(
    async (known) => {
      left.mails = await untilMailed(known.dataDir, emailOf(known), count);
      return manage.get(`${records}/${left.id}`);
    },
    ['27.24 USD', ...told].join('; '),
    ({ recoveryLink, basketTotal, currencyCode }: Body) => {
      const shown = recoveryLink && new URL(recoveryLink, 'http://shop.invalid').pathname;
      const written = left.mails.map(({ link, headers }, index) =>
        [
          `mail ${index + 1}`,
          ...(link === shown ? ['its link'] : []),
          ...(unsubscribeLink.test(headers['List-Unsubscribe'] ?? '') ? ['unsubscribe'] : []),
          ...(headers['List-Unsubscribe-Post'] === oneClick ? ['by one click'] : []),
        ].join(', '),
      );
      return [`${basketTotal} ${currencyCode}`, ...written].join('; ');
    },
  );

const choosesShipping = (): PurchaseStep =>
  shopper(
    () => initialize({ countryCode: 'US' }),
    '1 by West parcel $7.25; $19.99, tax $0.00, shipping $7.25, total $27.24 ($27.24)',
    shippingOf,
  );

const fills = (): readonly PurchaseStep[] => [
  shopper(
    ({ productId }) => add(productId, 1),
    '$19.99, tax $0.00, shipping $0.00, total $19.99 ($19.99)',
    basketOf,
  ),
  shopper((known) => {
    const request = livingIn('US')();
    return { ...request, body: { ...(request.body as object), email: emailOf(known) } };
  }),
  choosesShipping(),
];

/** So many hours pass, and the job runs. */
const passes = (hours: number): readonly PurchaseStep[] => [
  tester('/testing/clock', { advanceSeconds: hours * HOUR }),
  tester('/testing/jobs/detect-abandoned'),
];

const record = (left: Left, told: string): PurchaseStep =>
  staff(
    (known) => manage.get(`${records}?search=${emailOf(known)}`),
    told,
    ({ items: [found] }: Body) => {
      left.id = found?.id ?? '';
      return `${found?.status}, ${found?.recoveryEmailsSent} mails`;
    },
  );

const statistics = (read: (body: Body) => string, told: string): PurchaseStep =>
  staff(() => manage.get(`${records}/stats`), told, read);

const wonBack = (): readonly PurchaseStep[] => {
  const left = nobodyYet();
  return [
    ...switchesMailsOn(),
    ...fills(),
    ...passes(1),
    record(left, 'Abandoned, 0 mails'),
    ...[1, 24, 48].flatMap((hours, sent) => [...passes(hours), record(left, `Abandoned, ${sent + 1} mails`)]),
    statistics(({ totalConverted }) => {
      left.converted = totalConverted;
      return '';
    }, ''),
    mailed(
      left,
      3,
      [1, 2, 3].map((mail) => `mail ${mail}, its link, unsubscribe, by one click`),
    ),
    shopper(
      () => get(left.mails.at(-1)?.link ?? '/no-mail'),
      '',
      () => '',
      302,
    ),
    record(left, 'Recovered, 3 mails'),
    choosesShipping(),
    ...buy(invoice),
    record(left, 'Converted, 3 mails'),
    statistics(({ totalConverted }) => `${totalConverted - left.converted} more won back`, '1 more won back'),
  ];
};

const boughtInTime = (): readonly PurchaseStep[] => {
  const left = nobodyYet();
  return [
    ...switchesMailsOn(),
    ...fills(),
    ...passes(1),
    ...passes(1),
    record(left, 'Abandoned, 1 mails'),
    tester('/testing/clock', { advanceSeconds: 24 * HOUR }),
    choosesShipping(),
    ...buy(invoice),
    tester('/testing/jobs/detect-abandoned'),
    record(left, 'Converted, 1 mails'),
    mailed(left, 1, ['mail 1, unsubscribe, by one click']),
  ];
};

export const leftPurchases: readonly Purchase[] = [
  {
    title: 'a checkout that is left for days, written to three times, and won back by its link',
    get steps() {
      return wonBack();
    },
  },
  {
    title: 'a checkout that is left, and bought in the minute in which the second mail is due',
    get steps() {
      return boughtInTime();
    },
  },
];
