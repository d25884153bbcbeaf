// What comes with the first answer, or the help that is asked for, in one file.
export { PrintedDay } from "../shared/document/PrintedDay";
export { Help } from "./Help";
export { InView } from "./InView";
export { SinceShown } from "./SinceShown";
