// How long nothing has come. The service says something every second while it works, so silence
// means that it, or the way to it, is away.
const SAID_AFTER = 4500; // milliseconds: a reader hears of it within five seconds
const OVER_AFTER = 15_000; // longer than a server takes to be given up for another one: nobody is there any more

/**
 * Watches over one request. `onChange` hears when silence begins and when it ends; `signal` aborts
 * when the reader stops it, or it is over.
 */
export class Silence {
  private readonly controller = new AbortController();
  private readonly abort = (): void => this.controller.abort();
  private timers: ReturnType<typeof setTimeout>[] = [];
  over = false;

  constructor(
    private readonly reader: AbortSignal,
    private readonly onChange: (silent: boolean) => void,
    private silent = false, // what its reader heard last
  ) {
    reader.addEventListener("abort", this.abort);
    if (reader.aborted) this.abort();
    this.listen();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The same bytes; each of them ends the silence. */
  through(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const transform = (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void => {
      this.heard();
      controller.enqueue(chunk);
    };
    return stream.pipeThrough(new TransformStream({ transform }));
  }

  heard(): void {
    this.forget();
    this.tell(false);
    this.listen();
  }

  /** No more is awaited. */
  end(): void {
    this.forget();
    this.tell(false);
    this.reader.removeEventListener("abort", this.abort);
  }

  private listen(): void {
    const over = (): void => {
      this.over = true;
      this.abort();
    };
    this.timers = [setTimeout(() => this.tell(true), SAID_AFTER), setTimeout(over, OVER_AFTER)];
  }

  private forget(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private tell(silent: boolean): void {
    if (silent === this.silent) return;
    this.silent = silent;
    this.onChange(silent);
  }
}
