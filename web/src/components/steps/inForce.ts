// Whether what an answer quotes still counts: where it does not, nothing in it is ticked off or
// dialled.
import { createContext } from "react";

export const InForce = createContext(true);
