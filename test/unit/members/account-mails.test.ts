import { expect } from 'chai';
import { linkBase, confirmMail } from '#command/contexts/members/account-mails.ts';

const page = '/checkout/reset-password';
const store = 'https://shop.example.com';
const own = `${store}${page}`;

describe('The page that a link in a mail leads to', () => {
  it('is the one that was asked for on the store, without its query', () => {
    expect(linkBase(`${store}/en/reset?next=%2Fbasket#form`, store, page)).to.equal(`${store}/en/reset`);
    expect(linkBase('HTTPS://SHOP.example.com:443/reset', store, page)).to.equal(`${store}/reset`);
  });

  it('is the store’s own where none was asked for', () => {
    expect(linkBase(null, store, page)).to.equal(own);
    expect(linkBase('', `${store}/`, page)).to.equal(own);
  });

  for (const foreign of [
    'https://evil.example/reset',
    'http://shop.example.com/reset',
    'https://shop.example.com:8443/reset',
    'https://shop.example.com.evil.example/reset',
    'https://shop.example.com@evil.example/reset',
    'https://ada:secret@shop.example.com/reset',
    '//evil.example/reset',
    '/reset',
    'javascript:alert(1)',
    'not an address',
  ]) {
    it(`is the store’s own instead of ${foreign}`, () => {
      expect(linkBase(foreign, store, page)).to.equal(own);
    });
  }

  it('has no host if the store’s is not configured', () => {
    expect(linkBase('https://evil.example/reset', null, page)).to.equal(page);
  });
});

describe('A mail with a link', () => {
  it('carries e-mail address and token, and nothing that a reader would take for markup', () => {
    const mail = confirmMail({
      to: 'a+b&c@example.com',
      storeName: '<b>Mugs</b>',
      base: own,
      token: 't-o_k',
    });
    const link = `${own}?email=a%2Bb%26c%40example.com&token=t-o_k`;
    expect(mail.text).to.contain(link);
    expect(mail.html).to.contain(link.replaceAll('&', '&amp;')).and.not.to.contain('<b>');
  });
});
