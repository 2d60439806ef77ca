import type { PersonalTexts } from '#log/personal-texts.ts';
import type { HttpDelivery, Readable } from '#topics/webhook-delivery.ts';

/** A delivery with its texts decrypted; null where that is no longer possible. Errors: `EngineUnavailable`. */
export const readable = async <Row extends HttpDelivery>(
  texts: Pick<PersonalTexts, 'openAll'>,
  delivery: Row,
): Promise<Readable<Row>> => {
  const { requestBody, responseBody } = delivery;
  const [sent = null, answered = null] = await texts.openAll([requestBody, responseBody ?? '']);
  return { ...delivery, requestBody: sent, responseBody: responseBody === null ? null : answered };
};
