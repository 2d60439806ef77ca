import { expect } from 'chai';
import fc from 'fast-check';
import { isEmail, maskedEmail, normalEmail } from '#values/email-address.ts';

/** docs/rules/customers.md#whose-e-mail-address */
describe('an e-mail address', () => {
  it('is one, however it is spelled', () => {
    for (const [spelling, normal] of [
      [' Ada@Example.COM ', 'ada@example.com'],
      ['ada@example.com.', 'ada@example.com'],
      ['ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ada@example.com'],
      ['ada@münchen.example', 'ada@xn--mnchen-3ya.example'],
      ['ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example'],
      ['ada@xn--mnchen-3ya.example', 'ada@xn--mnchen-3ya.example'],
      ['ada@mu\u0308nchen.example', 'ada@xn--mnchen-3ya.example'],
      ['ﬁona@example.com', 'fiona@example.com'],
      ['ada+news@example.com', 'ada+news@example.com'],
    ] as const) {
      expect(isEmail(spelling), spelling).to.equal(true);
      expect(normalEmail(spelling), spelling).to.equal(normal);
    }
  });

  it('has nothing in it that people do not see', () => {
    for (const hidden of [
      '\u0000',
      '\u00AD',
      '\u200B',
      '\u200D',
      '\u2060',
      '\uFEFF',
      '\u202E',
      '\u0007',
      '\uD800',
    ])
      for (const text of [`ad${hidden}a@example.com`, `ada@exam${hidden}ple.com`])
        expect(isEmail(text), JSON.stringify(text)).to.equal(false);
    for (const text of [
      'ada',
      'ada@',
      '@example.com',
      'ada@example',
      'a b@example.com',
      `${'a'.repeat(250)}@b.cd`,
    ])
      expect(isEmail(text), text).to.equal(false);
  });

  it('is normalised once and for all: doing it twice changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: 'grapheme' })), (text) => {
        const once = normalEmail(text);
        expect(normalEmail(once)).to.equal(once);
        if (isEmail(text)) expect(isEmail(once)).to.equal(true);
      }),
    );
  });

  it('is shown so that its owner knows it, and no one else learns it', () => {
    expect(maskedEmail('ada@example.com')).to.equal('a***@example.com');
    expect(maskedEmail('a@example.com')).to.equal('a***@example.com');
    expect(maskedEmail('@example.com')).to.equal('***');
  });
});
