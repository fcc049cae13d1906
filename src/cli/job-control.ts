/** What the screen does around the time in which the process is stopped. */
export interface StopListener {
  /** Called before the process stops: gives the terminal back as it was. */
  leave(): void;
  /** Called when the process continues; also after a stop that nobody could see coming. */
  comeBack(): void;
}

export interface JobControl {
  /** Tells `listener` of each stop, until the returned function is called. */
  onStop(listener: StopListener): () => void;
  /** Stops the process and the rest of its job, as a shell expects of Ctrl-Z. */
  stop(): void;
}

/** After this time the process was not stopped: where no shell could continue it, the kernel does not. */
const ignoredMs = 50;

/** Ctrl-Z, `kill -TSTP` and `fg` for this process. */
export function jobControl(schedule: (delayMs: number, run: () => void) => () => void): JobControl {
  let listener: StopListener | undefined;

  const comeBack = () => {
    if (!listener) return;
    process.off("SIGTSTP", stopSelf);
    process.on("SIGTSTP", stopSelf);
    listener.comeBack();
  };
  const stop = (pid: number) => {
    listener?.leave();
    // Without a handler the signal has its usual effect.
    process.off("SIGTSTP", stopSelf);
    process.kill(pid, "SIGTSTP");
    schedule(ignoredMs, comeBack);
  };
  const stopSelf = () => stop(process.pid);

  return {
    onStop(given) {
      listener = given;
      process.on("SIGTSTP", stopSelf);
      process.on("SIGCONT", comeBack);
      return () => {
        listener = undefined;
        process.off("SIGTSTP", stopSelf);
        process.off("SIGCONT", comeBack);
      };
    },
    // The job may have more processes than this one, such as that of npm.
    stop: () => stop(0),
  };
}
