import type { ReferralDiscountSettings } from '#values/store-settings.ts';
import type { ReferralCookies } from './referral-cookie.ts';
import type { ReferralTokens } from './referral-tokens.ts';
import type { Reply } from './reply.ts';

/** How shoppers come in by an advertiser's link (docs/rules/discounts-in-the-basket.md#referrals). */
export interface ReferralEntry {
  /** What answers a GET of this address; null: it goes on as if there were no referral. */
  follow(url: string): Promise<Reply | null> | null;
}

export interface ReferralEntryOptions {
  readonly settings: () => ReferralDiscountSettings | null;
  readonly tokens: ReferralTokens;
  readonly cookies: ReferralCookies;
  readonly now: () => number;
}

/** The address without the parameter, always one of this host: `//other.example` would be another's. */
const without = (path: string, query: string, parameter: string): string => {
  const isOther = (pair: string): boolean => !new URLSearchParams(pair).has(parameter);
  const rest = query.split('&').filter(isOther).join('&');
  return `/${path.replace(/^[/\\]+/, '')}${rest === '' ? '' : `?${rest}`}`;
};

export const createReferralEntry = ({
  settings,
  tokens,
  cookies,
  now,
}: ReferralEntryOptions): ReferralEntry => {
  const answered = async (
    path: string,
    query: string,
    given: ReferralDiscountSettings,
  ): Promise<Reply | null> => {
    const { parameter } = given;
    const offer = await tokens.read(new URLSearchParams(query).get(parameter) ?? '', given);
    if (offer === null) return null;
    return {
      status: 302,
      headers: { Location: without(path, query, parameter) },
      cookies: [cookies.write(offer, now())],
    };
  };
  return {
    follow: (url) => {
      const mark = url.indexOf('?');
      if (mark < 0) return null;
      const given = settings();
      if (given === null || given.keyUrl === null || given.merchantIds.length === 0) return null;
      const query = url.slice(mark + 1);
      const isReferral = new URLSearchParams(query).has(given.parameter);
      return isReferral ? answered(url.slice(0, mark), query, given) : null;
    },
  };
};
