/** The grammars of all common languages, in a separate file: most replies need only those of `highlight.ts`. */
export { common } from "lowlight";
