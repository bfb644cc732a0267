/** Shows its children on one page of the app, and `elsewhere` on all others. */
import type { ReactNode } from "react";
import { useLocation } from "react-router";
import type { OnPageProps } from "../views.ts";

export const OnPage = ({ path, elsewhere, children }: OnPageProps): ReactNode =>
  useLocation().pathname.replace(/(.)\/$/, "$1") === path ? children : elsewhere;
