/**
 * Emphasis next to Chinese, Japanese and Korean letters and signs, which have no blanks between words: `**“苹果”**和`.
 *
 * CommonMark requires a blank or punctuation on the other side of such a sign. Here a letter or a sign of these scripts
 * is enough too (https://github.com/tats-u/markdown-cjk-friendly, its rule without the cases for variants of signs).
 */
import { Tokenizer, type Tokens } from "marked";

const CJK = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u3000-\\u303f\\uff00-\\uffef";
const SIGN = "[^\\P{P}*~_\\\\]";
const BESIDE = new RegExp(`${SIGN}(?=[*~]+[${CJK}])|(?<=[${CJK}][*~]+)${SIGN}`, "gu");
const IS_CJK = new RegExp(`[${CJK}]$`, "u");

/**
 * Return the text that the library `marked` searches for the ends of emphasis: punctuation next to these scripts is
 * replaced by letters.
 */
export const maskCjk = (source: string): string => source.replace(BESIDE, (sign) => "a".repeat(sign.length));

interface Emphasis {
  emStrong: (this: Tokenizer, source: string, mask: string, before?: string) => Tokens.Em | Tokens.Strong | false;
  del: (this: Tokenizer, source: string, mask: string, before?: string) => Tokens.Del | false;
}

/** Rules for the library `marked`: emphasis may begin after a letter of these scripts. `false`: `marked` decides. */
export const cjkEmphasis: Emphasis = {
  emStrong(source, mask, before = "") {
    if (!source.startsWith("*") || !IS_CJK.test(before)) return false;
    return Tokenizer.prototype.emStrong.call(this, source, mask, "") ?? false;
  },
  del(source, mask, before = "") {
    if (!IS_CJK.test(before)) return false;
    return Tokenizer.prototype.del.call(this, source, mask, "") ?? false;
  },
};
