/** The alarm whose trouble takes a long log. */
import { onTestFinished, test } from 'vitest';
import { startService } from '../support/service.js';
import { onServers } from '../support/stores.js';
import { append, firing, freePort, seriesIn } from './alarming.js';

test.skipIf(onServers)('the whole log is not verified yet: AudienceLogNotVerified', async () => {
  const port = await freePort();
  const service = await startService({ env: { METRICS_PORT: String(port) } });
  onTestFinished(() => service.close());
  await service.kill('SIGKILL');
  const one = { type: 'Unknown', data: '{}' };
  // More than are verified before a start serves.
  await append(
    service,
    Array.from({ length: 101_000 }, () => one),
  );
  const text = (): Promise<string> =>
    fetch(`http://127.0.0.1:${port}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
  const start = service.start();
  await firing('AudienceLogNotVerified', async () => {
    const [verified] = seriesIn(await text()).filter(({ name }) => name === 'audience_log_verified');
    return verified?.value ?? 1;
  });
  await start;
});
