// The words of what one does with an answer at the bedside, in English: they come with the first list that is quoted.
export const ward = {
  steps: {
    tick: "Tick off",
    whole: "Show as a list",
    ticked: (done: number, of: number) => `${done} of ${of}`,
    reset: "Begin again",
    kept: "Ticks and timers are kept in this tab alone, and gone when you close it. Nothing about a patient is stored.",
    start: (words: string) => `Timer: ${words}`,
    timers: "Timers that run",
    stop: "Stop",
    stopOf: (step: string) => `Stop the timer of: ${step}`,
    due: (words: string) => `${words}: time is up`,
    again: (words: string) => `Again: ${words}`,
    done: "Done",
    call: (number: string) => `Call ${number}`,
  },
};

export type WardWords = typeof ward;
