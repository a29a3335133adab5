/** Closes what a command or a run has opened, however its work ends. */
export async function whileOpen<Opened extends { close(): Promise<void> }, Result>(
  opening: Promise<Opened>,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const opened = await opening;
  return await work(opened).finally(() => opened.close());
}
