/** The page of usage, whose scripts nobody needs who does not open it. */
import { Suspense } from "react";
import { lazy } from "./lazy.js";

const Report = lazy(() => import("./usage_report.jsx"));
const Budgets = lazy(() => import("./budgets.jsx"));
const Reconcile = lazy(() => import("./reconcile.jsx"));
const OwnPrices = lazy(() => import("./own_prices.jsx"));

export function UsagePage() {
  return (
    <Suspense fallback={<p className="usage-note" role="status">Adding up…</p>}>
      <Report />
      <Budgets />
      <Reconcile />
      <OwnPrices />
    </Suspense>
  );
}
