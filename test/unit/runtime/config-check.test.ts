import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { root } from '#test/support/tillroll-process.ts';

const secret = (name: string): string => Buffer.alloc(32, name).toString('base64');

/** As `tillroll config check` prints it. */
const printed = (env: Readonly<Record<string, string>>): string => {
  const arguments_ = ['.config/tillroll.js', 'config', 'check'];
  const { stdout, stderr } = spawnSync(process.execPath, arguments_, {
    cwd: root,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`;
};

describe('tillroll config check', () => {
  it('says that secrets are set, and shows none', () => {
    const secrets = {
      APPLICATION_KEY: secret('application'),
      BACKOFFICE_API_KEY: 'the-key-of-the-backoffice-of-the-test-shop',
      TESTING_SECRET: 'the-secret-of-the-tests',
      Downloads__DownloadTokenSecret: 'the-secret-that-signs-download-links',
      Payments__Stripe__SecretKey: 'sk_test_the-key-of-the-shop',
      Payments__Stripe__WebhookSecret: 'whsec_the-secret-of-stripe',
      Payments__Sandbox__WebhookSecret: 'the-secret-of-the-sandbox',
      Webhooks__Operator__Url: 'https://alerts.example.com/tillroll?token=the-token-of-alerts',
      Webhooks__Operator__Secret: secret('operator'),
      Mail__Smtp__Url: 'smtp://user:the-password-of-mails@mail.example.com',
      Mail__Smtp__From: 'shop@example.com',
    };
    const text = printed(secrets);
    expect(text).to.contain('The configuration is valid.');
    for (const [name, value] of Object.entries(secrets))
      if (/secret|key/i.test(name)) expect(text, name).not.to.contain(value);
    expect(text).not.to.contain('the-token-of-alerts').and.not.contain('the-password-of-mails');
    expect(text).to.contain('alerts.example.com').and.contain('secret: (set)');
  });
});
