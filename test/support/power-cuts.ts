/**
 * Records the file operations of processes with strace, and writes a folder as a power cut could leave it: what was flushed
 * with fsync is there. Any other write, name or removal is there, is missing, or is torn at a sector.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { vi } from 'vitest';

export const noStrace =
  spawnSync('strace', ['-f', '--seccomp-bpf', '-e', 'trace=fsync', 'true']).status === 0
    ? undefined
    : 'strace is not installed, or this machine does not permit tracing';

const writes = ['write', 'writev', 'pwrite64', 'ftruncate'];
const names = ['openat', 'rename', 'renameat', 'renameat2', 'link', 'linkat', 'unlink', 'unlinkat', 'mkdir', 'mkdirat'];
/** A replay knows no effects of these calls, so it refuses a recording that has one of them. */
const unknown = ['pwritev', 'truncate', 'fallocate', 'copy_file_range', 'sendfile', 'rmdir', 'symlink', 'symlinkat'];
const calls = [...writes, ...names, ...unknown, 'fsync', 'fdatasync', 'sendmsg', 'sendto'];

/** Starts Node under strace. The child is the process of Node itself, so signals go to it. */
export function startTraced(trace: string, words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const options = [
    '-D',
    '-f',
    '-q',
    '-y',
    '-s',
    '1000000',
    '--seccomp-bpf',
    '-o',
    trace,
    '-e',
    `trace=${calls.join()}`,
  ];
  return spawn('strace', [...options, process.execPath, ...words], {
    env: { PATH: process.env['PATH'], UV_USE_IO_URING: '0', ...env },
    cwd: path.dirname(trace),
    stdio: 'ignore',
  });
}

/** Waits until the process and the trace have ended. */
export async function ended(child: ChildProcess, trace: string): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const end = new RegExp(`^${child.pid ?? 0} +\\+\\+\\+ `, 'm');
  await vi.waitUntil(() => end.test(readFileSync(trace, 'latin1').slice(-10_000)), { timeout: 30_000 });
  return child.exitCode;
}

type Change =
  | { readonly kind: 'write'; readonly file: number; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly size: number }
  /** A name gets a file or a folder, or loses it. */
  | {
      readonly kind: 'name';
      readonly folder: string;
      readonly set: ReadonlyMap<string, number | 'folder' | undefined>;
    };

/** Lines after a change that is never flushed at which a power cut is tried. */
const mostMoments = 20;

/** A call from its first to its last line in the trace. Infinity if the process was killed during the call. */
interface Call {
  readonly from: number;
  readonly to: number;
}
interface Step extends Call {
  readonly change: Change;
  /** The name of the file, or the names that change. */
  readonly names: readonly string[];
  /** The line from which on the change outlives a power cut; Infinity if it was never flushed. */
  safeFrom: number;
}
interface Flush extends Call {
  /** Number of a file, or name of a folder. */
  readonly what: number | string;
}

export interface Recording {
  /** Number of lines: a power cut is before one of them. */
  readonly lines: number;
  /** Numbers of the first line of each trace. */
  readonly starts: readonly number[];
  /** Returns the text that processes sent to sockets before this line of the trace. */
  sentBefore(line: number): string;
  /** Returns the lines before which a power cut could lose a change of a file or a folder with such a name. */
  momentsOf(name: RegExp): readonly number[];
  /** Writes the folder as a power cut before this line could leave it. */
  writeTo(folder: string, cut: Cut): void;
}

interface Cut {
  readonly line: number;
  /** The fate of writes that were not flushed: all are lost, all are kept, or each part is kept or lost at random. */
  readonly rest: 'lost' | 'kept' | 'mixed';
  readonly random: () => number;
}

type Named = readonly (readonly [name: string, file: number | 'folder' | undefined])[];

/** A call with what it names: the file of its descriptor, its texts, and the paths among them inside the folder. */
interface DescribedCall extends TracedCall {
  readonly descriptor: string;
  readonly described: string;
  readonly texts: readonly Buffer[];
  readonly paths: readonly (string | undefined)[];
}

