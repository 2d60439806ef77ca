import { createHmac } from 'node:crypto';
import type { Connection } from './http-connection.ts';

const path = '/shop/webhooks/payments/sandbox';

/** A setting: the shop is told as much as there is to tell. */
export const callbacksUnlimited = { Payments__CallbacksPerMinute: '0' } as const;

/** Tells the shop of an event, as the sandbox does; what it answers. Errors: another status than 200. */
export const sendCallback = async (connection: Connection, event: object): Promise<string> => {
  const body = JSON.stringify(event);
  const signature = createHmac('sha256', 'whsec_sandbox').update(body).digest('base64');
  const { status, body: answer } = await connection.request('POST', path, '', body, '', signature);
  if (status !== 200) throw new Error(`a callback was answered ${status}: ${answer.toString()}`);
  return (JSON.parse(answer.toString()) as { message: string }).message;
};
