/** E-mails are looked at, released and cancelled by hand. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someAddress } from '../support/answers.js';
import { eventually, startService, type Service } from '../support/service.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';
import { chromiumPath, sharedBrowser, visit, withoutChromium } from './browser.js';

describe.skipIf(chromiumPath === undefined)(`e-mail${withoutChromium}`, () => {
  let smtp: SmtpStandIn;
  let service: Service;
  let browser: Browser;
  beforeAll(async () => {
    [smtp, browser] = await Promise.all([openSmtp(['accept']), sharedBrowser()]);
    service = await startService({ env: { SMTP_URL: smtp.url, MAIL_IN_DOUBT: 'hold' } });
  });
  afterAll(async () => {
    await service.close();
    await smtp.close();
  });

  async function sendUntil(state: string): Promise<string> {
    const message = {
      from_email: 'a@b.example',
      to_email: someAddress(),
      subject: '<img src=x onerror=alert(1)> \u202e',
      mail_template: '<p>Hi</p>',
    };
    const answer = await service.post('/v1/email/send', message);
    const id = String(answer.headers.location).replace('/v1/email/', '');
    await eventually(async () => ((await service.get(`/v1/email/${id}`)).field('state') === state ? true : undefined), {
      what: state,
    });
    return id;
  }
  const stateOf = async (id: string): Promise<unknown> => (await service.get(`/v1/email/${id}`)).field('state');

  test('what was held is released; others are cancelled after their number was shown; outcomes and their reasons over time', async () => {
    smtp.behave('close after dot');
    const held = await sendUntil('held');
    const { page, open, signIn, checkAccessibility, leave } = await visit(browser, service);
    await signIn(service.key, '/emails');
    await page.getByRole('link', { name: held }).click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.getByText('attempt 1: in doubt').waitFor();
    await page.getByText('The e-mail was perhaps sent (connection_lost), and is held.').waitFor();
    await page.getByText('<img src=x onerror=alert(1)> \\u202e').waitFor();
    await checkAccessibility();
    smtp.behave('accept');
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
    await expect.poll(() => stateOf(held)).toBe('sent');
    await page.reload();
    const history = page.getByRole('region', { name: 'What happened' });
    await history.getByText('The e-mail was sent.').waitFor();
    expect(await history.locator('.mark').allTextContents()).toEqual([
      ...['requested', 'attempt 1: in doubt', 'released', 'attempt 2: sent'],
    ]);
    await history.getByText('The mail server said:').waitFor();

    smtp.behave('close after dot');
    const waiting = [await sendUntil('held'), await sendUntil('held')];
    await open('/emails?state=held');
    for (const id of waiting) await page.getByRole('link', { name: id }).waitFor();
    await checkAccessibility();
    await page.getByRole('button', { name: 'Cancel all' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 e-mails are in this state now').waitFor();
    expect(await Promise.all(waiting.map(stateOf))).toEqual(['held', 'held']);
    await dialog.getByRole('button', { name: 'Cancel them' }).click();
    await dialog.getByText('2 of 2 done').waitFor();
    expect(await Promise.all(waiting.map(stateOf))).toEqual(['cancelled', 'cancelled']);
    await page.keyboard.press('Escape');
    await page.getByText('No emails in this state').waitFor();

    await page.getByRole('link', { name: 'Over time' }).click();
    await page.getByText('The figures as a table').first().click();
    const table = page.getByRole('table', { name: 'E-mails' });
    expect(await table.getByRole('row').last().textContent()).toMatch(/310$/);
    for (const [title, reasons] of [
      ['Why attempts failed', /connection lost.*3$/],
      ['Why e-mails bounced or were cancelled', /cancelled: requested by client.*2$/],
    ] as const) {
      await page.getByRole('figure', { name: title }).getByText('The figures as a table').click();
      const rows = page.getByRole('table', { name: title }).getByRole('row');
      await expect.poll(async () => (await rows.allTextContents()).join()).toMatch(reasons);
    }
    await checkAccessibility();
    await leave();
  });
});
