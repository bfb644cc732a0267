/** What keys do to the marks of a pair, told to `MarksState`. */
import { states } from "./live.js";

export const setStars = (pair, stars) => states().stars(pair.id, stars);
export const toggleFlag = (pair) => states().flag(pair.id);
export const cycleMark = (pair) => states().cycle(pair.id);
