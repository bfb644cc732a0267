import assert from "node:assert/strict";
import { test } from "node:test";
import { isModest } from "../../app/ui/reply/math_syntax.ts";

test("usual formulas are set", () => {
  for (const tex of ["x^2", "\\definiteintegral", "\\frac{a}{b} \\left( \\letter \\right)", "\\\\default"])
    assert.ok(isModest(tex), tex);
});

test("definitions are not", () => {
  const names = "def gdef edef xdef let futurelet global long newcommand renewcommand providecommand".split(" ");

  for (const name of names) assert.ok(!isModest(`x \\${name}\\a{b} \\a`), name);
});

test("neither is what is long or nested deeply", () => {
  assert.ok(!isModest("x".repeat(1_201)));
  assert.ok(!isModest(`${"{".repeat(61)}x${"}".repeat(61)}`));
  assert.ok(!isModest(`\\begin{matrix}${"&".repeat(150)}\\end{matrix}`));
  assert.ok(isModest("{x}&".repeat(140)));
});
