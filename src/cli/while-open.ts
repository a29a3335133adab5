/** Closes what a command has opened, however its work ends. */

interface Closable {
  close(): Promise<void>;
}

export async function whileOpen<Opened extends Closable, Result>(
  opening: Promise<Opened>,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const opened = await opening;
  return await work(opened).finally(() => opened.close());
}
