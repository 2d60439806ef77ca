import type { Browser } from '../browser.ts';
import { respondWith, startReceiver, type Receiver } from '../subscriber.ts';

/** Where an agent has its profile and is told of its orders. */
export interface NoticeInbox {
  readonly receiver: Receiver;
  /** Of its profile. */
  readonly profile: string;
  /** Answers the next notices with 500, so many of them. */
  refuse(notices: number): void;
  stop(): Promise<void>;
}

/** Its profile says what that of one of the shop's test agents says, but has notices of orders sent here. */
export const startNoticeInbox = async (shop: Browser): Promise<NoticeInbox> => {
  const { text } = await shop.get('/.well-known/ucp-test-agent/told');
  const receiver = await startReceiver();
  const own = JSON.stringify(`${receiver.url}/orders`);
  const profile = text.replaceAll(/"http[^"]*\/webhooks\/orders"/g, own);
  const showProfile = respondWith(200, profile, { 'Content-Type': 'application/json' });
  let refusals = 0;
  receiver.answer((response, one) => {
    if (!one.path.endsWith('/orders')) return showProfile(response, one);
    respondWith(refusals > 0 ? 500 : 200, '{}')(response, one);
    refusals = Math.max(0, refusals - 1);
  });
  return {
    receiver,
    profile: receiver.url,
    refuse: (notices) => {
      refusals = notices;
    },
    stop: () => receiver.stop(),
  };
};

/** Notices among all that it has got, oldest first. */
export const noticesTo = ({ received }: Receiver) => received.filter(({ path }) => path.endsWith('/orders'));
