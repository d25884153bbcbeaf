// What comes with every first answer that is whole, in one file.
export { Feedback } from "./Feedback";
export { Made } from "./Made";
export { PrintedSources } from "./Printed";
