/** Tells the old scripts what was changed on this page: they keep it in the browser for the next one. */

import { type ReactNode, useEffect } from "react";
import { takePreferences } from "$/public/external/app/ui/components/scripts/preferences.js";
import type { RememberedPreferencesProps } from "./views.ts";

export function RememberedPreferences({ loaded, keys, entersView }: RememberedPreferencesProps): ReactNode {
  useEffect(() => {
    if (!loaded) return;
    const own = Object.fromEntries(keys.map(({ action, key }) => [action, key]));
    takePreferences({ keys: own, auto_enter_view_on_overflow: entersView });
  }, [loaded, keys, entersView]);
  return null;
}
