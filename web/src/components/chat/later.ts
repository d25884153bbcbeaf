// What comes with the first answer, in one file.
export { PrintedDay } from "../shared/document/PrintedDay";
export { InView } from "./InView";
