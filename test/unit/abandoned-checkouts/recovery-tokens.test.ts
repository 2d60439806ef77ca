import { expect } from 'chai';
import { createRecoveryLinks, createUnsubscribeLinks } from '#runtime/recovery-links.ts';
import { createRecoveryTokens } from '#runtime/recovery-tokens.ts';
import { createUnsubscribeTokens } from '#runtime/unsubscribe-tokens.ts';

const applicationKey = Buffer.alloc(32, 1);
const otherKey = Buffer.alloc(32, 2);
const recordId = '5d9f7c3a-7a1b-5e0c-9c7e-2f1f4c8b6a10';
const otherId = '7c2d1e0f-3b4a-5c6d-9e8f-0a1b2c3d4e5f';
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Every token that differs from this one in a single letter. */
const altered = (token: string): string[] =>
  [...token].flatMap((own, at) =>
    [...letters]
      .filter((letter) => letter !== own)
      .map((letter) => token.slice(0, at) + letter + token.slice(at + 1)),
  );

const malformed = (token: string): string[] => [
  ...['', ' ', token.slice(1), `${token}A`, `${token}=`, `${token}\n`, `/${token}`],
  ...[token.replace(/^./, 'é'), token.replace(/^./, '.'), '\u0000'.repeat(43)],
];

// docs/rules/abandoned-checkouts.md#links
describe('the token of a recovery link', () => {
  const tokens = createRecoveryTokens(applicationKey);
  const issued = { recordId, issue: 1 };
  const token = tokens.tokenOf(issued);

  it('is 43 characters that an address can carry, the same whenever it is worked out', () => {
    expect(token).to.match(/^[\w-]{43}$/);
    expect(createRecoveryTokens(applicationKey).tokenOf(issued)).to.equal(token);
  });

  it('leads to its record, whose id it does not show', () => {
    expect(tokens.recordIdOf(token)).to.equal(recordId);
    expect(tokens.isTokenOf(token, issued)).to.equal(true);
    const bytes = Buffer.from(token, 'base64url').toString('hex');
    expect(bytes).to.not.include(recordId.replaceAll('-', ''));
  });

  it('is another one for every issue, record and shop', () => {
    for (const other of [
      { recordId, issue: 2 },
      { recordId: otherId, issue: 1 },
    ]) {
      expect(tokens.tokenOf(other)).to.not.equal(token);
      expect(tokens.isTokenOf(token, other)).to.equal(false);
    }
    expect(createRecoveryTokens(otherKey).isTokenOf(token, issued)).to.equal(false);
    expect(createRecoveryTokens(otherKey).recordIdOf(token)).to.not.equal(recordId);
  });

  it('is none once a single letter is another one', () => {
    for (const other of altered(token)) expect(tokens.isTokenOf(other, issued), other).to.equal(false);
  });

  it('has one form, and whatever has another leads nowhere', () => {
    for (const none of malformed(token))
      expect([tokens.recordIdOf(none), tokens.isTokenOf(none, issued)], none).to.deep.equal([null, false]);
  });
});

describe('the token by which recovery mails end', () => {
  const tokens = createUnsubscribeTokens(applicationKey);
  const token = tokens.tokenOf('ada@example.com');

  it('is for one mailbox, however its address is written', () => {
    expect(token).to.match(/^[\w-]{43}$/);
    expect(tokens.tokenOf(' Ada@EXAMPLE.com ')).to.equal(token);
    expect(tokens.tokenOf('bob@example.com')).to.not.equal(token);
    expect(tokens.read(token)).to.equal(tokens.hashOf('ada@example.com'));
  });

  it('shows nothing of the address to those who have not the key', () => {
    expect(createUnsubscribeTokens(otherKey).hashOf('ada@example.com')).to.not.equal(tokens.read(token));
  });

  it('is none once it is altered, cut off or of another shop', () => {
    for (const other of [...altered(token), ...malformed(token)])
      expect(tokens.read(other), other).to.equal(null);
    expect(createUnsubscribeTokens(otherKey).read(token)).to.equal(null);
    expect(tokens.read(createRecoveryTokens(applicationKey).tokenOf({ recordId, issue: 1 }))).to.equal(null);
  });
});

describe('a recovery link', () => {
  const issued = { recordId, issue: 3 };
  const token = createRecoveryTokens(applicationKey).tokenOf(issued);
  const link = (base: string, website: string | null): string =>
    createRecoveryLinks(applicationKey, {
      recoveryUrlBase: () => base,
      websiteUrl: () => website,
    }).recoveryLink(issued);

  for (const [what, base, website, expected] of [
    [
      'a path on the website',
      '/checkout/recover',
      'https://shop.example',
      'https://shop.example/checkout/recover/',
    ],
    [
      'the default where the base is blank',
      ' ',
      'https://shop.example/',
      'https://shop.example/checkout/recover/',
    ],
    [
      'without the slashes at the base’s end',
      '/back//',
      'https://shop.example',
      'https://shop.example/back/',
    ],
    [
      'below the path of a shop that has one',
      '/checkout/recover',
      'https://example.com/shop/',
      'https://example.com/shop/checkout/recover/',
    ],
    [
      'an address of its own',
      'https://other.example/back/',
      'https://shop.example',
      'https://other.example/back/',
    ],
    ['a path alone where no website is known', '/checkout/recover', null, '/checkout/recover/'],
    ['from the root, said or not', 'back', null, '/back/'],
    [
      'no address of another scheme',
      'javascript:alert(1)',
      'https://shop.example',
      'https://shop.example/javascript:alert(1)/',
    ],
  ] as const)
    it(`is ${what}`, () => {
      expect(link(base, website)).to.equal(`${expected}${token}`);
    });

  it('stands beside one that ends such mails', () => {
    const linkTo = createUnsubscribeLinks(applicationKey, () => 'https://api.shop.example/');
    const unsubscribe = createUnsubscribeTokens(applicationKey).tokenOf('ada@example.com');
    expect(linkTo('ada@example.com')).to.equal(
      `https://api.shop.example/api/shop/checkout/unsubscribe/${unsubscribe}`,
    );
  });
});