/** Learns from calls which files there are, and what happened to them. */
function createRecorder(root: string, base: string) {
  const files: Buffer[] = [];
  const initial = new Map<string, number | 'folder'>();
  for (const name of readdirSync(base, { recursive: true, encoding: 'utf8' })) {
    const isFile = statSync(path.join(base, name)).isFile();
    if (isFile) files.push(readFileSync(path.join(base, name)));
    initial.set(name, isFile ? files.length - 1 : 'folder');
  }
  const live = new Map(initial);
  const sizes = files.map(({ length }) => length);
  const open = new Map<string, { readonly file: number; offset: number; readonly isAppending: boolean }>();
  const steps: Step[] = [];
  const flushes: Flush[] = [];
  const sent: { readonly line: number; readonly text: string }[] = [];

  /** Returns the name inside the root, or undefined if it is elsewhere or holds nothing that lasts. */
  function inside(file: string): string | undefined {
    const name = path.relative(root, file);
    return name.startsWith('..') || name.endsWith('-shm') ? undefined : name;
  }

  const step = ({ from, to }: Call, change: Change, affected: readonly string[]): void =>
    void steps.push({ from, to, change, names: affected, safeFrom: Infinity });

  function setNames(call: Call, set: Named): void {
    for (const [name, file] of set)
      if (file === undefined) live.delete(name);
      else live.set(name, file);
    const [folder = '', ...others] = new Set(set.map(([name]) => path.dirname(name)));
    if (others.length > 0) throw new Error(`a rename between two folders: ${String(set)}`);
    step(
      call,
      { kind: 'name', folder, set: new Map(set) },
      set.map(([name]) => name),
    );
  }

  function resize(call: Call, file: number, size: number, name: string): void {
    if (sizes[file] === size) return;
    sizes[file] = size;
    step(call, { kind: 'truncate', file, size }, [name]);
  }

  function openFile(call: DescribedCall): void {
    const { args, result, paths } = call;
    const [name] = paths;
    open.delete(String(result));
    if (name === undefined || name === '' || live.get(name) === 'folder') return;
    if (live.get(name) === undefined && args.includes('O_CREAT')) {
      files.push(Buffer.alloc(0));
      sizes.push(0);
      setNames(call, [[name, files.length - 1]]);
    }
    const file = live.get(name);
    if (typeof file !== 'number') return;
    if (args.includes('O_TRUNC')) resize(call, file, 0, name);
    open.set(String(result), { file, offset: 0, isAppending: args.includes('O_APPEND') });
  }

  function write(call: DescribedCall, at?: number): void {
    const { descriptor, described, texts, result } = call;
    if (/^(TCP|TCPv6|socket|UNIX)/.test(described)) sent.push({ line: call.from, text: texts.join('') });
    if (!described.startsWith('/') || inside(described) === undefined) return;
    const to = open.get(descriptor);
    if (to === undefined) throw new Error(`an unknown descriptor: ${call.args.slice(0, 200)}`);
    const size = sizes[to.file] ?? 0;
    const data = Buffer.concat(texts).subarray(0, result === Infinity ? undefined : result);
    const offset = at ?? (to.isAppending ? size : to.offset);
    if (at === undefined) to.offset = offset + data.length;
    sizes[to.file] = Math.max(size, offset + data.length);
    step(call, { kind: 'write', file: to.file, offset, data }, [described]);
  }

  function flush(call: DescribedCall): void {
    const what = open.get(call.descriptor)?.file ?? inside(call.described);
    if (what !== undefined) flushes.push({ from: call.from, to: call.to, what: what === '' ? '.' : what });
  }

  function link(call: DescribedCall): void {
    const [from, to] = call.paths;
    if (from !== undefined && to !== undefined) setNames(call, [[to, live.get(from)]]);
  }

  function rename(call: DescribedCall): void {
    const [from, to] = call.paths;
    if (from === undefined || to === undefined) return;
    setNames(call, [
      [to, live.get(from)],
      [from, undefined],
    ]);
  }

  const setFirst =
    (file: 'folder' | undefined) =>
    (call: DescribedCall): void => {
      const [name] = call.paths;
      if (name !== undefined) setNames(call, [[name, file]]);
    };
  const lastNumber = ({ args }: TracedCall): number => Number(/, (\d+)\)?$/.exec(args)?.[1]);

  const effects: Readonly<Record<string, (call: DescribedCall) => void>> = {
    openat: openFile,
    write,
    writev: write,
    sendto: write,
    sendmsg: write,
    pwrite64: (call) => write(call, lastNumber(call)),
    ftruncate: (call) => {
      const file = open.get(call.descriptor)?.file;
      if (file !== undefined && inside(call.described) !== undefined)
        resize(call, file, lastNumber(call), call.described);
    },
    ...{ fsync: flush, fdatasync: flush, link, linkat: link, rename, renameat: rename, renameat2: rename },
    ...{ unlink: setFirst(undefined), unlinkat: setFirst(undefined) },
    ...{ mkdir: setFirst('folder'), mkdirat: setFirst('folder') },
  };

  return {
    ...{ files, initial, steps, flushes, sent },
    /** Descriptors are those of another process from now on. */
    nextProcess: () => open.clear(),
    take(call: TracedCall): void {
      const { name, args, result } = call;
      const isOpening = name === 'openat' && result === Infinity;
      if (result < 0 || isOpening || args.includes('<anon_inode:')) return;
      const [, descriptor = '', described = ''] = /^(\d+)<(.*?)>/.exec(args) ?? [];
      const texts = [...args.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, text = '']) => unescaped(text));
      const paths = texts.map((text) => inside(text.toString()));
      const effect = effects[name];
      if (effect !== undefined) effect({ ...call, descriptor, described, texts, paths });
      else if (args.includes(root)) throw new Error(`an unknown call: ${name} ${args.slice(0, 200)}`);
    },
  };
}

