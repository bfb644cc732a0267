/** What is shown while the server is out of reach, and after something was refused because of that. */
import type { ReactNode } from "react";
import { useLink, useRefused } from "./link.ts";
import type { AfterRefusalProps, WhileLostProps } from "./views.ts";

export function WhileLost({ children }: WhileLostProps): ReactNode {
  return useLink() === "lost" ? children : null;
}

export function AfterRefusal({ children }: AfterRefusalProps): ReactNode {
  return useRefused() ? children : null;
}
