/** What is shown while the server is out of reach, and after something was refused because of that. */
import type { ReactNode } from "react";
import { refused, useLink } from "./link.ts";
import type { AfterRefusalProps, WhileLostProps } from "./views.ts";

export function WhileLost({ children }: WhileLostProps): ReactNode {
  return useLink() === "lost" ? children : null;
}

export function AfterRefusal({ children }: AfterRefusalProps): ReactNode {
  return refused.use() ? children : null;
}