/**
 * Reads the traces of processes that ran one after the other.
 * @param root the folder that they changed
 * @param base a copy of that folder from before the first process started
 */
export function readRecording(traces: readonly string[], { root, base }: { root: string; base: string }): Recording {
  const recorder = createRecorder(root, base);
  const starts: number[] = [];
  let lines = 0;
  for (const trace of traces) {
    const texts = readFileSync(trace, 'latin1').split('\n');
    recorder.nextProcess();
    for (const call of callsIn(texts, lines)) recorder.take(call);
    starts.push(lines);
    lines += texts.length;
  }
  const { files, initial, steps, flushes, sent } = recorder;
  noteFlushes(steps, flushes);
  return {
    ...{ lines, starts },
    sentBefore: (before) => sent.flatMap(({ line, text }) => (line < before ? [text] : [])).join('\n'),
    momentsOf: (name) =>
      steps.flatMap(({ from, safeFrom, names: affected }) => {
        const length = Math.min(safeFrom - from, mostMoments);
        return affected.some((one) => name.test(one)) ? Array.from({ length }, (_, at) => from + at + 1) : [];
      }),
    writeTo(folder, cut) {
      const contents = new Map(files.map((bytes, file) => [file, createContent(bytes)]));
      const entries = new Map(initial);
      for (const { change, random } of survivors(steps, cut))
        if (change.kind === 'truncate') contents.get(change.file)?.resize(change.size);
        else if (change.kind === 'write') contents.get(change.file)?.write(change, random);
        else
          for (const [name, file] of change.set)
            if (file === undefined) entries.delete(name);
            else entries.set(name, file);
      writeFolder(folder, entries, contents);
    },
  };
}

/** Yields the changes that outlive the power cut; with `random` if it tears the change. */
function* survivors(steps: readonly Step[], { line, rest, random }: Cut) {
  // Only some of the cuts lose much, because a folder in which nothing fits shows little.
  const share = random();
  for (const { from, safeFrom, change } of steps) {
    if (from >= line) return;
    const isSafe = safeFrom < line;
    if (isSafe || rest === 'kept') yield { change, random: undefined };
    else if (rest === 'mixed' && random() < share) yield { change, random: random() < 0.4 ? random : undefined };
  }
}

function writeFolder(
  folder: string,
  entries: ReadonlyMap<string, number | 'folder'>,
  contents: ReadonlyMap<number, Content>,
): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, file] of [...entries].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const target = path.join(folder, name);
    // A folder whose name was lost takes its files with it.
    if (!existsSync(path.dirname(target))) continue;
    if (file === 'folder') mkdirSync(target, { mode: 0o700 });
    else writeFileSync(target, contents.get(file)?.bytes() ?? '', { mode: 0o600 });
  }
}

