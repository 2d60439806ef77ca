import { readTaxResponse } from '#contracts/tax-response.contract.ts';
import type { TaxConfiguration, TaxProvider, TaxRequest } from '#ports/tax-provider.ts';
import type { TaxResponse } from '#values/tax-response.ts';

export type TaxProviderResult =
  | { readonly kind: 'answered'; readonly answer: TaxResponse }
  /** `reason` is for staff. */
  | { readonly kind: 'failed'; readonly reason: string };

/** How long an answer may take, in milliseconds of real time: for an estimate, and when an order is placed. */
const PATIENCE = { estimate: 2000, final: 5000 };
const MAX_CHARACTERS = 262_144;

const failed = (reason: string): TaxProviderResult => ({ kind: 'failed', reason });

const readAll = async (parts: AsyncIterable<string>): Promise<string | null> => {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length > MAX_CHARACTERS) return null;
  }
  return text;
};

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/**
 * Asks a provider for the tax on a basket. Never throws and never takes long: a provider that is slow, unreachable, or
 * sends too much or nonsense has failed (docs/rules/tax.md#providers).
 */
export const askTaxProvider = async (
  { calculate }: TaxProvider,
  request: TaxRequest,
  configuration: TaxConfiguration,
  patience: Readonly<Record<'estimate' | 'final', number>> = PATIENCE,
): Promise<TaxProviderResult> => {
  if (!calculate) return failed('this provider calculates nothing');
  const milliseconds = request.isFinal ? patience.final : patience.estimate;
  const waiting = new AbortController();
  const late = new Error(`no answer within ${milliseconds} ms`);
  const timer = setTimeout(() => waiting.abort(late), milliseconds);
  try {
    const reading = readAll(calculate(request, configuration, waiting.signal));
    // What arrives after the time-out is ignored.
    reading.catch(() => undefined);
    const text = await Promise.race([reading, whenAborted(waiting.signal)]);
    if (text === null) return failed(`more than ${MAX_CHARACTERS} characters`);
    const answer = readTaxResponse(request, text);
    return typeof answer === 'string' ? failed(answer) : { kind: 'answered', answer };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
};
