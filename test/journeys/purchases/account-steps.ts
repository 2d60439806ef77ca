import { goodPassword } from '#test/support/member-shop.ts';
import { post } from '#test/support/requests.ts';
import { livingIn, nothing, shopper, type Body } from './steps.ts';
import type { Known, PurchaseStep } from './walk.ts';

/** An account, made with an address in the USA, whose e-mail address is proven by a link; they stay signed in. */
export const makesAccount = (
  emailOf: (known: Known) => string,
  money = '',
  read: PurchaseStep['read'] = nothing,
): readonly PurchaseStep[] => {
  let token = '';
  const steps: readonly PurchaseStep[] = [
    shopper(
      (known) => {
        const request = livingIn('US')();
        const body = { ...(request.body as object), email: emailOf(known), password: goodPassword };
        return { ...request, body };
      },
      money,
      read,
    ),
    {
      by: 'tester',
      ask: (known) => post('/testing/member-links', { email: emailOf(known) }),
      status: 200,
      read: (body: Body) => {
        ({ token } = body);
        return '';
      },
      money: '',
    },
    shopper((known) =>
      post('/api/shop/checkout/confirm-email', {
        email: emailOf(known),
        token,
        newPassword: goodPassword,
      }),
    ),
  ];
  return steps;
};