/** Notes for each step when it is flushed: by the first call that begins after the step has ended. */
function noteFlushes(steps: readonly Step[], flushes: readonly Flush[]): void {
  const waiting = new Map<Flush['what'], Step[]>();
  const events = [
    ...steps.map((step) => ({ at: step.to, step, flush: undefined })),
    ...flushes.map((flush) => ({ at: flush.from, step: undefined, flush })),
  ].sort((one, other) => one.at - other.at);
  for (const { step, flush } of events)
    if (step !== undefined) {
      const what = step.change.kind === 'name' ? step.change.folder : step.change.file;
      const others = waiting.get(what);
      if (others === undefined) waiting.set(what, [step]);
      else others.push(step);
    } else if (flush.to < Infinity) {
      // A flush that another one overtakes makes the same steps safe later, which only makes this test stricter. A flush that
      // a kill interrupted makes nothing safe.
      for (const one of waiting.get(flush.what) ?? []) one.safeFrom = flush.to;
      waiting.delete(flush.what);
    }
}

const sectorBytes = 512;

/** The content of a file that grows in place. */
function createContent(before: Buffer = Buffer.alloc(0)) {
  let bytes = Buffer.from(before);
  let size = bytes.length;
  function resize(to: number): void {
    if (to > bytes.length) bytes = Buffer.concat([bytes, Buffer.alloc(Math.max(to, 2 * bytes.length) - bytes.length)]);
    if (to > size) bytes.fill(0, size, to);
    size = to;
  }
  return {
    resize,
    /** @param random if given, chance decides for each sector whether it is written */
    write({ offset, data }: { readonly offset: number; readonly data: Buffer }, random?: () => number): void {
      resize(Math.max(size, offset + data.length));
      for (let at = offset; at < offset + data.length;) {
        const end = Math.min(offset + data.length, (Math.floor(at / sectorBytes) + 1) * sectorBytes);
        if (random === undefined || random() < 0.5) data.copy(bytes, at, at - offset, end - offset);
        at = end;
      }
    },
    bytes: (): Buffer => bytes.subarray(0, size),
  };
}
type Content = ReturnType<typeof createContent>;

interface TracedCall extends Call {
  readonly name: string;
  readonly args: string;
  /** Infinity if the process was killed during the call. */
  readonly result: number;
}

/** Returns the process of a line and what the line has: a whole call, or the beginning or the end of one. */
function partsOf(text: string) {
  const [, pid = '', rest = ''] = /^(\d+) +(.*)$/s.exec(text) ?? [];
  const end = /^<\.\.\. \w+ resumed>(?<args>.*?)\) += (?<result>-?\d+)/s.exec(rest)?.groups;
  const begun = /^(?<name>\w+)\((?<args>.*) <unfinished \.\.\.>$/s.exec(rest)?.groups;
  const whole = /^(?<name>\w+)\((?<args>.*)\) += (?<result>-?\d+)/s.exec(rest)?.groups;
  const partOf = ({ name = '', args = '', result = 'Infinity' }) => ({ name, args, result: Number(result) });
  return { pid, end: end && partOf(end), begun: begun && partOf(begun), whole: whole && partOf(whole) };
}

/** Returns the calls in the order in which they began, but those that open a file in the order in which they ended, because only then their descriptor is theirs. */
function callsIn(texts: readonly string[], offset: number): readonly TracedCall[] {
  const found: TracedCall[] = [];
  const unfinished = new Map<string, number>();
  for (const [at, text] of texts.entries()) {
    const line = offset + at;
    const { pid, end, begun, whole } = partsOf(text);
    const first = found[unfinished.get(pid) ?? -1];
    if (end !== undefined && first !== undefined)
      found[unfinished.get(pid) ?? -1] = { ...first, args: first.args + end.args, to: line, result: end.result };
    else if (begun !== undefined) unfinished.set(pid, found.push({ ...begun, from: line, to: Infinity }) - 1);
    else if (whole !== undefined) found.push({ ...whole, from: line, to: line });
  }
  const orderOf = ({ name, from, to }: TracedCall): number => (name === 'openat' ? to : from);
  // Subtracting would make NaN of two that never ended.
  return found.sort((one, other) => orderOf(one) - orderOf(other) || 0);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' };

/** Returns the bytes of a string that strace printed. */
function unescaped(text: string): Buffer {
  const plain = text.replace(
    /\\(?:x([0-9a-f]{2})|([0-7]{1,3})|(.))/gs,
    (_, hex?: string, octal?: string, other = '') =>
      hex !== undefined
        ? String.fromCharCode(parseInt(hex, 16))
        : octal !== undefined
          ? String.fromCharCode(parseInt(octal, 8))
          : (escapes[other as string] ?? (other as string)),
  );
  return Buffer.from(plain, 'latin1');
}
