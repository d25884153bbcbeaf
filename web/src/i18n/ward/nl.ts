// De woorden van wat men aan het bed met een antwoord doet, in het Nederlands: ze komen met de eerste lijst die aangehaald wordt.
import type { WardWords } from "./en";

export const ward: WardWords = {
  steps: {
    tick: "Afvinken",
    whole: "Toon als lijst",
    ticked: (done: number, of: number) => `${done} van ${of}`,
    reset: "Begin opnieuw",
    kept: "Vinkjes en timers staan alleen in dit tabblad, en zijn weg als u het sluit. Over een patiënt wordt niets bewaard.",
    start: (words: string) => `Timer: ${words}`,
    timers: "Timers die lopen",
    stop: "Stop",
    stopOf: (step: string) => `Stop de timer van: ${step}`,
    due: (words: string) => `${words}: de tijd is om`,
    again: (words: string) => `Opnieuw: ${words}`,
    done: "Klaar",
    call: (number: string) => `Bel ${number}`,
  },
};
