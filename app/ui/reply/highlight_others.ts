/** The grammars of all common languages, apart: few replies are in any but those that `highlight.ts` brings. */
export { common } from "lowlight";
