import { expect } from 'chai';
import { createHmac } from 'node:crypto';
import { tmpdir } from 'node:os';
import { byteRangeOf } from '#command/contexts/downloads/byte-range.ts';
import { createDownloadFolder } from '#command/contexts/downloads/download-folder.ts';
import { attachmentNamed } from '#command/contexts/downloads/file-headers.ts';
import type { Rejection } from '#kernel/rejection.ts';
import { createDownloadTokens, createDownloadUrls } from '#runtime/download-tokens.ts';

const link = {
  linkId: '7c2d1e0f-3b4a-5c6d-9e8f-0a1b2c3d4e5f',
  customerId: '5d9f7c3a-7a1b-5e0c-9c7e-2f1f4c8b6a10',
  fileId: 'books/tea.pdf',
};
const applicationKey = Buffer.alloc(32, 1);

// docs/rules/downloads.md#tokens
describe('the token of a download', () => {
  const secret = 'a secret of thirty-two characters';
  const tokens = createDownloadTokens(secret, applicationKey);
  const token = tokens.tokenOf(link);

  it('is the link’s id and a signature over id, customer and file', () => {
    const signature = createHmac('sha256', secret)
      .update(`${link.linkId}:${link.customerId}:${link.fileId}`)
      .digest('base64url');
    expect(token).to.equal(`7c2d1e0f3b4a5c6d9e8f0a1b2c3d4e5f-${signature}`);
    expect(tokens.linkIdOf(token)).to.equal(link.linkId);
    expect(tokens.isSigned(token, link)).to.equal(true);
  });

  it('is no other link’s, customer’s, file’s or shop’s, and no other spelling of itself', () => {
    for (const other of [
      { linkId: link.customerId },
      { customerId: link.linkId },
      { fileId: 'books/te.pdf' },
    ])
      expect(tokens.isSigned(token, { ...link, ...other })).to.equal(false);
    expect(createDownloadTokens(null, applicationKey).isSigned(token, link)).to.equal(false);
    const last = token.at(-1) ?? '';
    for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      expect(tokens.isSigned(token.slice(0, -1) + letter, link), letter).to.equal(letter === last);
    for (const none of ['', token.slice(1), `${token}=`, token.replace('-', '.'), `/${token}`, `${token}\n`])
      expect([tokens.linkIdOf(none), tokens.isSigned(none, link)], none).to.deep.equal([null, false]);
  });

  it('stands at the end of an address, below the website where the store has one', () => {
    const urlOf = (website: string | null) => createDownloadUrls(tokens, () => website)(link);
    expect(urlOf(null)).to.equal(`/api/shop/downloads/${token}`);
    expect(urlOf('https://shop.example/')).to.equal(`https://shop.example/api/shop/downloads/${token}`);
  });
});

// docs/rules/downloads.md#counting
describe('the range that is asked for of 1,000 bytes', () => {
  for (const [asked, expected] of [
    [undefined, null],
    ['bytes=0-', { start: 0, end: 999 }],
    ['bytes=0-0', { start: 0, end: 0 }],
    ['Bytes = 500 - 599', { start: 500, end: 599 }],
    ['bytes=900-5000', { start: 900, end: 999 }],
    ['bytes=-1', { start: 999, end: 999 }],
    ['bytes=-5000', { start: 0, end: 999 }],
    ['bytes=1000-', 'beyond'],
    ['bytes=99999999999999999999999-', 'beyond'],
    ['bytes=-0', 'beyond'],
    ['bytes=5-4', null],
    ['bytes=0-1,3-4', null],
    ['bytes=-', null],
    ['bytes=a-b', null],
    ['lines=1-2', null],
  ] as const)
    it(`${asked ?? 'nothing'} is ${expected === null ? 'all of it' : JSON.stringify(expected)}`, () => {
      expect(byteRangeOf(asked, 1000)).to.deep.equal(expected);
    });

  it('is beyond the end of an empty file', () => {
    expect(byteRangeOf('bytes=0-', 0)).to.equal('beyond');
    expect(byteRangeOf('bytes=-5', 0)).to.equal('beyond');
  });
});

describe('the folder of downloads', () => {
  it('opens nothing outside, whatever a product names', async () => {
    const folder = createDownloadFolder(tmpdir());
    for (const path of ['../etc/passwd', '/etc/passwd', 'a/../../b', '', 'a\\b', 'c:', 'a\0b'])
      await folder.open(path).then(
        () => expect.fail(`${path} was opened`),
        (error: unknown) => expect((error as Rejection).code, path).to.equal('download-path-invalid'),
      );
  });
});

describe('the name of a file that is kept', () => {
  it('cannot break out of its header, whatever letters it has', () => {
    for (const name of [
      'a"b',
      'a\r\nSet-Cookie: x',
      "tab\tquote's",
      'broken \ud800 half',
      '\u202egnp.exe',
      "it's (1)*",
    ])
      expect(attachmentNamed(name)).to.match(
        /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[\w.!~%-]*$/,
      );
    expect(attachmentNamed('a\r\nb')).to.equal(`attachment; filename="a__b"; filename*=UTF-8''a%0D%0Ab`);
  });
});
